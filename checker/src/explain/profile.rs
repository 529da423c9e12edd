//! Describes what each line costs: the counts that the kernel uses, the lines that stand out, and
//! why they do.

use ptxsim::{Counters, LineCounters, Observations};

use super::Context;
use super::case_line::case_line;
use super::gates;
use super::occupancy::occupancy;
use super::scan::Source;
use super::words::{count, many, measured};
use crate::diagnostic::Slug;
use crate::inspect::Profiled;
use crate::report::launches::{groups, ranges};
use crate::report::profile::{Column, Counts, Gate, Line, Profile, Remark};
use crate::spec::{Metric, Op, Spec};
use crate::text::sanitise;
use crate::verdict::Measured;

/// Largest number of lines that get a remark.
const REMARKS: usize = 5;
/// Ratio to the ideal from which a line gets a remark. An array that does not start at a sector has
/// 5/4, which is fine.
const NOTABLE: f64 = 1.5;
/// Share of a line's branches that must diverge for a remark. The guard of the last warp stays
/// below it.
const SPLIT: f64 = 0.125;

/// A count that the listing can show.
struct Metered {
    column: Column,
    /// Whether the kernel uses it.
    used: fn(&Counters) -> bool,
    /// Its cell for a line's counters and the totals; empty where the line has none.
    cell: fn(&Counters, &Counters) -> String,
}

const fn column(name: &'static str, expendable: u8, meaning: &'static str) -> Column {
    Column { name, meaning, expendable }
}

/// The columns in order. On a narrow terminal, those with the largest numbers are left out first.
const METERED: &[Metered] = &[
    Metered {
        column: column("instr", 11, "share of all instructions that the line executes"),
        used: |c| c.instructions > 0,
        cell: |c, total| percent(c.instructions, total.instructions),
    },
    Metered {
        column: column("requests", 5, "global loads and stores of a warp: all its threads at once"),
        used: |c| requests(c) > 0,
        cell: |c, _| some(requests(c)),
    },
    Metered {
        column: column("sectors", 0, "32-byte sectors of memory that one request moves"),
        used: |c| requests(c) > 0,
        cell: |c, _| per(sectors(c), requests(c)),
    },
    Metered {
        column: column("ideal", 3, "the same if the threads' data were contiguous"),
        used: |c| requests(c) > 0,
        cell: |c, _| per(ideal_sectors(c), requests(c)),
    },
    Metered {
        column: column("shared", 7, "shared-memory loads and stores of a warp"),
        used: |c| c.shared_requests > 0,
        cell: |c, _| some(c.shared_requests),
    },
    Metered {
        column: column("wavefronts", 4, "wavefronts that a request to shared memory takes"),
        used: |c| c.shared_requests > 0,
        cell: |c, _| per(c.shared_wavefronts, c.shared_requests),
    },
    Metered {
        column: column("conflicts", 1, "bank conflicts: wavefronts beyond the ideal"),
        used: |c| c.shared_requests > 0,
        cell: |c, _| {
            if c.shared_requests > 0 { count(c.shared_conflicts()) } else { String::new() }
        },
    },
    Metered {
        column: column("split", 6, "branches that split their warp, of all its branches"),
        used: |c| c.divergent_branches > 0,
        cell: |c, _| match c.branches {
            0 => String::new(),
            all => format!("{}/{}", count(c.divergent_branches), count(all)),
        },
    },
    Metered {
        column: column("matrices", 9, "multiplications of matrices on tensor cores"),
        used: |c| c.matrix_multiplications > 0,
        cell: |c, _| some(c.matrix_multiplications),
    },
    Metered {
        column: column("atomics", 8, "atomic operations of a warp, in global and shared memory"),
        used: |c| atomics(c) > 0,
        cell: |c, _| some(atomics(c)),
    },
    Metered {
        column: column(
            "local",
            2,
            "loads and stores of local memory: arrays and values beyond the registers",
        ),
        used: |c| c.local_requests > 0,
        cell: |c, _| some(c.local_requests),
    },
    Metered {
        column: column("lanes", 10, "active threads of a warp, of 32, on average"),
        used: |c| c.thread_instructions != 32 * c.instructions,
        cell: |c, _| match c.instructions {
            0 => String::new(),
            _ => format!("{:.1}", c.active_lanes()),
        },
    },
];

