//! The pattern that fills outputs before a launch.

/// A 4-byte pattern for outputs, little-endian, different for every seed.
///
/// Right results hardly look like it: read as `float`, its magnitude lies between 4096 and 8192, as
/// `double` beyond 1e26, as `int` beyond 9e8, and it is never NaN. Its bytes are not zero and
/// differ from each other, so that partly written words are noticed. It is not so large that a
/// `float` swallows what a program adds to it: an element that a program reads before it has
/// written it changes, and does not look untouched. The sign varies, so that both a minimum and a
/// maximum with it are wrong in some cases.
pub fn poison(seed: u64) -> [u8; 4] {
    let mut bits = mix(seed);
    loop {
        // The exponent of a float between 4096 and 8192; the upper half of a double has 0x458 to
        // 0x45f, far below infinity's 0x7ff.
        let sign = bits as u32 & 1;
        let word = sign << 31 | 0x8b << 23 | (bits >> 32) as u32 & 0x007f_ffff;
        let bytes = word.to_le_bytes();
        let distinct = (0..4).all(|i| bytes[i] != 0 && !bytes[..i].contains(&bytes[i]));
        if distinct {
            return bytes;
        }
        bits = mix(bits);
    }
}

/// The pattern, repeated to this many bytes.
pub fn poisoned(pattern: [u8; 4], bytes: usize) -> Vec<u8> {
    let mut filled = pattern.repeat(bytes.div_ceil(4));
    filled.truncate(bytes);
    filled
}

/// SplitMix64's step (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
/// 2014).
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A learner's value must never be taken for "untouched", nor the other way round.
        #[test]
        fn it_is_never_a_plausible_value(seed: u64) {
            let p = poison(seed);
            let float = f32::from_le_bytes(p);
            let double = f64::from_le_bytes([p[0], p[1], p[2], p[3], p[0], p[1], p[2], p[3]]);
            prop_assert!((4096.0..8192.0).contains(&float.abs()));
            prop_assert!(double.is_finite() && double.abs() > 1e26);
            prop_assert!(i32::from_le_bytes(p).unsigned_abs() > 900_000_000);
            prop_assert!(p.iter().all(|b| *b != 0));
        }
    }

    /// What a program adds to it is seen, even if it is small.
    #[test]
    fn it_does_not_swallow_what_is_added() {
        for seed in 0..1000 {
            let float = f32::from_le_bytes(poison(seed));
            assert!(float + 1e-3 != float, "{float}");
        }
        let negative = (0..1000).filter(|&seed| f32::from_le_bytes(poison(seed)) < 0.0).count();
        assert!((400..600).contains(&negative), "{negative}");
    }

    /// It changes from run to run, so a kernel cannot compare with it.
    #[test]
    fn it_follows_the_seed() {
        let patterns: std::collections::HashSet<_> = (0..1000).map(poison).collect();
        assert!(patterns.len() > 950, "{}", patterns.len());
        assert_eq!(poison(7), poison(7));
    }

    #[test]
    fn it_fills_buffers_of_any_length() {
        assert_eq!(poisoned([1, 2, 3, 4], 6), [1, 2, 3, 4, 1, 2]);
        assert!(poisoned([1, 2, 3, 4], 0).is_empty());
    }
}
