//! Host memory that a kernel reads and writes itself. The program makes no copies, but it has to
//! wait.

use ndarray::{ArrayD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Op, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `mapped_memory`.
pub static SPEC: Spec = Spec {
    id: "mapped_memory",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Rearranges),
    start: Start::Optimise,
    minutes: 15,
    goal: "let the kernel use the host's memory, and wait before the host reads the results",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("measured", "[n][2]"), floats_out("report", "[n]"), count("n")],
    cases: &[
        // Registered memory of this length contains at least one whole page, so that the simulator
        // sees when the host reads too early.
        gated(sized("3000 measurements", "the last block isn't full", &[("n", 3000)])),
        sized("one measurement", "the smallest array", &[("n", 1)]),
        sized("257 measurements", "a second block with only one element", &[("n", 257)]),
        sized(
            "10 007 measurements",
            "a prime number, so the last block isn't full",
            &[("n", 10_007)],
        ),
        sized(
            "300 000 measurements",
            "1172 blocks of 256 threads; if you swap these numbers, the launch fails, because a \
             block has at most 1024 threads",
            &[("n", 300_000)],
        ),
    ],
    large: None,
    // a product and a quotient
    tolerance: Tolerance::OwnRoundings(2),
    gates: &[
        none_of(Metric::CopiesToDevice, 1.0),
        none_of(Metric::CopiesToHost, 1.0),
        // cudaMemcpy between a vector and the mapped memory isn't a copy to the device
        none_of(Metric::CopiesWithinHost, 0.0),
        none_of(Metric::Allocations, 2.0),
        exactly(Metric::Launches, 1.0),
        shared_work(200.0),
    ],
    hints: &[
        "How often does the kernel load each element of `volts`, and how often does it store each \
         element of `watts`? How many times would each element cross the bus without the copies?",
        "`cudaHostAlloc(&volts, bytes, cudaHostAllocMapped)` allocates host memory that the device \
         can use, too. Then you no longer need the two vectors, because the host can fill this \
         memory itself.",
        "The kernel needs the device's address for this memory. \
         `cudaHostGetDevicePointer(&d_volts, volts, 0)` stores this address in `d_volts`.",
        "A launch returns immediately, and so far the second `cudaMemcpy` has waited for the \
         kernel. Now there's no `cudaMemcpy` any more. Which other call waits for all work of the \
         device?",
        "Allocate `volts` and `watts` with `cudaHostAlloc`, and fill `volts`. Get `d_volts` and \
         `d_watts` from `cudaHostGetDevicePointer`, launch the kernel, call \
         `cudaDeviceSynchronize()`, and write the report from `watts`. Then free both with \
         `cudaFreeHost`.",
    ],
    pitfalls: &[
        "Don't read the results right after the launch. There's no `cudaMemcpy` that waits, so the \
         host may be faster than the kernel.",
        "If you wait before the launch instead of after it, there's nothing to wait for yet, so \
         the host still reads the results too early.",
        "Don't fill the memory after the launch, because the kernel may already be reading it.",
        "Don't pass the address of a `std::vector` to the kernel. Ordinary host memory isn't \
         mapped, so on most systems, the kernel can't use it.",
        "Don't free mapped memory with `cudaFree`. This memory is on the host, so it needs \
         `cudaFreeHost`.",
        "Don't use mapped memory for data that a kernel reads many times. Each of these loads may \
         cross the bus, so a single copy is better.",
    ],
    learn: "chapter 2, \"Reading the host's memory\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

/// The count of `metric` must be 0. The skeleton's count is `baseline`.
const fn none_of(metric: Metric, baseline: f64) -> Gate {
    Gate { metric, op: Op::AtMost, target: 0.0, baseline: Some(baseline) }
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let measured = ArrayD::from_shape_fn(&[n, 2][..], |at| match at[1] {
        0 => at[0] as f32 + rng.random_range(0.0..1.0),
        _ => rng.random_range(0.5..5.0),
    });
    vec![Value::Array(Array::F32(measured)), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![report(&f64s(inputs, 0)).into()]
}

/// The power at 50 ohms for each measured voltage. The latest measurement comes first.
fn report(measured: &ArrayD<f64>) -> ArrayD<f64> {
    let volts = measured.index_axis(Axis(1), 1);
    let mut watts = volts.mapv(|volts| volts.powi(2) / 50.0);
    watts.invert_axis(Axis(0));
    watts
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// At 50 ohms, 5 volts give half a watt, and half the voltage gives a quarter of this power.
    #[test]
    fn the_latest_power_comes_first() {
        let watts = report(&array![[0.0, 5.0], [1.0, 2.5]].into_dyn());
        assert_eq!(watts, array![0.125, 0.5].into_dyn());
    }
}
