//! The whole way: allocate, copy in, launch, copy out, free.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `roundtrip`.
pub static SPEC: Spec = Spec {
    id: "roundtrip",
    chapter: "ch02_memory",
    kind: Kind::Program,
    start: Start::Write,
    minutes: 20,
    goal: "take data to the device and back",
    cooperative: false,
    params: &[floats_in("a", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        gated(sized("1000 elements", "the last block is not full", &[("n", 1000)])),
        sized("one element", "the smallest array", &[("n", 1)]),
        sized("255", "one thread too many in the only block", &[("n", 255)]),
        sized("256", "exactly one block", &[("n", 256)]),
        sized("257", "one element in the second block", &[("n", 257)]),
        sized("10 007", "a prime: no block size divides it", &[("n", 10_007)]),
    ],
    large: None,
    // sinf is within 2 units in the last place (CUDA Programming Guide, "Mathematical Functions")
    tolerance: Tolerance::Roundings(4),
    gates: &[
        exactly(Metric::Launches, 1.0),
        exactly(Metric::BytesToDevice, 4000.0),
        exactly(Metric::BytesToHost, 4000.0),
        at_most(Metric::Allocations, 2.0),
    ],
    hints: &[
        "Five steps, and each needs the one before: memory on the device, the input there, the \
         kernel, the results here, the memory back. Which call does which?",
        "cudaMalloc takes the address of your pointer, and a size in bytes: cudaMalloc(&d_a, n * \
         sizeof(float)). Every size on the host is in bytes, never in elements.",
        "cudaMemcpy(to, from, bytes, direction): the destination comes first, as in `to = from`. \
         In is cudaMemcpyHostToDevice, out is cudaMemcpyDeviceToHost.",
        "const int grid = (n + 255) / 256; sine<<<grid, 256>>>(d_a, d_out, n); The kernel gets the \
         device's pointers: a and out themselves are addresses that it cannot reach.",
    ],
    pitfalls: &[
        "Elements for bytes. cudaMalloc(&d_a, n) gives room for n / 4 floats, and cudaMemcpy(..., n, ...) \
         copies as many.",
        "The direction. The compiler cannot see whether a float* is on the host or on the device; \
         names that begin with d_ and h_ help people to.",
        "The results copied back before the launch. The calls run in the order in which you wrote \
         them, whatever they are for.",
        "The host's arrays handed to the kernel. It compiles; the addresses mean nothing on the device.",
        "An allocation that is never freed. Every run of the function leaks a little, and a long program \
         stops one day.",
    ],
    learn: "chapter 2, \"There and back\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = [case.size("n")];
    vec![uniform(rng, &shape), out(&shape), int(case.size("n"))]
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
