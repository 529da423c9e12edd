//! Single precision against exact rational arithmetic on big integers; double precision, which is
//! implemented on integers, against error-free transformations in floating point.

use super::*;
use proptest::prelude::*;

const MODES: [Round; 4] = [Round::Near, Round::Zero, Round::Down, Round::Up];

/// Bit patterns: at and near boundaries, with few bits set, and random.
fn f32s() -> impl Strategy<Value = f32> {
    let special = prop::sample::select(vec![
        0u32,
        1,
        2,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x4b80_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0x7e80_0000,
        0x0d00_0000,
        0x3280_0000,
    ]);
    let near_one = (0x3e00_0000u32..0x4100_0000).prop_map(|b| b);
    let sparse = (0u32..256, 0u32..23).prop_map(|(e, b)| e << 23 | 1 << b);
    (prop_oneof![special, near_one, sparse, 0u32..0x0100_0000, any::<u32>()], any::<bool>())
        .prop_map(|(bits, negative)| f32::from_bits(bits ^ u32::from(negative) << 31))
}

fn f64s() -> impl Strategy<Value = f64> {
    let special = prop::sample::select(vec![
        0u64,
        1,
        2,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3fef_ffff_ffff_ffff,
        0x3ff0_0000_0000_0000,
        0x3ff0_0000_0000_0001,
        0x4340_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0x0340_0000_0000_0000,
        0x3ca0_0000_0000_0000,
    ]);
    let near_one = 0x3f00_0000_0000_0000u64..0x4100_0000_0000_0000;
    let sparse = (0u64..2048, 0u64..52).prop_map(|(e, b)| e << 52 | 1 << b);
    (
        prop_oneof![special, near_one, sparse, 0u64..0x0020_0000_0000_0000, any::<u64>()],
        any::<bool>(),
    )
        .prop_map(|(bits, negative)| f64::from_bits(bits ^ u64::from(negative) << 63))
}

/// A fixed-point number wide enough for any sum and product of `f32`: 1024 bits, the last with
/// weight `2^-298`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Fixed {
    negative: bool,
    limbs: [u64; 16],
}

impl Fixed {
    const POINT: i32 = 298;

    fn new(negative: bool, significand: u64, exponent: i32) -> Self {
        let place = (exponent + Self::POINT) as usize;
        let mut limbs = [0; 16];
        let wide = u128::from(significand) << (place % 64);
        limbs[place / 64] = wide as u64;
        limbs[place / 64 + 1] = (wide >> 64) as u64;
        Self { negative, limbs }
    }

    fn compare(a: &[u64; 16], b: &[u64; 16]) -> std::cmp::Ordering {
        a.iter().rev().cmp(b.iter().rev())
    }

    fn is_zero(&self) -> bool {
        self.limbs == [0; 16]
    }

    fn add(&self, other: &Self) -> Self {
        let mut limbs = [0; 16];
        if self.negative == other.negative {
            let mut carry = 0u128;
            for (i, limb) in limbs.iter_mut().enumerate() {
                carry += u128::from(self.limbs[i]) + u128::from(other.limbs[i]);
                *limb = carry as u64;
                carry >>= 64;
            }
            return Self { negative: self.negative, limbs };
        }
        let larger = Self::compare(&self.limbs, &other.limbs).is_ge();
        let (big, small) = if larger { (self, other) } else { (other, self) };
        let mut borrow = 0i128;
        for (i, limb) in limbs.iter_mut().enumerate() {
            borrow += i128::from(big.limbs[i]) - i128::from(small.limbs[i]);
            *limb = borrow as u64;
            borrow >>= 64;
        }
        Self { negative: big.negative, limbs }
    }
}

fn parts(x: f32) -> (bool, u64, i32) {
    let (field, fraction) = ((x.to_bits() >> 23 & 255) as i32, u64::from(x.to_bits() & 0x7f_ffff));
    let (significand, exponent) =
        if field == 0 { (fraction, -149) } else { (fraction | 1 << 23, field - 150) };
    (x.is_sign_negative(), significand, exponent)
}

fn fixed(x: f32) -> Fixed {
    let (negative, significand, exponent) = parts(x);
    Fixed::new(negative, significand, exponent)
}

fn product(a: f32, b: f32) -> Fixed {
    let ((p, m, e), (q, n, f)) = (parts(a), parts(b));
    Fixed::new(p != q, m * n, e + f)
}

