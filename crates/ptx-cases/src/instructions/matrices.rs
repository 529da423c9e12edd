//! `mma`: each warp multiplies matrices that its lanes hold in registers.

use super::Table;
use super::sums::{self, Factor, Sum};
use super::values::ELEMENTS;
use crate::Random;

/// One `mma`.
#[derive(Debug, Clone, Copy)]
struct Multiply {
    m: usize,
    k: usize,
    factors: [Factor; 2],
    sum: Sum,
    saturate: bool,
}

impl Multiply {
    fn instruction(&self) -> String {
        let Self { m, k, factors: [a, b], sum, saturate } = self;
        let registers = |first: usize, count: usize| {
            let all: Vec<String> = (first..first + count).map(|n| format!("%r{n}")).collect();
            format!("{{{}}}", all.join(", "))
        };
        let (d, c) = (registers(11, self.sum_registers()), registers(7, self.sum_registers()));
        format!(
            "mma.sync.aligned.m{m}n8k{k}.row.col{}.{sum}.{}.{}.{sum} {d}, {}, {}, {c};",
            if *saturate { ".satfinite" } else { "" },
            a.name(),
            b.name(),
            registers(1, m * k * a.bytes() / 128),
            registers(5, 8 * k * b.bytes() / 128),
            sum = sum.name(),
        )
    }

    fn sum_registers(&self) -> usize {
        self.m * 8 * self.sum.bytes() / 128
    }

    /// The registers of the warp's lanes after the multiplication. `word` gives the registers
    /// before it, of a, b and c.
    fn result(&self, word: &dyn Fn(usize, usize, usize) -> u64) -> Vec<[u64; 4]> {
        let bits = |bytes: usize| 8 * bytes as u32;
        let part = |word: u64, n: usize, bytes: usize| {
            word >> (n as u32 * bits(bytes)) & (u64::MAX >> (64 - bits(bytes)))
        };
        // PTX ISA, "Matrix Fragments for mma": lane `4 * group + thread`
        let bytes = self.factors[0].bytes();
        let per_word = 4 / bytes;
        let at = |row: usize, k: usize, pairs: usize| {
            let (block, within) = (k / (4 * per_word), k % (4 * per_word));
            let lane = 4 * (row % 8) + within / per_word;
            (row / 8 + pairs * block, lane, within % per_word)
        };
        let sum_bytes = self.sum.bytes();
        let mut all = vec![[0; 4]; 32];
        for row in 0..self.m {
            for column in 0..8 {
                let row_of_a: Vec<u64> = (0..self.k)
                    .map(|k| {
                        let (register, lane, n) = at(row, k, self.m / 8);
                        part(word(0, register, lane), n, bytes)
                    })
                    .collect();
                let column_of_b: Vec<u64> = (0..self.k)
                    .map(|k| {
                        let (register, lane, n) = at(column, k, 1);
                        part(word(1, register, lane), n, bytes)
                    })
                    .collect();
                let lane = 4 * (row % 8) + column / 2;
                let (register, n) = if sum_bytes == 2 {
                    (row / 8, column % 2)
                } else {
                    (row / 8 * 2 + column % 2, 0)
                };
                let c = part(word(2, register, lane), n, sum_bytes);
                let factors = (&row_of_a[..], &column_of_b[..]);
                let d = if self.factors[0].is_integer() {
                    sums::of_integers(self.factors, factors, c, self.saturate)
                } else {
                    sums::of_floats(self.factors[0], factors, c, self.sum, 32 / bytes)
                };
                all[lane][register] |= d << (n as u32 * bits(sum_bytes));
            }
        }
        all
    }
}

/// The kinds of numbers in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Of similar size, so that sums round.
    Similar,
    /// Of all sizes.
    Wide,
    /// Equal up to the sign, so that sums cancel, and a few small ones.
    Cancelling,
    /// Near the least normal number, and below it.
    Small,
    /// Near the greatest number, so that sums overflow.
    Large,
    /// Mostly zeros of both signs.
    Sparse,
    /// Some infinities and NaNs.
    Special,
}

pub(super) const NUMBERS: [Numbers; 7] = [
    Numbers::Similar,
    Numbers::Wide,
    Numbers::Cancelling,
    Numbers::Small,
    Numbers::Large,
    Numbers::Sparse,
    Numbers::Special,
];

