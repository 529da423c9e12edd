//! A trace, which is what one thread did, line by line, as text for the terminal and as JSON.
//!
//! ```json
//! {"version": 1, "trace": {"exercise": "blocks", "block": [1, 0, 0], "steps": [{"line": 15, "set": [...]}], ...}}
//! ```
//!
//! The fields are those of [`Trace`]. Fields may be added within a version. Renaming or removing a
//! field, or giving it another meaning, raises `version`.

use std::collections::HashMap;

use colored::Colorize;
use serde::Serialize;

use super::fold::{Header, Key, Node, first_step, fold};
use super::heading::heading;
use super::json;
use super::profile::fitted;
use super::terminal::{columns, cut, hanging};
use crate::diagnostic::Slug;
use crate::text::sanitise;

/// Raised when a field of the JSON document is renamed or removed, or gets another meaning.
pub const VERSION: u32 = 1;

/// Iterations of a loop that are shown because a value becomes infinite or NaN in them, at most.
const SHOWN_TURNS: usize = 4;

/// Steps at the end of the trace that are shown when not all steps are.
const LAST_STEPS: usize = 8;

/// What one thread did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The exercise.
    pub exercise: String,
    /// The file, relative to the workbook.
    pub file: String,
    /// "case `five blocks` (n = 1280, grid 5, block 256)".
    pub case: String,
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index in its block (x, y, z).
    pub thread: [u32; 3],
    /// The block and the thread in words: "block 1, thread 31".
    #[serde(rename = "who")]
    pub thread_name: String,
    /// The verdict on this case.
    pub slug: Slug,
    /// What is wrong with this case; `None` when its outputs are right.
    pub wrong: Option<String>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The index of the step before which steps were left out, and how many.
    pub skipped: Option<(usize, u64)>,
    /// "left", "fault", "waiting", "running" or "not-started".
    pub end: String,
    /// The end in a sentence.
    pub ending: String,
    /// Whether the debug build computed the same results as the build that `check` runs.
    pub same_results: bool,
    /// Facts, a sentence each.
    pub notes: Vec<String>,
    /// How to follow a thread of another launch with this command, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_launches: Option<String>,
    /// "simulator".
    pub device: String,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// One execution of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// One-based.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The function that contains it.
    pub function: String,
    /// How many calls deep it is.
    pub depth: u32,
    /// How many threads of the warp executed it together.
    pub lanes: u32,
    /// Variables and built-ins that the line reads, with their values before it.
    pub uses: Vec<Named>,
    /// Variables that the line changed.
    pub set: Vec<Named>,
    /// Memory accessed, in order.
    pub accesses: Vec<Accessed>,
    /// The value of the condition; `None` when the line has none, or its value cannot be derived.
    pub condition: Option<bool>,
    /// The lines of a loop from its header to the end of its body, if this is the step of its
    /// header.
    #[serde(skip)]
    pub loop_lines: Option<(u32, u32)>,
    /// What to show under the line.
    #[serde(skip)]
    pub facts: Vec<Fact>,
}

/// Text under a source line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What happened.
    pub text: String,
    /// Whether it is about the bug.
    pub wrong: bool,
}

/// A name with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Named {
    /// `idx`, `threadIdx.x`.
    pub name: String,
    /// `67`, `0.25`, `true`, `a[3]` for a pointer.
    pub value: String,
}

/// One access of memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Accessed {
    /// "read", "write" or "atomic".
    pub action: String,
    /// `a[67]`, `tile[3][4]`.
    pub element: String,
    /// The array's name, where it is known.
    pub array: Option<String>,
    /// Flat element index.
    pub index: Option<i64>,
    /// The value loaded or stored; for an atomic, its operand.
    pub value: Option<String>,
    /// The old value that an atomic returned, if the kernel uses it.
    pub old: Option<String>,
    /// The value that such an atomic stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The diagnostic, when the access is wrong.
    pub fault: Option<Slug>,
}

/// The trace as one JSON document on one line. When nothing ran, `trace` is null.
pub fn json(trace: Option<&Trace>) -> String {
    json::document(VERSION, "trace", &trace)
}

/// Iterations of a loop that are shown before the others are summarised in a line.
const FIRST_ITERATIONS: usize = 2;

/// A part of the listing.
pub(super) enum Item {
    /// The index of a step.
    Step(usize),
    /// A line between steps.
    Remark(String),
}

/// The parts of the listing, with about `limit` steps at most.
pub(super) fn shown_items(trace: &Trace, limit: usize) -> Vec<Item> {
    shorten(items(trace), limit)
}

/// Whether a step, unlike the one before it, is in a function that the kernel calls.
pub(super) fn enters_function(step: &Step, before: Option<&Step>) -> bool {
    step.depth > 0 && before.is_none_or(|b| (b.depth, &b.function) != (step.depth, &step.function))
}

