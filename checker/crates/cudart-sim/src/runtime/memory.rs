//! Allocating and freeing.

use super::Runtime;
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
    pub bytes: u64,
    /// In findings, until somebody finds a better one.
    pub name: String,
}

impl Runtime {
    /// `cudaMalloc`: 0 bytes are no allocation, and no error.
    pub fn malloc(&mut self, bytes: u64) -> Result<u64> {
        self.alive()?;
        if bytes == 0 {
            return Ok(0);
        }
        let name = format!("allocation {}", self.allocated + 1);
        let address =
            self.memory.alloc(&name, bytes, 1, None).map_err(|_| Code::MEMORY_ALLOCATION)?;
        self.allocated += 1;
        self.allocations.insert(address, Allocation { bytes, name });
        Ok(address)
    }

    /// `cudaFree`: waits for the device first.
    pub fn free(&mut self, address: u64) -> Result {
        self.alive()?;
        if address == 0 {
            return Ok(());
        }
        self.synchronize_device()?;
        self.allocations.remove(&address).ok_or(Code::INVALID_VALUE)?;
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
