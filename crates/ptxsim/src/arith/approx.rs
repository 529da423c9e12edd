//! The `.approx` instructions: computed in `f64`, rounded once.
//!
//! PTX ISA gives each of them an error bound and a table of special values, and leaves the exact
//! bits to the hardware. These results are within about half a unit in the last place, so they
//! satisfy every bound, and they match the tables. Subnormals are supported, as without `.ftz`; for
//! `.ftz` flush the operand and the result with [`ftz_f32`](super::float::ftz_f32).

use super::float::{NAN_F64, narrow};
use super::soft::Round;

#[inline(always)]
fn nearest(x: f64) -> f32 {
    narrow(x, Round::Near)
}

/// `ex2.approx.f32`: `2^a`. -Inf gives +0, zeros give 1, +Inf gives +Inf.
#[inline]
pub fn ex2(a: f32) -> f32 {
    nearest(f64::from(a).exp2())
}

/// `lg2.approx.f32`: zeros give -Inf, negative numbers NaN, +Inf gives +Inf.
#[inline]
pub fn lg2(a: f32) -> f32 {
    nearest(f64::from(a).log2())
}

/// `sin.approx.f32`: zeros keep their sign, infinities give NaN.
#[inline]
pub fn sin(a: f32) -> f32 {
    nearest(f64::from(a).sin())
}

/// `cos.approx.f32`: infinities give NaN.
#[inline]
pub fn cos(a: f32) -> f32 {
    nearest(f64::from(a).cos())
}

/// `tanh.approx.f32`: zeros keep their sign, infinities give 1 with their sign.
#[inline]
pub fn tanh(a: f32) -> f32 {
    nearest(f64::from(a).tanh())
}

/// `rsqrt.approx.f32`: zeros give an infinity of the same sign, +Inf gives +0, negative numbers
/// NaN.
#[inline(always)]
pub fn rsqrt(a: f32) -> f32 {
    nearest(1.0 / f64::from(a).sqrt())
}

/// `rcp.approx.f32`: zeros give infinities and infinities zeros, of the same sign.
#[inline(always)]
pub fn rcp(a: f32) -> f32 {
    nearest(1.0 / f64::from(a))
}

/// `sqrt.approx.f32`: -0 gives -0, negative numbers NaN.
#[inline(always)]
pub fn sqrt(a: f32) -> f32 {
    nearest(f64::from(a).sqrt())
}

/// `div.approx.f32`. As PTX ISA documents, for `2^126 < |b| < 2^128` a finite `a` gives a zero and
/// an infinite `a` gives NaN, because the reciprocal of `b` underflows.
#[inline(always)]
pub fn div(a: f32, b: f32) -> f32 {
    const HUGE: f32 = f32::from_bits(0x7e80_0000); // 2^126
    let quotient = f64::from(a) / f64::from(b);
    if b.abs() > HUGE && b.is_finite() {
        return nearest(f64::from(a) * 0.0f64.copysign(f64::from(b)));
    }
    nearest(quotient)
}

/// `div.full.f32`: the full-range division with an error of at most 2 ulp; here correctly rounded.
#[inline(always)]
pub fn div_full(a: f32, b: f32) -> f32 {
    nearest(f64::from(a) / f64::from(b))
}

/// The bits of an `f64` that `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` read and write: the
/// upper 32.
const UPPER: u64 = 0xffff_ffff_0000_0000;

/// `.ftz` for `f64`, then only the upper half of the bits.
#[inline(always)]
fn upper(x: f64) -> f64 {
    let bits = x.to_bits();
    if x.abs() < f64::MIN_POSITIVE {
        return f64::from_bits(bits & 1 << 63);
    }
    f64::from_bits(bits & UPPER)
}

/// `rcp.approx.ftz.f64`: a seed for Newton's method. Only the upper 32 bits of the operand count,
/// the lower 32 of the result are zero; subnormals, in and out, are zeros. A NaN gives the
/// canonical one, and one whose upper half is that of an infinity counts as that.
#[inline]
pub fn rcp_f64(a: f64) -> f64 {
    let x = upper(a);
    if x.is_nan() { CANONICAL_F64 } else { upper(rounded(1.0 / x)) }
}

/// `rsqrt.approx.ftz.f64`: a seed, too. Zeros give an infinity of the same sign, negative numbers
/// the canonical NaN.
#[inline]
pub fn rsqrt_ftz_f64(a: f64) -> f64 {
    let x = upper(a);
    if x.is_nan() || x < 0.0 { CANONICAL_F64 } else { upper(rounded(1.0 / x.sqrt())) }
}

/// `rsqrt.approx.f64`: two roundings away from exact. Zeros give an infinity of the same sign,
/// negative numbers a NaN.
#[inline]
pub fn rsqrt_f64(a: f64) -> f64 {
    if a.is_nan() {
        return f64::from_bits(a.to_bits() | 1 << 51);
    }
    if a < 0.0 { NAN_F64 } else { 1.0 / a.sqrt() }
}

/// The NaN of the two seeds: the canonical NaN of the hardware unit that computes them, in the
/// upper half.
const CANONICAL_F64: f64 = f64::from_bits(0x7fff_ffff_0000_0000);

