//! Memory of the program itself, at addresses that the program passed.
//!
//! This is the only module that accesses this memory. As with NVIDIA's runtime, an invalid address
//! ends the process with a signal, so programs run in a process of their own.

use crate::guard;
use crate::runtime::Region;

/// An address in the program's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u64);

impl Address {
    /// Reads `bytes` bytes.
    #[expect(unsafe_code, reason = "the program vouches for its addresses")]
    pub fn read(self, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        // SAFETY: the program vouches for the range, as CUDA demands, and `data` does not overlap
        // it.
        unsafe { std::ptr::copy_nonoverlapping(self.0 as *const u8, data.as_mut_ptr(), bytes) };
        data
    }

    /// Writes `data`.
    #[expect(unsafe_code, reason = "the program vouches for its addresses")]
    pub fn write(self, data: &[u8]) {
        // SAFETY: as in `read`; Rust holds no reference to the program's memory.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), self.0 as *mut u8, data.len()) };
    }
}

/// The bytes of registered memory whose pages contain nothing else that the program or the runtime
/// uses: all of them if the memory has its pages to itself, else those of its whole pages.
pub fn closable(start: u64, bytes: u64) -> (u64, u64) {
    let end = start.saturating_add(bytes);
    if guard::are_own_pages(start, end) || is_mapped_block(start, bytes) {
        (start, end)
    } else {
        (start.next_multiple_of(guard::PAGE), end / guard::PAGE * guard::PAGE)
    }
}

/// Is this a large block of glibc's `malloc`, which has its pages to itself? Its first page begins
/// with two words: 0, and the block's whole pages with the bit of blocks that are mapped on their
/// own (malloc.c, `IS_MMAPPED`).
fn is_mapped_block(start: u64, bytes: u64) -> bool {
    const HEADER: u64 = 16;
    const MAPPED: u64 = 2;
    if start % guard::PAGE != HEADER {
        return false;
    }
    let header = Address(start - HEADER).read(HEADER as usize);
    let words: Vec<u64> =
        header.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let size = words.get(1).copied().unwrap_or_default();
    words.first() == Some(&0)
        && size % guard::PAGE == MAPPED
        && size - MAPPED >= bytes.saturating_add(HEADER)
}

/// The bytes of a box in the program's memory, row by row.
pub fn gather(from: &Region) -> Vec<u8> {
    opened(from, || {
        let width = from.extent.width as usize;
        let mut rows = from.rows().map(|row| Address(row).read(width));
        let first = rows.next().unwrap_or_default();
        rows.fold(first, |mut all, row| {
            all.extend_from_slice(&row);
            all
        })
    })
}

/// Fills a box in the program's memory, row by row.
pub fn scatter(to: &Region, data: &[u8]) {
    opened(to, || {
        for (row, bytes) in to.rows().zip(data.chunks(to.extent.width as usize)) {
            Address(row).write(bytes);
        }
    });
}

/// Opens the closed pages of a box while `f` runs.
fn opened<T>(region: &Region, f: impl FnOnce() -> T) -> T {
    let start = region.layout.address;
    guard::opened(start, start.saturating_add(region.span().unwrap_or(0)), f)
}
