//! IEEE arithmetic of `f32` and `f64` in all four rounding directions, with the hardware's results
//! bit for bit.
//!
//! PTX ISA, "Floating Point Instructions": every instruction with a rounding modifier is IEEE 754
//! compliant. `.rn` uses the processor's arithmetic. The directed modes of `f32` use `f64` with
//! rounding to odd, so that rounding twice gives the same result as rounding once; those of `f64`
//! use [`soft`](super::soft).
//!
//! # NaNs
//!
//! PTX ISA: single-precision instructions "return an unspecified NaN"; payloads are kept for double
//! precision. These functions do what NVIDIA's hardware does: every `f32` result that is a NaN is
//! [`NAN_F32`]; an `f64` result takes the first NaN operand, made quiet, and is [`NAN_F64`] where
//! no operand was a NaN.
//!
//! # Subnormals
//!
//! Supported everywhere, as since sm_20. For `.ftz`, flush the operands and the result with
//! [`ftz_f32`].

use super::soft::Exact;
pub use super::soft::{Format, Round};

/// The NaN that single-precision instructions return.
pub const NAN_F32: f32 = f32::from_bits(0x7fff_ffff);

/// The NaN that double-precision instructions return when no operand is one.
pub const NAN_F64: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// Replaces any NaN by [`NAN_F32`].
///
/// This works on bits, because Rust does not specify the bits of a NaN result: a selection between
/// two NaNs as floats may be optimised away, and one between integers may not.
#[inline(always)]
pub fn canonical_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

/// Whether `x` is a NaN; on bits for the same reason.
#[inline(always)]
fn is_nan_f64(x: f64) -> bool {
    Format::F64.is_nan(x.to_bits())
}

/// The NaN of a result: the first NaN among the operands, made quiet, or [`NAN_F64`].
#[inline(always)]
fn nan_f64<const N: usize>(operands: [f64; N]) -> f64 {
    for x in operands {
        if is_nan_f64(x) {
            return f64::from_bits(x.to_bits() | 1 << 51);
        }
    }
    NAN_F64
}

/// `.ftz`: a subnormal becomes a zero of the same sign.
#[inline(always)]
pub fn ftz_f32(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { f32::from_bits(x.to_bits() & 1 << 31) } else { x }
}

/// `.sat` of floating-point results: clamps to `[+0, 1]`, NaN becomes +0.
#[inline(always)]
pub fn saturate_f32(x: f32) -> f32 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// `.sat` for `f64`.
#[inline(always)]
pub fn saturate_f64(x: f64) -> f64 {
    if x > 0.0 { if x < 1.0 { x } else { 1.0 } } else { 0.0 }
}

/// `sum = x + y` to nearest, moved to its odd neighbour when inexact ("round to odd"). A later
/// rounding to a format at least two bits narrower, in any direction, then gives what one rounding
/// of the exact sum would. Exact only while no intermediate leaves the normal range: true for all
/// that `f32` operands produce.
#[inline(always)]
fn sum_to_odd(x: f64, y: f64) -> f64 {
    let sum = x + y;
    let shadow = sum - x; // Knuth's two-sum
    let error = (x - (sum - shadow)) + (y - shadow);
    to_odd(sum, error)
}

/// Moves `near`, a value rounded to nearest, to its odd neighbour if `error` (exact minus `near`)
/// is not zero.
#[inline(always)]
fn to_odd(near: f64, error: f64) -> f64 {
    let bits = near.to_bits();
    let away = (error > 0.0) == (near > 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let keep = error == 0.0 || error.is_nan() || bits & 1 == 1;
    f64::from_bits(if keep { bits } else { odd })
}

/// Narrows to `f32` in the given direction; a NaN becomes [`NAN_F32`].
#[inline(always)]
pub fn narrow(x: f64, round: Round) -> f32 {
    let near = x as f32;
    let wide = f64::from(near);
    let result = match round {
        Round::Near => near,
        Round::Zero if wide.abs() > x.abs() => toward_zero(near),
        Round::Down if wide > x => near.next_down(),
        Round::Up if wide < x => near.next_up(),
        _ => near,
    };
    canonical_f32(result)
}

/// The neighbour with the smaller magnitude; `x` is not zero.
#[inline(always)]
fn toward_zero(x: f32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_sub(1))
}

