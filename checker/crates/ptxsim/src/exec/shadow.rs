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

/// Where the two halves of a mark lie: thread 10 bits, block 22, stamp 18, site 12, kind 2.
const BLOCK: u32 = 10;
const STAMP: u32 = 32;
const SITE: u32 = 50;
const KIND: u32 = 62;
/// Stamps beyond this cannot be kept: the block's races are no longer tracked.
pub(crate) const MAX_STAMP: u32 = (1 << 18) - 1;
/// Memory operations beyond this share a number.
pub(crate) const MAX_SITE: u32 = (1 << 12) - 1;

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
    pub site: u32,
    pub wrote: bool,
    pub atomic: bool,
    /// The same store instruction of the same warp: both lanes at once.
    pub together: bool,
}

impl Me {
    #[inline(always)]
    fn mark(&self, kind: u64) -> u64 {
        u64::from(self.thread)
            | u64::from(self.block & 0x3f_ffff) << BLOCK
            | u64::from(self.stamp) << STAMP
            | u64::from(self.site) << SITE
            | kind << KIND
    }

    /// Is `mark` by another thread that nothing orders before this access? `many` marks stand for several threads.
    #[inline(always)]
    fn unordered(&self, mark: u64, many: bool) -> bool {
        if mark == 0 {
            return false;
        }
        let block = (mark >> BLOCK) as u32 & 0x3f_ffff;
        if block != self.block & 0x3f_ffff {
            return !self.shared && !self.talks;
        }
        let stamp = (mark >> STAMP) as u32 & MAX_STAMP;
        if stamp < self.block_epoch {
            return false;
        }
        let thread = mark as u32 & 0x3ff;
        if thread >> 5 != self.thread >> 5 {
            return true;
        }
        stamp >= self.warp_epoch && (many || thread != self.thread)
    }

    fn conflict(&self, mark: u64, wrote: bool) -> Conflict {
        let stamp = (mark >> STAMP) as u32 & MAX_STAMP;
        let (thread, block) = (mark as u32 & 0x3ff, (mark >> BLOCK) as u32 & 0x3f_ffff);
        let site = (mark >> SITE) as u32 & MAX_SITE;
        Conflict {
            thread,
            block,
            site,
            wrote,
            atomic: wrote && mark >> KIND != 0,
            together: site == self.site
                && stamp == self.stamp
                && block == self.block & 0x3f_ffff
                && thread >> 5 == self.thread >> 5,
        }
    }

    /// A shared word that nothing in this block has written.
    #[inline(always)]
    pub fn unwritten(&self, shadow: &Shadow) -> bool {
        shadow.write == 0 || (shadow.write >> BLOCK) as u32 & 0x3f_ffff != self.block & 0x3f_ffff
    }

    /// Records a read; the unordered write that it conflicts with, if any.
    #[inline(always)]
    pub fn read(&self, shadow: &mut Shadow) -> Option<Conflict> {
        let write = shadow.write;
        let atomic = write >> KIND != 0;
        let race = !(self.strong && atomic) && self.unordered(write, write >> KIND == ATOMICS);
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
        let block = (old >> BLOCK) as u32 & 0x3f_ffff;
        if block != self.block & 0x3f_ffff {
            return if self.shared { 0 } else { BLOCKS };
        }
        let kind = old >> KIND;
        let stamp = (old >> STAMP) as u32 & MAX_STAMP;
        if kind == BLOCKS {
            return BLOCKS;
        }
        if stamp < self.block_epoch {
            return 0;
        }
        let thread = old as u32 & 0x3ff;
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
        let atomic = write >> KIND != 0;
        let writes = !(self.strong && atomic) && self.unordered(write, write >> KIND == ATOMICS);
        let kind = read >> KIND;
        let reads = read != 0
            && match kind {
                BLOCKS => !self.talks,
                WARPS => {
                    // at least one of the readers is in another warp
                    let block = (read >> BLOCK) as u32 & 0x3f_ffff;
                    let stamp = (read >> STAMP) as u32 & MAX_STAMP;
                    if block == self.block & 0x3f_ffff {
                        stamp >= self.block_epoch
                    } else {
                        !self.shared && !self.talks
                    }
                }
                _ => self.unordered(read, kind == LANES),
            };
        let many = self.strong && atomic && (write >> KIND == ATOMICS || write as u32 & 0x3ff != self.thread);
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
