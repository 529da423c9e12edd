//! The race detector against a reference that is slow and obviously right, on random traces.

use std::collections::HashSet;

use super::cell::{ShadowCell, mark};
use super::current_access::{CurrentAccess, check_and_record};
use super::fast_path::FastPath;
use super::pages::{PAGE_WORDS, SlotShadow};
use super::prior_access::{AccessGroup, PriorAccess, PriorLists, Strength};
use super::renumber::{StampMap, renumber_cells};
use super::sync_state::{Epochs, StrongWrite, SyncAddress, SyncState};
use super::vector_clock::BlockClock;
use crate::decode::op::Scope;
use crate::exec::machine::ThreadId;
use crate::memory::Initialised;
use proptest::prelude::*;

/// Lanes of each warp, warps of each block, and blocks that the traces use.
const LANES: u32 = 3;
const WARPS: u32 = 2;
const BLOCKS: u32 = 2;
const THREADS: usize = (LANES * WARPS * BLOCKS) as usize;

#[derive(Debug, Clone, Copy)]
enum Event {
    /// An access of the word: the thread, its first byte and number of bytes; strong ones with
    /// their scope.
    Access {
        thread: usize,
        byte: u8,
        bytes: u8,
        write: bool,
        strong: Option<Scope>,
    },
    Barrier {
        block: u32,
    },
    WarpSync {
        block: u32,
        warp: u32,
    },
    /// Renumbers the block's stamps.
    Renumber {
        block: u32,
    },
    Fence {
        thread: usize,
        scope: Scope,
    },
    /// A strong load from a flag.
    Load {
        thread: usize,
        flag: u32,
        scope: Scope,
        acquire: bool,
    },
    /// A strong store to a flag.
    Store {
        thread: usize,
        flag: u32,
        scope: Scope,
        release: bool,
    },
    /// An atomic on a flag.
    Add {
        thread: usize,
        flag: u32,
        scope: Scope,
        acquire: bool,
        release: bool,
    },
    /// A plain store to a flag.
    Clear {
        thread: usize,
        flag: u32,
    },
    /// The members, a bit per thread of the block, synchronise with each other.
    Synchronise {
        block: u32,
        members: u8,
    },
    /// The members arrive at a numbered barrier without waiting.
    Arrive {
        block: u32,
        members: u8,
    },
    /// The members wait at it, and it opens.
    Open {
        block: u32,
        members: u8,
    },
}

/// Where a thread of the trace is.
struct Position {
    block: u32,
    warp: u32,
    /// Index in the block.
    linear: u32,
}

fn position(thread: usize) -> Position {
    let thread = thread as u32;
    let (block, rest) = (thread / (LANES * WARPS), thread % (LANES * WARPS));
    Position { block, warp: rest / LANES, linear: rest / LANES * 32 + rest % LANES }
}

fn members(block: u32, members: u8) -> Vec<usize> {
    let first = (block * LANES * WARPS) as usize;
    (first..first + (LANES * WARPS) as usize).filter(|t| members >> (t - first) & 1 == 1).collect()
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![1 => Just(Scope::Cta), 3 => Just(Scope::Gpu)]
}

fn simple() -> impl Strategy<Value = Event> {
    let strong =
        prop_oneof![4 => Just(None), 1 => Just(Some(Scope::Gpu)), 1 => Just(Some(Scope::Cta))];
    let access = (0..THREADS, 0..3_u8, 0..4_u8, any::<bool>(), strong).prop_map(
        |(thread, size, byte, write, strong)| {
            let bytes = 1 << size;
            Event::Access { thread, byte: byte / bytes * bytes, bytes, write, strong }
        },
    );
    prop_oneof![
        9 => access,
        1 => (0..BLOCKS).prop_map(|block| Event::Barrier { block }),
        1 => (0..BLOCKS, 0..WARPS).prop_map(|(block, warp)| Event::WarpSync { block, warp }),
        1 => (0..BLOCKS).prop_map(|block| Event::Renumber { block }),
    ]
}

