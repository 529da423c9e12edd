//! Two streams, of which one needs what the other makes: an event orders them, and nothing else
//! waits.

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
        sized(
            "one long chunk",
            "1172 blocks of 256 threads; if you swap the two, the launch fails, because a block \
             has at most 1024 threads",
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
    ],
    hints: &[
        "Each stream is in order by itself. However, `root` in the stream `back` reads what \
         `square` in the stream `front` writes. How can `back` wait until a chunk is ready?",
        "An event is a marker in a stream. cudaEventRecord(event, front) puts it after everything \
         that is in `front` so far. cudaStreamWaitEvent(back, event) makes all later work in `back` \
         wait for it. Neither call makes the host wait.",
        "Find two places in the loop. After which call in `front` is the chunk ready? Before \
         which call in `back` must it be ready? Keep in mind that a wait for an event that \
         wasn't recorded yet doesn't wait at all.",
        "Call cudaEventCreateWithFlags(&squared, cudaEventDisableTiming) once before the loop. \
         In the loop, after `square`, call cudaEventRecord(squared, front) and then \
         cudaStreamWaitEvent(back, squared), before `root`. One event is enough for all chunks. \
         Destroy it at the end.",
    ],
    pitfalls: &[
        "Waiting before the event is recorded. The wait is for the last record before it. If \
         there isn't one, it doesn't wait, and it doesn't return an error either.",
        "Recording the event too early. It only covers the work that is in the stream at that \
         moment.",
        "Making the wrong stream wait. The first argument of cudaStreamWaitEvent is the stream \
         that waits.",
        "Launching into the default stream. It waits for all streams that cudaStreamCreate \
         made, and they wait for it. The results are right, but much less overlaps. With \
         streams made by cudaStreamNonBlocking, it waits for no stream at all, and the same \
         program is wrong.",
        "Calling cudaDeviceSynchronize in the loop. It makes the host wait for all streams, \
         although only one kernel has to wait for another one.",
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
