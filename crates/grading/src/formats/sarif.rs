//! SARIF 2.1.0 (OASIS standard, `sarif-schema-2.1.0.json`), in the part that GitHub's code scanning
//! reads.
//!
//! Results are remarks beside lines. What the machine could not grade is no result of the analysis
//! alone: the run says that it was not successful, and a warning stays beside the file, so that an
//! alert is not taken for fixed. Fingerprints do not depend on lines.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::record::Record;

use super::checks::path;
use super::escape::{relative_uri, sarif_text};
use super::findings::{Finding, Severity, findings, words};
use super::{Audience, Error, Format, Options, Write};
use crate::text::{cut, line};

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "sarif",
    file_name: "checker.sarif",
    audience: Audience::Student,
    write: Write::Student(write),
};

/// The address of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The key that GitHub's code scanning looks at.
const FINGERPRINT: &str = "primaryLocationLineHash";
/// Most characters of a message.
const MAX_MESSAGE_CHARS: usize = 4000;

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<Outcome>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
    help: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
}

/// Renders one student's record as a log with one run.
///
/// # Errors
/// Unless there is exactly one record: paths would be those of several submissions.
fn write(record: &Record, _: &Options) -> Result<String, Error> {
    let findings = findings(record);
    let mut slugs: Vec<&str> = findings.iter().map(|finding| finding.check.slug.as_str()).collect();
    slugs.sort_unstable();
    slugs.dedup();
    let failed: Vec<&Finding<'_>> =
        findings.iter().filter(|finding| finding.severity == Severity::NotGraded).collect();
    let run = Run {
        tool: Tool {
            driver: Driver {
                name: "checker",
                rules: slugs.iter().map(|slug| rule(slug)).collect(),
            },
        },
        invocations: [Invocation {
            execution_successful: failed.is_empty() && record.score.complete,
            tool_execution_notifications: failed
                .iter()
                .map(|finding| notification(finding))
                .collect(),
        }],
        column_kind: "unicodeCodePoints",
        results: findings.iter().map(|finding| outcome(finding, &slugs)).collect(),
    };
    super::json(&FORMAT, &Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

fn rule(slug: &str) -> Rule {
    let help = match slug {
        "contained" => "The code tried what no submission may do, and was stopped.".into(),
        "missing" => "No file was submitted for this exercise.".into(),
        "not-graded" => "The machine failed. The exercise is to be graded again.".into(),
        "hidden" => "What is wrong is not shown yet.".into(),
        "not-right" => "Other inputs may show it: `checker check NAME --seed 7`.".into(),
        _ => format!("`checker explain {slug}` says what it means and how to find it."),
    };
    Rule { id: slug.to_owned(), short_description: text(&words(slug)), help: text(&help) }
}

fn notification(finding: &Finding<'_>) -> Notification {
    Notification { level: "error", message: text(&finding.sentence()) }
}

fn outcome(finding: &Finding<'_>, slugs: &[&str]) -> Outcome {
    let check = &finding.check;
    let level = match finding.severity {
        Severity::Contained | Severity::Wrong | Severity::Missing => "error",
        Severity::Cost | Severity::NotGraded => "warning",
        Severity::NotStarted => "note",
    };
    Outcome {
        rule_id: check.slug.clone(),
        rule_index: slugs.iter().position(|slug| *slug == check.slug).unwrap_or(0),
        level,
        message: text(&message(finding)),
        locations: [Location {
            physical_location: Physical {
                artifact_location: Artifact { uri: relative_uri(&path(check.exercise)) },
                region: region(finding),
            },
        }],
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, finding.fingerprint())]),
    }
}

fn message(finding: &Finding<'_>) -> String {
    let mut lines = vec![finding.check.message.clone()];
    if let Some(report) = finding.check.report {
        let parts =
            report.case.iter().chain(&report.notes).chain(&report.think).chain(&report.learn);
        lines.extend(parts.map(|part| line(part)));
    }
    cut(&lines.join("\n"), MAX_MESSAGE_CHARS)
}

/// The place that matters most; the first line stands for the whole file.
fn region(finding: &Finding<'_>) -> Region {
    let spans = finding.check.report.map(|report| report.spans.as_slice()).unwrap_or_default();
    let span = spans.iter().find(|span| span.primary).or(spans.first());
    let column = span.map(|span| span.column).filter(|column| *column > 0);
    let end = span.zip(column).map(|(span, column)| column.saturating_add(span.length.max(1)));
    match finding.check.line() {
        Some(start_line) => Region { start_line, start_column: column, end_column: end },
        None => Region { start_line: 1, start_column: None, end_column: None },
    }
}

fn text(text: &str) -> Message {
    Message { text: sarif_text(text) }
}
