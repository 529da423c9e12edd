//! What a child prints, kept in a file that has no name.
//!
//! The child's standard output and error both go here, never to the checker's own: so a kernel's `printf` cannot pass
//! for an answer, cannot reach the terminal uncut, and is still there when the child has died.

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
    /// An empty, unlinked temporary file that is always written at its end.
    pub(super) fn new() -> io::Result<Self> {
        let file = tempfile::tempfile()?;
        #[cfg(unix)]
        {
            // Two descriptors of the child and ours share one position; appending makes it irrelevant.
            let flags = rustix::fs::fcntl_getfl(&file)?;
            rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::APPEND)?;
        }
        Ok(Self { file })
    }

    /// The end that a child writes to.
    pub(super) fn writer(&self) -> io::Result<Stdio> {
        Ok(self.file.try_clone()?.into())
    }

    /// What was printed since the last call: the first `PRINTED_LIMIT` bytes as text, and how many bytes came after
    /// them.
    pub(super) fn take(&mut self) -> (String, u64) {
        let text = self.text();
        // A page that cannot be wiped shows twice, which is better than no verdict.
        let _ = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        text
    }

    /// The same, and the page stays.
    pub(super) fn text(&mut self) -> (String, u64) {
        // Lost output must not cost the learner the verdict.
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
