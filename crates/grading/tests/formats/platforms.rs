//! The reports for Gradescope, Classroom 50, PrairieLearn and Exercism: the rules of their
//! documentation and of the programs that read it, hidden items, grades that are not complete, and
//! hostile text.

use crate::common;
use grading::formats::{
    Audience, Error, Format, Options, classroom50, exercism, gradescope, prairielearn,
};
use grading::record::{Kind, Outcome, Record, Show, Status};
use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::Value;

static PLATFORMS: [&Format; 4] =
    [&gradescope::FORMAT, &classroom50::FORMAT, &prairielearn::FORMAT, &exercism::FORMAT];

fn json(format: &Format, record: &Record) -> Value {
    let text = format.render(std::slice::from_ref(record), &common::platform_options()).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

fn sum(value: &Value, list_key: &str, key: &str) -> f64 {
    list(value, list_key).iter().filter_map(|test| test[key].as_f64()).sum()
}

/// Each format of a small record, read by eye: a change here is a change of what platforms get.
#[test]
fn a_small_record_in_every_format() {
    for format in PLATFORMS {
        let text = format.render(&[common::small()], &common::platform_options()).unwrap();
        insta::assert_snapshot!(format.name, text);
    }
}

/// An item that takes points would be shown as -1/0 on Gradescope. The items of its exercise have a
/// status alone there, and the exercise has its points in one test, so that the sum stays.
#[test]
fn gradescope_shows_no_negative_item() {
    let mut record = common::small();
    let exercise = record.exercises.iter_mut().find(|e| e.items.len() > 1).unwrap();
    let cost = 0.71;
    let item = exercise.items.first_mut().unwrap();
    exercise.points -= item.points + cost;
    (item.points, item.possible) = (-cost, 0.0);
    let possible = exercise.items.iter().map(|item| item.possible).sum();
    exercise.possible = possible;
    let (id, points) = (format!("{}: ", exercise.id), exercise.points);
    common::add_up(&mut record);
    let results = json(&gradescope::FORMAT, &record);
    let tests: Vec<&Value> = list(&results, "tests")
        .iter()
        .filter(|test| test["name"].as_str().unwrap().starts_with(&id))
        .collect();
    let (whole, items) = tests.split_last().unwrap();
    assert!(items.iter().all(|item| item.get("score").is_none() && item["status"].is_string()));
    let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
    assert!(close(whole["score"].as_f64().unwrap(), points), "{whole}");
    assert!(close(whole["max_score"].as_f64().unwrap(), possible), "{whole}");
    assert!(whole["output"].as_str().unwrap().contains("takes points"), "{whole}");
    assert!(close(sum(&results, "tests", "score"), record.score.points), "{results}");
}

/// A file that does not compile, alone: PrairieLearn must not count the attempt, Exercism must show
/// the compiler's words.
#[test]
fn a_file_that_does_not_compile() {
    let record = common::does_not_compile();
    let prairielearn = json(&prairielearn::FORMAT, &record);
    assert_eq!(prairielearn["gradable"], false);
    assert!(list(&prairielearn, "format_errors")[0].as_str().unwrap().contains("expected a `;`"));
    assert!(prairielearn.get("score").is_none());
    let exercism = json(&exercism::FORMAT, &record);
    assert_eq!(exercism["status"], "error");
    assert!(exercism["message"].as_str().unwrap().contains("expected a `;`"));
}

/// A number that a platform could take for a final grade is never made from a grade that is not
/// complete, nor from several records, nor from an empty one (Classroom 50 reads a result without
/// tests as a pass).
#[test]
fn an_incomplete_grade_is_an_error() {
    let mut incomplete = common::small();
    incomplete.exercises[0].status = Status::NotGraded;
    let mut says_complete = incomplete.clone();
    common::add_up(&mut incomplete);
    says_complete.score.complete = true;
    let mut empty = common::small();
    empty.exercises.clear();
    for format in PLATFORMS {
        for record in [&incomplete, &says_complete] {
            let error = format
                .render(std::slice::from_ref(record), &common::platform_options())
                .unwrap_err();
            assert!(matches!(error, Error::Incomplete { .. }), "{format}: {error}");
        }
        assert!(
            matches!(format.render(&[], &common::platform_options()), Err(Error::NoRecords { .. })),
            "{format}"
        );
        assert!(
            matches!(
                format.render(&[empty.clone()], &common::platform_options()),
                Err(Error::Missing { .. })
            ),
            "{format}"
        );
        let two = [common::small(), common::small()];
        assert!(
            matches!(
                format.render(&two, &common::platform_options()),
                Err(Error::OneRecord { records: 2, .. })
            ),
            "{format}"
        );
    }
}

/// Gradescope, "Output format": `score` overrides the sum of the tests. Here it is that sum, so
/// that a student can add up; and the maxima are what is possible without extra credit.
#[test]
fn gradescope_adds_up() {
    for record in common::class(40, 5).iter().filter(|record| record.score.complete) {
        let results = json(&gradescope::FORMAT, record);
        assert!((sum(&results, "tests", "score") - record.score.points).abs() < 1e-6);
        assert_eq!(results["score"].as_f64().unwrap(), record.score.points);
        assert!((sum(&results, "tests", "max_score") - record.score.possible).abs() < 1e-6);
        assert_eq!(results["stdout_visibility"], "hidden");
    }
}

/// Gradescope, "Controlling test case visibility": the visibility depends on the item's show, its
/// date and the exercise's due date; what students see before the date says nothing of what is
/// hidden.
#[test]
fn gradescope_hides_what_is_hidden() {
    let now = common::now();
    let hour = SignedDuration::from_hours(1);
    let later = now + hour;
    for (show, reveal, due, visibility, everything_shown) in [
        (Show::Nothing, None, None, "hidden", true),
        (Show::Nothing, Some(later), Some(later), "after_due_date", true),
        (Show::Nothing, Some(later), Some(later + hour), "after_due_date", true),
        (Show::Nothing, Some(later), Some(now), "after_published", true),
        (Show::Nothing, Some(later), None, "after_published", true),
        (Show::Nothing, Some(now), None, "visible", true),
        (Show::Verdict, None, None, "visible", false),
        (Show::Verdict, Some(later), Some(later), "visible", false),
        (Show::Verdict, Some(now), None, "visible", true),
        (Show::Everything, None, None, "visible", true),
    ] {
        let mut record = common::small();
        let exercise = &mut record.exercises[2];
        exercise.due = due;
        let item = &mut exercise.items[2];
        (item.show, item.reveal) = (show, reveal);
        item.message = "VALUE 513".into();
        item.again = Some("checker run guard --seed SECRET".into());
        let results = json(&gradescope::FORMAT, &record);
        let test = list(&results, "tests")
            .iter()
            .find(|test| test["name"] == "guard: secret size")
            .unwrap();
        assert_eq!(test["visibility"], visibility, "{show:?} {reveal:?} {due:?}");
        assert_eq!(test["max_score"], 4.0);
        assert_eq!(
            test["output"].as_str().unwrap().contains("VALUE 513"),
            everything_shown,
            "{show:?} {reveal:?}"
        );
        let open = visibility == "visible" && everything_shown;
        for test in list(&results, "tests") {
            if test["visibility"] == "visible" && !open {
                assert!(!test.to_string().contains("VALUE"), "{test}");
            }
            if !open {
                assert!(!test.to_string().contains("SECRET"), "{test}");
            }
        }
        assert!(!results["output"].to_string().contains("VALUE"));
    }
}

/// Only graders read flags, and the test for graders has no points.
#[test]
fn gradescope_separates_what_only_graders_see() {
    let mut record = common::small();
    record.flags.push(grading::record::Flag {
        what: "contained".into(),
        exercise: Some("guard".into()),
        detail: "it tried to open the socket".into(),
    });
    let results = json(&gradescope::FORMAT, &record);
    let with: Vec<&Value> =
        list(&results, "tests").iter().filter(|t| t.to_string().contains("the socket")).collect();
    assert_eq!(with.len(), 1);
    assert_eq!((&with[0]["visibility"], &with[0]["max_score"]), (&"hidden".into(), &0.0.into()));
    assert!(!results["output"].to_string().contains("the socket"));
}

/// `validate_result` of Classroom 50's `runner.py`, rule by rule, and that the tests add up to the
/// score where nothing is extra credit.
#[test]
fn classroom50_accepts_it() {
    for record in common::class(40, 6).iter().filter(|record| record.score.complete) {
        let result = json(&classroom50::FORMAT, record);
        assert_eq!(result["schema"], "classroom50/result/v1");
        assert_eq!(
            (&result["owner"], &result["assignment_type"]),
            (&"ada".into(), &"individual".into())
        );
        assert_eq!(result["review"], result["commit"]);
        let (score, most) =
            (result["score"].as_u64().unwrap(), result["max-score"].as_u64().unwrap());
        assert!(score <= most);
        assert_eq!(most, (record.score.possible * 100.0).round() as u64);
        let capped = record.score.points.min(record.score.possible);
        assert_eq!(score, (capped * 100.0).round() as u64);
        let mut total = 0;
        for (test, exercise) in list(&result, "tests").iter().zip(&record.exercises) {
            assert!(!test["test-name"].as_str().unwrap().is_empty());
            let points = test["score"].as_u64().unwrap();
            assert!(points <= test["max-score"].as_u64().unwrap());
            assert_eq!(test["passed"], exercise.status == Status::Passed);
            assert!(!exercise.bonus || points == 0);
            total += points;
        }
        let without_extra = record.score.points - record.score.extra;
        assert_eq!(total, (without_extra * 100.0).round() as u64);
    }
}

/// Without what the runner hands over there is no result, and the message names the variable.
#[test]
fn classroom50_needs_its_runner() {
    for key in
        ["CLASSROOM", "ASSIGNMENT", "USERNAME", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"]
    {
        let mut options = common::platform_options();
        options.platform.insert(key.into(), " ".into());
        let error =
            classroom50::FORMAT.render(&[common::small()], &options).unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
    let mut options = common::platform_options();
    options.platform.insert("SUBMISSION_TAG".into(), "main".into());
    assert!(classroom50::FORMAT.render(&[common::small()], &options).is_err());
}

/// PrairieLearn's documentation: `score` is in [0, 1]; and the element shows points only if every
/// test has both.
#[test]
fn prairielearn_adds_up() {
    for record in common::class(40, 8).iter().filter(|record| record.score.complete) {
        let results = json(&prairielearn::FORMAT, record);
        let score = results["score"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&score));
        assert!((sum(&results, "tests", "points") - record.score.points).abs() < 1e-6);
        assert!((sum(&results, "tests", "max_points") - record.score.possible).abs() < 1e-6);
    }
}

/// However much a learner's code prints, the file stays below PrairieLearn's 1 MB.
#[test]
fn prairielearn_stays_below_its_limit() {
    let mut record = common::class(20, 3).into_iter().find(|record| record.score.complete).unwrap();
    for exercise in &mut record.exercises {
        if let Some(report) = &mut exercise.report {
            report.passed = false;
            report.printed = Some("\u{1}é\"\\\n".repeat(50_000));
        }
        for item in &mut exercise.items {
            item.message = "x".repeat(40_000);
        }
    }
    let text = prairielearn::FORMAT.render(&[record], &common::platform_options()).unwrap();
    assert!(text.len() <= 1_000_000);
}

/// No score without points: dividing by none would be one.
#[test]
fn prairielearn_needs_points() {
    let mut record = common::small();
    record.score.possible = 0.0;
    let error = prairielearn::FORMAT.render(&[record], &common::platform_options()).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }), "{error}");
}

