//! Chapter 4: shared memory, barriers, banks, tiles.

pub mod bank_conflicts;
pub mod barrier_divergence;
pub mod matmul_tiled;
pub mod reverse_sync;
pub mod stencil_1d;
pub mod tile_transpose;
