//! Global memory: allocations with guard gaps, safe to share between the host's threads.
//!
//! Words are relaxed atomics, so that a racing kernel is a finding and never undefined behaviour here.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Error;
use crate::address::{base, split};
use crate::device;
use crate::exec::heap::{self, Heap};
use crate::lines::Lines;
use crate::texture::Objects;

/// Device memory of one simulated GPU.
#[derive(Debug, Default)]
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
    limits: Limits,
}

/// What the host may set of a device (`cudaDeviceSetLimit`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of stack that recursion has in each thread.
    pub stack: u64,
    /// Bytes that kernels may have from `malloc` at once. What is more than [`Memory::CAPACITY`] allows is cut.
    pub heap: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stack: device::STACK, heap: heap::LIMIT }
    }
}

#[derive(Debug)]
pub(crate) struct Allocation {
    pub name: String,
    pub bytes: u64,
    /// Bytes of one element, for messages.
    pub element: u32,
    /// One byte is an element's size, not one that nobody knows.
    pub of_bytes: bool,
    pub words: Lines<AtomicU32>,
    pub initialised: Initialised,
    /// False for constant memory and the like.
    pub writable: bool,
    /// Its parts have bounds of their own: the device's heap.
    pub parted: bool,
    /// Bytes that it had until the host freed it; then it has none.
    pub freed: Option<u64>,
}

impl Allocation {
    /// What is where no allocation may be.
    fn nothing() -> Self {
        Self {
            name: String::new(),
            bytes: 0,
            element: 1,
            of_bytes: false,
            words: Lines::new(0, || AtomicU32::new(0)),
            initialised: Initialised::All,
            writable: false,
            parted: false,
            freed: None,
        }
    }
}

/// Which bytes of an allocation have been written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Initialised {
    All,
    None,
    /// One bit per byte, so four per word and two words in each of these.
    Some(Box<[u8]>),
}

impl Initialised {
    /// Bits of the bytes of a word that have been written.
    #[inline]
    pub fn bits(&self, word: usize) -> u8 {
        match self {
            Self::All => 15,
            Self::None => 0,
            Self::Some(bits) => bits.get(word / 2).map_or(0, |b| b >> (word % 2 * 4) & 15),
        }
    }

    /// Adds bytes of a word of an allocation with `words` words.
    pub fn add(&mut self, word: usize, bytes: u8, words: usize) {
        if *self == Self::None {
            *self = Self::Some(vec![0; words.div_ceil(2)].into());
        }
        if let Self::Some(bits) = self
            && let Some(b) = bits.get_mut(word / 2)
        {
            *b |= bytes << (word % 2 * 4);
        }
    }

    /// The short form once all `bytes` bytes have been written.
    pub fn settle(&mut self, bytes: u64) {
        let Self::Some(bits) = self else { return };
        let (whole, rest) = (bytes as usize / 8, bytes as usize % 8);
        let last = (1_u32 << rest) as u8 - 1;
        if bits.iter().take(whole).all(|b| *b == 0xff)
            && bits.get(whole).is_none_or(|b| b & last == last)
        {
            *self = Self::All;
        }
    }
}

/// So many slots are taken before those of freed memory are taken again: until then a use after the free is told.
const FRESH: usize = 1024;
/// Slots whose addresses may be the host's own are left out: those from the programs' usual place to the end of the
/// addresses that a process has.
const HOST: std::ops::Range<usize> = 1340..2048;

impl Memory {
    /// Bytes of all allocations together: more than any exercise needs, less than what would bring a laptop to its knees;
    /// offsets fit 32 bits.
    pub const CAPACITY: u64 = 512 << 20;

    /// Empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allocates `bytes`, 256-byte aligned (CUDA C++ Programming Guide, "Device Memory Accesses"), and returns the
    /// address. `contents` fill it from the start; what they leave out counts as uninitialised.
    ///
    /// # Errors
    /// [`Error::Memory`] beyond 512 MiB in total.
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

