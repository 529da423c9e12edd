//! Measuring a kernel with two events, and waiting for them before reading the time.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// `event_timing`.
pub static SPEC: Spec = Spec {
    id: "event_timing",
    chapter: "ch08_streams",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 20,
    goal: "measure a kernel, and not its launch",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[n]"),
        floats_out("out", "[n]"),
        count("n"),
        count("steps"),
        Param { name: "milliseconds", role: Role::Time, dtype: DType::F32, shape: "[1]" },
    ],
    cases: &[
        gated(sized(
            "1000 elements, 2000 steps",
            "a kernel that takes longer than its launch",
            &[("n", 1000), ("steps", 2000)],
        )),
        gated(sized("one step", "a short kernel", &[("n", 257), ("steps", 1)])),
        gated(sized(
            "10 007 elements",
            "copies that take about as long as the kernel",
            &[("n", 10_007), ("steps", 50)],
        )),
        sized("one element", "the smallest array", &[("n", 1), ("steps", 3)]),
        sized(
            "300 000 elements",
            "1172 blocks of 256 threads; if you swap the grid and the block, the launch fails, \
             because a block has at most 1024 threads",
            &[("n", 300_000), ("steps", 1)],
        ),
    ],
    large: None,
    // an exact product and a sum in each of up to 2000 steps, each of which halves the earlier
    // errors
    tolerance: Tolerance::Roundings(8),
    gates: &[
        at_least(Metric::TimedKernels, 0.9),
        at_most(Metric::TimedCopies, 0.0),
        // so that a program can't measure several launches
        at_most(Metric::TimedKernels, 1.1),
        shared_work(40_000.0),
    ],
    hints: &[
        "The program reads the clock before the launch and after it. Has the device finished the \
         kernel when the program reads the clock for the second time?",
        "Only the device knows when its kernel begins and ends, so let the device measure the \
         time. An event is a marker in a stream, and the device records the time when it reaches \
         the marker. `cudaEventCreate(&event)` creates an event, and `cudaEventRecord(event)` puts \
         it at the end of the stream.",
        "Record one event right before the launch and another event right after it, so that you \
         don't measure the copies. Both calls only put a marker into the queue. When the second \
         call returns, the device may not even have reached the first event.",
        "Call `cudaEventRecord(start)`, launch the kernel, and call `cudaEventRecord(stop)`. Then \
         wait with `cudaEventSynchronize(stop)` before you call \
         `cudaEventElapsedTime(milliseconds, start, stop)`. Destroy both events at the end.",
    ],
    pitfalls: &[
        "Don't read the host's clock before and after the launch. A launch only puts the kernel \
         into a queue, so it returns long before the kernel has finished.",
        "Don't record the second event before the launch. An event is complete when all work \
         before it in the stream is done, and in this case, the kernel comes after the event.",
        "Don't call `cudaEventElapsedTime` right after the second record. The function doesn't \
         wait, so it returns `cudaErrorNotReady` and doesn't change the number.",
        "Don't measure the copies together with the kernel. They often take longer than the \
         kernel, so you learn little about the kernel from the sum of both times.",
        "Don't measure the first launch on a GPU. Its time also includes the time to load the \
         kernel's code, so launch the kernel once before you measure.",
    ],
    learn: "chapter 8, \"Timing with events\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let time = Value::Out { dtype: DType::F32, shape: vec![1] };
    vec![uniform(rng, &[n]), out(&[n]), int(n), int(case.size("steps")), time]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![relaxed(f64s(inputs, 0), case.size("steps")).into()]
}

fn relaxed(v: ArrayD<f64>, steps: usize) -> ArrayD<f64> {
    (0..steps).fold(v, |v, _| v.mapv(|v| 0.5 * v + 1.0))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// Every step halves the distance to 2, as in 10, 6, 4, 3.
    #[test]
    fn every_step_halves_the_distance_to_two() {
        let v = array![10.0, 2.0, -6.0].into_dyn();
        assert_eq!(relaxed(v.clone(), 0), v);
        assert_eq!(relaxed(v, 3), array![3.0, 2.0, 1.0].into_dyn());
    }
}
