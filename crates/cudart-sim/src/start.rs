//! Starts threads also while the system has none left.
//!
//! A program can start thousands of threads before the checker counts and ends them. Until then,
//! the system refuses a thread to every other process, with `EAGAIN` (clone(2)). What was refused
//! is tried again, so that one program costs others some time, and no result.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle};
use std::time::Duration;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(20);
/// After how many attempts the refusal is an error: 20 s. Ending thousands of threads takes about a
/// second.
const ATTEMPTS: u32 = 1000;

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
}
