//! Copies in, kernels and copies out at the same time: chunks, streams, and page-locked memory.

use ndarray::ArrayD;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `overlap`.
pub static SPEC: Spec = Spec {
    id: "overlap",
    chapter: "ch08_streams",
    kind: Kind::Program,
    start: Start::Optimise,
    minutes: 35,
    goal: "copy in, compute and copy out at the same time",
    cooperative: false,
    params: &[
        floats_in("x", "[n]"),
        number("a"),
        number("b"),
        floats_out("out", "[n]"),
        count("n"),
        count("steps"),
    ],
    cases: &[
        sized("1000 elements", "right comes before fast", &[("n", 1000), ("steps", 3)]),
        gated(sized(
            "a million elements",
            "long copies: a chunk takes longer than asking for it",
            &[("n", 1 << 20), ("steps", 16)],
        )),
        sized("10 007", "a prime: no number of chunks divides it", &[("n", 10_007), ("steps", 3)]),
        sized("one element", "fewer elements than chunks", &[("n", 1), ("steps", 3)]),
    ],
    large: Some(sized("large", "", &[("n", 1 << 24), ("steps", 16)])),
    // a product and a sum in each of up to 16 steps
    tolerance: Tolerance::Roundings(32),
    gates: &[
        Gate { baseline: Some(0.0), ..at_least(Metric::Overlap, 0.5) },
        down_to(Metric::BytesToDevice, 4.0 * (1 << 20) as f64, 4.0 * (1 << 20) as f64),
        down_to(Metric::BytesToHost, 4.0 * (1 << 20) as f64, 4.0 * (1 << 20) as f64),
    ],
    hints: &[
        "Three engines: copies in, kernels, copies out. The first element could be on its way home while \
         the last one is still waiting to leave. What keeps it?",
        "A copy of the whole array is one piece of work, and the kernel needs all of it. Cut the array into \
         chunks: one copy in, one launch and one copy out for each. Which of these depend on each other?",
        "Work of one stream is done in order, so chunks need several streams: cudaStreamCreate, \
         cudaMemcpyAsync with the stream as its last argument, <<<grid, block, 0, stream>>>. The last \
         chunk may be shorter than the others.",
        "If nothing overlaps yet, look at the memory. The runtime can copy behind the host's back only \
         from and to page-locked memory: cudaHostRegister(pointer, bytes, cudaHostRegisterDefault) locks \
         what is there, cudaMallocHost gets new memory that is. Both ways need it.",
        "Eight chunks, three streams in turn; cudaHostRegister on x (with a const_cast) and on out; in the \
         loop copy in, launch, copy out, all in the chunk's stream; after the loop \
         cudaStreamSynchronize for each stream, cudaStreamDestroy, cudaHostUnregister.",
    ],
    pitfalls: &[
        "Chunks and streams, and memory as it was. cudaMemcpyAsync to pageable memory waits for its copy, \
         and so for all that is before it in its stream: everything is right, and nothing overlaps.",
        "Locking one side only. The copies of the other side still go one by one.",
        "One stream for all chunks. They are in order, then, and order is what had to go.",
        "A call without its stream. It goes to the default stream, which waits for all others, and they for \
         it: one forgotten copy in each chunk puts everything in a row.",
        "A wait at the end of each turn of the loop. It is one wait too many for each chunk.",
        "n / CHUNKS elements in a chunk. What is left over after the division is never sent.",
        "Two chunks only. The first has nothing to overlap with on its way in, the last one nothing on its \
         way out: with k chunks of equal copies no more than k - 1 of k + 1 parts of the time can be shared.",
    ],
    learn: "chapter 8, \"Three things at once\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let x = uniform(rng, &[n]);
    let (a, b) = (rng.random_range(0.5..0.9), rng.random_range(1.0..2.0));
    vec![x, float(a), float(b), out(&[n]), int(n), int(case.size("steps"))]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let (a, b) = (scalar(inputs, 1), scalar(inputs, 2));
    vec![chained(f64s(inputs, 0), a, b, case.size("steps")).into()]
}

fn chained(v: ArrayD<f64>, a: f64, b: f64, steps: usize) -> ArrayD<f64> {
    (0..steps).fold(v, |v, _| v.mapv(|v| a * v + b))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// 4, 2 * 4 + 1 = 9, 19; and -1 stays where it is.
    #[test]
    fn every_step_multiplies_and_adds() {
        let v = array![4.0, -1.0].into_dyn();
        assert_eq!(chained(v.clone(), 2.0, 1.0, 0), v);
        assert_eq!(chained(v, 2.0, 1.0, 2), array![19.0, -1.0].into_dyn());
    }
}
