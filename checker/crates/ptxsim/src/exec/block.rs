//! A block: its warps in turn, its barriers, its end.

use super::machine::{BlockState, Grid, Machine};
use super::shadow::Shadow;
use super::warp::{Frame, Split, State, Warp, lanes};
use super::{collective, vector};
use crate::address::{FUNCTION_SLOT, base};
use crate::decode::op::{Constant, ReduceKind, Special};
use crate::{Action, FindingKind};

/// Why a warp, or a block, stopped running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Every thread has left.
    Left,
    /// All its threads wait for others.
    Waits,
    /// It may be waiting for somebody's store: others should run.
    GaveWay,
    /// The kernel cannot go on.
    Fatal,
}

/// A fresh block state with room for the grid's blocks; reused from block to block.
pub(crate) fn new_state(grid: &Grid<'_>, full: bool) -> BlockState {
    let warps = grid.threads.div_ceil(32);
    let f = &grid.program.functions[grid.entry];
    BlockState {
        index: 0,
        ctaid: [0; 3],
        warps: (0..warps)
            .map(|index| {
                let mut warp = Warp { index, ..Warp::default() };
                warp.reserve(&Frame::default(), f);
                warp
            })
            .collect(),
        shared: vec![0; grid.shared_bytes.div_ceil(4) as usize],
        shared_shadow: if full {
            vec![Shadow::default(); grid.shared_bytes.div_ceil(4) as usize]
        } else {
            vec![]
        },
        generation: 0,
        stamp: 1,
        epoch: 1,
        left: None,
        left_count: 0,
        arrived: [0; 16],
        next_warp: 0,
        strong: [0; 32],
    }
}

/// Makes the state that of block `index`, about to start.
pub(crate) fn start(grid: &Grid<'_>, b: &mut BlockState, index: u32, ctaid: [u32; 3]) {
    let fresh = b.generation == 0;
    b.index = index;
    b.ctaid = ctaid;
    b.generation += 1;
    if b.generation > 0x3f_fff0 {
        b.generation = 1;
        b.shared_shadow.fill(Shadow::default());
    }
    b.stamp = 1;
    b.epoch = 1;
    b.left = None;
    b.left_count = 0;
    b.arrived = [0; 16];
    b.next_warp = 0;
    b.strong = [0; 32];
    let entry = &grid.program.functions[grid.entry];
    let frame = Frame { function: grid.entry as u32, ..Frame::default() };
    for w in 0..b.warps.len() {
        let mut warp = std::mem::take(&mut b.warps[w]);
        let threads = (grid.threads - warp.index * 32).min(32);
        warp.lanes = u32::MAX >> (32 - threads);
        warp.live = warp.lanes;
        warp.turn = 0;
        warp.epoch = 1;
        warp.local_written.fill(0);
        warp.splits.clear();
        warp.splits.push(Split {
            pc: entry.start,
            mask: warp.lanes,
            state: State::Ready,
            frame,
            stack: vec![],
            turn: 0,
        });
        if fresh
            || grid.program.calls.iter().any(|c| {
                matches!(
                    c.target,
                    crate::decode::op::Target::Function(_) | crate::decode::op::Target::Indirect(_)
                )
            })
        {
            constants(grid, b, &mut warp, &frame, u32::MAX);
        } else {
            // only the block's index changes from block to block
            for (row, special) in &entry.specials {
                if let Special::Ctaid(axis) = special {
                    warp.r[*row as usize].0 = [ctaid[*axis as usize]; 32];
                }
            }
        }
        b.warps[w] = warp;
    }
}

