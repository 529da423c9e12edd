//! Asynchronous copies in flight. What they read and write is in use from the instruction until its
//! thread has waited. Until then every other access there is unordered with them, those of their
//! own thread included.
//!
//! The words that a copy accesses get a prior access that nothing is ordered after, which the fast
//! path leaves to the slow path. When the thread waits, this becomes a plain access by the thread
//! at that moment.

use super::cell::ShadowCell;
use super::current_access::{Conflict, CurrentAccess, check_and_record};
use super::prior_access::{PriorAccess, PriorLists, Workspace, record};
use super::sync::WarpEpoch;
use super::vector_clock::VectorClock;
use crate::FindingKind;
use crate::decode::op::MemOp;
use crate::exec::copies::{WarpCopy, memory_operations};
use crate::exec::machine::{BlockState, Location, Machine};
use crate::exec::warp::lanes;

/// A word of one lane's copy: one that it writes to shared memory, or one that it reads from global
/// memory.
struct CopyWord {
    lane: usize,
    /// Bytes from the start of the lane's copy.
    by: u32,
    /// A bit for each of its bytes that is read or written.
    bytes: u8,
    write: bool,
}

/// The words that the lanes of `mask` read and write.
fn words(copy: &WarpCopy, mask: u32, bytes: u32) -> impl Iterator<Item = CopyWord> {
    lanes(mask).flat_map(move |lane| {
        let words = |write, end: u32| {
            let bytes = move |by| if end - by >= 4 { 15 } else { (1_u8 << (end - by)) - 1 };
            (0..end).step_by(4).map(move |by| CopyWord { lane, by, bytes: bytes(by), write })
        };
        words(false, copy.lanes[lane].size).chain(words(true, bytes))
    })
}

/// Calls `f` with a word's shadow cell and its side table; `None` when the word has no cell.
fn with_cell<R>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    copy: &WarpCopy,
    word: &CopyWord,
    f: impl FnOnce(&mut Machine<'_>, &mut ShadowCell, &mut PriorLists) -> R,
) -> Option<R> {
    let lane = copy.lanes[word.lane];
    if word.write {
        let index = (lane.to + word.by) as usize / 4;
        let mut shadow = std::mem::take(&mut b.shared_shadow);
        let mut lists = std::mem::take(&mut b.shared_lists);
        let result = shadow.get_mut(index).map(|cell| f(m, cell, &mut lists));
        b.shared_shadow = shadow;
        b.shared_lists = lists;
        return result;
    }
    let allocation = m.grid.memory.allocations.get(lane.slot as usize)?;
    let mut shadow = m.shadows.get_mut(lane.slot as usize).map(std::mem::take)?;
    let index = (lane.from + word.by) as usize / 4;
    let cell = shadow.pages.cell(index, allocation);
    let result = cell.map(|cell| f(m, cell, &mut shadow.lists));
    m.shadows[lane.slot as usize] = shadow;
    result
}

fn location(copy: &WarpCopy, word: &CopyWord) -> Location {
    let lane = copy.lanes[word.lane];
    if word.write {
        Location::Shared(i64::from(lane.to + word.by))
    } else {
        Location::Global(u64::from(lane.slot), i64::from(lane.from + word.by))
    }
}

/// A lane's access to a word of its copy.
fn access(
    m: &Machine<'_>,
    b: &BlockState,
    warp: WarpEpoch,
    copy: &WarpCopy,
    word: &CopyWord,
) -> CurrentAccess {
    let site = if word.write { copy.op.to } else { copy.op.from };
    CurrentAccess::new(m, b, warp, site, word.write).by_lane(word.lane)
}

/// The copies of one instruction begin.
pub(in crate::exec) fn begin(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: WarpEpoch,
    copy: &WarpCopy,
) {
    let Some([from, to]) = memory_operations(m, &copy.op) else { return };
    for word in words(copy, copy.mask, to.bytes()) {
        let current = access(m, b, warp, copy, &word);
        if !word.write {
            check_initialised(m, b, copy, &word, from, current.thread);
        }
        let clock = m.sync.as_ref().and_then(|sync| sync.clock(current.thread_id()).cloned());
        // two lanes may copy the same bytes to one address
        let benign = |conflict: &Conflict| {
            let other = copy.lanes[conflict.prior.thread as usize & 31];
            let own = copy.lanes[word.lane];
            conflict.same_instruction
                && (other.slot, other.from, other.to) == (own.slot, own.from, own.to)
        };
        let new = PriorAccess { in_flight: true, ..current.to_prior(word.bytes, word.write) };
        let found = with_cell(m, b, copy, &word, |m, cell, lists| {
            let clock = clock.as_ref();
            check_and_record(cell, lists, &mut m.workspace, &current, new, clock, benign)
        });
        if let Some(Some(conflict)) = found {
            let op = if word.write { to } else { from };
            m.race(op, location(copy, &word), &current, b.index, conflict, word.write);
        }
    }
}

/// The threads of the lanes of `mask` have waited for their copies.
pub(in crate::exec) fn end(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: WarpEpoch,
    copy: &WarpCopy,
    mask: u32,
) {
    let Some([_, to]) = memory_operations(m, &copy.op) else { return };
    for word in words(copy, mask, to.bytes()) {
        let current = access(m, b, warp, copy, &word);
        let clock = m.sync.as_ref().and_then(|sync| sync.clock(current.thread_id()).cloned());
        with_cell(m, b, copy, &word, |m, cell, lists| {
            land(cell, lists, &mut m.workspace, &current, &word, clock.as_ref());
        });
    }
}

/// Turns a copy in flight into a plain access by its thread.
fn land(
    cell: &mut ShadowCell,
    lists: &mut PriorLists,
    workspace: &mut Workspace,
    current: &CurrentAccess,
    word: &CopyWord,
    clock: Option<&VectorClock>,
) {
    let generation = current.generation();
    let initialised = cell.initialised(generation) | if word.write { word.bytes } else { 0 };
    cell.unpack(generation, lists, workspace);
    let list = &mut workspace.list;
    let own = (current.block, current.thread, current.site);
    let is_own =
        |prior: &PriorAccess| prior.in_flight && (prior.block, prior.thread, prior.site) == own;
    if let Some(i) = list.iter().position(is_own) {
        list.remove(i);
    }
    record(
        list,
        current.to_prior(word.bytes, word.write),
        current.grouping(workspace.atomics),
        |prior| current.is_after(prior, clock),
        |prior| current.outdates(prior),
    );
    *cell = ShadowCell::pack(*cell, generation, initialised, lists, list);
}

/// Reports a copy of bytes that were never written.
fn check_initialised(
    m: &mut Machine<'_>,
    b: &BlockState,
    copy: &WarpCopy,
    word: &CopyWord,
    op: &MemOp,
    linear: u32,
) {
    let lane = copy.lanes[word.lane];
    let Some(allocation) = m.grid.memory.allocations.get(lane.slot as usize) else { return };
    let index = (lane.from + word.by) as usize / 4;
    let followed = m.shadows.get_mut(lane.slot as usize).filter(|shadow| shadow.is_followed());
    let initialised = match followed.and_then(|s| s.pages.cell(index, allocation)) {
        Some(cell) => cell.initialised(None),
        None => allocation.initialised.bits(index),
    };
    if initialised & word.bytes != word.bytes {
        let what = FindingKind::UninitialisedRead;
        m.fault(what, op, location(copy, word), b.thread(linear), false);
    }
}
