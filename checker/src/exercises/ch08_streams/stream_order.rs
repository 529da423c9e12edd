//! Two streams, of which one needs what the other makes: an event orders them, and nothing else
//! waits.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `stream_order`.
pub static SPEC: Spec = Spec {
    id: "stream_order",
    chapter: "ch08_streams",
    kind: Kind::Program,
    start: Start::Fix,
    minutes: 25,
    goal: "let one stream wait for another, and nothing else",
    cooperative: false,
    params: &[floats_in("x", "[n]"), floats_out("out", "[n]"), count("n"), count("chunks")],
    cases: &[
        sized(
            "one chunk",
            "the second stage needs what the first one makes",
            &[("n", 1000), ("chunks", 1)],
        ),
        sized(
            "three chunks",
            "each chunk needs its own; the last one is shorter",
            &[("n", 1000), ("chunks", 3)],
        ),
        gated(sized(
            "four large chunks",
            "long enough for copies in and copies out to overlap",
            &[("n", 1 << 20), ("chunks", 4)],
        )),
        sized(
            "more chunks than elements",
            "chunks of one element, some of them empty",
            &[("n", 5), ("chunks", 8)],
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
    ],
    hints: &[
        "Two people work in two rooms, each through a list of their own. The second needs what the first \
         has made. How does she learn that it is there, and when?",
        "An event is a mark in a stream. cudaEventRecord(event, front) puts it behind all that `front` has \
         been asked for so far; cudaStreamWaitEvent(back, event) makes what `back` is asked for from then \
         on wait for it. Neither call makes the host wait.",
        "Three places in the loop: behind which call of `front` is a chunk ready? Before which call of \
         `back` must it be? And a wait for an event that was not recorded yet waits for nothing.",
        "cudaEventCreateWithFlags(&squared, cudaEventDisableTiming) once; in the loop, after `square`, \
         cudaEventRecord(squared, front), then cudaStreamWaitEvent(back, squared), then `root`. One event \
         does for all chunks.",
    ],
    pitfalls: &[
        "Waiting before anything is recorded. A wait is for the last record before it; where there is \
         none, it waits for nothing, without any message.",
        "Recording too early. An event marks the end of the stream as it is at that moment: what is asked \
         for later is not included.",
        "Letting the wrong stream wait. The first argument of cudaStreamWaitEvent is the one that waits.",
        "Launching into the default stream. It waits for all streams that cudaStreamCreate made, and they \
         for it: right, and nothing overlaps any more. With cudaStreamNonBlocking streams it waits for \
         no stream, and the same program is wrong.",
        "cudaDeviceSynchronize in the loop. It makes the host wait for all streams, where one kernel had \
         to wait for another.",
    ],
    learn: "chapter 8, \"After you\"",
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
