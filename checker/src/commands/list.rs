//! `checker list`: every exercise, and which are done.

use colored::Colorize;

use super::session::Session;
use crate::exercises;
use crate::exit::Exit;
use crate::progress::State;
use crate::spec::Spec;

/// Prints the course.
pub fn run() -> anyhow::Result<Exit> {
    let session = Session::open()?;
    for line in lines(&session, None) {
        say!("{line}");
    }
    Ok(Exit::Passed)
}

/// The course, a line per exercise; `here` is marked, or else the first open one.
pub fn lines(session: &Session, here: Option<&Spec>) -> Vec<String> {
    let here = here.or_else(|| session.next_open()).map(|spec| spec.id);
    let width = exercises::all().iter().map(|spec| spec.id.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for chapter in exercises::chapters() {
        let heading = format!("chapter {}  {}", chapter.number, chapter.title);
        lines.push(heading.bold().to_string());
        for spec in chapter.exercises {
            let (mark, note) = match session.state(spec) {
                State::Done => ("✓".green(), ""),
                State::Changed => ("✓".green(), "  (changed since it passed)"),
                State::Open => (" ".normal(), ""),
            };
            let arrow = if here == Some(spec.id) { ">" } else { " " };
            let (id, minutes, goal) = (spec.id, spec.minutes, spec.goal);
            lines.push(format!("{arrow} {mark} {id:width$}  {minutes:>2} min   {goal}{note}"));
        }
        lines.push(String::new());
    }
    let (done, all) = session.count();
    lines.push(format!("{done} of {all} done"));
    lines
}
