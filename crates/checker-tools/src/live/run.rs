//! What runs the learner's code for the pages: checks, profiles and traces, with the checker's own
//! engine, as `checker watch` does.

use std::sync::Arc;

use anyhow::anyhow;
use checker::attempt::{self, Options};
use checker::cli::Backend;
use checker::engine::Engine;
use checker::session;
use checker::spec::Spec;
use checker::workbook::Workbook;
use checker::{present, source};
use tokio::sync::oneshot;

use super::bench::{Verdicts, lock, open};
use super::checks::{Job, Stop, Work};
use super::course_state::CourseState;
use super::events::{Event, Events};
use super::files;
use super::verdict::Verdict;
use super::views::Look;

/// What the thread does.
pub enum Task {
    /// Checks an exercise, and sends the verdict to its pages.
    Check(&'static Spec),
    /// Looks into one case of an exercise for a page.
    Look {
        /// The exercise.
        spec: &'static Spec,
        /// What the page wants to see.
        look: Look,
        /// Takes JSON, or why there is none.
        reply: oneshot::Sender<Result<String, String>>,
    },
}

impl Job for Task {
    /// A check replaces an older check, and a look an older look, at the same exercise.
    fn replaces(&self, older: &Self) -> bool {
        match (self, older) {
            (Self::Check(spec), Self::Check(older)) => spec.id == older.id,
            (Self::Look { spec, .. }, Self::Look { spec: older, .. }) => spec.id == older.id,
            _ => false,
        }
    }
}

/// What comes of a task.
pub enum Outcome {
    /// Of a check.
    Verdict(Verdict),
    /// Of a look.
    View(Result<String, String>),
}

/// Does the tasks of one workbook.
pub struct Running {
    workbook: Workbook,
    events: Arc<Events>,
    verdicts: Arc<Verdicts>,
    /// Compilers are found when the first task needs them.
    engine: Option<anyhow::Result<Engine>>,
}

impl Running {
    /// Sends verdicts to `events`, and keeps the last one on each exercise in `verdicts`.
    pub fn new(workbook: Workbook, events: Arc<Events>, verdicts: Arc<Verdicts>) -> Self {
        Self { workbook, events, verdicts, engine: None }
    }

    fn check(&mut self, spec: &'static Spec) -> Verdict {
        let bytes = source::bytes(&self.workbook.exercise(spec));
        let version = files::version(&bytes);
        self.events.send(Event::new(Some(spec.id), "checking", &version));
        let engine = match engine(&mut self.engine) {
            Ok(engine) => engine,
            Err(why) => return Verdict::failure(version, &why),
        };
        let source = bytes.and_then(source::text);
        match attempt::check_source(spec, source, engine, &Options::default()) {
            Ok(examination) => {
                let mut session = open(&self.workbook);
                present::record(&mut session, spec, &examination.attempt);
                Verdict::new(&session, spec, version, &examination)
            }
            Err(error) => Verdict::failure(version, &error.to_string()),
        }
    }

    fn look(&mut self, spec: &'static Spec, look: &Look) -> Result<String, String> {
        let session = open(&self.workbook);
        let source = source::read(&self.workbook.exercise(spec));
        look.json(&session, spec, source, engine(&mut self.engine)?)
    }
}

fn engine(engine: &mut Option<anyhow::Result<Engine>>) -> Result<&mut Engine, String> {
    match engine {
        Some(Ok(engine)) => Ok(engine),
        Some(Err(why)) => Err(format!("{why:#}")),
        None => Err(anyhow!("there is no compiler").to_string()),
    }
}

impl Work for Running {
    type Job = Task;
    type Outcome = Outcome;

    fn prepare(&mut self) {
        // Parts of a profile are laid out as on a terminal, and codes for colours are no HTML.
        colored::control::set_override(false);
        if !matches!(self.engine, Some(Ok(_))) {
            self.engine = Some(session::engine(Backend::Auto));
        }
    }

    fn begin(&mut self) -> Option<Stop> {
        let killer = self.engine.as_ref()?.as_ref().ok()?.killer();
        killer.resume();
        Some(Box::new(move || killer.kill()))
    }

    fn run(&mut self, task: &Task) -> Outcome {
        match task {
            Task::Check(spec) => Outcome::Verdict(self.check(spec)),
            Task::Look { spec, look, .. } => Outcome::View(self.look(spec, look)),
        }
    }

    fn finished(&mut self, task: Task, outcome: Outcome) {
        match (task, outcome) {
            (Task::Check(spec), Outcome::Verdict(verdict)) => {
                self.events.send(Event::new(Some(spec.id), "verdict", &verdict));
                lock(&self.verdicts).insert(spec.id, verdict);
                let course = CourseState::new(&open(&self.workbook));
                self.events.send(Event::new(None, "course", &course));
            }
            (Task::Look { reply, .. }, Outcome::View(view)) => {
                // The page may be closed already.
                let _ = reply.send(view);
            }
            _ => {}
        }
    }
}
