//! Properties of every format for any record: its reader can read it, a hostile record loses
//! nothing, and no student sees hidden items.

mod random;
mod reading;
mod secrecy;

pub use random::text;

use serde_json::Value;

use super::fixture::{class, now};
use super::*;
use crate::record::{Exercise, Status, Student};

/// Reports of tests and findings. The other formats have tests of their own in `tests/`.
static REPORTS: [&Format; 7] = [
    &junit::GITLAB,
    &junit::JENKINS,
    &github_annotations::FORMAT,
    &github_summary::FORMAT,
    &gitlab_code_quality::FORMAT,
    &sarif::FORMAT,
    &tap::FORMAT,
];

/// Options with all values from platforms, so that no format refuses.
fn options() -> Options {
    let platform = [
        ("CLASSROOM", "cs149"),
        ("ASSIGNMENT", "assignment-1"),
        ("USERNAME", "ada"),
        ("SUBMISSION_TAG", "submit/2026-05-02"),
        ("COMMIT_URL", "https://example.org/commit"),
        ("RELEASE_URL", "https://example.org/release"),
    ];
    Options {
        assignment: Some("CUDA workbook (48213)".into()),
        platform: platform.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        ..Options::new(now())
    }
}

/// Every format writes a record that is complete, and those that hold a class a class; the others
/// refuse a second student.
#[test]
fn every_format_is_written() {
    let complete = |mut record: Record| {
        record.exercises.retain(|exercise| exercise.status != Status::NotGraded);
        record.score.complete = true;
        for column in ["Identifier", "Username", "OrgDefinedId"] {
            record.student.columns.insert(column.to_owned(), record.student.id.clone());
        }
        record
    };
    let class: Vec<Record> = class().into_iter().map(complete).collect();
    for format in ALL {
        let options = || match format.name {
            "blackboard" => Options { assignment: Some("HW 1 |48213".into()), ..options() },
            _ => options(),
        };
        let refused = Err(Error::NoRecords { format: format.name });
        assert_eq!(format.render(&[], &options()), refused);
        assert!(!format.render(&class[..1], &options()).unwrap().is_empty(), "{format}");
        let two = [class[0].clone(), Record { student: student("b"), ..class[0].clone() }];
        match format.render(&two, &options()) {
            Ok(_) => assert!(format.holds_a_class(), "{format}"),
            Err(error) => {
                assert_eq!(error, Error::OneRecord { format: format.name, records: 2 });
                assert!(!format.holds_a_class(), "{format}");
            }
        }
    }
}

fn student(id: &str) -> Student {
    let columns = [("SIS User ID".to_owned(), id.to_owned())].into();
    Student { id: id.into(), name: Some(format!("{id}, {id}")), columns }
}

/// The reports for a good student and for a hostile one. `tests/validate/run.py` gives these files
/// to the schemas and programs that the formats are for.
#[test]
fn snapshots() {
    for format in REPORTS {
        for record in class() {
            let kind = if record.student.id == "ada" { "good" } else { "hostile" };
            let text = format.render(&[record], &options()).unwrap();
            insta::assert_snapshot!(format!("{format}.{kind}"), text);
        }
    }
}

/// Several students in one report stay apart: GitLab drops test cases of the same class and name.
#[test]
fn several_students() {
    for format in [&junit::GITLAB, &junit::JENKINS] {
        let names = reading::test_names(&format.render(&class(), &options()).unwrap());
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len());
    }
    let tap = tap::FORMAT.render(&class(), &options()).unwrap();
    assert!(tap.contains("ok 1 - ada: ch01_threads.blocks: one block\n"), "{tap}");
}

/// An ungraded exercise is an error in JUnit, a warning of GitHub's, a failed run in SARIF and not
/// ok in TAP; nowhere is it a pass or left out.
#[test]
fn not_graded_is_no_pass() {
    let mut record = class().swap_remove(0);
    record.exercises.retain(|exercise| exercise.status == Status::NotGraded);
    let text = |format: &Format| format.render(std::slice::from_ref(&record), &options()).unwrap();
    let xml = text(&junit::JENKINS);
    assert!(
        xml.contains(r#"tests="2" failures="0" errors="2""#) && !xml.contains("<failure"),
        "{xml}"
    );
    assert!(text(&github_annotations::FORMAT).starts_with("::warning "));
    assert!(text(&github_summary::FORMAT).contains("Not complete"));
    assert!(text(&gitlab_code_quality::FORMAT).contains("not-graded"));
    let sarif: Value = serde_json::from_str(&text(&sarif::FORMAT)).unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "warning");
    assert_eq!(text(&tap::FORMAT).lines().filter(|line| line.starts_with("not ok")).count(), 2);
}

/// A fingerprint stays when lines move, and no two findings share one.
#[test]
fn fingerprints_do_not_depend_on_lines() {
    let fingerprints = |record: &Record| {
        let found = findings::findings(record);
        found.iter().map(findings::Finding::fingerprint).collect::<Vec<_>>()
    };
    let before = class().swap_remove(0);
    let mut after = before.clone();
    for exercise in &mut after.exercises {
        for item in &mut exercise.items {
            item.line = item.line.map(|line| line + 40);
        }
        for span in exercise.report.iter_mut().flat_map(|report| &mut report.spans) {
            span.line += 40;
        }
    }
    assert_eq!(fingerprints(&before), fingerprints(&after));
    let mut once = fingerprints(&before);
    once.sort();
    once.dedup();
    assert_eq!(once.len(), fingerprints(&before).len());
}

/// GitHub shows ten annotations of a step: with more exercises wrong, the worst are shown and the
/// last line counts the others.
#[test]
fn at_most_ten_annotations_worst_first() {
    let mut record = class().swap_remove(0);
    let wrong = record.exercises.iter().find(|exercise| exercise.id == "guard").unwrap().clone();
    for i in 0..20 {
        record.exercises.insert(0, Exercise { id: format!("copy{i}"), ..wrong.clone() });
    }
    let text = github_annotations::FORMAT.render(&[record], &Options::new(now())).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 10);
    assert!(lines[0].contains("contained"), "{}", lines[0]);
    assert_eq!(
        lines[9],
        "::notice title=and 20 more::20 more exercises are not passed; the summary of the job lists them all"
    );
}

/// GitHub refuses a summary of more than 1 MiB as a whole, so a large one is cut, and says so.
#[test]
fn a_large_summary_is_cut() {
    let render =
        |records: &[Record]| github_summary::FORMAT.render(records, &Options::new(now())).unwrap();
    let record = class().swap_remove(0);
    let many = render(&vec![record.clone(); 2000]);
    assert!(many.len() < 1 << 20);
    assert!(many.ends_with("more parts do not fit into GitHub's summary.\n"));
    let mut long = record;
    for exercise in &mut long.exercises {
        if let Some(report) = &mut exercise.report {
            report.printed = Some("€".repeat(1 << 20));
        }
    }
    assert!(render(&[long]).len() < 1 << 20);
}
