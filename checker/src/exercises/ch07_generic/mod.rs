//! Chapter 7: one source, many kernels.

use super::Chapter;

mod elementwise;
mod reduction_kernel;
mod specialise;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch07_generic",
    number: 7,
    title: "Generated and generic kernels",
    exercises: &[&specialise::SPEC, &elementwise::SPEC, &reduction_kernel::SPEC],
};
