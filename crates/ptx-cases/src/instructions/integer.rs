//! Integers: arithmetic, logic, bits, and instructions that only 32-bit registers have.

use super::Table;
use super::values::{TYPES, mask, number};

pub(super) fn integer_arithmetic_of_every_width(t: &Table) {
    for (ty, k, w, signed) in TYPES {
        let n = move |v| number(v, w, signed);
        let two = |op: &str, f: fn(i128, i128) -> i128| {
            t.case(
                &format!("{op}.{ty} {{d}}, {{a}}, {{b}};"),
                &format!("{k}{k}{k}"),
                move |a, b, _| f(n(a), n(b)) as u64,
            );
        };
        two("add", |a, b| a + b);
        two("sub", |a, b| a - b);
        two("mul.lo", |a, b| a.wrapping_mul(b));
        two("min", i128::min);
        two("max", i128::max);
        t.case(
            &format!("mul.hi.{ty} {{d}}, {{a}}, {{b}};"),
            &format!("{k}{k}{k}"),
            move |a, b, _| {
                // unsigned 64 x 64 fills the sign bit, too
                if w == 64 && !signed {
                    ((u128::from(a) * u128::from(b)) >> 64) as u64
                } else {
                    ((n(a) * n(b)) >> w) as u64
                }
            },
        );
        // a divisor of 0 gives an unspecified value
        for op in ["div", "rem"] {
            let text = format!("or.b{w} {{b}}, {{b}}, 1;\n{op}.{ty} {{d}}, {{a}}, {{b}};");
            t.case(&text, &format!("{k}{k}{k}"), move |a, b, _| {
                let (a, b) = (n(a), n(b | 1));
                (if op == "div" { a / b } else { a % b }) as u64
            });
        }
        let kinds = format!("{k}{k}{k}{k}");
        t.case(&format!("mad.lo.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), &kinds, |a, b, c| {
            a.wrapping_mul(b).wrapping_add(c)
        });
        t.case(&format!("sad.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), &kinds, move |a, b, c| {
            (n(c) + (n(a) - n(b)).abs()) as u64
        });
        t.case(&format!("mad.hi.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), &kinds, move |a, b, c| {
            let hi = if signed {
                ((n(a) * n(b)) >> w) as u64
            } else {
                ((u128::from(a) * u128::from(b)) >> w) as u64
            };
            hi.wrapping_add(c)
        });
        if w < 64 {
            let wide = if w == 16 { 'r' } else { 'd' };
            t.case(
                &format!("mul.wide.{ty} {{d}}, {{a}}, {{b}};"),
                &format!("{wide}{k}{k}"),
                move |a, b, _| (n(a) * n(b)) as u64,
            );
            t.case(
                &format!("mad.wide.{ty} {{d}}, {{a}}, {{b}}, {{c}};"),
                &format!("{wide}{k}{k}{wide}"),
                move |a, b, c| ((n(a) * n(b)) as u64).wrapping_add(c),
            );
        }
        if signed {
            t.case(&format!("abs.{ty} {{d}}, {{a}};"), &format!("{k}{k}"), move |a, _, _| {
                n(a).unsigned_abs() as u64
            });
            t.case(&format!("neg.{ty} {{d}}, {{a}};"), &format!("{k}{k}"), move |a, _, _| {
                (-n(a)) as u64
            });
        }
        t.case(&format!("shr.{ty} {{d}}, {{a}}, {{b}};"), &format!("{k}{k}r"), move |a, b, _| {
            (n(a) >> b.min(u64::from(w))) as u64
        });
    }
}

