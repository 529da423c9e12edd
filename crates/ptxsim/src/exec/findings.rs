//! Collects findings: one per root cause, from the lowest thread, with a count.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::{Access, Action, Finding, FindingKind, Source};

/// What makes two occurrences the same finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    kind: std::mem::Discriminant<FindingKind>,
    at: u32,
    with: u32,
    write: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: HashMap<Key, (u64, Finding)>,
}

/// The most findings of one launch. A kernel that is wrong everywhere needs no more.
const MAX_FINDINGS: usize = 256;

impl Findings {
    /// Records one occurrence at operation `pc`, against operation `with`. `build` makes the
    /// parties, and is only called when this occurrence is the one to report: the one that comes
    /// first in `order`.
    pub fn add(
        &mut self,
        what: FindingKind,
        pc: u32,
        with: u32,
        order: u64,
        write: bool,
        build: impl FnOnce() -> (Access, Option<Access>),
    ) {
        let key = Key { kind: std::mem::discriminant(&what), at: pc, with, write };
        if let Some((first, finding)) = self.all.get_mut(&key) {
            finding.count += 1;
            if order < *first {
                *first = order;
                (finding.at, finding.with) = build();
                finding.what = what;
            }
        } else if self.all.len() < MAX_FINDINGS {
            let (at, with) = build();
            self.all.insert(key, (order, Finding { what, at, with, count: 1 }));
        }
    }

