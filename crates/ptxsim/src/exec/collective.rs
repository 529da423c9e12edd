//! Warp-wide `.sync` operations: shuffles, votes, matches, reductions, `bar.warp.sync`.
//!
//! All non-exited lanes that the mask names must execute the same operation (CUDA C++ Programming
//! Guide, "Warp Shuffle Functions"; PTX ISA, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`,
//! `bar.warp.sync`). Lanes wait here until they do.

use super::hazards::sync;
use super::machine::{BlockState, Machine, ThreadAt};
use super::undefined::UndefinedRead;
use super::warp::{Split, State, Warp, lanes};
use super::{FULL, matrices};
use crate::decode::Program;
use crate::decode::op::{CollectiveKind as Kind, CollectiveOp};
use crate::{FindingKind, MaskProblem, MatrixProblem};

/// The lanes that the split's masks name and that have neither arrived with it nor exited.
pub(super) fn missing(warp: &Warp, split: &Split, program: &Program, index: u32) -> u32 {
    let Some(op) = program.collectives.get(index as usize) else { return 0 };
    if op.kind == Kind::ActiveMask {
        return 0;
    }
    named_lanes(warp, split, op) & warp.live & !split.mask
}

fn named_lanes(warp: &Warp, split: &Split, op: &CollectiveOp) -> u32 {
    let masks = &warp.r[(split.frame.r + op.mask) as usize].0;
    lanes(split.mask).fold(0, |all, l| all | masks[l])
}

/// The collective operation that a waiting split is at.
fn operation<'p>(program: &'p Program, split: &Split) -> Option<(u32, &'p CollectiveOp)> {
    let op = program.ops.get(split.pc as usize)?;
    program.collectives.get(op.d as usize).map(|c| (op.d, c))
}

/// Lets splits continue for which no lane is missing any more, after a split arrived or exited.
pub(super) fn arrive(m: &mut Machine<'_>, b: &mut BlockState, warp: &mut Warp) {
    warp.merge();
    for i in 0..warp.splits.len() {
        if warp.splits[i].state == State::AtCollective
            && let Some((index, _)) = operation(m.grid.program, &warp.splits[i])
            && missing(warp, &warp.splits[i], m.grid.program, index) == 0
        {
            warp.splits[i].state = State::Ready;
        }
    }
    // `__syncwarp()`s in both branches of an `if` are different operations that synchronise with
    // each other
    let waiting: u32 = warp
        .splits
        .iter()
        .filter(|s| s.state == State::AtCollective)
        .filter(|s| operation(m.grid.program, s).is_some_and(|(_, op)| op.kind == Kind::Sync))
        .fold(0, |all, s| all | s.mask);
    let complete = waiting != 0
        && warp.splits.iter().filter(|s| s.mask & waiting != 0).all(|s| {
            operation(m.grid.program, s)
                .is_some_and(|(_, op)| named_lanes(warp, s, op) & warp.live & !waiting == 0)
        });
    if complete {
        let mut masks = [0; 32];
        for s in warp.splits.iter().filter(|s| s.mask & waiting != 0) {
            if let Some((_, op)) = operation(m.grid.program, s) {
                let row = &warp.r[(s.frame.r + op.mask) as usize].0;
                lanes(s.mask).for_each(|l| masks[l] = row[l]);
            }
        }
        synchronise(m, b, warp, waiting, &masks);
        for s in warp.splits.iter_mut().filter(|s| s.mask & waiting != 0) {
            s.state = State::Ready;
            s.pc += 1;
        }
    }
}

/// `__syncwarp` of the lanes of `arrived`: those that gave the same mask synchronise with each
/// other.
fn synchronise(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    arrived: u32,
    masks: &[u32; 32],
) {
    let mut rest = arrived;
    while rest != 0 {
        let mask = masks[rest.trailing_zeros() as usize];
        let group = lanes(rest).filter(|l| masks[*l] == mask).fold(0, |all, l| all | 1 << l);
        sync::synchronise_warp(m, b, warp, group);
        rest &= !group;
    }
}

