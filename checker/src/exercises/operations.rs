//! Arithmetic that the large cases need, for rooflines.

use crate::spec::{Case, Spec};

/// Floating-point operations that a case of an exercise needs, whatever its kernel does. A fused
/// multiplication and addition counts as two, and a square root as one. `None` for exercises that
/// compute with integers or whose functions take many instructions each.
pub fn operations(spec: &Spec, case: &Case) -> Option<f64> {
    let size = |name| case.size(name) as f64;
    Some(match spec.id {
        // two squares, their sum and its root
        "grid_stride" => 4.0 * size("n"),
        "matrix_add_2d" => size("rows") * size("cols"),
        "float4_align" => 2.0 * size("n"),
        "matmul_tiled" | "matmul_registers" | "matmul_async" => {
            2.0 * size("rows") * size("inner") * size("cols")
        }
        "reduce_tree" | "reduce_bandwidth" | "loads_in_flight" => size("n"),
        // an addition of integers for each element, which other units do as fast
        "scan_lookback" => size("n"),
        // 32 products, and their sum
        "async_copy" => 2.0 * 32.0 * size("n"),
        "roofline" => 3.0 * size("n"),
        // four filters of 5 x 5 weights for each channel
        "conv2d" => 2.0 * 4.0 * 25.0 * size("channels") * size("height") * size("width"),
        // a product of 32 elements for each score, and 32 weighted elements for each result
        "attention_tiles" => 2.0 * 2.0 * 32.0 * size("queries") * size("keys"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises::{all, find};

    /// The number of a large case, in billions.
    fn billions(id: &str) -> Option<f64> {
        let spec = find(id).expect("an exercise");
        Some(operations(spec, spec.large.as_ref()?)? / 1e9)
    }

    #[test]
    fn products_and_sums_count() {
        assert_eq!(billions("matmul_tiled"), Some(17.179_869_184));
        assert_eq!(billions("conv2d"), Some(6.710_886_4));
        assert_eq!(billions("tile_transpose"), None);
    }

    /// A size that an entry names must be one of the case.
    #[test]
    fn entries_fit_their_cases() {
        let counted = |spec: &&&Spec| {
            spec.large.as_ref().is_some_and(|large| operations(spec, large).is_some())
        };
        assert!(all().iter().filter(counted).count() >= 14);
    }
}
