//! A two-dimensional grid over a matrix, and why x must be the column.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `matrix_add_2d`.
pub static SPEC: Spec = Spec {
    id: "matrix_add_2d",
    chapter: "ch01_threads",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 20,
    goal: "let a warp read along a row",
    cooperative: false,
    params: &[
        floats_in("a", "[rows][cols]"),
        floats_in("b", "[rows][cols]"),
        floats_out("out", "[rows][cols]"),
        count("rows"),
        count("cols"),
    ],
    // Every grid covers the longer side in x and in y, so that either way round is right.
    cases: &[
        case(
            "3 x 5",
            "not square, so rows and columns differ",
            &[("rows", 3), ("cols", 5)],
            [1, 2],
            [8, 4],
        ),
        case(
            "one element",
            "31 of 32 threads have no element",
            &[("rows", 1), ("cols", 1)],
            [1, 1],
            [8, 4],
        ),
        case(
            "37 x 65",
            "neither side is a multiple of the block's",
            &[("rows", 37), ("cols", 65)],
            [5, 5],
            [16, 16],
        ),
        case(
            "65 x 37, flat blocks",
            "blocks that aren't square, so x and y of blockDim differ",
            &[("rows", 65), ("cols", 37)],
            [3, 9],
            [32, 8],
        ),
        case(
            "33 x 31",
            "one more and one less than a warp",
            &[("rows", 33), ("cols", 31)],
            [2, 2],
            [32, 32],
        ),
        case("131 x 7", "tall and narrow", &[("rows", 131), ("cols", 7)], [5, 17], [32, 8]),
        gated(case(
            "256 x 512",
            "each row is a whole number of warps, so every request can be perfect",
            &[("rows", 256), ("cols", 512)],
            [16, 16],
            [32, 32],
        )),
        gated(case(
            "96 x 64",
            "more threads than columns, in whole warps",
            &[("rows", 96), ("cols", 64)],
            [3, 3],
            [32, 32],
        )),
    ],
    large: Some(case("large", "", &[("rows", 4096), ("cols", 4096)], [128, 512], [32, 8])),
    tolerance: Tolerance::Exact,
    // 256 x 512 elements are 4096 warps' worth, and each asks for two matrices.
    gates: &[sectors(12, 4.0, 32.0), WRITTEN_ONCE, load_requests(8192.0, Some(8192.0))],
    hints: &[
        "The sums are right, so the question is which thread computes which of them. The first 32 \
         threads of a block differ only in threadIdx.x. Which elements do they read?",
        "In memory, the elements of one row are neighbours. The element below is a whole row \
         length away, which is 2048 bytes in the case with the counts. Do the 32 threads go along \
         a row or down a column?",
        "Neighbouring threads of a warp differ in x, so x should be the index that differs between neighbouring elements in memory. Is that the row \
         or the column?",
        "Compute the row from the built-in variables with y and the column from those with x. All \
         three of them have to change: blockIdx, blockDim and threadIdx. The guard and the index \
         stay as they are.",
    ],
    pitfalls: &[
        "Swapping the names only. If you rename row to col and col to row everywhere, x still goes \
         down a column.",
        "Leaving row and col as they are and indexing with col * rows + row. This passes, because \
         adding two matrices works in any order. But row and col are then wrong names for what \
         they are, and a kernel that needs to know the real row and column would have wrong \
         results.",
        "Swapping threadIdx but not blockIdx and blockDim. With square blocks, it's easy to miss.",
        "`row * cols + col < rows * cols` as the only guard. A column beyond the end of its row is \
         the start of the next row, so it's inside the array, and another thread already computes \
         it.",
    ],
    learn: "chapter 1, \"Two dimensions\"",
    skeleton: Slug::Uncoalesced,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let shape = [rows, cols];
    vec![uniform(rng, &shape), uniform(rng, &shape), out(&shape), int(rows), int(cols)]
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
    fn adds_element_by_element_and_keeps_the_shape() {
        let a = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].into_dyn();
        let b = array![[0.5, 0.0, -3.0], [1.0, -5.0, 0.25]].into_dyn();
        assert_eq!(sum(&a, &b), array![[1.5, 2.0, 0.0], [5.0, 0.0, 6.25]].into_dyn());
    }
}
