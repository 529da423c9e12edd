"""Turns a report of Nsight Compute into the record that the simulator's tests read.

    counters.py REPORT LAUNCHES [DUMP]

LAUNCHES has the name, kernel and file of a launch on each line, in the order of the report. Every machine instruction with
its counts is written to DUMP.
"""

import re
import sys
from collections import defaultdict

import ncu_report

# Columns of the record that are sums over a launch, by the profiler's names.
TOTALS = {
    "inst": "smsp__sass_inst_executed",
    "threads": "smsp__sass_thread_inst_executed",
    "branches": "smsp__sass_branch_targets",
    "divergent": "smsp__sass_branch_targets_threads_divergent",
    "local_sectors": "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_{ld,st}",
    "tags": "smsp__sass_l1tex_tags_mem_global",
}
for op in ["ld", "st", "atom", "red"]:
    TOTALS[f"global_{op}"] = f"smsp__sass_inst_executed_op_global_{op}"
    TOTALS[f"global_{op}_sectors"] = f"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_{op}"
    if op in ["ld", "st"]:
        TOTALS[f"local_{op}"] = f"smsp__sass_inst_executed_op_local_{op}"
        TOTALS[f"hw_global_{op}_sectors"] = f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}"
    if op != "red":
        TOTALS[f"shared_{op}"] = f"smsp__sass_inst_executed_op_shared_{op}"
        TOTALS[f"shared_{op}_wavefronts"] = f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}"
        TOTALS[f"hw_shared_{op}_wavefronts"] = f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}"
        TOTALS[f"hw_shared_{op}_conflicts"] = f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}"

# Metrics that the profiler has for each instruction, by the names used here.
INSTANCES = {
    "inst": "inst_executed",
    "threads": "thread_inst_executed",
    "divergent": "smsp__branch_targets_threads_divergent",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal": "memory_l2_theoretical_sectors_global_ideal",
    "tags": "memory_l1_tag_requests_global",
    "wavefronts": "memory_l1_wavefronts_shared",
    "wavefronts_ideal": "memory_l1_wavefronts_shared_ideal",
    "local_sectors": "memory_l2_theoretical_sectors_local",
}

OPS = {
    "LDG": "global_ld", "STG": "global_st", "ATOMG": "global_atom", "REDG": "global_red", "RED": "global_red",
    "LDS": "shared_ld", "STS": "shared_st", "ATOMS": "shared_atom", "LDL": "local_ld", "STL": "local_st",
}


def whole(value):
    return int(round(float(value)))


def total(action, name):
    if "{" in name:
        return sum(total(action, name.replace("{ld,st}", op)) for op in ["ld", "st"])
    metric = action.metric_by_name(name + ".sum")
    return whole(metric.value()) if metric else 0


def instructions(action):
    """Each instruction's address, machine code, source file and line, and counts."""
    counts = defaultdict(dict)
    for short, name in INSTANCES.items():
        metric = action.metric_by_name(name)
        if metric and metric.num_instances() and metric.has_correlation_ids():
            addresses = metric.correlation_ids()
            for i in range(metric.num_instances()):
                counts[addresses.as_uint64(i)][short] = whole(metric.value(i))
    # requests of each instruction, where the profiler has a software counter for them
    for op in set(OPS.values()):
        metric = action.metric_by_name(TOTALS[op] + ".sum")
        if metric and metric.num_instances() and metric.has_correlation_ids():
            addresses = metric.correlation_ids()
            for i in range(metric.num_instances()):
                counts[addresses.as_uint64(i)]["requests"] = whole(metric.value(i))
    for address in sorted(counts):
        source = action.source_info(address)
        file, line = (source.file_name().split("/")[-1], source.line()) if source else ("", 0)
        yield action.sass_by_pc(address).strip(), file, line, counts[address]


def add(row, code, counts):
    """Adds the counts of one instruction to those of a line or a launch."""
    opcode = re.sub(r"^@!?\w+\s+", "", code).split()[0].split(".")[0]
    op = OPS.get(opcode)
    for short in ["inst", "threads", "divergent", "tags", "local_sectors"]:
        row[short] += counts.get(short, 0)
    if opcode in ["BRA", "BRX", "JMP", "CALL", "RET"]:
        row["branches"] += counts.get("inst", 0)
    # an instruction that is predicated off for all lanes counts as executed, and not as a request
    if op and "requests" in counts:
        row[op] += counts["requests"]
    elif op and not code.startswith("@"):
        row[op] += counts.get("inst", 0)
    if op and op.startswith("global"):
        row[op + "_sectors"] += counts.get("sectors", 0)
        row[op + "_sectors_ideal"] += counts.get("ideal", 0)
    if op and op.startswith("shared"):
        row[op + "_wavefronts"] += counts.get("wavefronts", 0)
        row[op + "_wavefronts_ideal"] += counts.get("wavefronts_ideal", 0)


def show(name, line, row):
    print(name, line, " ".join(f"{k}={v}" for k, v in sorted(row.items()) if v), sep="\t")


def main():
    report = ncu_report.load_report(sys.argv[1])
    launches = [line.split("\t") for line in open(sys.argv[2]).read().splitlines()]
    dump = open(sys.argv[3], "w") if len(sys.argv) > 3 else None
    actions = [r.action_by_idx(a) for r in map(report.range_by_idx, range(report.num_ranges())) for a in range(r.num_actions())]
    if [a.name() for a in actions] != [kernel for _, kernel, _ in launches]:
        sys.exit(f"{len(actions)} kernels in the report do not match {len(launches)} launches")
    print("#")
    for short, name in TOTALS.items():
        print(f"# {short}: {name}.sum")
    print("# *_sectors_ideal: memory_l2_theoretical_sectors_global_ideal, by instruction")
    print("# *_wavefronts_ideal: memory_l1_wavefronts_shared_ideal, by instruction")
    print("# Requests by line are left out where the machine code predicates them and the profiler has no counter for each.")
    print("# Lines: the same by the lines of the kernel's file (0: instructions of other files), for a kernel's first launch.")
    print("#")
    print("launch\tline\tcounts that are not 0")
    seen = set()
    for action, (name, kernel, file) in zip(actions, launches):
        row = defaultdict(int, {short: total(action, metric) for short, metric in TOTALS.items()})
        lines = defaultdict(lambda: defaultdict(int))
        own = defaultdict(int)
        for code, source, line, counts in instructions(action):
            add(lines[line if source == f"{file}.cu" else 0], code, counts)
            add(own, code, counts)
            if dump:
                print(name, source, line, code, counts, sep="\t", file=dump)
        for short, value in own.items():
            if short.endswith("_ideal"):
                row[short] = value
            elif short in row and row[short] != value and short != "branches" and short not in OPS.values():
                sys.exit(f"{name}: {short} is {row[short]} in total and {value} by instruction")
        show(name, "-", row)
        if kernel not in seen:
            seen.add(kernel)
            for line, counts in sorted(lines.items()):
                show(name, line, counts)


main()
