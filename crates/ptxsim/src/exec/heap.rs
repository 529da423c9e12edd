//! The device's heap: `malloc` and `free` in kernels (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation").
//!
//! All of it is one allocation of the device's memory. What the kernel asked for lies in it with gaps in between, and
//! what was freed is used again only when there is no other room, so that accesses beyond an end and after a `free` are
//! told as what they are.

use std::collections::{BTreeMap, VecDeque};

use super::machine::{Machine, Place};
use crate::address::{base, split};
use crate::decode::op::MemOp;
use crate::memory::Memory;
use crate::{Access, Action, Error, FindingKind, FreeProblem};

/// Bytes that kernels may have at once unless the host says otherwise (`cudaLimitMallocHeapSize`), how many times that the
/// gaps may make of it, and the most that is set aside.
pub(crate) const LIMIT: u64 = 8 << 20;
const GAPS: u64 = 4;
const MOST: u64 = Memory::CAPACITY / 4;
/// `malloc` aligns to 16 bytes.
const ALIGN: u64 = 16;
/// Bytes between two blocks: many while there is room.
const GAP: u64 = 1 << 10;

/// Where a kernel called `malloc` or `free`.
#[derive(Debug, Clone, Copy)]
struct Call {
    launch: u64,
    pc: u32,
    block: u32,
    linear: u32,
}

/// Memory that a kernel got.
#[derive(Debug)]
struct Block {
    /// As asked for.
    bytes: u64,
    freed: Option<Call>,
}

/// The heap of a [`Memory`], which outlives launches.
#[derive(Debug)]
pub(crate) struct Heap {
    slot: usize,
    blocks: BTreeMap<u64, Block>,
    /// Freed blocks, the oldest first.
    old: VecDeque<u64>,
    /// Nothing beyond this was ever handed out.
    next: u64,
    /// Bytes handed out and not freed.
    live: u64,
    /// Number of this launch among those of the heap.
    launch: u64,
    /// Bytes that may be live at once, and all that there are.
    limit: u64,
    arena: u64,
}

/// What an access finds.
enum Found {
    Good,
    Outside,
    Freed(Call),
}

impl Heap {
    /// The memory's heap for the next launch: the one that there is, or a new one.
    pub fn of(memory: &mut Memory) -> Result<Self, Error> {
        if let Some(mut heap) = memory.heap.take() {
            heap.launch += 1;
            return Ok(heap);
        }
        // no name: what lies in it has
        let limit = memory.limits().heap.min(MOST);
        let arena = limit.max(LIMIT).saturating_mul(GAPS).min(MOST);
        let slot = memory.allocate("", arena, 1, false)?;
        memory.allocations[slot].parted = true;
        let (blocks, old) = (BTreeMap::new(), VecDeque::new());
        Ok(Self { slot, blocks, old, next: 0, live: 0, launch: 0, limit, arena })
    }

    /// Room for `bytes`: behind everything, or where the oldest freed blocks were.
    fn room(&mut self, bytes: u64) -> Option<u64> {
        let room = bytes.max(1).checked_next_multiple_of(ALIGN)?;
        if self.live.checked_add(room)? > self.limit {
            return None;
        }
        let gap = if self.next < self.arena / 2 { GAP } else { ALIGN };
        let start = if self.next + room <= self.arena {
            let start = self.next;
            self.next = (start + room + gap).next_multiple_of(ALIGN);
            start
        } else {
            let fits = |start: &u64| {
                let end =
                    self.blocks.range(start + 1..).next().map_or(self.arena, |(next, _)| *next);
                start + room <= end
            };
            let place = self.old.iter().position(fits)?;
            self.old.remove(place)?
        };
        self.live += room;
        self.blocks.insert(start, Block { bytes, freed: None });
        Some(start)
    }

    /// The block that an offset belongs to: it lies inside, or nearest to it.
    fn block(&self, offset: i64) -> Option<(u64, &Block)> {
        let at = u64::try_from(offset).unwrap_or(0);
        let below = self.blocks.range(..=at).next_back();
        let above = self.blocks.range(at + 1..).next();
        let past = |(start, b): (&u64, &Block)| at.saturating_sub(start + b.bytes);
        match (below, above) {
            (Some(low), Some(high)) if past(low) > 0 && high.0 - at < past(low) => Some(high),
            (low, high) => low.or(high),
        }
        .map(|(start, b)| (*start, b))
    }

