//! An image pyramid. Each launch writes a level through a surface, and the next launch reads this
//! level as a texture.

use ndarray::Array2;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The tolerance is much larger than the rounding errors of three means of numbers up to 10, and
/// much smaller than the differences between neighbouring pixels.
const ERROR: f64 = 1e-4;

/// `surface_write`.
pub static SPEC: Spec = Spec {
    id: "surface_write",
    chapter: "ch09_images",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Write,
    minutes: 35,
    goal: "write an image through a surface, and read it as a texture",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("image", "[height][width]"),
        floats_out("out", "[height>>levels][width>>levels]"),
        count("height"),
        count("width"),
        count("levels"),
    ],
    cases: &[
        sized(
            "4 x 6, once",
            "small enough to compute by hand",
            &[("height", 4), ("width", 6), ("levels", 1)],
        ),
        sized(
            "8 x 24, twice",
            "the second launch reads the level that the first launch has written",
            &[("height", 8), ("width", 24), ("levels", 2)],
        ),
        sized(
            "2 x 2, once",
            "a single pixel is left",
            &[("height", 2), ("width", 2), ("levels", 1)],
        ),
        sized(
            "40 x 72, three times",
            "the last blocks are partly full in both directions",
            &[("height", 40), ("width", 72), ("levels", 3)],
        ),
        gated(sized(
            "64 x 128, twice",
            "whole warps",
            &[("height", 64), ("width", 128), ("levels", 2)],
        )),
    ],
    large: None,
    tolerance: Tolerance::Within(ERROR),
    gates: &[
        // a fetch and a write through a surface for each of 2048 and of 512 pixels, 32 pixels in
        // each request, or 16 in a row that has no more
        exactly(Metric::TextureRequests { surfaces: true }, 160.0),
        exactly(Metric::BytesToDevice, 32_768.0),
        exactly(Metric::BytesToHost, 2048.0),
        exactly(Metric::Launches, 2.0),
        shared_work(300.0),
    ],
    hints: &[
        "Draw the four texels that become pixel (0, 0) of the next level. Texel 0 covers the \
         interval from 0 to 1, so at which position do all four texels meet? Where do the four \
         texels of pixel (`row`, `col`) meet?",
        "`surf2Dwrite(value, to, x, row)` writes an element. A texture counts `x` in texels, but a \
         surface counts `x` in bytes.",
        "To use an array with a surface, pass the flag `cudaArraySurfaceLoadStore` as the last \
         argument of `cudaMallocArray`. `cudaCreateSurfaceObject(&surface, &resource)` creates the \
         handle for a surface. You get the resource from the function `resource_of(array)`, which \
         is already in the file.",
        "In the loop, allocate the array `to`, create its surface and the texture of `from`, and \
         launch `halve` with the height and width of `to`. Call `cudaDeviceSynchronize()`, because \
         the kernel still uses the arrays and their handles. Then destroy the surface and the \
         texture, free `from`, and set `from = to`.",
        "The kernel needs `surf2Dwrite(tex2D<float>(from, 2 * col + 1, 2 * row + 1), to, col * \
         sizeof(float), row)`. At the end, call `cudaMemcpy2DFromArray(out, bytes, from, 0, 0, \
         bytes, height, cudaMemcpyDeviceToHost)`, where `bytes` is the number of bytes in a row of \
         the last level.",
    ],
    pitfalls: &[
        "Don't pass the column to `surf2Dwrite` in elements, because a surface counts `x` in \
         bytes.",
        "Don't leave out `cudaArraySurfaceLoadStore`. CUDA requires this flag for a surface, \
         although the program also works without the flag on some GPUs, such as an H200.",
        "Don't fetch at `2 * col + 0.5`. That's the middle of a single texel, and not the corner \
         where four texels meet.",
        "Don't pass the width to `cudaMemcpy2DFromArray` in texels, because this function counts \
         in bytes.",
        "Don't write to the array that the same launch reads as a texture, because the texture's \
         cache may still contain the old values.",
        "It isn't enough to destroy the texture and the surface. Neither of them owns the array, \
         so you have to free the array as well.",
    ],
    learn: "chapter 9, \"Writing into an array\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [height, width, levels] = ["height", "width", "levels"].map(|name| case.size(name));
    let small = [height >> levels, width >> levels];
    vec![uniform(rng, &[height, width]), out(&small), int(height), int(width), int(levels)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let shape = ["height", "width"].map(|name| case.size(name));
    let image = f64s(inputs, 0).into_shape_with_order(shape).expect("its own shape");
    let small = (0..case.size("levels")).fold(image, |image, _| halved(&image));
    vec![small.into_dyn().into()]
}

/// The means of all squares of 2 x 2 pixels.
fn halved(image: &Array2<f64>) -> Array2<f64> {
    let (height, width) = image.dim();
    Array2::from_shape_fn((height / 2, width / 2), |(row, col)| {
        let square = ndarray::s![2 * row..2 * row + 2, 2 * col..2 * col + 2];
        image.slice(square).sum() / 4.0
    })
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn four_pixels_become_their_mean() {
        let image = array![[1.0, 3.0, 0.0, 0.0], [5.0, 7.0, 0.0, 8.0]];
        assert_eq!(halved(&image), array![[4.0, 2.0]]);
    }
}
