//! Hidden items stay hidden in every format.

use proptest::prelude::*;

use super::options;
use crate::formats::fixture::{class, now};
use crate::formats::{ALL, Audience, Format, Options, gradescope, junit};
use crate::record::{Exercise, Flag, Item, Kind, Outcome, Record, Report, Show, Span, Status};

/// Stands wherever a student may not look. Letters and digits alone, so that no escaping can change
/// it.
const SECRET: &str = "Zq7secretZq7";
/// The same for numbers; as milliseconds it is also written 987654.321.
const SECRET_NUMBER: u32 = 987_654_321;

fn item() -> impl Strategy<Value = Item> {
    let kind = prop_oneof![Just(Kind::Case), Just(Kind::Gate)];
    let outcome = prop_oneof![Just(Outcome::Held), Just(Outcome::Failed), Just(Outcome::NotRun)];
    let show = prop_oneof![Just(Show::Nothing), Just(Show::Verdict), Just(Show::Everything)];
    (kind, outcome, show, any::<bool>(), proptest::option::of(any::<bool>())).prop_map(
        |(kind, outcome, show, hidden, later)| {
            let hours = |later| if later { 1 } else { -1 };
            let reveal = later.map(|later| now() + jiff::SignedDuration::from_hours(hours(later)));
            let closed = hidden && show != Show::Everything && later != Some(false);
            let named = |name: &str| {
                if closed && show == Show::Nothing { SECRET.into() } else { name.to_owned() }
            };
            let said = |text: &str| if closed { SECRET.into() } else { text.to_owned() };
            Item {
                name: named("five blocks"),
                kind,
                hidden,
                show,
                reveal,
                outcome,
                given: false,
                extra: 0.0,
                points: 1.0,
                possible: 2.0,
                slug: said("wrong-values"),
                // that of a gate that holds is a count with public inputs
                message: match (kind, outcome, show) {
                    (Kind::Gate, Outcome::Held, Show::Verdict) => "measured 3".to_owned(),
                    _ => said("out[3] is wrong"),
                },
                line: Some(if closed { SECRET_NUMBER } else { 3 }),
                again: Some(said("checker check")),
                millis: if closed { SECRET_NUMBER.into() } else { 3 },
                speed: None,
            }
        },
    )
}

/// Whether the item is one that its student does not see in full.
fn closed(item: &Item) -> bool {
    item.line == Some(SECRET_NUMBER)
}

fn report() -> Report {
    let secret = || Some(SECRET.to_owned());
    Report {
        slug: SECRET.into(),
        passed: false,
        title: SECRET.into(),
        case: secret(),
        spans: vec![Span {
            line: SECRET_NUMBER,
            column: SECRET_NUMBER,
            length: SECRET_NUMBER,
            label: SECRET.into(),
            primary: true,
        }],
        table: vec![vec![SECRET.into()]],
        notes: vec![SECRET.into()],
        think: secret(),
        learn: secret(),
        again: secret(),
        printed: secret(),
        device: SECRET.into(),
        ..Report::default()
    }
}

/// A record that holds the secret in everything that [`Record::for_student`] promises to keep back.
fn record() -> impl Strategy<Value = Record> {
    let status = proptest::sample::select(vec![
        Status::Passed,
        Status::Partial,
        Status::Failed,
        Status::Missing,
        Status::NotGraded,
    ]);
    let exercise = (status, proptest::collection::vec(item(), 0..5), any::<bool>()).prop_map(
        |(status, items, reported)| {
            let mut exercise = class().swap_remove(0).exercises.swap_remove(0);
            exercise.report_hidden = items.iter().any(closed);
            exercise.report = (reported && exercise.report_hidden).then(report);
            exercise.contained_hidden = exercise.report_hidden;
            exercise.contained = exercise.contained_hidden.then(|| SECRET.to_owned());
            let millis = if exercise.report_hidden { SECRET_NUMBER.into() } else { 3 };
            Exercise { status, items, millis, ..exercise }
        },
    );
    proptest::collection::vec(exercise, 1..4).prop_map(|exercises| {
        let mut record = class().swap_remove(0);
        record.exercises = exercises;
        record.score.complete = true;
        record.made.seed = SECRET.into();
        record.made.seconds = f64::from(SECRET_NUMBER);
        record.flags = vec![Flag { what: SECRET.into(), exercise: None, detail: SECRET.into() }];
        record
    })
}

/// Gradescope itself keeps a test back whose visibility says so: it is in the file, as graders see
/// it there.
fn shown_by_gradescope(text: &str) -> String {
    let mut results: serde_json::Value = serde_json::from_str(text).unwrap();
    let tests = results["tests"].as_array_mut().unwrap();
    tests.retain(|test| test["visibility"] == "visible");
    results.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// No format for students holds what a policy hides: names and verdicts only as far as [`Show`]
    /// goes, no values, lines, times, commands or seeds. Not in an error either.
    #[test]
    fn hidden_items_reach_no_student(record in record()) {
        for format in ALL {
            let text = seen(format, &record);
            prop_assert!(!text.contains(SECRET), "{}: {}", format, text);
            for number in ["987654321", "987654.321"] {
                prop_assert!(!text.contains(number), "{}: {}", format, text);
            }
        }
    }
}

/// What students see of a record in a format.
fn seen(format: &Format, record: &Record) -> String {
    match format.render(std::slice::from_ref(record), &options()) {
        Ok(text) if format.name == gradescope::FORMAT.name => shown_by_gradescope(&text),
        Ok(text) => text,
        Err(error) => error.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A program can take longer for some secret inputs than for others. No time in any format
    /// shows it: neither that of a test nor that of a suite nor that of the whole, nor the time at
    /// which it ended.
    #[test]
    fn no_time_of_secret_runs_reaches_a_student(record in record(), more in 1_u32..1_000_000) {
        let mut slower = record.clone();
        slower.made.seconds += f64::from(more);
        // of the same day
        slower.made.at = record.made.start_of_day() + jiff::SignedDuration::from_millis(more.into());
        for exercise in slower.exercises.iter_mut().filter(|e| e.items.iter().any(closed)) {
            exercise.millis += u64::from(more);
            for item in exercise.items.iter_mut().filter(|item| closed(item)) {
                item.millis += u64::from(more);
            }
        }
        for format in ALL {
            prop_assert_eq!(seen(format, &record), seen(format, &slower), "{}", format);
        }
    }
}

/// The test above can fail: reports for graders do contain what is hidden.
#[test]
fn graders_see_everything() {
    let options = Options { audience: Audience::Instructor, ..options() };
    let text = junit::GITLAB.render(&class()[..1], &options).unwrap();
    assert!(text.contains("16045690984503098046") && text.contains("n = 98765"), "{text}");
}
