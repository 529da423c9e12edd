//! A histogram of bytes whose counters are spread over the banks of shared memory.

use ndarray::ArrayD;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// Number of values of a byte.
const BINS: usize = 256;
/// Bytes of the case whose counts are graded.
const GATED: usize = 1 << 17;
/// Requests if each of them is for one byte of each lane.
const REQUESTS: f64 = GATED as f64 / 32.0;

/// `histogram_bytes`.
///
/// With random bytes and a single counter for each bin, a request takes 3.2 wavefronts on average,
/// which are 2.2 conflicts. With 8 counters for each bin, there are about 2 conflicts, with 16
/// counters 1, and with 32 counters none. On an H100, the kernel reads as fast as the memory
/// delivers with 16 or 32 counters, but not with 8 or fewer. An H200 needs 32. If all bytes are
/// equal, the hardware adds up the lanes of a warp, so even a single counter is enough.
pub static SPEC: Spec = Spec {
    id: "histogram_bytes",
    chapter: "ch13_speed",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 30,
    goal: "load 16 bytes at a time, and count them with fewer bank conflicts",
    cooperative: false,
    ordered: &[],
    params: &[
        Param { name: "in", role: Role::In, dtype: DType::U8, shape: "[n]" },
        Param { name: "bins", role: Role::InOut, dtype: DType::U32, shape: "[256]" },
        count("n"),
    ],
    cases: &[
        of_512(
            "8192 bytes",
            "16 bytes for each thread of a block",
            &[("n", 8192), ("percent", 0)],
            1,
        ),
        of_512("one byte", "only one thread has a byte", &[("n", 1), ("percent", 0)], 2),
        of_512(
            "1015 bytes",
            "seven bytes are left after the last group of 16",
            &[("n", 1015), ("percent", 20)],
            1,
        ),
        of_512(
            "50 003 bytes in three blocks",
            "a prime number, and the threads have different numbers of groups",
            &[("n", 50_003), ("percent", 50)],
            3,
        ),
        of_512(
            "99 % equal bytes",
            "nearly all lanes of a warp count in the same bin",
            &[("n", 20_000), ("percent", 99)],
            2,
        ),
        gated(of_512(
            "131 072 bytes in eight blocks",
            "two groups of 16 for each thread",
            &[("n", GATED), ("percent", 0)],
            8,
        )),
    ],
    large: Some(of_512("large", "", &[("n", 1 << 28), ("percent", 0)], 528)),
    tolerance: Tolerance::Exact,
    gates: &[
        Gate { baseline: Some(32.0), ..at_least(Metric::BytesInFlight, 500.0) },
        at_most(Metric::SharedConflicts, 1.2 * REQUESTS),
        // an addition for each byte, and the counters themselves
        at_most(Metric::SharedRequests, 4.0 * REQUESTS),
        // eight blocks with 256 bins
        at_most(Metric::GlobalAtomics, 2048.0),
        // each byte is loaded once, at least four at a time
        load_requests(REQUESTS / 4.0, Some(REQUESTS)),
        shared_work(1_200.0),
    ],
    hints: &[
        "First look at the loads. A lane loads one byte at a time, so each request of a warp moves \
         only 32 bytes. With `reinterpret_cast<const uint4*>(in)`, a lane loads 16 bytes at once. \
         Byte `k` of a word is `word >> 8 * k & 255`.",
        "Now look at the atomic operations. The 32 lanes of a warp count in 256 bins, and bin `b` \
         is in bank `b % 32`. With random bytes, there's usually a bank in which three or four \
         lanes need different words, so these lanes wait for each other.",
        "If each lane had its own counter for each bin, and all counters of a lane were in a bank \
         that no other lane uses, there would be no conflicts. How do you have to arrange the 32 \
         counters of each bin? How much shared memory do all counters need, and how much do they \
         need with 16 counters for each bin?",
        "Counter `c` of bin `b` is `counts[b * 32 + c]`, and a lane uses `c = threadIdx.x % 32`. \
         Each lane of a warp then has a bank of its own. At the end, a thread adds up the 32 \
         counters of a bin. To avoid conflicts there, too, let thread `b` begin with counter \
         `b % 32`.",
    ],
    pitfalls: &[
        "Don't give each warp a histogram of its own with 256 counters. Conflicts happen between \
         the lanes of a warp, and all lanes of a warp would still share one histogram.",
        "Don't arrange the counters as `counts[c * 256 + b]`. The bank of this counter is `b % 32` \
         for every `c`.",
        "Don't forget the last `n % 16` bytes.",
        "Don't write `counts[k]++` instead of an atomic addition. Other threads of the block use \
         the same counters.",
        "Don't set only the first 256 counters to 0. All of them have to start at 0.",
        "Don't use `char` for a byte. It may be signed, and then the values from 128 on would be \
         negative indices.",
        "Don't use a separate atomic operation to add each of the 32 counters to the global bin. \
         First add up the 32 counters, and then add their sum to the global bin.",
    ],
    learn: "chapter 13, \"Counters in different banks\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn of_512(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [512, 1])
}

/// `percent` % of the bytes have the same value, and the others are random.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (n, percent) = (case.size("n"), case.size("percent"));
    let popular: u8 = rng.random();
    let bytes = ArrayD::from_shape_simple_fn(&[n][..], || {
        if rng.random_range(0..100) < percent { popular } else { rng.random() }
    });
    let before = ArrayD::from_shape_simple_fn(&[BINS][..], || rng.random_range(0..10_000_u32));
    vec![Value::Array(Array::U8(bytes)), Value::Array(Array::U32(before)), int(n)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let [Value::Array(Array::U8(bytes)), Value::Array(Array::U32(before)), ..] = inputs else {
        panic!("the arguments aren't bytes and bins")
    };
    let mut bins = before.clone();
    for byte in bytes {
        bins[[usize::from(*byte)]] += 1;
    }
    vec![Array::U32(bins)]
}

#[cfg(test)]
mod tests {
    use ndarray::Array1;

    use super::*;

    #[test]
    fn bytes_are_added_to_the_bins() {
        let bytes = Array1::from(vec![3_u8, 255, 3, 0]).into_dyn();
        let before = Array1::from_elem(BINS, 10_u32).into_dyn();
        let inputs = [Value::Array(Array::U8(bytes)), Value::Array(Array::U32(before)), int(4)];
        let found = reference(&SPEC.cases[0], &inputs);
        let mut expected = Array1::from_elem(BINS, 10_u32);
        (expected[0], expected[3], expected[255]) = (11, 12, 11);
        assert_eq!(found, [Array::U32(expected.into_dyn())]);
    }
}
