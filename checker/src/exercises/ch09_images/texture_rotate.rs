//! An image that is rotated with a texture. The hardware reads between pixels and beyond the edge.

use ndarray::Array2;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Pixels outside of the image are 0.
const NOTHING: usize = 0;
/// The pixel at the edge repeats.
const GOES_ON: usize = 1;

/// The tolerance is the effect of one step of the filter. alpha and beta are multiples of 1/256,
/// and neighbours differ by at most 20 in either direction. If a compiler fuses a product and a
/// sum, it rounds the coordinate in another way, and the filter may use the next weight.
const STEP: f64 = (20.0 + 20.0) / 256.0;

/// `texture_rotate`.
pub static SPEC: Spec = Spec {
    id: "texture_rotate",
    chapter: "ch09_images",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Write,
    minutes: 40,
    goal: "rotate an image, and let the texture unit blend its pixels",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("image", "[height][width]"),
        floats_out("out", "[height][width]"),
        count("height"),
        count("width"),
        number("cosine"),
        number("sine"),
        count("edge"),
    ],
    cases: &[
        sized(
            "5 x 7 by 0 degrees",
            "each pixel of the result is equal to the same pixel of the image, to the last bit",
            &[("height", 5), ("width", 7), ("degrees", 0), ("edge", NOTHING)],
        ),
        sized(
            "7 x 7 by 90 degrees",
            "each pixel of the result is a single pixel of the image, so a wrong direction is easy \
             to see",
            &[("height", 7), ("width", 7), ("degrees", 90), ("edge", NOTHING)],
        ),
        sized(
            "5 x 7 by 30 degrees",
            "positions between the pixels, and zeros beyond the edge",
            &[("height", 5), ("width", 7), ("degrees", 30), ("edge", NOTHING)],
        ),
        sized(
            "5 x 7 by 30 degrees, edges repeat",
            "the same positions; a texel beyond the edge is the nearest pixel of the image",
            &[("height", 5), ("width", 7), ("degrees", 30), ("edge", GOES_ON)],
        ),
        sized(
            "one pixel",
            "the rotated pixel is equal to the original pixel",
            &[("height", 1), ("width", 1), ("degrees", 45), ("edge", GOES_ON)],
        ),
        sized(
            "40 x 99 by 230 degrees",
            "the width isn't a multiple of 32, and part of the result comes from beyond an edge",
            &[("height", 40), ("width", 99), ("degrees", 230), ("edge", GOES_ON)],
        ),
        gated(sized(
            "64 x 96 by 17 degrees",
            "whole warps",
            &[("height", 64), ("width", 96), ("degrees", 17), ("edge", NOTHING)],
        )),
    ],
    large: None,
    tolerance: Tolerance::Within(STEP),
    gates: &[
        // a fetch for each of 6144 pixels, 32 pixels in each request
        exactly(Metric::TextureRequests { surfaces: false }, 192.0),
        exactly(Metric::CopiesToDevice, 1.0),
        exactly(Metric::BytesToDevice, 24_576.0),
        exactly(Metric::BytesToHost, 24_576.0),
        exactly(Metric::Launches, 1.0),
        shared_work(400.0),
    ],
    hints: &[
        "Begin with the kernel. From which position in the image does pixel (`row`, `col`) of the \
         result come? The comment at the top of the file describes this position by its distances \
         from the centre. In a texture, `x` is the position along a row, and `y` is the position \
         along a column.",
        "Texel 0 covers the interval from 0 to 1, so its middle is at 0.5, and the middle of the \
         whole image is at (`width / 2`, `height / 2`). A fetch at `x = 0` is on the border \
         between texel 0 and the texel beyond the edge.",
        "An array consists of texels, so `cudaMallocArray` needs the width and the height in \
         texels. It also needs a description of a texel, and `cudaCreateChannelDesc<float>()` \
         returns this description. To fill the array, call `cudaMemcpy2DToArray(array, 0, 0, \
         image, pitch, bytes, height, cudaMemcpyHostToDevice)`, where `pitch` is the distance in \
         bytes between two rows on the host, `bytes` is the width of the copy in bytes, and \
         `height` is the number of rows.",
        "You have to fill in two structs. In `resource`, set `resType = cudaResourceTypeArray` and \
         `res.array.array = array`. In `look`, set `addressMode[0]` and `addressMode[1]` (beyond \
         the edge, `cudaAddressModeBorder` reads 0, and `cudaAddressModeClamp` reads the nearest \
         texel), `filterMode = cudaFilterModeLinear`, `readMode = cudaReadModeElementType` and \
         `normalizedCoords = 0`. Then call `cudaCreateTextureObject(&texture, &resource, &look, \
         nullptr)`.",
        "Write `out[row * width + col] = tex2D<float>(image, 0.5f * width + right * cosine - down \
         * sine, 0.5f * height + right * sine + down * cosine)`. At the end, call \
         `cudaDestroyTextureObject(texture)`, `cudaFreeArray(array)` and `cudaFree(d_out)`.",
    ],
    pitfalls: &[
        "It's easy to be half a texel off. Coordinates are positions and not indices of pixels, \
         and the middle of pixel `i` is at `i + 0.5`.",
        "If you set `normalizedCoords` to 1, don't compute coordinates in texels. Normalised \
         coordinates run from 0 to 1 over the whole image, so nearly all of your positions would \
         be beyond the edge.",
        "Don't call `tex2D<float>(image, row, col)`. The first coordinate is `x`, which belongs to \
         the column.",
        "Don't pass the width to `cudaMemcpy2DToArray` in texels. This function counts in bytes, \
         although `cudaMallocArray` counts in texels.",
        "Don't rotate in the wrong direction. For each pixel of the result, the kernel computes \
         the position in the image that this pixel comes from, so the kernel needs the inverse \
         rotation.",
        "You don't need an `if` for the edge. The address mode already handles the edge, \
         separately for each of the four texels.",
        "Destroy the texture object and free the array as well, because neither of them owns the \
         other.",
        "Don't use a texture reference (`texture<float, 2> image;`), as in old books. CUDA 12 has \
         removed texture references, so use a texture object.",
    ],
    learn: "chapter 9, \"Between the pixels\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

