//! The arithmetic of PTX instructions, one thread at a time: plain functions of plain numbers, no
//! state.
//!
//! Nothing here allocates or panics, whatever the input. The interpreter calls these in loops over
//! 32 lanes.

pub mod approx;
pub mod bits;
pub mod convert;
pub mod float;
pub mod fp8;
pub mod half;
pub mod int;
pub mod mbarrier;
pub mod soft;
pub mod tensor;
pub mod tf32;
pub mod video;
