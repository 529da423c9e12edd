//! A profile, which is the learner's source with counts beside each line, as text for the terminal
//! and as JSON.
//!
//! ```json
//! {"version": 1, "profile": {"exercise": "grid_stride", "finished": true, "lines": [{"line": 20, ...}], ...}}
//! ```
//!
//! The fields are those of [`Profile`]; `counters` are [`ptxsim::Counters`]. Fields may be added
//! within a version. Renaming or removing a field, or giving it another meaning, raises `version`.

use colored::Colorize;
use cudart_sim::clock::Span;
use ptxsim::Counters;
use serde::Serialize;

use super::heading::heading;
use super::launches::{self, LaunchGroup};
use super::occupancy::{self, Occupancies};
use super::terminal::{columns, cut, hanging, table_to_width};
use super::{json, timeline};
use crate::diagnostic::Slug;
use crate::text::sanitise;

/// Raised when a field of the JSON document is renamed or removed, or gets another meaning.
pub const VERSION: u32 = 1;

/// Columns of the terminal that are left for source text at least; columns of counts are dropped
/// for them.
const SOURCE_COLUMNS: usize = 22;

/// How a profile that lacks columns begins to say so.
pub const COLUMNS_LEFT_OUT: &str = "not shown because the terminal is too narrow";

/// What each line of a kernel did in one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// The exercise.
    pub exercise: String,
    /// The file, relative to the workbook.
    pub file: String,
    /// "case `five blocks` (n = 1280, grid 5, block 256)".
    pub case: String,
    /// The verdict on this case.
    pub slug: Slug,
    /// What is wrong with this case; `None` when its outputs are right.
    pub wrong: Option<String>,
    /// Whether every thread returned. Otherwise the launch was stopped, and the counts end there.
    pub finished: bool,
    /// The most expensive lines, worst first; empty when no line stands out.
    pub worst: Vec<Remark>,
    /// Sums over the launch.
    pub total: Counts,
    /// The lines of the learner's file that executed instructions, by number.
    pub lines: Vec<Line>,
    /// Counts of code in headers that belongs to no line of the learner's file.
    pub elsewhere: Option<Counts>,
    /// The launches of a program that are counted, added up by kernel and shape; absent for a
    /// kernel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub launches: Vec<LaunchGroup>,
    /// When each copy and kernel of a program ran, in microseconds of the simulated clock; absent
    /// for a kernel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<Span>,
    /// How many blocks of each kernel are resident on a multiprocessor; null where nothing was
    /// assembled.
    pub occupancy: Option<Occupancies>,
    /// Whether the occupancy is also shown as a table.
    #[serde(skip)]
    pub occupancy_table: bool,
    /// The counts that this case is graded by.
    pub gates: Vec<Gate>,
    /// The gates as a table.
    #[serde(skip)]
    pub gate_table: Vec<Vec<String>>,
    /// The counts that are not all zero for this kernel, in the order of their columns.
    #[serde(skip)]
    pub columns: Vec<Column>,
    /// Facts, a sentence each.
    pub notes: Vec<String>,
    /// What counted: "simulator".
    pub device: String,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// One line of the source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// One-based.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// What it cost.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Counts, and ratios computed from them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counts {
    /// The simulator's counters.
    pub counters: Counters,
    /// 32-byte sectors per global load or store of a warp; `None` without any.
    pub sectors_per_request: Option<f64>,
    /// The same if the data of the active threads were contiguous.
    pub sectors_per_request_ideal: Option<f64>,
    /// Wavefronts of shared memory beyond the ideal number, because of bank conflicts.
    pub shared_conflicts: u64,
    /// Mean number of active threads per warp instruction; `None` without any.
    pub active_lanes: Option<f64>,
    /// The text of each column on the terminal.
    #[serde(skip)]
    pub cells: Vec<String>,
}

/// What one line costs, in a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remark {
    /// One-based; `None` for code that belongs to no line of the learner's file.
    pub line: Option<u32>,
    /// The diagnostic that explains it, where there is one.
    pub slug: Option<Slug>,
    /// "each request moves 32.0 sectors where 4.0 would do: 8 times the memory traffic".
    pub text: String,
    /// Where the book or the checker explains it.
    pub learn: Option<String>,
}

/// A graded count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// "sectors per request".
    pub metric: String,
    /// The count of the skeleton, if its results are right.
    pub start: Option<f64>,
    /// The count of this kernel; `None` when it was not measured.
    pub yours: Option<f64>,
    /// "at most", "at least", "exactly".
    pub op: String,
    /// The limit.
    pub target: f64,
    /// Whether it holds.
    pub holds: bool,
}

/// One column of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// What it counts, as a noun phrase; empty when the text of another column covers it.
    pub meaning: &'static str,
    /// On a narrow terminal, the columns with the highest number are dropped first.
    pub expendable: u8,
}

