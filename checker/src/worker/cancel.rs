//! Ending a job from another thread: what `watch` does when the file is saved again while its kernel still runs.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::process::Heard;

/// A handle that cancels the worker's job from any thread.
#[derive(Debug, Clone, Default)]
pub struct Killer(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Set by `kill`, cleared by `resume`: in between no job starts.
    cancelled: bool,
    /// The ear of the job under way.
    listening: Option<Sender<Heard>>,
}

impl Killer {
    /// Ends the job under way, and every later one at once, until [`Killer::resume`]. The job's child is killed.
    pub fn kill(&self) {
        let mut state = self.state();
        state.cancelled = true;
        if let Some(job) = state.listening.take() {
            // A job that has just ended does not listen any more.
            let _ = job.send(Heard::Cancelled);
        }
    }

    /// Lets jobs start again.
    pub fn resume(&self) {
        self.state().cancelled = false;
    }

    /// A job begins to listen; false when it must not begin.
    pub(super) fn begin(&self, job: Sender<Heard>) -> bool {
        let mut state = self.state();
        state.listening = (!state.cancelled).then_some(job);
        !state.cancelled
    }

    /// The job has ended. True when that was by `kill`, which took the ear; a `resume` since then does not undo it.
    pub(super) fn end(&self) -> bool {
        self.state().listening.take().is_none()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
