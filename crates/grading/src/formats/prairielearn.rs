//! PrairieLearn's `results.json` of an external grader.
//!
//! Implements "Grading results" of PrairieLearn's `docs/externalGrading.md` and what its consumers
//! do with it: `makeGradingResult` of `apps/prairielearn/src/lib/externalGraderCommon.ts` and the
//! element `pl-external-grader-results`. Points stand on every test, because the element hides them
//! all when one test lacks them. A test of at most 0 points is grey there: extra credit, and what
//! being late took.

use serde::Serialize;

use super::platform::{
    self, adjustment, adjustment_reason, item_text, name, report_text, reported, rest, rounded,
};
use super::{Audience, Error, Format, Options, Write};
use crate::record::{Exercise, Item, Record, Report, Status};
use crate::text;

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "prairielearn",
    file_name: "results.json",
    audience: Audience::Student,
    write: Write::Student(write),
};

/// The most bytes that PrairieLearn takes ("this file should be limited to 1 MB").
const MAX_BYTES: usize = 1_000_000;

#[derive(Serialize)]
#[serde(untagged)]
enum Results {
    Graded { gradable: bool, score: f64, message: String, tests: Vec<Test> },
    Invalid { gradable: bool, format_errors: Vec<String> },
}

#[derive(Serialize)]
struct Test {
    name: String,
    points: f64,
    max_points: f64,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    output: String,
}

/// One record as PrairieLearn's results.
///
/// A record of one exercise whose file does not compile is not gradable: PrairieLearn then takes no
/// attempt for it.
///
/// # Errors
/// When it is not one record, its grade is not complete, there are no points to be had (the score
/// is a part of them), or it does not fit into 1 MB.
fn write(record: &Record, _: &Options) -> Result<String, Error> {
    platform::check(&FORMAT, record)?;
    if let Some(report) = does_not_compile(record) {
        let format_errors = vec![report_text(report)];
        return super::json(&FORMAT, &Results::Invalid { gradable: false, format_errors });
    }
    if record.score.possible <= 0.0 {
        return Err(Error::Missing {
            format: FORMAT.name,
            what: "an exercise with points".into(),
            way_out: "the score there is a part of what is possible; change the policy".into(),
        });
    }
    for most in [16_384, 2_048, 256, 32] {
        let text = super::json(&FORMAT, &graded(record, most))?;
        if text.len() <= MAX_BYTES {
            return Ok(text);
        }
    }
    let reason = format!("it has more than {MAX_BYTES} bytes, however short its messages are");
    Err(Error::Write { format: FORMAT.name, reason })
}

/// The report of the only exercise, if it says that the file does not compile.
fn does_not_compile(record: &Record) -> Option<&Report> {
    match record.exercises.as_slice() {
        [exercise] => exercise.report.as_ref().filter(|report| report.slug == "compile-error"),
        _ => None,
    }
}

fn graded(record: &Record, most: usize) -> Results {
    let mut tests: Vec<Test> =
        record.exercises.iter().flat_map(|exercise| tests_of(exercise, most)).collect();
    let lost = adjustment(record);
    if lost != 0.0 {
        tests.push(Test {
            name: adjustment_reason(record),
            points: lost,
            max_points: 0.0,
            message: String::new(),
            output: String::new(),
        });
    }
    Results::Graded {
        gradable: true,
        score: (record.score.points / record.score.possible).clamp(0.0, 1.0),
        message: format!(
            "{}: {} of {} points",
            name(&record.made.title, "grade"),
            platform::points(record.score.points),
            platform::points(record.score.possible)
        ),
        tests,
    }
}

fn tests_of(exercise: &Exercise, most: usize) -> Vec<Test> {
    if exercise.excused {
        return vec![Test {
            name: name(&format!("{}: excused", exercise.id), "exercise"),
            points: 0.0,
            max_points: 0.0,
            message: String::new(),
            output: String::new(),
        }];
    }
    let about = reported(exercise);
    let possible = |points: f64| if exercise.bonus { 0.0 } else { rounded(points) };
    let report = || exercise.report.as_ref().map(|r| text::cut(&report_text(r), most));
    let mut tests: Vec<Test> = vec![];
    for (i, item) in exercise.items.iter().enumerate() {
        tests.push(Test {
            name: name(&format!("{}: {}{}", exercise.id, item.name, extra(exercise, item)), "item"),
            points: rounded(item.points),
            max_points: possible(item.possible),
            message: text::cut(&item_text(exercise, item), most),
            output: report().filter(|_| about == Some(i)).unwrap_or_default(),
        });
    }
    if let Some((points, most_points)) = rest(exercise) {
        let message = match (exercise.status, &exercise.contained) {
            (Status::Missing, _) => "no file with that name was submitted".to_owned(),
            (_, Some(why)) => format!("the code was stopped: {}", text::plain(why)),
            (status, None) => status.as_str().to_owned(),
        };
        let what = if exercise.items.is_empty() { &exercise.goal } else { "as a whole" };
        tests.push(Test {
            name: name(&format!("{}: {what}", exercise.id), "exercise"),
            points,
            max_points: possible(most_points),
            message: text::cut(&message, most),
            output: report().filter(|_| about.is_none()).unwrap_or_default(),
        });
    }
    tests
}

fn extra(exercise: &Exercise, item: &Item) -> &'static str {
    if exercise.bonus || item.extra > 0.0 { " (extra credit)" } else { "" }
}
