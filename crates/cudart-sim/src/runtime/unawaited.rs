//! Work that the host has enqueued and has not waited for: what is lost when the program ends, and
//! which kernels may still use an object that the program destroys.

use std::collections::BTreeMap;

use ptxsim::{FindingKind, Launch};

use super::Runtime;
use super::findings::sites::SiteId;
use crate::graph::{Id, Stream};
use crate::order::Order;
use crate::report::{HostFindingKind, Released, Work};

/// The most warp instructions of a kernel that is done after a crash, because the process that
/// waits for the report is about to end.
const BUDGET_AFTER_CRASH: u64 = 20_000_000;

/// The handles of texture and surface objects are the words of a kernel's arguments that have this
/// size.
const HANDLE_BYTES: usize = 8;

/// A piece of work, and the call that enqueued it.
#[derive(Debug)]
struct UnawaitedWork {
    work: Work,
    site: SiteId,
    stream: Stream,
    /// The handles of objects that a kernel got as arguments.
    objects: Vec<u64>,
}

/// Work that the host has not waited for, in the order in which it was enqueued.
#[derive(Debug, Default)]
pub(super) struct Unawaited(BTreeMap<Id, UnawaitedWork>);

impl Unawaited {
    /// Adds work that is being enqueued.
    pub fn add(&mut self, id: Id, work: Work, site: SiteId, stream: Stream) {
        self.0.insert(id, UnawaitedWork { work, site, stream, objects: vec![] });
    }

    /// The newest work is a kernel that got these objects.
    fn set_objects(&mut self, objects: Vec<u64>) {
        if let Some(mut newest) = self.0.last_entry() {
            newest.get_mut().objects = objects;
        }
    }

    /// The host has waited.
    pub fn forget_synchronised(&mut self, order: &Order) {
        self.0.retain(|id, _| !order.is_synchronised(*id));
    }

    /// The device was reset, and the host has waited for everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Runtime {
    /// A kernel was enqueued: remembers the objects that it got, and reports those that the program
    /// has released.
    pub(super) fn use_objects(&mut self, launch: &Launch, kernel: &str) {
        let words = launch.args.iter().flat_map(|arg| arg.as_chunks::<HANDLE_BYTES>().0);
        let handles = words.map(|word| u64::from_le_bytes(*word));
        let objects: Vec<u64> = handles.filter(|word| self.objects.was_object(*word)).collect();
        for handle in &objects {
            let Some((released, site)) = self.released_behind(*handle) else { continue };
            let earlier = self.findings.sites().resolve(site, None);
            let made = self.objects.made_by(*handle);
            let made = made.and_then(|site| self.findings.sites().resolve(site, None));
            let kind = HostFindingKind::ReleasedObject {
                released,
                kernel: kernel.to_owned(),
                launched_before: false,
                made,
            };
            self.findings.add_about_call(kind, earlier);
        }
        self.unawaited.set_objects(objects);
    }

    /// What a kernel with this object lacks because the program has released it, and the call that
    /// released it.
    fn released_behind(&self, handle: u64) -> Option<(Released, SiteId)> {
        if let Some((texture, site)) = self.objects.destroyed_by(handle) {
            return Some((if texture { Released::Texture } else { Released::Surface }, site));
        }
        let source = self.objects.source(handle)?;
        if let Some(site) = self.memory.freed_array(source) {
            return Some((Released::Array, site));
        }
        let (allocation, site) = self.memory.freed_behind(source)?;
        let memory = allocation.describe(self.findings.sites());
        Some((Released::Memory { memory }, site))
    }

    /// `cudaDestroyTextureObject`, `cudaDestroySurfaceObject`. A kernel that the host has not
    /// waited for may still use the object, which is a finding.
    pub fn destroy_object(&mut self, handle: u64) {
        let site = self.findings.site();
        let Some(texture) = self.objects.destroy(handle, site) else { return };
        let released = if texture { Released::Texture } else { Released::Surface };
        let order = self.streams.order();
        let user = self
            .unawaited
            .0
            .iter()
            .find(|(id, user)| user.objects.contains(&handle) && !order.is_synchronised(**id));
        let Some((_, UnawaitedWork { work: Work::Kernel { name }, site, stream, .. })) = user
        else {
            return;
        };
        let earlier = self.findings.sites().resolve(*site, Some(*stream));
        let kernel = name.clone();
        let kind =
            HostFindingKind::ReleasedObject { released, kernel, launched_before: true, made: None };
        self.findings.add_about_call(kind, earlier);
    }

    /// A call that frees memory waits for the device: remembers the first such call with an
    /// unfinished copy to the host.
    pub(super) fn note_freeing_wait(&mut self) {
        let order = self.streams.order();
        let unfinished = |(id, work): (&Id, &UnawaitedWork)| {
            let to_host =
                matches!(work.work, Work::Copy { to_device: false, from_device: true, .. });
            (to_host && !order.is_synchronised(*id)).then_some((work.site, work.stream))
        };
        let Some(copy) = self.unawaited.0.iter().find_map(unfinished) else { return };
        let site = self.findings.site();
        self.record.freeing_wait.get_or_insert((site, copy));
    }

    /// The program ends, with success or not. Its kernels are done now for their findings. As on a
    /// GPU, their results and their output are lost, which is a finding if the program counts as
    /// successful.
    pub fn end_program(&mut self, success: bool) {
        self.report_host_races();
        let order = self.streams.order();
        self.unawaited.0.retain(|id, _| !order.is_synchronised(*id));
        self.perform_for_findings();
        let unawaited = std::mem::take(&mut self.unawaited.0);
        // a lost device explains more than a missing wait
        for (id, UnawaitedWork { work, site, stream, .. }) in unawaited {
            let lost = match work {
                Work::Kernel { .. } => true,
                Work::Copy { to_device, .. } => !to_device,
                Work::Set { .. } | Work::Free => false,
            };
            if !(success && lost && self.lost.is_none()) {
                continue;
            }
            let printed = self.record.output.iter().any(|(printed_by, _)| *printed_by == id);
            let at = self.findings.sites().resolve(site, Some(stream));
            self.findings.add(HostFindingKind::NeverAwaited { work, printed }, at, None);
        }
        self.record.output.clear();
    }

    /// The program has crashed, perhaps because of what a kernel did that it did not wait for. Such
    /// kernels are done now for their findings, unless they take long.
    pub(crate) fn perform_after_crash(&mut self) {
        self.settings.budget = self.settings.budget.min(BUDGET_AFTER_CRASH);
        let done = self.record.launches.len();
        self.perform_for_findings();
        for launch in self.record.launches.iter_mut().skip(done) {
            let findings = &mut launch.observations.findings;
            findings.retain(|f| {
                !matches!(
                    f.what,
                    FindingKind::NeverFinishes { .. } | FindingKind::OverBudget { .. }
                )
            });
        }
    }

    /// Does all pending kernels and what fills the memory that they read.
    fn perform_for_findings(&mut self) {
        self.ending = true;
        while self.lost.is_none()
            && let Some(step) = self.streams.step_any()
        {
            self.perform(step);
        }
    }
}
