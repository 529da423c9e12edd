//! A trace: what one thread did, line by line. As text for the terminal, and as JSON.
//!
//! ```json
//! {"version": 1, "trace": {"exercise": "blocks", "block": [1, 0, 0], "steps": [{"line": 15, "set": [...]}], ...}}
//! ```
//!
//! The fields are those of [`Trace`]. Fields may be added within a version; a field that is renamed, removed or given
//! another meaning raises `version`.

use std::collections::HashMap;

use colored::Colorize;
use serde::Serialize;

use super::fold::{Node, fold};
use super::profile::fitted;
use super::terminal::{columns, cut, hanging};
use crate::diagnostic::Slug;
use crate::text::sanitise;

/// Raised when a field of the JSON document is renamed, removed, or means something else.
pub const VERSION: u32 = 1;

/// Rounds of a loop that are shown because a number becomes none in them.
const TURNS: usize = 4;

/// Steps of the end that are shown although there are more than fit.
const TAIL: usize = 8;

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
    /// "block 1, thread 31".
    pub who: String,
    /// The verdict on this case.
    pub slug: Slug,
    /// What is wrong with this case; `None` when its outputs are right.
    pub wrong: Option<String>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Steps left out, and in front of which step they belong.
    pub skipped: Option<(usize, u64)>,
    /// "left", "fault", "waiting", "running" or "not-started".
    pub end: String,
    /// The end in a sentence.
    pub ending: String,
    /// Whether the code compiled for debugging left the same results as the code that `check` runs.
    pub same_results: bool,
    /// Facts, a sentence each.
    pub notes: Vec<String>,
    /// "simulator".
    pub device: String,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// A visit of one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// One-based.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The function that it is in.
    pub function: String,
    /// Calls around it.
    pub depth: u32,
    /// Threads of the warp that were there together.
    pub lanes: u32,
    /// Variables and built-ins that the line reads, as they were before.
    pub uses: Vec<Named>,
    /// Variables that the line changed.
    pub set: Vec<Named>,
    /// Memory accessed, in order.
    pub accesses: Vec<Accessed>,
    /// What the condition came to, where the line has one and it can be told.
    pub condition: Option<bool>,
    /// What there is to say, a line each.
    #[serde(skip)]
    pub facts: Vec<Fact>,
}

/// A line under the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What happened.
    pub text: String,
    /// It is what is wrong.
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
    /// What was read or written; for an atomic, its operand.
    pub value: Option<String>,
    /// What was there before an atomic, where the kernel asked for it.
    pub old: Option<String>,
    /// The diagnostic, when the access is wrong.
    pub fault: Option<Slug>,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    trace: Option<&'a Trace>,
}

/// The trace as one JSON document on one line; without one (nothing ran) `trace` is null.
pub fn json(trace: Option<&Trace>) -> String {
    let document = Document { version: VERSION, trace };
    serde_json::to_string(&document).unwrap_or_else(|error| {
        serde_json::json!({"version": VERSION, "error": error.to_string()}).to_string()
    })
}

/// Rounds of a loop that are shown before the rest is told in a line.
const SHOWN: usize = 2;

/// What a line of the listing is about.
enum Item {
    Step(usize),
    Say(String),
}

