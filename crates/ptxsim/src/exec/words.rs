//! Moves the data of a warp's loads, stores and atomics. All offsets are in bounds and aligned.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over 32 lanes of several rows, which become vector code"
)]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::access::{ActiveLanes, Kind};
use super::alu::Rows;
use super::pattern::LaneOffsets;
use super::vector::{self, LINE_WORDS, Vectors};
use super::warp::{Row32, lanes};
use crate::arith::float::{Round, add_f32, add_f64};
use crate::arith::half;
use crate::arith::mbarrier;
use crate::arith::soft::Format;
use crate::decode::op::{AtomicOp, MemOp};

/// 4-byte words that a warp can load from and store to.
pub(super) trait Words {
    fn get(&self, word: usize) -> u32;
    fn set(&mut self, word: usize, value: u32, mask: u32);
    /// Replaces a word by `f` of it; returns the old value.
    fn modify(&mut self, word: usize, f: impl Fn(u32) -> u32) -> u32 {
        let old = self.get(word);
        self.set(word, f(old), u32::MAX);
        old
    }
    /// Reads lines of consecutive words from `word` on.
    fn read(&self, word: usize, to: &mut [[u32; LINE_WORDS]]) {
        for (i, to) in to.as_flattened_mut().iter_mut().enumerate() {
            *to = self.get(word + i);
        }
    }
    fn write(&mut self, word: usize, from: &[[u32; LINE_WORDS]]) {
        for (i, from) in from.as_flattened().iter().enumerate() {
            self.set(word + i, *from, u32::MAX);
        }
    }
}

/// The shapes that nearly all accesses have.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    /// All lanes are active, each right behind the one before.
    pub run: bool,
    /// All active lanes are at one address.
    pub same: bool,
    /// The two halves of a full warp, if each is a run or at one address, as in a block with 16
    /// columns.
    pub halves: Option<[Half; 2]>,
}

/// A half-warp that is a run, or at one address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Half {
    /// Bytes from the warp's first lane to this half's.
    pub by: u32,
    pub run: bool,
}

impl Half {
    /// The two halves of a warp, from the distances to its first lane; `None` for a half that is
    /// neither a run nor at one address. `step`, the bytes of a lane's access, is a power of two.
    #[inline(always)]
    pub fn both(by: &[u32; 32], step: u32) -> [Option<Self>; 2] {
        let (shift, first) = (step.trailing_zeros() & 31, [by[0], by[16]]);
        // one loop over 32 lanes becomes vector compares, while two loops over 16 would become 32
        // branches
        let (mut uneven, mut unequal) = (0_u32, 0_u32);
        for (i, by) in by.iter().enumerate() {
            let base = if i < 16 { first[0] } else { first[1] };
            let run = base.wrapping_add((i as u32 & 15) << shift);
            uneven |= u32::from(*by != run) << i;
            unequal |= u32::from(*by != base) << i;
        }
        [(first[0], 0xffff), (first[1], 0xffff_0000)].map(|(by, half)| {
            let run = uneven & half == 0;
            (run || unequal & half == 0).then_some(Self { by, run })
        })
    }
}

pub(super) struct Shared<'m>(pub &'m mut [u32]);

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
    fn modify(&mut self, word: usize, f: impl Fn(u32) -> u32) -> u32 {
        let Some(w) = self.0.get_mut(word) else { return 0 };
        let old = *w;
        *w = f(old);
        old
    }

    #[inline(always)]
    fn read(&self, word: usize, to: &mut [[u32; LINE_WORDS]]) {
        if let Some(from) = self.0.get(word..word + to.len() * LINE_WORDS) {
            to.copy_from_slice(from.as_chunks().0);
        }
    }

    #[inline(always)]
    fn write(&mut self, word: usize, from: &[[u32; LINE_WORDS]]) {
        if let Some(to) = self.0.get_mut(word..word + from.len() * LINE_WORDS) {
            to.as_chunks_mut().0.copy_from_slice(from);
        }
    }
}

pub(super) struct Global<'m> {
    pub words: &'m [AtomicU32],
    pub vectors: Vectors,
    /// Other host threads run blocks of the launch at the same time.
    pub parallel: bool,
}

