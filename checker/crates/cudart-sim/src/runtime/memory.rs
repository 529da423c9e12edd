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

impl Runtime {
    /// `cudaMalloc`: 0 bytes are no allocation, and no error.
    pub fn malloc(&mut self, bytes: u64) -> Result<u64> {
        self.alive()?;
        if bytes == 0 {
            return Ok(0);
        }
        let name = format!("allocation {}", self.allocations.len() + 1);
        let address =
            self.memory.alloc(&name, bytes, 1, None).map_err(|_| Code::MEMORY_ALLOCATION)?;
        self.allocations.insert(address, bytes);
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
