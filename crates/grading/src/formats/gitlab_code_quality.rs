//! GitLab's code quality report, `gl-code-quality-report.json`.
//!
//! GitLab validates each entry against `app/validators/json_schemas/codeclimate.json`, stops at the
//! first that is not valid, keeps one entry for each fingerprint, and compares fingerprints between
//! branches to say what is new and what is fixed. Its merge request page puts the description into
//! sanitised HTML ([`without_tags`]).

use serde::Serialize;

use crate::record::Record;

use super::checks::path;
use super::escape::without_tags;
use super::findings::{Finding, Severity, findings};
use super::{Audience, Error, Format, Options, Write};
use crate::text::cut;

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "gitlab-code-quality",
    file_name: "gl-code-quality-report.json",
    audience: Audience::Student,
    write: Write::Student(write),
};

/// Most characters of a description: one line on the page.
const MAX_DESCRIPTION_CHARS: usize = 300;

#[derive(Serialize)]
struct Entry {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// Renders one student's record as JSON.
///
/// # Errors
/// Unless there is exactly one record: paths would be those of several submissions.
fn write(record: &Record, _: &Options) -> Result<String, Error> {
    let entries: Vec<Entry> = findings(record).iter().map(entry).collect();
    super::json(&FORMAT, &entries)
}

fn entry(finding: &Finding<'_>) -> Entry {
    let check = &finding.check;
    Entry {
        description: cut(&without_tags(&finding.sentence()), MAX_DESCRIPTION_CHARS),
        check_name: without_tags(&check.slug),
        fingerprint: finding.fingerprint(),
        severity: level(finding.severity),
        location: Location {
            path: path(check.exercise),
            // The page links to a line; the first one stands for the whole file.
            lines: Lines { begin: check.line().unwrap_or(1) },
        },
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Contained => "blocker",
        Severity::Wrong => "critical",
        Severity::Missing => "major",
        Severity::Cost => "minor",
        Severity::NotGraded | Severity::NotStarted => "info",
    }
}
