//! Operations that a warp need not execute are taken out: copies of constants, arguments and special registers, and
//! results that nobody reads. What PTX counts stays: a block's instructions are numbers of the block.

use super::Program;
use super::code::File;
use super::op::{Address, AtomicOp, Code, Func};
use super::rows::{RowAccess, visit_rows};

/// Per row of a function: how often it is written, whether it is read, and what may stand for it.
struct Rows {
    writes: Vec<u32>,
    reads: Vec<u32>,
    /// Filled in before the function starts, and the same until it ends.
    given: Vec<bool>,
    instead: Vec<u32>,
}

impl Rows {
    fn new(len: u32) -> Self {
        let len = len as usize;
        Self {
            writes: vec![0; len],
            reads: vec![0; len],
            given: vec![false; len],
            instead: (0..len as u32).collect(),
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

    fn bump(&mut self, touch: RowAccess, file: File, row: u32) {
        let rows = self.of(file);
        let counts = if touch == RowAccess::Read { &mut rows.reads } else { &mut rows.writes };
        if let Some(n) = counts.get_mut(row as usize) {
            *n = n.saturating_add(1);
        }
    }

    fn instead(&self, file: File, row: u32) -> u32 {
        let rows = match file {
            File::R => &self.r,
            File::X => &self.x,
            File::P => &self.p,
        };
        rows.instead.get(row as usize).copied().unwrap_or(row)
    }
}

/// How often what became unnecessary by a simplification is looked for: long chains of it are no program's, and may
/// stay.
const ROUNDS: usize = 32;

/// Simplifies the function's operations, the last ones of the program.
pub(super) fn simplify(program: &mut Program, func: &Func) {
    let start = func.start as usize;
    let mut files =
        Files { r: Rows::new(func.rows32), x: Rows::new(func.rows64), p: Rows::new(func.preds) };
    let mut gone = vec![false; program.ops.len() - start];
    copies(program, func, &mut files, &mut gone);
    unread(program, func, &mut files, &mut gone);
    results_of_atomics(program, start, &files);
    remove(program, start, &gone);
}

/// Lets what reads a copy of a given row read that row.
fn copies(program: &mut Program, func: &Func, files: &mut Files, gone: &mut [bool]) {
    let start = func.start as usize;
    for op in &program.ops[start..] {
        visit_rows(op, program, |touch, file, row| files.bump(touch, file, row));
    }
    for (row, words) in func.params.iter().chain(&func.results) {
        (0..*words).for_each(|w| files.bump(RowAccess::Write, File::R, row + w));
    }
    let given = func.constants32.iter().map(|c| c.0).chain(func.specials.iter().map(|s| s.0));
    for row in given {
        files.r.given[row as usize] = files.r.writes[row as usize] == 0;
    }
    for (row, _) in &func.constants64 {
        files.x.given[*row as usize] = files.x.writes[*row as usize] == 0;
    }
    // a copy of a copy is found in the order of the text, or else in the next round
    for _ in 0..ROUNDS {
        let mut found = false;
        for (op, gone) in program.ops[start..].iter().zip(gone.iter_mut()) {
            let file = match op.code {
                Code::MovI => File::R,
                Code::MovL => File::X,
                _ => continue,
            };
            let source = files.instead(file, op.a);
            let rows = files.of(file);
            let (d, source_row) = (op.d as usize, source as usize);
            if !*gone && rows.writes[d] == 1 && rows.given[source_row] && !rows.given[d] {
                rows.given[d] = true;
                rows.instead[d] = source;
                *gone = true;
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
            op.a = files.instead(pure.a, op.a);
            op.b = pure.b.map_or(op.b, |file| files.instead(file, op.b));
            op.c = pure.c.map_or(op.c, |file| files.instead(file, op.c));
        } else if matches!(op.code, Code::Load | Code::Store | Code::Atomic)
            && let Some(m) = memory.get_mut(op.d as usize)
        {
            m.address = match m.address {
                Address::Row64(row) => Address::Row64(files.instead(File::X, row)),
                Address::Row32(row) => Address::Row32(files.instead(File::R, row)),
            };
            let file = m.file();
            if matches!(op.code, Code::Store) {
                for row in m.rows.iter_mut().filter(|row| **row != u32::MAX) {
                    *row = files.instead(file, *row);
                }
            }
            if m.atomic.is_some() || m.waits.is_some() {
                m.b = files.instead(file, m.b);
            }
            if m.atomic == Some(AtomicOp::Cas) {
                m.c = files.instead(file, m.c);
            }
        }
    }
    program.memory = memory;
}

/// Takes out computations whose result nobody reads, and copies that only such read.
fn unread(program: &Program, func: &Func, files: &mut Files, gone: &mut [bool]) {
    let start = func.start as usize;
    for _ in 0..ROUNDS {
        for rows in [&mut files.r, &mut files.x, &mut files.p] {
            rows.reads.fill(0);
        }
        for (row, words) in &func.results {
            (0..*words).for_each(|w| files.bump(RowAccess::Read, File::R, row + w));
        }
        for (op, _) in program.ops[start..].iter().zip(gone.iter()).filter(|(_, gone)| !**gone) {
            visit_rows(op, program, |touch, file, row| {
                if touch == RowAccess::Read {
                    files.bump(touch, file, row);
                }
            });
        }
        let mut changed = false;
        for (op, gone) in program.ops[start..].iter().zip(gone.iter_mut()) {
            let Some(pure) = op.code.pure() else { continue };
            let read = files.of(pure.d).reads.get(op.d as usize).is_none_or(|n| *n > 0);
            // barriers, calls and collectives were not told to read the original: for them a copy comes back, which
            // makes nothing else necessary, since its source is given
            if read == *gone {
                *gone = !read;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
}

/// Atomics whose old value nobody reads do not return it: only their order could be told apart then.
fn results_of_atomics(program: &mut Program, start: usize, files: &Files) {
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

/// Closes the gaps, and lets everything that names an operation by its position name its new one.
fn remove(program: &mut Program, start: usize, gone: &[bool]) {
    let mut position = Vec::with_capacity(gone.len() + 1);
    let mut next = start;
    for gone in gone {
        position.push(next as u32);
        next += usize::from(!gone);
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
    // only the function's own part moves: a module may have very many functions
    let mut at = start;
    for (i, gone) in gone.iter().enumerate() {
        if !gone {
            program.ops[at] = program.ops[start + i];
            program.source_of[at] = program.source_of[start + i];
            at += 1;
        }
    }
    program.ops.truncate(at);
    program.source_of.truncate(at);
}
