//! A two-dimensional grid over a matrix, and why x should be the column.

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
    ordered: &[],
    params: &[
        floats_in("a", "[rows][cols]"),
        floats_in("b", "[rows][cols]"),
        floats_out("out", "[rows][cols]"),
        count("rows"),
        count("cols"),
    ],
    // Every grid covers the longer side in x and in y, so that the kernel is right
    // whether x is the row or the column.
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
            "neither side is a multiple of the block's side",
            &[("rows", 37), ("cols", 65)],
            [5, 5],
            [16, 16],
        ),
        case(
            "65 x 37, flat blocks",
            "blocks that aren't square, so `blockDim.x` and `blockDim.y` differ",
            &[("rows", 65), ("cols", 37)],
            [3, 9],
            [32, 8],
        ),
        case(
            "33 x 31",
            "one row more and one column less than a block has",
            &[("rows", 33), ("cols", 31)],
            [2, 2],
            [32, 32],
        ),
        case(
            "131 x 7",
            "many rows of only 7 elements",
            &[("rows", 131), ("cols", 7)],
            [5, 17],
            [32, 8],
        ),
        gated(case(
            "256 x 512",
            "each row needs a whole number of warps, so every request can move as few as 4 sectors",
            &[("rows", 256), ("cols", 512)],
            [16, 16],
            [32, 32],
        )),
        gated(case(
            "96 x 64",
            "the grid is wider than the matrix by a whole warp",
            &[("rows", 96), ("cols", 64)],
            [3, 3],
            [32, 32],
        )),
    ],
    large: Some(case("large", "", &[("rows", 4096), ("cols", 4096)], [128, 512], [32, 8])),
    tolerance: Tolerance::Exact,
    // Loading 256 x 512 elements takes 4096 requests for each of the two matrices.
    gates: &[
        sectors(12, 4.0, 32.0),
        WRITTEN_ONCE,
        load_requests(8192.0, Some(8192.0)),
        shared_work(100.0),
    ],
    hints: &[
        "The sums are right, so you need to look at which thread computes which sum. In a block \
         that's 32 threads wide, the first 32 threads differ only in `threadIdx.x`. Which elements \
         do these threads read?",
        "In memory, the elements of one row are neighbours. An element and the element below it \
         are a whole row length apart, which is 2048 bytes in the case `256 x 512`. Do the 32 \
         threads access elements along a row or down a column?",
        "Neighbouring threads of a warp differ in `x`, so `x` should be the index that differs \
         between neighbouring elements in memory. Is that index the row or the column?",
        "Compute the row from the built-in variables with `.y`, and the column from the variables \
         with `.x`. In both lines, you have to change all three variables, `blockIdx`, `blockDim` \
         and `threadIdx`. The guard and the index stay as they are.",
    ],
    pitfalls: &[
        "It doesn't help to swap only the names. If you rename `row` to `col` and `col` to `row` \
         everywhere, neighbouring threads still access elements of one column.",
        "You could leave `row` and `col` as they are and use the index `col * rows + row`. The \
         checker accepts this, because a sum only needs the two elements with the same index, \
         and not their row and column. However, `row` and `col` are then no longer the \
         element's row and column, and a kernel that needs to know them would compute wrong \
         results.",
        "If you swap `.x` and `.y` for `threadIdx`, but not for `blockIdx` and `blockDim`, the \
         results may still be right with square blocks. With several blocks of another shape, \
         they're wrong.",
        "The guard `row * cols + col < rows * cols` isn't enough. The index after the end of a row \
         is the index of the first element in the next row, so it's inside the array, but another \
         thread already computes this element.",
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
