//! The loop that threads run in: its operations, the registers that decide whether it ends, and the
//! branch that would leave it.

use std::collections::HashSet;

use crate::LoopValues;
use crate::decode::code::File;
use crate::decode::op::{Code, ImageKind, MemOp, MemSpace, Op, Target};
use crate::decode::{Program, RowAccess};

/// A register, by its file and its row in the function.
type Row = (File, u32);

/// The operations of a function that can be executed again and again, starting from one of them.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The function's first operation in the program.
    start: u32,
    /// For each of the function's operations: is it in the loop?
    members: Vec<bool>,
    /// The rows on which it depends what the loop does: where it branches to, and what it reads,
    /// writes and passes on. `None` where that cannot be known, because the loop calls functions.
    pub control: Option<Vec<Row>>,
    /// The rows on which alone it depends where the loop branches to, or at least whether it ends.
    /// `None` where that also depends on memory, on other threads or on called functions.
    pub branches: Option<Vec<Row>>,
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
        this.control = this.find_control(program, |_| true);
        let branch = |op: &Op| matches!(op.code, Code::Branch | Code::BadIndex);
        this.branches = this
            .find_control(program, |pc| program.ops.get(pc as usize).is_some_and(branch))
            .filter(|rows| !this.depends_on_others(program, rows))
            .or_else(|| this.find_exits(program, from));
        this
    }

    pub fn operations(&self) -> impl Iterator<Item = u32> {
        let members = self.members.iter().enumerate();
        members.filter(|(_, inside)| **inside).map(|(at, _)| self.start + at as u32)
    }

    /// The rows that the wanted ones of the branches, accesses and waits read, and those that these
    /// are computed from.
    fn find_control(&self, program: &Program, wanted: impl Fn(u32) -> bool) -> Option<Vec<Row>> {
        let mut rows: HashSet<Row> = HashSet::new();
        // what each operation reads to compute a row
        let mut sources: Vec<(Row, Vec<Row>)> = vec![];
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
            } else if wanted(pc) {
                rows.extend(read);
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
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_unstable();
        Some(rows)
    }

    /// Whether an operation that does more than compute writes any of these rows.
    fn depends_on_others(&self, program: &Program, rows: &[Row]) -> bool {
        self.operations().any(|pc| {
            let computes = program.ops.get(pc as usize).is_some_and(|op| op.code.computes());
            let mut writes = false;
            program.visit_rows(pc, |access, file, row| {
                writes |= access == RowAccess::Write && rows.contains(&(file, row));
            });
            writes && !computes
        })
    }

    /// The rows on which it depends whether the loop ends, if nothing else decides: every iteration
    /// from operation `from` on reaches all branches that leave the loop, and all operations that
    /// compute these rows.
    fn find_exits(&self, program: &Program, from: usize) -> Option<Vec<Row>> {
        let exits: Vec<u32> = self.operations().filter(|pc| self.leaves(program, *pc)).collect();
        let rows = self.find_control(program, |pc| exits.contains(&pc))?;
        if exits.is_empty() || self.depends_on_others(program, &rows) {
            return None;
        }
        let computes = |pc: u32| {
            let mut writes = false;
            program.visit_rows(pc, |access, file, row| {
                writes |= access == RowAccess::Write && rows.contains(&(file, row));
            });
            writes
        };
        let always = |pc: u32| {
            let without = (pc - self.start) as usize;
            let next = |at: usize| {
                let to = successors(program, self.start, at);
                to.filter(|at| *at != without && self.members.get(*at) == Some(&true)).collect()
            };
            let again = |at: &usize| search(self.members.len(), *at, next)[from];
            without == from || !next(from).iter().any(again)
        };
        let needed = self.operations().filter(|pc| exits.contains(pc) || computes(*pc));
        needed.into_iter().all(always).then_some(rows)
    }

    /// What the values on which its end depends do, if it never ends.
    pub fn values(&self, program: &Program, changed: bool) -> LoopValues {
        let exits = self.operations().any(|pc| self.leaves(program, pc));
        match (exits, changed) {
            (false, _) => LoopValues::None,
            (true, true) => LoopValues::Cycle,
            (true, false) => LoopValues::Unchanged,
        }
    }

    /// Whether the operation is a branch that leaves the loop.
    fn leaves(&self, program: &Program, pc: u32) -> bool {
        let op = program.ops.get(pc as usize);
        op.is_some_and(|op| {
            matches!(op.code, Code::Branch) && !(self.contains(op.c) && self.contains(pc + 1))
        })
    }

    fn contains(&self, pc: u32) -> bool {
        let member = pc.checked_sub(self.start).and_then(|at| self.members.get(at as usize));
        member.copied().unwrap_or(false)
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
        let leaves = |pc: &u32| self.leaves(program, *pc);
        let repeats = |pc: &u32| {
            program.ops.get(*pc as usize).is_some_and(|op| {
                matches!(op.code, Code::Jump | Code::Branch) && op.c <= *pc && self.contains(op.c)
            })
        };
        let last = |wanted: &dyn Fn(&u32) -> bool| self.operations().filter(wanted).last();
        last(&leaves).or_else(|| last(&repeats))
    }
}

