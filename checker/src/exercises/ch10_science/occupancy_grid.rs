//! A robot's map. Each ray of a range sensor makes some cells more likely to be free, and one cell
//! more likely to be occupied.

use ndarray::{Array2, ArrayD, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// Distance between the points of a ray, in cells.
const STEP: f64 = 0.5;
/// Changes of a cell's log-odds in hundredths: ln(0.4 / 0.6) and ln(0.7 / 0.3).
const FREE: i32 = -40;
const HIT: i32 = 85;
/// The sensor's range, in cells.
const MAX_RANGE: f32 = 12.0;
/// No point of a ray is closer than this to the border of a cell, so that a rounding error can't
/// move it into another cell.
const MARGIN: f64 = 0.002;

/// `occupancy_grid`.
pub static SPEC: Spec = Spec {
    id: "occupancy_grid",
    chapter: "ch10_science",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 30,
    goal: "update a robot's map with all rays of a scan at the same time",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("angles", "[rays]"),
        floats_in("ranges", "[rays]"),
        Param { name: "odds", role: Role::InOut, dtype: DType::I32, shape: "[rows][cols]" },
        count("rays"),
        count("rows"),
        count("cols"),
        number("x"),
        number("y"),
        number("max_range"),
    ],
    cases: &[
        case(
            "one ray",
            "no other ray crosses its cells",
            &[("rays", 1), ("rows", 30), ("cols", 34), ("silent", 0), ("corner", 0)],
            [1, 1],
            [32, 1],
        ),
        case(
            "20 rays",
            "all rays begin in the same cell",
            &[("rays", 20), ("rows", 30), ("cols", 34), ("silent", 0), ("corner", 0)],
            [1, 1],
            [32, 1],
        ),
        case(
            "rays without an echo",
            "a ray without an echo has no cell at its end",
            &[("rays", 50), ("rows", 28), ("cols", 40), ("silent", 40), ("corner", 0)],
            [1, 1],
            [64, 1],
        ),
        case(
            "in a corner",
            "the sensor is in a corner of the map, so parts of the rays are outside",
            &[("rays", 70), ("rows", 20), ("cols", 16), ("silent", 20), ("corner", 1)],
            [1, 1],
            [128, 1],
        ),
        gated(case(
            "two scans of a circle",
            "many rays cross the same cells",
            &[("rays", 720), ("rows", 40), ("cols", 50), ("silent", 10), ("corner", 0)],
            [3, 1],
            [256, 1],
        )),
        case(
            "blocks of 96 threads",
            "the block size isn't a power of 2, and the last block is partly full",
            &[("rays", 250), ("rows", 32), ("cols", 36), ("silent", 20), ("corner", 0)],
            [3, 1],
            [96, 1],
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[shared_work(5_000.0)],
    hints: &[
        "Draw a ray on squared paper, and mark a point on it every half square. Which \
         squares contain two of these points? Can the ray enter the same square twice?",
        "The end of a ray is the point at the distance `range`, and it exists only if `range < \
         max_range`. Compute its cell with `cell_of`, and use -1 if the ray has no end.",
        "In the loop, compute the cell of each point. Add `FREE` to the cell's log-odds unless the \
         cell is outside of the map, or is the cell of the previous point, or is the cell at the \
         end.",
        "All rays start in the same cell, so many threads update it at the same time. Therefore, \
         use `atomicAdd(&odds[cell], FREE)` in the loop. After the loop, call \
         `atomicAdd(&odds[end], HIT)` if the end of the ray is inside the map.",
    ],
    pitfalls: &[
        "If you write `odds[cell] += FREE` without an atomic operation, threads whose rays cross \
         the same cell overwrite each other's additions.",
        "If you add `FREE` for each point, the ray updates some cells more than once, because they \
         contain several of its points.",
        "Don't add `FREE` to the cell at the end as well. There was an echo from this cell, so it \
         isn't free.",
        "Don't add `HIT` at the end of a ray without an echo. From this ray, you only know that \
         the cells that it has crossed are free.",
        "Don't forget that points of a ray may be outside of the map. `cell_of` returns -1 for \
         them, and `odds[-1]` isn't part of the map.",
        "Don't forget `floorf` when you convert a position to an `int`. The conversion itself \
         rounds towards zero, so positions between -1 and 0 would be in row 0 or column 0.",
    ],
    learn: "chapter 10, \"Free, or occupied?\"",
    skeleton: Slug::WrongValues,
    inputs,
    reference,
};

/// Another range in one case, so that the kernel has to use its parameter.
fn max_range(case: &Case) -> f32 {
    if case.size("corner") == 1 { 9.0 } else { MAX_RANGE }
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [rays, rows, cols] = ["rays", "rows", "cols"].map(|name| case.size(name));
    let middle = |n: usize| if case.size("corner") == 1 { 1.0 } else { (n / 2) as f32 };
    let sensor = [middle(cols) + 0.375, middle(rows) + 0.625];
    let max_range = max_range(case);
    let mut ray = || {
        let angle = rng.random_range(-3.1..3.1_f32);
        let silent = rng.random_range(0..100) < case.size("silent");
        let range = if silent { max_range } else { rng.random_range(1.0..max_range) };
        [angle, range]
    };
    let rays_of_scan: Vec<[f32; 2]> = (0..rays)
        .map(|_| {
            loop {
                let candidate = ray();
                if is_clear(sensor, candidate) {
                    break candidate;
                }
            }
        })
        .collect();
    let column = |index: usize| -> Value {
        let values: Vec<f32> = rays_of_scan.iter().map(|ray| ray[index]).collect();
        Value::Array(Array::F32(arr1(&values).into_dyn()))
    };
    let [angles, ranges] = [0, 1].map(column);
    let odds = ArrayD::from_shape_simple_fn(&[rows, cols][..], || rng.random_range(-200..200));
    let arrays = [angles, ranges, Value::Array(Array::I32(odds))];
    let numbers = [sensor[0], sensor[1], max_range].map(float);
    arrays.into_iter().chain([rays, rows, cols].map(int)).chain(numbers).collect()
}

/// Whether no point of this ray is close to the border of a cell.
fn is_clear(sensor: [f32; 2], [angle, range]: [f32; 2]) -> bool {
    let (angle, range) = (f64::from(angle), f64::from(range));
    let clear = |place: f64| (place - place.round()).abs() > MARGIN;
    points(range)
        .chain([range])
        .all(|distance| place(sensor, angle, distance).into_iter().all(clear))
}

/// The distances of the points of a ray.
fn points(range: f64) -> impl Iterator<Item = f64> {
    (0..).map(|k| f64::from(k) * STEP).take_while(move |distance| *distance < range)
}

/// The x and y of the point of the ray at this distance.
fn place([x, y]: [f32; 2], angle: f64, distance: f64) -> [f64; 2] {
    [f64::from(x) + distance * angle.cos(), f64::from(y) + distance * angle.sin()]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let shape = ["rows", "cols"].map(|name| case.size(name));
    let Some(Value::Array(Array::I32(odds))) = inputs.get(2) else {
        panic!("argument 2 isn't an array of ints")
    };
    let mut odds = odds.clone().into_shape_with_order(shape).expect("its own shape");
    let sensor = [6, 7].map(|index| scalar(inputs, index) as f32);
    let max_range = scalar(inputs, 8);
    for (angle, range) in f64s(inputs, 0).iter().zip(&f64s(inputs, 1)) {
        update(&mut odds, sensor, (*angle, *range), max_range);
    }
    vec![Array::I32(odds.into_dyn())]
}

/// Updates the map with one ray.
fn update(odds: &mut Array2<i32>, sensor: [f32; 2], (angle, range): (f64, f64), max_range: f64) {
    let cell = |distance: f64| {
        let [col, row] = place(sensor, angle, distance).map(|at| at.floor() as i64);
        [row, col]
    };
    let end = (range < max_range).then(|| cell(range));
    let mut passed: Vec<[i64; 2]> = points(range).map(cell).collect();
    passed.dedup();
    let freer = passed.into_iter().filter(|cell| Some(*cell) != end).map(|cell| (cell, FREE));
    for ([row, col], change) in freer.chain(end.map(|end| (end, HIT))) {
        let index = usize::try_from(row).ok().zip(usize::try_from(col).ok());
        if let Some(odds) = index.and_then(|index| odds.get_mut(index)) {
            *odds += change;
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// A ray to the right crosses two cells, and the third cell is hit.
    #[test]
    fn a_ray_makes_cells_freer_and_its_end_more_occupied() {
        let mut odds = Array2::zeros([1, 5]);
        update(&mut odds, [0.375, 0.625], (0.0, 2.0), 12.0);
        assert_eq!(odds, array![[FREE, FREE, HIT, 0, 0]]);
    }

    /// A ray without an echo crosses all of its cells. Cells outside of the map are left out.
    #[test]
    fn a_ray_without_an_echo_has_no_end() {
        let mut odds = Array2::zeros([1, 3]);
        update(&mut odds, [0.375, 0.625], (0.0, 12.0), 12.0);
        assert_eq!(odds, array![[FREE, FREE, FREE]]);
        let mut odds = Array2::zeros([1, 2]);
        update(&mut odds, [0.375, 0.625], (0.0, 4.0), 12.0);
        assert_eq!(odds, array![[FREE, FREE]]);
    }
}