/// The finite `f32` just at or below a non-negative exact magnitude, found by bisection over bit
/// patterns, where `at_most(x)` says whether `x <= magnitude`.
fn floor(at_most: impl Fn(f32) -> bool) -> u32 {
    let (mut low, mut high) = (0u32, 0x7f80_0000);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if at_most(f32::from_bits(middle)) { low = middle } else { high = middle }
    }
    low
}

/// Rounds a magnitude, given by comparison with dyadic numbers (`significand * 2^exponent <= it`,
/// and equality).
fn rounded(negative: bool, round: Round, compare: impl Fn(u64, i32) -> std::cmp::Ordering) -> f32 {
    let at = |bits: u32| {
        let (_, significand, exponent) = parts(f32::from_bits(bits));
        compare(significand, exponent)
    };
    let low = floor(|x| at(x.to_bits()).is_le());
    let bits = if at(low).is_eq() {
        low
    } else {
        let up = match round {
            Round::Zero => false,
            Round::Down => negative,
            Round::Up => !negative,
            Round::Near => {
                // The halfway point has one more bit: twice the significand plus one, half the
                // weight.
                let (_, significand, exponent) = parts(f32::from_bits(low));
                match compare(2 * significand + 1, exponent - 1) {
                    std::cmp::Ordering::Less => true,
                    std::cmp::Ordering::Equal => low & 1 == 1,
                    std::cmp::Ordering::Greater => false,
                }
            }
        };
        low + u32::from(up)
    };
    f32::from_bits(bits | u32::from(negative) << 31)
}

fn round_fixed(x: &Fixed, round: Round) -> f32 {
    rounded(x.negative, round, |m, e| Fixed::compare(&Fixed::new(false, m, e).limbs, &x.limbs))
}

/// The sign of a sum that is exactly zero (IEEE 754, 6.3).
fn zero_sum(x: bool, y: bool, round: Round) -> f32 {
    if x == y {
        if x { -0.0 } else { 0.0 }
    } else if round == Round::Down {
        -0.0
    } else {
        0.0
    }
}

fn same32(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan() && a.to_bits() == 0x7fff_ffff
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn f32_sums_are_the_exact_sum_rounded(a in f32s(), b in f32s()) {
        for round in MODES {
            let got = add_f32(a, b, round);
            prop_assert_eq!(got.to_bits(), sub_f32(a, -b, round).to_bits());
            let expected = if a.is_finite() && b.is_finite() {
                let sum = fixed(a).add(&fixed(b));
                if sum.is_zero() { zero_sum(a.is_sign_negative(), b.is_sign_negative(), round) } else { round_fixed(&sum, round) }
            } else {
                a + b
            };
            prop_assert!(same32(got, expected), "{:e} + {:e} {:?}: {:e}, not {:e}", a, b, round, got, expected);
        }
    }

    #[test]
    fn f32_products_and_fused_are_exact_rounded(a in f32s(), b in f32s(), c in f32s()) {
        for round in MODES {
            let finite = a.is_finite() && b.is_finite();
            let negative = a.is_sign_negative() != b.is_sign_negative();
            let got = mul_f32(a, b, round);
            let expected = if finite && a != 0.0 && b != 0.0 { round_fixed(&product(a, b), round) } else { a * b };
            prop_assert!(same32(got, expected), "{:e} * {:e} {:?}: {:e}, not {:e}", a, b, round, got, expected);

            let got = fma_f32(a, b, c, round);
            let expected = if finite && c.is_finite() {
                let sum = product(a, b).add(&fixed(c));
                if sum.is_zero() { zero_sum(negative, c.is_sign_negative(), round) } else { round_fixed(&sum, round) }
            } else {
                a.mul_add(b, c)
            };
            prop_assert!(same32(got, expected), "fma {:e} {:e} {:e} {:?}: {:e}, not {:e}", a, b, c, round, got, expected);
        }
        prop_assert!(same32(fma_f32_portable(a, b, c), fma_f32(a, b, c, Round::Near)));
    }

    #[test]
    fn f32_cancellation_in_fused(a in f32s(), b in f32s(), nudge in -3i32..4) {
        // c is close to -a*b, so the result is the rounding error of the product
        let c = f32::from_bits((-(a * b)).to_bits().wrapping_add_signed(nudge));
        prop_assume!(a.is_finite() && b.is_finite() && c.is_finite());
        for round in MODES {
            let sum = product(a, b).add(&fixed(c));
            let expected = if sum.is_zero() {
                zero_sum(a.is_sign_negative() != b.is_sign_negative(), c.is_sign_negative(), round)
            } else {
                round_fixed(&sum, round)
            };
            prop_assert_eq!(fma_f32(a, b, c, round).to_bits(), expected.to_bits());
            prop_assert!(round != Round::Near || fma_f32_portable(a, b, c).to_bits() == expected.to_bits());
        }
    }

    #[test]
    fn f32_quotients_are_exact_rounded(a in f32s(), b in f32s()) {
        let ((p, m, e), (q, n, f)) = (parts(a), parts(b));
        let ordinary = a.is_finite() && b.is_finite() && a != 0.0 && b != 0.0;
        for round in MODES {
            let got = div_f32(a, b, round);
            let expected = if ordinary {
                // s * 2^g <= m/n * 2^(e-f)  exactly when  s * n * 2^(g+f) <= m * 2^e
                rounded(p != q, round, |s, g| {
                    let left = Exact { negative: false, exponent: g + f, significand: u128::from(s * n) };
                    compare(left, Exact { negative: false, exponent: e, significand: u128::from(m) })
                })
            } else {
                a / b
            };
            prop_assert!(same32(got, expected), "{:e} / {:e} {:?}: {:e}, not {:e}", a, b, round, got, expected);
            prop_assert_eq!(rcp_f32(b, round).to_bits(), div_f32(1.0, b, round).to_bits());
        }
    }

    #[test]
    fn f32_roots_are_exact_rounded(a in f32s()) {
        let (_, m, e) = parts(a);
        for round in MODES {
            let got = sqrt_f32(a, round);
            let expected = if a > 0.0 && a.is_finite() {
                rounded(false, round, |s, g| {
                    let left = Exact { negative: false, exponent: 2 * g, significand: u128::from(s) * u128::from(s) };
                    compare(left, Exact { negative: false, exponent: e, significand: u128::from(m) })
                })
            } else {
                a.sqrt()
            };
            prop_assert!(same32(got, expected), "sqrt {:e} {:?}: {:e}, not {:e}", a, round, got, expected);
        }
    }
}

