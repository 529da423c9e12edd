use super::*;
use ptx_cases::Random;

const F32_SUMS: Accumulator = Accumulator::F32;

fn floats(number: Number, accumulator: Accumulator) -> Arithmetic {
    Arithmetic::Floats { number, accumulator, products: number.products_in_group() }
}

/// The bits of a number that is exact in the type.
fn bits(number: Number, x: f32) -> u32 {
    match number {
        Number::F16 => super::super::half::f32_to_f16(x, Round::Near).into(),
        Number::Bf16 => x.to_bits() >> 16,
        Number::Tf32 => x.to_bits(),
    }
}

/// The first sum of a product of 8 rows and columns.
fn sum(number: Number, a: &[f32], b: &[f32], c: f32) -> f32 {
    let depth = a.len();
    let mut factors = [vec![0; 8 * depth], vec![0; 8 * depth]];
    for (factor, row) in factors.iter_mut().zip([a, b]) {
        for (to, x) in factor.iter_mut().zip(row) {
            *to = bits(number, *x);
        }
    }
    let mut sums = [c.to_bits(); 64];
    let arithmetic = floats(number, F32_SUMS);
    let [a, b] = &factors;
    Product { rows: 8, columns: 8, depth, a, b, arithmetic }.add_to(&mut sums);
    f32::from_bits(sums[0])
}

const NUMBERS: [(Number, usize); 3] = [(Number::F16, 16), (Number::Bf16, 16), (Number::Tf32, 8)];

/// Sums whose terms all fit the aligned width are exact.
#[test]
fn small_integers_are_exact() {
    let mut random = Random(1);
    for (number, depth) in NUMBERS {
        for _ in 0..500 {
            let mut draw = || (random.below(61) as f32) - 30.0;
            let a: Vec<f32> = (0..depth).map(|_| draw()).collect();
            let b: Vec<f32> = (0..depth).map(|_| draw() / 8.0).collect();
            let c = draw();
            let exact = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>() + c;
            assert_eq!(sum(number, &a, &b, c), exact);
        }
    }
}

/// Within a group, the order of the products doesn't matter.
#[test]
fn products_of_a_group_commute() {
    let mut random = Random(2);
    for (number, depth) in NUMBERS {
        for _ in 0..500 {
            let mut draw = || {
                let exponent = random.below(12) as i32 - 6;
                let x = (random.below(255) as f32 - 127.0) / 64.0;
                x * 2_f32.powi(exponent)
            };
            let a: Vec<f32> = (0..depth).map(|_| draw()).collect();
            let b: Vec<f32> = (0..depth).map(|_| draw()).collect();
            let c = draw();
            let expected = sum(number, &a, &b, c);
            let turned = |v: &[f32]| v.iter().rev().copied().collect::<Vec<_>>();
            assert_eq!(sum(number, &turned(&a), &turned(&b), c).to_bits(), expected.to_bits());
            // and the error is at most that of cutting off each term, and the sum
            let products = || a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b));
            let exact = products().sum::<f64>() + f64::from(c);
            let greatest = products().map(f64::abs).fold(f64::from(c.abs()), f64::max);
            let bound = greatest * 2.0 * (depth + 1) as f64 * 2_f64.powi(-25)
                + exact.abs() * 2_f64.powi(-23);
            assert!((f64::from(expected) - exact).abs() <= bound, "{expected:e} {exact:e}");
        }
    }
}

/// 2^-24 beside 1 is within the aligned width and 2^-26 is not; the sum is rounded towards zero.
#[test]
fn terms_and_sums_are_cut_off() {
    let tiny = |power: i32| 2_f32.powi(power);
    for (number, depth) in NUMBERS {
        let of = |terms: &[(f32, f32)], c: f32| {
            let mut a = vec![0.0; depth];
            let mut b = vec![0.0; depth];
            for (n, (x, y)) in terms.iter().enumerate() {
                (a[n], b[n]) = (*x, *y);
            }
            sum(number, &a, &b, c)
        };
        assert_eq!(of(&[(1.0, 1.0), (tiny(-12), tiny(-13))], -1.0), tiny(-25));
        assert_eq!(of(&[(1.0, 1.0), (tiny(-13), tiny(-13))], -1.0), 0.0);
        assert_eq!(of(&[(tiny(-13), tiny(-13))], 0.0), tiny(-26));
        assert_eq!(of(&[(tiny(-12), tiny(-12))], 1.0), 1.0);
        assert_eq!(of(&[(tiny(-12), -tiny(-13))], 1.0), 1.0 - tiny(-24));
        // the exponent of 1.5 * 1.5 = 2.25 is taken to be 0, so that 2^-25 still counts
        assert_eq!(of(&[(1.5, 1.5), (1.5, -1.5), (tiny(-12), tiny(-13))], 0.0), tiny(-25));
        // a sum of zeros is +0
        assert_eq!(of(&[(-0.0, 1.0)], -0.0).to_bits(), 0);
        // and so is one that is cut off to zero
        let least = f32::from_bits(0x8000_0001);
        assert_eq!(of(&[(tiny(-12), tiny(-12))], -tiny(-24)).to_bits(), 0);
        assert_eq!(of(&[(1.0, 1.0)], least - 1.0).to_bits(), 0);
    }
}

