//! Binary floating point as IEEE 754 defines it: exact numbers of any precision, rounded once. It
//! uses integers of any size and no tricks, so that it does not share a mistake with the simulator.

use num_bigint::BigUint;

/// A format: bits of its exponent and of its fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    pub exponent: u32,
    pub fraction: u32,
}

pub const F16: Format = Format { exponent: 5, fraction: 10 };
pub const BF16: Format = Format { exponent: 8, fraction: 7 };
pub const TF32: Format = Format { exponent: 8, fraction: 10 };
pub const F32: Format = Format { exponent: 8, fraction: 23 };
pub const F64: Format = Format { exponent: 11, fraction: 52 };

impl Format {
    pub fn bits(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    pub fn sign(self) -> u64 {
        1 << (self.bits() - 1)
    }

    pub fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The greatest finite number.
    pub fn greatest(self) -> u64 {
        self.infinity() - 1
    }

    pub fn one(self) -> u64 {
        ((1 << (self.exponent - 1)) - 1) << self.fraction
    }

    /// The NaN that instructions return: ones without a sign.
    pub fn nan(self) -> u64 {
        self.sign() - 1
    }

    pub fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    pub fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    /// The number that a pattern of a format up to `f64` stands for.
    pub fn number(self, bits: u64) -> f64 {
        f64::from_bits(Value::of(self, bits).rounded(F64, Round::Near))
    }

    /// Exponent of the last place of the subnormal numbers.
    fn last(self) -> i64 {
        2 - (1 << (self.exponent - 1)) - i64::from(self.fraction)
    }

    /// Flushes a subnormal number to a zero of the same sign.
    pub fn flushed(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 { bits & self.sign() } else { bits }
    }

    /// From 0 to 1; a NaN is 0.
    pub fn saturated(self, bits: u64) -> u64 {
        if self.is_nan(bits) || self.is_negative(bits) { 0 } else { bits.min(self.one()) }
    }
}

/// A direction of rounding, as the modifiers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    Near,
    /// To nearest, halfway cases away from zero.
    NearAway,
    Zero,
    Down,
    Up,
}

pub const ROUNDS: [(&str, Round); 4] =
    [("rn", Round::Near), ("rz", Round::Zero), ("rm", Round::Down), ("rp", Round::Up)];

/// The value of a bit pattern, or of an operation's result before rounding.
#[derive(Debug, Clone)]
pub enum Value {
    Nan,
    Infinite(bool),
    Finite(Number),
}

/// `significand * 2^exponent`, plus a non-zero rest below the last bit if `more`.
#[derive(Debug, Clone)]
pub struct Number {
    pub negative: bool,
    significand: BigUint,
    exponent: i64,
    more: bool,
}

use Value::{Finite, Infinite, Nan};

impl Value {
    pub fn of(format: Format, bits: u64) -> Self {
        let negative = format.is_negative(bits);
        let magnitude = bits & (format.sign() - 1);
        if magnitude >= format.infinity() {
            return if magnitude == format.infinity() { Infinite(negative) } else { Nan };
        }
        let (field, fraction) =
            (magnitude >> format.fraction, magnitude & ((1 << format.fraction) - 1));
        let (significand, exponent) = if field == 0 {
            (fraction, format.last())
        } else {
            (fraction | 1 << format.fraction, format.last() + field as i64 - 1)
        };
        Finite(Number { negative, significand: significand.into(), exponent, more: false })
    }

    pub fn integer(n: i128) -> Self {
        let significand = n.unsigned_abs().into();
        Finite(Number { negative: n < 0, significand, exponent: 0, more: false })
    }

    pub fn negative(&self) -> Self {
        match self.clone() {
            Nan => Nan,
            Infinite(n) => Infinite(!n),
            Finite(n) => Finite(Number { negative: !n.negative, ..n }),
        }
    }

