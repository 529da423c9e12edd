//! An exact, diagnosing simulator for NVIDIA PTX: PTX text, a launch and memory in; results and observations out.
//!
//! ```text
//! Module::parse(ptx) -> Module         parse, lay out, decode once
//! Memory::alloc / write / read         global memory, one guard gap around each allocation
//! run(&module, &mut memory, &launch)   -> Observations
//! ```

mod address;
pub mod arith;
pub mod count;
mod decode;
pub mod demangle;
mod device;
mod error;
mod exec;
mod launch;
mod memory;
mod module;
mod observe;
mod parse;
pub mod printf;

pub use error::{CudaError, Error};
pub use launch::{Diagnose, Launch, Options, run};
pub use memory::Memory;
pub use module::{Entry, Module, Param, ParamType};
pub use observe::*;
