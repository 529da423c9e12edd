//! The engine against a reference that is slow and obviously right, on random traces.

use std::collections::HashSet;

use super::cell::{Cell, mark};
use super::current_access::{Me, touch};
use super::fast_path::Quick;
use super::pages::{PAGE, SlotShadow};
use super::prior_access::{Lists, Past, Strength};
use super::renumber::{Names, rename};
use super::sync_state::{Now, Place, Talk, Who};
use super::vector_clock::Of;
use crate::decode::op::Scope;
use crate::memory::Initialised;
use proptest::prelude::*;

/// Threads of one warp that the traces use, warps, blocks.
const LANES: u32 = 3;
const WARPS: u32 = 2;
const BLOCKS: u32 = 2;
const THREADS: usize = (LANES * WARPS * BLOCKS) as usize;

#[derive(Debug, Clone, Copy)]
enum Event {
    /// Of the word: thread, first byte, bytes, does it write, is it atomic?
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
    /// The block's stamps are renumbered.
    Renumber {
        block: u32,
    },
    Fence {
        thread: usize,
        scope: Scope,
    },
    /// A strong access of a flag.
    Load {
        thread: usize,
        flag: u32,
        scope: Scope,
        acquire: bool,
    },
    Store {
        thread: usize,
        flag: u32,
        scope: Scope,
        release: bool,
    },
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
    /// Some threads of a block meet.
    Meet {
        block: u32,
        members: u8,
    },
    /// Some arrive at a barrier, some open it.
    Arrive {
        block: u32,
        members: u8,
    },
    Open {
        block: u32,
        members: u8,
    },
}

/// Block, warp and linear index of a thread of the trace.
fn place(thread: usize) -> (u32, u32, u32) {
    let thread = thread as u32;
    let (block, rest) = (thread / (LANES * WARPS), thread % (LANES * WARPS));
    (block, rest / LANES, rest / LANES * 32 + rest % LANES)
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
        1 => (b.clone(), 1..64_u8).prop_map(|(block, members)| Event::Meet { block, members }),
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
    all: Clock,
    near: [Clock; BLOCKS as usize],
    writer: Option<usize>,
}

type Accessed = (usize, u32, u8, bool, Option<Scope>);

fn morally_strong(a: &Accessed, b: &Accessed, shared: bool) -> bool {
    let inside = shared || place(a.0).0 == place(b.0).0;
    let gpu = Some(Scope::Gpu);
    a.4.is_some() && b.4.is_some() && a.2 == b.2 && (inside || a.4 == gpu && b.4 == gpu)
}

/// Full vector clocks, and every access that ever was.
#[derive(Default)]
struct Reference {
    clocks: [Clock; THREADS],
    heard: [Clock; THREADS],
    heard_near: [Clock; THREADS],
    told: [Clock; THREADS],
    told_near: [Clock; THREADS],
    flags: [Flag; 2],
    arrived: [Clock; BLOCKS as usize],
    past: Vec<Accessed>,
}

impl Reference {
    fn new() -> Self {
        let mut new = Self::default();
        (0..THREADS).for_each(|t| new.clocks[t][t] = 1);
        new
    }

    /// Is there a race on one of these bytes? In shared memory every scope is the block.
    fn access(
        &mut self,
        t: usize,
        bytes: u8,
        write: bool,
        strong: Option<Scope>,
        shared: bool,
    ) -> bool {
        let new = (t, self.clocks[t][t], bytes, write, strong);
        let race = (0..self.past.len()).any(|i| {
            let old = self.past[i];
            old.2 & bytes != 0
                && (write || old.3)
                && !morally_strong(&old, &new, shared)
                && !self.before(i, t, shared)
        });
        self.past.push(new);
        race
    }

    /// Is access `i` ordered before what thread `t` does now? Its atomics observe what they replace (causality order).
    fn before(&self, i: usize, t: usize, shared: bool) -> bool {
        let old = &self.past[i];
        self.clocks[t][old.0] >= old.1
            || old.3
                && (i + 1..self.past.len()).any(|j| {
                    let later = &self.past[j];
                    later.3 && morally_strong(old, later, shared) && self.before(j, t, shared)
                })
    }

    /// What came before is a thing of the past: later accesses have a later stamp.
    fn tick(&mut self, t: usize) {
        self.clocks[t][t] += 1;
    }

