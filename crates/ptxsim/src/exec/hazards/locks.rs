//! Locks: what a critical section does not protect, whichever thread entered it first.
//!
//! Happens-before is the order of one execution. A thread that takes a lock first acquires nothing,
//! so a missing fence after taking it shows only when another thread was there before; and a
//! missing fence before giving it back shows only when another thread comes after. But a lock is as
//! it was once it is given back, so the threads could as well have come in the other order. A lock
//! here is a word that a thread changes with a compare-and-swap or an exchange, and changes back
//! with a strong write, while no other thread changes it. From that follow two rules:
//!
//! * A thread that has taken a lock without acquiring releases with it only what it did before.
//! * When a thread gives a lock back without releasing, then an access of its critical section
//!   races with those that are ordered before it by the lock alone.

use super::current_access::{Conflict, CurrentAccess};
use super::prior_access::PriorAccess;
use super::sync_state::{Epochs, StrongWrite, SyncAddress, SyncState};
use super::vector_clock::VectorClock;
use crate::decode::op::Scope;
use crate::exec::machine::{Location, ThreadId};

/// Locks that a thread is known to hold. The oldest is forgotten first.
const MAX_HELD: usize = 4;

/// A word that a thread has changed, and perhaps changes back.
#[derive(Debug, Clone)]
pub(super) struct HeldLock {
    address: SyncAddress,
    /// The word's value before and after the change.
    free: u64,
    taken: u64,
    /// When it was taken.
    pub epochs: Epochs,
    /// What was ordered before the thread then, and what earlier holders had released.
    pub before: VectorClock,
    pub released: VectorClock,
    /// Fences since, by their scope, one more for an acquiring operation, and two for a barrier.
    device_fences: u32,
    cta_fences: u32,
    /// An access of the critical section that only the lock orders after one of another block, and
    /// after one of the same block.
    exposed: [Option<Exposed>; 2],
}

/// An access, and a prior one that conflicts with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exposed {
    pub current: CurrentAccess,
    pub location: Location,
    pub conflict: Conflict,
    pub write: bool,
    /// The thread has executed a fence since.
    device_fence: bool,
    cta_fence: bool,
}

/// An atomic or a strong store that changes a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub address: SyncAddress,
    pub old: u64,
    pub new: u64,
}

impl HeldLock {
    pub fn fence(&mut self, scope: Scope) {
        self.cta_fences += 1;
        self.device_fences += u32::from(scope == Scope::Gpu);
        for exposed in self.exposed.iter_mut().flatten() {
            exposed.cta_fence = true;
            exposed.device_fence |= scope == Scope::Gpu;
        }
    }

    /// The thread has synchronised with others of its block, so that what it has acquired is
    /// ordered before all of them.
    pub fn barrier(&mut self) {
        self.cta_fences += 2;
        self.device_fences += 2;
        self.exposed.iter_mut().flatten().for_each(|exposed| exposed.cta_fence = true);
    }

    /// Is a prior access ordered before the current one by this lock alone?
    pub fn orders(&self, current: &CurrentAccess, prior: &PriorAccess) -> bool {
        !current.is_after(prior, Some(&self.before))
            && current.is_after(prior, Some(&self.released))
    }

    /// What a write that gives the lock back releases at most: what the thread did before `epochs`,
    /// if it has not acquired.
    pub fn limit(&self, epochs: Epochs, releases: bool, scope: Scope) -> Epochs {
        let fences = if scope == Scope::Gpu { self.device_fences } else { self.cta_fences };
        // the last fence is the one that releases, unless the write itself does
        let acquired = fences > u32::from(!releases);
        if acquired || epochs.stamp < self.epochs.stamp { epochs } else { self.epochs }
    }

    /// The accesses that a write which gives the lock back does not cover.
    fn uncovered(&self, write: &StrongWrite) -> impl Iterator<Item = Exposed> + use<> {
        let releases = write.release.is_some();
        let device_scope = write.scope == Scope::Gpu;
        let [other_block, same_block] = self.exposed;
        let other_block = other_block.filter(|e| !(device_scope && (releases || e.device_fence)));
        let same_block = same_block.filter(|e| !releases && !e.cta_fence);
        other_block.into_iter().chain(same_block)
    }
}

impl SyncState {
    /// A thread changes a word, and so may take a lock.
    pub(super) fn take_lock(
        &mut self,
        thread: ThreadId,
        change: Change,
        epochs: Epochs,
        acquires: Option<Scope>,
    ) {
        let mut released = VectorClock::default();
        if let Some(found) = self.address_clock(thread, change.address) {
            found.all().for_each(|clock| released.join(clock));
        }
        let clocks = self.clocks_of(thread);
        let mut lock = HeldLock {
            address: change.address,
            free: change.old,
            taken: change.new,
            epochs,
            before: clocks.clock.clone(),
            released,
            device_fences: 0,
            cta_fences: 0,
            exposed: [None; 2],
        };
        if let Some(scope) = acquires {
            lock.fence(scope);
        }
        clocks.held.retain(|held| held.address != change.address);
        if clocks.held.len() == MAX_HELD {
            clocks.held.remove(0);
        }
        clocks.held.push(lock);
    }

    /// The locks that a thread may hold.
    pub(super) fn held_locks(&self, thread: ThreadId) -> &[HeldLock] {
        self.clocks(thread).map_or(&[], |clocks| &clocks.held)
    }

    /// The lock that the change gives back.
    pub(super) fn given_back(&self, thread: ThreadId, change: &Change) -> Option<&HeldLock> {
        self.held_locks(thread).iter().find(|held| {
            held.address == change.address && (held.free, held.taken) == (change.new, change.old)
        })
    }

    /// A thread gives a lock back. Returns the accesses of its critical section that it does not
    /// release.
    pub(super) fn give_back(
        &mut self,
        thread: ThreadId,
        lock: &HeldLock,
        write: StrongWrite,
    ) -> impl Iterator<Item = Exposed> + use<> {
        self.strong_write_at_most(thread, write, |epochs, scope| {
            lock.limit(epochs, write.release.is_some(), scope)
        });
        let held = &mut self.clocks_of(thread).held;
        held.retain(|held| held.address != write.address);
        lock.uncovered(&write)
    }

    /// Notes an access of a critical section and a prior one that the lock at `address` orders
    /// before it.
    pub(super) fn expose(&mut self, thread: ThreadId, index: usize, access: Exposed) {
        if let Some(held) = self.clocks_of(thread).held.get_mut(index) {
            let same_block =
                access.current.shared || access.conflict.prior.block == access.current.block;
            held.exposed[usize::from(same_block)].get_or_insert(access);
        }
    }
}

impl Exposed {
    pub const fn new(
        current: CurrentAccess,
        location: Location,
        conflict: Conflict,
        write: bool,
    ) -> Self {
        Self { current, location, conflict, write, device_fence: false, cta_fence: false }
    }
}
