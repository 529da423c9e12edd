//! What the runtime counts while a program runs, and the report about it.

use std::collections::BTreeMap;

use ptxsim::AccessSet;

use super::memory::region::Region;
use super::streams::events::Interval;
use super::{LaunchRecord, Runtime};
use crate::graph::{Id, Stream};
use crate::report::{
    CopiedRows, Copies, CopyFromHost, CopyToHost, DoneCopy, ElapsedTime, FreeingWait, HostWrite,
    Leak, LeakKind, ManagedUse, MappedUse, PartOfVariable, Report, Synchronisations, Traffic,
};
use crate::runtime::findings::sites::SiteId;
use crate::runtime::memory::shared::UsedRange;

/// Copies and sets that are recorded for each piece of memory between two kernels that write to it.
const MAX_DEVICE_WRITES: usize = 256;

/// Counts of what the program did, its launches, and the output of its kernels.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub copies: Copies,
    pub done_copies: Vec<DoneCopy>,
    /// Copies to the host's memory, by their address in it.
    to_host: BTreeMap<u64, (CopyToHost, SiteId)>,
    /// What copies and sets have written to device memory since a kernel wrote to it, by the name
    /// of the memory, in the order in which it was done.
    written: BTreeMap<String, Vec<DeviceWrite>>,
    /// The launch of the kernel that wrote to device memory last, by the name of the memory.
    written_by_kernel: BTreeMap<String, SiteId>,
    /// Copies to the device: the bytes and the rows that they read, and their calls, by the address
    /// in the host's memory.
    from_host: BTreeMap<u64, (u64, Option<CopiedRows>, SiteId)>,
    /// Copies to variables: the variables' bytes, the end of what copies have filled, and the copy
    /// that reached furthest, by the variable's name.
    to_variables: BTreeMap<String, (u64, u64, SiteId)>,
    /// The first call that freed memory while a copy to the host was unfinished, and that copy.
    pub freeing_wait: Option<(SiteId, (SiteId, Stream))>,
    pub sets: Traffic,
    /// Managed memory that kernels got, by its start: its bytes, and whether one writes it.
    managed: BTreeMap<u64, (u64, bool)>,
    /// Bytes of managed memory that the host had changed.
    changed_by_host: u64,
    mapped: MappedUse,
    /// The launches after which the blocks of the device's heap were there that kernels have not
    /// freed, by the blocks' addresses.
    heap_blocks: BTreeMap<u64, (u64, SiteId)>,
    /// What was there when `cudaDeviceReset` removed everything.
    pub left_at_reset: Vec<Leak>,
    pub synchronisations: Synchronisations,
    /// Calls that waited since work was enqueued last, and that work if it waited for all streams.
    waits_since_work: u64,
    /// Has the program queried work that was not done since it enqueued work last?
    has_polled: bool,
    /// Has the program enqueued work?
    has_enqueued: bool,
    /// Times that the program measured, and the calls that returned them.
    pub intervals: Vec<(Interval, SiteId)>,
    pub launches: Vec<LaunchRecord>,
    /// How many kernels the program had launched before each that has not run yet.
    pub launch_numbers: BTreeMap<Id, usize>,
    /// What kernels have printed, until the program waits for them.
    pub output: Vec<(Id, String)>,
}

/// A copy or a set that has written to device memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeviceWrite {
    /// The first byte.
    pub start: u64,
    /// The address after the last byte.
    pub end: u64,
    pub site: SiteId,
}

impl Record {
    /// Records a copy to the host, from device memory of this name or from the host.
    pub fn copied_to_host(&mut self, region: &Region, from: Option<String>, site: SiteId) {
        let (to, span) = (region.layout.address, region.span().unwrap_or(u64::MAX));
        let new = CopyToHost {
            to,
            bytes: 0,
            span: 0,
            rows: None,
            at: None,
            from: vec![],
            written_by: None,
        };
        let (copy, longest) = self.to_host.entry(to).or_insert((new, site));
        if span > copy.span {
            (copy.span, copy.rows, *longest) = (span, region.several_rows(), site);
        }
        if from.is_some() {
            copy.bytes = copy.bytes.max(region.bytes());
        }
        copy.from.extend(from.filter(|name| !copy.from.contains(name)));
    }

    /// Records that a copy or a set has written to device memory.
    pub fn device_written(&mut self, memory: &str, write: DeviceWrite) {
        let all = self.written.entry(memory.to_owned()).or_default();
        // what it has overwritten completely does not count any more
        all.retain(|earlier| earlier.start < write.start || earlier.end > write.end);
        if all.len() < MAX_DEVICE_WRITES {
            all.push(write);
        }
    }

    /// Records that the kernel of a launch has written to device memory of this name.
    pub fn kernel_wrote(&mut self, memory: &str, launch: SiteId) {
        self.written.remove(memory);
        self.written_by_kernel.insert(memory.to_owned(), launch);
    }

