//! Fragments: which elements of a matrix the lanes of a warp hold in which registers.
//!
//! PTX ISA defines the fragments of `mma` ("Matrix Fragments for mma.m16n8k16" and the like), and
//! leaves those of `wmma` open. The assembler for compute capability 9.0 implements `wmma` by
//! `mma`, so the fragments of both have one form here: blocks of 8 lines. Lane `l` holds
//! neighbouring elements of line `l / 4` of each block. A line is a row of the first factor, a
//! column of the second, and a row of a sum. A `wmma` with 8 rows and 32 columns is computed as its
//! transpose, so a line of its sums is a column.

use super::op::MultiplyShape as Shape;

/// The type of a matrix's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    Tf32,
    S8,
    U8,
    F32,
    S32,
}

impl Element {
    pub fn parse(modifier: &str) -> Option<Self> {
        Some(match modifier {
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "tf32" => Self::Tf32,
            "s8" => Self::S8,
            "u8" => Self::U8,
            "f32" => Self::F32,
            "s32" => Self::S32,
            _ => return None,
        })
    }

    pub const fn bytes(self) -> u32 {
        match self {
            Self::S8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 | Self::F32 | Self::S32 => 4,
        }
    }
}

/// The part of a matrix in a multiplication. The result has the layout of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    A,
    B,
    Sum,
}

/// A position in a matrix: the line, and the element of the line.
pub(crate) type Position = [u32; 2];

/// Lanes that hold elements of one line.
const LANES_OF_LINE: u32 = 4;
/// Lines of a block.
pub(super) const BLOCK_LINES: u32 = 8;

#[derive(Debug, Clone)]
pub(crate) struct Fragment {
    pub part: Part,
    pub element: Element,
    /// Lines are columns of the matrix.
    pub lines_are_columns: bool,
    /// Where each block begins, in the order of the registers.
    pub blocks: Vec<Position>,
    /// Neighbouring elements that a lane holds of a block.
    pub neighbours: u32,
    /// How often the registers hold all elements.
    pub copies: u32,
}

impl Fragment {
    /// A fragment of `mma`.
    pub fn of_mma(part: Part, shape: Shape, element: Element) -> Self {
        let Shape { m, n, k } = shape;
        // the factor with more lines has its blocks in pairs of two lines
        let transposed = m == BLOCK_LINES && n > BLOCK_LINES;
        let (lines, length, pairs) = match part {
            Part::A => (m, k, !transposed),
            Part::B => (n, k, transposed),
            Part::Sum if transposed => (n, m, true),
            Part::Sum => (m, n, true),
        };
        let neighbours = if part == Part::Sum { 2 } else { 4 / element.bytes() };
        let group = if pairs { 2 * BLOCK_LINES } else { BLOCK_LINES };
        let mut blocks = vec![];
        for first in (0..lines).step_by(group as usize) {
            for along in (0..length).step_by((LANES_OF_LINE * neighbours) as usize) {
                for line in (first..(first + group).min(lines)).step_by(BLOCK_LINES as usize) {
                    blocks.push([line, along]);
                }
            }
        }
        let lines_are_columns = part == Part::B || part == Part::Sum && transposed;
        Self { part, element, lines_are_columns, blocks, neighbours, copies: 1 }
    }

    /// A fragment of `wmma`. Those of `f16` factors have 8 registers in every shape.
    pub fn of_wmma(part: Part, shape: Shape, element: Element) -> Self {
        let mut fragment = Self::of_mma(part, shape, element);
        if part != Part::Sum && element == Element::F16 {
            fragment.copies = 8 / fragment.registers();
        }
        fragment
    }

    /// 32-bit registers of each lane.
    pub fn registers(&self) -> u32 {
        self.blocks.len() as u32 * self.registers_of_block() * self.copies
    }

    /// Elements of a register.
    pub const fn elements_of_register(&self) -> u32 {
        4 / self.element.bytes()
    }

    const fn registers_of_block(&self) -> u32 {
        self.neighbours / self.elements_of_register()
    }

