//! Follows undefined values: what a lane gets from `shfl.down` beyond the last lane that takes
//! part.
//!
//! The upper lanes of a shuffle that folds a tree read such values and never use them, so the read
//! alone is no mistake. What counts is whether a result depends on it. For a warp that has read
//! one, this module knows which registers and local variables of each lane hold an undefined value
//! or one computed from it. It reports the shuffle when such a value reaches memory that other
//! threads see, an address, the program's output, or a branch that decides whether something is
//! stored.
//!
//! A warp is followed from its first undefined value on, at the level [`TRACE`](super::TRACE), so
//! that all other warps pay nothing.

use std::collections::HashMap;

use super::access::Context;
use super::alu::Rows;
use super::loops;
use super::machine::{Machine, ThreadAt};
use super::warp::{Frame, Split, lanes};
use crate::FindingKind;
use crate::address::{LOCAL_SLOT, split};
use crate::decode::code::File;
use crate::decode::op::{Address, Code, CollectiveKind, CollectiveOp, MemOp, MemSpace, Op, Target};
use crate::decode::{Program, RowAccess};

/// The undefined values of one warp; `None` before the first one.
#[derive(Debug, Default)]
pub(crate) struct UndefinedValues(Option<Box<Values>>);

#[derive(Debug, Default)]
struct Values {
    /// Where there are any.
    places: HashMap<Place, Origins>,
    reads: Vec<UndefinedRead>,
    /// Per branch: does it decide whether something is stored?
    branches: HashMap<u32, bool>,
}

/// A register, by its row in the warp's files, or a word of local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Row(File, u32),
    Local(u32),
}

/// For each lane, the number of the read that its value comes from, counted from 1. It is 0 where
/// the value is defined.
type Origins = [u32; 32];

/// A lane's read of an undefined value.
#[derive(Debug)]
pub(crate) struct UndefinedRead {
    pub lane: usize,
    pub at: ThreadAt,
    pub what: FindingKind,
    /// A use of this value, or of another one from the same shuffle, was reported.
    pub reported: bool,
}

impl UndefinedValues {
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// What a warp-wide operation passes on. A shuffle's lanes read from `sources`; `reads` are
    /// those of them that got an undefined value just now.
    pub fn pass_on(
        &mut self,
        split: &Split,
        op: &CollectiveOp,
        masks: &[u32; 32],
        sources: &[usize; 32],
        reads: Vec<UndefinedRead>,
    ) {
        if reads.is_empty() && self.is_empty() {
            return;
        }
        let values = self.0.get_or_insert_default();
        use CollectiveKind as Kind;
        let (from, to) = match op.kind {
            Kind::Sync => return,
            Kind::VoteAll | Kind::VoteAny | Kind::VoteUni => (File::P, File::P),
            Kind::VoteBallot => (File::P, File::R),
            Kind::MatchAny64 | Kind::MatchAll64 => (File::X, File::R),
            _ => (File::R, File::R),
        };
        let (frame, mask) = (split.frame, split.mask);
        let given = values.of(row(frame, from, op.a));
        let mut result = Origins::default();
        for lane in lanes(mask) {
            result[lane] = match op.kind {
                Kind::ActiveMask | Kind::Elect => 0,
                Kind::ShflUp | Kind::ShflDown | Kind::ShflBfly | Kind::ShflIdx => {
                    given[sources[lane]]
                }
                _ => lanes(masks[lane] & mask).map(|l| given[l]).find(|g| *g != 0).unwrap_or(0),
            };
        }
        for read in reads {
            let lane = read.lane;
            result[lane] = values.number_of(read);
        }
        values.set(row(frame, to, op.d), mask, &result);
        if let Some(p) = op.p {
            values.set(row(frame, File::P, p), mask, &Origins::default());
        }
    }

    /// What an operation on matrices passes on: an undefined value in any row that it reads may be
    /// in all that it writes.
    pub fn mix(&mut self, split: &Split, program: &Program) {
        let Some(values) = &mut self.0 else { return };
        let (mut read, mut written) = (0, vec![]);
        program.visit_rows(split.pc, |access, file, number| {
            let place = row(split.frame, file, number);
            match access {
                RowAccess::Read => {
                    let origins = values.of(place);
                    let first = lanes(split.mask).map(|lane| origins[lane]).find(|o| *o != 0);
                    read = first.unwrap_or(read);
                }
                RowAccess::Write => written.push(place),
            }
        });
        written.iter().for_each(|place| values.set(*place, split.mask, &[read; 32]));
    }

