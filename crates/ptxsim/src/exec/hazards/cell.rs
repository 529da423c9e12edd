//! The shadow of memory: what is remembered about each 4-byte word, in a cell of 16 bytes that has
//! one of three forms.
//!
//! * **Word** (nearly always): the last write and the reads since, each as one mark about the whole
//!   word. Reads do not conflict with each other, and neither do atomics among themselves, so such
//!   a mark may stand for several threads. Its kind then says how far apart these are; thread,
//!   stamp and site are those of one since the last barrier. Where only block barriers and
//!   whole-warp `__syncwarp`s order threads, this loses nothing, because a later access is
//!   unordered with one of the threads exactly if the kind and that stamp say so.
//! * **Bytes**: each byte was accessed by at most one thread, all in one block between two
//!   synchronisations. A kernel that stores characters leaves such cells behind.
//! * **List**: anything else, as a list of [`PriorAccess`]es in a side table.
//!
//! Both halves of a cell also keep what has nothing to do with races: which bytes were ever
//! written, the number of writes.

use super::current_access::CurrentAccess;
use super::prior_access::{
    AccessGroup, PriorAccess, PriorLists, SiteSet, Strength, Workspace, merge_bytes,
};

/// The shadow of one word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ShadowCell {
    pub write: u64,
    pub read: u64,
}

/// Fields of both halves, from the top: kind 3 bits, block 20, stamp 16, extra 4, site 11, thread
/// 10. The extra bits are the initialised bytes in the write half, and the number of writes in the
/// read half. A mark is such a half with the extra bits 0. The kind is on top, so that "a plain
/// write of this block before the last barrier" is one comparison.
const SITE_SHIFT: u32 = 10;
const EXTRA_SHIFT: u32 = 21;
pub(super) const STAMP_SHIFT: u32 = 25;
pub(super) const BLOCK_SHIFT: u32 = 41;
pub(super) const KIND_SHIFT: u32 = 61;

/// Memory operations with a higher number share this one.
pub(crate) const MAX_SITE: u32 = (1 << 11) - 1;
/// The highest stamp that fits.
pub(crate) const MAX_STAMP: u32 = (1 << 16) - 1;
/// A block's number in marks is its index with this mask, so numbers repeat after a million blocks.
pub(crate) const BLOCK_MASK: u32 = (1 << 20) - 1;
/// Writes of a word are counted up to this number.
pub(crate) const MAX_WRITES: u32 = 15;

pub(super) const KIND_MASK: u64 = 7 << KIND_SHIFT;
pub(super) const EXTRA_MASK: u64 = 15 << EXTRA_SHIFT;
/// Thread, kind and block.
pub(super) const OWNER_MASK: u64 = 0x3ff | !0 << BLOCK_SHIFT;

/// Kinds of the write half. That of atomic and volatile accesses is [`KIND_STRONG`] plus a group.
/// Kinds of the read half are a group, plus [`KIND_STRONG`] for strong reads.
pub(super) const KIND_PLAIN: u64 = 0;
const KIND_BYTES: u64 = 1;
const KIND_LIST: u64 = 2;
pub(super) const KIND_STRONG: u64 = 4;
/// Groups as in [`AccessGroup::to_bits`].
pub(super) const GROUP_LANES: u64 = 1;
pub(super) const GROUP_WARPS: u64 = 2;
pub(super) const GROUP_BLOCKS: u64 = 3;

pub(super) const fn kind_of(half: u64) -> u64 {
    half >> KIND_SHIFT
}

const fn block_of(half: u64) -> u32 {
    (half >> BLOCK_SHIFT) as u32 & BLOCK_MASK
}

pub(super) const fn stamp_of(half: u64) -> u32 {
    (half >> STAMP_SHIFT) as u32 & MAX_STAMP
}

pub(super) const fn site_of(half: u64) -> u32 {
    (half >> SITE_SHIFT) as u32 & MAX_SITE
}

pub(super) const fn thread_of(half: u64) -> u32 {
    half as u32 & 0x3ff
}

/// Has this half no mark: no kind, no block, no stamp?
pub(super) const fn is_free(half: u64) -> bool {
    half >> STAMP_SHIFT == 0
}

