//! The engine against a reference that is slow and obviously right, on random traces.

use std::collections::HashSet;

use super::cell::{Cell, Quick};
use super::past::{Lists, Past, Strength};
use super::{Me, touch};
use proptest::prelude::*;

/// Threads of one warp that the traces use, warps, blocks.
const LANES: u32 = 3;
const WARPS: u32 = 2;
const BLOCKS: u32 = 2;

#[derive(Debug, Clone, Copy)]
enum Event {
    /// Thread, first byte, bytes, does it write, is it atomic?
    Access {
        thread: usize,
        byte: u8,
        bytes: u8,
        write: bool,
        strong: bool,
    },
    Barrier {
        block: u32,
    },
    WarpSync {
        block: u32,
        warp: u32,
    },
}

fn threads() -> usize {
    (LANES * WARPS * BLOCKS) as usize
}

/// Block, warp and linear index of a thread of the trace.
fn place(thread: usize) -> (u32, u32, u32) {
    let thread = thread as u32;
    let (block, rest) = (thread / (LANES * WARPS), thread % (LANES * WARPS));
    (block, rest / LANES, rest / LANES * 32 + rest % LANES)
}

fn event() -> impl Strategy<Value = Event> {
    let access = (0..threads(), 0..3_u8, 0..4_u8, any::<bool>(), 0..4_u8).prop_map(
        |(thread, size, byte, write, strong)| {
            let bytes = 1 << size;
            Event::Access { thread, byte: byte / bytes * bytes, bytes, write, strong: strong == 0 }
        },
    );
    prop_oneof![
        8 => access,
        1 => (0..BLOCKS).prop_map(|block| Event::Barrier { block }),
        1 => (0..BLOCKS, 0..WARPS).prop_map(|(block, warp)| Event::WarpSync { block, warp }),
    ]
}

/// Full vector clocks, and every access that ever was.
struct Reference {
    clocks: Vec<Vec<u32>>,
    past: Vec<(usize, u32, u8, bool, bool)>,
}

impl Reference {
    fn new() -> Self {
        let clock = |t: usize| (0..threads()).map(|u| u32::from(t == u)).collect();
        Self { clocks: (0..threads()).map(clock).collect(), past: vec![] }
    }

    /// Is there a race on one of these bytes?
    fn access(&mut self, t: usize, bytes: u8, write: bool, strong: bool) -> bool {
        let race = self.past.iter().any(|(u, at, b, w, s)| {
            let apart = b & bytes != 0 && self.clocks[t][*u] < *at;
            apart && (write || *w) && !(strong && *s && *b == bytes)
        });
        self.past.push((t, self.clocks[t][t], bytes, write, strong));
        race
    }

    fn meet(&mut self, who: impl Fn(usize) -> bool) {
        let all: Vec<usize> = (0..threads()).filter(|t| who(*t)).collect();
        let mut most = vec![0; threads()];
        for t in &all {
            for (m, c) in most.iter_mut().zip(&self.clocks[*t]) {
                *m = (*m).max(*c);
            }
        }
        for t in all {
            self.clocks[t].clone_from(&most);
            self.clocks[t][t] += 1;
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

/// Replays a trace in both, in shared or global memory, with and without the quick comparisons; they must agree up to
/// the first race.
fn agree(events: &[Event], shared: bool, glances: bool) -> Result<(), TestCaseError> {
    let mut reference = Reference::new();
    let mut blocks = [Block { stamp: 1, epoch: 1, warps: [1; WARPS as usize] }; BLOCKS as usize];
    let (mut cell, mut lists, mut scratch) = (Cell::default(), Lists::default(), vec![]);
    let mut initialised = 0_u8;
    for (n, event) in events.iter().enumerate() {
        match *event {
            Event::Barrier { block } => {
                let b = &mut blocks[block as usize];
                b.stamp += 1;
                b.epoch = b.stamp;
                reference.meet(|t| place(t).0 == block);
            }
            Event::WarpSync { block, warp } => {
                let b = &mut blocks[block as usize];
                b.stamp += 1;
                b.warps[warp as usize] = b.stamp;
                reference.meet(|t| place(t).0 == block && place(t).1 == warp);
            }
            Event::Access { thread, byte, bytes, write, strong } => {
                let (block, warp, linear) = place(thread);
                if shared && block != 0 {
                    continue;
                }
                let b = blocks[block as usize];
                let me = Me {
                    thread: linear,
                    block: if shared { 7 } else { block },
                    stamp: b.stamp,
                    site: n as u32,
                    block_epoch: b.epoch,
                    warp_epoch: b.warps[warp as usize].max(b.epoch),
                    strong: if strong { Strength::Gpu } else { Strength::Weak },
                    talks: false,
                    shared,
                };
                let mask = (((1_u32 << bytes) - 1) << byte) as u8;
                let wanted = reference.access(thread, mask, write, strong);
                let quick = Quick::new(me.block, me.block_epoch, me.warp_epoch, true);
                let settled = glances
                    && mask == 15
                    && match (write, strong) {
                        (false, false) if shared => quick.shared_read(&mut cell, me.mark()),
                        (true, false) if shared => quick.shared_write(&mut cell, me.mark()),
                        (false, false) => quick.global_read(&mut cell, me.mark()),
                        (true, false) => quick.global_write(&mut cell, me.mark()),
                        (true, true) => quick.atomic(&mut cell, me.mark(), shared),
                        (false, true) => false,
                    };
                let new = me.past(mask, write);
                let got = !settled
                    && touch(&mut cell, &mut lists, &mut scratch, &me, new, |_| false).is_some();
                prop_assert_eq!(got, wanted, "event {}: {:?}, {:?}", n, event, cell);
                if wanted {
                    return Ok(());
                }
                initialised |= if write { mask } else { 0 };
                prop_assert_eq!(cell.initialised(me.generation()), initialised);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn races_of_random_traces(events in prop::collection::vec(event(), 1..14), shared: bool, glances: bool) {
        agree(&events, shared, glances)?;
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
                strong,
                crowd: super::past::Crowd::from_bits(u64::from(next(8) / 5)),
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
fn two_host_threads_compare_their_cells() {
    let cell = |block: u32, bytes: u8, write: bool, strong| {
        let me = Me {
            thread: 0,
            block,
            stamp: 1,
            site: 0,
            block_epoch: 1,
            warp_epoch: 1,
            strong,
            talks: false,
            shared: false,
        };
        let mut cell = Cell::untouched(15);
        touch(&mut cell, &mut Lists::default(), &mut vec![], &me, me.past(bytes, write), |_| false);
        cell
    };
    let (weak, gpu) = (Strength::Weak, Strength::Gpu);
    let written = cell(0, 15, true, weak);
    assert!(written.may_conflict(&cell(1, 15, false, weak)));
    assert!(written.may_conflict(&cell(1, 4, false, weak)));
    assert!(!written.may_conflict(&Cell::untouched(15)));
    assert!(!cell(0, 15, false, weak).may_conflict(&cell(1, 15, false, weak)));
    assert!(!cell(0, 3, true, weak).may_conflict(&cell(1, 12, true, weak)));
    assert!(!cell(0, 15, true, gpu).may_conflict(&cell(1, 15, true, gpu)));
    assert!(cell(0, 15, true, gpu).may_conflict(&cell(1, 15, false, weak)));
}
