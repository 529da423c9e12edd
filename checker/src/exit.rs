//! The checker's exit codes. Scripts and CI rely on them: "wrong" and "could not run" are never confused.

use crate::backend::Fault;
use crate::verdict::Verdict;

/// Everything that was asked for passed.
pub const PASSED: u8 = 0;
/// The learner's code is not there yet: it does not compile, faults, computes something else, or misses a gate.
pub const NOT_YET: u8 = 1;
/// The command line is wrong, or the course itself is broken.
pub const USAGE: u8 = 2;
/// It could not run here: no compiler, no GPU though one was asked for, a feature that the simulator lacks.
pub const ENVIRONMENT: u8 = 3;

/// The exit code of one verdict.
pub fn code(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Passed(_) => PASSED,
        Verdict::Fault { fault: Fault::Unsupported { .. } | Fault::WorkerDied { .. }, .. } => {
            ENVIRONMENT
        }
        _ => NOT_YET,
    }
}
