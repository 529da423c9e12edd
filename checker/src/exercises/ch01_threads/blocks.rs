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
    goal: "let every block compute its own part of the data",
    cooperative: false,
    ordered: &[],
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
        line("31 elements", "one thread of the warp has no element", &[("n", 31)], 1, 32),
        line("33 elements", "a second block for a single element", &[("n", 33)], 2, 32),
        line("255 elements", "one thread of the block has no element", &[("n", 255)], 1, 256),
        line("256 elements", "one full block", &[("n", 256)], 1, 256),
        line("257 elements", "a second block for a single element", &[("n", 257)], 2, 256),
        line("blocks of 96", "a block size that isn't a power of two", &[("n", 1000)], 11, 96),
        line(
            "1009 elements",
            "a prime number, so the last block isn't full",
            &[("n", 1009)],
            4,
            256,
        ),
        line(
            "391 blocks",
            "more elements than a 16-bit integer can count",
            &[("n", 100_003)],
            391,
            256,
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    // 391 blocks have 3128 warps, and each warp needs two load requests.
    gates: &[WRITTEN_ONCE, load_requests(6256.0, None), shared_work(100.0)],
    hints: &[
        "In every block, `threadIdx.x` starts at 0 again. Which built-in variable has different \
         values in thread 0 of block 0 and in thread 0 of block 1?",
        "Suppose each block has 256 threads. How many threads of the whole grid come before thread \
         7 of block 3?",
        "You need three built-in variables: `blockIdx.x` is the number of the block, `blockDim.x` \
         is the number of threads in a block, and `threadIdx.x` is the number of the thread in its \
         block. How many threads do all the blocks before this one have together?",
        "There are `blockIdx.x` blocks before this one, with `blockDim.x` threads each. Multiply \
         these two numbers, and add the number of the thread in its own block.",
    ],
    pitfalls: &[
        "It's easy to confuse `gridDim.x` with `blockDim.x`. `gridDim.x` is the number of blocks \
         in the grid, and `blockDim.x` is the number of threads in a block. You need to know how \
         many threads each block has, so `blockDim.x` is right.",
        "If you write 256 instead of `blockDim.x`, the results are wrong as soon as a launch has \
         several blocks of another size, such as 96.",
        "Don't remove the guard. The number of elements is rarely a multiple of the block size, so \
         the last block usually has threads without an element.",
        "Don't use a `short` or a `char` for the index. A `short` has 16 bits, so its largest \
         value is 32 767, and a larger index becomes a wrong number, which is often negative.",
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
