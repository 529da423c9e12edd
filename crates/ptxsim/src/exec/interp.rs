//! The interpreter's loop for one warp.

use super::access::{self, Context, Kind, WarpParts, Who};
use super::alu::{self, Rows};
use super::block::Stop;
use super::hazards::{renumber, sync};
use super::machine::{BlockState, Machine};
use super::pattern::Pattern;
use super::warp::{Frame, Split, State, Warp};
use super::{COUNT, FULL, TRACE, barrier, builtin, collective, copies, texture, trace};
use crate::decode::Program;
use crate::decode::op::{Code, Scope, Target};
use crate::device;
use crate::{Action, FindingKind};

/// Backward branches that a split may take before others of its warp get a turn: few when the loop has atomics or
/// volatile accesses and so may wait for somebody, many otherwise, so that divergent loops stay together.
const PATIENCE_STRONG: u32 = 64;
const PATIENCE: u32 = 1 << 16;
/// The same once everybody has had as many: the launch may be in a loop that never ends.
const PATIENCE_WATCHED: u32 = 1 << 12;

/// Why a split stopped running.
enum Leave {
    /// Others are at or before this place, or it gave way: pick again.
    Repick,
    /// It waits; its state says for what.
    Waits(State),
    /// All its lanes have left.
    Gone,
    /// The kernel cannot go on.
    Fatal,
}

/// Runs warp `w` until it has left, waits, or gives way.
#[inline(always)]
pub(super) fn run<const L: u8>(m: &mut Machine<'_>, b: &mut BlockState, w: usize) -> Stop {
    let nobody = m.nobody.take().unwrap_or_default();
    let mut warp = std::mem::replace(&mut b.warps[w], nobody);
    let mut patterns = std::mem::take(&mut m.patterns);
    let stop = run_warp::<L>(m, b, &mut warp, &mut patterns);
    m.patterns = patterns;
    m.nobody = Some(std::mem::replace(&mut b.warps[w], warp));
    stop
}

#[inline(always)]
fn run_warp<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    patterns: &mut [Pattern],
) -> Stop {
    loop {
        if warp.splits.len() > 1 {
            warp.merge();
        }
        if L >= FULL && b.stamp >= renumber::FULL {
            renumber::renumber(m, b, warp);
        }
        let Some(next) = warp.pick() else {
            return if warp.live == 0 { Stop::Left } else { Stop::Waits };
        };
        // everybody who can run has had a turn: let other warps go on
        if warp.splits[next].turn > warp.turn {
            warp.turn = warp.splits[next].turn;
            return Stop::GaveWay;
        }
        let mut split = warp.splits.swap_remove(next);
        match run_split::<L>(m, b, warp, patterns, &mut split) {
            Leave::Repick => warp.splits.push(split),
            Leave::Waits(state) => {
                split.state = state;
                warp.splits.push(split);
                if state == State::AtCollective {
                    collective::arrive(m, b, warp);
                }
            }
            Leave::Gone => {
                if !warp.splits.is_empty() {
                    collective::arrive(m, b, warp);
                }
            }
            Leave::Fatal => return Stop::Fatal,
        }
    }
}

