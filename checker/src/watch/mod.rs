//! `checker watch`: a verdict at every save. How a check works is not known here; the command supplies it.
//!
//! ```text
//! saved files ────┐                       ┌─> checker (a thread)
//! keys ───────────┼─> loop: State, Action ─┤
//! finished checks ┘                       └─> screen
//! ```

mod checker;
mod files;
mod state;
mod terminal;
#[cfg(test)]
mod tests;

pub use checker::{Checker, Finished};
pub use files::watch as watch_files;
pub use state::{Action, Contents, Event, Key, State};
pub use terminal::{Screen, key};
