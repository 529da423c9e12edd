//! Counting into bins that all blocks share, or into bins of each block.

use ndarray::{ArrayD, Axis};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Op, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// Number of bins over [0, 1), as in the skeleton. It is a power of two, so multiplying a `float`
/// by it is exact.
const BINS: usize = 256;
/// One out of `OUTSIDE` elements is outside of [0, 1).
const OUTSIDE: usize = 16;

/// `histogram`.
///
/// The gate is counted with 40 % of the elements in one bin. With 90 %, a kernel whose lanes first
/// add up within their warp needs few atomic operations as well, so it would pass without private
/// bins.
pub static SPEC: Spec = Spec {
    id: "histogram",
    chapter: "ch06_atomics",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 25,
    goal: "count in shared memory first, and then add the counts to global memory",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[n]"),
        Param { name: "bins", role: Role::InOut, dtype: DType::U32, shape: "[256]" },
        count("n"),
    ],
    cases: &[
        line(
            "one block",
            "a single block, so no other block adds to the bins",
            &[("n", 1000), ("percent", 10)],
            1,
            256,
        ),
        line(
            "three blocks of 96",
            "fewer threads than bins",
            &[("n", 3001), ("percent", 40)],
            3,
            96,
        ),
        line(
            "four blocks of 128",
            "half as many threads as bins",
            &[("n", 4099), ("percent", 90)],
            4,
            128,
        ),
        line("one element", "only one thread has an element", &[("n", 1), ("percent", 0)], 2, 256),
        line(
            "90 % in one bin",
            "nearly all atomic operations have to wait for the same address",
            &[("n", 8738), ("percent", 90)],
            8,
            256,
        ),
        gated(line(
            "40 % in one bin",
            "15 360 elements are in range, and many of them fall into the same bin",
            &[("n", 16_384), ("percent", 40)],
            8,
            256,
        )),
    ],
    large: Some(case("large", "", &[("n", 1 << 25), ("percent", 40)], [1056, 1], [256, 1])),
    tolerance: Tolerance::Exact,
    gates: &[
        Gate {
            metric: Metric::GlobalAtomics,
            op: Op::AtMost,
            target: 2048.0,
            baseline: Some(15_360.0),
        },
        load_requests(512.0, Some(512.0)),
        shared_work(400.0),
    ],
    hints: &[
        "If 90 % of the elements fall into one bin, all of their atomic operations have to wait \
         for the same address in global memory. Could the threads of a block first count their own \
         elements together?",
        "Give each block 256 bins of its own in shared memory, and let its threads count there \
         with `atomicAdd`. Then only the threads of one block have to wait for each other, and \
         each operation is faster than in global memory.",
        "The kernel has three parts, with a barrier between each part and the next. First, the \
         threads set all bins of the block to 0, then they count their elements, and finally they \
         add the block's bins to the global bins. Other blocks may add to the global bins at the \
         same time, so this addition must be atomic, too.",
        "There may be fewer threads than bins. Use `for (int bin = threadIdx.x; bin < BINS; bin += \
         blockDim.x)`, both to set the bins to 0 and to add them to the global bins at the end.",
        "Declare `__shared__ unsigned mine[BINS];`. In the loop, write `atomicAdd(&mine[int(value \
         * BINS)], 1u);`, and at the end, write `atomicAdd(&bins[bin], mine[bin]);`.",
    ],
    pitfalls: &[
        "Don't forget to set the bins to 0. Shared memory isn't cleared, so the bins contain \
         arbitrary values.",
        "Don't leave out the barrier after the loop that sets the bins to 0. Otherwise, a slow \
         warp may reset bins to 0 after a fast warp has already counted in them.",
        "Don't leave out the barrier before the last part. Otherwise, a slow warp may still be \
         counting when a fast warp adds the bins to the global bins, so the slow warp's later \
         counts are lost.",
        "Don't write `mine[k]++`. Although the bins belong to the block, all of its threads share \
         them, so this is still a race.",
        "Don't write `bins[k] += mine[k]` at the end. All blocks add to the same global bins, so \
         this is a race, too.",
        "If you use one thread for each bin, the kernel is right for 256 threads, but a block of \
         96 threads leaves out 160 bins.",
        "It isn't enough to check only the upper end of the range. `int(value * BINS)` rounds \
         towards 0, so the element -0.003 would fall into bin 0.",
    ],
    learn: "chapter 6, \"A counter for each block\"",
    skeleton: Slug::GateMissed,
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

