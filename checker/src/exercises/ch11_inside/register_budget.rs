//! A thread has more values than registers.

use ndarray::{Array1, ArrayD, Axis};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The pictures of which each pixel's median is computed.
const PICTURES: usize = 63;

/// `register_budget`.
///
/// With ptxas 13.0 for an H100, a thread of the skeleton spills 984 bytes. Without its launch
/// bounds, it needs 72 registers, with which 24 warps are resident. The solution needs 48
/// registers.
pub static SPEC: Spec = Spec {
    id: "register_budget",
    chapter: "ch11_inside",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 35,
    goal: "keep all values in registers, with at least 32 resident warps on an H100's \
           multiprocessor",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("stack", "[63][n]"), floats_out("median", "[n]"), count("n")],
    cases: &[
        of_256("100 pixels", "one block", &[("n", 100)], 1),
        gated(of_256("1024 pixels", "four blocks", &[("n", 1024)], 4)),
        of_256("one pixel", "the pictures are neighbouring elements", &[("n", 1)], 1),
        of_256("257 pixels", "the second block has one pixel", &[("n", 257)], 2),
    ],
    large: Some(case("large", "", &[("n", 1 << 21)], [8192, 1], [256, 1])),
    tolerance: Tolerance::Exact,
    gates: &[
        Gate { baseline: Some(984.0), ..at_most(Metric::LocalBytes, 0.0) },
        at_least(Metric::ResidentWarps, 32.0),
        // 63 loads of each of 32 warps
        load_requests(2016.0, Some(2016.0)),
        WRITTEN_ONCE,
        shared_work(20_000.0),
    ],
    hints: &[
        "Run `cargo checker profile register_budget`. The report says how many bytes are spilled \
         to local memory. Delete `__launch_bounds__(256, 8)`, and run it again. How many registers \
         does a thread have now, and how many blocks do they allow?",
        "Take any 33 of the 63 values. Of all 63 values, at most 31 are smaller than the median, \
         and at most 31 are greater. So the greatest of your 33 values can't be smaller than the \
         median, and the least of them can't be greater. If you leave out both of them, the median \
         of the other 61 values is still the same.",
        "So keep only 33 values in an array. One pass over the array moves the greatest value to \
         its end, and a pass in the other direction moves the least value to its beginning. Leave \
         out the greatest value, overwrite the least one with the next value from `stack`, and \
         continue with one value fewer.",
        "Let a loop count the values that are left, from 33 down to 3. After the last \
         iteration, the three remaining values are in order, and the second one is the median. Put \
         `#pragma unroll` before every loop, so that each index into the array is a constant.",
    ],
    pitfalls: &[
        "Don't use an index that the compiler doesn't know, as in a loop that isn't unrolled. \
         Registers have no addresses, so the whole array would be in local memory.",
        "It isn't enough to try other values in `__launch_bounds__`. With 64 registers, 32 warps \
         are resident on an H100's multiprocessor, but the 63 values, the index and the pointers \
         don't fit into 64 registers.",
        "Don't load the 63 values again in every iteration, because a gate limits the number of \
         loads.",
        "Don't begin with 32 values or fewer. If all values differ, the greatest of 32 values \
         has 31 smaller values among them. The median of 63 values has 31 smaller values, too, so \
         the greatest of your 32 values can be the median, and you mustn't leave it out.",
    ],
    learn: "chapter 11, \"Registers and spilling\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn of_256(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [256, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let mut stack = uniform(rng, &[PICTURES, n]);
    if let (1, Value::Array(Array::F32(stack))) = (n, &mut stack) {
        median_last(stack);
    }
    if let Value::Array(Array::F32(stack)) = &mut stack {
        // of a few levels, several pictures have the median, so counting smaller values fails
        for mut column in stack.lanes_mut(Axis(0)).into_iter().skip(5).step_by(8) {
            column.mapv_inplace(f32::round);
        }
    }
    vec![stack, out(&[n]), int(n)]
}

/// Swaps the only pixel's median with its value in the last picture. Otherwise, code that never
/// loads the last picture would compute the right median with every other seed.
fn median_last(stack: &mut ArrayD<f32>) {
    let mut order: Vec<usize> = (0..PICTURES).collect();
    order.sort_by(|a, b| stack[[*a, 0]].total_cmp(&stack[[*b, 0]]));
    stack.swap([order[PICTURES / 2], 0], [PICTURES - 1, 0]);
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![medians(&f64s(inputs, 0)).into_dyn().into()]
}

/// The median of each column; the number of rows is odd.
fn medians(stack: &ArrayD<f64>) -> Array1<f64> {
    let median = |column: ndarray::ArrayView<'_, f64, _>| {
        let mut values: Vec<f64> = column.iter().copied().collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    stack.lanes(Axis(0)).into_iter().map(|column| median(column.into_dyn())).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn half_of_a_column_is_smaller() {
        let stack = array![[5.0, 1.0], [-2.0, 1.0], [3.0, 7.0]].into_dyn();
        assert_eq!(medians(&stack), array![3.0, 1.0]);
    }
}
