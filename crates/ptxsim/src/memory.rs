//! Global memory: allocations with gaps between them, which host threads can share.
//!
//! Words are relaxed atomics, so that a racing kernel is a finding and never undefined behaviour of
//! the simulator.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Error;
use crate::address::{base, split};
use crate::device;
use crate::exec::heap::{self, Heap};
use crate::fingerprint::Fingerprint;
use crate::lines::Lines;
use crate::observe::WrittenBefore;
use crate::texture::Objects;

/// Device memory of one simulated GPU.
#[derive(Debug)]
pub struct Memory {
    pub(crate) allocations: Vec<Allocation>,
    /// Slots of the module's own variables, by module identity.
    pub(crate) modules: Vec<(u64, Vec<usize>)>,
    /// The slot of the grid barrier, made for the first launch that needs it.
    barrier: Option<usize>,
    pub(crate) objects: Objects,
    pub(crate) heap: Option<Heap>,
    /// Slots that the host freed, the oldest first.
    freed: VecDeque<usize>,
    bytes: u64,
    /// The most bytes of all allocations together.
    capacity: u64,
    limits: Limits,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            allocations: vec![],
            modules: vec![],
            barrier: None,
            objects: Objects::default(),
            heap: None,
            freed: VecDeque::new(),
            bytes: 0,
            capacity: Self::CAPACITY,
            limits: Limits::default(),
        }
    }
}

/// The contents of an allocation at some time: the words, and which bytes had been written.
#[derive(Debug)]
pub(crate) struct SavedAllocation(Vec<u32>, Initialised);

impl SavedAllocation {
    /// How many words were saved.
    pub fn words(&self) -> usize {
        self.0.len()
    }
}

/// The contents of all allocations at some time.
#[derive(Debug)]
pub struct SavedContents(Vec<SavedAllocation>);

/// What the host may set of a device (`cudaDeviceSetLimit`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of stack that recursion has in each thread.
    pub stack: u64,
    /// Bytes that kernels may have from `malloc` at once, cut to what [`Memory::CAPACITY`] allows.
    pub heap: u64,
    /// Bytes of a launch's `printf` output that are kept.
    pub output: u64,
}

/// Bytes of a launch's `printf` output that are kept unless the host sets another limit.
const DEFAULT_OUTPUT_BYTES: u64 = 64 << 10;

impl Default for Limits {
    fn default() -> Self {
        Self { stack: device::STACK, heap: heap::DEFAULT_LIMIT_BYTES, output: DEFAULT_OUTPUT_BYTES }
    }
}

#[derive(Debug)]
pub(crate) struct Allocation {
    pub name: String,
    pub bytes: u64,
    /// Bytes of one element, for messages.
    pub element: u32,
    /// Elements really have one byte. Without this, an element of one byte means an unknown size.
    pub of_bytes: bool,
    pub words: Lines<AtomicU32>,
    pub initialised: Initialised,
    /// False for constant memory and the like.
    pub writable: bool,
    /// A strong access that is not ordered with another thread's is a data race, too.
    pub ordered: bool,
    /// The device's heap, whose blocks have bounds of their own.
    pub parted: bool,
    /// The size that the allocation had when the host freed it.
    pub freed: Option<u64>,
    /// Of the present contents, if it was needed since they changed.
    pub fingerprint: Option<Fingerprint>,
}

impl Allocation {
    /// A copy of the contents, for [`Self::restore`].
    pub fn save(&self) -> SavedAllocation {
        let words = self.words.iter().map(|word| word.load(Relaxed)).collect();
        SavedAllocation(words, self.initialised.clone())
    }

    /// Restores saved contents.
    pub fn restore(&mut self, SavedAllocation(words, initialised): &SavedAllocation) {
        self.words.iter_mut().zip(words).for_each(|(word, old)| *word.get_mut() = *old);
        self.initialised.clone_from(initialised);
        self.fingerprint = None;
    }