impl Numbers {
    /// A number with `exponent` and `fraction` bits.
    pub(super) fn draw(self, random: &mut Random, exponent: u32, fraction: u32) -> u64 {
        let most = (1_u64 << exponent) - 1;
        let bias = most / 2;
        let any = random.next() & ((1 << fraction) - 1);
        let sign = random.below(2) << (exponent + fraction);
        let number = |field: u64, fraction_bits: u64| sign | field << fraction | fraction_bits;
        match self {
            Self::Similar => number(bias - 1 + random.below(4), any),
            Self::Wide => number(random.below(most), any),
            Self::Cancelling => match random.below(8) {
                0 => number(bias - (bias / 2).min(9) - random.below(4), any),
                _ => number(bias + random.below(2), 0x155 & ((1 << fraction) - 1)),
            },
            Self::Small => number(random.below(4), any >> random.below(fraction.into())),
            Self::Large => number(most - 1 - random.below(3), any),
            Self::Sparse => match random.below(6) {
                0 => number(random.below(most), any),
                1 => number(bias, any),
                2 => number(0, 1),
                _ => number(0, 0),
            },
            Self::Special => match random.below(24) {
                0 => number(most, 0),
                1 => number(most, any | 1),
                2 => number(0, 0),
                _ => number(bias + random.below(3), any),
            },
        }
    }

    /// A word of factors.
    pub(super) fn word(self, random: &mut Random, factor: Factor) -> u64 {
        match factor {
            Factor::F16 => self.draw(random, 5, 10) | self.draw(random, 5, 10) << 16,
            Factor::Bf16 => self.draw(random, 8, 7) | self.draw(random, 8, 7) << 16,
            Factor::Tf32 => self.draw(random, 8, 10) << 13 | random.below(1 << 13),
            Factor::S8 | Factor::U8 => match self {
                Self::Similar | Self::Wide => random.next() & 0xffff_ffff,
                _ => (0..4).fold(0, |w, n| w | (127 + random.below(3)) << (8 * n)),
            },
        }
    }

    /// A word of sums.
    pub(super) fn sums(self, random: &mut Random, sum: Sum) -> u64 {
        match sum {
            Sum::F16 => self.draw(random, 5, 10) | self.draw(random, 5, 10) << 16,
            Sum::F32 => self.draw(random, 8, 23),
            Sum::S32 => match self {
                Self::Similar => random.below(1000),
                _ => 0x7fff_0000 + random.below(0x2_0000),
            },
        }
    }
}

/// `ELEMENTS` pairs of words.
pub(super) fn pairs(mut word: impl FnMut() -> u64) -> Vec<u64> {
    (0..ELEMENTS).map(|_| word() | word() << 32).collect()
}

fn add(t: &Table, multiply: Multiply, numbers: Numbers) {
    let mut random = Random(multiply.k as u64 + 100 * numbers as u64);
    let [a, b] = multiply.factors.map(|f| pairs(|| numbers.word(&mut random, f)));
    let c = pairs(|| numbers.sums(&mut random, multiply.sum));
    // the other registers of a and c are those of the block's other warp
    let mut results = vec![];
    for first in (0..ELEMENTS).step_by(32) {
        let word = |matrix: usize, register: usize, lane: usize| {
            let input = [&a, &b, &c][matrix];
            let thread = (first + lane) ^ (register / 2 * 32);
            input[thread] >> (register % 2 * 32) & 0xffff_ffff
        };
        results.extend(multiply.result(&word));
    }
    for half in 0..multiply.sum_registers() / 2 {
        let expected = results.iter().map(|d| d[2 * half] | d[2 * half + 1] << 32).collect();
        let [d0, d1] = [11, 12].map(|n| n + 2 * half);
        let body = format!(
            "mov.b64 {{%r1, %r2}}, %x4;\nmov.b64 {{%r3, %r4}}, %x14;\nmov.b64 {{%r5, %r6}}, %x5;\n\
             mov.b64 {{%r7, %r8}}, %x7;\nmov.b64 {{%r9, %r10}}, %x17;\n{}\nmov.b64 %x6, {{%r{d0}, %r{d1}}};",
            multiply.instruction()
        );
        let text = format!("{} of {numbers:?}, results {}", multiply.instruction(), 2 * half);
        t.warps(&text, &body, [a.clone(), b.clone(), c.clone()], expected);
    }
}

pub(super) fn matrices_of_floats(t: &Table) {
    use Factor::{Bf16, F16, Tf32};
    for (factor, k, sum) in [
        (F16, 8, Sum::F32),
        (F16, 16, Sum::F32),
        (F16, 8, Sum::F16),
        (F16, 16, Sum::F16),
        (Bf16, 8, Sum::F32),
        (Bf16, 16, Sum::F32),
        (Tf32, 4, Sum::F32),
        (Tf32, 8, Sum::F32),
    ] {
        for numbers in NUMBERS {
            let multiply = Multiply { m: 16, k, factors: [factor; 2], sum, saturate: false };
            add(t, multiply, numbers);
        }
    }
}

pub(super) fn matrices_of_integers(t: &Table) {
    use Factor::{S8, U8};
    for (m, k) in [(8, 16), (16, 16), (16, 32)] {
        for factors in [[S8, S8], [S8, U8], [U8, S8], [U8, U8]] {
            for saturate in [false, true] {
                for numbers in [Numbers::Similar, Numbers::Large] {
                    add(t, Multiply { m, k, factors, sum: Sum::S32, saturate }, numbers);
                }
            }
        }
    }
}