impl Words for Global<'_> {
    #[inline(always)]
    fn get(&self, word: usize) -> u32 {
        self.words.get(word).map_or(0, |w| w.load(Relaxed))
    }

    #[inline(always)]
    fn set(&mut self, word: usize, value: u32, mask: u32) {
        let Some(w) = self.words.get(word) else { return };
        if mask == u32::MAX {
            w.store(value, Relaxed);
        } else {
            let _ = w.fetch_update(Relaxed, Relaxed, |old| Some((old & !mask) | (value & mask)));
        }
    }

    #[inline(always)]
    fn modify(&mut self, word: usize, f: impl Fn(u32) -> u32) -> u32 {
        let Some(w) = self.words.get(word) else { return 0 };
        if self.parallel {
            let (Ok(old) | Err(old)) = w.fetch_update(Relaxed, Relaxed, |old| Some(f(old)));
            return old;
        }
        let old = w.load(Relaxed);
        w.store(f(old), Relaxed);
        old
    }

    #[inline(always)]
    fn read(&self, word: usize, to: &mut [[u32; LINE_WORDS]]) {
        if let Some(from) = self.words.get(word..word + to.len() * LINE_WORDS) {
            for (to, from) in to.iter_mut().zip(from.as_chunks().0) {
                vector::load_line(from, to, self.vectors);
            }
        }
    }

    #[inline(always)]
    fn write(&mut self, word: usize, from: &[[u32; LINE_WORDS]]) {
        if let Some(to) = self.words.get(word..word + from.len() * LINE_WORDS) {
            for (to, from) in to.as_chunks().0.iter().zip(from) {
                vector::store_line(to, from, self.vectors);
            }
        }
    }
}

/// Moves the data. True when memory may have changed; once `all_yielded`, true only when it has.
/// All lanes are in bounds and aligned.
#[inline(always)]
pub(super) fn transfer<W: Words>(
    words: &mut W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    kind: Kind,
    active: &ActiveLanes,
    at: &LaneOffsets<'_>,
    all_yielded: bool,
) -> bool {
    let changes = !all_yielded || kind != Kind::Store || store_changes(words, rows, op, active, at);
    match kind {
        Kind::Load => {
            load(words, rows, op, active, at);
            return false;
        }
        Kind::Store if op.width == 4 && op.vector == 1 && at.pattern.shape.run => {
            let v = &rows.r[op.rows[0] as usize].0;
            words.write(at.first as usize >> 2, v.as_chunks().0);
        }
        Kind::Store if op.width == 4 && at.pattern.shape.run => {
            store_run(words, rows, op, at.first as usize >> 2);
        }
        Kind::Store => store(words, rows, op, active, &at.offsets()),
        Kind::Atomic => return atomic(words, rows, op, active, &at.offsets()),
    }
    changes
}

/// Will a store change a word? If lanes store different values to one word, it may seem so although
/// it will not.
#[cold]
#[inline(never)]
fn store_changes<W: Words>(
    words: &W,
    rows: &Rows<'_>,
    op: &MemOp,
    active: &ActiveLanes,
    at: &LaneOffsets<'_>,
) -> bool {
    let (offsets, stored) = (at.offsets(), u64::MAX >> (64 - 8 * op.width));
    let unsigned = MemOp { signed: false, ..*op };
    (0..op.vector).any(|e| {
        let row = op.rows[e as usize & 3] as usize;
        lanes(active.mask).any(|lane| {
            let new = if op.wide { rows.x[row].0[lane] } else { u64::from(rows.r[row].0[lane]) };
            element(words, offsets[lane] + e * op.width, &unsigned) != new & stored
        })
    })
}

#[inline(always)]
fn load<W: Words>(
    words: &W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    active: &ActiveLanes,
    at: &LaneOffsets<'_>,
) {
    if op.width == 4 && op.vector == 1 && !op.wide {
        load_words(words, rows, op.rows[0], active.write_mask, at);
    } else if op.width == 4 && !op.wide {
        load_vector(words, rows, op, active, at);
    } else if op.width == 1 && at.pattern.shape.run && !op.signed && !op.wide && op.vector == 1 {
        load_bytes(words, rows, op.rows[0], active.write_mask, at);
    } else {
        load_any(words, rows, op, active, &at.offsets());
    }
}

