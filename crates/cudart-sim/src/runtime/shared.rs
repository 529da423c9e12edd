//! Memory that the host and the device both use at one address: page-locked and managed.
//!
//! The host has pages there, and `ptxsim` an allocation. Contents travel before and after each piece of work that uses them;
//! in between the pages are closed to the host ([`crate::guard`]), so that neither side misses what the other one wrote,
//! unless nobody waited: that is told.

use ptxsim::{AccessMode, Launch};

use super::Runtime;
use super::memory::Allocation;
use super::sites::{Site, stopped};
use super::work::Work;
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};
use crate::guard::{self, Guard, PAGE};
use crate::host::Address;
use crate::report::{self, CallSite, HostFindingKind, MemoryKind, WorkAccess};

/// Work that pages are closed for.
#[derive(Debug)]
pub(super) struct Guarded {
    site: Site,
    stream: Stream,
    work: report::Work,
    writes: bool,
}

impl Runtime {
    /// `cudaHostAlloc`.
    pub fn malloc_host(&mut self, bytes: u64, flags: u32) -> Result<u64> {
        self.alive()?;
        self.facts.pinned += 1;
        let name = format!("pinned allocation {}", self.facts.pinned);
        let address = self.memory.reserve(&name).map_err(|_| Code::MEMORY_ALLOCATION)?;
        self.map(address, bytes)?;
        let (site, kind, number) = (self.site(), MemoryKind::Pinned, self.facts.pinned);
        let (own, newer) = (true, false);
        self.freed.remove(&address);
        self.pinned.insert(address, Allocation { number, bytes, name, site, kind, own, newer });
        self.pinned_flags.insert(address, flags);
        Ok(address)
    }

    /// `cudaFreeHost`.
    pub fn free_host(&mut self, address: u64) -> Result {
        self.synchronize_device()?;
        if !self.pinned.get(&address).is_some_and(|pinned| pinned.own) {
            return self.bad_free(address);
        }
        let bytes = self.unpin(address)?;
        guard::unmap(address, bytes);
        self.memory.free(address).map_err(|_| Code::INVALID_VALUE)
    }

    /// `cudaMallocManaged`: 0 bytes are no allocation, and no error.
    pub fn malloc_managed(&mut self, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        let address = self.malloc(bytes)?;
        self.map(address, bytes)?;
        if let Some(allocation) = self.allocations.get_mut(&address) {
            allocation.kind = MemoryKind::Managed;
        }
        self.memory
            .write(address, &vec![0; bytes as usize])
            .map_err(|_| Code::MEMORY_ALLOCATION)?;
        Ok(address)
    }

    /// `cudaMemPrefetchAsync`: has an effect on the time only, which is not simulated.
    pub fn prefetch(&mut self, address: u64, bytes: u64, to: (i32, i32), stream: Stream) -> Result {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        self.advise(address, bytes, to)
    }

    /// `cudaMemAdvise`: is this managed memory, and this a place? 1 is a device, by its number, 2 to 4 are the host.
    pub fn advise(&mut self, address: u64, bytes: u64, (kind, id): (i32, i32)) -> Result {
        self.alive()?;
        let place = match kind {
            1 => id == 0,
            kind => (2..=4).contains(&kind),
        };
        let known = self.shared_at(address).filter(|(_, a)| a.kind == MemoryKind::Managed);
        let inside = known.is_some_and(|(start, a)| {
            bytes > 0 && (address - start).checked_add(bytes).is_some_and(|end| end <= a.bytes)
        });
        match (place, inside) {
            (false, _) => Err(Code::INVALID_DEVICE),
            (true, false) => Err(Code::INVALID_VALUE),
            (true, true) => Ok(()),
        }
    }

    /// Makes a variable managed memory, with its initial contents: its address.
    pub fn map_variable(&mut self, shadow: u64) -> Option<u64> {
        let address = self.symbol(shadow).ok()?;
        let bytes = self.symbol_bytes(shadow).ok()?;
        let name = self.memory.described(address)?.0.to_owned();
        self.map(address, bytes).ok()?;
        let (site, kind, number) = (Site::default(), MemoryKind::Managed, 0);
        let (own, newer) = (false, true);
        let variable = Allocation { number, bytes, name, site, kind, own, newer };
        self.managed_variables.insert(address, variable);
        self.download(address);
        Some(address)
    }

