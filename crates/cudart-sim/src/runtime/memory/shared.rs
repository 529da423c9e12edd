//! Memory that the host and the device use at the same address: page-locked and managed memory.
//!
//! The host has pages there, and `ptxsim` has an allocation. The contents are copied before and
//! after each piece of work that uses the memory. While the work is pending, the pages are closed
//! to the host ([`crate::guard`]). So the host and the device always see each other's writes,
//! unless the host did not wait for the work, and that is reported.

use ptxsim::{AccessMode, Launch, Module};

use super::{AddressSpace, Allocation};
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};
use crate::guard::{self, Guard, PAGE};
use crate::host::Address;
use crate::order::Order;
use crate::report::{self, MemoryKind};
use crate::runtime::findings::sites::SiteId;
use crate::runtime::work::Work;

/// Pending work that pages are closed for.
#[derive(Debug, Clone)]
pub(in crate::runtime) struct GuardedWork {
    /// The call that enqueued the work.
    pub site: SiteId,
    pub stream: Stream,
    pub work: report::Work,
    /// Does the work write any of the pages?
    pub writes: bool,
}

/// Bytes that pending work uses.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct UsedRange {
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
}

/// A `cudaMemLocation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLocation {
    /// A `cudaMemLocationType`: 1 is a device, 2 to 4 are the host.
    pub kind: i32,
    /// The device's number.
    pub id: i32,
}

impl MemoryLocation {
    fn exists(self) -> bool {
        match self.kind {
            1 => self.id == 0,
            kind => (2..=4).contains(&kind),
        }
    }
}

impl Allocation {
    /// Managed memory that is freed has no pages any more.
    pub(super) fn unmap_if_managed(&self, address: u64) {
        if self.kind == MemoryKind::Managed {
            guard::unmap(address, self.bytes.next_multiple_of(PAGE));
        }
    }
}

impl AddressSpace {
    /// `cudaMallocManaged`, of memory that was just allocated: gives it pages of zeros.
    pub(in crate::runtime) fn make_managed(&mut self, address: u64, bytes: u64) -> Result {
        self.map_pages(address, bytes)?;
        if let Some(allocation) = self.allocations.get_mut(&address) {
            allocation.kind = MemoryKind::Managed;
        }
        let zeros = vec![0; bytes as usize];
        self.device.write(address, &zeros).map_err(|_| Code::MEMORY_ALLOCATION)
    }

    /// Makes a variable managed memory that keeps its initial contents. Returns false if that is
    /// not possible.
    pub(in crate::runtime) fn make_variable_managed(&mut self, address: u64, bytes: u64) -> bool {
        let Some((name, _)) = self.device.described(address) else { return false };
        let name = name.to_owned();
        if self.map_pages(address, bytes).is_err() {
            return false;
        }
        let variable = Allocation {
            number: 0,
            bytes,
            name,
            site: SiteId::default(),
            kind: MemoryKind::Managed,
            from_runtime: false,
            device_is_newer: true,
        };
        self.managed_variables.insert(address, variable);
        self.download(address);
        true
    }

    /// `cudaMemAdvise`: is this managed memory, and does this location exist?
    pub fn advise(&self, address: u64, bytes: u64, location: MemoryLocation) -> Result {
        let managed = self.shared_at(address).filter(|(_, a)| a.kind == MemoryKind::Managed);
        let inside = managed.is_some_and(|(start, a)| {
            bytes > 0 && (address - start).checked_add(bytes).is_some_and(|end| end <= a.bytes)
        });
        match (location.exists(), inside) {
            (false, _) => Err(Code::INVALID_DEVICE),
            (true, false) => Err(Code::INVALID_VALUE),
            (true, true) => Ok(()),
        }
    }

