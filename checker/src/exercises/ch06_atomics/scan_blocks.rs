//! Prefix sums over many blocks: scan the tiles, scan their totals, add the carry. The tree has
//! bank conflicts.

use ndarray::{ArrayD, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Op, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// The case whose sums need all 32 bits.
const LARGE_SUMS: &str = "three tiles";

/// `scan_blocks`.
///
/// The exercise is a program, because it teaches that the end of a launch is a barrier for the
/// whole grid, so three launches in three lines are enough. A single kernel would need a
/// cooperative launch, which limits the grid to the blocks that fit on the device, or blocks that
/// wait for each other's flags.
///
/// The tree in the original file has 525 bank conflicts for each tile of 512 elements. It has
/// 225 of them on the way up, and 300 on the way down.
pub static SPEC: Spec = Spec {
    id: "scan_blocks",
    chapter: "ch06_atomics",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 45,
    goal: "add the sum of all earlier tiles to each tile",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "in", role: Role::In, dtype: DType::I32, shape: "[n]" },
        Param { name: "out", role: Role::Out, dtype: DType::I32, shape: "[n]" },
        count("n"),
    ],
    cases: &[
        sized("100 elements", "one tile that isn't full", &[("n", 100)]),
        sized("one tile", "one full tile", &[("n", 512)]),
        sized(LARGE_SUMS, "the last tile isn't full", &[("n", 1324)]),
        sized("one element", "the smallest array", &[("n", 1)]),
        sized("513 elements", "one element in the second tile", &[("n", 513)]),
        sized("40 tiles", "all 40 tiles are full", &[("n", 20_480)]),
        sized("3560 elements", "seven tiles; the last one is nearly full", &[("n", 3560)]),
        sized("45 tiles", "more tiles than a warp has lanes", &[("n", 22_787)]),
        gated(sized("512 tiles", "as many totals as a tile has elements", &[("n", 512 * 512)])),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[
        Gate { metric: Metric::SharedConflicts, op: Op::AtMost, target: 0.0, baseline: None },
        at_most(Metric::Launches, 3.0),
        at_most(Metric::SharedRequests, 260_000.0),
        // Loading 262 144 elements twice takes 16 384 requests, and the totals and carries take
        // some more. If each block loads all elements before its tile, that's millions.
        load_requests(25_000.0, None),
        exactly(Metric::CopiesToDevice, 1.0),
        exactly(Metric::CopiesToHost, 1.0),
        shared_work(2_000.0),
    ],
    hints: &[
        "On paper, take the three tiles 3 1 | 4 1 | 5 9. If you scan each tile by itself, you get \
         3 4 | 4 5 | 5 14. Which number do you have to add to each element of the second tile, and \
         which number to each element of the third tile? Which of the six elements add up to each \
         of these numbers?",
        "The totals of the tiles are 4, 5 and 14. The carries are 0, 4 and 9, and you can compute \
         them as prefix sums of the totals. You already have a kernel that computes prefix sums.",
        "Use three launches. The first one is `scan_tiles` for all tiles, which also stores each \
         tile's total in an array. The second one is `scan_tiles` for that array, with one block. \
         The third one is a kernel that adds the total of all earlier tiles to each tile. A launch \
         begins only when the previous launch has ended, so no block reads a total too early.",
        "The total of a tile is its last slot plus its last element: `if (totals != nullptr && tid \
         == THREADS - 1) { totals[blockIdx.x] = tile[slot(TILE - 1)] + own[1]; }`. After the \
         second launch, add element `b - 1` of the scanned totals to tile `b`, and nothing to tile \
         0.",
        "If the slots of neighbouring lanes are a multiple of 32 apart, all lanes access the same \
         bank, so they conflict. Leave one slot unused after every 32 slots with `return i + i / \
         32;`, and make the array longer by the number of unused slots.",
    ],
    pitfalls: &[
        "If you use only the total of the previous tile as the carry, the result is right for two \
         tiles, but the third tile needs the sum of the first two totals.",
        "You can't do everything in one launch with a barrier, because `__syncthreads()` waits \
         only for the threads of one block.",
        "If you add element `b` of the scanned totals to tile `b`, instead of element `b - 1`, you \
         count the tile's own total twice.",
        "If you scan the totals on the host, the result is right, but every scan has to wait for \
         two more copies.",
        "Don't use the padded index for some accesses and the plain index for others. For the same \
         element, the two indices lead to different slots.",
        "If you pad the index without making the array longer, the last slots are beyond the end \
         of the array.",
    ],
    learn: "chapter 6, \"Prefix sums over many blocks\"",
    skeleton: Slug::WrongValues,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    // In one case, the sums need all 32 bits. They have the same sign, which is random.
    let sign = if rng.random_bool(0.5) { 1 } else { -1 };
    let draw = || match case.name {
        LARGE_SUMS => sign * rng.random_range(1_000_000..1_600_000),
        _ => rng.random_range(-50_000..50_000),
    };
    let values = ArrayD::from_shape_simple_fn(&[n][..], draw);
    vec![Value::Array(Array::I32(values)), Value::Out { dtype: DType::I32, shape: vec![n] }, int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(Array::I32(values))) = inputs.first() else {
        panic!("argument 0 isn't an array of ints")
    };
    vec![Array::I32(so_far(values))]
}

/// The inclusive prefix sums.
fn so_far(values: &ArrayD<i32>) -> ArrayD<i32> {
    let mut sums = values.clone();
    sums.accumulate_axis_inplace(Axis(0), |before, sum| *sum += before);
    sums
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn each_sum_has_its_own_element() {
        assert_eq!(so_far(&array![3, 1, -4, 1, 5].into_dyn()), array![3, 4, 0, 1, 6].into_dyn());
    }
}