fn any_event() -> impl Strategy<Value = Event> {
    let (t, f, b) = (0..THREADS, 0..2_u32, 0..BLOCKS);
    prop_oneof![
        8 => simple(),
        2 => (t.clone(), scope()).prop_map(|(thread, scope)| Event::Fence { thread, scope }),
        2 => (t.clone(), f.clone(), scope(), any::<bool>())
            .prop_map(|(thread, flag, scope, acquire)| Event::Load { thread, flag, scope, acquire }),
        2 => (t.clone(), f.clone(), scope(), any::<bool>())
            .prop_map(|(thread, flag, scope, release)| Event::Store { thread, flag, scope, release }),
        2 => (t.clone(), f.clone(), scope(), any::<bool>(), any::<bool>()).prop_map(
            |(thread, flag, scope, acquire, release)| Event::Add { thread, flag, scope, acquire, release }
        ),
        1 => (t, f).prop_map(|(thread, flag)| Event::Clear { thread, flag }),
        1 => (b.clone(), 1..64_u8).prop_map(|(block, members)| Event::Synchronise { block, members }),
        1 => (b.clone(), 1..64_u8).prop_map(|(block, members)| Event::Arrive { block, members }),
        1 => (b, 1..64_u8).prop_map(|(block, members)| Event::Open { block, members }),
    ]
}

type Clock = [u32; THREADS];

fn join(to: &mut Clock, from: &Clock) {
    to.iter_mut().zip(from).for_each(|(a, b)| *a = (*a).max(*b));
}

#[derive(Default, Clone, Copy)]
struct Flag {
    device: Clock,
    cta: [Clock; BLOCKS as usize],
    writer: Option<usize>,
}

#[derive(Clone, Copy)]
struct Accessed {
    thread: usize,
    /// The thread's own clock at the access.
    time: u32,
    bytes: u8,
    write: bool,
    strong: Option<Scope>,
}

fn are_morally_strong(a: &Accessed, b: &Accessed, shared: bool) -> bool {
    let same_block = shared || position(a.thread).block == position(b.thread).block;
    let gpu = Some(Scope::Gpu);
    a.strong.is_some()
        && b.strong.is_some()
        && a.bytes == b.bytes
        && (same_block || a.strong == gpu && b.strong == gpu)
}

/// Full vector clocks, and every access that ever was.
#[derive(Default)]
struct Reference {
    clocks: [Clock; THREADS],
    acquired: [Clock; THREADS],
    acquired_cta: [Clock; THREADS],
    released: [Clock; THREADS],
    released_cta: [Clock; THREADS],
    flags: [Flag; 2],
    arrived: [Clock; BLOCKS as usize],
    accesses: Vec<Accessed>,
}

impl Reference {
    fn new() -> Self {
        let mut new = Self::default();
        (0..THREADS).for_each(|t| new.clocks[t][t] = 1);
        new
    }

    /// Has the thread written some of these bytes with a strong access?
    fn wrote_strongly(&self, thread: usize, bytes: u8) -> bool {
        self.accesses.iter().any(|prior| {
            prior.thread == thread
                && prior.write
                && prior.strong.is_some()
                && prior.bytes & bytes != 0
        })
    }

    /// Does this access race with an earlier one? In shared memory every scope is the block.
    fn access(
        &mut self,
        thread: usize,
        bytes: u8,
        write: bool,
        strong: Option<Scope>,
        shared: bool,
    ) -> bool {
        let new = Accessed { thread, time: self.clocks[thread][thread], bytes, write, strong };
        let race = (0..self.accesses.len()).any(|i| {
            let old = self.accesses[i];
            old.bytes & bytes != 0
                && (write || old.write)
                && !are_morally_strong(&old, &new, shared)
                && !self.is_before(i, thread, shared)
        });
        self.accesses.push(new);
        race
    }

    /// Is access `i` ordered before what thread `t` does now? Its atomics observe what they replace
    /// (causality order).
    fn is_before(&self, i: usize, t: usize, shared: bool) -> bool {
        let old = &self.accesses[i];
        self.clocks[t][old.thread] >= old.time
            || old.write
                && (i + 1..self.accesses.len()).any(|j| {
                    let later = &self.accesses[j];
                    later.write
                        && are_morally_strong(old, later, shared)
                        && self.is_before(j, t, shared)
                })
    }

