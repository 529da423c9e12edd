//! Chapter 4: shared memory, barriers, banks, tiles.

use super::Chapter;

mod bank_conflicts;
mod barrier_divergence;
mod big_tile;
mod matmul_tiled;
mod reverse_sync;
mod stencil_1d;
mod tile_transpose;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch04_shared",
    number: 4,
    title: "Shared memory and barriers",
    exercises: &[
        &reverse_sync::SPEC,
        &barrier_divergence::SPEC,
        &stencil_1d::SPEC,
        &big_tile::SPEC,
        &tile_transpose::SPEC,
        &bank_conflicts::SPEC,
        &matmul_tiled::SPEC,
    ],
};
