//! Page-locked memory of the host, which the runtime allocates, or which the program registers
//! afterwards.

use ptxsim::Launch;

use super::{AddressSpace, Allocation, FreedMemory, MemoryOwner};
use crate::error::{Code, Result};
use crate::guard;
use crate::report::MemoryKind;
use crate::runtime::findings::sites::SiteId;

/// The flags that `cudaHostAlloc` and `cudaHostRegister` accept.
const ALLOC_FLAGS: u32 = 0x07;
const REGISTER_FLAGS: u32 = 0x0f;

/// `cudaPointerAttributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct PointerAttributes {
    /// A `cudaMemoryType`.
    kind: i32,
    device: i32,
    on_device: u64,
    on_host: u64,
    reserved: [i64; 8],
}

/// `cudaMemoryType`.
const UNREGISTERED: i32 = 0;
const HOST: i32 = 1;
const DEVICE: i32 = 2;
const MANAGED: i32 = 3;

/// `cudaInvalidDeviceId`.
const NO_DEVICE: i32 = -2;

/// Are these flags valid for `cudaHostAlloc`?
pub const fn valid_alloc_flags(flags: u32) -> bool {
    flags & !ALLOC_FLAGS == 0
}

impl AddressSpace {
    /// `cudaPointerGetAttributes`. Freed memory is unregistered.
    pub fn pointer_attributes(&self, address: u64) -> PointerAttributes {
        let managed = || self.allocation(address).is_some_and(|a| a.kind == MemoryKind::Managed);
        let (kind, device, on_device, on_host) = match self.owner_of(address) {
            MemoryOwner::Device if managed() => (MANAGED, 0, address, address),
            MemoryOwner::Device if self.device.holds(address, 1) => (DEVICE, 0, address, 0),
            MemoryOwner::Pinned => (HOST, 0, address, address),
            _ => (UNREGISTERED, NO_DEVICE, 0, address),
        };
        PointerAttributes { kind, device, on_device, on_host, reserved: [0; 8] }
    }

    /// `cudaHostAlloc`, in whole pages.
    pub(in crate::runtime) fn allocate_pinned(
        &mut self,
        bytes: u64,
        flags: u32,
        site: SiteId,
    ) -> Result<u64> {
        self.usage.pinned += 1;
        let number = self.usage.pinned;
        let name = format!("pinned allocation {number}");
        let address = self.device.reserve(&name).map_err(|_| Code::MEMORY_ALLOCATION)?;
        self.map_pages(address, bytes)?;
        self.freed.remove(&address);
        let allocation = Allocation {
            number,
            bytes,
            name,
            site,
            kind: MemoryKind::Pinned,
            from_runtime: true,
            device_is_newer: false,
            rows: None,
        };
        self.pinned.insert(address, allocation);
        self.pinned_flags.insert(address, flags);
        Ok(address)
    }

    /// Did `cudaHostAlloc` return this address, and is the memory still allocated?
    pub(in crate::runtime) fn is_pinned_allocation(&self, address: u64) -> bool {
        self.pinned.get(&address).is_some_and(|pinned| pinned.from_runtime)
    }

    /// `cudaFreeHost`, of memory that [`AddressSpace::allocate_pinned`] returned.
    pub(in crate::runtime) fn free_pinned(&mut self, address: u64, site: SiteId) -> Result {
        let allocation = self.pinned.remove(&address).ok_or(Code::INVALID_VALUE)?;
        self.pinned_flags.remove(&address);
        let bytes = allocation.bytes;
        self.freed.insert(address, FreedMemory { allocation, site });
        guard::unmap(address, bytes);
        self.device.free(address).map_err(|_| Code::INVALID_VALUE)
    }

    /// `cudaHostRegister`.
    pub(in crate::runtime) fn register_host(
        &mut self,
        address: u64,
        bytes: u64,
        flags: u32,
        site: SiteId,
    ) -> Result {
        let end = address.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
        let reason = match (address, bytes, flags) {
            (0, ..) => Some("the pointer is null".to_owned()),
            (_, 0, _) => Some("the size is 0 bytes".to_owned()),
            (.., flags) if flags & !REGISTER_FLAGS != 0 => {
                Some(format!("there is no flag {flags}"))
            }
            _ => None,
        };
        if let Some(reason) = reason {
            return Err(Code::INVALID_VALUE.because(reason));
        }
        if self.device.owns(address) {
            let reason = "the pointer is one of the device, and only host memory can be registered";
            return Err(Code::INVALID_VALUE.because(reason));
        }
        let before = self.pinned.range(..end).next_back();
        let overlaps = before.filter(|(start, pinned)| *start + pinned.bytes > address);
        match overlaps.map(|(_, pinned)| pinned.from_runtime) {
            Some(false) => {
                let reason = "a part of this memory is registered already";
                return Err(Code::HOST_MEMORY_ALREADY_REGISTERED.because(reason));
            }
            Some(true) => {
                let reason = "the runtime has allocated this memory, so it is page-locked already";
                return Err(Code::INVALID_VALUE.because(reason));
            }
            None => {}
        }
        self.usage.registered += 1;
        let number = self.usage.registered;
        let name = format!("registered memory {number}");
        let on_device = self.device.reserve(&name).map_err(|_| Code::MEMORY_ALLOCATION)?;
        self.registered.insert(address, on_device);
        self.pinned_flags.insert(address, flags);
        self.freed.retain(|start, freed| {
            start.saturating_add(freed.allocation.bytes) <= address || *start >= end
        });
        let allocation = Allocation {
            number,
            bytes,
            name,
            site,
            kind: MemoryKind::Pinned,
            from_runtime: false,
            device_is_newer: false,
            rows: None,
        };
        self.pinned.insert(address, allocation);
        Ok(())
    }

