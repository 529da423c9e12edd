//! `wmma`: each warp loads matrices from memory, multiplies them, and stores the result.

use super::Table;
use super::matrices::{Numbers, pairs};
use super::sums::{self, Factor, Sum};
use super::values::ELEMENTS;
use crate::Random;

/// Bytes between the matrices of neighbouring warps in the inputs, which overlap.
const WARP_BYTES: usize = 128;

/// A matrix in memory: rows and columns, and whether its columns are contiguous.
#[derive(Debug, Clone, Copy)]
struct Matrix {
    rows: usize,
    columns: usize,
    by_columns: bool,
    /// Elements from one line to the next beyond those of a line.
    padding: usize,
}

/// The padding of 16 bytes, or of as many as make lines multiples of 16 bytes.
fn padding(line: usize, bytes: usize) -> usize {
    if (line * bytes).is_multiple_of(16) { 16 / bytes } else { (16 - line * bytes % 16) / bytes }
}

impl Matrix {
    fn layout(&self) -> &'static str {
        if self.by_columns { "col" } else { "row" }
    }

    fn stride(&self) -> usize {
        self.padding + if self.by_columns { self.rows } else { self.columns }
    }

    /// The number of an element in memory.
    fn index(&self, row: usize, column: usize) -> usize {
        let [line, along] = if self.by_columns { [column, row] } else { [row, column] };
        line * self.stride() + along
    }
}

/// An element of an input.
fn element(input: &[u64], warp: usize, index: usize, bytes: usize) -> u64 {
    let byte = warp * WARP_BYTES + index * bytes;
    input[byte / 8] >> (byte % 8 * 8) & (u64::MAX >> (64 - 8 * bytes))
}

fn registers(first: usize, count: usize) -> String {
    let all: Vec<String> = (first..first + count).map(|n| format!("%r{n}")).collect();
    format!("{{{}}}", all.join(", "))
}

/// The address of the warp's matrix in an input: %x20 for a, %x21 for b, %x22 for c.
fn addresses() -> String {
    let mut text = format!(
        "shr.u32 %r40, %r20, 5;\nmul.wide.u32 %x3, %r40, {WARP_BYTES};\nshr.u32 %r41, %r21, 5;\n"
    );
    for n in 0..3 {
        text += &format!("add.s64 %x2{n}, %x1{}, %x3;\n", n + 1);
    }
    text
}

/// The registers of a fragment, each with the positions of its elements: the line and the element
/// of it where the block of 8 lines begins that the register is from. A line is a row of the first
/// factor and of sums, and a column of the second factor; and of sums with 8 rows and 32 columns.
fn blocks(part: char, [m, n]: [usize; 2], k: usize, bytes: usize) -> Vec<[usize; 2]> {
    let pairs = |lines: usize, length: usize, step: usize| {
        let mut all = vec![];
        for first in (0..lines).step_by(16) {
            for along in (0..length).step_by(step) {
                all.extend([[first, along], [first + 8, along]]);
            }
        }
        all
    };
    let single = |lines: usize, length: usize, step: usize| {
        let mut all = vec![];
        for first in (0..lines).step_by(8) {
            all.extend((0..length).step_by(step).map(|along| [first, along]));
        }
        all
    };
    let step = 16 / bytes;
    match part {
        'a' if m > 8 => pairs(m, k, step),
        'b' if n > 16 => pairs(n, k, step),
        'a' => single(m, k, step),
        'b' => single(n, k, step),
        _ if m == 8 => pairs(n, m, 8),
        _ => pairs(m, n, 8),
    }
}

