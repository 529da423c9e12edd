//! A process of its own for each compilation, without the time that loading the compiler takes.
//!
//! The child loads the compiler and compiles a line of its own. It never reads a request. For each
//! one, it forks a process that already has the compiler in memory. The forked process confines
//! itself, reads one request from the pipe, replies and ends, so that nothing of a learner's
//! reaches the next request. It waits for the request from the beginning, because the child forks
//! it in advance. Its folder for temporary files is its own, too.
//!
//! If the forked process dies, so does the child, in the same way. The checker reports that as it
//! reports the death of any other child.

use std::path::Path;

use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, waitpid,
};

use super::child::REPLIED;
use super::process::SCRATCH_VARIABLE;
use crate::start;

/// Forks a process for each request, which `serve_one` answers; returns the child's exit code.
pub(super) fn serve(scratch: &Path, serve_one: impl Fn() -> u8) -> u8 {
    // A process that a compiler leaves behind becomes a child of this one.
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
    for number in 0_u64.. {
        let own = scratch.join(number.to_string());
        if std::fs::create_dir(&own).is_err() {
            return 3;
        }
        let forked = start::patiently(|| fork().transpose().map_err(Into::into));
        match forked {
            Ok(None) => end(use_folder(&own).map_or(3, |()| serve_one())),
            Err(_) => return 3,
            Ok(Some(forked)) => match wait(forked) {
                Some(status) if status.exit_status() == Some(REPLIED.into()) => {}
                Some(status) => return repeat(status),
                None => return 3,
            },
        }
        let _ = std::fs::remove_dir_all(&own);
        // What is left over and has ended needs no more than this.
        while matches!(waitpid(None, WaitOptions::NOHANG), Ok(Some(_))) {}
        // Ends what still runs, and this process with it; the checker then starts another one.
        if !matches!(waitpid(None, WaitOptions::NOHANG), Err(rustix::io::Errno::CHILD)) {
            let _ = kill_process_group(getpid(), Signal::KILL);
        }
    }
    3
}

/// `None` in the forked process.
#[expect(unsafe_code, reason = "forks")]
fn fork() -> Option<rustix::io::Result<Pid>> {
    // SAFETY: this process has one thread, because the one that compiled has ended. So no other
    // thread holds a lock that the forked process would wait for.
    match unsafe { libc::fork() } {
        0 => None,
        id => Some(Pid::from_raw(id).filter(|_| id > 0).ok_or(rustix::io::Errno::AGAIN)),
    }
}

/// Uses this folder for temporary files.
#[expect(unsafe_code, reason = "changes the environment")]
fn use_folder(folder: &Path) -> Option<()> {
    // SAFETY: this process has one thread.
    unsafe {
        std::env::set_var(SCRATCH_VARIABLE, folder);
        std::env::set_var("TMPDIR", folder);
    }
    Some(())
}

fn wait(forked: Pid) -> Option<WaitStatus> {
    loop {
        match waitpid(Some(forked), WaitOptions::empty()) {
            Ok(status) => return status.map(|(_, status)| status),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Ends as the forked process has.
fn repeat(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().and_then(Signal::from_named_raw);
    if let Some(signal) = signal {
        let _ = kill_process(getpid(), signal);
    }
    status.exit_status().and_then(|code| u8::try_from(code).ok()).unwrap_or(3)
}

/// Ends this process without the cleaning up of libraries, which belong to the child, too.
#[expect(unsafe_code, reason = "ends the process")]
fn end(code: u8) -> ! {
    // SAFETY: it has no preconditions.
    unsafe { libc::_exit(code.into()) }
}
