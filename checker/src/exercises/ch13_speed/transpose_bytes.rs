//! A transpose of bytes, four of which move together.

use ndarray::{Array2, ArrayD, ArrayView2, Ix2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Gate, Kind, Metric, Param, Role, Spec, Start, Tolerance};
use crate::value::{Array, DType, Value};

/// Bytes of the case whose counts are graded, and its requests if each of them moves 128 bytes.
const GATED: usize = 128 * 192;
const REQUESTS: f64 = GATED as f64 / 128.0;

/// `transpose_bytes`.
///
/// The skeleton does what chapter 4 teaches. On an H100, it reaches 43 % of the rate of a copy, and
/// the solution reaches 92 %. There, it makes no difference whether a store into the tile takes
/// one, two or four wavefronts, so the gate allows three conflicts for each of them.
pub static SPEC: Spec = Spec {
    id: "transpose_bytes",
    chapter: "ch13_speed",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 35,
    goal: "transpose bytes with requests that move 128 bytes",
    cooperative: false,
    ordered: &[],
    params: &[
        bytes("in", Role::In, "[rows][cols]"),
        bytes("out", Role::Out, "[cols][rows]"),
        count("rows"),
        count("cols"),
    ],
    cases: &[
        tiles("64 x 128", "two whole tiles side by side", &[("rows", 64), ("cols", 128)], [2, 1]),
        tiles("4 x 8", "a tile that's nearly empty", &[("rows", 4), ("cols", 8)], [1, 1]),
        tiles(
            "76 x 140",
            "the tiles at two edges are only partly full",
            &[("rows", 76), ("cols", 140)],
            [3, 2],
        ),
        tiles("4 x 300", "four rows become four columns", &[("rows", 4), ("cols", 300)], [5, 1]),
        tiles("68 x 4", "four columns become four rows", &[("rows", 68), ("cols", 4)], [1, 2]),
        gated(tiles(
            "128 x 192",
            "the rows of both matrices consist of whole tiles",
            &[("rows", 128), ("cols", 192)],
            [3, 2],
        )),
    ],
    large: Some(tiles("large", "", &[("rows", 8192), ("cols", 16_384)], [256, 128])),
    tolerance: Tolerance::Exact,
    gates: &[
        load_requests(REQUESTS, Some(4.0 * REQUESTS)),
        Gate { baseline: Some(4.0 * REQUESTS), ..at_most(Metric::StoreRequests, REQUESTS) },
        sectors(2, 4.5, 4.0),
        Gate { baseline: Some(0.0), ..at_most(Metric::SharedConflicts, 3.0 * REQUESTS) },
        // a thread with one square needs about 100
        shared_work(350.0),
    ],
    hints: &[
        "A warp loads 32 neighbouring bytes with each request. What would each lane have to load, \
         so that a request moves 128 bytes?",
        "A word of `in` consists of four bytes of a row. In `out`, these four bytes are in four \
         different rows, so you can't store the word as it is. Which 16 bytes of `in` make four \
         words of `out`?",
        "Let a thread load a word from each of four consecutive rows. That's a square of 4 x 4 \
         bytes, and the thread can transpose it in registers. Then the tile consists of words, and \
         the block uses it to transpose the squares, as it transposed the elements in chapter 4.",
        "`__byte_perm(a, b, 0x5140)` takes byte 0 of `a`, byte 0 of `b`, byte 1 of `a` and byte 1 \
         of `b`, because 4 and 5 are the first two bytes of `b`. So it combines two rows of the \
         square. `0x7362` does the same with the upper two bytes. After that, each half of a word \
         has two bytes of one column. From the word with rows 0 and 1 and the word with rows 2 \
         and 3, `0x5410` takes both lower halves, which are a whole column, and `0x7632` takes \
         both upper halves, which are the next column.",
        "A block has 16 x 16 squares, one for each thread. With `tx = threadIdx.x % 16` and `ty = \
         threadIdx.x / 16`, the thread loads from rows `4 * ty` to `4 * ty + 3` and stores word \
         `k` of the transposed square in `tile[4 * tx + k][ty]`. After the barrier, it stores \
         `tile[4 * ty + k][tx]` in row `4 * ty + k` of the tile of `out`. Declare `unsigned \
         tile[64][17]`, because with 16 words in a row, the stores of half a warp would all be to \
         the same bank and cause conflicts.",
    ],
    pitfalls: &[
        "Don't transpose only the squares, and don't transpose only the tile. With only one of \
         these steps, most bytes end up in the wrong place.",
        "Don't mix up the order of the bytes in a word. Byte 0, the lowest one, is the first in \
         memory.",
        "Don't load words from addresses that aren't multiples of 4. All addresses are multiples \
         of 4 if `rows`, `cols`, and the first row and column of the square are.",
        "Don't test each byte of a square against the edge of the matrix. Because `rows` and \
         `cols` are multiples of 4, a square is either inside or outside.",
        "Don't use the same guard for the load and for the store. In `out`, the square's row \
         and column are swapped, and so are `rows` and `cols`.",
        "Don't load 16 bytes from each row. The square would have 16 x 16 bytes, which are 64 \
         registers for each thread.",
    ],
    learn: "chapter 13, \"Four bytes at a time\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

const fn bytes(name: &'static str, role: Role, shape: &'static str) -> Param {
    Param { name, role, dtype: DType::U8, shape }
}

/// Blocks of 256 threads, with a tile of 64 x 64 bytes for each block.
const fn tiles(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
    grid: [u32; 2],
) -> Case {
    case(name, why, sizes, grid, [256, 1])
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
