//! The largest element and its index in one launch: the last block to finish combines the results
//! of all blocks.

use ndarray::{ArrayD, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// Threads per block, as in the skeleton.
const THREADS: usize = 128;

/// `last_block`.
pub static SPEC: Spec = Spec {
    id: "last_block",
    chapter: "ch06_atomics",
    kind: Kind::Kernel,
    start: Start::Write,
    minutes: 35,
    goal: "let the last block combine the results of all blocks",
    cooperative: false,
    ordered: &["parts", "places"],
    params: &[
        ints_in("in", "[n]"),
        ints_out("parts", "[grid]"),
        ints_out("places", "[grid]"),
        ints_out("best", "[2]"),
        Param { name: "finished", role: Role::InOut, dtype: DType::I32, shape: "[1]" },
        count("n"),
    ],
    cases: &[
        line(
            "one block",
            "the first block is also the last one",
            &[("n", 100), ("values", 1 << 20)],
            1,
        ),
        line("four blocks", "a result for each block", &[("n", 1000), ("values", 1 << 20)], 4),
        line("one element", "only one block has an element", &[("n", 1), ("values", 1 << 20)], 5),
        gated(line(
            "200 blocks",
            "more results than the last block has threads",
            &[("n", 40_000), ("values", 1 << 20)],
            200,
        )),
        line(
            "many ties",
            "if several elements are the largest, the kernel has to choose the first of them",
            &[("n", 20_000), ("values", 5)],
            140,
        ),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    // 1250 requests for the elements, 200 for the tickets, and 14 for the results. If a block
    // combines the elements once more, it needs at least 313 more.
    //
    // The elements have 160 000 bytes, and the outputs have 403 elements. Loading the elements once
    // more with wide loads takes few requests, but as many bytes.
    gates: &[
        load_requests(1600.0, None),
        at_most(Metric::BytesPerElement, 600.0),
        shared_work(800.0),
    ],
    hints: &[
        "Look at the lesson's kernel once more. Which line stores a block's result, which \
         line takes the ticket, and which lines guarantee the order of these accesses?",
        "In thread 0, store `part.value` and `part.place`, call `__threadfence()`, and take the \
         ticket with `atomicAdd(finished, 1)`, which returns the number of blocks that have taken \
         a ticket before this one. Which ticket is the last one?",
        "Only thread 0 has the ticket, so only this thread can see whether the ticket is the last \
         one. Let thread 0 store the answer in `last`, which is in shared memory. What has to \
         happen before the other threads read `last`? Thread 0 also needs a fence after the \
         ticket, because its block then reads the results of other blocks.",
        "In the last block, thread `t` finds the best of the results `t`, `t + THREADS`, and so \
         on, while the index is less than `gridDim.x`. Then `best_of_block` combines the results \
         of the threads, as it did for the elements.",
        "At the end, thread 0 of the last block stores `best[0]` and `best[1]`, and sets \
         `*finished` to 0. At that point, all other blocks have already taken their tickets.",
    ],
    pitfalls: &[
        "Put a fence before the line that takes the ticket. Otherwise, the last block may see the \
         ticket before it can see this block's result.",
        "A single `__threadfence()` before the ticket isn't enough. The last block might read the \
         results too early, so it needs a fence after the ticket as well.",
        "Don't use `__threadfence_block()`. It orders the accesses only for the threads of the \
         same block, but another block reads the results.",
        "If every thread takes a ticket, a thread gets the ticket `gridDim.x - 1` before most \
         blocks have finished.",
        "Don't assume that the block with the highest `blockIdx.x` is the last one. Blocks start \
         and finish in any order.",
        "It isn't enough if each thread of the last block reads only one result. If there are more \
         blocks than threads, no thread reads the other results.",
        "Don't forget to set the counter back to 0. Otherwise, the tickets would be too high in \
         the next launch, so no block would be the last one.",
    ],
    learn: "chapter 6, \"The last block finishes the work\"",
    skeleton: Slug::NotStarted,
    inputs,
    reference,
};

const fn line(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [THREADS as u32, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (n, blocks) = (case.size("n"), case.grid[0] as usize);
    let values = case.size("values") as i32;
    let mut random = ArrayD::from_shape_simple_fn(&[n][..], || rng.random_range(-values..0));
    if blocks > THREADS && values > 5 {
        // if each thread of the last block reads only one result, it misses the largest element
        let index = rng.random_range(THREADS * THREADS..THREADS * blocks);
        random[[index]] = 0;
        // as floats, these two are the same number
        random[[0]] = -1;
        random.iter_mut().for_each(|value| *value += 1 << 30);
    }
    let zero = Array::I32(arr1(&[0]).into_dyn());
    let [parts, places, best] = [blocks, blocks, 2].map(|len| ints(&[len]));
    vec![Value::Array(Array::I32(random)), parts, places, best, Value::Array(zero), int(n)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(Array::I32(values))) = inputs.first() else {
        panic!("argument 0 isn't an array of ints")
    };
    let values: Vec<i32> = values.iter().copied().collect();
    let blocks = case.grid[0] as usize;
    let parts: Vec<Best> = (0..blocks).map(|block| best(&values, blocks, block)).collect();
    let all = best(&values, 1, 0);
    let array = |values: Vec<i32>| Array::I32(arr1(&values).into_dyn());
    vec![
        array(parts.iter().map(|part| part.value).collect()),
        array(parts.iter().map(|part| part.place).collect()),
        array(vec![all.value, all.place]),
        array(vec![0]),
    ]
}

/// A largest element and its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Best {
    value: i32,
    place: i32,
}

/// The first of the largest elements that one of `blocks` blocks visits in a grid-stride loop.
fn best(values: &[i32], blocks: usize, block: usize) -> Best {
    let nothing = Best { value: i32::MIN, place: values.len() as i32 };
    let visited = values.iter().enumerate().filter(|(i, _)| i / THREADS % blocks == block);
    visited.fold(nothing, |best, (i, &value)| match (value, best.place) {
        // the smallest element is better than none
        (i32::MIN, place) if place == nothing.place => Best { value, place: i as i32 },
        _ if value > best.value => Best { value, place: i as i32 },
        _ => best,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With two blocks, block 0 visits elements 0 to 127 and 256 to 383, which include element 300.
    #[test]
    fn the_first_of_equal_elements_of_a_block() {
        let mut values = vec![-7; 400];
        values[130] = -2;
        values[200] = -2;
        values[300] = -1;
        assert_eq!(best(&values, 2, 1), Best { value: -2, place: 130 });
        assert_eq!(best(&values, 2, 0), Best { value: -1, place: 300 });
        assert_eq!(best(&values, 1, 0), Best { value: -1, place: 300 });
        assert_eq!(best(&values, 9, 8), Best { value: i32::MIN, place: 400 });
        assert_eq!(best(&[i32::MIN; 2], 1, 0), Best { value: i32::MIN, place: 0 });
    }
}
