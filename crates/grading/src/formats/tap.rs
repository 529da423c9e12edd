//! Test Anything Protocol, version 14 (testanything.org).
//!
//! One test point for each check, with the verdict in a YAML block behind those that fail. What was
//! not tried, and what is not shown yet, is `ok # SKIP`, as every reader of the protocol expects;
//! an exercise that is not passed always has a `not ok`. There is no word for what the machine
//! could not grade but `Bail out!`, which would end the whole report: it is `not ok` with the
//! severity `error`.
//!
//! Strings in the YAML blocks are in double quotes and on one line: some readers end a block at any
//! line of three points, others (TAP::Parser, as Perl has it) know no other form for text with
//! colons.

use crate::record::Record;

use super::checks::{Check, State, checks, class, number, path};
use super::escape::{quoted, tap_description};
use super::{Audience, Error, Format, Options, Write};
use crate::text::line;

/// This format, for any number of students.
pub static FORMAT: Format = Format {
    name: "tap",
    file_name: "report.tap",
    audience: Audience::Student,
    write: Write::Class(write),
};

/// Renders any number of students; where there are several, descriptions begin with the student's
/// id.
fn write(records: &[Record], _: &Options) -> Result<String, Error> {
    let mut points = String::new();
    let mut count = 0_usize;
    for record in records {
        let student = if records.len() > 1 {
            format!("{}: ", line(&record.student.id))
        } else {
            String::new()
        };
        for exercise in &record.exercises {
            for check in checks(exercise) {
                count += 1;
                let name = format!("{student}{}: {}", class(exercise), check.name);
                points.push_str(&point(count, &name, &check));
            }
        }
    }
    let nothing = if count == 0 { " # the assignment has no exercise" } else { "" };
    Ok(format!("TAP version 14\n1..{count}{nothing}\n{points}"))
}

fn point(count: usize, name: &str, check: &Check<'_>) -> String {
    let name = tap_description(name);
    let severity = match check.state {
        State::Held => return format!("ok {count} - {name}\n"),
        State::Skipped => {
            return format!("ok {count} - {name} # SKIP {}\n", tap_description(&check.message));
        }
        State::Failed => "fail",
        State::NotGraded => "error",
    };
    let mut out = format!("not ok {count} - {name}\n  ---\n");
    out.push_str(&format!("  message: {}\n  severity: {severity}\n", quoted(&check.message)));
    out.push_str(&format!("  diagnosis: {}\n", quoted(&check.slug)));
    if check.exercise.file.is_some() {
        out.push_str(&format!("  at:\n    file: {}\n", quoted(&path(check.exercise))));
        if let Some(line) = check.line() {
            out.push_str(&format!("    line: {line}\n"));
        }
    }
    if let Some(item) = check.item.filter(|_| check.state == State::Failed) {
        let (points, possible) = (number(item.points), number(item.possible));
        out.push_str(&format!("  points: {points}\n  possible: {possible}\n"));
    }
    if check.report.is_some() {
        out.push_str(&format!("  report: {}\n", quoted(&check.text())));
    }
    out.push_str("  ...\n");
    out
}
