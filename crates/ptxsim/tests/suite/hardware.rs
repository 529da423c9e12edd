//! The simulator's counters against those that Nsight Compute collected on a GPU from the same PTX.
//! The record is made by `hardware/counters.sh`.
//!
//! Some counters are not compared, because the machine code differs from the PTX:
//! * Instructions: ptxas selects other instructions, so only the average number of active lanes is
//!   compared, roughly.
//! * Branches: ptxas predicates short bodies, ends a kernel with `@P0 EXIT`, and unrolls loops. A
//!   divergent branch of the machine code is also one of the PTX, but not the other way round;
//!   where the bodies are long, they are the same.
//! * Shared atomics of `f32` and of 8 bytes: ptxas emits a loop of loads and compare-and-swaps. Its
//!   wavefronts are compared, and its requests are not.
//! * Wavefronts of loads are compared with the cache's own counter. The profiler's estimate by
//!   instruction differs from it in some loads of 8 and 16 bytes, and with it the ideal that is
//!   derived from it.
//! * Tags, which no report shows.

use crate::common::{Kernel, Ran, module};
use ptx_cases::{Launch, counters};
use ptxsim::{Counters, Diagnose, Module, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Every file's module, by the file's name.
fn modules() -> BTreeMap<&'static str, Arc<Module>> {
    counters::FILES.iter().map(|(file, ptx)| (*file, module(ptx))).collect()
}

fn counted(modules: &BTreeMap<&str, Arc<Module>>, launch: &Launch) -> Ran {
    let ran = Kernel::of(&modules[launch.file], launch)
        .run(&Options { diagnose: Diagnose::Count, ..Options::default() });
    assert_eq!(ran.seen.findings, [], "{}", launch.name);
    assert!(ran.seen.completed, "{}", launch.name);
    ran
}

/// The profiler's counts: by launch, then by line (`-` for all of them), then by counter.
struct Record(BTreeMap<String, BTreeMap<String, Row>>);

struct Row(BTreeMap<String, u64>);

impl Row {
    fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    fn sum(&self, names: [&str; 2]) -> u64 {
        names.map(|n| self.get(n)).iter().sum()
    }
}

fn record() -> Record {
    let text =
        std::fs::read_to_string("tests/records/counters-h200.tsv").expect("the record of the GPU");
    let mut all: BTreeMap<String, BTreeMap<String, Row>> = BTreeMap::new();
    for line in text.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [launch, line, counts] = fields[..] else { panic!("three fields: {line}") };
        let count = |c: &str| {
            let (name, value) = c.split_once('=')?;
            Some((name.to_owned(), value.parse().expect("a number")))
        };
        let row = Row(counts.split(' ').filter_map(count).collect());
        all.entry(launch.to_owned()).or_default().insert(line.to_owned(), row);
    }
    Record(all)
}

/// Whether the kernel has a loop around compare-and-swap where the PTX has one atomic.
fn loops_around_swaps(launch: &Launch) -> bool {
    ["shared_add_float", "shared_add_long"].contains(&launch.kernel.as_str())
}

