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
/// Elements that a block adds up: eight for each thread.
const ELEMENTS: usize = 8 * BLOCK;

/// `reduce_tree`.
///
/// The gates are counted on a single full block, whose skeleton executes eight trees. In an
/// interleaved tree, 47 branches split a warp: 8 in each of the first 5 rounds, when every warp has
/// work for some of its lanes, then 4, then 2, and one in the last round. In the tree that folds
/// the upper half, a branch splits a warp only in the last 5 rounds, when one warp has work. The
/// branch that stores the sum is one more. A kernel with shuffles has up to 10, because each of the
/// 8 warps selects the lane that passes its sum on, and so does the warp that combines these sums.
pub static SPEC: Spec = Spec {
    id: "reduce_tree",
    chapter: "ch06_atomics",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 25,
    goal: "add up in registers first, and keep the active threads in as few warps as possible",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[n]"), floats_out("out", "[grid]"), count("n")],
    cases: &[
        gated(line("one full block", "each thread has eight elements", &[("n", ELEMENTS)], 1)),
        line("100 elements", "most threads have no element", &[("n", 100)], 1),
        line("one element", "255 threads have no element", &[("n", 1)], 1),
        line(
            "2047 elements",
            "an odd number of elements; one thread has seven elements instead of eight",
            &[("n", 2047)],
            1,
        ),
        line("2049 elements", "the second block has one element", &[("n", 2049)], 2),
        line("five blocks", "a sum for each block", &[("n", 10_240)], 5),
        line(
            "10 007 elements",
            "a prime number, so the last block isn't full",
            &[("n", 10_007)],
            5,
        ),
    ],
    large: Some(case("large", "", &[("n", 1 << 26)], [32_768, 1], [256, 1])),
    // each element is part of up to eight additions in its thread, and of eight in the tree
    tolerance: Tolerance::Roundings(16),
    gates: &[
        Gate {
            metric: Metric::DivergentBranches,
            op: Op::AtMost,
            target: 10.0,
            baseline: Some(377.0),
        },
        Gate { metric: Metric::SharedConflicts, op: Op::AtMost, target: 0.0, baseline: Some(0.0) },
        WRITTEN_ONCE,
        // 8 warps store, each warp with work in a round makes 3 requests, and one loads the sum
        Gate {
            metric: Metric::SharedRequests,
            op: Op::AtMost,
            target: 48.0,
            baseline: Some(1256.0),
        },
        // if all threads add to a single slot, the kernel makes only 3 requests
        at_least(Metric::SharedRequests, 9.0),
        load_requests(64.0, Some(64.0)),
        // one sum for 2048 elements
        sectors(4 * (ELEMENTS as u32 + 1), 4.5, 4.0),
        shared_work(200.0),
    ],
    hints: &[
        "How many barriers does a thread reach for its eight elements? You may do the additions in \
         any order. Which additions could each thread do on its own, without waiting for any other \
         thread?",
        "Let each thread add up its own elements in a variable, one element from each tile. After \
         this loop, the block has 256 sums, one for each thread, and a single tree combines them.",
        "Now look at warp 0 in the tree. If `stride` is 1, threads 0, 2, 4 and so on have work. A \
         warp executes a branch as a whole, and the lanes without work are inactive. The 128 \
         additions of the first round are work for 4 full warps, and it doesn't matter which \
         thread does which addition. So let threads 0 to 127 do them.",
        "`const int left = 2 * stride * tid;` makes the working threads neighbours. However, the \
         slots that they use are still 2, 4, 8 and more apart. As you know from chapter 4, this \
         causes bank conflicts.",
        "Begin with the largest distance. In the first round, thread `tid` adds slot `tid + 128` \
         to slot `tid` if `tid < 128`. The threads are neighbours, and the slots are neighbours, \
         too. In the next rounds, the distance is 64, then 32, and so on down to 1.",
        "In the loop over the tiles, write only `mine += idx < n ? in[idx] : 0.0f;`. After the \
         loop, store `mine` in `tile[tid]`, and wait at a barrier. Then write `for (int stride = \
         BLOCK / 2; stride > 0; stride /= 2)`, and inside this loop, write `if (tid < stride)`. \
         The addition and the barrier of a round stay as they are.",
    ],
    pitfalls: &[
        "Don't let each thread add up eight neighbouring elements. Neighbouring threads would then \
         load elements that are 32 bytes apart, so each lane would need a sector of its own.",
        "Don't put the barrier inside the `if`, because threads without work would never reach it.",
        "You could try to save work with `if (first >= n) return;`, but then the threads without \
         an element would never reach the barriers, and they'd never write their slots. Their sum \
         is 0, which doesn't change the result, so let them store it.",
        "The number of slots must be a power of two. If you halve an odd number, no thread adds \
         the last slot.",
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
    vec![Value::Array(Array::F32(values)), out(&[n.div_ceil(ELEMENTS)]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![sums(&f64s(inputs, 0), ELEMENTS).into()]
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
