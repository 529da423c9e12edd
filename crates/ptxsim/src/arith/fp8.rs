//! The 8-bit floating-point formats `.e4m3` and `.e5m2` (PTX ISA, "Alternate Floating-Point Data
//! Formats"; `cvt`).

use super::soft::{Exact, Format, Round};

/// One of the two formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Small {
    /// 4 bits of exponent, 3 of fraction; no infinities.
    E4M3,
    /// 5 bits of exponent, 2 of fraction: the upper half of an `f16`.
    E5M2,
}

/// The NaN that conversions to both formats give.
const NAN: u8 = 0x7f;

impl Small {
    const fn fraction(self) -> i32 {
        match self {
            Self::E4M3 => 3,
            Self::E5M2 => 2,
        }
    }

    const fn bias(self) -> i32 {
        match self {
            Self::E4M3 => 7,
            Self::E5M2 => 15,
        }
    }

    /// The largest finite number: 448, and 57344.
    const fn greatest(self) -> u64 {
        match self {
            Self::E4M3 => 0x7e,
            Self::E5M2 => 0x7b,
        }
    }

    /// `cvt.rn.satfinite` of a number of another format: numbers too large become the largest finite
    /// one, and a NaN a positive NaN.
    pub const fn nearest(self, bits: u64, format: Format) -> u8 {
        if format.is_nan(bits) {
            return NAN;
        }
        let sign = if bits & format.sign() != 0 { 0x80 } else { 0 };
        if format.is_infinite(bits) {
            return sign | self.greatest() as u8;
        }
        let value = Exact::from_bits(bits, format);
        if value.significand == 0 {
            return sign;
        }
        let top = 127 - value.significand.leading_zeros() as i32;
        // the weight of the last bit: that of a normal number, and at least that of a subnormal one
        let least = 1 - self.bias() - self.fraction();
        let wanted = value.exponent + top - self.fraction();
        let quantum = if wanted > least { wanted } else { least };
        let steps = Exact { negative: false, exponent: value.exponent - quantum, ..value };
        // a carry out of the fraction increments the exponent field
        let field = ((quantum - least) as u64) << self.fraction();
        let magnitude = field + steps.to_integer(Round::Near) as u64;
        let greatest = self.greatest();
        sign | (if magnitude < greatest { magnitude } else { greatest }) as u8
    }

    /// The same number as an `f16`, exactly. Every NaN becomes the canonical one.
    pub fn to_f16(self, bits: u8) -> u16 {
        let bits = u16::from(bits);
        match self {
            Self::E5M2 if bits & 0x7f > 0x7c => 0x7fff,
            Self::E5M2 => bits << 8,
            Self::E4M3 if bits & 0x7f == 0x7f => 0x7fff,
            Self::E4M3 => {
                let (field, fraction) = (i32::from(bits >> 3 & 15), u64::from(bits & 7));
                // 2^-9 is the weight of the last bit of a subnormal
                let (significand, exponent) =
                    if field == 0 { (fraction, -9) } else { (fraction | 8, field - 10) };
                let value =
                    Exact { exponent, ..Exact::from_integer(bits & 0x80 != 0, significand) };
                value.round(Format::F16, Round::Near) as u16
            }
        }
    }
}

/// `.relu`: negative results become +0; a NaN stays.
const fn relu(bits: u8, on: bool) -> u8 {
    if on && bits & 0x80 != 0 { 0 } else { bits }
}

/// `cvt.rn.satfinite.e4m3x2.f32 d, a, b`: `a` in the upper byte.
pub fn pair_of_f32(small: Small, a: u32, b: u32, on: bool) -> u32 {
    let [high, low] = [a, b].map(|x| relu(small.nearest(u64::from(x), Format::F32), on));
    u32::from(high) << 8 | u32::from(low)
}

/// `cvt.rn.satfinite.e4m3x2.f16x2`.
pub fn pair_of_halves(small: Small, a: u32, on: bool) -> u32 {
    let byte = |half: u32| relu(small.nearest(u64::from(half & 0xffff), Format::F16), on);
    u32::from(byte(a >> 16)) << 8 | u32::from(byte(a))
}