    /// Page-locked memory that the program has neither freed nor unregistered, by address; first
    /// what the runtime allocated, in the order of allocation.
    pub(in crate::runtime) fn kept_pinned(&self) -> impl Iterator<Item = (u64, &Allocation)> {
        let mut all: Vec<_> = self.pinned.iter().map(|(address, a)| (*address, a)).collect();
        all.sort_by_key(|(_, a)| (!a.from_runtime, a.number));
        all.into_iter()
    }

    /// Can `cudaHostUnregister` unregister the memory at this address?
    pub(in crate::runtime) fn check_registered(&self, address: u64) -> Result {
        match self.pinned.get(&address) {
            Some(pinned) if !pinned.from_runtime => Ok(()),
            Some(_) => Err(Code::INVALID_VALUE),
            None if address == 0 || self.owner_of(address) != MemoryOwner::Pageable => {
                Err(Code::INVALID_VALUE)
            }
            None => Err(Code::HOST_MEMORY_NOT_REGISTERED),
        }
    }

    /// `cudaHostUnregister`. The program keeps the memory.
    pub(in crate::runtime) fn unregister_host(&mut self, address: u64) {
        self.pinned.remove(&address);
        self.pinned_flags.remove(&address);
        if let Some(on_device) = self.registered.remove(&address) {
            let _ = self.device.free(on_device);
        }
    }

    /// The address in the simulated device's memory of a byte that the host may have at another
    /// address, in memory that the program has registered. Any other address is its own.
    pub(in crate::runtime) fn on_device(&self, address: u64) -> u64 {
        let registered = self.pinned_at(address).and_then(|(start, _)| {
            let on_device = self.registered.get(&start)?;
            Some(on_device + (address - start))
        });
        registered.unwrap_or(address)
    }

    /// Is this the start of page-locked memory as the device sees it?
    pub(in crate::runtime) fn is_pinned_memory(&self, start: u64) -> bool {
        self.pinned.contains_key(&self.on_host(start))
    }

    /// Does an allocation of the device, or one that was freed, belong to this address?
    pub(in crate::runtime) fn is_on_device(&self, address: u64) -> bool {
        self.device.start(address).is_some()
    }

    /// The memory that a kernel finds at an address of the device.
    pub(in crate::runtime) fn array_at(&self, address: u64) -> Option<&Allocation> {
        let pinned = || {
            let start = self.device.start(address)?;
            let pinned = self.pinned.get(&self.on_host(start))?;
            (address - start < pinned.bytes).then_some(pinned)
        };
        self.allocation(address).or_else(pinned)
    }

    /// The host's address of the start of the memory that the device has at `start`.
    pub(in crate::runtime) fn on_host(&self, start: u64) -> u64 {
        let registered = self.registered.iter().find(|(_, on_device)| **on_device == start);
        registered.map_or(start, |(on_host, _)| *on_host)
    }

    /// The launch for the simulator, whose memory has registered memory elsewhere than the host.
    pub(in crate::runtime) fn launch_on_device(&self, launch: &mut Launch) {
        if self.registered.is_empty() {
            return;
        }
        for word in launch.args.iter_mut().flat_map(|arg| arg.as_chunks_mut::<8>().0) {
            *word = self.on_device(u64::from_le_bytes(*word)).to_le_bytes();
        }
    }

    /// Is this an address of the host in registered memory?
    pub(in crate::runtime) fn is_registered(&self, address: u64) -> bool {
        self.on_device(address) != address
    }

    /// The page-locked memory that contains an address, and its start.
    pub(super) fn pinned_at(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (start, pinned) = self.pinned.range(..=address).next_back()?;
        (address - start < pinned.bytes).then_some((*start, pinned))
    }

    /// `cudaHostGetDevicePointer`. The device sees page-locked memory at the same address, because
    /// addresses are unified. Registered memory has another one in the simulator, which the program
    /// does not see ([`Self::on_device`]).
    pub fn device_pointer(&self, address: u64, flags: u32) -> Result<u64> {
        if flags != 0 {
            return Err(
                Code::INVALID_VALUE.because(format!("the flags are {flags}, and must be 0"))
            );
        }
        let reason = match address {
            0 => "the address of the host's memory is null",
            _ => "the second argument does not point to page-locked memory",
        };
        self.pinned_at(address).map(|_| address).ok_or_else(|| Code::INVALID_VALUE.because(reason))
    }

    /// `cudaHostGetFlags`.
    pub fn host_flags(&self, address: u64) -> Result<u32> {
        let (start, _) = self.pinned_at(address).ok_or(Code::INVALID_VALUE)?;
        Ok(self.pinned_flags.get(&start).copied().unwrap_or_default())
    }
}
