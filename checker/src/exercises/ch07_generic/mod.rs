//! Chapter 7: one source, many kernels.

pub mod elementwise;
pub mod reduction_kernel;
pub mod specialise;
