//! Runs a kernel: a warp-vectorised interpreter.
//!
//! ```text
//! block       runs a block's warps in turn; `barrier` opens barriers and finds deadlocks
//! interp      runs one warp: picks a split, executes operations until it waits, exits or yields
//! calls       calls of the program's functions; `builtin` those that the driver provides
//! alu         arithmetic of 32 lanes
//! collective  shuffles, votes, `__syncwarp`; `matrices` the multiplication of matrices
//! access      loads, stores, atomics: bounds and counters; then
//! hazards     finds uninitialised reads and races, by happens-before per byte; and
//! pattern     describes how the lanes' addresses lie; and
//! words       moves the data; `local` for local memory, `texture` for texture and surface objects
//! copies      asynchronous copies, in flight until their thread waits
//! heap        `malloc` and `free` in kernels
//! progress    finds loops that can never end; `loops` what decides whether one does
//! trace       records what one thread does
//! waits       counts how often warps wait for loads
//! caches      counts what the caches can't serve
//! undefined   follows the undefined values of shuffles to where a result depends on them
//! findings    collects what all of these report
//! ```

mod access;
mod alu;
mod barrier;
pub(crate) mod block;
pub(crate) mod builtin;
pub(crate) mod caches;
mod calls;
mod collective;
pub(crate) mod copies;
pub(crate) mod disturb;
pub(crate) mod findings;
pub(crate) mod hazards;
pub(crate) mod heap;
pub(crate) mod interp;
mod local;
pub(crate) mod loops;
pub(crate) mod machine;
mod matrices;
pub(crate) mod pattern;
pub(crate) mod progress;
pub(crate) mod snapshots;
mod texture;
pub(crate) mod trace;
pub(crate) mod undefined;
pub(crate) mod vector;
pub(crate) mod waits;
pub(crate) mod warp;
mod words;

/// Levels of diagnosis, as constant parameters of the interpreter. The lowest one checks bounds and
/// alignment.
pub(crate) const BOUNDS: u8 = 0;
/// Adds the counters.
pub(crate) const COUNT: u8 = 1;
/// Adds races and uninitialised reads.
pub(crate) const FULL: u8 = 2;
/// Adds the record of one thread, follows undefined values, and counts waits for loads and misses
/// of caches.
pub(crate) const TRACE: u8 = 3;

/// Warp instructions that a kernel may still run after an error with which a GPU would have ended
/// it, which is enough to see how many threads are at fault.
pub(crate) const FUEL_AFTER_ERROR: i64 = 20_000_000;