    /// How much was written before the launch that runs now, of all bytes and of the `n` bytes from
    /// `offset` on. `None` if nothing was, and of allocations so large that counting takes long.
    pub fn written_before(&self, offset: i64, n: u32) -> Option<WrittenBefore> {
        const MOST_BYTES: u64 = 64 << 20;
        let Initialised::Some(some) = &self.initialised else { return None };
        let bits = some.bits();
        let is_written =
            |byte: u64| bits.get((byte / 8) as usize).is_some_and(|b| b >> (byte % 8) & 1 == 1);
        if self.bytes > MOST_BYTES {
            return None;
        }
        let bytes: u64 = bits.iter().map(|b| u64::from(b.count_ones())).sum();
        if bytes == 0 {
            return None;
        }
        let first = u64::try_from(offset).ok()?;
        let accessed = (first..first + u64::from(n)).filter(|byte| is_written(*byte));
        let from_start = (0..self.bytes).take_while(|byte| is_written(*byte)).count() as u64;
        Some(WrittenBefore { bytes, from_start, of_access: accessed.count() as u32 })
    }

    /// The fingerprint of the present contents.
    pub fn fingerprint(&mut self) -> Fingerprint {
        let now = self.fingerprint.unwrap_or_else(|| Fingerprint::of(self));
        self.fingerprint = Some(now);
        now
    }

    /// The entry of a slot that must stay empty.
    fn empty_slot() -> Self {
        Self {
            name: String::new(),
            bytes: 0,
            element: 1,
            of_bytes: false,
            words: Lines::new(0, || AtomicU32::new(0)),
            initialised: Initialised::All,
            writable: false,
            ordered: false,
            parted: false,
            freed: None,
            fingerprint: None,
        }
    }
}

/// Which bytes of an allocation have been written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Initialised {
    All,
    None,
    Some(InitialisedBytes),
}

/// Which bytes of an allocation have been written, when some have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InitialisedBytes {
    /// One bit per byte, so four per word and two words in each of these.
    bits: Box<[u8]>,
    /// So many of `bits`, from the first, have all been found set.
    all_until: usize,
}

impl InitialisedBytes {
    fn new(words: usize) -> Self {
        Self { bits: vec![0; words.div_ceil(2)].into(), all_until: 0 }
    }

    /// One bit per byte of the allocation.
    pub fn bits(&self) -> &[u8] {
        &self.bits
    }
}

impl Initialised {
    /// Bits of the bytes of a word that have been written.
    #[inline]
    pub fn bits(&self, word: usize) -> u8 {
        match self {
            Self::All => 15,
            Self::None => 0,
            Self::Some(some) => some.bits.get(word / 2).map_or(0, |b| b >> (word % 2 * 4) & 15),
        }
    }

    /// Adds bytes of a word of an allocation with `words` words.
    pub fn add(&mut self, word: usize, bytes: u8, words: usize) {
        if *self == Self::None {
            *self = Self::Some(InitialisedBytes::new(words));
        }
        if let Self::Some(some) = self
            && let Some(b) = some.bits.get_mut(word / 2)
        {
            *b |= bytes << (word % 2 * 4);
        }
    }

    /// Replaces the bits by [`Self::All`] once all `bytes` bytes have been written.
    pub fn compact(&mut self, bytes: u64) {
        let Self::Some(InitialisedBytes { bits, all_until }) = self else { return };
        let (whole, rest) = (bytes as usize / 8, bytes as usize % 8);
        let last = (1_u32 << rest) as u8 - 1;
        let unknown = bits[*all_until..].iter().take(whole.saturating_sub(*all_until));
        *all_until += unknown.take_while(|b| **b == 0xff).count();
        if *all_until >= whole && bits.get(whole).is_none_or(|b| b & last == last) {
            *self = Self::All;
        }
    }
}

/// Slots to use before the slot of freed memory is used again. Until then a use after the free is
/// found.
const SLOTS_BEFORE_REUSE: usize = 1024;
/// Slots that are never used because their addresses may belong to the host: from where the system
/// usually maps a program to the end of a process's address space.
const HOST_SLOTS: std::ops::Range<usize> = 1340..2048;

impl Memory {
    /// The most bytes of all allocations together, unless [`Self::with_capacity`] says otherwise:
    /// more than any exercise needs, and little enough for a laptop.
    pub const CAPACITY: u64 = 512 << 20;

    /// The most bytes of one allocation, because the offsets in it have 32 bits.
    pub const MAX_ALLOCATION: u64 = (1 << 32) - 4096;

    /// Empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empty memory of this many bytes. The host's memory is taken when a kernel or a copy first
    /// uses it, page by page.
    pub fn with_capacity(bytes: u64) -> Self {
        Self { capacity: bytes, ..Self::default() }
    }

