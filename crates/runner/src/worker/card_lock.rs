//! A lock for each card, so that nothing else runs on it while a kernel is timed.
//!
//! All checkers of a machine use the same files: a run takes the lock together with other runs, and
//! a timed run takes it alone. Other programs know nothing of it.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use super::Error;

/// The lock of a card, until it's dropped.
#[derive(Debug)]
pub(super) struct CardLock(
    #[expect(dead_code, reason = "it is locked as long as it is open")] File,
);

impl CardLock {
    /// Takes the lock for a run. A run that isn't timed does without it if it can't be taken.
    ///
    /// # Errors
    /// When a timed run can't take it.
    pub fn take_to_run(gpu: Option<&str>, timed: bool) -> Result<Option<Self>, Error> {
        match Self::take(gpu, timed) {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if timed => Err(Error::CardLock(error)),
            Err(_) => Ok(None),
        }
    }

    /// Waits until nothing is timed on the card; or, to time something, until nothing runs on it.
    /// `gpu` is its name in `CUDA_VISIBLE_DEVICES`.
    fn take(gpu: Option<&str>, timed: bool) -> std::io::Result<Self> {
        let file = open(&path(gpu))?;
        if timed {
            file.lock()?
        } else {
            file.lock_shared()?
        }
        Ok(Self(file))
    }
}

/// The file for a card: learners' programs can't reach it, because the sandbox hides this folder.
fn path(gpu: Option<&str>) -> PathBuf {
    let visible = std::env::var("CUDA_VISIBLE_DEVICES").ok();
    let name = gpu.or(visible.as_deref()).unwrap_or("all");
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.chars().take(60).map(plain).collect();
    std::env::temp_dir().join(format!("cuda-workbook-gpu-{name}.lock"))
}

/// Opens the file, which may be another user's.
fn open(path: &PathBuf) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    options.open(path).or_else(|_| {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
        options.open(path)
    })
}

#[cfg(test)]
mod tests {
    use std::fs::TryLockError;

    use super::*;

    /// Runs share the card, and a timed run has it alone.
    #[test]
    fn a_timed_run_has_the_card_alone() {
        let gpu = format!("test of {}", std::process::id());
        let shared = CardLock::take(Some(&gpu), false).expect("a lock");
        let other = open(&path(Some(&gpu))).expect("the file");
        other.try_lock_shared().expect("another run at the same time");
        other.unlock().expect("unlocked");
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)), "it is in use");
        drop(shared);
        let timed = CardLock::take(Some(&gpu), true).expect("the lock");
        assert!(matches!(other.try_lock_shared(), Err(TryLockError::WouldBlock)), "it is timed");
        drop(timed);
        other.try_lock_shared().expect("the card is free again");
        std::fs::remove_file(path(Some(&gpu))).expect("removed");
    }
}
