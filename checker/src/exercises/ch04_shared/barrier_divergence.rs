//! Which threads must reach a barrier: every thread of the block, even those without an element.

use ndarray::{Array1, ArrayD};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Threads per block, as in the kernel.
const BLOCK: usize = 256;

/// `barrier_divergence`.
pub static SPEC: Spec = Spec {
    id: "barrier_divergence",
    chapter: "ch04_shared",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 15,
    goal: "let every thread reach the barrier",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        blocks(
            "two full blocks",
            "every thread has an element, so no thread exits early",
            &[("n", 512)],
            2,
        ),
        blocks("517 elements", "251 threads of the last block have no element", &[("n", 517)], 3),
        blocks("one element", "255 threads have no element", &[("n", 1)], 1),
        blocks("255 elements", "one thread has no element", &[("n", 255)], 1),
        blocks("288 elements", "seven warps of the last block have no element", &[("n", 288)], 2),
        gated(blocks(
            "1029 elements",
            "the kernel may load each element only once",
            &[("n", 1029)],
            5,
        )),
    ],
    large: None,
    // a sum of 256 elements, which are added one after the other, and a quotient
    tolerance: Tolerance::Roundings(257),
    gates: &[
        WRITTEN_ONCE,
        // 32 full warps and one with 5 elements
        load_requests(33.0, None),
        shared_work(1_200.0),
    ],
    hints: &[
        "In the case with 517 elements, there are 3 blocks. Which threads of the last block return \
         early, and which threads does the first `__syncthreads()` wait for?",
        "The guard decides two things at once. It decides whether a thread uses an element, and \
         also whether the thread reaches the barriers. Only the first decision should depend on \
         `n`.",
        "Therefore, no thread should return early. What can a thread without an element write into \
         its slot, so that the sum of all 256 slots is still right? And which line still needs a \
         guard?",
        "Remove the `return`. Fill the slot with `idx < n ? in[idx] : 0.0f`, and put the last line \
         into `if (idx < n) { }`.",
    ],
    pitfalls: &[
        "If you put a barrier inside an `if (idx < n)`, the threads that skip the `if` skip the \
         barrier as well.",
        "Don't put a `__syncthreads()` into each branch of an `if`. Threads of one block would \
         wait at two different barriers, but CUDA requires that all of them wait at the same \
         barrier.",
        "If you remove the `return`, but leave the slots of threads without an element unwritten, \
         each of these slots contains an arbitrary value. Thread 0 adds these values to the sum.",
        "Don't write 1 into the slots of threads without an element. The value that doesn't change \
         the result is 0 for a sum, 1 for a product, and negative infinity for a maximum.",
        "The last line still needs a guard, because without one, threads without an element would \
         write past the end of `out`.",
    ],
    learn: "chapter 4, \"Every thread reaches the barrier\"",
    skeleton: Slug::BarrierNotReached,
    inputs,
    reference,
};

const fn blocks(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: u32,
) -> Case {
    case(name, why, sizes, [grid, 1], [BLOCK as u32, 1])
}

/// Positive elements, so that no sum is near 0.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let data = ArrayD::from_shape_simple_fn(vec![n], || rng.random_range(0.5..8.0));
    vec![Value::Array(Array::F32(data)), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![shares(&f64s(inputs, 0), BLOCK).into()]
}

/// The share that each element has in the sum of its slice of `block` elements.
fn shares(data: &ArrayD<f64>, block: usize) -> ArrayD<f64> {
    let flat: Vec<f64> = data.iter().copied().collect();
    let divided = flat.chunks(block).flat_map(|slice| {
        let total: f64 = slice.iter().sum();
        slice.iter().map(move |value| value / total)
    });
    Array1::from_iter(divided).into_dyn()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// The sum of the first slice is 1 + 3 + 4 = 8, and the second slice contains only the 5.
    #[test]
    fn divides_by_the_sum_of_the_slice() {
        let data = array![1.0, 3.0, 4.0, 5.0].into_dyn();
        assert_eq!(shares(&data, 3), array![0.125, 0.375, 0.5, 1.0].into_dyn());
    }
}
