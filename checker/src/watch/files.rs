//! Saves of exercises, as the file system reports them.

use std::path::Path;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Config, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

use crate::exercises;
use crate::spec::Spec;

/// Calls `touched` for every exercise file under `folder` that may have changed, until the returned
/// watcher is dropped.
///
/// It watches the folder and not the files, because editors that save by renaming replace the file,
/// which ends a watch on it.
///
/// # Errors
/// When the folder can neither be watched nor polled.
pub fn watch_files(
    folder: &Path,
    touched: impl Fn(&'static Spec) + Send + Clone + 'static,
) -> notify::Result<Box<dyn Watcher>> {
    let handler = |touched: &dyn Fn(&'static Spec), event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        if may_be_save(event.kind) {
            event.paths.iter().filter_map(|path| exercise_at(path)).for_each(touched);
        }
    };
    let native = touched.clone();
    let native = RecommendedWatcher::new(move |event| handler(&native, event), Config::default());
    if let Ok(mut watcher) = native
        && watcher.watch(folder, RecursiveMode::Recursive).is_ok()
    {
        return Ok(Box::new(watcher));
    }
    // Polling serves network folders, and systems that have no watches left.
    let config = Config::default()
        .with_poll_interval(Duration::from_millis(200))
        .with_compare_contents(true);
    let mut watcher = PollWatcher::new(move |event| handler(&touched, event), config)?;
    watcher.watch(folder, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

/// Whether the event may be a save. Reading a file is an event too, for example when the checker
/// reads it.
fn may_be_save(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

/// The exercise whose file this is; `None` for swap files and backups.
fn exercise_at(path: &Path) -> Option<&'static Spec> {
    let name = path.file_name()?.to_str()?.strip_suffix(".cu")?;
    exercises::all().iter().copied().find(|spec| spec.id == name)
}
