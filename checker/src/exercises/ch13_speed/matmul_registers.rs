//! A matrix product in which each thread keeps a square of results in registers.

use super::product;
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Op, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `matmul_registers`.
///
/// The exercise is a program, because other tiles need another launch. For the gated case's 131 072
/// products of warps, the skeleton makes 2 loads each, and 8192 stores. The solution makes 8192
/// loads of four floats and 1280 stores.
pub static SPEC: Spec = Spec {
    id: "matmul_registers",
    chapter: "ch13_speed",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 60,
    goal: "use each float from shared memory for several products",
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
        sized(
            "3 x 4 times 4 x 8",
            "one tile that is mostly empty",
            &[("rows", 3), ("inner", 4), ("cols", 8)],
        ),
        sized(
            "128 x 16 times 16 x 128",
            "one full tile; each row and each column has different results",
            &[("rows", 128), ("inner", 16), ("cols", 128)],
        ),
        sized(
            "130 x 36 times 36 x 132",
            "a few rows and columns in the tiles at the edges, and a last step that isn't full",
            &[("rows", 130), ("inner", 36), ("cols", 132)],
        ),
        sized(
            "1 x 300 times 300 x 4",
            "many steps for four elements",
            &[("rows", 1), ("inner", 300), ("cols", 4)],
        ),
        gated(sized(
            "256 x 64 times 64 x 256",
            "four full tiles of 128 x 128 elements",
            &[("rows", 256), ("inner", 64), ("cols", 256)],
        )),
        sized(
            "67 x 8 times 8 x 200",
            "more columns than rows",
            &[("rows", 67), ("inner", 8), ("cols", 200)],
        ),
    ],
    large: Some(sized("large", "", &[("rows", 4096), ("inner", 2048), ("cols", 4096)])),
    // a sum of up to 2048 products, which are added one after the other
    tolerance: Tolerance::Roundings(2048),
    gates: &[
        // With 4 x 4 elements for each thread, there are 16 384 loads of four floats, and up to
        // 2560 stores.
        Gate {
            metric: Metric::SharedRequests,
            op: Op::AtMost,
            target: 20_000.0,
            baseline: Some(270_336.0),
        },
        // Tiles of 64 x 64 elements need 64 * 2 / 64 floats for each element.
        at_most(Metric::BytesPerElement, 9.0),
        // Stores of a transposed tile may have some. If each load has one, there are 8192.
        at_most(Metric::SharedConflicts, 4_000.0),
        // all sums stay in registers
        at_most(Metric::LocalBytes, 0.0),
        exactly(Metric::Launches, 1.0),
        exactly(Metric::CopiesToDevice, 2.0),
        exactly(Metric::CopiesToHost, 1.0),
        shared_work(15_000.0),
    ],
    hints: &[
        "A multiplication and an addition together take one instruction, and so does a load from \
         shared memory. The kernel loads two floats for each product, so the multiplications can \
         take at most a third of the instructions. If a thread computes 2 x 2 elements, how many \
         floats does it load for its four products?",
        "For 4 x 4 elements, a thread needs 4 floats of `a` and 4 floats of `b` for each `k`, and \
         uses them for 16 products. Declare `float sums[4][4] = {}`, and use only loops with a \
         constant number of iterations, so that the compiler keeps the array in registers.",
        "A block of 256 threads computes 64 x 64 elements with 4 x 4 for each thread, or 128 x \
         128 with 8 x 8. Let all threads fill the tiles together, with an index that goes from \
         `threadIdx.x` in steps of 256 over all elements of the tile. Change the launch \
         accordingly.",
        "Load four floats with one instruction, with `*reinterpret_cast<float4*>(&b_tile[k][4 * \
         tx])`. The four floats of `a` have to be next to each other in memory, too, so store the \
         tile of `a` transposed: `a_tile[k][row]`.",
        "If each thread had 8 columns side by side, the columns of neighbouring threads would be \
         32 bytes apart, and their loads of 16 bytes would conflict. Give thread `tx` the columns \
         `4 * tx` to `4 * tx + 3`, and the same columns plus 64. To reduce conflicts in the stores \
         into the transposed tile, make its rows four floats longer.",
    ],
    pitfalls: &[
        "Don't give a thread so many elements that its registers run out. 8 x 8 sums need 64 \
         registers. With 16 x 16 sums, the compiler puts them into local memory, which is slow.",
        "Don't index `sums` with a number that the compiler doesn't know. Registers have no \
         addresses, so the compiler would put the array into local memory.",
        "Don't load a tile with one float for each thread. There are more elements in the tiles \
         than threads in the block.",
        "A group of four floats must begin at a multiple of 16 bytes. If you pad each row with one \
         float, that's no longer true for most of the rows.",
        "Don't forget the edges. `rows` can be any number, and a thread's 8 rows may end beyond \
         it.",
        "The loop still needs both barriers. Without the first one, a thread could use tiles that \
         aren't complete. Without the second one, a thread could overwrite tiles that another \
         thread is still using.",
    ],
    learn: "chapter 13, \"Results in registers\"",
    skeleton: Slug::GateMissed,
    inputs: product::inputs,
    reference,
};

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![product::reference(inputs)]
}
