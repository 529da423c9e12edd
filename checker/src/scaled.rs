//! Inputs whose size and sign a secret seed chooses.
//!
//! The public inputs are easy to read, with numbers between -10 and 10. Code that is right only for
//! such numbers would pass if secret inputs had the same range. A factor that is a power of two
//! changes no digit of a float, so each rounding of a product or sum of scaled inputs stays the
//! same part of the result.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::spec::Spec;
use crate::value::{Array, Scalar, Value};

/// How a group of inputs is multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Factor {
    /// By a power of two, or by its negative.
    Any,
    /// By a power of two.
    Positive,
    /// By 1 or -1.
    Sign,
    /// By the product of the factors of all groups before, for an addend of a product.
    Product,
}

use Factor::{Any, Positive, Product, Sign};

/// Exponents of the powers of two.
const EXPONENTS: std::ops::RangeInclusive<i32> = -20..=30;

/// The groups of an exercise's inputs that have a common factor, where the result follows from the
/// inputs by operations that such factors don't disturb. The terms of a sum have the same factor,
/// because rounding would otherwise remove the smaller term.
fn groups(id: &str) -> &'static [(Factor, &'static [&'static str])] {
    match id {
        "add_one" | "double_it" | "guard" => &[(Any, &["a"])],
        "blocks" | "grid_stride" | "matrix_add_2d" => &[(Any, &["a", "b"])],
        "matmul_tiled" | "matmul_registers" | "matmul_async" => &[(Any, &["a"]), (Any, &["b"])],
        "launch_config" | "float4_align" => &[(Any, &["a"]), (Any, &["x"]), (Product, &["y"])],
        "in_out_inout" => &[(Any, &["a"]), (Any, &["b"]), (Product, &["c"])],
        "stay_on_device" => &[(Sign, &["w"]), (Sign, &["mean"]), (Sign, &["deviation"])],
        "cleanup" => &[(Any, &["x", "y"]), (Sign, &["a"])],
        "structs_soa" => &[(Any, &["points", "lift"]), (Sign, &["s"])],
        "barrier_divergence" | "reduce_tree" => &[(Positive, &["in"])],
        "volume_3d" | "stride" | "bank_conflicts" | "tile_transpose" | "reverse_sync" => {
            &[(Any, &["in"])]
        }
        "stencil_1d" | "async_copy" | "warp_shuffle" => &[(Any, &["in"])],
        "big_tile" => &[(Any, &["rows"])],
        "elementwise" => &[(Positive, &["x", "y", "low", "high"]), (Sign, &["a"]), (Sign, &["b"])],
        "reduction_kernel" => &[(Any, &["x", "limit"]), (Any, &["y"])],
        "specialise" | "conv2d" => &[(Any, &["in"]), (Any, &["weights"])],
        "overlap" => &[(Any, &["x", "b"]), (Sign, &["a"])],
        "sobel_const" => &[(Any, &["image"]), (Any, &["smooth"]), (Any, &["slope"])],
        "half_axpy" => &[(Sign, &["a"])],
        "pitched_2d" => &[(Any, &["image"])],
        "fft_shared" => &[(Any, &["in_re", "in_im"])],
        "choose_block" => &[(Any, &["curve"])],
        "loads_in_flight" => &[(Any, &["amount"]), (Any, &["price"])],
        "register_budget" => &[(Any, &["stack"])],
        "embedding_grad" => &[(Any, &["grad", "table"])],
        "layer_norm" => &[(Any, &["scale", "shift"])],
        "attention_tiles" => &[(Any, &["v"])],
        "reduce_bandwidth" => &[(Any, &["in", "total"])],
        _ => &[],
    }
}

/// Multiplies the inputs of an exercise, in the order of its parameters, by factors that follow
/// from `seed`.
pub fn scale(spec: &Spec, seed: u64, inputs: &mut [Value]) {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut product = 1.0;
    for (factor, names) in groups(spec.id) {
        let power = 2_f32.powi(rng.random_range(EXPONENTS));
        let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let factor = match factor {
            Any => sign * power,
            Positive => power,
            Sign => sign,
            Product => product,
        };
        product *= factor;
        for (param, value) in spec.params.iter().zip(&mut *inputs) {
            if names.contains(&param.name) {
                multiply(value, factor);
            }
        }
    }
}

/// The exponents of the powers of two by which each group of the given inputs is larger than
/// others of the same case. They're rounded to multiples of four, so chance hardly changes them.
pub fn exponents(spec: &Spec, given: &[Value], others: &[Value]) -> Vec<i32> {
    let magnitude = |inputs: &[Value], names: &[&str]| -> f64 {
        let group = spec.params.iter().zip(inputs).filter(|(param, _)| names.contains(&param.name));
        group.map(|(_, value)| magnitude(value)).sum()
    };
    let of_group = |(_, names): &(Factor, &[&str])| {
        let ratio = magnitude(given, names) / magnitude(others, names);
        if ratio.is_normal() { 4 * (ratio.log2() / 4.0).round() as i32 } else { 0 }
    };
    groups(spec.id).iter().map(of_group).collect()
}

/// Multiplies each group of the inputs by a power of two.
pub fn enlarge(spec: &Spec, exponents: &[i32], inputs: &mut [Value]) {
    for ((_, names), exponent) in groups(spec.id).iter().zip(exponents) {
        for (param, value) in spec.params.iter().zip(&mut *inputs) {
            if names.contains(&param.name) {
                multiply(value, 2_f32.powi(*exponent));
            }
        }
    }
}

fn magnitude(value: &Value) -> f64 {
    match value {
        Value::Array(Array::F32(array)) => {
            let sum: f64 = array.iter().map(|v| f64::from(v.abs())).filter(|v| v.is_finite()).sum();
            sum / array.len() as f64
        }
        Value::Scalar(Scalar::F32(number)) => number.abs().into(),
        _ => 0.0,
    }
}

fn multiply(value: &mut Value, factor: f32) {
    match value {
        Value::Array(Array::F32(array)) => array.mapv_inplace(|v| v * factor),
        Value::Scalar(Scalar::F32(number)) => *number *= factor,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises;

    /// A misspelt name would leave an input as it is.
    #[test]
    fn each_name_is_a_float_of_its_exercise() {
        let mut found = 0;
        for spec in exercises::all() {
            for name in groups(spec.id).iter().flat_map(|(_, names)| *names) {
                let param = spec.params.iter().find(|param| param.name == *name);
                let param = param.unwrap_or_else(|| panic!("{}: {name}", spec.id));
                assert_eq!(param.dtype, crate::value::DType::F32, "{}: {name}", spec.id);
            }
            found += usize::from(!groups(spec.id).is_empty());
        }
        assert_eq!(found, 42, "each exercise of the table exists");
    }
}
