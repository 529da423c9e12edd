//! Disturbs shared memory, to find out whether a kernel's results depend on it.
//!
//! A result depends on what a location holds if it changes when the location does (fault injection,
//! as in NVIDIA's NVBitFI). So in a launch with [`crate::Options::disturb_shared`], each word of
//! shared memory changes whenever the block passes a barrier. Loads whose values are not used, or
//! are multiplied by zero, change no result.

use super::machine::BlockState;

/// The bits of a word that change at the barriers of a block, one barrier after the other. As in a
/// Gray code, a word isn't as it was until the eighth barrier.
const MASKS: [u32; 8] = [SIGN, EXPONENT, SIGN, FRACTION, SIGN, EXPONENT, SIGN, FRACTION];
/// The sign of an `f32`, the lowest bit of its exponent, and the highest bit of its fraction. They
/// make no ordinary number infinite, whose product with zero wouldn't be zero.
const SIGN: u32 = 1 << 31;
const EXPONENT: u32 = 1 << 23;
const FRACTION: u32 = 1 << 22;

impl BlockState {
    /// Changes all words of shared memory after a barrier.
    pub(super) fn disturb_shared(&mut self) {
        let mask = MASKS[self.barriers_passed as usize % MASKS.len()];
        self.barriers_passed += 1;
        self.shared.iter_mut().for_each(|word| *word ^= mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between two of seven barriers or fewer, every word has changed, and ordinary numbers are
    /// still finite.
    #[test]
    fn words_stay_different() {
        for first in 0..MASKS.len() {
            for barriers in 1..MASKS.len() {
                let masks = MASKS.iter().cycle().skip(first).take(barriers);
                let change = masks.fold(0, |change, mask| change ^ mask);
                assert_ne!(change, 0);
                for x in [0.0, 1.0, -3.5e30, 1e-20] {
                    assert!(f32::from_bits(f32::to_bits(x) ^ change).is_finite());
                }
            }
        }
    }
}
