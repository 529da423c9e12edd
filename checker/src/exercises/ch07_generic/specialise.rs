//! One source that is compiled once for each radius: a loop whose number of iterations the compiler
//! knows executes no branches.

use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

const BLOCK: u32 = 256;
/// Number of elements in the cases whose counts are graded. All of their blocks are full.
const GATED: usize = 4096;

/// `specialise`.
pub static SPEC: Spec = Spec {
    id: "specialise",
    chapter: "ch07_generic",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 20,
    goal: "compile one source into four kernels",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in", "[n + 2 * RADIUS]"),
        floats_in("weights", "[2 * RADIUS + 1]"),
        floats_out("out", "[n]"),
        count("n"),
    ],
    cases: &[
        of_radius(
            "radius 1, 100 elements",
            "three weights, and 156 threads without an element",
            &[("RADIUS", 1)],
            &[("n", 100)],
            1,
        ),
        of_radius(
            "radius 4, 1000",
            "the last of four blocks isn't full",
            &[("RADIUS", 4)],
            &[("n", 1000)],
            4,
        ),
        of_radius(
            "radius 2, one element",
            "five weights for one sum",
            &[("RADIUS", 2)],
            &[("n", 1)],
            1,
        ),
        of_radius(
            "radius 8, 257",
            "one element in the second block",
            &[("RADIUS", 8)],
            &[("n", 257)],
            2,
        ),
        gated(of_radius(
            "radius 1, 4096",
            "128 warps, with at most one branch each",
            &[("RADIUS", 1)],
            &[("n", GATED)],
            16,
        )),
        gated(of_radius(
            "radius 2, 4096",
            "no more branches than for radius 1",
            &[("RADIUS", 2)],
            &[("n", GATED)],
            16,
        )),
        gated(of_radius(
            "radius 4, 4096",
            "no more branches than for radius 1",
            &[("RADIUS", 4)],
            &[("n", GATED)],
            16,
        )),
        gated(of_radius(
            "radius 8, 4096",
            "no more branches than for radius 1",
            &[("RADIUS", 8)],
            &[("n", GATED)],
            16,
        )),
    ],
    large: None,
    // up to 17 products and as many sums
    tolerance: Tolerance::Roundings(34),
    // one for each warp
    gates: &[at_most(Metric::Branches, GATED as f64 / 32.0), shared_work(130.0)],
    hints: &[
        "`RADIUS` isn't a variable. Before the actual compilation, the preprocessor replaces every \
         `RADIUS` in the file with a number. So what does the compiler read instead of \
         `2 * RADIUS + 1`?",
        "Write the sum for radius 1 on paper: `out[0] = weights[0] * in[0] + weights[1] * in[1] + \
         weights[2] * in[2]`. For thread `idx`, the neighbours begin at `in[idx]`. At each end, \
         `in` has `RADIUS` more elements than `out`, so no neighbour is missing there.",
        "The compiler can unroll a loop over `k` if the number of iterations is a constant. To \
         request unrolling, write `#pragma unroll` on the line before the loop.",
        "Inside `if (idx < n)`, declare `float acc = 0.0f;`. Then write a loop that starts with `k \
         = 0`, runs while `k < 2 * RADIUS + 1`, and adds `weights[k] * in[idx + k]` to `acc`. \
         After the loop, write `out[idx] = acc;`.",
    ],
    pitfalls: &[
        "Don't copy `RADIUS` into a `__constant__` or `__device__` variable. The program may \
         change this variable before the kernel runs, so the compiler can't unroll the loop \
         completely.",
        "If you write `#define RADIUS 4` without the `#ifndef`, the file always uses 4, regardless \
         of the value that the checker passes with `-D`.",
        "Don't subtract `RADIUS` from `idx + k`. The first neighbour of `out[i]` is `in[i]`, \
         because `in` begins `RADIUS` elements before `out`.",
        "Don't loop while `k <= 2 * RADIUS + 1`. There are `2 * RADIUS + 1` weights, and their \
         indices begin at 0, so the last iteration would read beyond the end.",
        "Don't write `#define TAPS RADIUS + 1`. Macros are text, so `2 * TAPS` becomes `2 * RADIUS \
         + 1`. Use a `constexpr int`, or parentheses.",
        "Don't unroll every loop. The code of a thousand unrolled iterations may be too large for \
         the instruction cache.",
    ],
    learn: "chapter 7, \"One source, many kernels\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

const fn of_radius(
    name: &'static str,
    why: &'static str,
    defines: &'static [(&'static str, i64)],
    sizes: &'static [(&'static str, usize)],
    grid: u32,
) -> Case {
    Case { defines, ..case(name, why, sizes, [grid, 1], [BLOCK, 1]) }
}

/// The radius that this case is compiled for.
fn radius(case: &Case) -> usize {
    let defined = case.defines.iter().find(|(name, _)| *name == "RADIUS");
    defined.and_then(|(_, radius)| usize::try_from(*radius).ok()).expect("every case has a radius")
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (n, radius) = (case.size("n"), radius(case));
    vec![uniform(rng, &[n + 2 * radius]), uniform(rng, &[2 * radius + 1]), out(&[n]), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let floats = |index| f64s(inputs, index).into_raw_vec_and_offset().0;
    vec![ndarray::Array1::from(convolved(&floats(0), &floats(1))).into()]
}

/// A sum of products for each position at which all weights have an element.
fn convolved(elements: &[f64], weights: &[f64]) -> Vec<f64> {
    let sum = |window: &[f64]| window.iter().zip(weights).map(|(v, w)| v * w).sum();
    elements.windows(weights.len()).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums are 1 * 10 + 2 * 20 + 4 * 30 = 170 and 1 * 20 + 2 * 30 + 4 * -5 = 60. The weights
    /// aren't symmetric, so their order matters.
    #[test]
    fn weights_run_with_the_elements() {
        assert_eq!(convolved(&[10.0, 20.0, 30.0, -5.0], &[1.0, 2.0, 4.0]), [170.0, 60.0]);
    }

    /// For every radius of the exercise, a case is compiled and its counts are graded.
    #[test]
    fn four_radii_are_measured_at_one_size() {
        let gated: Vec<_> = SPEC.cases.iter().filter(|case| case.gated).collect();
        assert_eq!(gated.iter().map(|case| radius(case)).collect::<Vec<_>>(), [1, 2, 4, 8]);
        assert!(gated.iter().all(|case| case.size("n") == GATED));
    }
}
