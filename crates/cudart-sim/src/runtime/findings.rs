//! What is wrong with how the program uses the runtime: kept once per place, with what the addresses are.

use super::Runtime;
use super::memory::Allocation;
use super::sites::{Frames, Site, stopped};
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::report::{
    CallSite, Cause, Crash, Failure, HostFinding, HostFindingKind, Memory, MemoryKind,
    PointerTarget,
};

/// Different findings that are kept.
const MOST: usize = 256;

/// A stretch that nothing has written is padding of a structure if it is shorter: no type is aligned to more bytes.
const PADDING: u64 = 16;

/// Addresses below this are a null pointer's neighbours.
const NULL_PAGE: u64 = 1 << 16;

/// What is kept for findings.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub all: Vec<HostFinding>,
    /// Cause the function that the program is in fails.
    why: Option<Cause>,
    /// It has been told already what is wrong with the call.
    told: bool,
    /// The finding of the last error, as long as nobody has asked for that.
    unseen: Option<usize>,
}

impl Findings {
    /// Another function of the runtime is called.
    pub fn begin(&mut self) {
        (self.why, self.told) = (None, false);
    }
}

impl Runtime {
    /// The function of the runtime that the program is in has failed.
    pub(super) fn failed(&mut self, code: Code) {
        let (why, told) = (self.findings.why.take(), std::mem::take(&mut self.findings.told));
        if told || self.lost == Some(code) {
            return;
        }
        let said = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        let (name, text) = (said(code.name()), said(code.text()));
        let at = self.here(None);
        let failure = Failure { code: code.0, name, text, cause: why };
        let index = self.found(HostFindingKind::CallFailed(failure), at, None);
        self.findings.unseen = index;
    }

    /// The program asks for the last error.
    pub(super) fn looked(&mut self) {
        self.findings.unseen = None;
    }

    /// Notes why the call fails, for when it does.
    pub(super) fn because(&mut self, why: Cause) {
        self.findings.why = Some(why);
    }

    /// What is wrong with this call has its own finding.
    pub(super) fn told(&mut self) {
        self.findings.told = true;
    }

    /// Keeps a finding: its number, if there is room for it.
    pub(super) fn found(
        &mut self,
        what: HostFindingKind,
        at: Option<CallSite>,
        with: Option<CallSite>,
    ) -> Option<usize> {
        let all = &mut self.findings.all;
        let same = |f: &HostFinding| (&f.kind, &f.at, &f.earlier) == (&what, &at, &with);
        if let Some(index) = all.iter().position(same) {
            all[index].count += 1;
            return Some(index);
        }
        if all.len() == MOST {
            return None;
        }
        all.push(HostFinding { kind: what, at, earlier: with, count: 1 });
        Some(all.len() - 1)
    }

    /// A copy to the host of what nothing has written.
    pub(super) fn look_for_unwritten(
        &mut self,
        from: u64,
        bytes: u64,
        (stream, site): (Stream, Site),
    ) {
        let Some((first, length)) = self.memory.unwritten(from, bytes, PADDING) else { return };
        let Some((memory, offset)) = self.memory_at(from) else { return };
        let first = first.saturating_add_signed(offset);
        let at = self.place(site, Some(stream));
        let bytes = [first, first + length - 1];
        self.found(HostFindingKind::UninitialisedCopy { memory, bytes }, at, None);
    }

    /// The place of the call that the program is in.
    pub(super) fn here(&mut self, stream: Option<Stream>) -> Option<CallSite> {
        let site = self.site();
        self.place(site, stream)
    }

    pub(super) fn place(&self, site: Site, stream: Option<Stream>) -> Option<CallSite> {
        self.sites.place(site, stream)
    }

    /// How a program ended that a signal has stopped there, about this address.
    pub(crate) fn crash(&self, signal: i32, address: Option<u64>, frames: &Frames) -> Crash {
        let at = stopped(frames);
        let pointer = |address| {
            // a small index through a null pointer
            if address < NULL_PAGE { PointerTarget::Null } else { self.pointer(address) }
        };
        Crash { signal, address, at, pointer: address.map(pointer), system_call: None }
    }

    /// The findings, for the report.
    pub(super) fn told_findings(&self) -> Vec<HostFinding> {
        let mut all = self.findings.all.clone();
        if let Some(finding) = self.findings.unseen.and_then(|i| all.get_mut(i))
            && let HostFindingKind::CallFailed(failure) = &finding.kind
        {
            finding.kind = HostFindingKind::UncheckedError(failure.clone());
        }
        all
    }

    /// Device memory that is, or was, allocated by the program.
    pub(super) fn memory(&self, allocation: &Allocation) -> Memory {
        let Allocation { bytes, name, site, kind, .. } = allocation;
        let at = self.place(*site, None);
        Memory { kind: *kind, name: name.clone(), bytes: *bytes, at }
    }

    /// The memory at an address, or near it, that was not freed; and where in it that is.
    pub(super) fn memory_at(&self, address: u64) -> Option<(Memory, i64)> {
        let start = self.memory.start(address);
        let known = |start| {
            let pinned = self.pinned.get(&start);
            self.allocations.get(&start).or(pinned).or_else(|| self.managed_variables.get(&start))
        };
        if let Some((start, a)) = start.and_then(|start| Some((start, known(start)?))) {
            return Some((self.memory(a), address.wrapping_sub(start) as i64));
        }
        if let Some((start, a)) = self.pinned.range(..=address).next_back()
            && address - start < a.bytes
        {
            return Some((self.memory(a), (address - start) as i64));
        }
        let start = start?;
        if self.freed.contains_key(&start) {
            return None;
        }
        let (name, bytes) = self.memory.described(start)?;
        let name = name.to_owned();
        let memory = Memory { kind: MemoryKind::Variable, name, bytes, at: None };
        Some((memory, address.wrapping_sub(start) as i64))
    }

    /// What an address is.
    pub(super) fn pointer(&self, address: u64) -> PointerTarget {
        if address == 0 {
            return PointerTarget::Null;
        }
        if let Some((memory, offset)) = self.memory_at(address) {
            return PointerTarget::Inside { memory, offset };
        }
        match self.freed_at(address) {
            Some((a, site)) => {
                PointerTarget::Freed { memory: self.memory(a), freed: self.place(site, None) }
            }
            None => PointerTarget::Host,
        }
    }

    /// Memory that was freed, and where.
    pub(super) fn freed_at(&self, address: u64) -> Option<(&Allocation, Site)> {
        let (start, (allocation, site)) = match self.memory.start(address) {
            Some(start) => (start, self.freed.get(&start)?),
            None => self.freed.range(..=address).next_back().map(|(start, f)| (*start, f))?,
        };
        // addresses near device memory are its own
        let near = self.memory.owns(address) || address - start < allocation.bytes;
        near.then_some((allocation, *site))
    }

    /// Freeing what cannot be freed: told as what it is.
    pub(super) fn bad_free(&mut self, address: u64) -> Result {
        let at = self.here(None);
        let what = match self.pointer(address) {
            PointerTarget::Freed { memory, freed } if self.freed.contains_key(&address) => {
                self.found(HostFindingKind::DoubleFree { memory }, at, freed)
            }
            pointer => self.found(HostFindingKind::InvalidFree { pointer }, at, None),
        };
        if what.is_some() {
            self.told();
        }
        Err(Code::INVALID_VALUE)
    }
}
