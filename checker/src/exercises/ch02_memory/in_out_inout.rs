//! In which direction the program has to copy each argument, and what it costs to copy everything
//! in both directions to be on the safe side.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `in_out_inout`.
pub static SPEC: Spec = Spec {
    id: "in_out_inout",
    chapter: "ch02_memory",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 15,
    goal: "make only the copies that the program needs",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("a", "[n]"),
        floats_in("b", "[n]"),
        number("c"),
        floats_out("out", "[n]"),
        count("n"),
    ],
    cases: &[
        sized("1000 elements", "the last block isn't full", &[("n", 1000)]),
        sized("one element", "the smallest array", &[("n", 1)]),
        sized("257", "a second block with only one element", &[("n", 257)]),
        gated(sized(
            "65 536",
            "arrays of 256 KiB; the checker counts their copies",
            &[("n", 65_536)],
        )),
        sized("10 007", "a prime number, so the last block isn't full", &[("n", 10_007)]),
        sized(
            "300 000",
            "1172 blocks of 256 threads; if you swap these numbers, the launch fails, because a \
             block has at most 1024 threads",
            &[("n", 300_000)],
        ),
    ],
    large: Some(sized("large", "", &[("n", 1 << 24)])),
    // a product and a sum
    tolerance: Tolerance::Roundings(2),
    gates: &[
        down_to(Metric::BytesToDevice, 524_288.0, 786_432.0),
        down_to(Metric::BytesToHost, 262_144.0, 786_432.0),
        at_most(Metric::CopiesToDevice, 2.0),
        at_most(Metric::CopiesToHost, 1.0),
        exactly(Metric::Launches, 1.0),
        shared_work(300.0),
    ],
    hints: &[
        "Make a table with a row for each of the three arrays. Does the kernel read values that \
         the host has written to this array? Does the host read values that the kernel has written \
         to it?",
        "The kernel changes neither `a` nor `b`, so the host already has their values. You can \
         remove two of the copies to the host, and the two vectors that these copies fill.",
        "Although `out` is an output, the program copies it to the device, because the kernel adds \
         to it: `out[idx] += ...` reads before it writes. Which value does the kernel read there? \
         Can you pass that value to the kernel without an array?",
        "Pass `c` to the kernel as an argument, and let the kernel compute `out[idx] = a[idx] * \
         b[idx] + c`. Then you can remove the loop on the host and the copy of `out` to the \
         device.",
    ],
    pitfalls: &[
        "If you remove the copy of `out` to the device while the kernel still uses `+=`, the \
         kernel adds to arbitrary values. On a GPU, they're often 0, so the results may look \
         right.",
        "Keep the copy of `out` back to the host. Without this copy, the results stay on the \
         device, and the host's `out` doesn't change.",
        "Don't rely on `const float*`. With `const`, you promise that the kernel doesn't write to \
         the array. However, the compiler neither adds nor removes copies, so you decide which \
         arrays the program copies.",
        "If you copy only half of the bytes so that a count reaches its target, the second half of \
         the array on the device contains arbitrary values.",
    ],
    learn: "chapter 2, \"In, out, both\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let (a, b) = (uniform(rng, &[n]), uniform(rng, &[n]));
    vec![a, b, float(rng.random_range(3.0..5.0)), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![multiply_add(&f64s(inputs, 0), &f64s(inputs, 1), scalar(inputs, 2)).into()]
}

fn multiply_add(a: &ArrayD<f64>, b: &ArrayD<f64>, c: f64) -> ArrayD<f64> {
    Zip::from(a).and(b).map_collect(|a, b| a * b + c)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn multiplies_and_adds() {
        let (a, b) = (array![2.0, -3.0, 0.5].into_dyn(), array![5.0, 4.0, -8.0].into_dyn());
        assert_eq!(multiply_add(&a, &b, 1.0), array![11.0, -11.0, -3.0].into_dyn());
    }
}
