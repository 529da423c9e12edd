//! Finds loops that can never end: every thread left waits, and nothing that it polls will change.
//!
//! Blocks in flight take turns. When a whole round of turns changed no memory, and every position
//! and local array, and every register on which it depends what a loop does, is what it was after
//! the round before, then each thread has run in a circle through unchanging memory. It will do so
//! forever, in whatever order the threads run. A register on which nothing depends inside the loop,
//! for example a sum that is stored behind it, may change ([`Loop::control`]). A clock that is
//! read, a limited number of attempts, a growing delay, or an atomic that changes its word shows as
//! a difference, and such loops continue until the budget ends.
//!
//! The loops of `cuda::barrier` read the clock only to sleep. For them it is enough that all
//! threads left wait for barriers, in memory or not, and that none of these changed for
//! [`STILL_ROUNDS`].

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hasher};

use super::findings::Occurrence;
use super::loops::Loop;
use super::machine::{BlockState, Location, Machine, ThreadId};
use super::warp::{Split, State, Warp, lanes};
use crate::address::{LOCAL_SLOT, SHARED_SLOT, split};
use crate::decode::code::File;
use crate::decode::op::{Address, MemOp, MemSpace};
use crate::{Access, Action, FindingKind, WaitingAt};

/// Rounds without a change after which barriers in memory count as unchanging. They take millions
/// of nanoseconds of `%globaltimer`, so that waits with a time-out end before.
const STILL_ROUNDS: u32 = 1024;

/// What is remembered from one round of turns to the next.
#[derive(Debug, Default)]
pub(crate) struct ProgressWatch {
    /// The machine's `changes` after the last round.
    changes: u64,
    /// A hash of the threads' states after the last round.
    state: Option<u64>,
    /// Rounds since something changed.
    still_rounds: u32,
    /// The loops that threads were in, by position.
    loops: HashMap<u32, Loop>,
    /// Of loops that never end and poll nothing.
    endless: Option<Endless>,
}

/// Loops that never end. They come back to the same state after a whole round, and the next round
/// is one iteration, which shows whether their values change meanwhile.
#[derive(Debug)]
struct Endless {
    /// A hash of the threads' states.
    state: u64,
    /// Warp instructions executed until they were found.
    instructions: u64,
    cycles: bool,
}

impl ProgressWatch {
    /// Ends a round in which every block in flight had a turn and none ended. True when none of
    /// them ever will.
    pub fn end_round<'b>(
        &mut self,
        m: &mut Machine<'_>,
        blocks: impl Iterator<Item = &'b BlockState> + Clone,
    ) -> bool {
        m.all_yielded = true;
        if let Some(before) = self.endless.as_ref().map(|endless| endless.state) {
            let cycles = self.hash_states(m, blocks) != before;
            self.endless.iter_mut().for_each(|endless| endless.cycles = cycles);
            return true;
        }
        if m.changes != self.changes {
            (self.changes, self.state, self.still_rounds) = (m.changes, None, 0);
            return false;
        }
        self.still_rounds += 1;
        if self.still_rounds >= STILL_ROUNDS && blocks.clone().all(|b| waits_at_barriers(m, b)) {
            return true;
        }
        let state = self.hash_states(m, blocks.clone());
        if self.state.replace(state) != Some(state) {
            return false;
        }
        if !loops_alone(&waiting_splits(m, blocks)) {
            return true;
        }
        let budget = i64::try_from(m.budget).unwrap_or(i64::MAX);
        let instructions = budget.saturating_sub(m.fuel).max(0) as u64;
        self.endless = Some(Endless { state, instructions, cycles: false });
        m.shortest_slice = 1;
        false
    }

    /// A hash of everything that decides what threads do next, except for the memory that they
    /// share.
    fn hash_states<'b>(
        &mut self,
        m: &Machine<'_>,
        blocks: impl Iterator<Item = &'b BlockState>,
    ) -> u64 {
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
                    self.hash_registers(m, warp, s, &mut hash);
                }
                warp.local.iter().for_each(|v| hash.write_u32(*v));
            }
        }
        hash.finish()
    }

    /// The registers of the split's lanes, or those on which its loop depends. A called function
    /// may be part of a loop of its caller, so that all count there.
    fn hash_registers(
        &mut self,
        m: &Machine<'_>,
        warp: &Warp,
        split: &Split,
        hash: &mut DefaultHasher,
    ) {
        let frame = split.frame;
        let around = split.stack.is_empty().then(|| {
            let new = || Loop::around(m.grid.program, frame.function, split.pc);
            self.loops.entry(split.pc).or_insert_with(new)
        });
        let Some(control) = around.and_then(|around| around.control.as_ref()) else {
            warp.r.iter().for_each(|row| lanes(split.mask).for_each(|l| hash.write_u32(row.0[l])));
            warp.x.iter().for_each(|row| lanes(split.mask).for_each(|l| hash.write_u64(row.0[l])));
            warp.p.iter().for_each(|row| hash.write_u32(row & split.mask));
            return;
        };
        for (file, row) in control {
            let row = *row as usize;
            match file {
                File::R => {
                    let row = warp.r.get(frame.r as usize + row);
                    let values = row.map_or(&[0; 32], |row| &row.0);
                    lanes(split.mask).for_each(|l| hash.write_u32(values[l]));
                }
                File::X => {
                    let row = warp.x.get(frame.x as usize + row);
                    let values = row.map_or(&[0; 32], |row| &row.0);
                    lanes(split.mask).for_each(|l| hash.write_u64(values[l]));
                }
                File::P => {
                    let row = warp.p.get(frame.p as usize + row);
                    hash.write_u32(row.map_or(0, |row| row & split.mask));
                }
            }
        }
    }
}

