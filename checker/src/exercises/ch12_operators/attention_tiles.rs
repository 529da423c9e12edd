//! Attention without a matrix of scores.

use ndarray::{Array1, Array2, ArrayD, Axis, Ix2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Elements of a query, of a key and of a value.
const DIM: usize = 32;
/// The cases whose scores are far from 0. `exp` of a float is finite up to 88.7.
const GREAT: &str = "scores above 100";
const LOW: &str = "scores below -100";
const ONE_BEST: &str = "one best score below -10 000";

/// `attention_tiles`.
///
/// A weight is `exp` of a score, so its relative error is the absolute error of the score. A score
/// is a sum of 32 products with 33 roundings. In the cases with the greatest scores, it ends near
/// 120, so its partial sums are about 60 on average. Its error is that of 33 roundings at a
/// magnitude of 60, or of 33 * 60^2 = 118 800 roundings at a magnitude of 1. The other roundings, a
/// few for each of at most 256 keys, are few beside that.
///
/// The large case isn't large in memory, because attention isn't bound by it: the arrays have 18
/// MB, and each thread uses each of 4096 keys.
pub static SPEC: Spec = Spec {
    id: "attention_tiles",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 45,
    goal: "compute attention in one pass over tiles of keys and values",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("q", "[queries][32]"),
        floats_in("k", "[keys][32]"),
        floats_in("v", "[keys][32]"),
        floats_out("out", "[queries][32]"),
        count("queries"),
        count("keys"),
    ],
    cases: &[
        of_128(
            "100 queries, 16 keys",
            "28 threads have no query; the keys fill exactly two tiles of 8",
            &[("queries", 100), ("keys", 16)],
            1,
        ),
        of_128(
            "5 queries, 7 keys",
            "a tile that isn't full: an empty row must not get a weight",
            &[("queries", 5), ("keys", 7)],
            1,
        ),
        of_128(
            "130 queries, 75 keys",
            "several tiles, so the greatest score changes on the way; two blocks",
            &[("queries", 130), ("keys", 75)],
            2,
        ),
        of_128(GREAT, "exp of such a score is infinite", &[("queries", 64), ("keys", 50)], 1),
        of_128(LOW, "exp of such a score is 0", &[("queries", 64), ("keys", 50)], 1),
        of_128(
            ONE_BEST,
            "one key fits far better than all others, and it's neither the first nor the last",
            &[("queries", 64), ("keys", 75)],
            1,
        ),
        of_128("one query, one key", "the only weight is 1", &[("queries", 1), ("keys", 1)], 1),
        gated(of_128(
            "256 queries, 256 keys",
            "two blocks, each of which needs all keys and values",
            &[("queries", 256), ("keys", 256)],
            2,
        )),
    ],
    large: Some(case("large", "", &[("queries", 1 << 16), ("keys", 4096)], [512, 1], [128, 1])),
    tolerance: Tolerance::Roundings(118_800),
    gates: &[
        // each of two blocks loads 2 * 256 rows of keys and values for its 128 rows of `out`
        Gate { baseline: Some(769.0), ..at_most(Metric::LoadsPerElement, 5.5) },
        at_most(Metric::LocalBytes, 0.0),
        at_most(Metric::SharedBytes, 32_768.0),
        WRITTEN_ONCE,
        shared_work(120_000.0),
    ],
    hints: &[
        "All threads of a block need the same keys and values. Start as in `matmul_tiled`, with a \
         loop over the keys in steps of 8. In each iteration, the block loads a tile of `k` and a \
         tile of `v`, with one barrier before the loads and another one after them. A thread \
         without a query has to take part in the loads, too.",
        "In the first pass, a thread only finds its greatest score. You don't need this pass if \
         you keep the greatest score so far. If a tile contains a greater score, the weights that \
         you've already added up are too large by the factor `exp(new - old)`, and so are the \
         weighted values.",
        "For each tile, compute the 8 scores, store them in a local array, and find the greatest \
         score of this tile and all earlier tiles. Multiply `sum` and each element of `total` by \
         `expf(old - new)`, and then add the 8 weights and weighted values.",
        "If the last tile isn't full, set the scores of its empty rows to `LOWEST`, so that their \
         weights are 0, and fill the rows with zeros. Put `#pragma unroll` before both loops over \
         the keys of a tile. Then every index into the array of scores is a constant, and the \
         scores stay in registers.",
    ],
    pitfalls: &[
        "Don't scale only `sum` or only `total`. Their quotient is the result, so both need the \
         same factor.",
        "Don't start with a greatest score of 0. If all scores are far below 0, all weights become \
         0.",
        "If the last tile of `v` isn't full, don't leave its empty rows unwritten. The weight of \
         such a row is 0, but if the unwritten memory happens to contain infinity, 0 times \
         infinity is NaN.",
        "Don't return early in threads without a query. These threads have to reach the barriers.",
        "Don't keep the scores of all keys in an array of the thread. The array would be in local \
         memory, which is no faster than global memory.",
    ],
    learn: "chapter 12, \"Scores that are never stored\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn of_128(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [128, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (queries, keys) = (case.size("queries"), case.size("keys"));
    // a mean of 4.5 in both makes a score of 32 * 4.5^2 / sqrt(32) = 114.6
    let (of_queries, of_keys) = match case.name {
        GREAT => (4.5, 4.5),
        LOW => (4.5, -4.5),
        // The other scores are about -14 * 1200 * sqrt(32) = -95 000, and the best is a third of
        // that, so no weight but its own differs from 0, and every score is far below 0.
        ONE_BEST => (14.0, -1200.0),
        _ => (0.0, 0.0),
    };
    let mut around = |mean: f32, rows| {
        let number = || mean + rng.random_range(-2.0..2.0);
        ArrayD::from_shape_simple_fn(vec![rows, DIM], number)
    };
    let (q, mut k) = (around(of_queries, queries), around(of_keys, keys));
    if case.name == ONE_BEST {
        let best = rng.random_range(1..keys - 1);
        k.index_axis_mut(Axis(0), best).fill(of_keys / 3.0);
    }
    let [q, k] = [q, k].map(|array| Value::Array(Array::F32(array)));
    vec![q, k, uniform(rng, &[keys, DIM]), out(&[queries, DIM]), int(queries), int(keys)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let [q, k, v] =
        [0, 1, 2].map(|i| f64s(inputs, i).into_dimensionality::<Ix2>().expect("a matrix"));
    vec![attention(&q, &k, &v).into_dyn().into()]
}

/// `softmax(q * k^T / sqrt(columns)) * v`, where the softmax is of each row.
fn attention(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((q.nrows(), v.ncols()));
    let chunks = out.axis_chunks_iter_mut(Axis(0), ROWS_AT_ONCE);
    for (mut out, q) in chunks.zip(q.axis_chunks_iter(Axis(0), ROWS_AT_ONCE)) {
        let mut weights = q.dot(&k.t()) / (q.ncols() as f64).sqrt();
        for mut row in weights.rows_mut() {
            let greatest = row.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            row.mapv_inplace(|score| (score - greatest).exp());
        }
        let sums: Array1<f64> = weights.sum_axis(Axis(1));
        out.assign(&(weights.dot(v) / sums.insert_axis(Axis(1))));
    }
    out
}

/// The large case has 256 million scores, which need not be in memory together.
const ROWS_AT_ONCE: usize = 1024;

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;
    use ndarray::array;

    use super::*;

    /// The scores are 0 and 2 * ln 3 / 2, so the weights are 1/4 and 3/4.
    #[test]
    fn weighs_the_values_by_the_softmax_of_the_scores() {
        let q = array![[2.0, 0.0, 0.0, 0.0]];
        let k = array![[0.0, 5.0, 5.0, 5.0], [3.0_f64.ln(), 0.0, 0.0, 0.0]];
        let v = array![[4.0, 0.0], [8.0, 4.0]];
        let out = attention(&q, &k, &v);
        assert_eq!(out.dim(), (1, 2));
        assert_abs_diff_eq!(out[[0, 0]], 7.0, epsilon = 1e-12);
        assert_abs_diff_eq!(out[[0, 1]], 3.0, epsilon = 1e-12);
    }
}
