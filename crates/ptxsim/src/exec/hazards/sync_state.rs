//! The synchronisation state of a launch whose threads synchronise beyond block barriers and
//! whole-warp `__syncwarp`s: with fences, flags, locks, partial masks, numbered barriers (PTX ISA,
//! "Memory Consistency Model": release and acquire patterns, synchronisation, causality).
//!
//! * A strong write after a fence, or a releasing write, leaves at its address the clock that its
//!   thread had at the fence. Atomics join their clock with the one that is there; other writes
//!   replace it.
//! * A strong read acquires the clock at its address. An acquiring read joins it into its thread's
//!   clock at once. Any other read keeps it as acquired until its thread executes a fence, or
//!   synchronises at a barrier with its block or warp (CUDA C++ Programming Guide, "Memory Fence
//!   Functions": the reduction by the last block relies on it).
//! * Operations with block scope (`.cta`, `__threadfence_block`, `atomicAdd_block`) order nothing
//!   in other blocks.
//! * A thread releases all that it has acquired, because causality order is transitive.
//!
//! The blocks of [`ThreadId`]s here are numbers as marks keep them: the block's index modulo 2^20.

use std::collections::HashMap;

use super::locks::HeldLock;
use super::vector_clock::{BlockClock, RenumberedNodes, VectorClock};
use crate::decode::op::Scope;
use crate::exec::machine::ThreadId;

/// The first byte of a strong access: in a slot of global memory, or in the block's own shared
/// memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SyncAddress {
    Global(u64, u32),
    Shared(u32),
}

/// The stamps from which on a thread is not ordered after the others of its block: those of the
/// last barrier and of the last whole-warp synchronisation; and the stamp of the operation itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Epochs {
    pub block: u32,
    pub warp: u32,
    pub stamp: u32,
}

/// What a thread's strong writes release.
#[derive(Debug, Clone, Default)]
struct ReleasedClock {
    clock: VectorClock,
    /// Of the fence; all zero before the first one.
    epochs: Epochs,
}

/// One thread's clocks.
#[derive(Debug, Clone, Default)]
pub(super) struct ThreadClocks {
    /// What is ordered before the thread's next access.
    pub(super) clock: VectorClock,
    /// What strong reads found and no fence has made effective yet: from any block, and, whatever
    /// the scopes, from threads of the same block.
    acquired: VectorClock,
    acquired_cta: VectorClock,
    /// As of the last fence with device scope, and of the last one with any scope.
    released: ReleasedClock,
    released_cta: ReleasedClock,
    /// The locks that it may hold.
    pub(super) held: Vec<HeldLock>,
}

/// The synchronisation state of a block in flight.
#[derive(Debug, Default)]
struct BlockSync {
    threads: Vec<ThreadClocks>,
    shared: HashMap<u32, AddressClock>,
    /// By the number of a barrier, the joined clocks of the threads that arrived there without
    /// waiting.
    arrived: HashMap<u32, VectorClock>,
}

/// What a strong read of an address acquires.
#[derive(Debug, Default)]
pub(super) struct AddressClock {
    device: VectorClock,
    /// What only threads of the same block acquire, by block.
    cta: HashMap<u32, VectorClock>,
    writer: Option<ThreadId>,
}

/// A strong write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StrongWrite {
    pub address: SyncAddress,
    pub scope: Scope,
    /// Of a releasing write.
    pub release: Option<Epochs>,
    /// An atomic's write, which adds to what is released at the address.
    pub atomic: bool,
}

/// The synchronisation state of a launch.
#[derive(Debug, Default)]
pub(crate) struct SyncState {
    blocks: HashMap<u32, BlockSync>,
    global: HashMap<(u64, u32), AddressClock>,
}

impl ReleasedClock {
    /// The clock together with what `thread` itself did before the fence.
    fn with_own_accesses(&self, thread: ThreadId) -> VectorClock {
        let mut clock = self.clock.clone();
        if self.epochs.stamp > 0 {
            let mut own = BlockClock::new(self.epochs.block);
            own.raise_warp(thread.linear / 32, self.epochs.warp);
            own.raise_thread(thread.linear, self.epochs.stamp);
            clock.join_block(thread.block, own);
        }
        clock
    }
}

impl SyncState {
    /// What is ordered before the next access of a thread, as far as barriers and whole-warp
    /// synchronisations do not order it. `None` for a thread that has not synchronised otherwise.
    pub fn clock(&self, thread: ThreadId) -> Option<&VectorClock> {
        self.clocks(thread).map(|clocks| &clocks.clock)
    }

    pub(super) fn clocks(&self, thread: ThreadId) -> Option<&ThreadClocks> {
        self.blocks.get(&thread.block)?.threads.get(thread.linear as usize)
    }

    /// Forgets a block whose threads have all exited.
    pub fn end_block(&mut self, block: u32) {
        self.blocks.remove(&block);
    }

