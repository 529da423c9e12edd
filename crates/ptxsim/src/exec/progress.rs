//! Loops that can never end: every thread that is left waits, and nothing that it looks at will change.
//!
//! Blocks in flight take turns. When a whole round of turns changed no memory, and every register, position and local
//! array is what it was after the round before, then each thread has gone in a circle through unchanging memory: it
//! will do so for ever, in whatever order they run. A clock that is read, a counter of attempts, a growing delay, an
//! atomic that changes its word all show as a difference, and such loops go on until the budget ends.
//!
//! The loops of `cuda::barrier` read the clock only to sleep. So it is enough that all threads that are left wait for
//! barriers, those in memory among them, and that none of them changed for very long.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

use super::machine::{BlockState, Machine, Place};
use super::warp::{Split, State, Warp};
use crate::address::{LOCAL_SLOT, SHARED_SLOT, split};
use crate::decode::op::{Address, MemOp, MemSpace};
use crate::{Access, Action, FindingKind, WaitingAt};

/// Rounds without a change after which barriers in memory will not change: millions of nanoseconds of `%globaltimer`,
/// so that waits with a time-out come to their end.
const LONG: u32 = 1024;

/// What is remembered from one round to the next.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    changes: u64,
    state: Option<u64>,
    /// Rounds since something changed.
    still: u32,
}

impl Watch {
    /// Every block in flight has had a turn, and none has ended. True when none of them ever will.
    pub fn round<'b>(
        &mut self,
        m: &mut Machine<'_>,
        mut blocks: impl Iterator<Item = &'b BlockState> + Clone,
    ) -> bool {
        m.all_yielded = true;
        if m.changes != self.changes {
            (self.changes, self.state, self.still) = (m.changes, None, 0);
            return false;
        }
        self.still += 1;
        if self.still >= LONG && blocks.clone().all(|b| waits(m, b)) {
            return true;
        }
        let state = Some(state(&mut blocks));
        let again = self.state == state;
        self.state = state;
        again
    }
}

/// Do all threads of a block that are left wait for others at barriers, in memory or not?
fn waits(m: &Machine<'_>, b: &BlockState) -> bool {
    let asks = |s: &Split| {
        let op = m.grid.program.memory.get(s.read_before_yield as usize);
        op.is_some_and(|op| op.waits.is_some())
    };
    let mut splits = b.warps.iter().flat_map(|warp| &warp.splits);
    splits.all(|s| s.state != State::Ready || asks(s))
}

/// Everything that decides what threads do next, but memory that they share.
fn state<'b>(blocks: impl Iterator<Item = &'b BlockState>) -> u64 {
    let mut hash = DefaultHasher::new();
    for b in blocks {
        hash.write_u32(b.index);
        for warp in &b.warps {
            hash.write_u32(warp.live);
            for s in &warp.splits {
                hash.write_u64(u64::from(s.pc) << 32 | u64::from(s.mask));
                hash.write_u32(match s.state {
                    State::Ready => 0,
                    State::AtCollective => 1,
                    State::AtBarrier(op) => 2 + op,
                });
                for f in s.stack.iter().chain([&s.frame]) {
                    hash.write_u64(u64::from(f.function) << 32 | u64::from(f.return_to));
                }
            }
            warp.r.iter().flat_map(|row| row.0).for_each(|v| hash.write_u32(v));
            warp.x.iter().flat_map(|row| row.0).for_each(|v| hash.write_u64(v));
            warp.p.iter().chain(&warp.local).for_each(|v| hash.write_u32(*v));
        }
    }
    hash.finish()
}

/// Threads that wait together: the place in the program, and one of them.
struct Group<'b> {
    pc: u32,
    block: &'b BlockState,
    warp: &'b Warp,
    split: &'b Split,
    /// The memory operation that the loop looks with; `None` at a barrier, and in a loop that looks at nothing.
    looks: Option<u32>,
    spins: bool,
}

