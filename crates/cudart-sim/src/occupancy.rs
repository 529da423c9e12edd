//! How many blocks of a kernel are resident on a multiprocessor at once, and which resource limits
//! their number.
//!
//! The limits are those of the CUDA C++ Programming Guide, "Technical Specifications per Compute
//! Capability". The rules by which a multiprocessor allocates are those of the CUDA Occupancy
//! Calculator, which `cuda_occupancy.h` of the CUDA Toolkit contains as source code: registers are
//! allocated to whole warps in units of 256, on one of the four partitions of a multiprocessor, and
//! shared memory is allocated to blocks in units that depend on the compute capability.
//!
//! `hardware/occupancy-h100.tsv` is what the runtime on an H100 reported, and the tests compare
//! every line of it.

use serde::{Deserialize, Serialize};

use crate::error::Code;

/// Threads of a warp.
const WARP: u32 = 32;
/// The most threads of a block.
pub const MAX_THREADS: u32 = 1024;
/// Registers of a multiprocessor, and of a block, from compute capability 7.5 to 10.0.
pub const REGISTERS: u32 = 65_536;
/// The most registers of a thread.
pub const MAX_REGISTERS: u32 = 255;
/// Registers that are allocated to a warp at once.
const REGISTER_UNIT: u32 = 256;
/// Partitions of a multiprocessor, each with a quarter of its registers.
const PARTITIONS: u32 = 4;

/// The limits of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limits {
    /// Resident threads.
    threads: u32,
    /// Resident blocks.
    blocks: u32,
    /// Bytes of shared memory.
    shared: u32,
    /// Bytes of shared memory that a block may have after it has opted in.
    block_shared: u32,
    /// Bytes of shared memory that the system reserves for each block.
    reserved: u32,
    /// Bytes of shared memory that are allocated at once.
    shared_unit: u32,
}

/// A graphics card, as far as occupancy depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// "H100".
    pub name: &'static str,
    /// Its compute capability, major and minor.
    pub capability: (u32, u32),
    /// Its multiprocessors.
    pub multiprocessors: u32,
    limits: Limits,
}

const fn card(
    name: &'static str,
    capability: (u32, u32),
    multiprocessors: u32,
    limits: Limits,
) -> Card {
    Card { name, capability, multiprocessors, limits }
}

const fn limits(threads: u32, blocks: u32, shared_kib: u32) -> Limits {
    Limits {
        threads,
        blocks,
        shared: shared_kib << 10,
        block_shared: (shared_kib - 1) << 10,
        reserved: 1 << 10,
        shared_unit: 128,
    }
}

const SM_75: Limits = Limits {
    threads: 1024,
    blocks: 16,
    shared: 64 << 10,
    block_shared: 64 << 10,
    reserved: 0,
    shared_unit: 256,
};
const SM_80: Limits = limits(2048, 32, 164);
const SM_86: Limits = limits(1536, 16, 100);
const SM_89: Limits = limits(1536, 24, 100);
const SM_90: Limits = limits(2048, 32, 228);
const SM_100: Limits = limits(2048, 32, 228);

/// The device that the simulator simulates.
pub const SIMULATED: Card = card("H100", (9, 0), 132, SM_90);

/// The cards that are known by name. The first of each compute capability stands for it.
pub const CARDS: &[Card] = &[
    card("T4", (7, 5), 40, SM_75),
    card("RTX 2080 Ti", (7, 5), 68, SM_75),
    card("A100", (8, 0), 108, SM_80),
    card("RTX 3090", (8, 6), 82, SM_86),
    card("A10", (8, 6), 72, SM_86),
    card("RTX 4090", (8, 9), 128, SM_89),
    card("L4", (8, 9), 58, SM_89),
    SIMULATED,
    card("H200", (9, 0), 132, SM_90),
    card("B200", (10, 0), 148, SM_100),
];

/// L1 and shared memory of a multiprocessor, and L2, of an H100.
const L1_BYTES: u64 = 256 << 10;
const L2_BYTES: u64 = 50 << 20;
const LINE_BYTES: u64 = 128;