/// Lays out a trace to `width` columns, with about `limit` steps at most.
pub fn render(trace: &Trace, limit: usize, width: usize) -> String {
    let title = format!("trace of {}, {}", trace.exercise, trace.thread_name);
    let mut out = heading(&title, &trace.case, trace.wrong.as_deref(), width);
    for note in trace.notes.iter().chain(&trace.other_launches) {
        out.push_str(&hanging(note, "  ", "    ", width));
    }
    out.push('\n');
    let items = shown_items(trace, limit);
    let gutter = trace.steps.iter().map(|step| step.line.to_string().len()).max().unwrap_or(1);
    let mut before: Option<&Step> = None;
    for item in &items {
        match item {
            Item::Step(i) => {
                let Some(step) = trace.steps.get(*i) else { continue };
                out.push_str(&laid_out(step, before, gutter, width));
                before = Some(step);
            }
            Item::Remark(text) => {
                let margin = " ".repeat(gutter + 1);
                let text = hanging(text, &margin, &format!("{margin}  "), width);
                out.push_str(&text.dimmed().to_string());
            }
        }
    }
    out.push_str(&format!("\n{}", hanging(&trace.ending, "  ", "  ", width)));
    let foot = format!("{} · {} ms", trace.device, trace.millis);
    out.push_str(&format!("  {}\n", foot.dimmed()));
    out
}

fn laid_out(step: &Step, before: Option<&Step>, gutter: usize, width: usize) -> String {
    let mut out = String::new();
    let margin = format!("{:gutter$} | ", "");
    if enters_function(step, before) {
        let text = format!("{margin}in `{}`:", sanitise(&step.function));
        out.push_str(&format!("{}\n", cut(&text, width).dimmed()));
    }
    let text = sanitise(&step.text).replace('\t', "    ");
    let line =
        format!("{:>gutter$} | {}", step.line, fitted(&text, width.saturating_sub(gutter + 3)));
    out.push_str(&format!("{}\n", line.bold()));
    let indent = columns(&text) - columns(text.trim_start());
    let indent = (indent + 2).min(width / 4).max(2);
    for fact in &step.facts {
        let first = format!("{margin}{}", " ".repeat(indent));
        let text = hanging(&sanitise(&fact.text), &first, &format!("{first}  "), width);
        out.push_str(&if fact.wrong { text.red().to_string() } else { text.cyan().to_string() });
    }
    out
}

/// The steps with their loops folded.
fn items(trace: &Trace) -> Vec<Item> {
    let (cut, skipped) = trace.skipped.unwrap_or((trace.steps.len(), 0));
    let mut items = vec![];
    let (first, last) = trace.steps.split_at(cut.min(trace.steps.len()));
    let nodes = fold(&first.iter().map(key).collect::<Vec<_>>());
    let (open, done) = match nodes.split_last() {
        // The steps of a loop that was still running end in the middle of it.
        Some((Node::Loop(iterations), done)) if skipped > 0 => (Some(iterations), done),
        _ => (None, nodes.as_slice()),
    };
    unfold(done, 0, trace, &mut items);
    if let Some(iterations) = open {
        for (i, iteration) in iterations.iter().take(FIRST_ITERATIONS).enumerate() {
            items.push(Item::Remark(format!("iteration {}:", i + 1)));
            unfold(iteration, 0, trace, &mut items);
        }
        let changes = changes(iterations.get(FIRST_ITERATIONS..).unwrap_or_default(), 0, trace);
        items.push(Item::Remark(format!(
            "... iterations {} to {} are similar{changes}",
            FIRST_ITERATIONS + 1,
            iterations.len()
        )));
    }
    if skipped > 0 {
        let left_out = skipped + last.len().saturating_sub(LAST_STEPS) as u64;
        items.push(Item::Remark(format!("... {left_out} more steps, then the last ones:")));
        let from = trace.steps.len() - last.len().min(LAST_STEPS);
        items.extend((from..trace.steps.len()).map(Item::Step));
    }
    items
}

fn key(step: &Step) -> Key {
    let ends = step.condition == Some(false);
    let header = step.loop_lines.map(|(_, last_line)| Header { last_line, ends });
    Key { line: step.line, depth: step.depth, header }
}

