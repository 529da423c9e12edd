//! What the interpreter's loop does for the operations that are not arithmetic.
//!
//! A handler that ends the split's run breaks with the reason; the cursor is then where the split
//! continues. All handlers are inlined into the loop, except for what rarely happens.

use std::hash::{DefaultHasher, Hasher};
use std::ops::ControlFlow::{self, Break, Continue};

use super::super::access::{self, ActiveLanes, Context, Kind};
use super::super::hazards::{renumber, sync};
use super::super::loops::Loop;
use super::super::machine::{LastIteration, Machine, ThreadAt};
use super::super::pattern::Pattern;
use super::super::warp::{Split, State, lanes};
use super::super::{COUNT, FULL, TRACE, barrier, builtin, copies};
use super::{Cursor, Leave};
use crate::FindingKind;
use crate::decode::code::File;
use crate::decode::op::{Code, Op, Scope, Target};

/// The time slice: backward branches that a split may take before the other splits of its warp get
/// a turn. It is short in a loop with atomic or volatile accesses, because such a loop may wait for
/// another thread, and otherwise long, so that the lanes of divergent loops stay together.
pub(crate) const SLICE_STRONG_BRANCHES: u32 = 64;
const SLICE_BRANCHES: u32 = 1 << 16;
/// The long time slice once every block in flight has yielded: the launch may be in a loop that
/// never ends.
const SLICE_ALL_YIELDED_BRANCHES: u32 = 1 << 12;
/// Instructions beyond the budget that may be executed to find out whether a loop can end; never
/// more than the budget itself.
const LAST_ITERATION_INSTRUCTIONS: u64 = 1 << 20;

/// The first operation of a basic block: counts its instructions, and leaves the split where it may
/// merge with another.
#[inline(always)]
pub(super) fn enter_block<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    split: &Split,
    cursor: &mut Cursor,
    op: &Op,
) -> ControlFlow<Leave> {
    // `split.pc` is where the split began to run, so it must not leave there again
    if cursor.pc > cursor.merge_pc && cursor.pc - 1 != split.pc {
        cursor.pc -= 1;
        return Break(Leave::Repick);
    }
    let m = &mut *cx.m;
    let Some(block) = m.grid.program.blocks.get(op.d as usize) else { return Continue(()) };
    m.fuel -= i64::from(block.instructions);
    if L >= COUNT {
        let executions = &mut m.blocks[op.d as usize];
        executions.warps += 1;
        executions.lanes += u64::from(split.mask.count_ones());
    }
    if m.fuel < 0 {
        return out_of_fuel(cx, split, cursor);
    }
    Continue(())
}

/// The budget is used up. Before it is reported, a split whose loop depends on its registers alone
/// runs on for a while, which shows whether it comes back to the same state.
#[cold]
#[inline(never)]
fn out_of_fuel(
    cx: &mut Context<'_, '_, '_>,
    split: &Split,
    cursor: &mut Cursor,
) -> ControlFlow<Leave> {
    let m = &mut *cx.m;
    let at = cursor.pc - 1;
    let here = (cx.b.index, cx.warp.index, split.mask, at);
    let values = |registers: &[(File, u32)]| {
        let mut hash = DefaultHasher::new();
        for (file, row) in registers {
            for lane in lanes(split.mask) {
                hash.write_u64(match file {
                    File::R => u64::from(cx.rows.r[*row as usize].0[lane]),
                    File::X => cx.rows.x[*row as usize].0[lane],
                    File::P => u64::from(cx.rows.pred(*row) >> lane & 1),
                });
            }
        }
        hash.finish()
    };
    if m.fatal {
        // an error of the GPU cut the budget short, and is why the launch has no results
        return Break(Leave::Fatal);
    }
    let exhausted = m.fuel < -(LAST_ITERATION_INSTRUCTIONS.min(m.budget) as i64);
    let repeats = match &mut m.last_iteration {
        None => {
            let around = Loop::around(m.grid.program, split.frame.function, at);
            let repeated = around.operations().count() > 1 && split.stack.is_empty();
            if let Some(registers) = around.branches.as_ref().filter(|_| repeated) {
                let values = values(registers);
                let changed = false;
                m.last_iteration =
                    Some(LastIteration { split: here, around, control: values, changed });
                return Continue(());
            }
            None
        }
        Some(LastIteration { split: place, around, control: before, changed }) => {
            let registers = around.branches.as_deref().unwrap_or_default();
            let same = *place == here && values(registers) == *before;
            *changed |= *place == here && !same;
            if !same && !exhausted {
                return Continue(());
            }
            same.then(|| {
                let program = m.grid.program;
                (around.exit(program).unwrap_or(at), around.values(program, *changed))
            })
        }
    };
    let instructions = m.budget;
    let (what, pc) = match repeats {
        Some((pc, values)) => (FindingKind::NeverFinishes { instructions, values }, pc),
        None => (FindingKind::OverBudget { instructions }, cursor.pc),
    };
    m.report(what, cx.b.index, ThreadAt::first(cx.warp.index, split.mask, pc));
    Break(Leave::Fatal)
}

