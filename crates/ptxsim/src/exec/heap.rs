//! The device's heap: `malloc` and `free` in kernels (CUDA C++ Programming Guide, "Dynamic Global
//! Memory Allocation").
//!
//! The heap is one allocation of the device's memory. The blocks in it have gaps in between, and
//! freed memory is used again only when there is no other, so that accesses beyond a block's end
//! and after `free` are reported as such.

use std::collections::{BTreeMap, VecDeque};

use super::findings::Occurrence;
use super::machine::{Location, Machine, ThreadAt, ThreadId};
use crate::address::{base, split};
use crate::decode::op::MemOp;
use crate::memory::Memory;
use crate::{Access, Action, Error, FindingKind, FreeProblem};

/// Bytes that kernels may have at once unless the host sets another limit
/// (`cudaLimitMallocHeapSize`).
pub(crate) const DEFAULT_LIMIT_BYTES: u64 = 8 << 20;
/// How many times the limit is set aside, because of the gaps, and how many bytes at most.
const ARENA_FACTOR: u64 = 4;
const MAX_ARENA_BYTES: u64 = Memory::CAPACITY / 4;
/// `malloc` aligns to this.
const ALIGN_BYTES: u64 = 16;
/// The gap between two blocks while at most half of the arena is used; later it is only
/// [`ALIGN_BYTES`].
const GAP_BYTES: u64 = 1 << 10;

/// A call of `free`.
#[derive(Debug, Clone, Copy)]
struct FreeCall {
    launch: u64,
    pc: u32,
    thread: ThreadId,
}

/// Memory that `malloc` returned.
#[derive(Debug)]
struct Block {
    /// As the kernel requested.
    bytes: u64,
    freed: Option<FreeCall>,
}

/// The heap of a [`Memory`], which outlives launches.
#[derive(Debug)]
pub(crate) struct Heap {
    slot: usize,
    blocks: BTreeMap<u64, Block>,
    /// The starts of freed blocks, the oldest first.
    freed: VecDeque<u64>,
    /// The end of all blocks so far.
    next: u64,
    /// Bytes allocated and not freed.
    live: u64,
    /// Number of this launch among those that used the heap.
    launch: u64,
    /// Bytes that may be live at once, and bytes of the allocation.
    limit: u64,
    arena: u64,
}

/// Where an access to the heap is.
enum Found {
    /// Inside a living block.
    Inside,
    Outside,
    Freed(FreeCall),
}

impl Heap {
    /// The memory's heap for the next launch; a new one if it has none.
    pub fn for_launch(memory: &mut Memory) -> Result<Self, Error> {
        if let Some(mut heap) = memory.heap.take() {
            heap.launch += 1;
            return Ok(heap);
        }
        // it has no name, because findings name the blocks in it
        let limit = memory.limits().heap.min(MAX_ARENA_BYTES);
        let arena =
            limit.max(DEFAULT_LIMIT_BYTES).saturating_mul(ARENA_FACTOR).min(MAX_ARENA_BYTES);
        let slot = memory.allocate("", arena, 1, false)?;
        memory.allocations[slot].parted = true;
        let (blocks, freed) = (BTreeMap::new(), VecDeque::new());
        Ok(Self { slot, blocks, freed, next: 0, live: 0, launch: 0, limit, arena })
    }

    /// The addresses and the bytes of all blocks that are not freed.
    pub fn living_blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        let living = self.blocks.iter().filter(|(_, block)| block.freed.is_none());
        living.map(|(start, block)| (base(self.slot as u64 + 1) + start, block.bytes))
    }

    /// Allocates a block: behind all others, or in place of the oldest freed block that is large
    /// enough.
    fn allocate(&mut self, bytes: u64) -> Option<u64> {
        let aligned = bytes.max(1).checked_next_multiple_of(ALIGN_BYTES)?;
        if self.live.checked_add(aligned)? > self.limit {
            return None;
        }
        let gap = if self.next < self.arena / 2 { GAP_BYTES } else { ALIGN_BYTES };
        let start = if self.next + aligned <= self.arena {
            let start = self.next;
            self.next = (start + aligned + gap).next_multiple_of(ALIGN_BYTES);
            start
        } else {
            let fits = |start: &u64| {
                let end =
                    self.blocks.range(start + 1..).next().map_or(self.arena, |(next, _)| *next);
                start + aligned <= end
            };
            let index = self.freed.iter().position(fits)?;
            self.freed.remove(index)?
        };
        self.live += aligned;
        self.blocks.insert(start, Block { bytes, freed: None });
        Some(start)
    }

    /// The block that an offset is in, or the nearest one.
    fn nearest_block(&self, offset: i64) -> Option<(u64, &Block)> {
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
        let Some((start, block)) = self.nearest_block(offset) else { return Found::Outside };
        let from = offset - start as i64;
        if from < 0 || from as u64 + u64::from(bytes) > block.bytes {
            return Found::Outside;
        }
        block.freed.map_or(Found::Inside, Found::Freed)
    }
}

