//! Happens-before, one pair of words per 4-byte word of memory: who wrote it last, who read it since.
//!
//! Threads of one block are ordered by barriers, lanes of one warp also by warp-wide `.sync` operations. Each such
//! event takes a new stamp; an access is ordered after everything stamped before the last event that joins the two
//! threads. Between blocks nothing orders. One reader plus "how many kinds of readers" loses nothing: a later writer
//! conflicts exactly if some other thread reads unordered.
//!
//! Partial masks of warp-wide operations count as full ones, so a race between lanes left out of a mask is missed.

/// The shadow of one word of memory. Both halves are packed [`Mark`]s; 0 is "never".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shadow {
    pub write: u64,
    pub read: u64,
}

/// A mark's fields, from the top: block 22 bits, stamp 18, kind 2, site 12, thread 10. In shared memory "before the last
/// barrier or in an earlier block" is so one comparison, see [`Quick`].
const SITE: u32 = 10;
const KIND: u32 = 22;
const STAMP: u32 = 24;
const BLOCK: u32 = 42;
/// Stamps beyond this cannot be kept: the block's races are no longer tracked.
pub(crate) const MAX_STAMP: u32 = (1 << 18) - 1;
/// Memory operations beyond this share a number.
pub(crate) const MAX_SITE: u32 = (1 << 12) - 1;

const fn thread_of(mark: u64) -> u32 {
    mark as u32 & 0x3ff
}

const fn site_of(mark: u64) -> u32 {
    (mark >> SITE) as u32 & MAX_SITE
}

const fn kind_of(mark: u64) -> u64 {
    mark >> KIND & 3
}

const fn stamp_of(mark: u64) -> u32 {
    (mark >> STAMP) as u32 & MAX_STAMP
}

const fn block_of(mark: u64) -> u32 {
    (mark >> BLOCK) as u32
}

/// For writes: by atomics, possibly several.
const ATOMIC: u64 = 1;
const ATOMICS: u64 = 3;
/// For reads: by several lanes of one warp, several warps, several blocks.
const LANES: u64 = 1;
const WARPS: u64 = 2;
const BLOCKS: u64 = 3;

/// Who accesses, and since when the others are ordered before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Me {
    pub thread: u32,
    pub block: u32,
    pub stamp: u32,
    pub site: u32,
    /// Stamp of the last barrier, of the last warp-wide synchronisation (never before the barrier).
    pub block_epoch: u32,
    pub warp_epoch: u32,
    /// An atomic or volatile access.
    pub strong: bool,
    /// Blocks synchronise with each other by means that are not followed: nothing between blocks is a race.
    pub talks: bool,
    /// Shared memory: marks of other blocks are leftovers.
    pub shared: bool,
}

/// The other party of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub thread: u32,
    pub block: u32,
    pub stamp: u32,
    pub site: u32,
    pub wrote: bool,
    pub atomic: bool,
    /// The same store instruction of the same warp: both lanes at once.
    pub together: bool,
}

/// The accesses that need no thought, as comparisons of whole marks. Plain accesses only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quick {
    /// Marks of this block start here.
    own: u64,
    /// Marks of this block below this are ordered before.
    fresh: u64,
    /// Marks of this warp below this are ordered before.
    warp: u64,
}

/// Thread, kind and block: who a mark stands for.
const WHO: u64 = 0x3ff | 3 << KIND | u64::MAX << BLOCK;

impl Quick {
    pub fn new(me: &Me) -> Self {
        let own = u64::from(me.block) << BLOCK;
        Self {
            own,
            fresh: own | u64::from(me.block_epoch) << STAMP,
            warp: own | u64::from(me.warp_epoch) << STAMP,
        }
    }

    /// Was a shared word written in this block, before the last barrier?
    #[inline(always)]
    pub fn ordered(&self, shadow: &Shadow) -> bool {
        shadow.write.wrapping_sub(self.own) < self.fresh - self.own
    }

    /// A read of a shared word that was written in this block, before the last barrier or by the reader itself.
    /// False when it needs a closer look.
    #[inline(always)]
    pub fn shared_read(&self, shadow: &mut Shadow, mark: u64) -> bool {
        if !self.ordered(shadow) && (shadow.write ^ mark) & WHO != 0 {
            return false;
        }
        let old = shadow.read;
        if old < self.fresh {
            shadow.read = mark;
        } else if kind_of(old) >= WARPS {
            // several warps have read it since the barrier: one more reader changes nothing
        } else if (thread_of(old) ^ thread_of(mark)) >> 5 != 0 {
            shadow.read = mark | WARPS << KIND;
        } else if old < self.warp {
            shadow.read = mark;
        } else if (old ^ mark) & WHO != 0 {
            shadow.read = mark | LANES << KIND;
        }
        true
    }