/// An exact zero from operands of opposite signs is negative in `.rm` and positive otherwise (IEEE
/// 754, 6.3).
#[inline(always)]
fn signed_zero(sum: f64, x: f64, y: f64, round: Round) -> f64 {
    let opposite = x.is_sign_negative() != y.is_sign_negative();
    if sum == 0.0 && opposite && round == Round::Down { -0.0 } else { sum }
}

/// `add{.rnd}.f32` (PTX ISA 9.7.3, `add`). Subtraction is addition of [`neg_f32`] of a number.
#[inline(always)]
pub fn add_f32(a: f32, b: f32, round: Round) -> f32 {
    if round == Round::Near {
        return canonical_f32(a + b);
    }
    let (x, y) = (f64::from(a), f64::from(b));
    narrow(signed_zero(sum_to_odd(x, y), x, y, round), round)
}

/// `sub{.rnd}.f32`.
#[inline(always)]
pub fn sub_f32(a: f32, b: f32, round: Round) -> f32 {
    add_f32(a, -b, round)
}

/// `mul{.rnd}.f32`.
#[inline(always)]
pub fn mul_f32(a: f32, b: f32, round: Round) -> f32 {
    if round == Round::Near {
        return canonical_f32(a * b);
    }
    narrow(f64::from(a) * f64::from(b), round) // the product of two 24-bit numbers is exact in 53
}

/// `fma.rnd.f32`: `a * b + c` with one rounding.
///
/// `.rn` is `f32::mul_add`: one instruction where the code is compiled for FMA, otherwise a library
/// call; see [`fma_f32_portable`].
#[inline(always)]
pub fn fma_f32(a: f32, b: f32, c: f32, round: Round) -> f32 {
    if round == Round::Near {
        return canonical_f32(a.mul_add(b, c));
    }
    let (product, y) = (f64::from(a) * f64::from(b), f64::from(c));
    narrow(signed_zero(sum_to_odd(product, y), product, y, round), round)
}

/// `fma.rn.f32` without an FMA instruction: the exact product in `f64`, the sum rounded to odd,
/// narrowed. The same bits as [`fma_f32`] with [`Round::Near`], and it vectorises on any processor.
#[inline(always)]
pub fn fma_f32_portable(a: f32, b: f32, c: f32) -> f32 {
    canonical_f32(sum_to_odd(f64::from(a) * f64::from(b), f64::from(c)) as f32)
}

/// `div.rnd.f32`.
#[inline(always)]
pub fn div_f32(a: f32, b: f32, round: Round) -> f32 {
    if round == Round::Near {
        return canonical_f32(a / b);
    }
    let (x, y) = (f64::from(a), f64::from(b));
    let near = x / y;
    if near == 0.0 || !near.is_finite() || !y.is_finite() {
        return canonical_f32(a / b); // exact: a zero, an infinity or a NaN
    }
    let remainder = (-near).mul_add(y, x); // exact: a correctly rounded quotient leaves a representable one
    let error = if y < 0.0 { -remainder } else { remainder };
    narrow(to_odd(near, error), round)
}

/// `rcp.rnd.f32`.
#[inline(always)]
pub fn rcp_f32(a: f32, round: Round) -> f32 {
    div_f32(1.0, a, round)
}

/// `sqrt.rnd.f32`.
#[inline(always)]
pub fn sqrt_f32(a: f32, round: Round) -> f32 {
    if round == Round::Near || a <= 0.0 || !a.is_finite() {
        return canonical_f32(a.sqrt());
    }
    let x = f64::from(a);
    let near = x.sqrt();
    narrow(to_odd(near, (-near).mul_add(near, x)), round)
}

