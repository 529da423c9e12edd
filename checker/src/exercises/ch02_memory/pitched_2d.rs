//! Rows with a pitch: copying a region of an image to the device as a rectangle.

use std::ops::Range;

use ndarray::{ArrayD, s};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `pitched_2d`.
pub static SPEC: Spec = Spec {
    id: "pitched_2d",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 25,
    goal: "use the right pitch on the device and on the host",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in_out("image", "[height][width]"),
        count("height"),
        count("width"),
        count("y0"),
        count("y1"),
        count("x0"),
        count("x1"),
    ],
    // No region's width is a multiple of 128 floats, because the pitch would then be the width.
    cases: &[
        sized(
            "5 x 7 of 12 x 20",
            "small enough to draw",
            &[("height", 12), ("width", 20), ("y0", 3), ("y1", 8), ("x0", 5), ("x1", 12)],
        ),
        sized(
            "one element",
            "one row of one float",
            &[("height", 4), ("width", 6), ("y0", 2), ("y1", 3), ("x0", 1), ("x1", 2)],
        ),
        sized(
            "the whole image",
            "no part of the image is outside of the region",
            &[("height", 9), ("width", 33), ("y0", 0), ("y1", 9), ("x0", 0), ("x1", 33)],
        ),
        sized(
            "one column",
            "rows of a single float, which still have a pitch",
            &[("height", 40), ("width", 65), ("y0", 0), ("y1", 37), ("x0", 64), ("x1", 65)],
        ),
        sized(
            "a wide strip",
            "more columns than one block has threads in `x`",
            &[("height", 70), ("width", 300), ("y0", 1), ("y1", 6), ("x0", 3), ("x1", 260)],
        ),
        gated(sized(
            "64 x 100 of 90 x 150",
            "rows of 400 bytes; without a pitch, every second row begins in the middle of a sector",
            &[("height", 90), ("width", 150), ("y0", 10), ("y1", 74), ("x0", 25), ("x1", 125)],
        )),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[
        exactly(Metric::CopiesToDevice, 1.0),
        exactly(Metric::CopiesToHost, 1.0),
        exactly(Metric::BytesToDevice, 25_600.0),
        exactly(Metric::BytesToHost, 25_600.0),
        // A row has three full warps, which need 4 sectors each, and 4 floats in one more sector.
        // Loading and storing the 13 sectors of each of 64 rows moves 53 248 bytes for 13 500
        // elements. Without padding, every second row needs 3 more sectors, so the count is 4.5.
        at_most(Metric::SectorsPerRequest { bytes: 4 }, 4.2),
        shared_work(200.0),
    ],
    hints: &[
        "There are three different lengths. On the host, the distance between two rows is the \
         width of the image. On the device, this distance is the pitch. The third length, the \
         width of the region, is only the number of elements that you use in each row. Where does \
         the program use the width of the region although it needs the pitch?",
        "The kernel has a parameter for the pitch but doesn't use it. The pitch counts bytes. How \
         many bytes after the start of the region does row 1 begin?",
        "If you add a number to a `float*`, the number counts floats. To count bytes, convert the \
         address to a `char*`, add `row * pitch`, and convert the sum back to a `float*`.",
        "In the kernel, write `float* line = (float*)((char*)region + row * pitch);`. In the copy \
         back, the source is on the device, so its pitch is the device's pitch: \
         `cudaMemcpy2D(region, host_pitch, d_region, pitch, bytes, rows, cudaMemcpyDeviceToHost)`.",
    ],
    pitfalls: &[
        "Don't compute `region + row * pitch`. The pitch counts bytes, but the compiler multiplies \
         it by 4, the size of a float.",
        "Don't pass the width of the copy in floats. Only the height is a number of rows, and all \
         the other lengths are in bytes.",
        "Don't pass the width of the region as the host's pitch. The host's pitch is the width of \
         the whole image in bytes.",
        "You can't use a single `cudaMemcpy` for the whole region. It would also copy the elements \
         between the region's rows, and it would ignore the pitch of the device's memory.",
        "If you store the rows without padding, the results are right. However, unless the width \
         of the region is a multiple of 8 floats, at least every second row begins in the middle \
         of a sector. A warp that reads one of these rows can touch one sector more than \
         necessary.",
    ],
    learn: "chapter 2, \"Rows with a pitch\"",
    skeleton: Slug::UninitialisedRead,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let image = uniform(rng, &[case.size("height"), case.size("width")]);
    let sizes = ["height", "width", "y0", "y1", "x0", "x1"];
    std::iter::once(image).chain(sizes.map(|name| int(case.size(name)))).collect()
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let [y0, y1, x0, x1] = ["y0", "y1", "x0", "x1"].map(|name| case.size(name));
    vec![negative(f64s(inputs, 0), y0..y1, x0..x1).into()]
}

fn negative(mut image: ArrayD<f64>, rows: Range<usize>, columns: Range<usize>) -> ArrayD<f64> {
    image.slice_mut(s![rows, columns]).mapv_inplace(|v| 1.0 - v);
    image
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn only_the_region_changes() {
        let image = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]].into_dyn();
        let expected = array![[1.0, 2.0, 3.0], [4.0, -4.0, -5.0], [7.0, 8.0, 9.0]].into_dyn();
        assert_eq!(negative(image, 1..2, 1..3), expected);
    }
}
