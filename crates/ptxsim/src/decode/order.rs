//! Whether the order of a launch's blocks can show in what a function computes or prints, races aside. Conservative.

use super::Program;
use super::op::{AtomicOp, Code, ImageKind, MemOp, MemSpace, Target};

/// Marks every function whose operations could tell the order, and gathers what helpers do: any kernel may call them.
pub(super) fn mark(program: &mut Program, kernels: &[bool]) {
    let mut end = program.ops.len();
    for f in (0..program.functions.len()).rev() {
        let func = &program.functions[f];
        if func.refused.is_some() {
            continue;
        }
        let start = func.start as usize;
        let ops = program.ops.get(start..end).unwrap_or_default();
        let ordered = func.talks || ops.iter().any(|op| tells(program, op.code, op.d));
        let syncs = func.syncs;
        end = start;
        program.functions[f].ordered = ordered;
        if !kernels.get(f).is_some_and(|kernel| *kernel) {
            program.helpers_ordered |= ordered;
            program.helpers_sync |= syncs;
        }
    }
}

/// Could this operation tell the order?
fn tells(program: &Program, code: Code, number: u32) -> bool {
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

/// Is an atomic inside its block, or one of those whose sum is the same in any order and that do not return what they
/// found?
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
