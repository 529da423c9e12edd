//! Removes operations that a warp need not execute: copies of constants, arguments and special
//! registers, and results that are never read. The instruction counts stay, because they are kept
//! per basic block.

use super::Program;
use super::code::File;
use super::op::{Address, AtomicOp, Code, Func};
use super::rows::{RowAccess, visit_rows};

/// For each row of a function: how often it is written and read, and which row may replace it.
struct Rows {
    writes: Vec<u32>,
    reads: Vec<u32>,
    /// The row is filled in before the function starts and never changes.
    given: Vec<bool>,
    replacement: Vec<u32>,
}

impl Rows {
    fn new(len: u32) -> Self {
        let len = len as usize;
        Self {
            writes: vec![0; len],
            reads: vec![0; len],
            given: vec![false; len],
            replacement: (0..len as u32).collect(),
        }
    }
}

struct Files {
    r: Rows,
    x: Rows,
    p: Rows,
}

impl Files {
    fn of(&mut self, file: File) -> &mut Rows {
        match file {
            File::R => &mut self.r,
            File::X => &mut self.x,
            File::P => &mut self.p,
        }
    }

    fn count(&mut self, access: RowAccess, file: File, row: u32) {
        let rows = self.of(file);
        let counts = if access == RowAccess::Read { &mut rows.reads } else { &mut rows.writes };
        if let Some(n) = counts.get_mut(row as usize) {
            *n = n.saturating_add(1);
        }
    }

    fn replacement(&self, file: File, row: u32) -> u32 {
        let rows = match file {
            File::R => &self.r,
            File::X => &self.x,
            File::P => &self.p,
        };
        rows.replacement.get(row as usize).copied().unwrap_or(row)
    }
}

/// The most passes over a function. Each finds what the one before made unnecessary; real programs
/// need few, and whatever is left after that stays.
const MAX_PASSES: usize = 32;

/// Simplifies the function's operations, the last ones of the program.
pub(super) fn simplify(program: &mut Program, func: &Func) {
    let start = func.start as usize;
    let mut files =
        Files { r: Rows::new(func.rows32), x: Rows::new(func.rows64), p: Rows::new(func.preds) };
    let mut removed = vec![false; program.ops.len() - start];
    propagate_copies(program, func, &mut files, &mut removed);
    remove_unread(program, func, &mut files, &mut removed);
    drop_unread_atomic_results(program, start, &files);
    compact(program, start, &removed);
}

/// Replaces copies of given rows by these rows.
fn propagate_copies(program: &mut Program, func: &Func, files: &mut Files, removed: &mut [bool]) {
    let start = func.start as usize;
    for op in &program.ops[start..] {
        visit_rows(op, program, |access, file, row| files.count(access, file, row));
    }
    for (row, words) in func.params.iter().chain(&func.results) {
        (0..*words).for_each(|w| files.count(RowAccess::Write, File::R, row + w));
    }
    let given = func.constants32.iter().map(|c| c.0).chain(func.specials.iter().map(|s| s.0));
    for row in given {
        files.r.given[row as usize] = files.r.writes[row as usize] == 0;
    }
    for (row, _) in &func.constants64 {
        files.x.given[*row as usize] = files.x.writes[*row as usize] == 0;
    }
    // a copy of a copy is found in the same pass when it comes later in the text, and else in the
    // next
    for _ in 0..MAX_PASSES {
        let mut found = false;
        for (op, removed) in program.ops[start..].iter().zip(removed.iter_mut()) {
            let file = match op.code {
                Code::MovI => File::R,
                Code::MovL => File::X,
                _ => continue,
            };
            let source = files.replacement(file, op.a);
            let rows = files.of(file);
            let (d, source_row) = (op.d as usize, source as usize);
            if !*removed && rows.writes[d] == 1 && rows.given[source_row] && !rows.given[d] {
                rows.given[d] = true;
                rows.replacement[d] = source;
                *removed = true;
                found = true;
            }
        }
        if !found {
            break;
        }
    }
    let mut memory = std::mem::take(&mut program.memory);
    for op in &mut program.ops[start..] {
        if let Some(pure) = op.code.pure() {
            op.a = files.replacement(pure.a, op.a);
            op.b = pure.b.map_or(op.b, |file| files.replacement(file, op.b));
            op.c = pure.c.map_or(op.c, |file| files.replacement(file, op.c));
        } else if matches!(op.code, Code::Load | Code::Store | Code::Atomic)
            && let Some(m) = memory.get_mut(op.d as usize)
        {
            m.address = match m.address {
                Address::Row64(row) => Address::Row64(files.replacement(File::X, row)),
                Address::Row32(row) => Address::Row32(files.replacement(File::R, row)),
            };
            let file = m.file();
            if matches!(op.code, Code::Store) {
                for row in m.rows.iter_mut().filter(|row| **row != u32::MAX) {
                    *row = files.replacement(file, *row);
                }
            }
            if m.atomic.is_some() || m.waits.is_some() {
                m.b = files.replacement(file, m.b);
            }
            if m.atomic == Some(AtomicOp::Cas) {
                m.c = files.replacement(file, m.c);
            }
        }
    }
    program.memory = memory;
}