    /// The most bytes of all allocations together.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Allocates `bytes`, 256-byte aligned (CUDA C++ Programming Guide, "Device Memory Accesses"),
    /// and returns the address. `contents` fill it from the start; the rest counts as
    /// uninitialised.
    ///
    /// # Errors
    /// [`Error::Memory`] beyond [`Self::capacity`] in total, or beyond [`Self::MAX_ALLOCATION`].
    pub fn alloc(
        &mut self,
        name: &str,
        bytes: u64,
        element: u32,
        contents: Option<&[u8]>,
    ) -> Result<u64, Error> {
        let slot =
            self.allocate(name, bytes, element, contents.is_some_and(|c| c.len() as u64 >= bytes))?;
        let address = base(slot as u64 + 1);
        if let Some(contents) = contents {
            self.write(address, &contents[..contents.len().min(bytes as usize)])?;
        }
        Ok(address)
    }

    /// Declares that the elements of the array at `address` are single bytes. Without this,
    /// findings count the elements of an array that was allocated with elements of 1 byte in units
    /// of the access's size.
    pub fn set_byte_elements(&mut self, address: u64) {
        if let Some(slot) = self.slot(address) {
            self.allocations[slot].of_bytes = true;
            self.allocations[slot].fingerprint = None;
        }
    }

    /// Demands that accesses of different threads to the array at `address` are ordered, even if
    /// they are strong. Two relaxed atomics are no data race, but which value one of them reads
    /// is only certain if something orders them.
    pub fn demand_order(&mut self, address: u64) {
        if let Some(slot) = self.slot(address) {
            self.allocations[slot].ordered = true;
            self.allocations[slot].fingerprint = None;
        }
    }

    /// Reserves an address without memory behind it; [`Self::back`] allocates the memory.
    ///
    /// # Errors
    /// [`Error::Memory`] when there are no more addresses.
    pub fn reserve(&mut self, name: &str) -> Result<u64, Error> {
        Ok(base(self.allocate(name, 0, 1, true)? as u64 + 1))
    }

    /// Allocates the memory of an address that was reserved. Does nothing when that has happened
    /// before.
    ///
    /// # Errors
    /// As [`Self::alloc`].
    pub fn back(&mut self, address: u64, bytes: u64) -> Result<(), Error> {
        let there = |a: &Allocation| a.bytes == 0 && a.freed.is_none();
        let slot = self.slot(address).filter(|slot| there(&self.allocations[*slot]));
        let Some(slot) = slot else { return Ok(()) };
        let name = self.allocations[slot].name.clone();
        let made = self.new_allocation(&name, bytes, 1, true)?;
        self.allocations[slot] = made;
        Ok(())
    }

    /// Allocates the memory of an address that was reserved, or taken away by [`Self::take_back`].
    ///
    /// # Errors
    /// As [`Self::alloc`], and when memory is there.
    pub fn renew(&mut self, address: u64, bytes: u64) -> Result<(), Error> {
        let slot = self.slot(address).filter(|slot| self.allocations[*slot].bytes == 0);
        let slot = slot.ok_or_else(|| not_allocated(address))?;
        let name = self.allocations[slot].name.clone();
        let made = self.new_allocation(&name, bytes, 1, false)?;
        self.allocations[slot] = made;
        Ok(())
    }

    /// A new allocation, which has no slot yet.
    fn new_allocation(
        &mut self,
        name: &str,
        bytes: u64,
        element: u32,
        initialised: bool,
    ) -> Result<Allocation, Error> {
        let all = self.bytes.saturating_add(bytes);
        if all > self.capacity {
            return Err(Error::Memory(format!(
                "{bytes} bytes for `{name}` do not fit: the simulator gives a program at most {} MiB",
                self.capacity >> 20
            )));
        }
        if bytes > Self::MAX_ALLOCATION {
            return Err(Error::Memory(format!(
                "{bytes} bytes for `{name}` are too many: the simulator supports allocations of less than 4 GiB"
            )));
        }
        self.bytes = all;
        let words = bytes.div_ceil(4) as usize;
        Ok(Allocation {
            name: name.to_owned(),
            bytes,
            element: element.max(1),
            of_bytes: false,
            words: Lines::zeroed(words),
            initialised: if initialised { Initialised::All } else { Initialised::None },
            writable: true,
            ordered: false,
            parted: false,
            freed: None,
            fingerprint: None,
        })
    }

