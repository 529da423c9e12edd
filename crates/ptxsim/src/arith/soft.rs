//! Exact binary floating point on integers: it computes the exact value and rounds once, at the
//! end.
//!
//! This is slower than the processor's arithmetic, so it is used only for what the processor lacks:
//! directed rounding of `f64`, and other formats. IEEE 754-2019, sections 4.3 (rounding) and 5.4.

/// The direction of rounding: PTX ISA, "Rounding Modifiers", the floating-point ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Round {
    /// `.rn`: to nearest, ties to even.
    #[default]
    Near,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards minus infinity.
    Down,
    /// `.rp`: towards plus infinity.
    Up,
}

/// A binary interchange format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Bits of the fraction field.
    pub fraction: u32,
    /// Bits of the exponent field.
    pub exponent: u32,
}

impl Format {
    /// IEEE binary16.
    pub const F16: Self = Self { fraction: 10, exponent: 5 };
    /// The upper half of binary32.
    pub const BF16: Self = Self { fraction: 7, exponent: 8 };
    /// IEEE binary32.
    pub const F32: Self = Self { fraction: 23, exponent: 8 };
    /// IEEE binary64.
    pub const F64: Self = Self { fraction: 52, exponent: 11 };

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Exponent of the smallest subnormal, which is the weight of its last fraction bit.
    const fn quantum(self) -> i32 {
        1 - self.bias() - self.fraction as i32
    }

    /// The bit pattern of plus infinity.
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The sign bit alone.
    pub const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// Whether `bits` is a NaN.
    #[inline(always)]
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    /// Whether `bits` is an infinity.
    #[inline(always)]
    pub const fn is_infinite(self, bits: u64) -> bool {
        bits & (self.sign() - 1) == self.infinity()
    }

    /// The NaN that a conversion to this format returns. Up to 32 bits this is all ones below the
    /// sign, as on NVIDIA's hardware.
    pub const fn nan(self) -> u64 {
        self.sign() - 1
    }
}

/// `(-1)^negative * significand * 2^exponent`, exactly. The significand stays below `2^127`.
///
/// Bit 0 may be sticky: set because there is something non-zero below it. Operations only set it
/// while they keep at least two bits more than any format needs, so that rounding is still exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact {
    /// The sign, also of zero.
    pub negative: bool,
    /// Weight of bit 0, as a power of two.
    pub exponent: i32,
    /// The magnitude.
    pub significand: u128,
}

/// The highest bit of normalised sums: high enough that a 106-bit product shifts by one without
/// loss, low enough that a carry still fits below bit 127.
const TOP: u32 = 125;

impl Exact {
    /// An integer.
    #[inline]
    pub const fn from_integer(negative: bool, magnitude: u64) -> Self {
        Self { negative, exponent: 0, significand: magnitude as u128 }
    }

    /// The value of `bits`, which must be finite in `format`. (An infinity reads as the next power
    /// of two.)
    #[inline]
    pub const fn from_bits(bits: u64, format: Format) -> Self {
        let field = (bits >> format.fraction) & ((1 << format.exponent) - 1);
        let fraction = bits & ((1 << format.fraction) - 1);
        let negative = bits & format.sign() != 0;
        if field == 0 {
            return Self { negative, exponent: format.quantum(), significand: fraction as u128 };
        }
        let significand = (fraction | 1 << format.fraction) as u128;
        Self { negative, exponent: format.quantum() + field as i32 - 1, significand }
    }

    /// The value of a finite `f64`.
    #[inline]
    pub const fn from_f64(x: f64) -> Self {
        Self::from_bits(x.to_bits(), Format::F64)
    }

    /// Moves the highest set bit to `bit` (upwards only) without changing the value. Zero is left
    /// alone.
    const fn raised(mut self, bit: u32) -> Self {
        let lift = (bit + 1).saturating_sub(u128::BITS - self.significand.leading_zeros());
        if self.significand != 0 {
            self.significand <<= lift;
            self.exponent -= lift as i32;
        }
        self
    }

