//! The bytes of device memory that a launch accessed. A program must order other work on the same
//! bytes.

use std::ops::Range;

use crate::address::{base, split};

/// The bytes that a launch accessed. Accesses that are atomic, or strong in the PTX memory model,
/// are kept apart, because two of them need no order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessSet {
    /// By slot, from 0.
    slots: Vec<Option<Box<Uses>>>,
}

/// How a byte was accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessMode {
    /// Read.
    Read,
    /// Written.
    Write,
    /// Accessed by an atomic or strong operation, which does not conflict with others of its kind.
    Strong,
}

/// Bytes that two pieces of work both access, at least one of them writing, so that they need an
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// The address of the first of them.
    pub first: u64,
    /// That of the last.
    pub last: u64,
    /// Whether the first piece of work writes there, and whether the second does.
    pub writes: [bool; 2],
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Uses {
    /// One bit per byte, for each [`AccessMode`].
    bits: [Bits; 3],
}

/// One bit per byte of an allocation, up to the last byte that was accessed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    #[inline]
    fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (first, last) = ((range.start / 64) as usize, ((range.end - 1) / 64) as usize);
        if last >= self.0.len() {
            self.0.resize((last + 1).next_multiple_of(512), 0);
        }
        let low = u64::MAX << (range.start % 64);
        let high = u64::MAX >> (63 - (range.end - 1) % 64);
        if first == last {
            self.0[first] |= low & high;
        } else {
            self.0[first] |= low;
            self.0[first + 1..last].fill(u64::MAX);
            self.0[last] |= high;
        }
    }

    fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }

    fn join(&mut self, other: &Self) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

impl AccessSet {
    /// Adds bytes from `address`, which is in an allocation.
    pub fn add(&mut self, address: u64, bytes: u64, mode: AccessMode) {
        let (slot, offset) = split(address);
        if let (Some(slot), Ok(offset)) = ((slot as usize).checked_sub(1), u64::try_from(offset)) {
            self.bytes(slot, offset, bytes, mode);
        }
    }

    #[inline]
    pub(crate) fn bytes(&mut self, slot: usize, offset: u64, bytes: u64, mode: AccessMode) {
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, None);
        }
        let uses = self.slots[slot].get_or_insert_default();
        uses.bits[mode as usize].add(offset..offset + bytes);
    }

    /// Adds the accesses of the blocks that ran on another host thread.
    pub(crate) fn join(&mut self, other: &Self) {
        if other.slots.len() > self.slots.len() {
            self.slots.resize(other.slots.len(), None);
        }
        for (own, others) in self.slots.iter_mut().zip(&other.slots) {
            if let Some(others) = others {
                let own = own.get_or_insert_default();
                own.bits.iter_mut().zip(&others.bits).for_each(|(a, b)| a.join(b));
            }
        }
    }

    /// Start addresses of the allocations that were accessed.
    pub fn allocations(&self) -> impl Iterator<Item = u64> {
        let accessed = self.slots.iter().enumerate().filter(|(_, uses)| uses.is_some());
        accessed.map(|(slot, _)| base(slot as u64 + 1))
    }

    /// Start addresses of the allocations that were written.
    pub fn written(&self) -> impl Iterator<Item = u64> {
        let [_, write, strong] =
            [AccessMode::Read, AccessMode::Write, AccessMode::Strong].map(|t| t as usize);
        let wrote = move |uses: &Uses| {
            [write, strong].iter().any(|i| uses.bits[*i].0.iter().any(|bits| *bits != 0))
        };
        let slots = self.slots.iter().enumerate();
        let written = slots.filter(move |(_, uses)| uses.as_deref().is_some_and(wrote));
        written.map(|(slot, _)| base(slot as u64 + 1))
    }

    /// Did both launches access some byte with atomic or strong operations?
    pub fn has_common_strong(&self, other: &Self) -> bool {
        let strong = |uses: &Uses| uses.bits[AccessMode::Strong as usize].0.clone();
        let both = self.slots.iter().zip(&other.slots);
        both.filter_map(|(a, b)| Some((strong(a.as_deref()?), strong(b.as_deref()?))))
            .any(|(a, b)| a.iter().zip(&b).any(|(a, b)| a & b != 0))
    }

    /// Did the launch access any of these bytes with an atomic or strong operation?
    pub fn is_strong_in(&self, address: u64, bytes: u64) -> bool {
        let (slot, offset) = split(address);
        let uses = (slot as usize).checked_sub(1).and_then(|slot| self.slots.get(slot)?.as_deref());
        let (Some(uses), Ok(from)) = (uses, u64::try_from(offset)) else { return false };
        let end = from.saturating_add(bytes);
        let strong = &uses.bits[AccessMode::Strong as usize];
        let words = (from / 64)..end.div_ceil(64).min(strong.0.len() as u64);
        words.into_iter().any(|i| {
            let inside = (0..64).filter(|bit| (from..end).contains(&(i * 64 + bit)));
            inside.fold(0, |mask, bit| mask | 1 << bit) & strong.word(i as usize) != 0
        })
    }

    /// Whether this byte was accessed, for each [`AccessMode`].
    pub fn modes_at(&self, address: u64) -> [bool; 3] {
        let (slot, offset) = split(address);
        let uses = (slot as usize).checked_sub(1).and_then(|slot| self.slots.get(slot)?.as_deref());
        let (Some(uses), Ok(offset)) = (uses, u64::try_from(offset)) else { return [false; 3] };
        uses.bits.each_ref().map(|bits| bits.word((offset / 64) as usize) >> (offset % 64) & 1 == 1)
    }

    /// The overlap with later work that accesses one range: its address, its bytes, and how they
    /// are accessed.
    pub fn overlap_with_range(
        &self,
        (address, bytes, mode): (u64, u64, AccessMode),
    ) -> Option<Overlap> {
        let (slot, offset) = split(address);
        let slot = (slot as usize).checked_sub(1)?;
        let uses = self.slots.get(slot)?.as_deref()?;
        let from = u64::try_from(offset).ok()?;
        let end = from.checked_add(bytes).filter(|end| *end > from)?;
        let (mut first, mut last, mut writes) = (None, 0, false);
        for i in from / 64..=(end - 1) / 64 {
            let [read, write, strong] = uses.bits.each_ref().map(|bits| bits.word(i as usize));
            let low = if i == from / 64 { u64::MAX << (from % 64) } else { u64::MAX };
            let high =
                if i == (end - 1) / 64 { u64::MAX >> (63 - (end - 1) % 64) } else { u64::MAX };
            let own = match mode {
                AccessMode::Read => write | strong,
                AccessMode::Write => read | write | strong,
                AccessMode::Strong => read | write,
            };
            let shared = own & low & high;
            if shared != 0 {
                first = first.or(Some(i * 64 + u64::from(shared.trailing_zeros())));
                last = i * 64 + 63 - u64::from(shared.leading_zeros());
                writes |= shared & (write | strong) != 0;
            }
        }
        let start = base(slot as u64 + 1);
        let writes = [writes, mode != AccessMode::Read];
        first.map(|first| Overlap { first: start + first, last: start + last, writes })
    }

    /// The overlap with later work in the first allocation where they overlap.
    pub fn overlap(&self, later: &Self) -> Option<Overlap> {
        let both = self.slots.iter().zip(&later.slots).enumerate();
        both.filter_map(|(slot, (a, b))| Some((slot, a.as_deref()?, b.as_deref()?)))
            .find_map(|(slot, a, b)| a.overlap(b, base(slot as u64 + 1)))
    }
}

