//! The items of a record in the form that test reports share: a list of checks, each with a unique
//! name and one line. The most important check also carries the whole verdict.

use crate::record::{Exercise, Item, Kind, Outcome, Record, Report, Status};

use super::findings::words;
use crate::text::{cut, line, plain};

/// Most characters of a text about one check.
const MAX_TEXT_CHARS: usize = 20_000;
/// Most characters of its one line.
const MAX_LINE_CHARS: usize = 500;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It passed.
    Held,
    /// It failed.
    Failed,
    /// It has no result: it was not run, or is not shown yet.
    Skipped,
    /// The machine failed. This is neither a pass nor the learner's mistake.
    NotGraded,
}

impl State {
    /// The slug of an item whose record has none.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "passed",
            Self::Failed => "failed",
            Self::Skipped => "not-run",
            Self::NotGraded => "not-graded",
        }
    }
}

/// One line of a report of tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Check<'a> {
    /// The exercise that it belongs to.
    pub exercise: &'a Exercise,
    /// The item; `None` for an exercise without any.
    pub item: Option<&'a Item>,
    /// One line, in its exercise no other check's: "five blocks", "five blocks, secret inputs".
    pub name: String,
    /// Its result.
    pub state: State,
    /// The stable name of what is wrong: "shared-race", "missing", "not-graded"; "passed" when it
    /// holds.
    pub slug: String,
    /// One line.
    pub message: String,
    /// The exercise's verdict in full, at the one check that it is about.
    pub report: Option<&'a Report>,
}

/// The checks of an exercise, at least one. An exercise that is neither passed nor excused has at
/// least one that is not [`State::Held`] and not [`State::Skipped`], so that no reader takes it for
/// passed. Missed extra credit is not a failure.
pub fn checks(exercise: &Exercise) -> Vec<Check<'_>> {
    let mut checks: Vec<Check<'_>> = vec![];
    if exercise.items.is_empty() {
        let state = if exercise.status == Status::Passed { State::Held } else { State::Skipped };
        checks.push(whole_exercise(exercise, state, exercise.status.as_str()));
    }
    for item in &exercise.items {
        let state = match item.outcome {
            Outcome::Held => State::Held,
            Outcome::Failed if item.extra > 0.0 => State::Skipped,
            Outcome::Failed => State::Failed,
            Outcome::NotRun => State::Skipped,
        };
        let slug = match item.slug.trim() {
            "" => state.as_str().to_owned(),
            slug => line(slug),
        };
        let message = match item.message.trim() {
            "" => words(&slug),
            message if item.extra > 0.0 && item.outcome == Outcome::Failed => {
                format!("no extra credit: {}", line(message))
            }
            message => line(message),
        };
        checks.push(Check {
            exercise,
            item: Some(item),
            name: unique_name(&name(item), &checks),
            state,
            slug,
            message,
            report: None,
        });
    }
    match exercise.status {
        _ if exercise.excused => {
            checks.retain(|check| check.state == State::Held);
            if checks.is_empty() {
                checks.push(whole_exercise(exercise, State::Skipped, "excused"));
            }
        }
        Status::NotGraded => set_all(&mut checks, State::NotGraded, "not-graded", NOT_GRADED),
        Status::Missing => {
            let message = format!("missing: there is no {} in the submission", path(exercise));
            set_all(&mut checks, State::Failed, "missing", &message);
        }
        Status::Passed => {}
        Status::Partial | Status::Failed => attach_report(&mut checks, exercise),
    }
    for check in &mut checks {
        check.message = cut(&check.message, MAX_LINE_CHARS);
    }
    checks
}

/// One check that stands for the exercise.
fn whole_exercise<'a>(exercise: &'a Exercise, state: State, slug: &str) -> Check<'a> {
    Check {
        exercise,
        item: None,
        name: "the exercise".into(),
        state,
        slug: slug.into(),
        message: words(slug),
        report: None,
    }
}

const NOT_GRADED: &str =
    "not graded: the machine failed, and no points are given or taken; grade it again";

fn set_all(checks: &mut [Check<'_>], state: State, slug: &str, message: &str) {
    for check in checks {
        check.state = state;
        check.slug = slug.into();
        check.message = message.into();
    }
}

/// Attaches the verdict to the check that it is about, which then counts as failed.
fn attach_report<'a>(checks: &mut [Check<'a>], exercise: &'a Exercise) {
    let report = exercise.report.as_ref().filter(|report| !report.passed);
    let about = |check: &Check<'a>| {
        check.state == State::Failed
            && check.item.is_some_and(|item| {
                item.hidden == exercise.report_hidden
                    && report.is_some_and(|report| report.slug == item.slug)
            })
    };
    let at = (checks.iter().position(about))
        .or_else(|| checks.iter().position(|check| check.state == State::Failed))
        .or_else(|| checks.iter().position(|check| check.state == State::Skipped))
        .unwrap_or(0);
    let Some(check) = checks.get_mut(at) else { return };
    check.report = report;
    if check.state != State::Failed {
        check.state = State::Failed;
        if let Some(report) = report {
            for (to, from) in [(&mut check.slug, &report.slug), (&mut check.message, &report.title)]
            {
                if !from.trim().is_empty() {
                    *to = line(from);
                }
            }
        }
    }
    if let Some(reason) = &exercise.contained {
        check.slug = "contained".into();
        check.message = line(&format!("contained: {reason}"));
    }
}

