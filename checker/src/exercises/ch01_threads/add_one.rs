//! The first kernel: one block, one dimension, a thread for each element.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `add_one`.
pub static SPEC: Spec = Spec {
    id: "add_one",
    chapter: "ch01_threads",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 5,
    goal: "write your first kernel",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("a", "[n]"), floats_out("out", "[n]")],
    cases: &[
        one_block(
            "eight elements",
            "so few elements that you can follow each thread on paper",
            &[("n", 8)],
            8,
        ),
        one_block("one element", "the smallest block", &[("n", 1)], 1),
        one_block("33 elements", "more threads than the 32 that run together", &[("n", 33)], 33),
        one_block("1000 elements", "1000 isn't a multiple of 32", &[("n", 1000)], 1000),
        one_block(
            "a full block",
            "1024 threads, which is the most that a block can have",
            &[("n", 1024)],
            1024,
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[WRITTEN_ONCE, load_requests(32.0, None), shared_work(60.0)],
    hints: &[
        "The launch starts one thread for each element, and every thread executes your lines once, \
         so you don't need a loop. You only need to find out which thread is executing them.",
        "`threadIdx.x` is 0 in the first thread of the block, 1 in the second thread, and so on. \
         The array has as many elements as the block has threads. Which element should thread 5 \
         process?",
        "Keep the number in a variable with `int i = threadIdx.x;`. Then `a[i]` is this thread's \
         input, and you only need one assignment to `out[i]`.",
        "After `int i = threadIdx.x;`, the second line is `out[i] = a[i] + 1.0f;`.",
    ],
    pitfalls: &[
        "If you write a loop over the elements, the result is right, but every thread computes the \
         whole array. You don't need the loop, because the launch already starts one thread for \
         each element.",
        "Don't count from 1. `threadIdx.x` starts at 0, as array indices do, so the thread's \
         number is already the index.",
        "Don't write the result back into `a`. With `const`, the kernel promises not to change the \
         elements of `a`, so the compiler reports an error.",
        "You can't use `threadIdx` without `.x` as an index. It's a structure with three members, \
         because blocks can have up to three dimensions. A one-dimensional block only uses `x`.",
    ],
    learn: "chapter 1, \"Which element is mine?\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

/// One block of `threads` threads, one for each element.
const fn one_block(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    threads: u32,
) -> Case {
    gated(case(name, why, sizes, [1, 1], [threads, 1]))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), out(&[n])]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![plus_one(&f64s(inputs, 0)).into()]
}

fn plus_one(a: &ArrayD<f64>) -> ArrayD<f64> {
    a + 1.0
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn adds_one() {
        let a = array![0.0, -1.0, 2.5].into_dyn();
        assert_eq!(plus_one(&a), array![1.0, 0.0, 3.5].into_dyn());
    }
}
