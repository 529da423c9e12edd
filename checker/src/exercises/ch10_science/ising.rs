//! The Ising model with a checkerboard update, which changes half of the sites at the same time.

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::philox::philox;
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, HostPart, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Scalar, Value};

/// The case in which a random word equals its limit.
const AT_THE_LIMIT: &str = "a word equal to flip4";

/// `ising`.
pub static SPEC: Spec = Spec {
    id: "ising",
    chapter: "ch10_science",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 25,
    goal: "never change two neighbouring sites at the same time",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "black", role: Role::InOut, dtype: DType::I32, shape: "[rows][cols/2]" },
        Param { name: "white", role: Role::InOut, dtype: DType::I32, shape: "[rows][cols/2]" },
        count("rows"),
        count("cols"),
        count("sweeps"),
        word("flip2"),
        word("flip4"),
        word("seed"),
    ],
    cases: &[
        sized(
            "6 x 10, one sweep",
            "small enough to draw; one block",
            &[("rows", 6), ("cols", 10), ("sweeps", 1), ("T in hundredths", 227)],
        ),
        sized(
            "2 x 2, three sweeps",
            "each site has neighbours beyond two edges",
            &[("rows", 2), ("cols", 2), ("sweeps", 3), ("T in hundredths", 350)],
        ),
        sized(
            "18 x 70, four sweeps, cold",
            "the last blocks are partly full; few spins flip if they agree with their neighbours",
            &[("rows", 18), ("cols", 70), ("sweeps", 4), ("T in hundredths", 150)],
        ),
        sized(
            "34 x 22, five sweeps, hot",
            "many spins flip, so every random word matters",
            &[("rows", 34), ("cols", 22), ("sweeps", 5), ("T in hundredths", 350)],
        ),
        sized(
            AT_THE_LIMIT,
            "a random word that is equal to `flip4` isn't below `flip4`, so the spin doesn't flip",
            &[("rows", 4), ("cols", 6), ("sweeps", 1), ("T in hundredths", 227)],
        ),
        gated(sized(
            "32 x 128, three sweeps",
            "whole warps",
            &[("rows", 32), ("cols", 128), ("sweeps", 3), ("T in hundredths", 227)],
        )),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[
        // one launch is enough for a grid that synchronises itself
        at_least(Metric::Launches, 1.0),
        at_most(Metric::Launches, 6.0),
        // Five loads need 20 sectors, but they touch 21, because the left or right neighbours begin
        // one element later. A store of only the spins that flip touches up to 4 sectors, even if
        // one sector could hold all of its values. That makes at most
        // 4 * (21 + 4) / (20 + 1) = 4.8.
        // Each of the three sweeps needs five loads and a store for each spin.
        at_most(Metric::SectorsPerRequest { bytes: 72 }, 5.0),
        at_most(Metric::CopiesToDevice, 2.0),
        at_most(Metric::CopiesToHost, 2.0),
        shared_work(15_000.0),
    ],
    hints: &[
        "Colour a board of 4 x 4 sites like a checkerboard. Which colour do the neighbours of a \
         black site have? Which sites can change at the same time, so that no thread reads a site \
         that another thread writes?",
        "Look at the launch. The grid is two blocks deep. What does `blockIdx.z` mean in this \
         kernel? Which of these blocks run first?",
        "The blocks of one launch run in any order, and several of them can run at the same time. \
         However, a kernel begins only when the previous kernel in the stream has finished.",
        "Add a parameter `int colour` to `update`, and use it instead of `blockIdx.z`. Make the \
         grid one block deep, and launch the kernel twice in each sweep, first with `BLACK` and \
         then with `WHITE`.",
    ],
    pitfalls: &[
        "Don't update all sites in one launch. Whether a thread reads the old or the new value of \
         a neighbour depends on the order of the threads, so every run may be different, and the \
         simulation is wrong.",
        "It isn't enough to call `__syncthreads()` between the colours. This call is a barrier for \
         one block, and sites at the edge of a block have neighbours in another block.",
        "Don't compute `-1 % rows`. The remainder of a negative number is negative in C++, so add \
         `rows` first.",
        "If you update white before black, the simulation is correct, but its results differ from \
         the results that the exercise expects. The simulation is wrong, however, if all sweeps of \
         one colour come before all sweeps of the other colour.",
        "Don't read from a copy of the old lattice. Otherwise, all sites change at the same time \
         again, and at a low temperature, a checkerboard of opposite spins flips back and forth \
         forever.",
        "In the counter, don't use the thread's index in its block instead of the site's number. \
         Otherwise, the random words repeat from block to block.",
        "Don't use the same counter in every sweep. Otherwise, a site that doesn't flip in one \
         sweep stays the same until one of its neighbours changes.",
    ],
    learn: "chapter 10, \"Which spins may change at the same time?\"",
    skeleton: Slug::GlobalRace,
    inputs,
    reference,
};

