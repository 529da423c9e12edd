//! The fast Fourier transform of a block: bit reversal, butterflies, twiddles.

use std::f64::consts::TAU;

use ndarray::{Array2, ArrayD};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `fft_shared`.
pub static SPEC: Spec = Spec {
    id: "fft_shared",
    chapter: "ch10_science",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 45,
    goal: "transform a signal with butterflies in shared memory",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in("in_re", "[signals][n]"),
        floats_in("in_im", "[signals][n]"),
        floats_out("out_re", "[signals][n]"),
        floats_out("out_im", "[signals][n]"),
        count("stages"),
    ],
    cases: &[
        signal(
            "2 points",
            "one butterfly, whose twiddle is 1",
            &[("signals", 1), ("stages", 1)],
            1,
            1,
        ),
        signal(
            "4 points",
            "two stages; one twiddle of the second stage isn't 1",
            &[("signals", 1), ("stages", 2)],
            1,
            2,
        ),
        signal(
            "a tone in 16 points",
            "one element contains the whole result, and a wrong sign of the twiddles would change \
             the index of this element",
            &[("signals", 1), ("stages", 4), ("tone", 5)],
            1,
            8,
        ),
        signal(
            "an impulse in 32 points",
            "only one point isn't 0, so all results have the same distance from 0",
            &[("signals", 1), ("stages", 5), ("impulse", 3)],
            1,
            16,
        ),
        signal(
            "3 signals of 8 points",
            "three blocks; two of them don't begin at element 0",
            &[("signals", 3), ("stages", 3)],
            3,
            4,
        ),
        signal("1024 points", "16 warps work together", &[("signals", 1), ("stages", 10)], 1, 512),
        gated(signal(
            "3 signals of 256 points",
            "whole warps; the checker counts barriers and requests in this case",
            &[("signals", 3), ("stages", 8)],
            3,
            128,
        )),
    ],
    large: None,
    // Ten stages of a product, a difference, a sum and a twiddle make 40 roundings. A tone has a
    // peak that is 16 times as high as the rest, or five times the mean, and its roundings reach
    // all results.
    tolerance: Tolerance::Roundings(40 * 25),
    gates: &[
        // one after each of eight stages, and one before the first stage
        at_most(Metric::Barriers, 9.0),
        // 3 * 256 points have two parts each, and a request loads 32 of these numbers
        at_most(Metric::LoadRequests, 48.0),
        // 3 signals with 4 warps each, and 8 stages with 4 loads and 4 stores; 4 stores before the
        // stages and 4 loads after them. The sum in the header would need 12 288 requests.
        at_most(Metric::SharedRequests, 1100.0),
        at_most(Metric::Instructions, 20_000.0),
        shared_work(4_000.0),
    ],
    hints: &[
        "Begin with two points on paper. Then `out[0] = a + b` and `out[1] = a - b`, which is one \
         butterfly. For the first case, your kernel needs nothing else, because a single thread \
         computes a single stage.",
        "Now take four points. Separate the even indices from the odd indices, which gives the \
         order 0 2 1 3, transform each pair, and combine the pairs. In binary, 0 2 1 3 is 00 10 01 \
         11. If you reverse the bits of each number, you get 00 01 10 11. `__brev(i)` reverses all \
         32 bits, so you need only the upper bits of its result.",
        "In each stage, the points form groups of `2 * half` points. Butterfly `tid` is in group \
         `tid / half`, and its number in this group is `k = tid % half`. The group begins at index \
         `(tid / half) * 2 * half`. The butterfly's first point is point `k` of the group, and its \
         second point comes `half` points later.",
        "Multiply point `b` by the twiddle before you compute the sum and the difference. Call \
         `sincospif(-float(k) / half, &sine, &cosine)`. Then compute `turned_re = re[b] * cosine - \
         im[b] * sine` and `turned_im = re[b] * sine + im[b] * cosine`. Keep the old values of \
         point `a` in variables before you overwrite them.",
        "Loop with `for (int i = tid; i < n; i += n / 2)`. In this loop, compute `const int place \
         = __brev(i) >> (32 - stages)` and store `in_re[begin + i]` in `re[place]`, and do the \
         same for `im`. Put one barrier after this loop, and one barrier at the end of each stage, \
         outside of any `if`. To write the results, use the same loop without `place`.",
    ],
    pitfalls: &[
        "Don't use the wrong sign in the exponent. With a plus sign, you compute the inverse \
         transform, which turns a transform back into its signal, except for a factor. The \
         frequencies are then in reverse order.",
        "Don't overwrite point `a` before you've computed the new point `b`, which needs the old \
         values of `a`.",
        "You don't need a barrier between the reads and the writes of a stage. No other butterfly \
         of the stage accesses the same two points, so one barrier for each stage is enough.",
        "Don't leave out the barrier while `half < 32`. In these stages, only threads of the same \
         warp exchange points, but since the Volta generation of GPUs, the lanes of a warp don't \
         have to run in lockstep.",
        "Don't compute `k / half` as an integer division. The result is 0 for every `k`, so \
         convert `k` to `float` first.",
        "If you forget `begin` in a load or a store, every block processes signal 0.",
        "Don't use `__sinf` and `__cosf` for the twiddles. These functions are less accurate, and \
         their errors add up from stage to stage.",
        "Don't reverse the bits once more at the end. After the last stage, the results are \
         already in their natural order.",
    ],
    learn: "chapter 10, \"Butterflies\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

