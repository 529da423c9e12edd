//! Chapter 13: kernels at the limits of the hardware.

use super::Chapter;

mod async_copy;
mod histogram_bytes;
mod matmul_async;
mod matmul_registers;
mod product;
mod reduce_bandwidth;
mod scan_lookback;
mod transpose_bytes;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch13_speed",
    number: 13,
    title: "Speed",
    exercises: &[
        &transpose_bytes::SPEC,
        &reduce_bandwidth::SPEC,
        &histogram_bytes::SPEC,
        &scan_lookback::SPEC,
        &async_copy::SPEC,
        &matmul_registers::SPEC,
        &matmul_async::SPEC,
    ],
};
