//! What each line of the source costs.

use checker::report::profile::{Counts, Profile};
use checker::text::sanitise;
use serde::Serialize;

/// Lines that are shown at most.
const MAX_LINES: usize = 400;
/// Characters of a line that are shown at most.
pub(super) const MAX_COLUMNS: usize = 160;

/// The lines from the first to the last that was executed.
#[derive(Debug, Serialize)]
pub struct Lines {
    /// "case `five blocks` (n = 1280, grid 5, block 256)"
    case: String,
    /// What is wrong with the case.
    wrong: Option<String>,
    /// The lines that stand out, the worst one first.
    remarks: Vec<Remark>,
    /// Facts, a sentence each.
    notes: Vec<String>,
    /// The three measures that the case uses, in order.
    measures: Vec<&'static str>,
    rows: Vec<Row>,
    /// What all lines cost together, also code that is on no line of the file.
    total: Total,
    /// Lines at the end that are left out.
    skipped: usize,
}

#[derive(Debug, Serialize)]
struct Remark {
    line: Option<u32>,
    slug: Option<&'static str>,
    text: String,
}

/// One line.
#[derive(Debug, Serialize)]
struct Row {
    line: u32,
    text: String,
    /// Whether a warp executed it.
    executed: bool,
    /// Whether it accesses global or shared memory.
    accesses: bool,
    /// The share of all instructions that the line executes.
    share: f64,
    /// Requests of warps to global and shared memory.
    requests: u64,
    /// One cell for each measure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cells: Vec<Option<Cell>>,
}

/// The sums of all lines.
#[derive(Debug, Serialize)]
struct Total {
    /// Instructions that warps execute.
    instructions: u64,
    requests: u64,
    /// One cell for each measure.
    cells: Vec<Option<Cell>>,
}

/// A measure of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Cell {
    /// What was measured: for each request, or for each branch.
    value: f64,
    /// The best that is possible.
    ideal: f64,
    /// How much of the work is lost on this line, from 0 to 1: the share of all sectors or
    /// wavefronts of the case that were not needed here, or of the line's branches that split.
    heat: f64,
}

/// How a line is measured.
struct Measure {
    name: &'static str,
    /// Requests or branches, what they took, and what they had to take at least.
    of: fn(&Counts) -> [u64; 3],
}

const MEASURES: [Measure; 3] = [
    Measure {
        name: "sectors",
        of: |counts| {
            let c = &counts.counters;
            [
                c.load_requests + c.store_requests,
                c.load_sectors + c.store_sectors,
                c.load_sectors_ideal + c.store_sectors_ideal,
            ]
        },
    },
    Measure {
        name: "turns",
        of: |counts| {
            let c = &counts.counters;
            [c.shared_requests, c.shared_wavefronts, c.shared_transactions]
        },
    },
    Measure {
        name: "split",
        of: |counts| [counts.counters.branches, counts.counters.divergent_branches, 0],
    },
];

/// Requests of warps to global and shared memory.
fn requests(counts: &Counts) -> u64 {
    let c = &counts.counters;
    c.load_requests + c.store_requests + c.shared_requests
}

impl Lines {
    /// The lines of a profile and of the file that it is about.
    pub fn new(profile: Profile, source: &str) -> Self {
        let used = |measure: &&Measure| match measure.name {
            "split" => (measure.of)(&profile.total)[1] > 0,
            _ => (measure.of)(&profile.total)[0] > 0,
        };
        let measures: Vec<&Measure> = MEASURES.iter().filter(used).collect();
        let totals: Vec<u64> =
            measures.iter().map(|measure| (measure.of)(&profile.total)[1]).collect();
        let cell = |(measure, total): (&&Measure, &u64), counts: &Counts| {
            let [requests, took, ideal] = (measure.of)(counts);
            let all = if measure.name == "split" { requests } else { *total };
            (requests > 0).then(|| Cell {
                value: rounded(took as f64 / requests as f64),
                ideal: rounded(ideal as f64 / requests as f64),
                heat: rounded(took.saturating_sub(ideal) as f64 / all.max(1) as f64),
            })
        };
        let numbers = || profile.lines.iter().map(|line| line.line);
        let (first, last) = (numbers().min().unwrap_or(1), numbers().max().unwrap_or(0));
        let texts = (1..).zip(source.lines()).filter(|(line, _)| (first..=last).contains(line));
        let rows = texts.take(MAX_LINES).map(|(line, text)| {
            let counted = profile.lines.iter().find(|counted| counted.line == line);
            let cells = counted.map_or_else(Vec::new, |counted| {
                measures.iter().zip(&totals).map(|pair| cell(pair, &counted.counts)).collect()
            });
            let accesses = counted.is_some_and(|counted| {
                let c = &counted.counts.counters;
                c.load_requests + c.store_requests + c.shared_requests > 0
                    || c.global_atomics + c.shared_atomics > 0
            });
            let share = counted.map_or(0.0, |counted| {
                let all = profile.total.counters.instructions.max(1);
                counted.counts.counters.instructions as f64 / all as f64
            });
            let requests = counted.map_or(0, |counted| requests(&counted.counts));
            let (text, executed) = (cut(text), counted.is_some());
            Row { line, text, executed, accesses, share: rounded(share), requests, cells }
        });
        let rows: Vec<Row> = rows.collect();
        let all = (last + 1).saturating_sub(first) as usize;
        Self {
            measures: measures.iter().map(|measure| measure.name).collect(),
            total: Total {
                instructions: profile.total.counters.instructions,
                requests: requests(&profile.total),
                cells: measures
                    .iter()
                    .zip(&totals)
                    .map(|pair| cell(pair, &profile.total))
                    .collect(),
            },
            skipped: all.saturating_sub(rows.len()),
            rows,
            remarks: profile
                .worst
                .into_iter()
                .map(|remark| Remark {
                    line: remark.line,
                    slug: remark.slug.map(|slug| slug.as_str()),
                    text: remark.text,
                })
                .collect(),
            case: profile.case,
            wrong: profile.wrong,
            notes: profile.notes,
        }
    }
}

/// A line of the learner's without control characters, and not longer than a page shows.
pub(super) fn cut(text: &str) -> String {
    let text = sanitise(&text.replace('\t', "    "));
    match text.chars().count() {
        0..=MAX_COLUMNS => text,
        _ => text.chars().take(MAX_COLUMNS).chain(['\u{2026}']).collect(),
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
