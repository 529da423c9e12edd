//! `cvt`: every conversion between the integer and floating-point types (PTX ISA, "Data Movement
//! and Conversion Instructions", `cvt`).
//!
//! [`Convert::convert`] does all of them exactly, on bit patterns. The handful that kernels execute
//! all the time have functions of their own below.

use super::soft::{Exact, Format, Round};

/// A type that `cvt` converts from or to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `.u8`
    U8,
    /// `.s8`
    S8,
    /// `.u16`
    U16,
    /// `.s16`
    S16,
    /// `.u32`
    U32,
    /// `.s32`
    S32,
    /// `.u64`
    U64,
    /// `.s64`
    S64,
    /// `.f16`
    F16,
    /// `.bf16`
    BF16,
    /// `.f32`
    F32,
    /// `.f64`
    F64,
}

impl Scalar {
    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 8,
            Self::U16 | Self::S16 | Self::F16 | Self::BF16 => 16,
            Self::U32 | Self::S32 | Self::F32 => 32,
            Self::U64 | Self::S64 | Self::F64 => 64,
        }
    }

    /// Whether this is a signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// The floating-point format, unless this is an integer type.
    pub const fn format(self) -> Option<Format> {
        match self {
            Self::F16 => Some(Format::F16),
            Self::BF16 => Some(Format::BF16),
            Self::F32 => Some(Format::F32),
            Self::F64 => Some(Format::F64),
            _ => None,
        }
    }

    const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The largest value of an integer type.
    const fn greatest(self) -> u64 {
        self.mask() >> self.is_signed() as u32
    }

    /// The magnitude of the least value of an integer type.
    const fn least(self) -> u64 {
        if self.is_signed() { 1 << (self.bits() - 1) } else { 0 }
    }
}

/// A rounding modifier of `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn .rz .rm .rp`: the result is rounded to the destination's precision.
    Float(Round),
    /// `.rni .rzi .rmi .rpi`: to an integral value.
    Integer(Round),
}

/// One decoded `cvt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convert {
    /// Destination type.
    pub to: Scalar,
    /// Source type.
    pub from: Scalar,
    /// The rounding modifier, if any. PTX requires one where rounding can happen; without one this
    /// rounds to nearest, and towards zero from floating point to integer.
    pub rounding: Option<Rounding>,
    /// `.sat`: integers clamp to the destination's range, floating point to `[+0, 1]` with NaN
    /// becoming +0.
    pub sat: bool,
    /// `.ftz`: `f32` subnormals, in and out, become zeros of the same sign.
    pub ftz: bool,
    /// `.relu`: negative results become +0.
    pub relu: bool,
    /// `.satfinite`: results too large become the largest finite number.
    pub satfinite: bool,
}

impl Convert {
    /// Converts register bits to register bits.
    ///
    /// The source is taken from the low bits. The result is zero-extended, except that `.s8` and
    /// `.s16` are sign-extended to 32 bits, which is how a wider destination register holds them.
    pub fn convert(&self, bits: u64) -> u64 {
        let bits = bits & self.from.mask();
        match (self.from.format(), self.to.format()) {
            (None, None) => self.integer_to_integer(bits),
            (None, Some(format)) => self
                .saturated(self.integer(bits).round(format, self.direction(Round::Near)), format),
            (Some(format), None) => self.float_to_integer(self.flushed(bits, self.from), format),
            (Some(from), Some(to)) => self.float_to_float(self.flushed(bits, self.from), from, to),
        }
    }

    fn direction(&self, default: Round) -> Round {
        match self.rounding {
            Some(Rounding::Float(round) | Rounding::Integer(round)) => round,
            None => default,
        }
    }

    /// The source as an integer.
    fn integer(&self, bits: u64) -> Exact {
        let negative = self.from.is_signed() && bits > self.from.greatest();
        let magnitude = if negative { bits.wrapping_neg() & self.from.mask() } else { bits };
        Exact::from_integer(negative, magnitude)
    }

    fn integer_to_integer(&self, bits: u64) -> u64 {
        let value = self.integer(bits);
        let magnitude = value.significand as u64;
        let result = if self.sat {
            self.clamped(value.negative, value.significand)
        } else if value.negative {
            magnitude.wrapping_neg()
        } else {
            magnitude
        };
        self.extended(result)
    }

    /// The nearest value that the integer destination can hold, in two's complement.
    fn clamped(&self, negative: bool, magnitude: u128) -> u64 {
        let limit = if negative { self.to.least() } else { self.to.greatest() };
        let magnitude = u64::try_from(magnitude).unwrap_or(u64::MAX).min(limit);
        if negative { magnitude.wrapping_neg() } else { magnitude }
    }

    /// Cuts to the destination's width; narrow signed results are sign-extended to 32 bits.
    fn extended(&self, value: u64) -> u64 {
        let cut = value & self.to.mask();
        match self.to {
            Scalar::S8 => u64::from(i32::from(cut as i8) as u32),
            Scalar::S16 => u64::from(i32::from(cut as i16) as u32),
            _ => cut,
        }
    }

