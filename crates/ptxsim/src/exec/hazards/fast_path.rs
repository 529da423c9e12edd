//! The fast path: comparisons of whole marks that decide nearly every access, for one lane or for
//! lanes side by side.
//!
//! Each function returns false, and leaves the cells as they were, when a comparison cannot decide.
//! The access then takes the slow path
//! ([`check_and_record`](super::current_access::check_and_record)), which also finds the races.

use super::cell::{
    BLOCK_SHIFT, EXTRA_MASK, GROUP_BLOCKS, GROUP_LANES, GROUP_WARPS, KIND_MASK, KIND_PLAIN,
    KIND_SHIFT, KIND_STRONG, OWNER_MASK, STAMP_SHIFT, ShadowCell, is_free, kind_of, plain_read,
    stamp_of, thread_of,
};
use super::current_access::CurrentAccess;
use super::prior_access::PriorAccess;

/// What marks are compared with. All of it is about weak accesses of whole words, except for the
/// functions that say so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FastPath {
    /// The least mark of this block.
    block_start: u64,
    /// Marks of this block below this one are ordered before the access, by the last barrier.
    block_epoch: u64,
    /// Marks of this warp below this one are ordered before the access.
    warp_epoch: u64,
    /// A mark may stand for several threads.
    may_group: bool,
}

impl FastPath {
    #[inline(always)]
    pub fn new(current: &CurrentAccess) -> Self {
        let block_start = u64::from(current.block) << BLOCK_SHIFT;
        Self {
            block_start,
            block_epoch: block_start | u64::from(current.block_epoch) << STAMP_SHIFT,
            warp_epoch: block_start | u64::from(current.warp_epoch) << STAMP_SHIFT,
            may_group: current.may_group,
        }
    }

    /// A volatile read of a shared word that no other thread has written since the last barrier.
    /// `like` says of earlier strong reads whether they race with the same writes.
    #[inline(always)]
    pub fn read_shared_strongly(
        &self,
        cell: &mut ShadowCell,
        mark: u64,
        like: impl Fn(u64) -> bool,
    ) -> bool {
        let (write, old) = (cell.write, cell.read);
        let strong = mark | KIND_STRONG << KIND_SHIFT;
        let outdated = self.is_outdated(write);
        let initialised =
            write & EXTRA_MASK == EXTRA_MASK && write & !KIND_MASK >= self.block_start;
        if !self.may_group || !initialised || !(outdated || is_same_owner(write, strong)) {
            return false;
        }
        if old == strong {
            return true;
        }
        let old_mark = old & !KIND_MASK;
        if old_mark < self.block_epoch || is_same_owner(old, strong) && like(old) {
            cell.read = strong;
        } else if kind_of(old) >= KIND_STRONG && like(old) {
            let group = kind_of(old) - KIND_STRONG;
            let same_warp = (thread_of(old) ^ thread_of(mark)) >> 5 == 0;
            cell.read = if group >= GROUP_WARPS || !same_warp {
                mark | (KIND_STRONG + GROUP_WARPS) << KIND_SHIFT
            } else if old_mark < self.warp_epoch {
                strong
            } else {
                mark | (KIND_STRONG + GROUP_LANES) << KIND_SHIFT
            };
        } else {
            return false;
        }
        if outdated {
            cell.write = self.block_start | EXTRA_MASK;
        }
        true
    }

    /// A volatile write of a shared word that no other thread has accessed since the last barrier.
    /// `like` says of an earlier strong write whether it races with the same accesses.
    #[inline(always)]
    pub fn write_shared_strongly(
        &self,
        cell: &mut ShadowCell,
        mark: u64,
        like: impl Fn(u64) -> bool,
    ) -> bool {
        let (write, strong) = (cell.write, mark | KIND_STRONG << KIND_SHIFT);
        let free = (self.is_outdated(write) || is_same_owner(write, strong) && like(write))
            && cell.read & !KIND_MASK < self.block_epoch;
        if free && self.may_group {
            *cell = ShadowCell { write: strong | EXTRA_MASK, read: 0 };
        }
        free && self.may_group
    }

    /// Is the last write of a shared word, if it is kept as one mark, before the last barrier?
    #[inline(always)]
    const fn is_outdated(&self, write: u64) -> bool {
        let one_mark = kind_of(write) == KIND_PLAIN || kind_of(write) >= KIND_STRONG;
        one_mark && write & !KIND_MASK < self.block_epoch
    }

    /// Is this half a weak access of one thread of this block, before the last barrier?
    #[inline(always)]
    const fn before_barrier(&self, half: u64) -> bool {
        half.wrapping_sub(self.block_start) < self.block_epoch - self.block_start
    }

