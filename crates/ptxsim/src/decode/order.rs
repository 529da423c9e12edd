//! Whether the results or the output of a function can depend on the order of a launch's blocks,
//! apart from races. Conservative.

use super::Program;
use super::op::{AtomicOp, Code, ImageKind, MemOp, MemSpace, Target};

/// Marks every function with an operation that depends on the order. A device function counts for
/// all kernels, because any kernel may call it.
pub(super) fn mark(program: &mut Program, kernels: &[bool]) {
    let mut end = program.ops.len();
    for f in (0..program.functions.len()).rev() {
        let func = &program.functions[f];
        if func.refused.is_some() {
            continue;
        }
        let start = func.start as usize;
        let ops = program.ops.get(start..end).unwrap_or_default();
        let ordered =
            func.communicates || ops.iter().any(|op| depends_on_order(program, op.code, op.d));
        let syncs = func.syncs;
        end = start;
        program.functions[f].ordered = ordered;
        if !kernels.get(f).is_some_and(|kernel| *kernel) {
            program.helpers_ordered |= ordered;
            program.helpers_sync |= syncs;
        }
    }
}

/// Whether the result of this operation can depend on the order.
fn depends_on_order(program: &Program, code: Code, number: u32) -> bool {
    let number = number as usize;
    match code {
        Code::ClockL | Code::ClockI => true,
        Code::Atomic => program.memory.get(number).is_none_or(|op| !commutes(op)),
        Code::Image => {
            program.images.get(number).is_none_or(|i| matches!(i.kind, ImageKind::Store(_)))
        }
        Code::Call => program.calls.get(number).is_none_or(|call| {
            matches!(call.target, Target::Printf | Target::Malloc | Target::Free)
        }),
        _ => false,
    }
}

/// Whether the order of an atomic does not matter: it stays inside its block, or it is commutative
/// and does not return the old value.
fn commutes(op: &MemOp) -> bool {
    let unread = op.rows[0] == u32::MAX;
    let wide = op.wide;
    op.space == MemSpace::Shared
        || unread
            && match op.atomic {
                Some(AtomicOp::Add | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor) => true,
                Some(AtomicOp::MinS | AtomicOp::MaxS | AtomicOp::MinU | AtomicOp::MaxU) => !wide,
                _ => false,
            }
}
