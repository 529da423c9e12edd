//! Memory that the host and the device use at the same address: page-locked and managed memory.
//!
//! The host has pages there, and `ptxsim` has an allocation. The contents are copied before and
//! after each piece of work that uses the memory. While the work is pending, the pages are closed
//! to the host ([`crate::guard`]). So the host and the device always see each other's writes,
//! unless the host did not wait for the work, and that is reported.
//!
//! Memory that the program has registered lies where the program's allocator put it, which may be
//! where `ptxsim` has no allocations. So a launch gets other addresses for it.

use std::ops::Range;

use ptxsim::{AccessMode, Launch, Module};

use super::{AddressSpace, Allocation};
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};
use crate::guard::{self, Guard, Hit, PAGE};
use crate::host::{self, Address};
use crate::order::Order;
use crate::report::{self, MemoryKind};
use crate::runtime::dataflow;
use crate::runtime::findings::conflicts::AccessedBytes;
use crate::runtime::findings::sites::SiteId;
use crate::runtime::work::Work;

/// When pages are closed for so much work, further kernels close only what their arguments point
/// to, because every guard slows down the next.
const MAX_WORK_WITH_REACHABLE_MEMORY: usize = 256;

/// Pending work that pages are closed for.
#[derive(Debug, Clone)]
pub(in crate::runtime) struct GuardedWork {
    /// The call that enqueued the work.
    pub site: SiteId,
    pub stream: Stream,
    pub work: report::Work,
    /// Does the work write any of the pages?
    pub writes: bool,
    /// The bytes that the call's arguments name, which the work may use.
    ranges: Vec<UsedRange>,
    /// Has the work been done?
    done: bool,
    /// What the work accesses, once that is known.
    accessed: Option<AccessedBytes>,
    /// Has the host read a byte that the work had stored with an atomic or strong operation?
    pub acquired: bool,
}

impl GuardedWork {
    /// Is what the work accesses known, as far as it ever will be?
    fn is_known(&self) -> bool {
        self.done || self.accessed.is_some()
    }

    /// Does the work access this byte such that an access of the host needs an order?
    ///
    /// A kernel has accessed it at its address on the device.
    pub fn conflicts(&self, address: u64, on_device: u64, write: bool) -> bool {
        match &self.accessed {
            Some(accessed) => accessed.needs_order(address, on_device, write),
            None => self.ranges.iter().any(|range| {
                let inside =
                    (range.address..range.address.saturating_add(range.bytes)).contains(&address);
                inside && (write || range.writes)
            }),
        }
    }

    /// Has the work accessed this byte of the device with an atomic or strong operation?
    pub fn is_strong(&self, on_device: u64) -> bool {
        self.done && self.accessed.as_ref().is_some_and(|accessed| accessed.is_strong(on_device))
    }
}

/// Bytes that pending work uses.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct UsedRange {
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
}

/// Contents of shared memory, at a moment when one side gets what the other has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::runtime) struct SharedContents {
    /// The address of the first byte.
    pub address: u64,
    pub data: Vec<u8>,
}

/// What each side has got of what the other had written.
#[derive(Debug, Default)]
pub(in crate::runtime) struct KeptContents {
    /// What the host has changed, for the device.
    pub uploads: Vec<SharedContents>,
    /// What the device has, for the host.
    pub downloads: Vec<SharedContents>,
}

