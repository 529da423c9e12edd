//! GitLab's code quality report, `gl-code-quality-report.json`.
//!
//! GitLab validates each entry against `app/validators/json_schemas/codeclimate.json`, stops at the first that is not
//! valid, keeps one entry for each fingerprint, and compares fingerprints between branches to say what is new and what
//! is fixed. Its merge request page puts the description into sanitised HTML ([`without_tags`]).

use serde::Serialize;

use crate::record::Record;

use super::checks::path;
use super::escape::{cut, without_tags};
use super::findings::{Finding, Weight, findings};
use super::{Error, Format, Options};

/// Most characters of a description: one line on the page.
const LONGEST: usize = 300;

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
pub fn render(records: &[Record], options: &Options) -> Result<String, Error> {
    let format = Format::GitlabCodeQuality;
    let record = options.one(format, records)?;
    let entries: Vec<Entry> = findings(&record).iter().map(entry).collect();
    super::json(format, &entries)
}

fn entry(finding: &Finding<'_>) -> Entry {
    let check = &finding.check;
    Entry {
        description: cut(&without_tags(&finding.sentence()), LONGEST),
        check_name: without_tags(&check.slug),
        fingerprint: finding.fingerprint(),
        severity: severity(finding.weight),
        location: Location {
            path: path(check.exercise),
            // The page links to a line; the first one stands for the whole file.
            lines: Lines { begin: check.line().unwrap_or(1) },
        },
    }
}

const fn severity(weight: Weight) -> &'static str {
    match weight {
        Weight::Contained => "blocker",
        Weight::Wrong => "critical",
        Weight::Missing => "major",
        Weight::Cost => "minor",
        Weight::NotGraded | Weight::NotStarted => "info",
    }
}
