//! A buffer in host memory that a program gets a pointer to. It begins at a page, between two guard
//! zones that must not change, and these are between margins of zeros.

#![expect(unsafe_code, reason = "memory that the program writes through a pointer")]

use crate::backend::guard::{self, ZONE_BYTES};

/// Buffers begin at a multiple of this, because a program may register them as page-locked memory.
const PAGE_BYTES: usize = 4096;

/// Zeros before and behind a buffer. Without them, what a copy finds that is much too long would
/// depend on where the system has other memory, which changes from run to run.
const MARGIN_BYTES: usize = 4 << 20;

/// The buffer. It is never freed, because a copy that the program did not wait for may still write
/// to it.
#[derive(Debug)]
pub struct Buffer {
    start: *mut u8,
    bytes: usize,
}

impl Buffer {
    /// A buffer with these contents, and with guard zones that depend on `salt`. Returns `None`
    /// when memory is short.
    pub fn new(contents: &[u8], salt: u64) -> Option<Self> {
        let image = guard::wrap(contents, salt);
        let pages = image.len().next_multiple_of(PAGE_BYTES);
        // SAFETY: new pages, at an address that the system chooses, are no other memory.
        let all = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                pages + 2 * MARGIN_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if all == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the image is as long as the pages between the margins, or shorter.
        let start = unsafe {
            let start = all.cast::<u8>().add(MARGIN_BYTES);
            start.copy_from_nonoverlapping(image.as_ptr(), image.len());
            start
        };
        cudart_sim::own_pages(start as u64, start as u64 + pages as u64);
        Some(Self { start, bytes: image.len() })
    }

    /// The address of the first element.
    pub fn address(&self) -> u64 {
        self.start as u64 + ZONE_BYTES as u64
    }

    /// The current contents with the guard zones.
    pub fn image(&self) -> Vec<u8> {
        let mut image = vec![0; self.bytes];
        // SAFETY: `new` has allocated this many bytes, which are never freed, and the program has
        // returned.
        unsafe { image.as_mut_ptr().copy_from_nonoverlapping(self.start, self.bytes) };
        image
    }
}
