//! Bit patterns for tests of instructions: random ones, and more often those near limits of
//! rounding, range or sign.

use super::number::{Format, Round, Value};
use ptx_cases::Random;

/// One pattern of a format.
pub fn float(format: Format, random: &mut Random) -> u64 {
    let fraction = (1 << format.fraction) - 1;
    let sign = format.sign() * random.below(2);
    let exponents = 1 << format.exponent;
    let bias = exponents / 2 - 1;
    let exponent = |n: u64| n.min(exponents - 1) << format.fraction;
    let any = random.next();
    let magnitude = match random.below(10) {
        0 => any & (format.sign() - 1),
        1 => {
            let specials = [
                0,
                1,
                2,
                fraction,
                fraction + 1,
                fraction + 2,
                format.one(),
                format.one() + 1,
                format.one() - 1,
                format.one() - (fraction + 1),
                format.one() + fraction.div_ceil(2),
                format.greatest(),
                format.greatest() - 1,
                format.infinity(),
                format.infinity() + 1,
                format.nan(),
                format.infinity() | fraction.div_ceil(2),
            ];
            specials[random.below(specials.len() as u64) as usize]
        }
        // near one
        2 | 3 => exponent(bias - 4 + random.below(9)) | any & fraction,
        // subnormal numbers, and the smallest normal ones
        4 => any & fraction,
        5 => exponent(random.below(4)) | any & fraction,
        // near the greatest numbers
        6 => exponent(exponents - 2 - random.below(3)) | any & fraction,
        // few significant bits, and neighbours: halfway between numbers of a narrower format
        7 | 8 => {
            let digits = random.below(u64::from(format.fraction) + 1);
            let kept = any & fraction & !(fraction >> digits);
            let half = if digits < u64::from(format.fraction) {
                (fraction.div_ceil(2)) >> digits
            } else {
                0
            };
            let near = (kept | half).wrapping_add(random.below(3)).wrapping_sub(1) & fraction;
            let spread = (exponents / 8).max(4);
            exponent(bias.saturating_sub(spread / 2) + random.below(spread)) | near
        }
        // integers and integers and a half, of any size
        _ => {
            let integer = (any >> random.below(64)) as i128;
            Value::integer(integer).over(&Value::integer(2)).rounded(format, Round::Near)
        }
    };
    sign | magnitude
}

/// Three patterns that often cancel: b near a, c near their product.
pub fn triple(format: Format, random: &mut Random) -> [u64; 3] {
    let a = float(format, random);
    let near = |v: u64, random: &mut Random| {
        let moved = (v & !format.sign()).wrapping_add(random.below(5)).wrapping_sub(2);
        (v & format.sign()) ^ (format.sign() * random.below(2)) | moved & (format.sign() - 1)
    };
    let b = if random.below(4) == 0 { near(a, random) } else { float(format, random) };
    let c = if random.below(3) == 0 {
        let product = Value::of(format, a).times(&Value::of(format, b));
        near(product.rounded(format, Round::Near), random)
    } else {
        float(format, random)
    };
    [a, b, c]
}

/// An integer of any width: random bits, few bits, or near a power of two.
pub fn integer(random: &mut Random) -> u64 {
    let any = random.next();
    match random.below(6) {
        0 | 1 => any,
        2 => any >> random.below(64),
        3 => (any as i64 >> random.below(64)) as u64,
        4 => (1_u64 << random.below(64)).wrapping_add(random.below(3)).wrapping_sub(1),
        _ => random.below(70),
    }
}
