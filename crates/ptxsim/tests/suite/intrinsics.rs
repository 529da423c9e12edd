//! Intrinsics as nvcc translates them: packed bytes and halves, half precision, atomics of 16 bits.

use crate::common::{Kernel, Random, module, ptx};
use crate::exact::number::{F16, Round, Value};
use ptxsim::Options;

const FILE: &str = "objects/intrinsics_90";

fn kernel(entry: &str) -> Kernel {
    Kernel::new(&module(&ptx(FILE)), entry)
}

/// Applies a function to each pair of `width`-bit parts of two numbers.
fn parts(x: u32, y: u32, width: u32, f: impl Fn(i32, i32) -> i32) -> u32 {
    (0..32 / width).fold(0, |all, n| {
        let part = |v: u32| (v >> (n * width) & (u32::MAX >> (32 - width))) as i32;
        all | (f(part(x), part(y)) as u32 & (u32::MAX >> (32 - width))) << (n * width)
    })
}

fn sum(x: u32, y: u32, width: u32, f: impl Fn(i32, i32) -> i32) -> u32 {
    let all = parts(x, y, width, f);
    (0..32 / width).map(|n| all >> (n * width) & (u32::MAX >> (32 - width))).sum()
}

#[test]
fn bytes_and_halves_side_by_side() {
    let mut random = Random(4);
    let mut any = || (0..64).map(|_| random.next() as u32).collect::<Vec<u32>>();
    let (a, b) = (any(), any());
    let kernel = kernel("simd").block(64, 1, 1).uninitialised::<u32>("out", 64 * 16);
    let ran = kernel.buffer("a", &a).buffer("b", &b).run(&Options::default());
    assert_eq!(ran.seen.findings, []);
    let byte = |v: i32| i32::from(v as i8);
    let half = |v: i32| i32::from(v as i16);
    for (i, got) in ran.get::<u32>("out").chunks(16).enumerate() {
        let (x, y) = (a[i], b[i]);
        let wanted = [
            parts(x, y, 8, |x, y| x + y),
            parts(x, y, 16, |x, y| x - y),
            parts(x, y, 8, |x, y| (x - y).abs()),
            sum(x, y, 8, |x, y| (x - y).abs()),
            sum(x, y, 16, |x, y| (x - y).abs()),
            parts(x, y, 8, |x, y| byte(x).max(byte(y))),
            parts(x, y, 16, i32::min),
            parts(x, y, 8, |x, y| if x > y { 0xff } else { 0 }),
            parts(x, y, 8, |x, y| (x + y + 1) / 2),
            parts(x, y, 8, |x, y| (byte(x) + byte(y)).clamp(-128, 127)),
            parts(x, y, 16, |x, y| (half(x) - half(y)).abs()),
            parts(x, y, 8, |x, y| i32::from(x == y)),
            (x as i32).wrapping_add(y as i32).max(3) as u32,
            (x as i32).max(y as i32).max(5) as u32,
            parts(x, y, 16, |x, y| half(x).max(half(y)).max(0)),
            {
                let both = u64::from(y) << 32 | u64::from(x);
                let bytes = [1, 3, 5, 7].map(|n| (both >> (8 * n)) as u8);
                let turned = ((both << 9) >> 32) as u32;
                u32::from_le_bytes(bytes)
                    ^ turned
                    ^ x.reverse_bits()
                    ^ x.abs_diff(y).wrapping_add(4)
            },
        ];
        assert_eq!(got, wanted, "{x:x} {y:x}");
    }
}

#[test]
fn half_precision_in_pairs() {
    let mut random = Random(5);
    let mut any = || (0..64).map(|_| random.next() as u32).collect::<Vec<u32>>();
    let (a, b) = (any(), any());
    let kernel = kernel("halves").block(64, 1, 1).uninitialised::<u32>("out", 64 * 8);
    let ran = kernel.buffer("a", &a).buffer("b", &b).run(&Options::default());
    assert_eq!(ran.seen.findings, []);
    let number = |v: u32| F16.number(u64::from(v));
    let near = |v: Value| v.rounded(F16, Round::Near) as u32;
    for (i, got) in ran.get::<u32>("out").chunks(8).enumerate() {
        let pairs = [(a[i] & 0xffff, b[i] & 0xffff), (a[i] >> 16, b[i] >> 16)];
        for (n, (x, y)) in pairs.into_iter().enumerate() {
            let got: Vec<u32> = got.iter().map(|v| v >> (16 * n) & 0xffff).collect();
            let (p, q) = (Value::of(F16, x.into()), Value::of(F16, y.into()));
            let (f, g) = (number(x), number(y));
            let nan = f.is_nan() || g.is_nan();
            let least = if f < g || f == g && x > y { x } else { y };
            assert_eq!(got[0], if nan { 0x7fff } else { least }, "min {x:x} {y:x}");
            let fused = near(p.times(&q).plus(&p, Round::Near));
            let negative = fused >> 15 == 1;
            assert_eq!(got[1], if negative { 0 } else { fused }, "fma {x:x} {y:x}");
            let sum = near(p.plus(&q, Round::Near));
            assert_eq!(got[2], F16.saturated(sum.into()) as u32, "sum {x:x} {y:x}");
            assert_eq!(got[3], if !nan && f != g { 0x3c00 } else { 0 }, "{x:x} != {y:x}");
            assert_eq!(got[4], if nan || f >= g { 0x3c00 } else { 0 }, "{x:x} >= {y:x}");
            assert_eq!(got[5], near(p.integral(Round::Zero)), "trunc {x:x}");
            let negated = if g.is_nan() { 0x7fff } else { y & 0x7fff };
            assert_eq!(got[7], negated, "abs {y:x}");
        }
        let third = (number(pairs[0].0) as f32 / 3.0).to_bits();
        let low = Value::of(crate::exact::number::F32, third.into()).rounded(F16, Round::Down);
        assert_eq!(u64::from(got[6] & 0xffff), low);
        let integer = number(pairs[1].1).round_ties_even() as i32;
        let high = Value::integer(integer.into()).rounded(F16, Round::Up);
        assert_eq!(u64::from(got[6] >> 16), high);
    }
}

#[test]
fn atomics_of_sixteen_bits() {
    let kernel = kernel("sums").grid(3, 1, 1).block(40, 1, 1).buffer("h", &[7_u16, 0, 9]);
    let kernel = kernel.buffer("h2", &[0_u32]).buffer("b", &[7_u16, 0, 9]).buffer("b2", &[0_u32]);
    let ran = kernel.buffer("swapped", &[5_u16, 0, 6]).run(&Options::default());
    assert_eq!(ran.seen.findings, []);
    // 60; 120 and -30
    assert_eq!(ran.get::<u16>("h"), [7, 0x5380, 9]);
    assert_eq!(ran.get::<u32>("h2"), [0xcf80_5780]);
    assert_eq!(ran.get::<u16>("b"), [7, 0x4270, 9]);
    assert_eq!(ran.get::<u32>("b2"), [0xc1f0_42f0]);
    assert_eq!(ran.get::<u16>("swapped"), [5, 360, 6]);
}
