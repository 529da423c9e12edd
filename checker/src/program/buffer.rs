//! A buffer of the host that a program gets a pointer to: at a page, between two zones that nobody may change.

#![expect(unsafe_code, reason = "memory that only the program writes")]

use std::alloc::{self, Layout};

use crate::backend::guard::{self, ZONE};

/// Buffers begin at a page, as page-locked memory does: a program may register them.
const PAGE: usize = 4096;

/// The buffer. It is never freed: a copy that the program did not wait for may still write to it.
#[derive(Debug)]
pub struct Buffer {
    start: *mut u8,
    bytes: usize,
}

impl Buffer {
    /// A buffer with these contents; `None` when memory is short.
    pub fn new(contents: &[u8], salt: u64) -> Option<Self> {
        let image = guard::wrap(contents, salt);
        let layout = Layout::from_size_align(image.len(), PAGE).ok()?;
        // SAFETY: an image is never empty, and is as long as the allocation that it is copied into.
        let start = unsafe {
            let start = alloc::alloc(layout);
            if start.is_null() {
                return None;
            }
            start.copy_from_nonoverlapping(image.as_ptr(), image.len());
            start
        };
        Some(Self { start, bytes: image.len() })
    }

    /// The address of the first element.
    pub fn address(&self) -> u64 {
        self.start as u64 + ZONE as u64
    }

    /// What is there now, zones included.
    pub fn image(&self) -> Vec<u8> {
        let mut image = vec![0; self.bytes];
        // SAFETY: `new` has allocated that many bytes and nobody frees them; the program has returned.
        unsafe { image.as_mut_ptr().copy_from_nonoverlapping(self.start, self.bytes) };
        image
    }
}
