#!/usr/bin/env python3
"""Runs the planted bugs and their fixed versions on a GPU, each under the compute-sanitizer tool that its file is named after.

    OUT=folder run.py [KERNEL ...]

Needs nvcc, compute-sanitizer and a GPU. The `launch:` comments in the sources describe the launches; a kernel that hangs is
killed after LIMIT seconds. Writes OUT/table.tsv (reports as KIND @line xcount), OUT/record.md (the same, short) and OUT/logs.
"""

import concurrent.futures
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
out = pathlib.Path(os.environ.get("OUT", here / "OUT"))
out.mkdir(parents=True, exist_ok=True)
logs = out / "logs"
logs.mkdir(exist_ok=True)
work = out / "build"
work.mkdir(exist_ok=True)
LIMIT = float(os.environ.get("LIMIT", "10"))
JOBS = int(os.environ.get("JOBS", "6"))
FORMAT = {"u8": "B", "i32": "i", "u32": "I", "u64": "Q", "f32": "f", "f64": "d"}


def number(ty, text):
    return float(text) if ty[0] == "f" else int(text, 0)


def argument(text, tag):
    name, rest = text.split(" ", 1)
    ty, _, value = rest.partition(" ")
    if "[" not in ty:
        return "val:" + struct.pack("<" + FORMAT[ty], number(ty, value)).hex()
    ty, count = ty[:-1].split("[")
    count, f = int(count), FORMAT[ty]
    size = struct.calcsize("<" + f)
    how, _, rest = value.partition(" ")
    if not how:
        return f"buf:{count * size}:-"
    if how == "zero":
        values = [0] * count
    elif how == "fill":
        values = [number(ty, rest)] * count
    elif how == "ramp":
        values = list(range(int(rest) if rest else count))
    elif how == "mod":
        values = [i % int(rest) for i in range(count)]
    else:
        values = [number(ty, v) for v in value.strip("{}").split(",")]
    if ty == "u8":
        values = [v & 255 for v in values]
    path = work / f"{tag}.{name}"
    path.write_bytes(struct.pack(f"<{len(values)}{f}", *values))
    return f"buf:{count * size}:{path}"


def shape(text):
    g = {"grid": [1, 1, 1], "block": [1, 1, 1], "shared": [0]}
    for part in text.split(", "):
        what, *numbers = part.split()
        g[what][: len(numbers)] = map(int, numbers)
    return g["grid"] + g["block"] + g["shared"]


def kernels(path):
    launch, pending, all_ = None, [], []
    inside = False
    for n, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("// launch: "):
            launch = line[11:]
        if m := re.match(r'extern "C" __global__ void (\w+)', line):
            all_.append((path.stem, m[1], launch, pending))
            pending, inside = [], True
        for m in re.finditer(r"// (?:at|also): (\S+)", line):
            (all_[-1][3] if inside else pending).append(f"{m[1]} {n}")
        if line.startswith("}"):
            inside = False
    return all_


def tool_of(stem):
    tool = stem.split("_")[0]
    options = {
        "initcheck": ["--initcheck-address-space", "all"],
        "racecheck": ["--racecheck-report", "all"],
    }.get(tool, [])
    return tool, options


