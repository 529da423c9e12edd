//! Edges of an image, with weights in constant memory, a tile with a halo on all four sides, and
//! three kinds of border.

use ndarray::Array2;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Op, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Pixels outside of the image are 0.
const ZERO: usize = 0;
/// The pixel at the edge repeats.
const CLAMP: usize = 1;
/// The image repeats from the other side.
const WRAP: usize = 2;

/// `sobel_const`.
pub static SPEC: Spec = Spec {
    id: "sobel_const",
    chapter: "ch09_images",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Write,
    minutes: 40,
    goal: "find edges with a tile and its halo",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("image", "[height][width]"),
        floats_out("out", "[height][width]"),
        floats_in("smooth", "[3]"),
        floats_in("slope", "[3]"),
        count("height"),
        count("width"),
        count("border"),
    ],
    cases: &[
        sized(
            "5 x 7, zeros outside",
            "one block, small enough to draw",
            &[("height", 5), ("width", 7), ("border", ZERO)],
        ),
        sized(
            "5 x 7, edges repeat",
            "the same size; a neighbour beyond an edge is the nearest pixel of the image",
            &[("height", 5), ("width", 7), ("border", CLAMP)],
        ),
        sized(
            "5 x 7, image repeats",
            "the same size; a neighbour beyond an edge is a pixel of the opposite edge",
            &[("height", 5), ("width", 7), ("border", WRAP)],
        ),
        sized(
            "one pixel",
            "the pixel is its own neighbour on all sides",
            &[("height", 1), ("width", 1), ("border", WRAP)],
        ),
        sized(
            "one row of 100",
            "the image has no pixels above or below the row",
            &[("height", 1), ("width", 100), ("border", ZERO)],
        ),
        sized(
            "67 x 101, edges repeat",
            "several blocks; the last block of each row and column is only partly full",
            &[("height", 67), ("width", 101), ("border", CLAMP)],
        ),
        sized(
            "33 x 65, image repeats",
            "whole blocks, and one more row and one more column of pixels",
            &[("height", 33), ("width", 65), ("border", WRAP)],
        ),
        gated(sized(
            "96 x 160, edges repeat",
            "whole blocks, in which every thread has a pixel",
            &[("height", 96), ("width", 160), ("border", CLAMP)],
        )),
    ],
    large: None,
    // two sums of nine products of two weights each, and their sum
    tolerance: Tolerance::Roundings(24),
    gates: &[
        // A block of 32 x 32 pixels needs 34 * 34 / 1024 = 1.13 loads for each pixel, and a block
        // of 32 x 8 pixels needs 34 * 10 / 256 = 1.33. Without a tile, it would be 9.
        Gate { metric: Metric::LoadsPerElement, op: Op::AtMost, target: 1.35, baseline: None },
        exactly(Metric::Launches, 1.0),
        // the weights are constants, and no other variables
        at_most(Metric::StaticBytes, 0.0),
        // the image and six weights
        at_most(Metric::BytesToDevice, 61_464.0),
        exactly(Metric::BytesToHost, 61_440.0),
        shared_work(1_500.0),
    ],
    hints: &[
        "Draw the first case on paper, with 5 x 7 pixels and one block of 32 x 32 threads. Thread \
         (0, 0) computes pixel (0, 0), whose neighbours begin at row -1 and column -1. So \
         `tile[0][0]` is for the pixel at row -1 and column -1, and the pixel of thread (`tx`, \
         `ty`) is in `tile[ty + 1][tx + 1]`.",
        "There are 34 * 34 = 1156 cells and 1024 threads, so some threads have to fill two cells. \
         Number the cells from 0 to 1155, and let thread number `ty * TILE + tx` begin with the \
         cell of the same number and continue in steps of `TILE * TILE`. The row of cell `number` \
         is `number / SIDE`, and its column is `number % SIDE`. In this way, the corners are cells \
         like all others, and you can't forget them.",
        "Threads without a pixel still fill cells and still reach the barrier, because other \
         threads need these cells. Only the computation and the store belong in `if (row < height \
         && col < width)`.",
        "A `__constant__` array is in the device's memory. On the host, its name isn't an address \
         that you can copy to. Use `cudaMemcpyToSymbol(smooth_weights, smooth, 3 * \
         sizeof(float))`, whose last argument is in bytes.",
        "For `WRAP`, return `(i + n) % n`, because `-1 % n` is -1 in C++. In the kernel, compute \
         `const int y = stands_for(first_row + cell / SIDE, height, border)`, where `first_row` is \
         `blockIdx.y * TILE - 1`, and compute `x` in the same way. Then set `tile[cell / \
         SIDE][cell % SIDE]` to `image[y * width + x]` if `y >= 0 && x >= 0`, and to `0.0f` \
         otherwise.",
    ],
    pitfalls: &[
        "Don't fill only the four sides of the halo. A pixel in a corner of its block has a \
         diagonal neighbour in a corner of the halo, so the corners need values, too.",
        "Don't write `if (row >= height || col >= width) return;` before the barrier. Threads \
         without a pixel have to fill cells that other threads read.",
        "Don't forget the barrier. The 32 warps of the block fill the tile together, and each warp \
         reads cells that other warps have written.",
        "Don't use `cudaMemcpy` for a `__constant__` array, because the array's name in host code \
         isn't its address on the device.",
        "If you pass `3` instead of `3 * sizeof(float)` to `cudaMemcpyToSymbol`, the call doesn't \
         return an error, but it copies only three bytes of the first weight.",
        "Don't use `-1 % n` for the last row or column, because the remainder of a negative number \
         is negative in C++.",
        "Don't read weights at an index that differs from lane to lane. Constant memory serves the \
         whole warp at once only if all lanes read the same word.",
    ],
    learn: "chapter 9, \"A tile and its halo\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

