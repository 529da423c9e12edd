//! Allocating and freeing.

use super::Runtime;
use super::sites::Site;
use crate::error::{Code, Result};
use crate::report::MemoryKind;

/// Where an address belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belongs {
    Device,
    /// Page-locked memory of the host.
    Pinned,
    /// Any other memory of the host.
    Pageable,
}

/// Memory that the runtime gave, or knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allocation {
    /// Counted from 1, in the order in which the program asked.
    pub number: u64,
    pub bytes: u64,
    /// In findings, until somebody finds a better one.
    pub name: String,
    /// Who asked for it.
    pub site: Site,
    pub kind: MemoryKind,
    /// Of page-locked memory: it came from the runtime, in whole pages.
    pub own: bool,
    /// Of managed memory: what the device has is newer than what is in the host's pages.
    pub newer: bool,
}

impl Runtime {
    /// `cudaMalloc`: 0 bytes are no allocation, and no error.
    pub fn malloc(&mut self, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        self.alive()?;
        let number = self.facts.allocations + 1;
        let name = format!("allocation {number}");
        let address =
            self.memory.alloc(&name, bytes, 1, None).map_err(|_| Code::MEMORY_ALLOCATION)?;
        let site = self.site();
        let (kind, own, newer) = (MemoryKind::Device, false, false);
        self.freed.remove(&address);
        self.allocations
            .insert(address, Allocation { number, bytes, name, site, kind, own, newer });
        self.facts.allocated(bytes, self.allocations.len());
        Ok(address)
    }

    /// `cudaFree`: waits for the device first.
    pub fn free(&mut self, address: u64) -> Result {
        self.alive()?;
        if address == 0 {
            return Ok(());
        }
        self.synchronize_device()?;
        let site = self.site();
        self.release(address, site)?;
        self.pools.taken(address);
        Ok(())
    }

    /// An allocation is no more: its bytes. Somebody asked for that at `site`.
    pub(super) fn release(&mut self, address: u64, site: Site) -> Result<u64> {
        let Some(freed) = self.allocations.remove(&address) else {
            return self.bad_free(address).map(|()| 0);
        };
        let bytes = freed.bytes;
        self.facts.freed(bytes);
        self.unmap_managed(address, &freed);
        self.freed.insert(address, (freed, site));
        self.memory.free(address).map_err(|_| Code::INVALID_VALUE)?;
        Ok(bytes)
    }

    /// Page-locked memory that the program has at `address`.
    pub(super) fn page_locked(&mut self, address: u64, bytes: u64) {
        let (number, site) = (0, self.site());
        let kind = MemoryKind::Pinned;
        let (own, newer) = (false, false);
        let allocation = Allocation { number, bytes, name: String::new(), site, kind, own, newer };
        self.freed.retain(|start, (freed, _)| {
            start.saturating_add(freed.bytes) <= address || *start >= address + bytes
        });
        self.pinned.insert(address, allocation);
    }

    /// Page-locked memory is no more: the bytes that were there.
    pub(super) fn unpin(&mut self, address: u64) -> Result<u64> {
        let freed = self.pinned.remove(&address).ok_or(Code::INVALID_VALUE)?;
        self.pinned_flags.remove(&address);
        let (bytes, site) = (freed.bytes, self.site());
        self.freed.insert(address, (freed, site));
        Ok(bytes)
    }

    /// The allocation that an address lies in.
    pub(super) fn allocation(&self, address: u64) -> Option<&Allocation> {
        let (start, allocation) = self.allocations.range(..=address).next_back()?;
        (address - start < allocation.bytes).then_some(allocation)
    }

    pub(super) fn belongs(&self, address: u64) -> Belongs {
        match self.pinned_at(address) {
            Some(_) => Belongs::Pinned,
            None if self.memory.owns(address) => Belongs::Device,
            None => Belongs::Pageable,
        }
    }
}