/// Exercism's interface: version, statuses, a message for every error, and at most 500 characters
/// of output.
#[test]
fn exercism_keeps_the_interface() {
    let words = ["pass", "fail", "error"];
    let mut record = common::small();
    record.exercises[3].report.as_mut().unwrap().printed = Some("é".repeat(2_000));
    let results = json(&exercism::FORMAT, &record);
    assert_eq!(results["version"], 3);
    assert_eq!(results["status"], "fail");
    let mut cut = 0;
    for test in list(&results, "tests") {
        assert!(words.contains(&test["status"].as_str().unwrap()));
        assert_eq!(test["status"] == "pass", test.get("message").is_none(), "{test}");
        if let Some(output) = test.get("output") {
            assert_eq!(output.as_str().unwrap().chars().count(), 500);
            assert!(output.as_str().unwrap().ends_with("Please limit to 500 chars"));
            cut += 1;
        }
    }
    assert_eq!(cut, 1);

    let mut missing = common::small();
    missing.exercises.drain(..4);
    common::add_up(&mut missing);
    assert_eq!(missing.exercises[0].status, Status::Missing);
    let results = json(&exercism::FORMAT, &missing);
    assert_eq!(results["status"], "error");
    assert!(results["message"].as_str().unwrap().contains("stencil_1d.cu"));
}

