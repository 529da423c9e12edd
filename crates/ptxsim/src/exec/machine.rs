//! What one host thread needs to run blocks: the program, memory, and everything it collects.

use super::findings::Findings;
use super::hazards::cell::ShadowCell;
use super::hazards::current_access::{Conflict, CurrentAccess};
use super::hazards::pages::SlotShadow;
use super::hazards::prior_access::{PriorAccess, PriorLists};
use super::hazards::sync_state::SyncState;
use super::heap::Heap;
use super::pattern::Pattern;
use super::trace::Tracer;
use super::vector::Vectors;
use super::warp::{Row32, Row64, Warp};
use crate::address::{LOCAL_SLOT, SHARED_SLOT, base};
use crate::decode::op::{Code, MemOp};
use crate::decode::{Program, SharedVariable};
use crate::lines::Lines;
use crate::memory::Memory;
use crate::{Access, AccessSet, Action, Counters, FindingKind, Space};

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
    /// Bytes of the kernel's own arrays and the dynamic part, without the gaps that the simulator leaves between arrays.
    pub total_shared: u32,
    /// Address of the grid's barrier; 0 unless the launch is cooperative.
    pub barrier: u64,
    /// Blocks that the device holds at once.
    pub resident: u64,
    /// Packed arguments.
    pub params: &'a [u8],
    /// Allocation slots of the module's variables.
    pub variables: &'a [usize],
    pub entry: usize,
    /// Per slot: may the launch write it?
    pub writable: &'a [bool],
    /// The kernel, or a function that it may call, orders threads by more than block barriers and whole-warp
    /// `__syncwarp`s.
    pub syncs: bool,
    /// The vector instructions of the host that the interpreter uses.
    pub vectors: Vectors,
}

/// Counts of one memory operation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Site {
    pub requests: u64,
    /// Lanes that took part in them.
    pub lanes: u64,
    pub units: u64,
    pub ideal: u64,
    pub shared_requests: u64,
    pub wavefronts: u64,
    pub wavefronts_ideal: u64,
    pub transactions: u64,
    pub local: u64,
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
    /// Per texture or surface operation: executions by warps.
    pub images: Vec<u64>,
    /// Per memory operation.
    pub patterns: Vec<Pattern>,
    pub shadows: Vec<SlotShadow>,
    /// How threads synchronise beyond block barriers and whole warps; `None` in kernels that have only those.
    pub sync: Option<Box<SyncState>>,
    /// Other host threads run blocks of the launch at the same time.
    pub parallel: bool,
    /// The prior accesses of the word that the race detector's slow path looks at; kept for its capacity.
    pub scratch: Vec<PriorAccess>,
    /// Warp instructions left.
    pub fuel: i64,
    pub budget: u64,
    /// There were strong accesses since a split last yielded: a loop with them may be waiting for another thread.
    pub strong_seen: bool,
    /// Counts stores, atomics that changed their word, and everything else that may let another thread progress.
    pub changes: u64,
    /// Takes the place of the warp that runs in its block's list.
    pub placeholder: Option<Box<Warp>>,
    /// Every block in flight has yielded: from now on, storing an equal value is not progress.
    pub all_yielded: bool,
    pub output: Vec<u8>,
    pub output_dropped: u64,
    /// The device's heap, where the launch may use it.
    pub heap: Option<Heap>,
    /// The record of one thread, at level [`TRACE`](super::TRACE).
    pub trace: Option<Box<Tracer>>,
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
    /// Number of this block among those that used this state: marks in shared memory with another one are leftovers.
    pub generation: u32,
    /// The block's logical time for the race detector, and the stamp of its last barrier.
    pub stamp: u32,
    pub epoch: u32,
    /// The exited thread with the lowest index, for reports of threads that never reach a barrier.
    pub first_exit: Option<ThreadAt>,
    /// Number of threads that have exited.
    pub exited: u32,
    /// Threads that arrived without waiting, per barrier number.
    pub arrived: [u32; 16],
    pub next_warp: usize,
    /// The machine's `strong_seen` at the end of this block's turn, because other blocks must not influence its schedule.
    pub strong_seen: bool,
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

    /// Takes a new stamp. Accesses with earlier stamps are ordered before, for the threads that take part.
    pub fn advance(&mut self) -> u32 {
        self.stamp = self.stamp.saturating_add(1);
        self.stamp
    }
}

