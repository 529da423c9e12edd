//! The arithmetic of tensor cores: a matrix of sums of products.
//!
//! PTX ISA, "mma": products are exact, and the order and the precision of floating-point sums are
//! left open. This is the model of the hardware that published measurements agree on (Fasi, Higham,
//! Mikaitis, Pranesh: "Numerical behavior of NVIDIA tensor cores", 2021; Khattak, Mikaitis:
//! "Accurate Models of NVIDIA Tensor Cores", 2025; "MMA-Sim", 2025):
//!
//! 1. The products of a group and the accumulator are aligned to the greatest exponent among them.
//!    The exponent of a product is the sum of its factors' exponents, even if the product is 2 or
//!    more. Subnormal numbers have the exponent of the least normal number, and zeros have none.
//! 2. Bits below 2^(greatest exponent - [`FRACTION_BITS`]) are cut off.
//! 3. The terms are added exactly.
//! 4. The sum is rounded to `f32` towards zero, or to `f16` to nearest even. It is the accumulator
//!    of the next group.
//!
//! | compute capability | bytes of factors in a group | fraction bits |
//! | --- | --- | --- |
//! | 7.5, 8.0, 8.6, 8.9 | 16 | 24 |
//! | 9.0 | 32 | 25 |

use super::half::{bf16_to_f32, f16_to_f32};
use super::soft::{Format, Round};

/// Bits of an aligned term after its point, compute capability 9.0.
const FRACTION_BITS: u32 = 25;

/// Bytes of factors of one matrix in a group, compute capability 9.0.
const GROUP_BYTES: u32 = 32;

/// The greatest exponent is never less, because the accumulator has an exponent even if it is zero.
const LEAST_EXPONENT: i32 = -126;

/// An exponent that is never the greatest.
const NO_EXPONENT: i32 = -1024;

/// The most elements of a factor.
pub const MAX_ELEMENTS: usize = 512;
/// The most elements of a row of the first factor.
const MAX_DEPTH: usize = 32;

/// Columns that are computed together.
const LANES: usize = 8;

/// The type of floating-point factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// IEEE binary16.
    F16,
    /// The upper half of an `f32`.
    Bf16,
    /// `f32` patterns of which the last 13 bits are ignored.
    Tf32,
}

/// The type of floating-point sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accumulator {
    /// IEEE binary16.
    F16,
    /// IEEE binary32.
    F32,
}

/// What to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// Products of floating-point numbers, group by group.
    Floats {
        /// The type of the factors.
        number: Number,
        /// The type of the sums.
        accumulator: Accumulator,
        /// The products of a group.
        products: usize,
    },
    /// 32-bit sums of 32-bit products, which wrap around or are clamped at the end.
    Integers {
        /// Clamps the sums.
        saturate: bool,
    },
}

/// Two factors. Their elements are bit patterns, or sign-extended integers.
#[derive(Debug)]
pub struct Product<'a> {
    /// Rows of the first factor.
    pub rows: usize,
    /// Columns of the second factor, a multiple of 8.
    pub columns: usize,
    /// Columns of the first factor and rows of the second, at most 32.
    pub depth: usize,
    /// The first factor, row by row.
    pub a: &'a [u32],
    /// The second factor, column by column.
    pub b: &'a [u32],
    /// Types and rounding.
    pub arithmetic: Arithmetic,
}

/// A number: `significand * 2^(exponent - fraction bits of its type)`.
#[derive(Debug, Clone, Copy)]
struct Term {
    significand: i32,
    exponent: i32,
    finite: bool,
}

impl Term {
    /// The number of a format with `fraction` and `exponent` bits.
    #[inline(always)]
    const fn new(bits: u32, fraction: u32, exponent: u32) -> Self {
        let most = (1 << exponent) - 1;
        let bias = most as i32 / 2;
        let field = bits >> fraction & most;
        let magnitude = bits & ((1 << fraction) - 1) | ((field != 0) as u32) << fraction;
        let sign = 1 - 2 * (bits >> (fraction + exponent) & 1) as i32;
        let least = if field == 0 { 1 } else { field as i32 };
        Self {
            significand: magnitude as i32 * sign,
            exponent: if magnitude == 0 { NO_EXPONENT } else { least - bias },
            finite: field != most,
        }
    }
}

impl Number {
    /// Bits after the point of a number between 1 and 2.
    const fn fraction_bits(self) -> u32 {
        if matches!(self, Self::Bf16) { 7 } else { 10 }
    }

