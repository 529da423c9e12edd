//! The simulated device: its limits, and how many blocks are resident at once.
//!
//! Compute capability 9.0 with 132 multiprocessors, as the H100 and H200 have (CUDA C++ Programming
//! Guide, "Technical Specifications per Compute Capability"; "Occupancy Calculator" for the rule).
//! Registers never limit the number of blocks here, because the assembler allocates them after PTX.

/// Threads of a block, and blocks of a grid, per dimension.
pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub(crate) const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65_535, 65_535];
/// Threads of a block altogether.
pub(crate) const MAX_THREADS: u64 = 1024;
/// Shared memory that a kernel may declare, or have without setting an attribute.
pub(crate) const STATIC_SHARED: u32 = 48 << 10;
/// Shared memory that a block may opt in to.
pub(crate) const BLOCK_SHARED: u64 = 227 << 10;
/// Local memory of a thread.
pub(crate) const LOCAL: u32 = 512 << 10;
/// Stack of a thread unless the program sets another limit, and the least that a call takes of it,
/// which is the return address. The assembler decides how much a call really takes. On an H200 a
/// function that calls itself and keeps one number takes 16 bytes, and the 65th call ends the
/// kernel with an illegal address (700).
pub(crate) const STACK: u64 = 1 << 10;
pub(crate) const CALL: u64 = 8;
/// Multiprocessors.
pub const MULTIPROCESSORS: u32 = 132;
/// Device memory of an H100. The driver reserves local memory in it for every thread that can be
/// resident.
const MEMORY: u64 = 80 << 30;

/// Limits of one multiprocessor: threads, blocks, shared memory, and the shared memory that it
/// reserves for each block.
const THREADS: u64 = 2048;
const BLOCKS: u64 = 32;
const SHARED: u64 = 228 << 10;
const RESERVED: u64 = 1 << 10;

/// Blocks that are resident on the device at once, by threads per block and bytes of shared memory
/// per block.
pub(crate) fn resident(threads: u64, shared: u64) -> u64 {
    occupancy(threads, shared) * u64::from(MULTIPROCESSORS)
}

/// How many blocks of `threads` threads and `shared` bytes of shared memory are resident on one
/// multiprocessor at once; 0 for blocks that cannot be launched.
pub fn occupancy(threads: u64, shared: u64) -> u64 {
    if threads > MAX_THREADS || shared > BLOCK_SHARED {
        return 0;
    }
    let by_threads = THREADS / threads.max(1).next_multiple_of(32);
    let by_shared = SHARED / (shared + RESERVED).next_multiple_of(128);
    by_threads.min(by_shared).min(BLOCKS)
}

/// Shared memory in bytes that each of `blocks` blocks of a multiprocessor can have.
pub fn shared_of(blocks: u64) -> u64 {
    let each = SHARED / blocks.max(1) / 128 * 128;
    each.saturating_sub(RESERVED).min(BLOCK_SHARED)
}

/// Bytes of local memory that each thread can have when as many threads as possible are resident.
pub(crate) const fn local_for_all() -> u64 {
    MEMORY / (THREADS * MULTIPROCESSORS as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The occupancy calculator's answers for compute capability 9.0, times 132.
    #[test]
    fn blocks_that_fit() {
        for (threads, shared, per_multiprocessor) in [
            (1, 0, 32),
            (32, 0, 32),
            (64, 0, 32),
            (65, 0, 21),
            (256, 0, 8),
            (1024, 0, 2),
            (256, 48 << 10, 4),
            (128, 113 << 10, 2),
            (128, 114 << 10, 1),
            (1024, 227 << 10, 1),
        ] {
            assert_eq!(resident(threads, shared), per_multiprocessor * 132, "{threads} {shared}");
            // with the shared memory that each block can have, that many blocks still fit
            let each = shared_of(per_multiprocessor);
            assert!(each >= shared && occupancy(threads, each) == per_multiprocessor, "{threads}");
        }
        assert_eq!((occupancy(1025, 0), occupancy(32, (227 << 10) + 1)), (0, 0));
    }
}