/// Reports lanes that wait for others which can never arrive, at the first operation where lanes
/// do, and where the first of those others waits.
pub(super) fn report_stuck(m: &mut Machine<'_>, b: &BlockState, warp: &Warp) {
    let waits = warp.splits.iter().filter(|s| s.state == State::AtCollective);
    let Some(split) = waits.min_by_key(|s| s.pc) else { return };
    let Some((_, op)) = operation(m.grid.program, split) else { return };
    // each lane has a mask of its own: reported is the first that names an absent lane
    let masks = &warp.r[(split.frame.r + op.mask) as usize].0;
    let absent = |l: usize| masks[l] & warp.live & !split.mask;
    let first = split.mask.trailing_zeros() as usize & 31;
    let lane = lanes(split.mask).find(|l| absent(*l) != 0).unwrap_or(first);
    let present = split.mask & masks[lane];
    let what = if op.kind.on_matrices() {
        FindingKind::BadMatrixOperation { problem: MatrixProblem::AbsentLanes { present } }
    } else {
        let problem = MaskProblem::AbsentLanes;
        FindingKind::BadSyncMask { mask: masks[lane], present, problem }
    };
    let missing = absent(lane).trailing_zeros();
    let other = warp.splits.iter().find(|s| s.mask >> missing & 1 == 1).map(|s| {
        // a barrier's position is behind it
        let pc = if matches!(s.state, State::AtBarrier(_)) { s.pc.saturating_sub(1) } else { s.pc };
        ThreadAt { pc, linear: warp.index * 32 + missing }
    });
    let at = ThreadAt { pc: split.pc, linear: warp.index * 32 + lane as u32 };
    m.report_with(what, b.index, at, other);
}

/// Executes the operation for the lanes of the split.
#[inline(never)]
pub(super) fn execute<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    split: &Split,
    index: u32,
) {
    let Some(op) = m.grid.program.collectives.get(index as usize) else { return };
    let (base_r, base_x, base_p) = (split.frame.r, split.frame.x, split.frame.p);
    let active = split.mask;
    if op.kind.on_matrices() {
        return matrices::execute::<L>(m, b, warp, split, op);
    }
    let masks = warp.r[(base_r + op.mask) as usize].0;
    let first = warp.index * 32;
    let thread = |lane: usize| ThreadAt { pc: split.pc, linear: first + lane as u32 };
    if op.kind != Kind::ActiveMask {
        // each lane must name itself, and all the lanes that it names must have the same mask
        let wrong = lanes(active).find_map(|lane| {
            if masks[lane] >> lane & 1 == 0 {
                return Some((lane, active, MaskProblem::LacksItself));
            }
            let other = lanes(masks[lane] & active).find(|l| masks[*l] != masks[lane])?;
            let alike = lanes(active).filter(|l| masks[*l] == masks[lane]);
            let problem = MaskProblem::OtherMask { lane: other as u32, mask: masks[other] };
            Some((lane, alike.fold(0, |all, l| all | 1 << l), problem))
        });
        if let Some((lane, present, problem)) = wrong {
            let what = FindingKind::BadSyncMask { mask: masks[lane], present, problem };
            m.report(what, b.index, thread(lane));
        }
    }
    let mut d = [0_u32; 32];
    let mut p = 0_u32;
    let (mut sources, mut undefined) = ([0_usize; 32], vec![]);
    match op.kind {
        Kind::Sync => {
            synchronise(m, b, warp, active, &masks);
            return;
        }
        Kind::ActiveMask => {
            // which lanes run together depends on the order
            m.changes += 1;
            d = [active; 32];
        }
        Kind::ShflUp | Kind::ShflDown | Kind::ShflBfly | Kind::ShflIdx => {
            let [a, by, clamp] = [op.a, op.b, op.c].map(|row| warp.r[(base_r + row) as usize].0);
            let mut reported = false;
            for lane in lanes(active) {
                let (from, inside) = shuffle_source(op.kind, lane as u32, by[lane], clamp[lane]);
                let givers = active & masks[lane];
                let given = givers >> (from & 31) & 1 == 1;
                // the value is undefined, but the upper lanes of a tree that folds onto the lower
                // ones may not use what they read beyond the last lane
                let beyond = givers.checked_ilog2().is_none_or(|last| from > last);
                let unused = op.kind == Kind::ShflDown && lane as u32 >= by[lane] && beyond;
                if inside && !given && (unused || !reported) {
                    let source = from & 31;
                    let problem = if masks[lane] >> source & 1 == 1 {
                        MaskProblem::SourceExited { lane: source }
                    } else {
                        MaskProblem::SourceNotNamed { lane: source }
                    };
                    let (mask, present) = (masks[lane], active);
                    let what = FindingKind::BadSyncMask { mask, present, problem };
                    let at = thread(lane);
                    if !unused {
                        reported = true;
                        m.report(what, b.index, at);
                    } else if L >= FULL {
                        undefined.push(UndefinedRead { lane, at, what, reported: false });
                    }
                }
                sources[lane] = from as usize & 31;
                d[lane] = a[sources[lane]];
                p |= u32::from(inside) << lane;
            }
        }
        Kind::VoteAll | Kind::VoteAny | Kind::VoteUni | Kind::VoteBallot => {
            let a = warp.p[(base_p + op.a) as usize];
            for lane in lanes(active) {
                let group = masks[lane] & active;
                let yes = a & group;
                d[lane] = yes;
                let holds = match op.kind {
                    Kind::VoteAll => yes == group,
                    Kind::VoteAny => yes != 0,
                    _ => yes == group || yes == 0,
                };
                p |= u32::from(holds) << lane;
            }
            if op.kind != Kind::VoteBallot {
                warp.undefined.pass_on(split, op, &masks, &sources, undefined);
                let row = &mut warp.p[(base_p + op.d) as usize];
                *row = (*row & !active) | (p & active);
                return;
            }
        }
        Kind::MatchAny32 | Kind::MatchAny64 | Kind::MatchAll32 | Kind::MatchAll64 => {
            let a: [u64; 32] = if matches!(op.kind, Kind::MatchAny64 | Kind::MatchAll64) {
                warp.x[(base_x + op.a) as usize].0
            } else {
                warp.r[(base_r + op.a) as usize].0.map(u64::from)
            };
            for lane in lanes(active) {
                let group = masks[lane] & active;
                let same = lanes(group).filter(|l| a[*l] == a[lane]).fold(0, |all, l| all | 1 << l);
                if matches!(op.kind, Kind::MatchAny32 | Kind::MatchAny64) {
                    d[lane] = same;
                } else if same == group {
                    d[lane] = group;
                    p |= 1 << lane;
                }
            }
        }
        Kind::Elect => {
            // PTX ISA, "elect.sync": always the same one of them; the simulator takes the lowest
            for lane in lanes(active) {
                let leader = (masks[lane] & active).trailing_zeros();
                d[lane] = leader;
                p |= u32::from(leader == lane as u32) << lane;
            }
        }
        _ => {
            let a = warp.r[(base_r + op.a) as usize].0;
            for lane in lanes(active) {
                let values = lanes(masks[lane] & active).map(|l| a[l]);
                d[lane] = values.reduce(|x, y| reduce(op.kind, x, y)).unwrap_or(0);
            }
        }
    }
    warp.undefined.pass_on(split, op, &masks, &sources, undefined);
    let row = &mut warp.r[(base_r + op.d) as usize].0;
    for lane in lanes(active) {
        row[lane] = d[lane];
    }
    if let Some(q) = op.p {
        let row = &mut warp.p[(base_p + q) as usize];
        *row = (*row & !active) | (p & active);
    }
}

