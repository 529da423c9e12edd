//! The built binary, as a learner or a script calls it.

mod closeups;
mod commands;
mod common;
mod verdicts;
mod watch;
