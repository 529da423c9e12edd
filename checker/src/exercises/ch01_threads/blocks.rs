//! More elements than one block has threads: the global index.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `blocks`.
pub static SPEC: Spec = Spec {
    id: "blocks",
    chapter: "ch01_threads",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 15,
    goal: "give every block its own part of the data",
    cooperative: false,
    params: &[floats_in("a", "[n]"), floats_in("b", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        line("five blocks", "five full blocks: each has its own 256", &[("n", 1280)], 5, 256),
        line("one element", "a block with 255 threads to spare", &[("n", 1)], 1, 256),
        line("31 elements", "one less than a warp", &[("n", 31)], 1, 32),
        line("33 elements", "a second block for a single element", &[("n", 33)], 2, 32),
        line("255 elements", "one less than a block", &[("n", 255)], 1, 256),
        line("256 elements", "exactly one block", &[("n", 256)], 1, 256),
        line("257 elements", "one more than a block", &[("n", 257)], 2, 256),
        line("blocks of 96", "another block size", &[("n", 1000)], 11, 96),
        line("1009 elements", "a prime: the last block is not full", &[("n", 1009)], 4, 256),
        line("391 blocks", "more than 16 bits can count", &[("n", 100_003)], 391, 256),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    // 391 blocks have 3128 warps; each needs two load requests.
    gates: &[WRITTEN_ONCE, load_requests(6256.0, None)],
    hints: &[
        "threadIdx.x starts again at 0 in every block. What is different for thread 0 of block 0 and \
         thread 0 of block 1?",
        "Imagine a street of houses with 256 rooms each. You live in house 3, room 7. How many rooms \
         come before yours on the whole street?",
        "Three built-ins are enough: blockIdx.x (which block), blockDim.x (threads in a block), \
         threadIdx.x (which thread in it). How many threads are in all the blocks before mine?",
        "Before my block lie blockIdx.x blocks of blockDim.x threads. Multiply those two, and add my \
         place in my own block.",
    ],
    pitfalls: &[
        "gridDim.x for blockDim.x. gridDim.x counts blocks in the grid, blockDim.x threads in a block. \
         You skip blocks of threads, so it is blockDim.x.",
        "256 instead of blockDim.x. It works until a launch has blocks of 96.",
        "Dropping the guard. n is rarely a multiple of the block size, so the last block has spare \
         threads nearly always.",
        "A short or a char as index: 16 bits end at 32 767, and then the index is negative.",
    ],
    learn: "chapter 1, \"Many blocks\"",
    skeleton: Slug::WrongValues,
    inputs,
    reference,
};

const fn line(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: u32,
    block: u32,
) -> Case {
    gated(case(name, why, sizes, [grid, 1], [block, 1]))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), uniform(rng, &[n]), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![sum(&f64s(inputs, 0), &f64s(inputs, 1)).into()]
}

fn sum(a: &ArrayD<f64>, b: &ArrayD<f64>) -> ArrayD<f64> {
    a + b
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn adds_element_by_element() {
        let a = array![1.0, 2.0, -3.5].into_dyn();
        let b = array![0.5, -2.0, 10.0].into_dyn();
        assert_eq!(sum(&a, &b), array![1.5, 0.0, 6.5].into_dyn());
    }
}
