"""Takes the scripts out of workflows: steps.py FOLDER WORKFLOW...

Each becomes FOLDER/WORKFLOW/STEP.sh, so that shellcheck can read it and a test can run it. Expressions in a script would be
code injection, so there must be none.
"""

import re
import sys
from pathlib import Path

import yaml

folder, *workflows = sys.argv[1:]
count = 0
for workflow in workflows:
    document = yaml.safe_load(Path(workflow).read_text())
    target = Path(folder) / Path(workflow).stem
    target.mkdir(parents=True)
    scripts = {}
    if "jobs" in document:
        if document["permissions"] != {"contents": "read"}:
            sys.exit(f"{workflow}: the token may do more than read the repository")
        if "pull_request_target" in document[True]:
            sys.exit(f"{workflow}: code of strangers would run with the repository's rights")
        for job in document["jobs"].values():
            for step in job["steps"]:
                uses = step.get("uses", "")
                if uses.startswith("actions/checkout@") and step["with"].get("persist-credentials") is not False:
                    sys.exit(f"{workflow}: a checkout leaves the token where a submission may read it")
                if "run" in step:
                    scripts[step["name"]] = step["run"]
        if "secrets." in Path(workflow).read_text():
            sys.exit(f"{workflow}: a secret in a workflow that students can change")
    else:
        lines = [line if isinstance(line, str) else "\n".join(line) for line in document["exercises"]["script"]]
        scripts["script"] = "\n".join(lines)
    for name, script in scripts.items():
        if "${{" in script:
            sys.exit(f"{workflow}: step {name!r}: an expression in a script; hand it over in `env`")
        name = re.sub(r"[^A-Za-z0-9]+", "-", name)
        (target / f"{name}.sh").write_text(f"#!/usr/bin/env bash\n{script}\n")
        count += 1
if count < 8:
    sys.exit(f"only {count} scripts: the test looks at the wrong thing")
