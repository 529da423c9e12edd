//! `checker init`: the course in a new folder.

use std::path::Path;

use crate::exit::Exit;
use crate::session;
use crate::workbook::{self, Initialised};

/// Writes the course and says what to do next.
pub fn run(dir: &Path) -> anyhow::Result<Exit> {
    let Initialised { written, kept } = workbook::init(dir)?;
    let (place, command) = (dir.display(), session::command());
    match (written, kept) {
        (0, _) => say!("{place} has every file of the course already; nothing was changed"),
        (_, 0) => say!("{place}: wrote the course, {written} files"),
        _ => say!("{place}: added {written} missing files; the other {kept} are unchanged"),
    }
    say!();
    say!("  cd {place}");
    say!("  {command}");
    Ok(Exit::Passed)
}
