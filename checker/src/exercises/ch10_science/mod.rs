//! Chapter 10: classic uses of a GPU in science.

pub mod euler_collatz;