/// What each lane holds after a load: the raw registers, for every type and shape.
pub(super) fn fragments_of_matrices(t: &Table) {
    let input: Vec<u64> = (0..ELEMENTS as u64)
        .map(|i| (0..4).fold(0, |w, n| w | ((4 * i + n) * 0x9d % 0x10000) << (16 * n)))
        .collect();
    let shapes = [[16, 16], [32, 8], [8, 32]];
    let mut types = vec![];
    for shape in shapes {
        for (name, bytes) in [("f16", 2), ("bf16", 2), ("s8", 1), ("u8", 1)] {
            types.extend([('a', name, bytes, shape, 16), ('b', name, bytes, shape, 16)]);
        }
        for (name, bytes) in [("f16", 2), ("f32", 4), ("s32", 4)] {
            types.push(('c', name, bytes, shape, 16));
        }
    }
    types.extend([('a', "tf32", 4, [16, 16], 8), ('b', "tf32", 4, [16, 16], 8)]);
    for (part, name, bytes, [m, n], k) in types {
        let [rows, columns] = match part {
            'a' => [m, k],
            'b' => [k, n],
            _ => [m, n],
        };
        let blocks = blocks(part, [m, n], k, bytes);
        let wide = part == 'c' && bytes == 4;
        let distinct = if wide { 2 * blocks.len() } else { blocks.len() };
        let count = if part != 'c' && name == "f16" { 8 } else { distinct };
        for by_columns in [false, true] {
            let padding = padding(if by_columns { rows } else { columns }, bytes);
            let matrix = Matrix { rows, columns, by_columns, padding };
            let instruction = format!(
                "wmma.load.{part}.sync.aligned.{}.m{m}n{n}k{k}.global.{name} {}, [%x20], {};",
                matrix.layout(),
                registers(0, count),
                matrix.stride()
            );
            let register = |warp: usize, lane: usize, register: usize| {
                let register = register % distinct;
                let [line, along] = blocks[if wide { register / 2 } else { register }];
                let neighbours = if part == 'c' { 2 } else { 4 / bytes };
                let first = if wide { register % 2 } else { 0 };
                (0..4 / bytes).fold(0, |word, e| {
                    let line = line + lane / 4;
                    let along = along + lane % 4 * neighbours + first + e;
                    let columns = part == 'b' || part == 'c' && m == 8;
                    let [row, column] = if columns { [along, line] } else { [line, along] };
                    let value = element(&input, warp, matrix.index(row, column), bytes);
                    word | value << (8 * bytes * e)
                })
            };
            for first in (0..count).step_by(2) {
                let second = (first + 1) % count;
                let body = format!(
                    "{}{instruction}\nmov.b64 %x6, {{%r{first}, %r{second}}};",
                    addresses()
                );
                let expected = (0..ELEMENTS).map(|i| {
                    let of = |n| register(i / 32, i % 32, n);
                    of(first) | of(second) << 32
                });
                let text = format!("{instruction} registers {first}");
                let inputs = [input.clone(), vec![0; ELEMENTS], vec![0; ELEMENTS]];
                t.warps(&text, &body, inputs, expected.collect());
            }
        }
    }
}

/// One `wmma.mma` with its loads and its store.
#[derive(Debug, Clone, Copy)]
struct Multiply {
    shape: [usize; 2],
    k: usize,
    factor: Factor,
    c: Sum,
    d: Sum,
    saturate: bool,
    columns: [bool; 4],
    shared: bool,
}

impl Multiply {
    fn matrices(&self) -> [Matrix; 4] {
        let ([m, n], k) = (self.shape, self.k);
        let bytes = self.factor.bytes();
        let sizes = [(m, k, bytes), (k, n, bytes), (m, n, self.c.bytes()), (m, n, self.d.bytes())];
        std::array::from_fn(|i| {
            let (rows, columns, bytes) = sizes[i];
            let by_columns = self.columns[i];
            let padding = padding(if by_columns { rows } else { columns }, bytes);
            // the words of the result are all read
            Matrix { rows, columns, by_columns, padding: if i == 3 { 0 } else { padding } }
        })
    }

