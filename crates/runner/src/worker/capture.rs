//! The output of a child, in a file that has no name.
//!
//! The child's standard output and standard error are both this file. So the output of a kernel's
//! `printf` is never taken for a reply, is cut before it reaches the terminal, and is still there
//! after the child has died.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::process::Stdio;

use crate::backend::PRINTED_LIMIT;

/// The file.
#[derive(Debug)]
pub(super) struct Capture {
    file: File,
}

impl Capture {
    /// A new temporary file without a name, to which all writes append.
    pub(super) fn new() -> io::Result<Self> {
        let file = tempfile::tempfile()?;
        #[cfg(unix)]
        {
            // the child's two descriptors and this one share a position, which appending ignores
            let flags = rustix::fs::fcntl_getfl(&file)?;
            rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::APPEND)?;
        }
        Ok(Self { file })
    }

    /// The file for the child to write to.
    pub(super) fn writer(&self) -> io::Result<Stdio> {
        Ok(self.file.try_clone()?.into())
    }

    /// The output since the last call: the first `PRINTED_LIMIT` bytes as text, and the number of
    /// further bytes.
    pub(super) fn take(&mut self) -> (String, u64) {
        let text = self.text();
        // if the file cannot be emptied, the output is shown twice, which is better than no verdict
        let _ = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        text
    }

    /// The same, but keeps the output for the next call.
    pub(super) fn text(&mut self) -> (String, u64) {
        // an error here must not prevent the verdict
        self.try_text().unwrap_or_default()
    }

    fn try_text(&mut self) -> io::Result<(String, u64)> {
        let length = self.file.metadata()?.len();
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        (&self.file).take(PRINTED_LIMIT as u64).read_to_end(&mut bytes)?;
        let dropped = length.saturating_sub(bytes.len() as u64);
        Ok((String::from_utf8_lossy(&bytes).into_owned(), dropped))
    }
}