/// Whether a thread can get from one operation of a function to another without waiting at a block
/// barrier in between.
pub(crate) fn reaches_without_barrier(program: &Program, from: u32, to: u32) -> bool {
    let waits = |pc: u32| {
        program.ops.get(pc as usize).is_some_and(|op| {
            matches!(op.code, Code::Barrier)
                && program.barriers.get(op.d as usize).is_some_and(|b| b.waits)
        })
    };
    reaches_past(program, (from, to), waits).unwrap_or(false)
}

/// Whether a thread can get from one operation of a function to another. `None` if they are in
/// different functions.
pub(crate) fn reaches(program: &Program, from: u32, to: u32) -> Option<bool> {
    reaches_past(program, (from, to), |_| false)
}

/// The same on ways that end at some operations.
fn reaches_past(
    program: &Program,
    (from, to): (u32, u32),
    ends: impl Fn(u32) -> bool,
) -> Option<bool> {
    let containing = |pc: u32| {
        (0..program.functions.len()).find(|f| {
            let start = program.functions[*f].start;
            (start..start + program.operations(*f).len() as u32).contains(&pc)
        })
    };
    let function = containing(from).filter(|f| containing(to) == Some(*f))?;
    let start = program.functions[function].start;
    let count = program.operations(function).len();
    let reached = search(count, (from - start) as usize, |at| {
        if ends(start + at as u32) { vec![] } else { successors(program, start, at).collect() }
    });
    reached.get((to - start) as usize).copied()
}

/// Whether branch `pc` of a function decides that something is stored or written out: one of its
/// two ways always comes to such an operation, and the other one doesn't.
pub(crate) fn decides_effect(program: &Program, function: u32, pc: u32) -> bool {
    let ops = program.operations(function as usize);
    let Some(entered) = program.functions.get(function as usize) else { return false };
    let at = pc.saturating_sub(entered.start) as usize;
    // generic stores of a function with local variables may be to those
    let may_be_local = |space| match space {
        MemSpace::Local => true,
        MemSpace::Generic => entered.local_bytes > 0,
        _ => false,
    };
    let has_effect = |op: &Op| match op.code {
        Code::Store => {
            let memory = program.memory.get(op.d as usize);
            memory.is_some_and(|memory| !may_be_local(memory.space))
        }
        Code::Atomic | Code::Copy | Code::Trap => true,
        Code::Image => program
            .images
            .get(op.d as usize)
            .is_some_and(|image| matches!(image.kind, ImageKind::Store(_))),
        Code::Call => program
            .calls
            .get(op.d as usize)
            .is_some_and(|call| !matches!(call.target, Target::Function(_) | Target::Indirect(_))),
        _ => false,
    };
    let next = |at: usize| successors(program, entered.start, at).collect::<Vec<_>>();
    let ways = next(at);
    (0..ops.len()).filter(|n| has_effect(&ops[*n])).any(|effect| {
        let avoids = |from: usize| {
            let onward = |at: usize| if at == effect { vec![] } else { next(at) };
            let reached = search(ops.len(), from, onward);
            (0..ops.len()).any(|n| reached[n] && n != effect && next(n).is_empty())
        };
        ways.iter().any(|way| avoids(*way)) && !ways.iter().all(|way| avoids(*way))
    })
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
