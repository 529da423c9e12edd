//! A transpose whose loads and stores are coalesced, because a tile in shared memory changes their
//! direction.

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
        tiles("1 x 50", "a row becomes a column", &[("rows", 1), ("cols", 50)], [2, 1]),
        tiles("33 x 1", "a column becomes a row", &[("rows", 33), ("cols", 1)], [1, 2]),
        gated(tiles(
            "96 x 160",
            "the rows of both matrices consist of whole sectors",
            &[("rows", 96), ("cols", 160)],
            [5, 3],
        )),
    ],
    large: Some(case("large", "", &[("rows", 4096), ("cols", 8192)], [256, 128], [32, 32])),
    tolerance: Tolerance::Exact,
    // A request along a row needs 4 sectors, and a request along a column needs 32. The average is
    // 18 for one of each, and 4 if all requests go along rows.
    gates: &[
        sectors(8, 4.5, 18.0),
        WRITTEN_ONCE,
        load_requests(480.0, Some(480.0)),
        shared_work(300.0),
    ],
    hints: &[
        "Look at one warp. All its lanes have the same `ty`, and `tx` goes from 0 to 31. Do the \
         warp's loads go along a row of `in` or along a column? And do its stores go along a row \
         of `out` or along a column?",
        "In global memory, both the loads and the stores have to go along the rows. So the change \
         of direction has to happen in between, in shared memory, which isn't divided into \
         sectors. A tile of `SIDE` x `SIDE` elements has one element for each thread.",
        "On the way into the tile, thread (`tx`, `ty`) stores the element of its row and column in \
         `tile[ty][tx]`. On the way out of the tile, `tx` should run along a row of `out`. Which \
         cell of the tile does a thread have to read then?",
        "The block loads its tile from tile row `blockIdx.y` and tile column `blockIdx.x` of `in`, \
         and stores it in tile row `blockIdx.x` and tile column `blockIdx.y` of `out`. Inside this \
         tile of `out`, the element in row `ty` and column `tx` is `tile[tx][ty]`.",
        "Write `tile[ty][tx] = in[row * cols + col];` inside its guard, and then \
         `__syncthreads();`. After the barrier, compute `out_row = blockIdx.x * SIDE + ty` and \
         `out_col = blockIdx.y * SIDE + tx`, and write `out[out_row * rows + out_col] = \
         tile[tx][ty];` inside the guard `out_row < cols && out_col < rows`.",
    ],
    pitfalls: &[
        "If you transpose each tile but store it at its old position, or if you move the tiles \
         without transposing them, the result is wrong, because you need both steps. You can't see \
         the first mistake in a matrix that fits into one tile.",
        "Don't leave out the barrier. One thread loads an element from `in` into the tile, and \
         another thread reads it there and stores it in `out`. The second thread has to wait for \
         the first.",
        "Don't use the same guard for the load and for the store. A thread may have an element of \
         `in` to load, but no element of `out` to store.",
        "Don't return early for threads without an element of `in`. All threads of the block have \
         to reach the barrier, and some of the threads without an element of `in` have an element \
         of `out` to store.",
        "Don't write `cols` instead of `rows` in the index of `out`. A row of `out` has `rows` \
         elements. With a square matrix, you can't see the difference.",
    ],
    learn: "chapter 4, \"Change direction in shared memory\"",
    skeleton: Slug::Uncoalesced,
    inputs,
    reference,
};

/// Blocks of 32 x 32 threads, with one tile for each block.
const fn tiles(
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
        // the elements must have this order in memory, too, because outputs are compared in it
        assert_eq!(turned.as_slice(), Some(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0][..]));
    }
}
