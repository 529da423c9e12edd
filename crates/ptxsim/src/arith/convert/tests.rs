//! Conversions against Rust's casts (which saturate and round to nearest as PTX does), against
//! `f64`'s rounding functions, and against tables for what Rust lacks.

use super::*;
use proptest::prelude::*;

fn cvt(to: Scalar, from: Scalar, rounding: Option<Rounding>) -> Convert {
    Convert { to, from, rounding, sat: false, ftz: false, relu: false, satfinite: false }
}

const NEAR: Option<Rounding> = Some(Rounding::Float(Round::Near));
const MODES: [Round; 4] = [Round::Near, Round::Zero, Round::Down, Round::Up];

fn integral_f64(x: f64, round: Round) -> f64 {
    match round {
        Round::Near => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

/// Values on and around integers and halves, huge, tiny and special.
fn values() -> impl Strategy<Value = f64> {
    let halves = (-600i32..600).prop_map(|n| f64::from(n) / 2.0);
    let edges =
        (prop::sample::select(vec![7, 8, 15, 16, 24, 31, 32, 53, 63, 64]), -3i64..4, any::<bool>())
            .prop_map(|(power, nudge, negative)| {
                let edge = f64::from_bits(2f64.powi(power).to_bits().wrapping_add_signed(nudge));
                if negative { -edge } else { edge }
            });
    let special = prop::sample::select(vec![
        0.0,
        -0.0,
        1e-320,
        -1e-40,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ]);
    prop_oneof![halves, edges, special, any::<u64>().prop_map(f64::from_bits)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn integers_to_integers(x: u64, sat: bool) {
        macro_rules! check { ($($from:ident $rf:ident => $($to:ident $rt:ident)*;)*) => { $( $({
            let source = x as $rf;
            let convert = Convert { sat, ..cvt(Scalar::$to, Scalar::$from, None) };
            let clamped = i128::from(source).clamp(i128::from($rt::MIN), i128::from($rt::MAX));
            let expected = if sat { clamped as $rt } else { source as $rt };
            // narrow signed numbers are returned sign-extended to 32 bits
            let held = if $rt::BITS < 32 { u64::from(i64::from(expected) as u32) } else { expected as u64 };
            let held = if $rt::BITS == 32 { held & 0xffff_ffff } else { held };
            prop_assert_eq!(convert.convert(x), held, "{:?} {:x}", convert, x);
        })* )* } }
        check! {
            U8 u8 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
            S8 i8 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
            U16 u16 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
            S16 i16 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
            U32 u32 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
            S32 i32 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
            U64 u64 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
            S64 i64 => U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64;
        }
        prop_assert_eq!(cvt(Scalar::U64, Scalar::S32, None).convert(x), x as i32 as i64 as u64);
    }

    #[test]
    fn integers_to_floats(x: u64, drop in 0u32..64) {
        let x = x >> drop;
        for x in [x, !x] {
            let to_f32 = |from| cvt(Scalar::F32, from, NEAR).convert(x) as u32;
            let to_f64 = |from| cvt(Scalar::F64, from, NEAR).convert(x);
            prop_assert_eq!(to_f32(Scalar::U64), (x as f32).to_bits());
            prop_assert_eq!(to_f32(Scalar::S64), (x as i64 as f32).to_bits());
            prop_assert_eq!(to_f32(Scalar::U32), u32_to_f32_rn(x as u32).to_bits());
            prop_assert_eq!(to_f32(Scalar::S32), s32_to_f32_rn(x as i32).to_bits());
            prop_assert_eq!(to_f32(Scalar::U16), (x as u16 as f32).to_bits());
            prop_assert_eq!(to_f32(Scalar::S8), (x as i8 as f32).to_bits());
            prop_assert_eq!(to_f64(Scalar::U64), (x as f64).to_bits());
            prop_assert_eq!(to_f64(Scalar::S64), (x as i64 as f64).to_bits());
            prop_assert_eq!(to_f64(Scalar::S32), s32_to_f64(x as i32).to_bits());
            // Directed: on the right side, and within one step of nearest.
            for round in MODES {
                let rounding = Some(Rounding::Float(round));
                let got = f32::from_bits(cvt(Scalar::F32, Scalar::S64, rounding).convert(x) as u32);
                let (exact, held) = (i128::from(x as i64), got as i128);
                let right = match round {
                    Round::Near => got == x as i64 as f32,
                    Round::Zero => held.abs() <= exact.abs(),
                    Round::Down => held <= exact,
                    Round::Up => held >= exact,
                };
                prop_assert!(right);
                let near = x as i64 as f32;
                prop_assert!(got == near || got == near.next_up() || got == near.next_down());
            }
        }
    }

    #[test]
    fn floats_to_integers(x in values()) {
        for round in MODES {
            let rounding = Some(Rounding::Integer(round));
            macro_rules! check { ($($to:ident $rt:ident)*) => { $(
                let held = |v: $rt| if $rt::BITS < 32 { u64::from(i64::from(v) as u32) } else { v as u64 & Scalar::$to.mask() };
                if !x.is_nan() {
                    let expected = held(integral_f64(x, round) as $rt);
                    prop_assert_eq!(cvt(Scalar::$to, Scalar::F64, rounding).convert(x.to_bits()), expected);
                    let single = x as f32;
                    let expected = held(integral_f64(f64::from(single), round) as $rt);
                    let got = cvt(Scalar::$to, Scalar::F32, rounding).convert(u64::from(single.to_bits()));
                    prop_assert_eq!(got, expected);
                }
            )* } }
            check! { U8 u8 S8 i8 U16 u16 S16 i16 U32 u32 S32 i32 S64 i64 }
            if !x.is_nan() {
                let got = cvt(Scalar::U64, Scalar::F64, rounding).convert(x.to_bits());
                prop_assert_eq!(got, integral_f64(x, round) as u64);
            }
        }
        let single = x as f32;
        let bits = u64::from(single.to_bits());
        let toward_zero = Some(Rounding::Integer(Round::Zero));
        prop_assert_eq!(cvt(Scalar::S32, Scalar::F32, toward_zero).convert(bits) as i32, f32_to_s32_rz(single));
        prop_assert_eq!(cvt(Scalar::U32, Scalar::F32, toward_zero).convert(bits) as u32, f32_to_u32_rz(single));
    }

    #[test]
    fn floats_to_floats(bits: u64, x in values()) {
        for x in [x, f64::from_bits(bits), f64::from(f32::from_bits(bits as u32))] {
            let got = cvt(Scalar::F32, Scalar::F64, NEAR).convert(x.to_bits()) as u32;
            prop_assert_eq!(got, f64_to_f32_rn(x).to_bits());
            let single = f32::from_bits(got);
            prop_assert_eq!(cvt(Scalar::F64, Scalar::F32, None).convert(u64::from(got)), f32_to_f64(single).to_bits());
            for round in MODES {
                let rounding = Some(Rounding::Integer(round));
                if !x.is_nan() {
                    let got = cvt(Scalar::F64, Scalar::F64, rounding).convert(x.to_bits());
                    prop_assert_eq!(got, integral_f64(x, round).to_bits());
                    let got = cvt(Scalar::F32, Scalar::F32, rounding).convert(u64::from(single.to_bits()));
                    let expected = (integral_f64(f64::from(single), round) as f32).to_bits();
                    prop_assert_eq!(got, u64::from(expected));
                }
            }
        }
    }

    #[test]
    fn nothing_panics_and_results_fit(bits: u64, sat: bool, ftz: bool) {
        use Scalar::*;
        let all = [U8, S8, U16, S16, U32, S32, U64, S64, F16, BF16, F32, F64];
        let roundings = MODES.map(Rounding::Float).into_iter().chain(MODES.map(Rounding::Integer));
        for rounding in roundings.map(Some).chain([None]) {
            for (from, to) in all.into_iter().flat_map(|from| all.map(|to| (from, to))) {
                let result = Convert { sat, ftz, ..cvt(to, from, rounding) }.convert(bits);
                let width = if matches!(to, S8 | S16) { 32 } else { to.bits() };
                prop_assert!(width == 64 || result >> width == 0);
            }
        }
    }
}

#[test]
fn nan_becomes_zero_or_the_top_bit() {
    use Scalar::*;
    let (single, double, half) = (0xffc1_2345, 0x7ff0_0000_0000_0001, 0x7e01);
    for (to, from, bits, expected) in [
        (S32, F32, single, 0),
        (U32, F32, single, 0),
        (S8, F32, single, 0),
        (U16, F16, half, 0),
        (S64, F32, single, 1 << 63),
        (U64, F32, single, 1 << 63),
        (S64, F16, half, 1 << 63),
        (S32, F64, double, 1 << 31),
        (U32, F64, double, 1 << 31),
        (U64, F64, double, 1 << 63),
        (U16, F64, double, 1 << 15),
        (S16, F64, double, 0xffff_8000),
        (F32, F64, double, 0x7fc0_0000),
        (F16, F32, single, 0x7fff),
        (BF16, F32, single, 0x7fff),
        (F32, F16, half, 0x7fff_ffff),
        (F64, F32, single, 0xfff8_2468_a000_0000),
    ] {
        assert_eq!(cvt(to, from, None).convert(bits), expected, "{to:?} from {from:?}");
    }
}

#[test]
fn modifiers() {
    let f = |x: f32| u64::from(x.to_bits());
    let saturated = Convert { sat: true, ..cvt(Scalar::F32, Scalar::F32, None) };
    for (x, y) in
        [(-0.0, 0.0), (f32::NAN, 0.0), (-2.0, 0.0), (0.25, 0.25), (1.5, 1.0), (f32::INFINITY, 1.0)]
    {
        assert_eq!(saturated.convert(f(x)), f(y), "{x}");
    }
    let to_half = Convert { sat: true, ..cvt(Scalar::F16, Scalar::S32, NEAR) };
    assert_eq!(to_half.convert(7), 0x3c00);
    let tiny = 0x8000_0001u64;
    let flush = |to, rounding| Convert { ftz: true, ..cvt(to, Scalar::F32, rounding) };
    assert_eq!(flush(Scalar::F32, None).convert(tiny), 0x8000_0000);
    let down = Some(Rounding::Integer(Round::Down));
    assert_eq!(flush(Scalar::S32, down).convert(tiny), 0, "flushed before rounding");
    assert_eq!(cvt(Scalar::S32, Scalar::F32, down).convert(tiny) as i32, -1);
    let narrowing = Convert { ftz: true, ..cvt(Scalar::F32, Scalar::F64, NEAR) };
    assert_eq!(narrowing.convert((-1e-40f64).to_bits()), 0x8000_0000, "flushed after rounding");
    assert_eq!(flush(Scalar::F64, None).convert(tiny), 1 << 63);
    // 65520 is the first number that rounds to infinity in half precision.
    for (round, expected) in MODES.into_iter().zip([0x7c00, 0x7bff, 0x7bff, 0x7c00]) {
        let rounding = Some(Rounding::Float(round));
        assert_eq!(cvt(Scalar::F16, Scalar::F32, rounding).convert(f(65520.0)), expected);
    }
}
