//! What a stride costs: predicted by the learner, counted by the simulator, and then avoided.

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
    goal: "predict what a stride costs, then do without",
    cooperative: false,
    params: &[
        floats_in("in", "[n]"),
        floats_out("out", "[n]"),
        answers("predicted", "[6]"),
        count("s"),
        count("n"),
    ],
    cases: &[
        of_128("1000 elements, s = 7", "7 divides no power of two", &[("s", 7), ("n", 1000)], 8),
        of_128("one element", "the stride is longer than the array", &[("s", 5), ("n", 1)], 1),
        of_128("s = 1", "to profile: neighbours", &[("s", 1), ("n", 6144)], 49),
        of_128("s = 2", "to profile", &[("s", 2), ("n", 6144)], 49),
        of_128("s = 3", "to profile", &[("s", 3), ("n", 6144)], 49),
        of_128("s = 4", "to profile", &[("s", 4), ("n", 6144)], 49),
        of_128("s = 8", "to profile", &[("s", 8), ("n", 6144)], 49),
        of_128("s = 16", "to profile", &[("s", 16), ("n", 6144)], 49),
        gated(of_128(
            "s = 32",
            "a cache line of 128 bytes for each thread",
            &[("s", 32), ("n", 24_576)],
            193,
        )),
    ],
    large: Some(case("large", "", &[("s", 32), ("n", 1 << 25)], [262_145, 1], [128, 1])),
    tolerance: Tolerance::Exact,
    // 24 576 elements are 768 warps' worth, and the predictions are one load more
    gates: &[sectors(4.5, 32.0), WRITTEN_ONCE, load_requests(769.0, Some(769.0))],
    hints: &[
        "Write down the byte at which lanes 0, 1, 2 ... begin to read, for s = 2: 0, 8, 16, 24, 32 ... \
         A sector is 32 bytes that begin at a multiple of 32. How many lanes share the first one?",
        "From the first lane's float to the last one's there are 32 * s floats, which is 128 * s bytes. \
         All the sectors in between are touched, as long as at least one lane falls into each.",
        "A lane never needs more than one sector for one float, and there are 32 lanes. Which stride is \
         the first at which each lane has a sector for itself?",
        "For the second part: the order in which elements are visited does not matter, so thread `me` \
         may take element `me`. Neither s nor in_a_row is needed then; the guard is me < n.",
    ],
    pitfalls: &[
        "Rounding 3 up to 4. Sectors hold 32 bytes wherever a stride falls: 32 * 3 floats are 12 of them.",
        "Going on with 64 for s = 16. There are only 32 lanes.",
        "Counting lines of 128 bytes. A cache line is four sectors, and they come one by one.",
        "Changing the index of the load and not that of the store: a square then lands in the place of \
         another element.",
        "Leaving out the guard for i < n. n is seldom a multiple of the stride.",
    ],
    learn: "chapter 3, \"Sectors, counted before they are measured\"",
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

/// Sectors of 32 bytes that the 32 floats of a warp touch, `stride` floats apart, from the start of
/// a sector on.
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

    /// What the learner has to find out is what the simulator counts.
    #[test]
    fn predictions_are_what_is_counted() -> Result<(), ptxsim::Error> {
        for (stride, by_hand) in STRIDES.into_iter().zip([4, 8, 12, 16, 32, 32]) {
            let counted = crate::book::figure::simulated::sectors(stride, 0, 1)?;
            assert_eq!(sectors_of(stride), by_hand, "stride {stride}");
            assert_eq!(counted, by_hand as u64, "stride {stride}");
        }
        Ok(())
    }
}