/// Describes a profile.
pub fn profile(spec: &'static Spec, seen: &Profiled, context: &Context<'_>) -> Profile {
    let wrong = seen.verdict.as_ref();
    let report = wrong.map(|verdict| super::explain(spec, verdict, context));
    let file = format!("{}.cu", spec.id);
    let counted = Counted { observed: &seen.observations, source: &seen.source, file: &file };
    let mut notes = vec!["simulated: the counts are exact".to_owned()];
    let (occupancy, sentences) = occupancy(&seen.residency, spec.kind.has_one_launch());
    notes.extend(sentences);
    if let Some(chosen) = &seen.chosen {
        let launches = match chosen.as_slice() {
            [one] => format!("launch {one}"),
            all => format!("launches {}", ranges(all)),
        };
        notes.push(format!(
            "only {launches} of {}: the gates count all of them",
            seen.launches.len()
        ));
    }
    let sectors =
        seen.gates.iter().find(|gate| matches!(gate.gate.metric, Metric::SectorsPerRequest { .. }));
    let plain = seen.observations.totals.sectors_per_request();
    if let Some(counted) = sectors.and_then(|gate| gate.value).filter(|v| (v - plain).abs() > 0.05)
    {
        notes.push(format!(
            "some requests are wide, such as those of float4: {plain:.1} sectors per request are {counted:.1} for each 128 bytes, which the gate counts"
        ));
    }
    Profile {
        exercise: spec.id.into(),
        case: case_line(spec, seen.case, context.seed),
        slug: wrong.map_or(Slug::Passed, crate::verdict::Verdict::slug),
        wrong: report.map(|report| report.title),
        launches: groups(&seen.launches, &seen.timeline, seen.chosen.as_deref()),
        timeline: seen.timeline.clone(),
        occupancy: Some(occupancy),
        gates: seen.gates.iter().map(gate).collect(),
        gate_table: if seen.gates.is_empty() { vec![] } else { gates::table(&seen.gates) },
        millis: seen.millis,
        ..counted.describe(notes, context)
    }
}

/// Describes what the lines of one file cost in some launches of a program.
pub fn launches(observed: &Observations, context: &Context<'_>) -> Profile {
    let file = context.file.rsplit(['/', '\\']).next().unwrap_or(context.file);
    Counted { observed, source: context.source, file }.describe(vec![], context)
}

/// Counts of launches, and the file whose lines are shown.
struct Counted<'a> {
    observed: &'a Observations,
    /// The file's text.
    source: &'a str,
    /// Its name without folders.
    file: &'a str,
}

impl Counted<'_> {
    /// The parts of a profile that are about lines, with `notes` and further ones.
    fn describe(&self, mut notes: Vec<String>, context: &Context<'_>) -> Profile {
        let observed = self.observed;
        let source = Source::new(self.source);
        let total = observed.totals;
        let metered: Vec<&Metered> = METERED.iter().filter(|m| (m.used)(&total)).collect();
        let counts = |c: &Counters| Counts {
            counters: *c,
            sectors_per_request: ratio(sectors(c), requests(c)),
            sectors_per_request_ideal: ratio(ideal_sectors(c), requests(c)),
            shared_conflicts: c.shared_conflicts(),
            active_lanes: ratio(c.thread_instructions, c.instructions),
            cells: metered.iter().map(|m| (m.cell)(c, &total)).collect(),
        };
        // nvcc compiles a program in a temporary folder.
        let own = |line: &&LineCounters| {
            line.source.file.rsplit('/').next() == Some(self.file)
                && (1..=source.len()).contains(&line.source.line)
        };
        let lines: Vec<&LineCounters> = observed.lines.iter().filter(own).collect();
        let elsewhere = observed.lines.iter().filter(|line| !own(line)).fold(None, |sum, line| {
            let mut sum: Counters = sum.unwrap_or_default();
            sum.add(&line.counters);
            Some(sum)
        });
        let worst = worst(&lines, elsewhere.as_ref(), context);
        let about = worst.first().map(|remark| match remark.slug {
            Some(Slug::BankConflict) => "conflicts",
            Some(_) => "sectors",
            None if remark.text.contains("local memory") => "local",
            None => "split",
        });
        if !observed.completed {
            notes.push("the kernel did not finish, so the counts end where it was stopped".into());
        }
        if worst.is_empty() {
            notes.push(if total.instructions == 0 {
                "nothing was executed".into()
            } else {
                "no line stands out, because each moves only what it needs".into()
            });
        }
        Profile {
            exercise: String::new(),
            file: sanitise(context.file),
            case: String::new(),
            slug: Slug::Passed,
            wrong: None,
            finished: observed.completed,
            worst,
            total: counts(&total),
            lines: lines
                .iter()
                .map(|line| Line {
                    line: line.source.line,
                    text: sanitise(source.line(line.source.line).unwrap_or_default()),
                    counts: counts(&line.counters),
                })
                .collect(),
            elsewhere: elsewhere.as_ref().map(counts),
            launches: vec![],
            timeline: vec![],
            occupancy: None,
            occupancy_table: false,
            gates: vec![],
            gate_table: vec![],
            columns: metered
                .iter()
                .map(|m| match m.column {
                    // The column that the first remark is about stays longest.
                    column if Some(column.name) == about => Column { expendable: 0, ..column },
                    column => Column { expendable: column.expendable + 1, ..column },
                })
                .collect(),
            notes,
            device: "simulator".into(),
            millis: context.millis,
        }
    }
}

