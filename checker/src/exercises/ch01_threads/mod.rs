//! Chapter 1: threads, blocks, grids.

pub mod blocks;
pub mod double_it;
pub mod grid_stride;
pub mod guard;
pub mod launch_config;
pub mod matrix_add_2d;
