//! Records what one thread does. It is called before each operation that the thread's lane is about
//! to execute.
//!
//! It is compiled only into the level [`TRACE`](super::TRACE). What an operation reads is taken
//! from the rows and the memory before it runs, and what it has written at the next call. Steps are
//! kept in numbers, and get their names at the end, because a loop makes millions of them.

use std::collections::VecDeque;

use super::access::{Context, WarpParts};
use super::alu::Rows;
use super::copies;
use super::machine::{BlockState, Location, Machine};
use super::warp::{Frame, Split, State, Warp};
use super::words::{self, element, stored_by_atomic};
use crate::FindingKind;
use crate::address::{LOCAL_SLOT, SHARED_SLOT, split};
use crate::debug;
use crate::decode::op::{Address, Code, MemOp, MemSpace};
use crate::decode::{Program, Row};
use crate::trace::{End, Thread, Trace};

mod joins;
mod naming;
mod warp;

pub(crate) use warp::WarpTracer;
pub(super) use warp::before;

/// The record of one thread.
#[derive(Debug)]
pub(crate) struct Tracer {
    wanted: Thread,
    block: u32,
    linear: u32,
    first: Vec<Raw>,
    last: VecDeque<Raw>,
    skipped: u64,
    end: End,
    /// The step that has begun.
    step: Option<Raw>,
    /// Positions of the basic blocks entered in it. Entering one of them again begins another step.
    entered: Vec<u32>,
    revisited: bool,
    joins: joins::Joins,
    /// Per source location of the program: is it in the kernel's own file?
    in_own_file: Vec<bool>,
    calls: Vec<Activation>,
    /// The operation before, and the depth of its call.
    before: Option<(u32, usize)>,
    /// The row in which an atomic returns the old value, and the index of its touch in the step.
    pending: Option<(Row, usize)>,
    /// Registers that the operation before has written; kept for its capacity.
    written: Vec<Row>,
}

/// A function being executed, with the variables of the module.
#[derive(Debug, Default)]
struct Activation {
    variables: Vec<VariableState>,
}

/// A variable in a function being executed.
#[derive(Debug, Clone, Default)]
struct VariableState {
    assigned: bool,
    /// Its last bits.
    value: Option<u64>,
    /// The register that has them, and those of its registers that were written since.
    register: Option<Row>,
    written: Vec<Row>,
}

impl VariableState {
    /// Whether a register has an earlier value of the variable. The compiler describes where a
    /// variable is by ranges of the text, so after a jump out of a loop it may name the register of
    /// the iteration before.
    fn is_stale(&self, register: Row) -> bool {
        self.value.is_some() && self.register != Some(register) && !self.written.contains(&register)
    }
}

/// A step in numbers.
#[derive(Debug, Default)]
struct Raw {
    source: u32,
    line: u32,
    frame: Frame,
    depth: u32,
    clock: u64,
    lanes: u32,
    live: u32,
    /// Variables by their number in the module, and their bits.
    variables: Vec<(u32, u64)>,
    set: Vec<(u32, u64)>,
    touched: Vec<RawTouch>,
    branches: u32,
    /// `set` at the first of these branches.
    set_at_branch: Vec<(u32, u64)>,
    /// Whether anything but jumps was executed after the last of them.
    continued: bool,
    barrier: Option<(u32, u32)>,
    waiting: Vec<(u32, u32)>,
    exited: Vec<(u32, u32)>,
    left: bool,
}

/// An access in numbers.
#[derive(Debug)]
struct RawTouch {
    /// The memory operation.
    op: u32,
    location: Location,
    write: bool,
    values: Vec<u64>,
    /// What an atomic finds, and its operands.
    old: Option<u64>,
    operands: [u64; 2],
    fault: Option<FindingKind>,
}

/// The position of the traced lane.
pub(super) struct Here {
    pub pc: u32,
    pub mask: u32,
    pub live: u32,
    pub frame: Frame,
    pub depth: usize,
    /// Operations of the warp so far, this one included.
    pub clock: u64,
}

