//! The gradient of an embedding: additions to the rows of a table whose indices repeat.

use ndarray::{Array1, Array2, ArrayD};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

const DISTINCT: &str = "no word twice";
const CROWD: &str = "one word nearly everywhere";

/// `embedding_grad`.
pub static SPEC: Spec = Spec {
    id: "embedding_grad",
    chapter: "ch12_operators",
    kind: Kind::Kernel,
    start: Start::Fix,
    minutes: 15,
    goal: "add gradients to the rows of a table without losing any",
    cooperative: false,
    ordered: &[],
    params: &[
        ints_in("token", "[n]"),
        floats_in("grad", "[n][dim]"),
        floats_in_out("table", "[words][dim]"),
        count("n"),
        count("dim"),
    ],
    cases: &[
        positions(
            DISTINCT,
            "each row of the table has at most one addition, so the original kernel is right",
            &[("n", 20), ("words", 50), ("dim", 64)],
            20,
        ),
        positions(
            "a text with repetitions",
            "several blocks add to the same row",
            &[("n", 100), ("words", 30), ("dim", 64)],
            100,
        ),
        positions(
            CROWD,
            "nearly all blocks add to the same row",
            &[("n", 400), ("words", 10), ("dim", 33)],
            400,
        ),
        positions(
            "300 columns",
            "a row is longer than a block",
            &[("n", 40), ("words", 12), ("dim", 300)],
            40,
        ),
        positions(
            "one column",
            "127 threads of a block have nothing to do",
            &[("n", 64), ("words", 9), ("dim", 1)],
            64,
        ),
        gated(positions(
            "512 positions, 256 columns",
            "each block does the work of one position",
            &[("n", 512), ("words", 200), ("dim", 256)],
            512,
        )),
        positions(
            "more blocks than positions",
            "three blocks have no position",
            &[("n", 17), ("words", 5), ("dim", 40)],
            20,
        ),
    ],
    large: None,
    // An element gets at most 399 additions. All of its summands have the same sign, so no sum
    // cancels.
    tolerance: Tolerance::OwnRoundings(399),
    gates: &[shared_work(400.0)],
    hints: &[
        "Take the text `the cat and the dog`. Which blocks add to the row of `the`? What happens \
         if both of them load the row before one of them has stored its sum?",
        "`row[d] += mine[d]` consists of a load, an addition and a store. No other block may \
         change the element in between.",
        "`atomicAdd(address, value)` performs all three steps as one unit, for floats as well as \
         for integers. Use `atomicAdd(&row[d], mine[d]);`.",
    ],
    pitfalls: &[
        "A barrier doesn't help, because the threads that add to the same element belong to \
         different blocks.",
        "Don't use `atomicAdd_block`, which is atomic only among the threads of one block.",
        "Don't use `atomicExch(&row[d], row[d] + mine[d])`. With `atomicExch`, the store is \
         atomic, but another block can still change the element after this thread has loaded \
         `row[d]` and before it stores the sum.",
        "Don't let one thread for each column go through all positions. That wouldn't lose any \
         addition, but only a few threads would work.",
    ],
    learn: "chapter 12, \"Gradients of a word\"",
    skeleton: Slug::GlobalRace,
    inputs,
    reference,
};

const fn positions(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    blocks: u32,
) -> Case {
    case(name, why, sizes, [blocks, 1], [128, 1])
}

/// All gradients that meet at an element have the same sign, which depends on the word and the
/// column. So no sum is near 0, where it would have lost its digits.
fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (n, words, dim) = (case.size("n"), case.size("words"), case.size("dim"));
    let tokens = tokens(case.name, n, words, rng);
    let sign = |word: usize, d: usize| if (word + d).is_multiple_of(2) { 1.0 } else { -1.0 };
    let grads = Array2::from_shape_fn((n, dim), |(i, d)| {
        sign(tokens[i], d) * rng.random_range(0.1..1.0_f32)
    });
    let table = Array2::from_shape_fn((words, dim), |(word, d)| {
        sign(word, d) * rng.random_range(0.5..5.0_f32)
    });
    let tokens = tokens.mapv(|word| i32::try_from(word).expect("words fit an int"));
    vec![
        Value::Array(Array::I32(tokens.into_dyn())),
        Value::Array(Array::F32(grads.into_dyn())),
        Value::Array(Array::F32(table.into_dyn())),
        int(n),
        int(dim),
    ]
}

fn tokens(case: &str, n: usize, words: usize, rng: &mut ChaCha8Rng) -> Array1<usize> {
    match case {
        DISTINCT => {
            let mut all: Vec<usize> = (0..words).collect();
            all.shuffle(rng);
            all.into_iter().take(n).collect()
        }
        CROWD => {
            let (word, other) = (rng.random_range(1..words), rng.random_range(0..n));
            (0..n).map(|i| if i == other { 0 } else { word }).collect()
        }
        // The product of two numbers makes small ones frequent, as words are in a text.
        _ => (0..n)
            .map(|_| {
                let fraction = rng.random_range(0.0..1.0_f64) * rng.random_range(0.0..1.0_f64);
                (fraction * words as f64) as usize
            })
            .collect(),
    }
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let matrix = |index| f64s(inputs, index).into_dimensionality().expect("a matrix");
    vec![added(&i32s(inputs, 0), &matrix(1), matrix(2)).into_dyn().into()]
}

/// The table after each row of `grads` has been added to the row of its token.
fn added(tokens: &ArrayD<i32>, grads: &Array2<f64>, mut table: Array2<f64>) -> Array2<f64> {
    for (token, grad) in tokens.iter().zip(grads.rows()) {
        let mut row = table.row_mut(*token as usize);
        row += &grad;
    }
    table
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn repeated_tokens_add_up() {
        let grads = array![[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]];
        let found = added(&array![1, 0, 1].into_dyn(), &grads, array![[0.5, 0.5], [0.0, 1.0]]);
        assert_eq!(found, array![[10.5, 20.5], [101.0, 203.0]]);
    }

    /// In every case but the first one, some row gets several additions.
    #[test]
    fn tokens_repeat() {
        use rand_chacha::rand_core::SeedableRng;
        for case in SPEC.cases {
            let tokens = i32s(&inputs(case, &mut ChaCha8Rng::seed_from_u64(7)), 0);
            let different: std::collections::HashSet<_> = tokens.iter().collect();
            assert_eq!(different.len() == tokens.len(), case.name == DISTINCT, "{}", case.name);
        }
    }
}
