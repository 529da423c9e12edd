//! Two streams, one of which needs the results of the other. An event makes the second stream wait,
//! and the host doesn't wait.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `stream_order`.
pub static SPEC: Spec = Spec {
    id: "stream_order",
    chapter: "ch08_streams",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 25,
    goal: "make one stream wait for another without making the host wait",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("x", "[n]"), floats_out("out", "[n]"), count("n"), count("chunks")],
    cases: &[
        sized(
            "one chunk",
            "the second stage needs the results of the first stage",
            &[("n", 1000), ("chunks", 1)],
        ),
        sized(
            "three chunks",
            "each chunk needs a wait of its own; the last chunk is shorter",
            &[("n", 1000), ("chunks", 3)],
        ),
        gated(sized(
            "four large chunks",
            "the chunks are long enough for copies in and copies out to overlap",
            &[("n", 1 << 20), ("chunks", 4)],
        )),
        sized(
            "more chunks than elements",
            "five chunks of one element, and three empty chunks",
            &[("n", 5), ("chunks", 8)],
        ),
        sized(
            "one long chunk",
            "1172 blocks of 256 threads; if you swap the grid and the block, the launch fails, \
             because a block has at most 1024 threads",
            &[("n", 300_000), ("chunks", 1)],
        ),
    ],
    large: None,
    // a square, a sum and a root
    tolerance: Tolerance::Roundings(6),
    gates: &[
        exactly(Metric::DeviceWaits, 0.0),
        at_least(Metric::Overlap, 0.4),
        exactly(Metric::BytesToDevice, 4.0 * (1 << 20) as f64),
        exactly(Metric::BytesToHost, 4.0 * (1 << 20) as f64),
        shared_work(200.0),
    ],
    hints: &[
        "The device does the work of each stream in order. However, the kernel `root` in the \
         stream `back` reads the results of the kernel `square` in the stream `front`. How can \
         `back` wait until a chunk is ready?",
        "An event is a marker in a stream. `cudaEventRecord(event, front)` puts it at the end of \
         `front`, and `cudaStreamWaitEvent(back, event)` makes all later work in `back` wait for \
         it. Neither call makes the host wait.",
        "Find two places in the loop. After which call in `front` is the chunk ready? Before which \
         call in `back` must the chunk be ready? Keep in mind that `cudaStreamWaitEvent` doesn't \
         wait at all if the program hasn't recorded the event yet.",
        "Call `cudaEventCreateWithFlags(&squared, cudaEventDisableTiming)` once before the loop. \
         In the loop, between the launches of `square` and `root`, call `cudaEventRecord(squared, \
         front)` and then `cudaStreamWaitEvent(back, squared)`. One event is enough for all \
         chunks. Destroy it at the end.",
    ],
    pitfalls: &[
        "Don't call `cudaStreamWaitEvent` before you record the event. Otherwise, the stream waits \
         for the previous record of the event. If there's no previous record, the stream doesn't \
         wait, and the call doesn't return an error, either.",
        "Don't record the event too early. An event covers only the work that's already in the \
         stream when you record the event.",
        "Don't make the wrong stream wait. The first argument of `cudaStreamWaitEvent` is the \
         stream that waits.",
        "Don't launch `root` in the default stream. The default stream waits for all streams that \
         `cudaStreamCreate` has created, and they wait for the default stream. The results are \
         right, but much less work overlaps. If you create the streams with \
         `cudaStreamNonBlocking`, the default stream doesn't wait for them, so the same program is \
         wrong.",
        "Don't call `cudaDeviceSynchronize` in the loop. The call makes the host wait for all \
         streams, although only one kernel has to wait for another kernel.",
    ],
    learn: "chapter 8, \"One stream waits for another\"",
    skeleton: Slug::MissingWait,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), out(&[n]), int(n), int(case.size("chunks"))]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![piped(&f64s(inputs, 0)).into()]
}

fn piped(x: &ArrayD<f64>) -> ArrayD<f64> {
    x.mapv(|x| (1.0 + x * x).sqrt())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// 1 + 9/16 = 25/16, whose root is 5/4.
    #[test]
    fn the_root_of_one_more_than_the_square() {
        assert_eq!(piped(&array![0.0, 0.75, -0.75].into_dyn()), array![1.0, 1.25, 1.25].into_dyn());
    }
}
