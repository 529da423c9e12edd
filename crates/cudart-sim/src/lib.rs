//! The CUDA runtime API on [`ptxsim`]: host programs without a GPU.
//!
//! A program is compiled by nvcc into a shared object without a runtime (`-shared -cudart=none`), with its device code as
//! plain PTX. Loaded into a process that exports the functions of [`abi`], it finds them in place of NVIDIA's. Behind them is one
//! [`runtime::Runtime`]: a device whose memory and kernels `ptxsim` simulates, and whose streams do nothing before
//! somebody waits for it ([`graph`]).

#[cfg(target_os = "linux")]
pub mod abi;
pub mod clock;
#[cfg(target_os = "linux")]
pub mod crash;
pub mod error;
pub mod fatbin;
pub mod graph;
#[cfg_attr(not(target_os = "linux"), path = "guard/none.rs")]
mod guard;
mod host;
mod modules;
mod order;
pub mod report;
pub mod runtime;
