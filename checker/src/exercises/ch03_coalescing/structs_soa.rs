//! An array of structs or a struct of arrays. The choice decides which elements are neighbours in
//! memory.

use ndarray::{Array2, ArrayD, s};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `structs_soa`.
pub static SPEC: Spec = Spec {
    id: "structs_soa",
    chapter: "ch03_coalescing",
    kind: Kind::Program(HostPart::Rearranges),
    start: Start::Optimise,
    minutes: 30,
    goal: "store each field in an array of its own on the device",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("points", "[n][8]"),
        number("c"),
        number("s"),
        number("lift"),
        floats_out("out", "[n][3]"),
        count("n"),
        count("steps"),
    ],
    cases: &[
        sized("5 points, one step", "small enough to check by hand", &[("n", 5), ("steps", 1)]),
        sized("one point", "the smallest array", &[("n", 1), ("steps", 2)]),
        sized("257", "a second block with only one point", &[("n", 257), ("steps", 3)]),
        sized("1009", "a prime number, so the last block isn't full", &[("n", 1009), ("steps", 2)]),
        gated(sized(
            "4096",
            "4096 is a multiple of 32, so every request can be coalesced",
            &[("n", 4096), ("steps", 5)],
        )),
    ],
    large: Some(sized("large", "", &[("n", 1 << 22), ("steps", 20)])),
    // two products and a sum in each of at most 20 steps
    tolerance: Tolerance::Roundings(80),
    // 4096 points have 128 warps, and each warp makes 3 loads in each of 5 steps
    gates: &[
        // five steps, each of which loads and stores every element
        sectors(40, 4.5, 32.0),
        load_requests(1920.0, Some(1920.0)),
        exactly(Metric::Launches, 5.0),
        // three of the eight fields of each point
        down_to(Metric::BytesToDevice, 49_152.0, 131_072.0),
        down_to(Metric::BytesToHost, 49_152.0, 131_072.0),
        shared_work(300.0),
    ],
    hints: &[
        "Draw the first 96 bytes of `points` as the kernel sees them, as `x`, `y`, `z`, `red`, \
         `green` and so on. Mark the bytes that the lanes of a warp use when they load `x`. How \
         much of each sector do they use?",
        "If the `x` of all points were next to each other, 32 lanes would load 32 neighbouring \
         floats. So you need three arrays on the device, one for `x`, one for `y` and one for `z`. \
         How does the kernel then load `x`?",
        "On the host, the points follow each other, and field `k` of point `i` is `points[8 * i + \
         k]`. Before each copy to the device, collect one field of all points in a `std::vector`. \
         After each copy back, distribute the field to the elements of `out`.",
        "For `k` = 0, 1 and 2, set `field[i] = points[8 * i + k]` for all `i`, allocate `n` floats \
         with `cudaMalloc`, and copy the field. Launch `turn` with the three pointers, `steps` \
         times. Then, for each `k`, copy the results back into `field`, and set `out[3 * i + k] = \
         field[i]`.",
    ],
    pitfalls: &[
        "Don't give the kernel an array for each of the eight fields. It never uses five of them, \
         so the device doesn't need them.",
        "If you leave out the unused fields but keep a struct of `x`, `y` and `z`, a request for \
         one field still moves 12 sectors, because the lanes are 12 bytes apart.",
        "If you use a `float4` for `x`, `y`, `z` and a gap, a thread can load a point with a \
         single aligned load. However, a quarter of the bytes that move are padding.",
        "Don't rearrange the points in every step. Rearrange them once before the first step and \
         once after the last step, and leave the data on the device in between.",
        "Don't write `x = c * x - s * y; y = s * x + c * y;`, because the second assignment needs \
         the old value of `x`.",
        "If you store the three fields in three parts of a single array, the result is correct. \
         However, if `n` isn't a multiple of 8, at least the part for `y` begins in the middle of \
         a sector.",
    ],
    learn: "chapter 3, \"Arrays of structs, structs of arrays\"",
    skeleton: Slug::Uncoalesced,
    inputs,
    reference,
};

/// Fields of a point: x, y, z, and five that the kernel doesn't need.
const FIELDS: usize = 8;

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let points = uniform(rng, &[n, FIELDS]);
    let angle: f32 = rng.random_range(0.2..0.6);
    let lift = rng.random_range(0.5..2.0);
    let numbers = [angle.cos(), angle.sin(), lift].map(float);
    let [c, s, lift] = numbers;
    vec![points, c, s, lift, out(&[n, 3]), int(n), int(case.size("steps"))]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let [c, s, lift] = [1, 2, 3].map(|index| scalar(inputs, index));
    let points = f64s(inputs, 0);
    vec![turned(&points, [c, s, lift], case.size("steps")).into()]
}

/// x, y and z of the points `[n][FIELDS]` after `steps` turns around z. Each turn has the cosine
/// `c` and the sine `s`, and adds `lift` to z.
fn turned(points: &ArrayD<f64>, [c, s, lift]: [f64; 3], steps: usize) -> Array2<f64> {
    let shape = (points.len() / FIELDS, FIELDS);
    let points = points.view().into_shape_with_order(shape).expect("eight numbers for each point");
    let mut turned = points.slice(s![.., ..3]).to_owned();
    for mut point in turned.rows_mut() {
        for _ in 0..steps {
            let (x, y) = (point[0], point[1]);
            point[0] = c * x - s * y;
            point[1] = s * x + c * y;
            point[2] += lift;
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// A quarter turn moves (1, 2) to (-2, 1), and the next quarter turn moves it to (-1, -2). The
    /// other fields play no role.
    #[test]
    fn turns_and_lifts() {
        let points = array![
            [1.0, 2.0, 3.0, 9.0, 8.0, 7.0, 6.0, 5.0],
            [0.0, -4.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]
        ]
        .into_dyn();
        let quarter = [0.0, 1.0, 10.0];
        assert_eq!(turned(&points, quarter, 1), array![[-2.0, 1.0, 13.0], [4.0, 0.0, 10.5]]);
        assert_eq!(turned(&points, quarter, 2), array![[-1.0, -2.0, 23.0], [0.0, 4.0, 20.5]]);
    }
}