    /// The elements of the array at `address` are single bytes, however many of them an access moves. Without this, an
    /// array that was made with elements of 1 byte is told in elements of the access's size.
    pub fn is_of_bytes(&mut self, address: u64) {
        if let Some(slot) = self.slot(address) {
            self.allocations[slot].of_bytes = true;
        }
    }

    /// An address for bytes that nobody has on the device yet: [`Self::back`] makes them.
    ///
    /// # Errors
    /// [`Error::Memory`] when there are no more addresses.
    pub fn reserve(&mut self, name: &str) -> Result<u64, Error> {
        Ok(base(self.allocate(name, 0, 1, true)? as u64 + 1))
    }

    /// Makes the bytes of an address that was reserved; nothing when they are there.
    ///
    /// # Errors
    /// As [`Self::alloc`].
    pub fn back(&mut self, address: u64, bytes: u64) -> Result<(), Error> {
        let there = |a: &Allocation| a.bytes == 0 && a.freed.is_none();
        let slot = self.slot(address).filter(|slot| there(&self.allocations[*slot]));
        let Some(slot) = slot else { return Ok(()) };
        let name = self.allocations[slot].name.clone();
        let made = self.fresh(&name, bytes, 1, true)?;
        self.allocations[slot] = made;
        Ok(())
    }

    /// An allocation that has no slot yet.
    fn fresh(
        &mut self,
        name: &str,
        bytes: u64,
        element: u32,
        initialised: bool,
    ) -> Result<Allocation, Error> {
        let all = self.bytes.saturating_add(bytes);
        if all > Self::CAPACITY {
            return Err(Error::Memory(format!(
                "{bytes} bytes for `{name}` do not fit: the simulator gives a program at most {} MiB",
                Self::CAPACITY >> 20
            )));
        }
        self.bytes = all;
        let words = bytes.div_ceil(4) as usize;
        Ok(Allocation {
            name: name.to_owned(),
            bytes,
            element: element.max(1),
            of_bytes: false,
            words: Lines::new(words, || AtomicU32::new(0)),
            initialised: if initialised { Initialised::All } else { Initialised::None },
            writable: true,
            parted: false,
            freed: None,
        })
    }

    pub(crate) fn allocate(
        &mut self,
        name: &str,
        bytes: u64,
        element: u32,
        initialised: bool,
    ) -> Result<usize, Error> {
        let allocation = self.fresh(name, bytes, element, initialised)?;
        if self.allocations.len() >= FRESH
            && let Some(slot) = self.freed.pop_front()
        {
            self.allocations[slot] = allocation;
            return Ok(slot);
        }
        if self.allocations.len() == HOST.start {
            self.allocations.resize_with(HOST.end, Allocation::nothing);
        }
        self.allocations.push(allocation);
        Ok(self.allocations.len() - 1)
    }

