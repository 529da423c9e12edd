//! The report of an attempt: its verdict, and what the GPU did when the simulator explains the
//! case.

use reports::text;

use super::scan::Source;
use super::values;
use super::words::many;
use super::{Context, explain};
use crate::attempt::{Attempt, SecondOpinion};
use crate::compile::Message;
use crate::diagnostic::Slug;
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
    if !report.passed && report.slug != Slug::NotStarted {
        report.notes.extend(warnings(&attempt.warnings));
        report.notes.extend(Source::new(&attempt.source).empty_body());
    }
    let runs = report.passed || report.slug == Slug::WrongValues || report.slug == Slug::NotANumber;
    report.notes.extend(sometimes_unset(&attempt.source).filter(|_| runs));
    report.notes.extend(unset(&attempt.source).filter(|_| report.passed));
    report.notes.extend(hidden(&attempt.source));
    if let Some(why) = &attempt.off_gpu {
        report.device = format!("{} ({why})", report.device);
    }
    if let Some(opinion) = &attempt.gpu {
        report.notes.push(second_opinion(spec, opinion, &context));
    }
    report
}

/// A variable that some threads use without a value.
fn sometimes_unset(text: &str) -> Option<String> {
    let values::Conditional { name, declared, condition, used } =
        values::conditional_value(&Source::new(text))?;
    Some(format!(
        "`{name}` (line {declared}) gets a value only where the condition on line {condition} is true, and line {used} uses it in any case"
    ))
}

/// A variable that is changed before it has a value, although the results are right.
fn unset(text: &str) -> Option<String> {
    let (name, line, _) = values::unset_variable(&Source::new(text))?;
    Some(format!(
        "`{name}` (line {line}) has no value before it is changed for the first time, so the result is right by chance"
    ))
}

/// A line that may look different from what the compiler reads.
fn hidden(source: &str) -> Option<String> {
    let first = text::hidden_characters(source).into_iter().next()?;
    Some(format!("{first}: the line may look different from what the compiler reads"))
}

/// Warnings that are shown at most.
const SHOWN_WARNINGS: usize = 3;

/// What the compiler warns about, which often is the reason of a wrong result.
fn warnings(all: &[Message]) -> Vec<String> {
    let about = |message: &Message| {
        let text = text::line(&message.text);
        format!("the compiler warns about line {}: {text}", message.line)
    };
    let mut notes: Vec<String> = all.iter().take(SHOWN_WARNINGS).map(about).collect();
    if let more @ 1.. = all.len().saturating_sub(SHOWN_WARNINGS) {
        notes.push(format!(
            "the compiler has {}",
            many(more as u64, "more warning", "more warnings")
        ));
    }
    notes
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