/// Removes computations whose result is never read, and then what only they read.
fn remove_unread(program: &Program, func: &Func, files: &mut Files, removed: &mut [bool]) {
    let start = func.start as usize;
    for _ in 0..MAX_PASSES {
        for rows in [&mut files.r, &mut files.x, &mut files.p] {
            rows.reads.fill(0);
        }
        for (row, words) in &func.results {
            (0..*words).for_each(|w| files.count(RowAccess::Read, File::R, row + w));
        }
        for (op, _) in
            program.ops[start..].iter().zip(removed.iter()).filter(|(_, removed)| !**removed)
        {
            visit_rows(op, program, |access, file, row| {
                if access == RowAccess::Read {
                    files.count(access, file, row);
                }
            });
        }
        let mut changed = false;
        for (op, removed) in program.ops[start..].iter().zip(removed.iter_mut()) {
            let Some(pure) = op.code.pure() else { continue };
            let read = files.of(pure.d).reads.get(op.d as usize).is_none_or(|n| *n > 0);
            // barriers, calls and collectives still read the copy and not the given row, so such a
            // copy must stay
            if read == *removed {
                *removed = !read;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
}

/// Removes the result of atomics whose old value is never read, so that their order does not
/// matter.
fn drop_unread_atomic_results(program: &mut Program, start: usize, files: &Files) {
    let mut memory = std::mem::take(&mut program.memory);
    for op in &program.ops[start..] {
        if let Code::Atomic = op.code
            && let Some(m) = memory.get_mut(op.d as usize)
        {
            let reads = if m.wide { &files.x.reads } else { &files.r.reads };
            if reads.get(m.rows[0] as usize).is_some_and(|n| *n == 0) {
                m.rows[0] = u32::MAX;
            }
        }
    }
    program.memory = memory;
}

/// Removes the marked operations and updates all positions of operations.
fn compact(program: &mut Program, start: usize, removed: &[bool]) {
    let mut position = Vec::with_capacity(removed.len() + 1);
    let mut next = start;
    for removed in removed {
        position.push(next as u32);
        next += usize::from(!removed);
    }
    position.push(next as u32);
    let moved = |at: u32| {
        (at as usize).checked_sub(start).and_then(|i| position.get(i)).copied().unwrap_or(at)
    };
    let first_memory =
        program.memory.iter().rposition(|m| (m.pc as usize) < start).map_or(0, |last| last + 1);
    for m in &mut program.memory[first_memory..] {
        m.pc = moved(m.pc);
    }
    for image in program.images.iter_mut().rev() {
        if (image.memory.pc as usize) < start {
            break;
        }
        image.memory.pc = moved(image.memory.pc);
    }
    let first_block =
        program.blocks.iter().rposition(|b| (b.start as usize) < start).map_or(0, |last| last + 1);
    for b in &mut program.blocks[first_block..] {
        b.start = moved(b.start);
    }
    for op in &mut program.ops[start..] {
        if let Code::Jump | Code::Branch = op.code {
            op.c = moved(op.c);
        }
    }
    // only the function's own operations move, because a module may have very many functions
    let mut at = start;
    for (i, removed) in removed.iter().enumerate() {
        if !removed {
            program.ops[at] = program.ops[start + i];
            program.source_of[at] = program.source_of[start + i];
            at += 1;
        }
    }
    program.ops.truncate(at);
    program.source_of.truncate(at);
}
