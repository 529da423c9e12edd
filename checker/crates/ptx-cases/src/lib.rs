//! Kernels whose results and costs are known, as data: what the simulator is tested with, and what runs on a GPU to
//! confirm it. Knows neither of them.
//!
//! ```text
//! counters::launches()    kernels that a profiler counts: every access pattern that the course teaches
//! ```

pub mod counters;
mod launch;
mod random;

pub use launch::{Arg, Launch, Plain};
pub use random::Random;
