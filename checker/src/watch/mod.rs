//! `checker watch`: a verdict at every save.
//!
//! ```text
//! files ─┐                       ┌─> checker (a thread: engine, warm worker)
//! keys  ─┼─> loop: state ─ acts ─┤
//! ends  ─┘                       └─> screen
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

/// Whether the screen may be cleared and redrawn: `NO_COLOR` (no-color.org) asks for plain text.
pub fn tricks_allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
