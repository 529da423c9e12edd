//! The race detector against a reference that is slow and obviously right, on random traces.
//!
//! `cargo test --release -p ptxsim hazards` replays traces for a few seconds, others in each run.
//! `RACE_SECONDS=3600 cargo test --release -p ptxsim races_for_long -- --ignored` does so for an
//! hour, and `RACE_SEED=...` repeats the traces of a failure.

mod cells;
mod random;
mod reference;
mod replay;

use super::pages::SlotShadow;
use crate::Memory;
use crate::decode::op::Scope;
use random::Random;
use reference::Reference;
use replay::{Detector, synchronise};

/// Lanes of each warp, warps of each block, and blocks that the traces use.
const LANES: u32 = 3;
const WARPS: u32 = 2;
const BLOCKS: u32 = 2;
const THREADS: usize = (LANES * WARPS * BLOCKS) as usize;

/// How an access takes part in synchronisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Plain,
    /// A strong load or store, or a volatile load that polls.
    Strong(Scope),
    /// A volatile store, or a volatile load that does not poll.
    Volatile,
    /// An atomic, which is a write.
    Atomic(Scope),
}

impl How {
    const fn scope(self) -> Option<Scope> {
        match self {
            Self::Plain => None,
            Self::Strong(scope) | Self::Atomic(scope) => Some(scope),
            Self::Volatile => Some(Scope::Gpu),
        }
    }

