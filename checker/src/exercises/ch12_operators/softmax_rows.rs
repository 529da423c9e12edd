//! Softmax of rows: exponential functions that overflow, and the maximum that prevents it.

use rand_chacha::ChaCha8Rng;

use super::rows::{Scores, block_per_row, scores, softmax};
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

const LARGE: &str = "scores around 1000";
const NEGATIVE: &str = "scores around -2 000 000";
const FIRST_LOW: &str = "the first score is low";
const ONE_LARGE: &str = "one score of 1000";
const LEVELS: &str = "rows at different levels";

/// `softmax_rows`.
pub static SPEC: Spec = Spec {
    id: "softmax_rows",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 25,
    goal: "compute a softmax that doesn't overflow",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[rows][cols]"), floats_out("out", "[rows][cols]"), count("cols")],
    cases: &[
        block_per_row(
            "scores from -5 to 5",
            "small scores, for which the original kernel is right",
            &[("rows", 3), ("cols", 300)],
            3,
        ),
        block_per_row(
            LARGE,
            "even with `double`, each exponential would overflow",
            &[("rows", 3), ("cols", 300)],
            3,
        ),
        block_per_row(
            NEGATIVE,
            "if the kernel doesn't subtract the maximum, all exponentials are 0, and if it starts \
             the maximum at 0, the maximum stays 0",
            &[("rows", 3), ("cols", 300)],
            3,
        ),
        block_per_row(
            FIRST_LOW,
            "the other scores are greater by about 1000",
            &[("rows", 3), ("cols", 500)],
            3,
        ),
        block_per_row(
            ONE_LARGE,
            "a single thread finds the maximum, and every thread needs it",
            &[("rows", 5), ("cols", 700)],
            5,
        ),
        block_per_row(
            LEVELS,
            "each row has a maximum of its own",
            &[("rows", 5), ("cols", 100)],
            5,
        ),
        gated(block_per_row(
            "1024 columns",
            "a thread has four elements, and may load each of them three times",
            &[("rows", 4), ("cols", 1024)],
            4,
        )),
        block_per_row("two columns", "254 threads have no element", &[("rows", 6), ("cols", 2)], 6),
        block_per_row(
            "257 columns",
            "one thread has two elements",
            &[("rows", 2), ("cols", 257)],
            2,
        ),
        block_per_row(
            "10 007 columns",
            "a prime number of columns, and more columns than a block has threads",
            &[("rows", 2), ("cols", 10_007)],
            2,
        ),
    ],
    large: None,
    // In units of roundoff, u = 2^-24, the error of a result is at most 80:
    //  4 for `expf`, whose error is at most 2 ulp;
    // 10 for the difference d in the exponent, since exp(-d) changes by d * u, and a result with
    //    d > ln(10 007) = 9.2 is below the mean, to which the tolerance refers;
    // 14 for the same two errors in the terms of the sum;
    // 51 for the additions: 39 in a thread, five in a warp, seven over the warps;
    //  1 for the quotient.
    // Tolerance 4 * sqrt(k) * eps is 8 * sqrt(k) * u.
    tolerance: Tolerance::Roundings(100),
    gates: &[
        // three times 4 rows of 1024 / 32 requests
        load_requests(384.0, None),
        shared_work(1_500.0),
    ],
    hints: &[
        "Suppose a row has the scores 1000, 1001 and 1002. `exp(1000)` is infinite as a float. \
         What happens to the result if you subtract the same number from all three scores?",
        "Dividing the numerator and the denominator by `exp(m)` changes nothing, and `exp(x) / \
         exp(m)` is `exp(x - m)`. If `m` is the largest score of the row, no exponent is greater \
         than 0, and at least one of them is 0. So nothing overflows, and the sum is at least 1.",
        "You need the maximum before you can compute the sum, so the kernel gets another loop in \
         front of the two that it has. Write `block_max` like `block_sum`, with `fmaxf` instead of \
         `+`.",
        "Begin with `float maximum = -3.402823466e+38f;`, and use `expf(in[first + col] - \
         maximum)` in both loops. Give `block_max` slots of its own, because a fast warp may \
         already store its sum while a slow warp still reads the maxima.",
    ],
    pitfalls: &[
        "Don't subtract a constant, or the first score. It has to be the largest score of the row, \
         because otherwise an exponent may be far above 0, or all exponents may be far below 0.",
        "Don't start the maximum at 0. If all scores are below -104, all exponentials become 0, \
         and 0 / 0 is NaN.",
        "Don't use the maximum of a thread or of a warp. All threads of a row have to subtract the \
         same number, because otherwise they add up terms that were divided by different numbers.",
        "Don't let both reductions use the same slots without a barrier between them. A fast warp \
         would overwrite a maximum that a slow warp hasn't read yet.",
        "`double` doesn't help. It overflows at `exp(710)`, and takes much longer on most GPUs.",
        "Don't limit the scores with `fminf(score, 88.0f)`. This prevents the infinity, but all \
         scores above 88 get the same result.",
    ],
    learn: "chapter 12, \"Numbers that overflow\"",
    skeleton: Slug::NotANumber,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let kind = match case.name {
        LARGE => Scores::Around(1000),
        NEGATIVE => Scores::Around(-2_000_000),
        FIRST_LOW => Scores::FirstLow,
        ONE_LARGE => Scores::OneLarge,
        LEVELS => Scores::Levels,
        _ => Scores::Around(0),
    };
    let values = scores(kind, (rows, cols), rng);
    vec![Value::Array(Array::F32(values)), out(&[rows, cols]), int(cols)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let scores = f64s(inputs, 0).into_dimensionality().expect("a matrix");
    vec![softmax(&scores).into_dyn().into()]
}