/// Loads one 4-byte word per lane, as nearly all loads do.
#[inline(always)]
fn load_words<W: Words>(
    words: &W,
    rows: &mut Rows<'_>,
    row: u32,
    write_mask: u32,
    at: &LaneOffsets<'_>,
) {
    if row == u32::MAX {
        return;
    }
    let mut v = Row32([0; 32]);
    let d = if write_mask == u32::MAX { &mut rows.r[row as usize] } else { &mut v };
    let (shape, first) = (&at.pattern.shape, at.first as usize >> 2);
    if shape.run {
        words.read(first, d.0.as_chunks_mut().0);
    } else if shape.same {
        d.0 = [words.get(first); 32];
    } else if let Some(halves) = &shape.halves {
        // two rows of a 16-wide block
        for (half, d) in halves.iter().zip(d.0.as_chunks_mut::<LINE_WORDS>().0) {
            let first = at.first.wrapping_add(half.by) as usize >> 2;
            if half.run {
                words.read(first, std::slice::from_mut(d));
            } else {
                *d = [words.get(first); LINE_WORDS];
            }
        }
    } else {
        let offsets = at.offsets();
        for i in 0..32 {
            d.0[i] = words.get(offsets[i] as usize >> 2);
        }
    }
    if write_mask != u32::MAX {
        rows.set32(row, &v.0, write_mask);
    }
}

/// Loads two or four words per lane.
#[inline(always)]
fn load_vector<W: Words>(
    words: &W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    active: &ActiveLanes,
    at: &LaneOffsets<'_>,
) {
    let (shape, first) = (&at.pattern.shape, at.first as usize >> 2);
    let vector = op.vector as usize & 7;
    if shape.same {
        for (e, row) in op.rows.into_iter().enumerate().take(vector) {
            if row != u32::MAX {
                rows.set32(row, &[words.get(first + e); 32], active.write_mask);
            }
        }
    } else if shape.run {
        let mut buffer = [[0; LINE_WORDS]; 8];
        words.read(first, &mut buffer[..2 * vector]);
        for (e, row) in op.rows.into_iter().enumerate().take(vector) {
            let mut v = [0; 32];
            if vector == 4 {
                for i in 0..32 {
                    v[i] = buffer.as_flattened()[4 * i + (e & 3)];
                }
            } else {
                for i in 0..32 {
                    v[i] = buffer.as_flattened()[2 * i + (e & 1)];
                }
            }
            if row != u32::MAX {
                rows.set32(row, &v, active.write_mask);
            }
        }
    } else {
        load_any(words, rows, op, active, &at.offsets());
    }
}

/// Loads 32 bytes, one per lane.
#[inline(always)]
fn load_bytes<W: Words>(
    words: &W,
    rows: &mut Rows<'_>,
    row: u32,
    write_mask: u32,
    at: &LaneOffsets<'_>,
) {
    let (first, shift) = (at.first as usize >> 2, at.first % 4 * 8);
    let mut w = [0; 9];
    for (i, w) in w.iter_mut().enumerate() {
        *w = words.get(first + i);
    }
    let mut v = [0; 32];
    for i in 0..8 {
        let both = u64::from(w[i]) | u64::from(w[i + 1]) << 32;
        let four = ((both >> shift) as u32).to_le_bytes();
        for (n, byte) in four.into_iter().enumerate() {
            v[4 * i + n] = u32::from(byte);
        }
    }
    if row != u32::MAX {
        rows.set32(row, &v, write_mask);
    }
}

/// Any load, element by element.
#[inline(never)]
fn load_any<W: Words>(
    words: &W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    active: &ActiveLanes,
    offsets: &[u32; 32],
) {
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
            rows.set64(row, &v, active.write_mask);
        } else {
            let mut v = [0_u32; 32];
            for i in 0..32 {
                v[i] = element(words, offsets[i] + shift, op) as u32;
            }
            rows.set32(row, &v, active.write_mask);
        }
    }
}

