//! The state of the simulator: what all blocks of a launch share, the machine of one host thread,
//! and a block in flight.

mod counters;
mod reports;

use super::caches::Caches;
use super::disturb::{Disturbance, DisturbedWords};
use super::findings::Findings;
use super::hazards::cell::ShadowCell;
use super::hazards::pages::SlotShadow;
use super::hazards::prior_access::{PriorLists, Workspace};
use super::hazards::sync_state::SyncState;
use super::heap::Heap;
use super::loops::Loop;
use super::pattern::Pattern;
use super::snapshots::Snapshots;
use super::trace::WarpTracer;
use super::vector::Vectors;
use super::waits::LoadWaits;
use super::warp::{Row32, Row64, Warp};
use crate::decode::Program;
use crate::lines::Lines;
use crate::memory::Memory;
use crate::{AccessSet, Moves};

/// What all blocks of a launch share.
#[derive(Debug)]
pub(crate) struct Grid<'a> {
    pub program: &'a Program,
    pub memory: &'a Memory,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub threads: u32,
    pub shared_bytes: u32,
    pub dynamic_shared: u32,
    /// Bytes of the kernel's own arrays and the dynamic part, without the gaps that the simulator
    /// leaves between arrays.
    pub total_shared: u32,
    /// Address of the grid's barrier; 0 unless the launch is cooperative.
    pub barrier: u64,
    /// The most bytes of device memory that a GPU may have mapped on either side of an array.
    pub mapped_bytes: u64,
    /// Blocks that the device holds at once.
    pub resident: u64,
    /// Packed arguments.
    pub params: &'a [u8],
    /// Allocation slots of the module's variables.
    pub variables: &'a [usize],
    pub entry: usize,
    /// Per slot: may the launch write it?
    pub writable: &'a [bool],
    /// The kernel, or a function that it may call, orders threads by more than block barriers and
    /// whole-warp `__syncwarp`s.
    pub syncs: bool,
    /// What is disturbed, if anything is.
    pub disturbance: Option<Disturbance>,
    /// Where [`Disturbance::Exchange`] takes shared memory from.
    pub snapshots: Option<&'a Snapshots>,
    /// The vector instructions of the host that the interpreter uses.
    pub vectors: Vectors,
}

/// Counts of one memory operation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Site {
    /// Warps that accessed global memory, lanes that took part, 32-byte sectors, the least number
    /// of sectors that would have sufficed, and the words of these that no lane accessed.
    pub requests: u64,
    pub lanes: u64,
    pub sectors: u64,
    pub sectors_ideal: u64,
    pub idle_words: u64,
    /// Warps that accessed shared memory, the words of 4 bytes that their lanes needed, the
    /// wavefronts that it took, the least that would have sufficed, and transactions.
    pub shared_requests: u64,
    pub shared_words: u64,
    pub wavefronts: u64,
    pub wavefronts_ideal: u64,
    pub transactions: u64,
    /// Warps that accessed local memory, and sectors.
    pub local_requests: u64,
    pub local_sectors: u64,
}

/// How often a basic block was executed, by warps and by lanes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BlockExecutions {
    pub warps: u64,
    pub lanes: u64,
}

/// How often warps executed a branch, and how often their lanes diverged there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BranchExecutions {
    pub all: u64,
    pub divergent: u64,
}

/// A thread of the launch: linear indices of the block in the grid, and of the thread in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadId {
    pub block: u32,
    pub linear: u32,
}

/// A thread of a block, by its linear index, and the operation that it executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadAt {
    pub pc: u32,
    pub linear: u32,
}

impl ThreadAt {
    /// The first thread of those that execute operation `pc` in a warp.
    pub const fn first(warp: u32, mask: u32, pc: u32) -> Self {
        Self { pc, linear: warp * 32 + mask.trailing_zeros() }
    }
}

/// A split at the start of an iteration of a loop.
#[derive(Debug)]
pub(crate) struct LastIteration {
    /// Block, warp, lanes and position of the split.
    pub split: (u32, u32, u32, u32),
    /// The loop.
    pub around: Loop,
    /// A hash of the registers on which its branches depend.
    pub control: u64,
    /// Another iteration began with other values.
    pub changed: bool,
}

