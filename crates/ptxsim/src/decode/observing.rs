//! Which accesses observe what other threads may be writing, so that a warp yields after them.
//!
//! On a GPU, other threads run between a strong load and a later store. A program that adds to a
//! word in this way loses additions, which must also happen here. Therefore, a warp yields after
//! such a load, and after an atomic whose old value is used ([`crate::exec::warp::Observations`]).
//!
//! A load or atomic that polls observes again and again, so only the warp's first one yields. The
//! other blocks then get as far before this warp uses what it has read, so a tile that looks back
//! finds some that don't know their prefix yet. An atomic whose old value is not used observes
//! nothing. Neither does a compare-and-swap that may change the word, because it fails if another
//! thread has changed it. A volatile load that does not poll need not observe, because it is a race
//! with a store of another thread (`decode/polling.rs`).

use super::Program;
use super::op::{AtomicOp, Code, Func, MemOp, MemSpace, Observation};
use super::polling::Flow;
use super::rows::{RowAccess, visit_rows};

/// Marks the accesses of the function whose operations begin at `func.start`, the last ones of the
/// program.
pub(super) fn mark(program: &mut Program, func: &Func, entry: bool) {
    let start = func.start as usize;
    let ops = &program.ops[start..];
    let observes = |i: &usize| {
        matches!(ops[*i].code, Code::Load | Code::Atomic)
            && program.memory.get(ops[*i].d as usize).is_some_and(reads_written_by_others)
            && is_used(program, start, *i)
    };
    let observing: Vec<usize> = (0..ops.len()).filter(observes).collect();
    if observing.is_empty() {
        return;
    }
    let mut flow = Flow::new(program, func);
    let yielding = |i: &usize| {
        let polls = flow.polls(*i, entry);
        (ops[*i].d as usize, if polls { Observation::Polls } else { Observation::Reads })
    };
    let marks: Vec<_> = observing.iter().map(yielding).collect();
    for (site, observation) in marks {
        program.memory[site].observation = Some(observation);
    }
}

/// Does it read global memory in a way that makes it no race when another thread writes there?
fn reads_written_by_others(memory: &MemOp) -> bool {
    let reads = match memory.atomic {
        None => memory.strong && !memory.volatile,
        Some(AtomicOp::Cas) => memory.b == memory.c,
        Some(_) => true,
    };
    reads && matches!(memory.space, MemSpace::Global | MemSpace::Generic) && !memory.at_barrier
}

/// Does an operation of the function read what operation `i` has loaded?
fn is_used(program: &Program, start: usize, i: usize) -> bool {
    let ops = &program.ops[start..];
    let mut loaded = vec![];
    visit_rows(&ops[i], program, |access, file, row| {
        if access == RowAccess::Write {
            loaded.push((file, row));
        }
    });
    let reads = |op| {
        let mut reads = false;
        visit_rows(op, program, |access, file, row| {
            reads |= access == RowAccess::Read && loaded.contains(&(file, row));
        });
        reads
    };
    ops.iter().any(reads)
}
