//! Exercism's `results.json`, version 3, as its test runners write it.
//!
//! Implements `building/tooling/test-runners/interface.md` of <https://github.com/exercism/docs>.
//! Exercism knows no points. A test is an item that its learner may see; where the record has
//! several exercises, `task_id` counts them.

use serde::Serialize;

use super::platform::{self, item_text, missed_extra, name, report_text, reported};
use super::{Audience, Error, Format, Options, Write};
use crate::record::{Exercise, Item, Outcome, Record, Report, Status};
use crate::text;

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "exercism",
    file_name: "results.json",
    audience: Audience::Student,
    write: Write::Student(write),
};

/// The most characters of a test's `output`.
const MAX_OUTPUT_CHARS: usize = 500;

/// The notice that the interface requires after truncated output.
const TRUNCATION_NOTE: &str = "\nOutput was truncated. Please limit to 500 chars";

#[derive(Serialize)]
struct Results {
    version: u32,
    status: Word,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    tests: Vec<Test>,
}

#[derive(Serialize)]
struct Test {
    name: String,
    status: Word,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    test_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Pass,
    Fail,
    Error,
}

/// One record as Exercism's results.
///
/// # Errors
/// When it is not one record, or the machine could not grade it: the test runner has then not "run
/// successfully" and must not exit with 0.
fn write(record: &Record, _: &Options) -> Result<String, Error> {
    platform::check(&FORMAT, record)?;
    if record.exercises.iter().all(|exercise| exercise.excused) {
        return Err(Error::Missing {
            format: FORMAT.name,
            what: "an exercise that the student is not excused from".into(),
            way_out: "there is nothing to report".into(),
        });
    }
    let results = match record.exercises.as_slice() {
        [exercise] => match could_not_run(exercise) {
            Some(message) => {
                Results { version: 3, status: Word::Error, message: Some(message), tests: vec![] }
            }
            None => all(record),
        },
        _ => all(record),
    };
    super::json(&FORMAT, &results)
}

/// Why no test of an exercise ran at all.
fn could_not_run(exercise: &Exercise) -> Option<String> {
    let compiles = |report: &&Report| report.slug == "compile-error";
    match exercise.status {
        Status::Missing => Some(missing(exercise)),
        _ => exercise.report.as_ref().filter(compiles).map(report_text),
    }
}

fn missing(exercise: &Exercise) -> String {
    format!("there is no {}.cu among the submitted files", text::line(&exercise.id))
}

fn all(record: &Record) -> Results {
    let several = record.exercises.len() > 1;
    let asked = || record.exercises.iter().filter(|exercise| !exercise.excused);
    let tests =
        asked().enumerate().flat_map(|(i, exercise)| tests_of(exercise, several.then_some(i + 1)));
    let passed = asked().all(|exercise| exercise.status == Status::Passed);
    Results {
        version: 3,
        status: if passed { Word::Pass } else { Word::Fail },
        message: None,
        tests: tests.collect(),
    }
}

fn tests_of(exercise: &Exercise, task_id: Option<usize>) -> Vec<Test> {
    let about = reported(exercise);
    let title = |what: &str| match task_id {
        Some(_) => name(&format!("{}: {what}", exercise.id), "exercise"),
        None => name(what, "test"),
    };
    let report = |i| exercise.report.as_ref().filter(|_| about == Some(i));
    // The item that replaces hidden items has no outcome to list, and missed extra credit is not an
    // error.
    let listed = |item: &&Item| !item.is_withheld() && !missed_extra(item);
    let mut tests: Vec<Test> = exercise
        .items
        .iter()
        .enumerate()
        .filter(|(_, item)| listed(item))
        .map(|(i, item)| Test {
            name: title(&item.name),
            status: match item.outcome {
                Outcome::Held => Word::Pass,
                Outcome::Failed => Word::Fail,
                Outcome::NotRun => Word::Error,
            },
            message: (item.outcome != Outcome::Held).then(|| match report(i) {
                Some(report) => report_text(&Report { printed: None, ..report.clone() }),
                None => item_text(exercise, item),
            }),
            output: report(i).and_then(|report| report.printed.as_deref()).map(output),
            test_code: item.again.as_deref().map(text::line),
            task_id,
        })
        .collect();
    if tests.is_empty() {
        let passed = exercise.status == Status::Passed;
        tests.push(Test {
            name: title(&exercise.goal),
            status: if passed { Word::Pass } else { Word::Error },
            message: could_not_run(exercise).or_else(|| {
                let report = exercise.report.as_ref().filter(|_| !passed);
                report.map(report_text)
            }),
            output: None,
            test_code: None,
            task_id,
        });
    }
    tests
}

/// The output of the code, truncated to the length that the interface allows.
fn output(printed: &str) -> String {
    let printed = text::plain(printed);
    if printed.chars().count() <= MAX_OUTPUT_CHARS {
        return printed;
    }
    let rest: String =
        printed.chars().take(MAX_OUTPUT_CHARS - TRUNCATION_NOTE.chars().count()).collect();
    rest + TRUNCATION_NOTE
}
