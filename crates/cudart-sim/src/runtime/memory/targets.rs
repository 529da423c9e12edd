//! What an address points to, for findings.

use super::{AddressSpace, Allocation};
use crate::report::{Memory, MemoryKind, PointerTarget};
use crate::runtime::findings::sites::{SiteId, Sites};

impl Allocation {
    /// The allocation as findings name it.
    pub(in crate::runtime) fn describe(&self, sites: &Sites) -> Memory {
        let Self { bytes, name, site, kind, rows, .. } = self;
        let at = sites.resolve(*site, None);
        Memory { kind: *kind, name: name.clone(), bytes: *bytes, at, rows: *rows }
    }
}

impl AddressSpace {
    /// The memory that contains an address or is near it and was not freed, and the address's
    /// offset in it.
    pub(in crate::runtime) fn memory_at(
        &self,
        address: u64,
        sites: &Sites,
    ) -> Option<(Memory, i64)> {
        let start = self.device.start(address);
        let allocated = |start| {
            let pinned = self.pinned.get(&self.on_host(start));
            self.allocations.get(&start).or(pinned).or_else(|| self.managed_variables.get(&start))
        };
        if let Some((start, a)) = start.and_then(|start| Some((start, allocated(start)?))) {
            return Some((a.describe(sites), address.wrapping_sub(start) as i64));
        }
        if let Some((start, a)) = self.pinned.range(..=address).next_back()
            && address - start < a.bytes
        {
            return Some((a.describe(sites), (address - start) as i64));
        }
        let start = start?;
        if self.freed.contains_key(&start) {
            return None;
        }
        let (name, bytes) = self.device.described(start)?;
        let name = name.to_owned();
        let memory = Memory { kind: MemoryKind::Variable, name, bytes, at: None, rows: None };
        Some((memory, address.wrapping_sub(start) as i64))
    }

    /// The arrays of texels that the program has not freed, as findings name them.
    pub(in crate::runtime) fn described_arrays(
        &self,
        sites: &Sites,
    ) -> impl Iterator<Item = Memory> {
        self.arrays().filter_map(|(_, array)| {
            let (name, bytes) = self.device.described(array.layout.address)?;
            let (name, at) = (name.to_owned(), sites.resolve(array.site, None));
            Some(Memory { kind: MemoryKind::Device, name, bytes, at, rows: None })
        })
    }

    /// What an address points to.
    pub(in crate::runtime) fn target_of(&self, address: u64, sites: &Sites) -> PointerTarget {
        if address == 0 {
            return PointerTarget::Null;
        }
        if let Some((memory, offset)) = self.memory_at(address, sites) {
            return PointerTarget::Inside { memory, offset };
        }
        match self.freed_near(address) {
            Some((start, allocation, site)) => PointerTarget::Freed {
                memory: allocation.describe(sites),
                offset: address.wrapping_sub(start) as i64,
                freed: sites.resolve(site, None),
            },
            None => PointerTarget::Host,
        }
    }

    /// The start of the freed memory that contains an address or is near it, the memory, and the
    /// call that freed it.
    pub(in crate::runtime) fn freed_near(
        &self,
        address: u64,
    ) -> Option<(u64, &Allocation, SiteId)> {
        let (start, freed) = match self.device.start(address) {
            Some(start) => (start, self.freed.get(&start)?),
            None => self.freed.range(..=address).next_back().map(|(start, f)| (*start, f))?,
        };
        // an address in the device's memory is near its only neighbour, however far away that is
        let near = self.device.owns(address) || address - start < freed.allocation.bytes;
        near.then_some((start, &freed.allocation, freed.site))
    }

    /// Did freed memory start at exactly this address?
    pub(in crate::runtime) fn was_freed(&self, address: u64) -> bool {
        self.freed.contains_key(&address)
    }
}
