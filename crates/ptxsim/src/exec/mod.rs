//! Running a kernel: a warp-vectorised interpreter.
//!
//! ```text
//! block    runs its warps in turn; `barrier` opens barriers and finds deadlocks
//! interp   one warp: picks a split, executes operations until it waits, leaves or gives way
//! alu      arithmetic of 32 lanes
//! access   loads, stores, atomics: bounds, counts, then
//! hazards  uninitialised reads and races, by happens-before per byte, and
//! pattern  how the lanes of an access lie, and
//! words    the data; `local` for a thread's own arrays, `texture` for texture and surface objects
//! copies   asynchronous copies, on their way until their thread waits
//! heap     `malloc` and `free` in kernels
//! progress loops that can never end
//! trace    what one thread did
//! ```

mod access;
mod alu;
mod barrier;
pub(crate) mod block;
pub(crate) mod builtin;
mod calls;
mod collective;
pub(crate) mod copies;
pub(crate) mod findings;
pub(crate) mod hazards;
pub(crate) mod heap;
mod interp;
mod local;
pub(crate) mod machine;
pub(crate) mod pattern;
pub(crate) mod progress;
mod texture;
pub(crate) mod trace;
pub(crate) mod vector;
pub(crate) mod warp;
mod words;

/// Levels of diagnosis: what a launch pays for. Bounds and alignment are always checked.
pub(crate) const BOUNDS: u8 = 0;
/// Adds the counters.
pub(crate) const COUNT: u8 = 1;
/// Adds races and uninitialised reads.
pub(crate) const FULL: u8 = 2;
/// Adds the record of one thread.
pub(crate) const TRACE: u8 = 3;

/// Warp instructions that a kernel may still run once it has gone wrong: enough to see how many threads do.
pub(crate) const FUEL_AFTER_FAULT: i64 = 20_000_000;