/// One element, extended to 64 bits.
#[inline(always)]
pub(super) fn element<W: Words>(words: &W, offset: u32, op: &MemOp) -> u64 {
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

/// Stores a full warp's vectors of two or four words, each right behind the one before.
#[inline(always)]
fn store_run<W: Words>(words: &mut W, rows: &Rows<'_>, op: &MemOp, first: usize) {
    let vector = op.vector as usize & 7;
    let mut buffer = [[0; LINE_WORDS]; 8];
    for (e, row) in op.rows.into_iter().enumerate().take(vector) {
        let v = &rows.r[row as usize].0;
        if vector == 4 {
            for i in 0..32 {
                buffer.as_flattened_mut()[4 * i + (e & 3)] = v[i];
            }
        } else {
            for i in 0..32 {
                buffer.as_flattened_mut()[2 * i + (e & 1)] = v[i];
            }
        }
    }
    words.write(first, &buffer[..2 * vector]);
}

/// Any store, lane by lane in ascending order.
#[inline(never)]
pub(super) fn store<W: Words>(
    words: &mut W,
    rows: &Rows<'_>,
    op: &MemOp,
    active: &ActiveLanes,
    offsets: &[u32; 32],
) {
    for e in 0..op.vector {
        let row = op.rows[e as usize & 3] as usize;
        let shift = e * op.width;
        if op.wide {
            let v = &rows.x[row].0;
            for i in lanes(active.mask) {
                let at = (offsets[i] + shift) as usize >> 2;
                words.set(at, v[i] as u32, u32::MAX);
                words.set(at + 1, (v[i] >> 32) as u32, u32::MAX);
            }
        } else if op.width == 4 {
            let v = &rows.r[row].0;
            for i in lanes(active.mask) {
                words.set((offsets[i] + shift) as usize >> 2, v[i], u32::MAX);
            }
        } else {
            let v = &rows.r[row].0;
            let bits = if op.width == 2 { 0xffff } else { 0xff };
            for i in lanes(active.mask) {
                let o = offsets[i] + shift;
                let by = o % 4 * 8;
                words.set(o as usize >> 2, v[i] << by, bits << by);
            }
        }
    }
}

/// Executes an atomic lane by lane in ascending order, which is one of the orders that the hardware
/// may choose. True when a word has changed; trying to take a lock that is held changes nothing.
#[inline(never)]
pub(super) fn atomic<W: Words>(
    words: &mut W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    active: &ActiveLanes,
    offsets: &[u32; 32],
) -> bool {
    let Some(kind) = op.atomic else { return false };
    if op.wide {
        return atomic64(words, rows, op, kind, active.mask, offsets);
    }
    if op.width == 2 {
        return atomic16(words, rows, op, kind, active.mask, offsets);
    }
    let (b, c) = (rows.r[op.b as usize].0, rows.r[op.c as usize].0);
    let (mut olds, mut changed) = ([0; 32], false);
    if kind == AtomicOp::Add {
        // histograms and counters
        for lane in lanes(active.mask) {
            let word = offsets[lane] as usize >> 2;
            olds[lane] = words.modify(word, |old| old.wrapping_add(b[lane]));
            changed |= b[lane] != 0;
        }
    } else {
        for lane in lanes(active.mask) {
            let word = offsets[lane] as usize >> 2;
            let new = |old| combine32(kind, old, b[lane], c[lane]);
            olds[lane] = words.modify(word, new);
            changed |= new(olds[lane]) != olds[lane];
        }
    }
    if op.rows[0] != u32::MAX {
        rows.set32(op.rows[0], &olds, active.mask);
    }
    changed
}

/// Executes a 64-bit atomic whose old value is not returned one word after the other, if its
/// operation allows that whatever happens in between. False, and nothing done, for other
/// operations.
fn halves64<W: Words>(words: &mut W, kind: AtomicOp, word: usize, b: u64) -> bool {
    let (low, high) = (b as u32, (b >> 32) as u32);
    match kind {
        AtomicOp::Add => {
            let old = words.modify(word, |old| old.wrapping_add(low));
            let carry = u32::from(old.checked_add(low).is_none());
            words.modify(word + 1, |old| old.wrapping_add(high).wrapping_add(carry));
        }
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
            words.modify(word, |old| combine32(kind, old, low, 0));
            words.modify(word + 1, |old| combine32(kind, old, high, 0));
        }
        _ => return false,
    }
    true
}

/// Atomics of 16 bits, each on half of a word.
fn atomic16<W: Words>(
    words: &mut W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    kind: AtomicOp,
    mask: u32,
    offsets: &[u32; 32],
) -> bool {
    let (b, c) = (rows.r[op.b as usize].0, rows.r[op.c as usize].0);
    let (mut olds, mut changed) = ([0; 32], false);
    for lane in lanes(mask) {
        let by = offsets[lane] % 4 * 8;
        let half = |word: u32| (word >> by) as u16;
        let new = |word: u32| {
            let new = combine16(kind, half(word), b[lane] as u16, c[lane] as u16);
            word & !(0xffff << by) | u32::from(new) << by
        };
        let old = words.modify(offsets[lane] as usize >> 2, new);
        olds[lane] = u32::from(half(old));
        changed |= new(old) != old;
    }
    if op.rows[0] != u32::MAX {
        rows.set32(op.rows[0], &olds, mask);
    }
    changed
}