const fn word(name: &'static str) -> Param {
    Param { name, role: Role::Scalar, dtype: DType::U32, shape: "" }
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [rows, cols, sweeps] = ["rows", "cols", "sweeps"].map(|name| case.size(name));
    let temperature = case.size("T in hundredths") as f64 / 100.0;
    let half = cols / 2;
    let mut colour = || {
        let spin = || if rng.random_bool(0.6) { 1 } else { -1 };
        Array2::from_shape_simple_fn([rows, half], spin)
    };
    let [mut black, mut white] = [colour(), colour()];
    let [flip2, mut flip4] = [2, 4].map(|agree| chance(agree, temperature));
    let seed = rng.random();
    if case.name == AT_THE_LIMIT {
        // the first black site agrees with its four neighbours
        black[[0, 0]] = 1;
        for place in [[0, 0], [0, half - 1], [1, 0], [rows - 1, 0]] {
            white[place] = 1;
        }
        // another site differs, so that a program can't leave out an index
        white[[1, 1]] = -1;
        flip4 = philox([0; 4], [seed, 0])[0];
    }
    let colours = [black, white].map(|colour| Value::Array(colour.into()));
    let words = [flip2, flip4, seed].map(|word| Value::Scalar(Scalar::U32(word)));
    colours.into_iter().chain([rows, cols, sweeps].map(int)).chain(words).collect()
}

/// How many of the 2^32 random words flip a spin whose product with the sum of its neighbours is
/// `agree`. The flip costs the energy 2 `agree`, so the Boltzmann factor is exp(-2 `agree` / T).
fn chance(agree: u32, temperature: f64) -> u32 {
    ((f64::from(2 * agree) / -temperature).exp() * 2_f64.powi(32)).round() as u32
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let colour = |index: usize| match inputs.get(index) {
        Some(Value::Array(Array::I32(spins))) => spins.clone(),
        other => panic!("argument {index} is {other:?}, not spins"),
    };
    let word = |index: usize| match inputs.get(index) {
        Some(Value::Scalar(Scalar::U32(word))) => *word,
        other => panic!("argument {index} is {other:?}, not a word"),
    };
    let [rows, cols] = ["rows", "cols"].map(|name| case.size(name));
    let packed = [0, 1].map(colour);
    let place = |row: usize, col: usize| ((row + col) % 2, [row, col / 2]);
    let mut lattice = Array2::from_shape_fn([rows, cols], |(row, col)| {
        let (colour, place) = place(row, col);
        packed[colour][&place[..]]
    });
    for sweep in 0..case.size("sweeps") {
        turn(&mut lattice, sweep as u32, [word(5), word(6)], word(7));
    }
    let mut packed = packed;
    for ((row, col), spin) in lattice.indexed_iter() {
        let (colour, place) = place(row, col);
        packed[colour][&place[..]] = *spin;
    }
    packed.map(Array::I32).into()
}

/// One sweep of Metropolis' rule over the whole lattice, first the black and then the white sites.
fn turn(lattice: &mut Array2<i32>, sweep: u32, [flip2, flip4]: [u32; 2], seed: u32) {
    let (rows, cols) = lattice.dim();
    for colour in 0..2 {
        for row in 0..rows {
            for col in (0..cols).filter(|col| (row + col) % 2 == colour) {
                let sum = lattice[[(row + rows - 1) % rows, col]]
                    + lattice[[(row + 1) % rows, col]]
                    + lattice[[row, (col + cols - 1) % cols]]
                    + lattice[[row, (col + 1) % cols]];
                let place = (row * (cols / 2) + col / 2) as u32;
                let draw = philox([place, sweep, colour as u32, 0], [seed, 0]);
                let flips = match sum * lattice[[row, col]] {
                    2 => draw[0] < flip2,
                    4 => draw[0] < flip4,
                    _ => true,
                };
                if flips {
                    lattice[[row, col]] *= -1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    /// At temperature 0, no spin flips against its neighbours. So only the one spin that differs
    /// from its neighbours flips, whether it's black or white.
    #[test]
    fn a_single_spin_turns_to_its_neighbours() {
        for odd in [[1_usize, 1], [1, 2]] {
            let mut lattice: Array2<i32> = Array2::ones([4, 4]);
            lattice[odd] = -1;
            turn(&mut lattice, 0, [0, 0], 7);
            assert_eq!(lattice, Array2::<i32>::ones([4, 4]), "{odd:?}");
        }
    }

    /// If every random word is below the limits, all spins flip once in a sweep.
    #[test]
    fn at_infinite_heat_everything_flips() {
        let mut lattice = array![[1, -1, 1, 1], [1, 1, -1, 1]];
        let turned = -lattice.clone();
        turn(&mut lattice, 0, [u32::MAX, u32::MAX], 7);
        assert_eq!(lattice, turned);
    }

    #[test]
    fn chances_are_boltzmann_factors() {
        assert_eq!(chance(2, 4.0 / 2_f64.ln()), 1 << 31);
        assert_eq!(chance(4, 4.0 / 2_f64.ln()), 1 << 30);
    }

    /// Below Onsager's critical temperature of 2.269, the lattice stays magnetised. At higher
    /// temperatures, it doesn't.
    #[test]
    fn magnetised_when_cold_and_not_when_hot() {
        let magnetisation = |temperature: f64| {
            let flips = [2, 4].map(|agree| chance(agree, temperature));
            let mut lattice: Array2<i32> = Array2::ones([48, 48]);
            let mut sum = 0;
            for sweep in 0..300 {
                turn(&mut lattice, sweep, flips, 11);
                if sweep >= 100 {
                    sum += lattice.sum();
                }
            }
            f64::from(sum) / f64::from(200 * 48 * 48)
        };
        // Onsager and Yang: (1 - sinh(2 / T)^-4)^(1 / 8) = 0.9865 at T = 1.5
        let cold = magnetisation(1.5);
        assert!((cold - 0.9865).abs() < 0.005, "{cold}");
        let hot = magnetisation(3.5);
        assert!(hot.abs() < 0.05, "{hot}");
    }
}