impl Uses {
    fn overlap(&self, later: &Self, start: u64) -> Option<Overlap> {
        let length = |uses: &Self| uses.bits.iter().map(|b| b.0.len()).max().unwrap_or(0);
        let (mut first, mut last) = (None, 0);
        let mut writes = [false; 2];
        for i in 0..length(self).min(length(later)) {
            let [read, write, strong] = self.bits.each_ref().map(|bits| bits.word(i));
            let [read2, write2, strong2] = later.bits.each_ref().map(|bits| bits.word(i));
            let shared = write & (read2 | write2 | strong2)
                | strong & (read2 | write2)
                | read & (write2 | strong2);
            if shared != 0 {
                let at = i as u64 * 64;
                first = first.or(Some(at + u64::from(shared.trailing_zeros())));
                last = at + 63 - u64::from(shared.leading_zeros());
                writes[0] |= shared & (write | strong) != 0;
                writes[1] |= shared & (write2 | strong2) != 0;
            }
        }
        first.map(|first| Overlap { first: start + first, last: start + last, writes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[(u64, u64, AccessMode)]) -> AccessSet {
        let mut accessed = AccessSet::default();
        parts
            .iter()
            .for_each(|(offset, bytes, mode)| accessed.add(base(3) + offset, *bytes, *mode));
        accessed
    }

    /// Against a comparison byte by byte.
    #[test]
    fn overlaps_are_where_at_least_one_writes() {
        use AccessMode::{Read, Strong, Write};
        let cases = [
            (vec![(0, 400, Write)], vec![(400, 400, Write)], None),
            (vec![(0, 401, Write)], vec![(400, 400, Read)], Some((400, 400, [true, false]))),
            (vec![(0, 400, Read)], vec![(0, 400, Read)], None),
            (vec![(63, 2, Read)], vec![(60, 200, Write)], Some((63, 64, [false, true]))),
            (vec![(8, 4, Strong)], vec![(8, 4, Strong)], None),
            (vec![(8, 4, Strong)], vec![(11, 1, Read)], Some((11, 11, [true, false]))),
            (vec![(1 << 20, 1, Write)], vec![(0, 1 << 20, Write)], None),
        ];
        for (a, b, expected) in cases {
            let shared = of(&a).overlap(&of(&b));
            let expected = expected.map(|(first, last, writes)| Overlap {
                first: base(3) + first,
                last: base(3) + last,
                writes,
            });
            assert_eq!(shared, expected, "{a:?} {b:?}");
            if let [(offset, bytes, mode)] = b[..] {
                let shared = of(&a).overlap_with_range((base(3) + offset, bytes, mode));
                assert_eq!(shared, expected, "{a:?} {b:?}");
            }
        }
        let mut joined = of(&[(0, 4, Write)]);
        joined.join(&of(&[(100, 4, Write)]));
        assert_eq!(joined, of(&[(0, 4, Write), (100, 4, Write)]));
        assert_eq!(joined.modes_at(base(3) + 103), [false, true, false]);
        assert_eq!(joined.modes_at(base(3) + 104), [false; 3]);
        assert_eq!(joined.allocations().collect::<Vec<_>>(), [base(3)]);
    }
}
