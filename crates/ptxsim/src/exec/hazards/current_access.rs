//! Who accesses a word, and whether that is ordered after what is remembered of it.

use super::cell::{Cell, mark};
use super::prior_access::{Crowd, Lists, Past, Strength, record};
use super::sync_state::Who;
use super::vector_clock::Know;

/// Who accesses, and since when the others are ordered before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Me {
    pub thread: u32,
    /// As marks keep it: the block's index, or for shared memory the generation.
    pub block: u32,
    pub stamp: u32,
    pub site: u32,
    /// Stamp of the last barrier, of the last warp-wide synchronisation (never before the barrier).
    pub block_epoch: u32,
    pub warp_epoch: u32,
    pub strong: Strength,
    /// The block's index as marks in global memory keep it.
    pub index: u32,
    /// Only barriers order threads: marks may stand for several.
    pub crowds: bool,
    /// Shared memory: marks of other blocks are leftovers.
    pub shared: bool,
}

/// The other party of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub past: Past,
    /// The same store instruction of the same warp: both lanes at once.
    pub together: bool,
}

impl Conflict {
    /// Is the thread named one that it is in conflict with? The accessing thread may be the newest of a crowd; its own
    /// asynchronous copy is another matter.
    pub fn known(&self, me: &Me) -> bool {
        self.past.flying || (self.past.block, self.past.thread) != (me.block, me.thread)
    }
}

impl Me {
    pub(super) fn mark(&self) -> u64 {
        mark(self.block, self.stamp, self.site, self.thread)
    }

    pub(super) fn generation(&self) -> Option<u32> {
        self.shared.then_some(self.block)
    }

    pub(super) fn past(&self, bytes: u8, write: bool) -> Past {
        let Self { block, stamp, site, thread, strong, .. } = *self;
        let extent = if strong == Strength::Weak { 0 } else { bytes };
        let crowd = Crowd::One;
        Past {
            block,
            stamp,
            site,
            thread,
            bytes,
            extent,
            write,
            adds: false,
            flying: false,
            strong,
            crowd,
        }
    }

    pub(super) const fn who(&self) -> Who {
        Who { block: self.index, thread: self.thread }
    }

    /// Are all that `past` stands for ordered before this access, by a thread that knows this?
    pub(super) fn after(&self, past: &Past, know: Option<&Know>) -> bool {
        if past.flying {
            return false;
        }
        let block = if self.shared { self.index } else { past.block };
        self.after_barriers(past)
            || know.is_some_and(|know| know.covers(block, past))
            // some by barriers, others because the thread knows of them
            || matches!(past.crowd, Crowd::These { .. })
                && past.threads().all(|t| self.after(&one_of(past, t), know))
    }

    fn after_barriers(&self, past: &Past) -> bool {
        if past.block != self.block {
            return self.shared;
        }
        if past.crowd == Crowd::Blocks {
            return false;
        }
        if past.stamp < self.block_epoch {
            return true;
        }
        match past.crowd {
            Crowd::Warps | Crowd::Blocks => false,
            Crowd::These { warps, .. } => {
                warps == 1 << (self.thread / 32) && past.stamp < self.warp_epoch
            }
            Crowd::Lanes | Crowd::One => {
                past.thread / 32 == self.thread / 32
                    && (past.stamp < self.warp_epoch
                        || past.crowd == Crowd::One && past.thread == self.thread)
            }
        }
    }

    /// Is a past access over for everybody who may still come? In shared memory, what came before the block's last
    /// barrier is.
    pub(super) const fn settles(&self, past: &Past) -> bool {
        self.shared && past.stamp < self.block_epoch && !past.flying
    }

    /// One thread of a past access that is not ordered before this one.
    pub(super) fn party(&self, past: &Past, know: Option<&Know>) -> Past {
        if !matches!(past.crowd, Crowd::These { .. }) {
            return *past;
        }
        past.threads().map(|t| one_of(past, t)).find(|p| !self.after(p, know)).unwrap_or(*past)
    }
}

/// One thread of those that a past access stands for.
const fn one_of(past: &Past, thread: u32) -> Past {
    Past { thread, crowd: Crowd::One, ..*past }
}

/// The close look at one access of one word: records it, and tells what it races with, if that is not `benign`.
pub(super) fn touch(
    cell: &mut Cell,
    lists: &mut Lists,
    scratch: &mut Vec<Past>,
    me: &Me,
    new: Past,
    know: Option<&Know>,
    benign: impl Fn(&Conflict) -> bool,
) -> Option<Conflict> {
    let generation = me.generation();
    let initialised =
        cell.initialised(generation) | if new.write && !new.flying { new.bytes } else { 0 };
    cell.unpack(generation, lists, scratch);
    let conflict = scratch
        .iter()
        .filter(|p| p.conflicts(&new) && !me.after(p, know))
        .map(|p| me.party(p, know))
        .map(|past| Conflict { past, together: together(&past, &new) })
        .filter(|c| !benign(c))
        .max_by_key(|c| (c.past.write, c.past.stamp));
    record(scratch, new, me.crowds, |p| me.after(p, know), |p| me.settles(p));
    *cell = Cell::pack(*cell, generation, initialised, lists, scratch);
    conflict
}

/// The same instruction of the same warp.
pub(super) fn together(past: &Past, new: &Past) -> bool {
    (past.site, past.stamp, past.block, past.thread >> 5)
        == (new.site, new.stamp, new.block, new.thread >> 5)
}
