//! The size of blocks decides how many warps are resident.

use ndarray::{Array1, ArrayD};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The levels of brightness. The table of a block has 24 KiB.
const LEVELS: usize = 6144;

/// `choose_block`.
///
/// A multiprocessor of an H100 has 228 KiB of shared memory, and a block takes 25 KiB of it, so 9
/// blocks fit. With 64 threads in each, these have 18 warps. All 64 warps need blocks of 256
/// threads or more.
pub static SPEC: Spec = Spec {
    id: "choose_block",
    chapter: "ch11_inside",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 20,
    goal: "choose a block size with which all 64 warps of an H100's multiprocessor are resident",
    cooperative: false,
    ordered: &[],
    params: &[
        ints_in("level", "[n]"),
        floats_out("light", "[n]"),
        floats_in("curve", "[6144]"),
        count("n"),
    ],
    cases: &[
        sized("1000 pixels", "fewer pixels than threads", &[("n", 1000)]),
        gated(sized(
            "1 048 576 pixels",
            "about four pixels for each thread that an H100 can hold",
            &[("n", 1 << 20)],
        )),
        sized("one pixel", "the smallest picture", &[("n", 1)]),
        sized("70 001 pixels", "a number that no block size divides", &[("n", 70_001)]),
    ],
    large: Some(sized("large", "", &[("n", 1 << 26)])),
    tolerance: Tolerance::Exact,
    gates: &[
        Gate { baseline: Some(18.0), ..at_least(Metric::ResidentWarps, 64.0) },
        at_most(Metric::Waves, 1.0),
        // fewer blocks would leave room for warps
        at_least(Metric::Waves, 0.9),
        // each block loads the curve: 8 blocks of 256 threads on each of 132 multiprocessors
        at_most(Metric::LoadsPerElement, 7.3),
        at_least(Metric::SharedRequests, 32_768.0),
        at_least(Metric::SharedBytes, 24_576.0),
        exactly(Metric::Launches, 1.0),
        // 24 elements of the curve and four pixels for each thread, if a block has 256 threads
        shared_work(300.0),
    ],
    hints: &[
        "Run `cargo checker profile choose_block --gpu H100`. The table lists the resources of a \
         multiprocessor, and how many blocks each of them allows. Which resource allows the fewest \
         blocks, and how many warps do these blocks have?",
        "A block takes the same amount of shared memory, regardless of its number of threads. So \
         with more threads in a block, more warps share each copy of the table.",
        "`cudaOccupancyMaxPotentialBlockSize(&grid, &block, look_up)` computes a block size with \
         which the most warps are resident. It stores the size in `block`, and in `grid` the \
         number of such blocks that the device holds at the same time.",
    ],
    pitfalls: &[
        "Don't launch a block for every 64 elements. Each of these blocks would copy 6144 elements \
         of the curve to look up 64.",
        "Don't write the number of multiprocessors into the program, because it \
         differs from one GPU to the next. The runtime knows it.",
        "Don't choose blocks of 1024 threads in all cases. If a thread needs more than 32 \
         registers, at most one such block fits on an H100's multiprocessor, and with more than 64 \
         registers, none does.",
    ],
    learn: "chapter 11, \"Which resource runs out first?\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let levels = ArrayD::from_shape_simple_fn(&[n][..], || rng.random_range(0..LEVELS as i32));
    vec![Value::Array(Array::I32(levels)), out(&[n]), uniform(rng, &[LEVELS]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![look_up(&i32s(inputs, 0), &f64s(inputs, 2)).into_dyn().into()]
}

/// `curve[level]` for each level.
fn look_up(levels: &ArrayD<i32>, curve: &ArrayD<f64>) -> Array1<f64> {
    levels.iter().map(|level| curve[[*level as usize]]).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn takes_each_value_from_the_curve() {
        let levels = array![1, 1, 0].into_dyn();
        assert_eq!(look_up(&levels, &array![0.5, 2.0].into_dyn()), array![2.0, 2.0, 0.5]);
    }
}
