//! Estimating pi with random points. A counter-based generator has a stream for each thread.

use ndarray::{Array1, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::philox::philox;
use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Scalar, Value};

const BLOCK: u32 = 256;

/// `rng_pi`.
pub static SPEC: Spec = Spec {
    id: "rng_pi",
    chapter: "ch10_science",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 20,
    goal: "give each thread random numbers of its own",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "first", role: Role::Out, dtype: DType::U32, shape: "[n]" },
        Param { name: "hits", role: Role::InOut, dtype: DType::U32, shape: "[1]" },
        Param { name: "seed", role: Role::Scalar, dtype: DType::U32, shape: "" },
        count("rounds"),
        count("n"),
    ],
    cases: &[
        line(
            "5 threads, one draw each",
            "few enough values to compare each of them",
            &[("n", 5), ("rounds", 1)],
            1,
        ),
        line(
            "one thread, 7 draws",
            "255 threads of the block don't generate any points",
            &[("n", 1), ("rounds", 7)],
            1,
        ),
        line("300 threads", "the second block is partly full", &[("n", 300), ("rounds", 3)], 2),
        line(
            "1003 threads",
            "in the last of four blocks, 235 threads generate points",
            &[("n", 1003), ("rounds", 5)],
            4,
        ),
        gated(line("1024 threads, 16 draws", "whole blocks", &[("n", 1024), ("rounds", 16)], 4)),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[at_most(Metric::GlobalAtomics, 4.0), shared_work(8_000.0)],
    hints: &[
        "Look at the table in the report. Which value is the same for all threads, although it \
         should differ? Which arguments does each thread pass to `philox`?",
        "`philox` is a function without a state. With the same counter and the same key, it \
         returns the same four words, in every thread and every time. So one of its arguments has \
         to differ from thread to thread.",
        "You could put the number of the thread into the key or into the counter. The comment at \
         the top of the file says which of the counter's four words contains the number of the \
         thread.",
        "Use `make_uint4(round, 0, idx, 0)`. The first word is the number of the draw, and the \
         third word is the number of the thread.",
    ],
    pitfalls: &[
        "If all threads use the same counter and the same key, they generate the same points, so the \
         estimate is no better than the estimate of a single thread.",
        "If you use `threadIdx.x` as the number of the stream, every block generates the same points \
         as block 0.",
        "If you use the thread's number instead of the seed as the key, the streams differ, but \
         every run of the program produces the same result.",
        "Don't use `seed + idx` as the key. Thread 1 with seed 7 generates the same points as thread \
         0 with seed 8, so two runs share nearly all of their points.",
        "Don't use `round + idx` in the counter. Otherwise, draw 1 of thread 0 is equal to draw 0 \
         of thread 1, so neighbouring threads generate nearly the same points.",
        "Don't let the threads share a generator with a state, such as `rand()` on the host. All \
         threads would have to wait for each other.",
        "Don't execute an atomic operation on `hits` for each hit or in each thread. First add up \
         the hits of the block, and then execute a single atomic operation.",
    ],
    learn: "chapter 10, \"Random numbers for each thread\"",
    skeleton: Slug::WrongValues,
    inputs,
    reference,
};

const fn line(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [BLOCK, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    vec![
        Value::Out { dtype: DType::U32, shape: vec![case.size("n")] },
        Value::Array(arr1(&[rng.random_range(0..1_000_000_u32)]).into()),
        Value::Scalar(Scalar::U32(rng.random())),
        int(case.size("rounds")),
        int(case.size("n")),
    ]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let [Some(Value::Array(Array::U32(before))), Some(Value::Scalar(Scalar::U32(seed)))] =
        [1, 2].map(|index| inputs.get(index))
    else {
        panic!("expected the hits and a seed, not {:?}", inputs.get(1..3));
    };
    let (first, hits) = sample(*seed, case.size("n") as u32, case.size("rounds") as u32);
    let hits = before.mapv(|before| before.wrapping_add(hits));
    vec![first.into(), hits.into()]
}

/// The first word of each of `threads` streams, and the hits of all their draws.
fn sample(seed: u32, threads: u32, rounds: u32) -> (Array1<u32>, u32) {
    let draw = |thread, round| philox([round, 0, thread, 0], [seed, 0]);
    let inside = |x: u32, y: u32| {
        let [a, b] = [x, y].map(|v| u64::from(v >> 1));
        u32::from(a * a + b * b < 1 << 62)
    };
    let hits = (0..threads)
        .flat_map(|thread| (0..rounds).map(move |round| draw(thread, round)))
        .map(|[x, y, z, w]| inside(x, y) + inside(z, w))
        .sum();
    ((0..threads).map(|thread| draw(thread, 0)[0]).collect(), hits)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The first answer that Random123 publishes is for counter 0 and key 0. 6627e8d5 e169c58d is
    /// the point (0.40, 0.88), and bc57ac4c 9b00dbd8 is (0.74, 0.61). The sums of their squares are
    /// 0.93 and 0.91, so both are hits.
    #[test]
    fn a_draw_by_hand() {
        let (first, hits) = sample(0, 1, 1);
        assert_eq!((first[0], hits), (0x6627_e8d5, 2));
    }

    #[test]
    fn comes_near_pi() {
        let (_, hits) = sample(1, 1000, 100);
        let pi = 4.0 * f64::from(hits) / 200_000.0;
        // five standard deviations of the mean of 200 000 points:
        // 5 * 4 * sqrt(0.785 * 0.215 / 200 000)
        assert!((pi - std::f64::consts::PI).abs() < 0.0184, "{pi}");
    }

    /// For 4096 threads and for 4096 seeds, no two streams begin with the same word.
    #[test]
    fn streams_do_not_repeat() {
        let (first, _) = sample(7, 4096, 1);
        let threads: HashSet<u32> = first.iter().copied().collect();
        let seeds: HashSet<u32> = (0..4096).map(|seed| sample(seed, 1, 1).0[0]).collect();
        // words of 32 bits may agree by chance, 2 of 4096 with a probability of 1 in 500
        assert!(threads.len() >= 4095 && seeds.len() >= 4095);
    }
}