    pub(super) fn clocks_of(&mut self, thread: ThreadId) -> &mut ThreadClocks {
        let threads = &mut self.blocks.entry(thread.block).or_default().threads;
        let index = thread.linear as usize;
        if threads.len() <= index {
            threads.resize(index + 1, ThreadClocks::default());
        }
        &mut threads[index]
    }

    pub(super) fn address_clock(
        &self,
        thread: ThreadId,
        address: SyncAddress,
    ) -> Option<&AddressClock> {
        match address {
            SyncAddress::Global(slot, byte) => self.global.get(&(slot, byte)),
            SyncAddress::Shared(byte) => self.blocks.get(&thread.block)?.shared.get(&byte),
        }
    }

    /// A fence: what the thread has acquired becomes part of its clock, and its clock is what it
    /// releases.
    pub fn fence(&mut self, thread: ThreadId, scope: Scope, epochs: Epochs) {
        let clocks = self.clocks_of(thread);
        let acquired_cta = std::mem::take(&mut clocks.acquired_cta);
        clocks.clock.join(&acquired_cta);
        if scope == Scope::Gpu {
            let acquired = std::mem::take(&mut clocks.acquired);
            clocks.clock.join(&acquired);
        }
        let released = ReleasedClock { clock: clocks.clock.clone(), epochs };
        if scope == Scope::Gpu {
            clocks.released = released.clone();
        }
        clocks.released_cta = released;
        clocks.held.iter_mut().for_each(|lock| lock.fence(scope));
    }

    /// A strong read: the thread acquires what is released at the address.
    pub fn strong_read(
        &mut self,
        thread: ThreadId,
        address: SyncAddress,
        scope: Scope,
        acquire: bool,
    ) {
        let Some(found) = self.address_clock(thread, address) else { return };
        let cta = match address {
            SyncAddress::Global(..) => found.cta.get(&thread.block).cloned().unwrap_or_default(),
            SyncAddress::Shared(_) => found.device.clone(),
        };
        let device =
            if scope == Scope::Gpu { found.device.clone() } else { VectorClock::default() };
        let clocks = self.clocks_of(thread);
        if acquire {
            clocks.clock.join(&cta);
            clocks.clock.join(&device);
        } else {
            clocks.acquired_cta.join(&cta);
            clocks.acquired.join(&device);
        }
    }

    /// A strong write: leaves at the address what its thread releases.
    pub fn strong_write(&mut self, thread: ThreadId, write: StrongWrite) {
        self.strong_write_at_most(thread, write, |epochs, _| epochs);
    }

    /// A strong write that releases what its thread did before a moment that `limit` decides, for
    /// what it releases to the device and to its block.
    pub(super) fn strong_write_at_most(
        &mut self,
        thread: ThreadId,
        write: StrongWrite,
        limit: impl Fn(Epochs, Scope) -> Epochs,
    ) {
        let StrongWrite { address, scope, release, atomic } = write;
        let clocks = self.clocks_of(thread);
        let (device, cta) = match release {
            Some(epochs) => {
                let released = ReleasedClock { clock: clocks.clock.clone(), epochs };
                (released.clone(), released)
            }
            None => (clocks.released.clone(), clocks.released_cta.clone()),
        };
        let own = |released: ReleasedClock, scope| {
            let epochs = limit(released.epochs, scope);
            ReleasedClock { epochs, ..released }.with_own_accesses(thread)
        };
        let (device, cta) = (own(device, Scope::Gpu), own(cta, Scope::Cta));
        if device.is_empty() && cta.is_empty() {
            // an atomic adds nothing; any other write ends what other threads have released here
            let others =
                || self.address_clock(thread, address).is_some_and(|c| c.writer != Some(thread));
            if !atomic && others() {
                self.plain_write(thread, address, 1);
            }
            return;
        }
        let at_address = match address {
            SyncAddress::Global(slot, byte) => self.global.entry((slot, byte)).or_default(),
            SyncAddress::Shared(byte) => {
                let block = self.blocks.entry(thread.block).or_default();
                block.shared.entry(byte).or_default()
            }
        };
        if !atomic && at_address.writer != Some(thread) {
            *at_address = AddressClock::default();
        }
        if !atomic || release.is_some() {
            at_address.writer = Some(thread);
        }
        match address {
            SyncAddress::Shared(_) => at_address.device.join(&cta),
            SyncAddress::Global(..) => {
                if scope == Scope::Gpu {
                    at_address.device.join(&device);
                }
                if !cta.is_empty() {
                    at_address.cta.entry(thread.block).or_default().join(&cta);
                }
            }
        }
    }

    /// A plain write of some bytes: a strong read that finds its value acquires nothing.
    pub fn plain_write(&mut self, thread: ThreadId, address: SyncAddress, bytes: u32) {
        for i in 0..bytes {
            match address {
                SyncAddress::Global(slot, byte) => {
                    self.global.remove(&(slot, byte + i));
                }
                SyncAddress::Shared(byte) => {
                    if let Some(block) = self.blocks.get_mut(&thread.block) {
                        block.shared.remove(&(byte + i));
                    }
                }
            }
        }
    }

