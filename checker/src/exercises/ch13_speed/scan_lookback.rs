//! Prefix sums in one pass: each tile looks back at what earlier tiles have published.

use ndarray::{ArrayD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Op, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The case whose sums need all 32 bits.
const LARGE_SUMS: &str = "three tiles";

/// `scan_lookback`, after Duane Merrill and Michael Garland, *Single-pass Parallel Prefix Scan with
/// Decoupled Look-back*, 2016.
///
/// The exercise is a program, because a solution needs memory for what the tiles publish, and how
/// it's laid out is up to the learner. The skeleton moves 16 bytes for each element, and the
/// solution moves 8. No gate finds a chain, in which a tile waits for the prefix of the tile before
/// it: it moves as few bytes, and only its time on a GPU shows how long the tiles wait.
pub static SPEC: Spec = Spec {
    id: "scan_lookback",
    chapter: "ch13_speed",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 60,
    goal: "compute prefix sums with one load and one store for each element",
    cooperative: false,
    ordered: &[],
    params: &[ints_in("in", "[n]"), ints_out("out", "[n]"), count("n")],
    cases: &[
        sized("100 elements", "one tile that isn't full", &[("n", 100)]),
        sized("one tile", "no tile to look back at", &[("n", 6144)]),
        sized(LARGE_SUMS, "a tile needs the sum of two others", &[("n", 15_000)]),
        sized("one element", "the smallest array", &[("n", 1)]),
        sized("6145 elements", "one element in the second tile", &[("n", 6145)]),
        gated(sized("40 tiles", "more tiles than a warp has lanes", &[("n", 40 * 6144)])),
        sized("100 tiles", "the last tile may have to look back more than once", &[("n", 610_003)]),
    ],
    large: Some(sized("large", "", &[("n", 1 << 24)])),
    tolerance: Tolerance::Exact,
    gates: &[
        // One load has 4 bytes. In most solutions, the tiles' states add less than one byte.
        Gate { metric: Metric::BytesPerElement, op: Op::AtMost, target: 6.0, baseline: Some(7.94) },
        // a library may need one more, which prepares the states of the tiles
        Gate { baseline: Some(3.0), ..at_most(Metric::Launches, 2.0) },
        // each tile needs a few
        at_most(Metric::GlobalAtomics, 4096.0),
        exactly(Metric::CopiesToDevice, 1.0),
        exactly(Metric::CopiesToHost, 1.0),
        shared_work(1_500.0),
    ],
    hints: &[
        "A tile can publish its own sum as soon as it has loaded its elements, long before it \
         knows the sum of all earlier tiles. Another tile that needs this sum can add it to the \
         sums of the tiles in between. How many tiles does it have to go back, and when may it \
         stop?",
        "Give each tile a state. At first, the state is \"nothing\". Later, it's the tile's own \
         sum, and finally the sum of all elements up to the tile's end, which is called the \
         *prefix*. Thread 0 publishes the tile's own sum and then looks back. It waits until the \
         state of the previous tile isn't \"nothing\", adds the sum that it finds, and stops if \
         this sum is a prefix. Otherwise, it continues with the tile before that one. In the end, \
         it publishes the tile's own prefix.",
        "A status and a sum fit into one 64-bit word, for example with `typedef unsigned long long \
         State;` and the status in the upper half. Store and load it with `cuda::atomic_ref<State, \
         cuda::thread_scope_device>` from `<cuda/atomic>`. A thread that sees the status then also \
         sees the sum. Negative sums need `status | unsigned(sum)`, because otherwise, the \
         conversion to 64 bits would copy the sign of the `int` into the upper half.",
        "Don't use `blockIdx.x` as the number of the tile. Let thread 0 take the number with \
         `atomicAdd(next, 1)`, store it in shared memory, and put a barrier after that. Then all \
         earlier tiles belong to blocks that have already started. Set the counter and the states \
         to 0 with `cudaMemset` before the launch.",
        "Let a whole warp look back: lane `l` waits for the state of tile `nearest - l`, and \
         `__ballot_sync` finds the first lane with a prefix. The warp adds up the sums of the \
         lanes up to this one. If no lane has a prefix, it adds up all 32 sums and continues with \
         `nearest - 32`. If `nearest - l` is negative, there's no such tile, so the lane uses a \
         prefix of 0.",
    ],
    pitfalls: &[
        "Don't wait for the prefix of the previous tile. The result would be right, but each tile \
         would wait for all earlier tiles, one after the other. For 268 million integers on an \
         H100, a kernel that waits in this way takes more than ten times as long as one that looks \
         back.",
        "Don't store the status and the sum in two words without fences. Another block may see \
         the new status and still read the old sum.",
        "Don't publish a prefix with the status of a tile's own sum, or the other way round. \
         Otherwise, the tiles after it add too much or too little.",
        "CUDA doesn't promise that blocks start in the order of `blockIdx.x`. If a block waits for \
         a tile whose block hasn't started, and all multiprocessors are full of blocks that wait, \
         the kernel never ends.",
        "Don't forget to set the states to 0. `cudaMalloc` doesn't do that, and in a second call, \
         the memory may still contain the states of the first call.",
        "All threads have to reach the barrier after the look-back. Before it, thread 0 may \
         not have stored the sum that they add to their elements.",
    ],
    learn: "chapter 13, \"Tiles that look back\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    // Most sums of tiles are negative, so that a sign in the wrong half of a word shows.
    // In one case, they need all 32 bits.
    let scale = if case.name == LARGE_SUMS { 10_000 } else { 1 };
    let draw = || rng.random_range(-40 * scale..20 * scale);
    let values = ArrayD::from_shape_simple_fn(&[n][..], draw);
    vec![Value::Array(Array::I32(values)), ints(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![Array::I32(prefix_sums(&i32s(inputs, 0)))]
}

/// The inclusive prefix sums.
fn prefix_sums(values: &ArrayD<i32>) -> ArrayD<i32> {
    let mut sums = values.clone();
    sums.accumulate_axis_inplace(Axis(0), |before, sum| *sum += before);
    sums
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn each_element_is_part_of_its_own_sum() {
        let sums = prefix_sums(&array![2, -7, 1, 8].into_dyn());
        assert_eq!(sums, array![2, -5, -4, 4].into_dyn());
    }
}
