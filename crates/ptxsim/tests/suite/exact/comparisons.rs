//! `setp`, `set`, `selp` and `slct` of all types.

use super::number::{BF16, F16, F32, F64, Format};
use super::{Form, check, form, value};
use std::cmp::Ordering;

/// The result of a comparison for an ordering; `None` is an ordering with a NaN.
type Says = fn(Option<Ordering>) -> bool;

const FLOATING: [(&str, Says); 14] = [
    ("eq", |o| o == Some(Ordering::Equal)),
    ("ne", |o| matches!(o, Some(Ordering::Less | Ordering::Greater))),
    ("lt", |o| o == Some(Ordering::Less)),
    ("le", |o| matches!(o, Some(Ordering::Less | Ordering::Equal))),
    ("gt", |o| o == Some(Ordering::Greater)),
    ("ge", |o| matches!(o, Some(Ordering::Greater | Ordering::Equal))),
    ("equ", |o| matches!(o, None | Some(Ordering::Equal))),
    ("neu", |o| o != Some(Ordering::Equal)),
    ("ltu", |o| matches!(o, None | Some(Ordering::Less))),
    ("leu", |o| o != Some(Ordering::Greater)),
    ("gtu", |o| matches!(o, None | Some(Ordering::Greater))),
    ("geu", |o| o != Some(Ordering::Less)),
    ("num", |o| o.is_some()),
    ("nan", |o| o.is_none()),
];

const UNSIGNED: [(&str, usize); 4] = [("lo", 2), ("ls", 3), ("hi", 4), ("hs", 5)];

