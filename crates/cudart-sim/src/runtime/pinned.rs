//! Page-locked memory: allocated by the runtime, or the program's own, registered afterwards.

use super::Runtime;
use super::memory::{Allocation, Belongs};
use crate::error::{Code, Result};
use crate::report::MemoryKind;

/// Flags that `cudaHostAlloc` and `cudaHostRegister` know.
const ALLOC_FLAGS: u32 = 0x07;
const REGISTER_FLAGS: u32 = 0x0f;

/// `cudaPointerAttributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct PointerAttributes {
    /// `cudaMemoryType`.
    kind: i32,
    device: i32,
    on_device: u64,
    on_host: u64,
    reserved: [i64; 8],
}

/// `cudaInvalidDeviceId`.
const NO_DEVICE: i32 = -2;

/// `cudaHostAlloc`: may there be memory with these flags?
pub const fn may_pin(flags: u32) -> bool {
    flags & !ALLOC_FLAGS == 0
}

impl Runtime {
    /// `cudaPointerGetAttributes`. What is freed is nobody's.
    pub fn pointer_attributes(&self, address: u64) -> PointerAttributes {
        let (kind, device, on_device, on_host) = match self.belongs(address) {
            Belongs::Device
                if self.allocation(address).is_some_and(|a| a.kind == MemoryKind::Managed) =>
            {
                (3, 0, address, address)
            }
            Belongs::Device if self.memory.holds(address, 1) => (2, 0, address, 0),
            Belongs::Pinned => (1, 0, address, address),
            _ => (0, NO_DEVICE, 0, address),
        };
        PointerAttributes { kind, device, on_device, on_host, reserved: [0; 8] }
    }

    /// `cudaHostRegister`.
    pub fn register_host(&mut self, address: u64, bytes: u64, flags: u32) -> Result {
        self.alive()?;
        let end = address.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
        let nothing = address == 0 || bytes == 0 || flags & !REGISTER_FLAGS != 0;
        if nothing || self.memory.owns(address) {
            return Err(Code::INVALID_VALUE);
        }
        let before = self.pinned.range(..end).next_back();
        let overlaps = before.filter(|(start, pinned)| *start + pinned.bytes > address);
        match overlaps.map(|(_, pinned)| pinned.own) {
            Some(false) => Err(Code::HOST_MEMORY_ALREADY_REGISTERED),
            Some(true) => Err(Code::INVALID_VALUE),
            None => {
                self.pinned_flags.insert(address, flags);
                self.page_locked(address, bytes);
                Ok(())
            }
        }
    }

    /// `cudaHostUnregister`: waits for what still uses it. The memory stays the program's.
    pub fn unregister_host(&mut self, address: u64) -> Result {
        self.alive()?;
        match self.pinned.get(&address) {
            Some(pinned) if !pinned.own => {
                self.synchronize_device()?;
                self.pinned.remove(&address);
                self.pinned_flags.remove(&address);
                Ok(())
            }
            Some(_) => Err(Code::INVALID_VALUE),
            None if address == 0 || self.belongs(address) != Belongs::Pageable => {
                Err(Code::INVALID_VALUE)
            }
            None => Err(Code::HOST_MEMORY_NOT_REGISTERED),
        }
    }

    /// The page-locked memory that an address lies in, and where that starts.
    pub(super) fn pinned_at(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (start, pinned) = self.pinned.range(..=address).next_back()?;
        (address - start < pinned.bytes).then_some((*start, pinned))
    }

    /// `cudaHostGetDevicePointer`: where the device sees page-locked memory. Addresses are unified, so it is the same.
    pub fn mapped(&self, address: u64, flags: u32) -> Result<u64> {
        self.alive()?;
        let known = flags == 0 && self.pinned_at(address).is_some();
        if known { Ok(address) } else { Err(Code::INVALID_VALUE) }
    }

    /// `cudaHostGetFlags`.
    pub fn host_flags(&self, address: u64) -> Result<u32> {
        self.alive()?;
        let (start, _) = self.pinned_at(address).ok_or(Code::INVALID_VALUE)?;
        Ok(self.pinned_flags.get(&start).copied().unwrap_or_default())
    }
}
