//! Chapter 12: operators of deep learning.

use super::Chapter;

mod attention_tiles;
mod conv2d;
mod half_axpy;
mod int8_dot;
mod wmma_matmul;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch12_operators",
    number: 12,
    title: "Deep learning operators",
    exercises: &[
        &conv2d::SPEC,
        &half_axpy::SPEC,
        &int8_dot::SPEC,
        &wmma_matmul::SPEC,
        &attention_tiles::SPEC,
    ],
};
