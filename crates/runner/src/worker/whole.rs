//! A whole program, from its `main` to its end, in a confined child process.
//!
//! The program can read its own compiled file and nothing else, and it has no standard input. What
//! it prints is captured. As with [`super::ProgramProcess`], nothing that the process replies is
//! trusted: the report is data about the learner's own program, which is shown to that learner.

use std::borrow::Cow;
use std::time::Duration;

use cudart_sim::report::Report;

use super::process::{ChildExit, NoReply, Process};
use super::program::{ask_confinement, token, write_object};
use super::wire::{Reply, Request};
use super::{Error, Role, Worker};
use crate::backend::Simulation;

/// How long a program's process may take to end after its report.
const END_LIMIT: Duration = Duration::from_secs(2);

/// What a whole program did.
#[derive(Debug)]
pub struct WholeRun {
    /// How it ended.
    pub end: End,
    /// The simulator's report; `None` if the process ended before it could make one.
    pub report: Option<Report>,
    /// What it printed to both of its streams, at most [`crate::backend::PRINTED_LIMIT`] bytes.
    pub printed: String,
    /// Bytes that it printed beyond that.
    pub printed_dropped: u64,
}

/// How a whole program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exited(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not even start, for this reason in the words of the dynamic linker.
    NotStarted(String),
    /// It ran longer than this, and was ended.
    TimedOut(Duration),
    /// It used more than this many bytes of memory, and was ended.
    MemoryExceeded(u64),
    /// It started more than this many threads, and was ended.
    TooManyThreads(u64),
    /// It has damaged its process so that the process could not report.
    Garbled(String),
}

impl Worker {
    /// Runs a compiled program on the simulator in a new process, which is confined as the worker
    /// demands, within `limit` of wall time.
    ///
    /// # Errors
    /// If the process cannot be started, or not be confined although that is required, if the job
    /// was cancelled, or if the checker has a bug.
    pub fn run_whole(
        &mut self,
        object: &[u8],
        arguments: &[String],
        simulation: &Simulation,
        limit: Duration,
    ) -> Result<WholeRun, Error> {
        let killer = self.killer();
        let mut process = Process::start(&self.program, Role::Program, &self.rules)?;
        let object = write_object(process.scratch(), 0, object).map_err(Error::Object)?;
        ask_confinement(&mut process, &self.rules, &killer)?;
        let token = token();
        let request = Request::Main {
            object: Cow::Borrowed(object.as_path()),
            arguments: Cow::Borrowed(arguments),
            simulation: Cow::Borrowed(simulation),
            token,
        };
        let (end, report) = match process.request(&request, limit, &killer) {
            Ok(Reply::Ended { token: returned, report: Ok(report) }) if returned == token => {
                let status = process.finish(END_LIMIT);
                let end = ended(status).unwrap_or(End::TimedOut(limit));
                (end, Some(*report))
            }
            Ok(Reply::Ended { token: returned, report: Err(why) }) if returned == token => {
                (End::NotStarted(why), None)
            }
            // the program could forge any other reply
            Ok(_) => (End::Garbled("it replied to another request".into()), None),
            Err(NoReply::Died(ChildExit { status, .. })) => {
                let closed = || End::Garbled("it closed its pipe to the checker".into());
                (ended(status).unwrap_or_else(closed), None)
            }
            Err(NoReply::Failed(Error::Protocol(how))) => (End::Garbled(how), None),
            Err(NoReply::TimedOut) => (End::TimedOut(limit), None),
            Err(NoReply::MemoryExceeded(bytes)) => (End::MemoryExceeded(bytes), None),
            Err(NoReply::TooManyThreads) => {
                (End::TooManyThreads(super::watchdog::MAX_THREADS), None)
            }
            Err(NoReply::Cancelled) => return Err(Error::Cancelled),
            Err(NoReply::Failed(error)) => return Err(error),
        };
        let (printed, printed_dropped) = process.printed();
        Ok(WholeRun { end, report, printed, printed_dropped })
    }
}

/// How a process with this status ended.
fn ended(status: Option<std::process::ExitStatus>) -> Option<End> {
    let status = status?;
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Some(End::Signal(signal));
    }
    status.code().map(End::Exited)
}
