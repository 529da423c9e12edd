//! Chapter 13: kernels at the limits of the hardware.

use super::Chapter;

mod histogram_bytes;
mod reduce_bandwidth;
mod transpose_bytes;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch13_speed",
    number: 13,
    title: "Speed",
    exercises: &[&transpose_bytes::SPEC, &reduce_bandwidth::SPEC, &histogram_bytes::SPEC],
};