/// What students read has nothing of items that they may not see: not the values, not the command
/// that has the seed, and of items that are not shown at all not even the name.
#[test]
fn nothing_hidden_leaks() {
    let mut record = common::small();
    for exercise in &mut record.exercises {
        let Some(item) = exercise.items.last_mut() else { continue };
        assert_eq!((item.hidden, item.kind), (true, Kind::Case));
        item.message = "LEAK of values".into();
        item.again = Some("LEAK of the seed".into());
        if exercise.id == "guard" {
            let mut nothing = item.clone();
            (nothing.show, nothing.name) = (Show::Nothing, "LEAK of the name".into());
            (nothing.outcome, nothing.slug) = (Outcome::Failed, "LEAK-of-the-verdict".into());
            nothing.reveal = None;
            exercise.items.push(nothing);
            let report = exercise.report.as_mut().unwrap();
            report.title = "LEAK in the report".into();
            report.notes = vec!["LEAK in a note".into()];
            report.again = Some("LEAK".into());
            assert!(exercise.report_hidden);
        }
    }
    record.made.seed = "LEAK".into();
    record.submission.source = "LEAK/of/the/graders/disk".into();
    common::add_up(&mut record);
    for format in PLATFORMS {
        let mut results = json(format, &record);
        if format.name == "gradescope" {
            let tests = results["tests"].as_array_mut().unwrap();
            tests.retain(|test| test["visibility"] == "visible");
            assert!(tests.len() > 10);
        }
        assert!(!results.to_string().contains("LEAK"), "{format}: {results:#}");
    }
    let graders = Options { audience: Audience::Instructor, ..common::platform_options() };
    let text = prairielearn::FORMAT.render(&[record], &graders).unwrap();
    assert!(text.contains("LEAK of values"), "a grader who asks sees everything");
}