/// What one block of a launch takes of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockResources {
    /// Threads.
    pub threads: u32,
    /// Registers of a thread; `None` if they are unknown, so that they limit nothing.
    pub registers: Option<u32>,
    /// Static and dynamic shared memory in bytes.
    pub shared: u32,
}

/// What keeps a further block from a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limiter {
    /// Its threads, or, which is the same, its warps.
    Threads,
    /// The number of blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

/// How many blocks are resident on one multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Resident blocks; 0 for a block that cannot be launched.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// The most warps that the multiprocessor can have.
    pub max_warps: u32,
    /// How many blocks the threads allow, if nothing else limits them.
    pub by_threads: u32,
    /// The most blocks, whatever they are.
    pub by_blocks: u32,
    /// How many blocks the registers allow; `None` if the registers are unknown or 0.
    pub by_registers: Option<u32>,
    /// How many blocks the shared memory allows; `None` if nothing is allocated for a block.
    pub by_shared: Option<u32>,
}

impl Card {
    /// The card with this name (`RTX 4090`, `rtx4090`), or with this architecture (`sm_75`, `75`,
    /// `7.5`).
    pub fn find(name: &str) -> Option<&'static Self> {
        let plain = |text: &str| text.to_ascii_lowercase().replace([' ', '-', '_', '.'], "");
        let name = plain(name);
        let number = name.strip_prefix("sm").unwrap_or(&name);
        CARDS.iter().find(|card| {
            let (major, minor) = card.capability;
            plain(card.name) == name || format!("{major}{minor}") == number
        })
    }

    /// The architecture of its machine code: `sm_90`.
    pub fn architecture(&self) -> String {
        let (major, minor) = self.capability;
        format!("sm_{major}{minor}")
    }

    /// How many such blocks are resident on a multiprocessor at once.
    pub fn occupancy(&self, block: BlockResources) -> Occupancy {
        let Limits { threads, blocks, shared, block_shared, reserved, shared_unit } = self.limits;
        let warps = block.threads.max(1).div_ceil(WARP);
        let max_warps = threads / WARP;
        let by_threads = if block.threads > MAX_THREADS { 0 } else { max_warps / warps };
        let by_registers = block
            .registers
            .filter(|registers| *registers > 0)
            .map(|registers| warps_by_registers(registers) / warps);
        let allocated = block.shared.saturating_add(reserved).checked_next_multiple_of(shared_unit);
        let by_shared = match allocated {
            Some(0) => None,
            Some(bytes) if block.shared <= block_shared => Some(shared / bytes),
            _ => Some(0),
        };
        let all = [Some(by_threads), Some(blocks), by_registers, by_shared];
        let resident = all.into_iter().flatten().min().unwrap_or(0);
        Occupancy {
            blocks: resident,
            warps: resident * warps,
            max_warps,
            by_threads,
            by_blocks: blocks,
            by_registers,
            by_shared,
        }
    }

    /// The share of L1 and L2 that each resident warp has in a launch of which this one is a part,
    /// with so many times as many blocks. Shared memory takes its part of L1 (CUDA C++ Programming
    /// Guide, "Compute Capability 9.0").
    pub fn caches_of_warp(
        &self,
        module: &ptxsim::Module,
        launch: &ptxsim::Launch,
        registers: Option<u32>,
        times: u32,
    ) -> ptxsim::WarpCaches {
        let entry = module.entries().iter().find(|entry| entry.name == launch.entry);
        let block = BlockResources {
            threads: launch.block.iter().product(),
            registers,
            shared: launch.shared + entry.map_or(0, |entry| entry.shared_bytes),
        };
        let blocks = launch.grid.iter().map(|n| u64::from(*n)).product::<u64>() * u64::from(times);
        let Limits { reserved, shared_unit, .. } = self.limits;
        let most = u64::from(self.occupancy(block).blocks.max(1));
        let resident = blocks.div_ceil(u64::from(self.multiprocessors)).clamp(1, most);
        let warps = resident * u64::from(block.threads.max(1).div_ceil(WARP));
        let shared = u64::from((block.shared + reserved).next_multiple_of(shared_unit)) * resident;
        let lines = |bytes: u64, warps: u64| (bytes / LINE_BYTES / warps.max(1)).max(1) as u32;
        let everywhere = (warps * u64::from(self.multiprocessors))
            .min(blocks.max(1) * u64::from(block.threads.max(1).div_ceil(WARP)));
        ptxsim::WarpCaches {
            l1_lines: lines(L1_BYTES.saturating_sub(shared), warps),
            l2_lines: lines(L2_BYTES, everywhere),
        }
    }

    /// The dynamic shared memory in bytes that `cudaOccupancyAvailableDynamicSMemPerBlock` reports
    /// for so many blocks of a kernel without static shared memory. The runtime of CUDA 13.0
    /// (driver 580) does not subtract what the system reserves for each block, so fewer blocks may
    /// be resident with as much.
    pub fn available_shared(&self, blocks: u32) -> u32 {
        let Limits { shared, block_shared, shared_unit, .. } = self.limits;
        (shared / blocks.max(1) / shared_unit * shared_unit).min(block_shared)
    }
}

