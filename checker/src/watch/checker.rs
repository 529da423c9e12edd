//! The thread that checks while watching: it owns the engine, whose worker stays warm between saves.

use std::sync::mpsc::{self, Sender};
use std::thread;

use crate::attempt::{self, Attempt, Options};
use crate::engine::Engine;
use crate::spec::Spec;
use crate::workbook::Workbook;
use crate::worker::Killer;

/// A check that has ended.
pub struct Finished {
    /// The exercise.
    pub spec: &'static Spec,
    /// The number that the check was given.
    pub number: u64,
    /// What it came to.
    pub result: Result<Attempt, attempt::Error>,
}

/// A handle on the thread. Dropping it lets the thread end after its current check.
pub struct Checker {
    jobs: Sender<(&'static Spec, u64)>,
    killer: Killer,
}

impl Checker {
    /// Starts the thread; `finished` is called there after every check.
    pub fn start(
        mut engine: Engine,
        workbook: Workbook,
        options: Options,
        mut finished: impl FnMut(Finished) + Send + 'static,
    ) -> Self {
        let killer = engine.killer();
        let resume = killer.clone();
        let (jobs, queue) = mpsc::channel::<(&'static Spec, u64)>();
        thread::spawn(move || {
            while let Ok(mut job) = queue.recv() {
                // Only the newest save matters.
                while let Ok(newer) = queue.try_recv() {
                    job = newer;
                }
                let (spec, number) = job;
                // Whoever cancelled did so before sending this job, and meant an earlier one.
                resume.resume();
                let path = workbook.exercise(spec);
                let result = attempt::check(spec, &path, &mut engine, &options);
                finished(Finished { spec, number, result });
            }
        });
        Self { jobs, killer }
    }

    /// Queues a check.
    pub fn check(&self, spec: &'static Spec, number: u64) {
        // The thread ends only when this handle is dropped, or by a panic, which `finished` then never reports.
        let _ = self.jobs.send((spec, number));
    }

    /// Kills the child that is compiling or running, so that the current check ends at once.
    pub fn cancel(&self) {
        self.killer.kill();
    }
}