    /// A write of a shared word that no other thread has touched since the last barrier.
    #[inline(always)]
    pub fn shared_write(&self, shadow: &mut Shadow, mark: u64) -> bool {
        let free = |other: u64| other < self.fresh || (other ^ mark) & WHO == 0;
        let free = free(shadow.write) && free(shadow.read);
        if free {
            shadow.write = mark;
        }
        free
    }

    /// A read of a global word that nobody, or only the reader itself, has written in this launch.
    #[inline(always)]
    pub fn global_read(shadow: &mut Shadow, mark: u64) -> bool {
        if shadow.write != 0 && (shadow.write ^ mark) & WHO != 0 {
            return false;
        }
        if shadow.read == 0 || (shadow.read ^ mark) & WHO == 0 {
            shadow.read = mark;
            return true;
        }
        kind_of(shadow.read) == BLOCKS
    }

    /// A write of a global word that no other thread has touched in this launch.
    #[inline(always)]
    pub fn global_write(shadow: &mut Shadow, mark: u64) -> bool {
        let free = |other: u64| other == 0 || (other ^ mark) & WHO == 0;
        let free = free(shadow.write) && free(shadow.read);
        if free {
            shadow.write = mark;
        }
        free
    }
}

/// Blocks as marks keep them; numbers repeat after four million.
pub(crate) const BLOCK_MASK: u32 = (1 << 22) - 1;

impl Me {
    /// This thread's plain mark; lane `l` of its warp has this plus `l` if this is lane 0's.
    #[inline(always)]
    pub fn plain(&self) -> u64 {
        self.mark(0)
    }

    #[inline(always)]
    fn mark(&self, kind: u64) -> u64 {
        u64::from(self.thread)
            | u64::from(self.site) << SITE
            | kind << KIND
            | u64::from(self.stamp) << STAMP
            | u64::from(self.block) << BLOCK
    }

    /// Is `mark` by another thread that nothing orders before this access? `many` marks stand for several threads.
    #[inline(always)]
    fn unordered(&self, mark: u64, many: bool) -> bool {
        if mark == 0 {
            return false;
        }
        let block = block_of(mark);
        if block != self.block {
            return !self.shared && !self.talks;
        }
        let stamp = stamp_of(mark);
        if stamp < self.block_epoch {
            return false;
        }
        let thread = thread_of(mark);
        if thread >> 5 != self.thread >> 5 {
            return true;
        }
        stamp >= self.warp_epoch && (many || thread != self.thread)
    }

    fn conflict(&self, mark: u64, wrote: bool) -> Conflict {
        let stamp = stamp_of(mark);
        let (thread, block) = (thread_of(mark), block_of(mark));
        let site = site_of(mark);
        Conflict {
            thread,
            block,
            stamp,
            site,
            wrote,
            atomic: wrote && kind_of(mark) != 0,
            together: site == self.site
                && stamp == self.stamp
                && block == self.block
                && thread >> 5 == self.thread >> 5,
        }
    }

    /// A shared word that nothing in this block has written.
    #[inline(always)]
    pub fn unwritten(&self, shadow: &Shadow) -> bool {
        shadow.write == 0 || block_of(shadow.write) != self.block
    }

    /// Records a read; the unordered write that it conflicts with, if any.
    #[inline(always)]
    pub fn read(&self, shadow: &mut Shadow) -> Option<Conflict> {
        let write = shadow.write;
        let atomic = kind_of(write) != 0;
        let race = !(self.strong && atomic) && self.unordered(write, kind_of(write) == ATOMICS);
        if !self.strong {
            let old = shadow.read;
            let kind = self.joined(old);
            shadow.read = self.mark(kind);
        }
        race.then(|| self.conflict(write, true))
    }

