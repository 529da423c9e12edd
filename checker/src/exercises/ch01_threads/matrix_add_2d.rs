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
        case("3 x 5", "not square", &[("rows", 3), ("cols", 5)], [1, 2], [8, 4]),
        case("one element", "31 threads to spare", &[("rows", 1), ("cols", 1)], [1, 1], [8, 4]),
        case("37 x 65", "no side fits a block", &[("rows", 37), ("cols", 65)], [5, 5], [16, 16]),
        case(
            "65 x 37, flat blocks",
            "blocks wider than high: x and y of the block must not mix",
            &[("rows", 65), ("cols", 37)],
            [3, 9],
            [32, 8],
        ),
        case(
            "33 x 31",
            "a warp and one, a warp less one",
            &[("rows", 33), ("cols", 31)],
            [2, 2],
            [32, 32],
        ),
        case("131 x 7", "tall and narrow", &[("rows", 131), ("cols", 7)], [5, 17], [32, 8]),
        gated(case(
            "256 x 512",
            "rows are whole warps: every request can be perfect",
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
    gates: &[sectors(4.0, 32.0), WRITTEN_ONCE, load_requests(8192.0, Some(8192.0))],
    hints: &[
        "The sums are right, so look at who computes what. The first 32 threads of a block differ in \
         threadIdx.x only. Which elements do they read?",
        "In memory the elements of one row are neighbours; the element below is a whole row further \
         on, here 2048 bytes. Do the 32 threads walk along a row or down a column?",
        "What moves fastest in the warp (x) must move fastest in memory. Is that the row or the \
         column?",
        "Take the row from the y built-ins and the column from the x built-ins: blockIdx, blockDim and \
         threadIdx all three. The guard and the index stay as they are.",
    ],
    pitfalls: &[
        "Swapping the names only. Rename row to col and col to row everywhere, and x still runs down \
         a column.",
        "Indexing with col * rows + row. For a sum of two matrices any order of the elements gives \
         the right answer, and this order is the slow one.",
        "Swapping threadIdx and forgetting blockIdx and blockDim. On square blocks nothing shows.",
        "Guarding idx < rows * cols only. A column past the end lies in the next row: it is inside \
         the array, and it is another thread's.",
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