/// `percent` % of the elements are in one bin, one out of [`OUTSIDE`] elements is outside of the
/// range, and the other elements are anywhere in it. Some elements are the ends of bins, or as
/// close to an end as a float can be. 0 and the lower end of a bin belong to the bin, and 1 belongs
/// to no bin.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let outside = n / OUTSIDE;
    let crowd = (n * case.size("percent") / 100).min(n - outside);
    let popular = rng.random_range(0..BINS) as f32;
    let mut values: Vec<f32> = (0..n)
        .map(|i| match i {
            0 if outside > 1 => 1.0,
            _ if i < outside / 2 => rng.random_range(-0.0035..-0.0001),
            _ if i < outside => rng.random_range(1.0..1.5),
            _ if i < outside + crowd => (popular + rng.random_range(0.0..0.999)) / BINS as f32,
            _ if n > 1 && i == n - 1 => 0.0,
            _ if i % 8 == 1 => rng.random_range(0..BINS) as f32 / BINS as f32,
            _ if i % 8 == 2 => (rng.random_range(1..=BINS) as f32 / BINS as f32).next_down(),
            _ => rng.random_range(0.0..1.0),
        })
        .collect();
    if outside > 3 {
        values[1] = f32::NAN;
    }
    // belongs to the first bin, as 0 does
    if n > 3 && outside + crowd + 2 <= n {
        values[n - 2] = -0.0;
    }
    values.shuffle(rng);
    let before = ArrayD::from_shape_simple_fn(&[BINS][..], || rng.random_range(0..10_000_u32));
    vec![
        Value::Array(Array::F32(ArrayD::from_shape_vec(vec![n], values).expect("n values"))),
        Value::Array(Array::U32(before)),
        int(n),
    ]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(Array::U32(before))) = inputs.get(1) else {
        panic!("argument 1 isn't an array of unsigned ints")
    };
    let mut bins = before.clone();
    for bin in f64s(inputs, 0).iter().filter_map(|value| bin(*value, BINS)) {
        bins.index_axis_mut(Axis(0), bin).map_inplace(|count| *count += 1);
    }
    vec![Array::U32(bins)]
}

/// The index of the bin that contains `value`, if [0, 1) is divided into `bins` bins of equal
/// width.
fn bin(value: f64, bins: usize) -> Option<usize> {
    (0.0..1.0).contains(&value).then_some((value * bins as f64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_include_their_lower_end_only() {
        let found = [0.0, 0.2499, 0.25, 0.999, 1.0, -0.001, f64::NAN].map(|value| bin(value, 4));
        assert_eq!(found, [Some(0), Some(0), Some(1), Some(3), None, None, None]);
    }

    /// Every case with more than 100 elements contains both ends of the range.
    #[test]
    fn ends_of_bins_are_among_the_elements() {
        use rand_chacha::rand_core::SeedableRng;
        for case in SPEC.cases.iter().filter(|case| case.size("n") > 100) {
            let values = f64s(&inputs(case, &mut ChaCha8Rng::seed_from_u64(7)), 0);
            let has = |end: f64| values.iter().any(|value| *value == end);
            assert!(has(0.0) && has(1.0), "{}", case.name);
        }
    }

    /// The gate's baseline is a count of the inputs, so it must not depend on the seed.
    #[test]
    fn as_many_elements_in_range_as_the_gate_says() {
        use rand_chacha::rand_core::SeedableRng;
        let case = SPEC.cases.iter().find(|case| case.gated).expect("a gated case");
        for seed in [1, 7, 99] {
            let values = inputs(case, &mut ChaCha8Rng::seed_from_u64(seed));
            let inside = f64s(&values, 0).iter().filter(|v| bin(**v, BINS).is_some()).count();
            assert_eq!(inside, 15_360, "seed {seed}");
        }
    }
}
