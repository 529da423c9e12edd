//! The attributes of kernels, and how many blocks fit on a multiprocessor.

use super::{Kernel, Objects};
use crate::error::{Code, Result};
use crate::occupancy::{self, BlockResources, SIMULATED};

/// Bytes of shared memory that a block may use by default (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability").
const DEFAULT_SHARED_BYTES: u32 = 48 << 10;

/// The registers of a thread that a kernel seems to have when the assembler did not compile it.
/// This number never limits how many blocks fit on a multiprocessor.
const UNKNOWN_REGISTERS: u32 = 32;

/// `cudaFuncAttribute`.
const MAX_DYNAMIC_SHARED: i32 = 8;
const CARVEOUT: i32 = 9;
const CLUSTER_WIDTH: i32 = 11;
const CLUSTER_DEPTH: i32 = 13;
const NON_PORTABLE_CLUSTER: i32 = 14;
const CLUSTER_POLICY: i32 = 15;

/// The most blocks of a cluster: on every device, and on an H200.
const MAX_PORTABLE_CLUSTER_BLOCKS: u64 = 8;
const MAX_CLUSTER_BLOCKS: u64 = 16;

/// What the program has set for the clusters of a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClusterSettings {
    /// Required blocks of a cluster in each dimension, or 0.
    pub required: [u32; 3],
    /// A `cudaClusterSchedulingPolicy`, which has no effect here.
    policy: i32,
    /// May a cluster have more blocks than every device supports?
    non_portable: bool,
}

/// `cudaFuncAttributes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct FunctionAttributes {
    shared: usize,
    constant: usize,
    local: usize,
    threads: i32,
    registers: i32,
    ptx_version: i32,
    binary_version: i32,
    cache_all: i32,
    dynamic_shared: i32,
    carveout: i32,
    cluster_must_be_set: i32,
    cluster: [i32; 3],
    cluster_policy: i32,
    non_portable_cluster: i32,
    reserved: [i32; 16],
}

/// Why a grid cannot be launched in clusters.
#[derive(Debug)]
pub(in crate::runtime) struct ClusterRefusal {
    pub code: Code,
    /// Which limit, and by how much.
    pub text: String,
}

impl Kernel {
    /// Can a grid be launched in clusters of this size? Only clusters of one block can, because the
    /// simulator has no larger ones.
    pub(in crate::runtime) fn check_clusters(
        &self,
        grid: [u32; 3],
        size: [u32; 3],
    ) -> std::result::Result<(), ClusterRefusal> {
        let limit = if self.clusters.non_portable {
            MAX_CLUSTER_BLOCKS
        } else {
            MAX_PORTABLE_CLUSTER_BLOCKS
        };
        let blocks = size.iter().fold(1, |n: u64, side| n.saturating_mul(u64::from(*side)));
        let whole = grid.iter().zip(size).all(|(blocks, side)| blocks.checked_rem(side) == Some(0));
        let (code, text) = if !whole {
            let text = format!("clusters of {size:?} blocks do not divide a grid of {grid:?}");
            (Code::INVALID_CLUSTER_SIZE, text)
        } else if blocks > limit {
            let text = format!("clusters of {blocks} blocks; at most {limit} are possible");
            (Code::INVALID_CLUSTER_SIZE, text)
        } else if blocks > 1 {
            let text = format!("clusters of {blocks} blocks, and the simulator has none");
            (Code::NOT_SUPPORTED, text)
        } else {
            return Ok(());
        };
        Err(ClusterRefusal { code, text })
    }
}

