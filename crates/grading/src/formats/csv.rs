//! A CSV file for people and their scripts: a row for each student, a column for each exercise.
//!
//! | column | what |
//! | --- | --- |
//! | `student`, `name` | as the roster has them |
//! | an exercise's name | its points before any penalty; empty when the machine could not grade it, or the student need not do it |
//! | `total` | the sum that counts; empty when the grade is not complete |
//! | `possible`, `extra`, `penalty`, `late_days` | of the sum |
//! | `complete` | `yes`, or `no`: grade again |
//! | `submitted`, `attempt` | when and how often; empty and 0 without a submission |
//! | `flags` | names of the remarks for an instructor, without those of runs with secret inputs |
//!
//! Cells that a spreadsheet would run begin with `'`.

use super::platform::{is_complete, points};
use super::{Audience, Error, Format, Options, Write, sheet};
use crate::record::{Flag, Record, Status};

/// This format, for any number of students.
pub static FORMAT: Format = Format {
    name: "csv",
    file_name: "grades.csv",
    audience: Audience::Instructor,
    write: Write::Class(write),
};

const BEFORE: [&str; 2] = ["student", "name"];
const AFTER: [&str; 9] = [
    "total",
    "possible",
    "extra",
    "penalty",
    "late_days",
    "complete",
    "submitted",
    "attempt",
    "flags",
];

/// Records as a table, in their order; exercises in the order in which they first appear.
fn write(records: &[Record], _: &Options) -> Result<String, Error> {
    let exercises = super::platform::exercises(records);
    let header = BEFORE
        .into_iter()
        .map(str::to_owned)
        .chain(exercises.iter().map(|exercise| column(&exercise.id)))
        .chain(AFTER.into_iter().map(str::to_owned));
    let rows = records.iter().map(|record| {
        let ids = exercises.iter().map(|exercise| exercise.id.as_str());
        row(record, ids)
    });
    sheet::write([header.collect()].into_iter().chain(rows))
        .map_err(|reason| Error::Write { format: FORMAT.name, reason })
}

/// An exercise's column: its name, unless that is another column's.
fn column(id: &str) -> String {
    let name = sheet::text(id);
    let taken = BEFORE.iter().chain(&AFTER).any(|other| *other == name);
    if taken { format!("exercise {name}") } else { name }
}

/// Whether only runs with secret inputs have caused a remark. People show this table to students,
/// who would learn something about these inputs.
fn is_secret(record: &Record, flag: &Flag) -> bool {
    let about =
        record.exercises.iter().find(|exercise| Some(&exercise.id) == flag.exercise.as_ref());
    flag.what == "contained" && about.is_some_and(|exercise| exercise.contained_hidden)
}

fn row<'a>(record: &Record, exercises: impl Iterator<Item = &'a str>) -> Vec<String> {
    let student = &record.student;
    let mut row = vec![
        sheet::text(&student.id),
        student.name.as_deref().map(sheet::text).unwrap_or_default(),
    ];
    row.extend(exercises.map(|id| {
        let graded = record.exercises.iter().find(|exercise| exercise.id == id);
        let graded = graded.filter(|e| e.status != Status::NotGraded && !e.excused);
        graded.map(|exercise| points(exercise.points)).unwrap_or_default()
    }));
    let score = &record.score;
    let whole = is_complete(record);
    let flags = record.flags.iter().filter(|flag| !is_secret(record, flag));
    let flags: Vec<&str> = flags.map(|flag| flag.what.as_str()).collect();
    row.extend([
        if whole { points(score.points) } else { String::new() },
        points(score.possible),
        if whole { points(score.extra) } else { String::new() },
        if whole { points(score.penalty) } else { String::new() },
        score.late_days.to_string(),
        if whole { "yes" } else { "no" }.to_owned(),
        if record.submission.is_absent() {
            String::new()
        } else {
            record.submission.at.to_string()
        },
        record.submission.attempt.to_string(),
        sheet::text(&flags.join(" ")),
    ]);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::fixture;

    /// The table has the same text whatever the secret is, and a remark about a run with public
    /// inputs is in it.
    #[test]
    fn remarks_of_secret_runs_are_not_in_the_table() {
        for hidden in [false, true] {
            let mut records = fixture::class();
            let record = records.iter_mut().find(|record| !record.flags.is_empty()).expect("flags");
            let about = record.flags[0].exercise.clone();
            let mut exercises = record.exercises.iter_mut();
            let exercise = exercises.find(|e| Some(&e.id) == about.as_ref()).expect("the exercise");
            exercise.contained_hidden = hidden;
            record.flags.truncate(1);
            let record = record.clone();
            let options =
                Options { audience: Audience::Instructor, ..Options::new(fixture::now()) };
            let table = FORMAT.render(&[record], &options).expect("a table");
            assert_eq!(table.contains("contained"), !hidden, "{table}");
        }
    }
}