/// A mark of kind 0.
pub(crate) const fn mark(block: u32, stamp: u32, site: u32, thread: u32) -> u64 {
    thread as u64
        | (site as u64) << SITE_SHIFT
        | (stamp as u64) << STAMP_SHIFT
        | (block as u64) << BLOCK_SHIFT
}

impl ShadowCell {
    /// A word that the launch has not touched, with these bytes initialised.
    pub fn untouched(initialised: u8) -> Self {
        Self { write: u64::from(initialised) << EXTRA_SHIFT, read: 0 }
    }

    /// Bits of the bytes that were ever written. `generation` is given for shared memory, where
    /// cells of other generations are leftovers.
    #[inline(always)]
    pub fn initialised(&self, generation: Option<u32>) -> u8 {
        if generation.is_some_and(|g| block_of(self.write) != g) {
            0
        } else {
            (self.write >> EXTRA_SHIFT) as u8 & 15
        }
    }

    /// The write half after a plain write of the whole word.
    pub const fn written(mark: u64) -> u64 {
        mark | EXTRA_MASK
    }

    /// Marks bytes as written without recording an access.
    pub fn initialise(&mut self, bytes: u8) {
        self.write |= u64::from(bytes) << EXTRA_SHIFT;
    }

    /// Replaces the stamps of a block's marks by what `map` makes of them. Those of a list are in
    /// the side table.
    pub fn renumber(&mut self, block: u32, map: &impl Fn(u32) -> u32) {
        let renumbered = |half: u64| {
            if block_of(half) != block || stamp_of(half) == 0 {
                return half;
            }
            let stamp = u64::from(map(stamp_of(half))) & u64::from(MAX_STAMP);
            half & !(u64::from(MAX_STAMP) << STAMP_SHIFT) | stamp << STAMP_SHIFT
        };
        match kind_of(self.write) {
            KIND_LIST => {}
            KIND_BYTES => self.write = renumbered(self.write),
            _ => (self.write, self.read) = (renumbered(self.write), renumbered(self.read)),
        }
    }

    /// Can there be atomic or volatile accesses among its last writes?
    pub fn may_be_strong(&self) -> bool {
        kind_of(self.write) >= KIND_LIST
    }

    /// The number of writes, up to [`MAX_WRITES`].
    #[inline(always)]
    pub fn writes(&self) -> u32 {
        (self.read >> EXTRA_SHIFT) as u32 & MAX_WRITES
    }

    /// The block, the thread and the site of the last write, if that was a plain one of the whole
    /// word and nothing hides it.
    pub fn plain_writer(&self) -> Option<(u32, u32, u32)> {
        let write = self.write;
        let is_known = kind_of(write) == KIND_PLAIN && !is_free(write) && self.writes() > 0;
        is_known.then(|| (block_of(write), thread_of(write), site_of(write)))
    }

    /// Counts one more write.
    #[inline(always)]
    pub fn count_write(&mut self) {
        self.read += u64::from(self.read & EXTRA_MASK != EXTRA_MASK) << EXTRA_SHIFT;
    }

    /// Adds another host thread's history of the word, except for the accesses: which bytes were
    /// written, and how often.
    pub fn add_history(&mut self, other: &Self) {
        self.write |= other.write & EXTRA_MASK;
        let writes = (self.writes() + other.writes()).min(MAX_WRITES);
        self.read = self.read & !EXTRA_MASK | u64::from(writes) << EXTRA_SHIFT;
    }

