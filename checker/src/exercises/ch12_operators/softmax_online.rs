//! Softmax of rows in one pass for the maximum and the sum, and one that writes.

use rand_chacha::ChaCha8Rng;

use super::rows::{Scores, block_per_row, scores, softmax};
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

const RISING: &str = "rising scores";
const LARGE: &str = "scores around 1000";
const NEGATIVE: &str = "scores around -2 000 000";
const ONE_LARGE: &str = "one score of 1000";
const FIRST_LOW: &str = "the first score is low";

/// `softmax_online`, after Maxim Milakov and Natalia Gimelshein, *Online normalizer calculation for
/// softmax*, 2018.
///
/// The skeleton moves 5 floats for each element, and the solution moves 3. In the large case, the
/// blocks that are resident at the same time work on 277 MB, so no cache of an H100 keeps a row
/// until the next pass.
pub static SPEC: Spec = Spec {
    id: "softmax_online",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 35,
    goal: "find the maximum and the sum of a softmax in one pass",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[rows][cols]"), floats_out("out", "[rows][cols]"), count("cols")],
    cases: &[
        block_per_row(
            "1000 columns",
            "a thread has three or four elements",
            &[("rows", 3), ("cols", 1000)],
            3,
        ),
        block_per_row(
            RISING,
            "nearly every element is a new maximum, so the sum has to be rescaled each time",
            &[("rows", 3), ("cols", 3000)],
            3,
        ),
        block_per_row(
            "three columns",
            "253 threads have no element, so some merges have two empty partial results",
            &[("rows", 6), ("cols", 3)],
            6,
        ),
        block_per_row(
            NEGATIVE,
            "if the kernel starts the maximum at 0, the maximum stays 0",
            &[("rows", 3), ("cols", 300)],
            3,
        ),
        block_per_row(
            LARGE,
            "`expf` of a score itself is infinite",
            &[("rows", 3), ("cols", 300)],
            3,
        ),
        block_per_row(
            ONE_LARGE,
            "one thread has a much greater maximum than all others",
            &[("rows", 5), ("cols", 700)],
            5,
        ),
        block_per_row(
            FIRST_LOW,
            "the second element of a thread is greater than its first one by about 1000",
            &[("rows", 3), ("cols", 600)],
            3,
        ),
        block_per_row(
            "4096 columns",
            "sixteen elements for each thread",
            &[("rows", 4), ("cols", 4096)],
            4,
        ),
        gated(block_per_row(
            "70 001 columns",
            "a row has 280 KB, so a block can keep it neither in shared memory nor in registers",
            &[("rows", 2), ("cols", 70_001)],
            2,
        )),
    ],
    large: Some(block_per_row("large", "", &[("rows", 1056), ("cols", 1 << 16)], 1056)),
    // In units of roundoff, u = 2^-24, the error of a result is at most 427:
    //   4 for `expf`, whose error is at most 2 ulp;
    //  12 for the difference d in the exponent, since exp(-d) changes by d * u, and a result with
    //     d > ln(70 001) = 11.2 is below the mean, to which the tolerance refers;
    //  16 for the same two errors in the terms of the sum;
    // 274 for the additions in a thread;
    //  36 for about ln(274) = 6 new maxima of a thread, with 6 each: 4 for `expf`, at most 1 for
    //     its difference, because d * exp(-d) < 1, and 1 for the product;
    //  84 for 12 merges with 7 each, which are these 6 and an addition;
    //   1 for the quotient.
    // Tolerance 4 * sqrt(k) * eps is 8 * sqrt(k) * u.
    tolerance: Tolerance::Roundings(2850),
    gates: &[
        Gate { baseline: Some(3.0), ..at_most(Metric::LoadsPerElement, 2.0) },
        // 2 rows with 2188 requests each
        Gate { baseline: Some(8752.0), ..at_most(Metric::StoreRequests, 4376.0) },
        // a thread also has to load and store the values in its local memory
        at_most(Metric::LocalBytes, 0.0),
        shared_work(28_000.0),
    ],
    hints: &[
        "Suppose a thread has seen the scores 3 and 5. Its maximum is 5, and its sum is `exp(3 - \
         5) + exp(5 - 5)`. The next score is 7. By which number do you have to multiply the old \
         sum, so that its terms are `exp(3 - 7)` and `exp(5 - 7)`?",
        "`exp(3 - 7)` is `exp(3 - 5) * exp(5 - 7)`. So if a score is greater than the maximum, \
         multiply the sum by `expf(maximum - score)`, and make the score the new maximum. After \
         that, add `expf(score - maximum)`, whether the maximum has changed or not.",
        "Two threads combine their results in the same way. The new maximum is the greater of \
         their two maxima. Multiply each of the two sums by `expf(own maximum - new maximum)`, and \
         then add them. Write a struct with the two numbers and a function `merge`, and use them \
         in the shuffles and for the slots of the warps.",
        "Each step of the shuffles exchanges both numbers, with two calls of `__shfl_xor_sync`, \
         and then merges. The second pass writes `expf(in[first + col] - maximum) / sum`, and \
         stores nothing else.",
    ],
    pitfalls: &[
        "Don't forget to rescale the sum if a thread finds a new maximum. The terms in the sum \
         still belong to the old maximum.",
        "Don't start the maximum at -infinity, unless you handle threads without an element. If \
         two of these threads merge their results, they compute -infinity - (-infinity), which is \
         NaN. With the lowest finite float, the difference is 0, and 0 times 1 is 0.",
        "Don't add up the sums of different threads before you've rescaled them to the same \
         maximum.",
        "Don't overwrite the old maximum before you've computed the factor `exp(old - new)`. \
         Otherwise, the factor is `exp(new - new)`, which is 1, and the sum isn't rescaled.",
        "Don't keep the row in shared memory. This saves the second load for short rows, but a \
         long row doesn't fit.",
    ],
    learn: "chapter 12, \"One pass with a running maximum\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let kind = match case.name {
        RISING => Scores::Rising,
        LARGE => Scores::Around(1000),
        NEGATIVE => Scores::Around(-2_000_000),
        ONE_LARGE => Scores::OneLarge,
        FIRST_LOW => Scores::FirstLow,
        _ => Scores::Around(0),
    };
    let values = scores(kind, (rows, cols), rng);
    vec![Value::Array(Array::F32(values)), out(&[rows, cols]), int(cols)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let scores = f64s(inputs, 0).into_dimensionality().expect("a matrix");
    vec![softmax(&scores).into_dyn().into()]
}
