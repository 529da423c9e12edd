//! `f32` and `f64` arithmetic: every operation in every direction of rounding, with `.ftz` and
//! `.sat`.

use super::number::{F32, F64, Format, ROUNDS, Round, Value};
use super::{Form, Wanted, check, form};

/// An operation of PTX by name, with its number of operands, on exact values.
type Operation = (&'static str, usize, fn([Value; 3], Round) -> Value);

pub const ARITHMETIC: [Operation; 3] = [
    ("add", 2, |[a, b, _], round| a.plus(&b, round)),
    ("sub", 2, |[a, b, _], round| a.plus(&b.negative(), round)),
    ("mul", 2, |[a, b, _], _| a.times(&b)),
];

pub const FUSED: Operation = ("fma", 3, |[a, b, c], round| a.times(&b).plus(&c, round));

const DIVISIONS: [Operation; 3] = [
    ("div", 2, |[a, b, _], _| a.over(&b)),
    ("rcp", 1, |[a, ..], _| Value::integer(1).over(&a)),
    ("sqrt", 1, |[a, ..], _| a.root()),
];

/// A form of an operation: operands flushed, the exact result rounded once, then the modifiers
/// applied.
pub fn arithmetic(
    (name, operands, exact): Operation,
    modifiers: &str,
    (ty, kind, format): (&str, char, Format),
    round: Round,
) -> Form {
    let (ftz, sat) = (modifiers.contains(".ftz"), modifiers.contains(".sat"));
    let relu = modifiers.contains(".relu");
    let sources = ["", "{a}", "{a}, {b}", "{a}, {b}, {c}"][operands];
    let kinds = kind.to_string().repeat(operands + 1);
    form(format!("{name}{modifiers}.{ty} {{d}}, {sources};"), &kinds, move |operands| {
        let flush = |v: u64| if ftz { format.flushed(v) } else { v };
        let values = operands.map(|v| Value::of(format, flush(v)));
        let mut result = exact(values, round).rounded(format, round);
        if relu && format.is_negative(result) {
            result = 0;
        }
        if sat {
            result = format.saturated(result);
        }
        let result = flush(result);
        // other tests cover payloads of f64
        if format == F64 { Wanted::Number(F64, result) } else { result.into() }
    })
}

const SINGLE: (&str, char, Format) = ("f32", 'f', F32);
const DOUBLE: (&str, char, Format) = ("f64", 'g', F64);

#[test]
fn sums_and_products_of_f32() {
    let mut forms = vec![];
    for ftz in ["", ".ftz"] {
        for sat in ["", ".sat"] {
            for operation in ARITHMETIC {
                let plain = format!("{ftz}{sat}");
                forms.push(arithmetic(operation, &plain, SINGLE, Round::Near));
            }
            for (name, round) in ROUNDS {
                let modifiers = format!(".{name}{ftz}{sat}");
                for operation in ARITHMETIC.into_iter().chain([FUSED]) {
                    forms.push(arithmetic(operation, &modifiers, SINGLE, round));
                }
                let mad = ("mad", 3, FUSED.2);
                forms.push(arithmetic(mad, &modifiers, SINGLE, round));
            }
        }
    }
    check(forms);
}

#[test]
fn quotients_and_roots_of_f32() {
    let mut forms = vec![];
    for ftz in ["", ".ftz"] {
        for (name, round) in ROUNDS {
            for operation in DIVISIONS {
                forms.push(arithmetic(operation, &format!(".{name}{ftz}"), SINGLE, round));
            }
        }
    }
    check(forms);
}

#[test]
fn arithmetic_of_f64() {
    let mut forms = vec![];
    for operation in ARITHMETIC {
        forms.push(arithmetic(operation, "", DOUBLE, Round::Near));
    }
    for (name, round) in ROUNDS {
        for operation in ARITHMETIC.into_iter().chain([FUSED]).chain(DIVISIONS) {
            forms.push(arithmetic(operation, &format!(".{name}"), DOUBLE, round));
        }
    }
    check(forms);
}

/// The minimum or maximum of two patterns. -0 is less than +0; the result is a NaN only if both
/// are, or with `nan` if either is.
pub fn extreme(format: Format, [a, b]: [u64; 2], most: bool, nan: bool) -> u64 {
    match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => return format.nan(),
        (true, false) => return if nan { format.nan() } else { b },
        (false, true) => return if nan { format.nan() } else { a },
        (false, false) => {}
    }
    // maps patterns to integers in the order of their numbers
    let place = |v: u64| {
        let magnitude = (v & (format.sign() - 1)) as i64;
        if format.is_negative(v) { -1 - magnitude } else { magnitude }
    };
    if (place(a) < place(b)) != most { a } else { b }
}

