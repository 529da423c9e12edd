//! The list of exercises, and the line that says how far the learner is.

use colored::Colorize;

use crate::exercises;
use crate::progress::State;
use crate::report::terminal;
use crate::session::Session;
use crate::spec::Spec;

/// Columns that the description of an exercise has at least.
const NARROWEST_GOAL: usize = 20;

/// The course as lines, one for each exercise. An arrow marks `current`, or else the first open
/// exercise.
pub fn course(session: &Session, current: Option<&Spec>) -> Vec<String> {
    let current = current.or_else(|| session.next_open()).map(|spec| spec.id);
    let width = exercises::all().iter().map(|spec| spec.id.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for chapter in exercises::chapters() {
        let heading = format!("chapter {}  {}", chapter.number, chapter.title);
        lines.push(heading.bold().to_string());
        for spec in chapter.exercises {
            let (mark, note) = match session.state(spec) {
                State::Done => ("✓".green(), ""),
                State::Changed => ("✓".green(), " (changed since it passed)"),
                State::Open => (" ".normal(), ""),
            };
            let arrow = if current == Some(spec.id) { ">" } else { " " };
            let (id, minutes) = (spec.id, spec.minutes);
            let indent = 4 + width + 2 + "15 min   ".len();
            let room = terminal::width().saturating_sub(indent).max(NARROWEST_GOAL);
            let goal = terminal::wrap(&format!("{}{note}", spec.goal), room);
            let goal = goal.join(&format!("\n{:indent$}", ""));
            lines.push(format!("{arrow} {mark} {id:width$}  {minutes:>2} min   {goal}"));
        }
        lines.push(String::new());
    }
    let (done, all) = session.count();
    lines.push(format!("{done} of {all} done"));
    lines
}

/// "1 of 45 done. Next: guard (15 min)"
pub fn progress_line(session: &Session, spec: &Spec) -> String {
    let (done, all) = session.count();
    match session.next_after(spec) {
        Some(next) => {
            format!("{done} of {all} done. Next: {} ({} min)", next.id.bold(), next.minutes)
        }
        None => format!("{done} of {all} done. That was the last one: well done!"),
    }
}