    pub(super) fn map_pages(&mut self, address: u64, bytes: u64) -> Result {
        let pages = bytes.checked_next_multiple_of(PAGE).ok_or(Code::MEMORY_ALLOCATION)?;
        match guard::map(address, pages) {
            Some(_) => Ok(()),
            None => {
                let _ = self.device.free(address);
                self.allocations.remove(&address);
                Err(Code::MEMORY_ALLOCATION)
            }
        }
    }

    /// The device is reset, so memory that came from the runtime has no pages any more. Managed
    /// variables keep theirs.
    pub(super) fn forget_shared(&mut self) {
        guard::end(|_| true);
        self.guarded.clear();
        for (address, freed) in &self.allocations {
            freed.unmap_if_managed(*address);
        }
        for (address, pinned) in self.pinned.iter().filter(|(_, pinned)| pinned.from_runtime) {
            guard::unmap(*address, pinned.bytes);
        }
        self.pinned.clear();
        self.pinned_flags.clear();
    }

    /// The page-locked or managed memory that contains an address, and its start.
    fn shared_at(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (start, a) = match self.device.start(address) {
            Some(start) => (start, self.managed(start).or_else(|| self.pinned.get(&start))?),
            None => self.pinned.range(..=address).next_back().map(|(start, a)| (*start, a))?,
        };
        (address.checked_sub(start)? < a.bytes).then_some((start, a))
    }

    fn managed(&self, start: u64) -> Option<&Allocation> {
        let allocated = self.allocations.get(&start).filter(|a| a.kind == MemoryKind::Managed);
        allocated.or_else(|| self.managed_variables.get(&start))
    }

    fn managed_mut(&mut self, start: u64) -> Option<&mut Allocation> {
        let allocated = self.allocations.get_mut(&start).filter(|a| a.kind == MemoryKind::Managed);
        allocated.or_else(|| self.managed_variables.get_mut(&start))
    }

    /// The starts of all managed memory.
    fn all_managed(&self) -> Vec<u64> {
        let allocated = self.allocations.iter().filter(|(_, a)| a.kind == MemoryKind::Managed);
        allocated.chain(&self.managed_variables).map(|(start, _)| *start).collect()
    }

    /// Closes the pages that enqueued work will use.
    pub(in crate::runtime) fn close_pages(
        &mut self,
        id: Id,
        mut ranges: Vec<UsedRange>,
        (stream, site): (Stream, SiteId),
        work: report::Work,
    ) {
        ranges.retain(|range| self.shared_at(range.address).is_some());
        if ranges.is_empty() {
            return;
        }
        for UsedRange { address, bytes, writes } in &ranges {
            let (mut from, mut to) = (*address, address.saturating_add(*bytes));
            let registered = |a: &Allocation| a.kind == MemoryKind::Pinned && !a.from_runtime;
            if self.shared_at(from).is_some_and(|(_, a)| registered(a)) {
                // the first and the last page may also contain other things of the program
                (from, to) = (from.next_multiple_of(PAGE), to / PAGE * PAGE);
            }
            if from < to {
                guard::close(Guard { number: id.number(), from, to, writes: *writes });
            }
        }
        let writes = ranges.iter().any(|range| range.writes);
        self.guarded.insert(id, GuardedWork { site, stream, work, writes });
    }

    /// The page-locked and managed memory that a kernel's arguments point to. The kernel may use
    /// all bytes of each.
    pub(in crate::runtime) fn used_by_kernel(
        &self,
        module: &Module,
        launch: &Launch,
    ) -> Vec<UsedRange> {
        let entry = module.entries().iter().find(|entry| entry.name == launch.entry);
        let mut all = vec![];
        for (i, arg) in launch.args.iter().enumerate() {
            let writes = entry.is_none_or(|entry| entry.writes(i));
            for word in arg.as_chunks::<8>().0 {
                if let Some((address, a)) = self.shared_at(u64::from_le_bytes(*word)) {
                    all.push(UsedRange { address, bytes: a.bytes, writes });
                }
            }
        }
        all
    }

