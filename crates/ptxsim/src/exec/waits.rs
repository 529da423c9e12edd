//! Counts how often warps wait for loads from global memory.
//!
//! A multiprocessor issues the instructions of a warp in order. A load doesn't stop the warp, but
//! the first instruction that reads the loaded register does, until the value is there ("stall
//! long scoreboard" in NVIDIA Nsight Compute). Loads that are issued before this instruction are in
//! flight together, so the warp waits for all of them once.
//!
//! The assembler moves loads up within a basic block, as far as the block's other instructions
//! allow, and it replaces a branch around a few instructions by predicates (CUDA C++ Best Practices
//! Guide, "Branch Predication"). So this module takes a basic block, with the short ones after it,
//! as a graph. The level of an instruction is the number of waits before it can be issued, and the
//! block waits as often as its highest level says. A load is not moved above a store that may
//! change what it loads. It is if it reads constant data (`ld.global.nc`, which
//! `const __restrict__` allows the compiler to use), or if both addresses have the same base
//! register and other bytes. Nothing moves above a load with acquire semantics. A wait for
//! asynchronous copies counts, too, if one of them is in flight.
//!
//! It also counts the instructions that a warp executes between a load and the first instruction
//! that needs it, in the order of the PTX, once for each sector that the load needs. A load whose
//! value nothing needs is not among them. An asynchronous copy writes no register, so the warp
//! waits for it at the wait for its group. A copy that only fills its destination with zeros loads
//! nothing.
//!
//! It runs at the level [`TRACE`](super::TRACE), for launches that ask for it.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::access::Context;
use super::copies;
use super::undefined::{Place, row};
use super::warp::{Split, lanes};
use crate::AwaitedLoads;
use crate::address::{self, LOCAL_SLOT, SHARED_SLOT};
use crate::count::SECTOR;
use crate::decode::code::File;
use crate::decode::op::{Address, Code, ImageKind, MemOp, MemSpace, Op};
use crate::decode::{Program, RowAccess};
use crate::observe::MAX_COUNTED_DISTANCE;

/// The most operations that are executed under a predicate instead of behind a branch.
const PREDICATED: usize = 7;

/// The waits of a launch's warps so far.
#[derive(Debug, Default)]
pub(crate) struct LoadWaits {
    pub waits: u64,
    pub awaited: AwaitedLoads,
    /// By block and warp.
    warps: FxHashMap<(u32, u32), WarpLoads>,
    flights: FxHashMap<(u32, u32), Flights>,
}

/// When a warp has begun the loads that it has not waited for yet.
#[derive(Debug, Default)]
struct Flights {
    /// Instructions that the warp has executed.
    executed: u64,
    /// Fused multiplications and additions among them.
    fused: u64,
    /// The loads that will write a register: their beginnings, and the sectors that they need.
    registers: FxHashMap<Place, (u64, u64)>,
    /// The asynchronous copies: their groups, their beginnings and their sectors.
    copies: Vec<(u32, (u64, u64))>,
    /// Groups of copies that the warp has committed.
    committed: u32,
}

impl Flights {
    /// Follows the operation at `pc`, before it is executed. True if the warp waits for
    /// asynchronous copies.
    fn follow(
        &mut self,
        cx: &Context<'_, '_, '_>,
        split: &Split,
        pc: u32,
        awaited: &mut AwaitedLoads,
    ) -> bool {
        let program = cx.m.grid.program;
        let Some(op) = program.ops.get(pc as usize) else { return false };
        if matches!(op.code, Code::Enter) {
            return false;
        }
        self.executed += 1;
        self.fused += u64::from(matches!(op.code, Code::FmaF | Code::FmaD));
        awaited.fused = awaited.fused.max(self.fused);
        let (mut written, mut arrived) = (vec![], FxHashSet::default());
        program.visit_rows(pc, |access, file, number| {
            let place = row(split.frame, file, number);
            if access == RowAccess::Write {
                written.push(place);
            } else {
                arrived.extend(self.registers.get(&place).copied());
            }
        });
        if !arrived.is_empty() {
            self.registers.retain(|_, load| !arrived.contains(load));
        }
        for place in &written {
            self.registers.remove(place);
        }
        let executed = self.executed;
        let mut wait = |(begun, sectors): (u64, u64)| {
            let distance = (executed - begun).min(MAX_COUNTED_DISTANCE);
            *awaited.sectors.entry(distance).or_default() += sectors;
        };
        arrived.into_iter().for_each(&mut wait);
        match op.code {
            Code::Load | Code::Atomic => {
                let memory = program.memory.get(op.d as usize);
                if let Some(memory) = memory.filter(|m| reaches_global(cx, m, split.mask)) {
                    let load = (executed, sectors(cx, memory, split.mask));
                    self.registers.extend(written.into_iter().map(|place| (place, load)));
                }
            }
            Code::Copy if copies::reads_bytes(cx, op.d, split.mask) => {
                let from = program.copies.get(op.d as usize);
                let from = from.and_then(|copy| program.memory.get(copy.from as usize));
                let sectors = from.map_or(1, |from| sectors(cx, from, split.mask));
                self.copies.push((self.committed, (executed, sectors)));
            }
            Code::CopyCommit => self.committed += 1,
            Code::CopyWait => {
                let committed = self.committed;
                let is_due =
                    |group: u32| op.d == u32::MAX || committed.saturating_sub(group) > op.d;
                self.copies.iter().filter(|copy| is_due(copy.0)).for_each(|copy| wait(copy.1));
                let before = self.copies.len();
                self.copies.retain(|copy| !is_due(copy.0));
                return self.copies.len() < before;
            }
            _ => {}
        }
        false
    }
}

