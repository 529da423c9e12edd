//! Limits the threads of a program: the kernel asks the checker before each one.
//!
//! Counting threads from time to time ([`super::watchdog`]) is too late for a program whose threads
//! start threads. In some hundredths of a second they use up what the machine has, and then nothing
//! on it can start a process. So a program's process has a filter that turns each `clone` into a
//! notification (seccomp_unotify(2)), and passes the notifications' descriptor to the checker
//! before it loads the program (`sandbox/notify.rs`).
//!
//! A call counts when it is allowed, and its thread exists a moment later. So a program whose
//! threads all start a thread at the same moment can have twice as many for that moment.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use super::process::ChildEvent;
use super::watchdog::{self, MAX_THREADS};

/// `SECCOMP_IOCTL_NOTIF_RECV` and `SECCOMP_IOCTL_NOTIF_SEND` (linux/seccomp.h).
const RECEIVE: Opcode = opcode::read_write::<libc::seccomp_notif>(b'!', 0);
const SEND: Opcode = opcode::read_write::<libc::seccomp_notif_resp>(b'!', 1);

/// Answers the notifications of the process `id`, which sends their descriptor through `socket`,
/// until the process has ended. One that is not confined sends none. At the first thread beyond
/// [`MAX_THREADS`] there is an event, and that call and all later ones fail like those of a system
/// without threads left.
pub(super) fn supervise(id: u32, socket: &UnixStream, events: &Sender<ChildEvent>) {
    let Some(listener) = receive(socket) else { return };
    let mut exceeded = false;
    while wait(&listener, socket) {
        let Some(call) = next(&listener) else { continue };
        if !exceeded && watchdog::threads(id) >= MAX_THREADS {
            exceeded = true;
            // this fails if the job has just ended
            let _ = events.send(ChildEvent::TooManyThreads);
        }
        answer(&listener, call, !exceeded);
    }
}

/// The descriptor that the process sends. `None` if it ends or closes the socket instead.
fn receive(socket: &UnixStream) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut messages = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    loop {
        let into = &mut [IoSliceMut::new(&mut byte)];
        match recvmsg(socket, into, &mut messages, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            Err(_) => return None,
            Ok(_) => break,
        }
    }
    messages.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}

/// Waits for a notification. Returns false if there will be none, because the process has ended, or
/// has closed its end of the socket.
fn wait(listener: &OwnedFd, socket: &UnixStream) -> bool {
    let mut ready = [
        PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::IN),
        // without flags, only a closed end is an event
        PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::empty()),
    ];
    match poll(&mut ready, None) {
        Err(Errno::INTR) => true,
        Err(_) => false,
        Ok(_) => ready.iter().all(|ready| (ready.revents() - PollFlags::IN).is_empty()),
    }
}

/// The id of the next call that waits. `None` if its thread has ended or got a signal meanwhile.
#[expect(unsafe_code, reason = "a request to the kernel")]
fn next(listener: &OwnedFd) -> Option<u64> {
    // SAFETY: the structure consists of integers, and the kernel demands zeros.
    let mut call: libc::seccomp_notif = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: this request fills this structure (linux/seccomp.h).
    unsafe {
        ioctl(listener, Updater::<RECEIVE, _>::new(&mut call)).ok()?;
    }
    Some(call.id)
}

/// Lets the call continue, or makes it fail with `EAGAIN`.
#[expect(unsafe_code, reason = "a request to the kernel")]
fn answer(listener: &OwnedFd, id: u64, allowed: bool) {
    let (error, flags) = if allowed {
        (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32)
    } else {
        (-libc::EAGAIN, 0)
    };
    let mut response = libc::seccomp_notif_resp { id, val: 0, error, flags };
    // SAFETY: this request reads this structure (linux/seccomp.h). It fails if the thread has ended
    // or got a signal; the kernel then asks again.
    unsafe {
        let send = Updater::<SEND, _>::new(&mut response);
        let _ = ioctl(listener, send);
    }
}
