//! Integers: arithmetic of every width, chains with carries, and instructions that only 32-bit
//! registers have.

use super::{Form, check, form, mask, signed, value};

const TYPES: [(&str, char, u32, bool); 6] = [
    ("s16", 'h', 16, true),
    ("u16", 'h', 16, false),
    ("s32", 'r', 32, true),
    ("u32", 'r', 32, false),
    ("s64", 'd', 64, true),
    ("u64", 'd', 64, false),
];

/// The upper half of a product.
fn high(a: u64, b: u64, width: u32, sign: bool) -> u64 {
    let product = if sign {
        (signed(a, width) * signed(b, width)) as u128
    } else {
        u128::from(a) * u128::from(b)
    };
    (product >> width) as u64 & mask(width)
}

#[test]
fn arithmetic_of_every_width() {
    let mut forms = vec![];
    for (ty, k, w, sign) in TYPES {
        let n = move |v| value(v, w, sign);
        let wrap = move |v: i128| v as u64 & mask(w);
        let (two, three) = (format!("{k}{k}{k}"), format!("{k}{k}{k}{k}"));
        let text = |op: &str| format!("{op}.{ty} {{d}}, {{a}}, {{b}};");
        forms.push(form(text("add"), &two, move |[a, b, _]| wrap(n(a) + n(b))));
        forms.push(form(text("sub"), &two, move |[a, b, _]| wrap(n(a) - n(b))));
        forms.push(form(text("min"), &two, move |[a, b, _]| wrap(n(a).min(n(b)))));
        forms.push(form(text("max"), &two, move |[a, b, _]| wrap(n(a).max(n(b)))));
        forms.push(form(text("mul.lo"), &two, move |[a, b, _]| a.wrapping_mul(b) & mask(w)));
        forms.push(form(text("mul.hi"), &two, move |[a, b, _]| high(a, b, w, sign)));
        // division by zero gives all ones, as in the code that ptxas generates
        forms.push(form(
            text("div"),
            &two,
            move |[a, b, _]| {
                if b == 0 { mask(w) } else { wrap(n(a) / n(b)) }
            },
        ));
        forms.push(form(
            text("rem"),
            &two,
            move |[a, b, _]| {
                if b == 0 { mask(w) } else { wrap(n(a) % n(b)) }
            },
        ));
        let text = |op: &str| format!("{op}.{ty} {{d}}, {{a}}, {{b}}, {{c}};");
        forms.push(form(text("mad.lo"), &three, move |[a, b, c]| {
            a.wrapping_mul(b).wrapping_add(c) & mask(w)
        }));
        forms.push(form(text("mad.hi"), &three, move |[a, b, c]| {
            high(a, b, w, sign).wrapping_add(c) & mask(w)
        }));
        forms.push(form(text("sad"), &three, move |[a, b, c]| wrap(n(c) + (n(a) - n(b)).abs())));
        if w < 64 {
            let wide = if w == 16 { 'r' } else { 'd' };
            let product = move |a, b| (n(a) * n(b)) as u64 & mask(2 * w);
            forms.push(form(
                format!("mul.wide.{ty} {{d}}, {{a}}, {{b}};"),
                &format!("{wide}{k}{k}"),
                move |[a, b, _]| product(a, b),
            ));
            forms.push(form(text("mad.wide"), &format!("{wide}{k}{k}{wide}"), move |[a, b, c]| {
                product(a, b).wrapping_add(c) & mask(2 * w)
            }));
        }
        if sign {
            let one = format!("{k}{k}");
            forms.push(form(format!("abs.{ty} {{d}}, {{a}};"), &one, move |[a, ..]| {
                wrap(n(a).abs())
            }));
            forms.push(form(format!("neg.{ty} {{d}}, {{a}};"), &one, move |[a, ..]| wrap(-n(a))));
        }
        let by_register = format!("{k}{k}r");
        // PTX ISA: shifts by more than the width are by the width
        forms.push(form(
            format!("shr.{ty} {{d}}, {{a}}, {{b}};"),
            &by_register,
            move |[a, b, _]| wrap(n(a) >> b.min(u64::from(w))),
        ));
        forms.push(form(
            format!("shl.b{w} {{d}}, {{a}}, {{b}};"),
            &by_register,
            move |[a, b, _]| if b >= u64::from(w) { 0 } else { a << b & mask(w) },
        ));
    }
    check(forms);
}

