//! Mistakes in how the program uses the runtime, and the calls where they happened.

pub(super) mod conflicts;
pub(super) mod sites;

use crate::error::Code;
use crate::graph::{Id, Stream};
use crate::report::{
    CallSite, Cause, Failure, HostFinding, HostFindingKind, Leak, LeakKind, Memory, MemoryKind,
};
use conflicts::Conflicts;
use sites::{SiteId, Sites};

/// The most different findings that are kept.
const MAX_FINDINGS: usize = 256;

/// The call of the runtime that the program is in.
#[derive(Debug, Default)]
struct CurrentCall {
    /// The function's name.
    function: &'static str,
    /// Where it was called, once that was needed.
    site: Option<SiteId>,
    /// Why the call fails, if that is known.
    cause: Option<Cause>,
    /// Is there a finding about this call already?
    reported: bool,
    /// How many pieces of work the program had enqueued before it.
    enqueued: u64,
}

/// All findings, and the call that the program is in.
#[derive(Debug, Default)]
pub struct Findings {
    all: Vec<HostFinding>,
    current: CurrentCall,
    /// The finding of the last error, until the program calls `cudaGetLastError`.
    unchecked: Option<usize>,
    sites: Sites,
    /// Launches of the program so far.
    launches: usize,
    /// Finished work that later work may be unordered with.
    pub(super) conflicts: Conflicts,
}

impl Findings {
    /// The program, which has enqueued `enqueued` pieces of work, calls a function of the runtime.
    pub(super) fn enter(&mut self, function: &'static str, enqueued: u64) {
        self.current = CurrentCall { function, enqueued, ..CurrentCall::default() };
    }

    /// The program calls a function whose call site is already known.
    pub(super) fn continue_at(&mut self, function: &'static str, site: SiteId) {
        (self.current.function, self.current.site) = (function, Some(site));
    }

    /// The program has launched a kernel. Returns how many it had launched before.
    pub(super) fn launch_enqueued(&mut self) -> usize {
        self.launches += 1;
        self.launches - 1
    }