/// PTX ISA, `shfl.sync`: the source lane, and whether it is inside the segment.
fn shuffle_source(kind: Kind, lane: u32, by: u32, clamp: u32) -> (u32, bool) {
    let (by, limit, segment) = (by & 31, clamp & 31, clamp >> 8 & 31);
    let top = (lane & segment) | (limit & !segment);
    let bottom = lane & segment;
    let (from, inside) = match kind {
        Kind::ShflUp => {
            let from = lane.wrapping_sub(by) as i32;
            (from as u32, from >= top as i32)
        }
        Kind::ShflDown => (lane + by, lane + by <= top),
        Kind::ShflBfly => (lane ^ by, lane ^ by <= top),
        _ => {
            let from = bottom | (by & !segment);
            (from, from <= top)
        }
    };
    if inside { (from, true) } else { (lane, false) }
}

fn reduce(kind: Kind, x: u32, y: u32) -> u32 {
    match kind {
        Kind::ReduxAdd => x.wrapping_add(y),
        Kind::ReduxMinS => (x as i32).min(y as i32) as u32,
        Kind::ReduxMaxS => (x as i32).max(y as i32) as u32,
        Kind::ReduxMinU => x.min(y),
        Kind::ReduxMaxU => x.max(y),
        Kind::ReduxAnd => x & y,
        Kind::ReduxOr => x | y,
        _ => x ^ y,
    }
}
