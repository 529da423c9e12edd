//! Loads, stores and atomics of a warp: bounds, alignment, counting, hazards, then the data.

#![expect(clippy::needless_range_loop, reason = "loops over 32 lanes of several rows, which become vector code")]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::alu::Rows;
use super::machine::{BlockState, Machine, Place};
use super::shadow::{MAX_SITE, MAX_STAMP, Me};
use super::warp::lanes;
use super::{COUNT, FULL};
use crate::FindingKind;
use crate::address::{LOCAL_SLOT, SHARED_SLOT, base, split};
use crate::count;
use crate::decode::op::{Address, AtomicOp, MemOp, MemSpace};

/// 4-byte words that a warp can load from and store to.
trait Words {
    fn get(&self, word: usize) -> u32;
    fn set(&mut self, word: usize, value: u32, mask: u32);
    /// Consecutive words from `word` on.
    fn get_run<const N: usize>(&self, word: usize) -> [u32; N] {
        std::array::from_fn(|i| self.get(word + i))
    }
    fn set_run(&mut self, word: usize, values: &[u32; 32]) {
        for (i, v) in values.iter().enumerate() {
            self.set(word + i, *v, u32::MAX);
        }
    }
}

/// The two shapes that nearly all accesses have, for the whole warp.
#[derive(Debug, Clone, Copy)]
struct Shape {
    /// All lanes active, each right behind the one before.
    run: bool,
    /// All active lanes at one address.
    same: bool,
}

/// Are these offsets a run of `step`, or all the same?
#[inline(always)]
fn shape<const N: usize>(offsets: &[u32; N], step: u32) -> (bool, bool) {
    let (mut uneven, mut unequal) = (0, 0);
    for i in 0..N {
        uneven |= offsets[i] ^ offsets[0].wrapping_add(i as u32 * step);
        unequal |= offsets[i] ^ offsets[0];
    }
    (uneven == 0, unequal == 0)
}

struct Shared<'m>(&'m mut [u32]);

impl Words for Shared<'_> {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        self.0.get(word).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn set(&mut self, word: usize, value: u32, mask: u32) {
        if let Some(w) = self.0.get_mut(word) {
            *w = (*w & !mask) | (value & mask);
        }
    }

    #[inline(always)]
    fn get_run<const N: usize>(&self, word: usize) -> [u32; N] {
        self.0.get(word..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
    }

    #[inline(always)]
    fn set_run(&mut self, word: usize, values: &[u32; 32]) {
        if let Some(run) = self.0.get_mut(word..).and_then(|rest| rest.first_chunk_mut()) {
            *run = *values;
        }
    }
}

struct Global<'m>(&'m [AtomicU32]);

impl Words for Global<'_> {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        self.0.get(word).map_or(0, |w| w.load(Relaxed))
    }

    #[inline(always)]
    fn set(&mut self, word: usize, value: u32, mask: u32) {
        let Some(w) = self.0.get(word) else { return };
        if mask == u32::MAX {
            w.store(value, Relaxed);
        } else {
            let _ = w.fetch_update(Relaxed, Relaxed, |old| Some((old & !mask) | (value & mask)));
        }
    }

    #[inline(always)]
    fn get_run<const N: usize>(&self, word: usize) -> [u32; N] {
        match self.0.get(word..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(run) => std::array::from_fn(|i| run[i].load(Relaxed)),
            None => [0; N],
        }
    }

    #[inline(always)]
    fn set_run(&mut self, word: usize, values: &[u32; 32]) {
        if let Some(run) = self.0.get(word..).and_then(|rest| rest.first_chunk::<32>()) {
            for (w, v) in run.iter().zip(values) {
                w.store(*v, Relaxed);
            }
        }
    }
}

/// What an operation does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    Atomic,
}

/// Everything about the lanes that access.
pub(super) struct Who {
    pub mask: u32,
    /// Lanes whose registers may be written.
    pub keep: u32,
    pub local_base: u32,
    pub local_bytes: u32,
}

