//! A matrix product in which a block loads tiles together, and every thread uses elements that
//! other threads have loaded.

use ndarray::{Array2, Ix2};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Op, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `matmul_tiled`.
pub static SPEC: Spec = Spec {
    id: "matmul_tiled",
    chapter: "ch04_shared",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 55,
    goal: "load an element once and use it sixteen times",
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
        product(
            "5 x 7 times 7 x 3",
            "one block and one iteration, with tiles that are mostly empty",
            &[("rows", 5), ("inner", 7), ("cols", 3)],
            [1, 1],
        ),
        product(
            "3 x 20 times 20 x 2",
            "the second iteration has only four products for each element",
            &[("rows", 3), ("inner", 20), ("cols", 2)],
            [1, 1],
        ),
        product(
            "16 x 48 times 48 x 32",
            "three iterations with whole tiles",
            &[("rows", 16), ("inner", 48), ("cols", 32)],
            [2, 1],
        ),
        product(
            "70 x 45 times 45 x 33",
            "the tiles at the edges are only partly full",
            &[("rows", 70), ("inner", 45), ("cols", 33)],
            [3, 5],
        ),
        product(
            "17 x 1 times 1 x 40",
            "a single product for each element",
            &[("rows", 17), ("inner", 1), ("cols", 40)],
            [3, 2],
        ),
        product(
            "1 x 100 times 100 x 1",
            "a single element; its sum needs seven iterations of the loop",
            &[("rows", 1), ("inner", 100), ("cols", 1)],
            [1, 1],
        ),
        gated(product(
            "64 x 128 times 128 x 96",
            "eight iterations with whole tiles",
            &[("rows", 64), ("inner", 128), ("cols", 96)],
            [6, 4],
        )),
    ],
    large: Some(case(
        "large",
        "",
        &[("rows", 2048), ("inner", 1024), ("cols", 4096)],
        [256, 128],
        [16, 16],
    )),
    // a sum of up to 1024 products, which are added one after the other
    tolerance: Tolerance::Roundings(1024),
    gates: &[
        // An element of `c` needs 128 elements of `a` and 128 elements of `b`. With tiles of
        // 16 x 16 elements, 16 threads use each element that is loaded.
        Gate {
            metric: Metric::LoadsPerElement,
            op: Op::AtMost,
            target: 16.8,
            baseline: Some(256.0),
        },
        WRITTEN_ONCE,
        // two tiles of 16 x 16 floats
        at_most(Metric::SharedBytes, 2048.0),
        shared_work(4_000.0),
    ],
    hints: &[
        "Take one block of 16 x 16 threads. Thread (`tx`, `ty`) needs a row of `a` and a column of \
         `b`. Which other threads of the block need the same row, and which threads need the same \
         column?",
        "If the matrices are large, whole rows and columns don't fit into shared memory. But each \
         thread can compute its sum in pieces of 16 products. For each piece, the block needs a \
         tile of 16 x 16 elements of `a` and a tile of 16 x 16 elements of `b`.",
        "In each iteration, every thread loads one element of `a` and one element of `b`. Thread \
         (`tx`, `ty`) loads the elements in row `ty` and column `tx` of the two tiles. From one \
         iteration to the next, the tile of `a` moves to the right and the tile of `b` moves down.",
        "There are two barriers in an iteration. No thread may compute before both tiles are \
         complete, and no thread may load the next tiles before all threads have finished \
         computing. All threads have to reach both barriers, even the threads without an element \
         of `c`. If a thread has no element of `a` or `b` to load, it stores 0 in the tile.",
        "Write a loop `for (int first = 0; first < inner; first += TILE)`. In the loop, fill the \
         tile of `a` with `a_tile[ty][tx] = row < rows && first + tx < inner ? a[row * inner + \
         first + tx] : 0.0f;`, and fill the tile of `b` in the same way, from row `first + ty` of \
         `b`. After a barrier, add up the 16 products of `a_tile[ty][k]` and `b_tile[k][tx]`, and \
         end the iteration with another barrier. Keep the guard around the store.",
    ],
    pitfalls: &[
        "One barrier in the loop isn't enough. Without the second barrier, a fast warp may load \
         the next tiles while a slow warp is still reading the current tiles. The results may \
         still be right, but the kernel has a race.",
        "Don't return early for threads without an element of `c`. These threads still have to \
         load elements, and to reach the barriers.",
        "Fill the cells beyond the edge of `a` or `b` with zeros. If you leave them unwritten, \
         they contain arbitrary values or elements of the previous iteration, which make the sum \
         wrong.",
        "If the loop has only `inner / TILE` iterations, the sum lacks the last `inner % TILE` \
         products.",
        "A guard isn't enough if it only checks `rows` and `cols`. A tile of `a` can extend beyond \
         the end of a row of `a`, where the next row begins in memory.",
    ],
    learn: "chapter 4, \"Load once, use sixteen times\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn product(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [16, 16])
}

fn sizes(case: &Case) -> [usize; 3] {
    ["rows", "inner", "cols"].map(|name| case.size(name))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [rows, inner, cols] = sizes(case);
    let arrays = [uniform(rng, &[rows, inner]), uniform(rng, &[inner, cols]), out(&[rows, cols])];
    arrays.into_iter().chain(sizes(case).map(int)).collect()
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

    /// 1 * 7 + 2 * 9 + 3 * 11 = 58, and so on.
    #[test]
    fn rows_times_columns() {
        let a = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let b = array![[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]];
        assert_eq!(times(&a, &b), array![[58.0, 64.0], [139.0, 154.0]]);
    }
}