    /// Frees an allocation (`cudaFree`). A kernel that uses its address later has a finding.
    ///
    /// # Errors
    /// [`Error::Memory`] when no allocation starts at `address`, or it was freed before.
    pub fn free(&mut self, address: u64) -> Result<(), Error> {
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
        self.bytes -= bytes;
        self.freed.push_back(slot as usize - 1);
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

    /// Sets limits for the launches that follow. The heap's has no effect once there is one ([`Memory::has_heap`]).
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Has a kernel that calls `malloc` been launched?
    pub const fn has_heap(&self) -> bool {
        self.heap.is_some()
    }

    /// Frees everything, and forgets all objects, variables and limits (`cudaDeviceReset`). Old addresses stay invalid.
    pub fn reset(&mut self) {
        for (slot, allocation) in self.allocations.iter_mut().enumerate() {
            if allocation.freed.is_none() {
                allocation.freed = Some(std::mem::take(&mut allocation.bytes));
                allocation.words = Lines::new(0, || AtomicU32::new(0));
                allocation.initialised = Initialised::All;
                self.freed.push_back(slot);
            }
        }
        let allocations = std::mem::take(&mut self.allocations);
        let freed = std::mem::take(&mut self.freed);
        *self = Self { allocations, freed, ..Self::default() };
    }

    /// The address of the workspace that the driver gives a cooperative launch (`cooperative_groups/details/sync.h`):
    /// its size, then the word that the blocks count in.
    pub(crate) fn grid_barrier(&mut self) -> Result<u64, Error> {
        let slot = match self.barrier {
            Some(slot) => slot,
            // no name: it is not among the arrays that the learner knows
            None => self.allocate("", 8, 4, true)?,
        };
        self.barrier = Some(slot);
        let address = base(slot as u64 + 1);
        self.write(address, &[8, 0, 0, 0, 0, 0, 0, 0])?;
        Ok(address)
    }

    /// Fills what nothing has initialised with a pattern, which leaves it uninitialised for the diagnosis.
    ///
    /// # Errors
    /// [`Error::Memory`] when `address` starts no allocation.
    pub fn fill_uninitialised(&mut self, address: u64, pattern: [u8; 4]) -> Result<(), Error> {
        let allocation = self.at(address)?.0;
        let pattern = u32::from_le_bytes(pattern);
        for (i, word) in allocation.words.iter().enumerate() {
            let keep = byte_mask(allocation.initialised.bits(i));
            word.store((word.load(Relaxed) & keep) | (pattern & !keep), Relaxed);
        }
        Ok(())
    }

    /// Does an address belong to device memory, that of a freed allocation or beyond an allocation's end included?
    pub fn owns(&self, address: u64) -> bool {
        self.slot(address).is_some()
    }

    /// Where the allocation begins that an address belongs to, in the sense of [`Self::owns`].
    pub fn start(&self, address: u64) -> Option<u64> {
        self.slot(address).map(|slot| base(slot as u64 + 1))
    }

    /// The name and the size of the allocation that begins at `address`; of freed memory, the size that it had.
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

    /// The first stretch of at least `least` bytes among these that nothing has ever written: where it begins, in bytes from
    /// `address`, and its length. Padding in structures is shorter than 16 bytes.
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

    /// The words of the slots marked, to go back to.
    pub(crate) fn snapshot(&self, slots: &[bool]) -> Vec<Vec<u32>> {
        let words = |a: &Allocation| a.words.iter().map(|w| w.load(Relaxed)).collect();
        self.allocations
            .iter()
            .zip(slots)
            .map(|(a, marked)| if *marked { words(a) } else { vec![] })
            .collect()
    }

    /// Goes back to a snapshot.
    pub(crate) fn restore(&self, snapshot: &[Vec<u32>]) {
        for (a, words) in self.allocations.iter().zip(snapshot) {
            a.words.iter().zip(words).for_each(|(w, old)| w.store(*old, Relaxed));
        }
    }

    fn at(&self, address: u64) -> Result<(&Allocation, i64), Error> {
        let (_, offset) = split(address);
        self.slot(address)
            .and_then(|s| self.allocations.get(s))
            .map(|a| (a, offset))
            .ok_or_else(|| Error::Memory(format!("address {address:#x} is in no allocation")))
    }

    /// The slot of the allocation that an address belongs to, also if it is outside its bounds.
    pub(crate) fn slot(&self, address: u64) -> Option<usize> {
        let slot = (split(address).0 as usize).checked_sub(1)?;
        (slot < self.allocations.len() && !HOST.contains(&slot)).then_some(slot)
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

    /// A program may allocate and free for ever, and must not be given what may be its own addresses.
    #[test]
    fn freed_addresses_come_back_late_and_the_hosts_never() {
        let mut memory = Memory::new();
        let kept = memory.alloc("kept", 4, 4, None).expect("room");
        let mut seen = vec![kept];
        for i in 0..FRESH - 1 {
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
            let (from, to) = (base(HOST.start as u64 + 1), base(HOST.end as u64 + 1));
            assert!(!(from..to).contains(address), "{address:#x}");
            assert!(memory.holds(*address, 4));
        }
        let host = 0x7fff_1234_5678;
        assert!(!memory.owns(host) && memory.read(host, 1).is_err() && memory.free(host).is_err());
        let distinct: std::collections::BTreeSet<_> = live.iter().collect();
        assert_eq!(distinct.len(), live.len());
    }
}
