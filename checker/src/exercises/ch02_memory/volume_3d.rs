//! Three dimensions: slices of rows, copied in one call, and a three-dimensional grid.

use ndarray::Array3;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `volume_3d`.
pub static SPEC: Spec = Spec {
    id: "volume_3d",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Write,
    minutes: 35,
    goal: "copy a volume to the device, and launch a three-dimensional grid",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[depth][height][width]"),
        floats_out("out", "[depth][height][width]"),
        count("depth"),
        count("height"),
        count("width"),
    ],
    cases: &[
        sized(
            "5 x 7 x 9",
            "three different sizes, so swapped axes give wrong results",
            &[("depth", 5), ("height", 7), ("width", 9)],
        ),
        sized(
            "one element",
            "an element without any neighbours",
            &[("depth", 1), ("height", 1), ("width", 1)],
        ),
        sized("one slice", "no neighbours in `z`", &[("depth", 1), ("height", 6), ("width", 37)]),
        sized(
            "a needle",
            "one element in each slice",
            &[("depth", 41), ("height", 1), ("width", 1)],
        ),
        sized(
            "3 x 10 x 130",
            "rows of 520 bytes, which are longer than a pitch of 512 bytes",
            &[("depth", 3), ("height", 10), ("width", 130)],
        ),
        gated(sized(
            "8 x 32 x 61",
            "rows of 244 bytes, which begin at multiples of 32 bytes only with a pitch",
            &[("depth", 8), ("height", 32), ("width", 61)],
        )),
    ],
    large: None,
    // five sums, a product and a difference
    tolerance: Tolerance::Roundings(8),
    gates: &[
        // seven loads and a store
        at_most(Metric::SectorsPerRequest { bytes: 32 }, 4.5),
        exactly(Metric::CopiesToDevice, 1.0),
        exactly(Metric::CopiesToHost, 1.0),
        exactly(Metric::BytesToDevice, 62_464.0),
        exactly(Metric::BytesToHost, 62_464.0),
        shared_work(1_000.0),
    ],
    hints: &[
        "Begin with the host. `cudaMalloc3D(&d_in, extent)` allocates memory, and stores its \
         address, its pitch, and the number of rows in a slice in `d_in`. Call it for both arrays, \
         and free both arrays at the end.",
        "A `cudaMemcpy3DParms` has four fields that you have to set. `srcPtr` and `dstPtr` are of \
         type `cudaPitchedPtr`, `extent` is the size, and `kind` is the direction. You already \
         have the `cudaPitchedPtr` of the device's array. The host's array has no padding, so its \
         pitch is `width * sizeof(float)`.",
        "In the kernel, compute `x` from `blockIdx.x`, `blockDim.x` and `threadIdx.x`, and `y` and \
         `z` in the same way. Guard all three indices. `value(...)` returns 0 outside of the \
         volume, so you don't need an `if` for each neighbour.",
        "Set `way_in.srcPtr = make_cudaPitchedPtr(const_cast<float*>(in), width * sizeof(float), \
         width, height)`, `way_in.dstPtr = d_in`, `way_in.extent = extent` and `way_in.kind = \
         cudaMemcpyHostToDevice`, and call `cudaMemcpy3D(&way_in)`. Launch with `dim3 block(32, 4, \
         2)` and a grid that's rounded up in each dimension.",
    ],
    pitfalls: &[
        "Don't pass the width of an extent in elements. For memory from `cudaMalloc3D`, the width \
         is in bytes, whereas height and depth are numbers of rows and slices.",
        "Don't forget to change `kind`. If you use the same `cudaMemcpy3DParms` for the copy back, \
         you have to change every field that differs.",
        "If you swap `y` and `z`, you won't notice the mistake with a cube, so test with three \
         different sizes.",
        "If `threadIdx.x` runs along `z`, the results are right, but a warp's neighbouring threads \
         read from different slices, so they need different sectors.",
        "It isn't enough to guard only `x`. The grid is rounded up in all three dimensions, so \
         there can also be threads beyond the last row and the last slice.",
    ],
    learn: "chapter 2, \"Slices of rows\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

fn shape(case: &Case) -> [usize; 3] {
    ["depth", "height", "width"].map(|name| case.size(name))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = shape(case);
    [uniform(rng, &shape), out(&shape)].into_iter().chain(shape.map(int)).collect()
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let volume =
        f64s(inputs, 0).into_shape_with_order(shape(case)).expect("the shape it was made with");
    vec![laplacian(&volume).into()]
}

fn laplacian(volume: &Array3<f64>) -> Array3<f64> {
    let beyond = usize::MAX;
    let at = |z, y, x| volume.get((z, y, x)).copied().unwrap_or(0.0);
    let before = |i: usize| i.checked_sub(1).unwrap_or(beyond);
    Array3::from_shape_fn(volume.dim(), |(z, y, x)| {
        at(before(z), y, x)
            + at(z + 1, y, x)
            + at(z, before(y), x)
            + at(z, y + 1, x)
            + at(z, y, before(x))
            + at(z, y, x + 1)
            - 6.0 * at(z, y, x)
    })
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// In a volume of 2 x 1 x 3 elements, the neighbours of the 2 are 1 and 3 in its row and 5 in
    /// the next slice, so its result is 1 + 3 + 5 - 6 * 2 = -3.
    #[test]
    fn sums_the_existing_neighbours() {
        let volume = array![[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]];
        let expected = array![[[0.0, -3.0, -10.0]], [[-18.0, -18.0, -28.0]]];
        assert_eq!(laplacian(&volume), expected);
    }
}
