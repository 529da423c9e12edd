//! The grid-stride loop, which processes any amount of data with any grid, and whose loads are
//! coalesced.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The case with numbers up to 1e6 instead of 10.
const LARGE: &str = "10 007 elements";

/// `grid_stride`.
pub static SPEC: Spec = Spec {
    id: "grid_stride",
    chapter: "ch01_threads",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 20,
    goal: "process data of any size with a grid of any size",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("a", "[n]"), floats_in("b", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        line(
            "one warp, 100 elements",
            "the threads execute three or four iterations",
            &[("n", 100)],
            1,
            32,
        ),
        line("one warp, one element", "31 threads have no element", &[("n", 1)], 1, 32),
        line("one warp, 33 elements", "a second iteration for one element", &[("n", 33)], 1, 32),
        line("511 elements, 512 threads", "one thread has no element", &[("n", 511)], 4, 128),
        line("513 elements, 512 threads", "one thread has two elements", &[("n", 513)], 4, 128),
        gated(line("32 iterations", "512 threads with 32 elements each", &[("n", 16_384)], 4, 128)),
        line(
            LARGE,
            "a prime number, so not all threads have an element in the last iteration",
            &[("n", 10_007)],
            4,
            128,
        ),
        line(
            "1000 elements, 262 144 threads",
            "most blocks have no element",
            &[("n", 1000)],
            1024,
            256,
        ),
        line(
            "100 003 elements",
            "more elements than a 16-bit integer can count",
            &[("n", 100_003)],
            4,
            128,
        ),
    ],
    large: Some(case("large", "", &[("n", 1 << 25)], [1056, 1], [256, 1])),
    tolerance: Tolerance::Roundings(4),
    // Loading 16 384 elements takes 512 requests for each of the two arrays.
    gates: &[
        sectors(12, 4.5, 32.0),
        WRITTEN_ONCE,
        load_requests(1024.0, Some(1024.0)),
        shared_work(1_500.0),
    ],
    hints: &[
        "Look at the first iteration of the loop. Which elements do threads 0, 1 and 31 read in \
         this iteration? How many bytes apart are the elements of neighbouring threads?",
        "A request moves whole sectors of 32 bytes, each of which contains 8 floats. If a warp's \
         32 threads read 32 neighbouring floats in the same iteration, the request needs only 4 \
         sectors, which is the smallest possible number.",
        "In iteration 0, all threads together should process elements 0 to `threads - 1`, one \
         element each. Which element should a thread process in iteration 1?",
        "Start with `idx = me`, add the number of threads in the whole grid after each iteration, \
         and continue while `idx < n`. You don't need `chunk` any more.",
    ],
    pitfalls: &[
        "If you use `blockDim.x` as the stride, each block continues with elements that other \
         blocks compute as well, because `blockDim.x` is the size of only one block. The values \
         are right, but the writes per element and the load requests show the mistake.",
        "`gridDim.x` isn't the right stride either, because it's the number of blocks, not the \
         number of threads.",
        "If you write `if (idx < n)` instead of the loop, the kernel is right only if there are at \
         least `n` threads.",
        "You could save iterations if each thread processed two or four neighbouring elements in \
         one iteration. But with a load for each element, each request would then use only a half \
         or a quarter of each sector that it moves.",
        "Don't multiply two numbers of the type `int` or `unsigned` and then convert the product \
         to `size_t`. The product may already have overflowed, so convert one of the factors to \
         `size_t` before you multiply.",
    ],
    learn: "chapter 1, \"One grid, any amount of data\"",
    skeleton: Slug::Uncoalesced,
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
    case(name, why, sizes, [grid, 1], [block, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    // In one case, the numbers are large, so that every digit of the exponent counts.
    let largest = if case.name == LARGE { 1e6 } else { 10.0 };
    let mut numbers = || {
        let number = || rng.random_range(-largest..largest);
        let mut numbers = ArrayD::from_shape_simple_fn(&[n][..], number);
        if n == 33 {
            // the root of 0 is 0
            numbers[[0]] = 0.0;
        }
        Value::Array(Array::F32(numbers))
    };
    vec![numbers(), numbers(), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![hypotenuse(&f64s(inputs, 0), &f64s(inputs, 1)).into()]
}

fn hypotenuse(a: &ArrayD<f64>, b: &ArrayD<f64>) -> ArrayD<f64> {
    Zip::from(a).and(b).map_collect(|a, b| a.hypot(*b))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn finds_the_long_side_of_right_triangles() {
        let a = array![3.0, -5.0, 0.0, 8.0].into_dyn();
        let b = array![4.0, 12.0, -2.0, -15.0].into_dyn();
        assert_eq!(hypotenuse(&a, &b), array![5.0, 13.0, 2.0, 17.0].into_dyn());
    }
}
