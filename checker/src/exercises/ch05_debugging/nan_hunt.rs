//! Infinities and NaN in a series whose terms are all small. The learner finds where they begin,
//! and then fixes the arithmetic.

use ndarray::{Array1, ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// Threads per block.
const BLOCK: usize = 128;
/// Number of terms of the series.
const TERMS: usize = 64;
/// Number of points at a moderate distance. The other points have distances from 0.001 to 1000.
const TAME: usize = 306;
/// Number of points in the first case. One of them is the first bad point.
const POINTS: usize = 1000;
/// The index of the first bad point, the first one that isn't at a moderate distance.
const FIRST_BAD: usize = TAME;
/// The first step of the skeleton after which the sum of the first bad point is infinite or NaN.
const BAD_STEP: usize = 8;

/// `nan_hunt`.
pub static SPEC: Spec = Spec {
    id: "nan_hunt",
    chapter: "ch05_debugging",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 30,
    goal: "find where the first NaN appears, then fix the sum",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("x", "[n]"),
        floats_in("y", "[n]"),
        floats_out("angle", "[n]"),
        answers("found", "[3]"),
        count("n"),
    ],
    cases: &[
        gated(of_128("1000 points", "some results are NaN, so search here", &[("n", POINTS)], 8)),
        of_128(
            "257 points",
            "all points are at a moderate distance, so no result is NaN",
            &[("n", 257)],
            3,
        ),
        of_128("31 points", "fewer points than a warp has threads", &[("n", 31)], 1),
        of_128("2 points", "only two points, although `FOUND` has three numbers", &[("n", 2)], 1),
        of_128("4099 points", "many more points than in the first case", &[("n", 4099)], 33),
    ],
    large: None,
    tolerance: Tolerance::Roundings(TERMS as u32),
    gates: &[WRITTEN_ONCE, shared_work(1_500.0)],
    hints: &[
        "The report shows the first wrong elements, with the block and the thread of each element. \
         Look at the first of these threads. `checker trace nan_hunt --block B --thread T` (on a \
         live page, the steps as text under *Threads*) shows `top`, `bottom` and `sum` in each \
         iteration. You can also print them with a `printf` in the loop, inside `if (idx == ...)`.",
        "Before this thread computes a NaN, one of its powers leaves the range of a `float`. A \
         result above about 3.4e38 becomes infinite, and a result that's too close to 0 becomes 0. \
         Which variable does this first, `top` or `bottom`, and what is `top / bottom` after that? \
         In which later step does it happen to the other variable?",
        "`FOUND` contains three numbers. The first two are the thread's `blockIdx.x` and \
         `threadIdx.x` (and not its `idx`). The third number is the first step after which `sum` \
         is no longer finite. That isn't the step where the first of the two \
         variables becomes infinite or 0.",
        "Apart from the division by an odd number, each term is the previous term times the square \
         of `y / x`. Begin with `ratio = y / x`, and multiply by `ratio * ratio` in each step. \
         Then no power overflows, and no power becomes 0 too early.",
    ],
    pitfalls: &[
        "Don't leave out the terms that are NaN. As soon as `bottom` is infinite, some terms \
         become 0 although they shouldn't, so the sum would be finite but wrong.",
        "It isn't enough to use `double` instead of `float`. Larger powers fit into a `double`, \
         but the results of points that are far enough away are still NaN.",
        "If you divide `x` and `y` by 100 first, the powers stay finite for most of the distant \
         points. However, for the points near 0, the powers become 0, and `0 / 0` is NaN, too.",
        "If you replace NaN with 0 at the end, the NaN is gone, but the result is still wrong.",
        "Don't count the steps from 1, and don't write `idx` into `FOUND`. The steps begin at 0, \
         and `FOUND` needs `threadIdx.x`, which is the number of the thread in its block.",
    ],
    learn: "chapter 5, \"Infinity and NaN\"",
    skeleton: Slug::NotANumber,
    inputs,
    reference,
};

const fn of_128(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [128, 1])
}