    /// Is the last write a plain one of the whole word, in this block and before the last barrier?
    #[inline(always)]
    pub fn write_before_barrier(&self, cell: &ShadowCell) -> bool {
        self.before_barrier(cell.write)
    }

    /// Is the word initialised, and its last write ordered before a read by any thread of this
    /// block?
    #[inline(always)]
    pub fn any_thread_may_read(&self, cell: &ShadowCell, shared: bool) -> bool {
        self.write_before_barrier(cell)
            || !shared && is_free(cell.write) && cell.write & EXTRA_MASK == EXTRA_MASK
    }

    /// Is the last write ordered before the access of `mark`: by a barrier, or because it is the
    /// same thread's?
    #[inline(always)]
    fn write_is_before(&self, cell: &ShadowCell, mark: u64) -> bool {
        self.write_before_barrier(cell) | is_same_owner(cell.write, mark)
    }

    /// The read half `old`, which is of this block, once the thread of `mark` has read, too. `None`
    /// when the slow path has to find out.
    #[inline(always)]
    fn add_reader(&self, old: u64, mark: u64, write: u64) -> Option<u64> {
        let old_mark = old & !KIND_MASK;
        let kind = kind_of(old);
        let extra = old & EXTRA_MASK;
        if kind >= GROUP_WARPS {
            // once several warps have read the word since the barrier, another reader changes
            // nothing
            let stays = old_mark >= self.block_epoch && self.may_group;
            return (kind == GROUP_WARPS).then_some(if stays { old } else { mark | extra });
        }
        if old_mark < self.block_epoch || is_same_owner(old, mark) {
            return Some(mark | extra);
        }
        let same_warp = (thread_of(old) ^ thread_of(mark)) >> 5 == 0;
        if same_warp && old_mark < self.warp_epoch {
            return Some(mark | extra);
        }
        if !self.may_group {
            return None;
        }
        let group = if same_warp { GROUP_LANES } else { GROUP_WARPS };
        // of two readers, the one that did not write the word is more likely to race with its next
        // write
        let wrote_it = (write ^ mark) & OWNER_MASK & !KIND_MASK == 0;
        Some(if wrote_it { old & !KIND_MASK } else { mark | extra } | group << KIND_SHIFT)
    }

    /// A read of a shared word whose last write is by this block before the last barrier, or by the
    /// reader itself.
    #[inline(always)]
    pub fn read_shared(&self, cell: &mut ShadowCell, mark: u64) -> bool {
        if !self.write_is_before(cell, mark) {
            return false;
        }
        let old = cell.read;
        if old < self.block_epoch {
            cell.read = mark;
        } else if let Some(new) = self.add_reader(old, mark, cell.write) {
            cell.read = new;
        } else {
            return false;
        }
        true
    }

    /// A write of a shared word that no other thread has accessed since the last barrier.
    #[inline(always)]
    pub fn write_shared(&self, cell: &mut ShadowCell, mark: u64) -> bool {
        let (write, read) = (cell.write, cell.read);
        let free = (write < self.block_epoch || is_same_owner(write, mark))
            && (read & !KIND_MASK < self.block_epoch || is_same_owner(read, mark));
        if free {
            cell.write = ShadowCell::written(mark);
        }
        free
    }

    /// A read of a global word that no other thread has written since the last barrier.
    #[inline(always)]
    pub fn read_global(&self, cell: &mut ShadowCell, mark: u64) -> bool {
        if !(is_free(cell.write) || self.write_is_before(cell, mark)) {
            return false;
        }
        let old = cell.read;
        if is_free(old) {
            cell.read = mark | old & EXTRA_MASK;
        } else if kind_of(old) == GROUP_BLOCKS {
            return self.may_group;
        } else if (old & !KIND_MASK ^ self.block_start) >> BLOCK_SHIFT != 0 {
            if kind_of(old) >= KIND_STRONG || !self.may_group {
                return false;
            }
            cell.read = mark | old & EXTRA_MASK | GROUP_BLOCKS << KIND_SHIFT;
        } else if let Some(new) = self.add_reader(old, mark, cell.write) {
            cell.read = new;
        } else {
            return false;
        }
        true
    }

    /// A write of a global word that no other thread has accessed since the last barrier. Counts
    /// it.
    #[inline(always)]
    pub fn write_global(&self, cell: &mut ShadowCell, mark: u64) -> bool {
        let old = cell.read;
        let free = (is_free(cell.write) || self.write_is_before(cell, mark))
            && (is_free(old) || is_same_owner(old, mark) || self.before_barrier(old));
        if free {
            cell.write = ShadowCell::written(mark);
            cell.count_write();
        }
        free
    }

