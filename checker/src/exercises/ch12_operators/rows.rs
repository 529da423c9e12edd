//! Launches, scores and the softmax for the exercises about rows of a matrix.

use ndarray::{Array2, ArrayD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::exercises::common::case;
use crate::spec::Case;

/// Threads of a block, which works on one row.
pub const BLOCK: u32 = 256;

/// A case with a block for each row. `rows` is also one of `sizes`.
pub const fn block_per_row(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    rows: u32,
) -> Case {
    case(name, why, sizes, [rows, 1], [BLOCK, 1])
}

/// How the scores of a case are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// Around a number for all rows.
    Around(i32),
    /// The rows have levels that are far apart.
    Levels,
    /// One score, which isn't the first one, is greater than all others by about 1000, so that
    /// exponentials of their differences overflow in `double`, too.
    OneLarge,
    /// The first score is less than all others by about 1000.
    FirstLow,
    /// Most scores are greater than all before them.
    Rising,
}

/// Scores of `rows` rows. Scores of the same kind differ by at most 10.
pub fn scores(kind: Scores, (rows, cols): (usize, usize), rng: &mut ChaCha8Rng) -> ArrayD<f32> {
    let spread = |rng: &mut ChaCha8Rng| rng.random_range(-5.0..5.0_f32);
    let exception: Vec<usize> = match kind {
        Scores::OneLarge => (0..rows).map(|_| rng.random_range(1..cols)).collect(),
        _ => vec![0; rows],
    };
    let values = Array2::from_shape_fn((rows, cols), |(row, col)| match kind {
        Scores::Around(level) => level as f32 + spread(rng),
        Scores::Levels => (row as f32).mul_add(371.0, -600.0) + spread(rng),
        Scores::OneLarge if col == exception[row] => 1000.0 + spread(rng),
        Scores::FirstLow if col == 0 => -1000.0 + spread(rng),
        Scores::OneLarge | Scores::FirstLow => spread(rng),
        Scores::Rising => (col as f32).mul_add(0.25, 0.05 * spread(rng)),
    });
    values.into_dyn()
}

/// `exp(x)` of each element, divided by the sum of `exp(x)` over its row.
pub fn softmax(scores: &Array2<f64>) -> Array2<f64> {
    let mut shares = scores.clone();
    for mut row in shares.axis_iter_mut(Axis(0)) {
        let maximum = row.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        row.mapv_inplace(|score| (score - maximum).exp());
        let sum = row.sum();
        row.mapv_inplace(|exponential| exponential / sum);
    }
    shares
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn shares_have_the_ratios_of_the_exponentials() {
        let thirds = [1.0_f64.ln(), 2.0_f64.ln()];
        let found = softmax(&array![thirds, thirds.map(|score| score + 2000.0)]);
        for row in found.axis_iter(Axis(0)) {
            approx::assert_relative_eq!(row[0], 1.0 / 3.0, max_relative = 1e-12);
            approx::assert_relative_eq!(row[1], 2.0 / 3.0, max_relative = 1e-12);
        }
    }

    /// A kernel that subtracts another score than the maximum overflows in some case.
    #[test]
    fn the_maximum_is_not_the_first_score() {
        use rand_chacha::rand_core::SeedableRng;
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for kind in [Scores::OneLarge, Scores::FirstLow] {
            let values = scores(kind, (3, 50), &mut rng);
            for row in values.axis_iter(Axis(0)) {
                let maximum = row.fold(f32::NEG_INFINITY, |a, b| a.max(*b));
                assert!(maximum - row[0] > 900.0, "{kind:?}");
            }
        }
    }
}
