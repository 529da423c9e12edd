//! The two limits of a kernel, which are its bytes and its operations.

use ndarray::{ArrayD, arr1};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Billion bytes and operations in a second, as the file says.
const BANDWIDTH: i32 = 3_000;
const OPERATIONS: i32 = 60_000;

/// `roofline`.
pub static SPEC: Spec = Spec {
    id: "roofline",
    chapter: "ch11_inside",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 20,
    goal: "predict what limits a kernel, then load and store every element only once",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[n]"),
        floats_out("out", "[n]"),
        answers("predicted", "[6]"),
        count("n"),
    ],
    cases: &[
        of_256("1000 elements", "up to four elements for each thread", &[("n", 1000)], 1),
        gated(of_256("8192 elements", "eight elements for each thread", &[("n", 8192)], 4)),
        of_256("one element", "255 threads have nothing to do", &[("n", 1)], 1),
        of_256(
            "2049 elements",
            "two blocks, and one element more than a multiple of their size",
            &[("n", 2049)],
            2,
        ),
    ],
    large: Some(case("large", "", &[("n", 1 << 25)], [1056, 1], [256, 1])),
    // two roundings, and a subtraction in which digits cancel
    tolerance: Tolerance::Roundings(4),
    gates: &[
        WRITTEN_ONCE,
        // a thread also has to load and store the values in its local memory
        at_most(Metric::LocalBytes, 0.0),
        // 8192 / 32, and one for the predictions
        Gate { baseline: Some(769.0), ..at_most(Metric::LoadRequests, 257.0) },
        Gate { baseline: Some(769.0), ..at_most(Metric::StoreRequests, 257.0) },
        // one float for each element, so that a kernel can't hide further loads in wide requests
        at_most(Metric::BytesPerElement, 4.1),
        shared_work(1_000.0),
    ],
    hints: &[
        "A float has 4 bytes. Count the loads and stores in the body of each loop, and add up the \
         bytes of all three loops.",
        "In this exercise, an operation is an addition, a subtraction or a multiplication of \
         floats. Operations with the index don't count, because other parts of the GPU do them.",
        "While the GPU of this exercise moves 3000 bytes, it can do 60 000 operations. How many \
         operations is that for one byte, and how many for the 8 bytes of an element?",
        "In the second part, keep the intermediate results in a local variable. One loop loads \
         `in[i]`, computes, and stores `out[i]`.",
    ],
    pitfalls: &[
        "Don't forget the loads from `out` in the second and third loop.",
        "For the last prediction, remember that `y = y * x + c` does two operations.",
        "If you merge only two of the three loops, the kernel still moves 16 bytes for each \
         element instead of 8.",
    ],
    learn: "chapter 11, \"The roofline\"",
    skeleton: Slug::WrongAnswer,
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

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    vec![uniform(rng, &[n]), out(&[n]), ints(&[6]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![squares(&f64s(inputs, 0)).into(), arr1(&predictions()).into_dyn().into()]
}

fn squares(values: &ArrayD<f64>) -> ArrayD<f64> {
    values.mapv(|v| (3.0 * v - 1.0) * (3.0 * v - 1.0))
}

/// Bytes and operations of the original kernel, of the fused one, and where the roofline bends.
const fn predictions() -> [i32; 6] {
    let (float, operations) = (4, 3);
    let (original, fused) = (6 * float, 2 * float);
    let each_byte = OPERATIONS / BANDWIDTH;
    [original, operations, fused, operations, each_byte, fused * each_byte / 2]
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn subtracts_before_it_squares() {
        assert_eq!(squares(&array![1.0, -1.0, 0.0].into_dyn()), array![4.0, 16.0, 1.0].into_dyn());
    }

    #[test]
    fn predictions_are_those_of_the_text() {
        assert_eq!(predictions(), [24, 3, 8, 3, 20, 80]);
    }
}
