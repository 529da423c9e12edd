//! Which volatile loads poll: they wait in a loop until another thread has stored.
//!
//! `volatile` gives no order, so a thread that loads what another thread stores gets the old value
//! or the new one. Only a load that polls can live with both, because its loop repeats it until the
//! value has changed. A load polls when
//!
//! * it is in a loop that ends depending on the loaded value, and the loop loads from the same
//!   address again or stores nothing itself; or
//! * the loaded value decides whether such a loop begins that polls the same address, because
//!   compilers load once before the loop; or
//! * it is in a device function that returns the value, because its caller may poll.
//!
//! The value is followed through registers, through branches that depend on it, and through local
//! memory as a whole. Where the analysis would take too long, a load counts as polling.

use super::Program;
use super::code::File;
use super::op::{Address, Code, Func, MemOp, MemSpace, Op};
use super::rows::{RowAccess, visit_rows};

/// Steps of the analysis in one function: visits of operations.
const MAX_STEPS: usize = 20_000_000;

/// Finds the polling loads of the function whose operations begin at `func.start`, the last ones of
/// the program. What remains volatile are stores, and loads that do not poll.
pub(super) fn mark(program: &mut Program, func: &Func, entry: bool) {
    let start = func.start as usize;
    let volatile_load = |op: &Op| {
        let memory = program.memory.get(op.d as usize);
        matches!(op.code, Code::Load) && memory.is_some_and(|memory| memory.volatile)
    };
    let ops = &program.ops[start..];
    let loads: Vec<usize> = (0..ops.len()).filter(|i| volatile_load(&ops[*i])).collect();
    if loads.is_empty() {
        return;
    }
    let mut flow = Flow::new(program, func);
    let mut polling: Vec<usize> =
        loads.iter().copied().filter(|load| flow.polls(*load, entry)).collect();
    let guards: Vec<usize> = loads
        .iter()
        .copied()
        .filter(|load| !polling.contains(load) && flow.guards_poll(*load, &polling))
        .collect();
    polling.extend(guards);
    let sites: Vec<usize> = polling.iter().map(|load| ops[*load].d as usize).collect();
    for site in sites {
        program.memory[site].volatile = false;
    }
}

/// Some of the function's operations, by their position in it.
type Set = Vec<bool>;

/// A loop: the operation that it begins with, and all of its operations.
struct Loop {
    head: usize,
    body: Set,
}

/// The flow of control and data of one function.
pub(super) struct Flow<'p> {
    program: &'p Program,
    func: &'p Func,
    ops: &'p [Op],
    loops: Vec<Loop>,
    steps: usize,
}

/// What depends on a loaded value.
#[derive(Default)]
struct Dependents {
    /// Rows by their file.
    rows: [Set; 3],
    /// Local memory has a value that depends on it.
    local: bool,
    /// Branches that depend on it.
    branches: Vec<usize>,
}

impl Dependents {
    fn new(func: &Func) -> Self {
        let rows = [func.rows32, func.rows64, func.preds].map(|n| vec![false; n as usize]);
        Self { rows, ..Self::default() }
    }

    fn contains(&self, file: File, row: u32) -> bool {
        self.rows[file as usize].get(row as usize).copied().unwrap_or(false)
    }

    /// Adds a row; false when it was there.
    fn insert(&mut self, file: File, row: u32) -> bool {
        let new = self.rows[file as usize].get_mut(row as usize).filter(|new| !**new);
        new.is_some_and(|new| {
            *new = true;
            true
        })
    }
}

impl<'p> Flow<'p> {
    pub fn new(program: &'p Program, func: &'p Func) -> Self {
        let ops = &program.ops[func.start as usize..];
        let mut flow = Self { program, func, ops, loops: vec![], steps: 0 };
        flow.find_loops();
        flow
    }

    /// The operations that may follow.
    fn successors(&self, i: usize) -> impl Iterator<Item = usize> + use<> {
        let op = &self.ops[i];
        let target = op.c.wrapping_sub(self.func.start) as usize;
        let (first, second) = match op.code {
            Code::Jump => (Some(target), None),
            Code::Branch => (Some(i + 1), Some(target)),
            Code::Exit | Code::Return | Code::Trap => (None, None),
            _ => (Some(i + 1), None),
        };
        let len = self.ops.len();
        first.into_iter().chain(second).filter(move |next| *next < len)
    }