    /// The last call whose work has written to device memory of this name.
    pub fn last_writer(&self, memory: &str) -> Option<SiteId> {
        let last = self.written.get(memory).and_then(|all| all.last());
        last.map(|write| write.site).or_else(|| self.written_by_kernel.get(memory).copied())
    }

    /// The last copy or set that has written to these bytes of device memory, unless a kernel has
    /// written to the same memory since.
    pub fn last_write(&self, memory: &str, (start, end): (u64, u64)) -> Option<DeviceWrite> {
        let all = self.written.get(memory)?;
        all.iter().rev().find(|write| write.start < end && start < write.end).copied()
    }

    /// Records who wrote what a copy to this address of the host has just read.
    pub fn set_written_by(&mut self, to: u64, written_by: Option<HostWrite>) {
        if let Some((copy, _)) = self.to_host.get_mut(&to) {
            copy.written_by = written_by;
        }
    }

    /// Records a copy of host memory to the device.
    pub fn copied_from_host(&mut self, region: &Region, site: SiteId) {
        let (from, bytes) = (region.layout.address, region.span().unwrap_or(u64::MAX));
        let new = (bytes, region.several_rows(), site);
        let longest = self.from_host.entry(from).or_insert(new);
        if bytes > longest.0 {
            *longest = new;
        }
    }

    /// Records a copy to a variable of `bytes` bytes that ends at byte `end` of it.
    pub fn copied_to_variable(&mut self, name: &str, bytes: u64, end: u64, site: SiteId) {
        let furthest = self.to_variables.entry(name.to_owned()).or_insert((bytes, end, site));
        if end > furthest.1 {
            *furthest = (bytes, end, site);
        }
    }

    /// Records managed memory that a kernel got.
    pub fn managed_used(&mut self, ranges: impl Iterator<Item = UsedRange>) {
        for UsedRange { address, bytes, writes } in ranges {
            let known = self.managed.entry(address).or_default();
            *known = (known.0.max(bytes), known.1 || writes);
        }
    }

    /// Records that work of the device has got so many bytes of managed memory that the host had
    /// changed.
    pub fn managed_changed(&mut self, bytes: u64) {
        self.changed_by_host += bytes;
    }

    /// Counts a successful call if it is one that waits.
    pub fn call_succeeded(&mut self, function: &str) {
        match function {
            "cudaDeviceSynchronize" => self.synchronisations.device += 1,
            "cudaStreamSynchronize" => self.synchronisations.stream += 1,
            "cudaEventSynchronize" => self.synchronisations.event += 1,
            // they wait for the whole device
            "cudaFree" | "cudaFreeArray" | "cudaFreeHost" => {}
            _ => return,
        }
        self.waits_since_work += u64::from(self.has_enqueued);
    }

    /// Counts a query whose answer is that work is not done: a loop of them waits as one call does.
    pub fn found_unfinished(&mut self) {
        if !std::mem::replace(&mut self.has_polled, true) {
            self.waits_since_work += u64::from(self.has_enqueued);
        }
    }

    /// Records that the program has enqueued a copy, a set or a kernel. If this work `orders_all`,
    /// it waits for the work of all streams, and later work of all streams waits for it.
    pub fn work_enqueued(&mut self, orders_all: bool) {
        self.has_polled = false;
        self.synchronisations.between_work += std::mem::take(&mut self.waits_since_work);
        self.waits_since_work = u64::from(orders_all && self.has_enqueued);
        self.has_enqueued = true;
    }
}

impl Runtime {
    /// A kernel that the call at `site` has launched has accessed these bytes: records those that
    /// are page-locked memory of the host, and what is left in the device's heap.
    pub(super) fn record_kernel(&mut self, accessed: &AccessSet, site: SiteId) {
        for start in accessed.allocations().filter(|start| self.memory.is_pinned_memory(*start)) {
            let [loaded, stored] = accessed.bytes_in(start);
            self.record.mapped.loaded += loaded;
            self.record.mapped.stored += stored;
        }
        if self.memory.device().has_heap() {
            let blocks = self.memory.device().heap_blocks();
            let before = std::mem::take(&mut self.record.heap_blocks);
            let block = |(address, bytes)| {
                let known = before.get(&address).filter(|(known, _)| *known == bytes);
                (address, (bytes, known.map_or(site, |(_, site)| *site)))
            };
            self.record.heap_blocks = blocks.map(block).collect();
            self.memory.count_heap_blocks(self.record.heap_blocks.len());
        }
    }

    /// The memory of the device's heap that kernels have not freed, by the launches that left it.
    fn heap_leaks(&self) -> Vec<Leak> {
        let mut all: BTreeMap<SiteId, Leak> = BTreeMap::new();
        if self.memory.device().has_heap() {
            for (&address, &(bytes, site)) in &self.record.heap_blocks {
                let leak = all.entry(site).or_insert_with(|| {
                    let at = self.findings.sites().resolve(site, None);
                    Leak { kind: LeakKind::DeviceHeap, address, bytes: 0, at }
                });
                leak.bytes += bytes;
            }
        }
        all.into_values().collect()
    }

