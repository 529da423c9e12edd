//! Text from outside: how it is made harmless to show, and how it becomes one word of a command
//! line.
//!
//! Submissions, rosters, the output of kernels and of other programs are all hostile.
//! [`is_harmful`] alone decides which characters are harmful, and [`quote`] alone quotes for a
//! shell, for the whole workspace.

mod hidden;
mod sanitise;
mod shell;

pub use hidden::{HiddenCharacter, hidden_characters};
pub use sanitise::{cut, excerpt, is_harmful, line, plain, sanitise, shown};
pub use shell::quote;