    fn memory(&self, i: usize) -> Option<&'p MemOp> {
        let is_access = matches!(self.ops[i].code, Code::Load | Code::Store | Code::Atomic);
        self.program.memory.get(self.ops[i].d as usize).filter(|_| is_access)
    }

    /// True once the analysis has taken too long.
    fn step(&mut self, steps: usize) -> bool {
        self.steps += steps;
        self.steps > MAX_STEPS
    }

    /// The loops: a branch back to `head`, and all operations from which it is reached without
    /// going through `head`.
    fn find_loops(&mut self) {
        let mut before: Vec<Vec<usize>> = vec![vec![]; self.ops.len()];
        for i in 0..self.ops.len() {
            self.successors(i).for_each(|next| before[next].push(i));
        }
        for back in 0..self.ops.len() {
            for head in self.successors(back).filter(|head| *head <= back) {
                let known = self.loops.iter().position(|l| l.head == head);
                let mut body = match known {
                    Some(known) => self.loops.swap_remove(known).body,
                    None => vec![false; self.ops.len()],
                };
                body[head] = true;
                let mut open = vec![back];
                while let Some(i) = open.pop() {
                    if !std::mem::replace(&mut body[i], true) {
                        open.extend(&before[i]);
                    }
                }
                self.loops.push(Loop { head, body });
                if self.step(self.ops.len()) {
                    return;
                }
            }
        }
    }

    /// Does a load or an atomic wait in a loop until another thread has stored?
    pub fn polls(&mut self, load: usize, entry: bool) -> bool {
        let in_loop = (0..self.loops.len()).any(|l| {
            self.loops[l].body[load]
                && (self.loads_same_address(l, load) || !self.stores(l))
                && self.ends_by(l, load)
        });
        in_loop
            || !entry && {
                let dependents = self.dependents(load, None);
                let mut results = self.func.results.iter();
                results.any(|(row, words)| {
                    (*row..row + words).any(|row| dependents.contains(File::R, row))
                })
            }
            || self.steps > MAX_STEPS
    }

    /// Does the loop end depending on what `load` loads?
    fn ends_by(&mut self, l: usize, load: usize) -> bool {
        let branches = self.dependents(load, Some(l)).branches;
        let body = &self.loops[l].body;
        branches.iter().any(|branch| self.successors(*branch).any(|next| !body[next]))
    }

    /// Does the loop store to memory that other threads see? Atomics do not count, because whatever
    /// loop has them is about other threads.
    fn stores(&self, l: usize) -> bool {
        let body = &self.loops[l].body;
        (0..self.ops.len()).any(|i| {
            body[i]
                && matches!(self.ops[i].code, Code::Store)
                && self.memory(i).is_some_and(|memory| memory.space != MemSpace::Local)
        })
    }

    /// Is the address of `load` the same in each iteration?
    fn loads_same_address(&self, l: usize, load: usize) -> bool {
        let Some(memory) = self.memory(load) else { return false };
        let (file, row) = address_row(memory);
        self.is_invariant(l, file, row, 8)
    }

    /// Has a row the same value in each iteration of the loop, as far as `depth` operations show?
    fn is_invariant(&self, l: usize, file: File, row: u32, depth: u32) -> bool {
        let body = &self.loops[l].body;
        let writers: Vec<usize> =
            (0..self.ops.len()).filter(|i| body[*i] && self.writes(*i, file, row)).collect();
        match writers[..] {
            [] => true,
            [only] if depth > 0 && self.ops[only].code.pure().is_some() => {
                let mut invariant = true;
                visit_rows(&self.ops[only], self.program, |access, file, row| {
                    invariant &=
                        access == RowAccess::Write || self.is_invariant(l, file, row, depth - 1);
                });
                invariant
            }
            _ => false,
        }
    }

    fn writes(&self, i: usize, file: File, row: u32) -> bool {
        let mut writes = false;
        visit_rows(&self.ops[i], self.program, |access, f, r| {
            writes |= access == RowAccess::Write && (f, r) == (file, row);
        });
        writes
    }

    /// Does the value of `load` decide whether one of the `polling` loads is executed, which loads
    /// from the same address?
    fn guards_poll(&mut self, load: usize, polling: &[usize]) -> bool {
        let same: Vec<usize> =
            polling.iter().copied().filter(|poll| self.have_same_address(load, *poll)).collect();
        if same.is_empty() {
            return false;
        }
        let branches = self.dependents(load, None).branches;
        branches.iter().any(|branch| {
            let one_sided = self.one_sided(*branch, None);
            same.iter().any(|poll| one_sided[*poll])
        })
    }

    fn have_same_address(&self, a: usize, b: usize) -> bool {
        let (Some(x), Some(y)) = (self.memory(a), self.memory(b)) else { return false };
        if (x.space, x.offset, x.bytes()) != (y.space, y.offset, y.bytes()) {
            return false;
        }
        let ((file, row), (other_file, other)) = (address_row(x), address_row(y));
        file == other_file
            && (row == other || {
                let computed = |row| {
                    let mut writers = (0..self.ops.len()).filter(|i| self.writes(*i, file, row));
                    let only = writers.next().filter(|_| writers.next().is_none());
                    only.map(|i| self.ops[i]).filter(|op| op.code.pure().is_some())
                };
                computed(row).zip(computed(other)).is_some_and(|(a, b)| {
                    std::mem::discriminant(&a.code) == std::mem::discriminant(&b.code)
                        && (a.a, a.b, a.c) == (b.a, b.b, b.c)
                })
            })
    }

    /// What depends on the value of `load`: in a loop, or in the whole function.
    fn dependents(&mut self, load: usize, l: Option<usize>) -> Dependents {
        let mut found = Dependents::new(self.func);
        let inside = |flow: &Self, i: usize| l.is_none_or(|l| flow.loops[l].body[i]);
        visit_rows(&self.ops[load], self.program, |access, file, row| {
            if access == RowAccess::Write {
                found.insert(file, row);
            }
        });
        // operations that only some outcomes of a dependent branch reach
        let mut decided = vec![false; self.ops.len()];
        loop {
            let mut changed = false;
            for i in 0..self.ops.len() {
                if !inside(self, i) {
                    continue;
                }
                let mut depends = decided[i];
                visit_rows(&self.ops[i], self.program, |access, file, row| {
                    depends |= access == RowAccess::Read && found.contains(file, row);
                });
                let local = self.memory(i).is_some_and(|m| m.space == MemSpace::Local);
                depends |= local && found.local && matches!(self.ops[i].code, Code::Load);
                if !depends {
                    continue;
                }
                if local && matches!(self.ops[i].code, Code::Store) && !found.local {
                    found.local = true;
                    changed = true;
                }
                visit_rows(&self.ops[i], self.program, |access, file, row| {
                    changed |= access == RowAccess::Write && found.insert(file, row);
                });
                if matches!(self.ops[i].code, Code::Branch) && !found.branches.contains(&i) {
                    found.branches.push(i);
                    let one_sided = self.one_sided(i, l);
                    decided.iter_mut().zip(&one_sided).for_each(|(all, this)| *all |= this);
                    changed = true;
                }
            }
            if self.step(self.ops.len()) || !changed {
                return found;
            }
        }
    }

    /// The operations that only one outcome of a branch reaches, before a loop around it comes to
    /// its head again: the loop `l`, or any.
    fn one_sided(&mut self, branch: usize, l: Option<usize>) -> Set {
        let around = |l: &&Loop| l.body[branch];
        let heads: Vec<usize> = match l {
            Some(l) => vec![self.loops[l].head],
            None => self.loops.iter().filter(around).map(|l| l.head).collect(),
        };
        self.step(2 * self.ops.len());
        let reached = |first: usize| {
            let mut reached = vec![false; self.ops.len()];
            let mut open = vec![first];
            while let Some(i) = open.pop() {
                if i != branch && !heads.contains(&i) && !std::mem::replace(&mut reached[i], true) {
                    open.extend(self.successors(i));
                }
            }
            reached
        };
        let mut sides = self.successors(branch).map(reached);
        let (a, b) = (sides.next().unwrap_or_default(), sides.next().unwrap_or_default());
        a.iter().zip(&b).map(|(a, b)| a != b).collect()
    }
}