    pub(crate) fn allocate(
        &mut self,
        name: &str,
        bytes: u64,
        element: u32,
        initialised: bool,
    ) -> Result<usize, Error> {
        let allocation = self.new_allocation(name, bytes, element, initialised)?;
        if self.allocations.len() >= SLOTS_BEFORE_REUSE
            && let Some(slot) = self.freed.pop_front()
        {
            self.allocations[slot] = allocation;
            return Ok(slot);
        }
        if self.allocations.len() == HOST_SLOTS.start {
            self.allocations.resize_with(HOST_SLOTS.end, Allocation::empty_slot);
        }
        self.allocations.push(allocation);
        Ok(self.allocations.len() - 1)
    }

    /// Frees an allocation (`cudaFree`). When a kernel uses its address later, that is a finding.
    ///
    /// # Errors
    /// [`Error::Memory`] when no allocation starts at `address`, or it was freed before.
    pub fn free(&mut self, address: u64) -> Result<(), Error> {
        self.take_back(address)?;
        let (slot, _) = split(address);
        self.freed.push_back(slot as usize - 1);
        Ok(())
    }

    /// Frees an allocation as [`Self::free`] does, and keeps its address for [`Self::renew`].
    ///
    /// # Errors
    /// As [`Self::free`].
    pub fn take_back(&mut self, address: u64) -> Result<(), Error> {
        let (allocation, offset) = self.at(address)?;
        let name = allocation.name.clone();
        if offset != 0 || allocation.freed.is_some() || allocation.parted {
            return Err(Error::Memory(format!("nothing to free at {address:#x} of `{name}`")));
        }
        let (slot, _) = split(address);
        let allocation = &mut self.allocations[slot as usize - 1];
        let bytes = std::mem::take(&mut allocation.bytes);
        allocation.freed = Some(bytes);
        allocation.words = Lines::new(0, || AtomicU32::new(0));
        allocation.initialised = Initialised::All;
        allocation.fingerprint = None;
        self.bytes -= bytes;
        Ok(())
    }

    /// Bytes that are allocated now, the module's variables and the heap included.
    pub const fn used(&self) -> u64 {
        self.bytes
    }

    /// The limits in force.
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Sets limits for the launches that follow. The heap's limit has no effect once the heap
    /// exists ([`Memory::has_heap`]).
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Has a kernel that calls `malloc` been launched?
    pub const fn has_heap(&self) -> bool {
        self.heap.is_some()
    }