/// Do all threads left of a block wait at barriers, in memory or not?
fn waits_at_barriers(m: &Machine<'_>, b: &BlockState) -> bool {
    let polls_barrier = |s: &Split| {
        let op = m.grid.program.memory.get(s.read_before_yield as usize);
        op.is_some_and(|op| op.waits.is_some())
    };
    let mut splits = b.warps.iter().flat_map(|warp| &warp.splits);
    splits.all(|s| s.state != State::Ready || polls_barrier(s))
}

/// A split that waits.
struct WaitingSplit<'b> {
    pc: u32,
    block: &'b BlockState,
    warp: &'b Warp,
    split: &'b Split,
    /// The memory operation with which its loop polls; `None` at a barrier, and in a loop that
    /// polls nothing.
    polls: Option<u32>,
    /// It runs in a loop, so that it does not wait at a barrier.
    spins: bool,
}

impl WaitingSplit<'_> {
    fn linear(&self) -> u32 {
        self.warp.index * 32 + self.split.mask.trailing_zeros()
    }

    /// Can the launch write the word that it polls? A plain read of an input in a loop waits for
    /// nothing.
    fn may_change(&self, m: &Machine<'_>) -> bool {
        let op = self.polls.and_then(|site| m.grid.program.memory.get(site as usize));
        match op.filter(|op| !op.strong).map(|op| self.polled_location(m, op)) {
            Some(Location::Global(slot, _)) => {
                m.grid.writable.get(slot as usize).copied().unwrap_or(true)
            }
            _ => true,
        }
    }

    /// The party of the finding: the thread, and what it waits for.
    fn party(&self, m: &Machine<'_>) -> Access {
        let thread = self.block.thread(self.linear());
        let Some(op) = self.polls.and_then(|site| m.grid.program.memory.get(site as usize)) else {
            let action = if self.spins { Action::Execute } else { Action::Wait };
            return m.party(self.pc, thread.block, thread.linear, action);
        };
        let action = if op.atomic.is_some() { Action::Atomic } else { Action::Read };
        m.memory_party(op, self.polled_location(m, op), thread, action, op.bytes())
    }

    /// The location that its first lane polls.
    fn polled_location(&self, m: &Machine<'_>, op: &MemOp) -> Location {
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
            (MemSpace::Shared, _) => Location::Shared(address as i64),
            (MemSpace::Local, _) => Location::Local(address as i64),
            (MemSpace::Generic, SHARED_SLOT) => Location::Shared(offset),
            (MemSpace::Generic, LOCAL_SLOT) => Location::Local(offset),
            _ => {
                m.grid.memory.slot(address).map_or(Location::Unmapped(address), |slot| {
                    Location::Global(slot as u64, offset)
                })
            }
        }
    }
}

