//! Sums along both axes of a matrix: a thread for each column, and a warp for each row.

use ndarray::{Array2, ArrayD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The case whose sums need all 32 bits.
const LARGE_SUMS: &str = "70 x 45";

/// `row_col_sums`.
pub static SPEC: Spec = Spec {
    id: "row_col_sums",
    chapter: "ch03_coalescing",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 25,
    goal: "let each warp read along a row",
    cooperative: false,
    ordered: &[],
    params: &[
        ints_in("in", "[rows][cols]"),
        ints_out("row_sums", "[rows]"),
        ints_out("col_sums", "[cols]"),
        count("rows"),
        count("cols"),
    ],
    cases: &[
        case("3 x 5", "a row is shorter than a warp", &[("rows", 3), ("cols", 5)], [1, 1], [96, 1]),
        case(
            "one element",
            "31 of 32 lanes have no element",
            &[("rows", 1), ("cols", 1)],
            [1, 1],
            [32, 1],
        ),
        case(
            "7 x 33",
            "a second iteration for a single lane",
            &[("rows", 7), ("cols", 33)],
            [7, 1],
            [64, 1],
        ),
        case(
            "5 x 200",
            "more columns than a warp has lanes",
            &[("rows", 5), ("cols", 200)],
            [2, 1],
            [128, 1],
        ),
        case(
            LARGE_SUMS,
            "neither side is a multiple of 32, the size of a warp",
            &[("rows", 70), ("cols", 45)],
            [9, 1],
            [256, 1],
        ),
        gated(case(
            "96 x 256",
            "each row has 256 elements, which is a multiple of 32, so every request can be \
             coalesced",
            &[("rows", 96), ("cols", 256)],
            [12, 1],
            [256, 1],
        )),
    ],
    large: Some(case("large", "", &[("rows", 2048), ("cols", 16_384)], [256, 1], [256, 1])),
    tolerance: Tolerance::Exact,
    // Loading 96 x 256 elements takes 768 requests, and the kernel loads each element twice, for
    // its row and for its column. These loads move 196 608 bytes. The stores move one sector for
    // each of the 96 row sums, and 1024 bytes for the 256 column sums. That makes 200 704 bytes for
    // 352 sums.
    gates: &[
        sectors(571, 4.5, 17.9),
        WRITTEN_ONCE,
        load_requests(1536.0, Some(1536.0)),
        shared_work(6_000.0),
    ],
    hints: &[
        "Look at the first iteration of each of the two loops. Which element does thread 0 read in \
         this iteration, and which element does thread 1 read? How many ints apart are these two \
         elements?",
        "In the loop that sums the columns, neighbouring threads read neighbouring elements in \
         every iteration, so leave this loop as it is. In the loop that sums the rows, \
         neighbouring threads read elements that are a whole row apart.",
        "The 32 lanes of a warp should read 32 neighbouring elements of one row. If you assign a \
         warp to each row, which row does a warp sum? Which columns does lane 3 of this warp read?",
        "Let warp `me / 32` sum the row with the same number, if there's such a row. Lane `me % \
         32` starts at the column with the same number and continues in steps of 32. After the \
         loop, each lane has a part of the sum. `sum_of_warp` adds the parts, and one lane stores \
         the result.",
    ],
    pitfalls: &[
        "Don't change the loop for the columns, because it's already right. If you assigned a warp \
         to each column, the lanes would read from 32 different rows.",
        "Don't let all 32 lanes store the sum. They store the same value, but the kernel should \
         write each sum only once.",
        "If you assign 8 neighbouring columns to each lane, the elements of neighbouring lanes are \
         8 ints apart in each iteration, so each lane needs a sector of its own.",
        "Don't call `sum_of_warp` inside the loop, or inside an `if` that only some of the lanes \
         enter. All 32 lanes have to call it together.",
        "Don't test with a matrix of ones. Each sum is then just a count, so you won't notice when \
         a lane reads the wrong elements.",
    ],
    learn: "chapter 3, \"A thread for each column, a warp for each row\"",
    skeleton: Slug::Uncoalesced,
    inputs,
    reference,
};

/// The elements are too large for a sum of type `short`, and small enough for a sum of type `int`.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    // In one case, the sums need all 32 bits. They have the same sign, which is random.
    let sign = if rng.random_bool(0.5) { 1 } else { -1 };
    let draw = || match case.name {
        LARGE_SUMS => sign * rng.random_range(15_000_000..=30_000_000),
        _ => rng.random_range(-1_000_000..=1_000_000),
    };
    let matrix = ArrayD::from_shape_simple_fn(&[rows, cols][..], draw);
    vec![Value::Array(Array::I32(matrix)), ints(&[rows]), ints(&[cols]), int(rows), int(cols)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let shape = (case.size("rows"), case.size("cols"));
    let Some(Value::Array(Array::I32(matrix))) = inputs.first() else { return vec![] };
    let matrix = matrix.clone().into_shape_with_order(shape).expect("the shape it was made with");
    let [rows, cols] = sums(&matrix);
    vec![rows.into(), cols.into()]
}

/// The sum of each row, and of each column.
fn sums(matrix: &Array2<i32>) -> [ndarray::Array1<i32>; 2] {
    [matrix.sum_axis(Axis(1)), matrix.sum_axis(Axis(0))]
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn sums_rows_and_columns() {
        let matrix = array![[1, 2, 3], [40, -50, 60]];
        assert_eq!(sums(&matrix), [array![6, 50], array![41, -48, 63]]);
    }
}
