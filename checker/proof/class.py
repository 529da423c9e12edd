#!/usr/bin/env python3
"""Grades an invented class with attackers in it, kills the grading, resumes it, and compares everything with an uninterrupted run.

    python3 checker/proof/class.py CHECKER FOLDER [--students 200] [--backend sim|gpu] [--jobs N]

It needs only the checker's binaries, this folder, and a compiler. FOLDER is new, or the one of a run that was cut off; each step
that is already done is not repeated. What must hold, and is printed line by line:

 * every grade is the planted one, in the uninterrupted run and in the one that was killed (SIGKILL, at a third and at two thirds);
 * both have the same grades.csv, the same pages for students, and the same records except for the time of grading, byte for byte
   (an attacker for whom `checker/proof/attacks` allows several verdicts, because its limits are a race, may differ from run to run);
 * with another secret, grades.csv and the pages for students are the same, byte for byte;
 * each attacker has a record of its own, with the grade that `checker/proof/attacks` demands;
 * all processes together never need 2 GiB (with more than four jobs, 512 MiB for each job). Every 50 ms, the resident memory of the
   grading process and all its descendants is added up, shared pages once for each process.

With `--backend gpu`, the uninterrupted run is on the simulator, so both backends are compared, and there is no second secret. The
attackers whose verdict may be another one on a GPU (`expect-gpu`) are not compared.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ATTACKS = Path(__file__).resolve().parent / "attacks"
LIMIT_MIB = 2048
# With more jobs than four, the limit is larger.
LIMIT_MIB_PER_JOB = 512
# Each kind of program that wants more of something than there is.
BOMBS = [
    "bomb_constant", "bomb_constexpr", "bomb_macro", "bomb_object", "bomb_ptx", "bomb_recursion", "bomb_template",
    "device_heap", "device_huge", "device_memory", "endless_printf", "fill_disk", "fork_bomb", "keep_memory", "long_names",
    "memory_file", "memory_malloc", "memory_shared", "names_in_report", "printed_flood", "printf_flood", "recursion",
    "recursion_host", "thread_storm",
]


def key(attack: str, name: str) -> str:
    found = re.search(rf"^// {name}: (.*)$", (ATTACKS / f"{attack}.cu").read_text(), re.M)
    return found.group(1) if found else ""


def children() -> dict[int, list[int]]:
    tree: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            tree.setdefault(int(stat.rsplit(")", 1)[1].split()[1]), []).append(int(entry))
    return tree


def resident_mib(root: int) -> float:
    """Resident memory of a process and its descendants."""
    tree, total, left = children(), 0, [root]
    while left:
        pid = left.pop()
        left += tree.get(pid, [])
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return total * os.sysconf("SC_PAGE_SIZE") / 2**20


# Those whose verdict depends on which limit they meet first.
RACES = [bomb for bomb in BOMBS if " or " in key(bomb, "expect")]


class Grading:
    """One call of `checker grade`, which may be killed, and whose memory is watched."""

    def __init__(self, arguments: list[str], log: Path):
        self.peak_mib = 0.0
        self.started = time.monotonic()
        self.process = subprocess.Popen(arguments, stdout=log.open("ab"), stderr=subprocess.STDOUT, start_new_session=True)
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        while self.process.poll() is None:
            self.peak_mib = max(self.peak_mib, resident_mib(self.process.pid))
            time.sleep(0.05)

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)

    def wait(self) -> int:
        code = self.process.wait()
        self.watcher.join()
        self.seconds = time.monotonic() - self.started
        return code


def shown(folder: Path) -> dict[str, bytes]:
    """What the class sees: the table, and a page for each student, without the date of grading."""
    date = re.compile(rb'Graded on <time datetime="[-0-9]*">[-0-9]*</time>')
    pages = {page.name: date.sub(b"", page.read_bytes()) for page in (folder / "students").glob("*.html")}
    return {"grades.csv": (folder / "grades.csv").read_bytes(), **pages}


def timeless(value, folder: str):
    """A part of a record without times, and with another name for the folder of the results, which commands contain."""
    if isinstance(value, dict):
        return {name: timeless(part, folder) for name, part in value.items() if name not in ("millis", "seconds")}
    if isinstance(value, list):
        return [timeless(part, folder) for part in value]
    return value.replace(folder, "RESULTS") if isinstance(value, str) else value


def record(path: Path, keep: bool) -> dict:
    """A record without the times of grading; of what depends on the backend, only grades are kept."""
    read = json.loads(path.read_text())
    if keep:
        del read["made"]["at"]
        return timeless(read, str(path.parent.parent))
    return {"score": read["score"], "points": [
        [exercise["id"], exercise["status"], [[item.get("points"), item["outcome"]] for item in exercise["items"]]]
        for exercise in read["exercises"]
    ]}


def records(folder: Path, keep: bool) -> dict[str, dict]:
    return {path.name: record(path, keep) for path in (folder / "records").glob("*.json")}


class Proof:
    def __init__(self, options: argparse.Namespace):
        self.options, self.failed = options, 0
        self.made = options.folder / "made"

    def say(self, holds: bool, text: str):
        print("ok     " if holds else "DIFFERS", text, flush=True)
        self.failed += not holds

    def checker(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.options.checker, *arguments], text=True, capture_output=True)

    def grade(self, out: str, backend: str, secret: str = "secret.txt") -> Grading:
        arguments = [
            self.options.checker, "grade", self.made / "submissions", "--roster", self.made / "roster.csv",
            "--policy", self.made / "grading.toml", "--seed-file", self.made / secret, "--out", self.options.folder / out,
            "--backend", backend, "--sandbox", "require",
        ]
        if self.options.jobs:
            arguments += ["--jobs", str(self.options.jobs)]
        return Grading([str(argument) for argument in arguments], self.options.folder / f"{out}.log")

    def make(self):
        """The planted class, and beside it a student for each bomb, with an honest file for another exercise."""
        if (self.made / "other-secret.txt").exists():
            return
        shutil.rmtree(self.made, ignore_errors=True)
        done = self.checker("dev", "class", str(self.made), "--students", str(self.options.students))
        assert done.returncode == 0, done.stderr
        roster = (self.made / "roster.csv").read_text().splitlines()
        columns = roster[0].split(",")
        for bomb in BOMBS:
            exercise = key(bomb, "exercise")
            source = next(ATTACKS.parent.glob(f"originals/*/{exercise}.cu"))
            folder = self.made / "submissions" / f"bomb-{bomb}" / "exercises" / source.parent.name
            folder.mkdir(parents=True)
            shutil.copy(ATTACKS / f"{bomb}.cu", folder / source.name)
            cells = {"id": f"bomb-{bomb}", "name": bomb, "submitted_at": "2026-12-01T11:00:00Z"}
            roster.append(",".join(cells.get(column, "") for column in columns))
        (self.made / "roster.csv").write_text("\n".join(roster) + "\n")
        (self.made / "other-secret.txt").write_text("another secret of at least sixteen bytes\n")

    def whole(self, out: str, backend: str, secret: str = "secret.txt"):
        """An uninterrupted run."""
        marker = self.options.folder / f"{out}.done"
        if not marker.exists():
            shutil.rmtree(self.options.folder / out, ignore_errors=True)
            run = self.grade(out, backend, secret)
            code = run.wait()
            marker.write_text(f"{run.seconds:.0f} {run.peak_mib:.0f}")
            self.say(code == 0, f"{out}: graded without an interruption in {run.seconds:.0f} s, exit code {code}")
            self.memory(out, run.peak_mib)
        return float(marker.read_text().split()[0])

    def interrupted(self, out: str, backend: str):
        """A run that is killed when a third and two thirds of the records are there, and then goes on."""
        marker = self.options.folder / f"{out}.done"
        if marker.exists():
            return
        folder, total = self.options.folder / out / "records", self.options.students + len(BOMBS)
        peak, seconds = 0.0, 0.0
        for share in (1 / 3, 2 / 3):
            if folder.exists() and len(list(folder.glob("*.json"))) >= total * share:
                continue
            run = self.grade(out, backend)
            while run.process.poll() is None:
                if folder.exists() and len(list(folder.glob("*.json"))) >= total * share:
                    run.kill()
                    break
                time.sleep(0.02)
            run.wait()
            peak, seconds = max(peak, run.peak_mib), seconds + run.seconds
            print(f"        {out}: killed after {len(list(folder.glob('*.json')))} of {total} students", flush=True)
        run = self.grade(out, backend)
        code = run.wait()
        peak, seconds = max(peak, run.peak_mib), seconds + run.seconds
        marker.write_text(f"{seconds:.0f} {peak:.0f}")
        self.say(code == 0, f"{out}: killed twice and resumed on {backend}, {seconds:.0f} s in all, exit code {code}")
        self.memory(out, peak)

    def memory(self, out: str, peak_mib: float):
        limit = max(LIMIT_MIB, LIMIT_MIB_PER_JOB * (self.options.jobs or os.cpu_count() or 1))
        self.say(peak_mib < limit, f"{out}: all processes together needed at most {peak_mib:.0f} MiB")

    def planted(self, out: str):
        done = self.checker("dev", "class", str(self.made), "--verify", str(self.options.folder / out))
        self.say(done.returncode == 0, f"{out}: {(done.stdout + done.stderr).strip().splitlines()[-1]}")

    def bombs(self, out: str):
        for bomb in BOMBS:
            path = self.options.folder / out / "records" / f"bomb-{bomb}.json"
            if not path.exists():
                self.say(False, f"{out}: {bomb} has no record")
                continue
            exercises = {exercise["id"]: exercise for exercise in json.loads(path.read_text())["exercises"]}
            graded = exercises[key(bomb, "exercise")]
            expected = key(bomb, "expect").split(" or ") + key(bomb, "expect-gpu").split(" or ")
            slugs = [item["slug"] for item in graded["items"] if item.get("slug") and item["slug"] != "passed"]
            slug = slugs[0] if slugs else "passed" if graded["status"] == "passed" else "gate-missed"
            self.say(slug in expected and graded["status"] != "not-graded", f"{out}: {bomb} is {slug} ({graded['status']})")

    def cases_that_differ(self, one: str, other: str) -> list[str]:
        """The cases and gates that hold in one folder of results and not in the other, with the number of students."""
        counts: dict[str, int] = {}
        for path in (self.options.folder / one / "records").glob("*.json"):
            both = [json.loads((self.options.folder / name / "records" / path.name).read_text()) for name in (one, other)]
            for first, second in zip(*(record["exercises"] for record in both)):
                for item, again in zip(first["items"], second["items"]):
                    if item["outcome"] != again["outcome"]:
                        name = f"{first['id']}: {item['name']}"
                        counts[name] = counts.get(name, 0) + 1
        return [f"{name} ({count} students)" for name, count in sorted(counts.items())]

    def same(self, one: str, other: str, keep: bool = True):
        first, second = (self.options.folder / name for name in (one, other))
        if keep:
            pages = shown(first), shown(second)
            names = pages[0].keys() | pages[1].keys()
            names = {name for name in names if not any(name.startswith(f"bomb-{bomb.replace('_', '-')}-") for bomb in RACES)}
            differing = [name for name in names if pages[0].get(name) != pages[1].get(name)]
            self.say(not differing, f"{one} and {other}: {len(pages[0])} files that students see, {len(differing)} differ {differing[:3]}")
            for name in self.cases_that_differ(one, other) if differing else []:
                print(f"        {name}")
            if "secret" in other:
                return
        both = records(first, keep), records(second, keep)
        elsewhere = RACES if keep else RACES + [bomb for bomb in BOMBS if key(bomb, "expect-gpu")]
        elsewhere = [f"bomb-{bomb}.json" for bomb in elsewhere]
        names = (both[0].keys() | both[1].keys()).difference(elsewhere)
        differing = [name for name in names if both[0].get(name) != both[1].get(name)]
        self.say(not differing, f"{one} and {other}: {len(both[0])} records, {len(differing)} differ {differing[:3]}")

    def run(self) -> int:
        self.options.folder.mkdir(parents=True, exist_ok=True)
        self.make()
        self.whole("whole", "sim")
        self.planted("whole")
        self.bombs("whole")
        if self.options.backend == "sim":
            self.interrupted("resumed", "sim")
            self.planted("resumed")
            self.same("whole", "resumed")
            self.whole("other-secret", "sim", "other-secret.txt")
            self.same("whole", "other-secret")
        else:
            self.interrupted("gpu", "gpu")
            self.planted("gpu")
            self.bombs("gpu")
            self.same("whole", "gpu", keep=False)
        print(f"{self.failed} not as expected")
        return 1 if self.failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checker", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--backend", choices=["sim", "gpu"], default="sim")
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    options.checker, options.folder = options.checker.resolve(), options.folder.resolve()
    return Proof(options).run()


if __name__ == "__main__":
    sys.exit(main())