impl Objects {
    /// `cudaFuncSetAttribute`, on a device where a block may use at most `most` bytes of shared
    /// memory.
    pub fn set_attribute(&mut self, host: u64, attribute: i32, value: i32, most: u32) -> Result {
        let fixed = self.with_entry(host, |entry| entry.shared_bytes)?;
        let kernel = self.kernels.get_mut(&host).ok_or(Code::INVALID_RESOURCE_HANDLE)?;
        match (attribute, value) {
            (MAX_DYNAMIC_SHARED, 0..) if fixed + value as u32 <= most => {
                kernel.shared_allowed = Some(value as u32);
                Ok(())
            }
            (CARVEOUT, -1..=100) => {
                kernel.carveout = value;
                Ok(())
            }
            // only launches check these
            (CLUSTER_WIDTH..=CLUSTER_DEPTH, 0..) => {
                let axis = (attribute - CLUSTER_WIDTH) as usize;
                kernel.clusters.required[axis] = value as u32;
                Ok(())
            }
            (NON_PORTABLE_CLUSTER, _) => {
                kernel.clusters.non_portable = value != 0;
                Ok(())
            }
            (CLUSTER_POLICY, 0..=2) => {
                kernel.clusters.policy = value;
                Ok(())
            }
            (MAX_DYNAMIC_SHARED, 0..) => Err(Code::INVALID_VALUE.because(format!(
                "the kernel has {fixed} bytes of static shared memory, and with {value} more a block has more than the {most} bytes of the device"
            ))),
            _ => Err(Code::INVALID_VALUE
                .because(format!("{value} is no value of the attribute with number {attribute}"))),
        }
    }

    /// `cudaFuncGetAttributes`.
    pub fn attributes(&mut self, host: u64) -> Result<FunctionAttributes> {
        let (shared_bytes, threads) =
            self.with_entry(host, |entry| (entry.shared_bytes, entry.max_threads_per_block()))?;
        let kernel = self.kernel(host)?.clone();
        let module = self.module(kernel.binary)?;
        let default_shared = DEFAULT_SHARED_BYTES.saturating_sub(shared_bytes);
        let resources = self.resources.get(&kernel.name);
        let registers = resources.map_or(UNKNOWN_REGISTERS, |known| known.registers);
        let local = resources.map_or(module.local_bytes(&kernel.name), |known| known.local.into());
        let threads = threads.min(occupancy::max_threads_per_block(registers));
        Ok(FunctionAttributes {
            shared: shared_bytes as usize,
            constant: 0,
            local: local as usize,
            threads: threads as i32,
            registers: registers as i32,
            // CUB and Thrust choose their tuning by it, among those that they were compiled for.
            ptx_version: self.architecture(kernel.binary),
            binary_version: 90,
            cache_all: 0,
            dynamic_shared: kernel.shared_allowed.unwrap_or(default_shared) as i32,
            carveout: kernel.carveout,
            cluster_must_be_set: 0,
            cluster: kernel.clusters.required.map(|n| n as i32),
            cluster_policy: kernel.clusters.policy,
            non_portable_cluster: i32::from(kernel.clusters.non_portable),
            reserved: [0; 16],
        })
    }

    /// `cudaFuncSetCacheConfig`. The configuration is only a hint, so this only checks that it and
    /// the kernel exist.
    pub fn set_cache(&self, host: u64, configuration: i32) -> Result {
        self.kernel(host)?;
        if (0..=3).contains(&configuration) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }

    /// `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.
    pub fn active_blocks(&mut self, host: u64, threads: i32, shared: u64) -> Result<i32> {
        let (fixed, max_threads) =
            self.with_entry(host, |entry| (entry.shared_bytes, entry.max_threads_per_block()))?;
        let threads = u32::try_from(threads).ok().filter(|n| *n > 0).ok_or(Code::INVALID_VALUE)?;
        if threads > max_threads {
            return Ok(0);
        }
        let registers = self.registers(self.kernel(host)?);
        let shared = shared.saturating_add(u64::from(fixed)).try_into().unwrap_or(u32::MAX);
        Ok(SIMULATED.occupancy(BlockResources { threads, registers, shared }).blocks as i32)
    }

    /// `cudaOccupancyAvailableDynamicSMemPerBlock`.
    pub fn available_shared(&mut self, host: u64, blocks: i32, threads: i32) -> Result<usize> {
        let limit = self.active_blocks(host, threads, 0)?;
        let fixed = self.with_entry(host, |entry| entry.shared_bytes)?;
        if blocks < 1 || blocks > limit {
            return Err(Code::INVALID_VALUE);
        }
        Ok(SIMULATED.available_shared(blocks as u32).saturating_sub(fixed) as usize)
    }
}