    /// Later accesses of the thread have a later time.
    fn tick(&mut self, t: usize) {
        self.clocks[t][t] += 1;
    }

    fn synchronise(&mut self, threads: &[usize], arrived: &Clock) {
        let mut joined = *arrived;
        for t in threads {
            for clock in [&self.clocks[*t], &self.acquired[*t], &self.acquired_cta[*t]] {
                join(&mut joined, clock);
            }
        }
        for t in threads {
            self.clocks[*t] = joined;
            (self.acquired[*t], self.acquired_cta[*t]) = Default::default();
            self.tick(*t);
        }
    }

    fn fence(&mut self, t: usize, scope: Scope) {
        let cta = std::mem::take(&mut self.acquired_cta[t]);
        join(&mut self.clocks[t], &cta);
        if scope == Scope::Gpu {
            let device = std::mem::take(&mut self.acquired[t]);
            join(&mut self.clocks[t], &device);
            self.released[t] = self.clocks[t];
        }
        self.released_cta[t] = self.clocks[t];
        self.tick(t);
    }

    fn load(&mut self, t: usize, flag: u32, scope: Scope, acquire: bool) {
        let flag = self.flags[flag as usize];
        let cta = flag.cta[position(t).block as usize];
        let device = if scope == Scope::Gpu { flag.device } else { Clock::default() };
        if acquire {
            join(&mut self.clocks[t], &cta);
            join(&mut self.clocks[t], &device);
        } else {
            join(&mut self.acquired_cta[t], &cta);
            join(&mut self.acquired[t], &device);
        }
    }

    fn store(&mut self, t: usize, flag: u32, scope: Scope, release: bool, atomic: bool) {
        let (device, cta) = if release {
            (self.clocks[t], self.clocks[t])
        } else {
            (self.released[t], self.released_cta[t])
        };
        let nothing = device == Clock::default() && cta == Clock::default();
        let flag = &mut self.flags[flag as usize];
        if !atomic && flag.writer != Some(t) {
            *flag = Flag::default();
        }
        if scope == Scope::Gpu {
            join(&mut flag.device, &device);
        }
        join(&mut flag.cta[position(t).block as usize], &cta);
        if !nothing && (!atomic || release) {
            flag.writer = Some(t);
        }
        if release {
            self.tick(t);
        }
    }
}

/// The detector's state of a block.
#[derive(Clone, Copy)]
struct Block {
    stamp: u32,
    epoch: u32,
    warps: [u32; WARPS as usize],
}

impl Block {
    fn advance(&mut self) -> u32 {
        self.stamp += 1;
        self.stamp
    }

    fn next_epochs(&mut self, warp: u32) -> Epochs {
        let stamp = self.advance();
        Epochs { block: self.epoch, warp: self.warps[warp as usize].max(self.epoch), stamp }
    }
}

/// The generation of shared memory's only block.
const GENERATION: u32 = 7;

struct Detector {
    blocks: [Block; BLOCKS as usize],
    sync: Option<SyncState>,
    cell: ShadowCell,
    lists: PriorLists,
    scratch: Vec<PriorAccess>,
    shared: bool,
}

/// What both run a trace with.
#[derive(Clone, Copy)]
struct Setting {
    /// The word is in shared memory.
    shared: bool,
    /// The detector takes the fast path where it can.
    fast: bool,
    /// There is synchronisation beyond barriers and whole warps.
    synchronises: bool,
}

