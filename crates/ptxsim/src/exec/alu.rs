//! The arithmetic of 32 lanes at once, as plain loops over rows that the compiler turns into vector
//! instructions.

#![expect(clippy::neg_cmp_op_on_partial_ord, reason = "PTX's unordered comparisons hold for NaN")]

use super::warp::{Row32, Row64};
use crate::arith::convert::{self, Convert};
use crate::arith::{approx, float};
use crate::decode::op::{Code, Op};

/// A function's windows of the three register files.
pub(super) struct Rows<'w> {
    pub r: &'w mut [Row32],
    pub x: &'w mut [Row64],
    pub p: &'w mut [u32],
}

/// Lane by lane, `a` where the mask has a 1, else `b`. There is no `if` in it, because that would
/// become 32 branches.
#[inline(always)]
fn blend32(mask: u32, a: &[u32; 32], b: &[u32; 32]) -> [u32; 32] {
    let mut v = [0; 32];
    for i in 0..32 {
        let all = (mask >> i & 1).wrapping_neg();
        v[i] = b[i] ^ ((a[i] ^ b[i]) & all);
    }
    v
}

#[inline(always)]
fn blend64(mask: u32, a: &[u64; 32], b: &[u64; 32]) -> [u64; 32] {
    let mut v = [0; 32];
    for i in 0..32 {
        let all = u64::from(mask >> i & 1).wrapping_neg();
        v[i] = b[i] ^ ((a[i] ^ b[i]) & all);
    }
    v
}

#[inline(always)]
fn put32(d: &mut Row32, v: &[u32; 32], write_mask: u32) {
    if write_mask == u32::MAX {
        d.0 = *v;
    } else {
        d.0 = blend32(write_mask, v, &d.0);
    }
}

#[inline(always)]
fn put64(d: &mut Row64, v: &[u64; 32], write_mask: u32) {
    if write_mask == u32::MAX {
        d.0 = *v;
    } else {
        d.0 = blend64(write_mask, v, &d.0);
    }
}

