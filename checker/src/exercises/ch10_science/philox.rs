//! Philox4x32-10, the counter-based generator of chapter 10: J. K. Salmon, M. A. Moraes, R. O.
//! Dror, D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), section 4.

/// Four random words for a counter of 128 bits and a key of 64 bits. The lowest word of each comes
/// first.
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let mut c = counter;
    let [mut k0, mut k1] = key;
    for _ in 0..10 {
        let [first, second] = [u64::from(c[0]) * 0xD251_1F53, u64::from(c[2]) * 0xCD9E_8D57];
        let high = |product: u64| (product >> 32) as u32;
        c = [high(second) ^ c[1] ^ k0, second as u32, high(first) ^ c[3] ^ k1, first as u32];
        k0 = k0.wrapping_add(0x9E37_79B9);
        k1 = k1.wrapping_add(0xBB67_AE85);
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that Random123 publishes (`kat_vectors`, `philox4x32 10`).
    #[test]
    fn known_answers() {
        let ones = u32::MAX;
        let cases = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([ones; 4], [ones; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, answer) in cases {
            assert_eq!(philox(counter, key), answer, "{counter:x?} {key:x?}");
        }
    }
}