    /// Arguments and results of calls are copied from row to row.
    pub fn copy(&mut self, from: u32, to: u32, mask: u32) {
        if let Some(values) = &mut self.0 {
            let origins = values.of(Place::Row(File::R, from));
            values.set(Place::Row(File::R, to), mask, &origins);
        }
    }

    /// A called function's registers begin at `frame`. What earlier calls left there is gone.
    pub fn enter(&mut self, frame: &Frame, mask: u32) {
        let Some(values) = &mut self.0 else { return };
        for (place, origins) in &mut values.places {
            let inside = match place {
                Place::Row(File::R, row) => *row >= frame.r,
                Place::Row(File::X, row) => *row >= frame.x,
                Place::Row(File::P, row) => *row >= frame.p,
                Place::Local(word) => *word >= frame.local / 4,
            };
            if inside {
                lanes(mask).for_each(|lane| origins[lane] = 0);
            }
        }
    }
}

pub(super) const fn row(frame: Frame, file: File, row: u32) -> Place {
    let base = match file {
        File::R => frame.r,
        File::X => frame.x,
        File::P => frame.p,
    };
    Place::Row(file, base + row)
}

/// Passes undefined values on as the operation at `pc` will, and reports its uses of them. The
/// operations of whole warps and calls come to [`UndefinedValues`] instead.
#[inline(never)]
pub(super) fn before(cx: &mut Context<'_, '_, '_>, running: &Split, pc: u32) {
    let Some(mut values) = cx.warp.undefined.0.take() else { return };
    let program = cx.m.grid.program;
    if let Some(op) = program.ops.get(pc as usize) {
        let used = values.execute(program, &cx.rows, running, (op, pc));
        if let Some(number) = used {
            values.report(cx.m, cx.b.index, number);
        }
    }
    cx.warp.undefined.0 = Some(values);
}

impl Values {
    fn of(&self, place: Place) -> Origins {
        self.places.get(&place).copied().unwrap_or_default()
    }

    fn set(&mut self, place: Place, mask: u32, origins: &Origins) {
        if origins.iter().all(|o| *o == 0) && !self.places.contains_key(&place) {
            return;
        }
        let known = self.places.entry(place).or_default();
        lanes(mask).for_each(|lane| known[lane] = origins[lane]);
    }

    /// A shuffle in a loop keeps its numbers.
    fn number_of(&mut self, read: UndefinedRead) -> u32 {
        let same = |r: &UndefinedRead| r.at == read.at;
        let index = self.reads.iter().position(same).unwrap_or(self.reads.len());
        if index < self.reads.len() {
            self.reads[index] = read;
        } else {
            self.reads.push(read);
        }
        index as u32 + 1
    }

    /// Reports one read of each execution of a shuffle.
    fn report(&mut self, m: &mut Machine<'_>, block: u32, number: u32) {
        let Some(read) = self.reads.get(number as usize - 1).filter(|r| !r.reported) else {
            return;
        };
        let (pc, at, what) = (read.at.pc, read.at, read.what.clone());
        m.report(what, block, at);
        self.reads.iter_mut().filter(|r| r.at.pc == pc).for_each(|r| r.reported = true);
    }

    /// Returns the number of a read on which the operation's effect depends, if there is one.
    fn execute(
        &mut self,
        program: &Program,
        rows: &Rows<'_>,
        running: &Split,
        (op, pc): (&Op, u32),
    ) -> Option<u32> {
        let (frame, mask) = (running.frame, running.mask);
        let (mut read, mut written) = (Origins::default(), vec![]);
        program.visit_rows(pc, |access, file, number| {
            let place = row(frame, file, number);
            match access {
                RowAccess::Read => join(&mut read, &self.of(place)),
                RowAccess::Write => written.push(place),
            }
        });
        let first = |origins: &Origins| lanes(mask).map(|l| origins[l]).find(|o| *o != 0);
        if op.code.computes() {
            let result = self.computed(rows, frame, op).unwrap_or(read);
            written.iter().for_each(|place| self.set(*place, mask, &result));
            return None;
        }
        let used = match op.code {
            Code::Collective | Code::Enter | Code::Jump => return None,
            Code::Branch => {
                let number = first(&read)?;
                let decides = || loops::decides_effect(program, frame.function, pc);
                self.branches.entry(pc).or_insert_with(decides).then_some(number)
            }
            Code::Load | Code::Store | Code::Atomic => {
                let access = program.memory.get(op.d as usize)?;
                return self.access(rows, running, access, matches!(op.code, Code::Load), &read);
            }
            Code::Call => match program.calls.get(op.d as usize)?.target {
                Target::Function(_) => return None,
                Target::Indirect(target) => return first(&self.of(row(frame, File::X, target))),
                // what `printf` writes is in local memory
                Target::Printf => {
                    let local = |place: &Place| matches!(place, Place::Local(_));
                    let mut all = self.places.iter().filter(|(place, _)| local(place));
                    first(&read).or_else(|| all.find_map(|(_, origins)| first(origins)))
                }
                _ => first(&read),
            },
            _ => first(&read),
        };
        written.iter().for_each(|place| self.set(*place, mask, &Origins::default()));
        used
    }

