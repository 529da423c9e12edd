//! Saves, as the file system reports them.

use std::path::Path;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Config, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

use crate::exercises;
use crate::spec::Spec;

/// Calls `touched` for every exercise file under `folder` that may have changed, until the value returned is dropped.
///
/// The folder is watched and not the files: editors that save by renaming replace the file, and a watch on it would end.
///
/// # Errors
/// When the folder can neither be watched nor polled.
pub fn watch(
    folder: &Path,
    touched: impl Fn(&'static Spec) + Send + Clone + 'static,
) -> notify::Result<Box<dyn Watcher>> {
    let handler = |touched: &dyn Fn(&'static Spec), event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if matters(event.kind) {
            event.paths.iter().filter_map(|path| exercise(path)).for_each(touched);
        }
    };
    let native = touched.clone();
    let native = RecommendedWatcher::new(move |event| handler(&native, event), Config::default());
    if let Ok(mut watcher) = native
        && watcher.watch(folder, RecursiveMode::Recursive).is_ok()
    {
        return Ok(Box::new(watcher));
    }
    // Network folders, and systems whose watches are used up.
    let config = Config::default()
        .with_poll_interval(Duration::from_millis(200))
        .with_compare_contents(true);
    let mut watcher = PollWatcher::new(move |event| handler(&touched, event), config)?;
    watcher.watch(folder, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

/// Reading a file is an event too, also our own reading.
fn matters(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

/// The exercise whose file this is; swap files and backups are nobody's.
fn exercise(path: &Path) -> Option<&'static Spec> {
    let name = path.file_name()?.to_str()?.strip_suffix(".cu")?;
    exercises::all().iter().copied().find(|spec| spec.id == name)
}
