//! An expression over arrays in one kernel: the intermediate results stay in registers.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Number of elements in the case whose counts are graded. All of its warps are full.
const GATED: usize = 16_384;
const WARPS: f64 = GATED as f64 / 32.0;

/// The case in which both limits are the same number.
const ONE_LIMIT: &str = "low equals high";

/// `elementwise`.
pub static SPEC: Spec = Spec {
    id: "elementwise",
    chapter: "ch07_generic",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 20,
    goal: "fuse three kernels into one",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("x", "[n]"),
        floats_in("y", "[n]"),
        number("a"),
        number("b"),
        number("low"),
        number("high"),
        floats_out("out", "[n]"),
        count("n"),
    ],
    cases: &[
        sized("1000 elements", "the last block isn't full", &[("n", 1000)]),
        gated(sized(
            "16 384 elements",
            "whole blocks, so every request is for 32 elements",
            &[("n", GATED)],
        )),
        sized("one element", "the smallest array", &[("n", 1)]),
        sized("257", "one element in the second block", &[("n", 257)]),
        sized("10 007", "a prime number, so the last block isn't full", &[("n", 10_007)]),
        sized(ONE_LIMIT, "every result is the same number", &[("n", 33)]),
        sized(
            "300 000",
            "1172 blocks of 256 threads; if you swap the grid and the block, the launch fails, \
             because a block has at most 1024 threads",
            &[("n", 300_000)],
        ),
    ],
    large: Some(sized("large", "", &[("n", 1 << 24)])),
    // two products and a sum
    tolerance: Tolerance::Roundings(4),
    gates: &[
        down_to(Metric::Launches, 1.0, 3.0),
        Gate { baseline: Some(4.0), ..at_most(Metric::LoadsPerElement, 2.0) },
        Gate { baseline: Some(3.0 * WARPS), ..at_most(Metric::StoreRequests, WARPS) },
        Gate { baseline: Some(5.0), ..at_most(Metric::Allocations, 3.0) },
        // however wide its loads are, the kernel reads both arrays
        at_least(Metric::LoadRequests, 2.0 * WARPS / 4.0),
        shared_work(300.0),
    ],
    hints: &[
        "Follow element 0 through the three kernels. Where is its intermediate result stored \
         between the first and the second kernel, and does any other thread need it?",
        "Each kernel ends after one operation, so it has to store the result in global memory, and \
         the next kernel loads it again. A thread that does all three operations can keep the \
         result in a register.",
        "`zip` takes any object that you can call with two `float` values. How could you write an \
         object that computes the whole expression, and which numbers must this object contain?",
        "Write `struct ClampedSum { float a, b, low, high; ... };`, and let its `operator()(float \
         x, float y)` return `fminf(fmaxf(a * x + b * y, low), high)`. Then one launch of `zip` \
         from `d_x` and `d_y` to `d_out` is enough. Remove the arrays `d_scaled` and `d_sum`, and \
         their `cudaFree` as well.",
    ],
    pitfalls: &[
        "If you let three launches write into the same array, the temporary arrays are gone, but \
         the kernels still load and store every intermediate result.",
        "Don't store the result of each step in `out`, even in a single kernel. Unless the \
         compiler can prove that `out` and `y` don't overlap, it can't remove all of these stores.",
        "Don't swap `low` and `high`. `fminf` takes the upper limit, and `fmaxf` takes the lower \
         limit.",
        "Don't pass the kernel a pointer to a host object. The kernel can't read host memory, so \
         pass the object itself, which the launch copies to the device.",
        "Don't forget to mark `operator()` with `__device__`. If `__device__` is missing, the \
         compiler compiles the operator for the host only, and a kernel can't call it.",
        "Don't pass a function pointer instead of an object. On the host, the name of a \
         `__device__` function isn't its address on the device, and the compiler can't inline a \
         call through a pointer.",
    ],
    learn: "chapter 7, \"Any function, one kernel\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let (x, y) = (uniform(rng, &[n]), uniform(rng, &[n]));
    // The sums are between -45 and 45. Each limit cuts off a part of this range, and the two parts
    // have different sizes.
    let (a, b) = (rng.random_range(1.0..2.0), rng.random_range(-2.5..-1.5));
    let (low, high) = (rng.random_range(-9.0..-6.0_f32), rng.random_range(2.0..5.0));
    let low = if case.name == ONE_LIMIT { high } else { low };
    vec![x, y, float(a), float(b), float(low), float(high), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let [a, b, low, high] = [2, 3, 4, 5].map(|index| scalar(inputs, index));
    let sum = |x: &f64, y: &f64| a * x + b * y;
    vec![clamped(&f64s(inputs, 0), &f64s(inputs, 1), sum, (low, high)).into()]
}

fn clamped(
    x: &ArrayD<f64>,
    y: &ArrayD<f64>,
    f: impl Fn(&f64, &f64) -> f64,
    (low, high): (f64, f64),
) -> ArrayD<f64> {
    Zip::from(x).and(y).map_collect(|x, y| f(x, y).clamp(low, high))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// The limits -3 and 6 cut off 2 * 1 - 3 * 2 = -4 and 2 * 5 - 3 * 1 = 7, but not
    /// 2 * 1 - 3 * 0 = 2.
    #[test]
    fn sums_are_cut_off_at_both_ends() {
        let (x, y) = (array![1.0, 5.0, 1.0].into_dyn(), array![2.0, 1.0, 0.0].into_dyn());
        let sum = |x: &f64, y: &f64| 2.0 * x - 3.0 * y;
        assert_eq!(clamped(&x, &y, sum, (-3.0, 6.0)), array![-3.0, 6.0, 2.0].into_dyn());
    }

    /// Both limits matter in the larger cases, so a program without one of them is wrong.
    #[test]
    fn both_limits_cut_something_off() {
        use rand_chacha::rand_core::SeedableRng;
        for case in SPEC.cases.iter().filter(|case| case.size("n") > 100) {
            let values = inputs(case, &mut ChaCha8Rng::seed_from_u64(7));
            let result = &reference(case, &values)[0];
            let [low, high] = [4, 5].map(|index| scalar(&values, index));
            let at = |limit| (0..result.len()).filter(|&i| result.get_f64(i) == limit).count();
            assert!(at(low) * 10 > result.len() && at(high) * 10 > result.len(), "{}", case.name);
            assert!((at(low) + at(high)) * 10 < result.len() * 9, "{}", case.name);
        }
    }
}
