//! What tensor cores compute, on exact numbers, for compute capability 9.0.
//!
//! The hardware aligns the products of a group and the accumulator to the greatest exponent among
//! them, cuts off what is below 2^-25 of that power of two, and adds exactly. `ptxsim`'s
//! `arith/tensor.rs` names the sources of this model.

use super::small::{BF16, F16, F32, Format};

/// The types of factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factor {
    F16,
    Bf16,
    Tf32,
    S8,
    U8,
}

impl Factor {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Tf32 => "tf32",
            Self::S8 => "s8",
            Self::U8 => "u8",
        }
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Self::S8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 => 4,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        matches!(self, Self::S8 | Self::U8)
    }

    /// The value of a bit pattern.
    pub(super) fn value(self, bits: u64) -> f64 {
        match self {
            Self::F16 => F16.value(bits),
            Self::Bf16 => BF16.value(bits),
            Self::Tf32 => F32.value(bits & !0x1fff),
            Self::S8 => f64::from(bits as u8 as i8),
            Self::U8 => f64::from(bits as u8),
        }
    }

    /// The exponent of the least normal number.
    fn least_exponent(self) -> i32 {
        if self == Self::F16 { -14 } else { -126 }
    }
}

/// The types of sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sum {
    F16,
    F32,
    S32,
}

impl Sum {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::S32 => "s32",
        }
    }

    pub(super) fn bytes(self) -> usize {
        if self == Self::F16 { 2 } else { 4 }
    }

    fn format(self) -> Format {
        if self == Self::F16 { F16 } else { F32 }
    }
}

/// The exponent of a number: of `x = m * 2^e` with `1 <= m < 2`, or the least one.
fn exponent(x: f64, least: i32) -> i32 {
    let field = (x.abs().to_bits() >> 52) as i32;
    (field - 1023).max(least)
}

/// `c` and the products of `a` and `b` in one sum.
fn group(factor: Factor, a: &[u64], b: &[u64], c: u64, sum: Sum) -> u64 {
    let format = sum.format();
    let products: Vec<[f64; 2]> =
        a.iter().zip(b).map(|(a, b)| [factor.value(*a), factor.value(*b)]).collect();
    let c = format.value(c);
    let plain: f64 = products.iter().map(|[a, b]| a * b).sum::<f64>() + c;
    if !plain.is_finite() {
        return format.nearest(plain);
    }
    let least = factor.least_exponent();
    let exponents = products
        .iter()
        .filter(|[a, b]| a * b != 0.0)
        .map(|[a, b]| exponent(*a, least) + exponent(*b, least));
    let own = if c == 0.0 { -126 } else { exponent(c, if sum == Sum::F16 { -14 } else { -126 }) };
    let greatest = exponents.fold(own.max(-126), i32::max);
    let steps = 2_f64.powi(25 - greatest);
    let total: f64 = products.iter().map(|[a, b]| (a * b * steps).trunc()).sum();
    let exact = (total + (c * steps).trunc()) / steps;
    let (rounded, negative_zero) = if sum == Sum::F16 {
        (format.nearest(exact), 0x8000)
    } else {
        // towards zero
        let nearest = exact as f32;
        let beyond = f64::from(nearest).abs() > exact.abs() && exact.abs() < 2_f64.powi(128);
        (u64::from(nearest.to_bits() - u32::from(beyond)), 0x8000_0000)
    };
    // the hardware has no negative zero among its sums
    if rounded == negative_zero { 0 } else { rounded }
}

/// A sum of products. `products` of them are in a group.
pub(super) fn of_floats(
    factor: Factor,
    (a, b): (&[u64], &[u64]),
    c: u64,
    sum: Sum,
    products: usize,
) -> u64 {
    let groups = a.chunks(products).zip(b.chunks(products));
    groups.fold(c, |c, (a, b)| group(factor, a, b, c, sum))
}

/// A sum of products of integers.
pub(super) fn of_integers(
    [a_type, b_type]: [Factor; 2],
    (a, b): (&[u64], &[u64]),
    c: u64,
    saturate: bool,
) -> u64 {
    let products = a.iter().zip(b).map(|(a, b)| (a_type.value(*a) * b_type.value(*b)) as i64);
    let sum = products.sum::<i64>() + i64::from(c as u32 as i32);
    let sum = if saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
    u64::from(sum as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(v: f64) -> u64 {
        F16.nearest(v)
    }

    fn single(v: f32) -> u64 {
        v.to_bits().into()
    }

    /// Sums of few bits are exact, whatever their order.
    #[test]
    fn small_numbers_are_added_exactly() {
        let a: Vec<u64> = (0..16).map(|i| half(f64::from(i) - 7.5)).collect();
        let b: Vec<u64> = (0..16).map(|i| half(f64::from(i % 5) * 0.25)).collect();
        let exact: f64 = (0..16).map(|i| (f64::from(i) - 7.5) * f64::from(i % 5) * 0.25).sum();
        let sum = of_floats(Factor::F16, (&a, &b), single(3.0), Sum::F32, 16);
        assert_eq!(sum, single((exact + 3.0) as f32));
    }

    /// 2^-24 of 1 is kept, and 2^-26 is lost, but only where they meet a 1.
    #[test]
    fn small_terms_are_cut_off() {
        let tiny = |power: i32| half(2_f64.powi(power));
        let of = |terms: &[(u64, u64)], c: f32| {
            let (a, b): (Vec<u64>, Vec<u64>) = terms.iter().copied().unzip();
            f32::from_bits(of_floats(Factor::F16, (&a, &b), single(c), Sum::F32, 16) as u32)
        };
        assert_eq!(of(&[(half(1.0), half(1.0)), (tiny(-12), tiny(-12))], -1.0), 2_f32.powi(-24));
        assert_eq!(of(&[(half(1.0), half(1.0)), (tiny(-13), tiny(-13))], -1.0), 0.0);
        assert_eq!(of(&[(tiny(-13), tiny(-13))], 0.0), 2_f32.powi(-26));
        // towards zero
        assert_eq!(of(&[(tiny(-12), half(-0.25))], 1.0), 1.0 - 2_f32.powi(-14));
        assert_eq!(of(&[(tiny(-12), tiny(-12))], -1.0), -1.0 + 2_f32.powi(-24));
        assert_eq!(of(&[(tiny(-12), tiny(-12))], 1.0), 1.0);
    }

    #[test]
    fn infinities_and_nans_prevail() {
        let inf = half(f64::INFINITY);
        let of = |a: u64, b: u64, c: f32| {
            of_floats(Factor::F16, (&[a, half(1.0)], &[b, half(1.0)]), single(c), Sum::F32, 16)
        };
        assert_eq!(of(inf, half(-2.0), 1.0), single(f32::NEG_INFINITY));
        assert_eq!(of(inf, half(0.0), 1.0), 0x7fff_ffff);
        assert_eq!(of(inf, half(1.0), f32::NEG_INFINITY), 0x7fff_ffff);
        assert_eq!(of(half(1.0), half(1.0), f32::NAN), 0x7fff_ffff);
    }

    #[test]
    fn integers_wrap_or_saturate() {
        let of = |saturate| {
            let (a, b) = ([0x80, 0x80], [0x80, 0x81]);
            of_integers([Factor::S8; 2], (&a, &b), 0x7fff_ffff, saturate)
        };
        assert_eq!(of(true), 0x7fff_ffff);
        assert_eq!(of(false), 0x8000_0000 + 128 * 128 + 128 * 127 - 1);
        assert_eq!(of_integers([Factor::U8, Factor::S8], (&[255], &[0xff]), 0, false), 0xffff_ff01);
    }
}