#[inline(always)]
fn run_split<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut Warp,
    patterns: &mut [Pattern],
    split: &mut Split,
) -> Leave {
    let program = m.grid.program;
    let ops = program.ops.as_slice();
    let alone = warp.splits.is_empty();
    // lanes that nobody else holds may be overwritten freely
    let keep = if alone { u32::MAX } else { split.mask };
    let depth = split.stack.len();
    // other splits that this one may meet further on
    let meet = warp
        .splits
        .iter()
        .filter(|s| s.state == State::Ready && s.stack.len() == depth)
        .map(|s| s.pc)
        .min()
        .unwrap_or(u32::MAX);
    let frame = split.frame;
    let mut pc = split.pc;
    let mask = split.mask;
    let live = warp.live;
    let (mut rows, mut parts) = {
        let Warp { r, x, p, local, local_written, copies, index, epoch, .. } = &mut *warp;
        (
            Rows {
                r: &mut r[frame.r as usize..],
                x: &mut x[frame.x as usize..],
                p: &mut p[frame.p as usize..],
            },
            WarpParts { index: *index, epoch: *epoch, local, local_written, copies },
        )
    };
    macro_rules! context {
        () => {
            Context { m: &mut *m, b: &mut *b, warp: &mut parts, rows: &mut rows }
        };
    }
    let who = Who {
        mask,
        keep,
        local_base: frame.local,
        local_bytes: program.functions[frame.function as usize].local_bytes,
    };
    // backwards, a split may have to give way first
    macro_rules! go_to {
        ($target:expr) => {
            if $target < pc {
                split.loops += 1;
                if gives_way(m, split.loops) {
                    split.pc = $target;
                    split.gives_way();
                    return Leave::Repick;
                }
            }
            pc = $target;
        };
    }
    // an operation that took the last of the block's stamps: they are renumbered before the next
    macro_rules! stamps {
        () => {
            if L >= FULL && b.stamp >= renumber::FULL {
                split.pc = pc;
                return Leave::Repick;
            }
        };
    }
    loop {
        let Some(op) = ops.get(pc as usize) else {
            split.pc = pc;
            return Leave::Fatal;
        };
        if L >= TRACE && m.trace.as_ref().is_some_and(|t| t.follows(b.index, parts.index, mask)) {
            let here = trace::Here { pc, mask, live, frame, depth };
            trace::before(m, b, &mut parts, &mut rows, &here);
        }
        pc += 1;
        match op.code {
            Code::Enter => {
                if pc > meet && pc - 1 != split.pc {
                    split.pc = pc - 1;
                    return Leave::Repick;
                }
                let Some(block) = program.blocks.get(op.d as usize) else { continue };
                m.fuel -= i64::from(block.instructions);
                if L >= COUNT {
                    let counts = &mut m.blocks[op.d as usize];
                    counts.0 += 1;
                    counts.1 += u64::from(mask.count_ones());
                }
                if m.fuel < 0 {
                    out_of_fuel(m, b, parts.index, pc, mask);
                    return Leave::Fatal;
                }
            }
            Code::Jump => {
                go_to!(op.c);
            }
            Code::Branch => {
                let mut taken = rows.pred(op.a);
                if op.b != 0 {
                    taken = !taken;
                }
                taken &= mask;
                if L >= COUNT && op.d != 0 {
                    let counts = &mut m.branches[pc as usize - 1];
                    counts.0 += 1;
                    counts.1 += u64::from(taken != 0 && taken != mask);
                }
                if taken == mask {
                    go_to!(op.c);
                } else if taken != 0 {
                    // a loop that keeps diverging gives way too
                    let mut other = Split { pc: op.c, mask: taken, ..split.clone() };
                    if op.c < pc && m.strong_seen {
                        m.strong_seen = false;
                        other.gives_way();
                    }
                    split.pc = pc;
                    split.mask = mask & !taken;
                    warp.splits.push(other);
                    return Leave::Repick;
                }
            }
            Code::Load => {
                access::access::<L>(&mut context!(), patterns, op.d, Kind::Load, &who);
                m.strong_seen |= program.memory[op.d as usize].strong;
                split.looks = op.d;
            }
            Code::Store => {
                access::access::<L>(&mut context!(), patterns, op.d, Kind::Store, &who);
                stamps!();
            }
            Code::Atomic => {
                m.strong_seen = true;
                split.looks = op.d;
                access::access::<L>(&mut context!(), patterns, op.d, Kind::Atomic, &who);
                stamps!();
            }
            Code::Fence => {
                if L >= FULL {
                    let scope = if op.d == 0 { Scope::Cta } else { Scope::Gpu };
                    sync::fence(m, b, (parts.index, parts.epoch), mask, scope);
                    stamps!();
                }
            }
            Code::Image => texture::execute::<L>(&mut context!(), op.d, mask),
            Code::Copy => {
                copies::issue::<L>(&mut context!(), op.d, &who);
                stamps!();
            }
            Code::CopyCommit => parts.copies.commit(mask),
            Code::CopyWait => {
                if !parts.copies.is_empty() {
                    copies::wait::<L>(m, b, &mut parts, mask, op.d);
                }
            }
            Code::LocalBase => {
                let a = &rows.x[op.a as usize].0;
                let v = a.map(|a| a.wrapping_add(u64::from(frame.local)));
                rows.set64(op.d, &v, keep);
            }
            Code::ClockL | Code::ClockI => {
                // the clock advances with every warp instruction, this one included
                m.fuel -= 1;
                m.strong_seen = true;
                let now = (m.budget as i64).wrapping_sub(m.fuel) as u64;
                if matches!(op.code, Code::ClockL) {
                    rows.set64(op.d, &[now; 32], keep);
                } else {
                    rows.set32(op.d, &[now as u32; 32], keep);
                }
            }
            Code::Barrier => {
                if L >= COUNT {
                    m.barriers[pc as usize - 1] += 1;
                }
                split.pc = pc;
                let barrier = program.barriers[op.d as usize];
                if !barrier.waits {
                    let first = mask.trailing_zeros() as usize & 31;
                    let id = rows.r[barrier.id as usize].0[first];
                    let threads = barrier.count.map(|row| rows.r[row as usize].0[first]);
                    // what is no barrier is told where others wait
                    if barrier::exists(id, threads) {
                        let arrived = &mut b.arrived[id as usize % 16];
                        *arrived = arrived.saturating_add(mask.count_ones());
                        sync::arrive(m, b, (parts.index, parts.epoch), mask, id);
                        stamps!();
                        continue;
                    }
                }
                return Leave::Waits(State::AtBarrier(op.d));
            }
            Code::Collective => {
                split.pc = pc - 1;
                if collective::missing(warp, split, program, op.d) == 0 {
                    collective::execute(m, b, warp, split, op.d);
                    // its registers were borrowed apart: they are borrowed again by picking it once more
                    split.pc = pc;
                    return Leave::Repick;
                }
                return Leave::Waits(State::AtCollective);
            }
            Code::Call => {
                let call = &program.calls[op.d as usize];
                match call.target {
                    Target::Function(f) => {
                        return if enter(m, b, warp, split, f, op.d, pc) {
                            Leave::Repick
                        } else {
                            Leave::Fatal
                        };
                    }
                    Target::Indirect(row) => {
                        let row = rows.x[row as usize].0;
                        return if indirect(m, b, warp, split, &row, op.d, pc) {
                            Leave::Repick
                        } else {
                            Leave::Fatal
                        };
                    }
                    target => {
                        if !builtin::call(&mut context!(), (op.d, pc - 1), target, &who) {
                            return Leave::Fatal;
                        }
                    }
                }
            }
            Code::Return => {
                leave_function(program, warp, split);
                return Leave::Repick;
            }
            Code::Exit => {
                if !parts.copies.is_empty() {
                    copies::wait::<L>(m, b, &mut parts, mask, u32::MAX);
                }
                warp.live &= !mask;
                let linear = warp.index * 32 + mask.trailing_zeros();
                if b.left.is_none_or(|(_, first)| linear < first) {
                    b.left = Some((pc - 1, linear));
                }
                b.left_count += mask.count_ones();
                return Leave::Gone;
            }
            Code::Trap => {
                let linear = parts.index * 32 + mask.trailing_zeros();
                let barrier = op.d == 1 && m.grid.barrier == 0;
                let what = if barrier { FindingKind::NotCooperative } else { FindingKind::Trap };
                tell(m, what, b.index, linear, pc - 1);
                return Leave::Fatal;
            }
            _ => alu::execute(op, &mut rows, keep, &program.conversions),
        }
    }
}

