//! How far the learner is, as the sidebar shows it.

use checker::exercises;
use checker::progress::State;
use checker::session::Session;
use checker::spec::Spec;
use serde::Serialize;

use super::page;

/// The whole course.
#[derive(Debug, Serialize)]
pub struct CourseState {
    done: usize,
    total: usize,
    minutes_left: u32,
    exercises: Vec<ExerciseState>,
}

/// An exercise, with its page.
#[derive(Debug, Serialize)]
struct ExerciseState {
    id: &'static str,
    page: String,
    minutes: u32,
    /// "open", "done", or "changed" since it passed.
    state: &'static str,
}

impl CourseState {
    /// The state of the workbook.
    pub fn new(session: &Session) -> Self {
        let (done, total) = session.count();
        let open = |spec: &&&Spec| !session.progress.is_passed(spec.id);
        Self {
            done,
            total,
            minutes_left: exercises::all().iter().filter(open).map(|spec| spec.minutes).sum(),
            exercises: exercises::all().iter().map(|spec| state(session, spec)).collect(),
        }
    }
}

fn state(session: &Session, spec: &'static Spec) -> ExerciseState {
    let state = match session.state(spec) {
        State::Open => "open",
        State::Done => "done",
        State::Changed => "changed",
    };
    ExerciseState { id: spec.id, page: page::page_of(spec), minutes: spec.minutes, state }
}
