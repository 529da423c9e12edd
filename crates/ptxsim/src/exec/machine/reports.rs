//! Reports findings: which thread accessed what, in the names of the source.

use super::{Location, Machine, ThreadAt, ThreadId};
use crate::address::{LOCAL_SLOT, SHARED_SLOT, base, split};
use crate::decode::op::MemOp;
use crate::decode::{Parameter, SharedVariable};
use crate::exec::FUEL_AFTER_ERROR;
use crate::exec::findings::Occurrence;
use crate::exec::hazards::cell::MAX_SITE;
use crate::exec::hazards::current_access::{Conflict, CurrentAccess};
use crate::exec::loops::reaches_without_barrier;
use crate::{Access, Action, FindingKind, Iteration, Pointer, Space};

/// A shared array as a finding names it.
struct SharedArray {
    name: Option<String>,
    /// First byte in shared memory.
    start: i64,
    bytes: u64,
    /// Bytes of an element; 1 where the type is unknown.
    element: u32,
}

impl Machine<'_> {
    /// A party of a finding that is not about memory.
    pub fn party(&self, pc: u32, block: u32, linear: u32, action: Action) -> Access {
        let program = self.program();
        let place = program.source_of.get(pc as usize).copied().unwrap_or(0) as usize;
        Access {
            source: program.sources.get(place).cloned().unwrap_or_default(),
            called_from: program.callers.get(place).cloned().flatten(),
            action,
            block: self.block_index(block),
            thread: self.thread(linear),
            linear,
            space: None,
            array: None,
            index: None,
            last_index: None,
            elements: None,
            array_bytes: None,
            offset: None,
            pointer: None,
            address: 0,
            bytes: 0,
            pending: false,
            volatile: false,
            iteration: None,
            written: None,
        }
    }

    /// A party of a finding about memory: the thread, and the array and element that it accessed.
    pub fn memory_party(
        &self,
        op: &MemOp,
        location: Location,
        thread: ThreadId,
        action: Action,
        bytes: u32,
    ) -> Access {
        let mut access = self.party(op.pc, thread.block, thread.linear, action);
        (access.bytes, access.volatile) = (bytes, op.volatile);
        let elements = |start: i64, element: i64| {
            let index = start.div_euclid(element);
            let last = start.saturating_add(bytes.max(1).into()).saturating_sub(1);
            (Some(index), Some(last.div_euclid(element)).filter(|last| *last > index))
        };
        match location {
            Location::Global(slot, offset) => {
                access.space = Some(Space::Global);
                access.address = base(slot + 1).wrapping_add(offset as u64);
                if let Some(a) = self.grid.memory.allocations.get(slot as usize) {
                    let unknown = a.element == 1 && !a.of_bytes;
                    let element = i64::from(if unknown { op.width } else { a.element });
                    let bytes = a.freed.unwrap_or(a.bytes);
                    access.array = (!a.name.is_empty()).then(|| a.name.clone());
                    access.offset = Some(offset);
                    access.pointer = self.pointer(op, slot);
                    (access.index, access.last_index) = elements(offset, element);
                    access.elements = Some(bytes / element as u64);
                    access.array_bytes = Some(bytes);
                    if !a.writable {
                        access.space = Some(Space::Constant);
                    }
                    // the elements of a block from `malloc` are as large as the access, because
                    // their type is unknown
                    if a.parted
                        && let Some((name, start, bytes)) = self.heap_block(slot as usize, offset)
                    {
                        let width = i64::from(op.width);
                        access.array = Some(name);
                        (access.offset, access.pointer) = (Some(offset - start), None);
                        (access.index, access.last_index) = elements(offset - start, width);
                        access.elements = Some(bytes / width as u64);
                        access.array_bytes = Some(bytes);
                    }
                }
            }
            Location::Shared(offset) => {
                access.space = Some(Space::Shared);
                access.address = base(SHARED_SLOT).wrapping_add(offset as u64);
                let array = self.shared_array(op.array, offset);
                let element = if array.element == 1 { op.width } else { array.element };
                let element = i64::from(element);
                access.array = array.name;
                let start = offset.saturating_sub(array.start);
                access.offset = Some(start);
                (access.index, access.last_index) = elements(start, element);
                access.elements = Some(array.bytes / element as u64);
                access.array_bytes = Some(array.bytes);
            }
            Location::Local(offset) => {
                access.space = Some(Space::Local);
                access.address = base(LOCAL_SLOT).wrapping_add(offset as u64);
                // the kernel's own arrays begin at 0, and those of a function wherever its caller's
                // end
                if let Some(bytes) = self.entry_local_bytes(op.pc) {
                    (access.index, access.last_index) = elements(offset, op.width.into());
                    access.elements = Some(u64::from(bytes / op.width));
                    access.array_bytes = Some(bytes.into());
                }
            }
            Location::Unmapped(address) => access.address = address,
        }
        access
    }

    /// The pointer parameter that the address of an access to the allocation in `slot` was computed
    /// from. A value that points into other memory is none, or the address has left its array.
    fn pointer(&self, op: &MemOp, slot: u64) -> Option<Pointer> {
        let Parameter { number, offset } = op.parameter?;
        let starts = &self.program().functions.get(self.grid.entry)?.argument_starts;
        let at = *starts.get(usize::from(number))? as usize + usize::from(offset);
        let value = self.grid.params.get(at..)?.first_chunk::<8>()?;
        let (there, start) = split(u64::from_le_bytes(*value));
        let (parameter, byte) = (number.into(), offset.into());
        (there == slot + 1).then_some(Pointer { parameter, byte, start })
    }

    /// Bytes of the kernel's local arrays, if operation `pc` is the kernel's own and not that of a
    /// function it calls.
    fn entry_local_bytes(&self, pc: u32) -> Option<u32> {
        let entry = self.program().functions.get(self.grid.entry)?;
        let operations = self.program().operations(self.grid.entry).len() as u32;
        (entry.start..entry.start + operations).contains(&pc).then_some(entry.local_bytes)
    }

    /// The shared array that an access to `offset` is about: the one that its address was computed
    /// from, if that is known, otherwise the one that it is in, or the nearest.
    fn shared_array(&self, array: u32, offset: i64) -> SharedArray {
        let program = self.program();
        let away = |v: &&SharedVariable| {
            let (start, end) = self.shared_range(v);
            let (start, end) = (i64::from(start), i64::from(end));
            if offset < start {
                start.saturating_sub(offset)
            } else {
                offset.saturating_sub(end - 1).max(0)
            }
        };
        let nearest = || program.shared.iter().min_by_key(away);
        match program.shared.get(array as usize).or_else(nearest) {
            Some(v) => {
                let (start, end) = self.shared_range(v);
                // several dynamic arrays share their memory, so that none of them can be named
                let alone = || program.shared.iter().filter(|v| v.dynamic).count() == 1;
                let named = array != u32::MAX || !v.dynamic || alone();
                let name = named.then(|| v.name.clone());
                let (start, bytes) = (i64::from(start), u64::from(end - start));
                SharedArray { name, start, bytes, element: v.element }
            }
            None => SharedArray { name: None, start: 0, bytes: 0, element: 1 },
        }
    }

    /// First byte and end of a shared array.
    fn shared_range(&self, v: &SharedVariable) -> (u32, u32) {
        let bytes = if v.dynamic { self.grid.dynamic_shared } else { v.bytes };
        (v.offset, v.offset + bytes)
    }

    /// First byte and end of the shared array that `first .. end` is inside; `array` is the one
    /// that the address was computed from, if that is known.
    pub fn shared_range_around(&self, array: u32, first: u32, end: u32) -> Option<(u32, u32)> {
        let program = self.program();
        let inside = |(start, stop): &(u32, u32)| *start <= first && end <= *stop;
        if let Some(v) = program.shared.get(array as usize) {
            return Some(self.shared_range(v)).filter(inside);
        }
        let dynamic = (program.shared_static, self.grid.shared_bytes);
        program.shared.iter().map(|v| self.shared_range(v)).chain([dynamic]).find(inside)
    }

    /// Records a finding that is not about memory.
    #[cold]
    #[inline(never)]
    pub fn report(&mut self, what: FindingKind, block: u32, at: ThreadAt) {
        self.report_with(what, block, at, None);
    }

    /// Records a finding that is not about memory, with another thread of the block that waits
    /// elsewhere.
    #[cold]
    #[inline(never)]
    pub fn report_with(
        &mut self,
        what: FindingKind,
        block: u32,
        at: ThreadAt,
        other: Option<ThreadAt>,
    ) {
        let mut findings = std::mem::take(&mut self.findings);
        let with = other.map_or(u32::MAX, |other| other.pc);
        let thread = ThreadId { block, linear: at.linear };
        findings.add(what, Occurrence { with, ..Occurrence::new(at.pc, thread) }, || {
            let party = |at: ThreadAt, action| self.party(at.pc, block, at.linear, action);
            (party(at, Action::Execute), other.map(|other| party(other, Action::Wait)))
        });
        self.findings = findings;
    }

    /// Records a fault of one access.
    #[cold]
    #[inline(never)]
    pub fn fault(
        &mut self,
        what: FindingKind,
        op: &MemOp,
        location: Location,
        thread: ThreadId,
        write: bool,
    ) {
        self.fault_with(what, op, location, thread, write, || None);
    }

    /// Records a fault of one access that may have another party, which `with` makes.
    #[cold]
    #[inline(never)]
    pub fn fault_with(
        &mut self,
        what: FindingKind,
        op: &MemOp,
        location: Location,
        thread: ThreadId,
        write: bool,
        with: impl FnOnce() -> Option<Access>,
    ) {
        if self.unmapped || matches!(what, FindingKind::InvalidAddress | FindingKind::Misaligned) {
            self.limit_fuel_after_error();
        }
        let occurrence = Occurrence { write, ..Occurrence::new(op.pc, thread) };
        if self.findings.count(&what, &occurrence) {
            return;
        }
        let mut findings = std::mem::take(&mut self.findings);
        let action = Self::action(op, write);
        let unwritten = what == FindingKind::UninitialisedRead;
        findings.add(what, occurrence, || {
            let mut at = self.memory_party(op, location, thread, action, op.bytes());
            if let (true, Location::Global(slot, offset)) = (unwritten, location) {
                let allocation = self.grid.memory.allocations.get(slot as usize);
                at.written = allocation.and_then(|a| a.written_before(offset, op.bytes()));
            }
            (at, with())
        });
        self.findings = findings;
    }

    /// After an error of the GPU the kernel continues, to show how many threads are at fault, but
    /// not for long.
    fn limit_fuel_after_error(&mut self) {
        const COST_PER_FAULT: i64 = 16;
        self.fatal = true;
        self.fuel = self.fuel.min(FUEL_AFTER_ERROR) - COST_PER_FAULT;
    }

    fn action(op: &MemOp, write: bool) -> Action {
        if op.atomic.is_some() {
            Action::Atomic
        } else if write {
            Action::Write
        } else {
            Action::Read
        }
    }

    /// Records a race of the access `current`, in block `block`, with a prior one.
    #[cold]
    #[inline(never)]
    pub fn race(
        &mut self,
        op: &MemOp,
        location: Location,
        current: &CurrentAccess,
        block: u32,
        conflict: Conflict,
        write: bool,
    ) {
        let what = match location {
            Location::Shared(_) => FindingKind::SharedRace,
            _ => FindingKind::GlobalRace,
        };
        let prior = conflict.prior;
        // marks in shared memory have generations instead of blocks, and both parties are in this
        // block
        let other_block = if current.shared { block } else { prior.block };
        let thread = ThreadId { block, linear: current.thread };
        let other_thread = ThreadId { block: other_block, linear: prior.thread };
        let action = Self::action(op, write);
        let names_other = conflict.names_other_thread(current);
        let (at, with, certain) = (op.pc, prior.site, names_other);
        let warp = |thread: ThreadId| (thread.block, thread.linear / 32);
        let one_warp = names_other && warp(thread) == warp(other_thread);
        let occurrence = Occurrence { at, with, thread, write, certain, one_warp };
        if self.findings.count(&what, &occurrence) {
            return;
        }
        let mut findings = std::mem::take(&mut self.findings);
        findings.add(what, occurrence, || {
            let mut at = self.memory_party(op, location, thread, action, op.width);
            let other = self.program().memory.get(prior.site as usize).copied().unwrap_or(*op);
            let action = match (prior.write, other.atomic) {
                (true, None) => Action::Write,
                (true, _) => Action::Atomic,
                _ => Action::Read,
            };
            let with = names_other.then(|| Access {
                pending: prior.in_flight,
                ..self.memory_party(&other, location, other_thread, action, other.width)
            });
            at.iteration = with
                .as_ref()
                .filter(|_| block == other_block && prior.site < MAX_SITE)
                .and_then(|with| self.iteration(&at, op.pc, with, other.pc));
            (at, with)
        });
        self.findings = findings;
    }

    /// How the iterations of two racing accesses of one block relate. A thread gets from one of
    /// them to the other without a barrier in one direction only, unless the loop has none. If that
    /// is against the order of the source, it takes the way around the loop. Compilers unroll
    /// loops, so lines say more about that than positions.
    fn iteration(&self, at: &Access, pc: u32, with: &Access, other: u32) -> Option<Iteration> {
        let program = self.program();
        let line = |access: &Access| {
            let source = access.called_from.as_ref().unwrap_or(&access.source);
            (source.file.clone(), source.line)
        };
        let ((file, at_line), (other_file, with_line)) = (line(at), line(with));
        if file != other_file || at_line == with_line {
            return None;
        }
        let at_later = reaches_without_barrier(program, other, pc);
        let with_later = reaches_without_barrier(program, pc, other);
        match (at_later, with_later) {
            (true, false) if at_line < with_line => Some(Iteration::Next),
            (false, true) if with_line < at_line => Some(Iteration::Previous),
            (true, false) | (false, true) => Some(Iteration::Same),
            _ => None,
        }
    }
}