const fn signal(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    signals: u32,
    threads: u32,
) -> Case {
    case(name, why, sizes, [signals, 1], [threads, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let shape = [case.size("signals"), 1 << case.size("stages")];
    let mut parts = [uniform(rng, &shape), uniform(rng, &shape)];
    let (tone, impulse) = (special(case, "tone"), special(case, "impulse"));
    if tone.is_some() || impulse.is_some() {
        let (phase, loud) = (rng.random_range(0.1..0.9), rng.random_range(5.0..15.0));
        for (part, shift) in parts.iter_mut().zip([0.0, 0.25]) {
            let Value::Array(Array::F32(part)) = part else { continue };
            for (j, value) in part.iter_mut().enumerate() {
                // with some noise, so that no two points are equal
                let noise = f64::from(*value) / 10_000.0;
                let turns = |tone| (tone * j) as f64 / shape[1] as f64 + phase - shift;
                let wave = tone.map_or(0.0, |tone| loud * (TAU * turns(tone)).cos());
                let peak = if impulse == Some(j) { loud } else { 0.0 };
                *value = (wave + peak + noise) as f32;
            }
        }
    }
    let [re, im] = parts;
    vec![re, im, out(&shape), out(&shape), int(case.size("stages"))]
}

/// The size called `name`, which only some cases have.
fn special(case: &Case, name: &str) -> Option<usize> {
    case.sizes.iter().find(|(size, _)| *size == name).map(|(_, value)| *value)
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let rows = |array: ArrayD<f64>| array.into_dimensionality().expect("two dimensions");
    let (re, im) = transform(&rows(f64s(inputs, 0)), &rows(f64s(inputs, 1)));
    vec![re.into(), im.into()]
}

/// The sum of the definition, row by row: `out[k] = sum over j of in[j] * e^(-2 pi i j k / n)`.
fn transform(re: &Array2<f64>, im: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let n = re.ncols();
    let mut out = (Array2::zeros(re.dim()), Array2::zeros(re.dim()));
    for ((row, k), sum) in out.0.indexed_iter_mut() {
        for j in 0..n {
            // j k modulo n, so that the angle stays small and exact
            let (sine, cosine) = (-TAU * ((j * k) % n) as f64 / n as f64).sin_cos();
            *sum += re[[row, j]] * cosine - im[[row, j]] * sine;
            out.1[[row, k]] += re[[row, j]] * sine + im[[row, j]] * cosine;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn near(a: &Array2<f64>, b: &Array2<f64>) {
        assert!((a - b).iter().all(|difference| difference.abs() < 1e-12), "{a} {b}");
    }

    /// For 1 2 3 4, the first result is the sum 10, the second is 1 - 3 + (2 - 4) (-i) = -2 + 2i,
    /// the third is 1 - 2 + 3 - 4 = -2, and the fourth is the conjugate of the second.
    #[test]
    fn four_points_by_hand() {
        let (re, im) = transform(&array![[1.0, 2.0, 3.0, 4.0]], &Array2::zeros([1, 4]));
        near(&re, &array![[10.0, -2.0, -2.0, -2.0]]);
        near(&im, &array![[0.0, 2.0, 0.0, -2.0]]);
    }

    /// For an impulse at index 1, the results are 1, -i, -1 and i.
    #[test]
    fn an_impulse_turns() {
        let (re, im) = transform(&array![[0.0, 1.0, 0.0, 0.0]], &Array2::zeros([1, 4]));
        near(&re, &array![[1.0, 0.0, -1.0, 0.0]]);
        near(&im, &array![[0.0, -1.0, 0.0, 1.0]]);
    }

    /// For e^(2 pi i 3 j / 8), the only result that isn't 0 is 8, at index 3.
    #[test]
    fn a_tone_is_at_one_place() {
        let angle = |j: usize| TAU * 3.0 * j as f64 / 8.0;
        let re = Array2::from_shape_fn([1, 8], |(_, j)| angle(j).cos());
        let im = Array2::from_shape_fn([1, 8], |(_, j)| angle(j).sin());
        let (re, im) = transform(&re, &im);
        let place = Array2::from_shape_fn([1, 8], |(_, k)| if k == 3 { 8.0 } else { 0.0 });
        near(&re, &place);
        near(&im, &Array2::zeros([1, 8]));
    }
}