impl Group<'_> {
    fn linear(&self) -> u32 {
        self.warp.index * 32 + self.split.mask.trailing_zeros()
    }

    /// Could anybody write what it looks at? Who plainly reads an input in a loop does not wait for it.
    fn may_change(&self, m: &Machine<'_>) -> bool {
        let op = self.looks.and_then(|site| m.grid.program.memory.get(site as usize));
        match op.filter(|op| !op.strong).map(|op| self.place(m, op)) {
            Some(Place::Global(slot, _)) => {
                m.grid.writable.get(slot as usize).copied().unwrap_or(true)
            }
            _ => true,
        }
    }

    /// Who waits, and for what.
    fn party(&self, m: &Machine<'_>) -> Access {
        let (block, linear) = (self.block.index, self.linear());
        let Some(op) = self.looks.and_then(|site| m.grid.program.memory.get(site as usize)) else {
            let action = if self.spins { Action::Execute } else { Action::Wait };
            return m.party(self.pc, block, linear, action);
        };
        let action = if op.atomic.is_some() { Action::Atomic } else { Action::Read };
        m.memory_party(op, self.place(m, op), block, linear, action, op.bytes())
    }

    /// Where its first lane looks.
    fn place(&self, m: &Machine<'_>, op: &MemOp) -> Place {
        let (lane, frame) = (self.split.mask.trailing_zeros() as usize & 31, self.split.frame);
        let address = match op.address {
            Address::Row64(row) => {
                let row = self.warp.x.get((frame.x + row) as usize);
                row.map_or(0, |row| row.0[lane]).wrapping_add(op.offset as u64)
            }
            Address::Row32(row) => {
                let row = self.warp.r.get((frame.r + row) as usize);
                u64::from(row.map_or(0, |row| row.0[lane]).wrapping_add(op.offset as u32))
            }
        };
        let (slot, offset) = split(address);
        match (op.space, slot) {
            (MemSpace::Shared, _) => Place::Shared(address as i64),
            (MemSpace::Local, _) => Place::Local(address as i64),
            (MemSpace::Generic, SHARED_SLOT) => Place::Shared(offset),
            (MemSpace::Generic, LOCAL_SLOT) => Place::Local(offset),
            _ => m
                .grid
                .memory
                .slot(address)
                .map_or(Place::Nowhere(address), |slot| Place::Global(slot as u64, offset)),
        }
    }
}

/// Reports who waits where, once nobody can go on.
pub(crate) fn tell<'b>(m: &mut Machine<'_>, blocks: impl Iterator<Item = &'b BlockState>) {
    let program = m.grid.program;
    let mut groups: Vec<Group<'_>> = vec![];
    for block in blocks {
        for warp in &block.warps {
            for split in &warp.splits {
                let looks =
                    (split.read_before_yield != u32::MAX).then_some(split.read_before_yield);
                let (pc, looks, spins) = match split.state {
                    State::Ready => match looks.and_then(|s| program.memory.get(s as usize)) {
                        Some(op) => (op.pc, looks, true),
                        None => (split.pc, None, true),
                    },
                    State::AtCollective => (split.pc, None, false),
                    State::AtBarrier(_) => (split.pc.saturating_sub(1), None, false),
                };
                let mut group = Group { pc, block, warp, split, looks, spins };
                if !group.may_change(m) {
                    (group.pc, group.looks) = (split.pc, None);
                }
                groups.push(group);
            }
        }
    }
    groups.sort_by_key(|g| (g.block.index, g.linear()));
    // those who look at something come first: what they look at is what the others wait for, too
    let Some(first) = groups.iter().find(|g| g.looks.is_some()).or(groups.first()) else { return };
    let at = first.party(m);
    let line = |g: &Group<'_>| {
        let source = program.source_of.get(g.pc as usize).copied().unwrap_or(0);
        program.sources.get(source as usize).map(|s| (s.file.clone(), s.line)).unwrap_or_default()
    };
    let elsewhere = groups.iter().find(|g| line(g) != line(first));
    let (block, linear, pc) = (first.block.index, first.linear(), first.pc);
    // of several at one line, one that looks at something else tells more
    let other = elsewhere.map(|g| g.party(m)).or_else(|| {
        let parties = groups.iter().map(|g| g.party(m));
        parties.into_iter().find(|p| p.address != at.address)
    });
    let mut places: BTreeMap<(String, u32), WaitingAt> = BTreeMap::new();
    for g in &groups {
        let source = m.party(g.pc, g.block.index, g.linear(), Action::Wait).source;
        let entry = places.entry(line(g)).or_insert_with(|| WaitingAt {
            source,
            threads: 0,
            spinning: g.spins,
        });
        entry.threads += g.split.mask.count_ones();
    }
    let places: Vec<WaitingAt> = places.into_values().collect();
    let nobody_looks = groups.iter().all(|g| g.spins && g.looks.is_none());
    let what = if nobody_looks {
        let budget = i64::try_from(m.budget).unwrap_or(i64::MAX);
        let instructions = budget.saturating_sub(m.fuel).max(0) as u64;
        FindingKind::NeverFinishes { instructions }
    } else {
        FindingKind::Livelock { waiting: places.iter().map(|p| p.threads).sum(), places }
    };
    let mut findings = std::mem::take(&mut m.findings);
    findings.add(what, pc, u32::MAX, Machine::order(block, linear), false, || (at, other));
    m.findings = findings;
}