    fn meet(&mut self, all: &[usize], more: &Clock) {
        let mut most = *more;
        for t in all {
            for clock in [&self.clocks[*t], &self.heard[*t], &self.heard_near[*t]] {
                join(&mut most, clock);
            }
        }
        for t in all {
            self.clocks[*t] = most;
            (self.heard[*t], self.heard_near[*t]) = Default::default();
            self.tick(*t);
        }
    }

    fn fence(&mut self, t: usize, scope: Scope) {
        let near = std::mem::take(&mut self.heard_near[t]);
        join(&mut self.clocks[t], &near);
        if scope == Scope::Gpu {
            let all = std::mem::take(&mut self.heard[t]);
            join(&mut self.clocks[t], &all);
            self.told[t] = self.clocks[t];
        }
        self.told_near[t] = self.clocks[t];
        self.tick(t);
    }

    fn load(&mut self, t: usize, flag: u32, scope: Scope, acquire: bool) {
        let flag = self.flags[flag as usize];
        let near = flag.near[place(t).0 as usize];
        let all = if scope == Scope::Gpu { flag.all } else { Clock::default() };
        let (for_near, for_all) = if acquire {
            join(&mut self.clocks[t], &near);
            join(&mut self.clocks[t], &all);
            return;
        } else {
            (&mut self.heard_near[t], &mut self.heard[t])
        };
        join(for_near, &near);
        join(for_all, &all);
    }

    fn store(&mut self, t: usize, flag: u32, scope: Scope, release: bool, adds: bool) {
        let (all, near) = if release {
            (self.clocks[t], self.clocks[t])
        } else {
            (self.told[t], self.told_near[t])
        };
        let nothing = all == Clock::default() && near == Clock::default();
        let flag = &mut self.flags[flag as usize];
        if !adds && flag.writer != Some(t) {
            *flag = Flag::default();
        }
        if scope == Scope::Gpu {
            join(&mut flag.all, &all);
        }
        join(&mut flag.near[place(t).0 as usize], &near);
        if !nothing && (!adds || release) {
            flag.writer = Some(t);
        }
        if release {
            self.tick(t);
        }
    }
}

/// What the engine knows of a block.
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

    fn now(&mut self, warp: u32) -> Now {
        let stamp = self.advance();
        Now { block: self.epoch, warp: self.warps[warp as usize].max(self.epoch), stamp }
    }
}

struct Engine {
    blocks: [Block; BLOCKS as usize],
    talk: Option<Talk>,
    cell: Cell,
    lists: Lists,
    scratch: Vec<Past>,
    shared: bool,
}

/// Replays a trace in both, in shared or global memory, with and without the quick comparisons; they must agree up to
/// the first race.
fn agree(events: &[Event], shared: bool, glances: bool, talks: bool) -> Result<(), TestCaseError> {
    let mut reference = Reference::new();
    let mut engine = Engine {
        blocks: [Block { stamp: 1, epoch: 1, warps: [1; WARPS as usize] }; BLOCKS as usize],
        talk: talks.then(Talk::default),
        cell: Cell::default(),
        lists: Lists::default(),
        scratch: vec![],
        shared,
    };
    let mut initialised = 0_u8;
    for (n, event) in events.iter().enumerate() {
        let Event::Access { thread, byte, bytes, write, strong } = *event else {
            order(&mut engine, &mut reference, event);
            continue;
        };
        if shared && place(thread).0 != 0 {
            continue;
        }
        let mask = (((1_u32 << bytes) - 1) << byte) as u8;
        let wanted = reference.access(thread, mask, write, strong, shared);
        let (got, me) = engine.access(thread, n as u32, mask, write, strong, glances);
        // a thread's atomic stands for those of other blocks that it observed, so that a later access which is strong for
        // its own block only may be taken to suffice for all of them
        if wanted && !got && strong == Some(Scope::Cta) {
            return Ok(());
        }
        prop_assert_eq!(got, wanted, "event {}: {:?}, {:?}", n, event, engine.cell);
        if wanted {
            return Ok(());
        }
        initialised |= if write { mask } else { 0 };
        prop_assert_eq!(engine.cell.initialised(me.generation()), initialised);
    }
    Ok(())
}