    /// Adds another host thread's findings.
    pub fn absorb(&mut self, other: Self) {
        for (key, (order, finding)) in other.all {
            match self.all.get_mut(&key) {
                Some((first, kept)) => {
                    let count = kept.count + finding.count;
                    if order < *first {
                        (*first, *kept) = (order, finding);
                    }
                    kept.count = count;
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

    /// The findings, the most useful first, without those that follow from the root cause of
    /// another.
    pub fn finish(self) -> Vec<Finding> {
        let mut all: Vec<(Key, u64, Finding)> =
            self.all.into_iter().map(|(key, (order, finding))| (key, order, finding)).collect();
        // of one thread's faults, writes come before reads
        all.sort_by_cached_key(|(key, order, f)| {
            let reads = f.at.action == Action::Read;
            (rank(&f.what), *order, reads, f.at.source.clone(), key.at, key.with, key.write)
        });
        let mut causes: HashMap<Cause, usize> = HashMap::new();
        let mut one_per_cause: Vec<Finding> = vec![];
        for (_, _, finding) in all {
            match causes.entry(Cause::of(&finding)) {
                Entry::Occupied(first) => one_per_cause[*first.get()].count += finding.count,
                Entry::Vacant(entry) => {
                    entry.insert(one_per_cause.len());
                    one_per_cause.push(finding);
                }
            }
        }
        let all = without_partial_races(without_repeats(one_per_cause));
        let racing: Vec<Source> = all
            .iter()
            .filter(|f| is_race(&f.what))
            .flat_map(|f| [Some(f.at.source.clone()), f.with.as_ref().map(|w| w.source.clone())])
            .flatten()
            .collect();
        all.into_iter()
            // a read that races with the write of the same word may find it uninitialised, because
            // of the race
            .filter(|f| f.what != FindingKind::UninitialisedRead || !racing.contains(&f.at.source))
            .collect()
    }
}

/// Leaves out repeats of a wrong index: by the same thread, in another array in the same line
/// (`a[i] = b[i]`), or in the same array elsewhere (written, then read back).
fn without_repeats(all: Vec<Finding>) -> Vec<Finding> {
    let mut first: Vec<Finding> = vec![];
    for finding in all {
        let repeats = |f: &&mut Finding| {
            let (a, b) = (&f.at, &finding.at);
            matches!(f.what, FindingKind::OutOfBounds | FindingKind::Misaligned)
                && f.what == finding.what
                && (a.block, a.thread, a.index) == (b.block, b.thread, b.index)
                && a.index.is_some()
                && (a.array == b.array || a.source.line == b.source.line)
        };
        match first.iter_mut().find(repeats) {
            Some(first) => first.count += finding.count,
            None => first.push(finding),
        }
    }
    first
}

/// Leaves out a store that races with itself, if a load of the same array in a line above races
/// with it, too. Threads then read a value, and write a new one in a later line, which is one
/// cause.
fn without_partial_races(mut all: Vec<Finding>) -> Vec<Finding> {
    let parties = |f: &Finding| {
        let with = f.with.as_ref().filter(|_| is_race(&f.what))?;
        let party = |a: &Access| (a.source.file.clone(), a.source.line, a.action);
        Some([party(&f.at), party(with)])
    };
    let whole_race = |part: &Finding| {
        let [store, _] = parties(part).filter(|[a, b]| a == b && a.2 == Action::Write)?;
        all.iter().position(|f| {
            let load_above =
                |p: &(String, u32, Action)| p.2 == Action::Read && p.0 == store.0 && p.1 < store.1;
            f.what == part.what
                && f.at.array == part.at.array
                && parties(f)
                    .is_some_and(|both| both.contains(&store) && both.iter().any(load_above))
        })
    };
    let wholes: Vec<Option<usize>> = all.iter().map(whole_race).collect();
    for (part, whole) in wholes.iter().enumerate() {
        let count = all[part].count;
        if let Some(whole) = whole.and_then(|whole| all.get_mut(whole)) {
            whole.count += count;
        }
    }
    let mut wholes = wholes.into_iter();
    all.retain(|_| wholes.next().flatten().is_none());
    all
}

/// What one fix would remove. All iterations of an unrolled loop are one cause, and so are a race's
/// two directions.
#[derive(PartialEq, Eq, Hash)]
struct Cause {
    kind: std::mem::Discriminant<FindingKind>,
    /// The parties' files and lines, sorted.
    lines: [(String, u32); 2],
    action: Option<Action>,
    array: Option<String>,
}

impl Cause {
    fn of(finding: &Finding) -> Self {
        let line = |s: &Source| (s.file.clone(), s.line);
        let at = line(&finding.at.source);
        let mut lines = [at.clone(), finding.with.as_ref().map_or(at, |w| line(&w.source))];
        lines.sort();
        Self {
            kind: std::mem::discriminant(&finding.what),
            lines,
            action: (!is_race(&finding.what)).then_some(finding.at.action),
            array: finding.at.array.clone(),
        }
    }
}

const fn is_race(what: &FindingKind) -> bool {
    matches!(what, FindingKind::SharedRace | FindingKind::GlobalRace)
}

/// The rank by which findings are sorted: causes come before their consequences.
const fn rank(what: &FindingKind) -> u8 {
    match what {
        FindingKind::OutOfBounds | FindingKind::BadSurfaceCoordinate { .. } => 0,
        FindingKind::UseAfterFree
        | FindingKind::DoubleFree
        | FindingKind::InvalidFree { .. }
        | FindingKind::InvalidAddress
        | FindingKind::BadBranch { .. }
        | FindingKind::BadObject { .. } => 1,
        FindingKind::Misaligned => 2,
        FindingKind::Assert { .. } => 3,
        FindingKind::Trap | FindingKind::NotCooperative => 4,
        FindingKind::StackOverflow { .. } => 5,
        FindingKind::BarrierNotReached { .. } => 6,
        FindingKind::BadBarrier { .. } | FindingKind::BadSyncMask { .. } => 7,
        FindingKind::SharedRace => 8,
        FindingKind::GlobalRace => 9,
        FindingKind::UninitialisedRead => 10,
        FindingKind::Deadlock { .. } | FindingKind::Livelock { .. } => 11,
        FindingKind::NeverFinishes { .. } | FindingKind::OverBudget { .. } => 12,
    }
}
