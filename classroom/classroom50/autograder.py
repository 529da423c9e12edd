#!/usr/bin/env python3
"""An autograder for Classroom 50 (https://github.com/foundation50/classroom50).

Copy it to CLASSROOM/autograders/ASSIGNMENT/autograder.py in your `classroom50` repository, and put these files next to it:

    checker.tar.xz  the checker's programs: mv checker-tools checker && strip checker checker-worker &&
                    tar cf - checker checker-worker | xz -9 >checker.tar.xz   (a bundle may have 10 MB; this is 9.6)
    grading.toml    the policy, if you want one

Classroom 50 publishes that folder, so don't put a secret seed there. This script grades with the inputs that students have
themselves. Classroom 50's runner calls it in the student's checkout, and reads ./result.json. The exit code is 0 if grading
succeeded, with any grade.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def checker(folder: Path) -> str:
    """The checker: unpacked into `folder`, or the one that the machine has."""
    packed = HERE / "checker.tar.xz"
    if packed.is_file():
        with tarfile.open(packed) as programs:
            for name in ("checker", "checker-worker"):
                source = programs.extractfile(name)
                if source is None:
                    sys.exit(f"{packed} has no program {name}")
                program = folder / name
                with program.open("wb") as target:
                    shutil.copyfileobj(source, target)
                program.chmod(0o755)
        return str(folder / "checker")
    found = shutil.which("checker")
    if found is None:
        sys.exit(f"no checker: put checker.tar.xz into {HERE}, or install it on the machine")
    return found


def submitted_at() -> list[str]:
    """When the graded commit was made, as Classroom 50 itself counts it."""
    git = ["git", "-c", "safe.directory=*", "show", "-s", "--format=%cI", os.environ.get("GITHUB_SHA") or "HEAD"]
    time = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    return ["--submitted-at", time]


def main() -> None:
    """Grades the checkout; leaves result.json and release-body.md there."""
    checkout = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = checker(folder)

        def run(*words: str) -> None:
            status = subprocess.run([program, *words], check=False).returncode
            if status != 0:
                sys.exit(status)

        # Installs the compiler if the machine doesn't have it yet.
        run("setup")
        # A class with one student. The folder of the submission has the student's id as its name.
        submission = folder / "class" / os.environ["USERNAME"]
        shutil.copytree(checkout, submission, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        options = submitted_at()
        if (HERE / "grading.toml").is_file():
            options += ["--policy", str(HERE / "grading.toml")]
        run("grade", str(submission.parent), "--out", str(folder / "results"), *options)
        records = str(folder / "results" / "records")
        for file, format in [("release-body.md", "github-summary"), ("result.json", "classroom50")]:
            run("report", records, "--format", format, "--out", str(folder / file))
            # The checkout may contain a link with this name, and we must not write through it.
            (checkout / file).unlink(missing_ok=True)
            shutil.copyfile(folder / file, checkout / file)


if __name__ == "__main__":
    main()