/// Replays a trace in the detector and in the reference, which must agree up to the first race.
fn agree(events: &[Event], setting: Setting) -> Result<(), TestCaseError> {
    let Setting { shared, fast, synchronises } = setting;
    let mut reference = Reference::new();
    let mut detector = Detector {
        blocks: [Block { stamp: 1, epoch: 1, warps: [1; WARPS as usize] }; BLOCKS as usize],
        sync: synchronises.then(SyncState::default),
        cell: ShadowCell::default(),
        lists: PriorLists::default(),
        scratch: vec![],
        shared,
    };
    let mut initialised = 0_u8;
    for (n, event) in events.iter().enumerate() {
        let Event::Access { thread, byte, bytes, write, strong } = *event else {
            synchronise(&mut detector, &mut reference, event);
            continue;
        };
        if shared && position(thread).block != 0 {
            continue;
        }
        let mask = (((1_u32 << bytes) - 1) << byte) as u8;
        let wanted = reference.access(thread, mask, write, strong, shared);
        let (got, current) = detector.access(thread, n as u32, mask, write, strong, fast);
        // a thread's atomic stands for those of other blocks that it observed, so that a later
        // access with the scope of its own block may be taken to be strong enough for all of them
        if wanted && !got && strong == Some(Scope::Cta) {
            return Ok(());
        }
        // where a thread's strong write joined another thread's, the detector may miss that its
        // weak access races with the other one
        if wanted && !got && strong.is_none() && reference.wrote_strongly(thread, mask) {
            return Ok(());
        }
        prop_assert_eq!(got, wanted, "event {}: {:?}, {:?}", n, event, detector.cell);
        if wanted {
            return Ok(());
        }
        initialised |= if write { mask } else { 0 };
        prop_assert_eq!(detector.cell.initialised(current.generation()), initialised);
    }
    Ok(())
}

impl Detector {
    fn access(
        &mut self,
        thread: usize,
        site: u32,
        mask: u8,
        write: bool,
        strong: Option<Scope>,
        fast: bool,
    ) -> (bool, CurrentAccess) {
        let Position { block, warp, linear } = position(thread);
        let (b, shared) = (self.blocks[block as usize], self.shared);
        let current = CurrentAccess {
            thread: linear,
            block: if shared { GENERATION } else { block },
            stamp: b.stamp,
            site,
            block_epoch: b.epoch,
            warp_epoch: b.warps[warp as usize].max(b.epoch),
            strength: match strong {
                None => Strength::Weak,
                Some(Scope::Cta) if !shared => Strength::Cta,
                _ => Strength::Gpu,
            },
            block_number: block,
            may_group: self.sync.is_none(),
            shared,
        };
        let (path, mark) = (FastPath::new(&current), current.mark());
        let cell = &mut self.cell;
        let decided = fast
            && mask == 15
            && match (write, current.strength) {
                (false, Strength::Weak) if shared => path.read_shared(cell, mark),
                (true, Strength::Weak) if shared => path.write_shared(cell, mark),
                (false, Strength::Weak) => path.read_global(cell, mark),
                (true, Strength::Weak) => path.write_global(cell, mark),
                (true, Strength::Gpu) => path.update_atomically(cell, mark, shared),
                _ => false,
            };
        let clock = self.sync.as_ref().and_then(|sync| sync.clock(current.thread_id()));
        // strong writes are atomics
        let atomic = write && strong.is_some();
        let new = PriorAccess { atomic, ..current.to_prior(mask, write) };
        let (lists, scratch) = (&mut self.lists, &mut self.scratch);
        let got = !decided
            && check_and_record(cell, lists, scratch, &current, new, clock, |_| false).is_some();
        (got, current)
    }

    /// Renumbers as a launch does.
    fn renumber(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        let mut thresholds = self.sync.as_mut().map_or(vec![], |sync| sync.thresholds(block));
        thresholds.extend([b.stamp, b.epoch]);
        thresholds.extend(b.warps);
        let map = StampMap::new(thresholds);
        let threshold = |stamp| map.threshold(stamp);
        if let Some(sync) = &mut self.sync {
            sync.renumber(block, &threshold);
        }
        *b = Block {
            stamp: threshold(b.stamp),
            epoch: threshold(b.epoch),
            warps: b.warps.map(threshold),
        };
        let mark = |stamp| map.mark(stamp);
        if !self.shared || block == 0 {
            let number = if self.shared { GENERATION } else { block };
            renumber_cells(std::iter::once(&mut self.cell), &mut self.lists, number, &mark);
        }
    }
}

