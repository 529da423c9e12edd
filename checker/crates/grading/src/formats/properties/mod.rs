//! What every format has to keep, whatever a record holds: it can be read by what reads it, says as much of a hostile record as of any
//! other, and tells no student what is hidden.

mod random;
mod reading;
mod secrecy;

pub use random::text;

use serde_json::Value;

use super::fixture::{class, now};
use super::*;
use crate::record::{Exercise, Status};

type Render = fn(&[Record], &Options) -> Result<String, Error>;

const TEXTS: [(Format, Render); 7] = [
    (Format::Junit, junit::gitlab),
    (Format::JunitJenkins, junit::jenkins),
    (Format::GithubAnnotations, github_annotations::render),
    (Format::GithubSummary, github_summary::render),
    (Format::GitlabCodeQuality, gitlab_code_quality::render),
    (Format::Sarif, sarif::render),
    (Format::Tap, tap::render),
];

/// What students read, of a good one and of a hostile one. `tests/validate/run.py` gives these files to the schemas and
/// programs that the formats are for.
#[test]
fn snapshots() {
    let options = Options::new(now());
    for (format, render) in TEXTS {
        for record in class() {
            let who = if record.student.id == "ada" { "good" } else { "hostile" };
            let text = render(&[record], &options).unwrap();
            insta::assert_snapshot!(format!("{format}.{who}"), text);
        }
    }
}

/// Several students in one report stay apart, and formats about one student's files refuse the second.
#[test]
fn several_students() {
    let options = Options::new(now());
    for (format, render) in TEXTS {
        assert_eq!(render(&[], &options), Err(Error::NoRecords { format: format.name() }));
        let text = render(&class(), &options);
        match format {
            Format::GithubAnnotations | Format::GitlabCodeQuality | Format::Sarif => {
                assert_eq!(text, Err(Error::OneRecord { format: format.name(), records: 2 }));
            }
            _ => assert!(text.unwrap().contains("mallory") || format == Format::GithubSummary),
        }
    }
    let names = reading::test_names(&junit::gitlab(&class(), &options).unwrap());
    let mut once = names.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), names.len(), "GitLab drops test cases of the same class and name");
}

/// What the machine could not grade is an error in JUnit, a warning of GitHub's, a failed run in SARIF and not ok in TAP; nowhere is
/// it a pass or left out.
#[test]
fn not_graded_is_no_pass() {
    let mut record = class().swap_remove(0);
    record.exercises.retain(|exercise| exercise.status == Status::NotGraded);
    let options = Options::new(now());
    let records = [record];
    let text = |render: Render| render(&records, &options).unwrap();
    let xml = text(junit::jenkins);
    assert!(
        xml.contains(r#"tests="2" failures="0" errors="2""#) && !xml.contains("<failure"),
        "{xml}"
    );
    assert!(text(github_annotations::render).starts_with("::warning "));
    assert!(text(github_summary::render).contains("Not complete"));
    assert!(text(gitlab_code_quality::render).contains("not-graded"));
    let sarif: Value = serde_json::from_str(&text(sarif::render)).unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "warning");
    assert_eq!(text(tap::render).lines().filter(|line| line.starts_with("not ok")).count(), 2);
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

/// GitHub shows ten annotations of a step: with more exercises wrong, the worst are shown and the last line counts the others.
#[test]
fn at_most_ten_annotations_worst_first() {
    let mut record = class().swap_remove(0);
    let wrong = record.exercises.iter().find(|exercise| exercise.id == "guard").unwrap().clone();
    for i in 0..20 {
        record.exercises.insert(0, Exercise { id: format!("copy{i}"), ..wrong.clone() });
    }
    let text = github_annotations::render(&[record], &Options::new(now())).unwrap();
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
        |records: &[Record]| github_summary::render(records, &Options::new(now())).unwrap();
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
