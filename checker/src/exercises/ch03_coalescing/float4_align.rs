//! Four floats in one load: what it saves, what it asks of an address, and what to do with the
//! rest.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `float4_align`.
pub static SPEC: Spec = Spec {
    id: "float4_align",
    chapter: "ch03_coalescing",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 25,
    goal: "load four floats at a time, wherever the data begins and ends",
    cooperative: false,
    params: &[
        number("a"),
        floats_in("x", "[offset + n]"),
        floats_in("y", "[n]"),
        floats_out("out", "[n]"),
        count("offset"),
        count("n"),
    ],
    cases: &[
        wide("1000 elements", "a multiple of 4", &[("offset", 0), ("n", 1000)]),
        narrow("997 elements", "one is left after the last four", &[("offset", 0), ("n", 997)]),
        narrow("three elements", "less than one four", &[("offset", 0), ("n", 3)]),
        narrow("1003 elements", "three are left", &[("offset", 0), ("n", 1003)]),
        wide(
            "view from 1",
            "it begins 4 bytes after a multiple of 16",
            &[("offset", 1), ("n", 1000)],
        ),
        wide("view from 2", "8 bytes are not enough either", &[("offset", 2), ("n", 1001)]),
        wide("view from 3", "12 bytes", &[("offset", 3), ("n", 5)]),
        wide(
            "view from 12",
            "a whole number of fours: aligned again",
            &[("offset", 12), ("n", 999)],
        ),
        gated(wide(
            "16 387 elements",
            "every load counts; three are left",
            &[("offset", 0), ("n", 16_387)],
        )),
    ],
    large: Some(case("large", "", &[("offset", 0), ("n", 1 << 25)], [1056, 1], [256, 1])),
    // a product and a sum
    tolerance: Tolerance::Roundings(2),
    // 16 384 elements are 512 warps' worth, each with two loads; a quarter of that, and some for
    // three elements more.
    gates: &[WRITTEN_ONCE, load_requests(264.0, Some(1026.0))],
    hints: &[
        "A float4 is a struct of four floats: x, y, z, w. Read through a `const float4*`, it comes in \
         one load of 16 bytes per thread. reinterpret_cast<const float4*>(y) makes such a pointer.",
        "n / 4 whole fours, and n % 4 elements that are left. The fours are shared among the threads \
         as the elements were: thread `me` begins at four number me. Who does the rest?",
        "x begins at a multiple of 16 bytes. For which offsets does x + offset? For all others, no \
         float4 may be read from it, and the loop that you have been given is right.",
        "Let `fours` be n / 4 if offset % 4 == 0, and 0 otherwise. One loop over k < fours with float4, \
         and after it the old loop, which begins at i = 4 * fours + me.",
    ],
    pitfalls: &[
        "Forgetting the tail. With n a multiple of 4 nothing shows.",
        "Rounding n / 4 up instead. The last float4 then reaches beyond the array.",
        "Casting without asking where the view begins. It is right for offset 0, and ends the program \
         for offset 1.",
        "Four loads of neighbours in a row by one thread. That is four requests, and worse ones; only \
         a float4 makes it one.",
        "The tail done by every thread, or by thread 0 of each block. Each element belongs to one \
         thread of the grid.",
        "Judging by sectors per request. A request of float4s has 16 of them, and wastes nothing: it \
         brings 512 bytes that are all used.",
    ],
    learn: "chapter 3, \"Four at a time\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

/// Two warps.
const fn narrow(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    case(name, why, sizes, [2, 1], [32, 1])
}

/// Sixteen warps.
const fn wide(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    case(name, why, sizes, [4, 1], [128, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (offset, n) = (case.size("offset"), case.size("n"));
    let a = float(rng.random_range(1.5..4.5));
    vec![a, uniform(rng, &[offset + n]), uniform(rng, &[n]), out(&[n]), int(offset), int(n)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let (x, y) = (f64s(inputs, 1), f64s(inputs, 2));
    vec![scaled_sum(scalar(inputs, 0), &x, &y, case.size("offset")).into()]
}

/// `a * x + y`, where the first element of `x` that counts is number `offset`.
fn scaled_sum(a: f64, x: &ArrayD<f64>, y: &ArrayD<f64>, offset: usize) -> ArrayD<f64> {
    let view = x.slice_axis(ndarray::Axis(0), ndarray::Slice::from(offset..));
    Zip::from(view).and(y).map_collect(|x, y| a * x + y)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn scales_from_the_offset_on() {
        let (x, y) = (array![9.0, 1.0, -2.0].into_dyn(), array![10.0, 0.5].into_dyn());
        assert_eq!(scaled_sum(3.0, &x, &y, 1), array![13.0, -5.5].into_dyn());
    }
}
