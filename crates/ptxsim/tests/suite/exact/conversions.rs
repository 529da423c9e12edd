//! `cvt` between all types, in every direction of rounding.

use super::number::{BF16, F16, F32, F64, Format, ROUNDS, Round, TF32, Value};
use super::{Form, Wanted, check, form, mask, value};

/// Type, kind of its register, width, signed.
const INTEGERS: [(&str, char, u32, bool); 8] = [
    ("s8", 'r', 8, true),
    ("u8", 'r', 8, false),
    ("s16", 'h', 16, true),
    ("u16", 'h', 16, false),
    ("s32", 'r', 32, true),
    ("u32", 'r', 32, false),
    ("s64", 'd', 64, true),
    ("u64", 'd', 64, false),
];

const FLOATS: [(&str, char, Format); 4] =
    [("f16", 'q', F16), ("bf16", 'w', BF16), ("f32", 'f', F32), ("f64", 'g', F64)];

const INTEGRAL: [(&str, Round); 4] =
    [("rni", Round::Near), ("rzi", Round::Zero), ("rmi", Round::Down), ("rpi", Round::Up)];

fn range(width: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

/// Bits of an integer in its register: narrow ones are extended.
fn register(n: i128, (kind, width, signed): (char, u32, bool)) -> u64 {
    let extended = value(n as u64, width, signed) as u64;
    extended & if kind == 'd' { u64::MAX } else { mask(if kind == 'h' { 16 } else { 32 }) }
}

fn ftz(flush: bool, format: Format, bits: u64) -> u64 {
    if flush && format == F32 { format.flushed(bits) } else { bits }
}

fn dot(on: bool, modifier: &'static str) -> &'static str {
    if on { modifier } else { "" }
}

#[test]
fn floats_to_integers() {
    let mut forms = vec![];
    for (from, kind, format) in FLOATS {
        for (to, tk, width, signed) in INTEGERS {
            // PTX ISA, "cvt": there is no conversion of a bfloat16 to an 8-bit integer, and none
            // with `.sat`
            if format == BF16 && width == 8 {
                continue;
            }
            for (name, round) in INTEGRAL {
                for (sat, flush) in [(false, false), (true, false), (false, true), (true, true)] {
                    if sat && format == BF16 || flush && format != F32 {
                        continue;
                    }
                    let modifiers = format!("{name}{}{}", dot(flush, ".ftz"), dot(sat, ".sat"));
                    let text = format!("cvt.{modifiers}.{to}.{from} {{d}}, {{a}};");
                    forms.push(form(text, &format!("{tk}{kind}"), move |[a, ..]| {
                        let (low, high) = range(width, signed);
                        let value = Value::of(format, ftz(flush, format, a));
                        // the 64-bit unit has a different result for a NaN
                        let nan = if width == 64 || format == F64 { 1 << (width - 1) } else { 0 };
                        let n = value.clamped(round, low, high).unwrap_or(nan);
                        register(n, (tk, width, signed))
                    }));
                }
            }
        }
    }
    check(forms);
}

#[test]
fn integers_to_floats() {
    let mut forms = vec![];
    for (from, kind, width, signed) in INTEGERS {
        for (to, tk, format) in FLOATS {
            if format == BF16 && width == 8 {
                continue;
            }
            for (name, round) in ROUNDS {
                for (sat, flush) in [(false, false), (true, false), (false, true), (true, true)] {
                    if sat && format == BF16 || flush && format != F32 {
                        continue;
                    }
                    let modifiers = format!("{name}{}{}", dot(flush, ".ftz"), dot(sat, ".sat"));
                    let text = format!("cvt.{modifiers}.{to}.{from} {{d}}, {{a}};");
                    forms.push(form(text, &format!("{tk}{kind}"), move |[a, ..]| {
                        let n = Value::integer(value(a, width, signed));
                        let bits = n.rounded(format, round);
                        if sat { format.saturated(bits) } else { bits }
                    }));
                }
            }
        }
    }
    check(forms);
}

/// Converts between formats. Any NaN is right where the double-precision unit keeps payloads.
fn float(
    modifiers: &str,
    (from, kind, source): (&str, char, Format),
    (to, tk, format): (&str, char, Format),
    exact: impl Fn(&Value) -> Value + 'static,
    round: Round,
) -> Form {
    let (flush, sat) = (modifiers.contains(".ftz"), modifiers.contains(".sat"));
    let relu = modifiers.contains(".relu");
    let finite = modifiers.contains("satfinite");
    let sat = sat && !finite;
    let text = format!("cvt{modifiers}.{to}.{from} {{d}}, {{a}};");
    form(text, &format!("{tk}{kind}"), move |[a, ..]| {
        let operand = Value::of(source, ftz(flush, source, a));
        let mut bits = exact(&operand).rounded(format, round);
        if finite && bits & !format.sign() == format.infinity() {
            bits -= 1;
        }
        if relu && format.is_negative(bits) && !format.is_nan(bits) {
            bits = 0;
        }
        let bits = ftz(flush, format, if sat { format.saturated(bits) } else { bits });
        Wanted::Number(format, bits)
    })
}

#[test]
fn floats_to_floats() {
    let mut forms = vec![];
    for source in FLOATS {
        for target in FLOATS {
            let (from, to) = (source.2, target.2);
            let narrows = from.fraction > to.fraction || from.exponent > to.exponent;
            for flush in [false, true] {
                // PTX ISA, "cvt": where a subnormal f32 goes in or comes out
                if flush && from != F32 && (to != F32 || from == BF16) {
                    continue;
                }
                for sat in [false, true] {
                    if sat && (from == BF16 || to == BF16) {
                        continue;
                    }
                    let extra = format!("{}{}", dot(flush, ".ftz"), dot(sat, ".sat"));
                    if from == to {
                        if !flush || from == F32 {
                            forms.push(float(&extra, source, target, Value::clone, Round::Near));
                            for (name, round) in INTEGRAL {
                                let modifiers = format!(".{name}{extra}");
                                let f = move |v: &Value| v.integral(round);
                                forms.push(float(&modifiers, source, target, f, round));
                            }
                        }
                    } else if narrows {
                        for (name, round) in ROUNDS {
                            let modifiers = format!(".{name}{extra}");
                            forms.push(float(&modifiers, source, target, Value::clone, round));
                        }
                    } else {
                        forms.push(float(&extra, source, target, Value::clone, Round::Near));
                    }
                }
            }
        }
    }
    check(forms);
}

/// What `cvt` to half precision and bfloat16 can do beyond rounding, alone and in pairs.
#[test]
fn clamped_halves() {
    let mut forms = vec![];
    for target in [("f16", 'q', F16), ("bf16", 'w', BF16)] {
        for (name, round) in &ROUNDS[..2] {
            for (relu, finite) in [(false, false), (true, false), (false, true), (true, true)] {
                let extra = format!("{}{}", dot(relu, ".relu"), dot(finite, ".satfinite"));
                let modifiers = format!(".{name}{extra}");
                let source = ("f32", 'f', F32);
                forms.push(float(&modifiers, source, target, Value::clone, *round));
                let one = float(&modifiers, source, target, Value::clone, *round).wanted;
                let text = format!("cvt{modifiers}.{}x2.f32 {{d}}, {{a}}, {{b}};", target.0);
                forms.push(form(text, "rff", move |[a, b, _]| {
                    let [high, low] = [a, b].map(|v| match one([v, 0, 0]) {
                        Wanted::Bits(bits) | Wanted::Number(_, bits) => bits,
                        Wanted::Near { .. } => unreachable!("conversions are exact"),
                    });
                    high << 16 | low
                }));
            }
        }
    }
    check(forms);
}

/// `.tf32`, which has the upper 19 bits of an `f32`. A NaN becomes the canonical one, or with
/// `.rna` keeps its upper bits.
#[test]
fn singles_to_tf32() {
    let mut forms = vec![];
    for (name, round) in [("rna", Round::NearAway), ("rn", Round::Near), ("rz", Round::Zero)] {
        for relu in [false, true] {
            if relu && name == "rna" {
                continue;
            }
            let text = format!("cvt.{name}{}.tf32.f32 {{d}}, {{a}};", dot(relu, ".relu"));
            forms.push(form(text, "rf", move |[a, ..]| {
                let bits = Value::of(F32, a).rounded(TF32, round);
                if TF32.is_nan(bits) {
                    let kept = (a | 0x0040_0000) & 0xffff_e000;
                    return if round == Round::NearAway { kept } else { F32.nan() };
                }
                if relu && TF32.is_negative(bits) { 0 } else { bits << 13 }
            }));
        }
    }
    check(forms);
}

#[test]
fn integers_to_integers() {
    let mut forms = vec![];
    for (from, kind, width, signed) in INTEGERS {
        for (to, tk, tw, ts) in INTEGERS {
            for sat in [false, true] {
                let ((low, high), (least, most)) = (range(tw, ts), range(width, signed));
                if sat && low <= least && most <= high {
                    continue;
                }
                let text = format!("cvt{}.{to}.{from} {{d}}, {{a}};", dot(sat, ".sat"));
                forms.push(form(text, &format!("{tk}{kind}"), move |[a, ..]| {
                    let n = value(a, width, signed);
                    register(if sat { n.clamp(low, high) } else { n }, (tk, tw, ts))
                }));
            }
        }
    }
    check(forms);
}