impl Engine {
    fn access(
        &mut self,
        thread: usize,
        site: u32,
        mask: u8,
        write: bool,
        strong: Option<Scope>,
        glances: bool,
    ) -> (bool, Me) {
        let (block, warp, linear) = place(thread);
        let (b, shared) = (self.blocks[block as usize], self.shared);
        let me = Me {
            thread: linear,
            block: if shared { 7 } else { block },
            stamp: b.stamp,
            site,
            block_epoch: b.epoch,
            warp_epoch: b.warps[warp as usize].max(b.epoch),
            strong: match strong {
                None => Strength::Weak,
                Some(Scope::Cta) if !shared => Strength::Cta,
                _ => Strength::Gpu,
            },
            index: block,
            crowds: self.talk.is_none(),
            shared,
        };
        let quick = Quick::new(me.block, me.block_epoch, me.warp_epoch, me.crowds);
        let cell = &mut self.cell;
        let settled = glances
            && mask == 15
            && match (write, me.strong) {
                (false, Strength::Weak) if shared => quick.shared_read(cell, me.mark()),
                (true, Strength::Weak) if shared => quick.shared_write(cell, me.mark()),
                (false, Strength::Weak) => quick.global_read(cell, me.mark()),
                (true, Strength::Weak) => quick.global_write(cell, me.mark()),
                (true, Strength::Gpu) => quick.atomic(cell, me.mark(), shared),
                _ => false,
            };
        let know = self.talk.as_ref().and_then(|talk| talk.know(me.who()));
        // strong writes are atomics
        let adds = write && strong.is_some();
        let new = Past { adds, ..me.past(mask, write) };
        let got = !settled
            && touch(cell, &mut self.lists, &mut self.scratch, &me, new, know, |_| false).is_some();
        (got, me)
    }

    /// Renumbers as a launch does.
    fn renumber(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        let mut thresholds = self.talk.as_mut().map_or(vec![], |talk| talk.stamps(block));
        thresholds.extend([b.stamp, b.epoch]);
        thresholds.extend(b.warps);
        let names = Names::new(thresholds);
        let to = |stamp| names.threshold(stamp);
        if let Some(talk) = &mut self.talk {
            talk.rename(block, &to);
        }
        *b = Block { stamp: to(b.stamp), epoch: to(b.epoch), warps: b.warps.map(to) };
        let of = |stamp| names.mark(stamp);
        if !self.shared || block == 0 {
            let named = if self.shared { 7 } else { block };
            rename(std::iter::once(&mut self.cell), &mut self.lists, named, &of);
        }
    }
}

/// What orders threads, in both.
fn order(engine: &mut Engine, reference: &mut Reference, event: &Event) {
    let nothing = Clock::default();
    let all = |block: u32| members(block, 0xff);
    let linear = |threads: &[usize]| threads.iter().map(|t| place(*t).2).collect::<Vec<u32>>();
    let flag_at = |flag: u32| Place::Global(3, 4 * flag);
    match *event {
        Event::Access { .. } => return,
        Event::Renumber { block } => return engine.renumber(block),
        Event::Barrier { block } => {
            let b = &mut engine.blocks[block as usize];
            b.epoch = b.advance();
            reference.meet(&all(block), &nothing);
            if let Some(talk) = &mut engine.talk {
                talk.meet(block, &linear(&all(block)), None);
            }
            return;
        }
        Event::WarpSync { block, warp } => {
            let b = &mut engine.blocks[block as usize];
            b.warps[warp as usize] = b.advance();
            let here: Vec<usize> = all(block).into_iter().filter(|t| place(*t).1 == warp).collect();
            reference.meet(&here, &nothing);
            if let Some(talk) = &mut engine.talk {
                talk.meet(block, &linear(&here), None);
            }
            return;
        }
        _ => {}
    }
    let Some(talk) = &mut engine.talk else { return };
    let who = |thread| {
        let (block, warp, thread) = place(thread);
        (Who { block, thread }, warp)
    };
    let mut of = |block: u32, here: &[usize]| {
        let b = &mut engine.blocks[block as usize];
        let stamp = b.advance();
        let mut of = Of::block(b.epoch);
        here.iter().for_each(|t| of.warp(place(*t).1, b.warps[place(*t).1 as usize]));
        linear(here).iter().for_each(|t| of.thread(*t, stamp));
        of
    };
    match *event {
        Event::Fence { thread, scope } => {
            let (who, warp) = who(thread);
            let now = engine.blocks[who.block as usize].now(warp);
            talk.fence(who, scope, now);
            reference.fence(thread, scope);
        }
        Event::Load { thread, flag, scope, acquire } => {
            talk.hear(who(thread).0, flag_at(flag), scope, acquire);
            reference.load(thread, flag, scope, acquire);
        }
        Event::Store { thread, flag, scope, release } => {
            let (who, warp) = who(thread);
            let now = release.then(|| engine.blocks[who.block as usize].now(warp));
            talk.tell(who, flag_at(flag), scope, now, false);
            reference.store(thread, flag, scope, release, false);
        }
        Event::Add { thread, flag, scope, acquire, release } => {
            let (who, warp) = who(thread);
            let now = release.then(|| engine.blocks[who.block as usize].now(warp));
            talk.hear(who, flag_at(flag), scope, acquire);
            talk.tell(who, flag_at(flag), scope, now, true);
            reference.load(thread, flag, scope, acquire);
            reference.store(thread, flag, scope, release, true);
        }
        Event::Clear { thread, flag } => {
            talk.silence(who(thread).0, flag_at(flag), 4);
            reference.flags[flag as usize] = Flag::default();
        }
        Event::Meet { block, members: bits } => {
            let here = members(block, bits);
            let of = of(block, &here);
            talk.meet(block, &linear(&here), Some(of));
            reference.meet(&here, &nothing);
        }
        Event::Arrive { block, members: bits } => {
            let here = members(block, bits);
            let of = of(block, &here);
            talk.arrive(block, 1, &linear(&here), of);
            for t in here {
                for clock in [reference.clocks[t], reference.heard[t], reference.heard_near[t]] {
                    join(&mut reference.arrived[block as usize], &clock);
                }
                reference.tick(t);
            }
        }
        Event::Open { block, members: bits } => {
            let here = members(block, bits);
            let of = of(block, &here);
            talk.open(block, 1, &linear(&here), Some(of));
            let arrived = std::mem::take(&mut reference.arrived[block as usize]);
            reference.meet(&here, &arrived);
        }
        _ => {}
    }
}