pub(super) fn logic_and_bits_of_every_width(t: &Table) {
    for (w, k) in [(16, 'h'), (32, 'r'), (64, 'd')] {
        let kinds = format!("{k}{k}{k}");
        t.case(&format!("and.b{w} {{d}}, {{a}}, {{b}};"), &kinds, |a, b, _| a & b);
        t.case(&format!("or.b{w} {{d}}, {{a}}, {{b}};"), &kinds, |a, b, _| a | b);
        t.case(&format!("xor.b{w} {{d}}, {{a}}, {{b}};"), &kinds, |a, b, _| a ^ b);
        t.case(&format!("not.b{w} {{d}}, {{a}};"), &kinds[..2], |a, _, _| !a);
        t.case(&format!("cnot.b{w} {{d}}, {{a}};"), &kinds[..2], |a, _, _| u64::from(a == 0));
        t.case(&format!("mov.b{w} {{d}}, {{a}};"), &kinds[..2], |a, _, _| a);
        t.case(&format!("shl.b{w} {{d}}, {{a}}, {{b}};"), &format!("{k}{k}r"), move |a, b, _| {
            if b >= w { 0 } else { a << b }
        });
        t.case(
            &format!("selp.b{w} {{d}}, {{a}}, {{b}}, {{c}};"),
            &format!("{kinds}p"),
            |a, b, c| {
                if c & 1 == 1 { a } else { b }
            },
        );
        if w == 16 {
            continue;
        }
        let count = format!("r{k}");
        let w32 = w as u32;
        t.case(&format!("popc.b{w} {{d}}, {{a}};"), &count, |a, _, _| u64::from(a.count_ones()));
        t.case(&format!("clz.b{w} {{d}}, {{a}};"), &count, move |a, _, _| {
            u64::from(a.leading_zeros() - (64 - w32))
        });
        t.case(&format!("brev.b{w} {{d}}, {{a}};"), &kinds[..2], move |a, _, _| {
            a.reverse_bits() >> (64 - w)
        });
        for (ty, signed) in [(format!("u{w}"), false), (format!("s{w}"), true)] {
            let found = move |a: u64| {
                // the most significant bit that differs from the sign
                let a = if signed && a >> (w - 1) & 1 == 1 { !a & mask(w32) } else { a };
                if a == 0 { u64::from(u32::MAX) } else { u64::from(63 - a.leading_zeros()) }
            };
            t.case(&format!("bfind.{ty} {{d}}, {{a}};"), &count, move |a, _, _| found(a));
            t.case(
                &format!("bfind.shiftamt.{ty} {{d}}, {{a}};"),
                &count,
                move |a, _, _| match found(a) {
                    none if none == u64::from(u32::MAX) => none,
                    at => w - 1 - at,
                },
            );
            t.case(
                &format!("bfe.{ty} {{d}}, {{a}}, {{b}}, {{c}};"),
                &format!("{k}{k}rr"),
                move |a, b, c| {
                    // PTX ISA, "bfe", the pseudo code, bit by bit; with 64 bits, position and
                    // length are not truncated
                    let cut = if w == 64 { u64::from(u32::MAX) } else { 0xff };
                    let (pos, len, msb) = (b & cut, c & cut, w - 1);
                    let bit = |i: u64| a >> i & 1;
                    let sign = if !signed || len == 0 { 0 } else { bit((pos + len - 1).min(msb)) };
                    (0..=msb).fold(0, |d, i| {
                        d | (if i < len && pos + i <= msb { bit(pos + i) } else { sign }) << i
                    })
                },
            );
        }
        // PTX ISA, "bfi": b with the low bits of a inserted
        let text = format!("bfi.b{w} {{d}}, {{a}}, {{b}}, {{c}}, 5;");
        t.case(&text, &format!("{kinds}r"), move |a, b, c| {
            let pos = if w == 64 { c } else { c & 0xff };
            (0..w).fold(0, |d, i| {
                d | (if i >= pos && i < pos + 5 { a >> (i - pos) & 1 } else { b >> i & 1 }) << i
            })
        });
    }
}