/// Continues at `target`. Before a backward branch, the split yields when its time slice is over.
#[inline(always)]
pub(super) fn jump(
    cx: &mut Context<'_, '_, '_>,
    split: &mut Split,
    cursor: &mut Cursor,
    target: u32,
) -> ControlFlow<Leave> {
    let backward = target < cursor.pc;
    cursor.pc = target;
    if backward {
        split.backward_branches += 1;
        if slice_is_over(cx.m, split.backward_branches) {
            split.yield_turn();
            return Break(Leave::Repick);
        }
    }
    Continue(())
}

#[inline(always)]
fn slice_is_over(m: &mut Machine<'_>, branches: u32) -> bool {
    if branches < m.shortest_slice {
        return false;
    }
    if m.shortest_slice == 1 {
        return true;
    }
    let slice = match (m.strong_seen, m.all_yielded) {
        (true, _) => SLICE_STRONG_BRANCHES,
        (false, true) => SLICE_ALL_YIELDED_BRANCHES,
        (false, false) => SLICE_BRANCHES,
    };
    if branches < slice {
        return false;
    }
    m.strong_seen = false;
    true
}

/// A conditional branch: a jump when all lanes take it; when only some do, they become another
/// split.
#[inline(always)]
pub(super) fn branch<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    split: &mut Split,
    cursor: &mut Cursor,
    op: &Op,
) -> ControlFlow<Leave> {
    let negated = op.b != 0;
    let predicate = cx.rows.pred(op.a);
    let taken = split.mask & if negated { !predicate } else { predicate };
    if L >= COUNT && op.d != 0 {
        let executions = &mut cx.m.branches[cursor.pc as usize - 1];
        executions.all += 1;
        executions.divergent += u64::from(taken != 0 && taken != split.mask);
    }
    if taken == split.mask {
        return jump(cx, split, cursor, op.c);
    }
    if taken == 0 {
        return Continue(());
    }
    let mut other = Split { pc: op.c, mask: taken, ..split.clone() };
    // a loop that diverges in each iteration never takes its backward branch as a whole, and has to
    // yield, too
    if op.c < cursor.pc && cx.m.strong_seen {
        cx.m.strong_seen = false;
        other.yield_turn();
    }
    split.mask &= !taken;
    cx.warp.splits.push(other);
    Break(Leave::Repick)
}

/// A load, store or atomic.
#[inline(always)]
pub(super) fn access<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    patterns: &mut [Pattern],
    split: &mut Split,
    active: &ActiveLanes,
    op: &Op,
    kind: Kind,
) -> ControlFlow<Leave> {
    if kind == Kind::Atomic {
        cx.m.strong_seen = true;
    }
    access::access::<L>(cx, patterns, op.d, kind, active);
    let memory = &cx.m.grid.program.memory[op.d as usize];
    if kind == Kind::Load {
        cx.m.strong_seen |= memory.strong;
    }
    if kind != Kind::Store {
        split.last_read = op.d;
        // On a GPU, others run between this access and the next one, so a kernel that adds to a
        // word by a load and a store loses additions.
        if let Some(observation) = memory.observation
            && cx.warp.observations.count(observation, cx.b.index, cx.warp.index)
        {
            return Break(Leave::Observed);
        }
    }
    if kind == Kind::Load { Continue(()) } else { leave_to_renumber::<L>(cx) }
}

/// Leaves the split when its last operation took one of the block's last stamps, so that they are
/// renumbered before the next one.
#[inline(always)]
fn leave_to_renumber<const L: u8>(cx: &Context<'_, '_, '_>) -> ControlFlow<Leave> {
    if L >= FULL && cx.b.stamp >= renumber::RENUMBER_FROM {
        Break(Leave::Repick)
    } else {
        Continue(())
    }
}

#[inline(always)]
pub(super) fn fence<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    active: &ActiveLanes,
    op: &Op,
) -> ControlFlow<Leave> {
    if L >= FULL {
        let scope = if op.d == 0 { Scope::Cta } else { Scope::Gpu };
        sync::fence(cx.m, cx.b, cx.warp.sync_epoch(), active.mask, scope);
    }
    leave_to_renumber::<L>(cx)
}

#[inline(always)]
pub(super) fn start_copy<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    active: &ActiveLanes,
    op: &Op,
) -> ControlFlow<Leave> {
    copies::issue::<L>(cx, op.d, active);
    leave_to_renumber::<L>(cx)
}

/// Waits until at most `groups` groups of asynchronous copies of each lane are in flight.
#[inline(always)]
pub(super) fn wait_for_copies<const L: u8>(cx: &mut Context<'_, '_, '_>, mask: u32, groups: u32) {
    if !cx.warp.copies.is_empty() {
        copies::wait::<L>(cx.m, cx.b, &mut cx.warp, mask, groups);
    }
}