impl Tracer {
    /// For the thread with this linear index in the block with this one.
    pub fn new(
        wanted: Thread,
        (block, linear): (u32, u32),
        program: &Program,
        in_own_file: Vec<bool>,
    ) -> Self {
        Self {
            wanted,
            block,
            linear,
            first: vec![],
            last: VecDeque::new(),
            skipped: 0,
            end: End::NotStarted,
            step: None,
            entered: vec![],
            revisited: false,
            joins: joins::Joins::new(program),
            in_own_file,
            calls: vec![],
            before: None,
            pending: None,
            written: vec![],
        }
    }

    /// Is this the traced thread's warp and lane, and is there anything left to record?
    pub fn follows(&self, block: u32, warp: u32, mask: u32) -> bool {
        self.block == block
            && self.linear / 32 == warp
            && mask >> (self.linear % 32) & 1 == 1
            && self.end != End::Fault
    }

    /// The traced thread's warp, in its own block.
    pub fn warp_of(&self, block: u32) -> Option<usize> {
        (self.block == block).then_some(self.linear as usize / 32)
    }

    /// The record, with everything named.
    pub fn finish(mut self, m: &Machine<'_>) -> Trace {
        self.close();
        Trace {
            first: self.first.iter().map(|raw| self.named(m, raw)).collect(),
            skipped: self.skipped,
            last: self.last.iter().map(|raw| self.named(m, raw)).collect(),
            end: self.end,
            variables: m.grid.program.debug_build,
            ..Trace::default()
        }
    }

    fn close(&mut self) {
        let Some(step) = self.step.take() else { return };
        if self.wanted.lines.is_some_and(|(a, z)| !(a..=z).contains(&step.line)) {
            return;
        }
        if self.first.len() < self.wanted.first {
            self.first.push(step);
            return;
        }
        self.last.push_back(step);
        if self.last.len() > self.wanted.last {
            self.last.pop_front();
            self.skipped += 1;
        }
    }
}

impl Tracer {
    fn observe(
        &mut self,
        m: &Machine<'_>,
        b: &mut BlockState,
        warp: &mut WarpParts<'_>,
        rows: &mut Rows<'_>,
        here: &Here,
    ) {
        let program = m.grid.program;
        let Some(op) = program.ops.get(here.pc as usize).copied() else { return };
        self.end = End::Running;
        // the interpreter may leave a split at the start of a basic block, and then executes that
        // operation again
        let tried = self.before == Some((here.pc, here.depth));
        self.observe_results(m, warp, rows, here);
        let joins = self.joins.copies(program, here.pc);
        if !(tried && matches!(op.code, Code::Enter)) {
            self.begin_step(m, here, op.code, joins);
        }
        let Some(step) = &mut self.step else { return };
        step.continued = match op.code {
            Code::Branch => false,
            Code::Enter | Code::Jump => step.continued,
            _ if joins => step.continued,
            _ => step.branches > 0,
        };
        match op.code {
            Code::Branch if op.d != 0 => {
                if step.branches == 0 {
                    step.set_at_branch.clone_from(&step.set);
                }
                step.branches += 1;
            }
            Code::Load | Code::Store | Code::Atomic => {
                let Some(access) = program.memory.get(op.d as usize) else { return };
                let write = matches!(op.code, Code::Store);
                self.touch(m, b, warp, rows, here, (op.d, access), write);
            }
            Code::Copy => {
                let Some(copy) = program.copies.get(op.d as usize) else { return };
                let Some([from, to]) = copies::memory_operations(m, copy) else { return };
                let lane = self.linear as usize % 32;
                if copies::size(rows, copy, lane, to.bytes()) > 0 {
                    self.touch(m, b, warp, rows, here, (copy.from, from), false);
                }
                self.touch(m, b, warp, rows, here, (copy.to, to), true);
            }
            Code::Barrier => {
                let waits = program.barriers.get(op.d as usize).is_some_and(|b| b.waits);
                let waiting = |splits: &[Split]| {
                    let at_barrier = |s: &&Split| matches!(s.state, State::AtBarrier(_));
                    splits.iter().filter(at_barrier).fold(0, |lanes, s| lanes | s.mask)
                };
                let warps = (0_u32..).zip(&b.warps);
                step.waiting = warps
                    .map(|(number, w)| (number, waiting(&w.splits)))
                    .filter(|(_, lanes)| *lanes != 0)
                    .collect();
                let exited = |number: u32, w: &Warp| match number == warp.index {
                    true => lanes_of(number, m.grid.threads) & !here.live,
                    false => w.lanes & !w.live,
                };
                let warps = (0_u32..).zip(&b.warps);
                step.exited = warps
                    .map(|(number, w)| (number, exited(number, w)))
                    .filter(|(_, lanes)| *lanes != 0)
                    .collect();
                let others: u32 = step.waiting.iter().map(|(_, lanes)| lanes.count_ones()).sum();
                step.barrier = Some((others + here.mask.count_ones(), m.grid.threads));
                if waits {
                    self.end = End::Waiting;
                }
            }
            Code::Collective => self.end = End::Waiting,
            Code::Exit => {
                step.left = true;
                self.end = End::Left;
            }
            Code::Trap => self.end = End::Fault,
            _ => {}
        }
    }

