//! Watching: every save of an exercise leads to a check. The command supplies the check as a
//! function.
//!
//! ```text
//! saved files ────┐                        ┌─> checker (a thread)
//! keys ───────────┼─> loop: State, Action ─┤
//! finished checks ┘                        └─> screen
//! ```

mod checker;
mod files;
mod state;
mod terminal;
#[cfg(test)]
mod tests;

pub use checker::{Checker, Finished};
pub use files::watch_files;
pub use state::{Action, Contents, Event, Key, State};
pub use terminal::{Screen, read_key};
