//! Three kernels one after the other: the data that the next kernel needs stays on the device.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `stay_on_device`.
pub static SPEC: Spec = Spec {
    id: "stay_on_device",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 20,
    goal: "keep data on the device between kernels",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("x", "[n]"),
        floats_in("w", "[n]"),
        number("mean"),
        number("deviation"),
        floats_out("out", "[n]"),
        count("n"),
    ],
    cases: &[
        gated(sized("1000 elements", "the last block isn't full", &[("n", 1000)])),
        sized("one element", "the smallest array", &[("n", 1)]),
        sized("257", "a second block with only one element", &[("n", 257)]),
        sized("10 007", "a prime number, so the last block isn't full", &[("n", 10_007)]),
        sized(
            "300 000",
            "1172 blocks of 256 threads; if you swap these numbers, the launch fails, because a \
             block has at most 1024 threads",
            &[("n", 300_000)],
        ),
    ],
    large: Some(sized("large", "", &[("n", 1 << 24)])),
    // a difference, two quotients, a product and a sum
    tolerance: Tolerance::Roundings(6),
    gates: &[
        down_to(Metric::CopiesToDevice, 2.0, 4.0),
        down_to(Metric::CopiesToHost, 1.0, 3.0),
        // kernels may also load and store the host's memory without a copy
        down_to(Metric::BytesToDevice, 8000.0, 16_000.0),
        down_to(Metric::BytesToHost, 4000.0, 12_000.0),
        at_most(Metric::Launches, 3.0),
        shared_work(150.0),
    ],
    hints: &[
        "Draw the host and the device, with an arrow for every copy. Which arrays does the program \
         copy to the host only to copy them back unchanged?",
        "Between the steps, the host never uses the values in the two vectors. Only the next \
         kernel uses them, and it runs on the device, where the data already is.",
        "Write one function that takes five steps: allocate memory, copy the two input arrays to \
         the device, launch the three kernels, copy the one result back, and free the memory.",
        "All three kernels can work on the same array `d_v`. Copy `x` into it, launch \
         `normalise_kernel`, `weigh_kernel` and `activate_kernel` on it one after the other, and \
         then copy it to `out`. You don't need to wait between the launches.",
    ],
    pitfalls: &[
        "You can begin with a complete function for each step, but you shouldn't keep these \
         functions. They hide the copies, because each function looks reasonable on its own.",
        "Don't allocate new memory for each step. The next kernel needs the results of the \
         previous step, and they're in the old memory.",
        "Don't free the array after each kernel, because the next kernel still needs it.",
        "Don't add waits between the launches just to be on the safe side. Kernels in one stream \
         run one after the other anyway.",
    ],
    learn: "chapter 2, \"Keep data on the device\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let (x, w) = (uniform(rng, &[n]), uniform(rng, &[n]));
    let (mean, deviation) = (rng.random_range(0.5..1.5), rng.random_range(4.0..6.0));
    vec![x, w, float(mean), float(deviation), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let (mean, deviation) = (scalar(inputs, 2), scalar(inputs, 3));
    vec![activated(&f64s(inputs, 0), &f64s(inputs, 1), mean, deviation).into()]
}

fn activated(x: &ArrayD<f64>, w: &ArrayD<f64>, mean: f64, deviation: f64) -> ArrayD<f64> {
    let weighed = Zip::from(x).and(w).map_collect(|x, w| (x - mean) / deviation * w);
    weighed.mapv(|v| v / (1.0 + v.abs()))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// (5 - 1) / 2 * 1.5 = 3 and 3 / 4; (-1 - 1) / 2 * 4 = -4 and -4 / 5; (1 - 1) / 2 * 7 = 0.
    #[test]
    fn normalises_weighs_and_activates() {
        let (x, w) = (array![5.0, -1.0, 1.0].into_dyn(), array![1.5, 4.0, 7.0].into_dyn());
        assert_eq!(activated(&x, &w, 1.0, 2.0), array![0.75, -0.8, 0.0].into_dyn());
    }
}