/// Executes memory operation `index`.
#[inline(always)]
pub(super) fn access<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut WarpParts<'_>,
    rows: &mut Rows<'_>,
    index: u32,
    kind: Kind,
    who: &Who,
) {
    let op = m.grid.program.memory[index as usize];
    let mut addresses = [0_u64; 32];
    match op.address {
        Address::Row64(row) => {
            let a = &rows.x[row as usize].0;
            for i in 0..32 {
                addresses[i] = a[i].wrapping_add(op.offset as u64);
            }
        }
        Address::Row32(row) => {
            let a = &rows.r[row as usize].0;
            for i in 0..32 {
                addresses[i] = u64::from(a[i].wrapping_add(op.offset as u32));
            }
        }
    }
    let first = who.mask.trailing_zeros() as usize & 31;
    if who.mask != u32::MAX {
        let fill = addresses[first];
        for i in 0..32 {
            addresses[i] = if who.mask >> i & 1 == 1 { addresses[i] } else { fill };
        }
    }
    let space = match op.space {
        MemSpace::Generic => {
            let slot = split(addresses[first]).0;
            let mixed = addresses.iter().fold(0, |all, a| all | (split(*a).0 ^ slot));
            let window = |slot| match slot {
                SHARED_SLOT => MemSpace::Shared,
                LOCAL_SLOT => MemSpace::Local,
                _ => MemSpace::Global,
            };
            if mixed != 0 && lanes(who.mask).any(|l| window(split(addresses[l]).0) != window(slot)) {
                return by_window::<L>(m, b, warp, rows, index, kind, who, &addresses);
            }
            match window(slot) {
                MemSpace::Shared => {
                    addresses.iter_mut().for_each(|a| *a = a.wrapping_sub(base(SHARED_SLOT)));
                    MemSpace::Shared
                }
                MemSpace::Local => {
                    addresses.iter_mut().for_each(|a| *a = a.wrapping_sub(base(LOCAL_SLOT)));
                    MemSpace::Local
                }
                s => s,
            }
        }
        space => space,
    };
    go::<L>(m, b, warp, rows, index, &op, kind, who, &addresses, space);
}

/// The parts of a warp that are not its registers.
pub(super) struct WarpParts<'w> {
    pub index: u32,
    pub epoch: u32,
    pub local: &'w mut Vec<u32>,
    pub local_written: &'w mut Vec<u32>,
}

/// Lanes whose generic addresses lead to different windows: one window after the other.
#[cold]
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the pieces of one access, borrowed apart")]
fn by_window<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut WarpParts<'_>,
    rows: &mut Rows<'_>,
    index: u32,
    kind: Kind,
    who: &Who,
    addresses: &[u64; 32],
) {
    let op = m.grid.program.memory[index as usize];
    for space in [MemSpace::Global, MemSpace::Shared, MemSpace::Local] {
        let slot = match space {
            MemSpace::Shared => SHARED_SLOT,
            _ => LOCAL_SLOT,
        };
        let mask: u32 = lanes(who.mask)
            .filter(|l| {
                let s = split(addresses[*l]).0;
                match space {
                    MemSpace::Global => s != SHARED_SLOT && s != LOCAL_SLOT,
                    _ => s == slot,
                }
            })
            .fold(0, |all, l| all | 1 << l);
        if mask == 0 {
            continue;
        }
        let mut part = *addresses;
        let fill = part[mask.trailing_zeros() as usize];
        for (i, a) in part.iter_mut().enumerate() {
            if mask >> i & 1 == 0 {
                *a = fill;
            }
            if space != MemSpace::Global {
                *a = a.wrapping_sub(base(slot));
            }
        }
        let who = Who { mask, keep: mask, ..*who };
        go::<L>(m, b, warp, rows, index, &op, kind, &who, &part, space);
    }
}

