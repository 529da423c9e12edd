//! Results that PTX ISA leaves open or mentions only briefly: which NaN is returned, the conversion
//! of a NaN to an integer, division by zero, signs of zeros, flushed subnormals. The expected
//! results are those of an NVIDIA H200.

use super::small::{BF16, F16, F32, odd_sum};
use super::values::{ELEMENTS, TYPES, mask, number};
use super::{Comparison, Table};
use crate::Random;

/// NaNs and other specials of `f32`: at most 22, so that all pairs fit a case.
const SINGLES: [u32; 22] = [
    0x7fc0_0000,
    0x7fff_ffff,
    0xffc0_0000,
    0x7f80_0001,
    0xff81_2345,
    0x7fc1_2345,
    0xffff_ffff,
    0x7f80_0000,
    0xff80_0000,
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x8040_0000,
    0x0080_0000,
    0x8080_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x4020_0000,
];

const DOUBLES: [u64; 22] = [
    0x7ff8_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0xfff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0xfff1_2345_6789_abcd,
    0x7ff8_1234_5678_9abc,
    0x7ff0_0000_8000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0,
    0x8000_0000_0000_0000,
    1,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x8008_0000_0000_0000,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x4004_0000_0000_0000,
];

/// For both 16-bit formats, because special values of one are numbers of the other.
const HALVES: [u16; 22] = [
    0x7e00, 0x7fff, 0xfe00, 0x7c01, 0xfd23, 0x7fc0, 0xffff, 0x7f81, 0x7c00, 0xfc00, 0x7f80, 0xff80,
    0, 0x8000, 1, 0x8001, 0x0400, 0x0080, 0x3c00, 0xbf80, 0x7bff, 0xff7f,
];

/// All pairs of special values in a and b, any special value in c.
fn combined(specials: &[u64]) -> [Vec<u64>; 3] {
    let n = specials.len();
    let mut random = Random(n as u64);
    let at = |f: &dyn Fn(usize) -> usize| (0..ELEMENTS).map(|i| specials[f(i) % n]).collect();
    let c: Vec<usize> = (0..ELEMENTS).map(|_| random.below(n as u64) as usize).collect();
    [at(&|i| i / n), at(&|i| i), at(&|i| c[i])]
}

fn singles() -> [Vec<u64>; 3] {
    combined(&SINGLES.map(u64::from))
}

fn halves() -> [Vec<u64>; 3] {
    combined(&HALVES.map(u64::from))
}

const NAN_F32: u64 = 0x7fff_ffff;

/// The bits of an `f32` result, in which every NaN is the canonical one.
fn f32_bits(v: f32) -> u64 {
    if v.is_nan() { NAN_F32 } else { u64::from(v.to_bits()) }
}

fn flushed(v: f32) -> f32 {
    if v.is_subnormal() { 0.0_f32.copysign(v) } else { v }
}

/// The minimum: -0 counts as less than +0; with one NaN, the result is the other operand.
fn least(a: f32, b: f32) -> f32 {
    if a.is_nan() || b < a || a == b && b.is_sign_negative() { b } else { a }
}

fn most(a: f32, b: f32) -> f32 {
    -least(-a, -b)
}

