//! Chapter 6: atomics, reductions, scans.

pub mod counter_race;
pub mod histogram;
pub mod reduce_tree;
pub mod scan_blocks;
pub mod warp_shuffle;
