//! Copies in, kernels and copies out at the same time, with chunks, streams and page-locked memory.

use ndarray::ArrayD;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `overlap`.
pub static SPEC: Spec = Spec {
    id: "overlap",
    chapter: "ch08_streams",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 35,
    goal: "copy in, compute and copy out at the same time",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("x", "[n]"),
        number("a"),
        number("b"),
        floats_out("out", "[n]"),
        count("n"),
        count("steps"),
    ],
    cases: &[
        sized("1000 elements", "a small array to begin with", &[("n", 1000), ("steps", 3)]),
        gated(sized(
            "4 194 304 elements",
            "long copies; even with 16 chunks, the copy of a chunk takes longer than the host's \
             calls for this chunk",
            &[("n", 1 << 22), ("steps", 16)],
        )),
        sized(
            "10 007 elements",
            "a prime number, so the chunks can't all have the same length",
            &[("n", 10_007), ("steps", 3)],
        ),
        sized("one element", "fewer elements than chunks", &[("n", 1), ("steps", 3)]),
    ],
    large: Some(sized("large", "", &[("n", 1 << 24), ("steps", 16)])),
    // a product and a sum in each of up to 16 steps
    tolerance: Tolerance::Roundings(32),
    gates: &[
        Gate { baseline: Some(0.0), ..at_least(Metric::Overlap, 0.5) },
        down_to(Metric::BytesToDevice, 4.0 * (1 << 22) as f64, 4.0 * (1 << 22) as f64),
        down_to(Metric::BytesToHost, 4.0 * (1 << 22) as f64, 4.0 * (1 << 22) as f64),
        shared_work(700.0),
    ],
    hints: &[
        "The simulated device has three engines, for copies in, kernels and copies out. The device \
         could already copy the first element back while the last element is still on the host. \
         Why does the first element have to wait in this program?",
        "One copy transfers the whole array and one launch processes all of it, so the kernel \
         can't start before the whole copy is done. Cut the array into chunks, with one copy in, \
         one launch and one copy out for each chunk. Which of these operations depend on each \
         other?",
        "The device does the work of one stream in order, so you need several streams. Create them \
         with `cudaStreamCreate`, pass the stream as the last argument of `cudaMemcpyAsync`, and \
         launch with `<<<grid, block, 0, stream>>>`. Remember that the last chunk may be shorter \
         than the others.",
        "If nothing overlaps yet, look at the host's memory. Without the host's help, the copy \
         engines can copy only from and to page-locked memory. `cudaHostRegister(pointer, bytes, \
         cudaHostRegisterDefault)` locks memory that you already have, and `cudaMallocHost` \
         allocates new page-locked memory. You need page-locked memory for both directions.",
        "Use eight chunks, and distribute them over three streams. Call `cudaHostRegister` for `x` \
         (with a `const_cast`) and for `out`. In the loop, put the copy in, the launch and the \
         copy out into the chunk's stream. After the loop, call `cudaStreamSynchronize` and \
         `cudaStreamDestroy` for each stream, and then `cudaHostUnregister` for both arrays.",
    ],
    pitfalls: &[
        "Chunks and streams don't help with ordinary memory. When `cudaMemcpyAsync` copies to \
         ordinary host memory, the host waits for this copy and for all work before it in the \
         stream, so the results are right, but nothing overlaps.",
        "If you lock only one of the two arrays, the copies in the other direction still make the \
         host wait.",
        "Don't use one stream for all chunks. The device does the work of a stream in order, so \
         nothing can overlap.",
        "If you forget the stream in one call, its work is in the default stream, so it waits for \
         all earlier work, and all later work waits for it. If this happens for each chunk, only \
         the copies of two neighbouring chunks can still overlap.",
        "Don't wait at the end of each iteration. Otherwise, the copy of a chunk can't start \
         before the previous chunk has finished.",
        "If you put `n / CHUNKS` elements into each chunk, the division drops the remainder, so \
         the program never copies the last elements.",
        "Two chunks aren't enough, because nothing can overlap with the first chunk's copy in, or \
         with the second chunk's copy out. If each copy takes the time `t`, a program with `k` \
         chunks takes at least `(k + 1) * t`, and two engines work at once for at most `(k - 1) * \
         t`.",
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

    /// With a = 2 and b = 1, 4 becomes 9 and then 19, and -1 doesn't change.
    #[test]
    fn every_step_multiplies_and_adds() {
        let v = array![4.0, -1.0].into_dyn();
        assert_eq!(chained(v.clone(), 2.0, 1.0, 0), v);
        assert_eq!(chained(v, 2.0, 1.0, 2), array![19.0, -1.0].into_dyn());
    }
}
