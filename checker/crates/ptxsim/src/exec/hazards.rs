//! Uninitialised reads and races of one access, before its data moves.

use super::access::{Context, Kind, Request};
use super::alu::Rows;
use super::machine::{BlockState, Machine, Place};
use super::shadow::{BLOCK_MASK, Conflict, MAX_SITE, MAX_STAMP, Me, Quick, Shadow};
use super::warp::lanes;
use crate::FindingKind;
use crate::decode::op::MemOp;

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
        strong: op.strong,
        talks: m.grid.talks,
        shared: slot.is_none(),
    };
    let access = Followed { op, kind, mask, offsets, rows, me };
    let one_word = same && kind == Kind::Load && access.plain() && op.bytes() == 4;
    match slot {
        Some(slot) => {
            // nothing in the launch writes it, and all of it is initialised
            if m.shadows.get(slot as usize).is_none_or(|s| s.words.is_empty() && s.initialised) {
                return;
            }
            let Some(mut shadow) = m.shadows.get_mut(slot as usize).map(std::mem::take) else {
                return;
            };
            if shadow.words.is_empty() {
                if !shadow.initialised {
                    access.unwritten(m, b, slot, &shadow.state);
                }
            } else {
                access.global(m, b, slot, &mut shadow.words, &mut shadow.state, shadow.initialised);
            }
            m.shadows[slot as usize] = shadow;
        }
        None => {
            let mut shadow = std::mem::take(&mut b.shared_shadow);
            // a warp that reads one word without a conflict is like two lanes that do
            let quiet = one_word
                && shadow.get(offsets[0] as usize / 4).is_some_and(|s| Quick::new(&me).ordered(s));
            let mask = if quiet { two(mask) } else { mask };
            Followed { mask, ..access }.shared(m, b, &mut shadow);
            b.shared_shadow = shadow;
        }
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
    me: Me,
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

    /// Reads of an allocation that the launch cannot write: only what was never initialised matters.
    fn unwritten(&self, m: &mut Machine<'_>, b: &BlockState, slot: u64, state: &[u8]) {
        for lane in lanes(self.mask) {
            let (first, n) = self.words(lane);
            let need = self.bytes(lane);
            if (first..first + n).any(|w| state.get(w).is_some_and(|s| s & need != need)) {
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
        shadow: &mut [Shadow],
        state: &mut [u8],
        initialised: bool,
    ) {
        let (plain, mark) = (self.plain(), self.me.plain());
        for lane in lanes(self.mask) {
            let (first, n) = self.words(lane);
            let need = self.bytes(lane);
            let mark = mark + lane as u64;
            for w in first..first + n {
                let (Some(entry), Some(state)) = (shadow.get_mut(w), state.get_mut(w)) else {
                    break;
                };
                if self.kind != Kind::Store && !initialised && *state & need != need {
                    let place = self.global_place(slot, lane, w - first);
                    let thread = self.me.thread + lane as u32;
                    m.fault(FindingKind::UninitialisedRead, self.op, place, b.index, thread, false);
                }
                let quick = plain
                    && match self.kind {
                        Kind::Load => Quick::global_read(entry, mark),
                        Kind::Store => Quick::global_write(entry, mark),
                        Kind::Atomic => false,
                    };
                if !quick && let Some((me, conflict, write)) = self.look(entry, lane) {
                    let old = m.grid.memory.word(slot as usize, w);
                    let ordered = b.spoken(&me, &conflict);
                    if !(ordered || write && self.same_value(&conflict, lane, w - first, old)) {
                        m.race(
                            self.op,
                            self.global_place(slot, lane, w - first),
                            &me,
                            conflict,
                            write,
                        );
                    }
                }
                if self.kind != Kind::Load {
                    *state |= need;
                    *state += if *state < 0xf0 { 0x10 } else { 0 };
                }
            }
        }
    }

    fn global_place(&self, slot: u64, lane: usize, word: usize) -> Place {
        Place::Global(slot, i64::from(self.offsets[lane]) + word as i64 * 4)
    }

    #[inline(always)]
    fn shared(&self, m: &mut Machine<'_>, b: &BlockState, shadow: &mut [Shadow]) {
        let (plain, mark, quick) = (self.plain(), self.me.plain(), Quick::new(&self.me));
        for lane in lanes(self.mask) {
            let (first, n) = self.words(lane);
            let mark = mark + lane as u64;
            for w in first..first + n {
                let Some(entry) = shadow.get_mut(w) else { break };
                let easy = plain
                    && match self.kind {
                        Kind::Load => quick.shared_read(entry, mark),
                        Kind::Store => quick.shared_write(entry, mark),
                        Kind::Atomic => false,
                    };
                if !easy {
                    self.shared_closely(m, b, entry, lane, w, w - first);
                }
            }
        }
    }

    #[inline(never)]
    fn shared_closely(
        &self,
        m: &mut Machine<'_>,
        b: &BlockState,
        entry: &mut Shadow,
        lane: usize,
        w: usize,
        word: usize,
    ) {
        let place = Place::Shared(i64::from(self.offsets[lane]) + word as i64 * 4);
        if self.kind != Kind::Store && self.me.unwritten(entry) {
            let thread = self.me.thread + lane as u32;
            m.fault(FindingKind::UninitialisedRead, self.op, place, b.index, thread, false);
        }
        if let Some((me, conflict, write)) = self.look(entry, lane) {
            let old = b.shared.get(w).copied();
            let ordered = b.spoken(&me, &conflict);
            if !(ordered || write && self.same_value(&conflict, lane, word, old)) {
                m.race(self.op, place, &Me { block: b.index, ..me }, conflict, write);
            }
        }
    }

    /// The close look: records the access, and tells what it conflicts with and whether as a write.
    #[inline(never)]
    fn look(&self, entry: &mut Shadow, lane: usize) -> Option<(Me, Conflict, bool)> {
        let me = Me { thread: self.me.thread + lane as u32, ..self.me };
        // neighbours share the word: only bytes that meet would race, and bytes are not followed
        let part = self.op.bytes() < 4;
        let mut conflict = None;
        if self.kind != Kind::Store && !part {
            conflict = me.read(entry).filter(|_| self.kind == Kind::Load).map(|c| (me, c, false));
        }
        if self.kind != Kind::Load {
            if part {
                *entry = Shadow::default();
            }
            conflict = me.write(entry).map(|c| (me, c, true)).or(conflict);
        }
        conflict
    }

    /// Two unordered stores of the same value: every order gives the same result.
    fn same_value(&self, conflict: &Conflict, lane: usize, part: usize, old: Option<u32>) -> bool {
        let (rows, op, offsets) = (self.rows, self.op, self.offsets);
        if self.kind != Kind::Store || conflict.atomic {
            return false;
        }
        let value = |lane: usize| -> Option<u32> {
            if op.wide {
                let x = rows.x.get(op.rows[part / 2] as usize)?.0[lane];
                Some(if part.is_multiple_of(2) { x as u32 } else { (x >> 32) as u32 })
            } else {
                Some(rows.r.get(op.rows[part] as usize)?.0[lane])
            }
        };
        if op.width < 4 {
            return false;
        }
        let other = conflict.thread as usize & 31;
        if conflict.together && offsets[other] == offsets[lane] {
            // both lanes in one instruction: neither value is in memory yet
            return value(other) == value(lane);
        }
        old.is_some() && value(lane) == old
    }
}
