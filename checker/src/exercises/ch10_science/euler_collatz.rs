//! Project Euler's problem 14: intermediate values that outgrow 32 bits, threads that work for
//! unequal times, and a maximum that is found by blocks.

use ndarray::{Array1, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

const BLOCK: u32 = 256;

/// `euler_collatz`.
pub static SPEC: Spec = Spec {
    id: "euler_collatz",
    chapter: "ch10_science",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 25,
    goal: "choose integers that are large enough, and update global memory once per block",
    cooperative: false,
    params: &[
        Param { name: "lengths", role: Role::Out, dtype: DType::I32, shape: "[n]" },
        Param { name: "best", role: Role::InOut, dtype: DType::U32, shape: "[1]" },
        count("first"),
        count("n"),
    ],
    cases: &[
        line(
            "1 to 20",
            "18 and 19 both have 21 terms: the lower one counts",
            &[("first", 1), ("n", 20), ("before", 12)],
            1,
        ),
        line(
            "1 to 20 after one as long",
            "an earlier launch also found 21 terms, and the lower first number counts",
            &[("first", 1), ("n", 20), ("before", 21)],
            1,
        ),
        line(
            "the last below a million",
            "999 999 is one of them",
            &[("first", 999_744), ("n", 256), ("before", 12)],
            1,
        ),
        line(
            "one number",
            "255 threads have no number",
            &[("first", 1000), ("n", 1), ("before", 12)],
            1,
        ),
        line(
            "a longer one before",
            "an earlier launch found a longer chain, so the result stays as it is",
            &[("first", 3000), ("n", 300), ("before", 270)],
            2,
        ),
        line(
            "1000 from 112 700",
            "113 383 is one of them",
            &[("first", 112_700), ("n", 1000), ("before", 12)],
            4,
        ),
        line(
            "1000 from 158 800",
            "159 487 is one of them",
            &[("first", 158_800), ("n", 1000), ("before", 12)],
            4,
        ),
        gated(line(
            "2048 from 836 000",
            "8 whole blocks, and the longest below a million",
            &[("first", 836_000), ("n", 2048), ("before", 12)],
            8,
        )),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[at_most(Metric::GlobalAtomics, 8.0)],
    hints: &[
        "Take one of the numbers whose chain has the wrong length, and follow it. The command \
         checker trace euler_collatz shows one thread line by line. What is x when the loop \
         ends?",
        "113 383 climbs up to 2 482 111 348 on its way. The largest int is 2 147 483 647. What \
         is 3 * x + 1 if it's larger than that?",
        "unsigned int would reach twice as far, but 159 487 climbs up to 17 202 377 752. Only x \
         has to be wider. The index and the length can stay as they are.",
        "Now for the atomics. In chapter 6, you computed sums and maxima of a block, with \
         __shfl_down_sync in a warp and shared memory between the warps. Do the same with the \
         keys, and let one thread of the block call atomicMax on best. Which key should a \
         thread without a number have?",
        "Declare __shared__ unsigned int longest, which thread 0 sets to 0. Each thread has key \
         = 0, or key_of(...) if idx < n. After a barrier, call atomicMax(&longest, key) in each \
         thread, or in lane 0 of each warp after five shuffles. After another barrier, thread 0 \
         calls atomicMax(best, longest).",
    ],
    pitfalls: &[
        "Checking only the answer. With unsigned int, the longest chain below a million is \
         found, at 837 799 with 525 terms, although the lengths of 109 other chains are wrong.",
        "Looping with `while (x != 1)` and an int. Negative numbers have cycles of their own \
         and never reach 1, so the loop never ends.",
        "Widening after the multiplication, as in x = static_cast<long long>(3 * x + 1). The \
         product has already been computed in 32 bits.",
        "Using two atomics, one for the length and one for the beginning. Another thread may \
         come in between.",
        "Returning with `if (idx >= n) { return; }` before the shuffles and barriers. All threads \
         have to take part in them.",
        "Reading `longest` without a barrier after the atomics. Atomic means that no update is \
         lost, but not that all of them have happened.",
        "Letting the last block store best[0]. No block knows that it's the last one, and the \
         result of earlier launches would be lost.",
    ],
    learn: "chapter 10, \"A question with a million answers\"",
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
    let n = case.size("n");
    let before = key(case.size("before") as i32, rng.random_range(1..1_000_000));
    vec![
        Value::Out { dtype: DType::I32, shape: vec![n] },
        Value::Array(arr1(&[before]).into()),
        int(case.size("first")),
        int(n),
    ]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(Array::U32(before))) = inputs.get(1) else {
        panic!("the best so far is {:?}", inputs.get(1));
    };
    let (lengths, best) = chains(case.size("first") as u32, case.size("n"));
    let best = before.iter().copied().fold(best, u32::max);
    vec![lengths.into(), arr1(&[best]).into()]
}

/// How many terms the chains of `first`, `first` + 1, ... have, and the key of the longest.
fn chains(first: u32, n: usize) -> (Array1<i32>, u32) {
    let begins = || (first..).take(n);
    let lengths: Array1<i32> = begins().map(|x| terms(u64::from(x), u64::MAX)).collect();
    let best = begins().zip(&lengths).map(|(begin, length)| key(*length, begin)).max();
    (lengths, best.unwrap_or(0))
}

/// Terms of the chain of `x` down to 1, each term cut to the bits of `mask`.
fn terms(mut x: u64, mask: u64) -> i32 {
    let mut length = 1;
    while x > 1 {
        x = if x.is_multiple_of(2) { x / 2 } else { (3 * x + 1) & mask };
        length += 1;
    }
    length
}

/// The larger the longer and, among equals, the lower it begins.
fn key(length: i32, begin: u32) -> u32 {
    length.unsigned_abs() * 1_000_000 + (999_999 - begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 13 40 20 10 5 16 8 4 2 1, and the numbers that are met on the way.
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

    /// Project Euler's answer; and unsigned 32-bit numbers find the same one, with 109 chains
    /// wrong, 159 487 the first.
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

    /// What the lesson says of the gated case: chains of 147 terms on average, and warps of 32 that
    /// wait for their longest, 246 on average (15 736 in all, which is how often the simulator
    /// counts the loop's branch): 19 of 32 lanes work.
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

    /// The lowest numbers whose chains leave int and unsigned int.
    #[test]
    fn the_cases_hold_the_numbers_that_overflow() {
        let highest = |mut x: u64| {
            let mut highest = x;
            while x > 1 {
                x = if x.is_multiple_of(2) { x / 2 } else { 3 * x + 1 };
                highest = highest.max(x);
            }
            highest
        };
        let first = |limit: u64| (1..).find(|x| highest(*x) > limit).expect("one");
        assert_eq!((first(i32::MAX as u64), highest(113_383)), (113_383, 2_482_111_348));
        assert_eq!((first(u32::MAX.into()), highest(159_487)), (159_487, 17_202_377_752));
        let within = |begin: usize| {
            SPEC.cases
                .iter()
                .any(|c| (c.size("first")..c.size("first") + c.size("n")).contains(&begin))
        };
        assert!(within(113_383) && within(159_487) && within(837_799));
    }
}
