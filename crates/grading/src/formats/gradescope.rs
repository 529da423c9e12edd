//! Gradescope's `results.json`, for its autograders.
//!
//! Implements "Output format", "Controlling test case visibility", "Output string formatting" and
//! "Test case status" of <https://gradescope-autograders.readthedocs.io/en/latest/specs/>. A test
//! is an item, in the record's order. The top-level `score` overrides the sum of the tests, and is
//! that sum: what caps and late days take are tests of their own.
//!
//! Gradescope decides who sees a test, so this format does not depend on [`Options::audience`]:
//!
//! | item | `visibility` | text |
//! | --- | --- | --- |
//! | open, or its student may see all of it, or its date has come | `visible` | all |
//! | hidden, only the verdict is shown | `visible` | the verdict alone; the rest is in the graders' test |
//! | hidden, nothing is shown until a date up to the exercise's due date | `after_due_date` | all |
//! | hidden, nothing is shown until a later date | `after_published` | all |
//! | hidden, nothing is ever shown | `hidden` | all |
//!
//! The graders' test is `hidden`, has no points, and says what only graders should read. Extra
//! credit has a `max_score` of 0, so that the maxima add up to the record's. Gradescope has one
//! maximum for all students: for a student who is excused from an exercise it has to be changed
//! there. Where an item takes points, the items of its exercise have only a status, and one test
//! has the exercise's points.

use serde::Serialize;

use super::platform::{
    self, adjustment, adjustment_reason, item_text, missed_extra, name, reported, rest, rounded,
};
use super::{Audience, Error, Format, Options, Write};
use crate::record::{Exercise, Item, Outcome, Record, Show, Status};
use crate::text;

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "gradescope",
    file_name: "results.json",
    audience: Audience::Student,
    write: Write::Unredacted(write),
};

/// Why the items of an exercise have no points of their own.
const LOST: &str = "a case that the original file passes fails now, which takes points: so the exercise has one number";

#[derive(Serialize)]
struct Results {
    score: f64,
    output: String,
    output_format: &'static str,
    test_output_format: &'static str,
    test_name_format: &'static str,
    visibility: Visibility,
    stdout_visibility: Visibility,
    tests: Vec<Test>,
}

#[derive(Serialize)]
struct Test {
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<f64>,
    status: &'static str,
    name: String,
    number: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    output: String,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'static [&'static str],
    visibility: Visibility,
}

/// When students see a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Visibility {
    Visible,
    AfterDueDate,
    AfterPublished,
    Hidden,
}

/// One record as `results.json`.
///
/// # Errors
/// When it is not one record, or its grade is not complete: whatever is written here becomes the
/// grade.
fn write(record: &Record, options: &Options) -> Result<String, Error> {
    platform::check(&FORMAT, record)?;
    let shown = record.for_student(options.now);
    let mut tests = vec![];
    for (i, (exercise, shown)) in record.exercises.iter().zip(&shown.exercises).enumerate() {
        tests_of(i + 1, exercise, shown, options, &mut tests);
    }
    let mut last = record.exercises.len();
    let lost = adjustment(record);
    if lost != 0.0 {
        last += 1;
        tests.push(Test {
            score: Some(lost),
            max_score: Some(0.0),
            status: if lost < 0.0 { "failed" } else { "passed" },
            name: adjustment_reason(record),
            number: last.to_string(),
            output: String::new(),
            tags: &[],
            visibility: Visibility::Visible,
        });
    }
    let graders = for_graders(record, options);
    if !graders.is_empty() {
        tests.push(Test {
            score: Some(0.0),
            max_score: Some(0.0),
            status: "passed",
            name: "for graders".into(),
            number: (last + 1).to_string(),
            output: graders,
            tags: &["graders"],
            visibility: Visibility::Hidden,
        });
    }
    let results = Results {
        score: record.score.points,
        output: summary(record),
        output_format: "text",
        test_output_format: "text",
        test_name_format: "text",
        visibility: Visibility::Visible,
        stdout_visibility: Visibility::Hidden,
        tests,
    };
    super::json(&FORMAT, &results)
}