fn gate(measured: &Measured) -> Gate {
    Gate {
        metric: gates::name(measured.gate.metric).into(),
        start: measured.gate.baseline,
        yours: measured.value,
        op: match measured.gate.op {
            Op::AtMost => "at most",
            Op::AtLeast => "at least",
            Op::Exactly => "exactly",
        }
        .into(),
        target: measured.gate.target,
        holds: measured.holds,
    }
}

/// The lines that stand out, the most expensive first. The common measure is wavefronts: a sector
/// beyond the ideal, a bank conflict, a local request and the other side of a divergent branch each
/// cost about one.
fn worst(
    lines: &[&LineCounters],
    elsewhere: Option<&Counters>,
    context: &Context<'_>,
) -> Vec<Remark> {
    let own = lines.iter().map(|line| (Some(line.source.line), line.counters));
    let all = own.chain(elsewhere.map(|counters| (None, *counters)));
    let mut found: Vec<(u64, Remark)> =
        all.flat_map(|(line, counters)| remarks(line, &counters, context)).collect();
    found.sort_by_key(|(cost, remark)| (std::cmp::Reverse(*cost), remark.line));
    found.into_iter().take(REMARKS).map(|(_, remark)| remark).collect()
}

fn remarks(line: Option<u32>, c: &Counters, context: &Context<'_>) -> Vec<(u64, Remark)> {
    let explain = |slug: Slug| format!("{} explain {slug}", context.command);
    let mut found = Vec::new();
    let mut say = |cost: u64, slug: Option<Slug>, text: String| {
        let learn = slug.map(explain);
        found.push((cost, Remark { line, slug, text, learn }));
    };
    let (moved, ideal) = (sectors(c), ideal_sectors(c));
    if let Some(times) = beyond(moved, ideal) {
        let text = format!(
            "each request moves {} sectors of memory where {} would be enough: {times} times the traffic",
            per(moved, requests(c)),
            per(ideal, requests(c)),
        );
        say(moved - ideal, Some(Slug::Uncoalesced), text);
    }
    if let Some(times) = beyond(c.shared_wavefronts, c.shared_transactions) {
        let text = format!(
            "each request takes {} wavefronts in shared memory where {} would be enough: {times} \
             times as long, with {}",
            per(c.shared_wavefronts, c.shared_requests),
            per(c.shared_transactions, c.shared_requests),
            many(c.shared_conflicts(), "bank conflict", "bank conflicts"),
        );
        say(c.shared_conflicts(), Some(Slug::BankConflict), text);
    }
    if c.divergent_branches > 0 && c.divergent_branches as f64 >= SPLIT * c.branches as f64 {
        let text = format!(
            "{} of {} branches split their warp, which then executes both sides, one after the other; none would \
             if whole warps agreed",
            count(c.divergent_branches),
            count(c.branches),
        );
        say(c.divergent_branches, None, text);
    }
    if c.local_requests > 0 {
        let text = format!(
            "{} to local memory, which is as far away as global memory; none is needed if \
             everything fits into registers",
            many(c.local_requests, "request goes", "requests go"),
        );
        say(c.local_requests, None, text);
    }
    found
}

/// How many times the ideal, when that is worth a remark.
fn beyond(actual: u64, ideal: u64) -> Option<String> {
    let times = ratio(actual, ideal)?;
    (times >= NOTABLE).then(|| measured((times * 10.0).round() / 10.0))
}

const fn requests(c: &Counters) -> u64 {
    c.load_requests + c.store_requests
}

const fn sectors(c: &Counters) -> u64 {
    c.load_sectors + c.store_sectors
}

const fn ideal_sectors(c: &Counters) -> u64 {
    c.load_sectors_ideal + c.store_sectors_ideal
}

const fn atomics(c: &Counters) -> u64 {
    c.global_atomics + c.shared_atomics
}

fn ratio(a: u64, b: u64) -> Option<f64> {
    (b > 0).then(|| a as f64 / b as f64)
}

fn per(a: u64, b: u64) -> String {
    ratio(a, b).map(|ratio| format!("{ratio:.1}")).unwrap_or_default()
}

fn some(n: u64) -> String {
    if n == 0 { String::new() } else { count(n) }
}

fn percent(part: u64, all: u64) -> String {
    match ratio(part * 100, all) {
        None | Some(0.0) => String::new(),
        Some(share) if share < 1.0 => "<1%".into(),
        Some(share) => format!("{share:.0}%"),
    }
}