    /// Products in a group.
    pub const fn products_in_group(self) -> usize {
        (GROUP_BYTES / if matches!(self, Self::Tf32) { 4 } else { 2 }) as usize
    }

    #[inline(always)]
    const fn term(self, bits: u32) -> Term {
        match self {
            Self::F16 => Term::new(bits, 10, 5),
            Self::Bf16 => Term::new(bits, 7, 8),
            Self::Tf32 => Term::new(bits >> 13, 10, 8),
        }
    }

    fn value(self, bits: u32) -> f64 {
        f64::from(match self {
            Self::F16 => f16_to_f32(bits as u16),
            Self::Bf16 => bf16_to_f32(bits as u16),
            Self::Tf32 => f32::from_bits(bits & !0x1fff),
        })
    }
}

impl Accumulator {
    const fn fraction_bits(self) -> u32 {
        if matches!(self, Self::F16) { 10 } else { 23 }
    }

    #[inline(always)]
    const fn term(self, bits: u32) -> Term {
        match self {
            Self::F16 => Term::new(bits, 10, 5),
            Self::F32 => Term::new(bits, 23, 8),
        }
    }

    fn value(self, bits: u32) -> f64 {
        f64::from(match self {
            Self::F16 => f16_to_f32(bits as u16),
            Self::F32 => f32::from_bits(bits),
        })
    }

    /// Rounds a sum. A sum that rounds to zero is +0, as on an H100.
    #[inline(always)]
    fn round(self, sum: f64) -> u32 {
        let (bits, sign) = match self {
            Self::F16 => {
                let bits = sum.to_bits();
                let half = super::convert::narrow_bits(bits, Format::F64, Format::F16, Round::Near);
                (half as u32, 0x8000)
            }
            Self::F32 => (truncate_to_f32(sum).to_bits(), 0x8000_0000),
        };
        if bits == sign { 0 } else { bits }
    }

    /// The bits of an infinity or a NaN.
    fn special(self, value: f64) -> u32 {
        match (self, value.is_nan()) {
            (Self::F16, true) => 0x7fff,
            (Self::F32, true) => 0x7fff_ffff,
            (Self::F16, false) => 0x7c00 | u32::from(value < 0.0) << 15,
            (Self::F32, false) => (value as f32).to_bits(),
        }
    }
}

/// Rounds towards zero; 2^128 and more become infinite.
#[inline(always)]
fn truncate_to_f32(x: f64) -> f32 {
    // 2^149 makes the least subnormal 1
    const SUBNORMALS: f64 = f64::from_bits((1023 + 149) << 52);
    if x.abs() < f64::from(f32::MIN_POSITIVE) {
        let steps = (x * SUBNORMALS) as i32;
        return (f64::from(steps) / SUBNORMALS).copysign(x) as f32;
    }
    f64::from_bits(x.to_bits() & !((1 << 29) - 1)) as f32
}

impl Product<'_> {
    /// Adds the product of the factors to `sums`, which are stored row by row.
    #[inline(always)]
    pub fn add_to(&self, sums: &mut [u32]) {
        match self.arithmetic {
            Arithmetic::Floats { number, accumulator, products } => {
                self.add_floats(number, accumulator, products, sums);
            }
            Arithmetic::Integers { saturate } => self.add_integers(saturate, sums),
        }
    }

    #[inline(always)]
    fn add_integers(&self, saturate: bool, sums: &mut [u32]) {
        for first in (0..self.columns).step_by(LANES) {
            let mut b = [[0_i32; LANES]; MAX_DEPTH];
            for (lane, column) in
                self.b.chunks_exact(self.depth).skip(first).take(LANES).enumerate()
            {
                for (b, bits) in b.iter_mut().zip(column) {
                    b[lane] = *bits as i32;
                }
            }
            for (row, a) in self.a.chunks_exact(self.depth).take(self.rows).enumerate() {
                let at = row * self.columns + first;
                let Some(sums) = sums.get_mut(at..at + LANES) else { return };
                // 32 products of 8-bit numbers are far from 2^31
                let mut total = [0_i32; LANES];
                for (a, b) in a.iter().zip(&b) {
                    for lane in 0..LANES {
                        total[lane] = total[lane].wrapping_add((*a as i32).wrapping_mul(b[lane]));
                    }
                }
                for (sum, total) in sums.iter_mut().zip(total) {
                    let c = *sum as i32;
                    let d = if saturate { c.saturating_add(total) } else { c.wrapping_add(total) };
                    *sum = d as u32;
                }
            }
        }
    }

    #[inline(always)]
    fn add_floats(
        &self,
        number: Number,
        accumulator: Accumulator,
        products: usize,
        sums: &mut [u32],
    ) {
        for first in (0..self.columns).step_by(LANES) {
            let mut columns = Columns::new(number);
            for (lane, column) in
                self.b.chunks_exact(self.depth).skip(first).take(LANES).enumerate()
            {
                columns.set(lane, column);
            }
            for (row, bits) in self.a.chunks_exact(self.depth).take(self.rows).enumerate() {
                let at = row * self.columns + first;
                let Some(sums) = sums.get_mut(at..).and_then(|s| s.first_chunk_mut::<LANES>())
                else {
                    return;
                };
                let mut a =
                    [Term { significand: 0, exponent: NO_EXPONENT, finite: true }; MAX_DEPTH];
                for (a, bits) in a.iter_mut().zip(bits) {
                    *a = number.term(*bits);
                }
                let a = &a[..self.depth.min(MAX_DEPTH)];
                let before = *sums;
                for group in (0..a.len()).step_by(products.max(1)) {
                    let end = (group + products).min(a.len());
                    columns.add_group(&a[group..end], group, accumulator, sums);
                }
                let finite = a.iter().all(|a| a.finite);
                for lane in 0..LANES {
                    if finite && columns.finite[lane] && accumulator.term(before[lane]).finite {
                        continue;
                    }
                    let column = self.b.chunks_exact(self.depth).nth(first + lane);
                    let factors = bits.iter().zip(column.into_iter().flatten());
                    let products = factors.map(|(a, b)| number.value(*a) * number.value(*b));
                    let c = accumulator.value(before[lane]);
                    // finite terms do not change a sum that is infinite or no number
                    let special = products.chain([c]).filter(|term| !term.is_finite()).sum();
                    sums[lane] = accumulator.special(special);
                }
            }
        }
    }
}

