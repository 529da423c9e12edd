//! Arithmetic with pairs of halves, and long sums of floats.

use half::f16;
use ndarray::{Array1, Array2, ArrayD, Axis, Ix2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// In this case, numbers have both signs.
const SIGNS: &str = "2 rows of 1030";

/// `half_axpy`.
///
/// An element of `x` has at most 8 significant bits and `a` at most 4, with a product of at most
/// 1910 units of 2^-10, so the product is exact, and an element of `y` has only one rounding, with
/// or without a fused multiply-add. Except in one case, all numbers are positive, so little
/// cancels. A thread adds at most 2 * 98 elements to its sum, in the longest row, and the sums of
/// 256 threads take 12 more additions, so a chain has at most 208 of them. Their errors have both
/// signs, and those of the threads are independent, so `OwnRoundings(208)`, which allows 58 eps, is
/// more than ten standard deviations. An element of `y` has to be equal.
pub static SPEC: Spec = Spec {
    id: "half_axpy",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 25,
    goal: "compute with pairs of halves, and add up many of them as floats",
    cooperative: false,
    ordered: &[],
    params: &[
        halves_in("x", "[rows][cols]"),
        Param { name: "y", role: Role::InOut, dtype: DType::F16, shape: "[rows][cols]" },
        floats_out("sums", "[rows]"),
        number("a"),
        count("cols"),
    ],
    cases: &[
        of_256("3 rows of 512", "one pair for each thread", &[("rows", 3), ("cols", 512)]),
        of_256("2 rows of 2", "one pair in each row", &[("rows", 2), ("cols", 2)]),
        of_256(
            SIGNS,
            "515 pairs, so three threads have one more than the others",
            &[("rows", 2), ("cols", 1030)],
        ),
        of_256(
            "1 row of 50 000",
            "a sum greater than 65 504, the greatest half",
            &[("rows", 1), ("cols", 50_000)],
        ),
        gated(of_256("4 rows of 8192", "16 pairs for each thread", &[("rows", 4), ("cols", 8192)])),
    ],
    large: None,
    tolerance: Tolerance::OwnRoundings(208),
    gates: &[
        // two loads of a pair for each of 4 * 4096 pairs, by 32 threads at a time
        load_requests(1024.0, None),
        // a store for each pair, and one for each row
        at_most(Metric::StoreRequests, 516.0),
        // 337 with arithmetic on pairs, and 422 with arithmetic on elements, even in an unrolled
        // loop
        shared_work(390.0),
        // with wide loads, arithmetic on elements needs 359 instructions
        at_most(Metric::SingleProducts, 0.0),
    ],
    hints: &[
        "Two neighbouring halves are a `__half2`, which is a word of 4 bytes. \
         `reinterpret_cast<const __half2*>(x + row * cols)` points to the first pair of a row of \
         `x`. How many pairs does a row have?",
        "`__float2half2_rn(a)` is a pair whose elements are both `a`. `__hfma2(p, q, r)` computes \
         `p * q + r` for both elements of the pairs.",
        "A thread's sum has to be a `float`. `__half22float2` converts a pair to a `float2`, whose \
         elements are `.x` and `.y`.",
        "Let the loop be `for (int i = threadIdx.x; i < cols / 2; i += blockDim.x)`. After it, all \
         threads call `block_sum` with their sums, and thread 0 stores the returned value.",
    ],
    pitfalls: &[
        "Don't add up the elements as halves. From 2048 on, a half can only be an even \
         number, so 2048 plus 1 is 2048 again. Besides, the largest half is 65 504.",
        "Don't convert the pointer before you add `row * cols` to it. For a pointer to pairs, the \
         offset would be twice as large.",
        "Don't run the loop to `cols`, because a row has `cols / 2` pairs.",
        "Don't call `block_sum` in thread 0 only. It contains a barrier, which all threads have to \
         reach.",
    ],
    learn: "chapter 12, \"Two halves at a time\"",
    skeleton: Slug::WrongValues,
    inputs,
    reference,
};

const fn of_256(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    let [(_, rows), ..] = *sizes else { panic!("the sizes begin with the number of rows") };
    case(name, why, sizes, [rows as u32, 1], [256, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let exact = || f16::from_f32(rng.random_range(64..192_u8).into()) / f16::from_f32(128.0);
    let mut x = ArrayD::from_shape_simple_fn(vec![rows, cols], exact);
    let mut y = halves(rng, &[rows, cols], 0.5..1.5);
    let mut a = f32::from(rng.random_range(4..=10_u8)) / 8.0;
    if let (SIGNS, Value::Array(Array::F16(y))) = (case.name, &mut y) {
        x.iter_mut().step_by(3).for_each(|x| *x = -*x);
        y.iter_mut().step_by(4).for_each(|y| *y = -*y);
        a = -a;
    }
    vec![Value::Array(Array::F16(x)), y, out(&[rows]), float(a), int(cols)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let [x, y] = [0, 1].map(|i| f64s(inputs, i).into_dimensionality::<Ix2>().expect("a matrix"));
    let y = axpy(scalar(inputs, 3), &x, &y);
    let sums: Array1<f64> = y.sum_axis(Axis(1));
    vec![y.mapv(f16::from_f64).into_dyn().into(), sums.into_dyn().into()]
}

/// `a * x + y`, rounded to halves once.
fn axpy(a: f64, x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    (a * x + y).mapv(|value| f16::from_f64(value).to_f64())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// A half has 11 significant bits, so between 2048 and 4096 only even numbers.
    #[test]
    fn rounds_to_halves() {
        let (x, y) = (array![[1.0, 2.0], [1.0, 1.5]], array![[0.5, 0.25], [2048.0, 2048.0]]);
        assert_eq!(axpy(1.0, &x, &y), array![[1.5, 2.25], [2048.0, 2050.0]]);
    }
}
