//! Packed pixels of three bytes. Each byte is loaded once, and four bytes at a time.

use ndarray::{Array1, ArrayD};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

const BLOCK: u32 = 256;
/// Number of pixels of the case whose counts are graded, a multiple of the 1024 pixels of a block.
const GATED: usize = 8192;

/// `rgb_to_gray`.
pub static SPEC: Spec = Spec {
    id: "rgb_to_gray",
    chapter: "ch09_images",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 30,
    goal: "load every byte of an image once",
    cooperative: false,
    ordered: &[],
    params: &[bytes("rgb", Role::In, "[n][3]"), bytes("gray", Role::Out, "[n]"), count("n")],
    cases: &[
        line("100 pixels", "300 bytes, which are exactly 75 words", &[("n", 100)], 1),
        line("5 pixels", "15 bytes, which are three words and three more bytes", &[("n", 5)], 1),
        line("one pixel", "three bytes, which are less than a word", &[("n", 1)], 1),
        line("1025 pixels", "the second block has one pixel", &[("n", 1025)], 2),
        gated(line(
            "128 x 64 pixels",
            "whole blocks, so each request can be coalesced",
            &[("n", GATED)],
            8,
        )),
        line(
            "37 x 21 pixels",
            "2331 bytes, which are 582 words and three more bytes",
            &[("n", 777)],
            1,
        ),
        line(
            "1022 pixels",
            "3066 bytes, which are 766 words and two more bytes",
            &[("n", 1022)],
            1,
        ),
        line("10 007 pixels", "a prime number, so the last block isn't full", &[("n", 10_007)], 10),
    ],
    large: Some(case("large", "", &[("n", 1 << 26)], [1 << 16, 1], [256, 1])),
    tolerance: Tolerance::Exact,
    gates: &[
        Gate { baseline: Some(9.0), ..at_most(Metric::BytesPerElement, 4.0) },
        load_requests(GATED as f64 / 32.0, Some(3.0 * GATED as f64 / 32.0)),
        shared_work(500.0),
    ],
    hints: &[
        "Look at one warp. Its 32 pixels are 96 consecutive bytes, which are three sectors. Which \
         sectors does the load of the red bytes touch? Which sectors does the load of the green \
         bytes touch?",
        "Each of the three loads touches all three sectors, so the warp requests nine sectors, \
         although three would be enough. Each thread can load 4 bytes at once as a `uchar4` if the \
         address is a multiple of 4. However, four consecutive bytes aren't one pixel, and `3 * \
         idx` is often not a multiple of 4. So a thread may have to load a word whose bytes other \
         threads need.",
        "Let a block's threads load the block's 3072 bytes as 768 words, where thread `t` loads \
         words `t`, `t + 256` and `t + 512`, and store the words in shared memory. After a \
         barrier, each thread reads the bytes of its own four pixels there. A thread may read \
         shared memory byte by byte.",
        "The last block may have fewer pixels. A block with `pixels` pixels has `3 * pixels` \
         bytes. That's `3 * pixels / 4` whole words, and up to three bytes are left over. Load the \
         bytes after the last whole word one by one, because a load of 4 bytes would read beyond \
         the end of the image.",
        "Let `SPAN` be `3 * EACH * BLOCK`. Declare `__shared__ uchar4 words[SPAN / 4]`, and \
         compute `const int pixels = min(EACH * BLOCK, n - first)` and `const int whole = 3 * \
         pixels / 4`. For each `word` of the three words, if `word < whole`, store \
         `reinterpret_cast<const uchar4*>(rgb + blockIdx.x * SPAN)[word]` in `words[word]`. Then \
         load the remaining bytes, beginning with byte `4 * whole`. After the barrier, pixel `i` \
         of the block consists of bytes `3 * i`, `3 * i + 1` and `3 * i + 2` of \
         `reinterpret_cast<const unsigned char*>(words)`.",
    ],
    pitfalls: &[
        "Don't load `*reinterpret_cast<const uchar4*>(rgb + 3 * idx)`, which would be a pixel and \
         one more byte. A load of 4 bytes must begin at a multiple of 4, but `3 * idx` is a \
         multiple of 4 only for every fourth pixel.",
        "If each thread loads the three words of four neighbouring pixels, the kernel needs only a \
         quarter of the requests. However, each of the three requests of a warp touches all of the \
         warp's sectors. Neighbouring threads must load neighbouring words.",
        "If you load single bytes side by side, so that thread `t` loads bytes `t`, `t + 256`, \
         `t + 512` and so on, the block requests each sector only once. However, it needs as many \
         requests as before.",
        "Don't forget the bytes after the last whole word. Without them, the results are wrong \
         only for images whose number of bytes isn't a multiple of 4.",
        "If you round the number of words up to include the last bytes of the image, the load of \
         the last word reads beyond the end of the image.",
        "Don't divide each product by 256. Each division drops a fraction, so the result may be \
         too small.",
        "Don't return before the barrier if a thread has no pixel. All threads of the block must \
         reach the barrier, and a thread without a pixel may have to load a byte for another \
         thread.",
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
    let mut rgb = ArrayD::from_shape_simple_fn(vec![n, 3], || rng.random::<u8>());
    for (i, mut pixel) in rgb.outer_iter_mut().enumerate() {
        match i % 64 {
            9 => pixel.fill(u8::MAX),
            21 => pixel.fill(0),
            40 => {
                let level = pixel[0];
                pixel.fill(level);
            }
            _ => {}
        }
    }
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

    /// Red is 77 * 255 / 256 = 76.7, green is 150 * 255 / 256 = 149.4, and blue is 29 * 255 / 256 =
    /// 28.9. White is their sum, 255.
    #[test]
    fn green_is_the_brightest_and_white_stays_white() {
        let colours = array![[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0]];
        assert_eq!(gray(&colours.into_dyn()), array![76, 149, 28, 255, 0]);
    }

    /// The three fractions 77/256, 150/256 and 29/256 add up to 1, because 77 + 150 + 29 is 256.
    #[test]
    fn fractions_add_up_before_they_are_dropped() {
        assert_eq!(luma([1, 1, 1]), 1);
        assert_eq!(luma([1, 1, 0]), 0);
        // (770 + 3000 + 870) / 256 = 18.1
        assert_eq!(luma([10, 20, 30]), 18);
    }
}