impl Rows<'_> {
    #[inline(always)]
    pub fn set32(&mut self, row: u32, v: &[u32; 32], write_mask: u32) {
        put32(&mut self.r[row as usize], v, write_mask);
    }

    #[inline(always)]
    pub fn set64(&mut self, row: u32, v: &[u64; 32], write_mask: u32) {
        put64(&mut self.x[row as usize], v, write_mask);
    }

    #[inline(always)]
    fn un32(&mut self, op: &Op, write_mask: u32, f: impl Fn(u32) -> u32) {
        let a = &self.r[op.a as usize].0;
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i]);
        }
        put32(&mut self.r[op.d as usize], &v, write_mask);
    }

    #[inline(always)]
    fn bin32(&mut self, op: &Op, write_mask: u32, f: impl Fn(u32, u32) -> u32) {
        let (a, b) = (&self.r[op.a as usize].0, &self.r[op.b as usize].0);
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i], b[i]);
        }
        put32(&mut self.r[op.d as usize], &v, write_mask);
    }

    #[inline(always)]
    fn tern32(&mut self, op: &Op, write_mask: u32, f: impl Fn(u32, u32, u32) -> u32) {
        let (a, b, c) =
            (&self.r[op.a as usize].0, &self.r[op.b as usize].0, &self.r[op.c as usize].0);
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i], b[i], c[i]);
        }
        put32(&mut self.r[op.d as usize], &v, write_mask);
    }

    #[inline(always)]
    fn un64(&mut self, op: &Op, write_mask: u32, f: impl Fn(u64) -> u64) {
        let a = &self.x[op.a as usize].0;
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i]);
        }
        put64(&mut self.x[op.d as usize], &v, write_mask);
    }

    #[inline(always)]
    fn bin64(&mut self, op: &Op, write_mask: u32, f: impl Fn(u64, u64) -> u64) {
        let (a, b) = (&self.x[op.a as usize].0, &self.x[op.b as usize].0);
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i], b[i]);
        }
        put64(&mut self.x[op.d as usize], &v, write_mask);
    }

    #[inline(always)]
    fn tern64(&mut self, op: &Op, write_mask: u32, f: impl Fn(u64, u64, u64) -> u64) {
        let (a, b, c) =
            (&self.x[op.a as usize].0, &self.x[op.b as usize].0, &self.x[op.c as usize].0);
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i], b[i], c[i]);
        }
        put64(&mut self.x[op.d as usize], &v, write_mask);
    }

    /// 64-bit from 64-bit `a` and 32-bit `b`, `c`.
    #[inline(always)]
    fn field64(&mut self, op: &Op, write_mask: u32, f: impl Fn(u64, u32, u32) -> u64) {
        let (a, b, c) =
            (&self.x[op.a as usize].0, &self.r[op.b as usize].0, &self.r[op.c as usize].0);
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i], b[i], c[i]);
        }
        put64(&mut self.x[op.d as usize], &v, write_mask);
    }

    /// 64-bit from 32-bit `a` and `b`.
    #[inline(always)]
    fn widen(&mut self, op: &Op, write_mask: u32, f: impl Fn(u32, u32) -> u64) {
        let (a, b) = (&self.r[op.a as usize].0, &self.r[op.b as usize].0);
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i], b[i]);
        }
        put64(&mut self.x[op.d as usize], &v, write_mask);
    }

    /// 64-bit from 32-bit `a`, `b` and 64-bit `c`.
    #[inline(always)]
    fn mad_wide(&mut self, op: &Op, write_mask: u32, f: impl Fn(u32, u32, u64) -> u64) {
        let (a, b, c) =
            (&self.r[op.a as usize].0, &self.r[op.b as usize].0, &self.x[op.c as usize].0);
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i], b[i], c[i]);
        }
        put64(&mut self.x[op.d as usize], &v, write_mask);
    }

    #[inline(always)]
    fn narrow(&mut self, op: &Op, write_mask: u32, f: impl Fn(u64) -> u32) {
        let a = &self.x[op.a as usize].0;
        let mut v = [0; 32];
        for i in 0..32 {
            v[i] = f(a[i]);
        }
        put32(&mut self.r[op.d as usize], &v, write_mask);
    }

    #[inline(always)]
    fn cmp32(&mut self, op: &Op, write_mask: u32, f: impl Fn(u32, u32) -> bool) {
        let (a, b) = (&self.r[op.a as usize].0, &self.r[op.b as usize].0);
        let mut bits = 0_u32;
        for i in 0..32 {
            bits |= u32::from(f(a[i], b[i])) << i;
        }
        self.set_pred(op.d, bits, write_mask);
    }

    #[inline(always)]
    fn cmp64(&mut self, op: &Op, write_mask: u32, f: impl Fn(u64, u64) -> bool) {
        let (a, b) = (&self.x[op.a as usize].0, &self.x[op.b as usize].0);
        let mut bits = 0_u32;
        for i in 0..32 {
            bits |= u32::from(f(a[i], b[i])) << i;
        }
        self.set_pred(op.d, bits, write_mask);
    }

    #[inline(always)]
    pub fn set_pred(&mut self, row: u32, bits: u32, write_mask: u32) {
        let d = &mut self.p[row as usize];
        *d = (*d & !write_mask) | (bits & write_mask);
    }

    #[inline(always)]
    pub fn pred(&self, row: u32) -> u32 {
        self.p[row as usize]
    }
}

const fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

const fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// NVIDIA GPUs return one NaN from f32 arithmetic, whatever the operands.
#[inline(always)]
fn canonical(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

/// Executes one arithmetic operation for the lanes of `write_mask`, which are all lanes when no
/// other split needs their values.
#[inline(always)]
pub(super) fn execute(op: &Op, rows: &mut Rows<'_>, write_mask: u32, conversions: &[Convert]) {
    match op.code {
        Code::MovI => rows.un32(op, write_mask, |a| a),
        Code::AddI => rows.bin32(op, write_mask, u32::wrapping_add),
        Code::SubI => rows.bin32(op, write_mask, u32::wrapping_sub),
        Code::MulI => rows.bin32(op, write_mask, u32::wrapping_mul),
        Code::MadI => rows.tern32(op, write_mask, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Code::AndI => rows.bin32(op, write_mask, |a, b| a & b),
        Code::OrI => rows.bin32(op, write_mask, |a, b| a | b),
        Code::XorI => rows.bin32(op, write_mask, |a, b| a ^ b),
        Code::NotI => rows.un32(op, write_mask, |a| !a),
        Code::NegI => rows.un32(op, write_mask, u32::wrapping_neg),
        Code::ShlI => rows.bin32(op, write_mask, |a, b| if b < 32 { a << b } else { 0 }),
        Code::ShrUI => rows.bin32(op, write_mask, |a, b| if b < 32 { a >> b } else { 0 }),
        Code::ShrSI => rows.bin32(op, write_mask, |a, b| ((a as i32) >> b.min(31)) as u32),
        Code::MinSI => rows.bin32(op, write_mask, |a, b| (a as i32).min(b as i32) as u32),
        Code::MaxSI => rows.bin32(op, write_mask, |a, b| (a as i32).max(b as i32) as u32),
        Code::MinUI => rows.bin32(op, write_mask, u32::min),
        Code::MaxUI => rows.bin32(op, write_mask, u32::max),
        Code::SextB => rows.un32(op, write_mask, |a| i32::from(a as u8 as i8) as u32),
        Code::SextH => rows.un32(op, write_mask, |a| i32::from(a as u16 as i16) as u32),
        Code::ZextB => rows.un32(op, write_mask, |a| a & 0xff),
        Code::ZextH => rows.un32(op, write_mask, |a| a & 0xffff),
        Code::SelI => {
            let p = rows.pred(op.c);
            let (a, b) = (&rows.r[op.a as usize].0, &rows.r[op.b as usize].0);
            let v = blend32(p, a, b);
            put32(&mut rows.r[op.d as usize], &v, write_mask);
        }
        Code::MovL => rows.un64(op, write_mask, |a| a),
        Code::AddL => rows.bin64(op, write_mask, u64::wrapping_add),
        Code::SubL => rows.bin64(op, write_mask, u64::wrapping_sub),
        Code::MulL => rows.bin64(op, write_mask, u64::wrapping_mul),
        Code::MadL => rows.tern64(op, write_mask, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Code::AndL => rows.bin64(op, write_mask, |a, b| a & b),
        Code::OrL => rows.bin64(op, write_mask, |a, b| a | b),
        Code::XorL => rows.bin64(op, write_mask, |a, b| a ^ b),
        Code::NotL => rows.un64(op, write_mask, |a| !a),
        Code::NegL => rows.un64(op, write_mask, u64::wrapping_neg),
        Code::ShlL => rows.field64(op, write_mask, |a, b, _| if b < 64 { a << b } else { 0 }),
        Code::ShrUL => rows.field64(op, write_mask, |a, b, _| if b < 64 { a >> b } else { 0 }),
        Code::ShrSL => rows.field64(op, write_mask, |a, b, _| ((a as i64) >> b.min(63)) as u64),
        Code::SelL => {
            let p = rows.pred(op.c);
            let (a, b) = (&rows.x[op.a as usize].0, &rows.x[op.b as usize].0);
            let v = blend64(p, a, b);
            put64(&mut rows.x[op.d as usize], &v, write_mask);
        }
        Code::MulWideS => {
            rows.widen(op, write_mask, |a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64);
        }
        Code::MulWideU => rows.widen(op, write_mask, |a, b| u64::from(a) * u64::from(b)),
        Code::MadWideS => rows.mad_wide(op, write_mask, |a, b, c| {
            ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c)
        }),
        Code::MadWideU => {
            rows.mad_wide(op, write_mask, |a, b, c| (u64::from(a) * u64::from(b)).wrapping_add(c));
        }
        Code::SextIL => rows.widen(op, write_mask, |a, _| i64::from(a as i32) as u64),
        Code::ZextIL => rows.widen(op, write_mask, |a, _| u64::from(a)),
        Code::Pack => rows.widen(op, write_mask, |a, b| u64::from(a) | u64::from(b) << 32),
        Code::TruncLI | Code::LowLI => rows.narrow(op, write_mask, |a| a as u32),
        Code::HighLI => rows.narrow(op, write_mask, |a| (a >> 32) as u32),
        Code::AddF => rows.bin32(op, write_mask, |a, b| canonical(f(a) + f(b))),
        Code::SubF => rows.bin32(op, write_mask, |a, b| canonical(f(a) - f(b))),
        Code::MulF => rows.bin32(op, write_mask, |a, b| canonical(f(a) * f(b))),
        Code::FmaF => rows.tern32(op, write_mask, |a, b, c| canonical(f(a).mul_add(f(b), f(c)))),
        Code::DivF => rows.bin32(op, write_mask, |a, b| canonical(f(a) / f(b))),
        Code::SqrtF => rows.un32(op, write_mask, |a| canonical(f(a).sqrt())),
        Code::RcpF => rows.un32(op, write_mask, |a| approx::rcp(f(a)).to_bits()),
        Code::RsqrtF => rows.un32(op, write_mask, |a| approx::rsqrt(f(a)).to_bits()),
        Code::MinF => rows.bin32(op, write_mask, |a, b| float::min_f32(f(a), f(b)).to_bits()),
        Code::MaxF => rows.bin32(op, write_mask, |a, b| float::max_f32(f(a), f(b)).to_bits()),
        Code::AbsF => rows.un32(op, write_mask, |a| canonical(f(a).abs())),
        Code::NegF => rows.un32(op, write_mask, |a| canonical(-f(a))),
        Code::AddD => rows
            .bin64(op, write_mask, |a, b| float::add_f64(d(a), d(b), float::Round::Near).to_bits()),
        Code::SubD => rows
            .bin64(op, write_mask, |a, b| float::sub_f64(d(a), d(b), float::Round::Near).to_bits()),
        Code::MulD => rows
            .bin64(op, write_mask, |a, b| float::mul_f64(d(a), d(b), float::Round::Near).to_bits()),
        Code::FmaD => rows.tern64(op, write_mask, |a, b, c| {
            float::fma_f64(d(a), d(b), d(c), float::Round::Near).to_bits()
        }),
        Code::DivD => rows
            .bin64(op, write_mask, |a, b| float::div_f64(d(a), d(b), float::Round::Near).to_bits()),
        Code::SqrtD => {
            rows.un64(op, write_mask, |a| float::sqrt_f64(d(a), float::Round::Near).to_bits())
        }
        Code::MinD => rows.bin64(op, write_mask, |a, b| float::min_f64(d(a), d(b)).to_bits()),
        Code::MaxD => rows.bin64(op, write_mask, |a, b| float::max_f64(d(a), d(b)).to_bits()),
        Code::AbsD => rows.un64(op, write_mask, |a| float::abs_f64(f64::from_bits(a)).to_bits()),
        Code::NegD => rows.un64(op, write_mask, |a| float::neg_f64(f64::from_bits(a)).to_bits()),
        Code::CvtFS => rows.un32(op, write_mask, |a| (a as i32 as f32).to_bits()),
        Code::CvtFU => rows.un32(op, write_mask, |a| (a as f32).to_bits()),
        Code::CvtSF => rows.un32(op, write_mask, |a| f(a) as i32 as u32),
        Code::CvtUF => rows.un32(op, write_mask, |a| f(a) as u32),
        Code::CvtDF => rows.widen(op, write_mask, |a, _| f64::from(f(a)).to_bits()),
        Code::CvtFD => rows.narrow(op, write_mask, |a| convert::f64_to_f32_rn(d(a)).to_bits()),
        Code::CvtDS => rows.widen(op, write_mask, |a, _| f64::from(a as i32).to_bits()),
        Code::MovP => rows.set_pred(op.d, rows.pred(op.a), write_mask),
        Code::AndP => rows.set_pred(op.d, rows.pred(op.a) & rows.pred(op.b), write_mask),
        Code::OrP => rows.set_pred(op.d, rows.pred(op.a) | rows.pred(op.b), write_mask),
        Code::XorP => rows.set_pred(op.d, rows.pred(op.a) ^ rows.pred(op.b), write_mask),
        Code::NotP => rows.set_pred(op.d, !rows.pred(op.a), write_mask),
        Code::EqI => rows.cmp32(op, write_mask, |a, b| a == b),
        Code::NeI => rows.cmp32(op, write_mask, |a, b| a != b),
        Code::LtSI => rows.cmp32(op, write_mask, |a, b| (a as i32) < b as i32),
        Code::LeSI => rows.cmp32(op, write_mask, |a, b| a as i32 <= b as i32),
        Code::GtSI => rows.cmp32(op, write_mask, |a, b| a as i32 > b as i32),
        Code::GeSI => rows.cmp32(op, write_mask, |a, b| a as i32 >= b as i32),
        Code::LtUI => rows.cmp32(op, write_mask, |a, b| a < b),
        Code::LeUI => rows.cmp32(op, write_mask, |a, b| a <= b),
        Code::GtUI => rows.cmp32(op, write_mask, |a, b| a > b),
        Code::GeUI => rows.cmp32(op, write_mask, |a, b| a >= b),
        Code::EqL => rows.cmp64(op, write_mask, |a, b| a == b),
        Code::NeL => rows.cmp64(op, write_mask, |a, b| a != b),
        Code::LtSL => rows.cmp64(op, write_mask, |a, b| (a as i64) < b as i64),
        Code::LeSL => rows.cmp64(op, write_mask, |a, b| a as i64 <= b as i64),
        Code::GtSL => rows.cmp64(op, write_mask, |a, b| a as i64 > b as i64),
        Code::GeSL => rows.cmp64(op, write_mask, |a, b| a as i64 >= b as i64),
        Code::LtUL => rows.cmp64(op, write_mask, |a, b| a < b),
        Code::LeUL => rows.cmp64(op, write_mask, |a, b| a <= b),
        Code::GtUL => rows.cmp64(op, write_mask, |a, b| a > b),
        Code::GeUL => rows.cmp64(op, write_mask, |a, b| a >= b),
        Code::EqF => rows.cmp32(op, write_mask, |a, b| f(a) == f(b)),
        Code::NeF => rows.cmp32(op, write_mask, |a, b| f(a) < f(b) || f(a) > f(b)),
        Code::LtF => rows.cmp32(op, write_mask, |a, b| f(a) < f(b)),
        Code::LeF => rows.cmp32(op, write_mask, |a, b| f(a) <= f(b)),
        Code::GtF => rows.cmp32(op, write_mask, |a, b| f(a) > f(b)),
        Code::GeF => rows.cmp32(op, write_mask, |a, b| f(a) >= f(b)),
        Code::EquF => rows.cmp32(op, write_mask, |a, b| !(f(a) < f(b) || f(a) > f(b))),
        Code::NeuF => rows.cmp32(op, write_mask, |a, b| f(a) != f(b)),
        Code::LtuF => rows.cmp32(op, write_mask, |a, b| !(f(a) >= f(b))),
        Code::LeuF => rows.cmp32(op, write_mask, |a, b| !(f(a) > f(b))),
        Code::GtuF => rows.cmp32(op, write_mask, |a, b| !(f(a) <= f(b))),
        Code::GeuF => rows.cmp32(op, write_mask, |a, b| !(f(a) < f(b))),
        Code::NumF => rows.cmp32(op, write_mask, |a, b| !(f(a).is_nan() | f(b).is_nan())),
        Code::NanF => rows.cmp32(op, write_mask, |a, b| f(a).is_nan() | f(b).is_nan()),
        Code::EqD => rows.cmp64(op, write_mask, |a, b| d(a) == d(b)),
        Code::NeD => rows.cmp64(op, write_mask, |a, b| d(a) < d(b) || d(a) > d(b)),
        Code::LtD => rows.cmp64(op, write_mask, |a, b| d(a) < d(b)),
        Code::LeD => rows.cmp64(op, write_mask, |a, b| d(a) <= d(b)),
        Code::GtD => rows.cmp64(op, write_mask, |a, b| d(a) > d(b)),
        Code::GeD => rows.cmp64(op, write_mask, |a, b| d(a) >= d(b)),
        Code::EquD => rows.cmp64(op, write_mask, |a, b| !(d(a) < d(b) || d(a) > d(b))),
        Code::NeuD => rows.cmp64(op, write_mask, |a, b| d(a) != d(b)),
        Code::LtuD => rows.cmp64(op, write_mask, |a, b| !(d(a) >= d(b))),
        Code::LeuD => rows.cmp64(op, write_mask, |a, b| !(d(a) > d(b))),
        Code::GtuD => rows.cmp64(op, write_mask, |a, b| !(d(a) <= d(b))),
        Code::GeuD => rows.cmp64(op, write_mask, |a, b| !(d(a) < d(b))),
        Code::NumD => rows.cmp64(op, write_mask, |a, b| !(d(a).is_nan() | d(b).is_nan())),
        Code::NanD => rows.cmp64(op, write_mask, |a, b| d(a).is_nan() | d(b).is_nan()),
        _ => rare(op, rows, write_mask, conversions),
    }
}

/// [`execute`] as a function that callers share, compiled for any processor.
#[inline(never)]
pub(super) fn execute_apart(
    op: &Op,
    rows: &mut Rows<'_>,
    write_mask: u32,
    conversions: &[Convert],
) {
    execute(op, rows, write_mask, conversions);
}

/// Operations that are rare, one lane at a time through a function pointer.
#[inline(never)]
fn rare(op: &Op, rows: &mut Rows<'_>, write_mask: u32, conversions: &[Convert]) {
    match op.code {
        Code::Un32(g) => rows.un32(op, write_mask, g),
        Code::Bin32(g) => rows.bin32(op, write_mask, g),
        Code::Tern32(g) => rows.tern32(op, write_mask, g),
        Code::Un64(g) => rows.un64(op, write_mask, g),
        Code::Bin64(g) => rows.bin64(op, write_mask, g),
        Code::Tern64(g) => rows.tern64(op, write_mask, g),
        Code::Narrow(g) => rows.narrow(op, write_mask, g),
        Code::Field64(g) => rows.field64(op, write_mask, g),
        Code::Cvt32 | Code::Cvt64 | Code::CvtWiden | Code::CvtNarrow => {
            let Some(c) = conversions.get(op.c as usize) else { return };
            match op.code {
                Code::Cvt32 => rows.un32(op, write_mask, |a| c.convert(u64::from(a)) as u32),
                Code::Cvt64 => rows.un64(op, write_mask, |a| c.convert(a)),
                Code::CvtWiden => {
                    let unary = Op { b: op.a, ..*op };
                    rows.widen(&unary, write_mask, |a, _| c.convert(u64::from(a)));
                }
                _ => rows.narrow(op, write_mask, |a| c.convert(a) as u32),
            }
        }
        Code::Carry(g) | Code::CarryIn(g) => {
            let carry = rows.pred(0);
            let (a, b, c) =
                (rows.r[op.a as usize].0, rows.r[op.b as usize].0, rows.r[op.c as usize].0);
            let (mut v, mut out) = ([0; 32], 0_u32);
            for i in 0..32 {
                let (value, flag) = g(a[i], b[i], c[i], carry >> i & 1 == 1);
                v[i] = value;
                out |= u32::from(flag) << i;
            }
            put32(&mut rows.r[op.d as usize], &v, write_mask);
            if matches!(op.code, Code::Carry(_)) {
                rows.set_pred(0, out, write_mask);
            }
        }
        Code::Carry64(g) | Code::CarryIn64(g) => {
            let carry = rows.pred(0);
            let (a, b, c) =
                (rows.x[op.a as usize].0, rows.x[op.b as usize].0, rows.x[op.c as usize].0);
            let (mut v, mut out) = ([0; 32], 0_u32);
            for i in 0..32 {
                let (value, flag) = g(a[i], b[i], c[i], carry >> i & 1 == 1);
                v[i] = value;
                out |= u32::from(flag) << i;
            }
            put64(&mut rows.x[op.d as usize], &v, write_mask);
            if matches!(op.code, Code::Carry64(_)) {
                rows.set_pred(0, out, write_mask);
            }
        }
        _ => {}
    }
}