    /// Decides the commonest case of words that several threads share, byte by byte: a thread reads
    /// or overwrites bytes that it has written at the same moment, and no other access has touched
    /// since. Such a read leaves the word's prior accesses as they are, and such a write takes the
    /// place of the one before. Returns false, and has done nothing, in all other cases.
    pub fn is_repeated_by_writer(
        &mut self,
        lists: &mut PriorLists,
        current: &CurrentAccess,
        new: &PriorAccess,
    ) -> bool {
        if new.strength != Strength::Weak || new.atomic || new.in_flight {
            return false;
        }
        let generation = current.generation();
        if generation.is_some_and(|g| block_of(self.write) != g) {
            return false;
        }
        match kind_of(self.write) {
            KIND_BYTES if !new.write => {
                let (write, read) = (self.write, self.read);
                let threads = [write, read, read >> 10, read >> 25].map(thread_of);
                let own = |byte: &usize| {
                    read >> (35 + 2 * byte) & 3 == 1 && threads[*byte] == current.thread
                };
                (block_of(write), stamp_of(write)) == (current.block, current.stamp)
                    && (0..4).filter(|byte| new.bytes >> byte & 1 == 1).all(|byte| own(&byte))
            }
            KIND_LIST => {
                let Some(list) = lists.get_mut(list_index(self.write)) else { return false };
                let touches = |prior: &&PriorAccess| prior.bytes & new.bytes != 0;
                let own = list.iter().filter(touches).all(|prior| current.follows_own_write(prior));
                if !own || list.iter().any(|prior| current.outdates(prior)) {
                    return false;
                }
                if !new.write {
                    let bytes = list.iter().filter(touches).fold(0, |all, p| all | p.bytes);
                    return new.bytes & !bytes == 0;
                }
                let one = list.iter().filter(touches).count() == 1;
                let index = list.iter().position(|prior| prior.bytes == new.bytes);
                let Some(index) = index.filter(|_| one && current.may_group) else { return false };
                list.remove(index);
                list.push(*new);
                merge_bytes(list);
                let initialised = self.initialised(generation);
                if let Some(small) = Self::pack_small(*self, generation, initialised, list) {
                    lists.free(list_index(self.write));
                    *self = small;
                }
                true
            }
            _ => false,
        }
    }

    /// Moves the prior accesses into the list of `workspace`. Leftovers of other generations count
    /// as none.
    pub fn unpack(
        &self,
        generation: Option<u32>,
        lists: &mut PriorLists,
        workspace: &mut Workspace,
    ) {
        let Workspace { list, volatile_sites, .. } = workspace;
        list.clear();
        let is_leftover = |half: u64| generation.is_some_and(|g| block_of(half) != g);
        let (write, read) = (self.write, self.read);
        match kind_of(write) {
            KIND_BYTES | KIND_LIST if is_leftover(write) => return,
            KIND_LIST => {
                lists.swap(list_index(write), list);
                return;
            }
            KIND_BYTES => {
                self.unpack_bytes(list);
                return;
            }
            _ if is_leftover(write) || stamp_of(write) == 0 => {}
            _ => list.push(PriorAccess { write: true, ..word_access(write, volatile_sites) }),
        }
        if !is_leftover(read) && stamp_of(read) != 0 {
            list.push(word_access(read, volatile_sites));
        }
    }

    /// Moves the prior accesses back that [`ShadowCell::unpack`] has moved out.
    pub fn repack(
        &mut self,
        generation: Option<u32>,
        lists: &mut PriorLists,
        workspace: &mut Workspace,
    ) {
        let initialised = self.initialised(generation);
        *self = Self::pack(*self, generation, initialised, lists, &mut workspace.list);
    }

    /// The cell for a list of prior accesses, in the smallest form that can hold them. `was` is the
    /// cell that they came from.
    pub fn pack(
        was: Self,
        generation: Option<u32>,
        initialised: u8,
        lists: &mut PriorLists,
        list: &mut Vec<PriorAccess>,
    ) -> Self {
        let kept = (kind_of(was.write) == KIND_LIST
            && generation.is_none_or(|g| block_of(was.write) == g))
        .then(|| list_index(was.write));
        if let Some(cell) = Self::pack_small(was, generation, initialised, list) {
            if let Some(index) = kept {
                lists.free(index);
            }
            return cell;
        }
        let low = u64::from(initialised) << EXTRA_SHIFT;
        let own = u64::from(generation.unwrap_or(0)) << BLOCK_SHIFT;
        let index = match kept {
            Some(index) => {
                lists.swap(index, list);
                index
            }
            None => lists.insert(list),
        };
        let place = u64::from(index & 0x1f_ffff) | u64::from(index >> 21) << STAMP_SHIFT;
        let read = was.kept_count(generation);
        Self { write: KIND_LIST << KIND_SHIFT | own | low | place, read }
    }

    /// The number of writes, where it is kept: in global memory.
    const fn kept_count(&self, generation: Option<u32>) -> u64 {
        if generation.is_some() { 0 } else { self.read & EXTRA_MASK }
    }