    /// The blocks that kernels have got from `malloc` and not freed: their addresses and bytes.
    pub fn heap_blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.heap.iter().flat_map(Heap::living_blocks)
    }

    /// Frees all memory, objects and variables, and resets the limits (`cudaDeviceReset`). Old
    /// addresses stay invalid.
    pub fn reset(&mut self) {
        for (slot, allocation) in self.allocations.iter_mut().enumerate() {
            if allocation.freed.is_none() {
                allocation.freed = Some(std::mem::take(&mut allocation.bytes));
                allocation.words = Lines::new(0, || AtomicU32::new(0));
                allocation.initialised = Initialised::All;
                allocation.fingerprint = None;
                self.freed.push_back(slot);
            }
        }
        let allocations = std::mem::take(&mut self.allocations);
        let freed = std::mem::take(&mut self.freed);
        let mut objects = Objects::default();
        objects.changes = self.objects.changes + 1;
        *self = Self { allocations, freed, objects, ..Self::with_capacity(self.capacity) };
    }

    /// The address of the workspace that the driver gives a cooperative launch
    /// (`cooperative_groups/details/sync.h`): its size, then the word that the blocks count in.
    pub(crate) fn grid_barrier(&mut self) -> Result<u64, Error> {
        let slot = match self.barrier {
            Some(slot) => slot,
            // no name, because it is not one of the program's arrays
            None => self.allocate("", 8, 4, true)?,
        };
        self.barrier = Some(slot);
        let address = base(slot as u64 + 1);
        self.write(address, &[8, 0, 0, 0, 0, 0, 0, 0])?;
        Ok(address)
    }

    /// Fills the uninitialised bytes with a pattern. They still count as uninitialised.
    ///
    /// # Errors
    /// [`Error::Memory`] when `address` starts no allocation.
    pub fn fill_uninitialised(&mut self, address: u64, pattern: [u8; 4]) -> Result<(), Error> {
        let slot = self.slot(address).ok_or_else(|| not_allocated(address))?;
        let allocation = &mut self.allocations[slot];
        allocation.fingerprint = None;
        let pattern = u32::from_le_bytes(pattern);
        for (i, word) in allocation.words.iter().enumerate() {
            let keep = byte_mask(allocation.initialised.bits(i));
            word.store((word.load(Relaxed) & keep) | (pattern & !keep), Relaxed);
        }
        Ok(())
    }

    /// Whether an address belongs to device memory, including freed allocations and the gaps around
    /// allocations.
    pub fn owns(&self, address: u64) -> bool {
        self.slot(address).is_some()
    }

    /// Where the allocation begins that an address belongs to, in the sense of [`Self::owns`].
    pub fn start(&self, address: u64) -> Option<u64> {
        self.slot(address).map(|slot| base(slot as u64 + 1))
    }

    /// The name and the size of the allocation that begins at `address`; of freed memory, the size
    /// that it had.
    pub fn described(&self, address: u64) -> Option<(&str, u64)> {
        let allocation = self.allocations.get(self.slot(address)?)?;
        Some((&allocation.name, allocation.freed.unwrap_or(allocation.bytes)))
    }

    /// Are these bytes inside one allocation?
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        self.range(address, bytes).is_ok()
    }

    /// Bytes from `address` to the end of its allocation; `None` outside of all.
    pub fn rest(&self, address: u64) -> Option<u64> {
        let (allocation, offset) = self.range(address, 0).ok()?;
        Some(allocation.bytes - offset as u64)
    }

    /// Reads `bytes` from `address`.
    ///
    /// # Errors
    /// [`Error::Memory`] when that is not inside one allocation.
    pub fn read(&self, address: u64, bytes: u64) -> Result<Vec<u8>, Error> {
        let (allocation, offset) = self.range(address, bytes)?;
        let (first, last) = (offset / 4, (offset + bytes as usize).div_ceil(4));
        let mut data = Vec::with_capacity((last - first) * 4);
        for word in &allocation.words[first..last] {
            data.extend_from_slice(&word.load(Relaxed).to_le_bytes());
        }
        let skip = offset - first * 4;
        data.drain(..skip);
        data.truncate(bytes as usize);
        Ok(data)
    }

    /// The first run of at least `least` uninitialised bytes in this range: its start, in bytes
    /// from `address`, and its length. Padding in structures is shorter than 16 bytes.
    pub fn unwritten(&self, address: u64, bytes: u64, least: u64) -> Option<(u64, u64)> {
        let (allocation, offset) = self.range(address, bytes).ok()?;
        if allocation.initialised == Initialised::All {
            return None;
        }
        let mut stretch = 0;
        for i in 0..bytes {
            let at = offset as u64 + i;
            let written = allocation.initialised.bits((at / 4) as usize) >> (at % 4) & 1 == 1;
            if !written {
                stretch += 1;
                if i + 1 < bytes {
                    continue;
                }
            }
            if stretch >= least {
                let end = if written { i } else { i + 1 };
                return Some((end - stretch, stretch));
            }
            stretch = 0;
        }
        None
    }

    /// Writes `data` at `address`, as a copy from the host does.
    ///
    /// # Errors
    /// [`Error::Memory`] when that is not inside one allocation.
    pub fn write(&mut self, address: u64, data: &[u8]) -> Result<(), Error> {
        let (_, offset) = self.range(address, data.len() as u64)?;
        let (slot, _) = split(address);
        let allocation = &mut self.allocations[slot as usize - 1];
        allocation.fingerprint = None;
        if offset == 0 && data.len() as u64 == allocation.bytes {
            allocation.initialised = Initialised::All;
        }
        if offset % 4 == 0 {
            let (whole, rest) = data.as_chunks::<4>();
            for (word, bytes) in allocation.words[offset / 4..].iter_mut().zip(whole) {
                *word.get_mut() = u32::from_le_bytes(*bytes);
            }
            if allocation.initialised != Initialised::All {
                let words = allocation.words.len();
                for word in offset / 4..offset / 4 + whole.len() {
                    allocation.initialised.add(word, 15, words);
                }
            }
            write_bytes(allocation, offset + whole.len() * 4, rest);
        } else {
            write_bytes(allocation, offset, data);
        }
        Ok(())
    }

    /// 4-byte words of all allocations.
    pub(crate) fn words(&self) -> usize {
        self.allocations.iter().map(|a| a.words.len()).sum()
    }

    /// The word `index` of a slot.
    pub(crate) fn word(&self, slot: usize, index: usize) -> Option<u32> {
        self.allocations.get(slot)?.words.get(index).map(|w| w.load(Relaxed))
    }

    /// A copy of all contents, to undo a launch with; `None` if there are more than `limit` bytes,
    /// or a heap, whose blocks cannot be undone.
    pub fn save(&self, limit: u64) -> Option<SavedContents> {
        if self.bytes > limit || self.heap.is_some() {
            return None;
        }
        Some(SavedContents(self.allocations.iter().map(Allocation::save).collect()))
    }

    /// Restores saved contents, since which nothing was allocated or freed.
    pub fn restore_saved(&mut self, SavedContents(contents): SavedContents) {
        self.allocations.iter_mut().zip(&contents).for_each(|(a, saved)| a.restore(saved));
    }

    fn at(&self, address: u64) -> Result<(&Allocation, i64), Error> {
        let (_, offset) = split(address);
        self.slot(address)
            .and_then(|s| self.allocations.get(s))
            .map(|a| (a, offset))
            .ok_or_else(|| not_allocated(address))
    }

    /// The slot of the allocation that an address belongs to, also if it is outside its bounds.
    pub(crate) fn slot(&self, address: u64) -> Option<usize> {
        let slot = (split(address).0 as usize).checked_sub(1)?;
        (slot < self.allocations.len() && !HOST_SLOTS.contains(&slot)).then_some(slot)
    }

    pub(crate) fn range(&self, address: u64, bytes: u64) -> Result<(&Allocation, usize), Error> {
        let (allocation, offset) = self.at(address)?;
        u64::try_from(offset)
            .ok()
            .filter(|o| o.checked_add(bytes).is_some_and(|end| end <= allocation.bytes))
            .map(|o| (allocation, o as usize))
            .ok_or_else(|| {
                Error::Memory(format!(
                    "{bytes} bytes at offset {offset} are outside `{}`, which has {} bytes",
                    allocation.name, allocation.bytes
                ))
            })
    }
}

