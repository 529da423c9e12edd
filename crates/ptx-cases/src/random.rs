//! Pseudo-random numbers that are the same on every machine.

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"); the state is
/// the seed.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 random bits.
    #[expect(clippy::should_implement_trait, reason = "numbers never end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0 .. n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// `n` integers from a range of `limit` values around 0.
    pub fn ints(&mut self, n: usize, limit: u64) -> Vec<i32> {
        (0..n).map(|_| (self.below(limit) as i64 - (limit / 2) as i64) as i32).collect()
    }

    /// `n` numbers in `low .. high`.
    pub fn floats(&mut self, n: usize, low: f32, high: f32) -> Vec<f32> {
        (0..n)
            .map(|_| low + (high - low) * (self.below(1 << 20) as f32 / (1 << 20) as f32))
            .collect()
    }
}
