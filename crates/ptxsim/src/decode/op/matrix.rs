//! Operations on matrices: the parts of `wmma` and `mma`.

use super::Address;
use crate::arith::tensor::Arithmetic;
use crate::decode::fragment::Element;

/// A part of `wmma.load` or `wmma.store`, whose accesses are memory operations of their own: it
/// computes the lanes' addresses, or moves elements between the lanes, or both.
#[derive(Debug, Clone)]
pub(crate) struct TileOp {
    pub addresses: Option<TileAddresses>,
    pub shuffle: Option<TileShuffle>,
}

/// The addresses of a matrix's parts.
#[derive(Debug, Clone)]
pub(crate) struct TileAddresses {
    /// Where the matrix begins: a row, and bytes after the address in it.
    pub base: Address,
    pub offset: i64,
    /// 32-bit row of the elements from one line in memory to the next.
    pub stride: u32,
    pub element_bytes: u32,
    /// Bytes that the address of the matrix is a multiple of.
    pub alignment: u32,
    /// Bytes that the distance between its lines is a multiple of.
    pub line_multiple: u32,
    /// Bytes that a lane accesses at once.
    pub access_bytes: u32,
    /// For each access, the line in memory and the element where each lane begins.
    pub starts: Vec<[[u8; 2]; 32]>,
    /// The rows of the addresses, in the file of `base`.
    pub rows: Vec<u32>,
}

/// How elements move from 32-bit rows to others.
#[derive(Debug, Clone)]
pub(crate) struct TileShuffle {
    pub from: Vec<u32>,
    pub to: Vec<u32>,
    /// Bits of an element.
    pub bits: u32,
    /// For each row of `to`, each lane and each element, where that element is.
    pub sources: Vec<ElementSource>,
}

/// An element of a lane's register: the number of the register, the lane, and the first bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ElementSource {
    pub register: u8,
    pub lane: u8,
    pub bit: u8,
}

/// The shape of a multiplication: rows and columns of the result, and columns of the first factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MultiplyShape {
    pub m: u32,
    pub n: u32,
    pub k: u32,
}

/// A multiplication of matrices.
#[derive(Debug, Clone)]
pub(crate) struct MultiplyOp {
    pub shape: MultiplyShape,
    pub arithmetic: Arithmetic,
    pub a: MatrixRows,
    pub b: MatrixRows,
    pub c: MatrixRows,
    pub d: MatrixRows,
}

/// The 32-bit rows of a matrix.
#[derive(Debug, Clone)]
pub(crate) struct MatrixRows {
    pub element: Element,
    pub rows: Vec<u32>,
    /// For each row, each lane and each element, the number of the element in the matrix.
    pub places: Vec<u16>,
}