/// `add{.rnd}.f64`.
#[inline(always)]
pub fn add_f64(a: f64, b: f64, round: Round) -> f64 {
    let near = a + b;
    if is_nan_f64(near) {
        return nan_f64([b, a]);
    }
    if round == Round::Near || !a.is_finite() || !b.is_finite() {
        return near;
    }
    exact(Exact::from_f64(a).plus(Exact::from_f64(b), round), round)
}

/// `sub{.rnd}.f64`.
#[inline(always)]
pub fn sub_f64(a: f64, b: f64, round: Round) -> f64 {
    if is_nan_f64(b) { nan_f64([b]) } else { add_f64(a, -b, round) }
}

/// `mul{.rnd}.f64`.
#[inline(always)]
pub fn mul_f64(a: f64, b: f64, round: Round) -> f64 {
    let near = a * b;
    if is_nan_f64(near) {
        return nan_f64([b, a]);
    }
    if round == Round::Near || !a.is_finite() || !b.is_finite() {
        return near;
    }
    exact(Exact::from_f64(a).times(Exact::from_f64(b)), round)
}

/// `fma.rnd.f64`.
#[inline(always)]
pub fn fma_f64(a: f64, b: f64, c: f64, round: Round) -> f64 {
    let near = a.mul_add(b, c);
    if is_nan_f64(near) {
        return nan_f64([b, c, a]);
    }
    if round == Round::Near || !a.is_finite() || !b.is_finite() || !c.is_finite() {
        return near;
    }
    exact(Exact::from_f64(a).times(Exact::from_f64(b)).plus(Exact::from_f64(c), round), round)
}

/// `div.rnd.f64`.
#[inline(always)]
pub fn div_f64(a: f64, b: f64, round: Round) -> f64 {
    let near = a / b;
    if is_nan_f64(near) {
        return nan_f64([a, b]);
    }
    if round == Round::Near || !a.is_finite() || !b.is_finite() || b == 0.0 {
        return near;
    }
    exact(Exact::from_f64(a).over(Exact::from_f64(b)), round)
}

/// `rcp.rnd.f64`.
#[inline(always)]
pub fn rcp_f64(a: f64, round: Round) -> f64 {
    div_f64(1.0, a, round)
}

/// `sqrt.rnd.f64`.
#[inline(always)]
pub fn sqrt_f64(a: f64, round: Round) -> f64 {
    let near = a.sqrt();
    if is_nan_f64(near) {
        return nan_f64([a]);
    }
    if round == Round::Near || a <= 0.0 || !a.is_finite() {
        return near;
    }
    exact(Exact::from_f64(a).root(), round)
}

#[inline(never)]
fn exact(value: Exact, round: Round) -> f64 {
    f64::from_bits(value.round(Format::F64, round))
}

macro_rules! extremes {
    ($float:ident: $min:ident, $max:ident, $min_nan:ident, $max_nan:ident, $canonical:ident) => {
        /// `min`: the number if one operand is a NaN, and the second NaN if both are; -0 is less
        /// than +0.
        #[inline(always)]
        pub fn $min(a: $float, b: $float) -> $float {
            let equal = $float::from_bits(a.to_bits() | b.to_bits()); // two zeros: negative if either is
            let least = if a < b {
                a
            } else if a == b {
                equal
            } else {
                b
            };
            $canonical(if b.is_nan() && !a.is_nan() { a } else { least })
        }

        /// `max`: the number if one operand is a NaN, and the second NaN if both are; +0 is greater
        /// than -0.
        #[inline(always)]
        pub fn $max(a: $float, b: $float) -> $float {
            let equal = $float::from_bits(a.to_bits() & b.to_bits());
            let most = if a > b {
                a
            } else if a == b {
                equal
            } else {
                b
            };
            $canonical(if b.is_nan() && !a.is_nan() { a } else { most })
        }

        /// `min.NaN`: the canonical NaN if any operand is a NaN.
        #[inline(always)]
        pub fn $min_nan(a: $float, b: $float) -> $float {
            let both = $min(a, b);
            $canonical(if a.is_nan() {
                a
            } else if b.is_nan() {
                b
            } else {
                both
            })
        }

        /// `max.NaN`: the canonical NaN if any operand is a NaN.
        #[inline(always)]
        pub fn $max_nan(a: $float, b: $float) -> $float {
            let both = $max(a, b);
            $canonical(if a.is_nan() {
                a
            } else if b.is_nan() {
                b
            } else {
                both
            })
        }
    };
}