/// Compares `m * 2^e` with `n * 2^f` exactly, significands of at most 60 bits.
fn compare(a: Exact, b: Exact) -> std::cmp::Ordering {
    let size = |x: Exact| (x.significand != 0).then(|| x.exponent + x.significand.ilog2() as i32);
    size(a).cmp(&size(b)).then_with(|| {
        let low = a.exponent.min(b.exponent);
        let lift = |x: Exact| x.significand << (x.exponent - low).min(67);
        lift(a).cmp(&lift(b))
    })
}

/// The result of directed rounding, from the nearest value and the sign of its error.
fn directed(near: f64, error: f64, round: Round) -> f64 {
    match round {
        Round::Up if error > 0.0 => near.next_up(),
        Round::Down if error < 0.0 => near.next_down(),
        Round::Zero if near > 0.0 && error < 0.0 => near.next_down(),
        Round::Zero if near < 0.0 && error > 0.0 => near.next_up(),
        _ => near,
    }
}

/// Numbers far enough from overflow and underflow that every error term below is exact; many are
/// close to each other.
fn tame() -> impl Strategy<Value = f64> {
    let exponent = prop_oneof![823u64..1223, 1020u64..1027];
    let fraction =
        prop_oneof![any::<u64>(), (0u32..52).prop_map(|b| 1 << b), Just(0), Just(u64::MAX)];
    (exponent, fraction, any::<bool>()).prop_map(|(exponent, fraction, negative)| {
        f64::from_bits(u64::from(negative) << 63 | exponent << 52 | fraction >> 12)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn f64_directed_results_agree_with_error_terms(a in tame(), b in tame(), nudge in -3i64..4) {
        let close = f64::from_bits((-a).to_bits().wrapping_add_signed(nudge));
        for b in [b, close] {
            for round in MODES {
                let (sum, shadow) = (a + b, (a + b) - a);
                let error = (a - (sum - shadow)) + (b - shadow);
                let expected = if sum == 0.0 && round == Round::Down { -0.0 } else { directed(sum, error, round) };
                prop_assert_eq!(add_f64(a, b, round).to_bits(), expected.to_bits());
                prop_assert_eq!(sub_f64(a, -b, round).to_bits(), expected.to_bits());
                let product = a * b;
                prop_assert_eq!(mul_f64(a, b, round), directed(product, a.mul_add(b, -product), round));
                let quotient = a / b;
                let rest = (-quotient).mul_add(b, a) * b.signum();
                prop_assert_eq!(div_f64(a, b, round), directed(quotient, rest, round));
                let root = a.abs().sqrt();
                let rest = (-root).mul_add(root, a.abs());
                prop_assert_eq!(sqrt_f64(a.abs(), round), directed(root, rest, round));
            }
        }
    }

    #[test]
    fn f64_fused_agrees_with_error_terms(a in tame(), b in tame(), c in tame(), nudge in -3i64..4) {
        let close = f64::from_bits((-(a * b)).to_bits().wrapping_add_signed(nudge));
        for c in [c, close] {
            // Error of fma (Boldo and Muller): the product's error and the sum's, added without
            // loss.
            let near = a.mul_add(b, c);
            let high = a * b;
            let low = a.mul_add(b, -high);
            let two_sum = |x: f64, y: f64| {
                let (s, t) = (x + y, (x + y) - x);
                (s, (x - (s - t)) + (y - t))
            };
            let (alpha, alpha_low) = two_sum(c, low);
            let (beta, beta_low) = two_sum(high, alpha);
            let error = ((beta - near) + beta_low) + alpha_low;
            for round in MODES {
                let expected = if near == 0.0 && round == Round::Down { -0.0 } else { directed(near, error, round) };
                prop_assert_eq!(fma_f64(a, b, c, round).to_bits(), expected.to_bits());
            }
        }
    }

    /// For all numbers, including those whose error terms underflow: rounding down and up enclose
    /// rounding to nearest and are at most one step apart, and rounding towards zero is the one
    /// nearer to zero.
    #[test]
    fn f64_directions_enclose(a in f64s(), b in f64s(), c in f64s()) {
        type Operation<'a> = Box<dyn Fn(Round) -> f64 + 'a>;
        let operations: [Operation<'_>; 5] = [
            Box::new(|r| add_f64(a, b, r)), Box::new(|r| mul_f64(a, b, r)), Box::new(|r| fma_f64(a, b, c, r)),
            Box::new(|r| div_f64(a, b, r)), Box::new(|r| sqrt_f64(a, r)),
        ];
        for operation in operations {
            let [near, zero, down, up] = MODES.map(&operation);
            if near.is_nan() {
                prop_assert!([zero, down, up].iter().all(|x| x.to_bits() == near.to_bits()));
                continue;
            }
            prop_assert!(down <= near && near <= up && (down == near || up == near));
            prop_assert!(down == up || down.next_up() == up);
            prop_assert_eq!(zero, if up > 0.0 { down } else { up });
        }
    }

    /// With rounding to nearest, `soft` agrees with the processor. This covers its rounding of
    /// subnormals and its overflow.
    #[test]
    fn soft_nearest_is_the_processor(a in f64s(), b in f64s(), c in f64s()) {
        prop_assume!(a.is_finite() && b.is_finite() && c.is_finite());
        let [x, y, z] = [a, b, c].map(Exact::from_f64);
        let bits = |value: Exact| value.round(Format::F64, Round::Near);
        prop_assert_eq!(bits(x.plus(y, Round::Near)), (a + b).to_bits());
        prop_assert_eq!(bits(x.times(y)), (a * b).to_bits());
        prop_assert_eq!(bits(x.times(y).plus(z, Round::Near)), a.mul_add(b, c).to_bits());
        prop_assert_eq!(bits(Exact { negative: false, ..x }.root()), a.abs().sqrt().to_bits());
        if b != 0.0 {
            prop_assert_eq!(bits(x.over(y)), (a / b).to_bits());
        }
        prop_assert_eq!(x.round(Format::F32, Round::Near) as u32, (a as f32).to_bits());
        for round in MODES {
            prop_assert_eq!(x.round(Format::F32, round) as u32, narrow(a, round).to_bits());
        }
    }

    #[test]
    fn extremes_order_zeros_and_drop_nans(a in f32s(), b in f32s()) {
        let (least, most) = (min_f32(a, b), max_f32(a, b));
        match (a.is_nan(), b.is_nan()) {
            (true, true) => prop_assert!(least.to_bits() == 0x7fff_ffff && most.to_bits() == 0x7fff_ffff),
            (true, false) => prop_assert!(least.to_bits() == b.to_bits() && most.to_bits() == b.to_bits()),
            (false, true) => prop_assert!(least.to_bits() == a.to_bits() && most.to_bits() == a.to_bits()),
            (false, false) => {
                let ordered = a.total_cmp(&b).is_le();
                let (low, high) = if ordered { (a, b) } else { (b, a) };
                prop_assert!(least.to_bits() == low.to_bits() && most.to_bits() == high.to_bits());
            }
        }
        let poisoned = a.is_nan() || b.is_nan();
        let expected = |x: f32| if poisoned { 0x7fff_ffff } else { x.to_bits() };
        prop_assert_eq!(min_nan_f32(a, b).to_bits(), expected(least));
        prop_assert_eq!(max_nan_f32(a, b).to_bits(), expected(most));
    }
}

#[test]
fn f32_nans_are_canonical_and_f64_nans_keep_their_payload() {
    let signalling = f32::from_bits(0xff80_1234);
    let one = 1.0f32;
    for round in MODES {
        for result in [
            add_f32(signalling, one, round),
            mul_f32(one, signalling, round),
            div_f32(0.0, 0.0, round),
            fma_f32(f32::INFINITY, 0.0, one, round),
            sqrt_f32(-one, round),
            rcp_f32(signalling, round),
            add_f32(f32::INFINITY, f32::NEG_INFINITY, round),
            neg_f32(signalling),
            abs_f32(signalling),
        ] {
            assert_eq!(result.to_bits(), 0x7fff_ffff);
        }
        let (first, second) =
            (f64::from_bits(0x7ff0_0000_0000_0123), f64::from_bits(0xfff8_0000_0000_0456));
        assert_eq!(add_f64(second, first, round).to_bits(), 0x7ff8_0000_0000_0123);
        assert_eq!(sub_f64(first, second, round).to_bits(), second.to_bits());
        assert_eq!(mul_f64(first, second, round).to_bits(), second.to_bits());
        assert_eq!(div_f64(second, first, round).to_bits(), second.to_bits());
        assert_eq!(fma_f64(first, 1.0, second, round).to_bits(), second.to_bits());
        assert_eq!(min_f64(first, second).to_bits(), second.to_bits());
        assert_eq!(neg_f64(first).to_bits(), 0x7ff8_0000_0000_0123);
        assert_eq!(abs_f64(second).to_bits(), second.to_bits());
        assert_eq!(mul_f64(1.0, second, round).to_bits(), second.to_bits());
        assert_eq!(fma_f64(1.0, 1.0, second, round).to_bits(), second.to_bits());
        assert_eq!(div_f64(0.0, 0.0, round).to_bits(), NAN_F64.to_bits());
        assert_eq!(sqrt_f64(-1.0, round).to_bits(), NAN_F64.to_bits());
        assert_eq!(sub_f64(f64::INFINITY, f64::INFINITY, round).to_bits(), NAN_F64.to_bits());
    }
}

#[test]
fn modifiers_on_special_values() {
    let (least, tiny) = (f32::MIN_POSITIVE, f32::from_bits(0x807f_ffff));
    assert_eq!(ftz_f32(least), least);
    assert_eq!(ftz_f32(tiny).to_bits(), 0x8000_0000);
    assert!(ftz_f32(f32::NAN).is_nan());
    for (x, y) in
        [(f32::NAN, 0.0f32), (-0.0, 0.0), (-3.0, 0.0), (0.5, 0.5), (7.0, 1.0), (f32::INFINITY, 1.0)]
    {
        assert_eq!(saturate_f32(x).to_bits(), y.to_bits());
        assert_eq!(saturate_f64(f64::from(x)).to_bits(), f64::from(y).to_bits());
    }
    assert_eq!(copysign_f32(-0.0, 3.0), -3.0);
    assert_eq!(copysign_f64(2.0, -3.0), 3.0);
    assert_eq!(min_f64(0.0, -0.0).to_bits(), (-0.0f64).to_bits());
    assert_eq!(max_f64(-0.0, 0.0).to_bits(), 0);
    assert_eq!(min_f64(f64::NAN, 2.0), 2.0);
    assert!(max_nan_f64(2.0, f64::NAN).is_nan());
}
