//! Asynchronous copies on their way: what they read and write is in use from the instruction until its thread has
//! waited, and everything else there is unordered with it, its own thread's accesses included.
//!
//! The words' pasts get an entry that nothing comes after, which the quick comparisons leave to the close look. Where
//! the thread waits, the entry becomes the thread's plain access at that moment.

use super::cell::{BLOCK_MASK, Cell, MAX_SITE};
use super::current_access::{Conflict, Me, touch};
use super::prior_access::{Lists, Past, Strength, record};
use super::vector_clock::Know;
use crate::FindingKind;
use crate::decode::op::MemOp;
use crate::exec::copies::{Flight, memory};
use crate::exec::machine::{BlockState, Machine, Place};
use crate::exec::warp::lanes;

/// The word of one lane's copy, and whether it is written there.
struct Spot {
    lane: usize,
    /// Bytes from the copy's first.
    by: u32,
    write: bool,
}

/// Whose copy it is, with marks for shared memory or (`slot`) for global memory.
pub(super) fn me(
    m: &Machine<'_>,
    b: &BlockState,
    warp: (u32, u32),
    lane: usize,
    site: u32,
    shared: bool,
) -> Me {
    Me {
        thread: warp.0 * 32 + lane as u32,
        block: if shared { b.generation } else { b.index & BLOCK_MASK },
        stamp: b.stamp,
        site: site.min(MAX_SITE),
        block_epoch: b.epoch,
        warp_epoch: warp.1.max(b.epoch),
        strong: Strength::Weak,
        index: b.index & BLOCK_MASK,
        crowds: m.talk.is_none(),
        shared,
    }
}

/// The words that a flight's lanes of `mask` read and write.
fn spots(flight: &Flight, mask: u32, bytes: u32) -> impl Iterator<Item = Spot> {
    lanes(mask).flat_map(move |lane| {
        let words = |write, end: u32| (0..end).step_by(4).map(move |by| Spot { lane, by, write });
        words(false, flight.lanes[lane].size).chain(words(true, bytes))
    })
}

/// Lets `f` look at a word's cell.
fn with_cell<R>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    flight: &Flight,
    spot: &Spot,
    f: impl FnOnce(&mut Machine<'_>, &BlockState, &mut Cell, &mut Lists) -> R,
) -> Option<R> {
    let part = flight.lanes[spot.lane];
    if spot.write {
        let word = (part.to + spot.by) as usize / 4;
        let mut shadow = std::mem::take(&mut b.shared_shadow);
        let mut lists = std::mem::take(&mut b.shared_lists);
        let result = shadow.get_mut(word).map(|cell| f(m, b, cell, &mut lists));
        b.shared_shadow = shadow;
        b.shared_lists = lists;
        return result;
    }
    let allocation = m.grid.memory.allocations.get(part.slot as usize)?;
    let mut shadow = m.shadows.get_mut(part.slot as usize).map(std::mem::take)?;
    let word = (part.from + spot.by) as usize / 4;
    let cell = shadow.pages.cell(word, &allocation.initialised);
    let result = cell.map(|cell| f(m, b, cell, &mut shadow.lists));
    m.shadows[part.slot as usize] = shadow;
    result
}

fn place(flight: &Flight, spot: &Spot) -> Place {
    let part = flight.lanes[spot.lane];
    if spot.write {
        Place::Shared(i64::from(part.to + spot.by))
    } else {
        Place::Global(u64::from(part.slot), i64::from(part.from + spot.by))
    }
}

/// The copies of a flight begin.
pub(in crate::exec) fn begin(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: (u32, u32),
    flight: &Flight,
) {
    let Some([from, to]) = memory(m, &flight.op) else { return };
    for spot in spots(flight, flight.mask, to.bytes()) {
        let (op, site) = if spot.write { (to, flight.op.to) } else { (from, flight.op.from) };
        let me = me(m, b, warp, spot.lane, site, spot.write);
        if !spot.write {
            unwritten(m, b, flight, &spot, op, me.thread);
        }
        let know = m.talk.as_mut().and_then(|talk| talk.know(me.who()).cloned());
        // two lanes that copy the same there
        let same = |c: &Conflict| {
            let other = flight.lanes[c.past.thread as usize & 31];
            let mine = flight.lanes[spot.lane];
            c.together && (other.slot, other.from, other.to) == (mine.slot, mine.from, mine.to)
        };
        let found = with_cell(m, b, flight, &spot, |m, _, cell, lists| {
            start(cell, lists, &mut m.scratch, &me, spot.write, know.as_ref(), same)
        });
        if let Some(Some(conflict)) = found {
            m.race(op, place(flight, &spot), &me, b.index, conflict, spot.write);
        }
    }
}

fn start(
    cell: &mut Cell,
    lists: &mut Lists,
    scratch: &mut Vec<Past>,
    me: &Me,
    write: bool,
    know: Option<&Know>,
    same: impl Fn(&Conflict) -> bool,
) -> Option<Conflict> {
    touch(cell, lists, scratch, me, Past { flying: true, ..me.past(15, write) }, know, same)
}

/// The copies of a flight's lanes of `mask` have arrived, as far as their threads are concerned.
pub(in crate::exec) fn end(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: (u32, u32),
    flight: &Flight,
    mask: u32,
) {
    let Some([_, to]) = memory(m, &flight.op) else { return };
    for spot in spots(flight, mask, to.bytes()) {
        let site = if spot.write { flight.op.to } else { flight.op.from };
        let me = me(m, b, warp, spot.lane, site, spot.write);
        let know = m.talk.as_mut().and_then(|talk| talk.know(me.who()).cloned());
        with_cell(m, b, flight, &spot, |m, _, cell, lists| {
            let generation = me.generation();
            let initialised = cell.initialised(generation) | if spot.write { 15 } else { 0 };
            let scratch = &mut m.scratch;
            cell.unpack(generation, lists, scratch);
            let own = |p: &Past| {
                p.flying && (p.block, p.thread, p.site) == (me.block, me.thread, me.site)
            };
            if let Some(i) = scratch.iter().position(own) {
                scratch.remove(i);
            }
            let settled = |p: &Past| me.settles(p);
            let ordered = |p: &Past| me.after(p, know.as_ref());
            record(scratch, me.past(15, spot.write), me.crowds, ordered, settled);
            *cell = Cell::pack(*cell, generation, initialised, lists, scratch);
        });
    }
}

/// A copy of what nobody has written.
fn unwritten(
    m: &mut Machine<'_>,
    b: &BlockState,
    flight: &Flight,
    spot: &Spot,
    op: &MemOp,
    thread: u32,
) {
    let part = flight.lanes[spot.lane];
    let Some(allocation) = m.grid.memory.allocations.get(part.slot as usize) else { return };
    let word = (part.from + spot.by) as usize / 4;
    let followed = m.shadows.get_mut(part.slot as usize).filter(|shadow| shadow.followed());
    let known = match followed.and_then(|s| s.pages.cell(word, &allocation.initialised)) {
        Some(cell) => cell.initialised(None),
        None => allocation.initialised.bits(word),
    };
    let bytes = part.size.saturating_sub(spot.by).min(4);
    let need = if bytes == 4 { 15 } else { (1_u8 << bytes) - 1 };
    if known & need != need {
        m.fault(FindingKind::UninitialisedRead, op, place(flight, spot), b.index, thread, false);
    }
}
