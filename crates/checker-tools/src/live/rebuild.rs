//! Builds the book again when its sources change.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use checker::{console, say};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::site::Site;

/// An editor changes several files at a time, so the build waits until changes stop for this long.
const QUIET_TIME: Duration = Duration::from_millis(100);

/// The parts of the book that its pages are made of.
const PARTS: [&str; 8] =
    ["src", "book.toml", "names.toml", "quizzes", "outputs", "examples", "widgets", "theme"];

/// Watches the sources in the folder `book` until the watcher is dropped. When the system has no
/// watches left, there is no watcher, and the book is served as it was built.
pub fn watch(book: &Path, site: Arc<Site>) -> Option<RecommendedWatcher> {
    let (changes, changed) = mpsc::channel();
    let handler = move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = changes.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(handler).ok()?;
    for part in PARTS {
        // A part that this book lacks cannot be watched.
        let _ = watcher.watch(&book.join(part), RecursiveMode::Recursive);
    }
    thread::spawn(move || {
        while changed.recv().is_ok() {
            while changed.recv_timeout(QUIET_TIME).is_ok() {}
            match site.rebuild() {
                Ok(()) => say!("rebuilt"),
                Err(error) => console::print_error(&error),
            }
        }
    });
    Some(watcher)
}