/// A type with comparisons: the order of its bit patterns, and the names of its comparisons.
struct Compared {
    ty: String,
    kind: char,
    flush: bool,
    order: Box<dyn Fn(u64, u64) -> Option<Ordering>>,
    comparisons: Vec<(&'static str, Says)>,
}

fn floating(ty: &str, kind: char, format: Format, flush: bool) -> Compared {
    let order = move |a: u64, b: u64| {
        let number = |v: u64| format.number(if flush { format.flushed(v) } else { v });
        number(a).partial_cmp(&number(b))
    };
    let (ty, order) = (ty.to_owned(), Box::new(order));
    Compared { ty, kind, flush, order, comparisons: FLOATING.to_vec() }
}

fn all() -> Vec<Compared> {
    let mut all = vec![];
    for (ty, kind, format, flushed) in [
        ("f16", 'q', F16, true),
        ("bf16", 'w', BF16, false),
        ("f32", 'f', F32, true),
        ("f64", 'g', F64, false),
    ] {
        all.push(floating(ty, kind, format, false));
        if flushed {
            all.push(floating(ty, kind, format, true));
        }
    }
    for (kind, width) in [('h', 16), ('r', 32), ('d', 64)] {
        for (letter, signed) in [("s", true), ("u", false), ("b", false)] {
            let order = move |a, b| Some(value(a, width, signed).cmp(&value(b, width, signed)));
            let mut comparisons = FLOATING[..if letter == "b" { 2 } else { 6 }].to_vec();
            if letter == "u" {
                comparisons.extend(UNSIGNED.map(|(name, like)| (name, FLOATING[like].1)));
            }
            let (ty, order) = (format!("{letter}{width}"), Box::new(order));
            all.push(Compared { ty, kind, flush: false, order, comparisons });
        }
    }
    all
}

impl Compared {
    fn modifiers(&self, bool: &str, comparison: &str) -> String {
        format!("{comparison}{bool}{}", if self.flush { ".ftz" } else { "" })
    }
}

type Join = fn(bool, bool) -> bool;

/// How the third operand is combined.
const JOINED: [(&str, Join); 4] =
    [("", |x, _| x), (".and", |x, c| x && c), (".or", |x, c| x || c), (".xor", |x, c| x != c)];

#[test]
fn predicates() {
    let mut forms = vec![];
    for compared in all() {
        let order = std::rc::Rc::new(compared.order);
        let of = Compared { order: Box::new(|_, _| None), ..compared };
        for (name, says) in &of.comparisons {
            for (bool, join) in JOINED {
                let (says, first, second) = (*says, order.clone(), order.clone());
                let (third, kinds) = match bool {
                    "" => ("", format!("p{0}{0}", of.kind)),
                    _ => (", {c}", format!("p{0}{0}p", of.kind)),
                };
                let modifiers = of.modifiers(bool, name);
                let text = format!("setp.{modifiers}.{} {{d}}, {{a}}, {{b}}{third};", of.ty);
                forms.push(form(text, &kinds, move |[a, b, c]| {
                    u64::from(join(says(first(a, b)), c == 1))
                }));
                // the second predicate is for the opposite comparison
                let text = format!("setp.{modifiers}.{} %p9|{{d}}, {{a}}, {{b}}{third};", of.ty);
                forms.push(form(text, &kinds, move |[a, b, c]| {
                    u64::from(join(!says(second(a, b)), c == 1))
                }));
            }
        }
    }
    check(forms);
}

/// The results of `set` for "true".
fn truth(ty: &str) -> u64 {
    match ty {
        "f32" => F32.one(),
        "f16" => F16.one(),
        "bf16" => BF16.one(),
        "u16" | "s16" => 0xffff,
        _ => 0xffff_ffff,
    }
}

#[test]
fn set_writes_ones_or_a_number() {
    let mut forms = vec![];
    for compared in all() {
        let order = std::rc::Rc::new(compared.order);
        let of = Compared { order: Box::new(|_, _| None), ..compared };
        let targets: &[(&str, char)] = match of.ty.as_str() {
            "f16" => &[("f16", 'h'), ("u16", 'h'), ("s16", 'h'), ("u32", 'r'), ("s32", 'r')],
            "bf16" => &[("bf16", 'h'), ("u16", 'h'), ("s16", 'h'), ("u32", 'r'), ("s32", 'r')],
            _ => &[("u32", 'r'), ("s32", 'r'), ("f32", 'r'), ("f16", 'h'), ("bf16", 'h')],
        };
        for (name, says) in &of.comparisons {
            for (to, tk) in targets {
                // PTX ISA, "set": no .ftz for bfloat16
                if of.flush && *to == "bf16" {
                    continue;
                }
                for (bool, join) in &JOINED[..2] {
                    let (says, join, order, truth) = (*says, *join, order.clone(), truth(to));
                    let (third, kinds) = match *bool {
                        "" => ("", format!("{tk}{0}{0}", of.kind)),
                        _ => (", {c}", format!("{tk}{0}{0}p", of.kind)),
                    };
                    let modifiers = of.modifiers(bool, name);
                    let text =
                        format!("set.{modifiers}.{to}.{} {{d}}, {{a}}, {{b}}{third};", of.ty);
                    forms.push(form(text, &kinds, move |[a, b, c]| {
                        if join(says(order(a, b)), c == 1) { truth } else { 0 }
                    }));
                }
            }
        }
    }
    check(forms);
}

/// Comparisons of pairs: both halves, as numbers in both halves.
#[test]
fn pairs() {
    let mut forms = vec![];
    for (ty, kind, format, flush) in
        [("f16x2", 'x', F16, false), ("f16x2", 'x', F16, true), ("bf16x2", 'y', BF16, false)]
    {
        for (name, says) in FLOATING {
            for (bool, join) in JOINED {
                let order = floating(ty, kind, format, flush).order;
                let (third, kinds) = match bool {
                    "" => ("", format!("r{kind}{kind}")),
                    _ => (", {c}", format!("r{kind}{kind}p")),
                };
                let ftz = if flush { ".ftz" } else { "" };
                let text = format!("set.{name}{bool}{ftz}.{ty}.{ty} {{d}}, {{a}}, {{b}}{third};");
                forms.push(form(text, &kinds, move |[a, b, c]| {
                    let half = |shift: u32| {
                        let order = order(a >> shift & 0xffff, b >> shift & 0xffff);
                        if join(says(order), c == 1) { format.one() } else { 0 }
                    };
                    half(16) << 16 | half(0)
                }));
                for (first, shift) in [(true, 0_u32), (false, 16)] {
                    let order = floating(ty, kind, format, flush).order;
                    let both = if first { "{d}|%p9" } else { "%p9|{d}" };
                    let text = format!("setp.{name}{bool}{ftz}.{ty} {both}, {{a}}, {{b}}{third};");
                    let kinds = kinds.replacen('r', "p", 1);
                    forms.push(form(text, &kinds, move |[a, b, c]| {
                        let order = order(a >> shift & 0xffff, b >> shift & 0xffff);
                        u64::from(join(says(order), c == 1))
                    }));
                }
            }
        }
    }
    check(forms);
}

#[test]
fn selections() {
    let mut forms: Vec<Form> = vec![];
    for (types, kind) in [
        (&["b16", "u16", "s16"][..], 'h'),
        (&["b32", "u32", "s32", "f32"], 'r'),
        (&["b64", "u64", "s64", "f64"], 'd'),
    ] {
        for ty in types {
            let text = format!("selp.{ty} {{d}}, {{a}}, {{b}}, {{c}};");
            forms.push(form(
                text,
                &format!("{kind}{kind}{kind}p"),
                |[a, b, c]| {
                    if c == 1 { a } else { b }
                },
            ));
            let text = format!("slct.{ty}.s32 {{d}}, {{a}}, {{b}}, {{c}};");
            forms.push(form(text, &format!("{kind}{kind}{kind}r"), |[a, b, c]| {
                if (c as u32 as i32) >= 0 { a } else { b }
            }));
            for flush in [false, true] {
                let ftz = if flush { ".ftz" } else { "" };
                let text = format!("slct{ftz}.{ty}.f32 {{d}}, {{a}}, {{b}}, {{c}};");
                forms.push(form(text, &format!("{kind}{kind}{kind}f"), move |[a, b, c]| {
                    let c = F32.number(if flush { F32.flushed(c) } else { c });
                    // PTX ISA, "slct": a NaN is not at least zero, and -0 is
                    if c >= 0.0 { a } else { b }
                }));
            }
        }
    }
    check(forms);
}
