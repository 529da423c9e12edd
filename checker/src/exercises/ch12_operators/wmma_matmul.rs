//! A matrix product on tensor cores.

use ndarray::{Array2, Ix2};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `wmma_matmul`.
///
/// A product of two halves is exact, and so is a tensor core's sum of a few products, but the core
/// rounds each of its sums to a float towards zero. These errors all have the sign of the sum, so
/// they add up instead of cancelling like those of a random walk. In the longest case, a sum has
/// 256 products. Added in groups of 4, these take 64 roundings of less than eps times a partial
/// sum, which is rarely more than twice the mean magnitude of the results. So the bound is 2 * 64 =
/// 128 eps, and `Roundings(1024)` allows 4 * sqrt(1024) = 128 eps. A sum in half precision has an
/// eps of 2^-10, which is 8192 times as large.
pub static SPEC: Spec = Spec {
    id: "wmma_matmul",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 30,
    goal: "multiply matrices of halves on tensor cores, with sums of floats",
    cooperative: false,
    ordered: &[],
    params: &[
        halves_in("a", "[rows][inner]"),
        halves_in("b", "[inner][cols]"),
        floats_out("c", "[rows][cols]"),
        count("rows"),
        count("inner"),
        count("cols"),
    ],
    cases: &[
        product(
            "16 x 16 times 16 x 16",
            "one tile, and three warps without a tile",
            &[("rows", 16), ("inner", 16), ("cols", 16)],
            [1, 1],
        ),
        product(
            "16 x 64 times 64 x 16",
            "the sum of four products of tiles; a row of a is longer than a row of b",
            &[("rows", 16), ("inner", 64), ("cols", 16)],
            [1, 1],
        ),
        product(
            "48 x 32 times 32 x 80",
            "a row of b is longer than a row of a; the last warp of each block has no tile",
            &[("rows", 48), ("inner", 32), ("cols", 80)],
            [5, 1],
        ),
        product(
            "16 x 256 times 256 x 16",
            "long sums, which need the precision of a float",
            &[("rows", 16), ("inner", 256), ("cols", 16)],
            [1, 1],
        ),
        gated(product(
            "64 x 64 times 64 x 96",
            "24 tiles, each the sum of four products",
            &[("rows", 64), ("inner", 64), ("cols", 96)],
            [6, 1],
        )),
        product(
            "80 x 16 times 16 x 32",
            "below the first four rows of tiles, only one warp of each block has a tile",
            &[("rows", 80), ("inner", 16), ("cols", 32)],
            [2, 2],
        ),
    ],
    large: None,
    tolerance: Tolerance::Roundings(1024),
    gates: &[
        // 24 tiles, and four pairs of tiles for each
        at_least(Metric::MatrixProducts, 96.0),
        // products of single elements would take thousands
        shared_work(400.0),
        WRITTEN_ONCE,
    ],
    hints: &[
        "All 32 threads of a warp have to call the functions of `wmma` together, with the same \
         arguments. `row` is the same in all threads of a warp, so if `row >= rows`, all of them \
         can return. The kernel needs no other condition.",
        "The three types are `wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, \
         wmma::row_major>`, the same with `wmma::matrix_b`, and `wmma::fragment<wmma::accumulator, \
         TILE, TILE, TILE, float>`, which needs no layout. `wmma::fill_fragment` sets the sums \
         to 0.",
        "The tile of `a` begins in row `row` and column `k`, and the tile of `b` in row `k` and \
         column `col`. `load_matrix_sync` takes the address of a tile's first element and the \
         length of a row of the whole matrix, which isn't the same for `a` and `b`.",
        "The loop is `for (int k = 0; k < inner; k += TILE)`. It loads both tiles, the first one \
         with `wmma::load_matrix_sync(a_tile, a + row * inner + k, inner)`, and adds their product \
         with `wmma::mma_sync(sums, a_tile, b_tile, sums)`. After the loop, \
         `wmma::store_matrix_sync` stores the sums at `c + row * cols + col`, where a row has \
         `cols` elements.",
    ],
    pitfalls: &[
        "Don't let a single thread load a tile. The elements of a fragment are in the registers of \
         all 32 threads, and each thread loads its own part.",
        "Don't pass a different address in each thread. The address is that of the tile, and \
         `wmma` finds out which elements a thread needs.",
        "Don't use `__half` for the sums. Each step would round them to 11 bits.",
        "If you declare the fragment of `b` with `col_major`, the load transposes the tile. The \
         fragment must have the same layout as the matrix in memory.",
    ],
    learn: "chapter 12, \"A warp multiplies tiles\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

const fn product(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [32, 4])
}

fn sizes(case: &Case) -> [usize; 3] {
    ["rows", "inner", "cols"].map(|name| case.size(name))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [rows, inner, cols] = sizes(case);
    let (a, b) =
        (halves(rng, &[rows, inner], -10.0..10.0), halves(rng, &[inner, cols], -10.0..10.0));
    [a, b, out(&[rows, cols])].into_iter().chain(sizes(case).map(int)).collect()
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let [a, b] = [0, 1].map(|i| f64s(inputs, i).into_dimensionality::<Ix2>().expect("a matrix"));
    vec![times(&a, &b).into_dyn().into()]
}

fn times(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    a.dot(b)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// 1 * 7 + 2 * 9 = 25, and so on.
    #[test]
    fn rows_times_columns() {
        let a = array![[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]];
        let b = array![[7.0, 8.0], [9.0, 10.0]];
        assert_eq!(times(&a, &b), array![[25.0, 28.0], [57.0, 64.0], [-9.0, -10.0]]);
    }
}
