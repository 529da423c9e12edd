//! The bytes of device memory that a launch accessed. A program must order other work on the same
//! bytes.

mod bits;

use std::ops::Range;

use bits::Bits;

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

    /// How many bytes of the allocation that begins at `address` were read, and how many were
    /// written. Atomic and strong operations count as both.
    pub fn bytes_in(&self, address: u64) -> [u64; 2] {
        let slot = (split(address).0 as usize).checked_sub(1);
        let uses = slot.and_then(|slot| self.slots.get(slot)?.as_deref());
        uses.map_or([0; 2], |uses| {
            uses.span().fold([0; 2], |[reads, writes], i| {
                let [read, write, strong] = uses.words(i);
                let count = |bits: u64| u64::from(bits.count_ones());
                [reads + count(read | strong), writes + count(write | strong)]
            })
        })
    }

    /// Start addresses of the allocations that were written.
    pub fn written(&self) -> impl Iterator<Item = u64> {
        let [_, write, strong] =
            [AccessMode::Read, AccessMode::Write, AccessMode::Strong].map(|t| t as usize);
        let wrote = move |uses: &Uses| [write, strong].iter().any(|i| !uses.bits[*i].is_empty());
        let slots = self.slots.iter().enumerate();
        let written = slots.filter(move |(_, uses)| uses.as_deref().is_some_and(wrote));
        written.map(|(slot, _)| base(slot as u64 + 1))
    }

    /// Did both launches access some byte with atomic or strong operations?
    pub fn has_common_strong(&self, other: &Self) -> bool {
        let both = self.slots.iter().zip(&other.slots);
        both.filter_map(|(a, b)| Some((a.as_deref()?, b.as_deref()?))).any(|(a, b)| {
            let [a, b] = [a, b].map(|uses| &uses.bits[AccessMode::Strong as usize]);
            common(a.span(), b.span()).any(|i| a.word(i) & b.word(i) != 0)
        })
    }

    /// Did the launch access any of these bytes with an atomic or strong operation?
    pub fn is_strong_in(&self, address: u64, bytes: u64) -> bool {
        let (slot, offset) = split(address);
        let uses = (slot as usize).checked_sub(1).and_then(|slot| self.slots.get(slot)?.as_deref());
        let (Some(uses), Ok(from)) = (uses, u64::try_from(offset)) else { return false };
        let end = from.saturating_add(bytes);
        let strong = &uses.bits[AccessMode::Strong as usize];
        common(words_of(&(from..end)), strong.span())
            .any(|i| strong.word(i) & mask_in_word(&(from..end), i) != 0)
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
        let range = from..end;
        let (mut first, mut last, mut writes) = (None, 0, false);
        for i in common(words_of(&range), uses.span()) {
            let [read, write, strong] = uses.words(i);
            let own = match mode {
                AccessMode::Read => write | strong,
                AccessMode::Write => read | write | strong,
                AccessMode::Strong => read | write,
            };
            if own == 0 {
                continue;
            }
            let shared = own & mask_in_word(&range, i);
            if shared != 0 {
                let at = i as u64 * 64;
                first = first.or(Some(at + u64::from(shared.trailing_zeros())));
                last = at + 63 - u64::from(shared.leading_zeros());
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
    /// The numbers of the words that may have bits of some mode.
    fn span(&self) -> Range<usize> {
        let spans = || self.bits.iter().map(Bits::span).filter(|span| !span.is_empty());
        let start = spans().map(|span| span.start).min().unwrap_or(0);
        start..spans().map(|span| span.end).max().unwrap_or(0)
    }

    /// The bits of one word, for each [`AccessMode`].
    #[inline(always)]
    fn words(&self, index: usize) -> [u64; 3] {
        let [read, write, strong] = &self.bits;
        [read.word(index), write.word(index), strong.word(index)]
    }

    fn overlap(&self, later: &Self, start: u64) -> Option<Overlap> {
        let (mut first, mut last) = (None, 0);
        let mut writes = [false; 2];
        for i in common(self.span(), later.span()) {
            let [read, write, strong] = self.words(i);
            let [read2, write2, strong2] = later.words(i);
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

/// The numbers that are in both ranges.
fn common(a: Range<usize>, b: Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// The words that have bits of these bytes; there is at least one byte.
fn words_of(bytes: &Range<u64>) -> Range<usize> {
    (bytes.start / 64) as usize..bytes.end.div_ceil(64) as usize
}

/// The bits of these bytes in one of [`words_of`] them.
fn mask_in_word(bytes: &Range<u64>, word: usize) -> u64 {
    let at = word as u64 * 64;
    let low = u64::MAX << bytes.start.saturating_sub(at);
    let high = u64::MAX >> (at + 64).saturating_sub(bytes.end);
    low & high
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
        joined.join(&of(&[(2, 8, Read), (200, 4, Strong)]));
        assert_eq!(joined.bytes_in(base(3)), [12, 12]);
        assert_eq!(joined.bytes_in(base(4)), [0, 0]);
    }

    /// Sets of random ranges, in any order, against a table with the modes of each byte.
    #[test]
    fn sets_are_those_of_a_table_of_bytes() {
        use proptest::prelude::*;
        const BYTES: u64 = 200_000;
        let mode =
            prop::sample::select(vec![AccessMode::Read, AccessMode::Write, AccessMode::Strong]);
        let part = (0..BYTES - 300, 1..300_u64, mode);
        let parts = || prop::collection::vec(part.clone(), 0..6);
        proptest!(|(a in parts(), b in parts(), c in parts(), probe in 0..BYTES)| {
            let table = |parts: &[(u64, u64, AccessMode)]| {
                let mut table = vec![[false; 3]; BYTES as usize];
                for (from, bytes, mode) in parts {
                    for byte in *from..from + bytes {
                        table[byte as usize][*mode as usize] = true;
                    }
                }
                table
            };
            let both = [a.clone(), b.clone()].concat();
            let (x, y) = (table(&both), table(&c));
            let conflict = |byte: &usize| {
                let ([r, w, s], [r2, w2, s2]) = (x[*byte], y[*byte]);
                w && (r2 || w2 || s2) || s && (r2 || w2) || r && (w2 || s2)
            };
            let expected: Vec<usize> = (0..BYTES as usize).filter(conflict).collect();
            let writes = [&x, &y].map(|t| expected.iter().any(|b| t[*b][1] || t[*b][2]));
            let expected = expected.first().map(|first| Overlap {
                first: base(3) + *first as u64,
                last: base(3) + expected[expected.len() - 1] as u64,
                writes,
            });
            let mut joined = of(&a);
            joined.join(&of(&b));
            prop_assert_eq!(joined.overlap(&of(&c)), expected);
            prop_assert_eq!(joined.modes_at(base(3) + probe), x[probe as usize]);
            let (only, other) = (of(&both), (probe, 1, AccessMode::Strong));
            let one = only.overlap_with_range((base(3) + probe, 1, AccessMode::Strong));
            prop_assert_eq!(one, only.overlap(&of(&[other])));
            let strong = (probe..probe + 9).any(|b| x.get(b as usize).is_some_and(|m| m[2]));
            prop_assert_eq!(joined.is_strong_in(base(3) + probe, 9), strong);
        });
    }
}