const fn address_row(memory: &MemOp) -> (File, u32) {
    match memory.address {
        Address::Row64(row) => (File::X, row),
        Address::Row32(row) => (File::R, row),
    }
}

#[cfg(test)]
mod tests {
    use crate::Module;

    /// For each volatile load of the kernel: does it poll?
    fn polls(body: &str) -> Vec<bool> {
        let ptx = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;\n\
             .shared .align 4 .b8 s[512];\nld.param.u64 %d1, [p];\nmov.u32 %r8, 0;\n{body}\nret;\n}}\n"
        );
        let module = Module::parse(&ptx).expect("parses");
        let loads = module.program.ops.iter().filter(|op| matches!(op.code, super::Code::Load));
        let memory = loads.map(|op| module.program.memory[op.d as usize]);
        memory.filter(|m| m.strong).map(|m| !m.volatile).collect()
    }

    const WAIT: &str =
        "W: ld.volatile.global.u32 %r1, [%d1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra W;";

    #[test]
    fn a_loop_that_waits_polls() {
        assert_eq!(polls(WAIT), [true]);
        // in a loop over rounds
        let rounds = "mov.u32 %r2, 0;\nR: add.s32 %r2, %r2, 1;\n\
             W: ld.volatile.global.u32 %r1, [%d1];\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra W;\n\
             st.global.u32 [%d1+64], %r2;\nsetp.lt.s32 %p2, %r2, 9;\n@%p2 bra R;";
        assert_eq!(polls(rounds), [true]);
        // the lock that a warp can take: the flag leaves the loop after the work
        let done = "mov.u32 %r3, 0;\nR: ld.volatile.global.u32 %r1, [%d1];\n\
                    setp.ne.s32 %p1, %r1, %r2;\n@%p1 bra N;\nst.volatile.global.u32 [%d1], 7;\n\
                    mov.u32 %r3, 1;\nN: setp.eq.s32 %p2, %r3, 0;\n@%p2 bra R;";
        assert_eq!(polls(done), [true]);
    }

    #[test]
    fn a_load_before_the_loop_polls_with_it() {
        let rotated = "ld.volatile.global.u32 %r1, [%d1];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra E;\n\
                       W: nanosleep.u32 20;\nld.volatile.global.u32 %r2, [%d1];\n\
                       setp.eq.s32 %p2, %r2, 0;\n@%p2 bra W;\nE: st.global.u32 [%d1+4], %r1;";
        assert_eq!(polls(rotated), [true, true]);
        let other = rotated.replacen("[%d1]", "[%d1+8]", 1);
        assert_eq!(polls(&other), [false, true]);
    }

    #[test]
    fn a_walk_that_stores_nothing_polls() {
        let walk = "mov.u64 %d2, %d1;\nW: ld.volatile.global.u32 %r1, [%d2];\n\
                    add.s64 %d2, %d2, -4;\nsetp.ne.s32 %p1, %r1, 2;\n@%p1 bra W;";
        assert_eq!(polls(walk), [true]);
    }

    #[test]
    fn a_reduction_does_not_poll() {
        let step = "ld.volatile.shared.f32 %f1, [s+64];\nld.volatile.shared.f32 %f2, [s];\n\
                    add.f32 %f1, %f1, %f2;\nst.volatile.shared.f32 [s], %f1;\n";
        assert_eq!(polls(&step.repeat(2)), [false; 4]);
        let rounds = format!(
            "mov.u32 %r1, 16;\nmov.u32 %r3, s;\nR: shl.b32 %r2, %r1, 2;\nadd.s32 %r4, %r3, %r2;\n{}\n\
             shr.u32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra R;",
            step.replacen("[s+64]", "[%r4]", 1)
        );
        assert_eq!(polls(&rounds), [false; 2]);
        // a maximum: the branch depends on the loaded value, the end of the loop does not
        let most = "mov.u32 %r1, 16;\nmov.u32 %r3, s;\nR: shl.b32 %r2, %r1, 2;\n\
                    add.s32 %r4, %r3, %r2;\nld.volatile.shared.f32 %f1, [%r4];\n\
                    ld.volatile.shared.f32 %f2, [s];\nsetp.le.f32 %p2, %f1, %f2;\n@%p2 bra N;\n\
                    st.volatile.shared.f32 [s], %f1;\nN: shr.u32 %r1, %r1, 1;\n\
                    setp.ne.s32 %p1, %r1, 0;\n@%p1 bra R;";
        assert_eq!(polls(most), [false; 2]);
    }

    #[test]
    fn a_flag_that_is_looked_at_once_does_not_poll() {
        let once = "ld.volatile.global.u32 %r1, [%d1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra E;\n\
                    st.global.u32 [%d1+4], %r1;\nE: mov.u32 %r2, 1;";
        assert_eq!(polls(once), [false]);
        // the loop around it ends by a counter
        let counted = format!(
            "mov.u32 %r3, 0;\nR: {}\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p2, %r3, 4;\n@%p2 bra R;",
            once.replace("st.global.u32 [%d1+4], %r1;", "add.s32 %r4, %r4, 1;")
        );
        assert_eq!(polls(&counted), [false]);
        // but one whose loop it ends does
        let stop = "mov.u32 %r3, 0;\nR: ld.volatile.global.u32 %r1, [%d1];\n\
                    setp.ne.s32 %p1, %r1, 0;\n@%p1 bra E;\nst.global.u32 [%d1+4], %r3;\n\
                    add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p2, %r3, 4;\n@%p2 bra R;\nE: mov.u32 %r2, 1;";
        assert_eq!(polls(stop), [true]);
    }
}
