//! Chapter 13: kernels that reach a limit of the hardware.

use super::Chapter;

mod async_copy;
mod matmul_async;
mod matmul_registers;
mod product;
mod scan_lookback;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch13_speed",
    number: 13,
    title: "Speed",
    exercises: &[
        &scan_lookback::SPEC,
        &async_copy::SPEC,
        &matmul_registers::SPEC,
        &matmul_async::SPEC,
    ],
};
