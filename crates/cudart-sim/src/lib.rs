//! The CUDA runtime API on [`ptxsim`], which runs host programs without a GPU.
//!
//! nvcc compiles a program into a shared object without NVIDIA's runtime (`-shared -cudart=none`),
//! with its device code as plain PTX. The object is loaded into a process that exports the
//! functions of [`abi`], and calls them instead of NVIDIA's. They share one [`runtime::Runtime`],
//! whose memory and kernels `ptxsim` simulates, and whose streams do work only when the host waits
//! for it ([`graph`]).

#[cfg(target_os = "linux")]
pub mod abi;
pub mod clock;
#[cfg(target_os = "linux")]
pub mod crash;
#[cfg(target_os = "linux")]
mod device;
pub mod error;
pub mod fatbin;
pub mod graph;
#[cfg_attr(not(target_os = "linux"), path = "guard/none.rs")]
mod guard;
mod host;
pub mod link;
mod modules;
pub mod occupancy;
mod order;
pub mod report;
pub mod resources;
pub mod runtime;
pub mod start;

pub use guard::own_pages;
