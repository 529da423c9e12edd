#!/usr/bin/env python3
"""Measures `checker host` with simulated learners who save again and again.

    python3 checker/proof/host/load.py CHECKER [--learners 200] [--every 10] [--seconds 60] [--kind kernels|programs|all]
        [--last-chapter 99]

Starts CHECKER with `host` and ends it afterwards. Each learner has an address of their own (the script is the trusted proxy),
begins at another moment, and saves a text every 10 s: the solution, the original or a text that doesn't compile, with a comment
and a constant that no other text has, so that no answer and no compiled code is remembered. Prints the percentiles of the time
until the verdict, what failed, the memory of the server with all its processes, and the processors that it kept busy. The exit
code is 1 if a request failed.
"""

import argparse
import collections
import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TICKS = os.sysconf("SC_CLK_TCK")
# Verdicts of this part are left out, because the server has just started.
WARM_UP_SECONDS = 5


def texts(kind: str, last_chapter: int) -> list[tuple[str, str, str]]:
    """The exercises up to a chapter with their solutions and originals."""
    found = []
    for path in sorted((ROOT / "solutions").glob("*/*.cu")):
        if int(path.parent.name[2:4]) > last_chapter:
            continue
        solution = path.read_text()
        original = (ROOT / "checker/proof/originals" / path.parent.name / path.name).read_text()
        is_kernel = "<<<" not in solution and "cudaMalloc" not in solution and "cudaLaunch" not in solution
        if kind == "all" or (kind == "kernels") == is_kernel:
            found.append((path.stem, solution, original))
    return found


def variant(rng: random.Random, exercise: tuple[str, str, str], mark: str) -> tuple[str, str]:
    """A text of an exercise that no other request has."""
    name, solution, original = exercise
    kind = rng.random()
    text = solution if kind < 0.5 else original
    if kind > 0.9:
        text = text.replace(";", "", 1)
    return name, f"// {mark}\n{text}\n__device__ const int mark = {rng.randrange(1 << 30)};\n"


def processes(root: int) -> list[int]:
    """A process and all its descendants."""
    children = collections.defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                children[int(stat[1])].append(int(entry.name))
            except OSError:
                pass
    found = [root]
    for process in found:
        found.extend(children[process])
    return found


def memory(root: int) -> int:
    """Bytes of memory of a process and its descendants; shared pages count once."""
    total = 0
    for process in processes(root):
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
            total += 1024 * int(re.search(r"^Pss:\s+(\d+)", rollup, re.M)[1])
        except (OSError, TypeError):
            pass
    return total


def processor_seconds(root: int) -> float:
    """Processor time of a process, its descendants, and all their children that have ended."""
    ticks = 0
    for process in processes(root):
        try:
            stat = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += sum(map(int, stat[11:15]))
        except OSError:
            pass
    return ticks / TICKS


class Load:
    def __init__(self, address: str, options: argparse.Namespace):
        self.host, self.options = address, options
        self.exercises = texts(options.kind, options.last_chapter)
        self.start = time.monotonic() + 0.5
        self.end = self.start + options.seconds
        self.times, self.failures = [], collections.Counter()
        self.lock = threading.Lock()

    def learner(self, number: int) -> None:
        rng = random.Random(f"{self.options.seed} {number}")
        due = self.start + rng.random() * self.options.every
        headers = {
            "Origin": f"http://{self.host}",
            "Content-Type": "application/json",
            "X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        }
        save = 0
        while due < self.end:
            time.sleep(max(0.0, due - time.monotonic()))
            save += 1
            name, source = variant(rng, rng.choice(self.exercises), f"{self.options.seed} {number} {save}")
            begun = time.monotonic()
            try:
                # A browser keeps no connection open for ten seconds of typing.
                connection = http.client.HTTPConnection(self.host, timeout=120)
                connection.request("POST", f"/live/exercises/{name}/check", json.dumps({"source": source}), headers)
                answer = connection.getresponse()
                body = answer.read()
                connection.close()
                failure = None if answer.status == 200 else f"status {answer.status}"
                if failure is None and "passed" not in json.loads(body):
                    failure = "no verdict"
            except (OSError, http.client.HTTPException, ValueError) as error:
                failure = type(error).__name__
            with self.lock:
                if failure:
                    self.failures[failure] += 1
                elif begun > self.start + WARM_UP_SECONDS:
                    self.times.append(time.monotonic() - begun)
            # The next save doesn't wait for the verdict.
            due = max(due + self.options.every, time.monotonic())


def percentile(times: list[float], percent: int) -> float:
    return sorted(times)[min(len(times) - 1, len(times) * percent // 100)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checker")
    parser.add_argument("--learners", type=int, default=200)
    parser.add_argument("--every", type=float, default=10, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kind", choices=["kernels", "programs", "all"], default="kernels")
    parser.add_argument("--last-chapter", type=int, default=99, metavar="CHAPTER", help="only exercises up to this chapter")
    parser.add_argument("--seed", default=str(time.time_ns()))
    options = parser.parse_args()

    command = [options.checker, "host", "--bind", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = re.search(r"http://([^/]+)/", server.stdout.readline())[1]
        load = Load(address, options)
        learners = [threading.Thread(target=load.learner, args=(n,)) for n in range(options.learners)]
        before, begun = processor_seconds(server.pid), time.monotonic()
        for learner in learners:
            learner.start()
        most = 0
        while any(learner.is_alive() for learner in learners):
            most = max(most, memory(server.pid))
            # Adding it up takes time from the server.
            time.sleep(2)
        busy = (processor_seconds(server.pid) - before) / (time.monotonic() - begun)
    finally:
        server.terminate()
        server.wait()
    times = load.times or [0.0]
    print(f"{options.learners} learners, a save every {options.every:g} s, {options.kind}: {len(load.times)} verdicts")
    print("seconds until the verdict: " + ", ".join(f"{p} % {percentile(times, p):.2f}" for p in (50, 95, 99)) + f", all {max(times):.2f}")
    print(f"failures: {dict(load.failures) or 'none'}")
    print(f"memory: at most {most / 2**20:.0f} MiB; processors: {busy:.2f}")
    return 1 if load.failures or not load.times else 0


if __name__ == "__main__":
    sys.exit(main())
