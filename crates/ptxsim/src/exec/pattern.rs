//! Patterns: how the lanes' addresses of one access lie around the first lane's. A memory operation
//! mostly repeats its last pattern at another address. One comparison with that pattern then gives
//! the bounds, the shape and the cost of the access.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over 32 lanes of several rows, which become vector code"
)]

use super::warp::{Row32, Row64};
use super::words::{Half, Shape};

/// The cost of an access.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Sectors of global memory, or wavefronts of shared memory.
    pub units: u32,
    pub ideal: u32,
    /// Of shared memory.
    pub transactions: u32,
}

/// The last pattern of a memory operation.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(crate) struct Pattern {
    /// Bytes from the first active lane's address to each lane's; 0 for lanes that do not take
    /// part.
    wide: [u64; 32],
    pub by: [u32; 32],
    /// The lanes that take part; 0 before the first access.
    mask: u32,
    pub(super) shape: Shape,
    /// The least distance, and bytes from there to the end of the last lane's access.
    pub least: i64,
    pub span: u64,
    /// All distances are multiples of what a lane accesses.
    pub aligned: bool,
    /// The cost of the last access that was counted, and the alignment of its first address that
    /// the cost is for.
    pub cost: Cost,
    pub cost_at: u32,
    /// First byte and end of the shared array that the last access was in.
    pub shared_range: (u32, u32),
}

impl Default for Pattern {
    fn default() -> Self {
        Self {
            wide: [0; 32],
            by: [0; 32],
            mask: 0,
            shape: Shape::default(),
            least: 0,
            span: 0,
            aligned: false,
            cost: Cost::default(),
            cost_at: u32::MAX,
            shared_range: (0, 0),
        }
    }
}

impl Pattern {
    /// Do the addresses of the lanes of `mask` have this pattern? `first` is the lowest of these
    /// lanes.
    #[inline(always)]
    pub fn fits64(&self, addresses: &[u64; 32], mask: u32, first: usize) -> bool {
        let (base, mut off) = (addresses[first], 0);
        if mask != self.mask {
            return false;
        }
        if mask == u32::MAX {
            let mut by = Row64([0; 32]);
            for i in 0..32 {
                by.0[i] = addresses[i].wrapping_sub(base);
            }
            // arrays are compared as vectors, which is faster than adding up the differences; in
            // halves, because longer arrays are compared by a function call
            let (by, last) = (by.0.as_chunks::<16>().0, self.wide.as_chunks::<16>().0);
            return by[0] == last[0] && by[1] == last[1];
        }
        for i in 0..32 {
            let active = u64::from(mask >> i & 1).wrapping_neg();
            off |= (addresses[i].wrapping_sub(base) ^ self.wide[i]) & active;
        }
        off == 0
    }

    /// [`Pattern::fits64`] for 32-bit addresses.
    #[inline(always)]
    pub fn fits32(&self, addresses: &[u32; 32], mask: u32, first: usize) -> bool {
        let (base, mut off) = (addresses[first], 0);
        if mask != self.mask {
            return false;
        }
        if mask == u32::MAX {
            let mut by = Row32([0; 32]);
            for i in 0..32 {
                by.0[i] = addresses[i].wrapping_sub(base);
            }
            return by.0 == self.by;
        }
        for i in 0..32 {
            let active = (mask >> i & 1).wrapping_neg();
            off |= (addresses[i].wrapping_sub(base) ^ self.by[i]) & active;
        }
        off == 0
    }

    /// Makes this the pattern of the given addresses. False when one is more than 2 GiB away from
    /// the first.
    #[inline(always)]
    pub fn set64(&mut self, addresses: &[u64; 32], mask: u32, first: usize, bytes: u32) -> bool {
        let base = addresses[first];
        let mut far = 0;
        for i in 0..32 {
            let active = u64::from(mask >> i & 1).wrapping_neg();
            let by = addresses[i].wrapping_sub(base) & active;
            far |= by.wrapping_add(1 << 31) >> 32;
            self.wide[i] = by;
            self.by[i] = by as u32;
        }
        self.mask = if far == 0 { mask } else { 0 };
        far == 0 && self.describe(bytes)
    }

    /// [`Pattern::set64`] for 32-bit addresses.
    #[inline(always)]
    pub fn set32(&mut self, addresses: &[u32; 32], mask: u32, first: usize, bytes: u32) -> bool {
        let base = addresses[first];
        for i in 0..32 {
            let active = (mask >> i & 1).wrapping_neg();
            self.by[i] = addresses[i].wrapping_sub(base) & active;
        }
        self.mask = mask;
        self.describe(bytes)
    }

    /// Finds the bounds and the shape of the distances.
    #[inline(always)]
    fn describe(&mut self, bytes: u32) -> bool {
        let (mut least, mut most, mut bits) = (0, 0, 0);
        for i in 0..32 {
            least = least.min(self.by[i] as i32);
            most = most.max(self.by[i] as i32);
            bits |= self.by[i];
        }
        self.least = i64::from(least);
        self.span = (i64::from(most) - i64::from(least)) as u64 + u64::from(bytes);
        self.aligned = bits & (bytes - 1) == 0;
        self.cost_at = u32::MAX;
        self.shared_range = (0, 0);
        let full = self.mask == u32::MAX;
        let [a, b] = Half::both(&self.by, bytes);
        self.shape = match (a, b) {
            (Some(a), Some(b)) => Shape {
                run: full && a.run && b.run && b.by == 16 * bytes,
                same: !a.run && !b.run && b.by == 0,
                halves: if full { Some([a, b]) } else { None },
            },
            _ => Shape::default(),
        };
        true
    }
}

/// The offsets of the lanes of one access: a pattern, and the offset of its first lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneOffsets<'p> {
    pub pattern: &'p Pattern,
    pub first: u32,
}

impl LaneOffsets<'_> {
    /// Every lane's offset. Lanes that do not take part have that of the first lane that does.
    #[inline(always)]
    pub fn offsets(&self) -> [u32; 32] {
        let mut offsets = [0; 32];
        for i in 0..32 {
            offsets[i] = self.first.wrapping_add(self.pattern.by[i]);
        }
        offsets
    }
}
