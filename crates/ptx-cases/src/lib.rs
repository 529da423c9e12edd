//! Kernels with known results and known costs, as data. Tests run them on the simulator, and an
//! example program of the checker runs them on a GPU. This crate depends on neither.
//!
//! ```text
//! counters::launches()    kernels that a profiler counts: every access pattern that the course teaches
//! instructions::GROUPS     one instruction at a time, with the expected results
//! ```

pub mod counters;
pub mod instructions;
mod launch;
mod random;

pub use launch::{Arg, Launch, Plain};
pub use random::Random;