    /// What the program has created and not freed. An object comes before the memory that it refers
    /// to, so freeing everything in this order never leaves an object without its memory.
    pub(super) fn leaks(&self) -> Vec<Leak> {
        let sites = self.findings.sites();
        let leak = |kind, address, bytes, site| {
            let at = sites.resolve(site, None);
            Leak { kind, address, bytes, at }
        };
        let objects = self.objects.textures().map(|(handle, object)| {
            let kind = if object.is_texture() { LeakKind::Texture } else { LeakKind::Surface };
            leak(kind, handle, 0, object.site)
        });
        let arrays = self.memory.arrays();
        let arrays = arrays.map(|(handle, a)| leak(LeakKind::Array, handle.0, a.bytes(), a.site));
        let mut allocations: Vec<_> = self.memory.allocations().collect();
        allocations.sort_by_key(|(_, allocation)| allocation.number);
        let memory = allocations.into_iter();
        let memory = memory.map(|(address, a)| leak(LeakKind::Memory, address, a.bytes, a.site));
        let pinned = self.memory.kept_pinned();
        let pinned = pinned.map(|(address, a)| {
            let kind = if a.from_runtime { LeakKind::Pinned } else { LeakKind::Registered };
            leak(kind, address, a.bytes, a.site)
        });
        let streams =
            self.streams.kept().map(|(stream, site)| leak(LeakKind::Stream, stream, 0, site));
        let events = self.streams.kept_events();
        let events = events.map(|(event, site)| leak(LeakKind::Event, event, 0, site));
        let graphs = self.graphs.kept();
        let graphs = graphs.map(|(kind, handle, site)| leak(kind, handle, 0, site));
        let events = events.chain(graphs);
        let memory = memory.chain(self.heap_leaks());
        objects.chain(arrays).chain(memory).chain(pinned).chain(streams).chain(events).collect()
    }

    fn copies_to_host(&self) -> Vec<CopyToHost> {
        let sites = self.findings.sites();
        let copy = |(copy, site): &(CopyToHost, SiteId)| {
            let at = sites.resolve(*site, None);
            CopyToHost { at, ..copy.clone() }
        };
        self.record.to_host.values().map(copy).collect()
    }

    fn variables_filled_in_part(&self) -> Vec<PartOfVariable> {
        let sites = self.findings.sites();
        let all = self.record.to_variables.iter().filter(|(_, (bytes, end, _))| end < bytes);
        let part = |(name, &(bytes, filled, site)): (&String, &(u64, u64, SiteId))| {
            PartOfVariable { name: name.clone(), bytes, filled, at: sites.resolve(site, None) }
        };
        all.map(part).collect()
    }

    fn copies_from_host(&self) -> Vec<CopyFromHost> {
        let sites = self.findings.sites();
        let copy = |(&from, &(bytes, rows, site)): (&u64, &(u64, Option<CopiedRows>, SiteId))| {
            let at = sites.resolve(site, None);
            CopyFromHost { from, bytes, rows, at }
        };
        self.record.from_host.iter().map(copy).collect()
    }

    /// The report about everything so far.
    pub fn report(&mut self) -> Report {
        self.report_host_races();
        let timeline = self.streams.timeline().to_vec();
        let mut leaks = self.record.left_at_reset.clone();
        leaks.extend(self.leaks());
        let mut elapsed = vec![];
        for &(Interval { start, end, milliseconds }, site) in &self.record.intervals {
            let [start, end] = [start, end].map(|id| self.streams.end(id));
            let at = self.findings.sites().resolve(site, None);
            elapsed.push(ElapsedTime { start, end, milliseconds, at });
        }
        let (record, usage) = (&self.record, self.memory.usage());
        Report {
            launches: record.launches.clone(),
            timeline,
            copies: record.copies,
            done_copies: record.done_copies.clone(),
            to_host: self.copies_to_host(),
            from_host: self.copies_from_host(),
            partial: self.variables_filled_in_part(),
            freeing_wait: record.freeing_wait.and_then(|(site, (copy, stream))| {
                let sites = self.findings.sites();
                let (at, copy) = (sites.resolve(site, None)?, sites.resolve(copy, Some(stream))?);
                Some(FreeingWait { at, copy })
            }),
            sets: record.sets,
            managed: ManagedUse {
                used: record.managed.values().map(|(bytes, _)| bytes).sum(),
                written: record.managed.values().filter(|m| m.1).map(|(bytes, _)| bytes).sum(),
                changed_by_host: record.changed_by_host,
            },
            mapped: record.mapped,
            variables: self.objects.global_variables(),
            allocations: usage.allocations,
            allocated: usage.allocated,
            peak: usage.peak,
            peak_live: usage.peak_live,
            streams: self.streams.created(),
            synchronisations: record.synchronisations,
            elapsed,
            findings: self.findings.for_report(&leaks),
            leaks,
            crashed: None,
            lost: self.lost.map(|code| code.name().to_string_lossy().into_owned()),
            commands: if self.dataflow.is_on() { self.commands() } else { vec![] },
            equal_places: self.equal_places(),
        }
    }
}