    /// [`FastPath::read_shared`] for lanes side by side, the first of them that of `mark`. False,
    /// and nothing done, unless the same simple thing is to be done for all of them.
    #[inline(always)]
    pub fn read_shared_run<const N: usize>(&self, cells: &mut [ShadowCell; N], mark: u64) -> bool {
        let (mut ordered, mut replaces, mut stays) = (true, true, true);
        for (cell, mark) in cells.iter().zip(mark..) {
            ordered &= self.write_before_barrier(cell);
            replaces &= (cell.read < self.block_epoch) | is_same_owner(cell.read, mark);
            stays &=
                (kind_of(cell.read) == GROUP_WARPS) & (cell.read & !KIND_MASK >= self.block_epoch);
        }
        if ordered & replaces {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.read = mark;
            }
        }
        ordered & (replaces | stays & self.may_group)
    }

    /// [`FastPath::write_shared`] for lanes side by side.
    #[inline(always)]
    pub fn write_shared_run<const N: usize>(&self, cells: &mut [ShadowCell; N], mark: u64) -> bool {
        let mut free = true;
        for (cell, mark) in cells.iter().zip(mark..) {
            free &= (cell.write < self.block_epoch) | is_same_owner(cell.write, mark);
            free &= (cell.read & !KIND_MASK < self.block_epoch) | is_same_owner(cell.read, mark);
        }
        if free {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.write = ShadowCell::written(mark);
            }
        }
        free
    }

    /// [`FastPath::read_global`] for lanes side by side, of words that are initialised.
    #[inline(always)]
    pub fn read_global_run<const N: usize>(&self, cells: &mut [ShadowCell; N], mark: u64) -> bool {
        let (mut ordered, mut replaces, mut stays) = (true, true, true);
        for (cell, mark) in cells.iter().zip(mark..) {
            let old = cell.read;
            ordered &= is_free(cell.write) | self.write_is_before(cell, mark);
            ordered &= cell.write & EXTRA_MASK == EXTRA_MASK;
            let outdated = self.before_barrier(old & !KIND_MASK);
            replaces &= is_free(old)
                | is_same_owner(old, mark)
                | (outdated & (kind_of(old) < GROUP_BLOCKS));
            stays &= kind_of(old) == GROUP_BLOCKS;
        }
        if ordered & replaces {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.read = mark | cell.read & EXTRA_MASK;
            }
        }
        ordered & (replaces | stays & self.may_group)
    }

    /// [`FastPath::write_global`] for lanes side by side.
    #[inline(always)]
    pub fn write_global_run<const N: usize>(&self, cells: &mut [ShadowCell; N], mark: u64) -> bool {
        let mut free = true;
        for (cell, mark) in cells.iter().zip(mark..) {
            let old = cell.read;
            free &= is_free(cell.write) | self.write_is_before(cell, mark);
            free &= is_free(old) | is_same_owner(old, mark) | self.before_barrier(old);
        }
        if free {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.write = ShadowCell::written(mark);
                cell.count_write();
            }
        }
        free
    }

    /// The last write, if it was a plain one and no thread has read the word since the last
    /// barrier.
    pub fn unread_write(&self, cell: &ShadowCell) -> Option<PriorAccess> {
        let unread = is_free(cell.read) || self.before_barrier(cell.read & !KIND_MASK);
        let plain = kind_of(cell.write) == KIND_PLAIN && stamp_of(cell.write) != 0;
        (plain && unread).then(|| PriorAccess { write: true, ..plain_read(cell.write) })
    }

    /// An atomic on a word that only atomics and the thread itself have accessed since the last
    /// barrier.
    #[inline(always)]
    pub fn update_atomically(&self, cell: &mut ShadowCell, mark: u64, shared: bool) -> bool {
        let (write, read) = (cell.write, cell.read);
        let reads_are_before = is_free(read)
            || is_same_owner(read, mark)
            || self.before_barrier(read)
            || shared && read & !KIND_MASK < self.block_epoch;
        if !self.may_group || !reads_are_before || write & EXTRA_MASK != EXTRA_MASK {
            return false;
        }
        // the atomic replaces a write that no access can race with any more, or one that it
        // observes: another atomic, or a single strong store
        let plain = kind_of(write) == KIND_PLAIN;
        let outdated = plain && (if shared { self.before_barrier(write) } else { is_free(write) });
        let observed =
            kind_of(write) == KIND_STRONG && (!shared || write & !KIND_MASK >= self.block_start);
        if !outdated && !observed {
            return false;
        }
        cell.write = ShadowCell::written(mark) | KIND_STRONG << KIND_SHIFT;
        if !shared {
            cell.count_write();
        }
        true
    }
}

/// Have the two marks the same thread, block and kind?
#[inline(always)]
const fn is_same_owner(half: u64, mark: u64) -> bool {
    (half ^ mark) & OWNER_MASK == 0
}
