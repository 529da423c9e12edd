//! Block barriers: which threads wait, when a barrier opens, and when it never will.
//!
//! PTX ISA, `bar`/`barrier`; CUDA C++ Programming Guide, "Synchronization Functions": a barrier
//! must be reached by all threads of the block.

use super::findings::Occurrence;
use super::hazards::sync::{self, WaitingLanes};
use super::machine::{BlockState, Machine, ThreadAt};
use super::warp::{Split, State, Warp, lanes};
use crate::decode::Program;
use crate::decode::op::{Code, ReduceKind};
use crate::{Action, FindingKind};

/// A split that waits at a barrier: its warp, its index there, the barrier operation, and the
/// barrier's number.
struct Waiting {
    warp: usize,
    split: usize,
    op: u32,
    id: u32,
}

impl Waiting {
    fn thread_count(&self, b: &BlockState) -> u32 {
        b.warps[self.warp].splits[self.split].mask.count_ones()
    }

    /// What it adds to a barrier that counts arrivals. All threads of a warp count as 32, even if
    /// the block's last warp has fewer (PTX ISA, "bar": "the arrival count is incremented by the
    /// warp size").
    fn arrivals(&self, b: &BlockState) -> u32 {
        let warp = &b.warps[self.warp];
        arrivals(warp.splits[self.split].mask, warp.lanes)
    }

    /// The barrier operation, and the first thread that waits there.
    fn at(&self, b: &BlockState) -> ThreadAt {
        let warp = &b.warps[self.warp];
        let split = &warp.splits[self.split];
        ThreadAt::first(warp.index, split.mask, split.pc.saturating_sub(1))
    }
}

fn waiting(m: &Machine<'_>, b: &BlockState) -> Vec<Waiting> {
    let program = m.grid.program;
    let mut all = vec![];
    for (w, warp) in b.warps.iter().enumerate() {
        for (s, split) in warp.splits.iter().enumerate() {
            if let State::AtBarrier(op) = split.state {
                let row = program.barriers[op as usize].id + split.frame.r;
                let id = warp.r[row as usize].0[split.mask.trailing_zeros() as usize & 31];
                all.push(Waiting { warp: w, split: s, op, id });
            }
        }
    }
    all
}

/// The number of threads that a barrier is for, if the operation names one.
fn expected_threads(program: &Program, b: &BlockState, at: &Waiting) -> Option<u32> {
    let warp = &b.warps[at.warp];
    let split = &warp.splits[at.split];
    let row = program.barriers[at.op as usize].count? + split.frame.r;
    Some(warp.r[row as usize].0[split.mask.trailing_zeros() as usize & 31])
}

/// The simple case, which nearly all barriers are: every thread of the block waits at this barrier,
/// each warp as one split, and none has exited. Returns the barrier's number.
fn simple_barrier(m: &Machine<'_>, b: &BlockState) -> Option<u32> {
    let first = match b.warps.first()?.splits.as_slice() {
        [Split { state: State::AtBarrier(op), frame, .. }] => (*op, *frame),
        _ => return None,
    };
    let op = m.grid.program.barriers[first.0 as usize];
    let row = (op.id + first.1.r) as usize;
    let id = b.warps.first()?.r.get(row)?.0[0];
    let waits = |warp: &Warp| match warp.splits.as_slice() {
        [split] => {
            split.state == State::AtBarrier(first.0)
                && split.frame == first.1
                && split.mask == warp.lanes
                && warp.r[row].0[0] == id
        }
        _ => false,
    };
    let plain = op.count.is_none()
        && op.reduce.is_none()
        && exists(id, None)
        && b.arrived[id as usize % 16] == 0;
    (plain && m.sync.is_none() && b.warps.iter().all(|warp| waits(warp))).then_some(id)
}

/// What the lanes of `mask` add to a barrier's count, of a warp that has these lanes.
pub(super) const fn arrivals(mask: u32, lanes: u32) -> u32 {
    if mask == lanes { 32 } else { mask.count_ones() }
}

/// PTX ISA, "bar": barriers are numbered 0 to 15, and are for whole warps. On an NVIDIA H200 a
/// count of 48 from a register ends the kernel with an illegal instruction (715). Numbers from 16
/// on are not detected there, and act as other barriers.
pub(super) fn exists(id: u32, threads: Option<u32>) -> bool {
    id < BARRIERS && threads.unwrap_or(0).is_multiple_of(32)
}

/// The number of barriers of a block.
const BARRIERS: u32 = 16;

/// What happened to the barriers at which threads wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Opened,
    Closed,
    /// There is no such barrier, so the kernel cannot continue.
    Fatal,
}

