//! What is remembered about one 4-byte word of memory: 16 bytes, in one of three forms.
//!
//! * **Word** (nearly always): the last write and the reads since, each one mark of a whole word. Reads, and atomics
//!   among themselves, do not exclude each other, so such a mark may stand for several threads: then its kind says how
//!   far apart they are, and thread, stamp and site are one's since the last barrier. Where only block barriers and full
//!   `__syncwarp`s order threads, that loses nothing: a later access is unordered with one of them exactly if the kind
//!   and that stamp say so.
//! * **Bytes**: each byte accessed by at most one thread, all in one block between two synchronisations; what a
//!   kernel that stores characters leaves behind.
//! * **List**: anything else, as a list of [`Past`] accesses in a side table.
//!
//! Both halves also hold facts that races do not need: the bytes that were ever written, the number of writes.

use super::prior_access::{Crowd, Lists, Past, Strength};

/// The shadow of one word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub write: u64,
    pub read: u64,
}

/// Fields of both halves from the top: kind 3 bits, block 20, stamp 16, `LOW` 4, site 11, thread 10. `LOW` is the bytes
/// initialised in the write half, the number of writes in the read half. With the kind on top, "a plain write of this
/// block before the last barrier" is one comparison.
const SITE: u32 = 10;
const LOW: u32 = 21;
pub(super) const STAMP: u32 = 25;
pub(super) const BLOCK: u32 = 41;
pub(super) const KIND: u32 = 61;

/// Memory operations beyond this share a number.
pub(crate) const MAX_SITE: u32 = (1 << 11) - 1;
/// Stamps beyond this do not fit.
pub(crate) const MAX_STAMP: u32 = (1 << 16) - 1;
/// Blocks as marks keep them; numbers repeat after a million.
pub(crate) const BLOCK_MASK: u32 = (1 << 20) - 1;
/// Writes counted at most.
pub(crate) const MOST_WRITES: u32 = 15;

pub(super) const KINDS: u64 = 7 << KIND;
pub(super) const LOWS: u64 = 15 << LOW;
/// Thread, kind and block: who a mark stands for.
pub(super) const WHO: u64 = 0x3ff | !0 << BLOCK;

/// Kinds of the write half; [`STRONG`] plus a crowd for atomic and volatile accesses, in the read half also 0 plus a
/// crowd for plain ones.
pub(super) const PLAIN: u64 = 0;
const BYTES: u64 = 1;
const LIST: u64 = 2;
pub(super) const STRONG: u64 = 4;
/// Crowds, see [`Crowd`].
pub(super) const LANES: u64 = 1;
pub(super) const WARPS: u64 = 2;
pub(super) const BLOCKS: u64 = 3;

pub(super) const fn kind_of(half: u64) -> u64 {
    half >> KIND
}

const fn block_of(half: u64) -> u32 {
    (half >> BLOCK) as u32 & BLOCK_MASK
}

pub(super) const fn stamp_of(half: u64) -> u32 {
    (half >> STAMP) as u32 & MAX_STAMP
}

const fn site_of(half: u64) -> u32 {
    (half >> SITE) as u32 & MAX_SITE
}

pub(super) const fn thread_of(half: u64) -> u32 {
    half as u32 & 0x3ff
}

/// A half without a mark: no block, no stamp, no kind.
pub(super) const fn is_free(half: u64) -> bool {
    half >> STAMP == 0
}

/// A mark of kind 0.
pub(crate) const fn mark(block: u32, stamp: u32, site: u32, thread: u32) -> u64 {
    thread as u64 | (site as u64) << SITE | (stamp as u64) << STAMP | (block as u64) << BLOCK
}

impl Cell {
    /// A word that the launch has not touched, with these bytes initialised.
    pub fn untouched(initialised: u8) -> Self {
        Self { write: u64::from(initialised) << LOW, read: 0 }
    }

    /// The bytes that were ever written. `block` is the generation for shared memory, where others are leftovers.
    #[inline(always)]
    pub fn initialised(&self, block: Option<u32>) -> u8 {
        if block.is_some_and(|b| block_of(self.write) != b) {
            0
        } else {
            (self.write >> LOW) as u8 & 15
        }
    }

