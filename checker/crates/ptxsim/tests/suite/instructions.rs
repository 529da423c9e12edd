//! One instruction at a time against plain Rust, over special and random values. A case is data: the text of a
//! kernel, its inputs and what must come out, so that the same table can be run on a GPU.

use crate::common::{Kernel, Random, module};
use ptxsim::{Diagnose, Options};

/// A kernel `k(a, b, c, d)` over arrays of 64-bit elements, one thread per element, in blocks of 64.
struct Case {
    instruction: String,
    ptx: String,
    inputs: [Vec<u64>; 3],
    expected: Vec<u64>,
    /// How results are compared.
    result: Result,
}

#[derive(Clone, Copy, PartialEq)]
enum Result {
    Bits,
    /// Any NaN equals any NaN; the number of bits.
    Float(u32),
}

const ELEMENTS: usize = 512;

/// Specials of every width, cut to the operand's by the kernel.
const SPECIAL: [u64; 40] = [
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    17,
    30,
    31,
    32,
    33,
    63,
    64,
    65,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
    u64::MAX - 1,
    0x3c00,
    0x7c00,
    0xfc00,
    0x7e00,
    0x0001_0203_0405_0607,
    0xfff0_0000,
    0x5555_5555,
    0xaaaa_aaaa,
];

fn f32s() -> Vec<u64> {
    let all = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        0.49999997,
        3.0,
        1e-40,
        -1e-40,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        2147483648.0,
        -2147483648.0,
        4294967296.0,
        1e20,
        127.5,
        255.5,
        -128.5,
        65535.5,
        32767.5,
        1e-20,
        16777217.0,
        8388607.5,
        3.25,
        0.1,
    ];
    all.iter().map(|f: &f32| u64::from(f.to_bits())).collect()
}

fn f64s() -> Vec<u64> {
    let mut all: Vec<u64> =
        f32s().iter().map(|b| f64::from(f32::from_bits(*b as u32)).to_bits()).collect();
    let more = [
        9223372036854775808.0,
        -9223372036854775808.0,
        18446744073709551616.0,
        1e300,
        5e-324,
        4503599627370495.5,
        1.0 + f64::EPSILON,
        3.4028235677973366e38,
        1e-46,
        0.1,
    ];
    all.extend(more.iter().map(|f: &f64| f.to_bits()));
    all
}

/// Registers by kind: `h` 16 bits, `r` 32, `d` 64, `p` a predicate, `f` f32 values, `g` f64 values.
fn bits(kind: char) -> u32 {
    match kind {
        'h' => 16,
        'r' | 'f' => 32,
        'p' => 1,
        _ => 64,
    }
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn values(kind: char, random: &mut Random) -> Vec<u64> {
    let special = match kind {
        'f' => f32s(),
        'g' => f64s(),
        _ => SPECIAL.to_vec(),
    };
    (0..ELEMENTS)
        .map(|_| {
            let any = match random.below(6) {
                0 | 1 => random.next(),
                // values of similar size, so that subtractions cancel
                2 if kind == 'f' => u64::from((random.below(1000) as f32 / 8.0 - 60.0).to_bits()),
                2 if kind == 'g' => (random.below(1000) as f64 / 8.0 - 60.0).to_bits(),
                _ => special[random.below(special.len() as u64) as usize],
            };
            any & mask(bits(kind))
        })
        .collect()
}

/// `text` uses `{d}`, `{a}`, `{b}`, `{c}`; `kinds` are those of d and the sources.
fn case(text: &str, kinds: &str, f: impl Fn(u64, u64, u64) -> u64) -> Case {
    let seed = text.bytes().fold(7, |s: u64, b| s.wrapping_mul(31).wrapping_add(u64::from(b)));
    let mut random = Random(seed);
    let kinds: Vec<char> = kinds.chars().collect();
    let inputs =
        [1, 2, 3].map(|n| kinds.get(n).map_or(vec![0; ELEMENTS], |k| values(*k, &mut random)));
    with_inputs(text, &kinds, inputs, f)
}

fn with_inputs(
    text: &str,
    kinds: &[char],
    inputs: [Vec<u64>; 3],
    f: impl Fn(u64, u64, u64) -> u64,
) -> Case {
    let mut body = String::new();
    let mut instruction = text.to_owned();
    for (n, kind) in kinds.iter().enumerate() {
        let letter = ["d", "a", "b", "c"][n];
        let file = match kind {
            'h' => "h",
            'r' | 'f' => "r",
            'p' => "p",
            _ => "x",
        };
        let register = format!("%{file}{n}");
        instruction = instruction.replace(&format!("{{{letter}}}"), &register);
        if n == 0 {
            continue;
        }
        body += &format!(
            "ld.param.u64 %x10, [{letter}];\nadd.s64 %x10, %x10, %x9;\nld.global.u64 %x11, [%x10];\n"
        );
        body += &match file {
            "h" => format!("cvt.u16.u64 {register}, %x11;\n"),
            "r" => format!("cvt.u32.u64 {register}, %x11;\n"),
            "p" => format!("setp.ne.s64 {register}, %x11, 0;\n"),
            _ => format!("mov.b64 {register}, %x11;\n"),
        };
    }
    body += &instruction;
    body += match bits(kinds[0]) {
        16 => "\ncvt.u64.u16 %x12, %h0;\n",
        32 => "\ncvt.u64.u32 %x12, %r0;\n",
        1 => "\nselp.b64 %x12, 1, 0, %p0;\n",
        _ => "\nmov.b64 %x12, %x0;\n",
    };
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, \
         .param .u64 d)\n{{\n.reg .b16 %h<16>;\n.reg .b32 %r<24>;\n.reg .b64 %x<16>;\n.reg .pred %p<16>;\n\
         mov.u32 %r20, %tid.x;\nmov.u32 %r21, %ctaid.x;\nmad.lo.s32 %r20, %r21, 64, %r20;\nmul.wide.u32 %x9, %r20, 8;\n\
         {body}ld.param.u64 %x10, [d];\nadd.s64 %x10, %x10, %x9;\nst.global.u64 [%x10], %x12;\nret;\n}}\n"
    );
    let expected = (0..ELEMENTS)
        .map(|i| f(inputs[0][i], inputs[1][i], inputs[2][i]) & mask(bits(kinds[0])))
        .collect();
    let result = match kinds[0] {
        'f' => Result::Float(32),
        'g' => Result::Float(64),
        _ => Result::Bits,
    };
    Case { instruction, ptx, inputs, expected, result }
}

