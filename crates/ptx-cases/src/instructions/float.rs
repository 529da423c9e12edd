//! Floating-point arithmetic, as IEEE 754 defines it.

use super::Table;
use super::values::ELEMENTS;

pub(super) fn floating_point_arithmetic(t: &Table) {
    let f = |v: u64| f32::from_bits(v as u32);
    let two = |op: &str, g: fn(f32, f32) -> f32, h: fn(f64, f64) -> f64| {
        t.case(&format!("{op}.f32 {{d}}, {{a}}, {{b}};"), "fff", move |a, b, _| {
            u64::from(g(f(a), f(b)).to_bits())
        });
        t.case(&format!("{op}.f64 {{d}}, {{a}}, {{b}};"), "ggg", move |a, b, _| {
            h(f64::from_bits(a), f64::from_bits(b)).to_bits()
        });
    };
    two("add.rn", |a, b| a + b, |a, b| a + b);
    two("sub.rn", |a, b| a - b, |a, b| a - b);
    two("mul.rn", |a, b| a * b, |a, b| a * b);
    two("div.rn", |a, b| a / b, |a, b| a / b);
    two("add", |a, b| a + b, |a, b| a + b);
    two("mul", |a, b| a * b, |a, b| a * b);
    // -0 counts as less than +0; with one NaN, the result is the other operand
    two(
        "min",
        |a, b| if a.is_nan() || b < a || (a == b && b.is_sign_negative()) { b } else { a },
        |a, b| {
            if a.is_nan() || b < a || (a == b && b.is_sign_negative()) { b } else { a }
        },
    );
    two(
        "max",
        |a, b| if a.is_nan() || b > a || (a == b && b.is_sign_positive()) { b } else { a },
        |a, b| {
            if a.is_nan() || b > a || (a == b && b.is_sign_positive()) { b } else { a }
        },
    );
    two("copysign", |a, b| b.copysign(a), |a, b| b.copysign(a));
    let one = |op: &str, g: fn(f32) -> f32, h: fn(f64) -> f64| {
        t.case(&format!("{op}.f32 {{d}}, {{a}};"), "ff", move |a, _, _| {
            u64::from(g(f(a)).to_bits())
        });
        t.case(&format!("{op}.f64 {{d}}, {{a}};"), "gg", move |a, _, _| {
            h(f64::from_bits(a)).to_bits()
        });
    };
    one("sqrt.rn", f32::sqrt, f64::sqrt);
    one("rcp.rn", f32::recip, f64::recip);
    one("abs", f32::abs, f64::abs);
    one("neg", |a| -a, |a| -a);
    t.case("fma.rn.f32 {d}, {a}, {b}, {c};", "ffff", move |a, b, c| {
        u64::from(f(a).mul_add(f(b), f(c)).to_bits())
    });
    t.case("fma.rn.f64 {d}, {a}, {b}, {c};", "gggg", |a, b, c| {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
    });
    let flush = |v: f32| if v.is_subnormal() { 0.0_f32.copysign(v) } else { v };
    t.case("add.ftz.f32 {d}, {a}, {b};", "fff", move |a, b, _| {
        u64::from(flush(flush(f(a)) + flush(f(b))).to_bits())
    });
    t.case("mul.ftz.f32 {d}, {a}, {b};", "fff", move |a, b, _| {
        u64::from(flush(flush(f(a)) * flush(f(b))).to_bits())
    });
    t.case("add.sat.f32 {d}, {a}, {b};", "fff", move |a, b, _| {
        let v = f(a) + f(b);
        u64::from(if v > 0.0 { v.min(1.0) } else { 0.0 }.to_bits())
    });
}

pub(super) fn half_precision(t: &Table) {
    // exact cases: small integers and halves
    let f16 = |v: f32| -> u64 {
        let bits = v.to_bits();
        if v == 0.0 {
            return u64::from(bits >> 16 & 0x8000);
        }
        u64::from(
            (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) | (bits >> 13 & 0x3ff),
        )
    };
    let numbers: Vec<f32> = (0..ELEMENTS).map(|i| (i % 61) as f32 * 0.5 - 15.0).collect();
    let others: Vec<f32> = (0..ELEMENTS).map(|i| (i % 17) as f32 - 8.0).collect();
    let inputs: [Vec<u64>; 3] = [
        numbers.iter().map(|v| f16(*v)).collect(),
        others.iter().map(|v| f16(*v)).collect(),
        vec![f16(2.0); ELEMENTS],
    ];
    type Of = fn(f32, f32) -> f32;
    let cases: [(&str, Of); 4] = [
        ("add.f16 {d}, {a}, {b};", |a, b| a + b),
        ("sub.f16 {d}, {a}, {b};", |a, b| a - b),
        ("mul.f16 {d}, {a}, {b};", |a, b| a * b),
        ("fma.rn.f16 {d}, {a}, {b}, {c};", |a, b| a * b + 2.0),
    ];
    for (text, f) in cases {
        // the sign of a zero follows the same rule as in f32
        t.elements(text, &['h', 'h', 'h', 'h'], inputs.clone(), |_, i| {
            f16(f(numbers[i], others[i]))
        });
    }
    t.elements("cvt.f32.f16 {d}, {a};", &['r', 'h'], inputs, |_, i| {
        u64::from(numbers[i].to_bits())
    });
}
