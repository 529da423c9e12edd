//! The report of an attempt: its verdict, and what the GPU did when the simulator explains the
//! case.

use grading::text;

use super::{Context, explain};
use crate::attempt::{Attempt, SecondOpinion};
use crate::report::Report;
use crate::spec::Spec;

/// The report of an attempt on any file.
pub fn attempt(file: &str, command: &str, spec: &'static Spec, attempt: &Attempt) -> Report {
    let context = Context {
        file,
        source: &attempt.source,
        device: &attempt.device,
        millis: attempt.millis,
        printed: attempt.printed.as_deref(),
        seed: attempt.seed,
        command,
    };
    let mut report = explain(spec, &attempt.verdict, &context);
    if let Some(opinion) = &attempt.gpu {
        report.notes.push(second_opinion(spec, opinion, &context));
    }
    report
}

/// The same for a file outside the workbook, which the repeating command must name.
pub fn foreign(file: &str, command: &str, spec: &'static Spec, attempt: &Attempt) -> Report {
    let report = self::attempt(file, command, spec, attempt);
    let again = report.again.map(|again| format!("{again} --file {}", text::quote(file)));
    Report { again, trace: None, ..report }
}

/// One sentence on what the GPU did with the case that the simulator explains.
fn second_opinion(spec: &'static Spec, opinion: &SecondOpinion, context: &Context) -> String {
    let device = &opinion.device;
    match &opinion.verdict {
        None => format!(
            "the {device} gave the right answer this time, but the simulator shows why that is luck"
        ),
        Some(verdict) => {
            let title = explain(spec, verdict, context).title;
            format!("on the {device}: {title}; the simulator repeated the case to find the cause")
        }
    }
}
