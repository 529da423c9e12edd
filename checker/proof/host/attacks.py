#!/usr/bin/env python3
"""Sends hostile texts to `checker host` as checks, and looks whether each is contained.

    python3 checker/proof/host/attacks.py CHECKER [--of-each 2] [--only NAME]

Takes some attacks of each kind from checker/proof/attacks, which are described there; the kind is the first word of the name.
Each must get the verdict that its first lines expect, or the server's time limit, without any text of the files that it may not
read. After each of them, the server must answer, and at the end, a solution must pass, the files must be as they were, and no
process may be left. The exit code is 1 if anything of that fails.
"""

import argparse
import hashlib
import http.client
import json
import re
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from load import ROOT, memory, processes

ATTACKS = ROOT / "checker/proof/attacks"


def keys(text: str) -> dict[str, str]:
    """The keys in the first lines of an attack."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"// ([a-z-]+): (.*)", line)
        if not match:
            return found
        found[match[1]] = match[2]
    return found


def chosen(of_each: int, only: str | None) -> list[Path]:
    counts: dict[str, int] = {}
    found = []
    for path in sorted(ATTACKS.glob("*.cu")):
        kind = path.stem.split("_")[0]
        counts[kind] = counts.get(kind, 0) + 1
        if path.stem == only or (only is None and counts[kind] <= of_each):
            found.append(path)
    return found


def state(folder: Path) -> dict[str, str]:
    """The contents of all files in a folder, and their times."""
    return {
        str(path): f"{path.stat().st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checker")
    parser.add_argument("--of-each", type=int, default=2, metavar="N")
    parser.add_argument("--only", metavar="NAME")
    options = parser.parse_args()

    failures, most = [], 0
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile("w+") as log:
        scene, secret = Path(name), f"canary-{secrets.token_hex(8)}"
        # Some attacks look for files of these names.
        for path in ["secret.txt", "canary.txt", "canary.h", "seed.txt", "submissions/ada/guard.cu", "answers/guard.txt"]:
            (scene / path).parent.mkdir(parents=True, exist_ok=True)
            (scene / path).write_text(f"{secret}\n")
        before = state(scene)
        command = [Path(options.checker).resolve(), "host", "--bind", "127.0.0.1:0", "--rate", "1000000", "--burst", "1000000", "--time-limit", "60"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=scene)
        try:
            address = re.search(r"http://([^/]+)/", server.stdout.readline())[1]

            def check(exercise: str, source: str) -> tuple[int, str]:
                connection = http.client.HTTPConnection(address, timeout=300)
                body = json.dumps({"source": source})
                connection.request("POST", f"/live/exercises/{exercise}/check", body, {"Origin": f"http://{address}"})
                answer = connection.getresponse()
                return answer.status, answer.read().decode()

            for path in chosen(options.of_each, options.only):
                text = path.read_text()
                head = keys(text)
                source = text.replace("@CANARY@", str(scene)).replace("@COURSE@", str(ROOT)).replace("@CACHE@", str(scene))
                begun = time.monotonic()
                try:
                    status, body = check(head["exercise"], source)
                except OSError as error:
                    failures.append(f"{path.stem}: the server does not answer: {error}")
                    break
                seconds, most = time.monotonic() - begun, max(most, memory(server.pid))
                answer = json.loads(body)
                verdict = answer.get("slug") or answer.get("problem", "")
                expected = re.split(r" or ", head["expect"])
                problems = []
                if status == 422 and "which is the limit" in verdict:
                    verdict = "time limit"
                elif status != 200 or verdict not in expected:
                    problems.append(f"expected {head['expect']}")
                if secret in body or (head.get("prints-not") and head["prints-not"] in body):
                    problems.append("it prints what it may not read")
                print(f"{'FAILED' if problems else 'ok':6}  {path.stem:28} {verdict:20} {seconds:5.1f} s {' '.join(problems)}", flush=True)
                failures += [f"{path.stem}: {problem}" for problem in problems]
            solution = (ROOT / "solutions/ch01_threads/guard.cu").read_text()
            status, body = check("guard", f"// {secret}\n{solution}")
            if status != 200 or not json.loads(body)["passed"]:
                failures.append("a solution does not pass afterwards")
            left = processes(server.pid)
        finally:
            server.terminate()
            server.wait()
        log.seek(0)
        if secret in log.read():
            failures.append("the log contains the secret")
        if state(scene) != before:
            failures.append("files have changed")
        # The system may need a moment to remove processes that were killed.
        for _ in range(50):
            alive = [process for process in left if Path(f"/proc/{process}").exists()]
            if not alive:
                break
            time.sleep(0.1)
        if alive:
            failures.append(f"processes are left: {alive}")
    print(f"memory: at most {most / 2**20:.0f} MiB between two attacks")
    print("\n".join(failures) or "all are contained")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
