//! Project Euler's problem 14, with intermediate values that need more than 32 bits, loops of
//! different lengths, and a maximum that each block finds on its own.

use ndarray::{Array1, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Scalar, Value};

const BLOCK: u32 = 256;

/// `euler_collatz`.
pub static SPEC: Spec = Spec {
    id: "euler_collatz",
    chapter: "ch10_science",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 25,
    goal: "choose an integer type that's large enough, and update global memory once per block",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "lengths", role: Role::Out, dtype: DType::I32, shape: "[n]" },
        Param { name: "best", role: Role::InOut, dtype: DType::U32, shape: "[1]" },
        count("first"),
        count("n"),
    ],
    // `first` is drawn between `lowest` and `highest`, among nearly all numbers below a million
    // where a case allows it. A table of lengths that fits every seed would need a million entries.
    cases: &[
        line(
            "two longest chains of 20",
            "two chains are equally long and longer than the others; the kernel has to choose the \
             smaller starting number",
            &[("lowest", 1), ("highest", 999_980), ("n", TIES), ("before", 12), ("bits", 31)],
            1,
        ),
        line(
            "20 numbers, with a tie from an earlier launch",
            "an earlier launch has found a chain of the same length with a larger starting number, \
             so the kernel has to replace it",
            &[("lowest", 1000), ("highest", 999_900), ("n", TIES), ("bits", 31)],
            1,
        ),
        line(
            "256 numbers just below a million",
            "starting numbers close to 999 999, so the lower part of each key (999 999 minus the \
             starting number) is small",
            // the chain of 999 167 is the only one nearby that doesn't fit into an `int`, and the
            // longest chains, those of 999 294 and 999 295, are among the numbers of every seed
            &[("lowest", 999_168), ("highest", 999_294), ("n", 256), ("before", 12)],
            1,
        ),
        line(
            "one number",
            "255 threads have no number",
            &[("lowest", 1000), ("highest", 999_999), ("n", 1), ("before", 12), ("bits", 31)],
            1,
        ),
        line(
            "a longer chain from an earlier launch",
            "an earlier launch has found a longer chain, so `best` doesn't change",
            &[("lowest", 3000), ("highest", 999_700), ("n", 300), ("before", 600), ("bits", 31)],
            2,
        ),
        line(
            "1000 numbers, a chain beyond int",
            "at least one chain reaches a number that fits into an `unsigned int` but not into an \
             `int`",
            &[("lowest", 112_384), ("highest", 999_000), ("n", 1000), ("before", 12), ("bits", 32)],
            4,
        ),
        line(
            "1000 numbers, a chain beyond unsigned int",
            "at least one chain reaches a number that doesn't fit into an `unsigned int`",
            &[("lowest", 158_488), ("highest", 999_000), ("n", 1000), ("before", 12), ("bits", 33)],
            4,
        ),
        gated(line(
            "2048 numbers around 837 799",
            "8 whole blocks, and the longest chain below a million",
            &[("lowest", 835_752), ("highest", 837_799), ("n", 2048), ("before", 12)],
            8,
        )),
        line(
            "200 numbers, a longer chain from an earlier launch",
            "a single block, which finds nothing better",
            &[("lowest", 3000), ("highest", 999_700), ("n", 200), ("before", 600), ("bits", 31)],
            1,
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[at_most(Metric::GlobalAtomics, 8.0), shared_work(20_000.0)],
    hints: &[
        "Choose a number whose chain has the wrong length, and follow its chain. The command \
         `cargo checker trace euler_collatz` shows one thread line by line. What is `x` when the \
         loop ends?",
        "The chain of 113 383 reaches 2 482 111 348, but the largest `int` is 2 147 483 647. What \
         does the kernel compute if `3 * x + 1` doesn't fit into an `int`?",
        "The largest `unsigned int` is about twice as large, but the chain of 159 487 reaches 17 \
         202 377 752. Only `x` needs a larger type. The index and the length can keep their types.",
        "Next, reduce the number of atomic operations. In chapter 6, you computed the sum or the \
         maximum of a block with `__shfl_down_sync` within each warp, and with shared memory \
         between the warps. Do the same with the keys, and let one thread of the block call \
         `atomicMax` for `best`. Which key should a thread without a number have?",
        "Declare `__shared__ unsigned int longest`, which thread 0 sets to 0. In each thread, \
         `key` is `key_of(...)` if `idx < n`, and 0 otherwise. After a barrier, call \
         `atomicMax(&longest, key)` in each thread, or in lane 0 of each warp after five shuffles. \
         After another barrier, thread 0 calls `atomicMax(best, longest)`.",
    ],
    pitfalls: &[
        "Don't check only the answer. With `unsigned int`, the kernel finds the longest chain \
         below a million, which begins at 837 799 and has 525 terms, although it computes a wrong \
         length for 109 other chains.",
        "Don't loop with `while (x != 1)` and an `int`. If `x` becomes negative, the chain never \
         reaches 1, so the loop never ends.",
        "Don't convert after the multiplication, as in `static_cast<long long>(3 * x + 1)`. If `x` \
         is an `int`, the kernel has already computed the product in 32 bits.",
        "Don't use two atomic operations, one for the length and one for the starting number. \
         Another thread may change the result between the two operations.",
        "Don't write `if (idx >= n) { return; }` before the shuffles and barriers. All threads of \
         the block have to take part in both.",
        "Put a barrier between the atomic operations and the line that reads `longest`. Without \
         it, some threads may not have executed their update yet.",
        "Don't let the last block store `best[0]`. A block doesn't know whether it's the last one \
         to finish, and the store would overwrite the result of earlier launches.",
    ],
    learn: "chapter 10, \"Sequences of different lengths\"",
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

/// Number of starting numbers in each case with a tie between two longest chains.
const TIES: usize = 20;

/// The starting number below a million whose chain is the longest.
const LONGEST: usize = 837_799;

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let n = case.size("n");
    let mut first = || rng.random_range(case.size("lowest")..=case.size("highest"));
    let first = std::iter::repeat_with(&mut first).find(|first| is_wanted(case, *first));
    let first = first.expect("a window with the property that the case is for");
    let terms = optional(case, "before").map_or_else(|| most_terms(first, n), |terms| terms as i32);
    // In a tie, the chain of the earlier launch has the larger starting number.
    let begins = if optional(case, "before").is_none() { (first + n) as u32 } else { 1 };
    let before = key(terms, rng.random_range(begins..1_000_000));
    vec![
        Value::Out { dtype: DType::I32, shape: vec![n] },
        Value::Array(arr1(&[before]).into()),
        int(first),
        int(n),
    ]
}

/// A size that not every case has. `before` is the length of the chain that an earlier launch has
/// found; without it, that chain is as long as the longest chain of this launch. `bits` is the
/// number of bits of the highest term in all chains, where 31 stands for every smaller number, and
/// 33 for every larger number.
fn optional(case: &Case, name: &str) -> Option<usize> {
    case.sizes.iter().find(|(size, _)| *size == name).map(|(_, value)| *value)
}

/// Whether the chains from `first` on have the property that the case is for.
fn is_wanted(case: &Case, first: usize) -> bool {
    let n = case.size("n");
    // Otherwise, a kernel that uses the first or the last warp only would pass with some seeds.
    let inner = || (32..BLOCK as usize - 32).contains(&((LONGEST - first) % BLOCK as usize));
    (!case.gated || inner())
        && (n != TIES || has_tie(first, n))
        && optional(case, "bits").is_none_or(|bits| bits_of_highest(first, n) as usize == bits)
}

/// The length of the longest of these chains.
fn most_terms(first: usize, n: usize) -> i32 {
    chains(first as u32, n).0.fold(0, |most, length| *length.max(&most))
}

/// Number of bits that the highest term in all these chains needs, from 31 to 33.
fn bits_of_highest(first: usize, n: usize) -> u32 {
    (first..)
        .take(n)
        .map(|begin| 64 - highest(begin as u64).leading_zeros())
        .fold(31, u32::max)
        .min(33)
}

/// Whether two of these chains are equally long and longer than all others.
fn has_tie(first: usize, n: usize) -> bool {
    let longest = most_terms(first, n);
    chains(first as u32, n).0.iter().filter(|length| **length == longest).count() > 1
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let (Some(Value::Array(Array::U32(before))), Some(Value::Scalar(Scalar::I32(first)))) =
        (inputs.get(1), inputs.get(2))
    else {
        panic!("expected the best chain and a starting number, not {:?}", inputs.get(1..3));
    };
    let n = inputs.first().map_or(0, Value::array_elements);
    let (lengths, best) = chains(first.unsigned_abs(), n);
    let best = before.iter().copied().fold(best, u32::max);
    vec![lengths.into(), arr1(&[best]).into()]
}

/// The lengths of the chains of `first`, `first` + 1, ..., and the key of the longest chain.
fn chains(first: u32, n: usize) -> (Array1<i32>, u32) {
    let begins = || (first..).take(n);
    let lengths: Array1<i32> = begins().map(|x| terms(u64::from(x), u64::MAX)).collect();
    let best = begins().zip(&lengths).map(|(begin, length)| key(*length, begin)).max();
    (lengths, best.unwrap_or(0))
}

/// The length of the chain from `x` to 1, if each term is cut to the bits of `mask`.
fn terms(mut x: u64, mask: u64) -> i32 {
    let mut length = 1;
    while x > 1 {
        x = if x.is_multiple_of(2) { x / 2 } else { (3 * x + 1) & mask };
        length += 1;
    }
    length
}

/// The highest term of the chain from `x` to 1.
fn highest(mut x: u64) -> u64 {
    let mut highest = x;
    while x > 1 {
        x = if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 };
        highest = highest.max(x);
    }
    highest
}

