//! The loop that threads run in: its operations, the registers that decide whether it ends, and the
//! branch that would leave it.

use std::collections::HashSet;

use crate::decode::code::File;
use crate::decode::op::{Code, MemOp};
use crate::decode::{Program, RowAccess};

/// The operations of a function that can be executed again and again, starting from one of them.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The function's first operation in the program.
    start: u32,
    /// For each of the function's operations: is it in the loop?
    members: Vec<bool>,
    /// The rows on which it depends what the loop does: where it branches to, and what it reads,
    /// writes and passes on. `None` where that cannot be known, because the loop calls functions.
    pub control: Option<Vec<(File, u32)>>,
    /// The rows on which alone it depends where the loop branches to. `None` where that also
    /// depends on memory, on other threads or on called functions.
    pub branches: Option<Vec<(File, u32)>>,
}

impl Loop {
    /// The largest loop of `function` around operation `pc`. Without one, it is the operation
    /// alone.
    pub fn around(program: &Program, function: u32, pc: u32) -> Self {
        let ops = program.operations(function as usize);
        let start = program.functions.get(function as usize).map_or(0, |f| f.start);
        let from = pc.saturating_sub(start) as usize;
        // backward edges of the flow, sorted by where they lead
        let mut edges: Vec<(u32, u32)> = vec![];
        for at in 0..ops.len() {
            successors(program, start, at).for_each(|to| edges.push((to as u32, at as u32)));
        }
        edges.sort_unstable();
        let reached = search(ops.len(), from, |at| successors(program, start, at).collect());
        let reaching = search(ops.len(), from, |at| {
            let first = edges.partition_point(|(to, _)| (*to as usize) < at);
            let into = edges[first..].iter().take_while(|(to, _)| *to as usize == at);
            into.map(|(_, from)| *from as usize).collect()
        });
        let members = reached.iter().zip(&reaching).map(|(a, b)| *a && *b).collect();
        let mut this = Self { start, members, control: None, branches: None };
        this.control = this.find_control(program, false);
        this.branches = this.find_control(program, true);
        this
    }

    pub fn operations(&self) -> impl Iterator<Item = u32> {
        let members = self.members.iter().enumerate();
        members.filter(|(_, inside)| **inside).map(|(at, _)| self.start + at as u32)
    }

    /// The rows that branches, accesses and waits read, and those that these are computed from; or
    /// those of the branches, unless other operations write any of them.
    fn find_control(&self, program: &Program, branches_only: bool) -> Option<Vec<(File, u32)>> {
        type Row = (File, u32);
        let mut rows: HashSet<Row> = HashSet::new();
        // what each operation reads to compute a row, and the rows that come from elsewhere
        let mut sources: Vec<(Row, Vec<Row>)> = vec![];
        let mut foreign: Vec<Row> = vec![];
        for pc in self.operations() {
            let op = program.ops.get(pc as usize)?;
            if matches!(op.code, Code::Call) {
                return None;
            }
            let (mut read, mut written) = (vec![], vec![]);
            program.visit_rows(pc, |access, file, row| match access {
                RowAccess::Read => read.push((file, row)),
                RowAccess::Write => written.push((file, row)),
            });
            if op.code.computes() {
                sources.extend(written.into_iter().map(|row| (row, read.clone())));
            } else {
                foreign.extend(written);
                if !branches_only || matches!(op.code, Code::Branch | Code::BadIndex) {
                    rows.extend(read);
                }
            }
        }
        loop {
            let before = rows.len();
            for (row, from) in &sources {
                if rows.contains(row) {
                    rows.extend(from);
                }
            }
            if rows.len() == before {
                break;
            }
        }
        if branches_only && foreign.iter().any(|row| rows.contains(row)) {
            return None;
        }
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_unstable();
        Some(rows)
    }

    /// Whether it may depend on a load's result what the loop does.
    pub fn depends_on(&self, load: &MemOp) -> bool {
        let Some(control) = &self.control else { return true };
        let file = if load.wide { File::X } else { File::R };
        load.rows.iter().any(|row| control.contains(&(file, *row)))
    }

    /// The branch that leaves the loop, or the jump that repeats it if none does. Of several it is
    /// the last: compilers test a `for` loop's condition at its end.
    pub fn exit(&self, program: &Program) -> Option<u32> {
        let inside = |pc: u32| {
            pc.checked_sub(self.start)
                .and_then(|at| self.members.get(at as usize).copied())
                .unwrap_or(false)
        };
        let ops = |pc: &u32| program.ops.get(*pc as usize);
        let leaves = |pc: &u32| {
            matches!(ops(pc).map(|op| op.code), Some(Code::Branch))
                && !(ops(pc).is_some_and(|op| inside(op.c)) && inside(pc + 1))
        };
        let repeats = |pc: &u32| {
            ops(pc).is_some_and(|op| {
                matches!(op.code, Code::Jump | Code::Branch) && op.c <= *pc && inside(op.c)
            })
        };
        let last = |wanted: &dyn Fn(&u32) -> bool| self.operations().filter(wanted).last();
        last(&leaves).or_else(|| last(&repeats))
    }
}

/// Whether a thread can get from one operation of a function to another without waiting at a block
/// barrier in between.
pub(crate) fn reaches_without_barrier(program: &Program, from: u32, to: u32) -> bool {
    let containing = |pc: u32| {
        (0..program.functions.len()).find(|f| {
            let start = program.functions[*f].start;
            (start..start + program.operations(*f).len() as u32).contains(&pc)
        })
    };
    let Some(function) = containing(from).filter(|f| containing(to) == Some(*f)) else {
        return false;
    };
    let start = program.functions[function].start;
    let waits = |at: usize| {
        let op = program.ops.get(start as usize + at);
        op.is_some_and(|op| {
            matches!(op.code, Code::Barrier)
                && program.barriers.get(op.d as usize).is_some_and(|b| b.waits)
        })
    };
    let count = program.operations(function).len();
    let reached = search(count, (from - start) as usize, |at| {
        if waits(at) { vec![] } else { successors(program, start, at).collect() }
    });
    reached.get((to - start) as usize).copied().unwrap_or(false)
}

/// Where operation `at` of a function continues, as indices in the function.
fn successors(program: &Program, start: u32, at: usize) -> impl Iterator<Item = usize> {
    let op = program.ops.get(start as usize + at);
    let (next, target) = match op.map(|op| (op.code, op.c)) {
        Some((Code::Jump, target)) => (None, Some(target)),
        Some((Code::Branch, target)) => (Some(at + 1), Some(target)),
        None | Some((Code::Exit | Code::Return | Code::Trap | Code::BadIndex, _)) => (None, None),
        Some(_) => (Some(at + 1), None),
    };
    let target = target.and_then(|target| target.checked_sub(start)).map(|target| target as usize);
    next.into_iter().chain(target)
}

/// Which of `count` operations can be reached from one of them.
fn search(count: usize, from: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if seen.get(at) == Some(&false) {
            seen[at] = true;
            open.extend(next(at));
        }
    }
    seen
}
