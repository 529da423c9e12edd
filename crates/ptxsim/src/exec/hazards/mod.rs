//! Uninitialised reads and races of one access, before its data moves.
//!
//! `cell` is what is remembered per word, `quick` the comparisons that settle nearly every access, `me` and `past` the close look;
//! `pages` the shadow of global memory; `talk` how threads synchronise beyond barriers, and `know` what they learn by it.

pub(crate) mod cell;
pub(super) mod copies;
pub(crate) mod current_access;
mod fast_path;
pub(super) mod image;
pub(crate) mod pages;
pub(crate) mod prior_access;
pub(crate) mod renumber;
pub(crate) mod sync;
pub(crate) mod sync_state;
#[cfg(test)]
mod tests;
mod vector_clock;

use super::access::{Context, Kind, Request};
use super::alu::Rows;
use super::machine::{BlockState, Machine, Place};
use super::warp::lanes;
use super::words::{Half, Shape};
use crate::FindingKind;
use crate::arith::mbarrier;
use crate::decode::op::{AtomicOp, MemOp, Phase, Scope};
use crate::memory::Initialised;
use cell::{BLOCK_MASK, Cell, MAX_SITE};
use current_access::{Conflict, Me, together, touch};
use fast_path::Quick;
use pages::{PAGE, SlotShadow};
use prior_access::{Lists, Past, Strength};
use sync_state::{Now, Place as Spot, Who};

