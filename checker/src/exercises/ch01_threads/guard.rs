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
    goal: "keep the spare threads out",
    cooperative: false,
    params: &[floats_in("a", "[n]"), floats_out("out", "[n]"), count("n")],
    cases: &[
        of_1024("1000 elements", "24 threads have nothing to do", &[("n", 1000)]),
        of_1024("one element", "1023 threads have nothing to do", &[("n", 1)]),
        of_1024("31 elements", "one less than a warp", &[("n", 31)]),
        of_1024("32 elements", "exactly a warp", &[("n", 32)]),
        of_1024("33 elements", "one more than a warp", &[("n", 33)]),
        of_1024("997 elements", "a prime: nothing divides it", &[("n", 997)]),
        of_1024("one thread too many", "n is the last thread's index", &[("n", 1023)]),
        of_1024("no thread to spare", "the guard must let every thread in", &[("n", 1024)]),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[WRITTEN_ONCE, load_requests(32.0, None)],
    hints: &[
        "1024 threads, 1000 elements. Write down idx for the first spare thread and for the last. \
         What does each of them read?",
        "Nothing stops a thread at the end of an array: an index past the end is an address like any \
         other. The kernel itself has to ask whether its idx is an index of the data.",
        "The indices of n elements run from 0 to n-1. So which comparison of idx with n is true for \
         those, and for no other?",
        "Put both the load and the store into the braces of `if (idx < n) { }`.",
    ],
    pitfalls: &[
        "`idx <= n`. Counting starts at 0, so element n is the first one outside: one thread too many \
         gets in.",
        "`idx < n - 1`. One too few: the last element is never written.",
        "Guarding only the store. `a[idx]` past the end is a bug as well: on a GPU it reads a \
         neighbour's data, or ends the whole program. A compiler may leave out a load whose value no \
         element needs, and then `check` finds nothing, but `trace` follows the source and shows it.",
        "Writing 1000 into the kernel. The next caller has 1001.",
        "Letting spare threads redo the last element. The values are right today, but several threads \
         write to one place, and that place is a race as soon as they do not all write the same.",
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
