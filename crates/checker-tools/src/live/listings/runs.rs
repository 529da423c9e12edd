//! The thread that runs listings. It has an engine of its own, so that a listing and the check of
//! an exercise never end each other.

use std::path::PathBuf;

use checker::backend::Choice;
use checker::engine::Engine;
use checker::session;
use checker::worker::Sandbox;
use tokio::sync::oneshot;

use super::super::checks::{Checks, Job, Stop, Work};
use super::Request;

/// JSON, or why there is none.
type Reply = Result<String, String>;

/// Runs listings of one book, one at a time. The newest goes first.
pub struct Runs {
    book: PathBuf,
    checks: Checks<Task>,
}

impl Runs {
    /// A thread for the book in this folder. Compilers are found when the first listing needs them.
    pub fn new(book: PathBuf) -> Self {
        let checks = Checks::start(Running { book: book.clone(), engine: None });
        Self { book, checks }
    }

    /// The whole text of a listing.
    pub fn text(&self, listing: &str) -> Option<String> {
        super::text(&self.book, listing)
    }

    /// Runs a listing. Resolves to its answer; to an error if a newer request for the same part
    /// came.
    pub fn ask(&self, request: Request) -> oneshot::Receiver<Reply> {
        let (reply, answer) = oneshot::channel();
        self.checks.submit(Task { request, reply });
        answer
    }
}

struct Task {
    request: Request,
    reply: oneshot::Sender<Reply>,
}

impl Job for Task {
    fn replaces(&self, older: &Self) -> bool {
        let about = |task: &Self| (task.request.listing.clone(), task.request.part.clone());
        about(self) == about(older)
    }
}

struct Running {
    book: PathBuf,
    engine: Option<anyhow::Result<Engine>>,
}

impl Work for Running {
    type Job = Task;
    type Outcome = Reply;

    fn prepare(&mut self) {
        // Parts of a profile are laid out as on a terminal, and codes for colours are no HTML.
        colored::control::set_override(false);
        if !matches!(self.engine, Some(Ok(_))) {
            let engine = session::engine(Choice::Sim);
            self.engine = Some(engine.map(|engine| engine.confined(Sandbox::Try, None, None)));
        }
    }

    fn begin(&mut self) -> Option<Stop> {
        let killer = self.engine.as_ref()?.as_ref().ok()?.killer();
        killer.resume();
        Some(Box::new(move || killer.kill()))
    }

    fn run(&mut self, task: &Task) -> Reply {
        match &mut self.engine {
            Some(Ok(engine)) => {
                task.request.json(&self.book, engine).map_err(|failure| failure.to_string())
            }
            Some(Err(why)) => Err(format!("{why:#}")),
            None => Err("There is no compiler.".to_owned()),
        }
    }

    fn finished(&mut self, task: Task, reply: Reply) {
        // The page may be closed already.
        let _ = task.reply.send(reply);
    }
}