pub(super) fn nans_of_f32(t: &Table) {
    let f = |v: u64| f32::from_bits(v as u32);
    type Two = fn(f32, f32) -> f32;
    let two: [(&str, Two); 6] = [
        ("add.rn", |a, b| a + b),
        ("sub.rn", |a, b| a - b),
        ("mul.rn", |a, b| a * b),
        ("div.rn", |a, b| a / b),
        ("min", least),
        ("max", most),
    ];
    for (op, g) in two {
        t.exact(&format!("{op}.f32 {{d}}, {{a}}, {{b}};"), "fff", singles(), |a, b, _| {
            f32_bits(g(f(a), f(b)))
        });
        let ftz = format!("{op}.ftz.f32 {{d}}, {{a}}, {{b}};");
        t.exact(&ftz, "fff", singles(), |a, b, _| {
            f32_bits(flushed(g(flushed(f(a)), flushed(f(b)))))
        });
    }
    for (op, g) in [("min", least as Two), ("max", most)] {
        t.exact(&format!("{op}.NaN.f32 {{d}}, {{a}}, {{b}};"), "fff", singles(), |a, b, _| {
            let (a, b) = (f(a), f(b));
            if a.is_nan() || b.is_nan() { NAN_F32 } else { f32_bits(g(a, b)) }
        });
    }
    t.exact("fma.rn.f32 {d}, {a}, {b}, {c};", "ffff", singles(), |a, b, c| {
        f32_bits(f(a).mul_add(f(b), f(c)))
    });
    t.exact("fma.rn.ftz.f32 {d}, {a}, {b}, {c};", "ffff", singles(), |a, b, c| {
        f32_bits(flushed(flushed(f(a)).mul_add(flushed(f(b)), flushed(f(c)))))
    });
    t.exact("add.sat.f32 {d}, {a}, {b};", "fff", singles(), |a, b, _| {
        let v = f(a) + f(b);
        u64::from(if v > 0.0 { v.min(1.0) } else { 0.0 }.to_bits())
    });
    type One = fn(f32) -> f32;
    let one: [(&str, One); 4] = [
        ("sqrt.rn", f32::sqrt),
        ("rcp.rn", f32::recip),
        ("cvt.rni.f32", f32::round_ties_even),
        ("cvt.rzi.f32", f32::trunc),
    ];
    for (op, g) in one {
        t.exact(&format!("{op}.f32 {{d}}, {{a}};"), "ff", singles(), |a, _, _| f32_bits(g(f(a))));
        let ftz = match op.strip_suffix(".f32") {
            Some(cvt) => format!("{cvt}.ftz.f32.f32 {{d}}, {{a}};"),
            None => format!("{op}.ftz.f32 {{d}}, {{a}};"),
        };
        t.exact(&ftz, "ff", singles(), |a, _, _| f32_bits(flushed(g(flushed(f(a))))));
    }
    t.exact("abs.f32 {d}, {a};", "ff", singles(), |a, _, _| f32_bits(f(a).abs()));
    t.exact("neg.f32 {d}, {a};", "ff", singles(), |a, _, _| f32_bits(-f(a)));
    t.exact("abs.ftz.f32 {d}, {a};", "ff", singles(), |a, _, _| f32_bits(flushed(f(a).abs())));
    t.exact("neg.ftz.f32 {d}, {a};", "ff", singles(), |a, _, _| f32_bits(flushed(-f(a))));
    t.exact("copysign.f32 {d}, {a}, {b};", "fff", singles(), |a, b, _| {
        b & 0x7fff_ffff | a & 0x8000_0000
    });
    t.exact("cvt.f64.f32 {d}, {a};", "gf", singles(), |a, _, _| {
        if f(a).is_nan() { widened_nan(a) } else { f64::from(f(a)).to_bits() }
    });
    t.exact("cvt.ftz.f64.f32 {d}, {a};", "gf", singles(), |a, _, _| {
        if f(a).is_nan() { widened_nan(NAN_F32) } else { f64::from(flushed(f(a))).to_bits() }
    });
    t.exact("cvt.rn.f16.f32 {d}, {a};", "hf", singles(), |a, _, _| F16.nearest(F32.value(a)));
    t.exact("cvt.rn.bf16.f32 {d}, {a};", "hf", singles(), |a, _, _| BF16.nearest(F32.value(a)));
    t.exact("cvt.sat.f32.f32 {d}, {a};", "ff", singles(), |a, _, _| {
        let v = f(a);
        u64::from(if v > 0.0 { v.min(1.0) } else { 0.0 }.to_bits())
    });
}

/// The `f64` NaN of an `f32` NaN.
fn widened_nan(bits: u64) -> u64 {
    (bits & 0x8000_0000) << 32 | 0x7ff8_0000_0000_0000 | (bits & 0x3f_ffff) << 29
}

const NAN_F64: u64 = 0xfff8_0000_0000_0000;

