//! The smallest kernel in which threads of a block read each other's data, with one barrier between
//! a write and a read.

use ndarray::{Array1, ArrayD};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `reverse_sync`.
pub static SPEC: Spec = Spec {
    id: "reverse_sync",
    chapter: "ch04_shared",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 10,
    goal: "wait until every thread has written its element",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[n]"), floats_out("out", "[n]")],
    cases: &[
        blocks(
            "3 blocks of 64",
            "each of the two warps in a block reads the elements that the other warp writes",
            &[("n", 192)],
            3,
            64,
        ),
        blocks("one warp", "CUDA guarantees no order even within a warp", &[("n", 32)], 1, 32),
        blocks(
            "4 blocks of 96",
            "the warp in the middle reads only elements that it has written itself",
            &[("n", 384)],
            4,
            96,
        ),
        blocks("one thread", "the only element stays where it is", &[("n", 1)], 1, 1),
        gated(blocks("5 blocks of 256", "eight warps in each block", &[("n", 1280)], 5, 256)),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[
        WRITTEN_ONCE,
        // 40 warps, each of which makes a store and a load
        at_least(Metric::SharedRequests, 80.0),
        load_requests(40.0, None),
        exactly(Metric::Barriers, 1.0),
        shared_work(150.0),
    ],
    hints: &[
        "In the first case, a block has two warps, and the kernel has two lines that use the tile. \
         Either warp may run first. What does a thread of warp 0 read if warp 1 hasn't started \
         yet?",
        "Each thread writes one slot and reads another slot. Before which line must all threads of \
         the block have written their slots?",
        "A barrier makes each thread wait until all threads of the block have arrived. Where does \
         the barrier have to be, so that every write comes before it and every read comes after \
         it?",
        "Insert one line, `__syncthreads();`, between the line that fills the tile and the line \
         that reads it.",
    ],
    pitfalls: &[
        "If you put the barrier before the line that fills the tile, all threads pass the barrier \
         before any of them has written its slot.",
        "`__syncthreads;` without parentheses compiles, but it only names the function and doesn't \
         call it.",
        "`__syncwarp()` isn't enough. It waits only for the 32 threads of one warp, so the threads \
         of another warp may not have written their slots yet.",
        "Neither `volatile` nor a fence such as `__threadfence_block()` (chapter 6) is enough. \
         With `volatile`, the compiler keeps each access, and with a fence, other threads see the \
         accesses in order. However, no thread waits for another thread in either case.",
        "Don't leave the kernel as it is, even if the results are right. A kernel with a race can \
         compute right results in one run and wrong results in the next run or on another GPU.",
    ],
    learn: "chapter 4, \"A barrier between write and read\"",
    skeleton: Slug::SharedRace,
    inputs,
    reference,
};

const fn blocks(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: u32,
    block: u32,
) -> Case {
    case(name, why, sizes, [grid, 1], [block, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), out(&[n])]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![reversed(&f64s(inputs, 0), case.block[0] as usize).into()]
}

/// Each slice of `block` elements, reversed.
fn reversed(data: &ArrayD<f64>, block: usize) -> ArrayD<f64> {
    let flat: Vec<f64> = data.iter().copied().collect();
    let turned = flat.chunks(block).flat_map(|slice| slice.iter().rev().copied());
    Array1::from_iter(turned).into_dyn()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn turns_each_slice_around_and_leaves_it_where_it_is() {
        let data = array![1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into_dyn();
        assert_eq!(reversed(&data, 3), array![3.0, 2.0, 1.0, 6.0, 5.0, 4.0].into_dyn());
        assert_eq!(reversed(&data, 1), data);
    }
}
