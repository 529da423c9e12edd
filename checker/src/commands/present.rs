//! From an attempt to what is shown.

use super::session::Session;
use crate::attempt::Attempt;
use crate::explain;
use crate::report::{Report, terminal};
use crate::spec::Spec;

/// The report of an attempt on the learner's own file.
pub fn report(session: &Session, spec: &'static Spec, attempt: &Attempt) -> Report {
    let file = session.workbook.relative(&session.workbook.exercise(spec));
    explain::attempt(&file, session.command, spec, attempt)
}

/// The report as text for the terminal.
pub fn text(report: &Report, attempt: &Attempt) -> String {
    terminal::render(report, &attempt.source)
}
