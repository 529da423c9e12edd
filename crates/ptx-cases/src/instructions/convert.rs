//! Conversions between all types.

use super::Table;
use super::values::{ELEMENTS, TYPES, number, values};
use crate::Random;

pub(super) fn conversions_between_integers(t: &Table) {
    let types = [
        ("s8", 8, true),
        ("u8", 8, false),
        ("s16", 16, true),
        ("u16", 16, false),
        ("s32", 32, true),
        ("u32", 32, false),
        ("s64", 64, true),
        ("u64", 64, false),
    ];
    let kind = |w: u32| match w {
        8 | 32 => 'r',
        16 => 'h',
        _ => 'd',
    };
    for (to, tw, ts) in types {
        for (from, fw, fs) in types {
            let range = |w: u32, signed: bool| {
                if signed {
                    (-(1_i128 << (w - 1)), (1 << (w - 1)) - 1)
                } else {
                    (0, (1_i128 << w) - 1)
                }
            };
            let ((low, high), (least, most)) = (range(tw, ts), range(fw, fs));
            for sat in [false, true] {
                // PTX ISA, "cvt": `.sat` is only allowed where a value can be out of range
                if sat && low <= least && most <= high {
                    continue;
                }
                let dot = if sat { "sat." } else { "" };
                let text = format!("cvt.{dot}{to}.{from} {{d}}, {{a}};");
                t.case(&text, &format!("{}{}", kind(tw), kind(fw)), move |a, _, _| {
                    let v = number(a, fw, fs);
                    let v = if sat { v.clamp(low, high) } else { v };
                    // narrower results are extended to the register's width
                    number(v as u64, tw, ts) as u64
                });
            }
        }
    }
}

fn rounded(v: f64, mode: &str) -> f64 {
    match mode {
        "rni" => v.round_ties_even(),
        "rzi" => v.trunc(),
        "rmi" => v.floor(),
        _ => v.ceil(),
    }
}

/// The nearest f32 on one side of an exactly known number.
fn narrowed(v: f64, mode: &str) -> f32 {
    let near = v as f32;
    let exact = f64::from(near);
    match mode {
        "rz" if exact.abs() > v.abs() => {
            if v > 0.0 {
                near.next_down()
            } else {
                near.next_up()
            }
        }
        "rm" if exact > v => near.next_down(),
        "rp" if exact < v => near.next_up(),
        _ => near,
    }
}

pub(super) fn conversions_with_floats(t: &Table) {
    // `.tf32` has 19 bits, 10 of them fraction; halves are rounded away from zero
    t.case("cvt.rna.tf32.f32 {d}, {a};", "ff", |a, _, _| {
        if a >> 23 & 0xff == 0xff { a } else { (a + 0x1000) & !0x1fff }
    });

    for (from, k, wide) in [("f32", 'f', false), ("f64", 'g', true)] {
        let float = move |v: u64| {
            if wide { f64::from_bits(v) } else { f64::from(f32::from_bits(v as u32)) }
        };
        for mode in ["rni", "rzi", "rmi", "rpi"] {
            for (to, tk, tw, ts) in TYPES {
                // `open.rs` has the cases with NaNs
                let finite = move |a: u64| if float(a).is_nan() { 0 } else { a };
                let kinds: Vec<char> = vec![tk, k];
                let mut random = Random(u64::from(tw));
                let a: Vec<u64> = values(k, &mut random).into_iter().map(finite).collect();
                t.with_inputs(
                    &format!("cvt.{mode}.{to}.{from} {{d}}, {{a}};"),
                    &kinds,
                    [a, vec![0; ELEMENTS], vec![0; ELEMENTS]],
                    move |a, _, _| {
                        let (low, high) = if ts {
                            (-(1_i128 << (tw - 1)), (1_i128 << (tw - 1)) - 1)
                        } else {
                            (0, (1_i128 << tw) - 1)
                        };
                        (rounded(float(a), mode) as i128).clamp(low, high) as u64
                    },
                );
            }
            t.case(
                &format!("cvt.{mode}.{from}.{from} {{d}}, {{a}};"),
                &format!("{k}{k}"),
                move |a, _, _| {
                    let v = rounded(float(a), mode);
                    if wide { v.to_bits() } else { u64::from((v as f32).to_bits()) }
                },
            );
        }
    }
    for (from, k, w, s) in TYPES {
        t.case(&format!("cvt.rn.f32.{from} {{d}}, {{a}};"), &format!("f{k}"), move |a, _, _| {
            u64::from((number(a, w, s) as f32).to_bits())
        });
        t.case(&format!("cvt.rn.f64.{from} {{d}}, {{a}};"), &format!("g{k}"), move |a, _, _| {
            (number(a, w, s) as f64).to_bits()
        });
    }
    t.case("cvt.f64.f32 {d}, {a};", "gf", |a, _, _| f64::from(f32::from_bits(a as u32)).to_bits());
    for mode in ["rn", "rz", "rm", "rp"] {
        t.case(&format!("cvt.{mode}.f32.f64 {{d}}, {{a}};"), "fg", move |a, _, _| {
            u64::from(narrowed(f64::from_bits(a), mode).to_bits())
        });
        // a product of two f32 is exact in f64
        t.case(&format!("mul.{mode}.f32 {{d}}, {{a}}, {{b}};"), "fff", move |a, b, _| {
            let product = f64::from(f32::from_bits(a as u32)) * f64::from(f32::from_bits(b as u32));
            u64::from(narrowed(product, mode).to_bits())
        });
    }
    t.case("cvt.sat.f32.f32 {d}, {a};", "ff", |a, _, _| {
        let v = f32::from_bits(a as u32);
        u64::from(if v > 0.0 { v.min(1.0) } else { 0.0 }.to_bits())
    });
}