    fn map(&mut self, address: u64, bytes: u64) -> Result {
        let pages = bytes.checked_next_multiple_of(PAGE).ok_or(Code::MEMORY_ALLOCATION)?;
        match guard::map(address, pages) {
            Some(_) => Ok(()),
            None => {
                let _ = self.memory.free(address);
                self.allocations.remove(&address);
                Err(Code::MEMORY_ALLOCATION)
            }
        }
    }

    /// The device is reset: memory that came from the runtime has no pages any more. Variables keep theirs.
    pub(super) fn forget_shared(&mut self) {
        guard::end(|_| true);
        self.guarded.clear();
        for (address, freed) in &self.allocations {
            self.unmap_managed(*address, freed);
        }
        for (address, pinned) in self.pinned.iter().filter(|(_, pinned)| pinned.own) {
            guard::unmap(*address, pinned.bytes);
        }
        self.pinned.clear();
        self.pinned_flags.clear();
    }

    /// Managed memory that was freed has no pages any more.
    pub(super) fn unmap_managed(&self, address: u64, freed: &Allocation) {
        if freed.kind == MemoryKind::Managed {
            guard::unmap(address, freed.bytes.next_multiple_of(PAGE));
        }
    }

    /// The page-locked or managed memory that an address is in: where it starts.
    fn shared_at(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (start, a) = match self.memory.start(address) {
            Some(start) => (start, self.managed(start).or_else(|| self.pinned.get(&start))?),
            None => self.pinned.range(..=address).next_back().map(|(start, a)| (*start, a))?,
        };
        (address.checked_sub(start)? < a.bytes).then_some((start, a))
    }

    fn managed(&self, start: u64) -> Option<&Allocation> {
        let known = self.allocations.get(&start).filter(|a| a.kind == MemoryKind::Managed);
        known.or_else(|| self.managed_variables.get(&start))
    }

    fn managed_mut(&mut self, start: u64) -> Option<&mut Allocation> {
        let known = self.allocations.get_mut(&start).filter(|a| a.kind == MemoryKind::Managed);
        known.or_else(|| self.managed_variables.get_mut(&start))
    }

    /// Starts of all managed memory.
    fn all_managed(&self) -> Vec<u64> {
        let known = self.allocations.iter().filter(|(_, a)| a.kind == MemoryKind::Managed);
        known.chain(&self.managed_variables).map(|(start, _)| *start).collect()
    }

    /// Closes what a piece of work will use.
    pub(super) fn guard(
        &mut self,
        id: Id,
        (stream, site): (Stream, Site),
        work: &Work,
        described: report::Work,
    ) {
        let mut ranges: Vec<(u64, u64, bool)> = match work {
            Work::Kernel { binary, launch, .. } => self.used(*binary, launch),
            _ => {
                let all = work.ranges();
                all.into_iter()
                    .map(|(at, bytes, how)| (at, bytes, how != AccessMode::Read))
                    .collect()
            }
        };
        ranges.retain(|(at, ..)| self.shared_at(*at).is_some());
        for (from, bytes, writes) in &ranges {
            let (mut from, mut to) = (*from, from.saturating_add(*bytes));
            if self.shared_at(from).is_some_and(|(_, a)| a.kind == MemoryKind::Pinned && !a.own) {
                // other things of the program may be in the same pages
                (from, to) = (from.next_multiple_of(PAGE), to / PAGE * PAGE);
            }
            if from < to {
                guard::close(Guard { number: id.number(), from, to, writes: *writes });
            }
        }
        if !ranges.is_empty() {
            let writes = ranges.iter().any(|(.., writes)| *writes);
            self.guarded.insert(id, Guarded { site, stream, work: described, writes });
        }
    }

    /// The shared memory that a kernel's arguments point to, each whole.
    fn used(&mut self, binary: usize, launch: &Launch) -> Vec<(u64, u64, bool)> {
        let Ok(module) = self.module(binary) else { return vec![] };
        let entry = module.entries().iter().find(|entry| entry.name == launch.entry);
        let mut all: Vec<(u64, u64, bool)> = vec![];
        for (i, arg) in launch.args.iter().enumerate() {
            let writes = entry.is_none_or(|entry| entry.writes(i));
            for word in arg.as_chunks::<8>().0 {
                if let Some((start, a)) = self.shared_at(u64::from_le_bytes(*word)) {
                    all.push((start, a.bytes, writes));
                }
            }
        }
        all
    }

