//! Memory that nodes of graphs allocate and free (CUDA C++ Programming Guide, "Graph Memory
//! Nodes").
//!
//! The address is fixed when the node is made. The memory is there from each launch of the node
//! until it is freed, and stays reserved for graphs until the program trims it.

use std::collections::BTreeMap;

use super::{AddressSpace, Allocation};
use crate::error::{Code, Result};
use crate::report::MemoryKind;
use crate::runtime::findings::sites::SiteId;

/// Physical memory is mapped in pieces of this many bytes.
const PIECE_BYTES: u64 = 2 << 20;

/// `cudaGraphMemAttributeType`.
const USED: i32 = 0;
const USED_HIGH: i32 = 1;
const RESERVED: i32 = 2;
const RESERVED_HIGH: i32 = 3;

/// Whether memory is behind an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockState {
    /// Only the address is reserved.
    Unmapped,
    Allocated,
    /// Work has been enqueued that frees it.
    Freeing,
    /// It is free, and the executable graph keeps it mapped.
    Free,
}

/// The memory of an allocation node.
#[derive(Debug)]
struct Block {
    bytes: u64,
    /// Its number among the program's allocations.
    number: u64,
    /// The graph or the capture that allocates it.
    owner: u64,
    /// The graph or the capture with a node that frees it.
    freed_by: Option<u64>,
    state: BlockState,
    /// The executable graph that allocated it has not been destroyed.
    has_executable: bool,
    /// The call that made the node.
    site: SiteId,
}

/// The memory of all allocation nodes. Sizes are in bytes.
#[derive(Debug, Default)]
pub struct GraphMemory {
    blocks: BTreeMap<u64, Block>,
    reserved: u64,
    used_high: u64,
    reserved_high: u64,
}

impl GraphMemory {
    /// The bytes of blocks in these states, in whole pieces.
    fn mapped(&self, is_counted: impl Fn(BlockState) -> bool) -> u64 {
        let counted = self.blocks.values().filter(|block| is_counted(block.state));
        counted.map(|block| block.bytes.next_multiple_of(PIECE_BYTES)).sum()
    }

    fn allocated(&self) -> u64 {
        self.mapped(|state| matches!(state, BlockState::Allocated | BlockState::Freeing))
    }

    /// What executable graphs have mapped. Those that run one after the other share memory.
    fn used(&self) -> u64 {
        self.mapped(|state| state != BlockState::Unmapped).min(self.reserved)
    }

    fn count(&mut self) {
        self.reserved = self.reserved.max(self.allocated());
        self.reserved_high = self.reserved_high.max(self.reserved);
        self.used_high = self.used_high.max(self.used());
    }

    fn block(&mut self, address: u64) -> Result<&mut Block> {
        self.blocks.get_mut(&address).ok_or(Code::INVALID_VALUE)
    }

    /// The bytes of the block that begins at an address.
    pub(in crate::runtime) fn bytes(&self, address: u64) -> Option<u64> {
        self.blocks.get(&address).map(|block| block.bytes)
    }

    /// The bytes of a block, or 0.
    pub fn size(&self, address: u64) -> u64 {
        self.bytes(address).unwrap_or(0)
    }

    /// Is this memory allocated, and nothing frees it yet?
    pub(in crate::runtime) fn is_allocated(&self, address: u64) -> bool {
        self.blocks.get(&address).is_some_and(|block| block.state == BlockState::Allocated)
    }

    /// The capture has become a graph.
    pub(in crate::runtime) fn end_capture(&mut self, capture: u64, graph: u64) {
        for block in self.blocks.values_mut() {
            if block.owner == capture {
                block.owner = graph;
            }
            block.freed_by = block.freed_by.map(|by| if by == capture { graph } else { by });
        }
    }

    /// A node of `graph` frees the memory. Fails if another graph has such a node.
    pub(in crate::runtime) fn set_freed_by(&mut self, address: u64, graph: u64) -> Result {
        let block = self.block(address)?;
        if block.freed_by.is_some_and(|other| other != graph) {
            return Err(Code::INVALID_VALUE.because("another graph has a node that frees it"));
        }
        block.freed_by = Some(graph);
        Ok(())
    }

    /// A node allocates memory again that a node before it frees. What frees it then is not known.
    pub(in crate::runtime) fn allocated_again(&mut self, address: u64) {
        if let Ok(block) = self.block(address) {
            block.freed_by = None;
        }
    }

    /// Does another graph than `graph` allocate the memory?
    pub(in crate::runtime) fn is_foreign(&self, address: u64, graph: u64) -> bool {
        self.blocks.get(&address).is_some_and(|block| block.owner != graph)
    }

