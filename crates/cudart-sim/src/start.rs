//! Starts threads and processes also while the system has none left.
//!
//! A program can start thousands of threads before the checker counts and ends them. Until then,
//! the system refuses a thread to every other process, with `EAGAIN` (clone(2)). What was refused
//! is tried again, so that one program costs others some time, and no result.

use std::io::{self, ErrorKind};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle};
use std::time::Duration;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(20);
/// After how many attempts the refusal is an error: 20 s. Ending thousands of threads takes about a
/// second.
const ATTEMPTS: u32 = 1000;
/// How often a process that starts others is run, and the time between.
const DRIVER_ATTEMPTS: u32 = 6;
const DRIVER_PAUSE: Duration = Duration::from_millis(500);

/// Starts a thread.
///
/// # Errors
/// If the system refuses it for a long time.
pub fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    // a failed attempt consumes what it should have run
    let work = Arc::new(Mutex::new(Some(work)));
    patiently(|| {
        let work = Arc::clone(&work);
        Builder::new().name(name.to_owned()).spawn(move || {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(work) = work {
                work();
            }
        })
    })
}

/// Starts a process.
///
/// # Errors
/// If it cannot be started, or the system refuses it for a long time.
pub fn process(command: &mut Command) -> io::Result<Child> {
    patiently(|| command.spawn())
}

/// Runs a process that starts others to its end, and returns what it printed. It is run again if
/// the system refused one of them; what it says about that is what perror(3) says.
///
/// # Errors
/// If it cannot be started or waited for.
pub fn driver(command: &mut Command) -> io::Result<Output> {
    const REFUSAL: &[u8] = b"Resource temporarily unavailable";
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut attempts = 0;
    loop {
        let output = process(command)?.wait_with_output()?;
        let refused = output.stderr.windows(REFUSAL.len()).any(|said| said == REFUSAL);
        attempts += 1;
        // a source can make a compiler say the same
        if output.status.success() || !refused || attempts == DRIVER_ATTEMPTS {
            return Ok(output);
        }
        thread::sleep(DRIVER_PAUSE);
    }
}

/// Makes an attempt again for as long as the system refuses it.
///
/// # Errors
/// The last attempt's, or the first one that is no refusal.
pub fn patiently<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
            result => return result,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A refusal that passes is no error.
    #[test]
    fn a_refusal_is_waited_out() {
        let mut refusals = 5;
        let result = patiently(|| {
            refusals -= 1;
            if refusals > 0 { Err(ErrorKind::WouldBlock.into()) } else { Ok("started") }
        });
        assert_eq!((result.unwrap(), refusals), ("started", 0));
    }

    /// An error that no waiting cures is one at once.
    #[test]
    fn other_errors_are_not_waited_out() {
        let mut attempts = 0;
        let result: io::Result<()> = patiently(|| {
            attempts += 1;
            Err(ErrorKind::NotFound.into())
        });
        assert_eq!((result.unwrap_err().kind(), attempts), (ErrorKind::NotFound, 1));
    }

    /// A compiler's driver that could not start the compiler is run again.
    #[test]
    #[cfg(unix)]
    fn a_driver_without_its_processes_is_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let script = "if [ -e tried ]; then echo done; else touch tried; \
                      echo 'sh: fork: Resource temporarily unavailable' >&2; exit 1; fi";
        let output = driver(Command::new("sh").args(["-c", script]).current_dir(folder.path()));
        assert_eq!(output.unwrap().stdout, b"done\n");
    }
}
