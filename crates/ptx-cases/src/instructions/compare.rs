//! Comparisons and predicates.

use super::Table;
use super::values::{TYPES, number};

pub(super) fn comparisons(t: &Table) {
    for (ty, k, w, signed) in TYPES {
        for (cmp, f) in orders::<i128>() {
            t.case(
                &format!("setp.{cmp}.{ty} {{d}}, {{a}}, {{b}};"),
                &format!("p{k}{k}"),
                move |a, b, _| u64::from(f(&number(a, w, signed), &number(b, w, signed))),
            );
        }
    }
    for (cmp, like) in [("lo", 2), ("ls", 3), ("hi", 4), ("hs", 5)] {
        let f = orders::<u64>()[like].1;
        t.case(&format!("setp.{cmp}.u32 {{d}}, {{a}}, {{b}};"), "prr", move |a, b, _| {
            u64::from(f(&a, &b))
        });
        t.case(&format!("setp.{cmp}.u64 {{d}}, {{a}}, {{b}};"), "pdd", move |a, b, _| {
            u64::from(f(&a, &b))
        });
    }
    for (w, k) in [(16, 'h'), (32, 'r'), (64, 'd')] {
        t.case(&format!("setp.eq.b{w} {{d}}, {{a}}, {{b}};"), &format!("p{k}{k}"), |a, b, _| {
            u64::from(a == b)
        });
        t.case(&format!("setp.ne.b{w} {{d}}, {{a}}, {{b}};"), &format!("p{k}{k}"), |a, b, _| {
            u64::from(a != b)
        });
    }
    let float = |v: u64, wide: bool| {
        if wide { f64::from_bits(v) } else { f64::from(f32::from_bits(v as u32)) }
    };
    for (ty, k, wide) in [("f32", 'f', false), ("f64", 'g', true)] {
        let kinds = format!("p{k}{k}");
        for (cmp, f) in orders::<f64>() {
            t.case(&format!("setp.{cmp}.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
                let (a, b) = (float(a, wide), float(b, wide));
                // ordered: false with NaN, also `ne`
                u64::from(f(&a, &b) && !a.is_nan() && !b.is_nan())
            });
            t.case(&format!("setp.{cmp}u.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
                let (a, b) = (float(a, wide), float(b, wide));
                u64::from(f(&a, &b) || a.is_nan() || b.is_nan())
            });
        }
        let nan = move |a, b| float(a, wide).is_nan() || float(b, wide).is_nan();
        t.case(&format!("setp.nan.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
            u64::from(nan(a, b))
        });
        t.case(&format!("setp.num.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
            u64::from(!nan(a, b))
        });
    }
    let holds = |a: u64, b: u64| (a as u32 as i32) < b as u32 as i32;
    for (how, f) in [
        ("and", (|x, y| x && y) as fn(bool, bool) -> bool),
        ("or", |x, y| x || y),
        ("xor", |x, y| x != y),
    ] {
        t.case(
            &format!("setp.lt.{how}.s32 {{d}}, {{a}}, {{b}}, {{c}};"),
            "prrp",
            move |a, b, c| u64::from(f(holds(a, b), c == 1)),
        );
        t.case(
            &format!("setp.lt.{how}.s32 {{d}}, {{a}}, {{b}}, !{{c}};"),
            "prrp",
            move |a, b, c| u64::from(f(holds(a, b), c == 0)),
        );
        // q is the negated comparison, combined in the same way
        t.case(
            &format!("setp.lt.{how}.s32 %p9|{{d}}, {{a}}, {{b}}, {{c}};"),
            "prrp",
            move |a, b, c| u64::from(f(!holds(a, b), c == 1)),
        );
        t.case(
            &format!("setp.lt.{how}.s32 {{c}}|{{d}}, {{a}}, {{b}}, {{c}};"),
            "prrp",
            move |a, b, c| u64::from(f(!holds(a, b), c == 1)),
        );
        t.case(&format!("{how}.pred {{d}}, {{a}}, {{b}};"), "ppp", move |a, b, _| {
            u64::from(f(a == 1, b == 1))
        });
    }
    t.case("not.pred {d}, {a};", "pp", |a, _, _| a ^ 1);
    t.case(
        "set.lt.u32.s32 {d}, {a}, {b};",
        "rrr",
        move |a, b, _| if holds(a, b) { 0xffff_ffff } else { 0 },
    );
    t.case(
        "set.lt.f32.s32 {d}, {a}, {b};",
        "rrr",
        move |a, b, _| if holds(a, b) { 0x3f80_0000 } else { 0 },
    );
}

type Holds<T> = fn(&T, &T) -> bool;

/// The six comparisons in PTX's names.
fn orders<T: PartialOrd>() -> [(&'static str, Holds<T>); 6] {
    [("eq", T::eq), ("ne", T::ne), ("lt", T::lt), ("le", T::le), ("gt", T::gt), ("ge", T::ge)]
}
