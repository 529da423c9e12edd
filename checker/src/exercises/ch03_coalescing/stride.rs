//! The cost of a stride: the learner predicts it, the simulator counts it, the solution avoids it.

use std::collections::HashSet;

use ndarray::{Array1, ArrayD};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The strides to predict, in floats.
const STRIDES: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// `stride`.
pub static SPEC: Spec = Spec {
    id: "stride",
    chapter: "ch03_coalescing",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 20,
    goal: "predict the cost of a stride, then do without the stride",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[n]"),
        floats_out("out", "[n]"),
        answers("predicted", "[6]"),
        count("s"),
        count("n"),
    ],
    cases: &[
        of_128(
            "1000 elements, s = 7",
            "a stride that isn't a power of two",
            &[("s", 7), ("n", 1000)],
            8,
        ),
        of_128("one element", "the stride is longer than the array", &[("s", 5), ("n", 1)], 1),
        of_128(
            "s = 1",
            "neighbouring elements; you can profile this case",
            &[("s", 1), ("n", 6144)],
            49,
        ),
        of_128("s = 2", "one of the six strides that you predict", &[("s", 2), ("n", 6144)], 49),
        of_128("s = 3", "one of the six strides that you predict", &[("s", 3), ("n", 6144)], 49),
        of_128("s = 4", "one of the six strides that you predict", &[("s", 4), ("n", 6144)], 49),
        of_128("s = 8", "one of the six strides that you predict", &[("s", 8), ("n", 6144)], 49),
        of_128("s = 16", "one of the six strides that you predict", &[("s", 16), ("n", 6144)], 49),
        gated(of_128(
            "s = 32",
            "the elements of neighbouring threads are 128 bytes apart",
            &[("s", 32), ("n", 24_576)],
            193,
        )),
    ],
    large: Some(case("large", "", &[("s", 32), ("n", 1 << 25)], [131_073, 1], [256, 1])),
    tolerance: Tolerance::OwnRoundings(4),
    // loading 24 576 elements takes 768 requests, and loading the predictions takes one more
    gates: &[
        sectors(9, 4.5, 32.0),
        WRITTEN_ONCE,
        load_requests(769.0, Some(769.0)),
        shared_work(200.0),
    ],
    hints: &[
        "On paper, list the byte where each lane's float begins. For `s = 2`, the list is 0, 8, \
         16, 24, 32 and so on. A sector has 32 bytes and begins at a multiple of 32. How many \
         lanes share the first sector?",
        "From the start of the first lane's float to the end of the last lane's float, a request \
         spans about `32 * s` floats, which are `128 * s` bytes. It needs every sector in this \
         range that contains a float of at least one lane.",
        "A lane never needs more than one sector for a float, and there are only 32 lanes. What's \
         the smallest stride for which each lane has a sector to itself?",
        "For the second part, remember that the threads may process the elements in any order. So \
         thread `me` can process element `me`. Then you need neither `s` nor `in_a_row`, and the \
         guard is `me < n`.",
    ],
    pitfalls: &[
        "Don't round a stride of 3 up to 4. With a stride of 3, a request spans `32 * 3` floats, \
         which are 384 bytes or 12 sectors of 32 bytes.",
        "If you predict 64 for `s = 16`, remember that there are only 32 lanes, and that each lane \
         needs only one sector.",
        "Don't count in units of 128 bytes. A GPU's caches manage their data in such units, which \
         are called cache lines. However, a cache line consists of four sectors, and the memory \
         can move each of them on its own.",
        "If you change the index of the load but not the index of the store, the kernel stores \
         each square in the wrong element.",
        "Don't leave out the guard. The launch has more threads than there are elements, so some \
         threads would read and write beyond the end of the arrays.",
    ],
    learn: "chapter 3, \"Counting sectors\"",
    skeleton: Slug::WrongAnswer,
    inputs,
    reference,
};

const fn of_128(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [128, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), out(&[n]), ints(&[STRIDES.len()]), int(case.size("s")), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let sectors: Array1<i32> = STRIDES.iter().map(|&stride| sectors_of(stride)).collect();
    vec![squares(&f64s(inputs, 0)).into(), sectors.into()]
}

fn squares(values: &ArrayD<f64>) -> ArrayD<f64> {
    values.mapv(|v| v * v)
}

/// Number of 32-byte sectors that contain a warp's 32 floats. The floats are `stride` floats apart,
/// and the first one is at the start of a sector.
fn sectors_of(stride: usize) -> i32 {
    let touched: HashSet<usize> = (0..32).map(|lane| lane * stride * 4 / 32).collect();
    touched.len() as i32
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn squares_what_it_reads() {
        assert_eq!(squares(&array![3.0, -0.5].into_dyn()), array![9.0, 0.25].into_dyn());
    }

    /// The numbers that the learner has to predict. `checker-tools` compares them with the
    /// simulator's counts.
    #[test]
    fn predictions_are_counted_by_hand() {
        assert_eq!(STRIDES.map(sectors_of), [4, 8, 12, 16, 32, 32]);
    }
}
