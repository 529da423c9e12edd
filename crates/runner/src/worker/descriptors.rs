//! Closes the file descriptors that a worker inherits from the process that started the checker.
//!
//! A shell, `flock` or a build tool may leave files open in the checker. A learner's program could
//! read and write them, or store data in their offsets for a later run.

use std::fs;
use std::io;
use std::os::fd::RawFd;

/// The first descriptor after standard input, output and error.
const FIRST: RawFd = 3;

/// Closes all descriptors but the standard ones.
///
/// # Errors
/// When the system refuses, and `/proc` doesn't list the descriptors.
#[expect(unsafe_code, reason = "closes descriptors by their numbers")]
pub(super) fn close_inherited() -> io::Result<()> {
    let first = FIRST.unsigned_abs();
    // SAFETY: a child calls this before anything else, so no object of this process has one of
    // these descriptors.
    let refused = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) } != 0;
    if refused {
        // before Linux 5.9
        let open: Vec<RawFd> = fs::read_dir("/proc/self/fd")?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|descriptor| *descriptor >= FIRST)
            .collect();
        for descriptor in open {
            // SAFETY: as above. The listing itself is closed, which is an error without effect.
            unsafe { libc::close(descriptor) };
        }
    }
    Ok(())
}
