//! The interpreter's loop for one warp: picks a split and executes its operations until the split
//! has to be left.
//!
//! [`run_operations`] is the dispatch; each operation that is not arithmetic has a handler in
//! [`handlers`]. Handlers and loop are compiled as one function, because the rows and the position
//! would otherwise move through memory.

pub(crate) mod handlers;

use std::convert::Infallible;
use std::ops::ControlFlow::{self, Break};

use super::access::{ActiveLanes, Context, Kind, WarpParts};
use super::alu::{self, Rows};
use super::block::Stop;
use super::hazards::renumber;
use super::machine::{BlockState, Machine};
use super::pattern::Pattern;
use super::warp::{Split, State, Warp};
use super::{FULL, TRACE, calls, collective, texture, trace, undefined, waits};
use crate::decode::op::Code;

/// Why the interpreter left a split.
enum Leave {
    /// Another split is at or before this position, or this split yielded: pick again.
    Repick,
    /// It has read what other threads may be writing, so all of them run before it continues.
    Observed,
    /// It waits for other threads.
    Waits(State),
    /// Its lanes are at this collective operation, which may have to wait for other lanes.
    Collective(u32),
    /// It executes this call of one of the program's functions; the position is the one to return
    /// to.
    Call(u32),
    Return,
    /// All its lanes have exited.
    Exited,
    /// The kernel cannot continue.
    Fatal,
}

/// The position of the split that runs. It is apart from the registers and memory in [`Context`],
/// whose address is passed to functions, so that the compiler can keep the position in a machine
/// register.
struct Cursor {
    /// The next operation.
    pc: u32,
    /// The lowest position of another split of the warp with which this one could merge.
    merge_pc: u32,
}

/// Runs warp `w` until it has exited, waits, or yields. `INLINE_ALU` compiles the arithmetic into
/// the loop, which saves a call for each operation; the copies of the loop that need not be fast
/// share one function instead, because the arithmetic takes most of the time to compile.
#[inline(always)]
pub(super) fn run<const L: u8, const INLINE_ALU: bool>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    w: usize,
) -> Stop {
    let placeholder = m.placeholder.take().unwrap_or_default();
    let mut warp = std::mem::replace(&mut b.warps[w], placeholder);
    let mut patterns = std::mem::take(&mut m.patterns);
    let stop = if const { L == TRACE } || const { L == FULL } && !warp.undefined.is_empty() {
        run_warp_closely(m, b, &mut warp, &mut patterns)
    } else {
        run_warp::<L, INLINE_ALU>(m, b, &mut warp, &mut patterns)
    };
    m.patterns = patterns;
    m.placeholder = Some(std::mem::replace(&mut b.warps[w], warp));
    stop
}

/// Records one thread and follows the warp's undefined values. This need not be fast, so there is
/// only this copy of the interpreter for it.
#[inline(never)]
fn run_warp_closely(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    patterns: &mut [Pattern],
) -> Stop {
    run_warp::<TRACE, false>(m, b, warp, patterns)
}

#[inline(always)]
fn run_warp<const L: u8, const INLINE_ALU: bool>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    patterns: &mut [Pattern],
) -> Stop {
    let program = m.grid.program;
    loop {
        if warp.splits.len() > 1 {
            warp.merge();
        }
        if L >= FULL && b.stamp >= renumber::RENUMBER_FROM {
            renumber::renumber(m, b, warp);
        }
        let Some(next) = warp.pick() else {
            return if warp.live == 0 { Stop::Exited } else { Stop::Waits };
        };
        // every split that can run has had its turn, so other warps run now
        if warp.splits[next].turn > warp.turn {
            warp.turn = warp.splits[next].turn;
            return Stop::Yielded;
        }
        let mut split = warp.splits.swap_remove(next);
        match run_split::<L, INLINE_ALU>(m, b, warp, patterns, &mut split) {
            Leave::Repick => warp.splits.push(split),
            Leave::Observed => {
                m.observed_others = true;
                // other splits may have had more turns
                split.turn = split.turn.max(warp.turn);
                split.yield_turn();
                warp.splits.push(split);
            }
            Leave::Waits(state) => {
                split.state = state;
                warp.splits.push(split);
            }
            Leave::Collective(index) => {
                if collective::missing(warp, &split, program, index) == 0 {
                    collective::execute::<L>(m, b, warp, &split, index);
                    split.pc += 1;
                    warp.splits.push(split);
                    if const { L == FULL } && !warp.undefined.is_empty() {
                        return run_warp_closely(m, b, warp, patterns);
                    }
                } else {
                    split.state = State::AtCollective;
                    warp.splits.push(split);
                    collective::arrive(m, b, warp);
                }
            }
            Leave::Call(call) => {
                if !calls::call(m, b, warp, &mut split, call) {
                    return Stop::Fatal;
                }
                warp.splits.push(split);
            }
            Leave::Return => {
                calls::return_to_caller(program, warp, &mut split);
                warp.splits.push(split);
            }
            Leave::Exited => {
                if !warp.splits.is_empty() {
                    collective::arrive(m, b, warp);
                }
            }
            Leave::Fatal => return Stop::Fatal,
        }
    }
}