#[inline(always)]
fn gives_way(m: &mut Machine<'_>, loops: u32) -> bool {
    if loops < PATIENCE_STRONG {
        return false;
    }
    let patience = match (m.strong_seen, m.watched) {
        (true, _) => PATIENCE_STRONG,
        (false, true) => PATIENCE_WATCHED,
        (false, false) => PATIENCE,
    };
    if loops < patience {
        return false;
    }
    m.strong_seen = false;
    true
}

#[cold]
#[inline(never)]
fn out_of_fuel(m: &mut Machine<'_>, b: &BlockState, warp: u32, pc: u32, mask: u32) {
    let instructions = m.budget;
    // after another fault the budget is short on purpose: that fault is the story
    if m.findings.is_empty() {
        tell(
            m,
            FindingKind::NeverFinishes { instructions },
            b.index,
            warp * 32 + mask.trailing_zeros(),
            pc,
        );
    }
}

#[cold]
#[inline(never)]
pub(super) fn tell(m: &mut Machine<'_>, what: FindingKind, block: u32, linear: u32, pc: u32) {
    tell_with(m, what, block, (pc, linear), None);
}

/// The same with another thread of the block that waits elsewhere.
#[cold]
#[inline(never)]
pub(super) fn tell_with(
    m: &mut Machine<'_>,
    what: FindingKind,
    block: u32,
    (pc, linear): (u32, u32),
    other: Option<(u32, u32)>,
) {
    let mut findings = std::mem::take(&mut m.findings);
    let with = other.map_or(u32::MAX, |(pc, _)| pc);
    findings.add(what, pc, with, Machine::order(block, linear), false, || {
        let other = other.map(|(pc, linear)| m.party(pc, block, linear, Action::Wait));
        (m.party(pc, block, linear, Action::Execute), other)
    });
    m.findings = findings;
}