impl Case {
    fn check(&self) {
        let got = run_case(&self.ptx, &self.inputs);
        for (i, (g, w)) in got.iter().zip(&self.expected).enumerate() {
            let nan = |v: u64| match self.result {
                Result::Float(32) => f32::from_bits(v as u32).is_nan(),
                Result::Float(_) => f64::from_bits(v).is_nan(),
                Result::Bits => false,
            };
            let [a, b, c] = [0, 1, 2].map(|n: usize| self.inputs[n][i]);
            assert!(
                g == w || nan(*g) && nan(*w),
                "`{}` of {a:#x}, {b:#x}, {c:#x} is {g:#x}, not {w:#x}",
                self.instruction
            );
        }
    }
}

fn run_case(ptx: &str, inputs: &[Vec<u64>; 3]) -> Vec<u64> {
    let ran = Kernel::new(&module(ptx), "k")
        .grid(ELEMENTS as u32 / 64, 1, 1)
        .block(64, 1, 1)
        .buffer("a", &inputs[0])
        .buffer("b", &inputs[1])
        .buffer("c", &inputs[2])
        .empty::<u64>("d", ELEMENTS)
        .run(&Options { diagnose: Diagnose::Bounds, ..Options::default() });
    assert!(ran.seen.completed && ran.seen.findings.is_empty(), "{:?}", ran.seen.findings);
    ran.get("d")
}

/// The value of `bits` bits as a number.
fn number(v: u64, bits: u32, signed: bool) -> i128 {
    let v = v & mask(bits);
    if signed && v >> (bits - 1) == 1 { i128::from(v) - (1 << bits) } else { i128::from(v) }
}

const TYPES: [(&str, char, u32, bool); 6] = [
    ("s16", 'h', 16, true),
    ("u16", 'h', 16, false),
    ("s32", 'r', 32, true),
    ("u32", 'r', 32, false),
    ("s64", 'd', 64, true),
    ("u64", 'd', 64, false),
];

#[test]
fn integer_arithmetic_of_every_width() {
    for (ty, k, w, signed) in TYPES {
        let n = move |v| number(v, w, signed);
        let two = |op: &str, f: fn(i128, i128) -> i128| {
            case(
                &format!("{op}.{ty} {{d}}, {{a}}, {{b}};"),
                &format!("{k}{k}{k}"),
                move |a, b, _| f(n(a), n(b)) as u64,
            )
            .check();
        };
        two("add", |a, b| a + b);
        two("sub", |a, b| a - b);
        two("mul.lo", |a, b| a.wrapping_mul(b));
        two("min", i128::min);
        two("max", i128::max);
        case(
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
        )
        .check();
        // a divisor of 0 gives an unspecified value
        for op in ["div", "rem"] {
            let text = format!("or.b{w} {{b}}, {{b}}, 1;\n{op}.{ty} {{d}}, {{a}}, {{b}};");
            case(&text, &format!("{k}{k}{k}"), move |a, b, _| {
                let (a, b) = (n(a), n(b | 1));
                (if op == "div" { a / b } else { a % b }) as u64
            })
            .check();
        }
        let kinds = format!("{k}{k}{k}{k}");
        case(&format!("mad.lo.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), &kinds, |a, b, c| {
            a.wrapping_mul(b).wrapping_add(c)
        })
        .check();
        case(&format!("sad.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), &kinds, move |a, b, c| {
            (n(c) + (n(a) - n(b)).abs()) as u64
        })
        .check();
        if w > 16 {
            case(&format!("mad.hi.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), &kinds, move |a, b, c| {
                let hi = if signed {
                    ((n(a) * n(b)) >> w) as u64
                } else {
                    ((u128::from(a) * u128::from(b)) >> w) as u64
                };
                hi.wrapping_add(c)
            })
            .check();
        }
        if w < 64 {
            let wide = if w == 16 { 'r' } else { 'd' };
            case(
                &format!("mul.wide.{ty} {{d}}, {{a}}, {{b}};"),
                &format!("{wide}{k}{k}"),
                move |a, b, _| (n(a) * n(b)) as u64,
            )
            .check();
            case(
                &format!("mad.wide.{ty} {{d}}, {{a}}, {{b}}, {{c}};"),
                &format!("{wide}{k}{k}{wide}"),
                move |a, b, c| ((n(a) * n(b)) as u64).wrapping_add(c),
            )
            .check();
        }
        if signed {
            case(&format!("abs.{ty} {{d}}, {{a}};"), &format!("{k}{k}"), move |a, _, _| {
                n(a).unsigned_abs() as u64
            })
            .check();
            case(&format!("neg.{ty} {{d}}, {{a}};"), &format!("{k}{k}"), move |a, _, _| {
                (-n(a)) as u64
            })
            .check();
        }
        case(&format!("shr.{ty} {{d}}, {{a}}, {{b}};"), &format!("{k}{k}r"), move |a, b, _| {
            (n(a) >> b.min(u64::from(w))) as u64
        })
        .check();
    }
}

