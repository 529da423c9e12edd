//! The sum of a block as a tree: the number of busy warps depends on which threads work in a round.

use ndarray::{ArrayD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Op, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Threads per block, as in the skeleton.
const BLOCK: usize = 256;

/// `reduce_tree`.
///
/// The gates are counted on a single full block. In the interleaved tree, 47 branches split a warp:
/// 8 in each of the first 5 rounds, when every warp has work for some of its lanes, then 4, then 2,
/// and one in the last round. In the tree that folds the upper half, a branch splits a warp only in
/// the last 5 rounds, when one warp has work. The branch that stores the sum is one more. A kernel
/// with shuffles has up to 10, because each of the 8 warps selects the lane that passes its sum on,
/// and so does the warp that combines these sums.
pub static SPEC: Spec = Spec {
    id: "reduce_tree",
    chapter: "ch06_atomics",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 25,
    goal: "keep the active threads in as few warps as possible",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[n]"), floats_out("out", "[grid]"), count("n")],
    cases: &[
        gated(line("one full block", "a power of two, so the tree is complete", &[("n", 256)], 1)),
        line("100 elements", "most slots have no element", &[("n", 100)], 1),
        line("one element", "255 threads have no element", &[("n", 1)], 1),
        line(
            "255 elements",
            "an odd number of elements; one thread has no element",
            &[("n", 255)],
            1,
        ),
        line("257 elements", "the second block has one element", &[("n", 257)], 2),
        line("five blocks", "a sum for each block", &[("n", 1280)], 5),
        line(
            "10 007 elements",
            "a prime number, so the last block isn't full",
            &[("n", 10_007)],
            40,
        ),
    ],
    large: Some(case("large", "", &[("n", 1 << 24)], [65_536, 1], [256, 1])),
    // each element is part of eight additions
    tolerance: Tolerance::Roundings(8),
    gates: &[
        Gate {
            metric: Metric::DivergentBranches,
            op: Op::AtMost,
            target: 10.0,
            baseline: Some(48.0),
        },
        Gate { metric: Metric::SharedConflicts, op: Op::AtMost, target: 0.0, baseline: Some(0.0) },
        WRITTEN_ONCE,
        // 8 warps store, each warp with work in a round makes 3 requests, and one loads the sum
        Gate {
            metric: Metric::SharedRequests,
            op: Op::AtMost,
            target: 48.0,
            baseline: Some(150.0),
        },
        // if all threads add to a single slot, the kernel makes only 3 requests
        at_least(Metric::SharedRequests, 9.0),
        load_requests(8.0, Some(8.0)),
        shared_work(500.0),
    ],
    hints: &[
        "Look at warp 0. If `stride` is 1, threads 0, 2, 4 and so on have work. A warp executes a \
         branch as a whole, and the lanes without work are inactive. How many of the 8 warps are \
         busy in this round, and how many additions does the round need?",
        "Four full warps are enough for the 128 additions of the first round. It doesn't matter \
         which thread does which addition, so let threads 0 to 127 do them. Then all threads of \
         the other 4 warps are idle.",
        "`const int left = 2 * stride * tid;` makes the working threads neighbours. However, the \
         slots that they use are still 2, 4, 8 and more apart. As you know from chapter 4, this \
         causes bank conflicts.",
        "Begin with the largest distance. In the first round, thread `tid` adds slot `tid + 128` \
         to slot `tid` if `tid < 128`. The threads are neighbours, and the slots are neighbours, \
         too. In the next rounds, the distance is 64, then 32, and so on down to 1.",
        "Write `for (int stride = BLOCK / 2; stride > 0; stride /= 2)`, and inside this loop, \
         write `if (tid < stride)`. The addition and the barrier stay as they are.",
    ],
    pitfalls: &[
        "Don't put the barrier inside the `if`, because threads without work would never reach it.",
        "You could try to save work with `if (idx >= n) return;`, but then the threads without an \
         element would never reach the barriers, and they'd never write their slots. Let them \
         store a 0 instead, because it doesn't change the sum.",
        "Store a value in the slots of threads without an element, too. Shared memory isn't \
         cleared, so these slots would otherwise contain values of an earlier block.",
        "Don't halve an odd number of slots, because no thread would add the last slot.",
        "Don't leave out the synchronisation when only one warp has work, although old code does \
         this. Since Volta, the lanes of a warp don't have to execute the same instruction at the \
         same time, so even then, each round needs a `__syncwarp()`.",
        "If one thread adds up all the slots, there's hardly any divergence and there are no bank \
         conflicts, but this thread does 255 additions one after the other.",
    ],
    learn: "chapter 6, \"A tree in rounds\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn line(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: u32,
) -> Case {
    case(name, why, sizes, [grid, 1], [BLOCK as u32, 1])
}

/// Numbers of one sign, so that no sum cancels to nearly 0, where the tolerance would be too small.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let values = ArrayD::from_shape_simple_fn(&[n][..], || rng.random_range(0.5..10.0));
    vec![Value::Array(Array::F32(values)), out(&[n.div_ceil(BLOCK)]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![sums(&f64s(inputs, 0), BLOCK).into()]
}

/// The sum of each slice of `block` elements; the last slice may have fewer elements.
fn sums(values: &ArrayD<f64>, block: usize) -> ArrayD<f64> {
    values
        .axis_chunks_iter(Axis(0), block)
        .map(|chunk| chunk.sum())
        .collect::<ndarray::Array1<_>>()
        .into_dyn()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn each_block_has_a_sum_and_the_last_may_be_short() {
        let values = array![1.0, 2.5, -4.0, 8.0, 0.5].into_dyn();
        assert_eq!(sums(&values, 2), array![3.5, 4.0, 0.5].into_dyn());
        assert_eq!(sums(&values, 8), array![8.0].into_dyn());
    }
}