/// The bit that makes an `f64` NaN quiet.
const QUIET: u64 = 1 << 51;

/// The bits of an `f64` result, in which a NaN is the first NaN among the operands, made quiet, or
/// [`NAN_F64`].
fn f64_bits(v: f64, operands: &[u64]) -> u64 {
    if !v.is_nan() {
        return v.to_bits();
    }
    let nan = operands.iter().find(|o| f64::from_bits(**o).is_nan());
    nan.map_or(NAN_F64, |nan| nan | QUIET)
}

pub(super) fn nans_of_f64(t: &Table) {
    let f = f64::from_bits;
    type Two = fn(f64, f64) -> f64;
    let two: [(&str, Two); 4] = [
        ("add.rn", |a, b| a + b),
        ("sub.rn", |a, b| a - b),
        ("mul.rn", |a, b| a * b),
        ("div.rn", |a, b| a / b),
    ];
    for (op, g) in two {
        t.exact(&format!("{op}.f64 {{d}}, {{a}}, {{b}};"), "ggg", combined(&DOUBLES), |a, b, _| {
            let order = if op == "div.rn" { [a, b] } else { [b, a] };
            f64_bits(g(f(a), f(b)), &order)
        });
    }
    for (op, sign) in [("min", 0), ("max", 1_u64 << 63)] {
        t.exact(&format!("{op}.f64 {{d}}, {{a}}, {{b}};"), "ggg", combined(&DOUBLES), |a, b, _| {
            // the maximum is the negated minimum of both negated
            let (x, y) = (f(a ^ sign), f(b ^ sign));
            match (x.is_nan(), y.is_nan()) {
                (true, true) => b | QUIET,
                (true, false) => b,
                (false, true) => a,
                _ if y < x || x == y && y.is_sign_negative() => b,
                _ => a,
            }
        });
    }
    t.exact("fma.rn.f64 {d}, {a}, {b}, {c};", "gggg", combined(&DOUBLES), |a, b, c| {
        f64_bits(f(a).mul_add(f(b), f(c)), &[b, c, a])
    });
    type One = fn(f64) -> f64;
    let one: [(&str, One); 4] = [
        ("sqrt.rn", f64::sqrt),
        ("rcp.rn", f64::recip),
        ("cvt.rni.f64", f64::round_ties_even),
        ("cvt.rzi.f64", f64::trunc),
    ];
    for (op, g) in one {
        t.exact(&format!("{op}.f64 {{d}}, {{a}};"), "gg", combined(&DOUBLES), |a, _, _| {
            f64_bits(g(f(a)), &[a])
        });
    }
    t.exact("abs.f64 {d}, {a};", "gg", combined(&DOUBLES), |a, _, _| f64_bits(f(a).abs(), &[a]));
    t.exact("neg.f64 {d}, {a};", "gg", combined(&DOUBLES), |a, _, _| f64_bits(-f(a), &[a]));
    t.exact("copysign.f64 {d}, {a}, {b};", "ggg", combined(&DOUBLES), |a, b, _| {
        b & !(1 << 63) | a & 1 << 63
    });
    t.exact("cvt.rn.f32.f64 {d}, {a};", "fg", combined(&DOUBLES), |a, _, _| {
        narrowed(a, |v| v as f32)
    });
    t.exact("cvt.rn.ftz.f32.f64 {d}, {a};", "fg", combined(&DOUBLES), |a, _, _| {
        narrowed(a, |v| flushed(v as f32))
    });
    t.exact("cvt.rn.f16.f64 {d}, {a};", "hg", combined(&DOUBLES), |a, _, _| {
        if f(a).is_nan() { a >> 48 & 0x8000 | 0x7e00 | a >> 42 & 0x1ff } else { F16.nearest(f(a)) }
    });
}

/// An `f64` as an `f32`; a NaN keeps the upper part of its payload.
fn narrowed(bits: u64, f: impl Fn(f64) -> f32) -> u64 {
    let v = f64::from_bits(bits);
    if v.is_nan() {
        return bits >> 32 & 0x8000_0000 | 0x7fc0_0000 | bits >> 29 & 0x3f_ffff;
    }
    u64::from(f(v).to_bits())
}

