//! What is counted of a program, and the report of it.

use super::Runtime;
use super::memory::Allocation;
use super::sites::Site;
use crate::graph::Id;
use crate::report::{Copies, ElapsedTime, Leak, LeakKind, Report, Synchronisations, Traffic};

/// What is counted.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub copies: Copies,
    pub sets: Traffic,
    pub streams: u64,
    pub synchronisations: Synchronisations,
    /// Where both events were recorded, what the program was told, and who asked.
    pub elapsed: Vec<([Id; 2], f32, Site)>,
    pub allocations: u64,
    /// Page-locked allocations made.
    pub pinned: u64,
    allocated: u64,
    /// Bytes that are allocated now.
    now: u64,
    peak: u64,
    peak_live: u64,
}

impl Facts {
    /// One more allocation, of which there are now `live`.
    pub fn allocated(&mut self, bytes: u64, live: usize) {
        self.allocations += 1;
        self.allocated += bytes;
        self.now += bytes;
        self.peak = self.peak.max(self.now);
        self.peak_live = self.peak_live.max(live as u64);
    }

    /// One less.
    pub fn freed(&mut self, bytes: u64) {
        self.now -= bytes;
    }
}

impl Runtime {
    /// The program calls a function of the runtime.
    pub fn enter(&mut self, function: &'static str) {
        self.calling = (function, None);
        self.findings.begin();
        self.wander();
    }

    /// Where it calls that function.
    pub(super) fn site(&mut self) -> Site {
        let (function, site) = self.calling;
        let site = site.unwrap_or_else(|| self.sites.here(function));
        self.calling.1 = Some(site);
        site
    }

    /// The function that the program is in has succeeded.
    pub(super) fn succeeded(&mut self) {
        let counts = &mut self.facts.synchronisations;
        match self.calling.0 {
            "cudaDeviceSynchronize" => counts.device += 1,
            "cudaStreamSynchronize" => counts.stream += 1,
            "cudaEventSynchronize" => counts.event += 1,
            _ => {}
        }
    }

    /// What the program has made and not given back. Objects are before what they look at: whoever ends them in this order
    /// never leaves one that looks at nothing.
    fn leaks(&self) -> Vec<Leak> {
        let leak = |what, address, bytes, site| {
            let at = self.sites.place(site, None);
            Leak { kind: what, address, bytes, at }
        };
        let objects = self.objects.iter().map(|(handle, object)| {
            let what = if object.look.is_some() { LeakKind::Texture } else { LeakKind::Surface };
            leak(what, *handle, 0, object.site)
        });
        let arrays = self.arrays.iter();
        let arrays = arrays.map(|(handle, a)| leak(LeakKind::Array, handle.0, a.bytes(), a.site));
        let mut memory: Vec<(&u64, &Allocation)> = self.allocations.iter().collect();
        memory.sort_by_key(|(_, allocation)| allocation.number);
        let memory = memory.into_iter();
        let memory = memory.map(|(address, a)| leak(LeakKind::Memory, *address, a.bytes, a.site));
        objects.chain(arrays).chain(memory).collect()
    }

    /// What has been seen so far.
    pub fn report(&mut self) -> Report {
        self.collect_hits();
        let facts = &self.facts;
        let timeline = self.clock.spans().to_vec();
        let mut elapsed = vec![];
        for &(places, milliseconds, site) in &facts.elapsed {
            let [start, end] = places.map(|id| self.clock.end(id));
            elapsed.push(ElapsedTime {
                start,
                end,
                milliseconds,
                at: self.sites.place(site, None),
            });
        }
        Report {
            launches: self.launched.clone(),
            timeline,
            copies: facts.copies,
            sets: facts.sets,
            allocations: facts.allocations,
            allocated: facts.allocated,
            peak: facts.peak,
            peak_live: facts.peak_live,
            streams: facts.streams,
            synchronisations: facts.synchronisations,
            elapsed,
            leaks: self.leaks(),
            findings: self.told_findings(),
            crashed: None,
            lost: self.lost.map(|code| code.name().to_string_lossy().into_owned()),
        }
    }
}