/// Replays an event that orders threads in both.
fn synchronise(detector: &mut Detector, reference: &mut Reference, event: &Event) {
    let nothing = Clock::default();
    let all = |block: u32| members(block, 0xff);
    let linear =
        |threads: &[usize]| threads.iter().map(|t| position(*t).linear).collect::<Vec<u32>>();
    match *event {
        Event::Access { .. } => return,
        Event::Renumber { block } => return detector.renumber(block),
        Event::Barrier { block } => {
            let b = &mut detector.blocks[block as usize];
            b.epoch = b.advance();
            reference.synchronise(&all(block), &nothing);
            if let Some(sync) = &mut detector.sync {
                sync.synchronise(block, &linear(&all(block)), None);
            }
            return;
        }
        Event::WarpSync { block, warp } => {
            let b = &mut detector.blocks[block as usize];
            b.warps[warp as usize] = b.advance();
            let mut threads = all(block);
            threads.retain(|t| position(*t).warp == warp);
            reference.synchronise(&threads, &nothing);
            if let Some(sync) = &mut detector.sync {
                sync.synchronise(block, &linear(&threads), None);
            }
            return;
        }
        _ => {}
    }
    let Some(sync) = &mut detector.sync else { return };
    let blocks = &mut detector.blocks;
    let id = |thread| {
        let Position { block, linear, .. } = position(thread);
        ThreadId { block, linear }
    };
    let address = |flag: u32| SyncAddress::Global(3, 4 * flag);
    let next_epochs = |blocks: &mut [Block], thread| {
        let Position { block, warp, .. } = position(thread);
        blocks[block as usize].next_epochs(warp)
    };
    // what the threads did themselves
    let own_clock = |blocks: &mut [Block], block: u32, threads: &[usize]| {
        let b = &mut blocks[block as usize];
        let stamp = b.advance();
        let mut own = BlockClock::new(b.epoch);
        for t in threads {
            let Position { warp, linear, .. } = position(*t);
            own.raise_warp(warp, b.warps[warp as usize]);
            own.raise_thread(linear, stamp);
        }
        own
    };
    match *event {
        Event::Fence { thread, scope } => {
            let epochs = next_epochs(blocks, thread);
            sync.fence(id(thread), scope, epochs);
            reference.fence(thread, scope);
        }
        Event::Load { thread, flag, scope, acquire } => {
            sync.strong_read(id(thread), address(flag), scope, acquire);
            reference.load(thread, flag, scope, acquire);
        }
        Event::Store { thread, flag, scope, release } => {
            let epochs = release.then(|| next_epochs(blocks, thread));
            let address = address(flag);
            let write = StrongWrite { address, scope, release: epochs, atomic: false };
            sync.strong_write(id(thread), write);
            reference.store(thread, flag, scope, release, false);
        }
        Event::Add { thread, flag, scope, acquire, release } => {
            let epochs = release.then(|| next_epochs(blocks, thread));
            let address = address(flag);
            let write = StrongWrite { address, scope, release: epochs, atomic: true };
            sync.strong_read(id(thread), address, scope, acquire);
            sync.strong_write(id(thread), write);
            reference.load(thread, flag, scope, acquire);
            reference.store(thread, flag, scope, release, true);
        }
        Event::Clear { thread, flag } => {
            sync.plain_write(id(thread), address(flag), 4);
            reference.flags[flag as usize] = Flag::default();
        }
        Event::Synchronise { block, members: bits } => {
            let threads = members(block, bits);
            let own = own_clock(blocks, block, &threads);
            sync.synchronise(block, &linear(&threads), Some(own));
            reference.synchronise(&threads, &nothing);
        }
        Event::Arrive { block, members: bits } => {
            let threads = members(block, bits);
            let own = own_clock(blocks, block, &threads);
            sync.arrive(block, 1, &linear(&threads), own);
            for t in threads {
                for clock in [reference.clocks[t], reference.acquired[t], reference.acquired_cta[t]]
                {
                    join(&mut reference.arrived[block as usize], &clock);
                }
                reference.tick(t);
            }
        }
        Event::Open { block, members: bits } => {
            let threads = members(block, bits);
            let own = own_clock(blocks, block, &threads);
            sync.open_barrier(block, 1, &linear(&threads), Some(own));
            let arrived = std::mem::take(&mut reference.arrived[block as usize]);
            reference.synchronise(&threads, &arrived);
        }
        _ => {}
    }
}

