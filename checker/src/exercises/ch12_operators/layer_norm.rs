//! Layer normalisation: mean and variance of rows whose mean is much greater than their deviations.

use ndarray::{Array2, ArrayD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::rows::block_per_row;
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

const FAR: &str = "a mean of about 500, deviations of about 1";
const SMALL: &str = "deviations of about 0.003";
const FIVE: &str = "five columns";

/// In the case [`FAR`], the mean of a row is this many times as large as its standard deviation.
const FAR_MEAN: f32 = 500.0;

/// `layer_norm`.
pub static SPEC: Spec = Spec {
    id: "layer_norm",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 30,
    goal: "normalise rows without losing the digits of their variance",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[rows][cols]"),
        floats_in("scale", "[cols]"),
        floats_in("shift", "[cols]"),
        floats_out("out", "[rows][cols]"),
        count("cols"),
        number("epsilon"),
    ],
    cases: &[
        block_per_row(
            "300 columns",
            "a thread has one or two elements, with a mean near 0",
            &[("rows", 3), ("cols", 300)],
            3,
        ),
        block_per_row(
            FAR,
            "the mean of the squares and the square of the mean agree in five digits",
            &[("rows", 6), ("cols", 1000)],
            6,
        ),
        block_per_row(
            SMALL,
            "the variance is about as large as `epsilon`",
            &[("rows", 3), ("cols", 300)],
            3,
        ),
        block_per_row(
            FIVE,
            "251 threads have no element; a sum divided by 4 instead of 5 is off by a quarter",
            &[("rows", 6), ("cols", 5)],
            6,
        ),
        gated(block_per_row(
            "1024 columns",
            "a thread has four elements, and may load each of them three times",
            &[("rows", 4), ("cols", 1024)],
            4,
        )),
        block_per_row(
            "257 columns",
            "one thread has two elements",
            &[("rows", 2), ("cols", 257)],
            2,
        ),
        block_per_row(
            "4099 columns",
            "a prime number of columns",
            &[("rows", 2), ("cols", 4099)],
            2,
        ),
        block_per_row(
            "30 011 columns",
            "more elements for a thread than it has registers",
            &[("rows", 1), ("cols", 30_011)],
            1,
        ),
    ],
    large: None,
    // The error of the mean is what counts in the case `FAR`. The sum has 3 additions in a thread,
    // 5 in a warp and 7 over the warps, and then there's a quotient. Each of these 16 roundings,
    // and 2 more if a solution multiplies by 1 / cols, may be as large as u = 2^-24 times the mean,
    // which is 500 times the deviation. Divided by the deviation and multiplied by a scale of up to
    // 2, that's 18 * 500 * 2 * u = 18 000 u. Tolerance 4 * sqrt(k) * eps is 8 * sqrt(k) * u, so k
    // is 2250^2. The mean of the squares minus the square of the mean has an error of about
    // 500^2 * u of the variance, which is seven times as large.
    tolerance: Tolerance::Roundings(5_062_500),
    gates: &[
        WRITTEN_ONCE,
        // The elements three times, the scale and the shift are 5 times 4 rows of 1024 / 32
        // requests. Each of the 32 warps may load two more numbers.
        load_requests(704.0, None),
        shared_work(1_500.0),
    ],
    hints: &[
        "The mean is the sum of the row, divided by `cols`. Each thread adds up its own elements \
         in a loop from `tid` in steps of `BLOCK`, and `block_sum` adds up the sums of all \
         threads. Every thread of the block has to call `block_sum`, even a thread without an \
         element.",
        "For the variance, you need another loop, because you have to know the mean first. \
         Subtract the mean from an element before you square the difference.",
        "At TODO 1, write `float sum = 0.0f; for (int col = tid; col < cols; col += BLOCK) { sum \
         += in[first + col]; } const float mean = block_sum(sum, slots) / cols;`. TODO 2 has the \
         same form, with the squares of the differences.",
        "At TODO 3, `rsqrtf(variance + epsilon)` is the reciprocal of the root. Multiply the \
         difference by it, then by `scale[col]`, and add `shift[col]`.",
    ],
    pitfalls: &[
        "Don't compute the variance as the mean of the squares minus the square of the mean. If \
         the mean is large, the two numbers agree in most of their digits, and the rest of the \
         digits are rounding errors. The difference can even be negative, and its root is NaN.",
        "Don't call `block_sum` in a branch or in the loop. All threads of the block have to \
         reach its barriers.",
        "Don't divide by `cols - 1`. In statistics, you divide by one less than the number of \
         elements to estimate the variance of a whole population from a sample. Layer \
         normalisation divides by the number of elements.",
        "Don't add `epsilon` to the root. The formula adds it to the variance, inside the root.",
        "`scale` and `shift` have an element for each column, so their index is `col`, without \
         `first`.",
    ],
    learn: "chapter 12, \"Mean and variance\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    // The deviation of a uniform distribution is its width, divided by the root of 12.
    let (mean, width) = match case.name {
        FAR => (FAR_MEAN, 12.0_f32.sqrt()),
        SMALL => (0.0, 0.01),
        _ => (0.0, 8.0),
    };
    let means: Vec<f32> = (0..rows).map(|_| mean + rng.random_range(-0.5..0.5) * width).collect();
    let values = Array2::from_shape_fn((rows, cols), |(row, _)| {
        means[row] + rng.random_range(-0.5..0.5) * width
    });
    // another number in one case, so that the kernel has to use its parameter
    let epsilon = if case.name == FIVE { 0.25 } else { 1e-5 };
    let mut floats = |range: std::ops::Range<f32>| {
        let values = ArrayD::from_shape_simple_fn(&[cols][..], || rng.random_range(range.clone()));
        Value::Array(Array::F32(values))
    };
    let (scale, shift) = (floats(0.5..2.0), floats(-1.0..1.0));
    let values = Value::Array(Array::F32(values.into_dyn()));
    vec![values, scale, shift, out(&[rows, cols]), int(cols), float(epsilon)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let values = f64s(inputs, 0).into_dimensionality().expect("a matrix");
    let normalised = normalised(&values, scalar(inputs, 5));
    vec![(normalised * &f64s(inputs, 1) + &f64s(inputs, 2)).into_dyn().into()]
}

/// The rows with a mean of 0, divided by the root of their variance and `epsilon`.
fn normalised(values: &Array2<f64>, epsilon: f64) -> Array2<f64> {
    let mut rows = values.clone();
    for mut row in rows.axis_iter_mut(Axis(0)) {
        let mean = row.mean().expect("a column");
        row.mapv_inplace(|value| value - mean);
        let variance = row.pow2().mean().expect("a column");
        row.mapv_inplace(|value| value / (variance + epsilon).sqrt());
    }
    rows
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// The deviations of the first row are -2, 0 and 2, and those of the second row are 0.
    #[test]
    fn rows_have_a_mean_of_0_and_a_variance_of_1() {
        let found = normalised(&array![[1.0, 3.0, 5.0], [7.0, 7.0, 7.0]], 1.0 / 3.0);
        let divisor = (8.0_f64 / 3.0 + 1.0 / 3.0).sqrt();
        assert_eq!(found, array![[-2.0 / divisor, 0.0, 2.0 / divisor], [0.0; 3]]);
    }
}
