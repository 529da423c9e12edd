//! Rows and columns: one block with two dimensions, a thread for each element.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `double_it`.
pub static SPEC: Spec = Spec {
    id: "double_it",
    chapter: "ch01_threads",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 15,
    goal: "find your element in a matrix",
    cooperative: false,
    params: &[floats_in("a", "[rows][cols]"), floats_out("out", "[rows][cols]"), count("cols")],
    cases: &[
        block_of(
            "3 rows of 5",
            "not square: with x and y swapped, threads leave the array",
            &[("rows", 3), ("cols", 5)],
            [5, 3],
        ),
        block_of("one element", "the smallest block", &[("rows", 1), ("cols", 1)], [1, 1]),
        block_of("one row", "only x moves", &[("rows", 1), ("cols", 31)], [31, 1]),
        block_of("one column", "only y moves", &[("rows", 33), ("cols", 1)], [1, 33]),
        block_of(
            "rows longer than a warp",
            "a warp ends in the middle of a row",
            &[("rows", 2), ("cols", 33)],
            [33, 2],
        ),
        block_of(
            "13 rows of 17",
            "rows of another length than in the first case",
            &[("rows", 13), ("cols", 17)],
            [17, 13],
        ),
        block_of(
            "a full block",
            "1024 threads, the most that a block can have",
            &[("rows", 32), ("cols", 32)],
            [32, 32],
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[WRITTEN_ONCE, load_requests(32.0, None)],
    hints: &[
        "Every thread runs the same lines. What differs is what it finds in threadIdx.x and \
         threadIdx.y. Which of the two runs from 0 to cols-1?",
        "Write the 15 indices of 3 rows of 5 as a table: 0 to 4 in the first row, 5 to 9 in the \
         second. What must be added to go one place to the right? And one row down?",
        "col = threadIdx.x, row = threadIdx.y. Before row number `row` lie `row` whole rows of \
         `cols` elements; before my element in it lie `col` more.",
        "idx = row * cols + col. Then read a[idx], double it, and store it in out[idx]. The 2 is a \
         float here: 2.0f.",
    ],
    pitfalls: &[
        "x and y swapped. threadIdx.x is the column, threadIdx.y the row. On a square block the \
         swapped kernel gives the right answer; that is why the first case is not square.",
        "Stepping from row to row by the number of rows. A row is `cols` elements long, whatever \
         the number of rows.",
        "A loop over the elements. The threads are the loop: each runs your lines once, for its own \
         element.",
        "`2 * a[idx]` through an int. `int value = a[idx];` drops what is behind the point, and the \
         compiler says nothing.",
    ],
    learn: "chapter 1, \"Which element is mine?\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

/// One block, with as many threads as elements.
const fn block_of(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    block: [u32; 2],
) -> Case {
    gated(case(name, why, sizes, [1, 1], block))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = [case.size("rows"), case.size("cols")];
    vec![uniform(rng, &shape), out(&shape), int(case.size("cols"))]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![doubled(&f64s(inputs, 0)).into()]
}

fn doubled(a: &ArrayD<f64>) -> ArrayD<f64> {
    a * 2.0
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn doubles_each_element_in_its_place() {
        let a = array![[1.0, -2.5, 0.0], [4.0, 0.25, -3.0]].into_dyn();
        assert_eq!(doubled(&a), array![[2.0, -5.0, 0.0], [8.0, 0.5, -6.0]].into_dyn());
    }
}
