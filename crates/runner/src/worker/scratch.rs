//! The folder that a worker may write to. It is removed with the worker, and if this process is
//! killed first, by the next one.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use tempfile::TempDir;

const PREFIX: &str = "cuda-workbook-";

/// Younger folders may not be locked yet.
const MIN_AGE: Duration = Duration::from_secs(60);

/// A scratch folder.
#[derive(Debug)]
pub(super) struct Scratch {
    dir: TempDir,
    /// Locks the folder as long as this process lives, even if the process can't remove it at its
    /// end.
    _lock: Option<File>,
}

impl Scratch {
    /// A new folder among the system's temporary files. The first call of a process also removes
    /// the folders that killed processes have left behind.
    ///
    /// # Errors
    /// When the folder can't be created.
    pub(super) fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| remove_abandoned(&std::env::temp_dir(), MIN_AGE));
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = lock(dir.path());
        Ok(Self { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Locks a folder; `None` if another process holds the lock, or where folders can't be locked.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Removes the scratch folders in `parent` that are older than `min_age` and that no process locks.
/// Folders of other users stay, because this process may not remove them.
fn remove_abandoned(parent: &Path, min_age: Duration) {
    let is_old = |metadata: Metadata| {
        let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
        metadata.is_dir() && age.is_some_and(|age| age >= min_age)
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // the metadata of an entry is that of a link, and not that of the link's target
        if ours && entry.metadata().is_ok_and(is_old) {
            let locked = lock(&entry.path());
            if locked.is_some() {
                // if it fails, the next process tries again
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only an abandoned folder of ours is removed, with all files in it.
    #[test]
    fn folders_of_killed_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir_all(path.join("inner")).unwrap();
            fs::write(path.join("inner/program-0.so"), "x").unwrap();
            path
        };
        let [abandoned, alive, other] =
            ["cuda-workbook-a", "cuda-workbook-b", "of-another-program"].map(folder);
        let precious = folder("precious");
        std::os::unix::fs::symlink(&precious, parent.path().join("cuda-workbook-c")).unwrap();
        let lock = lock(&alive).unwrap();
        remove_abandoned(parent.path(), MIN_AGE);
        assert!(abandoned.exists(), "it is too young");
        remove_abandoned(parent.path(), Duration::ZERO);
        assert!(!abandoned.exists());
        assert!(alive.exists() && other.exists() && precious.join("inner/program-0.so").exists());
        drop(lock);
        // A process that another test has just forked shares the lock until it runs its program.
        for _ in 0..10_000 {
            remove_abandoned(parent.path(), Duration::ZERO);
            if !alive.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!alive.exists());
    }
}
