//! Why a check could not be made.

use crate::backend::NoGpu;
use crate::worker;

/// Why a check could not be made. The cause is never in the learner's code.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The exercise has no such case.
    #[error("{exercise} has no case `{case}`: it has {known}")]
    NoSuchCase {
        /// The exercise.
        exercise: &'static str,
        /// The name that was given.
        case: String,
        /// The names of its cases.
        known: String,
    },
    /// The launch has no such thread.
    #[error("there is no {what} {asked} in {within}: {what}s go from {first} to {last}")]
    NoSuchThread {
        /// "block" or "thread".
        what: &'static str,
        /// Its index as it was given.
        asked: String,
        /// The case or the launch: "case `five blocks`", "launch 2".
        within: String,
        /// The first index.
        first: String,
        /// The last index.
        last: String,
    },
    /// The GPU was selected, and there is none.
    #[error("no GPU to run on: {0}")]
    NoGpu(NoGpu),
    /// The worker could not be used.
    #[error(transparent)]
    Worker(#[from] worker::Error),
    /// The compiler could not be used.
    #[error("the CUDA compiler cannot be used: {0}; `checker doctor` looks for the cause")]
    Compiler(String),
    /// A launch was chosen, but the checker itself makes the only one.
    #[error(
        "--launch chooses among the launches of a program, but {0} is a kernel that the checker launches once in each case"
    )]
    OneLaunch(&'static str),
    /// The program makes no such launch.
    #[error("there is no {asked}: {found}")]
    NoSuchLaunch {
        /// The launch: "launch 7", "launch of a kernel `scale`".
        asked: String,
        /// What the program launches instead, as a sentence.
        found: String,
    },
    /// Host code runs on Linux only.
    #[error("exercises with host code run on Linux only; on Windows, use WSL")]
    NoPrograms,
    /// A launch returned neither counts nor a fault, or an exercise has no cases.
    #[error("a bug in the checker, not in your code: nothing was run")]
    Nothing,
}