    /// The sum. The direction decides the sign of zero where two numbers cancel.
    pub fn plus(&self, other: &Self, round: Round) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(a), Infinite(b)) => {
                if a == b {
                    Infinite(*a)
                } else {
                    Nan
                }
            }
            (Infinite(a), _) | (_, Infinite(a)) => Infinite(*a),
            (Finite(a), Finite(b)) => {
                let exponent = a.exponent.min(b.exponent);
                let shifted = |n: &Number| &n.significand << (n.exponent - exponent);
                let (x, y) = (shifted(a), shifted(b));
                let (negative, significand) = if a.negative == b.negative {
                    (a.negative, x + y)
                } else if x == y {
                    (round == Round::Down, BigUint::ZERO)
                } else if x > y {
                    (a.negative, x - y)
                } else {
                    (b.negative, y - x)
                };
                Finite(Number { negative, significand, exponent, more: false })
            }
        }
    }

    pub fn times(&self, other: &Self) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(_), Finite(n)) | (Finite(n), Infinite(_)) if n.is_zero() => Nan,
            (Finite(a), Finite(b)) => Finite(Number {
                negative: a.negative != b.negative,
                significand: &a.significand * &b.significand,
                exponent: a.exponent + b.exponent,
                more: false,
            }),
            (a, b) => Infinite(a.is_negative() != b.is_negative()),
        }
    }

    pub fn over(&self, other: &Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) => Nan,
            (Infinite(_), _) => Infinite(negative),
            (Finite(n), Infinite(_)) => Finite(Number { negative, ..Number::zero(n.negative) }),
            (Finite(a), Finite(b)) if b.is_zero() => {
                if a.is_zero() {
                    Nan
                } else {
                    Infinite(negative)
                }
            }
            (Finite(a), Finite(b)) => {
                // more digits than any format has
                let scaled = &a.significand << 200;
                Finite(Number {
                    negative,
                    significand: &scaled / &b.significand,
                    exponent: a.exponent - b.exponent - 200,
                    more: &scaled % &b.significand != BigUint::ZERO,
                })
            }
        }
    }

    pub fn root(&self) -> Self {
        match self {
            Finite(n) if n.is_zero() => self.clone(),
            Nan | Infinite(true) => Nan,
            Infinite(false) => Infinite(false),
            Finite(n) if n.negative => Nan,
            Finite(n) => {
                let shift = 300 + (n.exponent & 1);
                let scaled = &n.significand << shift;
                let significand = scaled.sqrt();
                let more = &significand * &significand != scaled;
                Finite(Number {
                    negative: false,
                    significand,
                    exponent: (n.exponent - shift) / 2,
                    more,
                })
            }
        }
    }

    pub fn is_negative(&self) -> bool {
        match self {
            Nan => false,
            Infinite(negative) => *negative,
            Finite(n) => n.negative,
        }
    }

    /// Rounds to a format, once. A NaN becomes the format's canonical one.
    pub fn rounded(&self, format: Format, round: Round) -> u64 {
        let sign = if self.is_negative() { format.sign() } else { 0 };
        match self {
            Nan => format.nan(),
            Infinite(_) => sign | format.infinity(),
            Finite(n) if n.is_zero() => sign,
            Finite(n) => {
                // the place of the first digit, and of the last that is kept
                let first = n.significand.bits() as i64 - 1 + n.exponent;
                let last = (first - i64::from(format.fraction)).max(format.last());
                let digits = u64::try_from(n.at(last, round)).expect("as many as fit");
                // a carry out of the fraction increments the exponent, possibly to infinity
                let magnitude = if digits < 1 << format.fraction {
                    digits
                } else {
                    (((last - format.last()) as u64) << format.fraction) + digits
                };
                if magnitude < format.infinity() {
                    return sign | magnitude;
                }
                let stays = match round {
                    Round::Near | Round::NearAway => false,
                    Round::Zero => true,
                    Round::Down => !n.negative,
                    Round::Up => n.negative,
                };
                sign | if stays { format.greatest() } else { format.infinity() }
            }
        }
    }

    /// Rounds to an integral value. Infinities and NaNs stay.
    pub fn integral(&self, round: Round) -> Self {
        match self {
            Finite(n) if n.exponent < 0 => {
                let significand = n.at(0, round);
                Finite(Number { significand, exponent: 0, more: false, ..n.clone() })
            }
            other => other.clone(),
        }
    }

    /// The nearest integer from `low` to `high`; none for a NaN.
    pub fn clamped(&self, round: Round, low: i128, high: i128) -> Option<i128> {
        match self {
            Nan => None,
            Infinite(negative) => Some(if *negative { low } else { high }),
            Finite(n) => {
                let magnitude = n.at(0, round);
                let n = i128::try_from(magnitude).map_or(
                    if n.negative { i128::MIN } else { i128::MAX },
                    |m| {
                        if n.negative { -m } else { m }
                    },
                );
                Some(n.clamp(low, high))
            }
        }
    }
}

