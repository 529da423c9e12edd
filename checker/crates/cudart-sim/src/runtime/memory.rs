//! Allocating and freeing.

use super::Runtime;
use super::sites::Site;
use crate::error::{Code, Result};

/// Where an address belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belongs {
    Device,
    /// Page-locked memory of the host.
    Pinned,
    /// Any other memory of the host.
    Pageable,
}

/// Memory that `cudaMalloc` gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allocation {
    /// Counted from 1, in the order in which the program asked.
    pub number: u64,
    pub bytes: u64,
    /// In findings, until somebody finds a better one.
    pub name: String,
    /// Who asked for it.
    pub site: Site,
}

impl Runtime {
    /// `cudaMalloc`: 0 bytes are no allocation, and no error.
    pub fn malloc(&mut self, bytes: u64) -> Result<u64> {
        self.alive()?;
        if bytes == 0 {
            return Ok(0);
        }
        let number = self.facts.allocations + 1;
        let name = format!("allocation {number}");
        let address =
            self.memory.alloc(&name, bytes, 1, None).map_err(|_| Code::MEMORY_ALLOCATION)?;
        let site = self.site();
        self.allocations.insert(address, Allocation { number, bytes, name, site });
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
        let freed = self.allocations.remove(&address).ok_or(Code::INVALID_VALUE)?;
        self.facts.freed(freed.bytes);
        self.memory.free(address).map_err(|_| Code::INVALID_VALUE)
    }

    /// Page-locked memory that the program has at `address`.
    pub fn pin(&mut self, address: u64, bytes: usize) {
        self.pinned.insert(address, bytes);
    }

    /// `cudaFreeHost`: the bytes that were there.
    pub fn unpin(&mut self, address: u64) -> Result<usize> {
        self.synchronize_device()?;
        self.pinned.remove(&address).ok_or(Code::INVALID_VALUE)
    }

    /// The allocation that an address lies in.
    pub(super) fn allocation(&self, address: u64) -> Option<&Allocation> {
        let (start, allocation) = self.allocations.range(..=address).next_back()?;
        (address - start < allocation.bytes).then_some(allocation)
    }

    pub(super) fn belongs(&self, address: u64) -> Belongs {
        if self.memory.owns(address) {
            return Belongs::Device;
        }
        let before = self.pinned.range(..=address).next_back();
        match before {
            Some((start, bytes)) if address - start < *bytes as u64 => Belongs::Pinned,
            _ => Belongs::Pageable,
        }
    }
}