/// Opens every barrier that is complete.
pub(super) fn open(m: &mut Machine<'_>, b: &mut BlockState) -> Outcome {
    if let Some(id) = simple_barrier(m, b) {
        sync::open_barrier(m, b, id, &[], true);
        for warp in &mut b.warps {
            warp.turn = 0;
            warp.epoch = warp.epoch.max(b.epoch);
            for split in &mut warp.splits {
                (split.state, split.turn) = (State::Ready, 0);
            }
        }
        return Outcome::Opened;
    }
    let all = waiting(m, b);
    if all.is_empty() {
        return Outcome::Closed;
    }
    let bad = all.iter().filter(|w| !exists(w.id, expected_threads(m.grid.program, b, w)));
    if let Some(first) = bad.min_by_key(|w| w.at(b).linear) {
        let threads = expected_threads(m.grid.program, b, first);
        let what = FindingKind::BadBarrier { id: first.id, threads };
        m.report(what, b.index, first.at(b));
        return Outcome::Fatal;
    }
    let live: u32 = b.warps.iter().map(|w| w.live.count_ones()).sum();
    let mut ids: Vec<u32> = all.iter().map(|w| w.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut opened = Outcome::Closed;
    for id in ids {
        let here: Vec<&Waiting> = all.iter().filter(|w| w.id == id).collect();
        let threads: u32 = here.iter().map(|w| w.thread_count(b)).sum();
        let before = b.arrived[id as usize % 16];
        let count = here.iter().find_map(|w| expected_threads(m.grid.program, b, w));
        let complete = match count {
            Some(count) => {
                here.iter().map(|w| w.arrivals(b)).fold(before, u32::saturating_add) >= count
            }
            None => threads.saturating_add(before) >= live,
        };
        if !complete {
            continue;
        }
        if count.is_none() && b.exited > 0 {
            report_not_reached(m, b, here[0], threads, b.exited, b.first_exit);
        } else if let Some(other) = diverged(m.grid.program, b, &here) {
            report_not_reached(m, b, here[0], threads, 0, Some(other));
        } else if count.is_none() && b.first_mixed.is_none() {
            b.first_mixed = mixed(m.grid.program, b, &here);
        }
        reduce(m, b, &here);
        b.arrived[id as usize % 16] = 0;
        let lanes = |w: &&Waiting| WaitingLanes {
            warp: w.warp,
            mask: b.warps[w.warp].splits[w.split].mask,
        };
        let waiting: Vec<WaitingLanes> = here.iter().map(lanes).collect();
        sync::open_barrier(m, b, id, &waiting, threads == live);
        for w in &here {
            let split = &mut b.warps[w.warp].splits[w.split];
            split.state = State::Ready;
            split.turn = 0;
        }
        for warp in &mut b.warps {
            warp.turn = 0;
            warp.epoch = warp.epoch.max(b.epoch);
            warp.merge();
        }
        opened = Outcome::Opened;
    }
    opened
}

/// Finds warps that wait at barriers in different lines, which is a mistake where the rest of the
/// block then leaves one of them out.
fn mixed(program: &Program, b: &BlockState, here: &[&Waiting]) -> Option<[ThreadAt; 2]> {
    let source = |at: ThreadAt| {
        let place = program.source_of.get(at.pc as usize).copied().unwrap_or(0);
        program.sources.get(place as usize).map(|source| (&source.file, source.line))
    };
    let first = here.first()?.at(b);
    let other = here.iter().map(|w| w.at(b)).find(|at| source(*at) != source(first))?;
    Some([first, other])
}

/// Finds lanes of one warp that wait at different barriers of the source, because they took
/// different branches. Returns those that wait at another operation than the first thread.
///
/// One barrier of the source may be several operations: the compiler copies the body of a loop, for
/// example to run its last iteration outside the loop.
fn diverged(program: &Program, b: &BlockState, here: &[&Waiting]) -> Option<ThreadAt> {
    // a line and where its function was called from; 0 where the compiler recorded none
    let place = |w: &Waiting| program.source_of.get(w.at(b).pc as usize).copied().unwrap_or(0);
    let copies = |a: &Waiting, other: &Waiting| place(a) == place(other) && place(a) > 0;
    let first = here.first()?;
    for (i, a) in here.iter().enumerate() {
        for other in &here[i + 1..] {
            if a.warp == other.warp && a.op != other.op && !copies(a, other) {
                let elsewhere = if other.op == first.op { a } else { other };
                return Some(elsewhere.at(b));
            }
        }
    }
    None
}

fn report_not_reached(
    m: &mut Machine<'_>,
    b: &BlockState,
    at: &Waiting,
    waiting: u32,
    missing: u32,
    other: Option<ThreadAt>,
) {
    // what follows from an earlier barrier that the block's threads reached in different lines
    let earlier = b.first_mixed.filter(|_| missing > 0);
    let (waiting, missing) = earlier.map_or((waiting, missing), |_| (m.grid.threads, 0));
    let ThreadAt { pc, linear } = earlier.map_or_else(|| at.at(b), |[first, _]| first);
    let other = earlier.map_or(other, |[_, other]| Some(other)).map(|other| match missing {
        0 => other,
        _ => ThreadAt { pc: exit_branch(m.grid.program, other.pc, pc), ..other },
    });
    let mut findings = std::mem::take(&mut m.findings);
    let with = other.map_or(u32::MAX, |other| other.pc);
    let occurrence = Occurrence { with, ..Occurrence::new(pc, b.thread(linear)) };
    findings.add(FindingKind::BarrierNotReached { waiting, missing }, occurrence, || {
        let action = if missing > 0 { Action::Exit } else { Action::Wait };
        (
            m.party(pc, b.index, linear, Action::Wait),
            other.map(|other| m.party(other.pc, b.index, other.linear, action)),
        )
    });
    m.findings = findings;
}

/// Where a thread decided to exit. If there is one branch to the kernel's end before the barrier,
/// it is the `if (...) return;` of the source; `exit` itself is the closing brace.
fn exit_branch(program: &Program, exit: u32, barrier: u32) -> u32 {
    let leads_to_exit = |pc: &u32| {
        let op = &program.ops[*pc as usize];
        matches!(op.code, Code::Branch) && op.c + 1 == exit
    };
    let mut branches = (0..barrier.min(exit)).filter(leads_to_exit);
    match (branches.next(), branches.next()) {
        (Some(only), None) => only,
        _ => exit,
    }
}

/// `bar.red`: reduces a predicate over all threads that take part.
fn reduce(m: &Machine<'_>, b: &mut BlockState, here: &[&Waiting]) {
    let program = m.grid.program;
    let Some(kind) =
        here.iter().find_map(|w| program.barriers[w.op as usize].reduce).map(|r| r.kind)
    else {
        return;
    };
    let (mut yes, mut threads) = (0, 0);
    for w in here {
        let (warp, Some(r)) = (&b.warps[w.warp], program.barriers[w.op as usize].reduce) else {
            continue;
        };
        let split = &warp.splits[w.split];
        let p = warp.p[(split.frame.p + r.source) as usize] & split.mask;
        yes += p.count_ones();
        threads += split.mask.count_ones();
    }
    let holds = if kind == ReduceKind::And { yes == threads } else { yes > 0 };
    for w in here {
        let Some(r) = program.barriers[w.op as usize].reduce else { continue };
        let warp = &mut b.warps[w.warp];
        let (mask, frame) = (warp.splits[w.split].mask, warp.splits[w.split].frame);
        if kind == ReduceKind::Popc {
            let d = &mut warp.r[(frame.r + r.d) as usize].0;
            lanes(mask).for_each(|l| d[l] = yes);
        } else {
            let d = &mut warp.p[(frame.p + r.d) as usize];
            *d = if holds { *d | mask } else { *d & !mask };
        }
    }
}

/// Reports a block in which no thread can run: they wait at different barriers, or for more threads
/// than will arrive.
pub(super) fn report_deadlock(m: &mut Machine<'_>, b: &BlockState) {
    let all = waiting(m, b);
    let Some(first) = all.first() else { return };
    let here: u32 = all.iter().filter(|w| w.id == first.id).map(|w| w.thread_count(b)).sum();
    let Some(other) = all.iter().find(|w| w.id != first.id) else {
        let live: u32 = b.warps.iter().map(|w| w.live.count_ones()).sum();
        let count = all.iter().find_map(|w| expected_threads(m.grid.program, b, w));
        let waits = count.map_or(here, |_| all.iter().map(|w| w.arrivals(b)).sum());
        let arrived = waits.saturating_add(b.arrived[first.id as usize % 16]);
        let expected = count.unwrap_or(live);
        return report_not_reached(
            m,
            b,
            first,
            here,
            expected.saturating_sub(arrived),
            b.first_exit,
        );
    };
    let (at, other) = (first.at(b), other.at(b));
    let mut findings = std::mem::take(&mut m.findings);
    let occurrence = Occurrence { with: other.pc, ..Occurrence::new(at.pc, b.thread(at.linear)) };
    findings.add(FindingKind::Deadlock { waiting: here }, occurrence, || {
        let party = |at: ThreadAt| m.party(at.pc, b.index, at.linear, Action::Wait);
        (party(at), Some(party(other)))
    });
    m.findings = findings;
}