/// Fills in a window's constants and special registers for the lanes of `mask`.
pub(super) fn constants(
    grid: &Grid<'_>,
    b: &BlockState,
    warp: &mut Warp,
    frame: &Frame,
    mask: u32,
) {
    let f = &grid.program.functions[frame.function as usize];
    for (row, constant) in &f.constants64 {
        let value = value(grid, *constant);
        let d = &mut warp.x[(frame.x + row) as usize].0;
        lanes(mask).for_each(|l| d[l] = value);
    }
    for (row, constant) in &f.constants32 {
        let value = value(grid, *constant) as u32;
        let d = &mut warp.r[(frame.r + row) as usize].0;
        lanes(mask).for_each(|l| d[l] = value);
    }
    for (row, special) in &f.specials {
        let first = warp.index * 32;
        let d = &mut warp.r[(frame.r + row) as usize].0;
        for lane in lanes(mask) {
            let below = (1_u64 << lane) - 1;
            let linear = (first + lane as u32).min(grid.threads.max(1) - 1);
            let [x, y, _] = grid.block;
            d[lane] = match special {
                Special::Tid(0) => linear % x,
                Special::Tid(1) => linear / x % y,
                Special::Tid(_) => linear / (x * y),
                Special::Ntid(axis) => grid.block[*axis as usize],
                Special::Ctaid(axis) => b.ctaid[*axis as usize],
                Special::Nctaid(axis) => grid.grid[*axis as usize],
                Special::LaneId => lane as u32,
                Special::WarpId => warp.index,
                Special::NWarpId => grid.threads.div_ceil(32),
                Special::SmId | Special::GridId => 0,
                Special::NSmId => 1,
                Special::MaskEq => 1 << lane,
                Special::MaskLt => below as u32,
                Special::MaskLe => below as u32 | 1 << lane,
                Special::MaskGe => !(below as u32),
                Special::MaskGt => !(below as u32 | 1 << lane),
                Special::DynamicSmemSize => grid.dynamic_shared,
            };
        }
    }
}

fn value(grid: &Grid<'_>, constant: Constant) -> u64 {
    match constant {
        Constant::Bits(bits) => bits,
        Constant::Variable(v, offset) => {
            let slot = grid.variables.get(v).copied().unwrap_or(0) as u64;
            base(slot + 1).wrapping_add(offset as u64)
        }
        Constant::Param { offset, bytes, signed } => {
            let at = offset as usize;
            let mut word = [0_u8; 8];
            let n = (bytes as usize).min(8);
            if let Some(data) = grid.params.get(at..at + n) {
                word[..n].copy_from_slice(data);
            }
            let value = u64::from_le_bytes(word);
            if signed && n < 8 {
                let shift = 64 - 8 * n as u32;
                ((value << shift) as i64 >> shift) as u64
            } else {
                value
            }
        }
        Constant::DynamicShared(offset) => {
            i64::from(grid.program.shared_static).wrapping_add(offset) as u64
        }
        Constant::Function(f) => base(FUNCTION_SLOT) + f as u64 * 16,
    }
}

/// Runs the block until it is done, gives way to other blocks, or cannot go on.
pub(crate) fn run<const L: u8>(m: &mut Machine<'_>, b: &mut BlockState) -> Stop {
    loop {
        let (mut progressed, mut gave_way) = (false, false);
        for n in 0..b.warps.len() {
            let w = (b.next_warp + n) % b.warps.len();
            if b.warps[w].live == 0 || !b.warps[w].splits.iter().any(|s| s.state == State::Ready) {
                continue;
            }
            match vector::run_warp::<L>(m, b, w) {
                Stop::Left => progressed = true,
                Stop::Waits => {
                    progressed = true;
                    if b.warps[w].splits.iter().any(|s| s.state == State::AtCollective) {
                        let warp = std::mem::take(&mut b.warps[w]);
                        collective::stuck(m, b, &warp);
                        b.warps[w] = warp;
                        return Stop::Fatal;
                    }
                }
                Stop::GaveWay => gave_way = true,
                Stop::Fatal => return Stop::Fatal,
            }
        }
        if b.warps.iter().all(|w| w.live == 0) {
            return Stop::Left;
        }
        if open_barriers(m, b) {
            continue;
        }
        if gave_way {
            if progressed {
                continue;
            }
            return Stop::GaveWay;
        }
        if !b.warps.iter().any(|w| w.splits.iter().any(|s| s.state == State::Ready)) {
            deadlock(m, b);
            return Stop::Fatal;
        }
    }
}

