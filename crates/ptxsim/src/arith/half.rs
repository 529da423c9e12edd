//! Half-precision arithmetic on bit patterns: `.f16`, and `.bf16` where PTX has the same
//! instruction.
//!
//! PTX ISA, "Half Precision Floating Point Instructions". Subnormals are supported; NaN results are
//! the canonical `0x7fff`. Rounding is to nearest even, the only mode these instructions have.

use super::soft::{Exact, Format, Round};

/// The value of a binary16.
#[inline]
pub fn f16_to_f32(bits: u16) -> f32 {
    widen(bits, Format::F16)
}

/// The value of a bfloat16: the upper half of an `f32`, of NaNs too.
#[inline(always)]
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Rounds to binary16.
#[inline]
pub fn f32_to_f16(x: f32, round: Round) -> u16 {
    super::convert::narrow_bits(u64::from(x.to_bits()), Format::F32, Format::F16, round) as u16
}

/// Rounds to bfloat16.
#[inline]
pub fn f32_to_bf16(x: f32, round: Round) -> u16 {
    super::convert::narrow_bits(u64::from(x.to_bits()), Format::F32, Format::BF16, round) as u16
}

#[inline]
fn widen(bits: u16, format: Format) -> f32 {
    f32::from_bits(
        super::convert::narrow_bits(u64::from(bits), format, Format::F32, Round::Near) as u32
    )
}

/// `fma.rn` of three 16-bit numbers of `format`, with one rounding. Addition is `fma(a, 1, b)`,
/// multiplication `fma(a, b, -0)`.
#[inline]
pub fn fma16(a: u16, b: u16, c: u16, format: Format) -> u16 {
    let [a, b, c] = [a, b, c].map(u64::from);
    let special = |x: u64| format.is_nan(x) || format.is_infinite(x);
    if special(a) || special(b) || special(c) {
        // infinities and NaNs do not round, so f32 arithmetic on the widened operands gives the
        // result
        let [x, y, z] = [a, b, c].map(|v| widen(v as u16, format));
        let product = if x.is_finite() && y.is_finite() { 1.0f32.copysign(x * y) } else { x * y };
        let sum = product + if z.is_finite() { 0.0 } else { z };
        let bits = u64::from(sum.to_bits());
        return super::convert::narrow_bits(bits, Format::F32, format, Round::Near) as u16;
    }
    let [a, b, c] = [a, b, c].map(|v| Exact::from_bits(v, format));
    a.times(b).plus(c, Round::Near).round(format, Round::Near) as u16
}

/// The number 1 in `format`.
pub const fn one16(format: Format) -> u16 {
    (((1 << (format.exponent - 1)) - 1) << format.fraction) as u16
}

/// `add.f16` / `add.bf16`.
#[inline]
pub fn add16(a: u16, b: u16, format: Format) -> u16 {
    fma16(a, one16(format), b, format)
}

/// `sub.f16` / `sub.bf16`.
#[inline]
pub fn sub16(a: u16, b: u16, format: Format) -> u16 {
    add16(a, b ^ 0x8000, format)
}

/// `mul.f16` / `mul.bf16`.
#[inline]
pub fn mul16(a: u16, b: u16, format: Format) -> u16 {
    // The addend is a zero of the product's own sign, so that a zero product keeps its sign.
    fma16(a, b, (a ^ b) & 0x8000, format)
}

/// `neg.f16`: a NaN becomes the canonical one.
#[inline(always)]
pub fn neg16(a: u16, format: Format) -> u16 {
    if format.is_nan(u64::from(a)) { 0x7fff } else { a ^ 0x8000 }
}

/// `abs.f16`: a NaN becomes the canonical one.
#[inline(always)]
pub fn abs16(a: u16, format: Format) -> u16 {
    if format.is_nan(u64::from(a)) { 0x7fff } else { a & 0x7fff }
}

/// `min.f16`: the number if one operand is a NaN; -0 is less than +0. `nan` selects `min.NaN`,
/// which returns the NaN.
#[inline]
pub fn min16(a: u16, b: u16, format: Format, nan: bool) -> u16 {
    pick16(a, b, format, nan, |x, y| x < y)
}

/// `max.f16`: the number if one operand is a NaN; +0 is greater than -0. `nan` selects `max.NaN`,
/// which returns the NaN.
#[inline]
pub fn max16(a: u16, b: u16, format: Format, nan: bool) -> u16 {
    pick16(a, b, format, nan, |x, y| x > y)
}

#[inline]
fn pick16(a: u16, b: u16, format: Format, nan: bool, first: impl Fn(i32, i32) -> bool) -> u16 {
    let (p, q) = (format.is_nan(u64::from(a)), format.is_nan(u64::from(b)));
    if p && q || nan && (p || q) {
        return 0x7fff;
    }
    if p || !q && !first(order16(a), order16(b)) { b } else { a }
}

/// Maps bit patterns to integers in the order of their values, -0 just below +0.
#[inline(always)]
fn order16(bits: u16) -> i32 {
    let magnitude = i32::from(bits & 0x7fff);
    if bits & 0x8000 == 0 { magnitude } else { -1 - magnitude }
}

