//! The `.approx` instructions, within the errors that the PTX ISA states for each.

use super::values::ELEMENTS;
use super::{Comparison, Table};
use crate::Random;

/// Numbers from `low` to `high`.
fn between(low: f64, high: f64) -> [Vec<u64>; 3] {
    let mut random = Random(low.to_bits() ^ high.to_bits());
    let mut any = || {
        (0..ELEMENTS)
            .map(|_| {
                let part = random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
                u64::from(((low + (high - low) * part) as f32).to_bits())
            })
            .collect()
    };
    [any(), any(), vec![0; ELEMENTS]]
}

/// Random bit patterns, and zeros, infinities, NaNs and subnormals of both signs.
fn anything(seed: u64) -> [Vec<u64>; 3] {
    let specials =
        [0_u32, 1, 0x40_0000, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000]
            .into_iter()
            .chain([0x7fc0_0000, 0x7e80_0000, 0x7f00_0000, 0x4300_0000, 0x0100_0000]);
    let specials: Vec<u64> = specials.flat_map(|s| [s, s | 1 << 31]).map(u64::from).collect();
    let mut random = Random(seed);
    let mut any = || {
        (0..ELEMENTS)
            .map(|i| match i % 3 {
                0 => specials[random.below(specials.len() as u64) as usize],
                _ => random.next() & 0xffff_ffff,
            })
            .collect()
    };
    [any(), any(), vec![0; ELEMENTS]]
}

fn flushed(v: f64) -> f64 {
    if v.abs() < f64::from(f32::MIN_POSITIVE) { 0.0_f64.copysign(v) } else { v }
}

type One = fn(f64) -> f64;

pub(super) fn approximations(t: &Table) {
    let f = |v: u64| f64::from(f32::from_bits(v as u32));
    let pi = std::f64::consts::PI;
    let least = 2_f64.powi(-149);
    // instruction, function, ranges with the relative and the absolute error there
    type Row = (&'static str, One, Vec<([Vec<u64>; 3], f64, f64)>);
    let relative = |inputs, e: f64| (inputs, 2_f64.powf(e), least);
    let absolute = |inputs, e: f64| (inputs, 0.0, 2_f64.powf(e));
    let table: [Row; 8] = [
        (
            "rcp",
            |a| 1.0 / a,
            vec![relative(between(1.0, 2.0), -23.0), relative(anything(1), -23.0)],
        ),
        ("sqrt", f64::sqrt, vec![relative(between(1.0, 4.0), -22.9), relative(anything(2), -22.9)]),
        (
            "rsqrt",
            |a| 1.0 / a.sqrt(),
            vec![relative(between(1.0, 4.0), -22.9), relative(anything(3), -22.9)],
        ),
        (
            "ex2",
            f64::exp2,
            vec![
                relative(between(0.0, 1.0), -22.0),
                relative(between(-140.0, 130.0), -22.0),
                relative(anything(4), -22.0),
            ],
        ),
        (
            "lg2",
            f64::log2,
            vec![
                absolute(between(0.5, 2.0), -22.0),
                (anything(5), 2_f64.powi(-22), 2_f64.powi(-22)),
            ],
        ),
        (
            "sin",
            f64::sin,
            vec![
                absolute(between(-pi, pi), -20.5),
                absolute(between(-100.0 * pi, 100.0 * pi), -14.7),
            ],
        ),
        (
            "cos",
            f64::cos,
            vec![
                absolute(between(-pi, pi), -20.5),
                absolute(between(-100.0 * pi, 100.0 * pi), -14.7),
            ],
        ),
        (
            "tanh",
            f64::tanh,
            vec![relative(between(-5.0, 5.0), -10.98), relative(anything(6), -10.98)],
        ),
    ];
    for (op, g, ranges) in table {
        for (inputs, relative, absolute) in ranges {
            let within = Comparison::Within { relative, absolute };
            let text = format!("{op}.approx.f32 {{d}}, {{a}};");
            t.near(&text, "ff", inputs.clone(), within, |a, _| single(g(f(a))));
            if op != "tanh" {
                let text = format!("{op}.approx.ftz.f32 {{d}}, {{a}};");
                t.near(&text, "ff", inputs, within, |a, _| single(flushed(g(flushed(f(a))))));
            }
        }
    }
}

pub(super) fn approximate_divisions(t: &Table) {
    let f = |v: u64| f64::from(f32::from_bits(v as u32));
    let within = Comparison::Within { relative: 2_f64.powi(-22), absolute: 2_f64.powi(-149) };
    let huge = 2_f64.powi(126);
    for inputs in [between(-9.0, 9.0), anything(7)] {
        for (name, flush) in
            [("approx", false), ("approx.ftz", true), ("full", false), ("full.ftz", true)]
        {
            let of = move |v: f64| if flush { flushed(v) } else { v };
            let text = format!("div.{name}.f32 {{d}}, {{a}}, {{b}};");
            t.near(&text, "fff", inputs.clone(), within, move |a, b| {
                let (a, b) = (of(f(a)), of(f(b)));
                // PTX ISA: the reciprocal of such a divisor is zero
                let zero = name.starts_with("approx") && b.abs() > huge && b.is_finite();
                single(of(if zero { a * 0.0_f64.copysign(b) } else { a / b }))
            });
        }
    }
}

pub(super) fn seeds_of_f64(t: &Table) {
    let mut random = Random(64);
    let specials = [
        0_u64,
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0x7fdf_ffff_ffff_ffff,
        0x7fe0_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0x7ff8_0000_0000_0000,
        0x7ff0_0001_0000_0000,
    ];
    let a: Vec<u64> = (0..ELEMENTS)
        .map(|i| match i {
            0..24 => specials[i / 2] | (i as u64 % 2) << 63,
            24..200 => 0x3ff0_0000_0000_0000 + (random.next() >> 11),
            _ => random.next(),
        })
        .collect();
    let inputs = [a, vec![0; ELEMENTS], vec![0; ELEMENTS]];
    let flushed = |v: f64| if v.is_subnormal() { 0.0_f64.copysign(v) } else { v };
    // only the upper half of the operand matters
    let upper = |a: u64| f64::from_bits(a & 0xffff_ffff_0000_0000);
    let seed = Comparison::Within { relative: 2_f64.powi(-18), absolute: 0.0 };
    t.near("rcp.approx.ftz.f64 {d}, {a};", "gg", inputs.clone(), seed, move |a, _| {
        flushed(1.0 / flushed(upper(a))).to_bits()
    });
    t.near("rsqrt.approx.ftz.f64 {d}, {a};", "gg", inputs.clone(), seed, move |a, _| {
        flushed(1.0 / flushed(upper(a)).sqrt()).to_bits()
    });
    t.near("rsqrt.approx.f64 {d}, {a};", "gg", inputs, seed, |a, _| {
        (1.0 / f64::from_bits(a).sqrt()).to_bits()
    });
}

fn single(v: f64) -> u64 {
    u64::from((v as f32).to_bits())
}

impl Table {
    /// A case whose results may differ from the exact ones by the given errors.
    fn near(
        &self,
        text: &str,
        kinds: &str,
        inputs: [Vec<u64>; 3],
        within: Comparison,
        f: impl Fn(u64, u64) -> u64,
    ) {
        let kinds: Vec<char> = kinds.chars().collect();
        self.with_inputs(text, &kinds, inputs, |a, b, _| f(a, b));
        if let Some(case) = self.cases.borrow_mut().last_mut() {
            case.comparison = within;
            case.wide = kinds[0] == 'g';
        }
    }
}
