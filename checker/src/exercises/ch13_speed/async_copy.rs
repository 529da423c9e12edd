//! A filter that computes with one tile while the next ones are copied to shared memory.

use ndarray::{Array1, ArrayD};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Elements that a result depends on, as in the skeleton.
const TAPS: usize = 32;

/// `async_copy`.
///
/// In the gated case, each of two blocks has twelve tiles. The large case has two blocks for each
/// of an H100's multiprocessors, so they can't hide each other's waits.
pub static SPEC: Spec = Spec {
    id: "async_copy",
    chapter: "ch13_speed",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 40,
    goal: "copy the next tiles to shared memory while a block computes",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        of_256("100 elements", "one tile that isn't full", &[("n", 100)], 1),
        of_256("three tiles", "one block with three full tiles", &[("n", 3072)], 1),
        of_256("two blocks", "each block has two or three tiles", &[("n", 5000)], 2),
        of_256("four elements", "the smallest array", &[("n", 4)], 1),
        gated(of_256("24 tiles", "twelve tiles for each block", &[("n", 24 * 1024)], 2)),
        of_256("more blocks than tiles", "three blocks have no tile at all", &[("n", 2044)], 5),
        of_256("one block", "ten tiles, the last of which isn't full", &[("n", 9_236)], 1),
    ],
    large: Some(of_256("large", "", &[("n", 1 << 26)], 264)),
    // a product and an addition for each of 32 terms, and the roundings of the weights
    tolerance: Tolerance::Roundings(96),
    gates: &[
        Gate { baseline: Some(1.0), ..at_least(Metric::WorkDuringLoads, 200.0) },
        // Loads beyond those of the tiles would only raise the average.
        at_most(Metric::BytesPerElement, 4.3),
        WRITTEN_ONCE,
        at_most(Metric::LocalBytes, 0.0),
        // so that a kernel can't reach the count with useless instructions
        shared_work(4_400.0),
    ],
    hints: &[
        "In which line of the loop does a block wait? Which later loads could it begin before it \
         waits, if there were room for another tile?",
        "Include `<cuda_pipeline.h>`. `__pipeline_memcpy_async(to, from, 16)` begins a copy of 16 \
         bytes from global to shared memory, `__pipeline_commit()` makes a group of the copies \
         that this thread has begun since the last call, and `__pipeline_wait_prior(n)` waits \
         until at most the newest `n` groups are still in flight.",
        "With two tiles, begin the copies of the first tile before the loop. In each iteration, \
         begin the copies of the next tile, wait with `__pipeline_wait_prior(1)` for the copies of \
         this one, and put a barrier after the wait. Put another barrier at the end of the \
         iteration, so that no thread overwrites the tile before all threads have used it.",
        "Beyond the end of `in`, the elements count as 0. As a fourth argument, \
         pass `__pipeline_memcpy_async` the number of bytes that it should set to zero instead of \
         copying them, here 16 or 0. Call `__pipeline_commit()` in each iteration, even if there \
         is no next tile, so that the number of groups stays right.",
        "With more tiles, more bytes are in flight. If there are `STAGES` tiles, begin the first \
         `STAGES - 1` copies before the loop. In the loop, wait with `__pipeline_wait_prior(STAGES \
         - 2)`, put a barrier after it, and then begin the copies into the tile that the block \
         used in the previous iteration. A second barrier isn't necessary.",
    ],
    pitfalls: &[
        "`__syncthreads()` doesn't wait for asynchronous copies. Each thread has to wait for its \
         own copies first, and the barrier then makes them visible to the others.",
        "Don't leave out the barrier after the wait. A thread waits only for the copies that it \
         has begun itself.",
        "Don't begin copies into a tile that another thread may still be reading. There has to be \
         a barrier between the last use of a tile and the first copy into it.",
        "If you skip the commit when there's no next tile, `__pipeline_wait_prior(1)` doesn't wait \
         for the copies of the last tile, because they're the newest group.",
        "`__pipeline_memcpy_async` copies 4, 8 or 16 bytes, and both addresses have to be \
         multiples of this number of bytes.",
    ],
    learn: "chapter 13, \"Two tiles at a time\"",
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
    vec![uniform(rng, &[n]), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![filtered(&f64s(inputs, 0)).into_dyn().into()]
}

/// The weighted sums of [`TAPS`] elements from each one on.
fn filtered(values: &ArrayD<f64>) -> Array1<f64> {
    let values: Vec<f64> = values.iter().copied().collect();
    let sum = |i: usize| {
        let terms = values[i..].iter().take(TAPS).enumerate();
        terms.map(|(k, value)| value / (k + 1) as f64).sum()
    };
    (0..values.len()).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_last_elements_have_fewer_terms() {
        let found = filtered(&array![4.0, 2.0, 6.0].into_dyn());
        assert_eq!(found, array![4.0 + 1.0 + 2.0, 2.0 + 3.0, 6.0]);
    }
}
