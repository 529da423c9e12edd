//! Sum and maximum of rows by warps whose lanes exchange registers: masks, neutral values, lanes
//! without an element.

use ndarray::{Array2, ArrayD, Axis, Ix2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `warp_shuffle`.
///
/// Each row has a block, not a warp, because rows of up to 1024 elements need the second reduction
/// over the warps, where most lanes have no slot. The counts can also be compared with the tree in
/// shared memory (9 barriers and 1024 bytes for the sum alone).
pub static SPEC: Spec = Spec {
    id: "warp_shuffle",
    chapter: "ch06_atomics",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 35,
    goal: "reduce a row with shuffles between registers",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[rows][cols]"),
        floats_out("sums", "[rows]"),
        floats_out("maxima", "[rows]"),
        count("cols"),
    ],
    cases: &[
        rows("32 columns", "one full warp for each row", &[("rows", 5), ("cols", 32)], 5, 32),
        rows("one column", "31 lanes without an element", &[("rows", 4), ("cols", 1)], 4, 32),
        rows("31 columns", "one lane without an element", &[("rows", 5), ("cols", 31)], 5, 32),
        rows("33 columns", "one element in the second warp", &[("rows", 5), ("cols", 33)], 5, 64),
        gated(rows(
            "64 columns",
            "two full warps for each row",
            &[("rows", 6), ("cols", 64)],
            6,
            64,
        )),
        rows("70 columns", "six elements in the third warp", &[("rows", 7), ("cols", 70)], 7, 96),
        rows(
            "65 columns, 128 threads",
            "a warp without any element",
            &[("rows", 3), ("cols", 65)],
            3,
            128,
        ),
        rows(
            "1000 columns",
            "32 warps, so there's a slot for each lane",
            &[("rows", 3), ("cols", 1000)],
            3,
            1024,
        ),
    ],
    large: None,
    // five steps within a warp, and five steps over the warps
    tolerance: Tolerance::Roundings(10),
    gates: &[
        at_most(Metric::SharedBytes, 256.0),
        at_most(Metric::Barriers, 2.0),
        // two slots for each of the 12 warps are stored and loaded
        at_most(Metric::SharedWords, 96.0),
        WRITTEN_ONCE,
        load_requests(12.0, None),
        shared_work(300.0),
    ],
    hints: &[
        "A warp combines 32 values in five steps. Lane `l` combines its value with the value of \
         lane `l + 16`, and then with the values of lanes `l + 8`, `l + 4`, `l + 2` and `l + 1`. \
         `__shfl_down_sync(ALL, value, distance)` returns the value of lane `l + distance`. Which \
         lane has combined all 32 values at the end?",
        "Every lane that the mask names must reach the shuffle. So no lane may return early, and \
         no shuffle may be in an `if` that splits a warp. A lane without an element takes part \
         with a value that doesn't change the result. For a sum, that's 0. For a maximum, 0 would \
         be wrong, as you can see in a row that has only negative numbers.",
        "After the first stage, lane 0 of each warp has the result of its warp. Other warps can't \
         see its registers, so this lane stores the result in `warp_sums[warp]`, and then all \
         threads wait at a barrier. After that, each lane of warp 0 reads the slot with the number \
         `lane`, if there's a warp with that number.",
        "At TODO 1, begin with `float sum = 0.0f;` and `float maximum = LOWEST;`, and if `tid < \
         cols`, set both to `in[row * cols + tid]`.",
        "At TODO 2, write `for (int distance = 16; distance > 0; distance /= 2) { sum += \
         __shfl_down_sync(ALL, sum, distance); maximum = fmaxf(maximum, __shfl_down_sync(ALL, \
         maximum, distance)); }`. At TODO 4, write `if (warp == 0) { sum = lane < warps ? \
         warp_sums[lane] : 0.0f; ... }`, and put the same loop inside it for TODO 5.",
    ],
    pitfalls: &[
        "Don't start the maximum at 0. In a row of negative numbers, the result would then be 0.",
        "Don't put the shuffle inside `if (tid < cols)` with a mask of all lanes, because the mask \
         would name lanes that never reach the shuffle.",
        "Don't write `if (tid >= cols) return;` at the top. Lanes that have returned can't take \
         part in the shuffle.",
        "Don't use the result of every lane. With `__shfl_down_sync`, only lane 0 has the whole \
         result, and the other lanes have partial results. (With `__shfl_xor_sync`, all lanes have \
         the whole result.)",
        "Don't read the slots of warps that don't exist. With 96 threads, there are three warps, \
         and no thread has written the other 29 slots.",
        "Don't leave out the barrier between writing the slots and reading them. Some warps of a \
         block may run ahead of the others, so warp 0 may read a slot too early.",
        "Don't use `__shfl_down` without `_sync`. CUDA no longer has this function for new GPUs, \
         because since Volta, a shuffle must name the lanes that take part.",
    ],
    learn: "chapter 6, \"From register to register\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

const fn rows(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: u32,
    block: u32,
) -> Case {
    case(name, why, sizes, [grid, 1], [block, 1])
}

/// All elements of a row have the same sign, so that no sum is near 0. Most rows are negative, so
/// that 0 is greater than all of their elements.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let values = Array2::from_shape_fn((rows, cols), |(row, col)| {
        let size: f32 = rng.random_range(0.5..10.0);
        match row % 6 {
            1 | 4 => size,
            2 if col == cols / 2 => 0.0,
            5 => -1e10 * size,
            _ => -size,
        }
    });
    vec![Value::Array(Array::F32(values.into_dyn())), out(&[rows]), out(&[rows]), int(cols)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let values = f64s(inputs, 0).into_dimensionality().expect("a matrix");
    let (sums, maxima) = folded(&values);
    vec![sums.into(), maxima.into()]
}

/// Sum and largest element of each row.
fn folded(values: &ndarray::Array<f64, Ix2>) -> (ArrayD<f64>, ArrayD<f64>) {
    let maxima = values.map_axis(Axis(1), |row| row.fold(f64::NEG_INFINITY, |a, b| a.max(*b)));
    (values.sum_axis(Axis(1)).into_dyn(), maxima.into_dyn())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn a_row_of_negative_numbers_has_a_negative_maximum() {
        let (sums, maxima) = folded(&array![[-3.0, -1.0, -2.5], [4.0, -8.0, 0.5]]);
        assert_eq!(sums, array![-6.5, -3.5].into_dyn());
        assert_eq!(maxima, array![-1.0, 4.0].into_dyn());
    }
}