#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the pieces of one access, borrowed apart")]
fn go<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut WarpParts<'_>,
    rows: &mut Rows<'_>,
    index: u32,
    op: &MemOp,
    kind: Kind,
    who: &Who,
    addresses: &[u64; 32],
    space: MemSpace,
) {
    if space == MemSpace::Local {
        return local::<L>(m, b, warp, rows, index, op, kind, who, addresses);
    }
    let global = space != MemSpace::Shared;
    let first = who.mask.trailing_zeros() as usize & 31;
    let (slot, origin) = if global {
        let (slot, _) = split(addresses[first]);
        (slot, base(slot))
    } else {
        (0, 0)
    };
    let allocation = if global {
        (slot as usize).checked_sub(1).and_then(|s| m.grid.memory.allocations.get(s))
    } else {
        None
    };
    // offsets from the allocation's start; anything below it or far beyond sets high bits
    let mut offsets = [0_u32; 32];
    let (mut high, mut low, mut top) = (0_u64, 0_u32, 0_u32);
    for i in 0..32 {
        let o = addresses[i].wrapping_sub(origin);
        high |= o >> 32;
        offsets[i] = o as u32;
        low |= o as u32;
        top = top.max(o as u32);
    }
    let bytes = op.bytes();
    let end = u64::from(top) + u64::from(bytes);
    let inside = high == 0
        && match allocation {
            Some(a) => end <= a.bytes && (a.writable || kind == Kind::Load),
            None => {
                !global && {
                    let bottom = offsets.iter().fold(u32::MAX, |l, o| l.min(*o));
                    end <= u64::from(m.grid.shared_bytes) && m.shared_inside(bottom, end as u32)
                }
            }
        };
    if !inside || low & (bytes - 1) != 0 {
        return careful::<L>(m, b, warp, rows, index, op, kind, who, addresses, global);
    }
    let (run, same) = shape(&offsets, bytes);
    let shape = Shape { run: run && who.mask == u32::MAX, same };
    if L >= COUNT {
        let site = &mut m.sites[index as usize];
        if global {
            site.requests += 1;
            site.ideal += u64::from(count::ideal_sectors(who.mask.count_ones(), bytes));
            site.units += u64::from(if shape.run {
                (offsets[0] % 32 + 32 * bytes).div_ceil(32)
            } else if shape.same {
                (offsets[0] % 32 + bytes).div_ceil(32)
            } else {
                count::sectors(addresses, who.mask, bytes)
            });
        } else {
            site.shared_requests += 1;
            let (wavefronts, ideal) = if bytes <= 4 && (shape.run || shape.same) {
                (1, 1)
            } else {
                count::shared_wavefronts(addresses, who.mask, bytes)
            };
            site.wavefronts += u64::from(wavefronts);
            site.wavefronts_ideal += u64::from(ideal);
        }
    }
    if L >= FULL {
        hazards(m, b, warp, rows, index, op, kind, who, &offsets, if global { Some(slot - 1) } else { None });
    }
    if global {
        if let Some(a) = allocation {
            transfer(&mut Global(&a.words), rows, op, kind, who, &offsets, shape);
        }
    } else {
        transfer(&mut Shared(&mut b.shared), rows, op, kind, who, &offsets, shape);
    }
}

/// The slow path: some lane is out of bounds, misaligned, or in another allocation than the first.
#[cold]
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the pieces of one access, borrowed apart")]
fn careful<const L: u8>(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &mut WarpParts<'_>,
    rows: &mut Rows<'_>,
    index: u32,
    op: &MemOp,
    kind: Kind,
    who: &Who,
    addresses: &[u64; 32],
    global: bool,
) {
    let bytes = op.bytes();
    let mut good = 0_u32;
    let write = kind == Kind::Store;
    for lane in lanes(who.mask) {
        let linear = warp.index * 32 + lane as u32;
        let address = addresses[lane];
        let (place, limits) = if global {
            let (slot, offset) = split(address);
            match (slot as usize).checked_sub(1).and_then(|s| m.grid.memory.allocations.get(s)) {
                Some(a) if a.writable || kind == Kind::Load => {
                    (Place::Global(slot - 1, offset), Some((offset, a.bytes as i64)))
                }
                Some(_) => (Place::Global(slot - 1, offset), Some((offset, 0))),
                None => (Place::Nowhere(address), None),
            }
        } else {
            // 32-bit addresses before the window's start wrap around
            let offset = match op.address {
                Address::Row32(_) if op.space == MemSpace::Shared => i64::from(address as u32 as i32),
                _ => address as i64,
            };
            let inside = u32::try_from(offset).is_ok_and(|o| {
                o.checked_add(bytes).is_some_and(|end| m.shared_inside(o, end))
            });
            (Place::Shared(offset), Some((offset, if inside { i64::MAX } else { 0 })))
        };
        let what = match limits {
            None => FindingKind::InvalidAddress,
            Some((offset, limit)) if offset < 0 || offset.saturating_add(i64::from(bytes)) > limit => {
                FindingKind::OutOfBounds
            },
            Some((offset, _)) if offset % i64::from(bytes) != 0 => FindingKind::Misaligned,
            _ => {
                good |= 1 << lane;
                continue;
            }
        };
        m.fault(what, op, place, b.index, linear, write);
    }
    // the lanes that are fine go on, one allocation at a time; the others read zeros
    if kind != Kind::Store {
        let bad = who.mask & !good;
        for row in op.rows.into_iter().filter(|r| *r != u32::MAX) {
            if op.wide {
                rows.set64(row, &[0; 32], bad);
            } else {
                rows.set32(row, &[0; 32], bad);
            }
        }
    }
    while good != 0 {
        let first = good.trailing_zeros() as usize;
        let slot = split(addresses[first]).0;
        let same = if global {
            lanes(good).filter(|l| split(addresses[*l]).0 == slot).fold(0, |all, l| all | 1 << l)
        } else {
            // one shared array at a time, too
            lanes(good)
                .filter(|l| {
                    let (a, z) = (addresses[*l].min(addresses[first]), addresses[*l].max(addresses[first]));
                    m.shared_inside(a as u32, (z as u32).saturating_add(bytes))
                })
                .fold(0, |all, l| all | 1 << l)
        };
        good &= !same;
        let mut part = *addresses;
        for (i, a) in part.iter_mut().enumerate() {
            if same >> i & 1 == 0 {
                *a = addresses[first];
            }
        }
        let who = Who { mask: same, keep: same, ..*who };
        let space = if global { MemSpace::Global } else { MemSpace::Shared };
        go::<L>(m, b, warp, rows, index, op, kind, &who, &part, space);
    }
}

