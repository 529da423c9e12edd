//! Chapter 6: atomics, reductions, scans.

use super::Chapter;

mod counter_race;
mod histogram;
mod last_block;
mod reduce_tree;
mod scan_blocks;
mod warp_shuffle;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch06_atomics",
    number: 6,
    title: "Atomics, reductions, scan",
    exercises: &[
        &counter_race::SPEC,
        &histogram::SPEC,
        &reduce_tree::SPEC,
        &warp_shuffle::SPEC,
        &scan_blocks::SPEC,
        &last_block::SPEC,
    ],
};