    /// Records what the operation before has written: registers that are variables, and an atomic's
    /// old value.
    fn observe_results(
        &mut self,
        m: &Machine<'_>,
        warp: &WarpParts<'_>,
        rows: &Rows<'_>,
        here: &Here,
    ) {
        let program = m.grid.program;
        let lane = self.linear as usize % 32;
        let same_call = self.before.is_some_and(|(_, depth)| depth == here.depth);
        if let (Some((row, touch)), true) = (self.pending.take(), same_call)
            && let Some(touch) = self.step.as_mut().and_then(|s| s.touched.get_mut(touch))
        {
            touch.old = Some(row_value(rows, row, lane));
        }
        while self.calls.len() > here.depth + 1 {
            self.calls.pop();
        }
        while self.calls.len() <= here.depth {
            let variables = vec![VariableState::default(); program.debug.variables.len()];
            self.calls.push(Activation { variables });
        }
        self.written.clear();
        if let Some((pc, depth)) = self.before
            && depth == here.depth
        {
            program.visit_written_rows(pc, |row| self.written.push(row));
        }
        let last = self.before.map_or(here.pc, |(pc, _)| pc);
        let code = |pc: u32| program.ops.get(pc as usize).map(|op| op.code);
        let entered = !same_call || matches!(code(here.pc), Some(Code::Enter));
        // a variable may be in memory
        let stored =
            self.before.is_some_and(|(pc, _)| matches!(code(pc), Some(Code::Store | Code::Atomic)));
        self.before = Some((here.pc, here.depth));
        if self.written.is_empty() && !entered && !stored {
            return;
        }
        let Some(activation) = self.calls.get_mut(here.depth) else { return };
        let all = program.debug.variables.iter().zip(&mut activation.variables);
        for (number, (variable, state)) in (0_u32..).zip(all) {
            if variable.function != here.frame.function {
                continue;
            }
            let first = variable.locations.first().map(|range| &range.location);
            let argument = matches!(first, Some(debug::Location::Argument(_)));
            let (from, to) = if argument { (0, u32::MAX) } else { variable.scope };
            if !(from..to).contains(&here.pc) {
                *state = VariableState::default();
                continue;
            }
            if (from..to).contains(&last) {
                let holds = |row: &&Row| {
                    let register = debug::Location::Register(**row);
                    variable.locations.iter().any(|range| range.location == register)
                };
                for row in self.written.iter().filter(holds) {
                    state.assigned = true;
                    if !state.written.contains(row) {
                        state.written.push(*row);
                    }
                }
            }
            let Some(location) = location(variable, here.pc) else { continue };
            let register = match location {
                debug::Location::Register(row) => Some(*row),
                _ => None,
            };
            if register.is_some_and(|register| state.is_stale(register)) {
                continue;
            }
            let ty = &variable.ty;
            let Some(now) =
                variable_value(m, warp, rows, here, (location, ty), state.assigned, lane)
            else {
                continue;
            };
            // a function's arguments show at its own first line, and the variables of a function of
            // CUDA's headers are no part of the caller's step
            if state.value != Some(now)
                && !(state.value.is_none() && argument)
                && let (Some(step), true) = (&mut self.step, same_call)
                && step.frame.function == here.frame.function
            {
                step.set.retain(|(set, _)| *set != number);
                step.set.push((number, now));
            }
            if state.value != Some(now) {
                state.written.clear();
            }
            (state.value, state.register) = (Some(now), register);
        }
    }

