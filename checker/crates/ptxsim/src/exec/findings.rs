//! Collects findings: one per root cause, told by the lowest thread, with a count.

use std::collections::HashMap;

use crate::{Access, Finding, FindingKind, Source};

/// What makes two occurrences the same finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    what: std::mem::Discriminant<FindingKind>,
    at: u32,
    with: u32,
    write: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: HashMap<Key, (u64, Finding)>,
}

/// Findings of one launch are few; a kernel that is wrong everywhere needs no more than this.
const LIMIT: usize = 256;

impl Findings {
    /// Records one occurrence at operation `pc`, against operation `with`. `build` is only called when it is told.
    pub fn add(
        &mut self,
        what: FindingKind,
        pc: u32,
        with: u32,
        order: u64,
        write: bool,
        build: impl FnOnce() -> (Access, Option<Access>),
    ) {
        let key = Key { what: std::mem::discriminant(&what), at: pc, with, write };
        if let Some((first, finding)) = self.all.get_mut(&key) {
            finding.count += 1;
            if order < *first {
                *first = order;
                (finding.at, finding.with) = build();
                finding.what = what;
            }
        } else if self.all.len() < LIMIT {
            let (at, with) = build();
            self.all.insert(key, (order, Finding { what, at, with, count: 1 }));
        }
    }

    /// Takes over another host thread's findings.
    pub fn absorb(&mut self, other: Self) {
        for (key, (order, finding)) in other.all {
            match self.all.get_mut(&key) {
                Some((first, mine)) => {
                    let count = mine.count + finding.count;
                    if order < *first {
                        (*first, *mine) = (order, finding);
                    }
                    mine.count = count;
                }
                None => {
                    self.all.insert(key, (order, finding));
                }
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The findings, the most telling first, follow-ups of a root cause left out.
    pub fn finish(self) -> Vec<Finding> {
        let mut all: Vec<(Key, u64, Finding)> =
            self.all.into_iter().map(|(key, (order, finding))| (key, order, finding)).collect();
        // One thread often reads and writes past the end in one statement: the write, which harms others, comes first.
        // The place in the code decides the rest, so that the order never depends on the map's.
        all.sort_by(|(k, a, x), (l, b, y)| {
            (rank(&x.what), a, !k.write, &x.at.source, k.at, k.with)
                .cmp(&(rank(&y.what), b, !l.write, &y.at.source, l.at, l.with))
        });
        let all: Vec<(u64, Finding)> =
            all.into_iter().map(|(_, order, finding)| (order, finding)).collect();
        let racing: Vec<Source> = all
            .iter()
            .filter(|(_, f)| matches!(f.what, FindingKind::SharedRace | FindingKind::GlobalRace))
            .flat_map(|(_, f)| [Some(f.at.source.clone()), f.with.as_ref().map(|w| w.source.clone())])
            .flatten()
            .collect();
        all.into_iter()
            .map(|(_, f)| f)
            // a read that races with the write of the same word may find it unwritten: that is the race
            .filter(|f| f.what != FindingKind::UninitialisedRead || !racing.contains(&f.at.source))
            .collect()
    }
}

/// Lower is more telling: causes before their consequences.
const fn rank(what: &FindingKind) -> u8 {
    match what {
        FindingKind::OutOfBounds => 0,
        FindingKind::InvalidAddress => 1,
        FindingKind::Misaligned => 2,
        FindingKind::Assert { .. } => 3,
        FindingKind::Trap => 4,
        FindingKind::StackOverflow { .. } => 5,
        FindingKind::BarrierNotReached { .. } => 6,
        FindingKind::BadSyncMask { .. } => 7,
        FindingKind::SharedRace => 8,
        FindingKind::GlobalRace => 9,
        FindingKind::UninitialisedRead => 10,
        FindingKind::Deadlock { .. } => 11,
        FindingKind::NeverFinishes { .. } => 12,
    }
}