/// The parts of memory that the host has changed, in whole words, where those with few equal bytes
/// between them are one.
fn changes(address: u64, before: &[u8], now: &[u8]) -> Vec<SharedContents> {
    let changed: Vec<bool> = before.iter().zip(now).map(|(a, b)| a != b).collect();
    let part = |run: Range<usize>| {
        let words = dataflow::whole_words(&run, now.len());
        SharedContents { address: address + words.start as u64, data: now[words].to_vec() }
    };
    dataflow::runs(&changed).into_iter().map(part).collect()
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
            rows: None,
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
        self.registered.clear();
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

    /// Can the host and the device both access this address?
    pub(in crate::runtime) fn is_shared(&self, address: u64) -> bool {
        self.shared_at(address).is_some()
    }

    /// Does managed memory start at this address?
    pub(in crate::runtime) fn is_managed(&self, start: u64) -> bool {
        self.managed(start).is_some()
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
        accessed: Option<AccessedBytes>,
    ) {
        ranges.retain(|range| self.shared_at(range.address).is_some());
        let named = ranges.clone();
        if accessed.is_none() {
            ranges.extend(self.reachable_by_kernel(&named));
        }
        if ranges.is_empty() {
            return;
        }
        for UsedRange { address, bytes, writes } in &ranges {
            let (mut from, mut to) = (*address, address.saturating_add(*bytes));
            let registered = |a: &Allocation| a.kind == MemoryKind::Pinned && !a.from_runtime;
            if let Some((start, a)) = self.shared_at(from).filter(|(_, a)| registered(a)) {
                // the first and the last page may also contain other things of the program
                let (first, last) = host::closable(start, a.bytes);
                (from, to) = (from.max(first), to.min(last));
            }
            if from < to {
                guard::close(Guard { number: id.number(), from, to, writes: *writes });
            }
        }
        let writes = ranges.iter().any(|range| range.writes);
        let (ranges, done, acquired) = (named, false, false);
        let guarded = GuardedWork { site, stream, work, writes, ranges, done, accessed, acquired };
        self.guarded.insert(id, guarded);
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

    /// The managed memory that a kernel may reach although no argument points there.
    fn reachable_by_kernel(&self, named: &[UsedRange]) -> Vec<UsedRange> {
        if self.guarded.len() >= MAX_WORK_WITH_REACHABLE_MEMORY {
            return vec![];
        }
        let all = self.all_managed().into_iter();
        let others = all.filter(|start| {
            let end = start + self.managed(*start).map_or(0, |a| a.bytes);
            !named.iter().any(|range| (*start..end).contains(&range.address))
        });
        let range = |address| {
            let bytes = self.managed(address).map_or(0, |a| a.bytes);
            UsedRange { address, bytes, writes: true }
        };
        others.map(range).collect()
    }

    /// Work that pages are closed for has been done, and has accessed these bytes if that is known.
    pub(in crate::runtime) fn guarded_work_done(
        &mut self,
        id: Id,
        accessed: impl FnOnce() -> Option<AccessedBytes>,
    ) {
        if let Some(guarded) = self.guarded.get_mut(&id) {
            guarded.done = true;
            if guarded.accessed.is_none() {
                guarded.accessed = accessed();
            }
            guard::work_done(id.number());
        }
    }

    /// The work that pages are closed for and that may use this address, in its order.
    pub(in crate::runtime) fn users_of(&self, address: u64) -> Vec<Id> {
        let start = self.shared_at(address).map(|(start, _)| start);
        let managed = start.is_some_and(|start| self.managed(start).is_some());
        let uses = |guarded: &GuardedWork| {
            let kernel = matches!(guarded.work, report::Work::Kernel { .. });
            kernel && managed
                || guarded.ranges.iter().any(|range| {
                    (range.address..range.address.saturating_add(range.bytes)).contains(&address)
                })
        };
        self.guarded.iter().filter(|(_, guarded)| uses(guarded)).map(|(id, _)| *id).collect()
    }

    /// The work that has been done and has accessed this byte with an atomic or strong operation.
    pub(in crate::runtime) fn strong_writers(&self, address: u64) -> Vec<Id> {
        let on_device = self.on_device(address);
        let strong = self.guarded.iter().filter(|(_, guarded)| guarded.is_strong(on_device));
        strong.map(|(id, _)| *id).collect()
    }

    /// The host is ordered after this work: ends its guards, and those of all work before it.
    pub(in crate::runtime) fn end_guards(&mut self, id: Id, order: &Order) {
        let before = |other: Id, guarded: &GuardedWork| {
            other == id || other < id && order.is_before((other, guarded.stream), id)
        };
        let all = self.guarded.iter();
        let ended: Vec<Id> =
            all.filter(|(other, guarded)| before(**other, guarded)).map(|(id, _)| *id).collect();
        guard::end(|number| ended.contains(&Id::of(number)));
        self.guarded.retain(|id, _| !ended.contains(id));
    }

    /// Copies the host's contents to the device, before a kernel that uses these ranges runs. A
    /// kernel may reach managed memory without an argument, so all of it is copied.
    pub(in crate::runtime) fn upload_for_kernel(&mut self, used: &[UsedRange]) {
        let starts = used.iter().map(|range| range.address);
        let pinned: Vec<u64> = starts.filter(|start| self.pinned.contains_key(start)).collect();
        for start in &pinned {
            let bytes = self.pinned.get(start).map_or(0, |a| a.bytes);
            // if the device has no room, the kernel's accesses are findings
            let _ = self.device.back(self.on_device(*start), bytes);
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
            let start = self.on_host(start);
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
            || !self.pinned.is_empty()
    }

    fn upload(&mut self, start: u64) {
        let shared = self.shared_at(start).filter(|(_, a)| !a.device_is_newer);
        let Some((_, a)) = shared else { return };
        let bytes = a.bytes;
        let data = guard::opened(start, start + bytes, || Address(start).read(bytes as usize));
        let before = || self.device.read(self.on_device(start), bytes).ok();
        if let Some(before) = self.shared_contents.is_some().then(before).flatten()
            && let Some(kept) = &mut self.shared_contents
        {
            kept.uploads.extend(changes(start, &before, &data));
        }
        // the contents fit, because the allocation has the same size
        let _ = self.device.write(self.on_device(start), &data);
    }

    fn download(&mut self, start: u64) {
        let Some((_, a)) = self.shared_at(start) else { return };
        let bytes = a.bytes;
        if let Ok(data) = self.device.read(self.on_device(start), bytes) {
            guard::opened(start, start + bytes, || Address(start).write(&data));
            if let Some(kept) = &mut self.shared_contents {
                kept.downloads.push(SharedContents { address: start, data });
            }
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
        self.show_to_host();
    }

    /// Copies what the device has written to the host's pages.
    pub(in crate::runtime) fn show_to_host(&mut self) {
        let newer: Vec<u64> = self
            .all_managed()
            .into_iter()
            .filter(|start| self.managed(*start).is_some_and(|a| a.device_is_newer))
            .collect();
        for start in newer {
            self.download(start);
        }
    }

    /// Keeps from now on what one side gets of what the other has written.
    pub(in crate::runtime) fn keep_shared_contents(&mut self, keep: bool) {
        self.shared_contents = keep.then(KeptContents::default);
    }

    /// What the device has got of the host's, and the host of the device's, since the last call.
    pub(in crate::runtime) fn take_shared_contents(&mut self) -> KeptContents {
        self.shared_contents.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The work that a guard's number belongs to.
    pub(in crate::runtime) fn guarded_work(&mut self, number: u64) -> Option<&mut GuardedWork> {
        self.guarded.get_mut(&Id::of(number))
    }

    /// The recorded accesses of the host to bytes of work whose own accesses are known by now.
    pub(in crate::runtime) fn new_hits(&self) -> Vec<Hit> {
        guard::take_hits(|number| {
            self.guarded.get(&Id::of(number)).is_some_and(GuardedWork::is_known)
        })
    }
}