fn combine16(kind: AtomicOp, old: u16, b: u16, c: u16) -> u16 {
    match kind {
        AtomicOp::AddH => half::add16(old, b, Format::F16),
        AtomicOp::AddB => half::add16(old, b, Format::BF16),
        AtomicOp::Cas if old == b => c,
        _ => old,
    }
}

/// What an atomic stores where it has found `old`, with its operands; `None` for an operation on
/// barriers.
pub(super) fn stored_by_atomic(op: &MemOp, old: u64, [b, c]: [u64; 2]) -> Option<u64> {
    let kind = op.atomic?;
    Some(match op.width {
        _ if matches!(kind, AtomicOp::Arrive | AtomicOp::ArriveDrop) => return None,
        _ if op.wide => combine64(kind, old, b, c),
        2 => combine16(kind, old as u16, b as u16, c as u16).into(),
        _ => combine32(kind, old as u32, b as u32, c as u32).into(),
    })
}

/// Sums of the upper and the lower 16 bits.
fn add_pairs(a: u32, b: u32, format: Format) -> u32 {
    let sum = |by: u32| u32::from(half::add16((a >> by) as u16, (b >> by) as u16, format)) << by;
    sum(16) | sum(0)
}

fn atomic64<W: Words>(
    words: &mut W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    kind: AtomicOp,
    mask: u32,
    offsets: &[u32; 32],
) -> bool {
    let mut changed = false;
    for lane in lanes(mask) {
        let word = offsets[lane] as usize >> 2;
        let (b, c) = (rows.x[op.b as usize].0[lane], rows.x[op.c as usize].0[lane]);
        if op.rows[0] == u32::MAX && halves64(words, kind, word, b) {
            changed = true;
            continue;
        }
        let old = u64::from(words.get(word)) | u64::from(words.get(word + 1)) << 32;
        let new = match kind {
            AtomicOp::Arrive => mbarrier::arrive(old, b, false),
            AtomicOp::ArriveDrop => mbarrier::arrive(old, b, true),
            _ => combine64(kind, old, b, c),
        };
        changed |= new != old;
        words.set(word, new as u32, u32::MAX);
        words.set(word + 1, (new >> 32) as u32, u32::MAX);
        if op.rows[0] != u32::MAX {
            rows.x[op.rows[0] as usize].0[lane] = old;
        }
    }
    changed
}

/// PTX ISA, "atom": the operations, in 32 and in 64 bits.
macro_rules! combine {
    ($name:ident: $u:ident, $s:ident, $f:ident, $sum:ident by $add:path, [$($pair:ident $format:ident)*], not $($other:ident)|*) => {
        fn $name(kind: AtomicOp, old: $u, b: $u, c: $u) -> $u {
            match kind {
                AtomicOp::Add => old.wrapping_add(b),
                AtomicOp::And => old & b,
                AtomicOp::Or => old | b,
                AtomicOp::Xor => old ^ b,
                AtomicOp::Exch => b,
                AtomicOp::Cas => {
                    if old == b {
                        c
                    } else {
                        old
                    }
                }
                AtomicOp::Inc => {
                    if old >= b {
                        0
                    } else {
                        old + 1
                    }
                }
                AtomicOp::Dec => {
                    if old == 0 || old > b {
                        b
                    } else {
                        old - 1
                    }
                }
                AtomicOp::MinS => (old as $s).min(b as $s) as $u,
                AtomicOp::MaxS => (old as $s).max(b as $s) as $u,
                AtomicOp::MinU => old.min(b),
                AtomicOp::MaxU => old.max(b),
                AtomicOp::$sum => $add($f::from_bits(old), $f::from_bits(b), Round::Near).to_bits(),
                $( AtomicOp::$pair => add_pairs(old, b, Format::$format), )*
                // sums of other widths: the decoder never pairs them
                $( AtomicOp::$other )|* => old,
            }
        }
    };
}
combine!(combine32: u32, i32, f32, AddF by add_f32, [AddH2 F16 AddB2 BF16], not AddD | AddH | AddB | Arrive | ArriveDrop);
combine!(combine64: u64, i64, f64, AddD by add_f64, [], not AddF | AddH | AddB | AddH2 | AddB2 | Arrive | ArriveDrop);