    /// What kind of reader set this reader and the earlier ones make.
    #[inline(always)]
    fn joined(&self, old: u64) -> u64 {
        if old == 0 {
            return 0;
        }
        let block = block_of(old);
        if block != self.block {
            return if self.shared { 0 } else { BLOCKS };
        }
        let kind = kind_of(old);
        let stamp = stamp_of(old);
        if kind == BLOCKS {
            return BLOCKS;
        }
        if stamp < self.block_epoch {
            return 0;
        }
        let thread = thread_of(old);
        if kind == WARPS || thread >> 5 != self.thread >> 5 {
            return WARPS;
        }
        if stamp < self.warp_epoch {
            return 0;
        }
        if kind == LANES || thread != self.thread { LANES } else { 0 }
    }

    /// Records a write; the unordered access that it conflicts with, if any.
    #[inline(always)]
    pub fn write(&self, shadow: &mut Shadow) -> Option<Conflict> {
        let (write, read) = (shadow.write, shadow.read);
        let atomic = kind_of(write) != 0;
        let writes = !(self.strong && atomic) && self.unordered(write, kind_of(write) == ATOMICS);
        let kind = kind_of(read);
        let reads = read != 0
            && match kind {
                BLOCKS => !self.talks,
                WARPS => {
                    // at least one of the readers is in another warp
                    let block = block_of(read);
                    let stamp = stamp_of(read);
                    if block == self.block {
                        stamp >= self.block_epoch
                    } else {
                        !self.shared && !self.talks
                    }
                }
                _ => self.unordered(read, kind == LANES),
            };
        let many =
            self.strong && atomic && (kind_of(write) == ATOMICS || thread_of(write) != self.thread);
        let kind = match (self.strong, many) {
            (true, true) => ATOMICS,
            (true, false) => ATOMIC,
            _ => 0,
        };
        shadow.write = self.mark(kind);
        if writes {
            Some(self.conflict(write, true))
        } else if reads {
            Some(self.conflict(read, false))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me(thread: u32, stamp: u32) -> Me {
        Me {
            thread,
            block: 0,
            stamp,
            site: thread,
            block_epoch: 1,
            warp_epoch: 1,
            strong: false,
            talks: false,
            shared: true,
        }
    }

    #[test]
    fn a_barrier_orders_what_came_before_it() {
        let mut word = Shadow::default();
        assert_eq!(me(0, 1).write(&mut word), None);
        let racing = me(40, 1).read(&mut word.clone());
        assert!(racing.is_some_and(|c| c.thread == 0 && c.wrote), "{racing:?}");
        let after = Me { block_epoch: 2, warp_epoch: 2, ..me(40, 2) };
        assert_eq!(after.read(&mut word), None);
    }

    #[test]
    fn a_warp_sync_orders_lanes_of_its_warp_only() {
        let mut word = Shadow::default();
        me(0, 1).write(&mut word);
        let same_warp = Me { warp_epoch: 2, ..me(5, 2) };
        assert_eq!(same_warp.read(&mut word.clone()), None);
        let other_warp = Me { warp_epoch: 2, ..me(37, 2) };
        assert!(other_warp.read(&mut word).is_some());
    }

    #[test]
    fn a_writer_meets_every_earlier_reader_but_itself() {
        let mut word = Shadow::default();
        me(3, 1).read(&mut word);
        assert_eq!(me(3, 1).write(&mut word.clone()), None, "its own read");
        me(4, 1).read(&mut word);
        assert!(me(4, 1).write(&mut word.clone()).is_some(), "lane 3 read too");
        me(70, 1).read(&mut word);
        assert!(me(70, 1).write(&mut word).is_some(), "another warp read too");
    }

    #[test]
    fn atomics_do_not_race_with_each_other_but_with_plain_accesses() {
        let mut word = Shadow::default();
        let atomic = |t| Me { strong: true, ..me(t, 1) };
        assert_eq!(atomic(0).write(&mut word), None);
        assert_eq!(atomic(40).write(&mut word), None);
        assert!(me(40, 1).read(&mut word.clone()).is_some(), "thread 0's atomic is unordered");
        assert!(me(0, 1).write(&mut word).is_some());
    }

    #[test]
    fn blocks_race_in_global_memory_and_never_in_shared() {
        let mut word = Shadow::default();
        me(0, 1).write(&mut word);
        let other = Me { block: 1, shared: false, ..me(0, 1) };
        assert!(other.read(&mut word.clone()).is_some());
        assert_eq!(Me { shared: true, ..other }.read(&mut word), None);
    }
}