    /// The result of an operation that doesn't always depend on all its operands.
    fn computed(&self, rows: &Rows<'_>, frame: Frame, op: &Op) -> Option<Origins> {
        let file = match op.code {
            Code::SelI | Code::AndI | Code::OrI => File::R,
            Code::SelL | Code::AndL | Code::OrL => File::X,
            Code::AndP | Code::OrP => File::P,
            _ => return None,
        };
        let (a, b) = (self.of(row(frame, file, op.a)), self.of(row(frame, file, op.b)));
        let mut result = Origins::default();
        if matches!(op.code, Code::SelI | Code::SelL) {
            let (chosen, by) = (rows.pred(op.c), self.of(row(frame, File::P, op.c)));
            for lane in 0..32 {
                let of = if chosen >> lane & 1 == 1 { a[lane] } else { b[lane] };
                result[lane] = if by[lane] == 0 { of } else { by[lane] };
            }
            return Some(result);
        }
        let ones = matches!(op.code, Code::OrI | Code::OrL | Code::OrP);
        // with a defined operand of all zeros (or ones), the other one doesn't matter
        let absorbs = |number: u32, lane: usize| {
            let (value, full) = match file {
                File::R => (u64::from(rows.r[number as usize].0[lane]), u64::from(u32::MAX)),
                File::X => (rows.x[number as usize].0[lane], u64::MAX),
                File::P => (u64::from(rows.pred(number) >> lane & 1), 1),
            };
            value == if ones { full } else { 0 }
        };
        for lane in 0..32 {
            result[lane] = match (a[lane], b[lane]) {
                (0, _) if absorbs(op.a, lane) => 0,
                (_, 0) if absorbs(op.b, lane) => 0,
                (0, other) | (other, _) => other,
            };
        }
        Some(result)
    }

    /// An access. Local memory is followed like registers.
    fn access(
        &mut self,
        rows: &Rows<'_>,
        running: &Split,
        op: &MemOp,
        load: bool,
        read: &Origins,
    ) -> Option<u32> {
        let frame = running.frame;
        let address = match op.address {
            Address::Row64(number) => self.of(row(frame, File::X, number)),
            Address::Row32(number) => self.of(row(frame, File::R, number)),
        };
        let mut used = None;
        let per_row = if op.wide { op.width.div_ceil(4) } else { 1 };
        for lane in lanes(running.mask) {
            let local = (address[lane] == 0).then(|| local_address(rows, op, lane)).flatten();
            let registers = (0_u32..).zip(op.rows).take(op.vector as usize);
            for (n, register) in registers.filter(|(_, register)| *register != u32::MAX) {
                let file = if op.wide { File::X } else { File::R };
                let place = row(frame, file, register);
                let word = local.map(|first| Place::Local((first + n * op.width) / 4));
                if load || op.atomic.is_some() {
                    let loaded = word.map_or(0, |word| self.of(word)[lane]);
                    let origin = if address[lane] == 0 { loaded } else { address[lane] };
                    self.set(place, 1 << lane, &[origin; 32]);
                } else if let Some(Place::Local(word)) = word {
                    let origin = self.of(place)[lane];
                    for word in word..word + per_row {
                        self.set(Place::Local(word), 1 << lane, &[origin; 32]);
                    }
                }
            }
            if !load && local.is_none() && read[lane] != 0 {
                used = used.or(Some(read[lane]));
            }
        }
        used
    }
}

fn join(all: &mut Origins, other: &Origins) {
    for (a, b) in all.iter_mut().zip(other) {
        *a = if *a == 0 { *b } else { *a };
    }
}

/// The byte of the thread's local memory that a lane accesses, if it accesses local memory.
fn local_address(rows: &Rows<'_>, op: &MemOp, lane: usize) -> Option<u32> {
    let address = match op.address {
        Address::Row64(row) => rows.x[row as usize].0[lane].wrapping_add(op.offset as u64),
        Address::Row32(row) => {
            u64::from(rows.r[row as usize].0[lane].wrapping_add(op.offset as u32))
        }
    };
    match (op.space, split(address)) {
        (MemSpace::Local, _) => u32::try_from(address).ok(),
        (MemSpace::Generic, (LOCAL_SLOT, offset)) => u32::try_from(offset).ok(),
        _ => None,
    }
}