impl Number {
    fn zero(negative: bool) -> Self {
        Self { negative, significand: BigUint::ZERO, exponent: 0, more: false }
    }

    pub fn is_zero(&self) -> bool {
        self.significand == BigUint::ZERO && !self.more
    }

    /// The magnitude in units of `2^place`, rounded.
    fn at(&self, place: i64, round: Round) -> BigUint {
        let cut = place - self.exponent;
        if cut <= 0 {
            assert!(!self.more, "a quotient or a root has more digits than a format");
            return &self.significand << -cut;
        }
        let kept: BigUint = &self.significand >> cut;
        let rest = &self.significand - (&kept << cut);
        let half = BigUint::from(1_u32) << (cut - 1);
        let exact = rest == BigUint::ZERO && !self.more;
        let (above, tie) = (rest > half || rest == half && self.more, rest == half && !self.more);
        let up = match round {
            Round::Near => above || tie && kept.bit(0),
            Round::NearAway => above || tie,
            Round::Zero => false,
            Round::Down => self.negative && !exact,
            Round::Up => !self.negative && !exact,
        };
        if up { kept + 1_u32 } else { kept }
    }
}

/// Checks this reference against the processor's arithmetic.
#[test]
fn the_reference_agrees_with_the_processor() {
    let mut random = ptx_cases::Random(11);
    let single = |bits: u64| f32::from_bits(bits as u32);
    let same = |bits: u64, wanted: f32| {
        let nan = wanted.is_nan() && bits == 0x7fff_ffff;
        assert!(nan || bits == u64::from(wanted.to_bits()), "{bits:x} {wanted:e}");
    };
    for _ in 0..20_000 {
        let [a, b, c] = super::patterns::triple(F32, &mut random);
        let [x, y, z] = [a, b, c].map(|v| Value::of(F32, v));
        let [p, q, r] = [a, b, c].map(single);
        let near = |v: Value| v.rounded(F32, Round::Near);
        same(near(x.plus(&y, Round::Near)), p + q);
        same(near(x.times(&y)), p * q);
        same(near(x.times(&y).plus(&z, Round::Near)), p.mul_add(q, r));
        same(near(x.over(&y)), p / q);
        same(near(x.root()), p.sqrt());
        same(near(x.integral(Round::Near)), p.round_ties_even());
        same(near(x.integral(Round::Down)), p.floor());
        let wide = Value::of(F32, a).rounded(F64, Round::Near);
        assert!(p.is_nan() || wide == f64::from(p).to_bits());
        let [a, b, c] = super::patterns::triple(F64, &mut random);
        let [x, y, z] = [a, b, c].map(|v| Value::of(F64, v));
        let [p, q, r] = [a, b, c].map(f64::from_bits);
        for (value, wanted) in [
            (x.plus(&y, Round::Near), p + q),
            (x.times(&y).plus(&z, Round::Near), p.mul_add(q, r)),
            (x.over(&y), p / q),
            (x.root(), p.sqrt()),
        ] {
            let got = value.rounded(F64, Round::Near);
            assert!(wanted.is_nan() && F64.is_nan(got) || got == wanted.to_bits());
        }
        same(x.rounded(F32, Round::Near), p as f32);
        assert_eq!(
            x.clamped(Round::Zero, i64::MIN.into(), i64::MAX.into()).unwrap_or(0),
            i128::from(p as i64)
        );
    }
}
