//! Packed pixels of three bytes: every byte fetched once, four at a time.

use ndarray::{Array1, ArrayD};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

const BLOCK: u32 = 256;
/// Pixels of the case whose counts are graded: whole blocks.
const GATED: usize = 8192;

/// `rgb_to_gray`.
pub static SPEC: Spec = Spec {
    id: "rgb_to_gray",
    chapter: "ch09_images",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 30,
    goal: "fetch every byte of an image once",
    cooperative: false,
    params: &[bytes("rgb", Role::In, "[n][3]"), bytes("gray", Role::Out, "[n]"), count("n")],
    cases: &[
        line("100 pixels", "300 bytes: 75 words, and nothing left over", &[("n", 100)], 1),
        line("5 pixels", "15 bytes: three words, and three bytes more", &[("n", 5)], 1),
        line("one pixel", "three bytes, and not one whole word", &[("n", 1)], 1),
        line("257 pixels", "the second block has one pixel", &[("n", 257)], 2),
        gated(line(
            "128 x 64 pixels",
            "whole blocks: every request can be perfect",
            &[("n", GATED)],
            32,
        )),
        line(
            "37 x 21 pixels",
            "777: an odd image, and a byte beyond whole words",
            &[("n", 777)],
            4,
        ),
        line("1022 pixels", "two bytes beyond whole words", &[("n", 1022)], 4),
        line("10 007 pixels", "a prime: no block size divides it", &[("n", 10_007)], 40),
    ],
    large: Some(case("large", "", &[("n", 1 << 25)], [1 << 17, 1], [256, 1])),
    tolerance: Tolerance::Exact,
    gates: &[
        Gate { baseline: Some(9.0), ..at_most(Metric::BytesPerElement, 4.0) },
        load_requests(GATED as f64 / 32.0, Some(3.0 * GATED as f64 / 32.0)),
    ],
    hints: &[
        "Take one warp: 32 pixels are 96 bytes in a row, which is three sectors. Which sectors does its first load, \
         of the red bytes, touch? Which does the second one touch?",
        "All three loads touch all three sectors: nine, where three would do. And a load can bring 4 bytes to each \
         thread: uchar4 is four bytes x, y, z, w at an address that is a multiple of 4. But four neighbouring \
         bytes are not one pixel, and 3 * idx is rarely a multiple of 4. So who loads need not be who computes.",
        "Let the threads of a block fetch the block's 768 bytes as 192 words, thread t word t, and put them into \
         shared memory. After a barrier each thread picks its three bytes there: shared memory may be read byte \
         by byte.",
        "The last block has fewer pixels: 3 * pixels bytes are 3 * pixels / 4 whole words, and up to three bytes \
         after them. Fetch those one by one. A word that is not whole would be read beyond the end of the image.",
        "__shared__ uchar4 words[SPAN / 4]; const int pixels = min(BLOCK, n - blockIdx.x * BLOCK); const int whole = \
         3 * pixels / 4; if (tid < whole) words[tid] = reinterpret_cast<const uchar4*>(rgb + blockIdx.x * SPAN)[tid]; \
         then the bytes from 4 * whole on; the barrier; and bytes 3 * tid, 3 * tid + 1 and 3 * tid + 2 of \
         reinterpret_cast<const unsigned char*>(words).",
    ],
    pitfalls: &[
        "*reinterpret_cast<const uchar4*>(rgb + 3 * idx): a pixel and one byte more, in one load. Its address is a \
         multiple of 4 for every fourth pixel only, and a load of 4 bytes must begin at one.",
        "Four pixels for each thread, as three words of its own. A quarter of the requests, each of which touches \
         all sectors again: neighbouring threads must load neighbouring words.",
        "Fetching bytes side by side: thread t takes bytes t, t + 256 and t + 512. Every sector is fetched once, by \
         as many requests as before.",
        "Forgetting the bytes after the last whole word. Images whose width is a multiple of 4 never show it.",
        "Rounding the number of words up instead. The last word reads beyond the image.",
        "Dividing each product by 256. Three fractions are lost before they could add up to one.",
        "`if (idx >= n) return;` before the barrier. All threads of the block must come to it.",
    ],
    learn: "chapter 9, \"Three bytes a pixel\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn bytes(name: &'static str, role: Role, shape: &'static str) -> Param {
    Param { name, role, dtype: DType::U8, shape }
}

const fn line(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: u32,
) -> Case {
    case(name, why, sizes, [grid, 1], [BLOCK, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let rgb = ArrayD::from_shape_simple_fn(vec![n, 3], || rng.random::<u8>());
    let gray = Value::Out { dtype: DType::U8, shape: vec![n] };
    vec![Value::Array(rgb.into()), gray, int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(Array::U8(rgb))) = inputs.first() else { panic!("an image") };
    vec![gray(rgb).into()]
}

fn gray(rgb: &ArrayD<u8>) -> Array1<u8> {
    rgb.rows().into_iter().map(|pixel| luma([pixel[0], pixel[1], pixel[2]])).collect()
}

fn luma(pixel: [u8; 3]) -> u8 {
    let weighed = pixel.into_iter().zip([77_u32, 150, 29]).map(|(v, w)| w * u32::from(v));
    // the weights add up to 256
    (weighed.sum::<u32>() >> 8) as u8
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// 77 * 255 = 19 635, 150 * 255 = 38 250 and 29 * 255 = 7395, over 256: 76.7, 149.4 and 28.9;
    /// together 255.
    #[test]
    fn green_is_the_brightest_and_white_stays_white() {
        let colours = array![[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0]];
        assert_eq!(gray(&colours.into_dyn()), array![76, 149, 28, 255, 0]);
    }

    /// 77 + 150 + 29 = 256: three fractions of 77/256, 150/256 and 29/256 are one together.
    #[test]
    fn fractions_add_up_before_they_are_dropped() {
        assert_eq!(luma([1, 1, 1]), 1);
        assert_eq!(luma([1, 1, 0]), 0);
        // (770 + 3000 + 870) / 256 = 18.1
        assert_eq!(luma([10, 20, 30]), 18);
    }
}
