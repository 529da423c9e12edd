//! Multiplication of matrices by a warp, and the parts of loads and stores of matrices that are not
//! accesses (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").

use super::COUNT;
use super::machine::{BlockState, Machine, ThreadAt};
use super::vector;
use super::warp::{Split, Warp, lanes};
use crate::arith::half::f16_to_f32;
use crate::arith::half::f32_to_f16;
use crate::arith::soft::Round;
use crate::arith::tensor::{MAX_ELEMENTS, Product};
use crate::decode::fragment::Element;
use crate::decode::op::{
    Address, CollectiveKind, CollectiveOp, MatrixRows, MultiplyOp, TileAddresses, TileShuffle,
};
use crate::{FindingKind, MatrixProblem};

/// The most sums of a multiplication.
const MAX_SUMS: usize = 256;

/// Executes the operation for the lanes of the split, which should be all of the warp.
pub(super) fn execute<const L: u8>(
    m: &mut Machine<'_>,
    b: &BlockState,
    warp: &mut Warp,
    split: &Split,
    op: &CollectiveOp,
) {
    let program = m.grid.program;
    let at = ThreadAt::first(warp.index, split.mask, split.pc);
    if split.mask != u32::MAX {
        let problem = MatrixProblem::AbsentLanes { present: split.mask };
        m.report(FindingKind::BadMatrixOperation { problem }, b.index, at);
    }
    if op.kind == CollectiveKind::Multiply {
        if let Some(op) = program.multiplications.get(op.a as usize) {
            multiply(m, warp, split, op);
            if L >= COUNT {
                m.multiplications[split.pc as usize] += 1;
            }
        }
    } else if let Some(op) = program.tiles.get(op.a as usize) {
        if let Some(addresses) = &op.addresses {
            let problem = wrong_operand(warp, split, addresses);
            if let Some(problem) = problem {
                m.report(FindingKind::BadMatrixOperation { problem }, b.index, at);
            }
            // the accesses of a wrong operation are aligned, because they would be reported, too
            let multiple = if problem.is_some() { addresses.access_bytes } else { 1 };
            compute_addresses(warp, split, addresses, multiple);
        }
        if let Some(shuffle) = &op.shuffle {
            move_elements(warp, split, shuffle);
        }
    }
    warp.undefined.mix(split, program);
}

/// The address of the matrix that a lane gives.
fn base(warp: &Warp, split: &Split, addresses: &TileAddresses, lane: usize) -> u64 {
    let base = match addresses.base {
        Address::Row64(row) => warp.x[(split.frame.x + row) as usize].0[lane],
        Address::Row32(row) => u64::from(warp.r[(split.frame.r + row) as usize].0[lane]),
    };
    base.wrapping_add(addresses.offset as u64)
}

fn wrong_operand(warp: &Warp, split: &Split, addresses: &TileAddresses) -> Option<MatrixProblem> {
    let first = split.mask.trailing_zeros() as usize & 31;
    let strides = &warp.r[(split.frame.r + addresses.stride) as usize].0;
    let (address, elements) = (base(warp, split, addresses, first), strides[first]);
    let other = |differs: &dyn Fn(usize) -> bool| {
        lanes(split.mask).find(|lane| differs(*lane)).map(|lane| lane as u32)
    };
    if let Some(lane) = other(&|lane| base(warp, split, addresses, lane) != address) {
        return Some(MatrixProblem::OtherAddress { lane });
    }
    if let Some(lane) = other(&|lane| strides[lane] != elements) {
        return Some(MatrixProblem::OtherStride { lane });
    }
    let multiple = addresses.alignment;
    if !address.is_multiple_of(multiple.into()) {
        return Some(MatrixProblem::Address { address, multiple });
    }
    let bytes = u64::from(elements) * u64::from(addresses.element_bytes);
    let multiple = addresses.line_multiple;
    let fits = bytes.is_multiple_of(multiple.into());
    (!fits).then_some(MatrixProblem::Stride { bytes, elements, multiple })
}

