//! Numbers narrower than 16 bits: the 8-bit floating-point formats, and integers that `cvt.pack`
//! packs.

use super::Table;
use super::small::{F16, F32};

/// One of the 8-bit formats, by the values of its patterns.
struct Eight {
    name: &'static str,
    fraction: i32,
    bias: i32,
    /// The pattern of the largest finite number.
    greatest: u64,
}

const FORMATS: [Eight; 2] = [
    Eight { name: "e4m3x2", fraction: 3, bias: 7, greatest: 0x7e },
    Eight { name: "e5m2x2", fraction: 2, bias: 15, greatest: 0x7b },
];

impl Eight {
    /// The value of a pattern without its sign; patterns above the greatest are no finite numbers.
    fn value(&self, bits: u64) -> f64 {
        let (field, one) = ((bits >> self.fraction) as i32, 2_f64.powi(self.fraction));
        let fraction = (bits & ((1 << self.fraction) - 1)) as f64 / one;
        if field == 0 {
            fraction * 2_f64.powi(1 - self.bias)
        } else {
            (1.0 + fraction) * 2_f64.powi(field - self.bias)
        }
    }

    /// The nearest pattern, found among all; of two the even one.
    fn nearest(&self, x: f64, relu: bool) -> u64 {
        if x.is_nan() {
            return 0x7f;
        }
        let sign = if x.is_sign_negative() { 0x80 } else { 0 };
        if relu && sign != 0 {
            return 0;
        }
        let away = |bits: &u64| (self.value(*bits) - x.abs()).abs();
        let all = 0..=self.greatest;
        let best = if x.abs() >= self.value(self.greatest) {
            self.greatest
        } else {
            all.min_by(|p, q| away(p).total_cmp(&away(q)).then((p & 1).cmp(&(q & 1)))).unwrap_or(0)
        };
        sign | best
    }

    /// The pattern as an `f16`.
    fn widened(&self, bits: u64, relu: bool) -> u64 {
        let magnitude = bits & 0x7f;
        let sign = bits & 0x80;
        let infinity = self.fraction == 2 && magnitude == 0x7c;
        if magnitude > self.greatest && !infinity {
            return 0x7fff;
        }
        if relu && sign != 0 {
            return 0;
        }
        let value = if infinity { f64::INFINITY } else { self.value(magnitude) };
        F16.nearest(value) | sign << 8
    }
}

pub(super) fn eight_bit_floats(t: &Table) {
    t.target(90);
    for format in &FORMATS {
        let name = format.name;
        for relu in [false, true] {
            let suffix = if relu { ".relu" } else { "" };
            let text = format!("cvt.rn.satfinite{suffix}.{name}.f32 {{d}}, {{a}}, {{b}};");
            // random patterns, and numbers in the range of the formats
            t.case(&text, "hff", |a, b, _| {
                format.nearest(F32.value(a), relu) << 8 | format.nearest(F32.value(b), relu)
            });
            let near = "{\n.reg .f32 %u, %v;\ncvt.rn.f32.s16 %u, {a};\ncvt.rn.f32.s16 %v, {b};\nmul.f32 %v, %v, 0f38000000;\n";
            let text = format!("{near}cvt.rn.satfinite{suffix}.{name}.f32 {{d}}, %u, %v;\n}}");
            t.case(&text, "hhh", |a, b, _| {
                let (u, v) = (f64::from(a as i16), f64::from(b as i16) * 2_f64.powi(-15));
                format.nearest(u, relu) << 8 | format.nearest(v, relu)
            });
            let text = format!("cvt.rn.satfinite{suffix}.{name}.f16x2 {{d}}, {{a}};");
            t.case(&text, "hr", |a, _, _| {
                let byte = |half: u64| format.nearest(F16.value(half & 0xffff), relu);
                byte(a >> 16) << 8 | byte(a)
            });
            let text = format!("cvt.rn{suffix}.f16x2.{name} {{d}}, {{a}};");
            t.case(&text, "rh", |a, _, _| {
                let half = |byte: u64| format.widened(byte & 0xff, relu);
                half(a >> 8) << 16 | half(a)
            });
        }
    }
}

pub(super) fn packed_integers(t: &Table) {
    t.target(80);
    let number = |x: u64| i64::from(x as u32 as i32);
    for (ty, low, high, bits) in [
        ("u16", 0, 65_535, 16),
        ("s16", -32_768, 32_767, 16),
        ("u8", 0, 255, 8),
        ("s8", -128, 127, 8),
        ("u4", 0, 15, 4),
        ("s4", -8, 7, 4),
        ("u2", 0, 3, 2),
        ("s2", -2, 1, 2),
    ] {
        let part = move |x: u64| number(x).clamp(low, high) as u64 & ((1 << bits) - 1);
        if bits == 16 {
            let text = format!("cvt.pack.sat.{ty}.s32 {{d}}, {{a}}, {{b}};");
            t.case(&text, "rrr", move |a, b, _| part(a) << 16 | part(b));
        } else {
            let text = format!("cvt.pack.sat.{ty}.s32.b32 {{d}}, {{a}}, {{b}}, {{c}};");
            t.case(&text, "rrrr", move |a, b, c| c << (2 * bits) | part(a) << bits | part(b));
        }
    }
}
