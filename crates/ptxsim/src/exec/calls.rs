//! Calls of the program's own functions: register windows, arguments and results, the stack.

use super::block;
use super::builtin;
use super::machine::{BlockState, Machine, ThreadAt};
use super::warp::{Frame, Split, Warp, lanes};
use crate::address::{FUNCTION_SLOT, base};
use crate::decode::Program;
use crate::decode::op::Target;
use crate::{FindingKind, device};

/// Enters the function of call operation `call`. The split's position is the one to return to;
/// lanes that call different functions become splits of their own. False when the kernel cannot
/// continue.
#[inline(never)]
pub(super) fn call(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: &mut Warp,
    split: &mut Split,
    call: u32,
) -> bool {
    match m.grid.program.calls[call as usize].target {
        Target::Function(function) => enter(m, b, warp, split, function, call),
        Target::Indirect(row) => {
            let targets = warp.x[(split.frame.x + row) as usize].0;
            call_indirect(m, b, warp, split, &targets, call)
        }
        _ => true,
    }
}

/// Enters a function: arguments are copied into its window. False on stack overflow.
fn enter(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: &mut Warp,
    split: &mut Split,
    function: usize,
    call: u32,
) -> bool {
    let program = m.grid.program;
    let (Some(callee), Some(op)) =
        (program.functions.get(function), program.calls.get(call as usize))
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
    let local_bytes = u64::from(frame.local) + u64::from(callee.local_bytes);
    let stack_bytes = recursion_bytes(program, split, function);
    if local_bytes > builtin::LOCAL_LIMIT_BYTES
        || stack_bytes > m.grid.memory.limits().stack
        || !warp.reserve(&frame, callee)
    {
        let at = ThreadAt::first(warp.index, split.mask, split.pc - 1);
        let bytes = local_bytes.max(stack_bytes);
        m.report(FindingKind::StackOverflow { bytes }, b.index, at);
        return false;
    }
    block::fill_constants(m.grid, b, warp, &frame, split.mask);
    warp.undefined.enter(&frame, split.mask);
    for (arg, param) in op.args.iter().zip(&callee.params) {
        copy_rows(warp, caller.r + arg.0, frame.r + param.0, arg.1.min(param.1), split.mask);
    }
    split.stack.push(Frame { return_to: split.pc, call, ..caller });
    split.frame = frame;
    split.pc = callee.start;
    true
}

/// The least stack in bytes that the calls so far and one of `function` take, if `function` is
/// among them; else 0, because the stack of calls that do not recurse is known before a launch, and
/// set aside.
fn recursion_bytes(program: &Program, split: &Split, function: usize) -> u64 {
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
        let values = warp.r[(from + w) as usize].0;
        let row = &mut warp.r[(to + w) as usize].0;
        lanes(mask).for_each(|lane| row[lane] = values[lane]);
        warp.undefined.copy(from + w, to + w, mask);
    }
}

/// Calls through pointers: lanes with the same target enter it together.
fn call_indirect(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: &mut Warp,
    split: &mut Split,
    targets: &[u64; 32],
    call: u32,
) -> bool {
    let mut rest = split.mask;
    let original = split.clone();
    while rest != 0 {
        let address = targets[rest.trailing_zeros() as usize];
        let same = lanes(rest)
            .filter(|lane| targets[*lane] == address)
            .fold(0_u32, |mask, lane| mask | 1 << lane);
        rest &= !same;
        let index = address.wrapping_sub(base(FUNCTION_SLOT)) / 16;
        let function = usize::try_from(index).ok().filter(|f| *f < m.grid.program.functions.len());
        let Some(function) = function else {
            let at = ThreadAt::first(warp.index, same, split.pc - 1);
            m.report(FindingKind::InvalidAddress, b.index, at);
            return false;
        };
        let mut part = Split { mask: same, ..original.clone() };
        if !enter(m, b, warp, &mut part, function, call) {
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

/// Returns to the caller: results are copied into its window.
#[inline(never)]
pub(super) fn return_to_caller(program: &Program, warp: &mut Warp, split: &mut Split) {
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
