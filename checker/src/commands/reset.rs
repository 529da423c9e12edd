//! `checker reset`: restores the original file and keeps the learner's as a backup.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context;

use crate::course;
use crate::error::Usage;
use crate::exercises;
use crate::exit::Exit;
use crate::session::Session;
use crate::spec::Spec;

/// Restores the original of an exercise after making a backup of the current file.
pub fn run(name: &str) -> anyhow::Result<Exit> {
    let mut session = Session::open()?;
    let spec = exercises::find(name)?;
    let file = session.workbook.relative(&session.workbook.exercise(spec));
    match restore(&mut session, spec)? {
        Restored::Unchanged => say!("{file} is the original already"),
        Restored::Written { copy } => {
            if let Some(copy) = copy {
                say!("your file was saved as {}", session.workbook.relative(&copy));
            }
            say!("{file} is the original again");
        }
    }
    Ok(Exit::Passed)
}

/// What [`restore`] has done.
pub enum Restored {
    /// The file was the original already.
    Unchanged,
    /// The original was written.
    Written {
        /// The copy of the learner's file; `None` if there was none.
        copy: Option<PathBuf>,
    },
}

/// Restores the original of an exercise, after saving a copy of the file that is in its place, and
/// forgets that the exercise was passed.
///
/// # Errors
/// When the file can neither be copied nor replaced. Then nothing is changed.
pub fn restore(session: &mut Session, spec: &Spec) -> anyhow::Result<Restored> {
    let original = course::skeleton(spec)
        .ok_or_else(|| Usage(format!("this checker has no original of {}", spec.id)))?;
    let original = session.workbook.text_of(original);
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
    if current.as_deref() == Some(original.as_bytes()) {
        session.change(|progress| progress.forget(spec.id));
        return Ok(Restored::Unchanged);
    }
    let save = |current: Vec<u8>| session.workbook.save_copy(spec, &current);
    let copy = current.map(save).transpose().context("nothing was changed")?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    }
    fs::write(&path, original.as_bytes()).with_context(|| format!("cannot write {file}"))?;
    session.change(|progress| progress.forget(spec.id));
    Ok(Restored::Written { copy })
}