    /// The device gets what the host has, before work is done; of a kernel, all that it can come to.
    pub(super) fn fetch(&mut self, work: &Work) {
        let starts = match work {
            Work::Kernel { binary, launch, .. } => {
                let used = self.used(*binary, launch);
                let pinned = used.iter().map(|(start, ..)| *start);
                let pinned: Vec<u64> = pinned.filter(|at| self.pinned.contains_key(at)).collect();
                for start in &pinned {
                    let bytes = self.pinned.get(start).map_or(0, |a| a.bytes);
                    // without room the kernel is told to use what is not there
                    let _ = self.memory.back(*start, bytes);
                }
                pinned.into_iter().chain(self.all_managed()).collect()
            }
            _ => self.managed_of(work),
        };
        for start in starts {
            self.upload(start);
        }
    }

    /// The managed memory that a copy or a set reads, or writes.
    fn managed_of(&self, work: &Work) -> Vec<u64> {
        self.managed_ranges(work, |_| true)
    }

    /// The managed memory that a copy or a set writes.
    pub(super) fn managed_written(&self, work: &Work) -> Vec<u64> {
        self.managed_ranges(work, |touch| touch == AccessMode::Write)
    }

    fn managed_ranges(&self, work: &Work, which: impl Fn(AccessMode) -> bool) -> Vec<u64> {
        let ranges = work.ranges();
        let mut starts: Vec<u64> = ranges
            .iter()
            .filter(|(.., touch)| which(*touch))
            .filter_map(|(at, ..)| self.shared_at(*at))
            .filter(|(_, a)| a.kind == MemoryKind::Managed)
            .map(|(start, _)| start)
            .collect();
        starts.dedup();
        starts
    }

    /// What work has written is the device's, and goes back when the host may see it: to page-locked memory at once.
    pub(super) fn wrote(&mut self, starts: impl IntoIterator<Item = u64>) {
        for start in starts {
            if let Some(a) = self.managed_mut(start) {
                a.newer = true;
            } else if self.pinned.contains_key(&start) {
                self.download(start);
            }
        }
    }

    /// Are there allocations that kernels and the host share?
    pub(super) fn shares(&self) -> bool {
        !self.managed_variables.is_empty()
            || self.allocations.values().any(|a| a.kind == MemoryKind::Managed)
            || self.pinned.values().any(|a| a.own)
    }

    fn upload(&mut self, start: u64) {
        let Some((_, a)) = self.shared_at(start).filter(|(_, a)| !a.newer) else { return };
        let bytes = a.bytes;
        let data = guard::opened(start, start + bytes, || Address(start).read(bytes as usize));
        // what does not fit was refused when it was to be made
        let _ = self.memory.write(start, &data);
    }

    fn download(&mut self, start: u64) {
        let Some((_, a)) = self.shared_at(start) else { return };
        let bytes = a.bytes;
        if let Ok(data) = self.memory.read(start, bytes) {
            guard::opened(start, start + bytes, || Address(start).write(&data));
        }
        if let Some(a) = self.managed_mut(start) {
            a.newer = false;
        }
    }

    /// The host has heard of work: what only that used is the host's again.
    pub(super) fn give_back(&mut self) {
        self.collect_hits();
        if !self.guarded.is_empty() {
            let order = self.graph.order();
            guard::end(|number| order.known(Id::of(number)));
            self.guarded.retain(|id, _| !order.known(*id));
        }
        let newer: Vec<u64> = self
            .all_managed()
            .into_iter()
            .filter(|start| self.managed(*start).is_some_and(|a| a.newer))
            .collect();
        for start in newer {
            self.download(start);
        }
    }

    /// Tells which accesses of the host came too early.
    pub(super) fn collect_hits(&mut self) {
        for hit in guard::hits() {
            let Some(guarded) = self.guarded.get(&Id::of(hit.number)) else { continue };
            let Guarded { site, stream, work, writes } = guarded;
            let party = WorkAccess { work: work.clone(), writes: *writes, stream: stream.0 };
            let with = self.place(*site, Some(*stream));
            let source = stopped(&hit.frames);
            let at = source.map(|source| CallSite {
                call: String::new(),
                stream: None,
                source: Some(source),
            });
            let Some((memory, byte)) = self.memory_at(hit.address) else { continue };
            let (write, byte) = (hit.write, byte.unsigned_abs());
            self.found(HostFindingKind::HostRace { access: party, memory, write, byte }, at, with);
        }
    }
}
