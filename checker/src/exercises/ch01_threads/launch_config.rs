//! The host's side of a launch: how many blocks, and of how many threads.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `launch_config`.
pub static SPEC: Spec = Spec {
    id: "launch_config",
    chapter: "ch01_threads",
    kind: Kind::Program,
    start: Start::Fix,
    minutes: 15,
    goal: "launch as many blocks as the data needs",
    cooperative: false,
    params: &[
        number("a"),
        floats_in("x", "[n]"),
        floats_in("y", "[n]"),
        floats_out("out", "[n]"),
        count("n"),
    ],
    cases: &[
        gated(sized("1024 elements", "whole blocks, whatever their size", &[("n", 1024)])),
        gated(sized("1025 elements", "one more: it needs a block of its own", &[("n", 1025)])),
        gated(sized("one element", "less than a block", &[("n", 1)])),
        gated(sized("1 000 003 elements", "a prime, and a large one", &[("n", 1_000_003)])),
    ],
    large: None,
    // a product and a sum
    tolerance: Tolerance::Roundings(2),
    gates: &[
        exactly(Metric::Launches, 1.0),
        at_most(Metric::SpareBlocks, 0.0),
        exactly(Metric::IdleLanes, 0.0),
    ],
    hints: &[
        "Do it on paper: 1025 elements, blocks of 256 threads. How many blocks are full, how many \
         elements are left over, and who does them?",
        "In C++, 1025 / 256 is 4: a division of whole numbers drops the rest. You need the next whole \
         number, but only when there is a rest.",
        "Add nearly a whole block before you divide: then a rest of one is enough to reach the next \
         whole number, and no rest is not.",
        "const int grid = (n + block - 1) / block; The kernel's guard keeps the threads out that are \
         then too many.",
    ],
    pitfalls: &[
        "ceil(n / block). The division has dropped the rest before ceil sees it.",
        "n / block + 1. It is one block too many whenever block divides n.",
        "Grid and block the wrong way round. For small n both are legal, and the answer is right; with \
         more than 1024 blocks nothing runs at all.",
        "A launch that cannot be (0 blocks, 2048 threads in a block) does not stop the program. The \
         kernel simply does not run. Chapter 2 shows how to find out.",
        "A block of 1000 threads. Threads come in warps of 32: the 32nd warp has 8 threads, and 24 \
         lanes for nothing.",
    ],
    learn: "chapter 1, \"How many blocks?\"",
    skeleton: Slug::WrongValues,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let a = rng.random_range(1.5..2.5);
    vec![float(a), uniform(rng, &[n]), uniform(rng, &[n]), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![axpy(scalar(inputs, 0), &f64s(inputs, 1), &f64s(inputs, 2)).into()]
}

fn axpy(a: f64, x: &ArrayD<f64>, y: &ArrayD<f64>) -> ArrayD<f64> {
    Zip::from(x).and(y).map_collect(|x, y| a * x + y)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn scales_x_and_adds_y() {
        let (x, y) = (array![1.0, -2.0, 0.5].into_dyn(), array![10.0, 20.0, -30.0].into_dyn());
        assert_eq!(axpy(4.0, &x, &y), array![14.0, 12.0, -28.0].into_dyn());
    }
}