    /// The cell for a list of prior accesses without the side table, if it can hold them.
    fn pack_small(
        was: Self,
        generation: Option<u32>,
        initialised: u8,
        list: &[PriorAccess],
    ) -> Option<Self> {
        let cell = Self::pack_words(generation, initialised, list)
            .or_else(|| Self::pack_bytes(generation, list))?;
        let low = u64::from(initialised) << EXTRA_SHIFT;
        Some(Self { write: cell.write | low, read: cell.read | was.kept_count(generation) })
    }

    fn pack_words(generation: Option<u32>, initialised: u8, list: &[PriorAccess]) -> Option<Self> {
        let mut cell = Self::default();
        for p in list {
            if p.in_flight {
                return None;
            }
            let group = p.group.to_bits()?;
            let strength_bits = match p.strength {
                Strength::Weak => 0,
                Strength::Gpu => KIND_STRONG,
                Strength::Cta => return None,
            };
            let half = if p.write { &mut cell.write } else { &mut cell.read };
            let whole = p.bytes == 15 && (p.strength == Strength::Weak || p.extent == 15);
            if !whole || !is_free(*half) || p.write && strength_bits == 0 && group != 0 {
                return None;
            }
            *half =
                mark(p.block, p.stamp, p.site, p.thread) | (strength_bits | group) << KIND_SHIFT;
        }
        if let Some(generation) = generation.filter(|_| is_free(cell.write)) {
            // a plain mark of this generation says that all four bytes were written, and a leftover
            // that none were
            match initialised {
                0 => {}
                15 => cell.write = u64::from(generation) << BLOCK_SHIFT,
                _ => return None,
            }
        }
        Some(cell)
    }

    /// The byte form, whose fields [`ShadowCell::unpack_bytes`] lists; `None` when it cannot hold
    /// the accesses.
    fn pack_bytes(generation: Option<u32>, list: &[PriorAccess]) -> Option<Self> {
        let head = list.first();
        let (block, stamp) = head.map_or((generation.unwrap_or(0), 0), |p| (p.block, p.stamp));
        let site = head.map_or(0, |p| p.site);
        let (mut threads, mut states, mut deltas) = ([0_u32; 4], 0_u64, 0_u64);
        for p in list {
            if p.in_flight
                || p.group != AccessGroup::One
                || p.strength != Strength::Weak
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
            write: mark(block, stamp, site, 0) | a | KIND_BYTES << KIND_SHIFT,
            read: b | c << 10 | d << 25 | states << 35 | deltas << 43,
        })
    }

    /// The byte form. Write half: block, stamp, the first site, the thread of byte 0. Read half:
    /// the threads of bytes 1 and 2 from bit 0, and of byte 3 from bit 25; from bit 35 two bits per
    /// byte (1 written, 2 read); from bit 43 four bits per byte, the signed difference between its
    /// site and the first.
    fn unpack_bytes(&self, list: &mut Vec<PriorAccess>) {
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
            let p = PriorAccess {
                thread,
                site,
                bytes: 1 << byte,
                write: state == 1,
                ..plain_read(self.write)
            };
            match list.iter_mut().find(|q| PriorAccess { bytes: p.bytes, ..**q } == p) {
                Some(q) => q.bytes |= p.bytes,
                None => list.push(p),
            }
        }
    }
}

const fn list_index(write: u64) -> u32 {
    write as u32 & 0x1f_ffff | ((write >> STAMP_SHIFT) as u32) << 21
}

/// A half of the word form, as a read.
fn word_access(half: u64, volatile_sites: &SiteSet) -> PriorAccess {
    let group = AccessGroup::from_bits(kind_of(half));
    let plain = PriorAccess { group, ..plain_read(half) };
    if kind_of(half) < KIND_STRONG {
        return plain;
    }
    let volatile = volatile_sites.contains(plain.site);
    PriorAccess { strength: Strength::Gpu, extent: 15, volatile, ..plain }
}

/// The mark as a plain read of the whole word by its thread.
pub(super) fn plain_read(half: u64) -> PriorAccess {
    PriorAccess {
        block: block_of(half),
        stamp: stamp_of(half),
        site: site_of(half),
        thread: thread_of(half),
        bytes: 15,
        extent: 0,
        write: false,
        atomic: false,
        volatile: false,
        in_flight: false,
        chains: 0,
        observer: false,
        strength: Strength::Weak,
        group: AccessGroup::One,
    }
}
