//! `checker reset`: restores the original file and keeps the learner's as a backup.

use std::fs;
use std::io::ErrorKind;

use anyhow::Context;

use crate::course;
use crate::error::Usage;
use crate::exercises;
use crate::exit::Exit;
use crate::session::Session;

/// Restores the original of an exercise after making a backup of the current file.
pub fn run(name: &str) -> anyhow::Result<Exit> {
    let mut session = Session::open()?;
    let spec = exercises::find(name)?;
    let original = course::skeleton(spec)
        .ok_or_else(|| Usage(format!("this checker has no original of {}", spec.id)))?;
    let path = session.workbook.exercise(spec);
    let file = session.workbook.relative(&path);

    // Whatever is in place may be the learner's work, so what cannot be copied is not overwritten:
    // a pipe, a folder, a locked file.
    let current = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        _ if path.metadata().is_ok_and(|found| !found.is_file()) => {
            return Err(Usage(format!("{file} is not a plain file: move it away first")).into());
        }
        _ => Some(fs::read(&path).with_context(|| {
            format!("cannot read {file}; nothing was changed: move it away first")
        })?),
    };
    if let Some(current) = current {
        if current == original.as_bytes() {
            session.change(|progress| progress.forget(spec.id));
            say!("{file} is the original already");
            return Ok(Exit::Passed);
        }
        let copy = session.workbook.save_copy(spec, &current).context("nothing was changed")?;
        let shown = session.workbook.relative(&copy);
        say!("your file was saved as {shown}");
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    }
    fs::write(&path, original).with_context(|| format!("cannot write {file}"))?;
    session.change(|progress| progress.forget(spec.id));
    say!("{file} is the original again");
    Ok(Exit::Passed)
}