    /// The write half after a plain write of the whole word.
    pub const fn written(mark: u64) -> u64 {
        mark | LOWS
    }

    /// These bytes are written, by somebody whose races are not followed.
    pub fn initialise(&mut self, bytes: u8) {
        self.write |= u64::from(bytes) << LOW;
    }

    /// Renames the stamps of a block's marks; a list's are elsewhere.
    pub fn rename(&mut self, block: u32, to: &impl Fn(u32) -> u32) {
        let renamed = |half: u64| {
            if block_of(half) != block || stamp_of(half) == 0 {
                return half;
            }
            let stamp = u64::from(to(stamp_of(half))) & u64::from(MAX_STAMP);
            half & !(u64::from(MAX_STAMP) << STAMP) | stamp << STAMP
        };
        match kind_of(self.write) {
            LIST => {}
            BYTES => self.write = renamed(self.write),
            _ => (self.write, self.read) = (renamed(self.write), renamed(self.read)),
        }
    }

    /// May its last writes include atomic or volatile ones?
    pub fn may_be_strong(&self) -> bool {
        kind_of(self.write) >= LIST
    }

    /// How often it was written, up to [`MOST_WRITES`].
    #[inline(always)]
    pub fn writes(&self) -> u32 {
        (self.read >> LOW) as u32 & MOST_WRITES
    }

    /// One write more.
    #[inline(always)]
    pub fn count(&mut self) {
        self.read += u64::from(self.read & LOWS != LOWS) << LOW;
    }

    /// Adds what another host thread knows of the word, apart from who accessed it: the bytes written and how often.
    pub fn add(&mut self, other: &Self) {
        self.write |= other.write & LOWS;
        let writes = (self.writes() + other.writes()).min(MOST_WRITES);
        self.read = self.read & !LOWS | u64::from(writes) << LOW;
    }

    /// Takes the past accesses out into `list`; leftovers of other generations are none.
    pub fn unpack(&self, generation: Option<u32>, lists: &mut Lists, list: &mut Vec<Past>) {
        list.clear();
        let left = |half: u64| generation.is_some_and(|g| block_of(half) != g);
        let (write, read) = (self.write, self.read);
        match kind_of(write) {
            BYTES | LIST if left(write) => return,
            LIST => {
                lists.swap(index_of(write), list);
                return;
            }
            BYTES => {
                self.unpack_bytes(list);
                return;
            }
            _ if left(write) || stamp_of(write) == 0 => {}
            kind => list.push(Past {
                write: true,
                strong: if kind >= STRONG { Strength::Gpu } else { Strength::Weak },
                extent: if kind >= STRONG { 15 } else { 0 },
                crowd: Crowd::from_bits(kind),
                ..past(write)
            }),
        }
        if !left(read) && stamp_of(read) != 0 {
            let (strong, extent) =
                if kind_of(read) >= STRONG { (Strength::Gpu, 15) } else { (Strength::Weak, 0) };
            list.push(Past {
                strong,
                extent,
                crowd: Crowd::from_bits(kind_of(read)),
                ..past(read)
            });
        }
    }

    /// Puts the past accesses back, in the smallest form that holds them. `was` is the cell that they came from.
    pub fn pack(
        was: Self,
        generation: Option<u32>,
        initialised: u8,
        lists: &mut Lists,
        list: &mut Vec<Past>,
    ) -> Self {
        let low = u64::from(initialised) << LOW;
        let count = if generation.is_some() { 0 } else { was.read & LOWS };
        let own = u64::from(generation.unwrap_or(0)) << BLOCK;
        let kept = (kind_of(was.write) == LIST
            && generation.is_none_or(|g| block_of(was.write) == g))
        .then(|| index_of(was.write));
        let small = Self::pack_words(generation, initialised, list)
            .or_else(|| Self::pack_bytes(generation, list));
        if let Some(cell) = small {
            if let Some(index) = kept {
                lists.free(index);
            }
            return Self { write: cell.write | low, read: cell.read | count };
        }
        let index = match kept {
            Some(index) => {
                lists.swap(index, list);
                index
            }
            None => lists.keep(list),
        };
        let place = u64::from(index & 0x1f_ffff) | u64::from(index >> 21) << STAMP;
        Self { write: LIST << KIND | own | low | place, read: count }
    }

