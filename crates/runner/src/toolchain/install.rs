//! Installs the wheels so that an incomplete installation is never taken for a compiler.
//!
//! Everything happens in a temporary sibling of the final folder, which is renamed at the end. A
//! lock file keeps two processes from downloading at the same time.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use super::environment::Environment;
use super::error::Error;
use super::pins::Pins;
use super::pip::{STAGING_PREFIX, Staging};
use super::{Progress, Toolchain, search};

/// Interval at which the growing files are measured.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Lines that are kept of pip's messages.
const MAX_LINES: usize = 200;

/// Installs the pinned wheels into the cache, or waits for another process that is doing so. A
/// complete installation is returned at once.
pub(super) fn install(
    environment: &Environment,
    pins: &Pins,
    report: &mut dyn FnMut(Progress),
) -> Result<Toolchain, Error> {
    let supported = cfg!(any(
        all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")),
        all(windows, target_arch = "x86_64")
    ));
    if !supported {
        let system = format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH);
        return Err(Error::Platform { system });
    }
    let cache = environment.cache.as_path();
    if let Some(done) = search::cached(cache, pins) {
        return Ok(done);
    }
    check_writable(cache)?;
    let _lock = lock(cache, report)?;
    if let Some(done) = search::cached(cache, pins) {
        return Ok(done); // The process that held the lock has installed it.
    }
    remove_leftovers(cache);
    check_space(cache, pins)?;

    let in_cache = |reason| Error::cache(cache, reason);
    let staging = Staging::new(cache, pins.requirements)?;
    let (scratch, target) = (staging.scratch(), staging.target());
    let mut command = staging.command(&environment.path)?;

    report(Progress::Plan {
        release: pins.release,
        into: cache.to_path_buf(),
        download: pins.download(),
        disk: pins.disk(),
    });
    let child = command.spawn();
    let child = child.map_err(|e| Error::Pip { status: e.to_string(), detail: String::new() })?;
    let (status, messages) = report_until_end(child, pins, &scratch, &target, report);
    if !status.as_ref().is_ok_and(ExitStatus::success) {
        let status = status.map_or_else(|e| e.to_string(), |s| s.to_string());
        return Err(staging.error(&messages, status, cache));
    }

    merge_parts(&target, pins).map_err(in_cache)?;
    search::installed(&target, pins).ok_or(Error::Incomplete)?;
    check_programs(&target.join(pins.root), pins)?;
    link_libraries(&target.join(pins.root));
    finish(&target, &cache.join(pins.folder())).map_err(in_cache)?;
    search::cached(cache, pins).ok_or(Error::Incomplete)
}

/// Makes the cache folder if necessary, and checks that it can be written.
pub(super) fn check_writable(cache: &Path) -> Result<(), Error> {
    let attempt = || {
        fs::create_dir_all(cache)?;
        tempfile::tempfile_in(cache).map(drop)
    };
    attempt().map_err(|reason| Error::cache(cache, reason))
}

/// Waits until no other process installs. On a file system without locks the installation goes on,
/// because the final rename keeps the result complete.
pub(super) fn lock(cache: &Path, report: &mut dyn FnMut(Progress)) -> Result<File, Error> {
    let path = cache.join("installing.lock");
    let file = File::options().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|reason| Error::cache(cache, reason))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        report(Progress::Waiting);
        let _ = file.lock();
    }
    Ok(file)
}