/// Lays a trace out to `width` columns, with at most about `limit` steps.
pub fn render(trace: &Trace, limit: usize, width: usize) -> String {
    let title = format!("trace of {}, {}", trace.exercise, trace.who);
    let mut out = hanging(&format!("{title}: {}", sanitise(&trace.case)), "", "  ", width);
    if let Some(rest) = out.strip_prefix(&title) {
        out = format!("{}{rest}", title.bold());
    }
    if let Some(wrong) = &trace.wrong {
        let label = "  not right yet:";
        let text = hanging(&format!("not right yet: {wrong}"), "  ", "    ", width);
        out.push_str(&match text.strip_prefix(label) {
            Some(rest) => format!("{}{rest}", label.red().bold()),
            None => text,
        });
    }
    for note in &trace.notes {
        out.push_str(&hanging(note, "  ", "    ", width));
    }
    out.push('\n');
    let items = shorten(items(trace), limit);
    let gutter = trace.steps.iter().map(|step| step.line.to_string().len()).max().unwrap_or(1);
    let mut before: Option<&Step> = None;
    for item in &items {
        match item {
            Item::Step(i) => {
                let Some(step) = trace.steps.get(*i) else { continue };
                out.push_str(&laid_out(step, before, gutter, width));
                before = Some(step);
            }
            Item::Say(text) => {
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
    if step.depth > 0
        && before.is_none_or(|b| (b.depth, &b.function) != (step.depth, &step.function))
    {
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

/// The steps with loops folded.
fn items(trace: &Trace) -> Vec<Item> {
    let (cut, skipped) = trace.skipped.unwrap_or((trace.steps.len(), 0));
    let mut items = vec![];
    let keys = |steps: &[Step]| steps.iter().map(|s| (s.line, s.depth)).collect::<Vec<_>>();
    let (first, last) = trace.steps.split_at(cut.min(trace.steps.len()));
    let nodes = fold(keys(first));
    let (open, done) = match nodes.split_last() {
        // a loop that the thread was still in has no last round
        Some((Node::Rounds(rounds), done)) if skipped > 0 => (Some(rounds), done),
        _ => (None, nodes.as_slice()),
    };
    unfold(done, 0, trace, &mut items);
    if let Some(rounds) = open {
        for (i, round) in rounds.iter().take(SHOWN).enumerate() {
            items.push(Item::Say(format!("round {}:", i + 1)));
            unfold(round, 0, trace, &mut items);
        }
        let changes = changes(rounds.get(SHOWN..).unwrap_or_default(), 0, trace);
        items.push(Item::Say(format!(
            "... rounds {} to {} go the same way{changes}",
            SHOWN + 1,
            rounds.len()
        )));
    }
    if skipped > 0 {
        let left_out = skipped + last.len().saturating_sub(TAIL) as u64;
        items.push(Item::Say(format!("... {left_out} more steps, and the last ones:")));
        let from = trace.steps.len() - last.len().min(TAIL);
        items.extend((from..trace.steps.len()).map(Item::Step));
    }
    items
}

/// Of more than four rounds: two, what changes in the next ones, and the last; and those in which numbers end.
fn unfold(nodes: &[Node], offset: usize, trace: &Trace, items: &mut Vec<Item>) {
    for node in nodes {
        let rounds = match node {
            Node::One(i) => {
                items.push(Item::Step(i + offset));
                continue;
            }
            Node::Rounds(rounds) => rounds,
        };
        let all = rounds.len();
        let turns = turns(rounds, offset, trace);
        let shown = |i: &usize| all <= SHOWN + 2 || *i < SHOWN || i + 1 == all || turns.contains(i);
        let mut i = 0;
        while let Some(round) = rounds.get(i) {
            if shown(&i) {
                items.push(Item::Say(format!("round {} of {all}:", i + 1)));
                unfold(round, offset, trace, items);
                i += 1;
                continue;
            }
            let end = (i..all).find(shown).unwrap_or(all);
            let changes = changes(rounds.get(i..end).unwrap_or_default(), offset, trace);
            items.push(Item::Say(if end - i == 1 {
                format!("... round {end} goes the same way{changes}")
            } else {
                format!("... rounds {} to {end} go the same way{changes}", i + 1)
            }));
            i = end;
        }
    }
}

/// The rounds in which a variable becomes infinite or NaN that was a number before: of many rounds that go the same way,
/// those that one looks for.
fn turns(rounds: &[Vec<Node>], offset: usize, trace: &Trace) -> Vec<usize> {
    let finite = |value: &str| !matches!(value, "NaN" | "inf" | "-inf");
    let mut before: HashMap<&str, bool> = HashMap::new();
    let mut turns = vec![];
    for (i, round) in rounds.iter().enumerate() {
        let ones = round.iter().filter_map(|n| if let Node::One(i) = n { Some(i) } else { None });
        let set = ones.filter_map(|i| trace.steps.get(i + offset)).flat_map(|step| &step.set);
        let mut turned = false;
        for named in set {
            let now = finite(&named.value);
            turned |= before.insert(&named.name, now) == Some(true) && !now;
        }
        if turned {
            turns.push(i);
        }
    }
    // a value that comes and goes is nothing to look for
    turns.truncate(TURNS);
    turns
}

/// ": idx = 1283, 1795 ... 15619", for every variable that the rounds set.
fn changes(rounds: &[Vec<Node>], offset: usize, trace: &Trace) -> String {
    let mut names: Vec<(&str, Vec<&str>)> = vec![];
    for i in
        rounds.iter().flatten().filter_map(|n| if let Node::One(i) = n { Some(i) } else { None })
    {
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

/// The first items and the last, when there are more than `limit`.
fn shorten(mut items: Vec<Item>, limit: usize) -> Vec<Item> {
    let steps = items.iter().filter(|item| matches!(item, Item::Step(_))).count();
    if steps <= limit {
        return items;
    }
    let tail = TAIL.min(limit / 2);
    let mut last = items.split_off(items.len().saturating_sub(tail).max(limit - tail));
    let left: usize =
        items.drain(limit - tail..).filter(|item| matches!(item, Item::Step(_))).count();
    items.push(Item::Say(format!(
        "... {left} more steps: --limit {} shows more, --lines A-B only some lines",
        (limit * 5).min(4000)
    )));
    items.append(&mut last);
    items
}
