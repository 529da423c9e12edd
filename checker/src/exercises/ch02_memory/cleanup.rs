//! Ownership of device memory: an array that frees itself.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `cleanup`.
pub static SPEC: Spec = Spec {
    id: "cleanup",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 25,
    goal: "free every array once, and not before its last use",
    cooperative: false,
    ordered: &[],
    params: &[
        number("a"),
        floats_in("x", "[n]"),
        floats_in_out("y", "[n]"),
        count("n"),
        count("rounds"),
    ],
    cases: &[
        sized("one round", "the program must free all memory", &[("n", 1000), ("rounds", 1)]),
        sized(
            "two rounds",
            "the results of the first round are the input of the second round",
            &[("n", 257), ("rounds", 2)],
        ),
        gated(sized("100 rounds", "leaks add up over the rounds", &[("n", 1000), ("rounds", 100)])),
        sized("no rounds", "the program needs no array at all", &[("n", 33), ("rounds", 0)]),
        sized(
            "300 000 elements",
            "1172 blocks of 256 threads; if you swap these numbers, the launch fails, because a \
             block has at most 1024 threads",
            &[("n", 300_000), ("rounds", 1)],
        ),
    ],
    large: None,
    // a product and a sum in each of up to 100 rounds
    tolerance: Tolerance::Roundings(200),
    gates: &[
        at_most(Metric::LiveAllocations, 3.0),
        // three arrays of 1000 floats
        at_most(Metric::LiveBytes, 12_288.0),
        exactly(Metric::Launches, 100.0),
        shared_work(200.0),
    ],
    hints: &[
        "There are two questions to answer. How many arrays are on the device after the second \
         round, and which line frees them? When the host reads `received[0]`, which line makes \
         sure that the copy has ended?",
        "A `DeviceBuffer` goes out of scope at the end of each round. C++ then calls its \
         destructor, no matter how the program leaves the scope. However, this struct has no \
         destructor of its own, so nothing frees the memory.",
        "`cudaMemcpyAsync` may return before the copy has even begun. `cudaStreamSynchronize` \
         waits for all work of a stream. The argument `nullptr` means the default stream, which \
         contains all launches and copies of this program.",
        "Add `~DeviceBuffer() { cudaFree(data); }` to the struct, and call \
         `cudaStreamSynchronize(nullptr)` after the asynchronous copy. Then make sure that the \
         program can't copy a buffer, because the buffer and its copy would both free the same \
         memory.",
    ],
    pitfalls: &[
        "You could free the memory by hand at the end of the loop's body, but this works only \
         until you add a `continue`, a `break` or a `return`.",
        "If a struct has a destructor, delete its copy constructor. Otherwise, if you pass an \
         object of this type to a function, the copy's destructor frees the memory, and \
         later the original's destructor frees it again.",
        "Don't rely on `cudaFree` to wait. It does wait for the device, so a `cudaFree` between \
         the copy and the read hides the missing wait. You notice the mistake only after you've \
         removed this `cudaFree`.",
        "Don't call `cudaFree` for page-locked host memory. Memory from `cudaMallocHost` needs \
         `cudaFreeHost`.",
        "If you allocate the memory in every round, the program is correct but slow, because an \
         allocation can take longer than the kernel. In a real program, create the buffers once, \
         before the loop.",
    ],
    learn: "chapter 2, \"Freeing memory\"",
    skeleton: Slug::HostRace,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let a = rng.random_range(0.5..1.5);
    vec![float(a), uniform(rng, &[n]), uniform(rng, &[n]), int(n), int(case.size("rounds"))]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let (a, x, y) = (scalar(inputs, 0), f64s(inputs, 1), f64s(inputs, 2));
    vec![rounds(a, &x, y, case.size("rounds")).into()]
}

fn rounds(a: f64, x: &ArrayD<f64>, y: ArrayD<f64>, rounds: usize) -> ArrayD<f64> {
    (0..rounds).fold(y, |y, _| Zip::from(x).and(&y).map_collect(|x, y| a * x + y))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn adds_in_every_round() {
        let (x, y) = (array![1.0, -2.0].into_dyn(), array![10.0, 0.5].into_dyn());
        assert_eq!(rounds(3.0, &x, y.clone(), 0), y);
        assert_eq!(rounds(3.0, &x, y, 2), array![16.0, -11.5].into_dyn());
    }
}
