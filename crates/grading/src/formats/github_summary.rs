//! The summary of a GitHub Actions job: Markdown for the file that `GITHUB_STEP_SUMMARY` names.
//!
//! GitHub refuses the upload of more than 1 MiB for a step, so parts that do not fit are left out
//! and counted. Text that learners can shape stands in prose without markup, in code spans where
//! GitHub would link it, or in fenced blocks.

use crate::record::{Exercise, Record, Status};

use super::checks::{State, checks, display_name, number};
use super::escape::{markdown, markdown_block, markdown_cell};
use super::findings::{Finding, Severity, worst};
use super::{Audience, Error, Format, Options, Write};
use crate::text::{cut, line};

/// This format, for any number of students.
pub static FORMAT: Format = Format {
    name: "github-summary",
    file_name: "summary.md",
    audience: Audience::Student,
    write: Write::Class(write),
};

/// Most bytes, with room for the last sentence; the step that writes it may have said something
/// before.
const MAX_BYTES: usize = 1_000_000;
/// Most characters of what is wrong in a row of the table.
const MAX_CELL_CHARS: usize = 200;

/// Renders any number of students: a table for each, and for a single one the verdicts in full.
fn write(records: &[Record], _: &Options) -> Result<String, Error> {
    let single = records.len() == 1;
    let mut parts = Vec::with_capacity(records.len());
    for record in records {
        parts.push(table(record, single));
    }
    if let ([record], true) = (records, single) {
        parts.extend(
            worst(record).iter().filter(|finding| finding.check.report.is_some()).map(section),
        );
    }
    let mut out = String::new();
    let mut left_out = 0_usize;
    for part in parts {
        if out.len() + part.len() <= MAX_BYTES {
            out.push_str(&part);
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        out.push_str(&format!("\n{left_out} more parts do not fit into GitHub's summary.\n"));
    }
    Ok(out)
}

/// A student's score and exercises.
fn table(record: &Record, single: bool) -> String {
    let score = &record.score;
    let of = format!("{} of {} points", number(score.points), number(score.possible));
    let title = cut(&line(&record.made.title), MAX_CELL_CHARS);
    let title = if single {
        title
    } else {
        cut(&format!("{title}, {}", display_name(record)), MAX_CELL_CHARS)
    };
    let mut out = match title.as_str() {
        "" => format!("## {of}\n\n"),
        _ => format!("## {}: {of}\n\n", markdown(&title)),
    };
    let waits = |one: &&Exercise| one.status == Status::NotGraded && !one.excused;
    let waiting = record.exercises.iter().filter(waits).count();
    if waiting > 0 || !score.complete {
        out.push_str(&format!(
            "**Not complete:** the machine failed on {waiting} of {} exercises. They are to be graded again, and until \
             then this is no grade.\n\n",
            record.exercises.len()
        ));
    }
    if score.late_days > 0 || score.penalty > 0.0 {
        out.push_str(&format!(
            "Days late: {}. Points taken off for that: {}.\n\n",
            score.late_days,
            number(score.penalty)
        ));
    }
    if score.extra > 0.0 {
        out.push_str(&format!("Points of extra credit: {}.\n\n", number(score.extra)));
    }
    if record.exercises.is_empty() {
        return out + "The assignment has no exercise.\n\n";
    }
    out.push_str("| | exercise | checks | points | what to look at |\n|---|---|---|---|---|\n");
    for exercise in &record.exercises {
        out.push_str(&row(exercise));
    }
    out + "\n"
}

fn row(exercise: &Exercise) -> String {
    let checks = checks(exercise);
    let held = checks.iter().filter(|check| check.state == State::Held).count();
    let wrong = |state: State| checks.iter().find(|check| check.state == state);
    let said = (checks.iter().find(|check| check.report.is_some()))
        .or_else(|| wrong(State::Failed))
        .or_else(|| wrong(State::NotGraded));
    let name = format!("{}/{}", line(&exercise.chapter), line(&exercise.id));
    let mut points = format!("{} of {}", number(exercise.points), number(exercise.possible));
    if exercise.bonus {
        points.push_str(", extra");
    }
    if exercise.penalty > 0.0 {
        points.push_str(&format!(", {} off for being late", number(exercise.penalty)));
    }
    format!(
        "| {} | {} | {held} of {} | {points} | {} |\n",
        mark(exercise),
        markdown_cell(&cut(&name, MAX_CELL_CHARS)),
        checks.len(),
        said.map(|check| markdown_cell(&cut(&check.message, MAX_CELL_CHARS))).unwrap_or_default(),
    )
}

const fn mark(exercise: &Exercise) -> &'static str {
    match exercise.status {
        _ if exercise.excused => "➖ excused",
        Status::Passed => "✅ passed",
        Status::Partial => "🟡 partial",
        Status::Failed => "❌ failed",
        Status::Missing => "⬜ missing",
        Status::NotGraded => "⚠️ not graded",
    }
}

/// A verdict in full; empty for an exercise that was not started.
fn section(finding: &Finding<'_>) -> String {
    if finding.severity == Severity::NotStarted {
        return String::new();
    }
    let title = cut(&finding.title(), MAX_CELL_CHARS);
    format!("### {}\n\n{}\n", markdown(&title), markdown_block(&finding.check.text()))
}
