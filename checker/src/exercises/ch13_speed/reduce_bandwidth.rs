//! A sum that keeps so many bytes in flight that it reaches the bandwidth of the memory.

use ndarray::{ArrayD, array};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// `reduce_bandwidth`.
///
/// Two blocks of 256 threads for each multiprocessor are 16 of its 64 warps. With 2048 bytes of
/// each warp, 32 KiB are in flight on a multiprocessor, and 4.3 MB on an H100. There, this launch
/// reads 24 % of the bytes that a copy moves in the same time with 128 bytes of a warp in flight,
/// 66 % with 512 (the compiler unrolls the skeleton's loop), 86 % with 1024, and 95 % or more with
/// 2048, whether they are 16 loads of a float or 4 loads of a `float4`.
pub static SPEC: Spec = Spec {
    id: "reduce_bandwidth",
    chapter: "ch13_speed",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 25,
    goal: "add up an array with 2048 bytes of each warp in flight",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[n]"),
        Param { name: "total", role: Role::InOut, dtype: DType::F32, shape: "[1]" },
        count("n"),
    ],
    cases: &[
        of_256("1024 elements", "four elements for each thread of a block", &[("n", 1024)], 1),
        of_256("one element", "255 threads have nothing to add", &[("n", 1)], 1),
        of_256(
            "1023 elements",
            "three elements are left after the last group of four",
            &[("n", 1023)],
            1,
        ),
        of_256(
            "10 007 elements in two blocks",
            "a prime number; some threads have four groups of four, and others have more",
            &[("n", 10_007)],
            2,
        ),
        of_256("5 elements in three blocks", "two blocks have no element", &[("n", 5)], 3),
        gated(of_256(
            "131 072 elements in 16 blocks",
            "32 elements for each thread",
            &[("n", 131_072)],
            16,
        )),
    ],
    large: Some(of_256("large", "", &[("n", 1 << 26)], 264)),
    // In units of roundoff, u = 2^-24, a sum of positive numbers has an error of at most one unit
    // for each addition that an element is a part of. With 131 072 elements, these are 32 in a
    // thread, 8 in a block, and up to 17 in `total`, which is 57. The tolerance is 8 * sqrt(k) * u,
    // so it's less than the least element. If each warp adds to `total`, or in the large case,
    // there are more additions, but their errors have both signs.
    tolerance: Tolerance::OwnRoundings(64),
    gates: &[
        Gate { baseline: Some(512.0), ..at_least(Metric::BytesInFlight, 1800.0) },
        // each float is loaded once
        load_requests(4096.0, Some(4096.0)),
        // an addition for each warp
        at_most(Metric::GlobalAtomics, 128.0),
        shared_work(600.0),
    ],
    hints: &[
        "The compiler unrolls the loop, so a thread has four loads of a float in flight. That's \
         512 bytes for a warp. There are two ways to get more. A load can be longer, and a thread \
         can issue more loads before it uses the first value. You know the first way from chapter \
         3, and the second one from chapter 11.",
        "Convert the pointer with `reinterpret_cast<const float4*>(in)`. It has `n / 4` elements, \
         and a load of one of them moves 512 bytes for a warp. Up to three floats are left at the \
         end.",
        "Load four elements of this array, with indices `i`, `i + threads`, `i + 2 * threads` and \
         `i + 3 * threads`, into a local array `float4 values[4]`, and add them up in a second, \
         inner loop. A thread can do this as long as `i + 3 * threads < n / 4`.",
        "The kernel needs three loops: one for four elements of `in4` at a time, one for the \
         rest of `in4`, and one for the floats from `4 * (n / 4)` on. The reduction of the block \
         can stay as it is, because it happens only once.",
    ],
    pitfalls: &[
        "It isn't enough to shorten the reduction of the block. This reduction happens only once, \
         however long the array is, so the loads take most of the time.",
        "Don't let a thread load neighbouring elements of `in4`. The loads of a warp would then \
         touch twice as many sectors.",
        "Don't forget the last `n % 4` elements, and the elements that are left if a thread's \
         number of groups isn't a multiple of four.",
        "Don't let each thread add to `total`. All of these additions would have to wait for the \
         same address.",
        "Don't use `i < n / 4` as the condition of the first loop. The loads of the last iteration \
         would be beyond the end of the array.",
    ],
    learn: "chapter 13, \"A sum at full speed\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn of_256(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [256, 1])
}

/// Positive numbers, so that nothing cancels, and none so small that a sum without it passes.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let values = ArrayD::from_shape_simple_fn(&[n][..], || rng.random_range(4.0..10.0_f32));
    let before = array![rng.random_range(4.0..10.0_f32)].into_dyn();
    vec![Value::Array(Array::F32(values)), Value::Array(Array::F32(before)), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let (values, before) = (f64s(inputs, 0), f64s(inputs, 1));
    vec![(before + total(&values)).into()]
}

/// The sum of all elements.
fn total(values: &ArrayD<f64>) -> f64 {
    values.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_added_to_the_total() {
        let floats = |values: &[f32]| {
            Value::Array(Array::F32(
                ArrayD::from_shape_vec(vec![values.len()], values.to_vec()).expect("a vector"),
            ))
        };
        let inputs = [floats(&[1.5, 2.0, 4.0]), floats(&[100.0]), int(3)];
        let found = reference(&SPEC.cases[0], &inputs);
        assert_eq!(found, [array![107.5].into_dyn().into()]);
    }
}
