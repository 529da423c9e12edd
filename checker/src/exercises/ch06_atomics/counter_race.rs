//! One counter that every thread changes: lost updates, and the atomic operation that prevents
//! them.

use ndarray::{ArrayD, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// In all cases but one, the kernel counts the elements above this limit. About three of eight
/// elements are above it.
const LIMIT: f32 = 2.5;

/// The case with another limit.
const OTHER_LIMIT: &str = "10 007 elements";

/// The case with elements that equal the limit.
const AT_THE_LIMIT: &str = "elements at the limit";

/// The case where a warp has no hit, or a hit in a single lane.
const ONE_LANE: &str = "one lane or none";

/// `counter_race`.
pub static SPEC: Spec = Spec {
    id: "counter_race",
    chapter: "ch06_atomics",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 15,
    goal: "count without losing an update",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[n]"),
        Param { name: "hits", role: Role::InOut, dtype: DType::I32, shape: "[1]" },
        count("n"),
        number("limit"),
    ],
    cases: &[
        line("one warp", "its 32 threads usually execute each line together", &[("n", 32)], 1, 32),
        line("one element", "31 threads have nothing to do", &[("n", 1)], 1, 32),
        line("one block", "eight warps, and the last one isn't full", &[("n", 250)], 1, 256),
        gated(line("five blocks", "no barrier synchronises the blocks", &[("n", 1280)], 5, 256)),
        line("blocks of 96", "a block size that isn't a power of two", &[("n", 1000)], 11, 96),
        line(
            OTHER_LIMIT,
            "a prime number, so the last block isn't full",
            &[("n", 10_007)],
            40,
            256,
        ),
        line(AT_THE_LIMIT, "an element equal to the limit isn't above it", &[("n", 100)], 4, 32),
        line(
            ONE_LANE,
            "one warp has no hit, one warp has a single hit in its last lane, and one warp has a \
             single hit in its first lane",
            &[("n", 100)],
            4,
            32,
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    // loading 1280 elements takes 40 requests
    gates: &[load_requests(40.0, None), shared_work(150.0)],
    hints: &[
        "`hits[0] += 1` is one line but three steps: load the old value, add 1, and store the new \
         value. On paper, let two threads do these steps one at a time, in any order that you \
         like. What's the smallest result that you can get?",
        "The problem is that another thread can change the counter between a thread's load and its \
         store. A barrier doesn't help, because after it, all threads would still do the three \
         steps at the same time. Besides, a barrier doesn't synchronise threads of different \
         blocks at all.",
        "CUDA has an addition that no other thread can interrupt: `atomicAdd(address, value)`, \
         whose first argument is a pointer.",
        "Replace the line that changes `hits[0]` with `atomicAdd(hits, 1);`. The condition and the \
         guard stay as they are.",
    ],
    pitfalls: &[
        "It isn't enough to declare the counter `volatile`. The compiler then keeps each load and \
         each store, but another thread can still change the counter between a load and the store \
         that follows it.",
        "A `__syncthreads()` before or after the addition doesn't help. All threads still change \
         the counter at the same time, either before the barrier or after it.",
        "Don't mix atomic and ordinary accesses to the same element. An atomic operation is \
         protected only from other atomic operations. For example, the first load before an \
         `atomicCAS` loop must be atomic, too. NVIDIA's guide uses an ordinary load there, which \
         the checker reports as a race. You can load atomically with `atomicAdd(address, 0)`.",
        "Don't test only with data that has few elements above the limit. If no two threads change \
         the counter at the same time, the result is right even without an atomic operation, so \
         this test proves little.",
        "Don't use `atomicAdd_block`. It's atomic only among the threads of one block, so threads \
         of other blocks can still overwrite the counter.",
    ],
    learn: "chapter 6, \"Many threads, one counter\"",
    skeleton: Slug::GlobalRace,
    inputs,
    reference,
};

const fn line(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: u32,
    block: u32,
) -> Case {
    case(name, why, sizes, [grid, 1], [block, 1])
}

/// Another limit in one case, so that the kernel has to use its parameter.
fn limit(case: &Case) -> f32 {
    if case.name == OTHER_LIMIT { -1.25 } else { LIMIT }
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let before = arr1(&[rng.random_range(100..1000)]).into_dyn();
    let mut values = uniform(rng, &[n]);
    if let (AT_THE_LIMIT, Value::Array(Array::F32(values))) = (case.name, &mut values) {
        values.iter_mut().step_by(7).for_each(|value| *value = LIMIT);
        // no comparison with NaN holds
        values.iter_mut().skip(1).step_by(7).for_each(|value| *value = f32::NAN);
    }
    if let (ONE_LANE, Value::Array(Array::F32(values))) = (case.name, &mut values) {
        // the last lane of warp 1, the first lane of warp 2, and all four lanes of warp 3
        let hits = |i: usize| i == 63 || i == 64 || i >= 96;
        values.iter_mut().enumerate().for_each(|(i, value)| {
            let distance = rng.random_range(0.5..5.0);
            *value = if hits(i) { LIMIT + distance } else { LIMIT - distance };
        });
    }
    vec![values, Value::Array(Array::I32(before)), int(n), float(limit(case))]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(Array::I32(before))) = inputs.get(1) else {
        panic!("argument 1 isn't an array of ints")
    };
    vec![Array::I32(before + above(&f64s(inputs, 0), scalar(inputs, 3)))]
}

/// The number of elements of `in` that are greater than `limit`.
///
/// # Panics
/// When there are more hits than an `int` can count, because the Spec is broken.
fn above(values: &ArrayD<f64>, limit: f64) -> i32 {
    let hits = values.iter().filter(|value| **value > limit).count();
    i32::try_from(hits).expect("counts fit an int")
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn counts_what_is_above_and_not_what_is_equal() {
        let values = array![2.5, 2.6, -3.0, 9.0, 2.4].into_dyn();
        assert_eq!(above(&values, 2.5), 2);
        assert_eq!(above(&values, 10.0), 0);
    }
}
