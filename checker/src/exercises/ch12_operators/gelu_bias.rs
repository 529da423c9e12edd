//! A bias and an activation function in one kernel, in which a thread keeps the bias.

use ndarray::ArrayD;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Elements of the case whose counts are graded. All of its warps are full.
const GATED: usize = 64 * 512;
const WARPS: f64 = GATED as f64 / 32.0;

/// `gelu_bias`.
///
/// The skeleton moves 16 bytes for each element through memory, not counting the bias, which the
/// caches keep. The solution moves 8 bytes. The three arrays of the large case have 1.6 GB.
pub static SPEC: Spec = Spec {
    id: "gelu_bias",
    chapter: "ch12_operators",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 25,
    goal: "add a bias and apply GELU in one pass",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("x", "[rows][cols]"),
        floats_in("bias", "[cols]"),
        floats_out("out", "[rows][cols]"),
        count("rows"),
        count("cols"),
    ],
    cases: &[
        sized(
            "3 rows of 1000",
            "the last block of a row isn't full",
            &[("rows", 3), ("cols", 1000)],
        ),
        gated(sized(
            "64 rows of 512",
            "whole blocks, so every request is for 32 elements",
            &[("rows", 64), ("cols", 512)],
        )),
        sized("one element", "the smallest matrix", &[("rows", 1), ("cols", 1)]),
        sized("257 rows of one", "all rows have the same bias", &[("rows", 257), ("cols", 1)]),
        sized(
            "one row of 5000",
            "each element has a bias of its own",
            &[("rows", 1), ("cols", 5000)],
        ),
        sized(
            "67 rows of 33",
            "a prime number of rows, so the last group of rows isn't full",
            &[("rows", 67), ("cols", 33)],
        ),
        sized(
            "66 001 rows of one",
            "a grid has at most 65 535 blocks in its y dimension",
            &[("rows", 66_001), ("cols", 1)],
        ),
    ],
    large: Some(sized("large", "", &[("rows", 1 << 13), ("cols", 1 << 12)])),
    // In units of roundoff, u = 2^-24, and with v for the sum of element and bias: the sum changes
    // the result by at most 1.2 |v| u, the argument of erf by 0.6 u, erff (2 ulp) by |v| u, the
    // addition of 1 by |v| / 2 u, and the products by 2 u of the result. If v > 0, that's less than
    // 7 u of the result. If v < 0, erff is -1 from v = -5.3 on, so the error is below 10 u, and the
    // results' mean is at least a half. The tolerance is 8 * sqrt(k) * u.
    tolerance: Tolerance::Roundings(9),
    gates: &[
        down_to(Metric::Launches, 1.0, 2.0),
        Gate { baseline: Some(2.0 * WARPS), ..at_most(Metric::StoreRequests, WARPS) },
        Gate { baseline: Some(3.0), ..at_most(Metric::LoadsPerElement, 1.25) },
        Gate { baseline: Some(4.0), ..at_most(Metric::Allocations, 3.0) },
        // even with loads of four floats, the kernel needs this many requests for the matrix
        at_least(Metric::LoadRequests, WARPS / 4.0),
        shared_work(2_500.0),
    ],
    hints: &[
        "Follow one element through both kernels. Which of its loads and stores does a thread no \
         longer need if it also does the work of the second kernel?",
        "A thread that adds the bias can apply the function to the sum right away, because no \
         other thread needs this sum. So one kernel with `gelu(x[idx] + bias[idx % cols])` is \
         enough, and you don't need `d_sums` any more. This kernel still has two loads for each \
         element.",
        "All elements of a column have the same bias. If a thread computes several elements of one \
         column, it needs only one load of the bias for all of them.",
        "Use a grid with two dimensions. A block computes 256 columns of a strip of 16 rows, so \
         declare the grid with `const dim3 grid((cols + BLOCK - 1) / BLOCK, (rows + 15) / 16);`. A \
         thread loads `bias[col]` once, before its loop over the rows of the strip.",
    ],
    pitfalls: &[
        "It isn't enough to write both results into the same array. The second kernel would still \
         load the sums that the first one has stored.",
        "Don't let a thread compute neighbouring elements of a row. Each of these elements has a \
         different bias, and if the thread loads them one by one, the loads of a warp are no \
         longer coalesced.",
        "Don't load `bias[col]` inside the loop. The compiler can't move the load in front of the \
         loop, because it doesn't know whether `out` and `bias` overlap.",
        "Don't forget that the last strip may have fewer rows, and that the last block may have \
         fewer columns.",
        "Don't launch a block for each row in the grid's `y` dimension, because a grid has at most \
         65 535 blocks in this dimension.",
        "The formula with `tanhf`, which some models use, is an approximation. It differs from the \
         function of this exercise by up to 0.0005.",
    ],
    learn: "chapter 12, \"Operators in one pass\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

/// Sums from -5 to 5, where the function isn't close to 0 or to its argument everywhere.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let mut floats = |shape: &[usize], range: f32| {
        let values = ArrayD::from_shape_simple_fn(shape, || rng.random_range(-range..range));
        Value::Array(Array::F32(values))
    };
    vec![floats(&[rows, cols], 4.0), floats(&[cols], 1.0), out(&[rows, cols]), int(rows), int(cols)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![activated(&f64s(inputs, 0), &f64s(inputs, 1)).into()]
}

/// The GELU of the sum of each row and the bias.
fn activated(x: &ArrayD<f64>, bias: &ArrayD<f64>) -> ArrayD<f64> {
    let sums = x + bias;
    sums.mapv(|v| 0.5 * v * libm::erfc(-v * std::f64::consts::FRAC_1_SQRT_2))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// The values of the normal distribution function at 1 and -2 are in every table of it.
    #[test]
    fn each_column_has_a_bias() {
        let x = array![[0.5, 3.0], [-2.5, -3.0]].into_dyn();
        let found = activated(&x, &array![0.5, -3.0].into_dyn());
        let expected = array![[0.841_344_746, 0.0], [-2.0 * 0.022_750_132, -6.0 * 9.866e-10]];
        for (found, expected) in found.iter().zip(&expected) {
            approx::assert_abs_diff_eq!(found, expected, epsilon = 1e-8);
        }
    }
}
