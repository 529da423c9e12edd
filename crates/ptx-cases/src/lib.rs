//! Kernels whose results and costs are known, as data: what the simulator is tested with, and what runs on a GPU to
//! confirm it. Knows neither of them.
//!
//! ```text
//! counters::launches()    kernels that a profiler counts: every access pattern that the course teaches
//! instructions::GROUPS     one instruction at a time, and what must come out
//! ```

pub mod counters;
pub mod instructions;
mod launch;
mod random;

pub use launch::{Arg, Launch, Plain};
pub use random::Random;
