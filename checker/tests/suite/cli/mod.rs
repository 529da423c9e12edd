//! The built binary, as a learner or a script calls it.

mod closeups;
mod commands;
pub mod common;
#[cfg(target_os = "linux")]
mod programs;
mod verdicts;
mod watch;