/// Two readers that one entry stands for. The writer is one of them, and synchronises with the
/// other through a third thread.
#[test]
fn members_of_a_group_may_be_ordered_in_different_ways() {
    let read = |thread| Event::Access {
        thread,
        byte: 0,
        bytes: 2,
        write: false,
        strong: Some(Scope::Gpu),
    };
    let other = LANES as usize;
    let events = [
        read(0),
        read(other),
        Event::Synchronise { block: 0, members: 0b10 | 1 << other },
        Event::WarpSync { block: 0, warp: 0 },
        Event::Access { thread: 0, byte: 0, bytes: 1, write: true, strong: None },
    ];
    for (shared, fast) in [(false, false), (false, true), (true, false), (true, true)] {
        agree(&events, Setting { shared, fast, synchronises: true }).expect("no race");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_on_races_with_barriers_only(
        events in prop::collection::vec(simple(), 1..16), shared: bool, fast: bool,
    ) {
        agree(&events, Setting { shared, fast, synchronises: false })?;
    }

    #[test]
    fn agrees_on_races_with_all_synchronisation(
        events in prop::collection::vec(any_event(), 1..40), shared: bool, fast: bool,
    ) {
        agree(&events, Setting { shared, fast, synchronises: true })?;
    }
}

#[test]
fn unpacking_a_packed_cell_restores_its_accesses() {
    let mut random = 7_u64;
    let mut next = |n: u32| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as u32 % n
    };
    let mut forms = HashSet::new();
    for _ in 0..20_000 {
        let mut list = vec![];
        for _ in 0..next(4) {
            let (bytes, strength) = (
                if next(2) == 0 { 15 } else { 1 << next(4) },
                [Strength::Weak, Strength::Gpu, Strength::Cta][next(9) as usize / 4],
            );
            list.push(PriorAccess {
                block: next(3),
                stamp: 1 + next(2),
                site: 100 + next(12),
                thread: next(1024),
                bytes,
                extent: if strength == Strength::Weak { 0 } else { bytes },
                write: next(2) == 0,
                atomic: false,
                in_flight: false,
                strength,
                group: AccessGroup::from_bits(u64::from(next(8) / 5)),
            });
        }
        let (mut lists, mut kept) = (PriorLists::default(), list.clone());
        let cell = ShadowCell::pack(ShadowCell::untouched(0), None, 15, &mut lists, &mut kept);
        forms.insert(cell.write >> 61);
        kept.clear();
        cell.unpack(None, &mut lists, &mut kept);
        // byte by byte, because one entry may have become several
        let bytes = |list: &[PriorAccess]| {
            let each = list
                .iter()
                .flat_map(|p| (0..4).map(move |b| PriorAccess { bytes: p.bytes & 1 << b, ..*p }));
            let mut all: Vec<String> =
                each.filter(|p| p.bytes != 0).map(|p| format!("{p:?}")).collect();
            all.sort();
            all
        };
        assert_eq!(bytes(&list), bytes(&kept));
        assert_eq!((cell.initialised(None), cell.writes()), (15, 0));
    }
    assert!(forms.len() >= 4, "{forms:?}");
}

