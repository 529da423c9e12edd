//! The comparisons of whole marks that settle nearly every access, for one lane or for lanes side by side.

use super::cell::{
    BLOCK, BLOCKS, Cell, KIND, KINDS, LANES, LOWS, PLAIN, STAMP, STRONG, WARPS, WHO, is_free,
    kind_of, past, stamp_of, thread_of,
};
use super::prior_access::Past;

/// The accesses that need no thought, as comparisons of whole marks. Plain accesses of whole words only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quick {
    /// Marks of this block start here.
    own: u64,
    /// Marks of this block below this are ordered before.
    fresh: u64,
    /// Marks of this warp below this are ordered before.
    warp: u64,
    /// Marks may stand for several threads.
    crowds: bool,
}

impl Quick {
    pub fn new(block: u32, block_epoch: u32, warp_epoch: u32, crowds: bool) -> Self {
        let own = u64::from(block) << BLOCK;
        Self {
            own,
            fresh: own | u64::from(block_epoch) << STAMP,
            warp: own | u64::from(warp_epoch) << STAMP,
            crowds,
        }
    }

    /// Was the whole word last written in this block, plainly, before the last barrier?
    #[inline(always)]
    pub fn ordered(&self, cell: &Cell) -> bool {
        cell.write.wrapping_sub(self.own) < self.fresh - self.own
    }

    /// May anybody read the word, which is initialised, as far as a glance tells?
    #[inline(always)]
    pub fn readable(&self, cell: &Cell, shared: bool) -> bool {
        self.ordered(cell) || !shared && is_free(cell.write) && cell.write & LOWS == LOWS
    }

    /// Is the last write ordered before this lane's access, as far as a glance tells?
    #[inline(always)]
    fn after_write(&self, cell: &Cell, mark: u64) -> bool {
        self.ordered(cell) | ((cell.write ^ mark) & WHO == 0)
    }

    /// The read half, of this block so far, once the thread of `mark` has read too; `None` when that needs a closer look.
    #[inline(always)]
    fn joined(&self, old: u64, mark: u64, write: u64) -> Option<u64> {
        let since = old & !KINDS;
        let kind = kind_of(old);
        let low = old & LOWS;
        if kind >= WARPS {
            // several warps have read it since the barrier: one more reader changes nothing
            let same = since >= self.fresh && self.crowds;
            return (kind == WARPS).then_some(if same { old } else { mark | low });
        }
        if since < self.fresh || (old ^ mark) & WHO == 0 {
            return Some(mark | low);
        }
        let apart = (thread_of(old) ^ thread_of(mark)) >> 5 != 0;
        if !apart && since < self.warp {
            return Some(mark | low);
        }
        if !self.crowds {
            return None;
        }
        let crowd = if apart { WARPS } else { LANES };
        // of two, the one that is not known to write here is the more likely to be in conflict with the next write
        let owns = (write ^ mark) & WHO & !KINDS == 0;
        Some(if owns { old & !KINDS } else { mark | low } | crowd << KIND)
    }

    /// A read of a shared word that was written in this block, before the last barrier or by the reader itself.
    /// False when it needs a closer look.
    #[inline(always)]
    pub fn shared_read(&self, cell: &mut Cell, mark: u64) -> bool {
        if !self.after_write(cell, mark) {
            return false;
        }
        let old = cell.read;
        if old < self.fresh {
            cell.read = mark;
        } else if let Some(new) = self.joined(old, mark, cell.write) {
            cell.read = new;
        } else {
            return false;
        }
        true
    }

    /// A write of a shared word that no other thread has touched since the last barrier.
    #[inline(always)]
    pub fn shared_write(&self, cell: &mut Cell, mark: u64) -> bool {
        let free = (cell.write < self.fresh || (cell.write ^ mark) & WHO == 0)
            && (cell.read & !KINDS < self.fresh || (cell.read ^ mark) & WHO == 0);
        if free {
            cell.write = mark | LOWS;
        }
        free
    }

    /// A read of a global word that nobody has written since the last barrier but the reader itself.
    #[inline(always)]
    pub fn global_read(&self, cell: &mut Cell, mark: u64) -> bool {
        if !(is_free(cell.write) || self.after_write(cell, mark)) {
            return false;
        }
        let old = cell.read;
        if is_free(old) {
            cell.read = mark | old & LOWS;
        } else if kind_of(old) == BLOCKS {
            return self.crowds;
        } else if (old & !KINDS ^ self.own) >> BLOCK != 0 {
            if kind_of(old) >= STRONG || !self.crowds {
                return false;
            }
            cell.read = mark | old & LOWS | BLOCKS << KIND;
        } else if let Some(new) = self.joined(old, mark, cell.write) {
            cell.read = new;
        } else {
            return false;
        }
        true
    }

