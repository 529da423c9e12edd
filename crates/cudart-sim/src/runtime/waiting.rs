//! Kernels that wait for other work of the device: for a flag that a kernel in another stream sets,
//! or that a copy in another stream overwrites.
//!
//! On a GPU both run at the same time. Here one piece of work is done after the other. So when a
//! kernel waits for something that nothing left in it can change, and other work could have been
//! done before it, the simulator undoes the kernel, does the other work, and runs the kernel again.
//! That is one of the orders that a GPU could have chosen too, because the two are unordered.

use ptxsim::{AccessSet, FindingKind, Launch};

use super::findings::sites::SiteId;
use super::{LaunchRecord, Refusal, Runtime};
use crate::error::Result;
use crate::graph::{Id, Stream};

/// The most device memory that is copied so that a kernel can be undone.
const MAX_SAVED_BYTES: u64 = 256 << 20;

/// Does a finding say that the kernel never ends?
const fn waits_for(kind: &FindingKind) -> bool {
    matches!(kind, FindingKind::Livelock { .. } | FindingKind::NeverFinishes { .. })
}

fn waits(launch: &LaunchRecord) -> bool {
    launch.observations.findings.iter().any(|finding| waits_for(&finding.what))
}

impl Runtime {
    /// Runs a kernel, after other work if it waits for that. Returns the bytes that it accessed,
    /// and how many microseconds it takes.
    pub(super) fn run_kernel_when_it_ends(
        &mut self,
        binary: usize,
        launch: &Launch,
        name: &str,
        (id, stream, site): (Id, Stream, SiteId),
    ) -> (AccessSet, Result<f64>) {
        let mut waited_for = vec![];
        loop {
            // the first launch of a module allocates its variables, which would not be undone
            let module = self.objects.module(binary).ok();
            let module = module.filter(|m| m.variable(self.memory.device_mut(), "").is_ok());
            let may_wait = !self.ending
                && self.streams.has_other_ready(id)
                && module.is_some_and(|module| module.may_wait(&launch.entry));
            let saved = if may_wait { self.memory.device().save(MAX_SAVED_BYTES) } else { None };
            let launches = self.record.launches.len();
            let (bytes, result) =
                self.run_kernel(binary, launch, name.to_owned(), (id, stream, site));
            let waiting = self.record.launches.get(launches).is_some_and(waits);
            let Some(saved) = saved.filter(|_| waiting) else {
                if waiting && self.host_runs {
                    self.refuse_dialogue(launches);
                }
                for other in waited_for {
                    self.findings.conflicts.signalled(other, id, &bytes);
                }
                return (bytes, result);
            };
            self.memory.device_mut().restore_saved(saved);
            self.record.launches.truncate(launches);
            self.record.output.retain(|(printed_by, _)| *printed_by != id);
            waited_for.extend(self.perform_others(id));
        }
    }

    /// A kernel waits, and the host runs meanwhile. If the kernel polls memory that the host can
    /// change, the host may be about to answer it, which is not supported and no mistake.
    fn refuse_dialogue(&mut self, launch: usize) {
        let Some(record) = self.record.launches.get_mut(launch) else { return };
        let findings = &mut record.observations.findings;
        if findings.iter().any(|f| waits_for(&f.what) && self.memory.is_shared(f.at.address)) {
            findings.clear();
            let text = "it waits for an answer of the host, and the simulator does not continue the host while a kernel runs";
            let feature = "a kernel that waits for an answer of the host";
            record.refusal =
                Some(Refusal { text: text.into(), feature: Some(feature.into()), at: None });
        }
    }

    /// Does all work that can be done while `id` is not. Returns that work.
    fn perform_others(&mut self, id: Id) -> Vec<Id> {
        let mut done = vec![];
        self.streams.postpone(id, true);
        while self.lost.is_none()
            && let Some(step) = self.streams.step_ready()
        {
            done.push(step.id);
            self.perform(step);
        }
        self.streams.postpone(id, false);
        done
    }
}