/// Two readers that one entry stands for: the writer is one of them, and has heard of the other from a third thread.
#[test]
fn a_crowd_may_be_ordered_in_different_ways() {
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
        Event::Meet { block: 0, members: 0b10 | 1 << other },
        Event::WarpSync { block: 0, warp: 0 },
        Event::Access { thread: 0, byte: 0, bytes: 1, write: true, strong: None },
    ];
    for (shared, glances) in [(false, false), (false, true), (true, false), (true, true)] {
        agree(&events, shared, glances, true).expect("no race");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn races_where_only_barriers_order(
        events in prop::collection::vec(simple(), 1..16), shared: bool, glances: bool,
    ) {
        agree(&events, shared, glances, false)?;
    }

    #[test]
    fn races_where_everything_orders(
        events in prop::collection::vec(any_event(), 1..40), shared: bool, glances: bool,
    ) {
        agree(&events, shared, glances, true)?;
    }
}

#[test]
fn every_form_comes_back_as_it_was() {
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
            let (bytes, strong) = (
                if next(2) == 0 { 15 } else { 1 << next(4) },
                [Strength::Weak, Strength::Gpu, Strength::Cta][next(9) as usize / 4],
            );
            list.push(Past {
                block: next(3),
                stamp: 1 + next(2),
                site: 100 + next(12),
                thread: next(1024),
                bytes,
                extent: if strong == Strength::Weak { 0 } else { bytes },
                write: next(2) == 0,
                adds: false,
                flying: false,
                strong,
                crowd: super::prior_access::Crowd::from_bits(u64::from(next(8) / 5)),
            });
        }
        let (mut lists, mut kept) = (Lists::default(), list.clone());
        let cell = Cell::pack(Cell::untouched(0), None, 15, &mut lists, &mut kept);
        forms.insert(cell.write >> 61);
        kept.clear();
        cell.unpack(None, &mut lists, &mut kept);
        // by byte, since one entry may have become several
        let bytes = |list: &[Past]| {
            let each = list
                .iter()
                .flat_map(|p| (0..4).map(move |b| Past { bytes: p.bytes & 1 << b, ..*p }));
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
fn two_host_threads_compare_their_shadows() {
    let shadow = |block: u32, word: usize, bytes: u8, write: bool, strong| {
        let me = Me {
            thread: 0,
            block,
            stamp: 1,
            site: 0,
            block_epoch: 1,
            warp_epoch: 1,
            strong,
            index: block,
            crowds: true,
            shared: false,
        };
        let mut shadow = SlotShadow::new(PAGE + 8, None);
        let cell = shadow.pages.cell(word, &Initialised::All).expect("a cell");
        let new = me.past(bytes, write);
        touch(cell, &mut shadow.lists, &mut vec![], &me, new, None, |_| false);
        shadow
    };
    let (weak, gpu) = (Strength::Weak, Strength::Gpu);
    let written = |word| shadow(0, word, 15, true, weak);
    let conflict = |a, b| SlotShadow::join(vec![a, b]).is_none();
    for word in [0, 5, PAGE + 7] {
        assert!(conflict(written(word), shadow(1, word, 15, false, weak)));
        assert!(conflict(written(word), shadow(1, word, 4, false, weak)));
    }
    assert!(!conflict(written(0), shadow(1, 1, 15, false, weak)));
    assert!(!conflict(written(0), shadow(1, PAGE, 15, false, weak)));
    assert!(!conflict(shadow(0, 0, 15, false, weak), shadow(1, 0, 15, false, weak)));
    assert!(!conflict(shadow(0, 0, 3, true, weak), shadow(1, 0, 12, true, weak)));
    assert!(!conflict(shadow(0, 0, 15, true, gpu), shadow(1, 0, 15, true, gpu)));
    assert!(conflict(shadow(0, 0, 15, true, gpu), shadow(1, 0, 15, false, weak)));
    // three of them, and what is left of them
    let third = || shadow(2, 0, 12, true, weak);
    let all = vec![shadow(0, 0, 1, true, weak), shadow(1, 0, 2, true, weak), third()];
    assert!(SlotShadow::join(all).is_some());
    let all = vec![written(0), shadow(1, 1, 15, true, weak), third()];
    assert!(SlotShadow::join(all).is_none());
}

/// Lanes side by side, settled together, leave the cells as they do one by one.
#[test]
fn lanes_together_do_what_they_do_alone() {
    let mut random = 11_u64;
    let mut next = |n: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let mut settled = [0_u32; 4];
    for round in 0..200_000 {
        let (block, epoch) = (3_u32, 2 + next(2) as u32);
        let quick = Quick::new(block, epoch, epoch + next(2) as u32, next(4) > 0);
        let first = mark(block, epoch + next(2) as u32, 9, 64);
        // all cells alike but for the thread, and now and then one that is not
        let mut half = || {
            let kind = [0, 0, 0, 1, 2, 3, 4, 7][next(8) as usize];
            let past = mark(2 + next(2) as u32, next(5) as u32, 5, 0);
            let low = [0, 15, 15, next(16)][next(4) as usize];
            if next(3) == 0 { low << 21 } else { past | low << 21 | kind << 61 }
        };
        let (alike, odd) = ([half(), half()], [half(), half()]);
        let (place, far) = (next(64), [0, 32, 0, 64][next(4) as usize]);
        let cells: [Cell; 16] = std::array::from_fn(|i| {
            let [write, read] = if place == i as u64 { odd } else { alike };
            let thread = 64 - 32 + far + i as u64;
            let of = |half: u64| if half >> 25 == 0 { half } else { half | thread };
            Cell { write: of(write), read: of(read) }
        });
        let which = round % 4;
        // shared memory does not count its writes
        let counts = if which < 2 { !(15 << 21) } else { !0 };
        let cells = cells.map(|c| Cell { read: c.read & counts, ..c });
        let (mut together, mut alone) = (cells, cells);
        let done = match which {
            0 => quick.shared_reads(&mut together, first),
            1 => quick.shared_writes(&mut together, first),
            2 => quick.global_reads(&mut together, first),
            _ => quick.global_writes(&mut together, first),
        };
        if !done {
            assert_eq!(together, cells);
            continue;
        }
        settled[which] += 1;
        for (cell, mark) in alone.iter_mut().zip(first..) {
            let fine = match which {
                0 => quick.shared_read(cell, mark),
                1 => quick.shared_write(cell, mark),
                2 => cell.initialised(None) == 15 && quick.global_read(cell, mark),
                _ => quick.global_write(cell, mark),
            };
            assert!(fine, "{cells:x?} {first:x}");
        }
        assert_eq!(together, alone, "{cells:x?} {first:x}");
    }
    assert!(settled.iter().all(|n| *n > 1000), "{settled:?}");
}
