//! Lets the checker decide about each new thread of a program (`worker/thread_limit.rs`).

#![expect(unsafe_code, reason = "installs a filter")]

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use super::calls::all;

/// `BPF_RET | BPF_K` (linux/filter.h).
const RETURN: u16 = 0x06;

/// Turns each `clone` of this process into a notification, and sends their descriptor through
/// `socket`. This process keeps no copy, so that a program cannot answer.
///
/// Does nothing where the kernel refuses, for example in a container that has a descriptor of this
/// kind already. Then the checker counts the threads from time to time.
///
/// # Errors
/// If the descriptor cannot be sent. Then this process can start no thread.
pub(super) fn new_threads(socket: BorrowedFd<'_>) -> Result<(), String> {
    let Some(listener) = install().map_err(|error| format!("seccomp: {error}"))? else {
        return Ok(());
    };
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut messages = SendAncillaryBuffer::new(&mut space);
    let descriptors = [listener.as_fd()];
    messages.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(socket, &[IoSlice::new(&[0])], &mut messages, SendFlags::NOSIGNAL)
        .map_err(|error| format!("the descriptor of the notifications: {error}"))?;
    Ok(())
}

/// Installs the filter, and returns the descriptor of its notifications if the kernel has them.
fn install() -> Result<Option<OwnedFd>, Box<dyn std::error::Error>> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    // The library has no action for notifications, so a place for it is held by another one.
    let place = SeccompAction::Trace(0);
    let filter = SeccompFilter::new(all(&[libc::SYS_clone]), SeccompAction::Allow, place, target)?;
    let mut filter: BpfProgram = filter.try_into()?;
    for instruction in &mut filter {
        if instruction.code == RETURN && instruction.k == libc::SECCOMP_RET_TRACE {
            instruction.k = libc::SECCOMP_RET_USER_NOTIF;
        }
    }
    let program = libc::sock_fprog {
        len: filter.len().try_into()?,
        filter: filter.as_mut_ptr().cast::<libc::sock_filter>(),
    };
    // SAFETY: the program is valid during the call, and both types of instructions are the kernel's
    // `struct sock_filter`. A new descriptor belongs to nothing else. The kernel takes a filter only
    // from a process that gains no rights by starting another program.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        let listener = libc::syscall(
            libc::SYS_seccomp,
            libc::c_ulong::from(libc::SECCOMP_SET_MODE_FILTER),
            flags,
            &raw const program,
        );
        Ok((listener >= 0).then(|| OwnedFd::from_raw_fd(listener as i32)))
    }
}
