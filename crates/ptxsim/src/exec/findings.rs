//! Collects findings: one per root cause, from the lowest thread, with a count.

mod thread_set;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use thread_set::ThreadSet;

use super::loops::reaches;
use super::machine::ThreadId;
use crate::decode::Program;
use crate::{Access, Action, Finding, FindingKind, Source};

/// What makes two occurrences the same finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    kind: std::mem::Discriminant<FindingKind>,
    at: u32,
    with: u32,
    write: bool,
}

/// A thread that did something wrong, and the operations that it is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occurrence {
    /// The operation.
    pub at: u32,
    /// The other party's operation; `u32::MAX` if there is none.
    pub with: u32,
    pub thread: ThreadId,
    pub write: bool,
    /// Whether the other party is certain. Such an occurrence comes before all others.
    pub certain: bool,
    /// Whether both parties are threads of one warp.
    pub one_warp: bool,
}

impl Occurrence {
    /// Of `thread` at operation `at`, with no other party.
    #[inline(always)]
    pub const fn new(at: u32, thread: ThreadId) -> Self {
        Self { at, with: u32::MAX, thread, write: false, certain: true, one_warp: false }
    }

    fn key(&self, what: &FindingKind) -> Key {
        let Self { at, with, write, .. } = *self;
        Key { kind: std::mem::discriminant(what), at, with, write }
    }

    /// The order in which occurrences are preferred: lowest block, then lowest thread.
    fn order(&self) -> u64 {
        let ThreadId { block, linear } = self.thread;
        u64::from(!self.certain) << 63 | u64::from(block) << 16 | u64::from(linear)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: Vec<(Key, Occurrences)>,
    /// Where in `all` a key is.
    places: HashMap<Key, usize>,
    /// Where the newest occurrence is. The lanes of a warp mostly have the same fault.
    last: usize,
}

/// All occurrences of a finding so far.
#[derive(Debug)]
struct Occurrences {
    /// The place in the order of that occurrence which `finding` describes.
    first: u64,
    finding: Finding,
    threads: ThreadSet,
}

impl Occurrences {
    /// Is the other one about an earlier element, and otherwise the same? The loads of an unrolled
    /// loop are different operations of one thread, in another order than its iterations.
    fn is_later_element_than(&self, other: &Self) -> bool {
        let index = |o: &Self| {
            (o.finding.what == FindingKind::UninitialisedRead).then_some(o)?.finding.at.index
        };
        self.first == other.first && index(other).zip(index(self)).is_some_and(|(a, b)| a < b)
    }

    /// Adds the occurrences of `other`, which have the same cause.
    fn join(&mut self, mut other: Self) {
        if self.is_later_element_than(&other) {
            std::mem::swap(&mut self.finding.at, &mut other.finding.at);
        }
        self.finding.count += other.finding.count;
        self.finding.one_warp &= other.finding.one_warp;
        self.threads.join(&other.threads);
    }

    /// The finding, with the number of its threads.
    fn into_finding(self) -> Finding {
        Finding { threads: self.threads.len(), ..self.finding }
    }
}

/// The most findings of one launch. A kernel that is wrong everywhere needs no more.
const MAX_FINDINGS: usize = 256;

impl Findings {
    /// Records one occurrence. `build` makes the parties, and is only called when this occurrence
    /// is the one to report: the one that comes first in the order.
    pub fn add(
        &mut self,
        what: FindingKind,
        occurrence: Occurrence,
        build: impl FnOnce() -> (Access, Option<Access>),
    ) {
        if self.count(&what, &occurrence) {
            return;
        }
        let (first, (at, with)) = (occurrence.order(), build());
        let (count, both_write, one_warp) = (1, false, occurrence.one_warp);
        let finding = Finding { what, at, with, count, threads: 1, both_write, one_warp };
        let key = occurrence.key(&finding.what);
        if let Some(kept) = self.occurrences(&key) {
            let Finding { count, one_warp, .. } = kept.finding;
            kept.threads.insert(occurrence.thread);
            kept.finding =
                Finding { count: count + 1, one_warp: one_warp & finding.one_warp, ..finding };
            kept.first = first;
        } else {
            let mut threads = ThreadSet::default();
            threads.insert(occurrence.thread);
            self.push(key, Occurrences { first, finding, threads });
        }
    }

