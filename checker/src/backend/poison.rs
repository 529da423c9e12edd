//! The pattern that fills outputs before a launch.

/// A 4-byte pattern for outputs, little-endian, different for every seed.
///
/// No right result looks like it: read as `float` it lies between 4e31 and 3e36, as `double` beyond
/// 1e250, as `int` beyond 1.9e9, and it is never NaN. Its bytes are not zero and differ from each
/// other, so that partly written words are noticed.
pub fn poison(seed: u64) -> [u8; 4] {
    let mut bits = mix(seed);
    loop {
        // Exponents 0xe8 to 0xf7 of a float; as a double's upper half 0x740 to 0x7bf, below
        // infinity's 0x7ff.
        let exponent = 0xe8 + (bits as u32 & 0xf);
        let word = exponent << 23 | (bits >> 32) as u32 & 0x007f_ffff;
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
            prop_assert!(float.is_finite() && float > 4e31);
            prop_assert!(double.is_finite() && double > 1e250);
            prop_assert!(i32::from_le_bytes(p) > 1_900_000_000);
            prop_assert!(p.iter().all(|b| *b != 0));
        }
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
