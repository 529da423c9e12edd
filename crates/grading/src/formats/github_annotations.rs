//! Annotations of GitHub Actions: workflow commands, for standard output.
//!
//! GitHub shows ten annotations of a kind for a step, fifty for a job, and drops the others, so
//! there are ten lines at most, one for each exercise, the worst first; when there are more, the
//! last one says so. Grammar and escapes are those of `ActionCommand.TryParseV2` (actions/runner,
//! `src/Runner.Common/ActionCommand.cs`) and of `command.ts` in `@actions/core`.

use crate::record::Record;

use super::checks::path;
use super::escape::{github_message, github_property};
use super::findings::{Finding, Severity, worst};
use super::{Audience, Error, Format, Options, Write};
use crate::text::{cut, line};

/// This format, for one student.
pub static FORMAT: Format = Format {
    name: "github-annotations",
    file_name: "annotations.txt",
    audience: Audience::Student,
    write: Write::Student(write),
};

/// Most annotations: what GitHub shows of one step.
const MAX_ANNOTATIONS: usize = 10;
/// Most characters of a message, because readers skip longer ones beside a line of code.
const MAX_MESSAGE_CHARS: usize = 1500;

/// Renders one student's record, one command a line.
///
/// # Errors
/// Unless there is exactly one record: paths would be those of several submissions.
fn write(record: &Record, _: &Options) -> Result<String, Error> {
    let findings = worst(record);
    let shown = if findings.len() > MAX_ANNOTATIONS { MAX_ANNOTATIONS - 1 } else { findings.len() };
    let mut out = String::new();
    for finding in findings.iter().take(shown) {
        out.push_str(&command(finding));
    }
    if shown < findings.len() {
        let more = findings.len() - shown;
        let message =
            format!("{more} more exercises are not passed; the summary of the job lists them all");
        out.push_str(&format!("::notice title=and {more} more::{}\n", github_message(&message)));
    }
    Ok(out)
}

fn command(finding: &Finding<'_>) -> String {
    let check = &finding.check;
    let level = match finding.severity {
        Severity::Contained | Severity::Wrong | Severity::Cost | Severity::Missing => "error",
        Severity::NotGraded => "warning",
        Severity::NotStarted => "notice",
    };
    let mut properties = vec![];
    if check.exercise.file.is_some() {
        properties.push(format!("file={}", github_property(&path(check.exercise))));
        if let Some(line) = check.line() {
            properties.push(format!("line={line}"));
        }
    }
    properties.push(format!("title={}", github_property(&finding.title())));
    format!("::{level} {}::{}\n", properties.join(","), github_message(&message(finding)))
}

/// The problem, its case and the guiding question; the log and the summary contain the rest.
fn message(finding: &Finding<'_>) -> String {
    let check = &finding.check;
    let mut lines = vec![check.message.clone()];
    if let Some(report) = check.report {
        let more = [&report.case, &report.think, &report.learn];
        lines.extend(more.into_iter().flatten().map(|text| line(text)));
    }
    cut(&lines.join("\n"), MAX_MESSAGE_CHARS)
}
