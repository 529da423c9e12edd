//! An exact, diagnosing simulator for NVIDIA PTX: PTX text, a launch and memory in; results and observations out.
//!
//! ```text
//! Module::parse(ptx) -> Module         parse, lay out, decode once
//! Memory::alloc / write / read         global memory, one guard gap around each allocation
//! run(&module, &mut memory, &launch)   -> Observations
//! ```

pub mod arith;
pub mod count;
pub mod demangle;
mod observe;
pub mod printf;

pub use observe::*;