/// Uninitialised reads and races.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the pieces of one access, borrowed apart")]
fn hazards(
    m: &mut Machine<'_>,
    b: &mut BlockState,
    warp: &WarpParts<'_>,
    rows: &Rows<'_>,
    index: u32,
    op: &MemOp,
    kind: Kind,
    who: &Who,
    offsets: &[u32; 32],
    slot: Option<u64>,
) {
    if b.stamp > MAX_STAMP {
        return;
    }
    let me = Me {
        thread: warp.index * 32,
        block: if slot.is_some() { b.index } else { b.generation },
        stamp: b.stamp,
        site: index.min(MAX_SITE),
        block_epoch: b.epoch,
        warp_epoch: warp.epoch.max(b.epoch),
        strong: op.strong,
        talks: m.grid.program.talks,
        shared: slot.is_none(),
    };
    let words = op.bytes().div_ceil(4);
    let bytes = op.bytes();
    // bits of the bytes accessed in a word
    let part = |offset: u32| -> u8 {
        if bytes >= 4 { 0xf } else { ((1_u8 << bytes) - 1) << (offset % 4) }
    };
    match slot {
        Some(slot) => {
            let Some(mut shadow) = m.shadows.get_mut(slot as usize).map(std::mem::take) else { return };
            if shadow.words.is_empty() {
                // nothing in this launch writes it
                if !shadow.initialised {
                    for lane in lanes(who.mask) {
                        let word = offsets[lane] as usize / 4;
                        let need = part(offsets[lane]);
                        let missing =
                            (word..word + words as usize).any(|w| shadow.state.get(w).is_some_and(|s| s & need != need));
                        if missing {
                            let place = Place::Global(slot, i64::from(offsets[lane]));
                            m.fault(FindingKind::UninitialisedRead, op, place, b.index, me.thread + lane as u32, false);
                        }
                    }
                }
                m.shadows[slot as usize] = shadow;
                return;
            }
            for lane in lanes(who.mask) {
                let me = Me { thread: me.thread + lane as u32, ..me };
                let word = offsets[lane] as usize / 4;
                let need = part(offsets[lane]);
                for w in word..word + words as usize {
                    let Some(entry) = shadow.words.get_mut(w) else { break };
                    let place = Place::Global(slot, i64::from(offsets[lane]) + (w - word) as i64 * 4);
                    if kind != Kind::Store {
                        // neighbours share the word: only bytes that meet would race
                        if bytes >= 4
                            && let Some(conflict) = me.read(entry).filter(|_| kind == Kind::Load)
                        {
                            m.race(op, place, &me, conflict, false);
                        }
                        if !shadow.initialised && shadow.state[w] & need != need {
                            m.fault(FindingKind::UninitialisedRead, op, place, b.index, me.thread, false);
                        }
                    }
                    if kind != Kind::Load {
                        if bytes < 4 {
                            entry.read = 0;
                            entry.write = 0;
                        }
                        if let Some(conflict) = me.write(entry) {
                            let old = m.grid.memory.word(slot as usize, w);
                            let same = kind == Kind::Store
                                && same_value(rows, op, &conflict, lane, offsets, w - word, old);
                            if !same {
                                m.race(op, place, &me, conflict, true);
                            }
                        }
                        let state = &mut shadow.state[w];
                        *state |= need;
                        if *state < 0xf0 {
                            *state += 0x10;
                        }
                    }
                }
            }
            m.shadows[slot as usize] = shadow;
        }
        None => {
            let mut shadow = std::mem::take(&mut b.shared_shadow);
            for lane in lanes(who.mask) {
                let me = Me { thread: me.thread + lane as u32, ..me };
                let word = offsets[lane] as usize / 4;
                for w in word..word + words as usize {
                    let Some(entry) = shadow.get_mut(w) else { break };
                    let place = Place::Shared(i64::from(offsets[lane]) + (w - word) as i64 * 4);
                    let told = Me { block: b.index, ..me };
                    if kind != Kind::Store {
                        if me.unwritten(entry) {
                            m.fault(FindingKind::UninitialisedRead, op, place, b.index, me.thread, false);
                        }
                        if bytes >= 4
                            && let Some(conflict) = me.read(entry).filter(|_| kind == Kind::Load)
                        {
                            m.race(op, place, &told, conflict, false);
                        }
                    }
                    if kind != Kind::Load {
                        if bytes < 4 {
                            entry.read = 0;
                            if !me.unwritten(entry) {
                                entry.write = 0;
                            }
                        }
                        if let Some(conflict) = me.write(entry) {
                            let same = kind == Kind::Store
                                && same_value(rows, op, &conflict, lane, offsets, w - word, b.shared.get(w).copied());
                            if !same {
                                m.race(op, place, &told, conflict, true);
                            }
                        }
                    }
                }
            }
            b.shared_shadow = shadow;
        }
    }
}

