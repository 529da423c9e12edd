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
    ordered: &[],
    params: &[floats_in("a", "[rows][cols]"), floats_out("out", "[rows][cols]"), count("cols")],
    cases: &[
        block_of(
            "3 rows of 5",
            "not square, so a kernel that swaps `x` and `y` accesses memory beyond the array",
            &[("rows", 3), ("cols", 5)],
            [5, 3],
        ),
        block_of("one element", "the smallest block", &[("rows", 1), ("cols", 1)], [1, 1]),
        block_of("one row", "only `x` varies", &[("rows", 1), ("cols", 31)], [31, 1]),
        block_of("one column", "only `y` varies", &[("rows", 33), ("cols", 1)], [1, 33]),
        block_of(
            "rows longer than a warp",
            "the first warp ends before the first row ends",
            &[("rows", 2), ("cols", 33)],
            [33, 2],
        ),
        block_of(
            "13 rows of 17",
            "the rows are longer than in the first case",
            &[("rows", 13), ("cols", 17)],
            [17, 13],
        ),
        block_of(
            "a full block",
            "1024 threads, which is the most that a block can have",
            &[("rows", 32), ("cols", 32)],
            [32, 32],
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[WRITTEN_ONCE, load_requests(32.0, None), shared_work(60.0)],
    hints: &[
        "All threads execute the same lines, but each of them has different values of \
         `threadIdx.x` and `threadIdx.y`. Which of the two variables runs from 0 to `cols - 1`?",
        "Write the 15 indices of 3 rows of 5 elements as a table, with 0 to 4 in the first row and \
         5 to 9 in the second row. How does the index change when you go one column to the right, \
         and when you go one row down?",
        "Use `col = threadIdx.x` and `row = threadIdx.y`. Before the thread's row, there are `row` \
         rows with `cols` elements each. In its own row, there are `col` elements before the \
         thread's element.",
        "With `idx = row * cols + col`, load `a[idx]`, double it, and store the result in \
         `out[idx]`. Write the 2 as a float, which is `2.0f`.",
    ],
    pitfalls: &[
        "`threadIdx.x` is the column, and `threadIdx.y` is the row, so don't swap them. With a \
         square block, the swapped kernel computes the right results. That's why the block of the \
         first case isn't square.",
        "If you multiply `row` by the number of rows, the index is right only if the array is \
         square. To skip a row, you have to skip all of its elements, and a row has `cols` \
         elements.",
        "You don't need a loop over the elements. Each thread executes your lines once, for its \
         own element, so all threads together already compute every element.",
        "Don't use an `int` for the value. `int value = a[idx];` drops all digits after the \
         decimal point, and the compiler doesn't warn you.",
    ],
    learn: "chapter 1, \"Rows and columns in memory\"",
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
