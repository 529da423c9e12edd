//! The memory that the program may use: the device's, and page-locked memory of the host.

pub(super) mod arrays;
pub(super) mod contents;
pub(super) mod copies3d;
mod graph_memory;
pub(super) mod pinned;
pub(super) mod pools;
pub(super) mod region;
pub(super) mod shared;
mod targets;

use std::collections::BTreeMap;

use super::findings::sites::SiteId;
use crate::error::{Code, Result};
use crate::graph::Id;
use crate::report::{MemoryKind, Rows};
use arrays::Arrays;
pub use graph_memory::GraphMemory;
pub use pools::Pools;
use shared::{GuardedWork, KeptContents};

/// What kind of memory an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryOwner {
    /// Memory of the device.
    Device,
    /// Page-locked memory of the host.
    Pinned,
    /// Any other memory of the host.
    Pageable,
}

/// Memory that the program allocated through the runtime, or registered with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allocation {
    /// Its number among the allocations of its kind, counted from 1.
    pub number: u64,
    pub bytes: u64,
    /// Its name in findings, until the explanation finds the name of a variable.
    pub name: String,
    /// The call that allocated it.
    pub site: SiteId,
    pub kind: MemoryKind,
    /// For page-locked memory: did the runtime allocate it, in whole pages?
    pub from_runtime: bool,
    /// For managed memory: does the device have newer contents than the host's pages?
    pub device_is_newer: bool,
    /// For memory with a pitch.
    pub rows: Option<Rows>,
}

/// Memory that the program has freed.
#[derive(Debug)]
struct FreedMemory {
    allocation: Allocation,
    /// The call that freed it.
    site: SiteId,
}

/// Bytes of a launch's `printf` output that are kept. An H100 keeps several MiB, whose exact number
/// depends on the arguments of the calls.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;

/// How much device memory the program allocated.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    /// Device allocations so far.
    pub allocations: u64,
    /// Bytes of all of them together.
    pub allocated: u64,
    /// Bytes that are allocated now.
    now: u64,
    /// The most bytes that were allocated at the same time.
    pub peak: u64,
    /// The most allocations that existed at the same time.
    pub peak_live: u64,
    /// Page-locked allocations so far.
    pinned: u64,
    /// Registrations of the program's own memory so far.
    registered: u64,
}

impl Usage {
    /// Counts an allocation; `live` of them exist now.
    fn allocate(&mut self, bytes: u64, live: usize) {
        self.reserve();
        self.map(bytes, live);
    }

    /// The number of a new allocation.
    fn reserve(&mut self) -> u64 {
        self.allocations += 1;
        self.allocations
    }

    /// Counts the memory of an allocation.
    fn map(&mut self, bytes: u64, live: usize) {
        self.allocated += bytes;
        self.now += bytes;
        self.peak = self.peak.max(self.now);
        self.exist(live);
    }

    /// Counts allocations that exist at the same time.
    fn exist(&mut self, live: usize) {
        self.peak_live = self.peak_live.max(live as u64);
    }

    fn free(&mut self, bytes: u64) {
        self.now -= bytes;
    }

    /// Nothing is allocated any more. The counts and the peaks stay.
    fn free_all(&mut self) {
        self.now = 0;
    }
}

/// All memory that the runtime knows.
#[derive(Debug, Default)]
pub struct AddressSpace {
    /// The simulated device's memory.
    device: ptxsim::Memory,
    /// Device memory that the program has allocated and not freed, by address.
    allocations: BTreeMap<u64, Allocation>,
    /// Page-locked memory of the host, by address.
    pinned: BTreeMap<u64, Allocation>,
    /// Where the simulated device has registered memory, by the host's address of its start.
    registered: BTreeMap<u64, u64>,
    /// The flags of page-locked memory, by address.
    pinned_flags: BTreeMap<u64, u32>,
    /// `__managed__` variables, by address.
    managed_variables: BTreeMap<u64, Allocation>,
    /// Device and page-locked memory that was freed, by address, until the address is used again.
    freed: BTreeMap<u64, FreedMemory>,
    /// Pending work that pages of the host are closed for.
    guarded: BTreeMap<Id, GuardedWork>,
    /// Contents of shared memory that one side got from the other; `None` if they are not kept.
    shared_contents: Option<KeptContents>,
    arrays: Arrays,
    /// Pools of stream-ordered memory.
    pub pools: Pools,
    /// Memory of nodes of graphs.
    pub graph_memory: GraphMemory,
    usage: Usage,
}