/// `min.xorsign.abs.f32` and `max.xorsign.abs.f32`: `extreme` of the magnitudes, negative where one
/// operand alone is. A NaN stays the canonical one.
#[inline(always)]
pub fn xorsign_f32(a: f32, b: f32, extreme: impl Fn(f32, f32) -> f32) -> f32 {
    let magnitude = extreme(a.abs(), b.abs());
    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
    if magnitude.is_nan() { NAN_F32 } else { f32::from_bits(magnitude.to_bits() | sign) }
}

/// `testp` on the bits of a number (PTX ISA, `testp`). Zeros count as normal numbers.
#[inline]
pub fn testp(bits: u64, format: Format, property: Property) -> bool {
    let magnitude = bits & (format.sign() - 1);
    let (nan, infinite) = (format.is_nan(bits), format.is_infinite(bits));
    let subnormal = magnitude != 0 && magnitude & format.infinity() == 0;
    match property {
        Property::Finite => !nan && !infinite,
        Property::Infinite => infinite,
        Property::Number => !nan,
        Property::NotANumber => nan,
        Property::Normal => !nan && !infinite && !subnormal,
        Property::Subnormal => subnormal,
    }
}

/// The property that `testp` tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// `.finite`
    Finite,
    /// `.infinite`
    Infinite,
    /// `.number`
    Number,
    /// `.notanumber`
    NotANumber,
    /// `.normal`
    Normal,
    /// `.subnormal`
    Subnormal,
}

/// Makes a NaN quiet.
#[inline(always)]
fn quiet_f64(x: f64) -> f64 {
    if is_nan_f64(x) { nan_f64([x]) } else { x }
}

extremes!(f32: min_f32, max_f32, min_nan_f32, max_nan_f32, canonical_f32);
extremes!(f64: min_f64, max_f64, min_nan_f64, max_nan_f64, quiet_f64);

/// `abs.f32`; a NaN becomes [`NAN_F32`].
#[inline(always)]
pub fn abs_f32(a: f32) -> f32 {
    canonical_f32(a.abs())
}

/// `neg.f32`; a NaN becomes [`NAN_F32`].
#[inline(always)]
pub fn neg_f32(a: f32) -> f32 {
    canonical_f32(-a)
}

/// `abs.f64`: the hardware adds zero, which makes a NaN quiet and keeps its sign.
#[inline(always)]
pub fn abs_f64(a: f64) -> f64 {
    if is_nan_f64(a) { nan_f64([a]) } else { a.abs() }
}

/// `neg.f64`: also makes a NaN quiet and keeps its sign.
#[inline(always)]
pub fn neg_f64(a: f64) -> f64 {
    if is_nan_f64(a) { nan_f64([a]) } else { -a }
}

/// `copysign.f32 d, a, b`: the sign of `a` on the magnitude of `b` (PTX's order of operands). Bits
/// only.
#[inline(always)]
pub fn copysign_f32(a: f32, b: f32) -> f32 {
    b.copysign(a)
}

/// `copysign.f64 d, a, b`: the sign of `a` on the magnitude of `b`.
#[inline(always)]
pub fn copysign_f64(a: f64, b: f64) -> f64 {
    b.copysign(a)
}

#[cfg(test)]
mod tests;
