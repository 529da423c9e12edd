//! Sums of neighbours from a tile with a halo. The tile is in dynamic shared memory, because its
//! size is known only at the launch.

use ndarray::{Array1, ArrayD};
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Op, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// The case with one large element.
const ONE_LARGE: &str = "300, radius 3";

/// `stencil_1d`.
pub static SPEC: Spec = Spec {
    id: "stencil_1d",
    chapter: "ch04_shared",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Optimise,
    minutes: 30,
    goal: "load each element once for a whole block",
    cooperative: false,
    ordered: &[],
    params: &[floats_in("in", "[n]"), floats_out("out", "[n]"), count("n"), count("radius")],
    cases: &[
        sized(
            "10 elements, radius 3",
            "small enough to draw on paper",
            &[("n", 10), ("radius", 3)],
        ),
        sized(ONE_LARGE, "sums that reach into the next block", &[("n", 300), ("radius", 3)]),
        sized(
            "1000, radius 20",
            "another radius, so the tile has another length",
            &[("n", 1000), ("radius", 20)],
        ),
        sized("517, radius 0", "each sum is a single element", &[("n", 517), ("radius", 0)]),
        sized(
            "600, radius 300",
            "a halo that is longer than a block",
            &[("n", 600), ("radius", 300)],
        ),
        sized(
            "300, radius 1000",
            "a halo that is longer than the array",
            &[("n", 300), ("radius", 1000)],
        ),
        sized("one element, radius 5", "all its neighbours are zeros", &[("n", 1), ("radius", 5)]),
        gated(sized("4096, radius 32", "16 full blocks", &[("n", 4096), ("radius", 32)])),
    ],
    large: Some(sized("large", "", &[("n", 1 << 24), ("radius", 32)])),
    // the longest sum has 600 terms
    tolerance: Tolerance::Roundings(600),
    gates: &[
        // 64.74: the first and the last 32 elements have fewer neighbours. With a tile, 1.23,
        // because the halo of the first and of the last block is partly outside the array.
        Gate {
            metric: Metric::LoadsPerElement,
            op: Op::AtMost,
            target: 1.25,
            baseline: Some(265_184.0 / 4096.0),
        },
        exactly(Metric::Launches, 1.0),
        at_most(Metric::GlobalAtomics, 0.0),
        // 1024 + 2 * 32 floats, because a block may have up to 1024 threads
        at_most(Metric::SharedBytes, 4352.0),
        shared_work(1_000.0),
    ],
    hints: &[
        "Draw block 1 for a radius of 3. Its 256 threads need the elements from `256 - 3` to `511 \
         + 3`. How many elements does the block need, and how many threads need each of them?",
        "In the kernel, declare `extern __shared__ float tile[];` without a length. In the launch, \
         the third value between the angle brackets is the size of each block's array in bytes.",
        "Let cell 0 contain element `blockIdx.x * BLOCK - radius`. There are more cells than \
         threads, so thread `tid` fills cells `tid`, `tid + BLOCK`, `tid + 2 * BLOCK` and so on, \
         up to the last cell, `BLOCK + 2 * radius - 1`. What should a cell contain if there's no \
         element for it?",
        "Threads without a result still fill cells, and they still reach the barrier. Only the sum \
         and the store are inside `if (idx < n)`. The sum of thread `tid` begins at cell `tid` and \
         has `2 * radius + 1` cells.",
        "The launch is `sum_around<<<grid, BLOCK, (BLOCK + 2 * radius) * sizeof(float)>>>(...)`. \
         In the kernel, write `for (int cell = tid; cell < BLOCK + 2 * radius; cell += BLOCK) { \
         const int i = blockIdx.x * BLOCK - radius + cell; tile[cell] = (0 <= i && i < n) ? in[i] \
         : 0.0f; }` and then `__syncthreads();`.",
    ],
    pitfalls: &[
        "A tile without a halo isn't enough, because the sums near the borders of a block need \
         elements of the neighbouring blocks.",
        "Suppose only the first `radius` threads fill the halo, with one cell on each side for \
         each thread. Such a kernel is right only if a block has at least `radius` threads.",
        "If you pass the number of cells to the launch instead of the number of bytes, the kernel \
         writes past the end of its tile.",
        "Don't write `if (idx >= n) return;` at the top. The threads that exit there have cells to \
         fill, too, and these cells would stay unfilled.",
        "Check the index before you load the halo of the first or the last block, because there's \
         no element before the start of the array or after its end.",
        "If the tile is as long as the whole array, the result is right only for an array that \
         fits into shared memory, and each block loads the whole array.",
    ],
    learn: "chapter 4, \"Dynamic shared memory\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let mut values = uniform(rng, &[n]);
    if let (ONE_LARGE, Value::Array(Array::F32(values))) = (case.name, &mut values) {
        // differences of prefix sums lose the digits of all elements after this one
        values[[0]] = 1e8;
    }
    vec![values, out(&[n]), int(n), int(case.size("radius"))]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    vec![around(&f64s(inputs, 0), case.size("radius")).into()]
}

/// The sum of each element and its neighbours up to `radius` away, with zeros beyond the ends.
fn around(data: &ArrayD<f64>, radius: usize) -> ArrayD<f64> {
    let flat: Vec<f64> = data.iter().copied().collect();
    let sums = (0..flat.len()).map(|i| {
        let near = i.saturating_sub(radius)..(i + radius + 1).min(flat.len());
        flat.get(near).into_iter().flatten().sum()
    });
    Array1::from_iter(sums).into_dyn()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn sums_up_what_is_near() {
        let data = array![1.0, 20.0, 300.0, 4000.0].into_dyn();
        assert_eq!(around(&data, 1), array![21.0, 321.0, 4320.0, 4300.0].into_dyn());
        assert_eq!(around(&data, 0), data);
        assert_eq!(around(&data, 9), array![4321.0, 4321.0, 4321.0, 4321.0].into_dyn());
    }
}