/// How a lane's access to the heap is.
pub(super) enum HeapAccess {
    Inside,
    Outside,
    /// Wrong, and reported.
    Reported,
}

impl Machine<'_> {
    /// Checks a lane's access to the heap, at an offset in it. `None` when the slot is not the
    /// heap's.
    pub(super) fn heap_access(
        &mut self,
        op: &MemOp,
        slot: usize,
        offset: i64,
        thread: ThreadId,
        write: bool,
    ) -> Option<HeapAccess> {
        let heap = self.heap.as_ref().filter(|heap| heap.slot == slot)?;
        match heap.find(offset, op.bytes()) {
            Found::Inside => Some(HeapAccess::Inside),
            Found::Outside => Some(HeapAccess::Outside),
            Found::Freed(call) => {
                let location = Location::Global(slot as u64, offset);
                let with = self.free_party(call);
                self.fault_with(FindingKind::UseAfterFree, op, location, thread, write, || with);
                Some(HeapAccess::Reported)
            }
        }
    }

    /// The party of a finding that called `free`, if that was in this launch; an earlier launch may
    /// have been of another module.
    fn free_party(&self, call: FreeCall) -> Option<Access> {
        let here = self.heap.as_ref().is_some_and(|heap| heap.launch == call.launch);
        here.then(|| self.party(call.pc, call.thread.block, call.thread.linear, Action::Free))
    }

    /// Name, first byte and number of bytes of the heap's block that an offset is in or nearest to.
    pub(super) fn heap_block(&self, slot: usize, offset: i64) -> Option<(String, i64, u64)> {
        let heap = self.heap.as_ref().filter(|heap| heap.slot == slot)?;
        let (start, block) = heap.nearest_block(offset)?;
        Some((format!("malloc({})", block.bytes), start as i64, block.bytes))
    }

    /// `malloc` of one thread: the address, or null.
    pub(super) fn malloc(&mut self, bytes: u64) -> u64 {
        self.changes += 1;
        let Some(heap) = &mut self.heap else { return 0 };
        let end = heap.next;
        let Some(start) = heap.allocate(bytes) else { return 0 };
        let slot = heap.slot;
        if start < end {
            self.clear_shadow(slot, start, bytes);
        }
        base(slot as u64 + 1) + start
    }

    /// Clears the shadow of memory that is allocated again.
    fn clear_shadow(&mut self, slot: usize, start: u64, bytes: u64) {
        let Some(allocation) = self.grid.memory.allocations.get(slot) else { return };
        let Some(shadow) = self.shadows.get_mut(slot) else { return };
        for word in start / 4..(start + bytes).div_ceil(4) {
            if let Some(cell) = shadow.pages.cell(word as usize, allocation) {
                *cell = super::hazards::cell::ShadowCell::untouched(0);
            }
        }
    }

    /// `free` of one thread.
    pub(super) fn free(&mut self, address: u64, block: u32, at: ThreadAt) {
        if address == 0 {
            return;
        }
        self.changes += 1;
        let (slot, offset) = split(address);
        let Some(heap) = &mut self.heap else { return };
        let ThreadAt { pc, linear } = at;
        let call = FreeCall { launch: heap.launch, pc, thread: ThreadId { block, linear } };
        let in_heap = slot == heap.slot as u64 + 1;
        let start = u64::try_from(offset).ok().filter(|_| in_heap);
        let (what, with) = match start.and_then(|start| Some((start, heap.blocks.get_mut(&start)?)))
        {
            Some((start, Block { freed: freed @ None, bytes })) => {
                *freed = Some(call);
                heap.live -= (*bytes).max(1).next_multiple_of(ALIGN_BYTES);
                heap.freed.push_back(start);
                return;
            }
            Some((_, Block { freed: Some(first), .. })) => {
                let first = *first;
                (FindingKind::DoubleFree, self.free_party(first))
            }
            None => {
                let inside = in_heap && !matches!(heap.find(offset, 1), Found::Outside);
                let problem =
                    if inside { FreeProblem::NotTheStart } else { FreeProblem::NotFromMalloc };
                (FindingKind::InvalidFree { problem }, None)
            }
        };
        let mut at = self.party(pc, block, linear, Action::Free);
        at.address = address;
        // slot 0 holds no allocation
        let slot = (slot as usize).checked_sub(1).filter(|_| in_heap);
        if let Some((name, start, bytes)) = slot.and_then(|slot| self.heap_block(slot, offset)) {
            (at.array, at.index, at.elements) = (Some(name), Some(offset - start), Some(bytes));
        } else {
            at.array = self.allocation_name(address);
        }
        let mut findings = std::mem::take(&mut self.findings);
        let occurrence = Occurrence::new(pc, ThreadId { block, linear });
        findings.add(what, Occurrence { write: true, ..occurrence }, || (at, with));
        self.findings = findings;
    }

    /// The name of the allocation that an address is in.
    fn allocation_name(&self, address: u64) -> Option<String> {
        let allocation = self.grid.memory.allocations.get(self.grid.memory.slot(address)?)?;
        (!allocation.name.is_empty()).then(|| allocation.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap() -> Heap {
        Heap::for_launch(&mut Memory::new()).expect("32 MiB")
    }

    fn free(heap: &mut Heap, start: u64) {
        let block = heap.blocks.get_mut(&start).expect("a block");
        block.freed = Some(FreeCall { launch: 0, pc: 0, thread: ThreadId { block: 0, linear: 0 } });
        heap.live -= block.bytes.max(1).next_multiple_of(ALIGN_BYTES);
        heap.freed.push_back(start);
    }

    #[test]
    fn blocks_have_gaps_and_fill_8_mb() {
        for bytes in [1, 16, 100, 4096, 1 << 20] {
            let mut heap = heap();
            let starts: Vec<u64> = std::iter::from_fn(|| heap.allocate(bytes)).collect();
            assert_eq!(
                starts.len() as u64,
                DEFAULT_LIMIT_BYTES / bytes.next_multiple_of(ALIGN_BYTES),
                "{bytes}"
            );
            assert!(
                starts
                    .windows(2)
                    .all(|w| w[0] + bytes + ALIGN_BYTES <= w[1] && w[1] % ALIGN_BYTES == 0)
            );
            assert!(starts[1] - starts[0] >= bytes + GAP_BYTES);
            // the same number again after everything was freed
            for _ in 0..3 {
                starts.iter().for_each(|s| free(&mut heap, *s));
                heap.freed.clear();
                heap.blocks.clear();
                heap.next = 0;
                assert_eq!(std::iter::from_fn(|| heap.allocate(bytes)).count(), starts.len());
                let all: Vec<u64> = heap.blocks.keys().copied().collect();
                assert_eq!(all, starts);
            }
        }
        assert_eq!(heap().allocate(DEFAULT_LIMIT_BYTES + 1), None);
        assert_eq!(heap().allocate(u64::MAX), None);
    }

    #[test]
    fn the_oldest_freed_blocks_are_used_again() {
        let mut heap = heap();
        for n in 0..200_000_u64 {
            let start = heap.allocate(1000).unwrap_or_else(|| panic!("block {n}"));
            assert!(matches!(heap.find(start as i64, 4), Found::Inside));
            free(&mut heap, start);
            assert!(matches!(heap.find(start as i64, 4), Found::Freed(_)));
        }
        assert!(heap.blocks.len() < 40_000 && heap.live == 0);
        assert_eq!(heap.living_blocks().count(), 0);
    }

    #[test]
    fn an_offset_belongs_to_the_nearest_block() {
        let mut heap = heap();
        let (a, b) = (heap.allocate(40).expect("room"), heap.allocate(40).expect("room"));
        assert_eq!(heap.living_blocks().map(|(_, bytes)| bytes).collect::<Vec<_>>(), [40, 40]);
        let nearest = |at: i64| heap.nearest_block(at).map(|(start, _)| start);
        assert_eq!((nearest(a as i64 + 40), nearest(b as i64 - 4)), (Some(a), Some(b)));
        assert_eq!((nearest(b as i64 + 9999), nearest(-4)), (Some(b), Some(a)));
        assert!(matches!(heap.find(a as i64 + 36, 4), Found::Inside));
        assert!(matches!(heap.find(a as i64 + 37, 4), Found::Outside));
    }
}