fn shape(case: &Case) -> [usize; 2] {
    ["height", "width"].map(|name| case.size(name))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = shape(case);
    let angle = (case.size("degrees") as f64).to_radians();
    let turn = [angle.cos(), angle.sin()].map(|v| float(v as f32));
    let arrays = [uniform(rng, &shape), out(&shape)];
    let edge = int(case.size("edge"));
    arrays.into_iter().chain(shape.map(int)).chain(turn).chain([edge]).collect()
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let image = f64s(inputs, 0).into_shape_with_order(shape(case)).expect("its own shape");
    let turn = [4, 5].map(|index| scalar(inputs, index));
    vec![turned(&image, turn, case.size("edge")).into_dyn().into()]
}

fn turned(image: &Array2<f64>, [cosine, sine]: [f64; 2], edge: usize) -> Array2<f64> {
    let (height, width) = image.dim();
    let [middle_x, middle_y] = [width, height].map(|n| n as f64 / 2.0);
    Array2::from_shape_fn((height, width), |(row, col)| {
        let (right, down) = (col as f64 + 0.5 - middle_x, row as f64 + 0.5 - middle_y);
        let x = middle_x + right * cosine - down * sine;
        let y = middle_y + right * sine + down * cosine;
        filtered(image, x, y, edge)
    })
}

/// `tex2D` with `cudaFilterModeLinear` at `(x, y)` in texels (CUDA C++ Programming Guide, "Texture
/// Fetching", "Linear Filtering"): with `xB = x - 0.5`, `i = floor(xB)`, `alpha = frac(xB)`, and
/// `beta` the same of y,
///
/// ```text
/// (1 - alpha) (1 - beta) T[i, j] + alpha (1 - beta) T[i+1, j]
///     + (1 - alpha) beta T[i, j+1] + alpha beta T[i+1, j+1]
/// ```
///
/// where alpha and beta are "stored in 9-bit fixed point format with 8 bits of fractional value".
/// The guide doesn't say how they are rounded. This function rounds them to the nearest value, and
/// it rounds the product of the two to a multiple of 1/256 as well, as an H200 does.
fn filtered(image: &Array2<f64>, x: f64, y: f64, edge: usize) -> f64 {
    let steps = |at: f64| ((at - 0.5) * 256.0 + 0.5).floor() as i64;
    let [(i, alpha), (j, beta)] =
        [x, y].map(steps).map(|steps| (steps.div_euclid(256), steps.rem_euclid(256)));
    let both = (alpha * beta + 128) / 256;
    let weights = [256 - alpha - beta + both, alpha - both, beta - both, both];
    let texels =
        [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)].map(|(x, y)| texel(image, x, y, edge));
    weights.into_iter().zip(texels).map(|(weight, texel)| weight as f64 / 256.0 * texel).sum()
}

fn texel(image: &Array2<f64>, x: i64, y: i64, edge: usize) -> f64 {
    let (height, width) = image.dim();
    let at = |i: i64, n: usize| match usize::try_from(i) {
        Ok(i) if i < n => Some(i),
        _ if edge == NOTHING => None,
        Ok(_) => Some(n - 1),
        Err(_) => Some(0),
    };
    at(y, height).zip(at(x, width)).map_or(0.0, |place| image[place])
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// With a rotation by 90 degrees anticlockwise, the right column becomes the top row.
    #[test]
    fn a_quarter_turns_against_the_clock() {
        let image = array![[1.0, 2.0], [3.0, 4.0]];
        assert_eq!(turned(&image, [0.0, 1.0], NOTHING), array![[2.0, 4.0], [1.0, 3.0]]);
        assert_eq!(turned(&image, [1.0, 0.0], NOTHING), image);
    }

    /// A quarter of the way to the right, the rows have the values 4 and 20. Their mean is 12.
    #[test]
    fn between_four_texels() {
        let image = array![[0.0, 16.0], [16.0, 32.0]];
        assert_eq!(filtered(&image, 0.75, 1.0, NOTHING), 12.0);
    }

    /// At position 0, half of the result comes from beyond the edge. It's 0, or the texel at the
    /// edge.
    #[test]
    fn beyond_the_edge() {
        let image = array![[8.0, 16.0]];
        assert_eq!(filtered(&image, 0.0, 0.5, NOTHING), 4.0);
        assert_eq!(filtered(&image, 0.0, 0.5, GOES_ON), 8.0);
        assert_eq!(filtered(&image, 9.0, -9.0, NOTHING), 0.0);
        assert_eq!(filtered(&image, 9.0, -9.0, GOES_ON), 16.0);
    }

    /// A position that is less than 1/512 from the middle of a texel is rounded to the middle.
    #[test]
    fn weights_are_256ths() {
        let image = array![[0.0, 256.0]];
        assert_eq!(filtered(&image, 0.5 + 0.4 / 256.0, 0.5, NOTHING), 0.0);
        assert_eq!(filtered(&image, 0.5 + 0.6 / 256.0, 0.5, NOTHING), 1.0);
    }
}