/// Removes the folders of interrupted installations. Call this with the lock held, so that no
/// process uses them.
fn remove_leftovers(cache: &Path) {
    let entries = fs::read_dir(cache).into_iter().flatten().flatten();
    for entry in entries.filter(|e| e.file_name().to_string_lossy().starts_with(STAGING_PREFIX)) {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(unix)]
fn check_space(cache: &Path, pins: &Pins) -> Result<(), Error> {
    let Ok(stat) = rustix::fs::statvfs(cache) else { return Ok(()) };
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    if free < pins.required_space() {
        return Err(Error::NoSpace {
            folder: cache.to_path_buf(),
            need: pins.required_space(),
            free: Some(free),
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_space(_: &Path, _: &Pins) -> Result<(), Error> {
    Ok(()) // pip reports a full disk.
}

/// Reports pip's progress until it ends, and returns its status and its last messages.
///
/// The progress is measured from the files that pip writes, because older versions show theirs only
/// in a terminal.
fn report_until_end(
    mut child: Child,
    pins: &Pins,
    scratch: &Path,
    target: &Path,
    report: &mut dyn FnMut(Progress),
) -> (io::Result<ExitStatus>, String) {
    let reader = child.stderr.take().map(|stderr| thread::spawn(move || tail(stderr)));
    let mut seen = vec![0; pins.packages.len()];
    let mut unpacked = 0;
    let status = loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => break Ok(status),
            Err(error) => break Err(error),
        }
        let mut files = Vec::new();
        list(target, &mut files);
        for entry in fs::read_dir(scratch).into_iter().flatten().flatten() {
            // pip keeps wheels and their contents in folders. Files outside of folders are copies
            // for its cache.
            list(&entry.path(), &mut files);
        }
        let (wheels, contents): (Vec<_>, Vec<_>) =
            files.iter().partition(|(name, _)| name.ends_with(".whl"));
        for (package, seen) in pins.packages.iter().zip(&mut seen) {
            let prefix = package.file_prefix();
            let size =
                wheels.iter().filter(|(n, _)| n.starts_with(&prefix)).map(|(_, size)| *size).sum();
            if size > *seen {
                *seen = size;
                let (done, total) = (size.min(package.bytes()), package.bytes());
                report(Progress::Download { package: package.name, done, total });
            }
        }
        let size: u64 = contents.iter().map(|(_, size)| size).sum();
        if size > unpacked {
            unpacked = size;
            report(Progress::Unpack { done: size.min(pins.disk()), total: pins.disk() });
        }
        thread::sleep(POLL_INTERVAL);
    };
    if status.as_ref().is_ok_and(ExitStatus::success) {
        report(Progress::Unpack { done: pins.disk(), total: pins.disk() });
    }
    let messages = reader.and_then(|r| r.join().ok()).unwrap_or_default();
    (status, messages)
}

/// The last lines of a stream. It is read to its end, so that the writer never blocks.
fn tail(stream: impl io::Read) -> String {
    let mut lines = std::collections::VecDeque::new();
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
    lines.into_iter().collect()
}

/// Adds name and size of every file below `folder`. Files that disappear meanwhile are left out.
fn list(folder: &Path, files: &mut Vec<(String, u64)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(data) if data.is_dir() => list(&entry.path(), files),
            Ok(data) => files.push((entry.file_name().to_string_lossy().into_owned(), data.len())),
            Err(_) => {}
        }
    }
}

/// Moves what wheels with folders of their own contain into the common folder of a toolkit. A name
/// that two wheels have (`__init__.py`) stays where the second has it.
fn merge_parts(target: &Path, pins: &Pins) -> io::Result<()> {
    for part in pins.parts {
        for folder in folders(&target.join(part)) {
            let from = target.join(part).join(&folder);
            let to = target.join(pins.root).join(&folder);
            fs::create_dir_all(&to)?;
            for entry in fs::read_dir(&from)? {
                let entry = entry?;
                let place = to.join(entry.file_name());
                if !place.exists() {
                    fs::rename(entry.path(), place)?;
                }
            }
        }
    }
    Ok(())
}

/// The names of the folders in `folder`.
fn folders(folder: &Path) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.file_name()).collect()
}

/// Starts each program once, which fails without executable bits, on a disk that forbids programs,
/// or on another processor.
fn check_programs(root: &Path, pins: &Pins) -> Result<(), Error> {
    for program in pins.programs {
        let program = root.join(program).with_extension(std::env::consts::EXE_EXTENSION);
        if !program.is_file() {
            return Err(Error::Incomplete);
        }
        check_starts(&program).map_err(|reason| Error::NotExecutable { program, reason })?;
    }
    Ok(())
}

/// Checks that `program --version` starts. Its exit code does not matter (cicc has no `--version`),
/// except 126 and 127, which come from the shell or the loader.
pub(super) fn check_starts(program: &Path) -> Result<(), String> {
    let run = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    match run {
        Ok(done) if done.status.code().is_some_and(|code| (0..126).contains(&code)) => Ok(()),
        Ok(done) => Err(done.status.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// Links `lib64`, from which the wheels' `nvcc.profile` links, to `lib`, where the wheels keep
/// their libraries.
fn link_libraries(root: &Path) {
    #[cfg(unix)]
    let _ = std::os::unix::fs::symlink("lib", root.join("lib64"));
    #[cfg(not(unix))]
    let _ = root;
}

/// Renames the finished folder to its final name. A damaged installation with that name is moved
/// away first.
pub(super) fn finish(target: &Path, place: &Path) -> io::Result<()> {
    if place.symlink_metadata().is_ok() {
        let aside: PathBuf = target.with_file_name("damaged");
        fs::rename(place, aside)?; // This is inside the staging folder, which is removed at the end.
    }
    fs::rename(target, place)
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
