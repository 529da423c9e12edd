//! Spiking neurons: a struct of arrays, and a reset without a branch.

use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, HostPart, Kind, Metric, Op, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// The tolerance of v and u after the last step, in millivolts. The inputs contain no neuron for
/// which a smaller difference would change the spikes (see [`tame`]).
const APART: f64 = 0.02;

/// `izhikevich`.
pub static SPEC: Spec = Spec {
    id: "izhikevich",
    chapter: "ch10_science",
    kind: Kind::Program(HostPart::Rearranges),
    start: Start::Optimise,
    minutes: 25,
    goal: "store the neurons field by field",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in_out("v", "[n]"),
        floats_in_out("u", "[n]"),
        floats_in("a", "[n]"),
        floats_in("b", "[n]"),
        floats_in("c", "[n]"),
        floats_in("d", "[n]"),
        floats_in("current", "[n]"),
        Param { name: "spikes", role: Role::Out, dtype: DType::U8, shape: "[steps][n]" },
        count("n"),
        count("steps"),
    ],
    cases: &[
        sized(
            "300 neurons, one step",
            "the last block is partly full",
            &[("n", 300), ("steps", 1)],
        ),
        sized(
            "one neuron, 100 steps",
            "a single neuron for a tenth of a second",
            &[("n", 1), ("steps", 100)],
        ),
        sized(
            "129 neurons, 3 steps",
            "the second block has one neuron",
            &[("n", 129), ("steps", 3)],
        ),
        gated(sized("256 neurons, 100 steps", "whole warps", &[("n", 256), ("steps", 100)])),
    ],
    large: Some(sized("large", "", &[("n", 1 << 22), ("steps", 10)])),
    tolerance: Tolerance::Within(APART),
    gates: &[
        Gate {
            // In each of 100 steps, a neuron needs seven loads and two stores of 4 bytes, and one
            // store of a byte. That's 947 200 bytes for 26 112 elements.
            metric: Metric::SectorsPerRequest { bytes: 37 },
            op: Op::AtMost,
            target: 4.5,
            baseline: Some(27.35),
        },
        // Seven loads in each of 100 steps are 27.5 bytes for each element. A warp whose lanes load
        // one after the other makes packed requests of a single lane, but each of them moves a
        // sector.
        Gate { baseline: Some(192.16), ..at_most(Metric::BytesPerElement, 40.0) },
        exactly(Metric::Launches, 100.0),
        at_most(Metric::CopiesToHost, 3.0),
        shared_work(400.0),
    ],
    hints: &[
        "A `Neuron` contains seven floats. When a warp's 32 threads read `my.v`, how many bytes \
         apart are the addresses of neighbouring threads, and how many sectors of 32 bytes does \
         the request touch?",
        "Each request loads one field of 32 neurons. How would you have to arrange the neurons in \
         memory so that these 32 floats are consecutive?",
        "Use one array on the device for each field. The host's arrays have that layout already, \
         so you need neither the loop that packs the structs nor the loop that unpacks them.",
        "Declare `struct Neurons { float *v, *u, *a, *b, *c, *d, *current; }`, call `cudaMalloc` \
         seven times, and make seven copies to the device. The kernel has a parameter `Neurons \
         all`, reads `all.v[idx]` and the other fields, and writes `all.v[idx]` and `all.u[idx]` \
         after the step. At the end, copy `v`, `u` and the spikes back.",
    ],
    pitfalls: &[
        "It doesn't help to pad the struct to 8 floats, although 32 bytes are a sector. Each \
         thread then loads from a different sector, so each request needs 32 sectors.",
        "One array of `7 * n` floats with the index `idx * 7 + field` doesn't help, either, \
         because the addresses are the same as in the array of structs.",
        "Don't compute all steps in one launch. That would be possible here, because these neurons \
         aren't connected. However, in a network, each step needs all spikes of the previous step.",
        "Don't put `if (v >= 30) { ... }` around the rest of the step. If you only choose between \
         two values, no branch is necessary. The compiler can often translate a short `if` without \
         a branch, too, because it can attach the condition to single instructions. However, a \
         long `if` makes some lanes of the warp wait.",
        "Don't compute `u` from the old `v` before the step, or from the `v` after the reset. The \
         order of the lines is part of the model.",
        "If you simulate several seconds, don't compare `v` with a reference in every step. A \
         small rounding error is enough to move a spike by one step. Count the spikes, or compare \
         only a few steps.",
    ],
    learn: "chapter 10, \"A thousand neurons\"",
    skeleton: Slug::Uncoalesced,
    inputs,
    reference,
};

/// Number of disturbed runs in which a tame neuron must fire in the same steps.
const DISTURBANCES: usize = 8;
/// Largest disturbance in each step, in millivolts.
const PUSH: f64 = 3e-4;

/// One neuron: v, u, a, b, c, d, current.
type Neuron = [f32; 7];

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [n, steps] = ["n", "steps"].map(|name| case.size(name));
    let mut neurons = Vec::with_capacity(n);
    while neurons.len() < n {
        let mut neuron = random(rng);
        if neurons.len() % 8 == 5 {
            neuron[6] = -neuron[6]; // inhibitory
        }
        if tame(&neuron, steps, rng) {
            neurons.push(neuron);
        }
    }
    let field = |index: usize| {
        let values: Array1<f32> = neurons.iter().map(|neuron| neuron[index]).collect();
        Value::Array(values.into())
    };
    let spikes = Value::Out { dtype: DType::U8, shape: vec![steps, n] };
    (0..7).map(field).chain([spikes, int(n), int(steps)]).collect()
}

