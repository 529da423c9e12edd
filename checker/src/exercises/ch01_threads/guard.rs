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
    params: &[floats_in("a", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        of_1024("1000 elements", "24 threads have no element", &[("n", 1000)]),
        of_1024("one element", "1023 threads have no element", &[("n", 1)]),
        of_1024("31 elements", "one less than a warp", &[("n", 31)]),
        of_1024("32 elements", "exactly a warp", &[("n", 32)]),
        of_1024("33 elements", "one more than a warp", &[("n", 33)]),
        of_1024("997 elements", "a prime, so no block size divides it", &[("n", 997)]),
        of_1024("one thread too many", "n is the last thread's index", &[("n", 1023)]),
        of_1024("no thread to spare", "the guard must let every thread through", &[("n", 1024)]),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[WRITTEN_ONCE, load_requests(32.0, None)],
    hints: &[
        "The launch has 1024 threads, and there are 1000 elements. What is idx in the first thread \
         that has no element, and what is it in the last one? What does each of these threads \
         access?",
        "An array doesn't stop a thread that goes beyond its end, because an index is only added \
         to an address. So the kernel has to compare idx with the number of elements itself.",
        "The indices of n elements are 0 to n-1. Which comparison of idx with n is true for all of \
         these, and for no other number?",
        "Put the load and the store between the braces of `if (idx < n) { }`.",
    ],
    pitfalls: &[
        "`idx <= n` lets one thread too many through, because element n is the first one that \
         doesn't exist.",
        "`idx < n - 1` keeps one thread too many out, so the last element is never written.",
        "A guard around the store only. Loading `a[idx]` beyond the end is a bug as well, because \
         on a GPU it reads another array's data or ends the program with an error. The compiler \
         may leave out a load whose value no element needs, and then `check` finds nothing. \
         However, `trace` follows the source, and it shows the load.",
        "Writing the number 1000 into the kernel. The kernel is also called with 1, 31 and 1024 \
         elements, so it has to use `n`.",
        "Letting the spare threads compute the last element again. The values are right as long as \
         all these threads write the same value to the same place, but the element is then written \
         many times.",
    ],
    learn: "chapter 1, \"More threads than data\"",
    skeleton: Slug::OutOfBoundsWrite,
    inputs,
    reference,
};

/// One block of 1024 threads, whatever the size.
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
