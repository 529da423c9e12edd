//! The host's side of a launch: how many blocks it has, and how many threads each of them has.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `launch_config`.
pub static SPEC: Spec = Spec {
    id: "launch_config",
    chapter: "ch01_threads",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 15,
    goal: "launch as many blocks as the data needs",
    cooperative: false,
    ordered: &[],
    params: &[
        number("a"),
        floats_in("x", "[n]"),
        floats_in("y", "[n]"),
        floats_out("out", "[n]"),
        count("n"),
    ],
    cases: &[
        gated(sized(
            "1024 elements",
            "a multiple of 256, so all blocks of 256 threads are full",
            &[("n", 1024)],
        )),
        gated(sized(
            "1025 elements",
            "one element more, which needs another block",
            &[("n", 1025)],
        )),
        gated(sized("one element", "a single block, with only one element", &[("n", 1)])),
        gated(sized(
            "1 000 003 elements",
            "a large prime number, so the last block isn't full",
            &[("n", 1_000_003)],
        )),
    ],
    large: None,
    // a product and a sum
    tolerance: Tolerance::Roundings(2),
    gates: &[
        exactly(Metric::Launches, 1.0),
        at_most(Metric::SpareBlocks, 0.0),
        exactly(Metric::IdleLanes, 0.0),
        shared_work(200.0),
    ],
    hints: &[
        "First, compute an example on paper. There are 1025 elements and blocks of 256 threads. \
         How many blocks are full, and how many elements are left over?",
        "In C++, `1025 / 256` is 4, because the division of integers drops the fraction. You need \
         the next larger integer, but only if there's a remainder.",
        "Add a number to `n` before you divide. If there's a remainder of 1, this number should be \
         large enough to increase the quotient by 1. If there's no remainder, this number \
         shouldn't change the quotient. Which number is that for blocks of 256 threads?",
        "For blocks of 256 threads, you add 255. So for any block size, the number of blocks is \
         `(n + block - 1) / block`, and the guard in the kernel stops the threads that have no \
         element.",
    ],
    pitfalls: &[
        "With `ceil(n / block)`, the division of two integers drops the fraction before `ceil` can \
         round up.",
        "With `n / block + 1`, you launch one block too many whenever `n` is a multiple of \
         `block`.",
        "If you swap the grid and the block, the launch is still legal for small values of `n`, \
         and the results are right. As soon as you need more than 1024 blocks, the kernel doesn't \
         run at all, because a block can't have more than 1024 threads.",
        "If a launch isn't possible, for example because it has 0 blocks or 2048 threads in a \
         block, the program continues, but the kernel doesn't run. Chapter 2 shows how a program \
         can detect this.",
        "Don't use blocks of 1000 threads. Threads run in warps of 32, so the 32nd warp of each \
         block has only 8 threads, and 24 of its positions stay empty.",
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
