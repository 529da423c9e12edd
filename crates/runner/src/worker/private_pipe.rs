//! One end of a pipe between the checker and a child, in a child that runs learners' code.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};

/// A pipe's end that waits even if a program has made it non-blocking: learners' code finds the
/// descriptor when it tries all of them, and its flags are the process's.
pub(super) struct PrivatePipe(File);

impl PrivatePipe {
    /// Another descriptor of the same end.
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Waits until the other end is closed, and reads nothing.
    #[cfg(target_os = "linux")]
    pub(super) fn wait_for_hang_up(&self) {
        // Without flags, only a closed end is an event.
        let end = PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::empty());
        while poll(&mut [end.clone()], None) == Err(rustix::io::Errno::INTR) {}
    }

    /// Repeats `transfer` until it has been able to do something.
    fn wait_for<T>(
        &mut self,
        ready: PollFlags,
        mut transfer: impl FnMut(&mut File) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match transfer(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let waited = poll(&mut [PollFd::from_borrowed_fd(self.0.as_fd(), ready)], None);
                    if let Err(error) = waited
                        && error != rustix::io::Errno::INTR
                    {
                        return Err(error.into());
                    }
                }
                done => return done,
            }
        }
    }
}

impl AsFd for PrivatePipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl From<OwnedFd> for PrivatePipe {
    fn from(end: OwnedFd) -> Self {
        Self(end.into())
    }
}

impl Read for PrivatePipe {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.wait_for(PollFlags::IN, |file| file.read(bytes))
    }
}

impl Write for PrivatePipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait_for(PollFlags::OUT, |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::fs::{OFlags, fcntl_setfl};

    use super::*;

    /// A reply that is longer than a pipe's buffer arrives whole although a program has made both
    /// ends non-blocking.
    #[test]
    fn a_non_blocking_pipe_still_waits() {
        const BYTES: usize = 1 << 20;
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        for end in [&reader, &writer] {
            fcntl_setfl(end, OFlags::NONBLOCK).unwrap();
        }
        let (mut reader, mut writer) = (PrivatePipe::from(reader), PrivatePipe::from(writer));
        let sent: Vec<u8> = (0..BYTES).map(|i| i as u8).collect();
        let expected = sent.clone();
        let sender = thread::spawn(move || writer.write_all(&sent));
        let mut got = vec![];
        reader.read_to_end(&mut got).unwrap();
        sender.join().unwrap().unwrap();
        assert!(got == expected, "{} of {BYTES} bytes arrived", got.len());
    }
}