#[test]
fn saturating_and_clamped() {
    let mut forms = vec![];
    let s = |v: u64| signed(v, 32);
    let clamp = |v: i128| v.clamp(i32::MIN.into(), i32::MAX.into()) as u64 & mask(32);
    forms.push(form("add.sat.s32 {d}, {a}, {b};", "rrr", move |[a, b, _]| clamp(s(a) + s(b))));
    forms.push(form("sub.sat.s32 {d}, {a}, {b};", "rrr", move |[a, b, _]| clamp(s(a) - s(b))));
    forms.push(form("mad.hi.sat.s32 {d}, {a}, {b}, {c};", "rrrr", move |[a, b, c]| {
        clamp(((s(a) * s(b)) >> 32) + s(c))
    }));
    forms.push(form("mad24.hi.sat.s32 {d}, {a}, {b}, {c};", "rrrr", move |[a, b, c]| {
        clamp(((signed(a, 24) * signed(b, 24)) >> 16) + s(c))
    }));
    for (ty, sign) in [("s32", true), ("u32", false)] {
        let n = move |v| value(v, 24, sign);
        for (part, shift) in [("lo", 0), ("hi", 16)] {
            forms.push(form(
                format!("mul24.{part}.{ty} {{d}}, {{a}}, {{b}};"),
                "rrr",
                move |[a, b, _]| ((n(a) * n(b)) >> shift) as u64 & mask(32),
            ));
            forms.push(form(
                format!("mad24.{part}.{ty} {{d}}, {{a}}, {{b}}, {{c}};"),
                "rrrr",
                move |[a, b, c]| (((n(a) * n(b)) >> shift) as u64).wrapping_add(c) & mask(32),
            ));
        }
        for (op, most) in [("min", false), ("max", true)] {
            if sign {
                forms.push(form(
                    format!("{op}.relu.s32 {{d}}, {{a}}, {{b}};"),
                    "rrr",
                    move |[a, b, _]| {
                        let n = if most { s(a).max(s(b)) } else { s(a).min(s(b)) };
                        n.max(0) as u64
                    },
                ));
            }
        }
        let ty = if sign { "s16x2" } else { "u16x2" };
        let each = |f: fn(i128, i128) -> i128| {
            move |[a, b, _]: [u64; 3]| {
                let half = |shift: u32| {
                    f(value(a >> shift, 16, sign), value(b >> shift, 16, sign)) as u64 & 0xffff
                };
                half(16) << 16 | half(0)
            }
        };
        let text = |op: &str| format!("{op}.{ty} {{d}}, {{a}}, {{b}};");
        forms.push(form(text("add"), "rrr", each(|a, b| a + b)));
        forms.push(form(text("min"), "rrr", each(i128::min)));
        forms.push(form(text("max"), "rrr", each(i128::max)));
        if sign {
            forms.push(form(text("min.relu"), "rrr", each(|a, b| a.min(b).max(0))));
            forms.push(form(text("max.relu"), "rrr", each(|a, b| a.max(b).max(0))));
        }
    }
    check(forms);
}

