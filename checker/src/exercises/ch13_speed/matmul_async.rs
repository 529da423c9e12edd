//! A matrix product that computes with one pair of tiles while the next one is copied.

use super::product;
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `matmul_async`.
///
/// The skeleton's and the solution's blocks need about 170 registers for each thread, so a
/// multiprocessor of an H100 holds only one of them.
pub static SPEC: Spec = Spec {
    id: "matmul_async",
    chapter: "ch13_speed",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 45,
    goal: "copy the next tiles to shared memory while a block multiplies",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("a", "[rows][inner]"),
        floats_in("b", "[inner][cols]"),
        floats_out("c", "[rows][cols]"),
        count("rows"),
        count("inner"),
        count("cols"),
    ],
    cases: &[
        tiles(
            "3 x 4 times 4 x 8",
            "one tile that is mostly empty",
            &[("rows", 3), ("inner", 4), ("cols", 8)],
            [1, 1],
        ),
        tiles(
            "128 x 16 times 16 x 128",
            "one full tile and no next one",
            &[("rows", 128), ("inner", 16), ("cols", 128)],
            [1, 1],
        ),
        tiles(
            "128 x 32 times 32 x 128",
            "two steps",
            &[("rows", 128), ("inner", 32), ("cols", 128)],
            [1, 1],
        ),
        tiles(
            "130 x 36 times 36 x 132",
            "a few rows and columns in the tiles at the edges, and a last step that isn't full",
            &[("rows", 130), ("inner", 36), ("cols", 132)],
            [2, 2],
        ),
        gated(tiles(
            "128 x 192 times 192 x 256",
            "twelve steps for each of two tiles",
            &[("rows", 128), ("inner", 192), ("cols", 256)],
            [2, 1],
        )),
        tiles(
            "1 x 300 times 300 x 4",
            "many steps for four elements",
            &[("rows", 1), ("inner", 300), ("cols", 4)],
            [1, 1],
        ),
    ],
    large: Some(tiles("large", "", &[("rows", 4096), ("inner", 2048), ("cols", 4096)], [32, 32])),
    // a sum of up to 2048 products, which are added one after the other
    tolerance: Tolerance::Roundings(2048),
    gates: &[
        Gate { baseline: Some(11.0), ..at_least(Metric::WorkDuringLoads, 800.0) },
        // 192 * 4 * 2 / 128
        at_most(Metric::BytesPerElement, 13.0),
        WRITTEN_ONCE,
        at_most(Metric::SharedRequests, 20_000.0),
        at_most(Metric::SharedConflicts, 4_000.0),
        at_most(Metric::LocalBytes, 0.0),
        // so that a kernel can't reach the count with useless instructions
        shared_work(30_500.0),
    ],
    hints: &[
        "Follow one iteration. Between which lines are loads in flight, and what does the block do \
         in the meantime? Which part of its work doesn't need the tiles that it's loading?",
        "Declare two pairs of tiles with `__shared__ Tiles tiles[2]`. They take 32 KiB, which fit \
         into shared memory. While the block computes with one pair, the copies fill the other \
         pair. In the next iteration, the two pairs change roles.",
        "Replace each assignment of four floats by `__pipeline_memcpy_async(to, from, 16, \
         zeros)`, where `zeros` is 0 inside the matrix and 16 outside, and end with \
         `__pipeline_commit()`. Begin the copies of the first pair before the loop.",
        "In the loop, wait with `__pipeline_wait_prior(0)`, put a barrier after it, begin the \
         copies of the next pair, and only then call `add_products`. There's no need for a second \
         barrier, because a thread reaches this one only after it has used the previous pair.",
    ],
    pitfalls: &[
        "Don't begin the copies of the next pair before the barrier. Another thread may still be \
         computing with the tiles that these copies overwrite.",
        "`__syncthreads()` doesn't wait for copies. Each thread has to wait for its own copies \
         first.",
        "Don't wait directly after you've begun the copies. The result would be right, but nothing \
         would overlap.",
        "In the last iteration, there's no next pair, so don't copy anything from beyond the end \
         of `inner`.",
        "A copy of 16 bytes keeps the order of its floats, so it can't fill a transposed tile.",
    ],
    learn: "chapter 13, \"Two tiles at a time\"",
    skeleton: Slug::GateMissed,
    inputs: product::inputs,
    reference,
};

const fn tiles(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [256, 1])
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![product::reference(inputs)]
}