    /// Copies the host's contents to the device, before a kernel that uses these ranges runs. A
    /// kernel may reach managed memory without an argument, so all of it is copied.
    pub(in crate::runtime) fn upload_for_kernel(&mut self, used: &[UsedRange]) {
        let starts = used.iter().map(|range| range.address);
        let pinned: Vec<u64> = starts.filter(|start| self.pinned.contains_key(start)).collect();
        for start in &pinned {
            let bytes = self.pinned.get(start).map_or(0, |a| a.bytes);
            // if the device has no room, the kernel's accesses are findings
            let _ = self.device.back(*start, bytes);
        }
        for start in pinned.into_iter().chain(self.all_managed()) {
            self.upload(start);
        }
    }

    /// Copies the host's contents to the device, before a copy or a set uses managed memory.
    pub(in crate::runtime) fn upload_for_work(&mut self, work: &Work) {
        for start in self.managed_ranges(work, |_| true) {
            self.upload(start);
        }
    }

    /// The managed memory that a copy or a set writes.
    pub(in crate::runtime) fn managed_written_by(&self, work: &Work) -> Vec<u64> {
        self.managed_ranges(work, |mode| mode == AccessMode::Write)
    }

    fn managed_ranges(&self, work: &Work, filter: impl Fn(AccessMode) -> bool) -> Vec<u64> {
        let ranges = work.ranges();
        let mut starts: Vec<u64> = ranges
            .iter()
            .filter(|(.., mode)| filter(*mode))
            .filter_map(|(at, ..)| self.shared_at(*at))
            .filter(|(_, a)| a.kind == MemoryKind::Managed)
            .map(|(start, _)| start)
            .collect();
        starts.dedup();
        starts
    }

    /// Work has written this memory on the device. Page-locked memory is copied to the host at
    /// once, and managed memory when the host has waited.
    pub(in crate::runtime) fn written_on_device(&mut self, starts: impl IntoIterator<Item = u64>) {
        for start in starts {
            if let Some(a) = self.managed_mut(start) {
                a.device_is_newer = true;
            } else if self.pinned.contains_key(&start) {
                self.download(start);
            }
        }
    }

    /// Is there any memory that kernels and the host share?
    pub(in crate::runtime) fn has_shared(&self) -> bool {
        !self.managed_variables.is_empty()
            || self.allocations.values().any(|a| a.kind == MemoryKind::Managed)
            || self.pinned.values().any(|a| a.from_runtime)
    }

    fn upload(&mut self, start: u64) {
        let shared = self.shared_at(start).filter(|(_, a)| !a.device_is_newer);
        let Some((_, a)) = shared else { return };
        let bytes = a.bytes;
        let data = guard::opened(start, start + bytes, || Address(start).read(bytes as usize));
        // the contents fit, because the allocation has the same size
        let _ = self.device.write(start, &data);
    }

    fn download(&mut self, start: u64) {
        let Some((_, a)) = self.shared_at(start) else { return };
        let bytes = a.bytes;
        if let Ok(data) = self.device.read(start, bytes) {
            guard::opened(start, start + bytes, || Address(start).write(&data));
        }
        if let Some(a) = self.managed_mut(start) {
            a.device_is_newer = false;
        }
    }

    /// The host has waited for work: opens the pages that only this work had closed, and copies
    /// what the device has written.
    pub(in crate::runtime) fn return_to_host(&mut self, order: &Order) {
        if !self.guarded.is_empty() {
            guard::end(|number| order.is_synchronised(Id::of(number)));
            self.guarded.retain(|id, _| !order.is_synchronised(*id));
        }
        let newer: Vec<u64> = self
            .all_managed()
            .into_iter()
            .filter(|start| self.managed(*start).is_some_and(|a| a.device_is_newer))
            .collect();
        for start in newer {
            self.download(start);
        }
    }

    /// The work that a guard's number belongs to.
    pub(in crate::runtime) fn guarded_work(&self, number: u64) -> Option<&GuardedWork> {
        self.guarded.get(&Id::of(number))
    }
}