/// Two unordered writes of the same value: every order gives the same result.
fn same_value(
    rows: &Rows<'_>,
    op: &MemOp,
    conflict: &super::shadow::Conflict,
    lane: usize,
    offsets: &[u32; 32],
    part: usize,
    old: Option<u32>,
) -> bool {
    if conflict.atomic {
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

/// Moves the data. All offsets are inside and aligned; lanes outside the mask repeat an active lane's offset.
#[inline(always)]
fn transfer<W: Words>(
    words: &mut W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    kind: Kind,
    who: &Who,
    offsets: &[u32; 32],
    shape: Shape,
) {
    match kind {
        Kind::Load => load(words, rows, op, who, offsets, shape),
        Kind::Store => store(words, rows, op, who, offsets, shape),
        Kind::Atomic => atomic(words, rows, op, who, offsets),
    }
}

#[inline(always)]
fn load<W: Words>(
    words: &W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    who: &Who,
    offsets: &[u32; 32],
    whole: Shape,
) {
    if op.width == 4 && op.vector == 1 && !op.wide {
        let row = op.rows[0];
        if row == u32::MAX {
            return;
        }
        let first = offsets[0] as usize >> 2;
        let v = if whole.run {
            words.get_run(first)
        } else if whole.same {
            [words.get(first); 32]
        } else {
            // two rows of a 16-wide block, each a run or one address
            let mut v = [0_u32; 32];
            let (halves, _) = offsets.as_chunks::<16>();
            for (half, d) in halves.iter().zip(v.as_chunks_mut::<16>().0) {
                let first = half[0] as usize >> 2;
                *d = match shape(half, 4) {
                    (true, _) => words.get_run(first),
                    (_, true) => [words.get(first); 16],
                    _ => std::array::from_fn(|i| words.get(half[i] as usize >> 2)),
                };
            }
            v
        };
        rows.set32(row, &v, who.keep);
        return;
    }
    for e in 0..op.vector {
        let row = op.rows[e as usize & 3];
        if row == u32::MAX {
            continue;
        }
        let shift = e * op.width;
        if op.wide {
            let mut v = [0_u64; 32];
            for i in 0..32 {
                v[i] = element(words, offsets[i] + shift, op);
            }
            rows.set64(row, &v, who.keep);
        } else {
            let mut v = [0_u32; 32];
            for i in 0..32 {
                v[i] = element(words, offsets[i] + shift, op) as u32;
            }
            rows.set32(row, &v, who.keep);
        }
    }
}

/// One element, extended to 64 bits.
#[inline(always)]
fn element<W: Words>(words: &W, offset: u32, op: &MemOp) -> u64 {
    let word = words.get(offset as usize >> 2);
    match op.width {
        8 => u64::from(word) | u64::from(words.get((offset as usize >> 2) + 1)) << 32,
        4 if op.signed => i64::from(word as i32) as u64,
        4 => u64::from(word),
        2 => {
            let half = (word >> (offset % 4 * 8)) as u16;
            if op.signed { i64::from(half as i16) as u64 } else { u64::from(half) }
        }
        _ => {
            let byte = (word >> (offset % 4 * 8)) as u8;
            if op.signed { i64::from(byte as i8) as u64 } else { u64::from(byte) }
        }
    }
}

#[inline(always)]
fn store<W: Words>(
    words: &mut W,
    rows: &Rows<'_>,
    op: &MemOp,
    who: &Who,
    offsets: &[u32; 32],
    shape: Shape,
) {
    for e in 0..op.vector {
        let row = op.rows[e as usize & 3] as usize;
        let shift = e * op.width;
        if op.wide {
            let v = &rows.x[row].0;
            for i in lanes(who.mask) {
                let at = (offsets[i] + shift) as usize >> 2;
                words.set(at, v[i] as u32, u32::MAX);
                words.set(at + 1, (v[i] >> 32) as u32, u32::MAX);
            }
        } else if op.width == 4 {
            let v = &rows.r[row].0;
            if shape.run && op.vector == 1 {
                words.set_run(offsets[0] as usize >> 2, v);
            } else {
                for i in lanes(who.mask) {
                    words.set((offsets[i] + shift) as usize >> 2, v[i], u32::MAX);
                }
            }
        } else {
            let v = &rows.r[row].0;
            let bits = if op.width == 2 { 0xffff } else { 0xff };
            for i in lanes(who.mask) {
                let o = offsets[i] + shift;
                let by = o % 4 * 8;
                words.set(o as usize >> 2, v[i] << by, bits << by);
            }
        }
    }
}

/// Lane by lane, ascending: one of the orders that the hardware may choose, always the same one.
#[inline(never)]
fn atomic<W: Words>(words: &mut W, rows: &mut Rows<'_>, op: &MemOp, who: &Who, offsets: &[u32; 32]) {
    let Some(kind) = op.atomic else { return };
    for lane in lanes(who.mask) {
        let word = offsets[lane] as usize >> 2;
        if op.wide {
            let old = u64::from(words.get(word)) | u64::from(words.get(word + 1)) << 32;
            let (b, c) = (rows.x[op.b as usize].0[lane], rows.x[op.c as usize].0[lane]);
            let new = combine64(kind, old, b, c);
            words.set(word, new as u32, u32::MAX);
            words.set(word + 1, (new >> 32) as u32, u32::MAX);
            if op.rows[0] != u32::MAX {
                rows.x[op.rows[0] as usize].0[lane] = old;
            }
        } else {
            let old = words.get(word);
            let (b, c) = (rows.r[op.b as usize].0[lane], rows.r[op.c as usize].0[lane]);
            words.set(word, combine32(kind, old, b, c), u32::MAX);
            if op.rows[0] != u32::MAX {
                rows.r[op.rows[0] as usize].0[lane] = old;
            }
        }
    }
}

/// PTX ISA, "atom": the operations.
fn combine32(kind: AtomicOp, old: u32, b: u32, c: u32) -> u32 {
    match kind {
        AtomicOp::Add => old.wrapping_add(b),
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::Exch => b,
        AtomicOp::Cas => if old == b { c } else { old },
        AtomicOp::Inc => if old >= b { 0 } else { old + 1 },
        AtomicOp::Dec => if old == 0 || old > b { b } else { old - 1 },
        AtomicOp::MinS => (old as i32).min(b as i32) as u32,
        AtomicOp::MaxS => (old as i32).max(b as i32) as u32,
        AtomicOp::MinU => old.min(b),
        AtomicOp::MaxU => old.max(b),
        AtomicOp::AddF => crate::arith::float::canonical_f32(f32::from_bits(old) + f32::from_bits(b)).to_bits(),
        AtomicOp::AddD => old,
    }
}

fn combine64(kind: AtomicOp, old: u64, b: u64, c: u64) -> u64 {
    match kind {
        AtomicOp::Add => old.wrapping_add(b),
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::Exch => b,
        AtomicOp::Cas => if old == b { c } else { old },
        AtomicOp::Inc => if old >= b { 0 } else { old + 1 },
        AtomicOp::Dec => if old == 0 || old > b { b } else { old - 1 },
        AtomicOp::MinS => (old as i64).min(b as i64) as u64,
        AtomicOp::MaxS => (old as i64).max(b as i64) as u64,
        AtomicOp::MinU => old.min(b),
        AtomicOp::MaxU => old.max(b),
        AtomicOp::AddD => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
        AtomicOp::AddF => old,
    }
}

/// Local memory: each lane its own column of words.
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the pieces of one access, borrowed apart")]
fn local<const L: u8>(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: &mut WarpParts<'_>,
    rows: &mut Rows<'_>,
    index: u32,
    op: &MemOp,
    kind: Kind,
    who: &Who,
    addresses: &[u64; 32],
) {
    let top = who.local_base + who.local_bytes;
    let words = (top as usize).div_ceil(4);
    if warp.local.len() < words * 32 {
        warp.local.resize(words * 32, 0);
        warp.local_written.resize(words, 0);
    }
    if L >= COUNT {
        m.sites[index as usize].local += 1;
    }
    let bytes = op.bytes();
    for lane in lanes(who.mask) {
        let offset = addresses[lane] as i64;
        let what = if offset < 0 || offset.saturating_add(i64::from(bytes)) > i64::from(top) {
            Some(FindingKind::OutOfBounds)
        } else if offset % i64::from(bytes) != 0 {
            Some(FindingKind::Misaligned)
        } else {
            None
        };
        let linear = warp.index * 32 + lane as u32;
        if let Some(what) = what {
            m.fault(what, op, Place::Local(offset), b.index, linear, kind == Kind::Store);
                if kind != Kind::Store {
                for row in op.rows.into_iter().filter(|r| *r != u32::MAX) {
                    if op.wide {
                        rows.x[row as usize].0[lane] = 0;
                    } else {
                        rows.r[row as usize].0[lane] = 0;
                    }
                }
            }
            continue;
        }
        let word = offset as usize / 4;
        let used = word..word + bytes.div_ceil(4) as usize;
        if L >= FULL && kind != Kind::Store && used.clone().any(|w| warp.local_written[w] >> lane & 1 == 0) {
            m.fault(FindingKind::UninitialisedRead, op, Place::Local(offset), b.index, linear, false);
        }
        if kind != Kind::Load {
            for w in used {
                warp.local_written[w] |= 1 << lane;
            }
        }
        let mut column = Column { words: &mut *warp.local, lane };
        let alone = Who { mask: 1 << lane, keep: 1 << lane, ..*who };
        let offsets = [offset as u32; 32];
        match kind {
            Kind::Load => lane_load(&column, rows, op, lane, offset as u32),
            Kind::Store => {
                store(&mut column, rows, op, &alone, &offsets, Shape { run: false, same: true });
            }
            Kind::Atomic => atomic(&mut column, rows, op, &alone, &offsets),
        }
    }
}

struct Column<'m> {
    words: &'m mut [u32],
    lane: usize,
}

impl Words for Column<'_> {
    fn get(&self, word: usize) -> u32 {
        self.words.get(word * 32 + self.lane).copied().unwrap_or(0)
    }

    fn set(&mut self, word: usize, value: u32, mask: u32) {
        if let Some(w) = self.words.get_mut(word * 32 + self.lane) {
            *w = (*w & !mask) | (value & mask);
        }
    }
}

fn lane_load<W: Words>(words: &W, rows: &mut Rows<'_>, op: &MemOp, lane: usize, offset: u32) {
    for e in 0..op.vector {
        let row = op.rows[e as usize & 3];
        if row == u32::MAX {
            continue;
        }
        let value = element(words, offset + e * op.width, op);
        if op.wide {
            rows.x[row as usize].0[lane] = value;
        } else {
            rows.r[row as usize].0[lane] = value as u32;
        }
    }
}