    /// Begins another step if the line changes, or the same one is visited again.
    fn begin_step(&mut self, m: &Machine<'_>, here: &Here, code: Code, joins: bool) {
        // a label is before the line of what follows it, and a jump belongs to what came before
        match code {
            Code::Enter => {
                self.revisited |= self.entered.contains(&here.pc);
                self.entered.push(here.pc);
                return;
            }
            Code::Jump => return,
            _ => {}
        }
        let program = m.grid.program;
        let source = program.source_of.get(here.pc as usize).copied().unwrap_or(0);
        if !self.in_own_file.get(source as usize).is_some_and(|own| *own) {
            return;
        }
        let line = program.sources.get(source as usize).map_or(0, |source| source.line);
        let depth = here.depth as u32;
        let stays = self.step.as_ref().is_some_and(|s| s.depth == depth && s.line == line);
        if joins || stays && !self.revisited {
            return;
        }
        self.close();
        // the blocks that were entered on the way here are this step's
        let own = self.entered.len().saturating_sub(1);
        self.entered.drain(..own);
        self.revisited = false;
        let values = self.calls.get(here.depth).map(|call| call.variables.as_slice());
        let values = (0_u32..).zip(values.unwrap_or_default());
        self.step = Some(Raw {
            source,
            line,
            frame: here.frame,
            depth,
            clock: here.clock,
            lanes: here.mask,
            live: here.live,
            variables: values.filter_map(|(number, state)| Some((number, state.value?))).collect(),
            ..Raw::default()
        });
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "everything that an access needs, borrowed separately"
    )]
    fn touch(
        &mut self,
        m: &Machine<'_>,
        b: &mut BlockState,
        warp: &mut WarpParts<'_>,
        rows: &mut Rows<'_>,
        here: &Here,
        (number, op): (u32, &MemOp),
        write: bool,
    ) {
        let lane = self.linear as usize % 32;
        let address = match op.address {
            Address::Row64(row) => rows.x[row as usize].0[lane].wrapping_add(op.offset as u64),
            Address::Row32(row) => {
                u64::from(rows.r[row as usize].0[lane].wrapping_add(op.offset as u32))
            }
        };
        let (slot, offset) = split(address);
        let shared = |offset: i64| {
            let inside = u32::try_from(offset).is_ok_and(|first| {
                let end = first.checked_add(op.bytes());
                end.is_some_and(|end| m.shared_range_around(op.array, first, end).is_some())
            });
            (Location::Shared(offset), inside)
        };
        let top =
            here.frame.local + m.grid.program.functions[here.frame.function as usize].local_bytes;
        let local = |offset: i64| {
            let inside = offset >= 0 && offset + i64::from(op.bytes()) <= i64::from(top);
            (Location::Local(offset), inside)
        };
        let (location, inside) = match (op.space, slot) {
            (MemSpace::Shared, _) => shared(match op.address {
                Address::Row32(_) => i64::from(address as u32 as i32),
                Address::Row64(_) => address as i64,
            }),
            (MemSpace::Local, _) => local(address as i64),
            (MemSpace::Generic, SHARED_SLOT) => shared(offset),
            (MemSpace::Generic, LOCAL_SLOT) => local(offset),
            _ => {
                match (slot as usize).checked_sub(1).and_then(|s| m.grid.memory.allocations.get(s))
                {
                    None => (Location::Unmapped(address), false),
                    Some(a) => {
                        let end = offset.saturating_add(i64::from(op.bytes()));
                        let writes = write || op.atomic.is_some();
                        let inside =
                            offset >= 0 && end <= a.bytes as i64 && (a.writable || !writes);
                        (Location::Global(slot - 1, offset), inside)
                    }
                }
            }
        };
        let fault = match location {
            Location::Unmapped(_) => Some(FindingKind::InvalidAddress),
            _ if !inside => Some(FindingKind::OutOfBounds),
            _ if !address.is_multiple_of(u64::from(op.bytes().max(1))) => {
                Some(FindingKind::Misaligned)
            }
            _ => None,
        };
        let vectors = m.grid.vectors;
        let operand = |row: u32| {
            if op.wide {
                rows.x[row as usize].0[lane]
            } else {
                u64::from(rows.r[row as usize].0[lane])
            }
        };
        let mut values = vec![];
        if op.atomic.is_some() {
            values.push(operand(op.b));
        } else if write {
            // an asynchronous copy has no registers
            let rows = op.rows.iter().take(op.vector as usize).filter(|row| **row != u32::MAX);
            values.extend(rows.map(|row| operand(*row)));
        } else if fault.is_none() {
            for e in 0..op.vector {
                let at = |offset: i64| (offset as u64 + u64::from(e * op.width)) as u32;
                values.push(match location {
                    Location::Global(slot, offset) => {
                        m.grid.memory.allocations.get(slot as usize).map_or(0, |a| {
                            element(
                                &words::Global { words: &a.words, vectors, parallel: false },
                                at(offset),
                                op,
                            )
                        })
                    }
                    Location::Shared(offset) => {
                        element(&words::Shared(&mut b.shared), at(offset), op)
                    }
                    Location::Local(offset) => {
                        let word =
                            |w: u32| warp.local.get(w as usize * 32 + lane).copied().unwrap_or(0);
                        let mut two = [word(at(offset) / 4), word(at(offset) / 4 + 1)];
                        element(&words::Shared(&mut two), at(offset) % 4, op)
                    }
                    Location::Unmapped(_) => 0,
                });
            }
        }
        let Some(step) = &mut self.step else { return };
        if op.atomic.is_some() && op.rows[0] != u32::MAX {
            let row = if op.wide { Row::R64(op.rows[0]) } else { Row::R32(op.rows[0]) };
            self.pending = Some((row, step.touched.len()));
        }
        if fault.is_some() {
            self.end = End::Fault;
        }
        let operands = if op.atomic.is_some() { [operand(op.b), operand(op.c)] } else { [0; 2] };
        step.touched.push(RawTouch {
            op: number,
            location,
            write,
            values,
            old: None,
            operands,
            fault,
        });
    }
}