def run(kernel):
    stem, name, launch, wanted = kernel
    geometry, *args = launch.split("; ")
    tool, options = tool_of(stem)
    command = [str(work / "runner"), str(work / f"{stem}.cubin"), name, *map(str, shape(geometry))]
    command += [argument(a, f"{stem}.{name}") for a in args]
    begun = time.time()
    text = ""
    for extra in ([options, []] if options else [[]]):
        full = ["compute-sanitizer", "--tool", tool, *extra, "--print-limit", "1000", *command]
        child = subprocess.Popen(full, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                 start_new_session=True)
        try:
            text = child.communicate(timeout=LIMIT)[0]
            end = f"exit {child.returncode}"
        except subprocess.TimeoutExpired:
            # the target is compute-sanitizer's child
            os.killpg(child.pid, signal.SIGKILL)
            text = child.communicate()[0] or ""
            end = "hangs"
        if "unrecognised option" not in text and "unrecognized" not in text:
            break
    (logs / f"{stem}.{name}.txt").write_text(" ".join(full) + "\n" + text)
    # (first line of each record, the first source line named in it)
    records = {}
    kind = None
    for line in text.splitlines():
        body = line.removeprefix("=========").strip()
        if not line.startswith("========="):
            continue
        if re.match(r"(Invalid|Uninitialized|Barrier error|Error:|ERROR:|Warning:|WARNING:|Program hit|Unused|Deadlock|Out-of-range|Malloc|Stack|Leaked|Double|Misaligned|Internal|Race)", body) and not body.startswith("ERROR SUMMARY"):
            kind = re.sub(r"\(\d+,\d+,\d+\)|0x[0-9a-f]+", "#", body)
            kind = re.sub(r"\s+at \w+.*? in ", " in ", kind)
            kind = re.sub(r"/\S*/", "", kind)
            own = re.findall(r"(\w+\.cu):(\d+)", body)
            records.setdefault((kind, own[0][1] if own else ""), 0)
            records[(kind, own[0][1] if own else "")] += 1
            if own:
                kind = None
        elif kind and (m := re.search(r"(\w+\.cu):(\d+)", body)):
            key = (kind, "")
            if records.get(key):
                records[key] -= 1
                if not records[key]:
                    del records[key]
            records[(kind, m[2])] = records.get((kind, m[2]), 0) + 1
            kind = None
    said = "; ".join(f"{k} @{line} x{n}" for (k, line), n in records.items())
    runner = " ".join(re.findall(r"^RUNNER (.*)$", text, re.M))
    summary = " ".join(re.findall(r"SUMMARY: (.*)$", text, re.M))
    return [stem, name, ", ".join(wanted) or "-", said or "-", summary, runner, end, f"{time.time() - begun:.1f}"]


def short(said, end):
    """The simulator's names of findings for compute-sanitizer's messages, without the launch's failure."""
    names = [
        ("Invalid __", "invalid access"), ("Uninitialized", "uninitialised read"), ("Stack", "stack overflow"),
        ("Malloc", "double free"), ("Error: Race", "race"), ("Warning: Race", "race (warning)"),
        ("Error: Potential", "race"), ("Warning: (Warp", "race (warning)"), ("Barrier error", "barrier error"),
    ]
    found = {}
    for part in said.split("; "):
        name = next((n for start, n in names if part.startswith(start)), None)
        if name:
            found.setdefault(name, set()).add(part.rsplit("@", 1)[1].split(" ")[0])
    if "race" in found:
        found.pop("race (warning)", None)
    text = ", ".join(f"{n}, line {' and '.join(sorted(lines))}" for n, lines in found.items())
    return text or ("nothing; hangs" if end == "hangs" else "nothing")


def record(rows):
    lines = ["| kernel | planted | compute-sanitizer |", "| --- | --- | --- |"]
    for file, name, wanted, said, _, launch, end, _ in rows:
        answer = short(said, end)
        if wanted == "-" and answer == "nothing":
            continue
        fault = "" if launch in ("done", "", "run CUDA_ERROR_LAUNCH_FAILED") else f"; {launch.split()[-1]}"
        bug = "nothing" if wanted == "-" else "; ".join(w.replace(" ", ", line ") for w in wanted.split(", "))
        lines.append(f"| {file} `{name}` | {bug} | {answer}{fault} |")
    return "\n".join(lines) + "\n"


def main():
    planted = here.parent / "kernels" / "planted"
    sources = [p for p in sorted(planted.glob("*.cu")) if re.match(r"(mem|race|init|sync)check", p.stem)]

    def compile_(path):
        options = ["-cubin", "-arch=native", "-lineinfo", "--fmad=false"]
        subprocess.run(["nvcc", *options, "-o", work / f"{path.stem}.cubin", path], check=True)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(compile_, p) for p in sources]
        subprocess.run(["nvcc", "-o", work / "runner", here / "runner.cpp", "-lcuda"], check=True)
        [j.result() for j in jobs]
    todo = [k for p in sources for k in kernels(p)]
    if len(sys.argv) > 1:
        todo = [k for k in todo if k[1] in sys.argv[1:]]
    # kernels that may hang run last, so that they do not delay the others
    late = lambda k: "synccheck" in k[0] and not k[1].endswith("_fixed")
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        rows = list(pool.map(run, [k for k in todo if not late(k)]))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows += list(pool.map(run, [k for k in todo if late(k)]))
    head = ["file", "kernel", "planted", "compute-sanitizer", "summary", "launch", "end", "seconds"]
    (out / "table.tsv").write_text("\n".join("\t".join(map(str, r)) for r in [head, *rows]) + "\n")
    (out / "record.md").write_text(record(rows))
    info = subprocess.run("nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; compute-sanitizer --version | tail -1",
        shell=True, capture_output=True, text=True).stdout
    print(info)
    print((out / "table.tsv").read_text())


if __name__ == "__main__":
    main()
