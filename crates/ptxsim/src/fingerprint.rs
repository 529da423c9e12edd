//! Whether two allocations have the same contents, without keeping both.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::memory::{Allocation, Initialised};

/// A digest of an allocation's size, words and uninitialised bytes, and of what findings and
/// observations say about it. Equal fingerprints mean equal allocations: by chance, two different
/// ones agree in fewer than one of 2^100 comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u128; LANES]);

/// Polynomials that are evaluated side by side, because a multiplication takes several cycles.
const LANES: usize = 4;

/// The point at which the polynomials are evaluated: odd, so that no coefficient is lost.
const POINT: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

impl Fingerprint {
    /// The fingerprint of an allocation.
    pub fn of(allocation: &Allocation) -> Self {
        let a = allocation;
        let flags = [a.of_bytes, a.writable, a.parted, a.ordered].map(u64::from);
        let mut all = Self([POINT; LANES]);
        all.add([
            a.bytes,
            u64::from(a.element),
            flags[3] << 3 | flags[0] << 2 | flags[1] << 1 | flags[2],
            0,
        ]);
        all.add_bytes(a.name.as_bytes());
        all.add_words(&a.words);
        match &a.initialised {
            Initialised::All => all.add([1; LANES]),
            Initialised::None => all.add([2; LANES]),
            Initialised::Some(some) => all.add_bytes(some.bits()),
        }
        all
    }

    /// Adds one coefficient to each polynomial.
    #[inline(always)]
    fn add(&mut self, values: [u64; LANES]) {
        for (lane, value) in self.0.iter_mut().zip(values) {
            *lane = lane.wrapping_mul(POINT).wrapping_add(u128::from(value));
        }
    }

    fn add_words(&mut self, words: &[AtomicU32]) {
        let pair = |low: &AtomicU32, high: &AtomicU32| {
            u64::from(low.load(Relaxed)) | u64::from(high.load(Relaxed)) << 32
        };
        let (chunks, rest) = words.as_chunks::<{ 2 * LANES }>();
        for [a, b, c, d, e, f, g, h] in chunks {
            self.add([pair(a, b), pair(c, d), pair(e, f), pair(g, h)]);
        }
        for word in rest {
            self.add([u64::from(word.load(Relaxed)), 0, 0, 0]);
        }
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        self.add([bytes.len() as u64, 0, 0, 0]);
        let (chunks, rest) = bytes.as_chunks::<{ 8 * LANES }>();
        for chunk in chunks {
            let (values, _) = chunk.as_chunks::<8>();
            self.add(std::array::from_fn(|i| values.get(i).map_or(0, |v| u64::from_le_bytes(*v))));
        }
        for byte in rest {
            self.add([u64::from(*byte), 0, 0, 0]);
        }
    }
}
