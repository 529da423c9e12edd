//! Uninitialised reads and races of one access, before its data moves.
//!
//! `cell` is what is remembered per word and the comparisons that settle nearly every access; `past` the close look;
//! `pages` the shadow of global memory.

pub(crate) mod cell;
pub(crate) mod pages;
pub(crate) mod past;
#[cfg(test)]
mod tests;

use super::access::{Context, Kind, Request};
use super::alu::Rows;
use super::machine::{BlockState, Machine, Place};
use super::warp::lanes;
use crate::FindingKind;
use crate::decode::op::{MemOp, Scope};
use crate::memory::Initialised;
use cell::{BLOCK_MASK, Cell, MAX_SITE, MAX_STAMP, Quick, mark};
use pages::{PAGE, SlotShadow};
use past::{Crowd, Lists, Past, Strength, record};

/// Who accesses, and since when the others are ordered before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Me {
    pub thread: u32,
    /// As marks keep it: the block's index, or for shared memory the generation.
    pub block: u32,
    pub stamp: u32,
    pub site: u32,
    /// Stamp of the last barrier, of the last warp-wide synchronisation (never before the barrier).
    pub block_epoch: u32,
    pub warp_epoch: u32,
    pub strong: Strength,
    /// Blocks synchronise with each other by means that are not followed: nothing between blocks is a race.
    pub talks: bool,
    /// Shared memory: marks of other blocks are leftovers.
    pub shared: bool,
}

/// The other party of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub past: Past,
    /// The same store instruction of the same warp: both lanes at once.
    pub together: bool,
}

impl Conflict {
    /// Is the thread named another one? The accessing thread may be the newest of a crowd that it is in conflict with.
    pub fn known(&self, me: &Me) -> bool {
        (self.past.block, self.past.thread) != (me.block, me.thread)
    }
}

impl Me {
    fn mark(&self) -> u64 {
        mark(self.block, self.stamp, self.site, self.thread)
    }

    fn generation(&self) -> Option<u32> {
        self.shared.then_some(self.block)
    }

    fn past(&self, bytes: u8, write: bool) -> Past {
        let Self { block, stamp, site, thread, strong, .. } = *self;
        let extent = if strong == Strength::Weak { 0 } else { bytes };
        Past { block, stamp, site, thread, bytes, extent, write, strong, crowd: Crowd::One }
    }

    /// Are all that `past` stands for ordered before this access?
    fn after(&self, past: &Past) -> bool {
        if past.block != self.block {
            return self.shared || self.talks;
        }
        if past.crowd == Crowd::Blocks {
            return self.talks;
        }
        if past.stamp < self.block_epoch {
            return true;
        }
        if past.crowd == Crowd::Warps || past.thread >> 5 != self.thread >> 5 {
            return false;
        }
        past.stamp < self.warp_epoch || past.crowd == Crowd::One && past.thread == self.thread
    }
}

/// The close look at one access of one word: records it, and tells what it races with, if that is not `benign`.
fn touch(
    cell: &mut Cell,
    lists: &mut Lists,
    scratch: &mut Vec<Past>,
    me: &Me,
    new: Past,
    benign: impl Fn(&Conflict) -> bool,
) -> Option<Conflict> {
    let generation = me.generation();
    let initialised = cell.initialised(generation) | if new.write { new.bytes } else { 0 };
    cell.unpack(generation, lists, scratch);
    let conflict = scratch
        .iter()
        .filter(|p| p.conflicts(&new) && !me.after(p))
        .map(|p| Conflict { past: *p, together: together(p, &new) })
        .filter(|c| !benign(c))
        .max_by_key(|c| (c.past.write, c.past.stamp));
    // what came before the block's last barrier is over for shared memory
    let settled = |p: &Past| me.shared && p.stamp < me.block_epoch;
    record(scratch, new, |p| me.after(p), settled);
    *cell = Cell::pack(*cell, generation, initialised, lists, scratch);
    conflict
}

