//! A generic reduction: a function of each element, an operation on two values, and its neutral
//! value.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use ndarray::{Array1, array};

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

const DOT: usize = 0;
const MAX: usize = 1;
const COUNT: usize = 2;
/// Number of elements in the case whose counts are graded.
const GATED: usize = 32_768;

/// The case with elements that equal the limit.
const AT_THE_LIMIT: &str = "count at the limit";

/// `reduction_kernel`.
pub static SPEC: Spec = Spec {
    id: "reduction_kernel",
    chapter: "ch07_generic",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 25,
    goal: "start a reduction with its neutral value",
    cooperative: false,
    ordered: &[],
    params: &[
        count("what"),
        floats_in("x", "[n]"),
        floats_in("y", "[n]"),
        number("limit"),
        floats_out("result", "[1]"),
        count("n"),
    ],
    cases: &[
        sized("dot of 1000", "the last of four blocks isn't full", &[("what", DOT), ("n", 1000)]),
        sized(
            "count of 1000",
            "the number of elements above the limit",
            &[("what", COUNT), ("n", 1000)],
        ),
        sized("max of 1000", "the largest of 1000 negative numbers", &[("what", MAX), ("n", 1000)]),
        sized("max of one", "255 threads have no element", &[("what", MAX), ("n", 1)]),
        gated(sized(
            "dot of 32 768",
            "twice as many elements as threads",
            &[("what", DOT), ("n", GATED)],
        )),
        sized(
            "max of 10 007",
            "a prime number, so the last block isn't full",
            &[("what", MAX), ("n", 10_007)],
        ),
        sized(
            AT_THE_LIMIT,
            "an element equal to the limit isn't above it",
            &[("what", COUNT), ("n", 300)],
        ),
        sized("dot of none", "a sum without terms is 0", &[("what", DOT), ("n", 0)]),
        sized(
            "max of none",
            "the result is -infinity, the neutral value",
            &[("what", MAX), ("n", 0)],
        ),
        sized(
            "count of none",
            "there are no elements, so none is above the limit",
            &[("what", COUNT), ("n", 0)],
        ),
    ],
    large: None,
    // a product and up to 20 sums, whose terms mostly have the same sign
    tolerance: Tolerance::Roundings(64),
    gates: &[
        at_most(Metric::Launches, 2.0),
        exactly(Metric::BytesToHost, 4.0),
        // however wide its loads are, the kernel reads both arrays
        at_least(Metric::LoadRequests, 2.0 * GATED as f64 / 32.0 / 4.0),
        shared_work(800.0),
    ],
    hints: &[
        "The largest of -5, -3 and -8 is -3. Follow the kernel on paper. What's the value of `acc` \
         before the first iteration, and is it one of these three numbers?",
        "An accumulator must start with a number that doesn't change the other number when you \
         combine the two. For a sum, that's 0, because `0 + a = a`. Which number `e` has \
         the property that `max(e, a)` is `a` for every `a`?",
        "This number depends on the operation, so the kernel can't contain it. `Sum` and `Larger` \
         are two types, so where could each type keep its number? Threads without an element need \
         it, too.",
        "For `n = 0`, the grid has 0 blocks. Such a launch is an error, so none of its threads \
         runs, and no block stores a partial result. How many blocks do you need to store one number?",
        "Add `static constexpr float NEUTRAL = 0.0f;` to `Sum` and `static constexpr float NEUTRAL \
         = -INFINITY;` to `Larger`, and write `float acc = Reduce::NEUTRAL;` in the kernel. Use at \
         least one block in the first launch. For `n = 0`, the second launch then reads one \
         partial result, which is the neutral value.",
    ],
    pitfalls: &[
        "Don't use `FLT_MIN` or `-FLT_MAX` as the start value of a maximum. `FLT_MIN` is a tiny \
         positive number, so it's larger than every negative number. `-FLT_MAX` is the most \
         negative finite `float`, but a maximum that starts with it is never -infinity.",
        "Don't start with the first element instead of the neutral value, because a thread, a \
         block or an array may have no element.",
        "Don't use -infinity as the start value of all operations. For a sum, that's wrong, \
         because -infinity plus any finite number is -infinity again.",
        "Don't return from the kernel when a thread has no element. The tree reads every slot of \
         the tile, so every thread has to write its slot.",
        "Don't store 0 as the result on the host if `n` is 0. That's wrong for a maximum, and the \
         host code would need a special case for each operation.",
        "You don't need to copy the blocks' results to the host. A second launch combines these \
         results on the device.",
    ],
    learn: "chapter 7, \"The neutral value\"",
    skeleton: Slug::WrongValues,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    // no element is near 0, so that a start value near 0 doesn't pass as the neutral value
    let signed = |rng: &mut ChaCha8Rng| {
        let magnitude: f32 = rng.random_range(3.0..10.0);
        if rng.random_range(0..4) == 0 { -magnitude } else { magnitude }
    };
    let mut floats = || Array1::from_shape_simple_fn(n, || signed(rng));
    let (mut x, y) = (floats(), floats());
    let limit = rng.random_range(4.0..8.0_f32);
    if case.name == AT_THE_LIMIT {
        x.iter_mut().step_by(7).for_each(|x| *x = limit);
    }
    let [x, y] = [x, y].map(|values| Value::Array(values.into()));
    vec![int(case.size("what")), x, y, float(limit), out(&[1]), int(n)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let floats = |index| f64s(inputs, index).into_raw_vec_and_offset().0;
    let (x, y) = (floats(1), floats(2));
    let result = match case.size("what") {
        DOT => dot(&x, &y),
        MAX => largest(&x),
        _ => above(&x, scalar(inputs, 3)),
    };
    vec![array![result].into()]
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() + 0.0
}

/// The largest of `-|x|`.
fn largest(x: &[f64]) -> f64 {
    x.iter().map(|x| -x.abs()).fold(f64::NEG_INFINITY, f64::max)
}

fn above(x: &[f64], limit: f64) -> f64 {
    x.iter().filter(|x| **x > limit).count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dot product is 1 * 4 - 2 * 5 + 3 * 6 = 12. The largest of -1, -2 and -3 is -1. Two of
    /// the numbers 1, -2 and 3 are above 0.5.
    #[test]
    fn three_reductions_of_three_numbers() {
        let x = [1.0, -2.0, 3.0];
        assert_eq!(dot(&x, &[4.0, 5.0, 6.0]), 12.0);
        assert_eq!(largest(&x), -1.0);
        assert_eq!(above(&x, 0.5), 2.0);
        assert_eq!(above(&x, 3.0), 0.0, "3 isn't above 3");
    }

    #[test]
    fn nothing_makes_the_neutral_number() {
        assert_eq!(dot(&[], &[]), 0.0);
        assert_eq!(largest(&[]), f64::NEG_INFINITY);
        assert_eq!(above(&[], -1.0), 0.0);
    }
}
