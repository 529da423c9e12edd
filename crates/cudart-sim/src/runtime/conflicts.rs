//! Work that touches the same bytes in no order: a missing wait, whatever the schedule makes of it.
//!
//! Work that has been done is kept as long as other work may turn out to be unordered with it.

use ptxsim::{AccessMode, AccessSet, Overlap};

use super::Runtime;
use super::region::Region;
use super::sites::Site;
use super::work::{From, Work};
use crate::graph::{Id, Stream};
use crate::report::{self, HostFindingKind, WorkAccess};

/// Pieces of work that are kept at most.
const MOST: usize = 256;

/// A piece of work that has been done.
#[derive(Debug)]
pub(super) struct Done {
    id: Id,
    stream: Stream,
    site: Site,
    what: report::Work,
    touched: Bytes,
    /// The host has heard of it: work with this number and later ones come after it.
    heard: Option<Id>,
}

/// The bytes that a piece of work touches.
#[derive(Debug)]
pub(super) enum Bytes {
    /// Addresses and sizes, in the order of the addresses.
    Ranges(Vec<(u64, u64, AccessMode)>),
    /// A kernel's.
    Of(AccessSet),
}

impl Bytes {
    /// Where this work and a later one meet.
    fn meets(&self, later: &Self) -> Option<Overlap> {
        match (self, later) {
            (Self::Of(a), Self::Of(b)) => a.overlap(b),
            (Self::Of(kernel), Self::Ranges(ranges)) => {
                ranges.iter().find_map(|range| kernel.overlap_with_range(*range))
            }
            (Self::Ranges(ranges), Self::Of(kernel)) => {
                let met = ranges.iter().find_map(|range| kernel.overlap_with_range(*range))?;
                let [a, b] = met.writes;
                Some(Overlap { writes: [b, a], ..met })
            }
            (Self::Ranges(a), Self::Ranges(b)) => meet(a, b),
        }
    }
}

/// Where ranges of two pieces of work meet. Neither's overlap among themselves, other than what is read with what is written.
fn meet(a: &[(u64, u64, AccessMode)], b: &[(u64, u64, AccessMode)]) -> Option<Overlap> {
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

impl Work {
    /// What it is in findings; `None` for what touches no memory.
    pub(super) fn described(&self) -> Option<report::Work> {
        match self {
            Self::Kernel { name, .. } => Some(report::Work::Kernel { name: name.clone() }),
            Self::Copy { to_device, to, source } => Some(report::Work::Copy {
                bytes: to.bytes(),
                to_device: *to_device,
                from_device: matches!(source, From::Device(_)),
            }),
            Self::Set { to, .. } => Some(report::Work::Set { bytes: to.bytes() }),
            Self::Event | Self::Call(_) | Self::Free(_) => None,
        }
    }

    /// The bytes that a copy or a set touches while it is done.
    pub(super) fn ranges(&self) -> Vec<(u64, u64, AccessMode)> {
        let rows = |region: &Region, how| {
            let width = region.extent.width;
            region.rows().map(move |row| (row, width, how)).collect::<Vec<_>>()
        };
        let mut all = match self {
            Self::Copy { to, source, .. } => {
                let mut all = match source {
                    From::Device(from) | From::Host(from) => rows(from, AccessMode::Read),
                    From::Staged(_) => vec![],
                };
                all.extend(rows(to, AccessMode::Write));
                all
            }
            Self::Set { to, .. } => rows(to, AccessMode::Write),
            Self::Kernel { .. } | Self::Event | Self::Call(_) | Self::Free(_) => vec![],
        };
        all.sort_unstable_by_key(|(at, ..)| *at);
        all
    }
}

impl Runtime {
    /// A piece of work has been done: is it ordered with all that touched the same bytes?
    pub(super) fn compare(
        &mut self,
        (id, stream, site): (Id, Stream, Site),
        what: report::Work,
        touched: Bytes,
    ) {
        let done = Done { id, stream, site, what, touched, heard: None };
        let order = self.graph.order();
        let unordered = |other: &&Done| {
            let (a, b) = if other.id < id { (*other, &done) } else { (&done, *other) };
            a.heard.is_none_or(|heard| b.id < heard) && !order.before((a.id, a.stream), b.id)
        };
        let meetings: Vec<_> = self
            .done
            .iter()
            .filter(unordered)
            .filter_map(|other| {
                let (a, b) = if other.id < id { (other, &done) } else { (&done, other) };
                let met = a.touched.meets(&b.touched)?;
                let party = |done: &Done, writes| {
                    let (work, stream) = (done.what.clone(), done.stream.0);
                    (WorkAccess { work, writes, stream }, done.site, done.stream)
                };
                Some((met, party(a, met.writes[0]), party(b, met.writes[1])))
            })
            .collect();
        for (met, first, second) in meetings {
            let Some((memory, start)) = self.memory_at(met.first) else { continue };
            let start = start.unsigned_abs();
            let bytes = [start, start + (met.last - met.first)];
            let (at, with) =
                (self.place(second.1, Some(second.2)), self.place(first.1, Some(first.2)));
            let (first, second) = (first.0, second.0);
            self.found(HostFindingKind::MissingWait { first, second, memory, bytes }, at, with);
        }
        self.done.push(done);
        if self.done.len() > MOST {
            self.done.remove(0);
        }
    }

    /// Forgets work that everything else is ordered with by now.
    pub(super) fn settle(&mut self) {
        self.give_back();
        let upcoming = self.graph.upcoming();
        let oldest = self.graph.oldest();
        let order = self.graph.order();
        for done in &mut self.done {
            if done.heard.is_none() && order.known(done.id) {
                done.heard = Some(upcoming);
            }
        }
        self.done.retain(|done| {
            done.heard.is_none_or(|heard| oldest.is_some_and(|oldest| oldest < heard))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{AccessMode, meet};

    #[test]
    fn ranges_meet_where_one_writes() {
        use AccessMode::{Read, Write};
        let rows =
            |at: u64, n: u64| (0..n).map(move |i| (at + i * 100, 10, Write)).collect::<Vec<_>>();
        assert_eq!(meet(&rows(0, 50), &rows(10, 50)), None);
        let met = meet(&rows(0, 50), &[(4805, 3, Read)]).expect("they do");
        assert_eq!((met.first, met.last, met.writes), (4805, 4807, [true, false]));
        assert_eq!(meet(&[(0, 10, Read)], &[(0, 10, Read)]), None);
        let both = [(0, 10, Read), (0, 10, Write)];
        assert!(meet(&both, &[(9, 1, Read)]).is_some());
    }
}