/// The lanes of a warp that have threads, in a block of so many threads.
fn lanes_of(warp: u32, threads: u32) -> u32 {
    match threads.saturating_sub(32 * warp) {
        32.. => u32::MAX,
        few => (1 << few) - 1,
    }
}

/// Where a variable is at this position.
fn location(variable: &debug::Variable, pc: u32) -> Option<&debug::Location> {
    let range = variable.locations.iter().find(|range| {
        matches!(range.location, debug::Location::Argument(_))
            || (range.from..range.to).contains(&pc)
    });
    range.map(|range| &range.location)
}

/// The value of a variable at a location, if it has one.
fn variable_value(
    m: &Machine<'_>,
    warp: &WarpParts<'_>,
    rows: &Rows<'_>,
    here: &Here,
    (location, ty): (&debug::Location, &debug::Type),
    assigned: bool,
    lane: usize,
) -> Option<u64> {
    if !ty.dims.is_empty() {
        return None;
    }
    let bytes = if ty.pointer { 8 } else { ty.bytes };
    let bits = match location {
        debug::Location::Register(row) if assigned => row_value(rows, *row, lane),
        debug::Location::Local(offset) => {
            let word = ((here.frame.local + offset) / 4) as usize;
            let read = |w: usize| {
                let written = warp.local_written.get(w).is_some_and(|lanes| lanes >> lane & 1 == 1);
                written.then(|| warp.local.get(w * 32 + lane).copied()).flatten().map(u64::from)
            };
            let low = read(word)? >> (offset % 4 * 8);
            if bytes == 8 { low | read(word + 1)? << 32 } else { low }
        }
        debug::Location::Argument(offset) => {
            let at = *offset as usize;
            let data = m.grid.params.get(at..at + bytes as usize)?;
            let mut word = [0; 8];
            word.get_mut(..data.len())?.copy_from_slice(data);
            u64::from_le_bytes(word)
        }
        _ => return None,
    };
    Some(low_bytes(bits, bytes))
}

/// The lowest `bytes` bytes.
fn low_bytes(bits: u64, bytes: u32) -> u64 {
    bits & (u64::MAX >> (64 - 8 * bytes.clamp(1, 8)))
}

fn row_value(rows: &Rows<'_>, row: Row, lane: usize) -> u64 {
    match row {
        Row::R32(row) => rows.r.get(row as usize).map_or(0, |r| u64::from(r.0[lane])),
        Row::R64(row) => rows.x.get(row as usize).map_or(0, |r| r.0[lane]),
        Row::Pred(row) => rows.p.get(row as usize).map_or(0, |p| u64::from(p >> lane & 1)),
    }
}
