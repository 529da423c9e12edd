//! Chapter 1: threads, blocks, grids.

use super::Chapter;

mod add_one;
mod blocks;
mod double_it;
mod grid_stride;
mod guard;
mod launch_config;
mod matrix_add_2d;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch01_threads",
    number: 1,
    title: "Threads, blocks, grids",
    exercises: &[
        &add_one::SPEC,
        &guard::SPEC,
        &blocks::SPEC,
        &launch_config::SPEC,
        &grid_stride::SPEC,
        &double_it::SPEC,
        &matrix_add_2d::SPEC,
    ],
};