/// Izhikevich's excitatory and inhibitory neurons ("Simple Model of Spiking Neurons", IEEE
/// Transactions on Neural Networks 14, 2003). The excitatory neurons differ a little, all
/// potentials are between rest and threshold, and the current makes most neurons fire.
fn random(rng: &mut ChaCha8Rng) -> Neuron {
    let r: f32 = rng.random();
    let [a, b, c, d] = if rng.random_bool(0.8) {
        let [a, b] = [0.02, 0.2].map(|middle| middle * rng.random_range(0.9..1.1_f32));
        [a, b, -65.0 + 15.0 * r * r, 8.0 - 6.0 * r * r]
    } else {
        [0.02 + 0.08 * r, 0.25 - 0.05 * r, -65.0, 2.0]
    };
    let v = rng.random_range(-75.0..-50.0);
    [v, b * v + rng.random_range(-2.0..2.0), a, b, c, d, rng.random_range(2.0..20.0)]
}

/// Whether small disturbances stay small. In every step, a random push changes v by about ten times
/// as much as rounding in `float` may change it. A tame neuron still fires in the same steps and
/// ends with the same v and u.
fn tame(neuron: &Neuron, steps: usize, rng: &mut ChaCha8Rng) -> bool {
    let (still, spikes) = course(neuron, steps, || 0.0);
    (0..DISTURBANCES).all(|_| {
        let (end, other) = course(neuron, steps, || if rng.random() { PUSH } else { -PUSH });
        let near = still.iter().zip(end).all(|(a, b)| (a - b).abs() < APART / 2.0);
        near && other == spikes
    })
}

/// v and u after `steps` milliseconds, and the steps in which it fired. `push` returns what each
/// step adds to v.
///
/// The value of v beyond the threshold is very sensitive to rounding, so u always sees a peak of
/// 30, as in other codes of this model.
fn course(neuron: &Neuron, steps: usize, mut push: impl FnMut() -> f64) -> ([f64; 2], Vec<u8>) {
    let [mut v, mut u, a, b, c, d, current] = neuron.map(f64::from);
    let spikes = (0..steps)
        .map(|_| {
            for _ in 0..2 {
                v += 0.5 * (0.04 * v * v + 5.0 * v + 140.0 - u + current);
            }
            v += push();
            u += a * (b * v.min(30.0) - u);
            let fires = v >= 30.0;
            if fires {
                (v, u) = (c, u + d);
            }
            u8::from(fires)
        })
        .collect();
    ([v, u], spikes)
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let [n, steps] = ["n", "steps"].map(|name| case.size(name));
    let fields: Vec<_> = (0..7).map(|index| f64s(inputs, index)).collect();
    let (mut v, mut u) = (Array1::zeros(n), Array1::zeros(n));
    let mut raster = Array2::zeros([steps, n]);
    for i in 0..n {
        let neuron = std::array::from_fn(|field| fields[field][i] as f32);
        let ([end_v, end_u], spikes) = course(&neuron, steps, || 0.0);
        (v[i], u[i]) = (end_v, end_u);
        raster.column_mut(i).assign(&Array1::from(spikes));
    }
    vec![v.into(), u.into(), raster.into()]
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    /// With v = -60, u = -10 and no current, 0.04 * 3600 - 300 + 140 + 10 = -6, so v becomes -63.
    /// There, 158.76 - 315 + 150 = -6.24, so v becomes -66.12. Then u becomes
    /// -10 + 0.02 * (0.2 * -66.12 + 10) = -10.06448.
    #[test]
    fn a_step_by_hand() {
        let neuron = [-60.0, -10.0, 0.02, 0.2, -65.0, 8.0, 0.0];
        let ([v, u], spikes) = course(&neuron, 1, || 0.0);
        assert_abs_diff_eq!(v, -66.12, epsilon = 1e-6);
        assert_abs_diff_eq!(u, -10.06448, epsilon = 1e-6);
        assert_eq!(spikes, [0]);
    }

    /// From v = 0, v grows beyond 75, so the neuron fires, v becomes c, and u grows by d.
    #[test]
    fn fires_and_resets() {
        let neuron = [0.0, -10.0, 0.0, 0.2, -65.0, 8.0, 0.0];
        assert_eq!(course(&neuron, 1, || 0.0), ([-65.0, -2.0], vec![1]));
    }

    /// With a current of 10, the paper's regular spiking neuron fires fast at first, and then
    /// slower.
    #[test]
    fn a_regular_neuron_adapts() {
        let neuron = [-65.0, -13.0, 0.02, 0.2, -65.0, 8.0, 10.0];
        let (_, spikes) = course(&neuron, 300, || 0.0);
        let times: Vec<usize> = (0..300).filter(|t| spikes[*t] == 1).collect();
        let gaps: Vec<usize> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.len() >= 4 && gaps[0] < gaps[gaps.len() - 1], "{times:?}");
    }

    /// The neurons of the inputs fire, but not all in the same step. Some candidates are rejected,
    /// because rounding would change their spikes.
    #[test]
    fn inputs_fire_and_are_tame() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let drawn: Vec<Neuron> = (0..400).map(|_| random(&mut rng)).collect();
        let tame = drawn.iter().filter(|neuron| tame(neuron, 100, &mut rng)).collect::<Vec<_>>();
        let fire = tame.iter().filter(|neuron| course(neuron, 100, || 0.0).1.contains(&1)).count();
        assert!((200..400).contains(&tame.len()), "{}", tame.len());
        assert!(fire * 2 > tame.len(), "{fire} of {}", tame.len());
    }
}