#[test]
fn bits() {
    let mut forms = vec![];
    for (k, w) in [('h', 16_u32), ('r', 32), ('d', 64)] {
        let (one, two) = (format!("{k}{k}"), format!("{k}{k}{k}"));
        let text = |op: &str| format!("{op}.b{w} {{d}}, {{a}}, {{b}};");
        forms.push(form(text("and"), &two, |[a, b, _]| a & b));
        forms.push(form(text("or"), &two, |[a, b, _]| a | b));
        forms.push(form(text("xor"), &two, |[a, b, _]| a ^ b));
        forms.push(form(format!("not.b{w} {{d}}, {{a}};"), &one, move |[a, ..]| !a & mask(w)));
        forms.push(form(format!("cnot.b{w} {{d}}, {{a}};"), &one, |[a, ..]| u64::from(a == 0)));
        if w == 16 {
            continue;
        }
        let count = format!("r{k}");
        let bit = |v: u64, i: u32| v >> i & 1;
        forms.push(form(format!("popc.b{w} {{d}}, {{a}};"), &count, move |[a, ..]| {
            (0..w).map(|i| bit(a, i)).sum::<u64>()
        }));
        forms.push(form(format!("clz.b{w} {{d}}, {{a}};"), &count, move |[a, ..]| {
            (0..w).rev().take_while(|i| bit(a, *i) == 0).count() as u64
        }));
        forms.push(form(format!("brev.b{w} {{d}}, {{a}};"), &one, move |[a, ..]| {
            (0..w).fold(0, |d, i| d << 1 | bit(a, i))
        }));
        for (ty, sign) in [(format!("u{w}"), false), (format!("s{w}"), true)] {
            // PTX ISA, "bfind": the highest bit that differs from the sign
            let found = move |a: u64| {
                let skipped = if sign { bit(a, w - 1) } else { 0 };
                (0..w).rev().find(|i| bit(a, *i) != skipped)
            };
            for (shift, text) in [(false, "bfind"), (true, "bfind.shiftamt")] {
                let text = format!("{text}.{ty} {{d}}, {{a}};");
                forms.push(form(text, &count, move |[a, ..]| match found(a) {
                    None => mask(32),
                    Some(i) => u64::from(if shift { w - 1 - i } else { i }),
                }));
            }
            forms.push(form(
                format!("bfe.{ty} {{d}}, {{a}}, {{b}}, {{c}};"),
                &format!("{k}{k}rr"),
                move |[a, b, c]| {
                    // with 64 bits, the GPU does not truncate position and length, although PTX ISA
                    // says so
                    let cut = if w == 64 { mask(32) } else { 0xff };
                    let (position, length) = (b & cut, c & cut);
                    let last = (position + length).saturating_sub(1).min(u64::from(w) - 1);
                    let sign = if !sign || length == 0 { 0 } else { bit(a, last as u32) };
                    (0..u64::from(w)).fold(0, |d, i| {
                        let inside = i < length && position + i < u64::from(w);
                        d | (if inside { bit(a, (position + i) as u32) } else { sign }) << i
                    })
                },
            ));
        }
        // PTX ISA, "bfi": a's low bits put into b
        for length in [0_u64, 1, 5, 31, 32, 63, 64, 200] {
            let text = format!("bfi.b{w} {{d}}, {{a}}, {{b}}, {{c}}, {length};");
            forms.push(form(text, &format!("{two}r"), move |[a, b, c]| {
                let position = if w == 64 { c } else { c & 0xff };
                (0..u64::from(w)).fold(0, |d, i| {
                    let inside = i >= position && i - position < length;
                    d | (if inside { bit(a, (i - position) as u32) } else { bit(b, i as u32) }) << i
                })
            }));
        }
    }
    check(forms);
}