/// Enters a function: arguments are copied into its window. False on stack overflow.
#[inline(never)]
fn enter(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: &mut Warp,
    split: &mut Split,
    function: usize,
    call: u32,
    return_to: u32,
) -> bool {
    let program = m.grid.program;
    let (Some(f), Some(op)) = (program.functions.get(function), program.calls.get(call as usize))
    else {
        return false;
    };
    let caller = split.frame;
    let from = &program.functions[caller.function as usize];
    let frame = Frame {
        function: function as u32,
        r: caller.r + from.rows32,
        x: caller.x + from.rows64,
        p: caller.p + from.preds,
        local: (caller.local + from.local_bytes).next_multiple_of(16),
        return_to: 0,
        call: 0,
    };
    let deep = u64::from(frame.local) + u64::from(f.local_bytes);
    let stack = recursion(m.grid.program, split, function);
    if deep > builtin::LOCAL_LIMIT
        || stack > m.grid.memory.limits().stack
        || !warp.reserve(&frame, f)
    {
        let linear = warp.index * 32 + split.mask.trailing_zeros();
        let bytes = deep.max(stack);
        tell(m, FindingKind::StackOverflow { bytes }, b.index, linear, return_to - 1);
        return false;
    }
    super::block::constants(m.grid, b, warp, &frame, split.mask);
    for (arg, param) in op.args.iter().zip(&f.params) {
        copy_rows(warp, caller.r + arg.0, frame.r + param.0, arg.1.min(param.1), split.mask);
    }
    split.stack.push(Frame { return_to, call, ..caller });
    split.frame = frame;
    split.pc = f.start;
    true
}

/// The least stack that the functions called so far take, `function` the next, if one of them is called again: how much
/// others take is known before a launch, and set aside.
fn recursion(program: &Program, split: &Split, function: usize) -> u64 {
    let called = || split.stack.iter().skip(1).chain(split.stack.first().map(|_| &split.frame));
    if !called().any(|frame| frame.function as usize == function) {
        return 0;
    }
    let bytes =
        |f: usize| device::CALL + program.functions.get(f).map_or(0, |f| u64::from(f.local_bytes));
    called().map(|frame| bytes(frame.function as usize)).sum::<u64>() + bytes(function)
}

fn copy_rows(warp: &mut Warp, from: u32, to: u32, words: u32, mask: u32) {
    for w in 0..words {
        let v = warp.r[(from + w) as usize].0;
        let d = &mut warp.r[(to + w) as usize].0;
        for i in 0..32 {
            if mask >> i & 1 == 1 {
                d[i] = v[i];
            }
        }
    }
}

/// Calls through pointers: lanes with the same target go together.
#[inline(never)]
fn indirect(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: &mut Warp,
    split: &mut Split,
    targets: &[u64; 32],
    call: u32,
    return_to: u32,
) -> bool {
    use crate::address::{FUNCTION_SLOT, base};
    let mut rest = split.mask;
    let original = split.clone();
    while rest != 0 {
        let address = targets[rest.trailing_zeros() as usize];
        let same = super::warp::lanes(rest)
            .filter(|l| targets[*l] == address)
            .fold(0_u32, |all, l| all | 1 << l);
        rest &= !same;
        let index = address.wrapping_sub(base(FUNCTION_SLOT)) / 16;
        let known = usize::try_from(index).ok().filter(|f| *f < m.grid.program.functions.len());
        let Some(function) = known else {
            let linear = warp.index * 32 + same.trailing_zeros();
            tell(m, FindingKind::InvalidAddress, b.index, linear, return_to - 1);
            return false;
        };
        let mut part = Split { mask: same, ..original.clone() };
        if !enter(m, b, warp, &mut part, function, call, return_to) {
            return false;
        }
        if rest == 0 {
            *split = part;
        } else {
            warp.splits.push(part);
        }
    }
    true
}

/// Returns to the caller: results are copied back.
#[inline(never)]
fn leave_function(program: &Program, warp: &mut Warp, split: &mut Split) {
    let Some(caller) = split.stack.pop() else { return };
    let f = &program.functions[split.frame.function as usize];
    if let Some(op) = program.calls.get(caller.call as usize) {
        for (result, d) in f.results.iter().zip(&op.results) {
            copy_rows(
                warp,
                split.frame.r + result.0,
                caller.r + d.0,
                result.1.min(d.1),
                split.mask,
            );
        }
    }
    split.pc = caller.return_to;
    split.frame = Frame { return_to: 0, call: 0, ..caller };
}
