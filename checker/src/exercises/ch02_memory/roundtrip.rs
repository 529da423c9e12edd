//! The whole round trip: allocate, copy in, launch, copy out, free.

use ndarray::ArrayD;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The case with angles up to 1000 instead of 10.
const LARGE: &str = "10 007";

/// `roundtrip`.
pub static SPEC: Spec = Spec {
    id: "roundtrip",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Write,
    minutes: 20,
    goal: "copy data to the device and back",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("a", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        gated(sized("1000 elements", "the last block isn't full", &[("n", 1000)])),
        sized("one element", "the smallest array", &[("n", 1)]),
        sized("255", "one block with one thread that has no element", &[("n", 255)]),
        sized("256", "exactly one full block", &[("n", 256)]),
        sized("257", "one element in the second block", &[("n", 257)]),
        sized(LARGE, "a prime number, so the last block isn't full", &[("n", 10_007)]),
        sized(
            "300 000",
            "1172 blocks of 256 threads; if you swap these numbers, the launch fails, because a \
             block has at most 1024 threads",
            &[("n", 300_000)],
        ),
    ],
    large: None,
    // sinf is within 2 units in the last place (CUDA Programming Guide, "Mathematical Functions")
    tolerance: Tolerance::Roundings(4),
    gates: &[
        exactly(Metric::Launches, 1.0),
        exactly(Metric::BytesToDevice, 4000.0),
        exactly(Metric::BytesToHost, 4000.0),
        at_most(Metric::Allocations, 2.0),
        shared_work(400.0),
    ],
    hints: &[
        "There are five steps, and each of them needs the step before it: allocate memory on the \
         device, copy the input there, launch the kernel, copy the results back, and free the \
         memory. Which call do you need for each step?",
        "`cudaMalloc` takes the address of your pointer and a size in bytes, as in \
         `cudaMalloc(&d_a, n * sizeof(float))`. The runtime counts in bytes, not in elements.",
        "The first argument of `cudaMemcpy(to, from, bytes, direction)` is the destination, as in \
         `to = from`. The direction is `cudaMemcpyHostToDevice` for the input and \
         `cudaMemcpyDeviceToHost` for the results.",
        "Round the number of blocks up, with `const int grid = (n + 255) / 256`, and launch \
         `sine<<<grid, 256>>>(d_a, d_out, n)`. The kernel needs the pointers to the device's \
         memory, because it can't use the addresses in `a` and `out`.",
    ],
    pitfalls: &[
        "Don't pass a number of elements where the runtime needs a number of bytes. \
         `cudaMalloc(&d_a, n)` allocates memory for only `n / 4` floats, and a `cudaMemcpy` of `n` \
         bytes copies only `n / 4` floats, too.",
        "Check the direction of each copy yourself, because the compiler can't know whether a \
         `float*` is an address on the host or on the device. If the name of each pointer begins \
         with `d_` or `h_`, you can see where it points.",
        "Don't copy the results back before the launch. The program executes the calls from top to \
         bottom, so it would copy memory that the kernel hasn't filled yet.",
        "Don't pass the host's arrays to the kernel. The compiler accepts this, but their \
         addresses mean nothing on the device.",
        "If you forget to free the memory, each call to the function leaks some memory, so in a \
         program that runs for a long time, `cudaMalloc` fails in the end.",
    ],
    learn: "chapter 2, \"There and back\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = [case.size("n")];
    // In one case, a series with few terms is wrong, and so is a subtraction of 2 pi in `float`.
    let largest = if case.name == LARGE { 1000.0 } else { 10.0 };
    let number = || rng.random_range(-largest..largest);
    let angles = ArrayD::from_shape_simple_fn(&shape[..], number);
    vec![Value::Array(Array::F32(angles)), out(&shape), int(case.size("n"))]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![sines(&f64s(inputs, 0)).into()]
}

fn sines(a: &ArrayD<f64>) -> ArrayD<f64> {
    a.mapv(f64::sin)
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;
    use ndarray::array;

    use super::*;

    #[test]
    fn takes_the_sine_of_each_element() {
        let a = array![0.0, std::f64::consts::FRAC_PI_2, -std::f64::consts::FRAC_PI_6].into_dyn();
        for (found, expected) in sines(&a).iter().zip([0.0, 1.0, -0.5]) {
            assert_abs_diff_eq!(*found, expected, epsilon = 1e-15);
        }
    }
}
