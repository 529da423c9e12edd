//! Mistakes that show while work is done: unwritten bytes, missing waits, and accesses of the host
//! that come too early.

use ptxsim::FindingKind;

use super::Runtime;
use super::findings::conflicts::{Conflict, ConflictSide, FinishedWork};
use super::findings::sites::{self, SiteId};
use crate::graph::Stream;
use crate::report::{CallSite, EventWait, HostFindingKind, Work, WorkAccess};

/// Unwritten bytes in a range shorter than this are taken for padding of a structure, because no
/// type has a larger alignment. A copy of fewer bytes of which none was written is no padding.
const PADDING_BYTES: u64 = 16;

impl Runtime {
    /// Reports a copy to the host that reads bytes which were never written.
    pub(super) fn report_unwritten(
        &mut self,
        from: u64,
        bytes: u64,
        (stream, site): (Stream, SiteId),
    ) {
        let unwritten = self.memory.device().unwritten(from, bytes, PADDING_BYTES.min(bytes));
        let Some((first, length)) = unwritten else { return };
        let sites = self.findings.sites();
        let Some((memory, offset)) = self.memory.memory_at(from, sites) else { return };
        let first = first.saturating_add_signed(offset);
        let at = sites.resolve(site, Some(stream));
        let bytes = [first, first + length - 1];
        let writer = self.record.last_writer(&memory.name);
        let writer = writer.and_then(|site| sites.resolve(site, None));
        let kind = HostFindingKind::UninitialisedCopy { memory, bytes, writer };
        self.findings.add(kind, at, None);
    }

    /// Reports finished work that is not ordered with other work on the same bytes.
    pub(super) fn report_conflicts(&mut self, work: FinishedWork) {
        let conflicts = match work.work {
            Work::Free => self.findings.conflicts.of_last(work, self.streams.order()),
            _ => self.findings.conflicts.add(work, self.streams.order()),
        };
        for conflict in conflicts {
            self.remove_uninitialised(&conflict);
            let sites = self.findings.sites();
            let [first_byte, last_byte] = conflict.bytes;
            let Some((memory, start)) = self.memory.memory_at(first_byte, sites) else { continue };
            let start = start.unsigned_abs();
            let bytes = [start, start + (last_byte - first_byte)];
            let (first, second) = (conflict.first, conflict.second);
            let at = sites.resolve(second.site, Some(second.stream));
            let earlier = sites.resolve(first.site, Some(first.stream));
            let sides = ((second.stream, second.id), (first.stream, first.id));
            let replaced = self.streams.wait_for_replaced(sides.0, sides.1);
            let wait = match replaced {
                Some((wait, site)) => Some((wait, false, Some(site))),
                None => self
                    .streams
                    .wait_without_effect(second.stream, second.id, first.stream)
                    .map(|(wait, late)| (wait, late, None)),
            };
            let wait = wait.map(|(wait, late, replaced)| {
                Box::new(EventWait {
                    late,
                    at: sites.resolve(wait.site, Some(second.stream)),
                    recorded: wait
                        .recorded
                        .and_then(|(stream, site)| sites.resolve(site, Some(stream))),
                    replaced: replaced.and_then(|site| sites.resolve(site, Some(first.stream))),
                })
            });
            let parallel = conflict.parallel;
            let enqueued = second.id.number();
            let (first, second) = (first.access, second.access);
            let kind =
                HostFindingKind::MissingWait { first, second, memory, bytes, wait, parallel };
            self.findings.add_about_work(kind, at, earlier, enqueued);
        }
    }

    /// Removes the findings about uninitialised bytes that one side of a conflict has read only
    /// because the other side, which writes them, was done later. The missing wait is their cause.
    fn remove_uninitialised(&mut self, conflict: &Conflict) {
        let sides = [(&conflict.first, &conflict.second), (&conflict.second, &conflict.first)];
        for (reader, writer) in sides.into_iter().filter(|(_, writer)| writer.access.writes) {
            let ConflictSide { stream, site, .. } = *reader;
            let sites = self.findings.sites();
            let at = sites.resolve(site, Some(stream));
            let conflicts = &self.findings.conflicts;
            let launches = self.record.launches.iter_mut();
            for launch in launches.filter(|launch| launch.stream == stream.0 && launch.at == at) {
                launch.observations.findings.retain(|finding| {
                    finding.what != FindingKind::UninitialisedRead
                        || !conflicts.writes(writer.id, finding.at.address)
                });
            }
            let [first_byte, _] = conflict.bytes;
            let Some((memory, offset)) = self.memory.memory_at(first_byte, sites) else {
                continue;
            };
            let start = first_byte.wrapping_add_signed(-offset);
            self.findings.remove_uninitialised(at.as_ref(), (&memory, start), writer.id);
        }
    }

    /// Reports accesses of the host to memory that pending work uses.
    pub(super) fn report_host_races(&mut self) {
        // an access that hits the guards of several pieces of work is one mistake
        let mut reported = None;
        for hit in self.memory.new_hits() {
            let on_device = self.memory.on_device(hit.address);
            let Some(guarded) = self.memory.guarded_work(hit.number) else { continue };
            guarded.acquired |= hit.after_work && !hit.write && guarded.is_strong(on_device);
            let conflicts =
                !guarded.acquired && guarded.conflicts(hit.address, on_device, hit.write);
            if !conflicts || reported == Some(hit.access) {
                continue;
            }
            reported = Some(hit.access);
            let (site, stream) = (guarded.site, guarded.stream);
            let (work, writes) = (guarded.work.clone(), guarded.writes);
            let sites = self.findings.sites();
            let Some((memory, byte)) = self.memory.memory_at(hit.address, sites) else { continue };
            let earlier = sites.resolve(site, Some(stream));
            let source = sites::innermost_line(&hit.frames);
            let at = source.map(|source| CallSite {
                call: String::new(),
                stream: None,
                source: Some(source),
                called_from: None,
            });
            let access = WorkAccess { work, writes, stream: stream.0 };
            let (write, byte) = (hit.write, byte.unsigned_abs());
            let race = HostFindingKind::HostRace { access, memory, write, byte };
            self.findings.add_host_race(race, at, earlier);
        }
    }
}
