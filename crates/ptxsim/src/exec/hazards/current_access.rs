//! The access that a thread makes now, and the slow path: whether the prior accesses of its word
//! are ordered before it.

use super::cell::{BLOCK_MASK, MAX_SITE, ShadowCell, mark};
use super::observers;
use super::prior_access::{
    AccessGroup, Grouping, PriorAccess, PriorLists, Strength, Workspace, record,
};
use super::sync::WarpEpoch;
use super::vector_clock::VectorClock;
use crate::exec::machine::{BlockState, Machine, ThreadId};

/// The thread that accesses, when, and the epochs before which other threads' accesses are ordered
/// before its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentAccess {
    /// Linear index in the block.
    pub thread: u32,
    /// The block as marks of this memory keep it: its number, or for shared memory its generation.
    pub block: u32,
    pub stamp: u32,
    /// The memory operation.
    pub site: u32,
    /// Stamp of the last barrier, and of the last whole-warp synchronisation, which is never before
    /// the barrier.
    pub block_epoch: u32,
    pub warp_epoch: u32,
    pub strength: Strength,
    /// As in [`PriorAccess`].
    pub volatile: bool,
    /// The block's number as marks of global memory keep it.
    pub block_number: u32,
    /// Only barriers and whole-warp synchronisations order threads: a mark may stand for several.
    pub may_group: bool,
    /// Shared memory: marks of other generations are leftovers of earlier blocks.
    pub shared: bool,
}

/// A prior access that races with the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub prior: PriorAccess,
    /// Both are lanes of one warp at the same operation.
    pub same_instruction: bool,
}

impl Conflict {
    /// Is the thread that the prior access names one that it races with? Where the access stands
    /// for a group, the named thread may be the current one. An asynchronous copy in flight also
    /// races with its own thread.
    pub fn names_other_thread(&self, current: &CurrentAccess) -> bool {
        self.prior.in_flight
            || (self.prior.block, self.prior.thread) != (current.block, current.thread)
    }
}

impl CurrentAccess {
    /// A weak access by a warp's first lane. `shared` says whether it is to shared or to global
    /// memory.
    #[inline(always)]
    pub(super) fn new(
        m: &Machine<'_>,
        b: &BlockState,
        warp: WarpEpoch,
        site: u32,
        shared: bool,
    ) -> Self {
        let block_number = b.index & BLOCK_MASK;
        Self {
            thread: warp.index * 32,
            block: if shared { b.generation } else { block_number },
            stamp: b.stamp,
            site: site.min(MAX_SITE),
            block_epoch: b.epoch,
            warp_epoch: warp.epoch.max(b.epoch),
            strength: Strength::Weak,
            volatile: false,
            block_number,
            may_group: m.sync.is_none(),
            shared,
        }
    }

    /// The same access by another lane.
    pub(super) const fn by_lane(self, lane: usize) -> Self {
        Self { thread: self.thread + lane as u32, ..self }
    }

    pub(super) fn mark(&self) -> u64 {
        mark(self.block, self.stamp, self.site, self.thread)
    }

    pub(super) fn generation(&self) -> Option<u32> {
        self.shared.then_some(self.block)
    }

    /// The access as later ones see it.
    pub(super) fn to_prior(self, bytes: u8, write: bool) -> PriorAccess {
        let Self { block, stamp, site, thread, strength, volatile, .. } = self;
        PriorAccess {
            block,
            stamp,
            site,
            thread,
            bytes,
            extent: if strength == Strength::Weak { 0 } else { bytes },
            write,
            atomic: false,
            volatile,
            in_flight: false,
            chains: 0,
            observer: false,
            strength,
            group: AccessGroup::One,
        }
    }

    /// Which prior accesses may become one entry.
    pub(super) const fn grouping(&self, atomics: bool) -> Grouping {
        Grouping { unknown_threads: self.may_group, strong_writes: !atomics }
    }

    pub(super) const fn thread_id(&self) -> ThreadId {
        ThreadId { block: self.block_number, linear: self.thread }
    }

    /// Are the accesses of all threads that `prior` stands for ordered before this one
    /// (happens-before)? `clock` is the thread's.
    pub(super) fn is_after(&self, prior: &PriorAccess, clock: Option<&VectorClock>) -> bool {
        if prior.in_flight {
            return false;
        }
        let block = if self.shared { self.block_number } else { prior.block };
        self.is_after_by_epochs(prior)
            || clock.is_some_and(|clock| clock.covers(block, prior))
            // some members may be ordered by epochs, others by the clock
            || matches!(prior.group, AccessGroup::Exactly { .. })
                && prior.threads().all(|thread| self.is_after(&one_of(prior, thread), clock))
    }

