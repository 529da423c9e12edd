//! Video instructions: the operands' parts as integers, the operation, saturation, and a second
//! operation or a merge.
//!
//! The results are those of an H200. They deviate from the PTX ISA where a scalar instruction
//! saturates, where it writes the upper half of the destination, and in `vmad` of whole unsigned
//! registers.

use super::Table;

/// The number that the low `bits` bits of `x` are.
fn number(x: u64, bits: u32, signed: bool) -> i64 {
    let up = 64 - bits;
    if signed { (x << up) as i64 >> up } else { (x << up >> up) as i64 }
}

/// Part `n` of a register, of so many bits.
fn part(x: u64, n: u32, bits: u32, signed: bool) -> i64 {
    number(x >> (n * bits), bits, signed)
}

fn saturated(x: i64, bits: u32, signed: bool) -> i64 {
    let (low, high) =
        if signed { (-(1_i64 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    x.clamp(low, high)
}

/// A scalar result of 32 bits. As a `u32` it has no upper bound, so it wraps around.
fn saturated_whole(x: i64, signed: bool) -> i64 {
    if signed { saturated(x, 32, true) } else { x.max(0) }
}

/// A scalar result that goes to a part of the destination: a negative number is taken for a large
/// one.
fn saturated_part(x: i64, bits: u32, signed: bool) -> i64 {
    if x < 0 { (1 << (bits - u32::from(signed))) - 1 } else { saturated(x, bits, signed) }
}

/// A shifted number, of which 34 bits are left.
fn saturated_shift(x: i64, signed: bool) -> i64 {
    saturated(number(x as u64, 34, true), 32, signed)
}

type Two = fn(i64, i64) -> i64;

const OPERATIONS: [(&str, Two); 5] = [
    ("vadd", |a, b| a + b),
    ("vsub", |a, b| a - b),
    ("vabsdiff", |a, b| (a - b).abs()),
    ("vmin", |a, b| if a < b { a } else { b }),
    ("vmax", |a, b| if a > b { a } else { b }),
];

const COMPARISONS: [(&str, Two); 6] = [
    ("eq", |a, b| i64::from(a == b)),
    ("ne", |a, b| i64::from(a != b)),
    ("lt", |a, b| i64::from(a < b)),
    ("le", |a, b| i64::from(a <= b)),
    ("gt", |a, b| i64::from(a > b)),
    ("ge", |a, b| i64::from(a >= b)),
];

const SIGNS: [(&str, bool); 2] = [("u32", false), ("s32", true)];

pub(super) fn video_of_chosen_parts(t: &Table) {
    for (op, f) in OPERATIONS {
        for (to, to_signed) in SIGNS {
            for (of_a, a_signed) in SIGNS {
                for (of_b, b_signed) in SIGNS {
                    for sat in [false, true] {
                        let name =
                            format!("{op}.{to}.{of_a}.{of_b}{}", if sat { ".sat" } else { "" });
                        let limited =
                            move |x: i64| if sat { saturated_whole(x, to_signed) } else { x };
                        let limited_part = move |x: i64, bits: u32| {
                            if sat { saturated_part(x, bits, to_signed) } else { x }
                        };
                        t.case(&format!("{name} {{d}}, {{a}}, {{b}};"), "rrr", move |a, b, _| {
                            let x = f(number(a, 32, a_signed), number(b, 32, b_signed));
                            limited(x) as u64
                        });
                        t.case(
                            &format!("{name} {{d}}, {{a}}.b1, {{b}}.h1;"),
                            "rrr",
                            move |a, b, _| {
                                limited(f(part(a, 1, 8, a_signed), part(b, 1, 16, b_signed))) as u64
                            },
                        );
                        // a second operation; the parts are small enough that nothing overflows
                        // before it
                        t.case(
                            &format!("{name}.add {{d}}, {{a}}.b3, {{b}}.b0, {{c}};"),
                            "rrrr",
                            move |a, b, c| {
                                let x =
                                    limited(f(part(a, 3, 8, a_signed), part(b, 0, 8, b_signed)));
                                c.wrapping_add(x as u64)
                            },
                        );
                        // a merge takes the result's low bits, but the upper half its upper bits
                        t.case(
                            &format!("{name} {{d}}.b2, {{a}}.h0, {{b}}, {{c}};"),
                            "rrrr",
                            move |a, b, c| {
                                let x = f(part(a, 0, 16, a_signed), number(b, 32, b_signed));
                                c & !0xff_0000 | (limited_part(x, 8) as u64 & 0xff) << 16
                            },
                        );
                        t.case(
                            &format!("{name} {{d}}.h1, {{a}}, {{b}}.b2, {{c}};"),
                            "rrrr",
                            move |a, b, c| {
                                let x = f(number(a, 32, a_signed), part(b, 2, 8, b_signed));
                                c & 0xffff | limited_part(x, 16) as u64 & 0xffff_0000
                            },
                        );
                    }
                }
            }
        }
    }
    for (to, signed) in SIGNS {
        for second in ["min", "max"] {
            let text = format!("vmin.{to}.{to}.{to}.{second} {{d}}, {{a}}, {{b}}, {{c}};");
            t.case(&text, "rrrr", move |a, b, c| {
                let [a, b, c] = [a, b, c].map(|x| number(x, 32, signed));
                (if second == "min" { a.min(b).min(c) } else { a.min(b).max(c) }) as u64
            });
        }
    }
    for (cmp, f) in COMPARISONS {
        for (of, signed) in SIGNS {
            t.case(
                &format!("vset.{of}.{of}.{cmp} {{d}}, {{a}}, {{b}}.h0;"),
                "rrr",
                move |a, b, _| f(number(a, 32, signed), part(b, 0, 16, signed)) as u64,
            );
            t.case(
                &format!("vset.{of}.{of}.{cmp}.add {{d}}, {{a}}.b0, {{b}}.b1, {{c}};"),
                "rrrr",
                move |a, b, c| {
                    c.wrapping_add(f(part(a, 0, 8, signed), part(b, 1, 8, signed)) as u64)
                },
            );
        }
    }
    shifts(t);
    multiply_and_add(t);
}

fn shifts(t: &Table) {
    for (to, of, signed) in [("u32", "u32", false), ("s32", "s32", true)] {
        for (mode, clamps) in [("clamp", true), ("wrap", false)] {
            for (op, left) in [("vshl", true), ("vshr", false)] {
                t.case(
                    &format!("{op}.{to}.{of}.u32.{mode} {{d}}, {{a}}, {{b}};"),
                    "rrr",
                    move |a, b, _| {
                        let by = if clamps { b.min(32) } else { b & 31 };
                        let a = i128::from(number(a, 32, signed));
                        (if left { a << by } else { a >> by }) as u64
                    },
                );
                t.case(
                    &format!("{op}.{to}.{of}.u32.sat.{mode} {{d}}, {{a}}.h1, {{b}}.b0;"),
                    "rrr",
                    move |a, b, _| {
                        let by = (b & 0xff).min(if clamps { 32 } else { u64::MAX });
                        let by = if clamps { by } else { by & 31 };
                        let a = part(a, 1, 16, signed);
                        saturated_shift(if left { a << by } else { a >> by }, signed) as u64
                    },
                );
            }
        }
    }
}

fn multiply_and_add(t: &Table) {
    for (of, signed) in SIGNS {
        for (scale, by) in [("", 0), (".shr7", 7), (".shr15", 15)] {
            for sat in [false, true] {
                let name = format!("vmad.{of}.{of}.{of}{}{scale}", if sat { ".sat" } else { "" });
                t.case(
                    &format!("{name} {{d}}, {{a}}, {{b}}.h1, {{c}};"),
                    "rrrr",
                    move |a, b, c| {
                        // whole registers are signed, whatever their type
                        let sum =
                            number(a, 32, true) * part(b, 1, 16, signed) + number(c, 32, true);
                        let x = if signed { sum >> by } else { (sum as u64 >> by) as i64 };
                        (if sat { saturated(x, 32, signed) } else { x }) as u64
                    },
                );
            }
        }
    }
    t.case("vmad.s32.s32.s32 {d}, -{a}.h0, {b}.b3, {c};", "rrrr", |a, b, c| {
        (number(c, 32, true) - part(a, 0, 16, true) * part(b, 3, 8, true)) as u64
    });
    t.case("vmad.s32.s32.s32 {d}, {a}.h0, {b}.b3, -{c};", "rrrr", |a, b, c| {
        (part(a, 0, 16, true) * part(b, 3, 8, true) - number(c, 32, true)) as u64
    });
    t.case("vmad.u32.u32.u32.po {d}, {a}.h0, {b}.h0, {c};", "rrrr", |a, b, c| {
        (part(a, 0, 16, false) * part(b, 0, 16, false) + number(c, 32, false) + 1) as u64
    });
}

pub(super) fn video_of_all_parts(t: &Table) {
    let mut operations: Vec<(&str, Two)> = OPERATIONS.to_vec();
    operations.push(("vavrg", |a, b| if a + b >= 0 { (a + b + 1) >> 1 } else { (a + b) >> 1 }));
    for count in [2_u32, 4] {
        let bits = 32 / count;
        let mask = (1_u64 << bits) - 1;
        let letter = if count == 2 { 'h' } else { 'b' };
        for (op, f) in &operations {
            let f = *f;
            for (to, to_signed) in SIGNS {
                for (of, signed) in SIGNS {
                    for sat in [false, true] {
                        let name =
                            format!("{op}{count}.{to}.{of}.{of}{}", if sat { ".sat" } else { "" });
                        let one = move |x: i64| if sat { saturated(x, bits, to_signed) } else { x };
                        t.case(
                            &format!("{name} {{d}}, {{a}}, {{b}}, {{c}};"),
                            "rrrr",
                            move |a, b, _| {
                                (0..count).fold(0, |d, n| {
                                    let x =
                                        one(f(part(a, n, bits, signed), part(b, n, bits, signed)));
                                    d | (x as u64 & mask) << (n * bits)
                                })
                            },
                        );
                    }
                    t.case(
                        &format!("{op}{count}.{to}.{of}.{of}.add {{d}}, {{a}}, {{b}}, {{c}};"),
                        "rrrr",
                        move |a, b, c| {
                            (0..count).fold(c, |d, n| {
                                d.wrapping_add(
                                    f(part(a, n, bits, signed), part(b, n, bits, signed)) as u64,
                                )
                            })
                        },
                    );
                }
            }
            // chosen parts: the highest from the second operand, and a mask that keeps c elsewhere
            let (select, keep) = if count == 2 { ("30", "1") } else { ("7250", "20") };
            let text = format!(
                "{op}{count}.s32.s32.s32 {{d}}.{letter}{keep}, {{a}}.{letter}{select}, {{b}}, {{c}};"
            );
            let digit = |text: &str, n: u32| {
                text.chars().rev().nth(n as usize).and_then(|c| c.to_digit(10)).unwrap_or(0)
            };
            let kept: Vec<u32> = keep.chars().filter_map(|c| c.to_digit(10)).collect();
            t.case(&text, "rrrr", move |a, b, c| {
                (0..count).fold(c, |d, n| {
                    if !kept.contains(&n) {
                        return d;
                    }
                    let from = digit(select, n);
                    let x = if from < count {
                        part(a, from, bits, true)
                    } else {
                        part(b, from - count, bits, true)
                    };
                    let value = f(x, part(b, n, bits, true)) as u64 & mask;
                    d & !(mask << (n * bits)) | value << (n * bits)
                })
            });
        }
        for (cmp, f) in COMPARISONS {
            for (of, signed) in SIGNS {
                t.case(
                    &format!("vset{count}.{of}.{of}.{cmp} {{d}}, {{a}}, {{b}}, {{c}};"),
                    "rrrr",
                    move |a, b, _| {
                        (0..count).fold(0, |d, n| {
                            d | (f(part(a, n, bits, signed), part(b, n, bits, signed)) as u64)
                                << (n * bits)
                        })
                    },
                );
                t.case(
                    &format!("vset{count}.{of}.{of}.{cmp}.add {{d}}, {{a}}, {{b}}, {{c}};"),
                    "rrrr",
                    move |a, b, c| {
                        (0..count).fold(c, |d, n| {
                            d.wrapping_add(
                                f(part(a, n, bits, signed), part(b, n, bits, signed)) as u64
                            )
                        })
                    },
                );
            }
        }
    }
}