/// Follows one access. `slot` is the allocation in global memory; `None` is shared memory.
#[inline(always)]
pub(super) fn follow(
    cx: &mut Context<'_, '_, '_>,
    request: &Request<'_>,
    mask: u32,
    offsets: &[u32; 32],
    slot: Option<u64>,
    shape: &Shape,
) {
    let Request { index, op, kind } = *request;
    let (m, b, rows) = (&mut *cx.m, &mut *cx.b, &cx.rows);
    let me = Me {
        thread: cx.warp.index * 32,
        block: if slot.is_some() { b.index & BLOCK_MASK } else { b.generation },
        stamp: b.stamp,
        site: index.min(MAX_SITE),
        block_epoch: b.epoch,
        warp_epoch: cx.warp.epoch.max(b.epoch),
        strong: strength(op, slot.is_none()),
        index: b.index & BLOCK_MASK,
        crowds: m.talk.is_none(),
        shared: slot.is_none(),
    };
    let quick = Quick::new(me.block, me.block_epoch, me.warp_epoch, me.crowds);
    let access = Followed { op, kind, mask, offsets, shape, rows, me, quick };
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
            access.shared(m, b, &mut shadow);
            b.shared_shadow = shadow;
        }
    }
    if op.strong && m.talk.is_some() {
        access.speak(m, b, slot);
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

/// Lanes of an access: side by side (`run`), at one address (`same`), or anyhow.
struct Part {
    mask: u32,
    run: bool,
    same: bool,
}

impl Part {
    /// The first lane.
    #[inline(always)]
    const fn lane(&self) -> usize {
        self.mask.trailing_zeros() as usize & 31
    }
}

struct Followed<'a, 'r> {
    op: &'a MemOp,
    kind: Kind,
    mask: u32,
    offsets: &'a [u32; 32],
    shape: &'a Shape,
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
        for part in self.parts() {
            let first = self.words(part.lane()).0;
            if first / PAGE != number {
                number = first / PAGE;
                page = shadow.pages.page(number, initialised);
            }
            let left = self.settle(&part, page.get_mut(first % PAGE..), false);
            for lane in lanes(left) {
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
                        let what = FindingKind::UninitialisedRead;
                        m.fault(what, self.op, place, b.index, thread, false);
                    }
                    if !self.quickly(cell, mark, plain, false) {
                        let old = m.grid.memory.word(slot as usize, w);
                        let place = self.place(Some(slot), lane, w - first);
                        let lists = &mut shadow.lists;
                        self.closely(m, b, cell, lists, (lane, w - first), (place, old));
                        if self.kind != Kind::Load {
                            cell.count();
                        }
                    }
                }
            }
        }
    }

    /// The lanes in parts that may be settled as a whole: the warp, or its halves.
    #[inline(always)]
    fn parts(&self) -> impl Iterator<Item = Part> {
        let Shape { run, same, halves } = self.shape;
        let whole = Part { mask: self.mask, run: *run, same: *same };
        let halves = halves.filter(|_| !run && !same).map(|[a, b]| {
            let half = |mask, half: Half| Part { mask, run: half.run, same: !half.run };
            [half(0xffff, a), half(0xffff_0000, b)]
        });
        let [first, second] = halves.map_or([Some(whole), None], |halves| halves.map(Some));
        first.into_iter().chain(second)
    }

    /// Settles the lanes of a part together, if they are as simple as nearly all are: those that remain. `cells` are those
    /// from the first lane's on, to the end of their page at most.
    #[inline(always)]
    fn settle(&self, part: &Part, cells: Option<&mut [Cell]>, shared: bool) -> u32 {
        let Part { mask, run, same } = *part;
        let Some(cells) = cells.filter(|_| self.plain()) else { return mask };
        let bytes = self.op.bytes() as usize;
        let settled = if run && bytes == 4 {
            let mark = self.me.mark() + part.lane() as u64;
            match cells.first_chunk_mut::<32>() {
                Some(cells) if mask == u32::MAX => self.side_by_side(cells, mark, shared),
                _ => match cells.first_chunk_mut::<16>() {
                    Some(cells) if mask != u32::MAX => self.side_by_side(cells, mark, shared),
                    _ => false,
                },
            }
        } else {
            let all = cells.get(..bytes / 4).filter(|_| same && self.kind == Kind::Load);
            if all.is_some_and(|all| all.iter().all(|c| self.quick.readable(c, shared))) {
                // a warp that reads one place without a conflict is like two lanes that do
                return two(mask);
            }
            false
        };
        if settled { 0 } else { mask }
    }

    #[inline(always)]
    fn side_by_side<const N: usize>(&self, cells: &mut [Cell; N], mark: u64, shared: bool) -> bool {
        match (self.kind, shared) {
            (Kind::Load, true) => self.quick.shared_reads(cells, mark),
            (Kind::Load, false) => self.quick.global_reads(cells, mark),
            (Kind::Store, true) => self.quick.shared_writes(cells, mark),
            (Kind::Store, false) => self.quick.global_writes(cells, mark),
            (Kind::Atomic, _) => false,
        }
    }

    fn place(&self, slot: Option<u64>, lane: usize, word: usize) -> Place {
        let offset = i64::from(self.offsets[lane]) + word as i64 * 4;
        slot.map_or(Place::Shared(offset), |slot| Place::Global(slot, offset))
    }

    #[inline(always)]
    fn shared(&self, m: &mut Machine<'_>, b: &mut BlockState, shadow: &mut [Cell]) {
        let (plain, mark) = (self.plain(), self.me.mark());
        for part in self.parts() {
            let first = self.words(part.lane()).0;
            for lane in lanes(self.settle(&part, shadow.get_mut(first..), true)) {
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
        let adds = self.kind == Kind::Atomic;
        let new = Past { adds, ..me.past(self.bytes(lane), write) };
        let benign = |c: &Conflict| self.same_value(c, lane, word, old);
        if self.kind == Kind::Store
            && self.plain()
            && let Some(past) = self.quick.unread_write(cell)
            && benign(&Conflict { past, together: together(&past, &new) })
        {
            // it stands for the write before, whoever made that
            cell.write = Cell::written(me.mark());
            return;
        }
        let know = m.talk.as_mut().and_then(|talk| {
            if write && !self.op.strong && cell.may_be_strong() {
                let at = self.spot(place_slot(place), lane, 4 * word as u32);
                talk.silence(me.who(), at, self.op.bytes().min(4));
            }
            talk.know(me.who()).cloned()
        });
        let found = touch(cell, lists, &mut m.scratch, &me, new, know.as_ref(), benign);
        if let Some(conflict) = found {
            m.race(self.op, place, &me, b.index, conflict, write);
        }
    }

    /// Where a lane's access is for those that talk.
    fn spot(&self, slot: Option<u64>, lane: usize, by: u32) -> Spot {
        let offset = self.offsets[lane] + by;
        slot.map_or(Spot::Shared(offset), |slot| Spot::Global(slot, offset))
    }

    /// The phase of a barrier in memory that a lane arrives in, or whose end it sees; `None` as long as it does not.
    fn phase(&self, b: &BlockState, lane: usize) -> Option<u32> {
        let w = self.offsets[lane] as usize / 4;
        let now = mbarrier::parity(u64::from(b.shared.get(w + 1).copied().unwrap_or(0)) << 32);
        let Some(waits) = self.op.waits else { return Some(now as u32) };
        let named = self.rows.x.get(self.op.b as usize).map_or(0, |row| row.0[lane]);
        let phase = match waits {
            Phase::State => mbarrier::parity(named),
            Phase::Parity => named & 1,
        };
        (phase != now).then_some(phase as u32)
    }

    /// What a strong access tells and hears, lane by lane as its data moves.
    #[inline(never)]
    fn speak(&self, m: &mut Machine<'_>, b: &mut BlockState, slot: Option<u64>) {
        let grid = m.grid;
        let Some(talk) = &mut m.talk else { return };
        let op = self.op;
        let now = Now {
            block: self.me.block_epoch,
            warp: self.me.warp_epoch,
            stamp: if op.release { b.advance() } else { 0 },
        };
        let mut swapped = vec![];
        for lane in lanes(self.mask) {
            let who = Who { thread: self.me.thread + lane as u32, ..self.me.who() };
            let mut spot = self.spot(slot, lane, 0);
            if op.at_barrier {
                // what is told in one phase is heard by those who wait for its end
                let Some(phase) = self.phase(b, lane) else { continue };
                spot = self.spot(slot, lane, 4 * phase);
            }
            if self.kind != Kind::Store {
                talk.hear(who, spot, op.scope, op.acquire);
            }
            let writes = match self.kind {
                Kind::Load => false,
                Kind::Store => true,
                Kind::Atomic if op.atomic == Some(AtomicOp::Cas) => {
                    // only a comparison that holds writes, and for one lane of those that want the same
                    let w = self.offsets[lane] as usize / 4;
                    let word = |w: usize| match slot {
                        Some(slot) => grid.memory.word(slot as usize, w),
                        None => b.shared.get(w).copied(),
                    };
                    let fails = swapped.contains(&spot)
                        || if op.wide {
                            let old = word(w).zip(word(w + 1));
                            let old = old.map(|(l, h)| u64::from(l) | u64::from(h) << 32);
                            old != self.rows.x.get(op.b as usize).map(|row| row.0[lane])
                        } else {
                            let (by, bits) = match op.width {
                                2 => (self.offsets[lane] % 4 * 8, 0xffff),
                                _ => (0, u32::MAX),
                            };
                            let b = self.rows.r.get(op.b as usize).map(|row| row.0[lane] & bits);
                            word(w).map(|old| old >> by & bits) != b
                        };
                    if !fails {
                        swapped.push(spot);
                    }
                    !fails
                }
                Kind::Atomic => true,
            };
            if writes {
                let adds = self.kind == Kind::Atomic;
                talk.tell(who, spot, op.scope, op.release.then_some(now), adds);
            }
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

const fn place_slot(place: Place) -> Option<u64> {
    if let Place::Global(slot, _) = place { Some(slot) } else { None }
}