#[test]
fn thirty_two_bit_bit_manipulation() {
    let mut forms = vec![];
    for table in 0..256_u64 {
        let text = format!("lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};");
        forms.push(form(text, "rrrr", move |[a, b, c]| {
            (0..32).fold(0, |d, i| {
                let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
                d | (table >> index & 1) << i
            })
        }));
    }
    for (mode, clamp) in [("wrap", false), ("clamp", true)] {
        let by = move |c: u64| if clamp { c.min(32) } else { c & 31 };
        let text = |left| format!("shf.{left}.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};");
        forms.push(form(text("l"), "rrrr", move |[a, b, c]| {
            ((u128::from(b << 32 | a) << by(c)) >> 32) as u64 & mask(32)
        }));
        forms.push(form(text("r"), "rrrr", move |[a, b, c]| (b << 32 | a) >> by(c) & mask(32)));
        for (ty, sign) in [("u32", false), ("s32", true)] {
            // PTX ISA, "szext": the low bits of a, as many as b says, extended
            let text = format!("szext.{mode}.{ty} {{d}}, {{a}}, {{b}};");
            forms.push(form(text, "rrr", move |[a, b, _]| {
                let width = if clamp { b.min(32) } else { b & 31 } as u32;
                if width == 0 { 0 } else { value(a, width, sign) as u64 & mask(32) }
            }));
        }
        // PTX ISA, "bmsk": ones from position a, as many as b says
        forms.push(form(
            format!("bmsk.{mode}.b32 {{d}}, {{a}}, {{b}};"),
            "rrr",
            move |[a, b, _]| {
                let cut = |v: u64| if clamp { v.min(32) } else { v & 31 };
                let (from, many) = (cut(a), cut(b));
                (0..32).filter(|i| (from..from + many).contains(i)).fold(0, |d, i| d | 1 << i)
            },
        ));
    }
    forms.push(form("prmt.b32 {d}, {a}, {b}, {c};", "rrrr", |[a, b, c]| {
        (0..4).fold(0, |d, n| {
            let select = c >> (4 * n) & 0xf;
            let byte = (b << 32 | a) >> (8 * (select & 7)) & 0xff;
            let sign = if byte & 0x80 == 0 { 0 } else { 0xff };
            d | (if select & 8 == 0 { byte } else { sign }) << (8 * n)
        })
    }));
    // PTX ISA, "fns": the n-th set bit from a base, upwards or downwards
    forms.push(form("fns.b32 {d}, {a}, {b}, {c};", "rrrr", |[mask_bits, base, offset]| {
        let (base, offset) = (base, signed(offset, 32));
        let bit = |i: i128| (0..32).contains(&i) && mask_bits >> i & 1 == 1;
        let base = i128::from(base);
        if !(0..32).contains(&base) {
            return mask(32);
        }
        if offset == 0 {
            return if bit(base) { base as u64 } else { mask(32) };
        }
        let (mut at, step, mut left) = (base, offset.signum(), offset.abs());
        while (0..32).contains(&at) {
            if bit(at) {
                left -= 1;
                if left == 0 {
                    return at as u64;
                }
            }
            at += step;
        }
        mask(32)
    }));
    check(forms);
}

#[test]
fn dot_products() {
    let mut forms = vec![];
    for (count, width) in [(4, 8), (2, 16)] {
        for (ty, sign) in [("u32.u32.u32", false), ("u32.s32.s32", true)] {
            let apart = move |a: u64, b: u64, n: u32| {
                let part = |v: u64| value(v >> (n * width), width, sign);
                (part(a) - part(b)).unsigned_abs() as u64
            };
            for sat in ["", ".sat"] {
                let text = format!("vabsdiff{count}.{ty}{sat} {{d}}, {{a}}, {{b}}, {{c}};");
                forms.push(form(text, "rrrr", move |[a, b, _]| {
                    (0..count).fold(0, |d, n| d | apart(a, b, n) << (n * width))
                }));
            }
            let text = format!("vabsdiff{count}.{ty}.add {{d}}, {{a}}, {{b}}, {{c}};");
            forms.push(form(text, "rrrr", move |[a, b, c]| {
                (0..count).fold(c, |sum, n| sum + apart(a, b, n)) & mask(32)
            }));
        }
    }
    let name = |sign: bool| if sign { "s32" } else { "u32" };
    for (ta, tb) in [(true, true), (true, false), (false, true), (false, false)] {
        let byte = |v: u64, n: u32, sign| value(v >> (8 * n), 8, sign);
        let sum = |c: u64, products: i128| (i128::from(c) + products) as u64 & mask(32);
        let types = format!("{}.{}", name(ta), name(tb));
        forms.push(form(
            format!("dp4a.{types} {{d}}, {{a}}, {{b}}, {{c}};"),
            "rrrr",
            move |[a, b, c]| sum(c, (0..4).map(|n| byte(a, n, ta) * byte(b, n, tb)).sum()),
        ));
        for (half, from) in [("lo", 0), ("hi", 2)] {
            let text = format!("dp2a.{half}.{types} {{d}}, {{a}}, {{b}}, {{c}};");
            forms.push(form(text, "rrrr", move |[a, b, c]| {
                let word = |n: u32| value(a >> (16 * n), 16, ta);
                sum(c, (0..2).map(|n| word(n) * byte(b, from + n, tb)).sum())
            }));
        }
    }
    check(forms);
}

