//! More threads than data: the bounds check.

use ndarray::ArrayD;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `guard`.
pub static SPEC: Spec = Spec {
    id: "guard",
    chapter: "ch01_threads",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 10,
    goal: "stop the threads that have no element",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("a", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        of_1024("1000 elements", "24 threads have no element", &[("n", 1000)]),
        of_1024("one element", "1023 threads have no element", &[("n", 1)]),
        of_1024("31 elements", "one thread of the first warp has no element", &[("n", 31)]),
        of_1024("32 elements", "exactly one warp has elements", &[("n", 32)]),
        of_1024("33 elements", "only one thread of the second warp has an element", &[("n", 33)]),
        of_1024(
            "997 elements",
            "a prime number, so the last warp that has elements isn't full",
            &[("n", 997)],
        ),
        of_1024("one thread too many", "`n` is the last thread's index", &[("n", 1023)]),
        of_1024("no thread to spare", "the guard must let every thread through", &[("n", 1024)]),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[WRITTEN_ONCE, load_requests(32.0, None), shared_work(60.0)],
    hints: &[
        "The launch has 1024 threads, and the first case has 1000 elements. What's `idx` in the \
         first thread that has no element, and what's `idx` in the last thread? Which elements do \
         these two threads access?",
        "Nothing stops a thread that uses an index beyond the end of an array, because the thread \
         only adds the index to an address. So the kernel itself has to compare `idx` with the \
         number of elements.",
        "The indices of `n` elements are 0 to `n - 1`. Which comparison of `idx` with `n` is true \
         for all of these indices, and false for all larger ones?",
        "Put the load and the store between the braces of `if (idx < n) { }`.",
    ],
    pitfalls: &[
        "`idx <= n` lets one thread too many through, because `a[n]` is the first element that \
         doesn't exist.",
        "`idx < n - 1` stops one thread too many, so no thread writes the last element.",
        "A guard around the store alone isn't enough. Loading `a[idx]` beyond the end of the array \
         is a bug as well, because on a GPU, the load reads unused bytes or another array's data, \
         or it ends the program with an error. The compiler may leave out a load if no result \
         depends on its value, and then `check` finds nothing. However, `trace` follows the \
         source, so it shows the load.",
        "Don't write the number 1000 into the kernel. The checker also launches the kernel with 1, \
         31 and 1024 elements, so the kernel has to use `n`.",
        "Don't let the threads without an element compute the last element again. The values are \
         right, because all these threads write the same value, but the kernel should write each \
         element only once.",
    ],
    learn: "chapter 1, \"More threads than data\"",
    skeleton: Slug::OutOfBoundsWrite,
    inputs,
    reference,
};

/// One block of 1024 threads for any number of elements.
const fn of_1024(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    gated(case(name, why, sizes, [1, 1], [1024, 1]))
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![plus_ten(&f64s(inputs, 0)).into()]
}

fn plus_ten(a: &ArrayD<f64>) -> ArrayD<f64> {
    a + 10.0
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn adds_ten() {
        let a = array![0.0, -10.0, 2.5].into_dyn();
        assert_eq!(plus_ten(&a), array![10.0, 0.0, 12.5].into_dyn());
    }
}