/// An item's name, with a suffix that separates secret runs from public ones.
fn name(item: &Item) -> String {
    let name = line(&item.name);
    let secret = item.hidden && item.kind == Kind::Case && !item.is_withheld();
    if secret { format!("{name}, secret inputs") } else { name }
}

/// The name, or the name with the first number from 2 that no check has yet: readers drop what has
/// the same name.
fn unique_name(name: &str, checks: &[Check<'_>]) -> String {
    let taken = |name: &str| checks.iter().any(|check| check.name == name);
    let mut unused = name.to_owned();
    let mut number = 2;
    while taken(&unused) {
        unused = format!("{name} ({number})");
        number += 1;
    }
    unused
}

/// The exercise's file in the submission, or where it would be.
pub fn path(exercise: &Exercise) -> String {
    match &exercise.file {
        Some(path) => line(path),
        None => format!("exercises/{}/{}.cu", line(&exercise.chapter), line(&exercise.id)),
    }
}

/// `ch01_threads.blocks`: the exercise in a tree of packages and classes.
pub fn class(exercise: &Exercise) -> String {
    format!("{}.{}", line(&exercise.chapter), line(&exercise.id))
}

/// The student's name, or else the id.
pub fn display_name(record: &Record) -> String {
    match &record.student.name {
        Some(name) if !name.trim().is_empty() => line(name),
        _ => line(&record.student.id),
    }
}

impl Check<'_> {
    /// One-based line in the learner's file: the verdict's place that matters most, or the item's.
    pub fn line(&self) -> Option<u32> {
        let spans = self.report.map(|report| &report.spans);
        let span = spans.and_then(|spans| spans.iter().find(|span| span.primary).or(spans.first()));
        span.map(|span| span.line).or(self.item?.line).filter(|line| *line > 0)
    }

    /// "points: 0 of 2", where there are any, and where they are decided.
    fn points(&self) -> Option<String> {
        let item = self.item.filter(|_| self.state != State::NotGraded)?;
        let [points, possible, extra] = [item.points, item.possible, item.extra].map(number);
        match (possible.as_str(), extra.as_str()) {
            ("0", "0") if points == "0" => None,
            ("0", "0") => Some(format!("points: {points}, for what was there before")),
            ("0", _) => Some(format!("extra points: {points} of {extra}")),
            _ => Some(format!("points: {points} of {possible}")),
        }
    }

    /// The whole check as plain text of several lines. The first line says what is wrong, because
    /// some readers show nothing else.
    pub fn text(&self) -> String {
        let mut out = match self.message.strip_prefix(&words(&self.slug)) {
            Some(_) => format!("{}\n", self.message),
            None => format!("{}: {}\n", self.slug, self.message),
        };
        match self.line() {
            Some(number) => out.push_str(&format!("{}:{number}\n", path(self.exercise))),
            None if self.exercise.file.is_some() => {
                out.push_str(&format!("{}\n", path(self.exercise)))
            }
            None => {}
        }
        match self.report {
            Some(report) => out.push_str(&verdict(report, &self.message)),
            None => {
                if let Some(again) = self.item.and_then(|item| item.again.as_ref()) {
                    out.push_str(&format!("again: {}\n", line(again)));
                }
            }
        }
        if let Some(points) = self.points() {
            out.push_str(&format!("{points}\n"));
        }
        cut(plain(&out).trim_end(), MAX_TEXT_CHARS)
    }
}

/// A verdict as text; `said` is the line above it, which is not repeated.
pub(super) fn verdict(report: &Report, said: &str) -> String {
    let mut out = String::new();
    if cut(&line(&report.title), MAX_LINE_CHARS) != said {
        out.push_str(&format!("  {}\n", line(&report.title)));
    }
    if let Some(case) = &report.case {
        out.push_str(&format!("  {}\n", line(case)));
    }
    for span in report.spans.iter().filter(|span| !span.label.trim().is_empty()) {
        out.push_str(&format!("  line {}: {}\n", span.line, line(&span.label)));
    }
    out.push_str(&table(&report.table));
    for note in &report.notes {
        out.push_str(&format!("  {}\n", line(note)));
    }
    for (label, text) in
        [("think", &report.think), ("learn", &report.learn), ("again", &report.again)]
    {
        if let Some(text) = text {
            out.push_str(&format!("{label}: {}\n", line(text)));
        }
    }
    if let Some(printed) = report.printed.as_ref().filter(|printed| !printed.trim().is_empty()) {
        out.push_str("printed:\n");
        for line in plain(printed).lines() {
            out.push_str(&format!("  | {line}\n"));
        }
    }
    out
}

/// A table's cells, right-aligned as numbers are, two spaces apart.
fn table(rows: &[Vec<String>]) -> String {
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| line(cell)).collect()).collect();
    let width = |column: usize| {
        cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let mut out = String::new();
    for row in &cells {
        out.push(' ');
        for (column, cell) in row.iter().enumerate() {
            let width = width(column).unwrap_or(0);
            out.push_str(&format!(" {cell:>width$} "));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

/// A number of points, with at most two decimals and no trailing zeros.
pub fn number(points: f64) -> String {
    let text = format!("{points:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.into() }
}