fn tests_of(
    number: usize,
    exercise: &Exercise,
    shown: &Exercise,
    options: &Options,
    tests: &mut Vec<Test>,
) {
    let tags =
        |extra: bool| -> &'static [&'static str] { if extra { &["extra credit"] } else { &[] } };
    let most = |possible: f64| if exercise.bonus { 0.0 } else { rounded(possible) };
    let title = |what: &str, extra: bool| {
        let extra = if extra { " (extra credit)" } else { "" };
        name(&format!("{}: {what}{extra}", exercise.id), "exercise")
    };
    if exercise.excused {
        tests.push(Test {
            score: Some(0.0),
            max_score: Some(0.0),
            status: "passed",
            name: title("excused", false),
            number: number.to_string(),
            output: String::new(),
            tags: &[],
            visibility: Visibility::Visible,
        });
        return;
    }
    // A case that fails now and did not at the start takes points, and Gradescope would show -1/0.
    let lost = exercise.items.iter().any(|item| item.points < 0.0);
    let about = reported(shown);
    let mut seen = shown.items.iter().enumerate();
    let mut part = 0;
    for item in &exercise.items {
        part += 1;
        let visibility = visibility(exercise, item, options);
        let (item, output) = if visibility == Visibility::Visible {
            let Some((i, seen)) = seen.next() else { break };
            let mut text = item_text(shown, seen);
            if let Some(report) = shown.report.as_ref().filter(|_| about == Some(i)) {
                text = format!("{text}\n\n{}", platform::report_text(report));
            }
            (seen, text)
        } else {
            (item, item_text(exercise, &Item { again: None, ..item.clone() }))
        };
        let extra = exercise.bonus || item.extra > 0.0;
        tests.push(Test {
            score: (!lost).then(|| rounded(item.points)),
            max_score: (!lost).then(|| most(item.possible)),
            status: status(item.outcome == Outcome::Held || missed_extra(item)),
            name: title(&item.name, extra),
            number: format!("{number}.{part}"),
            output,
            tags: tags(extra),
            visibility,
        });
    }
    let whole = || (rounded(exercise.points), rounded(exercise.possible));
    if let Some((score, possible)) = if lost { Some(whole()) } else { rest(exercise) } {
        let mut output = exercise_text(shown);
        if lost {
            output = format!("{output}\n\n{LOST}");
        }
        if let Some(report) = shown.report.as_ref().filter(|_| about.is_none()) {
            output = format!("{output}\n\n{}", platform::report_text(report));
        }
        tests.push(Test {
            score: Some(score),
            max_score: Some(most(possible)),
            status: status(exercise.status == Status::Passed),
            name: title(
                if exercise.items.is_empty() { &exercise.goal } else { "as a whole" },
                exercise.bonus,
            ),
            number: format!("{number}.{}", part + 1),
            output,
            tags: tags(exercise.bonus),
            visibility: Visibility::Visible,
        });
    }
}

const fn status(passed: bool) -> &'static str {
    if passed { "passed" } else { "failed" }
}

fn visibility(exercise: &Exercise, item: &Item, options: &Options) -> Visibility {
    match (item.hidden, item.show, item.reveal) {
        (false, ..) | (true, Show::Verdict | Show::Everything, _) => Visibility::Visible,
        (true, Show::Nothing, None) => Visibility::Hidden,
        (true, Show::Nothing, Some(reveal)) if reveal <= options.now => Visibility::Visible,
        (true, Show::Nothing, Some(reveal)) => match exercise.due {
            Some(due) if reveal <= due => Visibility::AfterDueDate,
            _ => Visibility::AfterPublished,
        },
    }
}

/// One line about an exercise as a whole.
fn exercise_text(exercise: &Exercise) -> String {
    match (exercise.status, &exercise.contained) {
        (Status::Missing, _) => "no file with that name was submitted".into(),
        (_, Some(why)) => format!("the code was stopped: {}", text::plain(why)),
        (status, None) => status.as_str().into(),
    }
}

/// The text above the tests.
fn summary(record: &Record) -> String {
    let mut lines = vec![format!(
        "{}: {} of {} points",
        text::line(&record.made.title),
        platform::points(record.score.points),
        platform::points(record.score.possible)
    )];
    if record.score.extra != 0.0 {
        lines.push(format!("{} of them extra credit", platform::points(record.score.extra)));
    }
    if record.score.penalty != 0.0 {
        let points = platform::points(record.score.penalty);
        lines.push(format!("{points} points taken: {}", adjustment_reason(record)));
    }
    for file in &record.submission.ignored {
        lines.push(format!("not graded: {}", text::line(file)));
    }
    lines.join("\n")
}

/// Text for graders only: stopped and refused files, and the messages of hidden items that show
/// students only a verdict.
fn for_graders(record: &Record, options: &Options) -> String {
    let mut lines = vec![];
    for flag in &record.flags {
        let exercise = flag.exercise.as_deref().map_or_else(String::new, |id| format!(" ({id})"));
        lines.push(format!(
            "{}{}: {}",
            text::line(&flag.what),
            text::line(&exercise),
            text::line(&flag.detail)
        ));
    }
    for exercise in &record.exercises {
        for item in exercise.items.iter().filter(|item| {
            let closed = item.reveal.is_none_or(|reveal| reveal > options.now);
            item.hidden && item.show == Show::Verdict && closed && item.outcome != Outcome::Held
        }) {
            let id = text::line(&exercise.id);
            let text = text::line(&item.message);
            lines.push(format!("{id}, {}: {text}", text::line(&item.name)));
        }
    }
    lines.join("\n")
}
