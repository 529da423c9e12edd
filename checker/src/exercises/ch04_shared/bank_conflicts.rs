//! The same transpose, without the bank conflicts from reading a column of the tile.

use super::tile_transpose::{inputs, reference};
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Op, Spec, Start, Tolerance};

/// `bank_conflicts`.
pub static SPEC: Spec = Spec {
    id: "bank_conflicts",
    chapter: "ch04_shared",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 20,
    goal: "read a column of a tile without bank conflicts",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[rows][cols]"),
        floats_out("out", "[cols][rows]"),
        count("rows"),
        count("cols"),
    ],
    cases: &[
        tiles("32 x 96", "three whole tiles side by side", &[("rows", 32), ("cols", 96)], [3, 1]),
        tiles("3 x 5", "a tile that's nearly empty", &[("rows", 3), ("cols", 5)], [1, 1]),
        tiles(
            "70 x 45",
            "the tiles at two edges are only partly full",
            &[("rows", 70), ("cols", 45)],
            [2, 3],
        ),
        tiles("33 x 1", "a column becomes a row", &[("rows", 33), ("cols", 1)], [1, 2]),
        gated(tiles(
            "128 x 512",
            "64 whole tiles, so every warp is full",
            &[("rows", 128), ("cols", 512)],
            [16, 4],
        )),
    ],
    large: Some(case("large", "", &[("rows", 4096), ("cols", 8192)], [256, 128], [32, 8])),
    tolerance: Tolerance::Exact,
    gates: &[
        // 2048 warps read a column, and each of these reads takes 31 wavefronts too many
        Gate { baseline: Some(63_488.0), ..exactly(Metric::SharedConflicts, 0.0) },
        // each of 2048 warps makes one write and one read; none may be split or left out
        down_to(Metric::SharedRequests, 4096.0, 4096.0),
        Gate {
            metric: Metric::SharedBytes,
            op: Op::AtMost,
            target: 4224.0,
            baseline: Some(4096.0),
        },
        sectors(8, 4.5, 4.0),
        WRITTEN_ONCE,
        shared_work(400.0),
    ],
    hints: &[
        "Word `i` of the tile is in bank `i % 32`, and `tile[tx][y]` is word `32 * tx + y`. The \
         lanes of a warp have 32 different values of `tx` and the same value of `y`. In how many \
         different banks are their words?",
        "Two lanes conflict if they need different words of the same bank. How far apart should \
         the words of neighbouring lanes be, so that every lane needs a different bank?",
        "This distance is the row length of the tile. A row can contain more words than you use.",
        "Declare `tile[SIDE][SIDE + 1]`. Row `r` then begins in bank `r % 32`, and the words of a \
         column are in 32 different banks. You don't have to change any index.",
    ],
    pitfalls: &[
        "Don't add two words to each row. With rows of 34 words, lanes 0 and 16 conflict, because \
         `34 * 16` is a multiple of 32. The row length has to be odd.",
        "If you add a row instead of a column, as in `tile[SIDE + 1][SIDE]`, the additional words \
         are at the end of the tile, so every row begins in bank 0 as before.",
        "If you write `tile[tx][y]` on the way into the tile and read `tile[y][tx]` on the way \
         out, you only move the conflicts from the read to the write.",
        "If you remove the tile, the kernel has no conflicts, but each store moves 32 sectors \
         again.",
        "If you swizzle the tile (for example, with column `tx ^ y`), change both the writes and \
         the reads. When you store an element in another column, you also have to read it from \
         that column.",
    ],
    learn: "chapter 4, \"Thirty-two banks\"",
    skeleton: Slug::BankConflict,
    inputs,
    reference,
};

/// Blocks of 32 x 8 threads, with one tile of 32 x 32 elements for each block.
const fn tiles(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [32, 8])
}