pub(super) fn thirty_two_bit_specialities(t: &Table) {
    let lane = |v: u64| v as u32 as i32;
    for (op, sub) in [("add", false), ("sub", true)] {
        t.case(&format!("{op}.sat.s32 {{d}}, {{a}}, {{b}};"), "rrr", move |a, b, _| {
            let (a, b) = (lane(a), lane(b));
            (if sub { a.saturating_sub(b) } else { a.saturating_add(b) }) as u64
        });
    }
    for signed in [true, false] {
        let ty = if signed { "s32" } else { "u32" };
        let low = move |v: u64| {
            if signed {
                i128::from(((v as u32) << 8) as i32 >> 8)
            } else {
                i128::from(v & 0xff_ffff)
            }
        };
        t.case(&format!("mul24.lo.{ty} {{d}}, {{a}}, {{b}};"), "rrr", move |a, b, _| {
            (low(a) * low(b)) as u64
        });
        t.case(&format!("mul24.hi.{ty} {{d}}, {{a}}, {{b}};"), "rrr", move |a, b, _| {
            ((low(a) * low(b)) >> 16) as u64
        });
        t.case(&format!("mad24.lo.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            ((low(a) * low(b)) as u64).wrapping_add(c)
        });
    }
    let byte = |v: u64, n: u64, signed: bool| {
        let b = (v >> (8 * n)) as u8;
        if signed { i64::from(b as i8) } else { i64::from(b) }
    };
    for (ta, tb) in [(true, true), (true, false), (false, true), (false, false)] {
        let name = |s: bool| if s { "s32" } else { "u32" };
        t.case(
            &format!("dp4a.{}.{} {{d}}, {{a}}, {{b}}, {{c}};", name(ta), name(tb)),
            "rrrr",
            move |a, b, c| (0..4).fold(c as i64, |s, n| s + byte(a, n, ta) * byte(b, n, tb)) as u64,
        );
    }
    for (op, w) in [("vabsdiff2", 16), ("vabsdiff4", 8)] {
        t.case(&format!("{op}.u32.u32.u32 {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, _| {
            let part = |v: u64, at: u64| v >> at & mask(w);
            (0..32).step_by(w as usize).fold(0, |d, at| d | part(a, at).abs_diff(part(b, at)) << at)
        });
    }
    for table in [0xca, 0x96, 0xe8, 0, 0xff, 0x01, 0x80] {
        t.case(
            &format!("lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};"),
            "rrrr",
            move |a, b, c| {
                (0..32).fold(0, |d, i| {
                    let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
                    d | (table >> index & 1) << i
                })
            },
        );
    }
    for (mode, clamp) in [("wrap", false), ("clamp", true)] {
        let by = move |c: u64| if clamp { c.min(32) } else { c & 31 };
        t.case(&format!("shf.l.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            ((u128::from(b) << 32 | u128::from(a)) << by(c) >> 32) as u64
        });
        t.case(&format!("shf.r.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            (b << 32 | a) >> by(c)
        });
    }
    t.case("prmt.b32 {d}, {a}, {b}, {c};", "rrrr", |a, b, c| {
        (0..4).fold(0, |d, n| {
            let select = c >> (4 * n) & 0xf;
            let byte = (b << 32 | a) >> (8 * (select & 7)) & 0xff;
            let byte = if select & 8 == 0 {
                byte
            } else if byte & 0x80 == 0 {
                0
            } else {
                0xff
            };
            d | byte << (8 * n)
        })
    });
    // PTX ISA, "prmt": the tables of the named modes, with the most significant byte of d first
    let modes: [(&str, [[u64; 4]; 4]); 6] = [
        ("f4e", [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]]),
        ("b4e", [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]]),
        ("rc8", [[0; 4], [1; 4], [2; 4], [3; 4]]),
        ("ecl", [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        ("rc16", [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
    ];
    for (mode, table) in modes {
        t.case(&format!("prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            let row = table[(c & 3) as usize];
            row.iter().fold(0, |d, n| d << 8 | (b << 32 | a) >> (8 * n) & 0xff)
        });
    }
    // 64 bits in two halves
    let halves = |op: &str, next: &str| {
        format!(
            "{{{{\n.reg .b32 %lo<3>, %hi<3>;\nmov.b64 {{%lo0, %hi0}}, {{a}};\nmov.b64 {{%lo1, %hi1}}, {{b}};\n\
             {op}.cc.u32 %lo2, %lo0, %lo1;\n{next}.u32 %hi2, %hi0, %hi1;\nmov.b64 {{d}}, {{%lo2, %hi2}};\n}}}}"
        )
        .replace("{{", "{")
        .replace("}}", "}")
    };
    t.case(&halves("add", "addc"), "ddd", |a, b, _| a.wrapping_add(b));
    t.case(&halves("sub", "subc"), "ddd", |a, b, _| a.wrapping_sub(b));
    let product = "{\n.reg .b32 %lo<4>, %hi<4>;\nmov.b64 {%lo0, %hi0}, {a};\nmov.b64 {%lo1, %hi1}, {c};\n\
         mov.b64 {%lo2, %hi2}, {b};\nmad.lo.cc.u32 %lo3, %lo0, %lo2, %lo1;\nmadc.hi.u32 %hi3, %lo0, %lo2, %hi1;\n\
         mov.b64 {d}, {%lo3, %hi3};\n}";
    t.case(product, "dddd", |a, b, c| ((a & 0xffff_ffff) * (b & 0xffff_ffff)).wrapping_add(c));
}

/// The condition code after a subtraction is the carry of `a + !b + 1`, whatever reads it.
pub(super) fn carries_after_other_operations(t: &Table) {
    let carry = |first: &str, a: u64, b: u64, w: u32| match first {
        "sub" => u64::from(a >= b),
        _ => u64::from(u128::from(a) + u128::from(b) > u128::from(mask(w))),
    };
    for (ty, k, w) in
        [("u32", "rrr", 32), ("s32", "rrr", 32), ("u64", "ddd", 64), ("s64", "ddd", 64)]
    {
        for first in ["add", "sub"] {
            for next in ["addc", "subc", "madc.lo"] {
                let c = if next == "madc.lo" { ", {a}" } else { "" };
                let text = format!(
                    "{{\n.reg .b{w} %t;\n{first}.cc.{ty} %t, {{a}}, {{b}};\n{next}.{ty} {{d}}, {{b}}, {{a}}{c};\n}}"
                );
                t.case(&text, k, move |a, b, _| {
                    let carry = carry(first, a, b, w);
                    match next {
                        "addc" => b.wrapping_add(a).wrapping_add(carry),
                        "subc" => b.wrapping_sub(a).wrapping_sub(1 - carry),
                        _ => b.wrapping_mul(a).wrapping_add(a).wrapping_add(carry),
                    }
                });
            }
        }
    }
}
