//! An exact, diagnosing simulator for NVIDIA PTX: PTX text, a launch and memory in; results and
//! observations out.
//!
//! ```text
//! Module::parse(ptx) -> Module         parse, lay out, decode once
//! Memory::alloc / write / read         global memory, one guard gap around each allocation
//! Memory::create_array / _texture / _surface   arrays, and the handles that kernels take
//! run(&module, &mut memory, &launch)   -> Observations
//! trace(..., thread)                   -> the same, and what that thread did
//! ```

mod access_set;
mod address;
pub mod arith;
pub mod count;
mod debug;
mod decode;
pub mod demangle;
mod device;
mod error;
mod exec;
mod fingerprint;
mod launch;
mod lines;
mod memory;
mod module;
mod observe;
mod parse;
pub mod printf;
mod repeats;
mod texture;
pub mod trace;
mod traffic;

pub use access_set::{AccessMode, AccessSet, Overlap};
pub use address::Window;
pub use device::{MULTIPROCESSORS, occupancy, shared_of};
pub use error::{CudaError, Error, source_of_inline_assembly};
pub use exec::disturb::Disturbance;
pub use exec::snapshots::Snapshots;
pub use launch::{
    Diagnose, Launch, Options, WarpCaches, check, run, run_recording, shadow_bytes, trace,
    trace_recording,
};
pub use memory::{Limits, Memory, SavedContents};
pub use module::{Entry, Module, Param, ParamType};
pub use observe::*;
pub use repeats::Repeats;
pub use texture::{
    AddressMode, ArrayDesc, ArrayId, ChannelKind, Filter, ReadMode, Resource, TexelFormat,
    TextureDesc,
};
pub use traffic::{Moves, Traffic};