#[derive(Debug, Default)]
struct WarpLoads {
    /// The registers that loads in flight will write.
    in_flight: FxHashSet<Place>,
    /// The operations whose waits have been counted together.
    counted: Range<u32>,
}

/// Counts the waits of a basic block before its first operation.
#[inline(never)]
pub(super) fn before(cx: &mut Context<'_, '_, '_>, split: &Split, pc: u32) {
    let Some(mut counted) = cx.m.load_waits.take() else { return };
    let program = cx.m.grid.program;
    let warp = (cx.b.index, cx.warp.index);
    let flights = counted.flights.entry(warp).or_default();
    counted.waits += u64::from(flights.follow(cx, split, pc, &mut counted.awaited));
    match program.ops.get(pc as usize).map(|op| op.code) {
        Some(Code::Enter) => {
            let warp = counted.warps.entry(warp).or_default();
            if warp.counted.contains(&pc) {
                // what is behind this block can't be executed again without a jump back to it
                warp.counted.start = pc + 1;
            } else {
                let together = predicated(&program.ops, pc);
                let mut block = Levels::new(program, split, &warp.in_flight);
                for at in together.clone() {
                    block.add(at);
                }
                counted.waits += u64::from(block.waits);
                *warp = WarpLoads { in_flight: block.in_flight(), counted: together };
            }
        }
        Some(Code::Exit) if split.mask == *cx.warp.live => {
            counted.warps.remove(&warp);
            counted.flights.remove(&warp);
        }
        _ => {}
    }
    cx.m.load_waits = Some(counted);
}

/// The operations after the start of the basic block at `pc`, together with those of the short
/// blocks behind branches that only skip them.
fn predicated(ops: &[Op], pc: u32) -> Range<u32> {
    let is_enter = |at: usize| ops.get(at).is_some_and(|op| matches!(op.code, Code::Enter));
    let first = pc as usize + 1;
    let mut at = first;
    while let Some(op) = ops.get(at).filter(|op| !matches!(op.code, Code::Enter)) {
        at += 1;
        let target = op.c as usize;
        if matches!(op.code, Code::Branch) && is_enter(at) && is_enter(target) && target > at {
            let skipped = &ops[at + 1..target];
            if skipped.len() <= PREDICATED && skipped.iter().all(can_have_predicate) {
                at = target + 1;
            }
        }
    }
    first as u32..at as u32
}

const fn can_have_predicate(op: &Op) -> bool {
    op.code.computes() || matches!(op.code, Code::Load | Code::Store | Code::Atomic | Code::Image)
}

/// The levels of a basic block's instructions.
struct Levels<'a> {
    program: &'a Program,
    split: &'a Split,
    /// The waits after which a register has its value, if that is not at once.
    ready: FxHashMap<Place, u32>,
    /// How often a register has been written in the block.
    versions: FxHashMap<Place, u32>,
    /// Stores to global memory.
    stores: Vec<Store>,
    /// No later load is issued before so many waits, because of a barrier or a fence.
    order: u32,
    waits: u32,
}

struct Store {
    bytes: Bytes,
    level: u32,
}

/// Bytes in memory: a base register with the number of its writes, and the bytes after it.
#[derive(PartialEq, Eq)]
struct Bytes {
    base: (Place, u32),
    first: i64,
    count: i64,
}

impl Bytes {
    fn apart_from(&self, other: &Self) -> bool {
        self.base == other.base
            && (self.first + self.count <= other.first || other.first + other.count <= self.first)
    }
}