    /// The joined clocks of threads of a block, with what they have acquired.
    fn joined_clock(&mut self, block: u32, threads: impl Iterator<Item = u32>) -> VectorClock {
        let (mut joined, mut last) = (VectorClock::default(), VectorClock::default());
        for linear in threads {
            let clocks = self.clocks_of(ThreadId { block, linear });
            // threads that have synchronised with each other before share one clock
            if !clocks.clock.is_same(&last) {
                joined.join(&clocks.clock);
                last = clocks.clock.clone();
            }
            joined.join(&clocks.acquired);
            joined.join(&clocks.acquired_cta);
        }
        joined
    }

    /// Threads of a block synchronise with each other: each gets the joined clock. `own` is what
    /// they did themselves, unless the block's epochs say it.
    pub fn synchronise(&mut self, block: u32, threads: &[u32], own: Option<BlockClock>) {
        let mut joined = self.joined_clock(block, threads.iter().copied());
        if let Some(own) = own {
            joined.join_block(block, own);
        }
        for linear in threads {
            let clocks = self.clocks_of(ThreadId { block, linear: *linear });
            clocks.clock = joined.clone();
            clocks.acquired = VectorClock::default();
            clocks.acquired_cta = VectorClock::default();
            clocks.held.iter_mut().for_each(HeldLock::barrier);
        }
    }

    /// Threads arrive at a numbered barrier without waiting.
    pub fn arrive(&mut self, block: u32, barrier: u32, threads: &[u32], own: BlockClock) {
        let mut joined = self.joined_clock(block, threads.iter().copied());
        joined.join_block(block, own);
        let arrived = &mut self.blocks.entry(block).or_default().arrived;
        arrived.entry(barrier).or_default().join(&joined);
    }

    /// A numbered barrier opens: the threads that waited synchronise with each other, and are
    /// ordered after those that arrived without waiting.
    pub fn open_barrier(
        &mut self,
        block: u32,
        barrier: u32,
        threads: &[u32],
        own: Option<BlockClock>,
    ) {
        let arrived = self.blocks.get_mut(&block).and_then(|b| b.arrived.remove(&barrier));
        if let (Some(arrived), Some(first)) = (arrived, threads.first()) {
            self.clocks_of(ThreadId { block, linear: *first }).clock.join(&arrived);
        }
        self.synchronise(block, threads, own);
    }

    /// Every clock of the launch, with the block whose threads use it (`None`: those of several),
    /// and the epochs of those that are released.
    fn all_clocks(
        &mut self,
    ) -> impl Iterator<Item = (Option<u32>, &mut VectorClock, Option<&mut Epochs>)> {
        let in_blocks = self.blocks.iter_mut().flat_map(|(block, b)| {
            let shared = b.shared.values_mut().flat_map(AddressClock::all_mut);
            let threads = b.threads.iter_mut().flat_map(|t| {
                let ThreadClocks { clock, acquired, acquired_cta, released, released_cta, held } =
                    t;
                let held = held.iter_mut().flat_map(|lock| {
                    [(&mut lock.before, Some(&mut lock.epochs)), (&mut lock.released, None)]
                });
                [
                    (clock, None),
                    (acquired, None),
                    (acquired_cta, None),
                    (&mut released.clock, Some(&mut released.epochs)),
                    (&mut released_cta.clock, Some(&mut released_cta.epochs)),
                ]
                .into_iter()
                .chain(held)
            });
            let rest = shared.chain(b.arrived.values_mut()).map(|clock| (clock, None));
            threads.chain(rest).map(|(clock, epochs)| (Some(*block), clock, epochs))
        });
        let global = self.global.values_mut().flat_map(AddressClock::all_mut);
        in_blocks.chain(global.map(|clock| (None, clock, None)))
    }

    /// The stamps of a block with which any clock compares accesses.
    pub fn thresholds(&mut self, block: u32) -> Vec<u32> {
        let mut thresholds = vec![];
        for (used_by, clock, epochs) in self.all_clocks() {
            clock.collect_thresholds(block, &mut thresholds);
            if let Some(epochs) = epochs.filter(|_| used_by == Some(block)) {
                thresholds.extend([epochs.block, epochs.warp, epochs.stamp]);
            }
        }
        thresholds
    }

    /// Replaces the stamps of a block by what `map` makes of them.
    pub fn renumber(&mut self, block: u32, map: &impl Fn(u32) -> u32) {
        let mut done = RenumberedNodes::default();
        for (used_by, clock, epochs) in self.all_clocks() {
            clock.renumber(block, map, &mut done);
            if let Some(epochs) = epochs.filter(|_| used_by == Some(block)) {
                *epochs = Epochs {
                    block: map(epochs.block),
                    warp: map(epochs.warp),
                    stamp: map(epochs.stamp),
                };
            }
        }
    }
}

impl AddressClock {
    pub(super) fn all(&self) -> impl Iterator<Item = &VectorClock> {
        std::iter::once(&self.device).chain(self.cta.values())
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut VectorClock> {
        std::iter::once(&mut self.device).chain(self.cta.values_mut())
    }
}
