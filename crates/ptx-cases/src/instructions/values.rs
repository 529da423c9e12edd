//! The inputs of cases: special values of every type, and random values between them.

use crate::Random;

/// Elements of each input.
pub const ELEMENTS: usize = 512;

/// Special values of every width, which the kernel truncates to the operand's width.
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
pub(super) fn bits(kind: char) -> u32 {
    match kind {
        'h' => 16,
        'r' | 'f' => 32,
        'p' => 1,
        _ => 64,
    }
}

pub(super) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

pub(super) fn values(kind: char, random: &mut Random) -> Vec<u64> {
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

/// The value of `bits` bits as a number.
pub(super) fn number(v: u64, bits: u32, signed: bool) -> i128 {
    let v = v & mask(bits);
    if signed && v >> (bits - 1) == 1 { i128::from(v) - (1 << bits) } else { i128::from(v) }
}

pub(super) const TYPES: [(&str, char, u32, bool); 6] = [
    ("s16", 'h', 16, true),
    ("u16", 'h', 16, false),
    ("s32", 'r', 32, true),
    ("u32", 'r', 32, false),
    ("s64", 'd', 64, true),
    ("u64", 'd', 64, false),
];
