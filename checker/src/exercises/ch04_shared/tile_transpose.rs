//! A transpose that is coalesced both ways: the matrix turns around in shared memory.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `tile_transpose`.
pub static SPEC: Spec = Spec {
    id: "tile_transpose",
    chapter: "ch04_shared",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 25,
    goal: "read along rows and write along rows",
    cooperative: false,
    params: &[
        floats_in("in", "[rows][cols]"),
        floats_out("out", "[cols][rows]"),
        count("rows"),
        count("cols"),
    ],
    cases: &[
        tiles("32 x 96", "three whole tiles in a row", &[("rows", 32), ("cols", 96)], [3, 1]),
        tiles("3 x 5", "a tile that is nearly empty", &[("rows", 3), ("cols", 5)], [1, 1]),
        tiles(
            "70 x 45",
            "tiles that are only partly full, on two sides",
            &[("rows", 70), ("cols", 45)],
            [2, 3],
        ),
        tiles("1 x 50", "a row becomes a column", &[("rows", 1), ("cols", 50)], [2, 1]),
        tiles("33 x 1", "a column becomes a row", &[("rows", 33), ("cols", 1)], [1, 2]),
        gated(tiles(
            "96 x 160",
            "rows of either matrix are whole sectors",
            &[("rows", 96), ("cols", 160)],
            [5, 3],
        )),
    ],
    large: Some(case("large", "", &[("rows", 4096), ("cols", 8192)], [256, 128], [32, 32])),
    tolerance: Tolerance::Exact,
    // a row is 4 sectors, a column 32: 18 on average, and 4 when both are rows
    gates: &[sectors(4.5, 18.0), WRITTEN_ONCE, load_requests(480.0, Some(480.0))],
    hints: &[
        "Look at one warp: ty is the same for all its lanes, tx is 0 to 31. Along what do its loads run, and along \
         what do its stores?",
        "Global memory wants both along rows. So the turn has to happen in between, where a column costs nothing \
         more than a row: in shared memory. A tile of SIDE x SIDE holds one element for each thread.",
        "On the way in, thread (tx, ty) brings the element of its row and column to tile[ty][tx]. On the way out, let \
         tx run along a row of `out`: which cell of the tile belongs there?",
        "The tile that was read at tile row blockIdx.y, tile column blockIdx.x of `in` belongs at tile row \
         blockIdx.x, tile column blockIdx.y of `out`. Inside it, row ty and column tx of `out` are tile[tx][ty].",
        "tile[ty][tx] = in[row * cols + col] under its guard; __syncthreads(); then out_row = blockIdx.x * SIDE + ty, \
         out_col = blockIdx.y * SIDE + tx, and out[out_row * rows + out_col] = tile[tx][ty], under the guard \
         out_row < cols && out_col < rows.",
    ],
    pitfalls: &[
        "Turning the tiles and leaving them where they are, or moving them and not turning them. Both are needed; one \
         block, or one element in each tile, shows neither.",
        "No barrier. The element that a thread writes was brought by another one.",
        "One guard for both ways. A thread can have an element on the way in and none on the way out.",
        "`return` for threads without an element of `in`. The others wait for them, and some of them are needed on the way \
         out.",
        "cols for rows in the index of `out`: its rows are `rows` elements long. On a square matrix you cannot see the difference.",
    ],
    learn: "chapter 4, \"Turn around where it is cheap\"",
    skeleton: Slug::Uncoalesced,
    inputs,
    reference,
};

/// Blocks of 32 x 32 threads, a tile each.
pub(super) const fn tiles(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [32, 32])
}

pub(super) fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    vec![uniform(rng, &[rows, cols]), out(&[cols, rows]), int(rows), int(cols)]
}

pub(super) fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![transposed(&f64s(inputs, 0)).into()]
}

fn transposed(matrix: &ArrayD<f64>) -> ArrayD<f64> {
    matrix.t().as_standard_layout().into_owned()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn rows_become_columns() {
        let matrix = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].into_dyn();
        let turned = transposed(&matrix);
        assert_eq!(turned, array![[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]].into_dyn());
        // element by element in memory, too: outputs are compared in that order
        assert_eq!(turned.as_slice(), Some(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0][..]));
    }
}
