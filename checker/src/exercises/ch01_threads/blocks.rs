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
        line(
            "five blocks",
            "five full blocks, each with its own 256 elements",
            &[("n", 1280)],
            5,
            256,
        ),
        line("one element", "255 threads have no element", &[("n", 1)], 1, 256),
        line("31 elements", "one less than a warp", &[("n", 31)], 1, 32),
        line("33 elements", "a second block for a single element", &[("n", 33)], 2, 32),
        line("255 elements", "one less than a block", &[("n", 255)], 1, 256),
        line("256 elements", "exactly one block", &[("n", 256)], 1, 256),
        line("257 elements", "one more than a block", &[("n", 257)], 2, 256),
        line("blocks of 96", "another block size", &[("n", 1000)], 11, 96),
        line("1009 elements", "a prime, so the last block isn't full", &[("n", 1009)], 4, 256),
        line("391 blocks", "more than 16 bits can count", &[("n", 100_003)], 391, 256),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    // 391 blocks have 3128 warps; each needs two load requests.
    gates: &[WRITTEN_ONCE, load_requests(6256.0, None)],
    hints: &[
        "threadIdx.x starts again at 0 in every block. Which built-in variable is different in \
         thread 0 of block 0 and in thread 0 of block 1?",
        "Imagine a street of houses with 256 rooms each, and number everything from 0. You live in \
         house 3, in room 7. How many rooms come before yours on the whole street?",
        "You need three built-in variables: blockIdx.x (which block), blockDim.x (threads in a \
         block) and threadIdx.x (which thread in the block). How many threads are in all the \
         blocks before yours?",
        "There are blockIdx.x blocks before this one, with blockDim.x threads each. Multiply these \
         two, and add the number of the thread in its own block.",
    ],
    pitfalls: &[
        "`gridDim.x` instead of `blockDim.x`. gridDim.x is the number of blocks in the grid, and \
         blockDim.x is the number of threads in a block. The threads of the blocks before this one \
         are counted in threads, so it's blockDim.x.",
        "The number 256 instead of `blockDim.x`. It works until a launch has blocks of another \
         size, such as 96.",
        "Removing the guard. The number of elements is rarely a multiple of the block size, so the \
         last block usually has spare threads.",
        "A `short` or a `char` for the index. A short has 16 bits and ends at 32 767, and the \
         number after that is negative.",
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