/// The profile as one JSON document on one line. When nothing ran, `profile` is null.
pub fn json(profile: Option<&Profile>) -> String {
    json::document(VERSION, "profile", &profile)
}

/// Lays out a profile to `width` columns, with the learner's `source`.
pub fn render(profile: &Profile, source: &str, width: usize) -> String {
    let title = format!("profile of {}", profile.exercise);
    let mut out = heading(&title, &profile.case, profile.wrong.as_deref(), width);
    for note in &profile.notes {
        out.push_str(&hanging(note, "  ", "  ", width));
    }
    if !profile.worst.is_empty() {
        out.push_str(&format!("\n{}", worst(profile, width)));
    }
    let timeline = timeline::render(&profile.timeline, width);
    if !timeline.is_empty() {
        out.push_str(&format!("\n{timeline}"));
    }
    if !profile.launches.is_empty() {
        out.push_str(&format!("\n{}", launches(&profile.launches, width)));
    }
    if let Some(table) = occupancy(profile, width) {
        out.push_str(&format!("\n{table}"));
    }
    if !profile.gate_table.is_empty() {
        let gates = table_to_width(&profile.gate_table, "  ", width);
        out.push_str(&format!("\n{gates}"));
    }
    if !profile.lines.is_empty() {
        out.push_str(&format!("\n{}", listing(profile, source, width)));
    }
    out.push_str(&format!(
        "\n  {}\n",
        format!("{} · {} ms", profile.device, profile.millis).dimmed()
    ));
    out
}

/// The table of the occupancy, and what its columns mean, if it is shown.
pub fn occupancy(profile: &Profile, width: usize) -> Option<String> {
    let all = profile.occupancy.as_ref().filter(|_| profile.occupancy_table)?;
    Some(occupancy::table(all, width)).filter(|table| !table.is_empty())
}

/// The launches as a table, and what its columns mean.
pub fn launches(groups: &[LaunchGroup], width: usize) -> String {
    let legend = hanging(&launches::legend(groups), "  ", "  ", width);
    format!("{}\n{}", launches::table(groups, width), legend.dimmed())
}

/// The lines that stand out, and the source with its counts: a profile without its heading.
pub fn lines(profile: &Profile, source: &str, width: usize) -> String {
    if profile.lines.is_empty() {
        return String::new();
    }
    let worst = if profile.worst.is_empty() {
        String::new()
    } else {
        format!("{}\n", worst(profile, width))
    };
    format!("{worst}{}", listing(profile, source, width))
}

fn worst(profile: &Profile, width: usize) -> String {
    let mut out = String::new();
    for remark in &profile.worst {
        let place = remark.line.map_or("elsewhere:".to_owned(), |line| format!("line {line}:"));
        let text = hanging(&format!("{place} {}", remark.text), "  ", "    ", width);
        out.push_str(&match text.strip_prefix(&format!("  {place}")) {
            Some(rest) => format!("  {}{rest}", place.yellow().bold()),
            None => text,
        });
        if let Some(learn) = &remark.learn {
            out.push_str(&format!("    {} {learn}\n", "learn:".cyan().bold()));
        }
    }
    out
}

/// The source with its counts to the left of each line.
fn listing(profile: &Profile, source: &str, width: usize) -> String {
    let number = profile.lines.iter().map(|l| l.line.to_string().len()).max().unwrap_or(1).max(2);
    let (shown, dropped) = fit(profile, number, width);
    let widths: Vec<usize> = shown.iter().map(|i| cell_width(profile, *i)).collect();
    let row = |cells: &dyn Fn(usize) -> String| -> String {
        let pad = |(i, width): (&usize, &usize)| format!("{:>width$}  ", cells(*i));
        shown.iter().zip(&widths).map(pad).collect()
    };
    let mut out = String::new();
    let head = row(&|i| profile.columns[i].name.to_owned());
    out.push_str(&format!("{}\n", format!("  {:>number$}  {}", "line", head).trim_end().dimmed()));
    let lines: Vec<&str> = source.lines().collect();
    let taken = number + 4 + columns(&row(&|_| String::new()));
    let room = width.saturating_sub(taken + 2).max(8);
    let shown_lines = lines_to_print(profile, lines.len());
    let halve =
        shown_lines.iter().any(|n| lines.get(*n as usize - 1).is_some_and(|l| is_long(l, room)));
    let bare = |line: &str, text: &str, cells: String| {
        let left = format!("{line:>width$}  {cells}| ", width = number + 2);
        let room = width.saturating_sub(columns(&left)).max(8);
        // all lines keep their indentation, or none does
        format!("{left}{}", fitted_with(text, room, halve)).trim_end().to_owned()
    };
    let blank = row(&|_| String::new());
    let mut last = 0;
    for number in shown_lines {
        if last > 0 && number > last + 1 {
            out.push_str(&format!("{}\n", bare("...", "", blank.clone()).dimmed()));
        }
        last = number;
        let text = lines.get(number as usize - 1).copied().unwrap_or_default();
        match profile.lines.iter().find(|line| line.line == number) {
            Some(line) => {
                let bad = profile.worst.iter().any(|remark| remark.line == Some(number));
                let mark = if bad { format!("> {number}") } else { number.to_string() };
                let text = bare(&mark, text, row(&|i| line.counts.cells[i].clone()));
                out.push_str(&if bad { text.yellow().to_string() } else { text });
            }
            None => out.push_str(&bare(&number.to_string(), text, blank.clone())),
        }
        out.push('\n');
    }
    for (name, counts) in
        [("in headers", profile.elsewhere.as_ref()), ("in all", Some(&profile.total))]
    {
        if let Some(counts) = counts {
            out.push_str(&bare("", name, row(&|i| counts.cells[i].clone())));
            out.push('\n');
        }
    }
    out.push('\n');
    let widest = shown.iter().map(|i| columns(profile.columns[*i].name)).max().unwrap_or(0);
    for column in shown.iter().map(|i| &profile.columns[*i]).filter(|c| !c.meaning.is_empty()) {
        let first = format!("  {:widest$}  ", column.name);
        let text = hanging(column.meaning, &first, &" ".repeat(widest + 4), width);
        out.push_str(&text.dimmed().to_string());
    }
    if !dropped.is_empty() {
        let names: Vec<&str> = dropped.iter().map(|i| profile.columns[*i].name).collect();
        let text = format!("{COLUMNS_LEFT_OUT}: {}; use a wider one, or --json", names.join(", "));
        out.push_str(&hanging(&text, "  ", "  ", width));
    }
    out
}

