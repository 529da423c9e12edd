//! Cancels a job from another thread, for example when the learner saves a file again while its
//! kernel still runs.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::process::ChildEvent;

/// A handle that cancels the worker's job from any thread.
#[derive(Debug, Clone, Default)]
pub struct Killer(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Set by `kill` and cleared by `resume`. Meanwhile no job starts.
    cancelled: bool,
    /// Where the current job receives events.
    current: Option<Sender<ChildEvent>>,
}

impl Killer {
    /// Ends the current job and kills its child. Until [`Killer::resume`], every later job ends at
    /// once.
    pub fn kill(&self) {
        let mut state = self.state();
        state.cancelled = true;
        if let Some(job) = state.current.take() {
            // this fails if the job has just ended
            let _ = job.send(ChildEvent::Cancelled);
        }
    }

    /// Allows jobs to start again.
    pub fn resume(&self) {
        self.state().cancelled = false;
    }

    /// A job begins, and receives events through `job`. Returns false if it must not begin.
    pub(super) fn begin(&self, job: Sender<ChildEvent>) -> bool {
        let mut state = self.state();
        state.current = (!state.cancelled).then_some(job);
        !state.cancelled
    }

    /// The job has ended. Returns true if `kill` ended it, even if `resume` was called since then.
    pub(super) fn end(&self) -> bool {
        self.state().current.take().is_none()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