impl Occupancy {
    /// Resident warps relative to the most that are possible, from 0 to 1.
    pub fn ratio(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps.max(1))
    }

    /// What keeps further blocks from the multiprocessor: usually one resource, but several may
    /// allow the same number of blocks.
    pub fn limiters(&self) -> Vec<Limiter> {
        let all = [
            (Limiter::Threads, Some(self.by_threads)),
            (Limiter::Blocks, Some(self.by_blocks)),
            (Limiter::Registers, self.by_registers),
            (Limiter::SharedMemory, self.by_shared),
        ];
        let limits = |(limiter, blocks): (Limiter, Option<u32>)| {
            (blocks == Some(self.blocks)).then_some(limiter)
        };
        all.into_iter().filter_map(limits).collect()
    }
}

/// How many warps with so many registers for each thread fit the registers of a multiprocessor, and
/// of a block.
pub fn warps_by_registers(registers: u32) -> u32 {
    let of_warp = registers.max(1).saturating_mul(WARP).next_multiple_of(REGISTER_UNIT);
    REGISTERS / PARTITIONS / of_warp * PARTITIONS
}

/// The most threads of a block in which each thread has so many registers
/// (`cudaFuncAttributes::maxThreadsPerBlock`). A launch with more fails with
/// `cudaErrorLaunchOutOfResources` (701).
pub fn max_threads_per_block(registers: u32) -> u32 {
    (warps_by_registers(registers) * WARP).min(MAX_THREADS)
}

/// What a launch needs, as far as registers decide whether it is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Registers of a thread.
    pub registers: u32,
    /// Threads of a block.
    pub threads: u64,
    /// Blocks of the grid.
    pub blocks: u64,
    /// Static and dynamic shared memory of a block in bytes.
    pub shared: u32,
    /// Whether all blocks must be on the device at the same time.
    pub cooperative: bool,
}

impl Needs {
    /// The error with which a GPU refuses the launch of `kernel` on the simulated device because of
    /// its registers, and the reason. More threads than any block has are not refused here.
    pub fn refusal(&self, kernel: &str) -> Option<(Code, String)> {
        let Self { registers, threads, blocks, shared, cooperative } = *self;
        let most = max_threads_per_block(registers);
        if threads > u64::from(most) && threads <= u64::from(MAX_THREADS) {
            let text = format!(
                "each thread of `{kernel}` needs {registers} registers, and a block can have {REGISTERS}: at most \
                 {most} threads fit, and the block has {threads}"
            );
            return Some((Code::LAUNCH_OUT_OF_RESOURCES, text));
        }
        let threads = u32::try_from(threads).unwrap_or(u32::MAX);
        let block = BlockResources { threads, registers: Some(registers), shared };
        let resident =
            u64::from(SIMULATED.occupancy(block).blocks) * u64::from(SIMULATED.multiprocessors);
        (cooperative && blocks > resident).then(|| {
            let text = format!(
                "a cooperative launch of {blocks} blocks: all of them must be on the device at once, and {resident} \
                 blocks of {threads} threads with {registers} registers each fit its {} multiprocessors",
                SIMULATED.multiprocessors
            );
            (Code::COOPERATIVE_LAUNCH_TOO_LARGE, text)
        })
    }
}

#[cfg(test)]
#[path = "occupancy/tests.rs"]
mod tests;
