//! Pieces of work that use the same bytes without being ordered: a missing wait, in whichever order
//! the work was done.
//!
//! Finished work is kept as long as other work may turn out to be unordered with it.

use std::collections::BTreeSet;

use ptxsim::{AccessMode, AccessSet, Overlap};

use super::sites::SiteId;
use crate::graph::{Id, Stream};
use crate::order::Order;
use crate::report::{self, WorkAccess};

/// The most pieces of finished work that are recorded.
const MAX_FINISHED: usize = 256;

/// A piece of work that has been done.
#[derive(Debug)]
pub(in crate::runtime) struct FinishedWork {
    pub id: Id,
    pub stream: Stream,
    pub site: SiteId,
    pub work: report::Work,
    pub accessed: AccessedBytes,
}

/// The bytes that a piece of work accessed.
#[derive(Debug, Clone)]
pub(in crate::runtime) enum AccessedBytes {
    /// Of a copy or a set: ranges, in the order of their addresses.
    Ranges(Vec<AccessedRange>),
    /// Of a kernel.
    Kernel(AccessSet),
}

/// An address, a number of bytes, and how they are accessed.
pub(in crate::runtime) type AccessedRange = (u64, u64, AccessMode);

/// One of two pieces of work that conflict.
#[derive(Debug)]
pub(in crate::runtime) struct ConflictSide {
    pub id: Id,
    pub access: WorkAccess,
    pub site: SiteId,
    pub stream: Stream,
}

/// Two pieces of work that access the same bytes and are not ordered.
#[derive(Debug)]
pub(in crate::runtime) struct Conflict {
    /// The first and the last address of common bytes.
    pub bytes: [u64; 2],
    /// The work that was enqueued first.
    pub first: ConflictSide,
    /// The work that was enqueued later.
    pub second: ConflictSide,
    /// Was the call that enqueued one of them also made for the other one's stream?
    pub parallel: bool,
}

impl AccessedBytes {
    /// Does the work access this byte such that an access of the host, which may be a `write`,
    /// needs an order? An atomic or strong operation of a kernel needs none: the host then polls,
    /// or its own access is atomic.
    pub fn needs_order(&self, address: u64, on_device: u64, write: bool) -> bool {
        match self {
            Self::Ranges(ranges) => ranges.iter().any(|(at, bytes, mode)| {
                let inside = (*at..at.saturating_add(*bytes)).contains(&address);
                inside && (write || *mode == AccessMode::Write)
            }),
            Self::Kernel(kernel) => {
                let [read, written, _] = kernel.modes_at(on_device);
                written || write && read
            }
        }
    }

    /// Did a kernel access this byte with an atomic or strong operation?
    pub fn is_strong(&self, address: u64) -> bool {
        match self {
            Self::Ranges(_) => false,
            Self::Kernel(kernel) => kernel.modes_at(address)[AccessMode::Strong as usize],
        }
    }

    /// The first overlap of this work with later work.
    fn overlap(&self, later: &Self) -> Option<Overlap> {
        match (self, later) {
            (Self::Kernel(a), Self::Kernel(b)) => a.overlap(b),
            (Self::Kernel(kernel), Self::Ranges(ranges)) => {
                ranges.iter().find_map(|range| kernel.overlap_with_range(*range))
            }
            (Self::Ranges(ranges), Self::Kernel(kernel)) => {
                let overlap = ranges.iter().find_map(|range| kernel.overlap_with_range(*range))?;
                let [a, b] = overlap.writes;
                Some(Overlap { writes: [b, a], ..overlap })
            }
            (Self::Ranges(a), Self::Ranges(b)) => first_overlap(a, b),
        }
    }
}

/// The first overlap of ranges of two pieces of work. Ranges of the same work overlap only if one
/// is read and the other written.
fn first_overlap(a: &[AccessedRange], b: &[AccessedRange]) -> Option<Overlap> {
    let mut from = 0;
    for (at, bytes, how) in a {
        let end = at.saturating_add(*bytes);
        while b.get(from).is_some_and(|(at2, bytes2, _)| at2.saturating_add(*bytes2) <= *at) {
            from += 1;
        }
        let near = b[from..].iter().take_while(|(at2, ..)| *at2 < end);
        for (at2, bytes2, how2) in near {
            let (first, last) = ((*at).max(*at2), end.min(at2.saturating_add(*bytes2)));
            let writes = [*how == AccessMode::Write, *how2 == AccessMode::Write];
            if first < last && writes != [false; 2] {
                return Some(Overlap { first, last: last - 1, writes });
            }
        }
    }
    None
}

/// Finished work that is recorded.
#[derive(Debug)]
struct RecordedWork {
    work: FinishedWork,
    /// Once the host has synchronised with the work: the id of the next work at that time. All work
    /// from that id on is ordered after this work.
    synchronised_before: Option<Id>,
}

/// Finished work that other work may be unordered with.
#[derive(Debug, Default)]
pub(in crate::runtime) struct Conflicts {
    finished: Vec<RecordedWork>,
    /// Pairs of work, of which the second waited for a flag that the first set.
    signalled: BTreeSet<(Id, Id)>,
}

