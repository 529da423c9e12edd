//! The checker's exit codes. "Wrong" and "could not run" are never confused.

use std::process::ExitCode;

use crate::backend::Fault;
use crate::verdict::Verdict;

/// Everything that was checked is right.
pub const PASSED: u8 = 0;
/// The learner's code is not right yet.
pub const NOT_YET: u8 = 1;
/// The command line is wrong, or the course is broken.
pub const USAGE: u8 = 2;
/// Something outside the checker is missing: there is no compiler, or no GPU although one was
/// selected.
pub const ENVIRONMENT: u8 = runner::ENVIRONMENT;

/// The exit code of one verdict.
pub fn code(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Passed(_) => PASSED,
        Verdict::Fault { fault, .. } => match **fault {
            Fault::Unsupported { .. } | Fault::WorkerDied { .. } => ENVIRONMENT,
            _ => NOT_YET,
        },
        _ => NOT_YET,
    }
}

/// The result of a command, which becomes the exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// [`PASSED`]
    Passed,
    /// [`NOT_YET`]
    NotYet,
    /// [`USAGE`]
    Usage,
    /// [`ENVIRONMENT`]
    Environment,
}

impl Exit {
    /// The result of a command with this verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match code(verdict) {
            PASSED => Self::Passed,
            ENVIRONMENT => Self::Environment,
            _ => Self::NotYet,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Passed => PASSED,
            Exit::NotYet => NOT_YET,
            Exit::Usage => USAGE,
            Exit::Environment => ENVIRONMENT,
        })
    }
}