/// A split that waits at a barrier: warp, split, barrier operation and number.
struct Waiting {
    warp: usize,
    split: usize,
    op: u32,
    id: u32,
}

fn waiting(m: &Machine<'_>, b: &BlockState) -> Vec<Waiting> {
    let program = m.grid.program;
    let mut all = vec![];
    for (w, warp) in b.warps.iter().enumerate() {
        for (s, split) in warp.splits.iter().enumerate() {
            if let State::AtBarrier(op) = split.state {
                let row = program.barriers[op as usize].id + split.frame.r;
                let id = warp.r[row as usize].0[split.mask.trailing_zeros() as usize & 31];
                all.push(Waiting { warp: w, split: s, op, id });
            }
        }
    }
    all
}

/// Opens every barrier that is complete. True when one opened.
fn open_barriers(m: &mut Machine<'_>, b: &mut BlockState) -> bool {
    let all = waiting(m, b);
    let Some(first) = all.first() else { return false };
    let live: u32 = b.warps.iter().map(|w| w.live.count_ones()).sum();
    let mut ids: Vec<u32> = all.iter().map(|w| w.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut opened = false;
    let _ = first;
    for id in ids {
        let here: Vec<&Waiting> = all.iter().filter(|w| w.id == id).collect();
        let threads: u32 =
            here.iter().map(|w| b.warps[w.warp].splits[w.split].mask.count_ones()).sum();
        let arrived = threads.saturating_add(b.arrived[id as usize % 16]);
        let count = here.iter().find_map(|w| {
            let op = m.grid.program.barriers[w.op as usize];
            let split = &b.warps[w.warp].splits[w.split];
            let row = op.count? + split.frame.r;
            Some(b.warps[w.warp].r[row as usize].0[split.mask.trailing_zeros() as usize & 31])
        });
        let complete = match count {
            Some(count) => arrived >= count,
            None => arrived >= live,
        };
        if !complete {
            continue;
        }
        if count.is_none() && b.left_count > 0 {
            not_reached(m, b, here[0], threads, b.left_count, b.left);
        } else if let Some(other) = apart(m, b, &here) {
            not_reached(m, b, here[0], threads, 0, Some(other));
        }
        reduce(m, b, &here);
        b.arrived[id as usize % 16] = 0;
        b.epoch = b.advance();
        for w in &here {
            let split = &mut b.warps[w.warp].splits[w.split];
            split.state = State::Ready;
            split.turn = 0;
        }
        for warp in &mut b.warps {
            warp.turn = 0;
            warp.epoch = warp.epoch.max(b.epoch);
            warp.merge();
        }
        opened = true;
    }
    opened
}

/// Lanes of one warp that wait at different barriers in the text: their branches have parted.
fn apart(m: &Machine<'_>, b: &BlockState, here: &[&Waiting]) -> Option<(u32, u32)> {
    let _ = m;
    for (i, a) in here.iter().enumerate() {
        for other in &here[i + 1..] {
            if a.warp == other.warp && a.op != other.op {
                let split = &b.warps[other.warp].splits[other.split];
                let linear = b.warps[other.warp].index * 32 + split.mask.trailing_zeros();
                return Some((split.pc.saturating_sub(1), linear));
            }
        }
    }
    None
}

fn not_reached(
    m: &mut Machine<'_>,
    b: &BlockState,
    at: &Waiting,
    waiting: u32,
    missing: u32,
    other: Option<(u32, u32)>,
) {
    let warp = &b.warps[at.warp];
    let split = &warp.splits[at.split];
    let linear = warp.index * 32 + split.mask.trailing_zeros();
    let pc = split.pc.saturating_sub(1);
    let mut findings = std::mem::take(&mut m.findings);
    let with = other.map_or(u32::MAX, |(pc, _)| pc);
    findings.add(
        FindingKind::BarrierNotReached { waiting, missing },
        pc,
        with,
        Machine::order(b.index, linear),
        false,
        || {
            let action = if missing > 0 { Action::Exit } else { Action::Wait };
            (
                m.party(pc, b.index, linear, Action::Wait),
                other.map(|(pc, linear)| m.party(pc, b.index, linear, action)),
            )
        },
    );
    m.findings = findings;
}

/// `bar.red`: the predicate over all threads that take part.
fn reduce(m: &Machine<'_>, b: &mut BlockState, here: &[&Waiting]) {
    let program = m.grid.program;
    let Some(kind) =
        here.iter().find_map(|w| program.barriers[w.op as usize].reduce).map(|r| r.kind)
    else {
        return;
    };
    let (mut yes, mut threads) = (0, 0);
    for w in here {
        let (warp, Some(r)) = (&b.warps[w.warp], program.barriers[w.op as usize].reduce) else {
            continue;
        };
        let split = &warp.splits[w.split];
        let p = warp.p[(split.frame.p + r.source) as usize] & split.mask;
        yes += p.count_ones();
        threads += split.mask.count_ones();
    }
    let holds = if kind == ReduceKind::And { yes == threads } else { yes > 0 };
    for w in here {
        let Some(r) = program.barriers[w.op as usize].reduce else { continue };
        let warp = &mut b.warps[w.warp];
        let (mask, frame) = (warp.splits[w.split].mask, warp.splits[w.split].frame);
        if kind == ReduceKind::Popc {
            let d = &mut warp.r[(frame.r + r.d) as usize].0;
            lanes(mask).for_each(|l| d[l] = yes);
        } else {
            let d = &mut warp.p[(frame.p + r.d) as usize];
            *d = if holds { *d | mask } else { *d & !mask };
        }
    }
}

/// Nobody in the block can run: some wait at one barrier, some at another or for a count that never comes.
fn deadlock(m: &mut Machine<'_>, b: &BlockState) {
    let all = waiting(m, b);
    let threads = |w: &Waiting| b.warps[w.warp].splits[w.split].mask.count_ones();
    let Some(first) = all.first() else { return };
    let here: u32 = all.iter().filter(|w| w.id == first.id).map(threads).sum();
    let elsewhere = all.iter().find(|w| w.id != first.id);
    let live: u32 = b.warps.iter().map(|w| w.live.count_ones()).sum();
    match elsewhere {
        Some(other) => {
            let split = &b.warps[other.warp].splits[other.split];
            let linear = b.warps[other.warp].index * 32 + split.mask.trailing_zeros();
            let place = Some((split.pc.saturating_sub(1), linear));
            let what_waits = all.iter().filter(|w| w.id == first.id).map(threads).sum();
            let _ = here;
            // both sides wait, and neither can come to the other
            let mut findings = std::mem::take(&mut m.findings);
            let warp = &b.warps[first.warp];
            let own = &warp.splits[first.split];
            let linear_first = warp.index * 32 + own.mask.trailing_zeros();
            let pc = own.pc.saturating_sub(1);
            findings.add(
                FindingKind::Deadlock { waiting: what_waits },
                pc,
                place.map_or(u32::MAX, |(pc, _)| pc),
                Machine::order(b.index, linear_first),
                false,
                || {
                    (
                        m.party(pc, b.index, linear_first, Action::Wait),
                        place.map(|(pc, linear)| m.party(pc, b.index, linear, Action::Wait)),
                    )
                },
            );
            m.findings = findings;
        }
        None => not_reached(m, b, first, here, live.saturating_sub(here), b.left),
    }
}
