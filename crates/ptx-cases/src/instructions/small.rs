//! Conversion to and from binary floating-point formats narrower than `f64`, in plain arithmetic.

/// A format: bits of its exponent and of its fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    exponent: u32,
    fraction: u32,
}

pub(super) const F16: Format = Format { exponent: 5, fraction: 10 };
pub(super) const BF16: Format = Format { exponent: 8, fraction: 7 };
pub(super) const F32: Format = Format { exponent: 8, fraction: 23 };

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// The value of a bit pattern; exact.
    pub(super) fn value(self, bits: u64) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let fraction = (magnitude & ((1 << self.fraction) - 1)) as f64;
        let unit = |exponent: i32| 2_f64.powi(exponent - self.bias() - self.fraction as i32);
        let value = match (magnitude >> self.fraction) as i32 {
            0 => fraction * unit(1),
            _ if magnitude > self.infinity() => f64::NAN,
            _ if magnitude == self.infinity() => f64::INFINITY,
            exponent => (fraction + 2_f64.powi(self.fraction as i32)) * unit(exponent),
        };
        if bits & self.sign() == 0 { value } else { -value }
    }

    /// The pattern of the nearest value, with ties to even. A NaN becomes all ones below the sign.
    pub(super) fn nearest(self, value: f64) -> u64 {
        if value.is_nan() {
            return self.sign() - 1;
        }
        let sign = if value.is_sign_negative() { self.sign() } else { 0 };
        if value.is_infinite() {
            return sign | self.infinity();
        }
        // the exponent of the f64; a subnormal value of the format has the exponent of the least
        // normal one
        let exponent = ((value.abs().to_bits() >> 52) as i32 - 1023).max(1 - self.bias());
        let unit = exponent - self.fraction as i32;
        // two steps, because one power of two may be beyond f64
        let steps = value.abs() * 2_f64.powi(-unit / 2) * 2_f64.powi(-unit - -unit / 2);
        let steps = steps.round_ties_even() as u64;
        // a carry out of the fraction increments the exponent, possibly to infinity
        let magnitude = (((exponent + self.bias() - 1) as u64) << self.fraction) + steps;
        sign | magnitude.min(self.infinity())
    }
}

/// `a + b` rounded to odd, from which rounding to a format with at most 26 bits is still exact.
pub(super) fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() || !a.is_finite() || !b.is_finite() {
        return sum;
    }
    // the exact error of the sum (Knuth's two-sum)
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    if (error > 0.0) == (sum > 0.0) {
        f64::from_bits(sum.to_bits() + 1)
    } else {
        f64::from_bits(sum.to_bits() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pattern is the nearest to its own value, and `F32` is what Rust's `f32` is.
    #[test]
    fn patterns_and_values_are_inverse() {
        for format in [F16, BF16] {
            for bits in 0..1 << 16 {
                let value = format.value(bits);
                let back = format.nearest(value);
                assert!(back == bits || value.is_nan() && back == 0x7fff, "{bits:#x}");
            }
        }
        let mut random = crate::Random(5);
        for _ in 0..100_000 {
            let bits = random.next();
            let single = f32::from_bits(bits as u32);
            if !single.is_nan() {
                assert_eq!(F32.value(bits & 0xffff_ffff), f64::from(single));
            }
            let double = f64::from_bits(bits);
            let scaled = f64::from(single) * (1.0 + (bits >> 32) as f64 / 1e11);
            for v in [double, scaled] {
                if !v.is_nan() {
                    assert_eq!(F32.nearest(v), u64::from((v as f32).to_bits()), "{v:e}");
                }
            }
        }
    }

    #[test]
    fn odd_sums_keep_what_was_lost() {
        assert_eq!(odd_sum(1.0, 2.0), 3.0);
        assert_eq!(odd_sum(1.0, 1e-30), 1.0 + f64::EPSILON);
        assert_eq!(odd_sum(1.0, -1e-30), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(odd_sum(-1.0, 1e-30), -1.0 + f64::EPSILON / 2.0);
    }
}