    /// The name of the function that the program is in.
    pub(super) fn function(&self) -> &'static str {
        self.current.function
    }

    /// The site of the call that the program is in.
    pub(crate) fn site(&mut self) -> SiteId {
        let site = match self.current.site {
            Some(site) => site,
            None => self.sites.current(self.current.function),
        };
        self.current.site = Some(site);
        site
    }

    /// The same as a call site for the report.
    pub(super) fn call_site(&mut self, stream: Option<Stream>) -> Option<CallSite> {
        let site = self.site();
        self.sites.resolve(site, stream)
    }

    /// All call sites.
    pub(super) fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The current call has failed with this code.
    pub(super) fn call_failed(&mut self, code: Code) {
        let cause = self.current.cause.take();
        if std::mem::take(&mut self.current.reported) {
            return;
        }
        let owned = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        let (name, text) = (owned(code.name()), owned(code.text()));
        let at = self.call_site(None);
        let failure = Failure { code: code.0, name, text, cause };
        self.unchecked = self.add(HostFindingKind::CallFailed(failure), at, None);
    }

    /// The current call has got the time between two events: what it has said before, while it
    /// polled, is no mistake.
    pub(super) fn events_are_complete(&mut self) {
        let at = self.call_site(None);
        let polled = |finding: &HostFinding| {
            let pending =
                |failure: &Failure| matches!(failure.cause, Some(Cause::EventPending { .. }));
            let failed = matches!(&finding.kind, HostFindingKind::CallFailed(f) if pending(f));
            failed && finding.at == at
        };
        if self.all.iter().any(polled) {
            let unchecked = self.unchecked.and_then(|i| self.all.get(i)).cloned();
            self.all.retain(|finding| !polled(finding));
            let position = |last| self.all.iter().position(|finding| *finding == last);
            self.unchecked = unchecked.and_then(position);
        }
    }

    /// The program calls `cudaGetLastError`.
    pub(super) fn last_error_checked(&mut self) {
        self.unchecked = None;
    }

    /// Is it known why the current call fails?
    pub(super) fn has_cause(&self) -> bool {
        self.current.cause.is_some()
    }

    /// Records why the current call will fail.
    pub(super) fn set_cause(&mut self, cause: Cause) {
        self.current.cause = Some(cause);
    }

    /// Adds a finding about the current call, which therefore needs no finding about its failure.
    pub(super) fn add_about_call(&mut self, kind: HostFindingKind, earlier: Option<CallSite>) {
        let at = self.call_site(None);
        if self.add(kind, at, earlier).is_some() {
            self.current.reported = true;
        }
    }

    /// Adds a finding, and returns its index unless there are too many.
    pub(super) fn add(
        &mut self,
        kind: HostFindingKind,
        at: Option<CallSite>,
        earlier: Option<CallSite>,
    ) -> Option<usize> {
        self.add_about_work(kind, at, earlier, self.current.enqueued)
    }

    /// Adds a finding about work that the program enqueued after `enqueued` pieces of other work.
    /// It is possibly done much later. Returns its index unless there are too many.
    pub(super) fn add_about_work(
        &mut self,
        kind: HostFindingKind,
        at: Option<CallSite>,
        earlier: Option<CallSite>,
        enqueued: u64,
    ) -> Option<usize> {
        let same = |f: &HostFinding| {
            f.kind.is_same_mistake(&kind) && (&f.at, &f.earlier) == (&at, &earlier)
        };
        if let Some(index) = self.all.iter().position(same) {
            let same = &mut self.all[index];
            same.count += 1;
            same.enqueued = same.enqueued.min(enqueued);
            return Some(index);
        }
        if self.all.len() == MAX_FINDINGS {
            return None;
        }
        let launches = self.launches;
        self.all.push(HostFinding { kind, at, earlier, count: 1, launches, enqueued });
        Some(self.all.len() - 1)
    }

    /// Adds a race of the host with the work that `earlier` enqueued. One wait after that call
    /// orders all accesses of the host behind it, so only the first of them is a finding.
    pub(super) fn add_host_race(
        &mut self,
        race: HostFindingKind,
        at: Option<CallSite>,
        earlier: Option<CallSite>,
    ) {
        let place = |site: &Option<CallSite>| {
            let site = site.as_ref()?;
            Some((site.source.clone()?, site.called_from.clone()))
        };
        let (now, work) = (place(&at), place(&earlier));
        let first = self.all.iter().position(|finding| {
            let is_race = matches!(finding.kind, HostFindingKind::HostRace { .. });
            is_race && work.is_some() && place(&finding.earlier) == work
        });
        match first.and_then(|first| self.all.get_mut(first)) {
            Some(first) if first.kind.is_same_mistake(&race) && place(&first.at) == now => {
                first.count += 1;
            }
            Some(_) => {}
            None => {
                self.add(race, at, earlier);
            }
        }
    }

    /// Removes the findings that the copy `at` reads unwritten bytes of `memory`, which begins at
    /// `start`, if the work `writer` has written them since.
    pub(super) fn remove_uninitialised(
        &mut self,
        at: Option<&CallSite>,
        (memory, start): (&Memory, u64),
        writer: Id,
    ) {
        let conflicts = &self.conflicts;
        let written_since = |finding: &HostFinding| match &finding.kind {
            HostFindingKind::UninitialisedCopy { memory: read, bytes: [first, _], .. } => {
                read == memory && conflicts.writes(writer, start + first)
            }
            _ => false,
        };
        let unchecked = self.unchecked.and_then(|i| self.all.get(i)).cloned();
        self.all.retain(|finding| finding.at.as_ref() != at || !written_since(finding));
        let position = |last| self.all.iter().position(|finding| *finding == last);
        self.unchecked = unchecked.and_then(position);
    }

    /// The findings for the report. If the program never checked its last error, that finding says
    /// so, and one of memory that was freed twice names memory that the program freed never.
    pub(super) fn for_report(&self, leaks: &[Leak]) -> Vec<HostFinding> {
        let mut all = self.all.clone();
        for finding in &mut all {
            if let HostFindingKind::DoubleFree { memory, never_freed } = &mut finding.kind {
                let kind = match memory.kind {
                    MemoryKind::Pinned => LeakKind::Pinned,
                    _ => LeakKind::Memory,
                };
                let other = |leak: &&Leak| leak.kind == kind && leak.bytes == memory.bytes;
                *never_freed = leaks.iter().find(other).and_then(|leak| leak.at.clone());
            }
        }
        if let Some(finding) = self.unchecked.and_then(|i| all.get_mut(i))
            && let HostFindingKind::CallFailed(failure) = &finding.kind
        {
            finding.kind = HostFindingKind::UncheckedError(failure.clone());
        }
        all
    }
}