impl Conflicts {
    /// Adds work that has just been done, and returns its conflicts with other work.
    pub fn add(&mut self, work: FinishedWork, order: &Order) -> Vec<Conflict> {
        let new = RecordedWork { work, synchronised_before: None };
        let conflicts = self.of(&new, order);
        self.finished.push(new);
        if self.finished.len() > MAX_FINISHED {
            self.finished.remove(0);
        }
        conflicts
    }

    /// The conflicts of work that is about to be done with other work. After it, no work can
    /// conflict with it.
    pub fn of_last(&self, work: FinishedWork, order: &Order) -> Vec<Conflict> {
        self.of(&RecordedWork { work, synchronised_before: None }, order)
    }

    fn of(&self, new: &RecordedWork, order: &Order) -> Vec<Conflict> {
        self.finished
            .iter()
            .map(|other| if other.work.id < new.work.id { (other, new) } else { (new, other) })
            .filter(|(first, second)| {
                let later = second.work.id;
                let enqueued_before_the_wait =
                    first.synchronised_before.is_none_or(|before| later < before);
                let pair = (first.work.id, later);
                enqueued_before_the_wait
                    && !self.signalled.contains(&pair)
                    && !self.signalled.contains(&(pair.1, pair.0))
                    && !order.is_before((first.work.id, first.work.stream), later)
            })
            .filter_map(|(first, second)| {
                let overlap = first.work.accessed.overlap(&second.work.accessed)?;
                let side = |recorded: &RecordedWork, writes| {
                    let FinishedWork { id, stream, site, ref work, .. } = recorded.work;
                    let access = WorkAccess { work: work.clone(), writes, stream: stream.0 };
                    ConflictSide { id, access, site, stream }
                };
                let called = |site: SiteId, stream: Stream| {
                    let mut all = self.finished.iter().chain([new]);
                    all.any(|w| w.work.site == site && w.work.stream == stream)
                };
                let (a, b) = (&first.work, &second.work);
                let parallel =
                    a.stream != b.stream && (called(a.site, b.stream) || called(b.site, a.stream));
                Some(Conflict {
                    bytes: [overlap.first, overlap.last],
                    first: side(first, overlap.writes[0]),
                    second: side(second, overlap.writes[1]),
                    parallel,
                })
            })
            .collect()
    }

    /// Is there finished work that other work may be unordered with?
    pub fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Does this finished work write the byte at this address?
    pub fn writes(&self, id: Id, address: u64) -> bool {
        let written = |recorded: &RecordedWork| match &recorded.work.accessed {
            AccessedBytes::Kernel(kernel) => kernel.modes_at(address)[AccessMode::Write as usize],
            AccessedBytes::Ranges(ranges) => ranges.iter().any(|(at, bytes, mode)| {
                let inside = (*at..at.saturating_add(*bytes)).contains(&address);
                inside && *mode == AccessMode::Write
            }),
        };
        self.finished.iter().any(|recorded| recorded.work.id == id && written(recorded))
    }

    /// A kernel that accessed these bytes waited until `signal` had been done. If that work changed
    /// what the kernel polled, the kernel is ordered after it.
    pub fn signalled(&mut self, signal: Id, waiter: Id, accessed: &AccessSet) {
        let polled = |recorded: &RecordedWork| match &recorded.work.accessed {
            AccessedBytes::Kernel(kernel) => kernel.has_common_strong(accessed),
            AccessedBytes::Ranges(ranges) => ranges.iter().any(|(address, bytes, mode)| {
                let written = *mode == AccessMode::Write;
                written && accessed.is_strong_in(*address, *bytes)
            }),
        };
        if self.finished.iter().any(|other| other.work.id == signal && polled(other)) {
            self.signalled.insert((signal, waiter));
        }
    }

    /// The host has waited, so work that all other work is ordered with now is removed. `upcoming`
    /// is the id of the next work, and `oldest` that of the oldest pending work.
    pub fn forget_ordered(&mut self, upcoming: Id, oldest: Option<Id>, order: &Order) {
        for recorded in &mut self.finished {
            if recorded.synchronised_before.is_none() && order.is_synchronised(recorded.work.id) {
                recorded.synchronised_before = Some(upcoming);
            }
        }
        if oldest.is_none() {
            self.signalled.clear();
        }
        self.finished.retain(|recorded| {
            recorded
                .synchronised_before
                .is_none_or(|before| oldest.is_some_and(|oldest| oldest < before))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{AccessMode, first_overlap};

    #[test]
    fn ranges_overlap_where_one_writes() {
        use AccessMode::{Read, Write};
        let rows =
            |at: u64, n: u64| (0..n).map(move |i| (at + i * 100, 10, Write)).collect::<Vec<_>>();
        assert_eq!(first_overlap(&rows(0, 50), &rows(10, 50)), None);
        let overlap = first_overlap(&rows(0, 50), &[(4805, 3, Read)]).expect("they overlap");
        assert_eq!((overlap.first, overlap.last, overlap.writes), (4805, 4807, [true, false]));
        assert_eq!(first_overlap(&[(0, 10, Read)], &[(0, 10, Read)]), None);
        let both = [(0, 10, Read), (0, 10, Write)];
        assert!(first_overlap(&both, &[(9, 1, Read)]).is_some());
    }
}