/// Follows one access. `slot` is the allocation in global memory; `None` is shared memory.
#[inline(always)]
pub(super) fn follow(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    mask: u32,
    offsets: &[u32; 32],
    slot: Option<u64>,
    same: bool,
) {
    let Request { index, op, kind } = *request;
    let (m, b, rows) = (&mut *cx.m, &mut *cx.b, &*cx.rows);
    if b.stamp > MAX_STAMP {
        return;
    }
    let me = Me {
        thread: cx.warp.index * 32,
        block: if slot.is_some() { b.index & BLOCK_MASK } else { b.generation },
        stamp: b.stamp,
        site: index.min(MAX_SITE),
        block_epoch: b.epoch,
        warp_epoch: cx.warp.epoch.max(b.epoch),
        strong: strength(op, slot.is_none()),
        talks: m.grid.talks,
        shared: slot.is_none(),
    };
    let quick = Quick::new(me.block, me.block_epoch, me.warp_epoch, true);
    let access = Followed { op, kind, mask, offsets, rows, me, quick };
    match slot {
        Some(slot) => {
            let grid = m.grid;
            let Some(allocation) = grid.memory.allocations.get(slot as usize) else { return };
            if !m.shadows.get(slot as usize).is_some_and(SlotShadow::followed) {
                // nothing in the launch writes it
                if allocation.initialised != Initialised::All {
                    access.unwritten(m, b, slot, &allocation.initialised);
                }
                return;
            }
            let Some(mut shadow) = m.shadows.get_mut(slot as usize).map(std::mem::take) else {
                return;
            };
            access.global(m, b, slot, &mut shadow, &allocation.initialised);
            m.shadows[slot as usize] = shadow;
        }
        None => {
            let mut shadow = std::mem::take(&mut b.shared_shadow);
            // a warp that reads one place without a conflict is like two lanes that do
            let quiet = same && kind == Kind::Load && access.plain() && {
                let (first, n) = access.words(0);
                shadow.get(first..first + n).is_some_and(|all| all.iter().all(|c| quick.ordered(c)))
            };
            let mask = if quiet { two(mask) } else { mask };
            Followed { mask, ..access }.shared(m, b, &mut shadow);
            b.shared_shadow = shadow;
        }
    }
}

/// In shared memory every scope is the block.
#[inline(always)]
fn strength(op: &MemOp, shared: bool) -> Strength {
    match (op.strong, op.scope) {
        (false, _) => Strength::Weak,
        (true, Scope::Cta) if !shared => Strength::Cta,
        _ => Strength::Gpu,
    }
}

/// The first and the last lane of a mask.
const fn two(mask: u32) -> u32 {
    if mask == 0 { 0 } else { 1 << mask.trailing_zeros() | 1 << (31 - mask.leading_zeros()) }
}

struct Followed<'a, 'r> {
    op: &'a MemOp,
    kind: Kind,
    mask: u32,
    offsets: &'a [u32; 32],
    rows: &'a Rows<'r>,
    /// The first lane of the warp.
    me: Me,
    quick: Quick,
}

impl Followed<'_, '_> {
    /// The first word that a lane accesses, and how many.
    #[inline(always)]
    fn words(&self, lane: usize) -> (usize, usize) {
        (self.offsets[lane] as usize / 4, self.op.bytes().div_ceil(4) as usize)
    }

    /// Bits of the bytes that a lane accesses in a word.
    #[inline(always)]
    fn bytes(&self, lane: usize) -> u8 {
        let bytes = self.op.bytes();
        if bytes >= 4 { 0xf } else { ((1_u8 << bytes) - 1) << (self.offsets[lane] % 4) }
    }

    /// Plain whole words: what the quick comparisons are for.
    #[inline(always)]
    fn plain(&self) -> bool {
        !self.op.strong && self.op.bytes() >= 4
    }

    /// The comparison that settles nearly every access. False, and nothing done, when it does not.
    #[inline(always)]
    fn quickly(&self, cell: &mut Cell, mark: u64, plain: bool, shared: bool) -> bool {
        match (self.kind, shared) {
            (Kind::Load, true) => plain && self.quick.shared_read(cell, mark),
            (Kind::Load, false) => plain && self.quick.global_read(cell, mark),
            (Kind::Store, true) => plain && self.quick.shared_write(cell, mark),
            (Kind::Store, false) => plain && self.quick.global_write(cell, mark),
            (Kind::Atomic, _) => {
                self.me.strong == Strength::Gpu && self.quick.atomic(cell, mark, shared)
            }
        }
    }

    /// Reads of an allocation that the launch cannot write: only what was never initialised matters.
    fn unwritten(&self, m: &mut Machine<'_>, b: &BlockState, slot: u64, initialised: &Initialised) {
        for lane in lanes(self.mask) {
            let (first, n) = self.words(lane);
            let need = self.bytes(lane);
            if (first..first + n).any(|w| initialised.bits(w) & need != need) {
                let place = Place::Global(slot, i64::from(self.offsets[lane]));
                let thread = self.me.thread + lane as u32;
                m.fault(FindingKind::UninitialisedRead, self.op, place, b.index, thread, false);
            }
        }
    }

    #[inline(always)]
    fn global(
        &self,
        m: &mut Machine<'_>,
        b: &BlockState,
        slot: u64,
        shadow: &mut SlotShadow,
        initialised: &Initialised,
    ) {
        let (plain, mark) = (self.plain(), self.me.mark());
        let (mut number, mut page): (usize, &mut [Cell]) = (usize::MAX, &mut []);
        for lane in lanes(self.mask) {
            let (first, n) = self.words(lane);
            let need = self.bytes(lane);
            let mark = mark + lane as u64;
            for w in first..first + n {
                if w / PAGE != number {
                    number = w / PAGE;
                    page = shadow.pages.page(number, initialised);
                }
                let Some(cell) = page.get_mut(w % PAGE) else { break };
                if self.kind != Kind::Store && cell.initialised(None) & need != need {
                    let place = self.place(Some(slot), lane, w - first);
                    let thread = self.me.thread + lane as u32;
                    m.fault(FindingKind::UninitialisedRead, self.op, place, b.index, thread, false);
                }
                if !self.quickly(cell, mark, plain, false) {
                    let old = m.grid.memory.word(slot as usize, w);
                    let place = self.place(Some(slot), lane, w - first);
                    self.closely(m, b, cell, &mut shadow.lists, (lane, w - first), (place, old));
                    if self.kind != Kind::Load {
                        cell.count();
                    }
                }
            }
        }
    }