fn not_allocated(address: u64) -> Error {
    Error::Memory(format!("address {address:#x} is in no allocation"))
}

fn write_bytes(allocation: &mut Allocation, offset: usize, data: &[u8]) {
    let words = allocation.words.len();
    for (i, byte) in data.iter().enumerate() {
        let (word, shift) = ((offset + i) / 4, (offset + i) % 4 * 8);
        let slot = allocation.words[word].get_mut();
        *slot = (*slot & !(0xff << shift)) | u32::from(*byte) << shift;
        allocation.initialised.add(word, 1 << (shift / 8), words);
    }
}

/// Four byte bits to a mask over the word.
pub(crate) const fn byte_mask(bits: u8) -> u32 {
    let mut mask = 0;
    let mut i = 0;
    while i < 4 {
        if bits >> i & 1 == 1 {
            mask |= 0xff << (i * 8);
        }
        i += 1;
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program may allocate and free without end, and must not get addresses that the host may
    /// use.
    #[test]
    fn freed_slots_are_reused_late_and_host_slots_never() {
        let mut memory = Memory::new();
        let kept = memory.alloc("kept", 4, 4, None).expect("room");
        let mut seen = vec![kept];
        for i in 0..SLOTS_BEFORE_REUSE - 1 {
            let address = memory.alloc("short", 4, 4, None).expect("room");
            assert!(!seen.contains(&address), "{i}");
            memory.free(address).expect("it is there");
            assert!(memory.owns(address) && !memory.holds(address, 1));
            seen.push(address);
        }
        let again = memory.alloc("again", 8, 4, None).expect("room");
        assert_eq!(again, seen[1], "the one that was freed first");
        assert_eq!(memory.described(again), Some(("again", 8)));
        assert_eq!(memory.start(again + 5), Some(again));
        let live: Vec<u64> =
            (0..3000).map(|_| memory.alloc("live", 4, 4, None).expect("room")).collect();
        for address in &live {
            let (from, to) = (base(HOST_SLOTS.start as u64 + 1), base(HOST_SLOTS.end as u64 + 1));
            assert!(!(from..to).contains(address), "{address:#x}");
            assert!(memory.holds(*address, 4));
        }
        let host = 0x7fff_1234_5678;
        assert!(!memory.owns(host) && memory.read(host, 1).is_err() && memory.free(host).is_err());
        let distinct: std::collections::BTreeSet<_> = live.iter().collect();
        assert_eq!(distinct.len(), live.len());
    }
}