    fn body(&self) -> (String, String) {
        let ([m, n], k) = (self.shape, self.k);
        let [a, b, c, d] = self.matrices();
        let (factor, bytes) = (self.factor.name(), self.factor.bytes());
        let shape = format!("m{m}n{n}k{k}");
        let counts = [m, n].map(|lines| match self.factor {
            Factor::F16 => 8,
            _ => lines * k * bytes / 128,
        });
        let sums = |sum: Sum| m * n * sum.bytes() / 128;
        let mut text = addresses();
        let (mut space, mut pointers) = ("global", ["%x20", "%x21", "%x22"].map(str::to_owned));
        if self.shared {
            // each warp copies the inputs, and so the same values as the other one
            space = "shared";
            text += "mul.wide.u32 %x8, %r21, 8;\n";
            for (n, name) in ["first", "second", "third"].into_iter().enumerate() {
                text += &format!("mov.u64 %x9, {name};\nadd.s64 %x16, %x9, %x8;\n");
                for part in 0..8 {
                    let at = part * 512;
                    text += &format!(
                        "add.s64 %x2{n}, %x1{}, %x8;\nld.global.u64 %x18, [%x2{n}+{at}];\nst.shared.u64 [%x16+{at}], %x18;\n",
                        n + 1
                    );
                }
                text += &format!("add.s64 %x2{n}, %x9, %x3;\n");
            }
            text += "bar.sync 0;\n";
            pointers = ["%x20", "%x21", "%x22"].map(str::to_owned);
        }
        let first = [48, 56, 64, 72];
        for (n, (part, matrix, count, ty)) in [
            ('a', a, counts[0], factor),
            ('b', b, counts[1], factor),
            ('c', c, sums(self.c), self.c.name()),
        ]
        .into_iter()
        .enumerate()
        {
            text += &format!(
                "wmma.load.{part}.sync.aligned.{}.{shape}.{space}.{ty} {}, [{}], {};\n",
                matrix.layout(),
                registers(first[n], count),
                pointers[n],
                matrix.stride()
            );
        }
        let types = match self.factor {
            Factor::F16 => format!("{}.{}", self.d.name(), self.c.name()),
            _ => format!("{}.{factor}.{factor}.{}", self.d.name(), self.c.name()),
        };
        let multiply = format!(
            "wmma.mma.sync.aligned.{}.{}.{shape}.{types}{}",
            a.layout(),
            b.layout(),
            if self.saturate { ".satfinite" } else { "" },
        );
        text += &format!(
            "{multiply} {}, {}, {}, {};\n",
            registers(first[3], sums(self.d)),
            registers(first[0], counts[0]),
            registers(first[1], counts[1]),
            registers(first[2], sums(self.c)),
        );
        // the warp's own half of `third`, which nothing reads any more
        text += &format!(
            "bar.sync 0;\nmov.u64 %x9, third;\nmul.wide.u32 %x8, %r41, 2048;\nadd.s64 %x9, %x9, %x8;\n\
             wmma.store.d.sync.aligned.{}.{shape}.shared.{} [%x9], {}, {};\nbar.sync 0;\n\
             and.b32 %r42, %r21, 31;\nmul.wide.u32 %x8, %r42, {};\nadd.s64 %x9, %x9, %x8;\nmov.u64 %x6, 0;\n",
            d.layout(),
            self.d.name(),
            registers(first[3], sums(self.d)),
            d.stride(),
            4 * sums(self.d),
        );
        for word in 0..sums(self.d) {
            text += &format!(
                "ld.shared.u32 %r43, [%x9+{}];\ncvt.u64.u32 %x8, %r43;\nmad.lo.u64 %x6, %x6, {MIX}, %x8;\n",
                4 * word
            );
        }
        let spaces = format!("{multiply} in {space} memory, d by {}", d.layout());
        (spaces, text)
    }