    /// A write of a global word that no other thread has touched since the last barrier. Counts it.
    #[inline(always)]
    pub fn global_write(&self, cell: &mut Cell, mark: u64) -> bool {
        let old = cell.read;
        let free = (is_free(cell.write) || self.after_write(cell, mark))
            && (is_free(old)
                || (old ^ mark) & WHO == 0
                || old.wrapping_sub(self.own) < self.fresh - self.own);
        if free {
            cell.write = mark | LOWS;
            cell.count();
        }
        free
    }

    /// [`Quick::shared_read`] for lanes side by side, from the one of `mark` on. False, and nothing done, unless the same
    /// simple thing is to be done for all of them.
    #[inline(always)]
    pub fn shared_reads<const N: usize>(&self, cells: &mut [Cell; N], mark: u64) -> bool {
        let (mut ordered, mut new, mut known) = (true, true, true);
        for (cell, mark) in cells.iter().zip(mark..) {
            ordered &= self.ordered(cell);
            new &= (cell.read < self.fresh) | ((cell.read ^ mark) & WHO == 0);
            known &= (kind_of(cell.read) == WARPS) & (cell.read & !KINDS >= self.fresh);
        }
        if ordered & new {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.read = mark;
            }
        }
        ordered & (new | known & self.crowds)
    }

    /// [`Quick::shared_write`] for lanes side by side.
    #[inline(always)]
    pub fn shared_writes<const N: usize>(&self, cells: &mut [Cell; N], mark: u64) -> bool {
        let mut free = true;
        for (cell, mark) in cells.iter().zip(mark..) {
            free &= (cell.write < self.fresh) | ((cell.write ^ mark) & WHO == 0);
            free &= (cell.read & !KINDS < self.fresh) | ((cell.read ^ mark) & WHO == 0);
        }
        if free {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.write = mark | LOWS;
            }
        }
        free
    }

    /// [`Quick::global_read`] for lanes side by side, of words that are initialised.
    #[inline(always)]
    pub fn global_reads<const N: usize>(&self, cells: &mut [Cell; N], mark: u64) -> bool {
        let (mut ordered, mut new, mut known) = (true, true, true);
        for (cell, mark) in cells.iter().zip(mark..) {
            let old = cell.read;
            ordered &= is_free(cell.write) | self.after_write(cell, mark);
            ordered &= cell.write & LOWS == LOWS;
            let settled = (old & !KINDS).wrapping_sub(self.own) < self.fresh - self.own;
            new &= is_free(old) | ((old ^ mark) & WHO == 0) | (settled & (kind_of(old) < BLOCKS));
            known &= kind_of(old) == BLOCKS;
        }
        if ordered & new {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.read = mark | cell.read & LOWS;
            }
        }
        ordered & (new | known & self.crowds)
    }

    /// [`Quick::global_write`] for lanes side by side.
    #[inline(always)]
    pub fn global_writes<const N: usize>(&self, cells: &mut [Cell; N], mark: u64) -> bool {
        let mut free = true;
        for (cell, mark) in cells.iter().zip(mark..) {
            let old = cell.read;
            free &= is_free(cell.write) | self.after_write(cell, mark);
            free &= is_free(old)
                | ((old ^ mark) & WHO == 0)
                | (old.wrapping_sub(self.own) < self.fresh - self.own);
        }
        if free {
            for (cell, mark) in cells.iter_mut().zip(mark..) {
                cell.write = mark | LOWS;
                cell.count();
            }
        }
        free
    }

    /// The last write, where it was a plain one and nobody has read the word since the last barrier.
    pub fn unread_write(&self, cell: &Cell) -> Option<Past> {
        let read = cell.read & !KINDS;
        let unread = is_free(cell.read) || read.wrapping_sub(self.own) < self.fresh - self.own;
        let plain = kind_of(cell.write) == PLAIN && stamp_of(cell.write) != 0;
        (plain && unread).then(|| Past { write: true, ..past(cell.write) })
    }

    /// An atomic on a word that, since the last barrier, only atomics and the thread itself have touched.
    #[inline(always)]
    pub fn atomic(&self, cell: &mut Cell, mark: u64, shared: bool) -> bool {
        let (write, read) = (cell.write, cell.read);
        let since = write & !KINDS;
        let settled = |half: u64| half.wrapping_sub(self.own) < self.fresh - self.own;
        let reads = is_free(read)
            || (read ^ mark) & WHO == 0
            || settled(read)
            || shared && read & !KINDS < self.fresh;
        if !self.crowds || !reads || write & LOWS != LOWS {
            return false;
        }
        let plain = kind_of(write) == PLAIN;
        // the last write is another atomic, or a single strong store, which this one observes and stands for; or there is
        // none that anybody could still race with
        let none = plain && (if shared { settled(write) } else { is_free(write) });
        let observed = kind_of(write) == STRONG && (!shared || since >= self.own);
        if !none && !observed {
            return false;
        }
        cell.write = mark | LOWS | STRONG << KIND;
        if !shared {
            cell.count();
        }
        true
    }
}