    fn place(&self, slot: Option<u64>, lane: usize, word: usize) -> Place {
        let offset = i64::from(self.offsets[lane]) + word as i64 * 4;
        slot.map_or(Place::Shared(offset), |slot| Place::Global(slot, offset))
    }

    #[inline(always)]
    fn shared(&self, m: &mut Machine<'_>, b: &mut BlockState, shadow: &mut [Cell]) {
        let (plain, mark) = (self.plain(), self.me.mark());
        for lane in lanes(self.mask) {
            let (first, n) = self.words(lane);
            let mark = mark + lane as u64;
            for w in first..first + n {
                let Some(cell) = shadow.get_mut(w) else { break };
                if !self.quickly(cell, mark, plain, true) {
                    self.shared_closely(m, b, cell, lane, w);
                }
            }
        }
    }

    #[inline(never)]
    fn shared_closely(
        &self,
        m: &mut Machine<'_>,
        b: &mut BlockState,
        cell: &mut Cell,
        lane: usize,
        w: usize,
    ) {
        let (first, _) = self.words(lane);
        let need = self.bytes(lane);
        let place = self.place(None, lane, w - first);
        if self.kind != Kind::Store && cell.initialised(Some(self.me.block)) & need != need {
            let thread = self.me.thread + lane as u32;
            m.fault(FindingKind::UninitialisedRead, self.op, place, b.index, thread, false);
        }
        let old = b.shared.get(w).copied();
        let mut lists = std::mem::take(&mut b.shared_lists);
        self.closely(m, b, cell, &mut lists, (lane, w - first), (place, old));
        b.shared_lists = lists;
    }

    /// The close look at word `word` of a lane's access: records it, and tells a race. `old` is the word's value.
    #[inline(never)]
    fn closely(
        &self,
        m: &mut Machine<'_>,
        b: &BlockState,
        cell: &mut Cell,
        lists: &mut Lists,
        (lane, word): (usize, usize),
        (place, old): (Place, Option<u32>),
    ) {
        let me = Me { thread: self.me.thread + lane as u32, ..self.me };
        let write = self.kind != Kind::Load;
        let new = me.past(self.bytes(lane), write);
        let benign = |c: &Conflict| self.same_value(c, lane, word, old);
        if let Some(conflict) = touch(cell, lists, &mut m.scratch, &me, new, benign)
            && !b.spoken(&me, &conflict)
        {
            m.race(self.op, place, &me, b.index, conflict, write);
        }
    }

    /// The bytes that a lane stores in word `word` of its access, in place.
    fn value(&self, lane: usize, word: usize) -> Option<u32> {
        let op = self.op;
        let mut value = 0;
        for (e, row) in op.rows.iter().enumerate().take(op.vector as usize) {
            let at = self.offsets[lane] % 4 + e as u32 * op.width;
            if op.wide {
                let x = self.rows.x.get(*row as usize)?.0[lane];
                if word / 2 == e {
                    value = if word.is_multiple_of(2) { x as u32 } else { (x >> 32) as u32 };
                }
            } else if at as usize / 4 == word {
                let x = self.rows.r.get(*row as usize)?.0[lane];
                let bits = u32::MAX >> (32 - 8 * op.width.min(4));
                value |= (x & bits) << (at % 4 * 8);
            }
        }
        Some(value)
    }

    /// Two unordered stores of the same value: every order gives the same result.
    fn same_value(&self, conflict: &Conflict, lane: usize, word: usize, old: Option<u32>) -> bool {
        let past = conflict.past;
        if self.kind != Kind::Store || !past.write || past.strong != Strength::Weak {
            return false;
        }
        let bytes = crate::memory::byte_mask(past.bytes & self.bytes(lane));
        let mine = self.value(lane, word).map(|v| v & bytes);
        let other = past.thread as usize & 31;
        if conflict.together && self.offsets[other] == self.offsets[lane] {
            // both lanes in one instruction: neither value is in memory yet
            return self.value(other, word).map(|v| v & bytes) == mine;
        }
        old.is_some() && old.map(|v| v & bytes) == mine
    }
}

/// The same instruction of the same warp.
fn together(past: &Past, new: &Past) -> bool {
    (past.site, past.stamp, past.block, past.thread >> 5)
        == (new.site, new.stamp, new.block, new.thread >> 5)
}