    /// The words of the result in memory.
    fn result(&self, warp: usize, [a, b, c]: [&[u64]; 3]) -> Vec<u64> {
        let [m, n] = self.shape;
        let [of_a, of_b, of_c, of_d] = self.matrices();
        let bytes = self.factor.bytes();
        let mut words = vec![0; m * n * self.d.bytes() / 4];
        for row in 0..m {
            for column in 0..n {
                let row_of_a: Vec<u64> =
                    (0..self.k).map(|k| element(a, warp, of_a.index(row, k), bytes)).collect();
                let column_of_b: Vec<u64> =
                    (0..self.k).map(|k| element(b, warp, of_b.index(k, column), bytes)).collect();
                let c = element(c, warp, of_c.index(row, column), self.c.bytes());
                let d = self.sum((&row_of_a, &column_of_b), c);
                let byte = of_d.index(row, column) * self.d.bytes();
                words[byte / 4] |= d << (byte % 4 * 8);
            }
        }
        words
    }

    fn sum(&self, factors: (&[u64], &[u64]), c: u64) -> u64 {
        use super::small::{F16, F32};
        if self.factor.is_integer() {
            return sums::of_integers([self.factor; 2], factors, c, self.saturate);
        }
        // the assembler makes two multiplications of one of 8 columns of tf32
        let products = if self.factor == Factor::Tf32 { 4 } else { 16 };
        match (self.c, self.d) {
            (Sum::F16, Sum::F16) => sums::of_floats(self.factor, factors, c, Sum::F16, products),
            (from, to) => {
                let c = if from == Sum::F16 { F32.nearest(F16.value(c)) } else { c };
                let d = sums::of_floats(self.factor, factors, c, Sum::F32, products);
                if to == Sum::F16 { F16.nearest(F32.value(d)) } else { d }
            }
        }
    }
}

/// What the words of a lane are multiplied with when they are joined.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

pub(super) fn products_of_fragments(t: &Table) {
    let layouts = [[false, true], [true, false], [false, false], [true, true]];
    let mut all = vec![];
    for (n, shape) in [[16, 16], [32, 8], [8, 32]].into_iter().enumerate() {
        for (l, [a, b]) in layouts.into_iter().enumerate() {
            for (factor, c, d) in [
                (Factor::F16, Sum::F32, Sum::F32),
                (Factor::F16, Sum::F16, Sum::F16),
                (Factor::F16, Sum::F32, Sum::F16),
                (Factor::F16, Sum::F16, Sum::F32),
                (Factor::Bf16, Sum::F32, Sum::F32),
                (Factor::S8, Sum::S32, Sum::S32),
                (Factor::U8, Sum::S32, Sum::S32),
            ] {
                let columns = [a, b, (n + l) % 2 == 1, l % 3 == 1];
                let shared = (n + l) % 2 == 0;
                let saturate = factor.is_integer() && l < 2;
                all.push(Multiply { shape, k: 16, factor, c, d, saturate, columns, shared });
            }
        }
    }
    for (l, [a, b]) in layouts.into_iter().enumerate() {
        for shared in [false, true] {
            let columns = [a, b, l % 2 == 0, l > 1];
            let (c, d, saturate) = (Sum::F32, Sum::F32, false);
            let factor = Factor::Tf32;
            all.push(Multiply { shape: [16, 16], k: 8, factor, c, d, saturate, columns, shared });
        }
    }
    for (n, multiply) in all.into_iter().enumerate() {
        for numbers in [Numbers::Similar, Numbers::Cancelling] {
            let mut random = Random(n as u64 + 1000 * numbers as u64);
            let factors = [0, 1].map(|_| pairs(|| numbers.word(&mut random, multiply.factor)));
            let sums = pairs(|| numbers.sums(&mut random, multiply.c));
            let [a, b] = factors;
            let mut expected = vec![];
            for warp in 0..ELEMENTS / 32 {
                let words = multiply.result(warp, [&a, &b, &sums]);
                expected.extend(words.chunks(words.len() / 32).map(|words| {
                    words.iter().fold(0_u64, |mix, w| mix.wrapping_mul(MIX).wrapping_add(*w))
                }));
            }
            let (text, body) = multiply.body();
            t.warps(&format!("{text}, {numbers:?}"), &body, [a, b, sums], expected);
        }
    }
}