/// Runs a split, which is not among those of the warp meanwhile, until it has to be left. Its
/// position is then the one at which it continues.
#[inline(always)]
fn run_split<const L: u8, const INLINE_ALU: bool>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    patterns: &mut [Pattern],
    split: &mut Split,
) -> Leave {
    let frame = split.frame;
    let active = ActiveLanes {
        mask: split.mask,
        // without other splits, no lane outside the mask has a value that is still needed
        write_mask: if warp.splits.is_empty() { u32::MAX } else { split.mask },
        local_base: frame.local,
        local_bytes: m.grid.program.functions[frame.function as usize].local_bytes,
    };
    let mut cursor = Cursor { pc: split.pc, merge_pc: warp.merge_pc(split) };
    let Warp { r, x, p, local, local_written, copies, undefined, .. } = warp;
    let Warp { index, epoch, observations, live, splits, .. } = warp;
    let rows = Rows {
        r: &mut r[frame.r as usize..],
        x: &mut x[frame.x as usize..],
        p: &mut p[frame.p as usize..],
    };
    let (index, epoch) = (*index, *epoch);
    let warp = WarpParts {
        index,
        epoch,
        observations,
        live,
        splits,
        local,
        local_written,
        copies,
        undefined,
    };
    let mut cx = Context { m, b, warp, rows };
    let Break(leave) =
        run_operations::<L, INLINE_ALU>(&mut cx, patterns, split, &active, &mut cursor);
    split.pc = cursor.pc;
    leave
}

#[inline(always)]
fn run_operations<const L: u8, const INLINE_ALU: bool>(
    cx: &mut Context<'_, '_, '_>,
    patterns: &mut [Pattern],
    split: &mut Split,
    active: &ActiveLanes,
    cursor: &mut Cursor,
) -> ControlFlow<Leave, Infallible> {
    let program = cx.m.grid.program;
    let ops = program.ops.as_slice();
    loop {
        let Some(op) = ops.get(cursor.pc as usize) else { return Break(Leave::Fatal) };
        if L >= TRACE {
            trace::before(cx, split, cursor.pc);
            undefined::before(cx, split, cursor.pc);
            waits::before(cx, split, cursor.pc);
        }
        cursor.pc += 1;
        match op.code {
            Code::Enter => handlers::enter_block::<L>(cx, split, cursor, op)?,
            Code::Jump => handlers::jump(cx, split, cursor, op.c)?,
            Code::Branch => handlers::branch::<L>(cx, split, cursor, op)?,
            Code::Load => handlers::access::<L>(cx, patterns, split, active, op, Kind::Load)?,
            Code::Store => handlers::access::<L>(cx, patterns, split, active, op, Kind::Store)?,
            Code::Atomic => handlers::access::<L>(cx, patterns, split, active, op, Kind::Atomic)?,
            Code::Fence => handlers::fence::<L>(cx, active, op)?,
            Code::Image => texture::execute::<L>(cx, op.d, active.mask),
            Code::Copy => handlers::start_copy::<L>(cx, active, op)?,
            Code::CopyCommit => cx.warp.copies.commit(active.mask),
            Code::CopyWait => handlers::wait_for_copies::<L>(cx, active.mask, op.d),
            Code::LocalBase => handlers::add_local_base(cx, active, op),
            Code::ClockL | Code::ClockI => handlers::read_clock(cx, active, op),
            Code::Barrier => handlers::barrier::<L>(cx, active, cursor, op)?,
            Code::Collective => {
                cursor.pc -= 1;
                return Break(Leave::Collective(op.d));
            }
            Code::Call => handlers::call(cx, active, cursor, op)?,
            Code::Return => return Break(Leave::Return),
            Code::Exit => return Break(handlers::exit::<L>(cx, active, cursor)),
            Code::Trap => return Break(handlers::trap(cx, active, cursor, op)),
            Code::BadIndex => return Break(handlers::bad_index(cx, active, cursor, op)),
            _ if INLINE_ALU => {
                alu::execute(op, &mut cx.rows, active.write_mask, &program.conversions);
            }
            _ => alu::execute_apart(op, &mut cx.rows, active.write_mask, &program.conversions),
        }
    }
}
