#!/usr/bin/env python3
"""Grades every mutant and every accepted solution with several secrets, and compares the outcomes of all cases and gates.

    python3 checker/proof/secrets.py CHECKER FOLDER [--secrets 4] [--jobs N] [EXERCISE ...]

A secret must not decide about an honest submission, so each case and each gate of a file has to end in the same way with every
secret. FOLDER is new. The script prints each case whose outcome depends on the secret, and its exit code is 1 if there is one.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

PROOF = Path(__file__).resolve().parent


def files(wanted: list[str]) -> list[tuple[str, str]]:
    """Pairs of an exercise and a mutant's name, and pairs of an exercise and a path."""
    found = []
    for folder in ("mutants", "accepted"):
        for path in sorted((PROOF / folder).glob("*/*.toml")):
            by_diagnostic = tomllib.loads(path.read_text())
            found += [(path.stem, f"{path.stem}/{name}") for mutants in by_diagnostic.values() for name in mutants]
        found += [(path.parent.name, str(path)) for path in sorted((PROOF / folder).glob("*/*/*.cu"))]
    return [pair for pair in found if not wanted or pair[0] in wanted]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checker")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--secrets", type=int, default=4)
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE")
    options = parser.parse_intermixed_args()
    submissions = options.folder / "submissions"
    submissions.mkdir(parents=True)

    students = {}
    for number, (exercise, what) in enumerate(files(options.exercises)):
        student = f"m{number:04}"
        (submissions / student).mkdir()
        target = submissions / student / f"{exercise}.cu"
        if what.endswith(".cu"):
            target.write_bytes(Path(what).read_bytes())
            what = f"{exercise}/{Path(what).stem}"
        else:
            subprocess.run([options.checker, "dev", "mutant", what, "--out", target], check=True, stdout=subprocess.DEVNULL)
        students[student] = (exercise, what)

    outcomes = collections.defaultdict(lambda: collections.defaultdict(dict))
    for secret in range(options.secrets):
        (options.folder / f"secret{secret}.txt").write_text(f"the secret with the number {secret}\n")
        out = options.folder / f"out{secret}"
        command = [options.checker, "grade", str(submissions), "--out", str(out), "--jobs", options.jobs]
        command += ["--seed-file", str(options.folder / f"secret{secret}.txt"), "--backend", "sim"]
        with open(options.folder / f"log{secret}.txt", "w") as log:
            subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False)
        for student, (exercise, what) in students.items():
            record = json.loads((out / "records" / f"{student}.json").read_text())
            graded = next(entry for entry in record["exercises"] if entry["id"] == exercise)
            for item in graded["items"]:
                outcomes[what][item["name"]][secret] = item["outcome"]

    different = 0
    for what, cases in outcomes.items():
        for case, seen in cases.items():
            if len(seen) < options.secrets or len(set(seen.values())) > 1:
                different += 1
                print(f"{what}: {case}: {[seen.get(secret) for secret in range(options.secrets)]}")
    print(f"{len(students)} files with {options.secrets} secrets: {different} cases differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