/// A key that is larger for longer chains and, among equally long chains, for smaller
/// starting numbers.
fn key(length: i32, begin: u32) -> u32 {
    length.unsigned_abs() * 1_000_000 + (999_999 - begin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng as _;

    /// The chains of the numbers from 1 to 10, and the chain 13 40 20 10 5 16 8 4 2 1.
    #[test]
    fn chains_by_hand() {
        let (lengths, _) = chains(1, 10);
        assert_eq!(lengths.to_vec(), [1, 2, 8, 3, 6, 9, 17, 4, 20, 7]);
        assert_eq!(terms(13, u64::MAX), 10);
    }

    /// 18 and 19 have 21 terms each.
    #[test]
    fn the_lower_of_two_equals_is_best() {
        assert_eq!(chains(1, 20).1, key(21, 18));
        assert_eq!(chains(19, 2).1, key(21, 19));
    }

    /// Project Euler's answer. With unsigned 32-bit numbers, the answer is the same, although 109
    /// chains are wrong, of which 159 487 is the first.
    #[test]
    fn the_answer_hides_what_32_bits_lose() {
        let (lengths, best) = chains(1, 999_999);
        assert_eq!(best, key(525, 837_799));

        let short: Vec<i32> = (1..1_000_000).map(|x| terms(x, u32::MAX.into())).collect();
        let wrong: Vec<usize> = (0..short.len()).filter(|i| short[*i] != lengths[*i]).collect();
        assert_eq!((wrong.len(), wrong[0] + 1), (109, 159_487));
        let longest = (1..).zip(&short).map(|(begin, length)| key(*length, begin)).max();
        assert_eq!(longest, Some(best));
    }

    /// The numbers are similar to those of the gated case. A chain has 147 terms on average, and
    /// the longest chain of a warp has 246 terms on average, so 19 of 32 lanes work. The longest
    /// chains have 15 736 terms in total, and the simulator counts as many branches of the loop.
    #[test]
    fn a_warp_waits_for_its_longest_chain() {
        let (lengths, _) = chains(836_000, 2048);
        let rounds: i32 =
            lengths.exact_chunks(32).into_iter().map(|warp| warp.fold(0, |a, b| a.max(*b))).sum();
        let mean = |sum: i32, count: i32| (f64::from(sum) / f64::from(count)).round();
        assert_eq!(rounds, 15_736);
        assert_eq!([mean(lengths.sum(), 2048), mean(rounds, 64)], [147.0, 246.0]);
        let working = 32.0 * f64::from(lengths.sum()) / f64::from(32 * rounds);
        assert_eq!(working.round(), 19.0);
    }

    /// The lowest numbers whose chains don't fit into `int` and `unsigned int`, and how many such
    /// chains begin below a million.
    #[test]
    fn chains_that_overflow() {
        let beyond =
            |limit: u64| (1..1_000_000).filter(|x| highest(*x) > limit).collect::<Vec<_>>();
        let [int, unsigned] = [i32::MAX as u64, u64::from(u32::MAX)].map(beyond);
        assert_eq!((int[0], highest(113_383)), (113_383, 2_482_111_348));
        assert_eq!((unsigned[0], highest(159_487)), (159_487, 17_202_377_752));
        assert_eq!((int.len(), unsigned.len()), (432, 109));
        assert_eq!([1, 113_383, 159_487].map(|x| bits_of_highest(x, 1)), [31, 32, 33]);
    }

    /// In each case and with each seed, the starting numbers fit into a key, the chains have the
    /// property that the case is for, and the windows spread over all numbers that are allowed.
    #[test]
    fn every_seed_keeps_what_a_case_is_for() {
        for case in SPEC.cases {
            let n = case.size("n");
            let (lowest, highest) = (case.size("lowest"), case.size("highest"));
            assert!(highest + n <= 1_000_000, "{}", case.name);
            let firsts = (0..40).map(|seed| {
                let values = inputs(case, &mut ChaCha8Rng::seed_from_u64(seed));
                let Some(Value::Scalar(Scalar::I32(first))) = values.get(2) else { panic!() };
                let Some(Value::Array(Array::U32(before))) = values.get(1) else { panic!() };
                let first = first.unsigned_abs() as usize;
                assert!((lowest..=highest).contains(&first) && is_wanted(case, first));
                let is_longer = before[0] > chains(first as u32, n).1;
                let may_be = optional(case, "before").is_none_or(|terms| terms > 525);
                assert!(may_be || !is_longer, "{}", case.name);
                first
            });
            let firsts: Vec<usize> = firsts.collect();
            let spread = firsts.iter().max().unwrap_or(&0) - firsts.iter().min().unwrap_or(&0);
            assert!(2 * spread > highest - lowest, "{}: {spread}", case.name);
        }
        let bits = |case: &Case| optional(case, "bits");
        let bits: Vec<usize> = SPEC.cases.iter().filter_map(bits).collect();
        assert_eq!(bits, [31, 31, 31, 31, 32, 33, 31]);
    }
}