    /// A call of the program frees the memory, which no node may do then.
    pub(in crate::runtime) fn check_free_by_call(&mut self, address: u64) -> Result {
        match self.blocks.get(&address) {
            Some(block) if block.freed_by == Some(block.owner) => {
                Err(Code::INVALID_VALUE.because("a node of its own graph frees it"))
            }
            _ => Ok(()),
        }
    }

    /// Work is enqueued that frees the memory. Fails unless it is allocated.
    pub(in crate::runtime) fn start_freeing(&mut self, address: u64) -> Result {
        let block = self.block(address)?;
        if block.state != BlockState::Allocated {
            return Err(Code::INVALID_VALUE.because("the memory that it frees is not allocated"));
        }
        block.state = BlockState::Freeing;
        Ok(())
    }

    /// The memory has been freed. Returns false for memory that is no graph's.
    pub(super) fn freed(&mut self, address: u64) -> bool {
        let Ok(block) = self.block(address) else { return false };
        let state = if block.has_executable { BlockState::Free } else { BlockState::Unmapped };
        block.state = state;
        true
    }

    /// An executable graph with this node has been destroyed.
    pub(in crate::runtime) fn executable_destroyed(&mut self, address: u64) {
        if let Ok(block) = self.block(address) {
            block.has_executable = false;
            if block.state == BlockState::Free {
                block.state = BlockState::Unmapped;
            }
        }
    }

    /// `cudaDeviceGraphMemTrim`: returns what is not allocated to the device.
    pub fn trim(&mut self) {
        for block in self.blocks.values_mut() {
            if block.state == BlockState::Free {
                block.state = BlockState::Unmapped;
            }
        }
        self.reserved = self.allocated();
    }

    /// `cudaDeviceGetGraphMemAttribute`.
    pub fn attribute(&self, attribute: i32) -> Result<u64> {
        Ok(match attribute {
            USED => self.used(),
            USED_HIGH => self.used_high,
            RESERVED => self.reserved,
            RESERVED_HIGH => self.reserved_high,
            _ => return Err(Code::INVALID_VALUE),
        })
    }

    /// `cudaDeviceSetGraphMemAttribute`: a high-water mark is reset to the current value.
    pub fn set_attribute(&mut self, attribute: i32, value: u64) -> Result {
        match (attribute, value) {
            (USED_HIGH, 0) => self.used_high = self.used(),
            (RESERVED_HIGH, 0) => self.reserved_high = self.reserved,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }
}

impl AddressSpace {
    /// Reserves an address for an allocation node of `owner`, which the call at `site` makes.
    pub(in crate::runtime) fn reserve_for_graph(
        &mut self,
        bytes: u64,
        owner: u64,
        site: SiteId,
    ) -> Result<u64> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE.because("an allocation node needs more than 0 bytes"));
        }
        let number = self.usage.reserve();
        let name = format!("allocation {number}");
        let address = self.device.reserve(&name).map_err(|_| Code::MEMORY_ALLOCATION)?;
        let block = Block {
            bytes,
            number,
            owner,
            freed_by: None,
            state: BlockState::Unmapped,
            has_executable: false,
            site,
        };
        self.graph_memory.blocks.insert(address, block);
        Ok(address)
    }

    /// A launch allocates the memory of a node.
    pub(in crate::runtime) fn allocate_for_graph(&mut self, address: u64) -> Result {
        let block = self.graph_memory.block(address)?;
        if matches!(block.state, BlockState::Allocated | BlockState::Freeing) {
            return Err(Code::INVALID_VALUE.because("its memory is still allocated"));
        }
        let (bytes, number, site) = (block.bytes, block.number, block.site);
        self.device.renew(address, bytes).map_err(|_| Code::MEMORY_ALLOCATION)?;
        let block = self.graph_memory.block(address)?;
        (block.state, block.has_executable) = (BlockState::Allocated, true);
        self.graph_memory.count();
        self.freed.remove(&address);
        let allocation = Allocation {
            number,
            bytes,
            name: format!("allocation {number}"),
            site,
            kind: MemoryKind::Device,
            from_runtime: false,
            device_is_newer: false,
            rows: None,
        };
        self.allocations.insert(address, allocation);
        self.usage.map(bytes, self.allocations.len());
        Ok(())
    }

    /// Are these bytes inside the memory of an allocation node, whether it is allocated or not?
    pub(in crate::runtime) fn is_graph_memory(&self, address: u64, bytes: u64) -> bool {
        let Some(start) = self.device.start(address) else { return false };
        let end = (address - start).checked_add(bytes);
        self.graph_memory.bytes(start).zip(end).is_some_and(|(size, end)| end <= size)
    }
}
