//! A convolution of images with several channels.

use ndarray::{Array3, Array4, Axis, Ix3, Ix4, s};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Neighbours in a row of the filter.
const SIDE: usize = 5;
const FILTERS: usize = 4;

/// `conv2d`.
///
/// A pixel is a sum of 25 products for each of at most 8 channels, which are added one after the
/// other. So it has 200 products and 200 additions, and their errors have both signs, because the
/// numbers do.
pub static SPEC: Spec = Spec {
    id: "conv2d",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 35,
    goal: "load the pixels and weights of each channel into shared memory",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[channels][height][width]"),
        floats_in("weights", "[4][channels][5][5]"),
        floats_out("out", "[4][height][width]"),
        count("channels"),
        count("height"),
        count("width"),
    ],
    cases: &[
        image(
            "5 x 7 pixels, one channel",
            "one block and one tile, most of which is outside the image",
            &[("channels", 1), ("height", 5), ("width", 7)],
            [1, 1],
        ),
        image(
            "16 x 16 pixels, three channels",
            "one full block; the weights differ from channel to channel",
            &[("channels", 3), ("height", 16), ("width", 16)],
            [1, 1],
        ),
        image(
            "33 x 18 pixels, two channels",
            "blocks at the right and at the bottom are partly empty",
            &[("channels", 2), ("height", 33), ("width", 18)],
            [2, 3],
        ),
        image(
            "1 x 1 pixel, 8 channels",
            "all neighbours are outside the image",
            &[("channels", 8), ("height", 1), ("width", 1)],
            [1, 1],
        ),
        gated(image(
            "64 x 64 pixels, four channels",
            "16 full blocks",
            &[("channels", 4), ("height", 64), ("width", 64)],
            [4, 4],
        )),
    ],
    large: Some(image(
        "large",
        "",
        &[("channels", 8), ("height", 2048), ("width", 2048)],
        [128, 128],
    )),
    tolerance: Tolerance::Roundings(400),
    gates: &[
        // for each channel, a block loads at most 400 pixels and 100 weights for its 1024 results
        Gate { baseline: Some(192.570_312_5), ..at_most(Metric::LoadsPerElement, 2.3) },
        at_most(Metric::SharedBytes, 16_384.0),
        WRITTEN_ONCE,
        shared_work(4_000.0),
    ],
    hints: &[
        "To compute 16 x 16 pixels, a block needs these pixels and a border that's two pixels \
         wide. How many pixels is that in total? And how often does the block load the same pixel \
         now, for four filters?",
        "Let the block go over the channels. For each channel, it loads a tile of 20 x 20 pixels \
         and the 25 weights of each filter into shared memory. All 256 threads take part, in a \
         loop over the 400 pixels of the tile.",
        "Pixel `k` of the tile is in its row `k / TILE` and column `k % TILE`. In the image, this \
         is row `blockIdx.y * BLOCK + k / TILE - RADIUS`, and you compute the column in the same \
         way. If this place is outside the image, store 0.",
        "Give each thread a sum for each filter, in `float sums[FILTERS]`, and let the thread read \
         each pixel once for all four sums. The neighbours of its pixel begin in row `threadIdx.y` \
         and column `threadIdx.x` of the tile. In each iteration, put one barrier before the \
         threads add to their sums, and another one after that. All threads have to reach both \
         barriers, so the guard moves to the stores.",
    ],
    pitfalls: &[
        "Don't forget the barrier at the end of an iteration. Without it, a fast warp loads the \
         next channel into the tile while a slow warp is still reading it.",
        "Don't return early in threads without a pixel. These threads have to load elements and \
         reach the barriers.",
        "Don't leave out the cells of the tile that are outside the image. Without a store, they \
         contain pixels of the previous channel, or arbitrary values.",
        "Don't let each thread load only its own pixel. The tile has 400 pixels, and the block has \
         256 threads.",
        "Don't turn the filter around. In deep learning, a convolution multiplies each weight by \
         the neighbour at the same place.",
    ],
    learn: "chapter 12, \"A tile for each channel\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn image(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [16, 16])
}

fn sizes(case: &Case) -> [usize; 3] {
    ["channels", "height", "width"].map(|name| case.size(name))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [channels, height, width] = sizes(case);
    let image = uniform(rng, &[channels, height, width]);
    let arrays =
        [image, uniform(rng, &[FILTERS, channels, SIDE, SIDE]), out(&[FILTERS, height, width])];
    arrays.into_iter().chain(sizes(case).map(int)).collect()
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let image = f64s(inputs, 0).into_dimensionality::<Ix3>().expect("channels of an image");
    let weights = f64s(inputs, 1).into_dimensionality::<Ix4>().expect("filters");
    vec![convolve(&image, &weights).into_dyn().into()]
}

/// For each filter, the sum over channels and neighbours, where the image is surrounded by zeros.
fn convolve(image: &Array3<f64>, weights: &Array4<f64>) -> Array3<f64> {
    let (channels, height, width) = image.dim();
    let (filters, _, rows, cols) = weights.dim();
    let mut padded = Array3::zeros((channels, height + rows - 1, width + cols - 1));
    let (top, left) = (rows / 2, cols / 2);
    padded.slice_mut(s![.., top..top + height, left..left + width]).assign(image);
    let mut out = Array3::zeros((filters, height, width));
    for ((filter, channel, row, col), weight) in weights.indexed_iter() {
        let neighbours = padded.slice(s![channel, row..row + height, col..col + width]);
        out.index_axis_mut(Axis(0), filter).scaled_add(*weight, &neighbours);
    }
    out
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// Two channels of one row: with the first filter, each pixel gets twice its left neighbour in
    /// the first channel, and its right neighbour in the second one.
    #[test]
    fn multiplies_each_weight_by_the_neighbour_at_its_place() {
        let image = array![[[1.0, 2.0, 3.0]], [[10.0, 20.0, 30.0]]];
        let weights =
            array![[[[2.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]]], [[[0.0, 0.0, 0.0]], [[0.0, 3.0, 0.0]]]];
        assert_eq!(convolve(&image, &weights), array![[[20.0, 32.0, 4.0]], [[30.0, 60.0, 90.0]]]);
    }
}