/// A line of source in `room` columns. If it is too long, first the comment at its end is dropped,
/// then its indentation is halved, then its end is cut off.
pub(super) fn fitted(text: &str, room: usize) -> String {
    fitted_with(text, room, is_long(text, room))
}

/// The same, with half of the indentation if `halve` says so.
fn fitted_with(text: &str, room: usize, halve: bool) -> String {
    let text = sanitise(text).replace('\t', "    ");
    let (text, code) = (text.trim_end(), without_comment(&text));
    let indentation = columns(text) - columns(text.trim_start());
    let indented = " ".repeat(if halve { indentation / 2 } else { indentation });
    let whole = format!("{indented}{}", text.trim_start());
    if columns(&whole) <= room {
        return whole;
    }
    cut(&format!("{indented}{code}"), room)
}

/// Whether a line is too long even without the comment at its end.
fn is_long(text: &str, room: usize) -> bool {
    let text = sanitise(text).replace('\t', "    ");
    let text = text.trim_end();
    let indentation = columns(text) - columns(text.trim_start());
    columns(text) > room && indentation + columns(without_comment(text)) > room
}

/// The code of a line without its indentation and the comment behind it.
fn without_comment(text: &str) -> &str {
    let code = text.trim();
    let before = code.split_once("//").map_or("", |(before, _)| before.trim_end());
    if before.is_empty() { code } else { before }
}

/// The numbers of the lines to print: those with counts, and those close to them.
pub(super) fn lines_to_print(profile: &Profile, length: usize) -> Vec<u32> {
    /// Lines without counts that are printed before and after a line with counts.
    const CONTEXT_LINES: u32 = 2;
    let near = |number: &u32| {
        profile.lines.iter().any(|line| line.line.abs_diff(*number) <= CONTEXT_LINES)
            && profile.lines.first().is_some_and(|first| first.line <= *number)
            && profile.lines.last().is_some_and(|last| *number <= last.line)
    };
    (1..=u32::try_from(length).unwrap_or(u32::MAX)).filter(near).collect()
}

fn cell_width(profile: &Profile, column: usize) -> usize {
    let cells = profile.lines.iter().map(|line| &line.counts);
    let cells = cells.chain(profile.elsewhere.as_ref()).chain([&profile.total]);
    let widest =
        cells.filter_map(|counts| counts.cells.get(column)).map(|cell| columns(cell)).max();
    widest.unwrap_or(0).max(columns(profile.columns[column].name))
}

/// The indices of the columns that fit beside the source, and of those that do not.
fn fit(profile: &Profile, number: usize, width: usize) -> (Vec<usize>, Vec<usize>) {
    let mut shown: Vec<usize> = (0..profile.columns.len()).collect();
    let mut dropped = vec![];
    let room = width.saturating_sub(number + 6 + SOURCE_COLUMNS);
    while shown.iter().map(|i| cell_width(profile, *i) + 2).sum::<usize>() > room && shown.len() > 1
    {
        let expendable = |at: &usize| profile.columns[shown[*at]].expendable;
        let Some(worst) = (0..shown.len()).max_by_key(expendable) else { break };
        dropped.push(shown.remove(worst));
    }
    (shown, dropped)
}