    /// Counts an occurrence that is not the one to report. False, and nothing done, if it is.
    #[inline(always)]
    pub fn count(&mut self, what: &FindingKind, occurrence: &Occurrence) -> bool {
        let is_full = self.all.len() >= MAX_FINDINGS;
        match self.occurrences(&occurrence.key(what)) {
            Some(kept) if occurrence.order() >= kept.first => {
                kept.finding.count += 1;
                kept.finding.one_warp &= occurrence.one_warp;
                kept.threads.insert(occurrence.thread);
                true
            }
            Some(_) => false,
            None => is_full,
        }
    }

    fn occurrences(&mut self, key: &Key) -> Option<&mut Occurrences> {
        if self.all.get(self.last).is_none_or(|(last, _)| last != key) {
            self.last = *self.places.get(key)?;
        }
        self.all.get_mut(self.last).map(|(_, occurrences)| occurrences)
    }

    fn push(&mut self, key: Key, occurrences: Occurrences) {
        self.places.insert(key, self.all.len());
        self.all.push((key, occurrences));
    }

    /// Adds another host thread's findings.
    pub fn absorb(&mut self, other: Self) {
        for (key, mut other) in other.all {
            match self.occurrences(&key) {
                Some(kept) => {
                    if other.first < kept.first {
                        std::mem::swap(kept, &mut other);
                    }
                    kept.join(other);
                }
                None => self.push(key, other),
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The findings in `program`, the most useful first, without those that follow from the root
    /// cause of another.
    pub fn finish(self, program: Option<&Program>) -> Vec<Finding> {
        let mut all = self.all;
        // of one thread's faults, writes come before reads unless the first access ends the kernel
        // on a GPU, and null pointers last: a load from an invalid address returns one
        all.sort_by_cached_key(|(key, Occurrences { first, finding: f, .. })| {
            let null = f.what == FindingKind::InvalidAddress && f.at.address < NULL_PAGE_BYTES;
            let ends = matches!(f.what, FindingKind::InvalidAddress | FindingKind::Misaligned);
            let reads = f.at.action == Action::Read && !ends;
            let line = (f.at.source.file.clone(), f.at.source.line);
            let column = if ends { 0 } else { f.at.source.column };
            let order = (null, reads, line, column);
            (rank(&f.what), *first, order, key.at, key.with, key.write)
        });
        if let Some(program) = program {
            races_before_barriers(&mut all, program);
        }
        let mut causes: HashMap<Cause, usize> = HashMap::new();
        let mut one_per_cause: Vec<Occurrences> = vec![];
        for (_, occurrences) in all {
            match causes.entry(Cause::of(&occurrences.finding)) {
                Entry::Occupied(first) => one_per_cause[*first.get()].join(occurrences),
                Entry::Vacant(entry) => {
                    entry.insert(one_per_cause.len());
                    one_per_cause.push(occurrences);
                }
            }
        }
        let one_per_cause = without_partial_races(without_repeats(one_per_cause));
        let all: Vec<Finding> = one_per_cause.into_iter().map(Occurrences::into_finding).collect();
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

/// Moves a race of one block in front of the barriers that some threads don't reach if both of its
/// accesses are made before any of these barriers: the race cannot follow from them, but the raced
/// value may decide which threads reach them.
fn races_before_barriers(all: &mut Vec<(Key, Occurrences)>, program: &Program) {
    let is_barrier = |f: &Finding| matches!(f.what, FindingKind::BarrierNotReached { .. });
    let barriers = all.iter().filter(|(_, o)| is_barrier(&o.finding)).map(|(key, _)| key.at);
    let barriers: Vec<u32> = barriers.collect();
    let first = all.iter().position(|(_, o)| is_barrier(&o.finding));
    let Some(first) = first else { return };
    let before =
        |access: u32| barriers.iter().all(|from| reaches(program, *from, access) == Some(false));
    // the prior party of a race is the number of its memory operation
    let prior = |site: u32| program.memory.get(site as usize).is_some_and(|op| before(op.pc));
    let race = all.iter().position(|(key, o)| {
        let f = &o.finding;
        let own = f.with.as_ref().is_some_and(|with| with.block == f.at.block);
        is_race(&f.what) && own && before(key.at) && prior(key.with)
    });
    if let Some(race) = race.filter(|race| *race > first) {
        let race = all.remove(race);
        all.insert(first, race);
    }
}

/// Addresses below this are a null pointer plus a small index.
const NULL_PAGE_BYTES: u64 = 1 << 16;

/// Leaves out repeats of a wrong index: by the same thread, in another array in the same line
/// (`a[i] = b[i]`), or in the same array elsewhere (written, then read back).
fn without_repeats(all: Vec<Occurrences>) -> Vec<Occurrences> {
    let mut first: Vec<Occurrences> = vec![];
    for occurrences in all {
        let repeats = |f: &&mut Occurrences| {
            let (a, b) = (&f.finding.at, &occurrences.finding.at);
            matches!(f.finding.what, FindingKind::OutOfBounds | FindingKind::Misaligned)
                && f.finding.what == occurrences.finding.what
                && (a.block, a.thread, a.index) == (b.block, b.thread, b.index)
                && a.index.is_some()
                && (a.array == b.array || a.source.line == b.source.line)
        };
        match first.iter_mut().find(repeats) {
            // One use of the index is in two accesses of a line, so they are not two occurrences.
            // Other threads may use it in another line.
            Some(first) if first.finding.at.source.line == occurrences.finding.at.source.line => {
                first.finding.count = first.finding.count.max(occurrences.finding.count);
                first.threads.join(&occurrences.threads);
            }
            Some(_) => {}
            None => first.push(occurrences),
        }
    }
    first
}

/// Leaves out a store that races with itself, if a load of the same array in a line above races
/// with it, too. Threads then read a value, and write a new one in a later line, which is one
/// cause.
fn without_partial_races(mut all: Vec<Occurrences>) -> Vec<Occurrences> {
    let parties = |f: &Finding| {
        let with = f.with.as_ref().filter(|_| is_race(&f.what))?;
        let party = |a: &Access| (a.source.file.clone(), a.source.line, a.action);
        Some([party(&f.at), party(with)])
    };
    let whole_race = |part: &Finding| {
        let [store, _] = parties(part).filter(|[a, b]| a == b && a.2 == Action::Write)?;
        all.iter().map(|other| &other.finding).position(|f| {
            let load_above =
                |p: &(String, u32, Action)| p.2 == Action::Read && p.0 == store.0 && p.1 < store.1;
            f.what == part.what
                && f.at.array == part.at.array
                && parties(f)
                    .is_some_and(|both| both.contains(&store) && both.iter().any(load_above))
        })
    };
    let wholes: Vec<Option<usize>> = all.iter().map(|part| whole_race(&part.finding)).collect();
    for (part, whole) in wholes.iter().enumerate() {
        let Some(whole) = *whole else { continue };
        let threads = std::mem::take(&mut all[part].threads);
        let Finding { count, one_warp, .. } = all[part].finding;
        let whole = &mut all[whole];
        whole.finding.count += count;
        whole.finding.both_write = true;
        whole.finding.one_warp &= one_warp;
        whole.threads.join(&threads);
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
        FindingKind::BadBarrier { .. }
        | FindingKind::BadSyncMask { .. }
        | FindingKind::BadMatrixOperation { .. } => 7,
        FindingKind::SharedRace => 8,
        FindingKind::GlobalRace => 9,
        FindingKind::UninitialisedRead => 10,
        FindingKind::Deadlock { .. } | FindingKind::Livelock { .. } => 11,
        FindingKind::NeverFinishes { .. } | FindingKind::OverBudget { .. } => 12,
    }
}