    /// Values out of range always saturate. A NaN becomes 0, or the integer with only the top bit
    /// set where the source is `.f64` or the destination has 64 bits.
    fn float_to_integer(&self, bits: u64, format: Format) -> u64 {
        if format.is_nan(bits) {
            let wide = self.from == Scalar::F64 || self.to.bits() == 64;
            return self.extended(if wide { 1 << (self.to.bits() - 1) } else { 0 });
        }
        let negative = bits & format.sign() != 0;
        let magnitude = if format.is_infinite(bits) {
            u128::MAX
        } else {
            Exact::from_bits(bits, format).to_integer(self.direction(Round::Zero))
        };
        self.extended(self.clamped(negative, magnitude))
    }

    fn float_to_float(&self, bits: u64, from: Format, to: Format) -> u64 {
        let bits = match self.rounding {
            Some(Rounding::Integer(round)) => integral(bits, from, round),
            _ => bits,
        };
        let result = match self.rounding {
            _ if from == to && !from.is_nan(bits) => bits,
            Some(Rounding::Float(round)) => narrow_bits(bits, from, to, round),
            _ => narrow_bits(bits, from, to, Round::Near),
        };
        self.saturated(self.flushed(self.limited(result, to), self.to), to)
    }

    /// `.relu` and `.satfinite`. An infinity as the operand counts as too large as well.
    fn limited(&self, bits: u64, to: Format) -> u64 {
        if self.relu && bits & to.sign() != 0 && !to.is_nan(bits) {
            return 0;
        }
        if self.satfinite && to.is_infinite(bits) { bits - 1 } else { bits }
    }

    /// `.ftz`, which concerns `f32` only.
    fn flushed(&self, bits: u64, scalar: Scalar) -> u64 {
        if !self.ftz || scalar != Scalar::F32 {
            return bits;
        }
        match bits & Format::F32.infinity() {
            0 => bits & Format::F32.sign(),
            // when the destination is `f64`, the only format that would keep it
            _ if Format::F32.is_nan(bits) && self.to == Scalar::F64 => Format::F32.nan(),
            _ => bits,
        }
    }

    fn saturated(&self, bits: u64, format: Format) -> u64 {
        if !self.sat {
            return bits;
        }
        if format.is_nan(bits) || bits & format.sign() != 0 {
            return 0;
        }
        let one = ((1 << (format.exponent - 1)) - 1) << format.fraction;
        bits.min(one)
    }
}

/// Converts between floating-point formats, rounding where the destination is narrower.
///
/// A NaN becomes the canonical one of the destination. From and to `f64` it keeps as much of its
/// payload as fits, because NaN payloads are "supported for double-precision instructions"; a
/// bfloat16 is the upper half of an `f32`.
#[inline]
pub(super) fn narrow_bits(bits: u64, from: Format, to: Format, round: Round) -> u64 {
    if from.is_nan(bits) {
        return nan_bits(bits, from, to);
    }
    if from.is_infinite(bits) {
        return to.infinity() | if bits & from.sign() != 0 { to.sign() } else { 0 };
    }
    Exact::from_bits(bits, from).round(to, round)
}

fn nan_bits(bits: u64, from: Format, to: Format) -> u64 {
    if from == Format::BF16 && to == Format::F32 {
        return bits << 16;
    }
    if to != Format::F64 && from != Format::F64 {
        return to.nan();
    }
    let sign = if bits & from.sign() != 0 { to.sign() } else { 0 };
    let payload = bits & ((1 << from.fraction) - 1);
    let payload = match to.fraction.checked_sub(from.fraction) {
        Some(more) => payload << more,
        None => payload >> (from.fraction - to.fraction),
    };
    sign | to.infinity() | 1 << (to.fraction - 1) | payload
}

/// Rounds to an integral value of the same format; zeros keep the sign of the operand.
fn integral(bits: u64, format: Format, round: Round) -> u64 {
    if format.is_nan(bits) || format.is_infinite(bits) {
        return bits;
    }
    let value = Exact::from_bits(bits, format);
    if value.exponent >= 0 {
        return bits;
    }
    Exact { significand: value.to_integer(round), exponent: 0, ..value }.round(format, Round::Near)
}

/// `cvt.rn.f32.s32`.
#[inline(always)]
pub fn s32_to_f32_rn(x: i32) -> f32 {
    x as f32
}

/// `cvt.rn.f32.u32`.
#[inline(always)]
pub fn u32_to_f32_rn(x: u32) -> f32 {
    x as f32
}

/// `cvt.rn.f64.s32`, exact.
#[inline(always)]
pub fn s32_to_f64(x: i32) -> f64 {
    f64::from(x)
}

/// `cvt.rzi.s32.f32`: saturates, NaN gives 0.
#[inline(always)]
pub fn f32_to_s32_rz(x: f32) -> i32 {
    x as i32
}

/// `cvt.rzi.u32.f32`: saturates, NaN gives 0.
#[inline(always)]
pub fn f32_to_u32_rz(x: f32) -> u32 {
    x as u32
}

/// `cvt.f64.f32`, exact; a NaN keeps its payload.
#[inline(always)]
pub fn f32_to_f64(x: f32) -> f64 {
    if x.is_nan() {
        return f64::from_bits(nan_bits(u64::from(x.to_bits()), Format::F32, Format::F64));
    }
    f64::from(x)
}

/// `cvt.rn.f32.f64`; a NaN keeps the upper part of its payload.
#[inline(always)]
pub fn f64_to_f32_rn(x: f64) -> f32 {
    if x.is_nan() {
        return f32::from_bits(nan_bits(x.to_bits(), Format::F64, Format::F32) as u32);
    }
    x as f32
}

#[cfg(test)]
mod tests;