/// Lists the nodes. Of a loop with more than four iterations, these are the first two and the last,
/// those in which a value turns infinite or NaN, those that take other lines than the iteration
/// before, and a summary of the values in each of the gaps.
fn unfold(nodes: &[Node], offset: usize, trace: &Trace, items: &mut Vec<Item>) {
    for node in nodes {
        let iterations = match node {
            Node::Step(i) => {
                items.push(Item::Step(i + offset));
                continue;
            }
            Node::Loop(iterations) => iterations,
        };
        let all = iterations.len();
        let mut turns = turns(iterations, offset, trace);
        turns.extend(other_lines(iterations, offset, trace));
        let shown = |i: &usize| {
            all <= FIRST_ITERATIONS + 2
                || *i < FIRST_ITERATIONS
                || i + 1 == all
                || turns.contains(i)
        };
        let mut i = 0;
        while let Some(iteration) = iterations.get(i) {
            if shown(&i) {
                items.push(Item::Remark(format!("iteration {} of {all}:", i + 1)));
                unfold(iteration, offset, trace, items);
                i += 1;
                continue;
            }
            let end = (i..all).find(shown).unwrap_or(all);
            let changes = changes(iterations.get(i..end).unwrap_or_default(), offset, trace);
            items.push(Item::Remark(if end - i == 1 {
                format!("... iteration {end} is similar{changes}")
            } else {
                format!("... iterations {} to {end} are similar{changes}", i + 1)
            }));
            i = end;
        }
    }
}

/// The iterations in which a variable with a finite value becomes infinite or NaN. Among many
/// similar iterations, these are the ones that the reader is looking for.
fn turns(iterations: &[Vec<Node>], offset: usize, trace: &Trace) -> Vec<usize> {
    let finite = |value: &str| !matches!(value, "NaN" | "inf" | "-inf");
    let mut before: HashMap<&str, bool> = HashMap::new();
    let mut turns = vec![];
    for (i, iteration) in iterations.iter().enumerate() {
        let set =
            steps(iteration).filter_map(|i| trace.steps.get(i + offset)).flat_map(|step| &step.set);
        let mut turned = false;
        for named in set {
            let now = finite(&named.value);
            turned |= before.insert(&named.name, now) == Some(true) && !now;
        }
        if turned {
            turns.push(i);
        }
    }
    // Values that alternate between finite and infinite would otherwise fill the listing.
    turns.truncate(SHOWN_TURNS);
    turns
}

/// The iterations that take other lines than the one before, where a thread takes another branch.
fn other_lines(iterations: &[Vec<Node>], offset: usize, trace: &Trace) -> Vec<usize> {
    let lines = |iteration: &Vec<Node>| -> Vec<Option<u32>> {
        let line = |i: usize| trace.steps.get(i + offset).map(|step| step.line);
        iteration.iter().map(|node| first_step(node).and_then(line)).collect()
    };
    let all: Vec<_> = iterations.iter().map(lines).collect();
    let differ = |i: &usize| matches!((all.get(i - 1), all.get(*i)), (Some(a), Some(b)) if a != b);
    (1..all.len()).filter(differ).take(SHOWN_TURNS).collect()
}

/// The indices of the steps of an iteration that are not in an inner loop.
fn steps(iteration: &[Node]) -> impl Iterator<Item = usize> {
    iteration.iter().filter_map(|node| match node {
        Node::Step(i) => Some(*i),
        Node::Loop(_) => None,
    })
}

/// ": idx = 1283, 1795 ... 15619", for every variable that the iterations set.
fn changes(iterations: &[Vec<Node>], offset: usize, trace: &Trace) -> String {
    let mut names: Vec<(&str, Vec<&str>)> = vec![];
    for i in iterations.iter().flat_map(|iteration| steps(iteration)) {
        for named in trace.steps.get(i + offset).into_iter().flat_map(|step| &step.set) {
            match names.iter_mut().find(|(name, _)| *name == named.name) {
                Some((_, values)) => values.push(&named.value),
                None => names.push((&named.name, vec![&named.value])),
            }
        }
    }
    let one = |(name, values): &(&str, Vec<&str>)| match values.as_slice() {
        [a, b, .., z] if values.len() > 3 => format!("{name} = {a}, {b} ... {z}"),
        all => format!("{name} = {}", all.join(", ")),
    };
    match names.iter().map(one).collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        some => format!(": {}", some.join("; ")),
    }
}

/// Keeps the first and the last items when there are more than `limit` steps.
fn shorten(mut items: Vec<Item>, limit: usize) -> Vec<Item> {
    let steps = items.iter().filter(|item| matches!(item, Item::Step(_))).count();
    if steps <= limit {
        return items;
    }
    let tail = LAST_STEPS.min(limit / 2);
    let mut last = items.split_off(items.len().saturating_sub(tail).max(limit - tail));
    let left: usize =
        items.drain(limit - tail..).filter(|item| matches!(item, Item::Step(_))).count();
    items.push(Item::Remark(format!(
        "... {left} more steps; --limit {} shows more, --lines A-B shows only some lines",
        (limit * 5).min(4000)
    )));
    items.append(&mut last);
    items
}