/// Minimum and maximum of a type, with all modifiers.
pub fn extremes(
    (ty, kind, format): (&str, char, Format),
    flushes: &[&'static str],
    nans: &[&'static str],
    forms: &mut Vec<Form>,
) {
    for (name, most) in [("min", false), ("max", true)] {
        for ftz in flushes {
            for nan in nans {
                let xorsigns: &[&str] = if format == F64 { &[""] } else { &["", ".xorsign.abs"] };
                for xorsign in xorsigns {
                    let text = format!("{name}{ftz}{nan}{xorsign}.{ty} {{d}}, {{a}}, {{b}};");
                    let (ftz, nan, xorsign) =
                        (!ftz.is_empty(), !nan.is_empty(), !xorsign.is_empty());
                    forms.push(form(text, &format!("{kind}{kind}{kind}"), move |[a, b, _]| {
                        let flush = |v: u64| if ftz { format.flushed(v) } else { v };
                        let cut = |v: u64| if xorsign { v & !format.sign() } else { v };
                        let result = extreme(format, [cut(flush(a)), cut(flush(b))], most, nan);
                        let sign = if xorsign { (a ^ b) & format.sign() } else { 0 };
                        let result = if format.is_nan(result) { result } else { result | sign };
                        Wanted::Number(format, result)
                    }));
                }
            }
        }
    }
}

#[test]
fn minima_and_maxima() {
    let mut forms = vec![];
    extremes(SINGLE, &["", ".ftz"], &["", ".NaN"], &mut forms);
    extremes(DOUBLE, &[""], &[""], &mut forms);
    check(forms);
}

#[test]
fn signs() {
    let mut forms = vec![];
    for (ty, kind, format) in [SINGLE, DOUBLE] {
        let flushes: &[&str] = if format == F32 { &["", ".ftz"] } else { &[""] };
        for ftz in flushes {
            let flush = !ftz.is_empty();
            for (name, magnitude) in [("abs", true), ("neg", false)] {
                let text = format!("{name}{ftz}.{ty} {{d}}, {{a}};");
                forms.push(form(text, &format!("{kind}{kind}"), move |[a, ..]| {
                    let a = if flush { format.flushed(a) } else { a };
                    let sign = format.sign();
                    Wanted::Number(format, if magnitude { a & !sign } else { a ^ sign })
                }));
            }
        }
        let text = format!("copysign.{ty} {{d}}, {{a}}, {{b}};");
        forms.push(form(text, &format!("{kind}{kind}{kind}"), move |[a, b, _]| {
            a & format.sign() | b & !format.sign()
        }));
        type Test = fn(Format, u64) -> bool;
        let tests: [(&str, Test); 6] = [
            ("finite", |f, v| v & f.infinity() != f.infinity()),
            ("infinite", |f, v| v & !f.sign() == f.infinity()),
            ("number", |f, v| !f.is_nan(v)),
            ("notanumber", |f, v| f.is_nan(v)),
            // a zero counts as a normal number
            ("normal", |f, v| {
                v & f.infinity() != f.infinity() && (v & f.infinity() != 0 || v & !f.sign() == 0)
            }),
            ("subnormal", |f, v| v & f.infinity() == 0 && v & !f.sign() != 0),
        ];
        for (name, test) in tests {
            let text = format!("testp.{name}.{ty} {{d}}, {{a}};");
            forms.push(form(text, &format!("p{kind}"), move |[a, ..]| u64::from(test(format, a))));
        }
    }
    check(forms);
}
