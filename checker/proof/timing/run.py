#!/usr/bin/env python3
"""Tries to deceive `checker bench` on a GPU.

    python3 checker/proof/timing/run.py CHECKER [FILE...]

Each file says in its head which exercise it replaces, and what is expected: `wrong` if it isn't timed, because its results are
wrong, and `not faster` if its median is no shorter than that of the solution in the same run. Prints a line for each file. The
exit code is 1 if one of them succeeds.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

# Times of whole programs differ by more than those of kernels.
NOISE = 0.15


def key(text: str, name: str) -> str:
    found = re.search(rf"^// {name}: (.+)$", text, re.MULTILINE)
    if not found:
        raise SystemExit(f"the head lacks `// {name}:`")
    return found[1].strip()


def tried(checker: str, file: Path) -> tuple[bool, str]:
    text = file.read_text()
    command = [checker, "bench", key(text, "exercise"), "--file", str(file), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode == 1:
        wrong = json.loads(done.stdout)["wrong"]
        return key(text, "expect") == "wrong" and wrong != "compile-error", f"not timed: {wrong}"
    if done.returncode != 0:
        return False, f"exit code {done.returncode}: {done.stderr.strip()}"
    times = json.loads(done.stdout)
    yours, solution = (times[name]["warm"]["median"] for name in ("yours", "solution"))
    shown = f"{yours:.4f} ms, the solution {solution:.4f} ms"
    return key(text, "expect") == "not faster" and yours >= (1 - NOISE) * solution, shown


def main() -> int:
    checker, *named = sys.argv[1:]
    files = [Path(name) for name in named] or sorted(Path(__file__).parent.glob("*.cu"))
    succeeded = 0
    for file in files:
        as_expected, shown = tried(checker, file)
        succeeded += not as_expected
        print(f"{'ok' if as_expected else 'DIFFERS':8} {file.stem:24} {shown}", flush=True)
    print(f"{len(files)} attempts, {succeeded} not as expected")
    return int(succeeded > 0)


if __name__ == "__main__":
    sys.exit(main())