pub(super) fn nans_of_halves(t: &Table) {
    for (ty, format, target) in [("f16", F16, 80), ("bf16", BF16, 90)] {
        t.target(target);
        let v = move |bits: u64| format.value(bits);
        type Two = fn(f64, f64) -> f64;
        // exact in f64, except for a sum of two bfloat16
        let two: [(&str, Two); 3] =
            [("add", odd_sum), ("sub", |a, b| odd_sum(a, -b)), ("mul", |a, b| a * b)];
        for (op, g) in two {
            for inputs in [halves(), any_halves()] {
                t.exact(&format!("{op}.{ty} {{d}}, {{a}}, {{b}};"), "hhh", inputs, |a, b, _| {
                    format.nearest(g(v(a), v(b)))
                });
            }
        }
        for inputs in [halves(), any_halves()] {
            t.exact(
                &format!("fma.rn.{ty} {{d}}, {{a}}, {{b}}, {{c}};"),
                "hhhh",
                inputs,
                |a, b, c| format.nearest(odd_sum(v(a) * v(b), v(c))),
            );
        }
        let minimum = move |a: u64, b: u64| {
            let (x, y) = (v(a), v(b));
            match (x.is_nan(), y.is_nan()) {
                (true, true) => 0x7fff,
                (true, false) => b,
                (false, true) => a,
                _ if y < x || x == y && y.is_sign_negative() => b,
                _ => a,
            }
        };
        t.exact(&format!("min.{ty} {{d}}, {{a}}, {{b}};"), "hhh", halves(), move |a, b, _| {
            minimum(a, b)
        });
        t.exact(&format!("max.{ty} {{d}}, {{a}}, {{b}};"), "hhh", halves(), move |a, b, _| {
            let negated = minimum(a ^ 0x8000, b ^ 0x8000);
            if v(negated).is_nan() { 0x7fff } else { negated ^ 0x8000 }
        });
        t.exact(&format!("abs.{ty} {{d}}, {{a}};"), "hh", halves(), move |a, _, _| {
            if v(a).is_nan() { 0x7fff } else { a & 0x7fff }
        });
        t.exact(&format!("neg.{ty} {{d}}, {{a}};"), "hh", halves(), move |a, _, _| {
            if v(a).is_nan() { 0x7fff } else { a ^ 0x8000 }
        });
        t.exact(&format!("cvt.f32.{ty} {{d}}, {{a}};"), "fh", halves(), move |a, _, _| {
            if ty == "bf16" { a << 16 } else { f32_bits(v(a) as f32) }
        });
    }
    t.target(80);
    t.exact("cvt.f64.f16 {d}, {a};", "gh", halves(), |a, _, _| {
        let v = F16.value(a);
        let nan = (a & 0x8000) << 48 | 0x7ff8_0000_0000_0000 | (a & 0x1ff) << 42;
        if v.is_nan() { nan } else { v.to_bits() }
    });
    t.exact("add.f16x2 {d}, {a}, {b};", "rrr", two_halves(), |a, b, _| {
        by_half(a, b, |a, b| F16.nearest(F16.value(a) + F16.value(b)))
    });
    t.exact("mul.f16x2 {d}, {a}, {b};", "rrr", two_halves(), |a, b, _| {
        by_half(a, b, |a, b| F16.nearest(F16.value(a) * F16.value(b)))
    });
    t.exact("cvt.rn.f16x2.f32 {d}, {a}, {b};", "rff", singles(), |a, b, _| {
        F16.nearest(F32.value(a)) << 16 | F16.nearest(F32.value(b))
    });
    t.exact("cvt.rn.bf16x2.f32 {d}, {a}, {b};", "rff", singles(), |a, b, _| {
        BF16.nearest(F32.value(a)) << 16 | BF16.nearest(F32.value(b))
    });
}