    /// The position of an element of a register.
    pub fn position(&self, register: u32, lane: u32, element: u32) -> Position {
        let registers = self.registers_of_block();
        let block = (register / registers) as usize % self.blocks.len().max(1);
        let [line, along] = self.blocks.get(block).copied().unwrap_or_default();
        let within = register % registers * self.elements_of_register() + element;
        [line + lane / LANES_OF_LINE, along + lane % LANES_OF_LINE * self.neighbours + within]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const K16: Shape = Shape { m: 16, n: 16, k: 16 };

    /// Every element is in as many registers as there are copies, and no position is outside.
    #[test]
    fn fragments_cover_their_matrices() {
        use Element::{Bf16, F16, F32, S8, S32, Tf32};
        let wide = Shape { m: 8, n: 32, k: 16 };
        let tall = Shape { m: 32, n: 8, k: 16 };
        let tf32 = Shape { m: 16, n: 16, k: 8 };
        let mut all = vec![];
        for shape in [K16, wide, tall] {
            for element in [F16, Bf16, S8] {
                all.push((shape, Fragment::of_wmma(Part::A, shape, element), shape.m * 16));
                all.push((shape, Fragment::of_wmma(Part::B, shape, element), shape.n * 16));
            }
            for element in [F16, F32, S32] {
                all.push((shape, Fragment::of_wmma(Part::Sum, shape, element), 256));
            }
        }
        all.push((tf32, Fragment::of_wmma(Part::A, tf32, Tf32), 128));
        for (m, n, k, element) in [
            (16, 8, 8, F16),
            (16, 8, 16, Bf16),
            (16, 8, 4, Tf32),
            (16, 8, 8, Tf32),
            (8, 8, 16, S8),
            (16, 8, 16, S8),
            (16, 8, 32, S8),
        ] {
            let shape = Shape { m, n, k };
            all.push((shape, Fragment::of_mma(Part::A, shape, element), m * k));
            all.push((shape, Fragment::of_mma(Part::B, shape, element), n * k));
            all.push((shape, Fragment::of_mma(Part::Sum, shape, F32), m * n));
        }
        for (shape, fragment, elements) in all {
            let mut seen = std::collections::HashMap::new();
            for register in 0..fragment.registers() {
                for lane in 0..32 {
                    for element in 0..fragment.elements_of_register() {
                        *seen.entry(fragment.position(register, lane, element)).or_insert(0) += 1;
                    }
                }
            }
            let most = |n: usize| seen.keys().map(|p| p[n] + 1).max().expect("elements");
            assert!(seen.values().all(|n| *n == fragment.copies), "{shape:?} {fragment:?}");
            assert_eq!(seen.len() as u32, elements, "{shape:?} {fragment:?}");
            assert_eq!(most(0) * most(1), elements, "{shape:?} {fragment:?}");
        }
    }

    /// PTX ISA, the figures "MMA .m16n8k16 fragment layout for matrix A", B and C of `.f16`, and
    /// "MMA .m16n8k32 fragment layout for matrix A with .u8 / .s8 type".
    #[test]
    fn fragments_of_mma_are_those_of_the_figures() {
        let shape = Shape { m: 16, n: 8, k: 16 };
        let a = Fragment::of_mma(Part::A, shape, Element::F16);
        let b = Fragment::of_mma(Part::B, shape, Element::F16);
        let c = Fragment::of_mma(Part::Sum, shape, Element::F32);
        let bytes = Fragment::of_mma(Part::A, Shape { k: 32, ..shape }, Element::U8);
        assert_eq!([a.registers(), b.registers(), c.registers(), bytes.registers()], [4, 2, 4, 4]);
        for lane in 0..32 {
            let (group, thread) = (lane / 4, lane % 4);
            for i in 0..8 {
                let row = if matches!(i, 0 | 1 | 4 | 5) { group } else { group + 8 };
                let column = thread * 2 + (i & 1) + if i >= 4 { 8 } else { 0 };
                assert_eq!(a.position(i / 2, lane, i % 2), [row, column], "a{i}");
            }
            for i in 0..4 {
                let row = thread * 2 + (i & 1) + if i >= 2 { 8 } else { 0 };
                assert_eq!(b.position(i / 2, lane, i % 2), [group, row], "b{i}");
                let row = if i < 2 { group } else { group + 8 };
                assert_eq!(c.position(i, lane, 0), [row, thread * 2 + (i & 1)], "c{i}");
            }
            for i in 0..16 {
                let row = if i < 4 || (8..12).contains(&i) { group } else { group + 8 };
                let column = thread * 4 + (i & 3) + if i >= 8 { 16 } else { 0 };
                assert_eq!(bytes.position(i / 4, lane, i % 4), [row, column], "a{i}");
            }
        }
    }

    /// The registers that the assembler's code for `wmma.load` fills, compute capability 9.0.
    #[test]
    fn fragments_of_wmma_are_those_of_the_hardware() {
        let first = |part, shape, element: Element| {
            let f = Fragment::of_wmma(part, shape, element);
            (0..f.registers()).map(|r| f.position(r, 0, 0)).collect::<Vec<_>>()
        };
        let (wide, tall) = (Shape { m: 8, n: 32, k: 16 }, Shape { m: 32, n: 8, k: 16 });
        let factor = [[0, 0], [8, 0], [0, 8], [8, 8]];
        assert_eq!(first(Part::A, K16, Element::F16), [factor, factor].concat());
        assert_eq!(first(Part::A, K16, Element::Bf16), factor);
        let columns = [[0, 0], [0, 8], [8, 0], [8, 8]];
        assert_eq!(first(Part::B, K16, Element::F16), [columns, columns].concat());
        let long = [[0, 0], [8, 0], [0, 8], [8, 8], [16, 0], [24, 0], [16, 8], [24, 8]];
        assert_eq!(first(Part::A, tall, Element::F16), long);
        assert_eq!(first(Part::B, wide, Element::F16), long);
        assert_eq!(first(Part::A, wide, Element::F16), [[0, 0], [0, 8]].repeat(4));
        assert_eq!(first(Part::B, tall, Element::S8), [[0, 0]]);
        assert_eq!(first(Part::A, tall, Element::S8), [[0, 0], [8, 0], [16, 0], [24, 0]]);
        let sums = [[0, 0], [0, 1], [8, 0], [8, 1], [0, 8], [0, 9], [8, 8], [8, 9]];
        assert_eq!(first(Part::Sum, K16, Element::F32), sums);
        let sums = [[0, 0], [0, 1], [8, 0], [8, 1], [16, 0], [16, 1], [24, 0], [24, 1]];
        assert_eq!(first(Part::Sum, wide, Element::F32), sums);
        assert_eq!(first(Part::Sum, tall, Element::F32), sums);
        let tf32 = Shape { m: 16, n: 16, k: 8 };
        assert_eq!(first(Part::A, tf32, Element::Tf32), [[0, 0], [8, 0], [0, 4], [8, 4]]);
        assert_eq!(first(Part::B, tf32, Element::Tf32), [[0, 0], [0, 4], [8, 0], [8, 4]]);
    }
}