impl Machine<'_> {
    /// Bytes of device output that are kept.
    const MAX_OUTPUT_BYTES: usize = 64 << 10;

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

    /// A party of a finding that is not about memory.
    pub fn party(&self, pc: u32, block: u32, linear: u32, action: Action) -> Access {
        let program = self.program();
        let place = program.source_of.get(pc as usize).copied().unwrap_or(0) as usize;
        Access {
            source: program.sources.get(place).cloned().unwrap_or_default(),
            called_from: program.callers.get(place).cloned().flatten(),
            action,
            block: self.block_index(block),
            thread: self.thread(linear),
            linear,
            space: None,
            array: None,
            index: None,
            elements: None,
            address: 0,
            bytes: 0,
            pending: false,
        }
    }

    /// A party of a finding about memory: the thread, and the array and element that it accessed.
    pub fn memory_party(
        &self,
        op: &MemOp,
        location: Location,
        thread: ThreadId,
        action: Action,
        bytes: u32,
    ) -> Access {
        let mut access = self.party(op.pc, thread.block, thread.linear, action);
        access.bytes = bytes;
        match location {
            Location::Global(slot, offset) => {
                access.space = Some(Space::Global);
                access.address = base(slot + 1).wrapping_add(offset as u64);
                if let Some(a) = self.grid.memory.allocations.get(slot as usize) {
                    let unknown = a.element == 1 && !a.of_bytes;
                    let element = i64::from(if unknown { op.width } else { a.element });
                    let bytes = a.freed.unwrap_or(a.bytes);
                    access.array = (!a.name.is_empty()).then(|| a.name.clone());
                    access.index = Some(offset.div_euclid(element));
                    access.elements = Some(bytes / element as u64);
                    if !a.writable {
                        access.space = Some(Space::Constant);
                    }
                    // the elements of a block from `malloc` are as large as the access, because their type is unknown
                    if a.parted
                        && let Some((name, start, bytes)) = self.heap_block(slot as usize, offset)
                    {
                        let width = i64::from(op.width);
                        access.array = Some(name);
                        access.index = Some((offset - start).div_euclid(width));
                        access.elements = Some(bytes / width as u64);
                    }
                }
            }
            Location::Shared(offset) => {
                access.space = Some(Space::Shared);
                access.address = base(SHARED_SLOT).wrapping_add(offset as u64);
                let array = self.shared_array(op.array, offset);
                let element = if array.element == 1 { op.width } else { array.element };
                let element = i64::from(element);
                access.array = array.name;
                access.index = Some(offset.saturating_sub(array.start).div_euclid(element));
                access.elements = Some(array.bytes / element as u64);
            }
            Location::Local(offset) => {
                access.space = Some(Space::Local);
                access.address = base(LOCAL_SLOT).wrapping_add(offset as u64);
                // the kernel's own arrays begin at 0, and those of a function wherever its caller's end
                if let Some(bytes) = self.entry_local_bytes(op.pc) {
                    access.index = Some(offset.div_euclid(i64::from(op.width)));
                    access.elements = Some(u64::from(bytes / op.width));
                }
            }
            Location::Unmapped(address) => access.address = address,
        }
        access
    }

    /// Bytes of the kernel's local arrays, if operation `pc` is the kernel's own and not that of a function it calls.
    fn entry_local_bytes(&self, pc: u32) -> Option<u32> {
        let entry = self.program().functions.get(self.grid.entry)?;
        let operations = self.program().operations(self.grid.entry).len() as u32;
        (entry.start..entry.start + operations).contains(&pc).then_some(entry.local_bytes)
    }

    /// The shared array that an access to `offset` is about: the one that its address was computed from, if that is known,
    /// otherwise the one that it is in, or the nearest.
    fn shared_array(&self, array: u32, offset: i64) -> SharedArray {
        let program = self.program();
        let away = |v: &&SharedVariable| {
            let (start, end) = self.shared_range(v);
            let (start, end) = (i64::from(start), i64::from(end));
            if offset < start {
                start.saturating_sub(offset)
            } else {
                offset.saturating_sub(end - 1).max(0)
            }
        };
        let nearest = || program.shared.iter().min_by_key(away);
        match program.shared.get(array as usize).or_else(nearest) {
            Some(v) => {
                let (start, end) = self.shared_range(v);
                // several dynamic arrays share their memory, so that none of them can be named
                let alone = || program.shared.iter().filter(|v| v.dynamic).count() == 1;
                let named = array != u32::MAX || !v.dynamic || alone();
                let name = named.then(|| v.name.clone());
                let (start, bytes) = (i64::from(start), u64::from(end - start));
                SharedArray { name, start, bytes, element: v.element }
            }
            None => SharedArray { name: None, start: 0, bytes: 0, element: 1 },
        }
    }

    /// First byte and end of a shared array.
    fn shared_range(&self, v: &SharedVariable) -> (u32, u32) {
        let bytes = if v.dynamic { self.grid.dynamic_shared } else { v.bytes };
        (v.offset, v.offset + bytes)
    }

    /// First byte and end of the shared array that `first .. end` is inside; `array` is the one that the address was
    /// computed from, if that is known.
    pub fn shared_range_around(&self, array: u32, first: u32, end: u32) -> Option<(u32, u32)> {
        let program = self.program();
        let inside = |(start, stop): &(u32, u32)| *start <= first && end <= *stop;
        if let Some(v) = program.shared.get(array as usize) {
            return Some(self.shared_range(v)).filter(inside);
        }
        let dynamic = (program.shared_static, self.grid.shared_bytes);
        program.shared.iter().map(|v| self.shared_range(v)).chain([dynamic]).find(inside)
    }

    /// The order in which occurrences of a finding are preferred: lowest block, then lowest thread.
    pub fn order(block: u32, linear: u32) -> u64 {
        u64::from(block) << 16 | u64::from(linear)
    }

    /// Records a finding that is not about memory.
    #[cold]
    #[inline(never)]
    pub fn report(&mut self, what: FindingKind, block: u32, at: ThreadAt) {
        self.report_with(what, block, at, None);
    }

    /// Records a finding that is not about memory, with another thread of the block that waits elsewhere.
    #[cold]
    #[inline(never)]
    pub fn report_with(
        &mut self,
        what: FindingKind,
        block: u32,
        at: ThreadAt,
        other: Option<ThreadAt>,
    ) {
        let mut findings = std::mem::take(&mut self.findings);
        let with = other.map_or(u32::MAX, |other| other.pc);
        findings.add(what, at.pc, with, Self::order(block, at.linear), false, || {
            let party = |at: ThreadAt, action| self.party(at.pc, block, at.linear, action);
            (party(at, Action::Execute), other.map(|other| party(other, Action::Wait)))
        });
        self.findings = findings;
    }

    /// Records a fault of one access.
    #[cold]
    #[inline(never)]
    pub fn fault(
        &mut self,
        what: FindingKind,
        op: &MemOp,
        location: Location,
        thread: ThreadId,
        write: bool,
    ) {
        self.fault_with(what, op, location, thread, write, None);
    }

    /// Records a fault of one access that has another party.
    #[cold]
    #[inline(never)]
    pub fn fault_with(
        &mut self,
        what: FindingKind,
        op: &MemOp,
        location: Location,
        thread: ThreadId,
        write: bool,
        with: Option<Access>,
    ) {
        self.limit_fuel_after_fault();
        let mut findings = std::mem::take(&mut self.findings);
        let action = Self::action(op, write);
        let ThreadId { block, linear } = thread;
        findings.add(what, op.pc, u32::MAX, Self::order(block, linear), write, || {
            (self.memory_party(op, location, thread, action, op.bytes()), with)
        });
        self.findings = findings;
    }

    /// After a fault the kernel continues, to show how many threads are at fault, but not for long.
    fn limit_fuel_after_fault(&mut self) {
        const COST_PER_FAULT: i64 = 16;
        self.fuel = self.fuel.min(super::FUEL_AFTER_FAULT) - COST_PER_FAULT;
    }

    fn action(op: &MemOp, write: bool) -> Action {
        if op.atomic.is_some() {
            Action::Atomic
        } else if write {
            Action::Write
        } else {
            Action::Read
        }
    }

    /// Records a race of the access `current`, in block `block`, with a prior one.
    #[cold]
    #[inline(never)]
    pub fn race(
        &mut self,
        op: &MemOp,
        location: Location,
        current: &CurrentAccess,
        block: u32,
        conflict: Conflict,
        write: bool,
    ) {
        let what = match location {
            Location::Shared(_) => FindingKind::SharedRace,
            _ => FindingKind::GlobalRace,
        };
        let prior = conflict.prior;
        // marks in shared memory have generations instead of blocks, and both parties are in this block
        let other_block = if current.shared { block } else { prior.block };
        let thread = ThreadId { block, linear: current.thread };
        let other_thread = ThreadId { block: other_block, linear: prior.thread };
        self.limit_fuel_after_fault();
        let mut findings = std::mem::take(&mut self.findings);
        let action = Self::action(op, write);
        let names_other = conflict.names_other_thread(current);
        // an occurrence whose other party is certain comes before all others
        let order = Self::order(block, current.thread) | u64::from(!names_other) << 63;
        findings.add(what, op.pc, prior.site, order, write, || {
            let at = self.memory_party(op, location, thread, action, op.width);
            let other = self.program().memory.get(prior.site as usize).copied().unwrap_or(*op);
            let action = match (prior.write, other.atomic) {
                (true, None) => Action::Write,
                (true, _) => Action::Atomic,
                _ => Action::Read,
            };
            let with = names_other.then(|| Access {
                pending: prior.in_flight,
                ..self.memory_party(&other, location, other_thread, action, other.width)
            });
            (at, with)
        });
        self.findings = findings;
    }

    /// Does the launch have to be repeated on one host thread? Findings are reported as one thread sees them, and a shadow
    /// that exceeds its budget is incomplete.
    pub fn must_repeat_alone(&self) -> bool {
        !self.findings.is_empty() || self.shadows.iter().any(SlotShadow::exceeds_budget)
    }

    /// Is further device output dropped?
    pub fn output_is_full(&self) -> bool {
        self.output.len() >= Self::MAX_OUTPUT_BYTES
    }

    /// Adds device output, up to the bytes that are kept.
    pub fn print(&mut self, text: &[u8]) {
        self.changes += 1;
        let room = Self::MAX_OUTPUT_BYTES.saturating_sub(self.output.len());
        let take = room.min(text.len());
        self.output.extend_from_slice(&text[..take]);
        self.output_dropped += (text.len() - take) as u64;
    }

    /// Event counts per operation, folded into counters per source place.
    pub fn counters(&self) -> Vec<(u32, Counters)> {
        let program = self.program();
        let mut all: Vec<(u32, Counters)> = Vec::new();
        for (block, executions) in program.blocks.iter().zip(&self.blocks) {
            if executions.warps == 0 {
                continue;
            }
            let sources = program.instruction_sources.iter();
            let sources = sources.skip(block.first as usize).take(block.instructions as usize);
            let counters = Counters {
                instructions: executions.warps,
                thread_instructions: executions.lanes,
                ..Counters::default()
            };
            all.extend(sources.map(|source| (*source, counters)));
        }
        let mut add = |pc: u32, c: Counters| {
            let source = program.source_of.get(pc as usize).copied().unwrap_or(0);
            all.push((source, c));
        };
        // accesses of barriers in memory are not counted, because how often a thread polls depends on the order
        let data = |(op, _): &(&MemOp, _)| !op.at_barrier;
        for (op, site) in program.memory.iter().zip(&self.sites).filter(data) {
            let mut c = Counters {
                local_requests: site.local,
                local_sectors: site.local_sectors,
                ..Counters::default()
            };
            let load = matches!(program.ops[op.pc as usize].code, Code::Load | Code::Copy);
            if op.atomic.is_some() {
                c.global_atomics = site.requests;
                c.thread_atomics = site.lanes;
                c.global_atomic_sectors = site.units;
                c.shared_atomics = site.shared_requests;
                c.shared_atomic_wavefronts = site.wavefronts;
            } else if load {
                c.load_requests = site.requests;
                c.thread_loads = site.lanes;
                c.load_sectors = site.units;
                c.load_sectors_ideal = site.ideal;
            } else {
                c.store_requests = site.requests;
                c.store_sectors = site.units;
                c.store_sectors_ideal = site.ideal;
            }
            if op.atomic.is_none() {
                c.shared_requests = site.shared_requests;
                c.shared_wavefronts = site.wavefronts;
                c.shared_wavefronts_ideal = site.wavefronts_ideal;
                c.shared_transactions = site.transactions;
            }
            add(op.pc, c);
        }
        for (pc, executions) in self.branches.iter().enumerate() {
            if executions.all > 0 {
                add(
                    pc as u32,
                    Counters {
                        branches: executions.all,
                        divergent_branches: executions.divergent,
                        ..Counters::default()
                    },
                );
            }
        }
        for (op, executed) in program.images.iter().zip(&self.images) {
            if *executed > 0 {
                add(op.memory.pc, Counters { texture_requests: *executed, ..Counters::default() });
            }
        }
        for (pc, executed) in self.barriers.iter().enumerate() {
            if *executed > 0 {
                add(pc as u32, Counters { barriers: *executed, ..Counters::default() });
            }
        }
        all
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

/// A shared array as a finding names it.
struct SharedArray {
    name: Option<String>,
    /// First byte in shared memory.
    start: i64,
    bytes: u64,
    /// Bytes of an element; 1 where the type is unknown.
    element: u32,
}
