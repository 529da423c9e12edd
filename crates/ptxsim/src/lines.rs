//! Memory that starts at a cache line of the host, as allocations of a GPU do. A warp's 128 bytes
//! are then two lines and not three.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU32;

/// Bytes of a line, as wide as the widest vector.
const LINE: usize = 64;

/// A fixed number of values, the first at the start of a line.
#[derive(Debug)]
pub(crate) struct Lines<T> {
    all: Vec<T>,
    start: usize,
    len: usize,
}

impl<T> Lines<T> {
    /// `len` values, each made by `value`.
    pub fn new(len: usize, value: impl Fn() -> T) -> Self {
        let spare = LINE / size_of::<T>().max(1);
        let all: Vec<T> = (0..len + spare).map(|_| value()).collect();
        let start = all.as_ptr().align_offset(LINE).min(spare);
        Self { all, start, len }
    }
}

impl Lines<AtomicU32> {
    /// `len` zeros. The system provides the pages of a large allocation when they are first used,
    /// because `vec!` asks for zeroed pages and does not write to them.
    #[expect(unsafe_code, reason = "making the words atomic one by one would touch every page")]
    pub fn zeroed(len: usize) -> Self {
        let spare = LINE / size_of::<u32>();
        let mut words = ManuallyDrop::new(vec![0_u32; len + spare]);
        let (length, capacity) = (words.len(), words.capacity());
        // SAFETY: the vector gave up its allocation, and an `AtomicU32` has the size, the alignment
        // and the valid values of a `u32` (`align_of` is compared below).
        let all = unsafe {
            const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) };
            Vec::from_raw_parts(words.as_mut_ptr().cast::<AtomicU32>(), length, capacity)
        };
        let start = all.as_ptr().align_offset(LINE).min(spare);
        Self { all, start, len }
    }
}

impl<T> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.all[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_starts_a_line() {
        for len in [0, 1, 15, 16, 1000] {
            let mut lines = Lines::new(len, || 7_u32);
            assert_eq!(lines.as_ptr().addr() % LINE, 0);
            assert_eq!(lines.len(), len);
            assert!(lines.iter().all(|v| *v == 7));
            lines.fill(8);
            assert!(lines.iter().all(|v| *v == 8));
        }
        let zeros = Lines::zeroed(33);
        assert_eq!((zeros.as_ptr().addr() % LINE, zeros.len()), (0, 33));
        assert!(zeros.iter().all(|v| v.load(std::sync::atomic::Ordering::Relaxed) == 0));
    }
}
