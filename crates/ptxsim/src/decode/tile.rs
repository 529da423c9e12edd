//! The accesses that load or store the fragment of a matrix, as the assembler for compute
//! capability 9.0 makes them.
//!
//! * Where the neighbours of a fragment are neighbours in memory, each lane accesses its own.
//! * 16-bit elements in shared memory are loaded as `ldmatrix` does it: each lane loads 16 bytes of
//!   one line, and the lanes exchange elements.
//! * Other 16-bit elements are accessed in pairs that are neighbours in memory, and exchanged.
//! * Otherwise each lane accesses its elements one by one.

use std::collections::HashMap;

use super::fragment::{BLOCK_LINES, Fragment, Part, Position};
use super::op::ElementSource;

/// One access of the warp.
#[derive(Debug, Clone)]
pub(super) struct TileAccess {
    /// The lanes that take part are those below this one.
    pub lanes: u32,
    /// Bytes of a word, and words of each lane.
    pub width: u32,
    pub words: u32,
    /// Where each lane's words begin, as the line in memory and the element of it.
    pub starts: [Position; 32],
}

/// A matrix in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Lines of the fragment are lines in memory.
    pub lines: bool,
    pub shared: bool,
}

impl Layout {
    /// The position in memory of an element of the fragment, or the other way round.
    const fn swap(self, [line, along]: Position) -> Position {
        if self.lines { [line, along] } else { [along, line] }
    }
}

/// The accesses that load or store a fragment.
pub(super) fn accesses(fragment: &Fragment, layout: Layout) -> Vec<TileAccess> {
    let bytes = fragment.element.bytes();
    let in_rows = bytes == 2 || bytes == 1 && layout.lines;
    if fragment.part != Part::Sum && layout.shared && in_rows {
        return row_loads(fragment, layout);
    }
    let mut all = vec![];
    for [line, along] in &fragment.blocks {
        let (across, neighbours) = (fragment.neighbours, fragment.neighbours);
        let own = |lane: u32, n: u32| layout.swap([line + lane / 4, along + lane % 4 * across + n]);
        let access = |start: &dyn Fn(u32) -> Position, width, words| TileAccess {
            lanes: 32,
            width,
            words,
            starts: std::array::from_fn(|lane| start(lane as u32)),
        };
        if layout.lines {
            all.push(access(&|lane| own(lane, 0), 4, neighbours * bytes / 4));
        } else if bytes == 2 {
            // the block's transpose
            all.push(access(&|lane| [along + lane / 4, line + lane % 4 * 2], 4, 1));
        } else {
            all.extend((0..neighbours).map(|n| access(&|lane| own(lane, n), bytes, 1)));
        }
    }
    all
}

/// Loads of 16 bytes by each lane, of up to four blocks at once.
fn row_loads(fragment: &Fragment, layout: Layout) -> Vec<TileAccess> {
    let at_once = if fragment.element.bytes() == 2 { 4 } else { 2 };
    let at_once = fragment.blocks.len().min(at_once);
    let start = |block: Position, n: u32| {
        let [line, along] = layout.swap(block);
        [line + n, along]
    };
    let access = |blocks: &[Position]| TileAccess {
        lanes: BLOCK_LINES * blocks.len() as u32,
        width: 4,
        words: 4,
        starts: std::array::from_fn(|lane| {
            let (block, n) = (lane / BLOCK_LINES as usize, lane as u32 % BLOCK_LINES);
            start(blocks.get(block).or(blocks.first()).copied().unwrap_or_default(), n)
        }),
    };
    fragment.blocks.chunks(at_once.max(1)).map(access).collect()
}

/// Where each element of the fragment's registers is among the words that are accessed, in the
/// order of the accesses.
pub(super) fn loaded(
    fragment: &Fragment,
    layout: Layout,
    accesses: &[TileAccess],
) -> Vec<ElementSource> {
    let words: HashMap<Position, ElementSource> = words(fragment, accesses).into_iter().collect();
    let held = registers(fragment, layout).into_iter();
    held.filter_map(|(at, _)| words.get(&at).copied()).collect()
}

/// Where each element of these words is among the fragment's registers.
pub(super) fn stored(
    fragment: &Fragment,
    layout: Layout,
    accesses: &[TileAccess],
) -> Vec<ElementSource> {
    let held: HashMap<Position, ElementSource> = registers(fragment, layout).into_iter().collect();
    let words = words(fragment, accesses).into_iter();
    words.filter_map(|(at, _)| held.get(&at).copied()).collect()
}

/// The elements of the fragment's registers, without copies, and their positions in memory.
fn registers(fragment: &Fragment, layout: Layout) -> Vec<(Position, ElementSource)> {
    let mut all = vec![];
    for register in 0..fragment.registers() / fragment.copies {
        for lane in 0..32 {
            for element in 0..fragment.elements_of_register() {
                let position = layout.swap(fragment.position(register, lane, element));
                let bit = element * fragment.element.bytes() * 8;
                all.push((position, source(register, lane, bit)));
            }
        }
    }
    all
}

/// The elements of all words, and their positions in memory.
fn words(fragment: &Fragment, accesses: &[TileAccess]) -> Vec<(Position, ElementSource)> {
    let bytes = fragment.element.bytes();
    let (mut all, mut word) = (vec![], 0);
    for access in accesses {
        let elements = access.width.div_ceil(bytes);
        for n in 0..access.words {
            for (lane, [line, along]) in (0..access.lanes).zip(access.starts) {
                for element in 0..elements {
                    let position = [line, along + n * elements + element];
                    all.push((position, source(word, lane, element * bytes * 8)));
                }
            }
            word += 1;
        }
    }
    all
}

const fn source(register: u32, lane: u32, bit: u32) -> ElementSource {
    ElementSource { register: register as u8, lane: lane as u8, bit: bit as u8 }
}
