//! The data of a warp's loads, stores and atomics. All offsets are inside and aligned.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::access::{Kind, Who};
use super::alu::Rows;
use super::warp::lanes;
use crate::arith::float::{Round, add_f32, add_f64};
use crate::decode::op::{AtomicOp, MemOp};

/// 4-byte words that a warp can load from and store to.
pub(super) trait Words {
    fn get(&self, word: usize) -> u32;
    fn set(&mut self, word: usize, value: u32, mask: u32);
    /// Consecutive words from `word` on.
    fn get_run<const N: usize>(&self, word: usize) -> [u32; N] {
        let mut v = [0; N];
        for (i, v) in v.iter_mut().enumerate() {
            *v = self.get(word + i);
        }
        v
    }
    fn set_run(&mut self, word: usize, values: &[u32; 32]) {
        for (i, v) in values.iter().enumerate() {
            self.set(word + i, *v, u32::MAX);
        }
    }
}

/// The two shapes that nearly all accesses have, for the whole warp.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// All lanes active, each right behind the one before.
    pub run: bool,
    /// All active lanes at one address.
    pub same: bool,
    /// Each half of a full warp by itself, as in a block of 16 columns.
    pub halves: Option<[Half; 2]>,
}

/// A half-warp that is a run, or at one address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Half {
    pub first: u32,
    pub run: bool,
}

impl Half {
    /// What the two halves of a warp's offsets are; `None` for one that is neither. `step` is a power of two.
    #[inline(always)]
    pub fn both(offsets: &[u32; 32], step: u32) -> [Option<Self>; 2] {
        let (shift, first) = (step.trailing_zeros() & 31, [offsets[0], offsets[16]]);
        // one bit a lane: a loop over 32 that becomes vector compares, where two over 16 would become 32 branches
        let (mut uneven, mut unequal) = (0_u32, 0_u32);
        for (i, offset) in offsets.iter().enumerate() {
            let base = if i < 16 { first[0] } else { first[1] };
            let run = base.wrapping_add((i as u32 & 15) << shift);
            uneven |= u32::from(*offset != run) << i;
            unequal |= u32::from(*offset != base) << i;
        }
        [(first[0], 0xffff), (first[1], 0xffff_0000)].map(|(first, half)| {
            let run = uneven & half == 0;
            (run || unequal & half == 0).then_some(Self { first, run })
        })
    }

    /// The last lane's offset; beyond the end of memory when it would wrap.
    #[inline(always)]
    pub fn last(self, step: u32) -> u32 {
        if self.run { self.first.saturating_add(15 * step) } else { self.first }
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

pub(super) struct Global<'m>(pub &'m [AtomicU32]);

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
            Some(run) => {
                let mut v = [0; N];
                for i in 0..N {
                    v[i] = run[i].load(Relaxed);
                }
                v
            }
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

/// Moves the data. All offsets are inside and aligned; lanes outside the mask repeat an active lane's offset.
#[inline(always)]
pub(super) fn transfer<W: Words>(
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
            let mut v = [0_u32; 32];
            match whole.halves {
                // two rows of a 16-wide block
                Some(halves) => {
                    for (half, d) in halves.iter().zip(v.as_chunks_mut::<16>().0) {
                        let first = half.first as usize >> 2;
                        *d = if half.run { words.get_run(first) } else { [words.get(first); 16] };
                    }
                }
                None => {
                    for i in 0..32 {
                        v[i] = words.get(offsets[i] as usize >> 2);
                    }
                }
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

#[inline(always)]
pub(super) fn store<W: Words>(
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
pub(super) fn atomic<W: Words>(
    words: &mut W,
    rows: &mut Rows<'_>,
    op: &MemOp,
    who: &Who,
    offsets: &[u32; 32],
) {
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

/// PTX ISA, "atom": the operations, in 32 and in 64 bits.
macro_rules! combine {
    ($name:ident: $u:ident, $s:ident, $f:ident, $sum:ident by $add:path, not $other:ident) => {
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
                // the other width's floating-point sum: the decoder never pairs them
                AtomicOp::$other => old,
            }
        }
    };
}
combine!(combine32: u32, i32, f32, AddF by add_f32, not AddD);
combine!(combine64: u64, i64, f64, AddD by add_f64, not AddF);
