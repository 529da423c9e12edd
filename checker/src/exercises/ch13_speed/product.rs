//! The inputs and the reference of the exercises about matrix products.

use ndarray::{Array2, Ix2};
use rand_chacha::ChaCha8Rng;

use crate::exercises::common::*;
use crate::spec::Case;
use crate::value::{Array, Value};

/// Two random matrices, room for their product, and the sizes `rows`, `inner` and `cols`.
pub(super) fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let sizes = ["rows", "inner", "cols"].map(|name| case.size(name));
    let [rows, inner, cols] = sizes;
    let arrays = [uniform(rng, &[rows, inner]), uniform(rng, &[inner, cols]), out(&[rows, cols])];
    arrays.into_iter().chain(sizes.map(int)).collect()
}

/// The product of the first two arguments.
pub(super) fn reference(inputs: &[Value]) -> Array {
    let [a, b] = [0, 1].map(|i| f64s(inputs, i).into_dimensionality::<Ix2>().expect("a matrix"));
    times(&a, &b).into_dyn().into()
}

fn times(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    a.dot(b)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// 2 * 3 + 1 * 4 = 10, and so on.
    #[test]
    fn each_row_with_each_column() {
        let product = times(&array![[2.0, 1.0], [0.0, -1.0]], &array![[3.0, 5.0], [4.0, 6.0]]);
        assert_eq!(product, array![[10.0, 16.0], [-4.0, -6.0]]);
    }
}