impl AddressSpace {
    /// The memory of a device with so many bytes, of which nothing is allocated.
    pub(super) fn new(bytes: u64) -> Self {
        let mut device = ptxsim::Memory::with_capacity(bytes);
        device.set_limits(ptxsim::Limits { output: MAX_OUTPUT_BYTES, ..device.limits() });
        Self { device, ..Self::default() }
    }

    /// The simulated device's memory.
    pub(super) fn device(&self) -> &ptxsim::Memory {
        &self.device
    }

    /// The same, for a kernel or an object.
    pub(super) fn device_mut(&mut self) -> &mut ptxsim::Memory {
        &mut self.device
    }

    /// Counts the blocks of the device's heap that a kernel has left as allocations.
    pub(super) fn count_heap_blocks(&mut self, blocks: usize) {
        self.usage.exist(self.allocations.len() + blocks);
    }

    /// How much device memory was allocated.
    pub(super) fn usage(&self) -> Usage {
        self.usage
    }

    /// Device memory that the program has not freed, by address.
    pub(super) fn allocations(&self) -> impl Iterator<Item = (u64, &Allocation)> {
        self.allocations.iter().map(|(address, allocation)| (*address, allocation))
    }

    /// Allocates device memory for the call at `site`.
    pub(super) fn allocate(&mut self, bytes: u64, site: SiteId) -> Result<u64> {
        let number = self.usage.allocations + 1;
        let name = format!("allocation {number}");
        let address =
            self.device.alloc(&name, bytes, 1, None).map_err(|_| Code::MEMORY_ALLOCATION)?;
        self.freed.remove(&address);
        let allocation = Allocation {
            number,
            bytes,
            name,
            site,
            kind: MemoryKind::Device,
            from_runtime: false,
            device_is_newer: false,
            rows: None,
        };
        self.allocations.insert(address, allocation);
        self.usage.allocate(bytes, self.allocations.len());
        Ok(address)
    }

    /// The memory that was just allocated at `address` has these rows.
    pub(super) fn set_rows(&mut self, address: u64, rows: Rows) {
        if let Some(allocation) = self.allocations.get_mut(&address) {
            allocation.rows = Some(rows);
        }
    }

    /// Frees device memory for the call at `site`, and returns its bytes; `None` if no allocation
    /// starts at this address.
    pub(super) fn release(&mut self, address: u64, site: SiteId) -> Option<Result<u64>> {
        let allocation = self.allocations.remove(&address)?;
        let bytes = allocation.bytes;
        self.usage.free(bytes);
        allocation.unmap_if_managed(address);
        self.freed.insert(address, FreedMemory { allocation, site });
        let freed = if self.graph_memory.freed(address) {
            self.device.take_back(address)
        } else {
            self.device.free(address)
        };
        Some(freed.map(|()| bytes).map_err(|_| Code::INVALID_VALUE))
    }

    /// The allocation that starts at an address.
    pub(super) fn allocation_at(&self, address: u64) -> Option<&Allocation> {
        self.allocations.get(&address)
    }

    /// The allocation that contains an address.
    pub(super) fn allocation(&self, address: u64) -> Option<&Allocation> {
        let (start, allocation) = self.allocations.range(..=address).next_back()?;
        (address - start < allocation.bytes).then_some(allocation)
    }

    /// The kind of memory that an address belongs to.
    pub(super) fn owner_of(&self, address: u64) -> MemoryOwner {
        match self.pinned_at(address) {
            Some(_) => MemoryOwner::Pinned,
            None if self.device.owns(address) => MemoryOwner::Device,
            None => MemoryOwner::Pageable,
        }
    }

    /// `cudaMemGetInfo`: free bytes, and all bytes.
    pub fn info(&self) -> (u64, u64) {
        let used = self.device.used();
        let capacity = self.device.capacity();
        (capacity.saturating_sub(used), capacity)
    }

    /// `cudaDeviceReset`: everything that the program has allocated is gone. The counts stay.
    pub(super) fn reset(&mut self) {
        self.forget_shared();
        let output = self.device.limits().output;
        self.device.reset();
        self.device.set_limits(ptxsim::Limits { output, ..self.device.limits() });
        self.usage.free_all();
        self.allocations.clear();
        self.freed.clear();
        self.arrays.clear();
        self.pools.clear();
        self.graph_memory = GraphMemory::default();
    }
}