/// `cvt.rn.f16x2.e4m3x2`.
pub fn halves_of_pair(small: Small, a: u32, on: bool) -> u32 {
    let half = |byte: u32| {
        let half = small.to_f16(byte as u8);
        // a NaN is positive
        if on && half & 0x8000 != 0 { 0 } else { half }
    };
    u32::from(half(a >> 8)) << 16 | u32::from(half(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a pattern by the formula of the format, in `f64`.
    fn value(small: Small, bits: u8) -> f64 {
        let fraction_bits = small.fraction();
        let field = i32::from(bits & 0x7f) >> fraction_bits;
        let fraction = f64::from(i32::from(bits) & ((1 << fraction_bits) - 1));
        let one = 2_f64.powi(fraction_bits);
        let magnitude = match (small, field, bits & 0x7f) {
            (Small::E4M3, _, 0x7f) => f64::NAN,
            (Small::E5M2, 31, 0x7c) => f64::INFINITY,
            (Small::E5M2, 31, _) => f64::NAN,
            (_, 0, _) => fraction / one * 2_f64.powi(1 - small.bias()),
            _ => (1.0 + fraction / one) * 2_f64.powi(field - small.bias()),
        };
        if bits & 0x80 == 0 { magnitude } else { -magnitude }
    }

    #[test]
    fn every_pattern_widens_to_its_value_and_comes_back() {
        for small in [Small::E4M3, Small::E5M2] {
            for bits in 0..=255_u8 {
                let wide = super::super::half::f16_to_f32(small.to_f16(bits));
                let wanted = value(small, bits);
                if wanted.is_nan() {
                    assert_eq!(small.to_f16(bits), 0x7fff, "{bits:x}");
                    continue;
                }
                assert_eq!(f64::from(wide).to_bits(), wanted.to_bits(), "{small:?} {bits:x}");
                let back = small.nearest(u64::from(wide.to_bits()), Format::F32);
                let finite = if wanted.is_infinite() { bits - 1 } else { bits };
                assert_eq!(back, finite, "{small:?} {bits:x}");
            }
        }
    }

    /// Against a search of all patterns.
    #[test]
    fn conversions_give_the_nearest_number() {
        let mut random = 1_u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // exponents around those of the formats
            let exponent = 100 + (random >> 40) % 50;
            let x = f32::from_bits((random >> 32) as u32 & 0x807f_ffff | (exponent as u32) << 23);
            for small in [Small::E4M3, Small::E5M2] {
                let got = small.nearest(u64::from(x.to_bits()), Format::F32);
                let best = (0..=small.greatest() as u8)
                    .min_by(|p, q| {
                        let away = |bits: u8| (value(small, bits) - f64::from(x.abs())).abs();
                        away(*p).total_cmp(&away(*q)).then((p & 1).cmp(&(q & 1)))
                    })
                    .expect("patterns");
                let sign = if x.is_sign_negative() { 0x80 } else { 0 };
                assert_eq!(got, best | sign, "{small:?} {x:e}");
            }
        }
    }

    #[test]
    fn specials() {
        for small in [Small::E4M3, Small::E5M2] {
            assert_eq!(small.nearest(0x7fc0_0000, Format::F32), 0x7f);
            assert_eq!(small.nearest(0xffff_ffff, Format::F32), 0x7f);
            assert_eq!(u64::from(small.nearest(0x7f80_0000, Format::F32)), small.greatest());
            assert_eq!(u64::from(small.nearest(0xff80_0000, Format::F32)), small.greatest() | 0x80);
            assert_eq!(small.nearest(0x8000_0000, Format::F32), 0x80);
        }
        assert_eq!(pair_of_f32(Small::E4M3, 0xbf80_0000, 0x3f80_0000, true), 0x0038);
        assert_eq!(pair_of_f32(Small::E4M3, 0xbf80_0000, 0x3f80_0000, false), 0xb838);
    }
}