/// The splits that are left, in the order of their threads.
fn waiting_splits<'b>(
    m: &Machine<'_>,
    blocks: impl Iterator<Item = &'b BlockState>,
) -> Vec<WaitingSplit<'b>> {
    let program = m.grid.program;
    let mut waiting: Vec<WaitingSplit<'_>> = vec![];
    let mut loops: HashMap<(u32, u32), Loop> = HashMap::new();
    for block in blocks {
        for warp in &block.warps {
            for split in &warp.splits {
                let function = split.frame.function;
                let around = loops
                    .entry((function, split.pc))
                    .or_insert_with(|| Loop::around(program, function, split.pc));
                let spins = split.state == State::Ready;
                // a load on which the loop's end does not depend waits for nothing
                let polls = program.memory.get(split.read_before_yield as usize);
                let polls = polls.filter(|op| spins && around.depends_on(op));
                let pc = match (split.state, polls) {
                    (State::Ready, Some(op)) => op.pc,
                    // the position where the split yielded may have the line of what comes before
                    (State::Ready, None) => around.exit(program).unwrap_or(split.pc),
                    (State::AtCollective, _) => split.pc,
                    (State::AtBarrier(_), _) => split.pc.saturating_sub(1),
                };
                let polls = polls.map(|_| split.read_before_yield);
                let mut this = WaitingSplit { pc, block, warp, split, polls, spins };
                if !this.may_change(m) {
                    this.pc = around.exit(program).unwrap_or(split.pc);
                    this.polls = None;
                }
                waiting.push(this);
            }
        }
    }
    waiting.sort_by_key(|g| (g.block.index, g.linear()));
    waiting
}

/// Whether some run in loops, and no loop waits for another thread.
fn loops_alone(waiting: &[WaitingSplit<'_>]) -> bool {
    waiting.iter().any(|g| g.spins) && waiting.iter().all(|g| !g.spins || g.polls.is_none())
}

/// Reports where threads wait, when none of them can ever continue.
pub(crate) fn report<'b>(
    m: &mut Machine<'_>,
    blocks: impl Iterator<Item = &'b BlockState>,
    watch: &ProgressWatch,
) {
    let program = m.grid.program;
    let waiting = waiting_splits(m, blocks);
    let spins = || waiting.iter().find(|g| g.spins);
    let polls = waiting.iter().find(|g| g.polls.is_some());
    // a thread that polls memory comes first, because the others wait for what it polls, too; then
    // one in a loop, because those at a barrier wait for it
    let Some(first) = polls.or_else(spins).or(waiting.first()) else { return };
    let at = first.party(m);
    let line = |g: &WaitingSplit<'_>| {
        let source = program.source_of.get(g.pc as usize).copied().unwrap_or(0);
        program.sources.get(source as usize).map(|s| (s.file.clone(), s.line)).unwrap_or_default()
    };
    let elsewhere = waiting.iter().find(|g| line(g) != line(first));
    let (block, linear, pc) = (first.block.index, first.linear(), first.pc);
    // if all wait at one line, one that polls another address is the most useful second party
    let other = elsewhere.map(|g| g.party(m)).or_else(|| {
        let parties = waiting.iter().map(|g| g.party(m));
        parties.into_iter().find(|p| p.address != at.address)
    });
    let mut lines: BTreeMap<(String, u32), WaitingAt> = BTreeMap::new();
    for g in &waiting {
        let source = m.party(g.pc, g.block.index, g.linear(), Action::Wait).source;
        let entry = lines.entry(line(g)).or_insert_with(|| WaitingAt {
            source,
            threads: 0,
            spinning: g.spins,
        });
        entry.threads += g.split.mask.count_ones();
    }
    let places: Vec<WaitingAt> = lines.into_values().collect();
    let what = match &watch.endless {
        Some(Endless { instructions, cycles, .. }) => {
            let around = Loop::around(program, first.split.frame.function, first.split.pc);
            let values = around.values(program, *cycles);
            FindingKind::NeverFinishes { instructions: *instructions, values }
        }
        None => FindingKind::Livelock { waiting: places.iter().map(|p| p.threads).sum(), places },
    };
    let mut findings = std::mem::take(&mut m.findings);
    findings.add(what, Occurrence::new(pc, ThreadId { block, linear }), || (at, other));
    m.findings = findings;
}
