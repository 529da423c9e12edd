//! A transpose of bytes, 16 of which move together.

use ndarray::{Array2, ArrayD, ArrayView2, Ix2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// Bytes of the case whose counts are graded, and its requests if each lane moves 16 bytes.
const GATED: usize = 256 * 384;
const REQUESTS: f64 = GATED as f64 / 512.0;

/// `transpose_bytes`.
///
/// The skeleton does what chapter 4 teaches. On an H200, it reaches 30 % of the rate of a copy.
/// With words of four bytes for each lane, it reaches 82 %, and with 16 bytes and these tiles 92 %.
pub static SPEC: Spec = Spec {
    id: "transpose_bytes",
    chapter: "ch13_speed",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 45,
    goal: "transpose bytes with requests that move 512 bytes",
    cooperative: false,
    ordered: &[],
    params: &[
        bytes("in", Role::In, "[rows][cols]"),
        bytes("out", Role::Out, "[cols][rows]"),
        count("rows"),
        count("cols"),
    ],
    cases: &[
        tiles("256 x 256", "two whole tiles side by side", &[("rows", 256), ("cols", 256)], [2, 1]),
        tiles("16 x 32", "a tile that's nearly empty", &[("rows", 16), ("cols", 32)], [1, 1]),
        tiles(
            "304 x 272",
            "the tiles at two edges are only partly full",
            &[("rows", 304), ("cols", 272)],
            [3, 2],
        ),
        tiles("16 x 400", "16 rows become 16 columns", &[("rows", 16), ("cols", 400)], [4, 1]),
        tiles("272 x 16", "16 columns become 16 rows", &[("rows", 272), ("cols", 16)], [1, 2]),
        gated(tiles(
            "256 x 384",
            "the rows of both matrices consist of whole tiles",
            &[("rows", 256), ("cols", 384)],
            [3, 1],
        )),
    ],
    large: Some(tiles("large", "", &[("rows", 8192), ("cols", 32_768)], [256, 32])),
    tolerance: Tolerance::Exact,
    gates: &[
        load_requests(REQUESTS, Some(16.0 * REQUESTS)),
        Gate { baseline: Some(16.0 * REQUESTS), ..at_most(Metric::StoreRequests, REQUESTS) },
        sectors(2, 4.5, 4.0),
        Gate { baseline: Some(0.0), ..at_most(Metric::SharedConflicts, 12.0 * REQUESTS) },
        // a thread with four squares needs about 300
        shared_work(800.0),
    ],
    hints: &[
        "A warp loads 32 neighbouring bytes with each request. What would each lane have to load, \
         so that a request moves 512 bytes?",
        "A lane can load 16 bytes of a row as a `uint4`, which consists of four words. In `out`, \
         the four bytes of a word are in four different rows, so you can't store the word as it \
         is. Which 16 bytes of `in` make four words of `out`?",
        "Let a thread load 16 bytes from each of four consecutive rows. These are four squares of \
         4 x 4 bytes, side by side, and the thread can transpose each of them in registers. Then \
         the tile consists of words, and the block uses it to transpose the squares, as it \
         transposed the elements in chapter 4.",
        "`__byte_perm(a, b, 0x5140)` takes byte 0 of `a`, byte 0 of `b`, byte 1 of `a` and byte 1 \
         of `b`, because 4 and 5 are the first two bytes of `b`. So it combines two rows of the \
         square. `0x7362` does the same with the upper two bytes. After that, each half of a word \
         has two bytes of one column. From the word with rows 0 and 1 and the word with rows 2 \
         and 3, `0x5410` takes both lower halves, which are a whole column, and `0x7632` takes \
         both upper halves, which are the next column.",
        "With `tx = threadIdx.x % 8` and `ty = threadIdx.x / 8`, a thread loads 16 bytes at column \
         `16 * tx` from rows `4 * ty` to `4 * ty + 3`. A row of the tile of `out` has 64 words, and \
         word `ty` of row `16 * tx + 4 * square + k` is word `k` of a transposed square. After the \
         barrier, 16 threads store a row of 256 bytes, 16 bytes each. Because the tile has 128 rows \
         and the block has 512 threads, each thread does this for four rows.",
        "For the lanes of a warp, rows of the tile are 16 apart, so with 64 words in a row, eight \
         of these lanes would store into one bank. Padding doesn't help, because a vector has \
         to begin at a multiple of 16 bytes. Instead, begin each group of 16 rows \
         four words later: the place of word `word` of row `row` is `row * 64 + (word + 4 * (row \
         / 16)) % 64`. The four words of a vector stay together, so you can load them from the tile \
         as a `uint4`. Declare the tile as `__shared__ __align__(16) unsigned tile[128 * 64];`.",
    ],
    pitfalls: &[
        "Don't transpose only the squares, and don't transpose only the tile. With only one of \
         these steps, most bytes end up in the wrong place.",
        "Don't mix up the order of the bytes in a word. Byte 0, the lowest one, is the first in \
         memory.",
        "Don't load vectors from addresses that aren't multiples of 16, neither from global memory \
         nor from the tile. In global memory, all addresses are multiples of 16 if `rows`, `cols`, \
         and the first column of the vector are.",
        "Don't test each byte of a vector against the edge of the matrix. Because `rows` and \
         `cols` are multiples of 16, a vector is either inside or outside.",
        "Don't use the same guard for the load and for the store. In `out`, rows and columns are \
         swapped, and so are `rows` and `cols`.",
        "Don't load 16 rows for each thread. A square of 16 x 16 bytes would need 64 registers, \
         where four squares of 4 x 4 bytes need 16.",
    ],
    learn: "chapter 13, \"Several bytes at a time\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn bytes(name: &'static str, role: Role, shape: &'static str) -> Param {
    Param { name, role, dtype: DType::U8, shape }
}

/// Blocks of 512 threads, with a tile of 256 x 128 bytes for each block.
const fn tiles(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [512, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (rows, cols) = (case.size("rows"), case.size("cols"));
    let values = ArrayD::from_shape_simple_fn(&[rows, cols][..], || rng.random());
    let out = Value::Out { dtype: DType::U8, shape: vec![cols, rows] };
    vec![Value::Array(Array::U8(values)), out, int(rows), int(cols)]
}

fn reference(_: &Case, inputs: &[Value]) -> Vec<Array> {
    let Some(Value::Array(Array::U8(matrix))) = inputs.first() else {
        panic!("argument 0 isn't an array of unsigned bytes")
    };
    let matrix = matrix.view().into_dimensionality::<Ix2>().expect("a matrix");
    vec![Array::U8(transposed(matrix).into_dyn())]
}

fn transposed(matrix: ArrayView2<'_, u8>) -> Array2<u8> {
    matrix.t().as_standard_layout().into_owned()
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn rows_become_columns() {
        let turned = transposed(array![[1, 2, 3], [4, 5, 6]].view());
        assert_eq!(turned, array![[1, 4], [2, 5], [3, 6]]);
        // the elements must have this order in memory, too, because outputs are compared in it
        assert_eq!(turned.as_slice(), Some(&[1, 4, 2, 5, 3, 6][..]));
    }
}