/// Random patterns of similar size, so that sums cancel and products round.
fn any_halves() -> [Vec<u64>; 3] {
    let mut random = Random(16);
    [0, 1, 2].map(|_| {
        (0..ELEMENTS)
            .map(|i| if i % 2 == 0 { random.next() & 0xffff } else { 0x3a00 + random.below(0x900) })
            .collect()
    })
}

fn two_halves() -> [Vec<u64>; 3] {
    let [a, b, c] = halves();
    let pack = |x: &[u64], y: &[u64]| x.iter().zip(y).map(|(x, y)| x << 16 | y).collect();
    [pack(&a, &c), pack(&b, &a), pack(&c, &b)]
}

fn by_half(a: u64, b: u64, f: impl Fn(u64, u64) -> u64) -> u64 {
    f(a >> 16 & 0xffff, b >> 16 & 0xffff) << 16 | f(a & 0xffff, b & 0xffff)
}

pub(super) fn nans_as_integers(t: &Table) {
    let small = [("s8", 'r', 8, true), ("u8", 'r', 8, false)];
    for (to, tk, tw, signed) in small.into_iter().chain(TYPES) {
        for (from, k, inputs) in
            [("f32", 'f', singles()), ("f64", 'g', combined(&DOUBLES)), ("f16", 'h', halves())]
        {
            let value = move |bits: u64| match k {
                'f' => F32.value(bits),
                'g' => f64::from_bits(bits),
                _ => F16.value(bits),
            };
            let text = format!("cvt.rzi.{to}.{from} {{d}}, {{a}};");
            t.exact(&text, &format!("{tk}{k}"), inputs, |a, _, _| {
                let v = value(a);
                if v.is_nan() {
                    // the 64-bit unit returns a different value for a NaN
                    let least = number(1 << (tw - 1), tw, signed) as u64;
                    return if tw == 64 || k == 'g' { least } else { 0 };
                }
                let (low, high) = if signed {
                    (-(1_i128 << (tw - 1)), (1_i128 << (tw - 1)) - 1)
                } else {
                    (0, (1_i128 << tw) - 1)
                };
                // narrower results are extended to the register's width
                number((v as i128).clamp(low, high) as u64, tw, signed) as u64
            });
        }
    }
}

pub(super) fn division_by_zero(t: &Table) {
    for (ty, k, w, signed) in TYPES {
        let numbers: Vec<u64> = [0, 1, 7, 100, mask(w), mask(w - 1), 1 << (w - 1), mask(w) - 6]
            .into_iter()
            .cycle()
            .take(ELEMENTS)
            .collect();
        let inputs = [numbers, vec![0; ELEMENTS], vec![0; ELEMENTS]];
        let kinds = format!("{k}{k}{k}");
        t.exact(&format!("div.{ty} {{d}}, {{a}}, {{b}};"), &kinds, inputs.clone(), |_, _, _| {
            mask(w)
        });
        t.exact(&format!("rem.{ty} {{d}}, {{a}}, {{b}};"), &kinds, inputs, |_, _, _| mask(w));
        if signed {
            let (least, ones) = (vec![1 << (w - 1); ELEMENTS], vec![mask(w); ELEMENTS]);
            let inputs = [least, ones, vec![0; ELEMENTS]];
            let kinds = kinds.as_str();
            t.exact(&format!("div.{ty} {{d}}, {{a}}, {{b}};"), kinds, inputs.clone(), |a, _, _| a);
            t.exact(&format!("rem.{ty} {{d}}, {{a}}, {{b}};"), kinds, inputs, |_, _, _| 0);
        }
    }
}

impl Table {
    /// A case with chosen inputs whose results are compared bit for bit, including NaNs.
    fn exact(
        &self,
        text: &str,
        kinds: &str,
        inputs: [Vec<u64>; 3],
        f: impl Fn(u64, u64, u64) -> u64,
    ) {
        let kinds: Vec<char> = kinds.chars().collect();
        self.with_inputs(text, &kinds, inputs, f);
        if let Some(case) = self.cases.borrow_mut().last_mut() {
            case.comparison = Comparison::Bits;
        }
    }
}