impl<'a> Levels<'a> {
    fn new(program: &'a Program, split: &'a Split, in_flight: &FxHashSet<Place>) -> Self {
        let ready = in_flight.iter().map(|place| (*place, 1)).collect();
        let (versions, stores) = (FxHashMap::default(), vec![]);
        Self { program, split, ready, versions, stores, order: 0, waits: 0 }
    }

    /// Adds the block's next instruction.
    fn add(&mut self, pc: u32) {
        let Some(op) = self.program.ops.get(pc as usize) else { return };
        let (mut level, mut written) = (0, vec![]);
        self.program.visit_rows(pc, |access, file, number| {
            let place = row(self.split.frame, file, number);
            // a register that a load will write can't be written before the load has done so
            level = self.ready.get(&place).copied().unwrap_or(0).max(level);
            if access == RowAccess::Write {
                written.push(place);
            }
        });
        let mut ready = level;
        match op.code {
            Code::Load | Code::Store | Code::Atomic => {
                let memory = self.program.memory.get(op.d as usize);
                if let Some(memory) = memory.filter(|memory| is_global(memory)) {
                    if !matches!(op.code, Code::Store) {
                        level = level.max(self.earliest(memory));
                        ready = level + 1;
                    }
                    if !matches!(op.code, Code::Load) {
                        self.stores.push(Store { bytes: self.bytes(memory), level });
                    }
                }
            }
            Code::Image => {
                let image = self.program.images.get(op.d as usize);
                let kind = image.map(|image| image.kind);
                if !matches!(kind, Some(ImageKind::Store(_) | ImageKind::Query(..)) | None) {
                    level = level.max(self.order);
                    ready = level + 1;
                }
            }
            _ => {}
        }
        self.waits = self.waits.max(level);
        // later accesses follow what the load returns (PTX ISA, "Acquire and Release Patterns")
        if matches!(op.code, Code::Load | Code::Atomic)
            && self.program.memory.get(op.d as usize).is_some_and(|memory| memory.acquire)
        {
            self.order = self.order.max(ready);
        }
        if matches!(
            op.code,
            Code::Barrier | Code::Collective | Code::Fence | Code::Call | Code::CopyWait
        ) {
            self.order = self.order.max(self.waits);
        }
        for place in written {
            *self.versions.entry(place).or_default() += 1;
            self.ready.insert(place, ready);
        }
    }

    /// The waits before which a load can't be issued, whatever its address depends on.
    fn earliest(&self, load: &MemOp) -> u32 {
        if load.read_only {
            return 0;
        }
        let bytes = self.bytes(load);
        let stores = self.stores.iter().filter(|store| !store.bytes.apart_from(&bytes));
        stores.map(|store| store.level).fold(self.order, u32::max)
    }

    fn bytes(&self, memory: &MemOp) -> Bytes {
        let base = match memory.address {
            Address::Row64(number) => row(self.split.frame, File::X, number),
            Address::Row32(number) => row(self.split.frame, File::R, number),
        };
        let version = self.versions.get(&base).copied().unwrap_or(0);
        Bytes { base: (base, version), first: memory.offset, count: i64::from(memory.bytes()) }
    }

    /// The registers whose loads are still in flight after the block.
    fn in_flight(self) -> FxHashSet<Place> {
        let waits = self.waits;
        self.ready.into_iter().filter(|(_, ready)| *ready > waits).map(|(place, _)| place).collect()
    }
}

/// Whether the first of these lanes accesses global memory. A generic address may be one of shared
/// or local memory.
fn reaches_global(cx: &Context<'_, '_, '_>, memory: &MemOp, mask: u32) -> bool {
    let first = mask.trailing_zeros() as usize & 31;
    let slot = || address::split(copies::addresses(cx, memory)[first]).0;
    match memory.space {
        MemSpace::Global => true,
        MemSpace::Generic => !matches!(slot(), SHARED_SLOT | LOCAL_SLOT),
        _ => false,
    }
}

/// The sectors of memory that these lanes need together.
fn sectors(cx: &Context<'_, '_, '_>, memory: &MemOp, mask: u32) -> u64 {
    let (all, bytes) = (copies::addresses(cx, memory), u64::from(memory.bytes()));
    let of_lane = |lane: usize| all[lane] / SECTOR..=(all[lane] + bytes.max(1) - 1) / SECTOR;
    let needed: FxHashSet<u64> = lanes(mask).flat_map(of_lane).collect();
    needed.len() as u64
}

const fn is_global(memory: &MemOp) -> bool {
    matches!(memory.space, MemSpace::Global | MemSpace::Generic)
}