#[test]
fn logic_and_bits_of_every_width() {
    for (w, k) in [(16, 'h'), (32, 'r'), (64, 'd')] {
        let kinds = format!("{k}{k}{k}");
        case(&format!("and.b{w} {{d}}, {{a}}, {{b}};"), &kinds, |a, b, _| a & b).check();
        case(&format!("or.b{w} {{d}}, {{a}}, {{b}};"), &kinds, |a, b, _| a | b).check();
        case(&format!("xor.b{w} {{d}}, {{a}}, {{b}};"), &kinds, |a, b, _| a ^ b).check();
        case(&format!("not.b{w} {{d}}, {{a}};"), &kinds[..2], |a, _, _| !a).check();
        case(&format!("cnot.b{w} {{d}}, {{a}};"), &kinds[..2], |a, _, _| u64::from(a == 0)).check();
        case(&format!("mov.b{w} {{d}}, {{a}};"), &kinds[..2], |a, _, _| a).check();
        case(&format!("shl.b{w} {{d}}, {{a}}, {{b}};"), &format!("{k}{k}r"), move |a, b, _| {
            if b >= w { 0 } else { a << b }
        })
        .check();
        case(&format!("selp.b{w} {{d}}, {{a}}, {{b}}, {{c}};"), &format!("{kinds}p"), |a, b, c| {
            if c & 1 == 1 { a } else { b }
        })
        .check();
        if w == 16 {
            continue;
        }
        let count = format!("r{k}");
        let w32 = w as u32;
        case(&format!("popc.b{w} {{d}}, {{a}};"), &count, |a, _, _| u64::from(a.count_ones()))
            .check();
        case(&format!("clz.b{w} {{d}}, {{a}};"), &count, move |a, _, _| {
            u64::from(a.leading_zeros() - (64 - w32))
        })
        .check();
        case(&format!("brev.b{w} {{d}}, {{a}};"), &kinds[..2], move |a, _, _| {
            a.reverse_bits() >> (64 - w)
        })
        .check();
        for (ty, signed) in [(format!("u{w}"), false), (format!("s{w}"), true)] {
            let found = move |a: u64| {
                // the most significant bit that differs from the sign
                let a = if signed && a >> (w - 1) & 1 == 1 { !a & mask(w32) } else { a };
                if a == 0 { u64::from(u32::MAX) } else { u64::from(63 - a.leading_zeros()) }
            };
            case(&format!("bfind.{ty} {{d}}, {{a}};"), &count, move |a, _, _| found(a)).check();
            case(
                &format!("bfind.shiftamt.{ty} {{d}}, {{a}};"),
                &count,
                move |a, _, _| match found(a) {
                    none if none == u64::from(u32::MAX) => none,
                    at => w - 1 - at,
                },
            )
            .check();
            case(
                &format!("bfe.{ty} {{d}}, {{a}}, {{b}}, {{c}};"),
                &format!("{k}{k}rr"),
                move |a, b, c| {
                    // PTX ISA, "bfe", its pseudo code: bit by bit
                    let (pos, len, msb) = (b & 0xff, c & 0xff, w - 1);
                    let bit = |i: u64| a >> i & 1;
                    let sign = if !signed || len == 0 { 0 } else { bit((pos + len - 1).min(msb)) };
                    (0..=msb).fold(0, |d, i| {
                        d | (if i < len && pos + i <= msb { bit(pos + i) } else { sign }) << i
                    })
                },
            )
            .check();
        }
        // PTX ISA, "bfi": b, with the low bits of a at a position and length, here in the four operands' order
        let text = format!("bfi.b{w} {{d}}, {{a}}, {{b}}, {{c}}, 5;");
        case(&text, &format!("{kinds}r"), move |a, b, c| {
            let pos = c & 0xff;
            (0..w).fold(0, |d, i| {
                d | (if i >= pos && i < pos + 5 { a >> (i - pos) & 1 } else { b >> i & 1 }) << i
            })
        })
        .check();
    }
}