/// Counter, the simulator's count, the profiler's count.
type Pair = (&'static str, u64, u64);

fn global(c: &Counters, row: &Row) -> Vec<Pair> {
    vec![
        ("load sectors", c.load_sectors, row.get("global_ld_sectors")),
        ("ideal load sectors", c.load_sectors_ideal, row.get("global_ld_sectors_ideal")),
        ("store sectors", c.store_sectors, row.get("global_st_sectors")),
        ("ideal store sectors", c.store_sectors_ideal, row.get("global_st_sectors_ideal")),
        ("local sectors", c.local_sectors, row.get("local_sectors")),
    ]
}

fn requests(c: &Counters, row: &Row) -> Vec<Pair> {
    vec![
        ("load requests", c.load_requests, row.get("global_ld")),
        ("store requests", c.store_requests, row.get("global_st")),
        ("shared requests", c.shared_requests, row.sum(["shared_ld", "shared_st"])),
        ("global atomics", c.global_atomics, row.sum(["global_atom", "global_red"])),
        ("shared atomics", c.shared_atomics, row.get("shared_atom")),
        ("local requests", c.local_requests, row.sum(["local_ld", "local_st"])),
    ]
}

/// Compares the simulator's counts of a launch with the record.
fn totals(launch: &Launch, c: &Counters, row: &Row) -> Vec<Pair> {
    let mut all = global(c, row);
    all.extend(requests(c, row));
    all.extend([
        (
            "atomic sectors",
            c.global_atomic_sectors,
            row.sum(["global_atom_sectors", "global_red_sectors"]),
        ),
        ("atomic wavefronts", c.shared_atomic_wavefronts, row.get("shared_atom_wavefronts")),
        (
            "wavefronts",
            c.shared_wavefronts,
            row.sum(["hw_shared_ld_wavefronts", "hw_shared_st_wavefronts"]),
        ),
        (
            "conflicts",
            c.shared_conflicts(),
            row.sum(["hw_shared_ld_conflicts", "hw_shared_st_conflicts"]),
        ),
    ]);
    if row.get("shared_ld_wavefronts") == row.get("hw_shared_ld_wavefronts") {
        let ideal = row.sum(["shared_ld_wavefronts_ideal", "shared_st_wavefronts_ideal"]);
        all.push(("ideal wavefronts", c.shared_wavefronts_ideal, ideal));
    }
    if loops_around_swaps(launch) {
        let loops =
            ["shared requests", "shared atomics", "wavefronts", "ideal wavefronts", "conflicts"];
        all.retain(|(what, ..)| !loops.contains(what));
    }
    all
}

/// Every pair that differs, as text.
fn different(name: &str, line: &str, pairs: Vec<Pair>, wrong: &mut Vec<String>) {
    for (what, simulated, recorded) in pairs {
        if simulated != recorded {
            wrong.push(format!("{name}, line {line}: {simulated} {what}, not {recorded}"));
        }
    }
}

#[test]
fn counters_of_launches_match_the_gpu() {
    let (launches, modules, record) = (counters::launches(), modules(), record());
    let names: BTreeSet<&str> = launches.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names.len(), launches.len(), "names are unique");
    let recorded: BTreeSet<&str> = record.0.keys().map(String::as_str).collect();
    assert_eq!(names, recorded, "the record is of other launches: make it anew");
    let mut wrong = vec![];
    for launch in &launches {
        let ran = counted(&modules, launch);
        let row = &record.0[&launch.name]["-"];
        different(&launch.name, "-", totals(launch, &ran.seen.totals, row), &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines whose load ptxas attributes to the call that was inlined.
const ELSEWHERE: [(&str, u32); 2] =
    [("transpose_doubles_padded", 94), ("transpose_doubles_padded", 104)];

#[test]
fn counters_of_lines_match_the_gpu() {
    let (modules, record) = (modules(), record());
    let (mut wrong, mut lines) = (vec![], 0);
    for launch in counters::launches() {
        let rows = &record.0[&launch.name];
        if rows.len() < 2 {
            continue;
        }
        let ran = counted(&modules, &launch);
        // `atomicAdd` is defined in a header, and the profiler attributes the instruction to its
        // line there
        let header = |what: &str| rows.get("0").is_some_and(|r| r.get(what) > 0);
        let numbers = rows.keys().filter_map(|l| l.parse().ok()).filter(|l| *l > 0);
        let simulated = ran.seen.lines.iter().map(|l| l.source.line);
        for line in numbers.chain(simulated).collect::<BTreeSet<u32>>() {
            if ELSEWHERE.contains(&(&launch.name, line)) || loops_around_swaps(&launch) {
                continue;
            }
            let of = ran.seen.lines.iter().find(|l| l.source.line == line);
            let c = of.map(|l| l.counters).unwrap_or_default();
            let nothing = Row(BTreeMap::new());
            let row = rows.get(&line.to_string()).unwrap_or(&nothing);
            let mut pairs = global(&c, row);
            pairs.push((
                "wavefronts",
                c.shared_wavefronts,
                row.sum(["shared_ld_wavefronts", "shared_st_wavefronts"]),
            ));
            if !["shared_atom", "global_atom", "global_red"].into_iter().any(header) {
                pairs.push((
                    "atomic wavefronts",
                    c.shared_atomic_wavefronts,
                    row.get("shared_atom_wavefronts"),
                ));
            }
            lines += 1;
            different(&launch.name, &line.to_string(), pairs, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines > 200, "{lines} lines were compared");
}

/// The name of a counter of requests in the record.
type Requests = (&'static str, fn(&Counters) -> u64, &'static [&'static str]);

const REQUESTS: [Requests; 4] = [
    ("load requests", |c| c.load_requests, &["global_ld"]),
    ("store requests", |c| c.store_requests, &["global_st"]),
    ("shared requests", |c| c.shared_requests, &["shared_ld", "shared_st"]),
    ("local requests", |c| c.local_requests, &["local_ld", "local_st"]),
];

/// Compares the requests of each line, for kernels of which the record attributes all requests to
/// lines. A predicated instruction is a request only when a lane executes it, which the profiler
/// does not record by line.
#[test]
fn requests_of_lines_match_the_gpu() {
    let (modules, record) = (modules(), record());
    let (mut wrong, mut lines, mut kernels) = (vec![], 0, BTreeSet::new());
    for launch in counters::launches().into_iter().filter(|l| !loops_around_swaps(l)) {
        let rows = &record.0[&launch.name];
        if rows.len() < 2 {
            continue;
        }
        let ran = counted(&modules, &launch);
        for (what, simulated, columns) in REQUESTS {
            let of = |row: &Row| columns.iter().map(|c| row.get(c)).sum::<u64>();
            let sum: u64 = rows.iter().filter(|(l, _)| *l != "-").map(|(_, row)| of(row)).sum();
            if sum == 0 || sum != of(&rows["-"]) {
                continue;
            }
            kernels.insert(launch.kernel.clone());
            let numbers = rows.keys().filter_map(|l| l.parse().ok()).filter(|l| *l > 0);
            let seen = ran.seen.lines.iter().map(|l| l.source.line);
            for line in numbers.chain(seen).collect::<BTreeSet<u32>>() {
                if ELSEWHERE.contains(&(&launch.name, line)) {
                    continue;
                }
                let counters = ran.seen.lines.iter().find(|l| l.source.line == line);
                let simulated = counters.map_or(0, |l| simulated(&l.counters));
                let recorded = rows.get(&line.to_string()).map_or(0, of);
                lines += usize::from(recorded > 0);
                different(
                    &launch.name,
                    &line.to_string(),
                    vec![(what, simulated, recorded)],
                    &mut wrong,
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines > 200 && kernels.len() > 70, "{lines} lines of {} kernels", kernels.len());
}

/// Kernels whose branches ptxas keeps.
const BRANCHES_STAY: [&str; 4] = ["odd_even", "by_warp", "nested", "trip_counts"];

/// ptxas merges some cases of this `switch` into one loop, whose branch then diverges, too.
const SHARED_LOOP: &str = "choice";

#[test]
fn divergent_branches_match_the_gpu() {
    let (modules, record) = (modules(), record());
    for launch in counters::launches() {
        let recorded = record.0[&launch.name]["-"].get("divergent");
        let simulated = counted(&modules, &launch).seen.totals.divergent_branches;
        if BRANCHES_STAY.contains(&launch.kernel.as_str()) {
            assert_eq!(simulated, recorded, "{}", launch.name);
        } else if launch.kernel != SHARED_LOOP && !loops_around_swaps(&launch) {
            assert!(simulated >= recorded, "{}: {simulated} and {recorded}", launch.name);
        }
    }
}

#[test]
fn active_lanes_match_the_gpu_approximately() {
    let (modules, record) = (modules(), record());
    for launch in counters::launches().into_iter().filter(|l| !loops_around_swaps(l)) {
        let row = &record.0[&launch.name]["-"];
        let recorded = row.get("threads") as f64 / row.get("inst") as f64;
        let simulated = counted(&modules, &launch).seen.totals.active_lanes();
        // ptxas turns short branches into predicates, which keep all lanes active
        let apart = (simulated - recorded).abs();
        assert!(apart < 9.0, "{}: {simulated:.2} lanes and {recorded:.2}", launch.name);
    }
}
