//! Helpers for Specs. They make cases, parameters and gates, and they make and read values.

use std::ops::Range;

use half::f16;
use ndarray::ArrayD;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::spec::{Case, Gate, Metric, Op, Param, Role};
use crate::value::{Array, DType, Scalar, Value};

/// A case without gates. `grid` and `block` are (x, y).
pub const fn case(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
    block: [u32; 2],
) -> Case {
    Case {
        name,
        why,
        sizes,
        defines: &[],
        grid: [grid[0], grid[1], 1],
        block: [block[0], block[1], 1],
        shared: 0,
        gated: false,
        simulated_only: false,
        fault: None,
        other_faults: &[],
        allows: &[],
    }
}

/// A case without gates for a program, which chooses its own grids and blocks.
pub const fn sized(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    case(name, why, sizes, [0, 0], [0, 0])
}

/// The same case with gates.
pub const fn gated(case: Case) -> Case {
    Case { gated: true, ..case }
}

/// `const float* name`: an array that the kernel only reads.
pub const fn floats_in(name: &'static str, shape: &'static str) -> Param {
    Param { name, role: Role::In, dtype: DType::F32, shape }
}

/// `const __half* name`: an array of 16-bit floats that the kernel only reads.
pub const fn halves_in(name: &'static str, shape: &'static str) -> Param {
    Param { name, role: Role::In, dtype: DType::F16, shape }
}

/// `float* name`: an array that the kernel fills.
pub const fn floats_out(name: &'static str, shape: &'static str) -> Param {
    Param { name, role: Role::Out, dtype: DType::F32, shape }
}

/// `int* name`: the answers that the learner writes into the file.
pub const fn answers(name: &'static str, shape: &'static str) -> Param {
    Param { name, role: Role::Answer, dtype: DType::I32, shape }
}

/// `const int* name`: integers that the kernel only reads.
pub const fn ints_in(name: &'static str, shape: &'static str) -> Param {
    Param { name, role: Role::In, dtype: DType::I32, shape }
}

/// `int* name`: an array of integers that the kernel fills.
pub const fn ints_out(name: &'static str, shape: &'static str) -> Param {
    Param { name, role: Role::Out, dtype: DType::I32, shape }
}

/// `float* name`: an array that the kernel reads and changes.
pub const fn floats_in_out(name: &'static str, shape: &'static str) -> Param {
    Param { name, role: Role::InOut, dtype: DType::F32, shape }
}

/// `float name`: a number.
pub const fn number(name: &'static str) -> Param {
    Param { name, role: Role::Scalar, dtype: DType::F32, shape: "" }
}

/// `int name`: a count.
pub const fn count(name: &'static str) -> Param {
    Param { name, role: Role::Scalar, dtype: DType::I32, shape: "" }
}

/// The kernel must write every output element exactly once.
pub const WRITTEN_ONCE: Gate =
    Gate { metric: Metric::WritesPerElement, op: Op::Exactly, target: 1.0, baseline: None };

/// The kernel must make at most `target` global load requests. A thread that does the work of a
/// whole warp makes 32 times as many.
pub const fn load_requests(target: f64, baseline: Option<f64>) -> Gate {
    Gate { metric: Metric::LoadRequests, op: Op::AtMost, target, baseline }
}

/// No warp may execute more than `target` instructions. A warp that also does the work of other
/// warps exceeds this limit.
pub const fn shared_work(target: f64) -> Gate {
    at_most(Metric::BusiestWarp, target)
}

/// The count of `metric` must be exactly `target`.
pub const fn exactly(metric: Metric, target: f64) -> Gate {
    Gate { metric, op: Op::Exactly, target, baseline: None }
}

/// The count of `metric` must be at most `target`.
pub const fn at_most(metric: Metric, target: f64) -> Gate {
    Gate { metric, op: Op::AtMost, target, baseline: None }
}

/// The count of `metric` must be at least `target`.
pub const fn at_least(metric: Metric, target: f64) -> Gate {
    Gate { metric, op: Op::AtLeast, target, baseline: None }
}

/// The count of `metric` must be exactly `target`. The skeleton's count is `baseline`.
pub const fn down_to(metric: Metric, target: f64, baseline: f64) -> Gate {
    Gate { metric, op: Op::Exactly, target, baseline: Some(baseline) }
}

/// A global request may move at most `target` sectors of 32 bytes. Packed requests would move
/// `bytes` bytes for each element of the outputs.
pub const fn sectors(bytes: u32, target: f64, baseline: f64) -> Gate {
    let metric = Metric::SectorsPerRequest { bytes };
    Gate { metric, op: Op::AtMost, target, baseline: Some(baseline) }
}

/// Random numbers from -10 to 10. They have both signs and fractions, so that a wrong operator or a
/// lost fraction changes the result.
pub fn uniform(rng: &mut ChaCha8Rng, shape: &[usize]) -> Value {
    Value::Array(Array::F32(ArrayD::from_shape_simple_fn(shape, || rng.random_range(-10.0..10.0))))
}

/// Random numbers from a range, rounded to halves.
pub fn halves(rng: &mut ChaCha8Rng, shape: &[usize], range: Range<f32>) -> Value {
    let number = || f16::from_f32(rng.random_range(range.clone()));
    Value::Array(Array::F16(ArrayD::from_shape_simple_fn(shape, number)))
}

/// An array of floats that the kernel fills.
pub fn out(shape: &[usize]) -> Value {
    Value::Out { dtype: DType::F32, shape: shape.to_vec() }
}

/// An array of integers that the kernel fills.
pub fn ints(shape: &[usize]) -> Value {
    Value::Out { dtype: DType::I32, shape: shape.to_vec() }
}

/// A size as the kernel receives it.
///
/// # Panics
/// When the size does not fit into an `int`, because the Spec is broken.
pub fn int(size: usize) -> Value {
    Value::Scalar(Scalar::I32(i32::try_from(size).expect("sizes of cases fit an int")))
}

/// A number as the kernel receives it.
pub const fn float(value: f32) -> Value {
    Value::Scalar(Scalar::F32(value))
}

/// Converts argument `index`, which is a number, to f64.
///
/// # Panics
/// When that argument is not a `float`, because the Spec is broken.
pub fn scalar(inputs: &[Value], index: usize) -> f64 {
    match inputs.get(index) {
        Some(Value::Scalar(Scalar::F32(value))) => f64::from(*value),
        other => panic!("argument {index} is {other:?}, not a float"),
    }
}

/// Converts argument `index`, which is an array, to f64 for the reference.
///
/// # Panics
/// When that argument is not an array of floats, because the Spec is broken.
pub fn f64s(inputs: &[Value], index: usize) -> ArrayD<f64> {
    match inputs.get(index) {
        Some(Value::Array(Array::F32(a))) => a.mapv(f64::from),
        Some(Value::Array(Array::F16(a))) => a.mapv(f64::from),
        other => panic!("argument {index} is {other:?}, not an array of floats"),
    }
}

/// The integers of argument `index`, which is an array, for the reference.
///
/// # Panics
/// When that argument is not an array of ints, because the Spec is broken.
pub fn i32s(inputs: &[Value], index: usize) -> ArrayD<i32> {
    match inputs.get(index) {
        Some(Value::Array(Array::I32(a))) => a.clone(),
        other => panic!("argument {index} is {other:?}, not an array of ints"),
    }
}