/// Rounds a normal number to nearest at bit 32, so that [`upper`] loses nothing.
#[inline(always)]
fn rounded(x: f64) -> f64 {
    if x.is_normal() { f64::from_bits(x.to_bits().wrapping_add(1 << 31) & UPPER) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::float::NAN_F32;
    use proptest::prelude::*;

    const INF: f32 = f32::INFINITY;

    #[test]
    fn special_values_are_those_of_the_tables() {
        type Row = (&'static str, fn(f32) -> f32, f32, f32);
        let table: [Row; 30] = [
            ("ex2", ex2, -INF, 0.0),
            ("ex2", ex2, -0.0, 1.0),
            ("ex2", ex2, 1e-40, 1.0),
            ("ex2", ex2, -149.0, f32::from_bits(1)),
            ("ex2", ex2, 128.0, INF),
            ("ex2", ex2, f32::NAN, NAN_F32),
            ("lg2", lg2, 0.0, -INF),
            ("lg2", lg2, -0.0, -INF),
            ("lg2", lg2, -1.0, NAN_F32),
            ("lg2", lg2, INF, INF),
            ("lg2", lg2, 8.0, 3.0),
            ("lg2", lg2, f32::from_bits(1), -149.0),
            ("sin", sin, -0.0, -0.0),
            ("sin", sin, INF, NAN_F32),
            ("cos", cos, -0.0, 1.0),
            ("cos", cos, -INF, NAN_F32),
            ("tanh", tanh, -INF, -1.0),
            ("tanh", tanh, -0.0, -0.0),
            ("tanh", tanh, f32::NAN, NAN_F32),
            ("rsqrt", rsqrt, -0.0, -INF),
            ("rsqrt", rsqrt, INF, 0.0),
            ("rsqrt", rsqrt, -1.0, NAN_F32),
            ("rcp", rcp, -0.0, -INF),
            ("rcp", rcp, -INF, -0.0),
            ("rcp", rcp, f32::from_bits(1), INF),
            ("rcp", rcp, f32::MAX, f32::from_bits(0x0020_0000)),
            ("sqrt", sqrt, -0.0, -0.0),
            ("sqrt", sqrt, -1e-45, NAN_F32),
            ("sqrt", sqrt, INF, INF),
            ("sqrt", sqrt, 9.0, 3.0),
        ];
        for (name, function, operand, expected) in table {
            assert_eq!(function(operand).to_bits(), expected.to_bits(), "{name}({operand:e})");
        }
    }

    #[test]
    fn division_by_a_huge_number_is_zero() {
        let two_126 = f32::from_bits(0x7e80_0000);
        assert_eq!(div(two_126, two_126), 1.0);
        assert_eq!(div(1e30, f32::MAX).to_bits(), 0.0f32.to_bits());
        assert_eq!(div(1e30, -f32::MAX).to_bits(), (-0.0f32).to_bits());
        assert_eq!(div(INF, f32::MAX).to_bits(), NAN_F32.to_bits());
        assert_eq!(div(INF, -2.0), -INF);
        assert_eq!(div(1.0, INF), 0.0);
        assert_eq!(div_full(f32::MAX, f32::MAX), 1.0);
    }

    #[test]
    fn seeds_use_the_upper_half() {
        for (operand, expected) in [
            (f64::NEG_INFINITY, -0.0),
            (f64::INFINITY, 0.0),
            (-0.0, f64::NEG_INFINITY),
            (f64::from_bits(1), f64::INFINITY),
            (-f64::from_bits(1), f64::NEG_INFINITY),
            (f64::MAX, 0.0), // the true result is subnormal
            (4.0, 0.25),
            (f64::from_bits(4.0f64.to_bits() | 0xffff_ffff), 0.25),
        ] {
            assert_eq!(rcp_f64(operand).to_bits(), f64::to_bits(expected), "{operand:e}");
        }
        assert!(
            rcp_f64(f64::NAN).is_nan() && rsqrt_ftz_f64(-1.0).is_nan() && rsqrt_f64(-1.0).is_nan()
        );
        assert_eq!(rsqrt_ftz_f64(-0.0), f64::NEG_INFINITY);
        assert_eq!(rsqrt_f64(-0.0), f64::NEG_INFINITY);
        assert_eq!(rsqrt_f64(0.25), 2.0);
    }

    proptest! {
        #[test]
        fn seeds_are_good_to_twenty_bits(bits: u64) {
            let x = f64::from_bits(bits);
            let exact = 1.0 / x;
            prop_assume!(x.is_normal() && exact.is_normal());
            let got = rcp_f64(x);
            prop_assert_eq!(got.to_bits() & !UPPER, 0);
            prop_assert!((got / exact - 1.0).abs() < 2f64.powi(-19), "{} {}", got, exact);
            if x > 0.0 {
                prop_assert!((rsqrt_ftz_f64(x) * x.sqrt() - 1.0).abs() < 2f64.powi(-19));
                prop_assert!((rsqrt_f64(x) * x.sqrt() - 1.0).abs() < 2f64.powi(-50));
            }
        }
    }
}