    fn pack_words(generation: Option<u32>, initialised: u8, list: &[Past]) -> Option<Self> {
        let mut cell = Self::default();
        for p in list {
            if p.flying {
                return None;
            }
            let crowd = p.crowd.bits()?;
            let strong = match p.strong {
                Strength::Weak => 0,
                Strength::Gpu => STRONG,
                Strength::Cta => return None,
            };
            let half = if p.write { &mut cell.write } else { &mut cell.read };
            let whole = p.bytes == 15 && (p.strong == Strength::Weak || p.extent == 15);
            if !whole || !is_free(*half) || p.write && strong == 0 && crowd != 0 {
                return None;
            }
            *half = mark(p.block, p.stamp, p.site, p.thread) | (strong | crowd) << KIND;
        }
        if let Some(generation) = generation.filter(|_| is_free(cell.write)) {
            // a plain mark says that all four bytes were written; where none were, the half is a leftover
            match initialised {
                0 => {}
                15 => cell.write = u64::from(generation) << BLOCK,
                _ => return None,
            }
        }
        Some(cell)
    }

    /// See [`Cell::unpack_bytes`].
    fn pack_bytes(generation: Option<u32>, list: &[Past]) -> Option<Self> {
        let head = list.first();
        let (block, stamp) = head.map_or((generation.unwrap_or(0), 0), |p| (p.block, p.stamp));
        let site = head.map_or(0, |p| p.site);
        let (mut threads, mut states, mut deltas) = ([0_u32; 4], 0_u64, 0_u64);
        for p in list {
            if p.flying
                || p.crowd != Crowd::One
                || p.strong != Strength::Weak
                || (p.block, p.stamp) != (block, stamp)
            {
                return None;
            }
            let delta = p.site as i32 - site as i32;
            if !(-8..8).contains(&delta) {
                return None;
            }
            for byte in (0..4).filter(|b| p.bytes >> b & 1 == 1) {
                if states >> (2 * byte) & 3 != 0 {
                    return None;
                }
                states |= (if p.write { 1 } else { 2 }) << (2 * byte);
                deltas |= (delta as u64 & 15) << (4 * byte);
                threads[byte] = p.thread;
            }
        }
        let [a, b, c, d] = threads.map(u64::from);
        Some(Self {
            write: mark(block, stamp, site, 0) | a | BYTES << KIND,
            read: b | c << 10 | d << 25 | states << 35 | deltas << 43,
        })
    }

    /// The byte form. Write half: block, stamp, the first site, the thread of byte 0. Read half: the threads of bytes 1
    /// and 2 from bit 0, of byte 3 from bit 25; from 35 two bits per byte (1 written, 2 read); from 43 four bits per byte
    /// by which its site differs from the first.
    fn unpack_bytes(&self, list: &mut Vec<Past>) {
        let read = self.read;
        let threads =
            [thread_of(self.write), thread_of(read), thread_of(read >> 10), thread_of(read >> 25)];
        for (byte, thread) in threads.into_iter().enumerate() {
            let state = read >> (35 + 2 * byte) & 3;
            if state == 0 {
                continue;
            }
            let delta = ((read >> (43 + 4 * byte) & 15) as i32) << 28 >> 28;
            let site = site_of(self.write).wrapping_add_signed(delta);
            let p = Past { thread, site, bytes: 1 << byte, write: state == 1, ..past(self.write) };
            match list.iter_mut().find(|q| Past { bytes: p.bytes, ..**q } == p) {
                Some(q) => q.bytes |= p.bytes,
                None => list.push(p),
            }
        }
    }
}

const fn index_of(write: u64) -> u32 {
    write as u32 & 0x1f_ffff | ((write >> STAMP) as u32) << 21
}

/// A plain read of the whole word by the thread of a mark.
pub(super) fn past(half: u64) -> Past {
    Past {
        block: block_of(half),
        stamp: stamp_of(half),
        site: site_of(half),
        thread: thread_of(half),
        bytes: 15,
        extent: 0,
        write: false,
        adds: false,
        flying: false,
        strong: Strength::Weak,
        crowd: Crowd::One,
    }
}
