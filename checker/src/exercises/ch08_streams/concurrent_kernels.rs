//! Three small kernels at the same time, and a fourth kernel that needs all of their results.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `concurrent_kernels`.
///
/// The gated case's models take much longer on the simulated clock than the host needs for a
/// launch, even if their 256 threads are spread over blocks of a single warp. So in three streams,
/// at least two kernels run at the same time for most of the time.
pub static SPEC: Spec = Spec {
    id: "concurrent_kernels",
    chapter: "ch08_streams",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 25,
    goal: "run kernels at the same time, and wait for all of them before you use their results",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("now", "[n]"), floats_out("out", "[n]"), count("n"), count("steps")],
    cases: &[
        sized(
            "300 stations",
            "a small array; the results must stay right",
            &[("n", 300), ("steps", 10)],
        ),
        gated(sized(
            "256 stations, 12 000 steps",
            "each kernel takes longer than the launch of the next kernel",
            &[("n", 256), ("steps", 12_000)],
        )),
        sized("one station", "the smallest arrays", &[("n", 1), ("steps", 100)]),
        sized(
            "257 stations",
            "the second block has one thread with work",
            &[("n", 257), ("steps", 1)],
        ),
        sized(
            "no step",
            "each model's forecast is equal to its input",
            &[("n", 1000), ("steps", 0)],
        ),
        sized(
            "300 000 stations",
            "1172 blocks of 256 threads; if you swap the grid and the block, the launch fails, \
             because a block has at most 1024 threads",
            &[("n", 300_000), ("steps", 1)],
        ),
    ],
    large: None,
    // each model has a product and a sum in each of up to 12 000 steps
    tolerance: Tolerance::Roundings(24_000),
    gates: &[
        Gate { baseline: Some(0.0), ..at_least(Metric::ConcurrentKernels, 0.5) },
        exactly(Metric::Launches, 4.0),
        at_most(Metric::Instructions, 1_450_000.0),
        // In microseconds on the simulated clock, the longest model and the mean take 144, and all
        // four kernels one after the other take 354.
        at_most(Metric::KernelTime, 200.0),
    ],
    hints: &[
        "For each of the four launches, note which arrays the kernel reads and which array it \
         writes. Which kernels need the result of another kernel?",
        "The device does the work of one stream in order. No model needs the result of another \
         model, so create three streams with `cudaStreamCreate` and launch each model in its own \
         stream. The stream is the fourth argument in `<<<blocks, BLOCK, 0, stream>>>`.",
        "`mean` reads the results of three kernels in three streams. A stream orders only its own \
         work, so the stream of `mean` has to wait for the other two streams.",
        "Launch `mean` in `stream[0]`. After the launches of the models, record an event in each \
         of the other two streams with `cudaEventRecord(event, other)`, and call \
         `cudaStreamWaitEvent(stream[0], event)` for both events before you launch `mean`. Destroy \
         the events and streams at the end.",
    ],
    pitfalls: &[
        "If you leave out the stream of one launch, the kernel is in the default stream, so it \
         waits for all work before it, and all later work waits for this kernel.",
        "Don't wait on the host after each launch. The host would then launch each model only when \
         the previous model has finished.",
        "It isn't enough to wait for the model that's usually the slowest. On another GPU, a \
         different model may be the slowest one.",
        "Don't record an event before the launch that it should cover. An event covers only the \
         work that's already in the stream when you record the event.",
        "Don't use one array for the results of all three models. With several streams, the models \
         also write to this array at the same time, so you get a race in addition to wrong \
         results.",
        "If you create the streams with `cudaStreamNonBlocking`, don't rely on the default stream. \
         These streams don't wait for the copy of `now`, and the copy of `out` doesn't wait for \
         them.",
    ],
    learn: "chapter 8, \"Kernels side by side\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), out(&[n]), int(n), int(case.size("steps"))]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![forecast(&f64s(inputs, 0), case.size("steps")).into()]
}

/// The mean of the three models.
fn forecast(now: &ArrayD<f64>, steps: usize) -> ArrayD<f64> {
    now.mapv(|t| (settled(t, steps) + swung(t, steps) + radiated(t, steps)) / 3.0)
}

/// The constants of the kernels, which are floats.
const THOUSANDTH: f64 = 0.001_f32 as f64;
const TEN_THOUSANDTH: f64 = 0.0001_f32 as f64;

fn settled(t: f64, steps: usize) -> f64 {
    (0..steps).fold(t, |t, _| t - THOUSANDTH * t)
}

fn swung(t: f64, steps: usize) -> f64 {
    let step = |(t, speed), _| {
        let speed = speed - THOUSANDTH * t;
        (t + THOUSANDTH * speed, speed)
    };
    (0..steps).fold((t, 0.0), step).0
}

fn radiated(t: f64, steps: usize) -> f64 {
    (0..steps).fold(t, |t, _| t - TEN_THOUSANDTH * t * t.abs())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// After one step from 10 or -10, the models return 9.99, 9.99999 and -9.99.
    #[test]
    fn one_step_of_each_model() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-8, "{a} {b}");
        near(settled(10.0, 1), 9.99);
        near(swung(10.0, 1), 9.99999);
        near(radiated(-10.0, 1), -9.99);
        let out = forecast(&array![10.0, 0.0].into_dyn(), 1);
        near(out[[0]], (9.99 + 9.99999 + 9.99) / 3.0);
        assert_eq!(out[[1]], 0.0);
    }

    /// After half a period, which is pi / 0.001 steps, the pendulum is on the other side.
    #[test]
    fn the_pendulum_swings_to_the_other_side() {
        assert!((swung(1.0, 3142) + 1.0).abs() < 1e-3);
    }
}