    fn find(&self, offset: i64, bytes: u32) -> Found {
        let Some((start, block)) = self.block(offset) else { return Found::Outside };
        let from = offset - start as i64;
        if from < 0 || from as u64 + u64::from(bytes) > block.bytes {
            return Found::Outside;
        }
        block.freed.map_or(Found::Good, Found::Freed)
    }
}

/// How `careful` goes on after it asked about a lane.
pub(super) enum Verdict {
    Good,
    Outside,
    /// Told already.
    Told,
}

impl Machine<'_> {
    /// Is a lane's access to the heap inside one living block? `None` when the slot is not the heap's.
    pub(super) fn heap_access(
        &mut self,
        op: &MemOp,
        (slot, offset): (usize, i64),
        (block, linear): (u32, u32),
        write: bool,
    ) -> Option<Verdict> {
        let heap = self.heap.as_ref().filter(|heap| heap.slot == slot)?;
        match heap.find(offset, op.bytes()) {
            Found::Good => Some(Verdict::Good),
            Found::Outside => Some(Verdict::Outside),
            Found::Freed(call) => {
                let place = Place::Global(slot as u64, offset);
                let with = self.call_party(call, Action::Free);
                self.fault_with(FindingKind::UseAfterFree, op, place, block, linear, write, with);
                Some(Verdict::Told)
            }
        }
    }

    fn call_party(&self, call: Call, action: Action) -> Option<Access> {
        // another launch may have been of another module
        let here = self.heap.as_ref().is_some_and(|heap| heap.launch == call.launch);
        here.then(|| self.party(call.pc, call.block, call.linear, action))
    }

    /// Name, first byte and bytes of the block of the heap at an offset or nearest to it.
    pub(super) fn heap_block(&self, slot: usize, offset: i64) -> Option<(String, i64, u64)> {
        let heap = self.heap.as_ref().filter(|heap| heap.slot == slot)?;
        let (start, block) = heap.block(offset)?;
        Some((format!("malloc({})", block.bytes), start as i64, block.bytes))
    }

    /// `malloc` of one thread: the address, or null.
    pub(super) fn malloc(&mut self, bytes: u64) -> u64 {
        self.changes += 1;
        let Some(heap) = &mut self.heap else { return 0 };
        let new = heap.next;
        let Some(start) = heap.room(bytes) else { return 0 };
        let slot = heap.slot;
        if start < new {
            self.forget(slot, start, bytes);
        }
        base(slot as u64 + 1) + start
    }

    /// Nothing is known any more of memory that is handed out again.
    fn forget(&mut self, slot: usize, start: u64, bytes: u64) {
        let Some(allocation) = self.grid.memory.allocations.get(slot) else { return };
        let Some(shadow) = self.shadows.get_mut(slot) else { return };
        for word in start / 4..(start + bytes).div_ceil(4) {
            if let Some(cell) = shadow.pages.cell(word as usize, &allocation.initialised) {
                *cell = super::hazards::cell::Cell::untouched(0);
            }
        }
    }

    /// `free` of one thread.
    pub(super) fn free(&mut self, address: u64, (pc, block, linear): (u32, u32, u32)) {
        if address == 0 {
            return;
        }
        self.changes += 1;
        let (slot, offset) = split(address);
        let Some(heap) = &mut self.heap else { return };
        let call = Call { launch: heap.launch, pc, block, linear };
        let mine = slot == heap.slot as u64 + 1;
        let known = u64::try_from(offset).ok().filter(|_| mine);
        let (what, with) = match known.and_then(|start| Some((start, heap.blocks.get_mut(&start)?)))
        {
            Some((start, Block { freed: freed @ None, bytes })) => {
                *freed = Some(call);
                heap.live -= (*bytes).max(1).next_multiple_of(ALIGN);
                heap.old.push_back(start);
                return;
            }
            Some((_, Block { freed: Some(first), .. })) => {
                let first = *first;
                (FindingKind::DoubleFree, self.call_party(first, Action::Free))
            }
            None => {
                let inside = mine && !matches!(heap.find(offset, 1), Found::Outside);
                let problem =
                    if inside { FreeProblem::NotTheStart } else { FreeProblem::NotFromMalloc };
                (FindingKind::InvalidFree { problem }, None)
            }
        };
        let mut at = self.party(pc, block, linear, Action::Free);
        at.address = address;
        // slot 0 holds no allocation
        let slot = (slot as usize).checked_sub(1).filter(|_| mine);
        if let Some((name, start, bytes)) = slot.and_then(|slot| self.heap_block(slot, offset)) {
            (at.array, at.index, at.elements) = (Some(name), Some(offset - start), Some(bytes));
        } else {
            at.array = self.name_of(address);
        }
        let mut findings = std::mem::take(&mut self.findings);
        let order = Self::order(block, linear);
        findings.add(what, pc, u32::MAX, order, true, || (at, with));
        self.findings = findings;
    }

    /// The name of the allocation that an address belongs to.
    fn name_of(&self, address: u64) -> Option<String> {
        let allocation = self.grid.memory.allocations.get(self.grid.memory.slot(address)?)?;
        (!allocation.name.is_empty()).then(|| allocation.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap() -> Heap {
        Heap::of(&mut Memory::new()).expect("32 MiB")
    }

    fn free(heap: &mut Heap, start: u64) {
        let block = heap.blocks.get_mut(&start).expect("a block");
        block.freed = Some(Call { launch: 0, pc: 0, block: 0, linear: 0 });
        heap.live -= block.bytes.max(1).next_multiple_of(ALIGN);
        heap.old.push_back(start);
    }

    /// Blocks never overlap, gaps are kept while there is room, and 8 MB is all that there is.
    #[test]
    fn what_is_handed_out() {
        for bytes in [1, 16, 100, 4096, 1 << 20] {
            let mut heap = heap();
            let starts: Vec<u64> = std::iter::from_fn(|| heap.room(bytes)).collect();
            assert_eq!(starts.len() as u64, LIMIT / bytes.next_multiple_of(ALIGN), "{bytes}");
            assert!(starts.windows(2).all(|w| w[0] + bytes + ALIGN <= w[1] && w[1] % ALIGN == 0));
            assert!(starts[1] - starts[0] >= bytes + GAP);
            // as much again after everything was freed, and again
            for _ in 0..3 {
                starts.iter().for_each(|s| free(&mut heap, *s));
                heap.old.clear();
                heap.blocks.clear();
                heap.next = 0;
                assert_eq!(std::iter::from_fn(|| heap.room(bytes)).count(), starts.len());
                let all: Vec<u64> = heap.blocks.keys().copied().collect();
                assert_eq!(all, starts);
            }
        }
        assert_eq!(heap().room(LIMIT + 1), None);
        assert_eq!(heap().room(u64::MAX), None);
    }

    /// A kernel that allocates and frees for ever is given what was freed longest ago.
    #[test]
    fn what_was_freed_is_used_again() {
        let mut heap = heap();
        for n in 0..200_000_u64 {
            let start = heap.room(1000).unwrap_or_else(|| panic!("block {n}"));
            assert!(matches!(heap.find(start as i64, 4), Found::Good));
            free(&mut heap, start);
            assert!(matches!(heap.find(start as i64, 4), Found::Freed(_)));
        }
        assert!(heap.blocks.len() < 40_000 && heap.live == 0);
    }

    #[test]
    fn the_nearest_block_is_the_one_that_was_meant() {
        let mut heap = heap();
        let (a, b) = (heap.room(40).expect("room"), heap.room(40).expect("room"));
        let nearest = |at: i64| heap.block(at).map(|(start, _)| start);
        assert_eq!((nearest(a as i64 + 40), nearest(b as i64 - 4)), (Some(a), Some(b)));
        assert_eq!((nearest(b as i64 + 9999), nearest(-4)), (Some(b), Some(a)));
        assert!(matches!(heap.find(a as i64 + 36, 4), Found::Good));
        assert!(matches!(heap.find(a as i64 + 37, 4), Found::Outside));
    }
}