    fn is_after_by_epochs(&self, prior: &PriorAccess) -> bool {
        if prior.block != self.block {
            return self.shared;
        }
        if prior.group == AccessGroup::Blocks {
            return false;
        }
        if prior.stamp < self.block_epoch {
            return true;
        }
        match prior.group {
            AccessGroup::Warps | AccessGroup::Blocks => false,
            AccessGroup::Exactly { warps, .. } => {
                warps == 1 << (self.thread / 32) && prior.stamp < self.warp_epoch
            }
            AccessGroup::Lanes | AccessGroup::One => {
                prior.thread / 32 == self.thread / 32
                    && (prior.stamp < self.warp_epoch
                        || prior.group == AccessGroup::One && prior.thread == self.thread)
            }
        }
    }

    /// Is a prior access ordered before every access that can still follow? In shared memory, those
    /// before the block's last barrier are.
    pub(super) const fn outdates(&self, prior: &PriorAccess) -> bool {
        self.shared && prior.stamp < self.block_epoch && !prior.in_flight
    }

    /// Was `prior` a plain write by the same thread, since which nothing has synchronised?
    pub(super) fn follows_own_write(&self, prior: &PriorAccess) -> bool {
        prior.write
            && !prior.atomic
            && !prior.in_flight
            && prior.strength == Strength::Weak
            && prior.group == AccessGroup::One
            && (prior.block, prior.thread, prior.stamp) == (self.block, self.thread, self.stamp)
    }

    /// The prior access by one of its threads that is not ordered before this access.
    fn unordered_member(&self, prior: &PriorAccess, clock: Option<&VectorClock>) -> PriorAccess {
        if !matches!(prior.group, AccessGroup::Exactly { .. }) {
            return *prior;
        }
        let mut members = prior.threads().map(|thread| one_of(prior, thread));
        members.find(|member| !self.is_after(member, clock)).unwrap_or(*prior)
    }
}

/// The access by one of the threads that a prior access stands for.
const fn one_of(prior: &PriorAccess, thread: u32) -> PriorAccess {
    PriorAccess { thread, group: AccessGroup::One, ..*prior }
}

/// The slow path for one word: records the access `new`, which `current` makes, in the word's
/// shadow cell. Returns a prior access that it races with, if there is one that is not `benign`.
pub(super) fn check_and_record(
    cell: &mut ShadowCell,
    lists: &mut PriorLists,
    workspace: &mut Workspace,
    current: &CurrentAccess,
    new: PriorAccess,
    clock: Option<&VectorClock>,
    benign: impl Fn(&Conflict) -> bool,
) -> Option<Conflict> {
    let generation = current.generation();
    if cell.is_repeated_by_writer(lists, current, &new) {
        return None;
    }
    let written = if new.write && !new.in_flight { new.bytes } else { 0 };
    let initialised = cell.initialised(generation) | written;
    cell.unpack(generation, lists, workspace);
    let list = &mut workspace.list;
    let conflict = list
        .iter()
        .filter(|prior| prior.conflicts(&new) && !current.is_after(prior, clock))
        .filter(|prior| {
            !observers::order(list, prior, new.bytes, |other| current.is_after(other, clock))
        })
        .map(|prior| current.unordered_member(prior, clock))
        .map(|prior| Conflict { prior, same_instruction: is_same_instruction(&prior, &new) })
        .filter(|conflict| !benign(conflict))
        .max_by_key(|conflict| (conflict.prior.write, conflict.prior.stamp));
    record(
        list,
        new,
        current.grouping(workspace.atomics),
        |prior| current.is_after(prior, clock),
        |prior| current.outdates(prior),
    );
    *cell = ShadowCell::pack(*cell, generation, initialised, lists, list);
    conflict
}

/// Are the two accesses lanes of one warp at the same operation?
pub(super) fn is_same_instruction(prior: &PriorAccess, new: &PriorAccess) -> bool {
    (prior.site, prior.stamp, prior.block, prior.thread >> 5)
        == (new.site, new.stamp, new.block, new.thread >> 5)
}