/// `min.xorsign.abs.f16` and `max.xorsign.abs.f16`: `extreme` of the magnitudes, negative where one
/// operand alone is. A NaN stays the canonical one.
#[inline]
pub fn xorsign16(a: u16, b: u16, format: Format, extreme: impl Fn(u16, u16, Format) -> u16) -> u16 {
    let magnitude = extreme(a & 0x7fff, b & 0x7fff, format);
    if format.is_nan(u64::from(magnitude)) { magnitude } else { magnitude | (a ^ b) & 0x8000 }
}

/// `.ftz`: a subnormal becomes a zero of the same sign.
#[inline(always)]
pub fn ftz16(a: u16, format: Format) -> u16 {
    if u64::from(a) & format.infinity() == 0 { a & 0x8000 } else { a }
}

/// `.sat`: clamps to `[+0, 1]`, NaN becomes +0.
#[inline(always)]
pub fn saturate16(a: u16, format: Format) -> u16 {
    if a & 0x8000 != 0 || format.is_nan(u64::from(a)) { 0 } else { a.min(one16(format)) }
}

/// `.relu`: negative numbers become +0, NaN the canonical one.
#[inline(always)]
pub fn relu16(a: u16, format: Format) -> u16 {
    if format.is_nan(u64::from(a)) {
        0x7fff
    } else if a & 0x8000 != 0 {
        0
    } else {
        a
    }
}

/// `ex2.approx.f16`, `tanh.approx.f16` and the like: computed in `f32`, rounded to nearest.
#[inline]
pub fn through_f32(a: u16, format: Format, function: impl Fn(f32) -> f32) -> u16 {
    let bits = u64::from(function(widen(a, format)).to_bits());
    super::convert::narrow_bits(bits, Format::F32, format, Round::Near) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The value, by the formula of IEEE 754 section 3.4, in `f64`.
    fn value(bits: u16) -> f64 {
        let (field, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
        let magnitude = match field {
            31 if fraction != 0.0 => f64::NAN,
            31 => f64::INFINITY,
            0 => fraction * 2f64.powi(-24),
            _ => (1024.0 + fraction) * 2f64.powi(field - 25),
        };
        if bits & 0x8000 == 0 { magnitude } else { -magnitude }
    }

    #[test]
    fn every_half_widens_to_its_value_and_comes_back() {
        for bits in 0..=u16::MAX {
            let (wide, expected) = (f16_to_f32(bits), value(bits));
            if expected.is_nan() {
                assert_eq!(wide.to_bits(), 0x7fff_ffff);
            } else {
                assert_eq!(f64::from(wide).to_bits(), expected.to_bits(), "{bits:04x}");
                for round in [Round::Near, Round::Zero, Round::Down, Round::Up] {
                    assert_eq!(f32_to_f16(wide, round), bits);
                }
            }
        }
    }

    /// The nearest half, found by a search of all of them, which shares nothing with the
    /// implementation.
    fn nearest(x: f64) -> u16 {
        if x.is_nan() {
            return 0x7fff;
        }
        let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
        if x.abs() >= 65520.0 {
            return sign | 0x7c00;
        }
        let below =
            (0..0x7c00u16).collect::<Vec<_>>().partition_point(|&b| value(b) <= x.abs()) - 1;
        let (low, high) = (below as u16, below as u16 + 1);
        let top = if high == 0x7c00 { 65536.0 } else { value(high) };
        let (down, up) = (x.abs() - value(low), top - x.abs());
        sign | if down < up || down == up && low % 2 == 0 { low } else { high }
    }

    proptest! {
        #[test]
        fn sums_and_products_are_the_nearest_half(a: u16, b: u16) {
            // Exact in f64: sums span 40 bits, products have 22.
            prop_assert_eq!(add16(a, b, Format::F16), nearest(value(a) + value(b)));
            prop_assert_eq!(sub16(a, b, Format::F16), nearest(value(a) - value(b)));
            prop_assert_eq!(mul16(a, b, Format::F16), nearest(value(a) * value(b)));
        }

        #[test]
        fn fused_rounds_once(a: u16, b: u16, c: u16) {
            let (product, addend) = (value(a) * value(b), value(c));
            let sum = product + addend;
            // Where the sum is exact in f64, the nearest half to it is the answer.
            if sum.is_nan() || sum.is_infinite() || (sum - product == addend && sum - addend == product) {
                prop_assert_eq!(fma16(a, b, c, Format::F16), nearest(sum));
            }
        }

        #[test]
        fn the_least_and_the_most(a: u16, b: u16) {
            let (x, y) = (value(a), value(b));
            let least = value(min16(a, b, Format::F16, false));
            let most = value(max16(a, b, Format::F16, false));
            prop_assert!(least.is_nan() == (x.is_nan() && y.is_nan()));
            if !x.is_nan() && !y.is_nan() {
                prop_assert!(least <= x && least <= y && most >= x && most >= y);
                prop_assert!(least == x || least == y);
            }
        }

        #[test]
        fn bf16_is_the_rounded_upper_half(bits: u32) {
            let x = f32::from_bits(bits);
            let got = f32_to_bf16(x, Round::Near);
            if x.is_nan() {
                prop_assert_eq!(got, 0x7fff);
            } else {
                let expected = ((u64::from(bits) + 0x7fff + u64::from(bits >> 16 & 1)) >> 16) as u16;
                prop_assert_eq!(got, expected);
            }
        }
    }
}