/// Computes the lanes' addresses, rounded down to a multiple of some power of two.
fn compute_addresses(warp: &mut Warp, split: &Split, addresses: &TileAddresses, multiple: u32) {
    let strides = warp.r[(split.frame.r + addresses.stride) as usize].0;
    let bases: [u64; 32] = std::array::from_fn(|lane| base(warp, split, addresses, lane));
    let element_bytes = u64::from(addresses.element_bytes);
    for (row, starts) in addresses.rows.iter().zip(&addresses.starts) {
        for lane in lanes(split.mask) {
            let [line, along] = starts[lane].map(u64::from);
            let elements = line * u64::from(strides[lane]) + along;
            let address = bases[lane].wrapping_add(elements * element_bytes);
            let address = address & !u64::from(multiple - 1);
            match addresses.base {
                Address::Row64(_) => warp.x[(split.frame.x + row) as usize].0[lane] = address,
                Address::Row32(_) => {
                    warp.r[(split.frame.r + row) as usize].0[lane] = address as u32;
                }
            }
        }
    }
}

fn move_elements(warp: &mut Warp, split: &Split, shuffle: &TileShuffle) {
    let Some(elements) = 32_u32.checked_div(shuffle.bits) else { return };
    let mask = u32::MAX >> (32 - shuffle.bits.clamp(1, 32));
    let base = split.frame.r;
    let from: Vec<[u32; 32]> =
        shuffle.from.iter().map(|row| warp.r[(base + row) as usize].0).collect();
    let sources = shuffle.sources.chunks_exact(32 * elements as usize);
    for (row, sources) in shuffle.to.iter().zip(sources) {
        let to = &mut warp.r[(base + row) as usize].0;
        let mut words = [0_u32; 32];
        for (word, sources) in words.iter_mut().zip(sources.chunks_exact(elements as usize)) {
            for (n, source) in (0_u32..).zip(sources) {
                let value = from[usize::from(source.register)][usize::from(source.lane) & 31];
                *word |= (value >> source.bit & mask) << (n * shuffle.bits);
            }
        }
        lanes(split.mask).for_each(|lane| to[lane] = words[lane]);
    }
}

fn multiply(m: &Machine<'_>, warp: &mut Warp, split: &Split, op: &MultiplyOp) {
    let (mut a, mut b, mut sums) = ([0; MAX_ELEMENTS], [0; MAX_ELEMENTS], [0; MAX_SUMS]);
    gather(warp, split, &op.a, &mut a);
    gather(warp, split, &op.b, &mut b);
    gather(warp, split, &op.c, &mut sums);
    let (c, d) = (op.c.element, op.d.element);
    if c == Element::F16 && d == Element::F32 {
        sums = sums.map(|bits| f16_to_f32(bits as u16).to_bits());
    }
    let [rows, columns, depth] = [op.shape.m, op.shape.n, op.shape.k].map(|n| n as usize);
    let product = Product { rows, columns, depth, a: &a, b: &b, arithmetic: op.arithmetic };
    vector::add_product(m.grid.vectors, &product, &mut sums);
    if c == Element::F32 && d == Element::F16 {
        let narrow = |bits| f32_to_f16(f32::from_bits(bits), Round::Near);
        sums = sums.map(|bits| u32::from(narrow(bits)));
    }
    scatter(warp, split, &op.d, &sums);
}

/// Collects the elements of a matrix.
fn gather(warp: &Warp, split: &Split, matrix: &MatrixRows, elements: &mut [u32]) {
    let bits = matrix.element.bytes() * 8;
    let per_row = 32 / bits as usize;
    let unused = 32 - bits;
    let places = matrix.places.chunks_exact(32 * per_row);
    for (row, places) in matrix.rows.iter().zip(places) {
        let words = &warp.r[(split.frame.r + row) as usize].0;
        for (word, places) in words.iter().zip(places.chunks_exact(per_row)) {
            for (n, place) in (0_u32..).zip(places) {
                let top = word << (unused - n * bits);
                let value = match matrix.element {
                    Element::S8 => (top as i32 >> unused) as u32,
                    _ => top >> unused,
                };
                elements[usize::from(*place)] = value;
            }
        }
    }
}

/// Writes the elements of a matrix to its registers.
fn scatter(warp: &mut Warp, split: &Split, matrix: &MatrixRows, elements: &[u32]) {
    let bits = matrix.element.bytes() * 8;
    let per_row = 32 / bits as usize;
    let places = matrix.places.chunks_exact(32 * per_row);
    for (row, places) in matrix.rows.iter().zip(places) {
        let words = &mut warp.r[(split.frame.r + row) as usize].0;
        for lane in lanes(split.mask) {
            let places = (0_u32..).zip(&places[lane * per_row..][..per_row]);
            words[lane] = places
                .fold(0, |word, (n, place)| word | elements[usize::from(*place)] << (n * bits));
        }
    }
}