fn strings(value: &Value, f: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => f(text),
        Value::Array(list) => list.iter().for_each(|value| strings(value, f)),
        Value::Object(map) => map.values().for_each(|value| strings(value, f)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever stands in a record's texts, each format is JSON of the same structure with the same
    /// numbers, and no text can act on a terminal, turn around the direction of writing, or be a
    /// workflow command.
    #[test]
    fn hostile_text_changes_no_structure(words in prop::collection::vec(common::hostile(), 4..40)) {
        let mut record = common::small();
        let mut at = 0;
        common::texts(&mut record, &mut |text| {
            if !text.is_empty() && text != "compile-error" {
                *text = words[at % words.len()].clone();
                at += 1;
            }
        });
        for format in PLATFORMS {
            let [plain, hostile] = [&common::small(), &record].map(|record| json(format, record));
            // Texts that are only white space may leave a field out that is for text alone.
            prop_assert_eq!(numbers(&plain), numbers(&hostile), "{}", format);
            strings(&hostile, &mut |text| {
                assert!(!text.contains(common::acts), "{format}: {text:?}");
            });
        }
    }
}

/// Every number and word of a fixed set of words, in order.
fn numbers(value: &Value) -> Vec<String> {
    let mut found = vec![];
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Number(number) => found.push(number.to_string()),
        Value::Bool(is) => found.push(is.to_string()),
        Value::Array(list) => list.iter().for_each(|value| collect(value, found)),
        Value::Object(map) => {
            for (key, value) in map {
                if matches!(key.as_str(), "status" | "visibility" | "schema" | "number") {
                    found.push(value.to_string());
                }
                collect(value, found);
            }
        }
        _ => {}
    }
}