#[test]
fn thirty_two_bit_specialities() {
    let lane = |v: u64| v as u32 as i32;
    for (op, sub) in [("add", false), ("sub", true)] {
        case(&format!("{op}.sat.s32 {{d}}, {{a}}, {{b}};"), "rrr", move |a, b, _| {
            let (a, b) = (lane(a), lane(b));
            (if sub { a.saturating_sub(b) } else { a.saturating_add(b) }) as u64
        })
        .check();
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
        case(&format!("mul24.lo.{ty} {{d}}, {{a}}, {{b}};"), "rrr", move |a, b, _| {
            (low(a) * low(b)) as u64
        })
        .check();
        case(&format!("mul24.hi.{ty} {{d}}, {{a}}, {{b}};"), "rrr", move |a, b, _| {
            ((low(a) * low(b)) >> 16) as u64
        })
        .check();
        case(&format!("mad24.lo.{ty} {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            ((low(a) * low(b)) as u64).wrapping_add(c)
        })
        .check();
    }
    let byte = |v: u64, n: u64, signed: bool| {
        let b = (v >> (8 * n)) as u8;
        if signed { i64::from(b as i8) } else { i64::from(b) }
    };
    for (ta, tb) in [(true, true), (true, false), (false, true), (false, false)] {
        let name = |s: bool| if s { "s32" } else { "u32" };
        case(
            &format!("dp4a.{}.{} {{d}}, {{a}}, {{b}}, {{c}};", name(ta), name(tb)),
            "rrrr",
            move |a, b, c| (0..4).fold(c as i64, |s, n| s + byte(a, n, ta) * byte(b, n, tb)) as u64,
        )
        .check();
    }
    for table in [0xca, 0x96, 0xe8, 0, 0xff, 0x01, 0x80] {
        case(&format!("lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};"), "rrrr", move |a, b, c| {
            (0..32).fold(0, |d, i| {
                let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
                d | (table >> index & 1) << i
            })
        })
        .check();
    }
    for (mode, clamp) in [("wrap", false), ("clamp", true)] {
        let by = move |c: u64| if clamp { c.min(32) } else { c & 31 };
        case(&format!("shf.l.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            ((u128::from(b) << 32 | u128::from(a)) << by(c) >> 32) as u64
        })
        .check();
        case(&format!("shf.r.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            (b << 32 | a) >> by(c)
        })
        .check();
    }
    case("prmt.b32 {d}, {a}, {b}, {c};", "rrrr", |a, b, c| {
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
    })
    .check();
    // PTX ISA, "prmt": the tables of the named modes, bytes of d from the most significant
    let modes: [(&str, [[u64; 4]; 4]); 6] = [
        ("f4e", [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]]),
        ("b4e", [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]]),
        ("rc8", [[0; 4], [1; 4], [2; 4], [3; 4]]),
        ("ecl", [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        ("rc16", [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
    ];
    for (mode, table) in modes {
        case(&format!("prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}};"), "rrrr", move |a, b, c| {
            let row = table[(c & 3) as usize];
            row.iter().fold(0, |d, n| d << 8 | (b << 32 | a) >> (8 * n) & 0xff)
        })
        .check();
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
    case(&halves("add", "addc"), "ddd", |a, b, _| a.wrapping_add(b)).check();
    case(&halves("sub", "subc"), "ddd", |a, b, _| a.wrapping_sub(b)).check();
    let product = "{\n.reg .b32 %lo<4>, %hi<4>;\nmov.b64 {%lo0, %hi0}, {a};\nmov.b64 {%lo1, %hi1}, {c};\n\
         mov.b64 {%lo2, %hi2}, {b};\nmad.lo.cc.u32 %lo3, %lo0, %lo2, %lo1;\nmadc.hi.u32 %hi3, %lo0, %lo2, %hi1;\n\
         mov.b64 {d}, {%lo3, %hi3};\n}";
    case(product, "dddd", |a, b, c| ((a & 0xffff_ffff) * (b & 0xffff_ffff)).wrapping_add(c))
        .check();
}

#[test]
fn comparisons() {
    for (ty, k, w, signed) in TYPES {
        for (cmp, f) in orders::<i128>() {
            case(
                &format!("setp.{cmp}.{ty} {{d}}, {{a}}, {{b}};"),
                &format!("p{k}{k}"),
                move |a, b, _| u64::from(f(&number(a, w, signed), &number(b, w, signed))),
            )
            .check();
        }
    }
    for (cmp, like) in [("lo", 2), ("ls", 3), ("hi", 4), ("hs", 5)] {
        let f = orders::<u64>()[like].1;
        case(&format!("setp.{cmp}.u32 {{d}}, {{a}}, {{b}};"), "prr", move |a, b, _| {
            u64::from(f(&a, &b))
        })
        .check();
        case(&format!("setp.{cmp}.u64 {{d}}, {{a}}, {{b}};"), "pdd", move |a, b, _| {
            u64::from(f(&a, &b))
        })
        .check();
    }
    for (w, k) in [(16, 'h'), (32, 'r'), (64, 'd')] {
        case(&format!("setp.eq.b{w} {{d}}, {{a}}, {{b}};"), &format!("p{k}{k}"), |a, b, _| {
            u64::from(a == b)
        })
        .check();
        case(&format!("setp.ne.b{w} {{d}}, {{a}}, {{b}};"), &format!("p{k}{k}"), |a, b, _| {
            u64::from(a != b)
        })
        .check();
    }
    let float = |v: u64, wide: bool| {
        if wide { f64::from_bits(v) } else { f64::from(f32::from_bits(v as u32)) }
    };
    for (ty, k, wide) in [("f32", 'f', false), ("f64", 'g', true)] {
        let kinds = format!("p{k}{k}");
        for (cmp, f) in orders::<f64>() {
            case(&format!("setp.{cmp}.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
                let (a, b) = (float(a, wide), float(b, wide));
                // ordered: false with NaN, also `ne`
                u64::from(f(&a, &b) && !a.is_nan() && !b.is_nan())
            })
            .check();
            case(&format!("setp.{cmp}u.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
                let (a, b) = (float(a, wide), float(b, wide));
                u64::from(f(&a, &b) || a.is_nan() || b.is_nan())
            })
            .check();
        }
        let nan = move |a, b| float(a, wide).is_nan() || float(b, wide).is_nan();
        case(&format!("setp.nan.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
            u64::from(nan(a, b))
        })
        .check();
        case(&format!("setp.num.{ty} {{d}}, {{a}}, {{b}};"), &kinds, move |a, b, _| {
            u64::from(!nan(a, b))
        })
        .check();
    }
    let holds = |a: u64, b: u64| (a as u32 as i32) < b as u32 as i32;
    for (how, f) in [
        ("and", (|x, y| x && y) as fn(bool, bool) -> bool),
        ("or", |x, y| x || y),
        ("xor", |x, y| x != y),
    ] {
        case(&format!("setp.lt.{how}.s32 {{d}}, {{a}}, {{b}}, {{c}};"), "prrp", move |a, b, c| {
            u64::from(f(holds(a, b), c == 1))
        })
        .check();
        case(&format!("setp.lt.{how}.s32 {{d}}, {{a}}, {{b}}, !{{c}};"), "prrp", move |a, b, c| {
            u64::from(f(holds(a, b), c == 0))
        })
        .check();
        // q is the negated comparison, combined in the same way
        case(
            &format!("setp.lt.{how}.s32 %p9|{{d}}, {{a}}, {{b}}, {{c}};"),
            "prrp",
            move |a, b, c| u64::from(f(!holds(a, b), c == 1)),
        )
        .check();
        case(
            &format!("setp.lt.{how}.s32 {{c}}|{{d}}, {{a}}, {{b}}, {{c}};"),
            "prrp",
            move |a, b, c| u64::from(f(!holds(a, b), c == 1)),
        )
        .check();
        case(&format!("{how}.pred {{d}}, {{a}}, {{b}};"), "ppp", move |a, b, _| {
            u64::from(f(a == 1, b == 1))
        })
        .check();
    }
    case("not.pred {d}, {a};", "pp", |a, _, _| a ^ 1).check();
    case(
        "set.lt.u32.s32 {d}, {a}, {b};",
        "rrr",
        move |a, b, _| if holds(a, b) { 0xffff_ffff } else { 0 },
    )
    .check();
    case(
        "set.lt.f32.s32 {d}, {a}, {b};",
        "rrr",
        move |a, b, _| if holds(a, b) { 0x3f80_0000 } else { 0 },
    )
    .check();
}

type Holds<T> = fn(&T, &T) -> bool;

/// The six comparisons in PTX's names.
fn orders<T: PartialOrd>() -> [(&'static str, Holds<T>); 6] {
    [("eq", T::eq), ("ne", T::ne), ("lt", T::lt), ("le", T::le), ("gt", T::gt), ("ge", T::ge)]
}

#[test]
fn conversions_between_integers() {
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
            for sat in [false, true] {
                let dot = if sat { "sat." } else { "" };
                let text = format!("cvt.{dot}{to}.{from} {{d}}, {{a}};");
                case(&text, &format!("{}{}", kind(tw), kind(fw)), move |a, _, _| {
                    let v = number(a, fw, fs);
                    let (low, high) = if ts {
                        (-(1_i128 << (tw - 1)), (1 << (tw - 1)) - 1)
                    } else {
                        (0, (1_i128 << tw) - 1)
                    };
                    let v = if sat { v.clamp(low, high) } else { v };
                    // narrower results are extended to the register's width
                    number(v as u64, tw, ts) as u64
                })
                .check();
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

#[test]
fn conversions_with_floats() {
    for (from, k, wide) in [("f32", 'f', false), ("f64", 'g', true)] {
        let float = move |v: u64| {
            if wide { f64::from_bits(v) } else { f64::from(f32::from_bits(v as u32)) }
        };
        for mode in ["rni", "rzi", "rmi", "rpi"] {
            for (to, tk, tw, ts) in TYPES {
                // what a NaN becomes has tests of its own
                let finite = move |a: u64| if float(a).is_nan() { 0 } else { a };
                let kinds: Vec<char> = vec![tk, k];
                let mut random = Random(u64::from(tw));
                let a: Vec<u64> = values(k, &mut random).into_iter().map(finite).collect();
                with_inputs(
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
                )
                .check();
            }
            case(
                &format!("cvt.{mode}.{from}.{from} {{d}}, {{a}};"),
                &format!("{k}{k}"),
                move |a, _, _| {
                    let v = rounded(float(a), mode);
                    if wide { v.to_bits() } else { u64::from((v as f32).to_bits()) }
                },
            )
            .check();
        }
    }
    for (from, k, w, s) in TYPES {
        case(&format!("cvt.rn.f32.{from} {{d}}, {{a}};"), &format!("f{k}"), move |a, _, _| {
            u64::from((number(a, w, s) as f32).to_bits())
        })
        .check();
        case(&format!("cvt.rn.f64.{from} {{d}}, {{a}};"), &format!("g{k}"), move |a, _, _| {
            (number(a, w, s) as f64).to_bits()
        })
        .check();
    }
    case("cvt.f64.f32 {d}, {a};", "gf", |a, _, _| f64::from(f32::from_bits(a as u32)).to_bits())
        .check();
    for mode in ["rn", "rz", "rm", "rp"] {
        case(&format!("cvt.{mode}.f32.f64 {{d}}, {{a}};"), "fg", move |a, _, _| {
            u64::from(narrowed(f64::from_bits(a), mode).to_bits())
        })
        .check();
        // a product of two f32 is exact in f64
        case(&format!("mul.{mode}.f32 {{d}}, {{a}}, {{b}};"), "fff", move |a, b, _| {
            let product = f64::from(f32::from_bits(a as u32)) * f64::from(f32::from_bits(b as u32));
            u64::from(narrowed(product, mode).to_bits())
        })
        .check();
    }
    case("cvt.sat.f32.f32 {d}, {a};", "ff", |a, _, _| {
        let v = f32::from_bits(a as u32);
        u64::from(if v > 0.0 { v.min(1.0) } else { 0.0 }.to_bits())
    })
    .check();
}

#[test]
fn floating_point_arithmetic() {
    let f = |v: u64| f32::from_bits(v as u32);
    let two = |op: &str, g: fn(f32, f32) -> f32, h: fn(f64, f64) -> f64| {
        case(&format!("{op}.f32 {{d}}, {{a}}, {{b}};"), "fff", move |a, b, _| {
            u64::from(g(f(a), f(b)).to_bits())
        })
        .check();
        case(&format!("{op}.f64 {{d}}, {{a}}, {{b}};"), "ggg", move |a, b, _| {
            h(f64::from_bits(a), f64::from_bits(b)).to_bits()
        })
        .check();
    };
    two("add.rn", |a, b| a + b, |a, b| a + b);
    two("sub.rn", |a, b| a - b, |a, b| a - b);
    two("mul.rn", |a, b| a * b, |a, b| a * b);
    two("div.rn", |a, b| a / b, |a, b| a / b);
    two("add", |a, b| a + b, |a, b| a + b);
    two("mul", |a, b| a * b, |a, b| a * b);
    // -0 counts as less than +0; a NaN gives way
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
        case(&format!("{op}.f32 {{d}}, {{a}};"), "ff", move |a, _, _| u64::from(g(f(a)).to_bits()))
            .check();
        case(&format!("{op}.f64 {{d}}, {{a}};"), "gg", move |a, _, _| {
            h(f64::from_bits(a)).to_bits()
        })
        .check();
    };
    one("sqrt.rn", f32::sqrt, f64::sqrt);
    one("rcp.rn", f32::recip, f64::recip);
    one("abs", f32::abs, f64::abs);
    one("neg", |a| -a, |a| -a);
    case("fma.rn.f32 {d}, {a}, {b}, {c};", "ffff", move |a, b, c| {
        u64::from(f(a).mul_add(f(b), f(c)).to_bits())
    })
    .check();
    case("fma.rn.f64 {d}, {a}, {b}, {c};", "gggg", |a, b, c| {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
    })
    .check();
    let flush = |v: f32| if v.is_subnormal() { 0.0_f32.copysign(v) } else { v };
    case("add.ftz.f32 {d}, {a}, {b};", "fff", move |a, b, _| {
        u64::from(flush(flush(f(a)) + flush(f(b))).to_bits())
    })
    .check();
    case("mul.ftz.f32 {d}, {a}, {b};", "fff", move |a, b, _| {
        u64::from(flush(flush(f(a)) * flush(f(b))).to_bits())
    })
    .check();
    case("add.sat.f32 {d}, {a}, {b};", "fff", move |a, b, _| {
        let v = f(a) + f(b);
        u64::from(if v > 0.0 { v.min(1.0) } else { 0.0 }.to_bits())
    })
    .check();
}

#[test]
fn guards_leave_the_others_alone() {
    case("mov.b32 {d}, 77;\n@{c} add.s32 {d}, {a}, {b};", "rrrp", |a, b, c| {
        if c == 1 { a.wrapping_add(b) } else { 77 }
    })
    .check();
    case("mov.b32 {d}, 77;\n@!{c} mul.lo.s32 {d}, {a}, {b};", "rrrp", |a, b, c| {
        if c == 0 { a.wrapping_mul(b) } else { 77 }
    })
    .check();
    case("mov.b64 {d}, {a};\n@{c} mov.b64 {d}, {b};", "dddp", |a, b, c| if c == 1 { b } else { a })
        .check();
    case("setp.eq.u32 {d}, {a}, {a};\n@{c} setp.lt.u32 {d}, {a}, {b};", "prrp", |a, b, c| {
        u64::from(c == 0 || a < b)
    })
    .check();
    // an exit for some: what they would have written stays as it was
    let text =
        "mov.b32 {d}, 5;\n@{c} bra $over;\nadd.s32 {d}, {a}, {b};\n$over:\nxor.b32 {d}, {d}, 3;";
    case(text, "rrrp", |a, b, c| (if c == 1 { 5 } else { a.wrapping_add(b) }) ^ 3).check();
}

#[test]
fn packing_and_unpacking() {
    let text = "{\n.reg .b32 %lo, %hi;\nmov.b64 {%lo, %hi}, {a};\nmov.b64 {d}, {%hi, %lo};\n}";
    case(text, "dd", |a, _, _| a.rotate_left(32)).check();
    let text = "{\n.reg .b16 %q<4>;\nmov.b64 {%q0, %q1, %q2, %q3}, {a};\nmov.b64 {d}, {%q3, %q2, %q1, %q0};\n}";
    case(text, "dd", |a, _, _| {
        a << 48 | (a << 16 & 0xffff_0000_0000) | (a >> 16 & 0xffff_0000) | a >> 48
    })
    .check();
    let text = "{\n.reg .b16 %lo, %hi;\nmov.b32 {%lo, %hi}, {a};\nmov.b32 {d}, {%hi, %lo};\n}";
    case(text, "rr", |a, _, _| u64::from((a as u32).rotate_left(16))).check();
}

/// Wraps a body that has its element's index in %r20, the addresses of its element of a, b, d in %x1, %x2, %x3.
fn memory_kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, \
         .param .u64 d)\n{{\n.reg .b16 %h<16>;\n.reg .b32 %r<24>;\n.reg .b64 %x<24>;\n.reg .pred %p<16>;\n\
         .shared .align 16 .b8 tile[1024];\n.local .align 16 .b8 own[32];\n\
         mov.u32 %r21, %tid.x;\nmov.u32 %r22, %ctaid.x;\nmad.lo.s32 %r20, %r22, 64, %r21;\nmul.wide.u32 %x0, %r20, 8;\n\
         ld.param.u64 %x1, [a];\nadd.s64 %x1, %x1, %x0;\nld.param.u64 %x2, [b];\nadd.s64 %x2, %x2, %x0;\n\
         ld.param.u64 %x3, [d];\nadd.s64 %x3, %x3, %x0;\nld.global.u64 %x4, [%x1];\nld.global.u64 %x5, [%x2];\n{body}\n\
         st.global.u64 [%x3], %x6;\nret;\n}}\n"
    )
}

fn memory_case(body: &str, f: impl Fn(usize, u64, u64) -> u64) {
    let mut random = Random(body.len() as u64);
    let inputs = [values('d', &mut random), values('d', &mut random), vec![0; ELEMENTS]];
    let got = run_case(&memory_kernel(body), &inputs);
    for (i, g) in got.iter().enumerate() {
        let w = f(i, inputs[0][i], inputs[1][i]);
        assert_eq!(*g, w, "element {i} of {:#x}, {:#x}:\n{body}", inputs[0][i], inputs[1][i]);
    }
}

#[test]
fn loads_extend_and_stores_cut() {
    for (ty, w, signed) in [
        ("u8", 8, false),
        ("s8", 8, true),
        ("u16", 16, false),
        ("s16", 16, true),
        ("u32", 32, false),
        ("s32", 32, true),
    ] {
        for at in (0..8_i64).step_by(w as usize / 8) {
            memory_case(&format!("ld.global.{ty} %x6, [%x1+{at}];"), move |_, a, _| {
                number(a >> (8 * at), w, signed) as u64
            });
            if w <= 16 {
                memory_case(
                    &format!("ld.global.{ty} %r1, [%x1+{at}];\ncvt.u64.u32 %x6, %r1;"),
                    move |_, a, _| u64::from(number(a >> (8 * at), w, signed) as u32),
                );
            }
            // into the copy of a in shared and in local memory
            for (space, base) in [("shared", "%x7"), ("local", "own")] {
                memory_case(
                    &format!(
                        "mul.wide.u32 %x8, %r21, 8;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\n\
                         st.{space}.u64 [{base}], %x4;\nst.{space}.{ty} [{base}+{at}], %x5;\nld.{space}.u64 %x6, [{base}];"
                    ),
                    move |_, a, b| {
                        let field = mask(w) << (8 * at);
                        a & !field | b << (8 * at) & field
                    },
                );
            }
        }
    }
}

#[test]
fn vectors_move_in_one_piece() {
    memory_case("ld.global.v2.u32 {%r1, %r2}, [%x1];\nmov.b64 %x6, {%r2, %r1};", |_, a, _| {
        a.rotate_left(32)
    });
    memory_case(
        "ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%x1];\nmov.b64 %x6, {%h4, %h1, %h2, %h3};",
        |_, a, _| a.rotate_left(16),
    );
    memory_case(
        "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%x1];\ncvt.u64.u16 %x6, %h3;",
        |_, a, _| a >> 16 & 0xff,
    );
    memory_case("ld.global.v2.u32 {_, %r2}, [%x1];\ncvt.u64.u32 %x6, %r2;", |_, a, _| a >> 32);
    memory_case(
        "mul.wide.u32 %x8, %r21, 16;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\nst.shared.v2.u64 [%x7], {%x4, %x5};\n\
         ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%x7];\nmov.b64 %x6, {%r1, %r4};",
        |_, a, b| a & 0xffff_ffff | b & 0xffff_ffff_0000_0000,
    );
}

#[test]
fn generic_addresses_of_three_spaces_in_one_warp() {
    // lane by lane: its element of b in global memory, a's copy in shared memory, or a's complement in local memory
    let body = "mul.wide.u32 %x8, %r21, 8;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\nst.shared.u64 [%x7], %x4;\n\
         not.b64 %x9, %x4;\nst.local.u64 [own+8], %x9;\ncvta.shared.u64 %x10, %x7;\nmov.u64 %x11, own;\n\
         cvta.local.u64 %x11, %x11;\nadd.s64 %x11, %x11, 8;\nrem.u32 %r1, %r20, 3;\nsetp.eq.s32 %p1, %r1, 1;\n\
         setp.eq.s32 %p2, %r1, 2;\nselp.b64 %x12, %x10, %x2, %p1;\nselp.b64 %x12, %x11, %x12, %p2;\n\
         ld.u64 %x6, [%x12];\nadd.s64 %x6, %x6, 1;\nst.u64 [%x12], %x6;\nld.u64 %x6, [%x12];";
    let mut random = Random(3);
    let inputs = [values('d', &mut random), values('d', &mut random), vec![0; ELEMENTS]];
    let got = run_case(&memory_kernel(body), &inputs);
    for (i, g) in got.iter().enumerate() {
        let v = match i % 3 {
            0 => inputs[1][i],
            1 => inputs[0][i],
            _ => !inputs[0][i],
        };
        assert_eq!(*g, v.wrapping_add(1), "element {i}");
    }
}

#[test]
fn atomics_of_every_kind() {
    type Op = (&'static str, fn(u64, u64, u32) -> u64);
    let ops: [Op; 20] = [
        ("add.u32", |a, b, _| a.wrapping_add(b)),
        ("add.s32", |a, b, _| a.wrapping_add(b)),
        ("add.u64", |a, b, _| a.wrapping_add(b)),
        ("and.b32", |a, b, _| a & b),
        ("or.b32", |a, b, _| a | b),
        ("xor.b32", |a, b, _| a ^ b),
        ("and.b64", |a, b, _| a & b),
        ("or.b64", |a, b, _| a | b),
        ("xor.b64", |a, b, _| a ^ b),
        ("exch.b32", |_, b, _| b),
        ("exch.b64", |_, b, _| b),
        ("min.s32", |a, b, w| number(a, w, true).min(number(b, w, true)) as u64),
        ("max.s32", |a, b, w| number(a, w, true).max(number(b, w, true)) as u64),
        ("min.u32", |a, b, _| a.min(b)),
        ("max.u32", |a, b, _| a.max(b)),
        ("min.s64", |a, b, w| number(a, w, true).min(number(b, w, true)) as u64),
        ("max.s64", |a, b, w| number(a, w, true).max(number(b, w, true)) as u64),
        ("max.u64", |a, b, _| a.max(b)),
        ("inc.u32", |a, b, _| if a >= b { 0 } else { a + 1 }),
        ("dec.u32", |a, b, _| if a == 0 || a > b { b } else { a - 1 }),
    ];
    for (name, f) in ops {
        let w: u32 = if name.ends_with("64") { 64 } else { 32 };
        let value = move |a: u64, b: u64| f(a & mask(w), b & mask(w), w) & mask(w);
        for space in ["global", "shared"] {
            // the memory and the old value, in two runs
            let set_up = "mul.wide.u32 %x8, %r21, 8;\nmov.u64 %x7, tile;\nadd.s64 %x7, %x7, %x8;\nst.shared.u64 [%x7], %x4;\n";
            let place = if space == "global" { "%x1" } else { "%x7" };
            let (b, d) = if w == 64 { ("%x5", "%x9") } else { ("%r5", "%r9") };
            let narrow = if w == 64 { "" } else { "cvt.u32.u64 %r5, %x5;\n" };
            let widen = if w == 64 { "mov.b64 %x6, %x9;" } else { "cvt.u64.u32 %x6, %r9;" };
            memory_case(
                &format!("{set_up}{narrow}atom.{space}.{name} {d}, [{place}], {b};\n{widen}"),
                move |_, a, _| a & mask(w),
            );
            for (op, d) in [("atom", format!("{d}, ")), ("red", String::new())] {
                if op == "red" && name.starts_with("exch") {
                    continue;
                }
                memory_case(
                    &format!(
                        "{set_up}{narrow}{op}.{space}.{name} {d}[{place}], {b};\nld.{space}.u64 %x6, [{place}];"
                    ),
                    move |_, a, b| value(a, b) | a & !mask(w),
                );
            }
        }
    }
    memory_case(
        "and.b64 %x9, %x5, 1;\nsetp.eq.s64 %p1, %x9, 1;\nselp.b64 %x9, %x4, %x5, %p1;\n\
         atom.global.cas.b64 %x10, [%x1], %x9, 99;\nld.global.u64 %x6, [%x1];",
        |_, a, b| if b & 1 == 1 || a == b { 99 } else { a },
    );
}

/// PTX ISA, "shfl.sync", its pseudo code.
fn shuffled(mode: &str, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (bval, cval, mask) = (b & 31, c & 31, c >> 8 & 31);
    let max_lane = (lane & mask) | (cval & !mask);
    let min_lane = lane & mask;
    let (j, p) = match mode {
        "up" => (lane.wrapping_sub(bval), lane as i32 - bval as i32 >= max_lane as i32),
        "down" => (lane + bval, lane + bval <= max_lane),
        "bfly" => (lane ^ bval, lane ^ bval <= max_lane),
        _ => (min_lane | (bval & !mask), min_lane | (bval & !mask) <= max_lane),
    };
    if p { (j, true) } else { (lane, false) }
}

#[test]
fn shuffles_with_every_segment() {
    for mode in ["up", "down", "bfly", "idx"] {
        for (segment, clamp) in
            [(0, 31), (16, 31), (24, 31), (28, 31), (0, 0), (16, 0), (24, 0), (0, 15), (31, 31)]
        {
            for by in [0_u32, 1, 3, 7, 16, 31, 33] {
                let c = segment << 8 | clamp;
                let text = format!(
                    "shfl.sync.{mode}.b32 {{d}}|%p9, {{a}}, {by}, {c}, -1;\n@%p9 xor.b32 {{d}}, {{d}}, 0x80000000;"
                );
                let mut random = Random(9);
                let inputs = [values('r', &mut random), vec![0; ELEMENTS], vec![0; ELEMENTS]];
                let got = {
                    let c = with_inputs(&text, &['r', 'r'], inputs.clone(), |a, _, _| a);
                    run_case(&c.ptx, &c.inputs)
                };
                for (i, g) in got.iter().enumerate() {
                    let (from, inside) = shuffled(mode, i as u32 % 32, by, c);
                    let v = inputs[0][i / 32 * 32 + (from as usize & 31)];
                    assert_eq!(
                        *g,
                        if inside { v ^ 0x8000_0000 } else { v },
                        "{mode} {by} {c:#x}, element {i}"
                    );
                }
            }
        }
    }
}

#[test]
fn votes_matches_and_reductions() {
    let mut random = Random(11);
    let a: Vec<u64> =
        (0..ELEMENTS).map(|i| if i / 32 % 4 == 0 { 5 } else { random.below(4) }).collect();
    let inputs = || [a.clone(), vec![0; ELEMENTS], vec![0; ELEMENTS]];
    type Of = fn(&[u64], usize) -> u64;
    let odd: Of = |w, _| (0..32).filter(|i| w[*i] & 1 == 1).fold(0, |m, i| m | 1 << i);
    let cases: [(&str, Of); 16] = [
        ("and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.ballot.b32 {d}, %p9, -1;", odd),
        (
            "and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.all.pred %p8, %p9, -1;\nselp.b32 {d}, 1, 0, %p8;",
            |w, _| u64::from(w.iter().all(|v| v & 1 == 1)),
        ),
        (
            "and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.any.pred %p8, %p9, -1;\nselp.b32 {d}, 1, 0, %p8;",
            |w, _| u64::from(w.iter().any(|v| v & 1 == 1)),
        ),
        (
            "and.b32 {a}, {a}, 1;\nsetp.eq.u32 %p9, {a}, 1;\nvote.sync.uni.pred %p8, %p9, -1;\nselp.b32 {d}, 1, 0, %p8;",
            |w, _| u64::from(w.iter().all(|v| v & 1 == w[0] & 1)),
        ),
        ("vote.sync.ballot.b32 {d}, !%p7, -1;", |_, _| 0xffff_ffff),
        ("match.any.sync.b32 {d}, {a}, -1;", |w, l| {
            (0..32).filter(|i| w[*i] == w[l]).fold(0, |m, i| m | 1 << i)
        }),
        ("cvt.u64.u32 %x6, {a};\nmatch.any.sync.b64 {d}, %x6, -1;", |w, l| {
            (0..32).filter(|i| w[*i] == w[l]).fold(0, |m, i| m | 1 << i)
        }),
        ("match.all.sync.b32 {d}|%p9, {a}, -1;\n@!%p9 mov.b32 {d}, 9;", |w, _| {
            if w.iter().all(|v| *v == w[0]) { 0xffff_ffff } else { 9 }
        }),
        ("redux.sync.add.s32 {d}, {a}, -1;", |w, _| w.iter().sum()),
        ("redux.sync.min.u32 {d}, {a}, -1;", |w, _| *w.iter().min().expect("32")),
        ("sub.s32 {a}, 0, {a};\nredux.sync.min.s32 {d}, {a}, -1;", |w, _| {
            u64::from((*w.iter().max().expect("32") as u32).wrapping_neg())
        }),
        ("redux.sync.max.u32 {d}, {a}, -1;", |w, _| *w.iter().max().expect("32")),
        ("redux.sync.and.b32 {d}, {a}, -1;", |w, _| w.iter().fold(u64::MAX, |x, y| x & y)),
        ("redux.sync.or.b32 {d}, {a}, -1;", |w, _| w.iter().fold(0, |x, y| x | y)),
        ("redux.sync.xor.b32 {d}, {a}, -1;", |w, _| w.iter().fold(0, |x, y| x ^ y)),
        ("activemask.b32 {d};", |_, _| 0xffff_ffff),
    ];
    for (text, f) in cases {
        let case = with_inputs(text, &['r', 'r'], inputs(), |a, _, _| a);
        for (i, g) in run_case(&case.ptx, &case.inputs).iter().enumerate() {
            let warp = &a[i / 32 * 32..i / 32 * 32 + 32];
            assert_eq!(*g, f(warp, i % 32), "element {i} of\n{text}");
        }
    }
    // halves of a warp, each among themselves
    let text = "setp.lt.u32 %p9, %r20, 0;\nmov.u32 %r12, %laneid;\nsetp.lt.u32 %p8, %r12, 16;\nselp.b32 %r13, 0xffff, 0xffff0000, %p8;\n\
         @%p8 bra $low;\nredux.sync.add.u32 {d}, {a}, %r13;\nbra $end;\n$low:\nredux.sync.max.u32 {d}, {a}, %r13;\n$end:";
    let case = with_inputs(text, &['r', 'r'], inputs(), |a, _, _| a);
    for (i, g) in run_case(&case.ptx, &case.inputs).iter().enumerate() {
        let half = &a[i / 16 * 16..i / 16 * 16 + 16];
        assert_eq!(
            *g,
            if i % 32 < 16 { *half.iter().max().expect("16") } else { half.iter().sum() }
        );
    }
}

#[test]
fn barriers_that_count() {
    let mut random = Random(13);
    let a: Vec<u64> = (0..ELEMENTS)
        .map(|i| {
            if i / 64 == 2 {
                1
            } else if i / 64 == 3 {
                0
            } else {
                random.below(2)
            }
        })
        .collect();
    let inputs = || [a.clone(), vec![0; ELEMENTS], vec![0; ELEMENTS]];
    type Of = fn(&[u64]) -> u64;
    let cases: [(&str, Of); 3] = [
        ("barrier.red.popc.u32 {d}, 0, %p9;", |b| b.iter().sum()),
        ("bar.red.and.pred %p8, 0, %p9;\nselp.b32 {d}, 1, 0, %p8;", |b| {
            u64::from(b.iter().all(|v| *v == 1))
        }),
        ("bar.red.or.pred %p8, 1, 64, %p9;\nselp.b32 {d}, 1, 0, %p8;", |b| {
            u64::from(b.contains(&1))
        }),
    ];
    for (text, f) in cases {
        let text = format!("setp.eq.u32 %p9, {{a}}, 1;\n{text}\nbar.sync 0;\nbar.sync 3, 64;");
        let case = with_inputs(&text, &['r', 'r'], inputs(), |a, _, _| a);
        for (i, g) in run_case(&case.ptx, &case.inputs).iter().enumerate() {
            assert_eq!(*g, f(&a[i / 64 * 64..i / 64 * 64 + 64]), "element {i} of\n{text}");
        }
    }
}

#[test]
fn special_registers() {
    let text = "mov.u32 %r1, %laneid;\nmov.u32 %r2, %warpid;\nmov.u32 %r3, %lanemask_lt;\nmov.u32 %r4, %lanemask_ge;\n\
         shl.b32 %r2, %r2, 5;\nadd.s32 %r1, %r1, %r2;\nxor.b32 %r3, %r3, %r4;\nmov.b64 %x6, {%r1, %r3};";
    memory_case(text, |i, _, _| (i as u64 % 64) | 0xffff_ffff_0000_0000);
    let m = module(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 d)\n{\n.reg .b32 %r<16>;\n\
         .reg .b64 %x<4>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\nmov.u32 %r2, %tid.z;\nmov.u32 %r3, %ntid.x;\n\
         mov.u32 %r4, %ntid.y;\nmad.lo.u32 %r5, %r2, %r4, %r1;\nmad.lo.u32 %r5, %r5, %r3, %r0;\nmov.u32 %r6, %ctaid.x;\n\
         mov.u32 %r7, %ctaid.y;\nmov.u32 %r8, %ctaid.z;\nmov.u32 %r9, %nctaid.x;\nmov.u32 %r10, %nctaid.y;\n\
         mad.lo.u32 %r11, %r8, %r10, %r7;\nmad.lo.u32 %r11, %r11, %r9, %r6;\nmov.u32 %r12, %ntid.z;\n\
         mul.lo.u32 %r12, %r12, %r4;\nmul.lo.u32 %r12, %r12, %r3;\nmad.lo.u32 %r13, %r11, %r12, %r5;\n\
         ld.param.u64 %x0, [d];\nmul.wide.u32 %x1, %r13, 4;\nadd.s64 %x0, %x0, %x1;\nst.global.u32 [%x0], %r13;\nret;\n}\n",
    );
    let all = 5 * 3 * 3 * 2 * 3 * 2;
    Kernel::new(&m, "k")
        .grid(2, 3, 2)
        .block(5, 3, 3)
        .empty::<u32>("d", all)
        .clean(|ran| assert_eq!(ran.get::<u32>("d"), (0..all as u32).collect::<Vec<_>>()));
}

#[test]
fn half_precision() {
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
        let case = with_inputs(text, &['h', 'h', 'h', 'h'], inputs.clone(), |a, _, _| a);
        for (i, g) in run_case(&case.ptx, &case.inputs).iter().enumerate() {
            let wanted = f(numbers[i], others[i]);
            // a zero's sign is that of the rule, which f32 shares
            assert_eq!(*g, f16(wanted), "{text} of {} and {}", numbers[i], others[i]);
        }
    }
    for (i, g) in run_case(
        &with_inputs("cvt.f32.f16 {d}, {a};", &['r', 'h'], inputs.clone(), |a, _, _| a).ptx,
        &inputs,
    )
    .iter()
    .enumerate()
    {
        assert_eq!(*g, u64::from(numbers[i].to_bits()));
    }
}
