//! Texts that more than one command shows: the report of a check, the list of
//! exercises, a hint, a profile.

mod course;
mod hint;
mod profile;

use crate::attempt::{self, Attempt, Options};
use crate::engine::Engine;
use crate::explain::{self, Context};
use crate::report::{Report, html, terminal};
use crate::session::{IN_NOTEBOOK, Session};
use crate::spec::Spec;

pub use course::{course, progress_line};
pub use hint::next_hint;
pub use profile::{profile, profile_text};

/// Checks the learner's file of an exercise, records a pass, and returns the attempt with its
/// report.
///
/// # Errors
/// When the check could not be made.
pub fn check(
    session: &mut Session,
    spec: &'static Spec,
    engine: &mut Engine,
    options: &Options,
) -> Result<(Attempt, Report), attempt::Error> {
    let attempt = attempt::check(spec, &session.workbook.exercise(spec), engine, options)?;
    record(session, spec, &attempt);
    let report = report(session, spec, &attempt);
    Ok((attempt, report))
}

/// Records the attempt in the learner's progress if it passed.
pub fn record(session: &mut Session, spec: &Spec, attempt: &Attempt) {
    if attempt.passed() {
        session.record_pass(spec, &attempt.hash);
    }
}

/// The report of an attempt on the learner's own file.
pub fn report(session: &Session, spec: &'static Spec, attempt: &Attempt) -> Report {
    let file = session.workbook.relative(&session.workbook.exercise(spec));
    let report = explain::attempt(&file, session.command, spec, attempt);
    let learn = if attempt.passed() { reading_after_pass(session, spec) } else { None };
    Report { learn: learn.or(report.learn), ..report }
}

/// What the exercise's page has for a learner who has passed, and where the page is.
fn reading_after_pass(session: &Session, spec: &Spec) -> Option<String> {
    // The page itself links to its sections.
    let page = crate::course::page(spec).filter(|_| session.command != explain::ON_PAGE)?;
    let text = std::str::from_utf8(page.contents).ok()?;
    let has = |title: &str| text.lines().any(|line| line.strip_prefix("## ") == Some(title));
    let what = match (has("Common mistakes"), has("Try next")) {
        (true, true) => "pitfalls and more to try",
        (true, false) => "pitfalls",
        (false, true) => "more to try",
        (false, false) => return None,
    };
    let place = match session.command {
        IN_NOTEBOOK => "below this exercise".to_owned(),
        command => format!("page `{}` of `{command} book serve`", spec.id),
    };
    Some(format!("{what}: {place}"))
}

/// The report as text for the terminal, without a line end behind it.
pub fn text(report: &Report, attempt: &Attempt) -> String {
    terminal::render(report, &attempt.source).trim_end().to_owned()
}

/// The report as an HTML fragment, with one more line `after` it.
pub fn html(report: &Report, attempt: &Attempt, after: Option<&str>) -> String {
    html::page(&[html::render(report, &attempt.source, after)])
}

/// What explaining one case on the simulator needs to be given beside the findings. `file` is the
/// learner's file relative to the workbook, `source` its text.
pub fn context<'a>(
    session: &Session,
    file: &'a str,
    source: &'a str,
    millis: u64,
    options: &Options,
) -> Context<'a> {
    Context {
        file,
        source,
        device: "simulator",
        millis,
        printed: None,
        seed: options.seed,
        command: session.command,
    }
}
