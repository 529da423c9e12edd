//! Products of vectors of bytes, four pairs with one instruction.

use ndarray::{Array2, ArrayD, ArrayViewD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// Vectors that each row is multiplied by.
const VECTORS: usize = 4;

/// `int8_dot`.
///
/// All results are exact. With random bytes, a sum of n products has a standard deviation of
/// 128^2 / 3 * sqrt(n), and each case's shift makes about 90 of it. So about one of seven results
/// saturates.
pub static SPEC: Spec = Spec {
    id: "int8_dot",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 20,
    goal: "load four bytes at a time, and multiply them with one instruction",
    cooperative: false,
    ordered: &[],
    params: &[
        bytes("w", Role::In, "[rows][cols]"),
        bytes("x", Role::In, "[4][cols]"),
        bytes("y", Role::Out, "[4][rows]"),
        count("rows"),
        count("cols"),
        count("shift"),
    ],
    cases: &[
        of_128(
            "30 rows of 256",
            "the last block has two warps without a row; some results have to saturate",
            &[("rows", 30), ("cols", 256), ("shift", 10)],
            8,
        ),
        of_128(
            "100 rows of 16",
            "four words in a row, so most lanes have nothing to add",
            &[("rows", 100), ("cols", 16), ("shift", 8)],
            25,
        ),
        of_128(
            "21 rows of 80",
            "20 words in a row, which isn't a multiple of 32",
            &[("rows", 21), ("cols", 80), ("shift", 9)],
            6,
        ),
        of_128(
            "33 rows of 1008",
            "252 words in a row, so the lanes have different numbers of words",
            &[("rows", 33), ("cols", 1008), ("shift", 11)],
            9,
        ),
        gated(of_128(
            "32 rows of 4096",
            "32 words of a row for each lane",
            &[("rows", 32), ("cols", 4096), ("shift", 12)],
            8,
        )),
    ],
    large: Some(case(
        "large",
        "",
        &[("rows", 16_384), ("cols", 16_384), ("shift", 13)],
        [4096, 1],
        [128, 1],
    )),
    tolerance: Tolerance::Exact,
    gates: &[
        // a request for each of 32 words of a lane and for four words of vectors, in 32 rows
        load_requests(5120.0, Some(20_480.0)),
        Gate { baseline: Some(1681.0), ..shared_work(900.0) },
        at_most(Metric::StoreRequests, 128.0),
    ],
    hints: &[
        "A warp loads 32 bytes with each request. How many bytes could it load if each lane loaded \
         an `int`?",
        "`reinterpret_cast<const int*>(w + row * cols)` points to the first word of the row. First \
         add the offset, which is a number of bytes, and then convert the pointer. The address is \
         a multiple of 4, because `cols` is a multiple of 16.",
        "A row has `cols / 4` words. Let each lane go over the words in steps of 32. It loads a \
         word of `w`, and the word with the same index from each of the four vectors.",
        "`sums[v] = __dp4a(a, b, sums[v])` multiplies the four bytes of `a` with those of `b`, and \
         adds the four products to `sums[v]`. With arguments of type `int`, the bytes are signed.",
    ],
    pitfalls: &[
        "Don't use `unsigned` words. Otherwise, `__dp4a` interprets a byte of -1 as 255.",
        "It isn't enough if each lane loads two bytes at a time. A request of a warp moves 128 \
         bytes only if each lane loads four.",
        "Don't leave out `min` and `max` when you store the result. A conversion to `signed char` \
         keeps the lowest 8 bits, so 130 becomes -126.",
        "Don't add `row * cols` to a pointer to words, because `row * cols` is a number of bytes.",
    ],
    learn: "chapter 12, \"Four bytes in a word\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn bytes(name: &'static str, role: Role, shape: &'static str) -> Param {
    Param { name, role, dtype: DType::I8, shape }
}

const fn of_128(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [128, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [rows, cols, shift] = ["rows", "cols", "shift"].map(|name| case.size(name));
    let mut random = |shape: &[usize]| {
        let mut values: ArrayD<i8> = ArrayD::from_shape_simple_fn(shape, || rng.random());
        if cols == 4096 {
            // the greatest sum that is possible, for the last row and the last vector
            values.index_axis_mut(Axis(0), shape[0] - 1).fill(i8::MIN);
        }
        Value::Array(Array::I8(values))
    };
    let (w, x) = (random(&[rows, cols]), random(&[VECTORS, cols]));
    let y = Value::Out { dtype: DType::I8, shape: vec![VECTORS, rows] };
    vec![w, x, y, int(rows), int(cols), int(shift)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let of = |index: usize| match inputs.get(index) {
        Some(Value::Array(Array::I8(array))) => array,
        other => panic!("argument {index} is {other:?}, not an array of bytes"),
    };
    vec![products(of(0), of(1), case.size("shift") as u32).into_dyn().into()]
}

/// Each vector in a row of `x` times each row of `w`, divided by `2^shift`, rounded half up, and
/// saturated.
fn products(w: &ArrayD<i8>, x: &ArrayD<i8>, shift: u32) -> Array2<i8> {
    let product = |a: ArrayViewD<'_, i8>, b: ArrayViewD<'_, i8>| {
        let sum: i64 = a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
        let scaled = (sum + (1 << (shift - 1))) >> shift;
        scaled.clamp(i8::MIN.into(), i8::MAX.into()) as i8
    };
    let shape = (x.shape()[0], w.shape()[0]);
    Array2::from_shape_fn(shape, |(v, r)| {
        product(w.index_axis(Axis(0), r), x.index_axis(Axis(0), v))
    })
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// 3 * 5 + 1 * -2 = 13, and 13 / 4 = 3.25; -128 * -2 = 256, and 256 / 2 is more than 127.
    #[test]
    fn scales_rounds_and_saturates() {
        let x = array![[5, -2], [2, 0]].into_dyn();
        let w = array![[3, 1], [0, 1], [0, -1]].into_dyn();
        assert_eq!(products(&w, &x, 2), array![[3, 0, 1], [2, 0, 0]]);
        let x = array![[5, -2]].into_dyn();
        assert_eq!(products(&array![[0, -128], [-128, 0]].into_dyn(), &x, 1), array![[127, -128]]);
    }
}