/// Numbers of 128 bits in two or four registers, with a carry between each two.
#[test]
fn carries() {
    let mut forms: Vec<Form> = vec![];
    for (ty, k, w) in [("u32", "r", 32_u32), ("s32", "r", 32), ("u64", "d", 64), ("s64", "d", 64)] {
        let file = if w == 32 { "b32 %t" } else { "b64 %t" };
        let kinds = k.repeat(4);
        // the carry of a sum, which the next two instructions read
        for (first, next, sub) in [("add", "addc", false), ("sub", "subc", true)] {
            for part in 0..3 {
                let text = format!(
                    "{{\n.reg .{file}<3>;\n{first}.cc.{ty} %t0, {{a}}, {{b}};\n{next}.cc.{ty} %t1, {{b}}, {{c}};\n\
                     {next}.{ty} %t2, {{c}}, {{a}};\nmov.b{w} {{d}}, %t{part};\n}}"
                );
                forms.push(form(text, &kinds, move |[a, b, c]| {
                    let one = |x: u64, y: u64, carry: i128| {
                        let (x, y) = (i128::from(x), i128::from(y));
                        let exact = if sub { x - y - carry } else { x + y + carry };
                        (exact as u64 & mask(w), i128::from(!(0..1_i128 << w).contains(&exact)))
                    };
                    let (low, carry) = one(a, b, 0);
                    let (middle, carry) = one(b, c, carry);
                    [low, middle, one(c, a, carry).0][part]
                }));
            }
        }
        // of products: mad sets the carry of its sum, madc adds it
        for half in ["lo", "hi"] {
            for part in 0..2 {
                let text = format!(
                    "{{\n.reg .{file}<2>;\nmad.{half}.cc.{ty} %t0, {{a}}, {{b}}, {{c}};\n\
                     madc.{half}.{ty} %t1, {{b}}, {{c}}, {{a}};\nmov.b{w} {{d}}, %t{part};\n}}"
                );
                let sign = ty.starts_with('s');
                forms.push(form(text, &kinds, move |[a, b, c]| {
                    let product = |x: u64, y: u64| {
                        if half == "hi" { high(x, y, w, sign) } else { x.wrapping_mul(y) & mask(w) }
                    };
                    let sum = u128::from(product(a, b)) + u128::from(c);
                    let next = u128::from(product(b, c)) + u128::from(a) + (sum >> w);
                    [sum, next][part] as u64 & mask(w)
                }));
            }
        }
    }
    check(forms);
}

/// The condition code after a subtraction is the carry of `a + !b + 1`, also for an addition that
/// reads it, and after an addition for a subtraction.
#[test]
fn a_subtraction_leaves_the_carry_of_its_sum() {
    let mut forms: Vec<Form> = vec![];
    for (ty, k, w) in [("u32", "r", 32_u32), ("s64", "d", 64)] {
        let file = if w == 32 { "b32 %t" } else { "b64 %t" };
        for (first, next) in
            [("add", "subc"), ("sub", "addc"), ("sub", "madc.lo"), ("mad.lo", "subc")]
        {
            let c = |name: &str| if name.starts_with("mad") { ", {c}" } else { "" };
            let text = format!(
                "{{\n.reg .{file}<2>;\n{first}.cc.{ty} %t0, {{a}}, {{b}}{};\n{next}.{ty} {{d}}, {{b}}, {{a}}{};\n}}",
                c(first),
                c(next)
            );
            forms.push(form(text, &k.repeat(4), move |[a, b, c]| {
                let one = |name: &str, x: u64, y: u64, carry: u128| {
                    let sum = match &name[..3] {
                        "sub" => u128::from(x) + u128::from(!y & mask(w)) + carry,
                        "add" => u128::from(x) + u128::from(y) + carry,
                        _ => u128::from(x.wrapping_mul(y) & mask(w)) + u128::from(c) + carry,
                    };
                    (sum as u64 & mask(w), sum >> w)
                };
                let (_, carry) = one(first, a, b, u128::from(first == "sub"));
                one(next, b, a, carry).0
            }));
        }
    }
    check(forms);
}