#[test]
fn overflow_and_special_values() {
    let big = f32::from_bits(0x7f7f_0000);
    let a = |x: f32| [x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let bf16 = |x: f32, y: f32, c: f32| sum(Number::Bf16, &a(x), &a(y), c);
    assert_eq!(bf16(big, 2.0, 0.0), f32::INFINITY);
    assert_eq!(bf16(-big, 2.0, 0.0), f32::NEG_INFINITY);
    // less than 2^128, so rounded towards zero
    assert_eq!(bf16(big, 1.0, 2_f32.powi(119)), f32::from_bits(0x7f7f_8000));
    assert_eq!(bf16(f32::INFINITY, -2.0, 1.0), f32::NEG_INFINITY);
    for (x, y, c) in [
        (f32::INFINITY, 0.0, 1.0),
        (f32::INFINITY, 1.0, f32::NEG_INFINITY),
        (f32::NAN, 1.0, 1.0),
        (1.0, 1.0, f32::NAN),
    ] {
        assert_eq!(bf16(x, y, c).to_bits(), 0x7fff_ffff);
    }
    // below the least subnormal, and at it
    let least = f32::from_bits(1);
    assert_eq!(bf16(2_f32.powi(-75), 2_f32.powi(-75), 0.0), 0.0);
    assert_eq!(bf16(2_f32.powi(-75), 2_f32.powi(-74), 0.0), least);
}

/// Sums of `f16` are rounded to nearest even once.
#[test]
fn half_sums_are_rounded_to_nearest() {
    let one = bits(Number::F16, 1.0);
    let of = |terms: &[f32], c: u32| {
        let mut a = vec![0; 8 * 16];
        let b = [one; 8 * 16];
        for (to, x) in a.iter_mut().zip(terms) {
            *to = bits(Number::F16, *x);
        }
        let mut sums = [c; 64];
        let arithmetic = floats(Number::F16, Accumulator::F16);
        Product { rows: 8, columns: 8, depth: 16, a: &a, b: &b, arithmetic }.add_to(&mut sums);
        sums[0]
    };
    assert_eq!(of(&[2_f32.powi(-11)], one), one);
    assert_eq!(of(&[2_f32.powi(-11)], one + 1), one + 2);
    assert_eq!(of(&[2_f32.powi(-11), 2_f32.powi(-20)], one), one + 1);
    assert_eq!(of(&[60000.0, 60000.0], one), 0x7c00);
    assert_eq!(of(&[f32::NAN], one), 0x7fff);
    assert_eq!(of(&[f32::NEG_INFINITY], one), 0xfc00);
}

/// A chain of two groups rounds between them.
#[test]
fn groups_are_rounded_one_after_the_other() {
    let (one, tiny) = (1_f32.to_bits(), 2_f32.powi(-12).to_bits());
    let mut a = [0; 8 * 8];
    (a[0], a[1], a[4]) = (one, tiny, one);
    let mut b = [0; 8 * 8];
    (b[0], b[1], b[4]) = (one, tiny, one | 1 << 31);
    let of = |products| {
        let mut sums = [0; 64];
        let (number, accumulator) = (Number::Tf32, F32_SUMS);
        let arithmetic = Arithmetic::Floats { number, accumulator, products };
        Product { rows: 8, columns: 8, depth: 8, a: &a, b: &b, arithmetic }.add_to(&mut sums);
        f32::from_bits(sums[0])
    };
    assert_eq!(of(8), 2_f32.powi(-24));
    assert_eq!(of(4), 0.0);
}

#[test]
fn integers_wrap_or_saturate() {
    let of = |a: i32, b: i32, c: i32, saturate| {
        let arithmetic = Arithmetic::Integers { saturate };
        let mut sums = [c as u32; 64];
        let (a, b) = ([a as u32; 8 * 32], [b as u32; 8 * 32]);
        Product { rows: 8, columns: 8, depth: 32, a: &a, b: &b, arithmetic }.add_to(&mut sums);
        sums.map(|s| s as i32)
    };
    assert_eq!(of(-128, 127, 5, false), [5 - 128 * 127 * 32; 64]);
    assert_eq!(of(255, 255, i32::MAX, false), [i32::MIN + 255 * 255 * 32 - 1; 64]);
    assert_eq!(of(255, 255, i32::MAX, true), [i32::MAX; 64]);
    assert_eq!(of(-128, 255, i32::MIN + 1, true), [i32::MIN; 64]);
}