#[test]
fn joining_shadows_finds_conflicts_of_host_threads() {
    let shadow = |block: u32, word: usize, bytes: u8, write: bool, strength| {
        let current = CurrentAccess { strength, ..access(block, 1, 1) };
        let mut shadow = SlotShadow::new(PAGE_WORDS + 8, None);
        let cell = shadow.pages.cell(word, &Initialised::All).expect("a cell");
        let new = current.to_prior(bytes, write);
        check_and_record(cell, &mut shadow.lists, &mut vec![], &current, new, None, |_| false);
        shadow
    };
    let (weak, gpu) = (Strength::Weak, Strength::Gpu);
    let written = |word| shadow(0, word, 15, true, weak);
    let conflict = |a, b| SlotShadow::join(vec![a, b]).is_none();
    for word in [0, 5, PAGE_WORDS + 7] {
        assert!(conflict(written(word), shadow(1, word, 15, false, weak)));
        assert!(conflict(written(word), shadow(1, word, 4, false, weak)));
    }
    assert!(!conflict(written(0), shadow(1, 1, 15, false, weak)));
    assert!(!conflict(written(0), shadow(1, PAGE_WORDS, 15, false, weak)));
    assert!(!conflict(shadow(0, 0, 15, false, weak), shadow(1, 0, 15, false, weak)));
    assert!(!conflict(shadow(0, 0, 3, true, weak), shadow(1, 0, 12, true, weak)));
    assert!(!conflict(shadow(0, 0, 15, true, gpu), shadow(1, 0, 15, true, gpu)));
    assert!(conflict(shadow(0, 0, 15, true, gpu), shadow(1, 0, 15, false, weak)));
    // three shadows, without and with a conflict
    let third = || shadow(2, 0, 12, true, weak);
    let all = vec![shadow(0, 0, 1, true, weak), shadow(1, 0, 2, true, weak), third()];
    assert!(SlotShadow::join(all).is_some());
    let all = vec![written(0), shadow(1, 1, 15, true, weak), third()];
    assert!(SlotShadow::join(all).is_none());
}

/// An access to global memory by thread 0 of a block, at stamp 1.
fn access(block: u32, block_epoch: u32, warp_epoch: u32) -> CurrentAccess {
    CurrentAccess {
        thread: 0,
        block,
        stamp: 1,
        site: 0,
        block_epoch,
        warp_epoch,
        strength: Strength::Weak,
        block_number: block,
        may_group: true,
        shared: false,
    }
}

/// The fast path leaves the cells of lanes side by side as it does lane by lane.
#[test]
fn lanes_together_leave_the_same_cells_as_one_by_one() {
    let mut random = 11_u64;
    let mut next = |n: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let mut decided = [0_u32; 4];
    for round in 0..200_000 {
        let (block, epoch) = (3_u32, 2 + next(2) as u32);
        let current = access(block, epoch, epoch + next(2) as u32);
        let path = FastPath::new(&CurrentAccess { may_group: next(4) > 0, ..current });
        let first = mark(block, epoch + next(2) as u32, 9, 64);
        // all cells alike but for the thread, and now and then one that is not
        let mut half = || {
            let kind = [0, 0, 0, 1, 2, 3, 4, 7][next(8) as usize];
            let mark = mark(2 + next(2) as u32, next(5) as u32, 5, 0);
            let low = [0, 15, 15, next(16)][next(4) as usize];
            if next(3) == 0 { low << 21 } else { mark | low << 21 | kind << 61 }
        };
        let (alike, odd) = ([half(), half()], [half(), half()]);
        let (odd_cell, far) = (next(64), [0, 32, 0, 64][next(4) as usize]);
        let cells: [ShadowCell; 16] = std::array::from_fn(|i| {
            let [write, read] = if odd_cell == i as u64 { odd } else { alike };
            let thread = 64 - 32 + far + i as u64;
            let of = |half: u64| if half >> 25 == 0 { half } else { half | thread };
            ShadowCell { write: of(write), read: of(read) }
        });
        let which = round % 4;
        // shared memory does not count its writes
        let counts = if which < 2 { !(15 << 21) } else { !0 };
        let cells = cells.map(|c| ShadowCell { read: c.read & counts, ..c });
        let (mut together, mut alone) = (cells, cells);
        let done = match which {
            0 => path.read_shared_run(&mut together, first),
            1 => path.write_shared_run(&mut together, first),
            2 => path.read_global_run(&mut together, first),
            _ => path.write_global_run(&mut together, first),
        };
        if !done {
            assert_eq!(together, cells);
            continue;
        }
        decided[which] += 1;
        for (cell, mark) in alone.iter_mut().zip(first..) {
            let fine = match which {
                0 => path.read_shared(cell, mark),
                1 => path.write_shared(cell, mark),
                2 => cell.initialised(None) == 15 && path.read_global(cell, mark),
                _ => path.write_global(cell, mark),
            };
            assert!(fine, "{cells:x?} {first:x}");
        }
        assert_eq!(together, alone, "{cells:x?} {first:x}");
    }
    assert!(decided.iter().all(|n| *n > 1000), "{decided:?}");
}