/// One host thread's machine.
#[derive(Debug)]
pub(crate) struct Machine<'a> {
    pub grid: &'a Grid<'a>,
    pub findings: Findings,
    pub sites: Vec<Site>,
    /// Per basic block.
    pub blocks: Vec<BlockExecutions>,
    /// Per operation; only branches have any.
    pub branches: Vec<BranchExecutions>,
    pub barriers: Vec<u64>,
    /// Per operation, if there are multiplications of matrices; only they have any.
    pub multiplications: Vec<u64>,
    /// Per texture or surface operation. Those of queries have only requests.
    pub images: Vec<Moves>,
    /// The sectors of the texture or surface operation that is executed.
    pub image_sectors: Vec<(usize, u64)>,
    /// Per memory operation.
    pub patterns: Vec<Pattern>,
    pub shadows: Vec<SlotShadow>,
    /// How threads synchronise beyond block barriers and whole warps; `None` in kernels that have
    /// only those.
    pub sync: Option<Box<SyncState>>,
    /// Other host threads run blocks of the launch at the same time.
    pub parallel: bool,
    /// What the race detector's slow path works with; kept for its capacity.
    pub workspace: Workspace,
    /// Warp instructions left.
    pub fuel: i64,
    pub budget: u64,
    /// Once the budget is used up: an iteration that began then.
    pub last_iteration: Option<LastIteration>,
    /// A GPU would have ended the launch with an error. The simulator goes on for a while, to show
    /// how many threads are at fault.
    pub fatal: bool,
    /// A thread accessed global memory so far from its array that nothing is mapped there.
    pub unmapped: bool,
    /// There were strong accesses since a split last yielded: a loop with them may be waiting for
    /// another thread.
    pub strong_seen: bool,
    /// Counts stores, atomics that changed their word, and everything else that may let another
    /// thread progress.
    pub changes: u64,
    /// Takes the place of the warp that runs in its block's list.
    pub placeholder: Option<Box<Warp>>,
    /// Every block in flight has yielded: from now on, storing an equal value is not progress.
    pub all_yielded: bool,
    /// A thread of the block that runs has read what other blocks may write
    /// ([`MemOp::observes_others`](crate::decode::op::MemOp::observes_others)), so they run next.
    pub observed_others: bool,
    /// Instructions of the warp that has executed most.
    pub busiest_warp: u64,
    /// Backward branches that a split may take in any case before it yields. It is 1 while a loop
    /// that never ends is watched for an iteration.
    pub shortest_slice: u32,
    pub output: Vec<u8>,
    pub output_dropped: u64,
    /// The device's heap, where the launch may use it.
    pub heap: Option<Heap>,
    /// The record of one thread, or of a warp, at level [`TRACE`](super::TRACE).
    pub trace: Option<Box<WarpTracer>>,
    /// How often warps waited for loads, if the caller asked for it.
    pub load_waits: Option<Box<LoadWaits>>,
    /// What the caches can't serve, if the caller asked for it.
    pub caches: Option<Box<Caches>>,
    /// What blocks had in shared memory, with [`Disturbance::Exchange`].
    pub snapshots: Option<Box<Snapshots>>,
    /// The bytes of device memory that were touched, if the caller asked for them.
    pub touched: Option<Box<AccessSet>>,
}

/// A block in flight.
#[derive(Debug)]
pub(crate) struct BlockState {
    pub index: u32,
    pub ctaid: [u32; 3],
    #[expect(clippy::vec_box, reason = "the one that runs is taken out, by its address")]
    pub warps: Vec<Box<Warp>>,
    pub shared: Lines<u32>,
    pub shared_shadow: Vec<ShadowCell>,
    pub shared_lists: PriorLists,
    /// Number of this block among those that used this state: marks in shared memory with another
    /// one are leftovers.
    pub generation: u32,
    /// The block's logical time for the race detector, and the stamp of its last barrier.
    pub stamp: u32,
    pub epoch: u32,
    /// The exited thread with the lowest index, for reports of threads that never reach a barrier.
    pub first_exit: Option<ThreadAt>,
    /// The first time that warps waited at barriers in different lines and went on together: one
    /// thread at each of two of them.
    pub first_mixed: Option<[ThreadAt; 2]>,
    /// Number of threads that have exited.
    pub exited: u32,
    /// Threads that arrived without waiting, per barrier number.
    pub arrived: [u32; 16],
    pub next_warp: usize,
    /// The machine's `strong_seen` at the end of this block's turn, because other blocks must not
    /// influence its schedule.
    pub strong_seen: bool,
    /// What [`Disturbance::Exchange`] has done to shared memory.
    pub disturbed: DisturbedWords,
}

impl BlockState {
    /// Memory that the block takes on the host, in bytes.
    pub fn bytes(&self) -> usize {
        let warps = self.warps.iter().map(|w| {
            w.r.len() * size_of::<Row32>()
                + w.x.len() * size_of::<Row64>()
                + (w.local.len() + w.local_written.len() + w.p.len()) * 4
        });
        warps.sum::<usize>()
            + self.shared.len() * 4
            + self.shared_shadow.len() * size_of::<ShadowCell>()
    }

    /// A thread of the block by its linear index.
    pub const fn thread(&self, linear: u32) -> ThreadId {
        ThreadId { block: self.index, linear }
    }

    /// Takes a new stamp. Accesses with earlier stamps are ordered before, for the threads that
    /// take part.
    pub fn advance(&mut self) -> u32 {
        self.stamp = self.stamp.saturating_add(1);
        self.stamp
    }
}

impl Machine<'_> {
    pub fn program(&self) -> &Program {
        self.grid.program
    }

    /// The thread's index (x, y, z) from its linear one.
    pub fn thread(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.grid.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    /// The block's index (x, y, z) from its linear one.
    pub fn block_index(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.grid.grid.map(u64::from);
        let linear = u64::from(linear);
        [(linear % x) as u32, (linear / x % y) as u32, (linear / (x * y)) as u32]
    }

    /// Does the launch have to be repeated on one host thread? Findings are reported as one thread
    /// sees them, and a shadow that exceeds its budget is incomplete.
    pub fn must_repeat_alone(&self) -> bool {
        !self.findings.is_empty() || self.shadows.iter().any(SlotShadow::exceeds_budget)
    }

    /// Is further device output dropped?
    pub fn output_is_full(&self) -> bool {
        self.output_dropped > 0
    }

    /// Adds the device output of one call, up to the bytes that are kept. The first call that does
    /// not fit is dropped as a whole, and so are all later calls, so that no line is cut.
    pub fn print(&mut self, text: &[u8]) {
        self.changes += 1;
        let limit = usize::try_from(self.grid.memory.limits().output).unwrap_or(usize::MAX);
        if self.output_is_full() || self.output.len().saturating_add(text.len()) > limit {
            self.output_dropped += text.len() as u64;
        } else {
            self.output.extend_from_slice(text);
        }
    }
}

/// Where an access went.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Location {
    /// Slot (from 0) and byte offset.
    Global(u64, i64),
    Shared(i64),
    Local(i64),
    /// The address is in no allocation.
    Unmapped(u64),
}

impl Location {
    /// The slot of global memory.
    pub const fn slot(self) -> Option<u64> {
        if let Self::Global(slot, _) = self { Some(slot) } else { None }
    }
}