fn shape(case: &Case) -> [usize; 2] {
    ["height", "width"].map(|name| case.size(name))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = shape(case);
    let arrays = [uniform(rng, &shape), out(&shape), uniform(rng, &[3]), uniform(rng, &[3])];
    arrays.into_iter().chain(shape.map(int)).chain([int(case.size("border"))]).collect()
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let image = f64s(inputs, 0).into_shape_with_order(shape(case)).expect("its own shape");
    let weights = |index| <[f64; 3]>::try_from(f64s(inputs, index).into_raw_vec_and_offset().0);
    let [smooth, slope] = [2, 3].map(|index| weights(index).expect("three weights"));
    vec![edges(&image, smooth, slope, case.size("border")).into_dyn().into()]
}

/// The index `at - 1` of `n` rows or columns, or the index that replaces it beyond the edge.
fn stands_for(at: usize, n: usize, border: usize) -> Option<usize> {
    let inside = at.checked_sub(1).filter(|at| *at < n);
    match border {
        ZERO => inside,
        CLAMP => Some(at.saturating_sub(1).min(n - 1)),
        _ => Some((at + n - 1) % n),
    }
}

/// Filters the rows first and then the columns, which is possible because each of the nine weights
/// is a product.
fn edges(image: &Array2<f64>, smooth: [f64; 3], slope: [f64; 3], border: usize) -> Array2<f64> {
    let (height, width) = image.dim();
    let rows = |weights: [f64; 3]| {
        Array2::from_shape_fn((height, width), |(row, col)| {
            let tap =
                |k: usize| stands_for(col + k, width, border).map_or(0.0, |x| image[[row, x]]);
            (0..3).map(|k| weights[k] * tap(k)).sum::<f64>()
        })
    };
    let columns = |rows: &Array2<f64>, weights: [f64; 3]| {
        Array2::from_shape_fn((height, width), |(row, col)| {
            let tap =
                |k: usize| stands_for(row + k, height, border).map_or(0.0, |y| rows[[y, col]]);
            (0..3).map(|k| weights[k] * tap(k)).sum::<f64>()
        })
    };
    let across = columns(&rows(slope), smooth);
    let down = columns(&rows(smooth), slope);
    across.mapv(f64::abs) + down.mapv(f64::abs)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    const SMOOTH: [f64; 3] = [1.0, 2.0, 1.0];
    const SLOPE: [f64; 3] = [-1.0, 0.0, 1.0];

    /// For the 5 in the middle, the neighbours on the right minus those on the left are
    /// 3 + 2 * 6 + 9 - (1 + 2 * 4 + 7) = 8. Those below minus those above are
    /// 7 + 2 * 8 + 9 - (1 + 2 * 2 + 3) = 24.
    #[test]
    fn slopes_across_and_down() {
        let image = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        for border in [ZERO, CLAMP, WRAP] {
            assert_eq!(edges(&image, SMOOTH, SLOPE, border)[[1, 1]], 32.0);
        }
    }

    /// The first pixel of the row 1 2 4. With `ZERO`, across is 2 * 2 and down is 0. With `CLAMP`,
    /// across is (1 + 2 + 1) * (2 - 1). With `WRAP`, the left neighbour is the 4.
    #[test]
    fn borders_differ() {
        let image = array![[1.0, 2.0, 4.0]];
        let first = |border| edges(&image, SMOOTH, SLOPE, border)[[0, 0]];
        assert_eq!([ZERO, CLAMP, WRAP].map(first), [4.0, 4.0, 8.0]);
    }

    /// A single pixel with asymmetric weights, of which only those in the middle matter.
    #[test]
    fn one_pixel_meets_the_middle_weights() {
        let alone = edges(&array![[10.0]], [1.0, 2.0, 4.0], [3.0, 5.0, 7.0], ZERO);
        assert_eq!(alone, array![[200.0]]);
    }
}
