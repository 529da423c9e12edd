//! Collects findings: one per root cause, told by the lowest thread, with a count.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::{Access, Action, Finding, FindingKind, Source};

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
        // of one thread's faults, what it breaks comes before what it reads
        all.sort_by_cached_key(|(key, order, f)| {
            let reads = f.at.action == Action::Read;
            (rank(&f.what), *order, reads, f.at.source.clone(), key.at, key.with, key.write)
        });
        let mut causes: HashMap<Cause, usize> = HashMap::new();
        let mut one_each: Vec<Finding> = vec![];
        for (_, _, finding) in all {
            match causes.entry(Cause::of(&finding)) {
                Entry::Occupied(first) => one_each[*first.get()].count += finding.count,
                Entry::Vacant(place) => {
                    place.insert(one_each.len());
                    one_each.push(finding);
                }
            }
        }
        let all = without_halves(without_echoes(one_each));
        let racing: Vec<Source> = all
            .iter()
            .filter(|f| is_race(&f.what))
            .flat_map(|f| [Some(f.at.source.clone()), f.with.as_ref().map(|w| w.source.clone())])
            .flatten()
            .collect();
        all.into_iter()
            // a read that races with the write of the same word may find it unwritten: that is the race
            .filter(|f| f.what != FindingKind::UninitialisedRead || !racing.contains(&f.at.source))
            .collect()
    }
}

/// Leaves out what follows from an address that was told already: the same thread at the same wrong index, of another
/// array in the same line (`a[i] = b[i]`), or of the same array elsewhere (written, then read back).
fn without_echoes(all: Vec<Finding>) -> Vec<Finding> {
    let mut first: Vec<Finding> = vec![];
    for finding in all {
        let echoes = |f: &&mut Finding| {
            let (a, b) = (&f.at, &finding.at);
            matches!(f.what, FindingKind::OutOfBounds | FindingKind::Misaligned)
                && f.what == finding.what
                && (a.block, a.thread, a.index) == (b.block, b.thread, b.index)
                && a.index.is_some()
                && (a.array == b.array || a.source.line == b.source.line)
        };
        match first.iter_mut().find(echoes) {
            Some(told) => told.count += finding.count,
            None => first.push(finding),
        }
    }
    first
}

/// Leaves out a store that races with itself where a load above it of the same array races with it, too: threads read a
/// value, and write a new one in a later line. That is one cause.
fn without_halves(mut all: Vec<Finding>) -> Vec<Finding> {
    let parties = |f: &Finding| {
        let with = f.with.as_ref().filter(|_| is_race(&f.what))?;
        let party = |a: &Access| (a.source.file.clone(), a.source.line, a.action);
        Some([party(&f.at), party(with)])
    };
    let whole = |half: &Finding| {
        let [store, _] = parties(half).filter(|[a, b]| a == b && a.2 == Action::Write)?;
        all.iter().position(|f| {
            let load_above =
                |p: &(String, u32, Action)| p.2 == Action::Read && p.0 == store.0 && p.1 < store.1;
            f.what == half.what
                && f.at.array == half.at.array
                && parties(f)
                    .is_some_and(|both| both.contains(&store) && both.iter().any(load_above))
        })
    };
    let wholes: Vec<Option<usize>> = all.iter().map(whole).collect();
    for (half, whole) in wholes.iter().enumerate() {
        let count = all[half].count;
        if let Some(whole) = whole.and_then(|whole| all.get_mut(whole)) {
            whole.count += count;
        }
    }
    let mut wholes = wholes.into_iter();
    all.retain(|_| wholes.next().flatten().is_none());
    all
}

/// What the learner would mend in one place: an unrolled loop is one line, and so are a race's two directions.
#[derive(PartialEq, Eq, Hash)]
struct Cause {
    what: std::mem::Discriminant<FindingKind>,
    places: [(String, u32); 2],
    action: Option<Action>,
    array: Option<String>,
}

impl Cause {
    fn of(finding: &Finding) -> Self {
        let place = |s: &Source| (s.file.clone(), s.line);
        let at = place(&finding.at.source);
        let mut places = [at.clone(), finding.with.as_ref().map_or(at, |w| place(&w.source))];
        places.sort();
        Self {
            what: std::mem::discriminant(&finding.what),
            places,
            action: (!is_race(&finding.what)).then_some(finding.at.action),
            array: finding.at.array.clone(),
        }
    }
}

const fn is_race(what: &FindingKind) -> bool {
    matches!(what, FindingKind::SharedRace | FindingKind::GlobalRace)
}

/// Lower is more telling: causes before their consequences.
const fn rank(what: &FindingKind) -> u8 {
    match what {
        FindingKind::OutOfBounds | FindingKind::BadSurfaceCoordinate { .. } => 0,
        FindingKind::UseAfterFree
        | FindingKind::DoubleFree
        | FindingKind::InvalidFree { .. }
        | FindingKind::InvalidAddress
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
        FindingKind::NeverFinishes { .. } => 12,
    }
}
