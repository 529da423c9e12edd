//! Three bugs in one kernel, which the learner finds one after the other with the help of the
//! reports.

use ndarray::Array2;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `oob_uninit_hunt`.
pub static SPEC: Spec = Spec {
    id: "oob_uninit_hunt",
    chapter: "ch05_debugging",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 20,
    goal: "find three bugs with the help of the reports",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[rows][cols]"),
        floats_out("out", "[rows][cols]"),
        count("rows"),
        count("cols"),
    ],
    cases: &[
        of_16(
            "5 x 7",
            "a single block, whose tile is mostly outside the matrix",
            &[("rows", 5), ("cols", 7)],
            [1, 1],
        ),
        of_16("one element", "it has no neighbours at all", &[("rows", 1), ("cols", 1)], [1, 1]),
        of_16(
            "15 x 15",
            "the last row and the last column of threads have no element",
            &[("rows", 15), ("cols", 15)],
            [1, 1],
        ),
        of_16(
            "37 x 53",
            "neither of the two sides is a multiple of 16",
            &[("rows", 37), ("cols", 53)],
            [4, 3],
        ),
        of_16(
            "7 x 65",
            "the last block has only one column with elements",
            &[("rows", 7), ("cols", 65)],
            [5, 1],
        ),
        gated(of_16("48 x 64", "twelve full blocks", &[("rows", 48), ("cols", 64)], [4, 3])),
    ],
    large: None,
    // nine additions and a division
    tolerance: Tolerance::Roundings(10),
    // a full tile is 18 * 18 / 256 loads for each element
    gates: &[WRITTEN_ONCE, at_most(Metric::LoadsPerElement, 1.27), shared_work(1_000.0)],
    hints: &[
        "Read one report at a time. It names the array, the index, the line and the thread. Put \
         the numbers of this thread into the line. Which part of the line has a value that you \
         didn't expect?",
        "This hint is about the read out of bounds. The cell of the tile is above or below the \
         matrix, but `inside` is true. `in[r * cols + c]` exists only under two conditions, one \
         for `r` and one for `c`. Does `inside` require both of them?",
        "This hint is about the write out of bounds. If there are `rows` rows, which is the first \
         row number that doesn't exist? The guard doesn't compare the row in the same way as the \
         column.",
        "This hint is about the uninitialised read. The tile has `FRAME * FRAME` cells. How many \
         different values does `k` have in the loops of all 256 threads together?",
    ],
    pitfalls: &[
        "Don't fix a symptom instead of its cause. For example, if you fill the tile with zeros \
         before the loop, every cell is initialised, but some cells are still wrong.",
        "Don't fix all three bugs before you check. If you check after each change, you know the \
         effect of each change.",
        "Don't look for a separate bug behind a wrong value, because the value is often a \
         consequence of the bug that the report names.",
        "If you remove the tile, the kernel is right, but the threads load nearly every element \
         nine times.",
        "Don't return early for threads without a result. These threads also fill cells of the \
         tile, and other threads read these cells.",
    ],
    learn: "chapter 5, \"Read the report\"",
    skeleton: Slug::OutOfBoundsRead,
    inputs,
    reference,
};

const fn of_16(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [16, 16])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let shape = [rows, cols];
    vec![uniform(rng, &shape), out(&shape), int(rows), int(cols)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let shape = (case.size("rows"), case.size("cols"));
    let image = f64s(inputs, 0).into_shape_with_order(shape).expect("the shape it was made with");
    vec![blurred(&image).into()]
}

/// The mean of 3 x 3 elements around each element, with 0 beyond the edge.
fn blurred(image: &Array2<f64>) -> Array2<f64> {
    let at = |row: usize, col: usize| {
        // `row` and `col` are one too large here, because an unsigned index can't be -1
        let inside = row.checked_sub(1).zip(col.checked_sub(1));
        inside.and_then(|place| image.get(place)).copied().unwrap_or(0.0)
    };
    Array2::from_shape_fn(image.dim(), |(row, col)| {
        let nine = (0..3).flat_map(|r| (0..3).map(move |c| (row + r, col + c)));
        nine.map(|(row, col)| at(row, col)).sum::<f64>() / 9.0
    })
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// The means in column 0 come from columns 0 and 1, the means in column 1 come from all three
    /// columns, and the means in column 2 come from columns 1 and 2.
    #[test]
    fn means_with_zeros_beyond_the_edge() {
        let image = array![[9.0, 18.0, 27.0], [0.0, -9.0, 36.0]];
        assert_eq!(blurred(&image), array![[2.0, 9.0, 8.0], [2.0, 9.0, 8.0]]);
    }
}