/// Points with 0 < y < x, of which half get a negative y. A sign doesn't change the magnitude of
/// any number. The learner records the index and the step of the first bad point, so both are the
/// same for every seed, and everything else is random.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let mut draw = |i| {
        std::iter::repeat_with(|| point(i, rng))
            .find(|(x, y)| i != FIRST_BAD || bad_step(*x, *y) == Some(BAD_STEP))
            .expect("a point that is bad in the step that the learner records")
    };
    let (x, mut y): (Vec<f32>, Vec<f32>) = (0..n).map(&mut draw).unzip();
    for y in &mut y {
        if rng.random_bool(0.5) {
            *y = -*y;
        }
    }
    let array = |values: Vec<f32>| Value::Array(Array::from(Array1::from_vec(values)));
    vec![array(x), array(y), out(&[n]), ints(&[3]), int(n)]
}

/// The point with index `i`, whose distance is moderate if `i < TAME`.
fn point(i: usize, rng: &mut ChaCha8Rng) -> (f32, f32) {
    let decades = if i < TAME { 0.2 } else { 3.0 };
    let x = 10_f64.powf(rng.random_range(-decades..decades));
    let ratio = rng.random_range(0.2..0.8);
    (x as f32, (x * ratio) as f32)
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let [block, thread, step] = first_bad();
    let found = [block, thread, step].map(|number| number as i32);
    let angles = angles(&f64s(inputs, 0), &f64s(inputs, 1));
    vec![angles.into(), Array1::from_vec(found.to_vec()).into()]
}

fn angles(x: &ArrayD<f64>, y: &ArrayD<f64>) -> ArrayD<f64> {
    Zip::from(x).and(y).map_collect(|x, y| (y / x).atan())
}

/// Block and thread of the first point for which the skeleton's sum becomes infinite or NaN, and
/// the first step after which the sum is infinite or NaN.
const fn first_bad() -> [usize; 3] {
    [FIRST_BAD / BLOCK, FIRST_BAD % BLOCK, BAD_STEP]
}

/// The first step of the skeleton after which the sum is infinite or NaN.
fn bad_step(x: f32, y: f32) -> Option<usize> {
    let (mut top, mut bottom, mut sum) = (y, x, 0.0_f32);
    (0..TERMS).find(|&step| {
        let term = top / bottom / (2 * step + 1) as f32;
        sum += if step % 2 == 0 { term } else { -term };
        top *= y * y;
        bottom *= x * x;
        !sum.is_finite()
    })
}

#[cfg(test)]
mod tests {
    use ndarray::array;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn angles_of_three_points() {
        let (x, y) = (array![1.0, 2.0, 1.0].into_dyn(), array![1.0, -2.0, 0.0].into_dyn());
        let quarter = std::f64::consts::FRAC_PI_4;
        assert_eq!(angles(&x, &y), array![quarter, -quarter, 0.0].into_dyn());
    }

    /// 100^21 and 50^23 are larger than the largest float, so bottom is infinite in step 10, and
    /// top is infinite in step 11. Near 0, both become 0, because 0.001^15 is rounded to the
    /// smallest float, and the next power, in step 8, is 0.
    #[test]
    fn powers_leave_the_floats_on_either_side() {
        assert_eq!(bad_step(100.0, 50.0), Some(11));
        assert_eq!(bad_step(0.001, 0.0005), Some(8));
        assert_eq!(bad_step(1.5, 1.0), None);
        assert_eq!(bad_step(100.0, -50.0), bad_step(100.0, 50.0), "the sign doesn't matter");
    }

    /// The numbers that the learner has to record are the same for every seed, and the magnitudes
    /// of the points aren't.
    #[test]
    fn the_first_bad_point_is_the_same_with_every_seed() {
        let case = &SPEC.cases[0];
        let points = |seed| {
            let values = inputs(case, &mut ChaCha8Rng::seed_from_u64(seed));
            let (x, y) = (f64s(&values, 0), f64s(&values, 1).mapv(f64::abs));
            assert!(x.iter().zip(&y).all(|(x, y)| 0.0 < *y && y < x));
            x.into_iter().zip(y).map(|(x, y)| (x as f32, y as f32)).collect::<Vec<_>>()
        };
        for seed in 0..40 {
            let points = points(seed);
            let bad = (0..).zip(&points).find_map(|(i, (x, y))| Some((i, bad_step(*x, *y)?)));
            assert_eq!((bad, points.len()), (Some((FIRST_BAD, BAD_STEP)), POINTS));
        }
        assert!(points(1).iter().zip(points(2)).all(|(one, other)| *one != other));
        assert_eq!(first_bad(), [2, 50, 8]);
    }
}
