//! Text from outside: how it is made harmless to show, and how it becomes one word of a command line.
//!
//! Submissions, rosters, the output of kernels and of other programs are all hostile. [`sanitise`] is the only place that
//! decides which characters are harmful, and [`shell`] the only one that quotes for a shell; both serve the whole
//! workspace.

mod sanitise;
mod shell;

pub use sanitise::{cut, excerpt, is_harmful, line, plain, sanitise, shown};
pub use shell::quote;
