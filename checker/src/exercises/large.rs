//! Cases as large as real work, for a GPU's clock: too large for the simulator, and for the caches of a GPU.

use super::common::{case, sized};
use crate::spec::{Case, Spec};

/// The large case of each exercise that gains time.
static LARGE: &[(&str, Case)] = &[
    ("grid_stride", case("large", "", &[("n", 1 << 25)], [1056, 1], [256, 1])),
    ("matrix_add_2d", case("large", "", &[("rows", 4096), ("cols", 4096)], [128, 512], [32, 8])),
    ("in_out_inout", sized("large", "", &[("n", 1 << 24)])),
    ("stay_on_device", sized("large", "", &[("n", 1 << 24)])),
    ("stride", case("large", "", &[("s", 32), ("n", 1 << 25)], [262_145, 1], [128, 1])),
    ("row_col_sums", case("large", "", &[("rows", 4096), ("cols", 8192)], [512, 1], [256, 1])),
    ("structs_soa", sized("large", "", &[("n", 1 << 22), ("steps", 5)])),
    ("float4_align", case("large", "", &[("offset", 0), ("n", 1 << 25)], [1056, 1], [256, 1])),
    ("stencil_1d", sized("large", "", &[("n", 1 << 24), ("radius", 3)])),
    ("tile_transpose", case("large", "", &[("rows", 4096), ("cols", 8192)], [256, 128], [32, 32])),
    ("bank_conflicts", case("large", "", &[("rows", 4096), ("cols", 8192)], [256, 128], [32, 32])),
    (
        "matmul_tiled",
        case("large", "", &[("rows", 4096), ("inner", 128), ("cols", 8192)], [512, 256], [16, 16]),
    ),
    ("histogram", case("large", "", &[("n", 1 << 25), ("percent", 40)], [1056, 1], [256, 1])),
    ("reduce_tree", case("large", "", &[("n", 1 << 24)], [65_536, 1], [256, 1])),
    ("elementwise", sized("large", "", &[("n", 1 << 24)])),
    ("overlap", sized("large", "", &[("n", 1 << 24), ("steps", 16)])),
    ("rgb_to_gray", case("large", "", &[("n", 1 << 25)], [1 << 17, 1], [256, 1])),
    ("izhikevich", sized("large", "", &[("n", 1 << 18), ("steps", 100)])),
];

/// The exercise with its large case and no other; `None` when it has none.
pub fn large(spec: &Spec) -> Option<&'static Spec> {
    let (_, case) = LARGE.iter().find(|(id, _)| *id == spec.id)?;
    // as long as the process, like every Spec
    Some(Box::leak(Box::new(Spec { cases: std::slice::from_ref(case), ..*spec })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises;
    use crate::spec::{Kind, Start};

    #[test]
    fn every_optimise_exercise_has_a_large_case() {
        for spec in exercises::all() {
            let found = large(spec);
            assert!(found.is_some() || spec.start != Start::Optimise, "{}", spec.id);
            let Some(case) = found.and_then(|spec| spec.cases.first()) else { continue };
            assert_eq!(case.grid[0] > 0, spec.kind == Kind::Kernel, "{}", spec.id);
            for known in spec.cases {
                assert_eq!(
                    known.sizes.iter().map(|(name, _)| name).collect::<Vec<_>>(),
                    case.sizes.iter().map(|(name, _)| name).collect::<Vec<_>>(),
                    "{}: sizes of another name",
                    spec.id
                );
            }
        }
        assert!(LARGE.iter().all(|(id, _)| exercises::find(id).is_ok()));
    }
}