/// Columns of the second factor, element by element.
struct Columns {
    number: Number,
    significands: [[i32; LANES]; MAX_DEPTH],
    exponents: [[i32; LANES]; MAX_DEPTH],
    finite: [bool; LANES],
}

impl Columns {
    #[inline(always)]
    const fn new(number: Number) -> Self {
        Self {
            number,
            significands: [[0; LANES]; MAX_DEPTH],
            exponents: [[NO_EXPONENT; LANES]; MAX_DEPTH],
            finite: [true; LANES],
        }
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, column: &[u32]) {
        let rows = self.significands.iter_mut().zip(&mut self.exponents);
        for ((significands, exponents), bits) in rows.zip(column) {
            let term = self.number.term(*bits);
            (significands[lane], exponents[lane]) = (term.significand, term.exponent);
            self.finite[lane] &= term.finite;
        }
    }

    /// Adds the products of `a` and the rows from `first` on to finite accumulators.
    #[inline(always)]
    fn add_group(
        &self,
        a: &[Term],
        first: usize,
        accumulator: Accumulator,
        sums: &mut [u32; LANES],
    ) {
        let rows = || a.iter().zip(&self.significands[first..]).zip(&self.exponents[first..]);
        let c = sums.map(|bits| accumulator.term(bits));
        let mut greatest = c.map(|c| c.exponent.max(LEAST_EXPONENT));
        for ((a, _), exponents) in rows() {
            for lane in 0..LANES {
                greatest[lane] = greatest[lane].max(a.exponent + exponents[lane]);
            }
        }
        // a product has less than 27 bits when it is shifted to the greatest exponent, and the sum
        // of 16 of them has less than 32
        let up = FRACTION_BITS - 2 * self.number.fraction_bits();
        let mut total = [0_i32; LANES];
        for ((a, significands), exponents) in rows() {
            for lane in 0..LANES {
                let product = a.significand * significands[lane];
                let down = (greatest[lane] - a.exponent - exponents[lane]).min(31);
                let magnitude = (product.abs() << up) >> down;
                let sign = product >> 31;
                total[lane] += (magnitude ^ sign) - sign;
            }
        }
        let up = FRACTION_BITS - accumulator.fraction_bits();
        for lane in 0..LANES {
            let c = c[lane];
            if !c.finite {
                continue;
            }
            let down = (greatest[lane] - c.exponent).min(31);
            let aligned = ((c.significand.abs() << up) >> down) * c.significand.signum();
            let sum = f64::from(total[lane]) + f64::from(aligned);
            let exponent = greatest[lane] - FRACTION_BITS as i32;
            let unit = f64::from_bits(((1023 + exponent) as u64) << 52);
            sums[lane] = accumulator.round(sum * unit);
        }
    }
}

#[cfg(test)]
mod tests;
