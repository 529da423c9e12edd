//! Which loads are done before it is known whether their value is needed.
//!
//! For `if (tid == 0 && tile[0] > x)`, the compiler loads `tile[0]` in all threads, and combines
//! both conditions afterwards. The other threads ignore what they have loaded, so in the program
//! they do not read it, and whatever another thread stores there changes nothing for them. A load
//! is speculative when its value goes into one comparison, whose result only goes into an `and` or
//! an `or` with a predicate that was computed before the load, all in one basic block, and when
//! the value is not used elsewhere, except in code that the branch on the result skips in the
//! threads that ignore the value.

use std::ops::Range;

use super::Program;
use super::code::File;
use super::op::{Code, Func, MemOp, Op, Unused};
use super::rows::{RowAccess, visit_rows};

/// Marks the speculative loads of the function whose operations begin at `func.start`, the last
/// ones of the program.
pub(super) fn mark(program: &mut Program, func: &Func) {
    let ops = &program.ops[func.start as usize..];
    let plain = |op: &&Op| matches!(op.code, Code::Load);
    if !ops.iter().any(|op| plain(&op)) {
        return;
    }
    let uses = Uses::new(program, func, ops);
    let function = Function { program, ops, start: func.start };
    let found: Vec<(usize, Unused)> = (0..ops.len())
        .filter(|i| plain(&&ops[*i]))
        .filter_map(|i| Some((ops[i].d as usize, uses.unused(&function, i)?)))
        .collect();
    for (memory, unused) in found {
        program.memory[memory].unused = Some(unused);
    }
}

/// How often a function's operations read and write each row, by file.
struct Uses {
    reads: [Vec<u32>; 3],
    writes: [Vec<u32>; 3],
}

impl Uses {
    fn new(program: &Program, func: &Func, ops: &[Op]) -> Self {
        let rows = [func.rows32, func.rows64, func.preds].map(|n| vec![0; n as usize]);
        let mut all = Self { reads: rows.clone(), writes: rows };
        for op in ops {
            visit_rows(op, program, |access, file, row| {
                let counts = match access {
                    RowAccess::Read => &mut all.reads,
                    RowAccess::Write => &mut all.writes,
                };
                if let Some(count) = counts[file as usize].get_mut(row as usize) {
                    *count += 1;
                }
            });
        }
        all
    }

    /// Is the row written once and read once?
    fn is_single(&self, file: File, row: u32) -> bool {
        [&self.reads, &self.writes]
            .iter()
            .all(|counts| counts[file as usize].get(row as usize) == Some(&1))
    }

    /// The lanes that do not need what operation `load` loads.
    fn unused(&self, function: &Function<'_>, load: usize) -> Option<Unused> {
        let Function { program, ops, .. } = *function;
        let memory = program.memory.get(ops[load].d as usize).filter(|memory| is_plain(memory))?;
        let value = (memory.file(), memory.rows[0]);
        let written = self.writes[value.0 as usize].get(value.1 as usize) == Some(&1);
        let compare = function.next_use(load, value).filter(|_| written)?;
        let pure = ops[compare].code.pure().filter(|pure| pure.d == File::P)?;
        let mut result = ops[compare].d;
        let mut combine = function.next_use(compare, (File::P, result))?;
        while self.is_single(File::P, result) && matches!(ops[combine].code, Code::MovP) {
            result = ops[combine].d;
            combine = function.next_use(combine, (File::P, result))?;
        }
        let op = &ops[combine];
        let when = match op.code {
            Code::OrP => true,
            Code::AndP => false,
            _ => return None,
        };
        let row = if op.a == result { op.b } else { op.a };
        let before = ops[..load].iter().rev().take_while(|op| is_straight(op));
        let mut before = before.filter(|op| op.code.pure().is_some_and(|pure| pure.d == File::P));
        let known = self.writes[File::P as usize].get(row as usize) == Some(&1)
            && before.any(|op| op.d == row);
        let later = function.uses(value).filter(|i| *i != compare);
        let skipped = function.skipped(combine, when);
        let mut later = later.map(|i| skipped.as_ref().is_some_and(|range| range.contains(&i)));
        let ignored = self.is_single(File::P, result) && later.all(|skipped| skipped);
        (pure.a == value.0 && known && ignored && row != result).then_some(Unused { row, when })
    }
}

/// The operations of a function.
#[derive(Clone, Copy)]
struct Function<'p> {
    program: &'p Program,
    ops: &'p [Op],
    /// The number of the first one.
    start: u32,
}

impl Function<'_> {
    fn reads(&self, op: &Op, (file, row): (File, u32)) -> bool {
        let mut found = false;
        visit_rows(op, self.program, |access, f, r| {
            found |= (access, f, r) == (RowAccess::Read, file, row);
        });
        found
    }

    fn uses(&self, row: (File, u32)) -> impl Iterator<Item = usize> {
        (0..self.ops.len()).filter(move |i| self.reads(&self.ops[*i], row))
    }

    /// The next operation of the same basic block that reads a row.
    fn next_use(&self, from: usize, row: (File, u32)) -> Option<usize> {
        let mut after = (from + 1..self.ops.len()).take_while(|i| is_straight(&self.ops[*i]));
        after.find(|i| self.reads(&self.ops[*i], row))
    }

    /// The operations that a lane skips if the predicate that `combine` computes is `value` in it:
    /// those between the branch on it and the branch's target, if nothing else leads there.
    fn skipped(&self, combine: usize, value: bool) -> Option<Range<usize>> {
        let mut result = self.ops[combine].d;
        let end = self.ops[combine + 1..].iter().position(|op| {
            if matches!(op.code, Code::MovP) && op.a == result {
                result = op.d;
            }
            !is_straight(op)
        })?;
        let branch = combine + 1 + end;
        let op = &self.ops[branch];
        let jumps = matches!(op.code, Code::Branch) && op.a == result && value == (op.b == 0);
        let target = op.c.checked_sub(self.start)? as usize;
        let range = branch + 1..target.max(branch + 1);
        let enters = |(i, op): (usize, &Op)| {
            let to = op.c.wrapping_sub(self.start) as usize;
            let leaves = matches!(op.code, Code::Jump | Code::Branch);
            leaves && !range.contains(&i) && range.contains(&to)
        };
        let entered = self.ops.iter().enumerate().any(enters);
        (jumps && !entered).then_some(range)
    }
}

/// A load of one value, which synchronises with nothing.
fn is_plain(memory: &MemOp) -> bool {
    !memory.strong && !memory.at_barrier && memory.waits.is_none() && memory.rows[1] == u32::MAX
}

/// Does an operation neither begin nor end a basic block?
fn is_straight(op: &Op) -> bool {
    op.code.pure().is_some() || matches!(op.code, Code::Load)
}