/// Adds the frame's start in local memory to an address inside the frame.
#[inline(always)]
pub(super) fn add_local_base(cx: &mut Context<'_, '_, '_>, active: &ActiveLanes, op: &Op) {
    let offsets = &cx.rows.x[op.a as usize].0;
    let addresses = offsets.map(|offset| offset.wrapping_add(u64::from(active.local_base)));
    cx.rows.set64(op.d, &addresses, active.write_mask);
}

/// The clock counts warp instructions, this one included.
#[inline(always)]
pub(super) fn read_clock(cx: &mut Context<'_, '_, '_>, active: &ActiveLanes, op: &Op) {
    let m = &mut *cx.m;
    m.fuel -= 1;
    m.strong_seen = true;
    let now = (m.budget as i64).wrapping_sub(m.fuel) as u64;
    if matches!(op.code, Code::ClockL) {
        cx.rows.set64(op.d, &[now; 32], active.write_mask);
    } else {
        cx.rows.set32(op.d, &[now as u32; 32], active.write_mask);
    }
}

/// A block barrier: the split waits at it, or (`bar.arrive`) only arrives.
#[inline(always)]
pub(super) fn barrier<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    active: &ActiveLanes,
    cursor: &Cursor,
    op: &Op,
) -> ControlFlow<Leave> {
    let m = &mut *cx.m;
    if L >= COUNT {
        m.barriers[cursor.pc as usize - 1] += 1;
    }
    let barrier = m.grid.program.barriers[op.d as usize];
    if !barrier.waits {
        let first = active.mask.trailing_zeros() as usize & 31;
        let id = cx.rows.r[barrier.id as usize].0[first];
        let threads = barrier.count.map(|row| cx.rows.r[row as usize].0[first]);
        // arriving at a barrier that does not exist is reported like waiting at it
        if barrier::exists(id, threads) {
            let arrived = &mut cx.b.arrived[id as usize % 16];
            let existing = (m.grid.threads - cx.warp.index * 32).min(32);
            let lanes = u32::MAX >> (32 - existing);
            *arrived = arrived.saturating_add(barrier::arrivals(active.mask, lanes));
            sync::arrive(m, cx.b, cx.warp.sync_epoch(), active.mask, id);
            return leave_to_renumber::<L>(cx);
        }
    }
    Break(Leave::Waits(State::AtBarrier(op.d)))
}

#[inline(always)]
pub(super) fn call(
    cx: &mut Context<'_, '_, '_>,
    active: &ActiveLanes,
    cursor: &Cursor,
    op: &Op,
) -> ControlFlow<Leave> {
    match cx.m.grid.program.calls[op.d as usize].target {
        Target::Function(_) => Break(Leave::Call(op.d)),
        Target::Indirect(_) => {
            cx.m.branches[cursor.pc as usize - 1].all += 1;
            Break(Leave::Call(op.d))
        }
        target => {
            if builtin::call(cx, (op.d, cursor.pc - 1), target, active) {
                Continue(())
            } else {
                Break(Leave::Fatal)
            }
        }
    }
}

/// The lanes exit; their asynchronous copies arrive before.
#[inline(always)]
pub(super) fn exit<const L: u8>(
    cx: &mut Context<'_, '_, '_>,
    active: &ActiveLanes,
    cursor: &Cursor,
) -> Leave {
    wait_for_copies::<L>(cx, active.mask, u32::MAX);
    *cx.warp.live &= !active.mask;
    let at = ThreadAt::first(cx.warp.index, active.mask, cursor.pc - 1);
    if cx.b.first_exit.is_none_or(|first| at.linear < first.linear) {
        cx.b.first_exit = Some(at);
    }
    cx.b.exited += active.mask.count_ones();
    if L >= TRACE
        && *cx.warp.live == 0
        && let Some(caches) = cx.m.caches.as_deref_mut()
    {
        caches.exit((cx.b.index, cx.warp.index));
    }
    Leave::Exited
}

/// `trap`, or the trap in place of a grid-wide barrier, which only a cooperative launch has.
#[inline(always)]
pub(super) fn trap(
    cx: &mut Context<'_, '_, '_>,
    active: &ActiveLanes,
    cursor: &Cursor,
    op: &Op,
) -> Leave {
    let grid_barrier = op.d == 1 && cx.m.grid.barrier == 0;
    let what = if grid_barrier { FindingKind::NotCooperative } else { FindingKind::Trap };
    let at = ThreadAt::first(cx.warp.index, active.mask, cursor.pc - 1);
    cx.m.report(what, cx.b.index, at);
    Leave::Fatal
}

/// A `brx.idx` whose index is not in its list.
#[cold]
#[inline(never)]
pub(super) fn bad_index(
    cx: &mut Context<'_, '_, '_>,
    active: &ActiveLanes,
    cursor: &Cursor,
    op: &Op,
) -> Leave {
    let at = ThreadAt::first(cx.warp.index, active.mask, cursor.pc - 1);
    let index = cx.rows.r[op.a as usize].0[at.linear as usize % 32];
    cx.m.report(FindingKind::BadBranch { index, targets: op.d }, cx.b.index, at);
    Leave::Fatal
}
