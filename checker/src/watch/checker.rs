//! The thread that checks while the loop goes on listening.

use std::sync::mpsc::{self, Sender};
use std::thread;

use crate::spec::Spec;

/// A check that has ended.
pub struct Finished<T> {
    /// The exercise.
    pub spec: &'static Spec,
    /// The number that the check was given.
    pub number: u64,
    /// What the check returned.
    pub result: T,
}

/// A handle on the thread. When it is dropped, the thread ends after its current check.
pub struct Checker {
    jobs: Sender<(&'static Spec, u64)>,
}

impl Checker {
    /// Starts the thread. It calls `check` for the newest job and passes the result to `finished`.
    pub fn start<T>(
        mut check: impl FnMut(&'static Spec) -> T + Send + 'static,
        mut finished: impl FnMut(Finished<T>) + Send + 'static,
    ) -> Self {
        let (jobs, queue) = mpsc::channel::<(&'static Spec, u64)>();
        thread::spawn(move || {
            while let Ok(mut job) = queue.recv() {
                // Only the newest save matters.
                while let Ok(newer) = queue.try_recv() {
                    job = newer;
                }
                let (spec, number) = job;
                let result = check(spec);
                finished(Finished { spec, number, result });
            }
        });
        Self { jobs }
    }

    /// Queues a check.
    pub fn check(&self, spec: &'static Spec, number: u64) {
        // The thread ends before the handle is dropped only when it panics; then `finished` is not
        // called.
        let _ = self.jobs.send((spec, number));
    }
}
