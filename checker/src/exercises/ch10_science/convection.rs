//! Time steps, each of which reads the current state and writes the next state. The two arrays then
//! exchange their roles.

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `convection`.
pub static SPEC: Spec = Spec {
    id: "convection",
    chapter: "ch10_science",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 20,
    goal: "keep the old state until every thread has read it",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[rows][cols]"),
        floats_out("out", "[rows][cols]"),
        count("rows"),
        count("cols"),
        number("right"),
        number("down"),
        number("spread"),
        count("steps"),
    ],
    cases: &[
        sized("6 x 11, one step", "a single block", &[("rows", 6), ("cols", 11), ("steps", 1)]),
        sized(
            "7 x 5, two steps",
            "an even number of steps",
            &[("rows", 7), ("cols", 5), ("steps", 2)],
        ),
        sized(
            "one cell",
            "the cell is its own neighbour",
            &[("rows", 1), ("cols", 1), ("steps", 3)],
        ),
        sized(
            "19 x 45, five steps",
            "several blocks, some of which are only partly full",
            &[("rows", 19), ("cols", 45), ("steps", 5)],
        ),
        sized(
            "9 x 33, no step",
            "the result is equal to the input",
            &[("rows", 9), ("cols", 33), ("steps", 0)],
        ),
        gated(sized(
            "32 x 96, twelve steps",
            "whole blocks",
            &[("rows", 32), ("cols", 96), ("steps", 12)],
        )),
    ],
    large: None,
    // twelve steps of a dozen operations
    tolerance: Tolerance::Roundings(144),
    gates: &[
        exactly(Metric::Launches, 12.0),
        at_most(Metric::CopiesToDevice, 1.0),
        at_most(Metric::CopiesToHost, 1.0),
        // kernels may also load and store the host's memory without a copy
        exactly(Metric::BytesToDevice, 12_288.0),
        exactly(Metric::BytesToHost, 12_288.0),
        at_most(Metric::CopiesWithinDevice, 0.0),
        shared_work(200.0),
    ],
    hints: &[
        "Look at one cell and its neighbour to the east. When a thread computes the neighbour's \
         new value, does this thread read the cell's old value or the cell's new value? What does \
         that depend on?",
        "All threads read the old state, and all threads write the new state. So both states have \
         to exist at the same time, and you need a second array on the device.",
        "Let the kernel read `now` and write `next`. In the following step, `next` is the current \
         state. Do you have to copy data for that?",
        "Call `std::swap(now, next)` from `<utility>` after each launch. It exchanges two pointers \
         and copies no data. After the loop, the newest state is in `now`.",
    ],
    pitfalls: &[
        "One array isn't enough. Whether a thread reads the old or the new value of a neighbour \
         depends on the order of the threads, so every run may be different.",
        "A barrier between reading and writing doesn't help. It waits only for the threads of one \
         block, and cells at the edge of a block have neighbours in another block. With a single \
         block, the result is right.",
        "If you copy `next` to `now` after each step, the result is right, but each copy loads and \
         stores every cell once more.",
        "Don't always copy the result from the same array. Each step writes the other array, so \
         after an even number of steps, the newest state is in the first array, and after an odd \
         number of steps, it's in the second array.",
        "Don't swap the pointers in the kernel, because its parameters are copies of the host's \
         variables.",
        "You don't need to wait after each launch, because kernels in one stream run one after \
         another anyway.",
        "Don't compute `(col - 1) % cols`, because the remainder of a negative number is negative \
         in C++.",
    ],
    learn: "chapter 10, \"Read the old, write the new\"",
    skeleton: Slug::GlobalRace,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = ["rows", "cols"].map(|name| case.size(name));
    let dye = Array2::from_shape_simple_fn(shape, || rng.random_range(0.0..10.0_f32));
    let shares = [0.1..0.4_f32, 0.05..0.25, 0.01..0.05];
    let shares = shares.map(|range| float(rng.random_range(range)));
    let arrays = [Value::Array(dye.into()), out(&shape)];
    let counts = shape.map(int);
    arrays.into_iter().chain(counts).chain(shares).chain([int(case.size("steps"))]).collect()
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let mut dye = f64s(inputs, 0).into_dimensionality().expect("two dimensions");
    let shares = [4, 5, 6].map(|index| scalar(inputs, index));
    for _ in 0..case.size("steps") {
        dye = step(&dye, shares);
    }
    vec![dye.into()]
}

fn step(dye: &Array2<f64>, [right, down, spread]: [f64; 3]) -> Array2<f64> {
    let (rows, cols) = dye.dim();
    Array2::from_shape_fn((rows, cols), |(row, col)| {
        let own = dye[[row, col]];
        let west = dye[[row, (col + cols - 1) % cols]];
        let east = dye[[row, (col + 1) % cols]];
        let north = dye[[(row + rows - 1) % rows, col]];
        let south = dye[[(row + 1) % rows, col]];
        own + right * (west - own)
            + down * (north - own)
            + spread * (west + east + north + south - 4.0 * own)
    })
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;
    use ndarray::array;

    use super::*;

    /// From a drop of 8, a half moves to the right, and a quarter moves down.
    #[test]
    fn a_drop_flows_to_the_right_and_down() {
        let mut drop = Array2::zeros([3, 3]);
        drop[[1, 1]] = 8.0;
        let after = step(&drop, [0.5, 0.25, 0.0]);
        assert_eq!(after, array![[0.0, 0.0, 0.0], [0.0, 2.0, 4.0], [0.0, 2.0, 0.0]]);
    }

    /// An eighth moves to each neighbour. The drop is in a corner, so two neighbours are at the
    /// opposite edges.
    #[test]
    fn a_drop_spreads_across_the_edges() {
        let mut drop = Array2::zeros([3, 4]);
        drop[[0, 3]] = 8.0;
        let after = step(&drop, [0.0, 0.0, 0.125]);
        assert_eq!(after, array![[1.0, 0.0, 1.0, 4.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]);
    }

    /// The dye that leaves one cell arrives in another cell, so the sum stays the same, and finally
    /// the dye is spread evenly.
    #[test]
    fn no_dye_is_lost() {
        let mut dye = Array2::from_shape_fn([5, 7], |(row, col)| (row * 7 + col) as f64);
        let mass = dye.sum();
        for _ in 0..400 {
            dye = step(&dye, [0.3, 0.2, 0.05]);
        }
        assert_abs_diff_eq!(dye.sum(), mass, epsilon = 1e-9);
        assert_abs_diff_eq!(dye[[2, 3]], mass / 35.0, epsilon = 1e-6);
    }
}
