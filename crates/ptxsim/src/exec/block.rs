//! Runs a block: its warps in turn, until all threads have exited.

use super::barrier::Outcome;
use super::disturb::{Disturbance, DisturbedWords};
use super::hazards::cell::{BLOCK_MASK, ShadowCell};
use super::hazards::prior_access::PriorLists;
use super::machine::{BlockState, Grid, Machine};
use super::warp::{Frame, Observations, Split, State, Warp, lanes};
use super::{FULL, barrier, collective, interp, vector};
use crate::address::{FUNCTION_SLOT, base};
use crate::decode::op::{Constant, Special};
use crate::lines::Lines;

/// Why a warp, or a block, stopped running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Every thread has exited.
    Exited,
    /// All its threads wait for others.
    Waits,
    /// It may be waiting for another thread's store, so others should run.
    Yielded,
    /// It has read what others may be writing, so all others should run until they have done the
    /// same, or ended.
    Observed,
    /// The kernel cannot continue.
    Fatal,
}

/// A state for blocks of this grid, which one block after another uses.
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
                Box::new(warp)
            })
            .collect(),
        shared: Lines::new(grid.shared_bytes.div_ceil(4) as usize, || 0),
        shared_shadow: if full {
            vec![ShadowCell::default(); grid.shared_bytes.div_ceil(4) as usize]
        } else {
            vec![]
        },
        shared_lists: PriorLists::default(),
        generation: 0,
        stamp: 1,
        epoch: 1,
        first_exit: None,
        first_mixed: None,
        exited: 0,
        arrived: [0; 16],
        next_warp: 0,
        strong_seen: false,
        disturbed: DisturbedWords::default(),
    }
}

/// Resets the state to that of block `index` before its first operation.
pub(crate) fn start(grid: &Grid<'_>, b: &mut BlockState, index: u32, ctaid: [u32; 3]) {
    let fresh = b.generation == 0;
    b.index = index;
    b.ctaid = ctaid;
    b.generation += 1;
    b.shared_lists.clear();
    if b.generation > BLOCK_MASK {
        b.generation = 1;
        b.shared_shadow.fill(ShadowCell::default());
    }
    b.stamp = 1;
    b.epoch = 1;
    b.first_exit = None;
    b.first_mixed = None;
    b.exited = 0;
    b.arrived = [0; 16];
    b.next_warp = 0;
    b.strong_seen = false;
    if grid.disturbance == Some(Disturbance::Exchange) {
        b.disturbed.start(b.shared.len());
    }
    let entry = &grid.program.functions[grid.entry];
    let frame = Frame { function: grid.entry as u32, ..Frame::default() };
    let mut warps = std::mem::take(&mut b.warps);
    for warp in &mut warps {
        let threads = (grid.threads - warp.index * 32).min(32);
        warp.lanes = u32::MAX >> (32 - threads);
        warp.live = warp.lanes;
        warp.turn = 0;
        warp.observations = Observations::default();
        warp.instructions = 0;
        warp.epoch = 1;
        warp.local_written.fill(0);
        warp.copies.clear();
        warp.undefined.clear();
        warp.splits.clear();
        warp.splits.push(Split {
            pc: entry.start,
            mask: warp.lanes,
            state: State::Ready,
            frame,
            stack: vec![],
            turn: 0,
            backward_branches: 0,
            last_read: u32::MAX,
            read_before_yield: u32::MAX,
        });
        if fresh
            || grid.program.calls.iter().any(|c| {
                matches!(
                    c.target,
                    crate::decode::op::Target::Function(_) | crate::decode::op::Target::Indirect(_)
                )
            })
        {
            fill_constants(grid, b, warp, &frame, u32::MAX);
        } else {
            // only the block's index changes from block to block
            for (row, special) in &entry.specials {
                if let Special::Ctaid(axis) = special {
                    warp.r[*row as usize].0 = [ctaid[*axis as usize]; 32];
                }
            }
        }
    }
    b.warps = warps;
}

/// Fills in a window's constants and special registers for the lanes of `mask`.
pub(super) fn fill_constants(
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
                Special::TotalSmemSize => grid.total_shared,
                Special::EnvReg(1) => (grid.barrier >> 32) as u32,
                Special::EnvReg(2) => grid.barrier as u32,
                Special::EnvReg(_) => 0,
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

/// Runs the block until all its threads have exited, it yields to other blocks, or it cannot
/// continue.
pub(crate) fn run<const L: u8>(m: &mut Machine<'_>, b: &mut BlockState) -> Stop {
    loop {
        let (mut progressed, mut yielded) = (false, false);
        for n in 0..b.warps.len() {
            let w = (b.next_warp + n) % b.warps.len();
            if b.warps[w].live == 0 || !b.warps[w].splits.iter().any(|s| s.state == State::Ready) {
                continue;
            }
            let fuel = m.fuel;
            // the other levels need not be fast, so there is only the portable copy of the
            // interpreter for them
            let stop = if const { L == FULL } {
                vector::run_warp(m, b, w)
            } else {
                interp::run::<L, false>(m, b, w)
            };
            let warp = &mut b.warps[w];
            warp.instructions += u64::try_from(fuel - m.fuel).unwrap_or(0);
            m.busiest_warp = m.busiest_warp.max(warp.instructions);
            match stop {
                Stop::Exited => progressed = true,
                Stop::Waits => {
                    progressed = true;
                    if b.warps[w].splits.iter().any(|s| s.state == State::AtCollective) {
                        let warp = std::mem::take(&mut b.warps[w]);
                        collective::report_stuck(m, b, &warp);
                        b.warps[w] = warp;
                        return Stop::Fatal;
                    }
                }
                Stop::Yielded | Stop::Observed => yielded = true,
                Stop::Fatal => return Stop::Fatal,
            }
        }
        if b.warps.iter().all(|w| w.live == 0) {
            return Stop::Exited;
        }
        match barrier::open(m, b) {
            Outcome::Opened => {
                if m.grid.disturbance == Some(Disturbance::Exchange) {
                    pass_disturbed(m, b);
                }
                continue;
            }
            Outcome::Closed => {}
            Outcome::Fatal => return Stop::Fatal,
        }
        let observed = std::mem::take(&mut m.observed_others);
        if yielded && observed {
            return Stop::Observed;
        }
        if yielded {
            if progressed {
                continue;
            }
            return Stop::Yielded;
        }
        if !b.warps.iter().any(|w| w.splits.iter().any(|s| s.state == State::Ready)) {
            barrier::report_deadlock(m, b);
            return Stop::Fatal;
        }
    }
}

/// Records or changes shared memory when a block passes a barrier.
#[cold]
#[inline(never)]
fn pass_disturbed(m: &mut Machine<'_>, b: &mut BlockState) {
    if let Some(snapshots) = m.snapshots.as_deref_mut() {
        snapshots.record(b.index, &b.shared);
    }
    b.disturbed.pass_barrier(b.index, &mut b.shared, m.grid.snapshots);
}