    /// `self * other`, exact for significands of at most 63 bits each.
    pub const fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            significand: self.significand.wrapping_mul(other.significand),
        }
    }

    /// `self + other`. `round` matters only for the sign of an exact zero (IEEE 754, 6.3).
    pub const fn plus(self, other: Self, round: Round) -> Self {
        if self.significand == 0 && other.significand == 0 {
            let same = self.negative == other.negative;
            let negative = if same { self.negative } else { matches!(round, Round::Down) };
            return Self { negative, exponent: 0, significand: 0 };
        }
        if self.significand == 0 {
            return other;
        }
        if other.significand == 0 {
            return self;
        }
        let (x, y) = (self.raised(TOP), other.raised(TOP));
        let (high, low) = if x.exponent >= y.exponent { (x, y) } else { (y, x) };
        let addend = shift_right_jam(low.significand, (high.exponent - low.exponent) as u32);
        let (negative, significand) = if high.negative == low.negative {
            (high.negative, high.significand + addend)
        } else if high.significand > addend {
            (high.negative, high.significand - addend)
        } else if high.significand < addend {
            (low.negative, addend - high.significand)
        } else {
            (matches!(round, Round::Down), 0)
        };
        Self { negative, exponent: high.exponent, significand }
    }

    /// `self / other` for a non-zero `other`, both significands of at most 53 bits.
    pub const fn over(self, other: Self) -> Self {
        let (x, y) = (self.raised(53), other.raised(53));
        let negative = x.negative != y.negative;
        if y.significand == 0 {
            return Self { negative, exponent: x.exponent, significand: 0 };
        }
        let dividend = x.significand << 70;
        let quotient = dividend / y.significand;
        let inexact = !dividend.is_multiple_of(y.significand);
        Self {
            negative,
            exponent: x.exponent - y.exponent - 70,
            significand: quotient | inexact as u128,
        }
    }

    /// The square root of a non-negative value.
    pub const fn root(self) -> Self {
        let mut x = self.raised(TOP);
        if x.exponent % 2 != 0 {
            x.significand >>= 1; // bit 0 is clear: inputs have far fewer bits than `TOP`
            x.exponent += 1;
        }
        let root = x.significand.isqrt();
        let inexact = root * root != x.significand;
        Self {
            negative: self.negative,
            exponent: x.exponent / 2 - 1,
            significand: root << 1 | inexact as u128,
        }
    }

    /// Rounds once, to the bits of `format`; overflow as IEEE 754 section 7.4 says for each
    /// direction.
    pub const fn round(self, format: Format, round: Round) -> u64 {
        let sign = if self.negative { format.sign() } else { 0 };
        if self.significand == 0 {
            return sign;
        }
        let top = 127 - self.significand.leading_zeros() as i32;
        let scale = self.exponent.saturating_add(top); // the value lies in 2^scale .. 2^(scale+1)
        if scale > format.bias() {
            return sign | overflow(format, self.negative, round);
        }
        let fine = format.quantum();
        let wanted = scale - format.fraction as i32;
        let quantum = if wanted > fine { wanted } else { fine };
        let (kept, half, rest) = split(self.significand, quantum - self.exponent);
        let up = match round {
            Round::Near => half && (rest || kept & 1 == 1),
            Round::Zero => false,
            Round::Down => self.negative && (half || rest),
            Round::Up => !self.negative && (half || rest),
        };
        // a carry out of the fraction increments the exponent field, which is the right result
        let bits = (((quantum - fine) as u64) << format.fraction) + kept + up as u64;
        if bits >= format.infinity() {
            return sign | overflow(format, self.negative, round);
        }
        sign | bits
    }

    /// Rounds to an integer; returns its sign and its magnitude, which saturates at `u128::MAX`.
    pub const fn to_integer(self, round: Round) -> u128 {
        if self.significand == 0 {
            return 0;
        }
        if self.exponent >= 0 {
            let room = self.significand.leading_zeros();
            if self.exponent as u32 > room {
                return u128::MAX;
            }
            return self.significand << self.exponent as u32;
        }
        let down = self.exponent.saturating_neg();
        let (kept, half, rest) = split_wide(self.significand, down as u32);
        let up = match round {
            Round::Near => half && (rest || kept & 1 == 1),
            Round::Zero => false,
            Round::Down => self.negative && (half || rest),
            Round::Up => !self.negative && (half || rest),
        };
        kept + up as u128
    }
}

/// The result of an overflow.
const fn overflow(format: Format, negative: bool, round: Round) -> u64 {
    let to_infinity = match round {
        Round::Near => true,
        Round::Zero => false,
        Round::Down => negative,
        Round::Up => !negative,
    };
    format.infinity() - !to_infinity as u64
}

/// `x >> by`, with bit 0 set when any set bit was shifted out.
const fn shift_right_jam(x: u128, by: u32) -> u128 {
    if by == 0 {
        return x;
    }
    if by >= u128::BITS {
        return (x != 0) as u128;
    }
    let lost = x << (u128::BITS - by) != 0;
    x >> by | lost as u128
}

/// `x * 2^-by` as (whole part, bit of one half, anything below that); a negative `by` shifts left.
const fn split(x: u128, by: i32) -> (u64, bool, bool) {
    if by <= 0 {
        // only reached when the whole significand fits the format, so the shift is short
        let left = by.unsigned_abs();
        return ((if left < 64 { x << left } else { 0 }) as u64, false, false);
    }
    let (kept, half, rest) = split_wide(x, by as u32);
    (kept as u64, half, rest)
}

/// The same for a shift to the right, keeping all bits.
const fn split_wide(x: u128, by: u32) -> (u128, bool, bool) {
    if by == 0 {
        return (x, false, false);
    }
    if by > 127 {
        return (0, false, x != 0); // x < 2^127, so less than one half
    }
    let half = x >> (by - 1) & 1 == 1;
    let rest = x & ((1 << (by - 1)) - 1) != 0;
    (x >> by, half, rest)
}