    const fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic(_))
    }
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// An access of the word: the thread, its first byte and number of bytes.
    Access {
        thread: usize,
        byte: u8,
        bytes: u8,
        write: bool,
        how: How,
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

/// What both run a trace with.
#[derive(Debug, Clone, Copy)]
struct Setting {
    /// The word is in shared memory.
    shared: bool,
    /// The detector takes the fast path where it can.
    fast: bool,
    /// There is synchronisation beyond barriers and whole warps.
    synchronises: bool,
}

/// Replays a trace in the detector and in the reference, which must agree up to the first race.
/// Returns in which way they do not.
fn agree(events: &[Event], setting: Setting) -> Result<(), String> {
    let shared = setting.shared;
    let mut reference = Reference::new();
    let mut detector = Detector::new(events, setting);
    let mut initialised = 0_u8;
    for (n, event) in events.iter().enumerate() {
        let Event::Access { thread, byte, bytes, write, how } = *event else {
            synchronise(&mut detector, &mut reference, event);
            continue;
        };
        if shared && position(thread).block != 0 {
            continue;
        }
        let mask = mask(byte, bytes);
        let wanted = reference.access(thread, mask, write, how, shared);
        let (got, current) = detector.access(thread, n as u32, mask, write, how, setting.fast);
        if !got && wanted.as_ref().is_some_and(|race| race.only_beyond_scope) {
            // the limit of scopes that the README names
            return Ok(());
        }
        if got != wanted.is_some() {
            return Err(format!("event {n}: found {got}, which is wrong; {:?}", detector.cell));
        }
        if got {
            return Ok(());
        }
        initialised |= if write { mask } else { 0 };
        if detector.cell.initialised(current.generation()) != initialised {
            return Err(format!("event {n}: initialised bytes; {:?}", detector.cell));
        }
    }
    Ok(())
}

/// Replays a trace with a detector for each block, as several host threads do, and joins their
/// shadows: no race is lost. What looks like one then runs again on one host thread.
fn joins(events: &[Event], fast: bool) -> Result<(), String> {
    let setting = Setting { shared: false, fast, synchronises: false };
    let mut reference = Reference::new();
    let mut detectors: Vec<Detector> =
        (0..BLOCKS).map(|_| Detector::new(events, setting)).collect();
    let (mut wanted, mut got) = (false, false);
    for (n, event) in events.iter().enumerate() {
        match *event {
            Event::Access { thread, byte, bytes, write, how } => {
                let mask = mask(byte, bytes);
                wanted |= reference.access(thread, mask, write, how, false).is_some();
                let detector = &mut detectors[position(thread).block as usize];
                got |= detector.access(thread, n as u32, mask, write, how, fast).0;
            }
            Event::Barrier { block }
            | Event::WarpSync { block, .. }
            | Event::Renumber { block } => {
                synchronise(&mut detectors[block as usize], &mut reference, event);
            }
            _ => {}
        }
    }
    let mut memory = Memory::new();
    memory.alloc("word", 4, 4, None).expect("memory");
    let shadows = detectors.into_iter().map(|detector| {
        let mut shadow = SlotShadow::new(1, None);
        if let Some(cell) = shadow.pages.cell(0, &memory.allocations[0]) {
            *cell = detector.cell;
        }
        shadow.lists = detector.lists;
        shadow
    });
    got |= SlotShadow::join(shadows.collect()).is_none();
    if wanted && !got { Err("a race between host threads is lost".into()) } else { Ok(()) }
}

/// The bits of some bytes.
const fn mask(byte: u8, bytes: u8) -> u8 {
    (((1_u32 << bytes) - 1) << byte) as u8
}

/// Checks one trace in one of the settings.
fn check(events: &[Event], setting: Setting, hosts: bool) -> Result<(), String> {
    if hosts { joins(events, setting.fast) } else { agree(events, setting) }
}

/// A strong read of one block is remembered beside an ordered one of another block: a write with
/// block scope by the second block races with the first read only.
#[test]
fn a_strong_read_of_another_block_is_remembered() {
    let access = |thread, write, scope| Event::Access {
        thread,
        byte: 0,
        bytes: 4,
        write,
        how: How::Strong(scope),
    };
    for read in [Scope::Gpu, Scope::Cta] {
        let events = [
            access(11, false, Scope::Gpu),
            Event::Store { thread: 11, flag: 0, scope: Scope::Gpu, release: true },
            Event::Load { thread: 2, flag: 0, scope: Scope::Gpu, acquire: true },
            access(2, false, read),
            access(5, true, Scope::Cta),
        ];
        for fast in [false, true] {
            let setting = Setting { shared: false, fast, synchronises: true };
            assert_eq!(agree(&events, setting), Ok(()), "{read:?}, {fast}");
            let mut reference = Reference::new();
            let mut detector = Detector::new(&events, setting);
            let found = events.iter().enumerate().any(|(n, event)| {
                synchronise(&mut detector, &mut reference, event);
                let Event::Access { thread, write, how, .. } = *event else { return false };
                detector.access(thread, n as u32, 15, write, how, fast).0
            });
            assert!(found, "{read:?}, {fast}: a race");
        }
    }
}

/// Replays random traces until `more` says no. Panics with the seed and the shortest trace that
/// shows a difference.
fn replay_random(mut more: impl FnMut(u64) -> bool) {
    let given = std::env::var("RACE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(random::new_seed);
    let mut traces = 0;
    while more(traces) {
        let mut random = Random::new(seed.wrapping_add(traces));
        let (setting, hosts, mut events) = random.trace();
        if let Err(first) = check(&events, setting, hosts) {
            let mut failure = first;
            let mut i = 0;
            while i < events.len() {
                let without = [&events[..i], &events[i + 1..]].concat();
                match check(&without, setting, hosts) {
                    Err(error) => (events, failure, i) = (without, error, 0),
                    Ok(()) => i += 1,
                }
            }
            let seed = seed.wrapping_add(traces);
            panic!("RACE_SEED={seed}: {failure}\n{setting:?}, several hosts: {hosts}\n{events:#?}");
        }
        traces += 1;
    }
    println!("{traces} traces from RACE_SEED={seed}");
}

#[test]
fn agrees_on_races() {
    replay_random(|traces| traces < 400_000);
}

/// Runs for `RACE_SECONDS`, 600 if that is not set.
#[test]
#[ignore = "runs for ten minutes, or as long as it is asked to"]
fn agrees_on_races_for_long() {
    let seconds = std::env::var("RACE_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(600);
    let start = std::time::Instant::now();
    replay_random(|_| start.elapsed().as_secs() < seconds);
}

fn access(thread: usize, byte: u8, bytes: u8, write: bool, how: How) -> Event {
    Event::Access { thread, byte, bytes, write, how }
}

/// Checks a trace with barriers only and with all synchronisation, in both kinds of memory, and
/// with and without the fast path.
fn agree_everywhere(events: &[Event]) {
    for bits in 0..8 {
        let setting =
            Setting { shared: bits & 1 == 1, fast: bits & 2 == 2, synchronises: bits & 4 == 4 };
        agree(events, setting).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    }
}

/// Two readers that one entry stands for. The writer is one of them, and synchronises with the
/// other through a third thread.
#[test]
fn members_of_a_group_may_be_ordered_in_different_ways() {
    let gpu = How::Strong(Scope::Gpu);
    let other = LANES as usize;
    let events = [
        access(0, 0, 2, false, gpu),
        access(other, 0, 2, false, gpu),
        Event::Synchronise { block: 0, members: 0b10 | 1 << other },
        Event::WarpSync { block: 0, warp: 0 },
        access(0, 0, 1, true, How::Plain),
    ];
    agree_everywhere(&events);
}

/// A read, an atomic of the same thread, and an atomic of another thread that observes it: a plain
/// write of the other thread is ordered after both atomics, but not after the read.
#[test]
fn an_atomic_that_is_observed_does_not_stand_for_the_reads_before_it() {
    let (load, add) = (How::Strong(Scope::Gpu), How::Atomic(Scope::Gpu));
    let events = |read: bool| {
        let mut events = vec![
            access(1, 0, 2, true, add),
            access(4, 0, 2, true, add),
            access(4, 0, 1, true, How::Plain),
        ];
        if read {
            events.insert(0, access(1, 0, 2, false, load));
        }
        events
    };
    agree_everywhere(&events(true));
    agree_everywhere(&events(false));
    let setting = Setting { shared: false, fast: false, synchronises: false };
    assert!(races(&events(true), setting) && !races(&events(false), setting));
}

/// Two unordered strong stores, and an atomic that observes the second one only.
#[test]
fn an_atomic_observes_the_last_store_alone() {
    let (store, add) = (How::Strong(Scope::Gpu), How::Atomic(Scope::Gpu));
    let events = |stores: &[usize]| {
        let mut events: Vec<Event> =
            stores.iter().map(|thread| access(*thread, 0, 4, true, store)).collect();
        events.extend([access(4, 0, 4, true, add), access(4, 0, 4, true, How::Plain)]);
        events
    };
    agree_everywhere(&events(&[1, 2]));
    agree_everywhere(&events(&[2, 1, 3]));
    let setting = Setting { shared: false, fast: true, synchronises: false };
    assert!(races(&events(&[1, 2]), setting) && !races(&events(&[1]), setting));
}

/// An atomic with device scope that observes one with block scope stands for it only where the
/// other block's strong access is ordered after neither.
#[test]
fn an_atomic_with_block_scope_that_is_observed_keeps_its_scope() {
    let (narrow, wide) = (How::Atomic(Scope::Cta), How::Atomic(Scope::Gpu));
    let (first, second, other) = (0, 4, THREADS - 1);
    let events = |releases: &[usize]| {
        let mut events = vec![access(first, 0, 4, true, narrow), access(second, 0, 4, true, wide)];
        for thread in releases {
            let scope = Scope::Gpu;
            events.extend([
                Event::Store { thread: *thread, flag: 0, scope, release: true },
                Event::Load { thread: other, flag: 0, scope, acquire: true },
            ]);
        }
        events.push(access(other, 0, 4, true, wide));
        events
    };
    let setting = Setting { shared: false, fast: true, synchronises: true };
    for (releases, race) in [(&[][..], true), (&[first], false), (&[second], false)] {
        agree_everywhere(&events(releases));
        assert_eq!(races(&events(releases), setting), race, "{releases:?}");
    }
}

/// A write with block scope, ordered before an atomic with block scope of another block: a strong
/// write of that other block races with the first write and not with the atomic.
#[test]
fn a_write_with_block_scope_does_not_stand_for_one_of_another_block() {
    let gpu = Scope::Gpu;
    let (first, second, third) = (THREADS - 1, 4, 1);
    let events = [
        access(first, 0, 2, true, How::Strong(Scope::Cta)),
        Event::Add { thread: first, flag: 0, scope: gpu, acquire: false, release: true },
        Event::Add { thread: second, flag: 0, scope: gpu, acquire: true, release: false },
        access(second, 0, 2, true, How::Atomic(Scope::Cta)),
        access(third, 0, 2, true, How::Strong(gpu)),
    ];
    agree_everywhere(&events);
    let setting = Setting { shared: false, fast: true, synchronises: true };
    assert!(races(&events, setting));
}

/// Does the detector find a race in the trace?
fn races(events: &[Event], setting: Setting) -> bool {
    let mut detector = Detector::new(events, setting);
    let mut reference = Reference::new();
    (0..).zip(events).any(|(n, event)| match *event {
        Event::Access { thread, byte, bytes, write, how } => {
            detector.access(thread, n, mask(byte, bytes), write, how, setting.fast).0
        }
        _ => {
            synchronise(&mut detector, &mut reference, event);
            false
        }
    })
}
