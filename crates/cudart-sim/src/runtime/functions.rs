//! What can be asked and set of kernels: attributes, and how many blocks fit a multiprocessor.

use ptxsim::{Entry, occupancy};

use super::Runtime;
use crate::error::{Code, Result};
use crate::report::Cause;

/// Shared memory of a block: without asking, and the most (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability").
const USUAL_SHARED: u32 = 48 << 10;
const MOST_SHARED: u32 = 227 << 10;

/// Registers of a thread. The assembler decides them, and there is none here: as many as never keep a block away.
const REGISTERS: i32 = 32;

/// `cudaFuncAttribute`.
const MAX_DYNAMIC_SHARED: i32 = 8;
const CARVEOUT: i32 = 9;
const CLUSTER_WIDTH: i32 = 11;
const CLUSTER_DEPTH: i32 = 13;
const NON_PORTABLE_CLUSTER: i32 = 14;
const CLUSTER_POLICY: i32 = 15;

/// Blocks of a cluster: on every device, and on an H200.
const PORTABLE_CLUSTER: u64 = 8;
const MOST_CLUSTER: u64 = 16;

/// What a program has set of a kernel's clusters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clusters {
    /// Blocks in each dimension, or 0.
    pub required: [u32; 3],
    /// `cudaClusterSchedulingPolicy`, which has no effect here.
    policy: i32,
    /// May there be more blocks than every device runs?
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

impl Runtime {
    /// `cudaFuncSetAttribute`.
    pub fn set_function_attribute(&mut self, host: u64, attribute: i32, value: i32) -> Result {
        self.alive()?;
        let fixed = self.entry(host)?.shared_bytes;
        let kernel = self.kernels.get_mut(&host).ok_or(Code::INVALID_RESOURCE_HANDLE)?;
        match (attribute, value) {
            (MAX_DYNAMIC_SHARED, 0..) if fixed + value as u32 <= MOST_SHARED => {
                kernel.shared_allowed = Some(value as u32);
                Ok(())
            }
            (CARVEOUT, -1..=100) => {
                kernel.carveout = value;
                Ok(())
            }
            // looked at by launches only
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
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// Can a grid be launched in clusters of so many blocks? One block each, that is: larger ones are not simulated.
    pub fn may_cluster(&mut self, host: u64, grid: [u32; 3], size: [u32; 3]) -> Result {
        self.alive()?;
        let Clusters { non_portable, .. } = self.kernel(host)?.clusters;
        let most = if non_portable { MOST_CLUSTER } else { PORTABLE_CLUSTER };
        let blocks = size.iter().fold(1, |n: u64, side| n.saturating_mul(u64::from(*side)));
        let whole = grid.iter().zip(size).all(|(blocks, side)| blocks.checked_rem(side) == Some(0));
        let (code, text) = if !whole {
            let text = format!("clusters of {size:?} blocks do not divide a grid of {grid:?}");
            (Code::INVALID_CLUSTER_SIZE, text)
        } else if blocks > most {
            let text = format!("clusters of {blocks} blocks; at most {most} are possible");
            (Code::INVALID_CLUSTER_SIZE, text)
        } else if blocks > 1 {
            let text = format!("clusters of {blocks} blocks, and the simulator has none");
            (Code::NOT_SUPPORTED, text)
        } else {
            return Ok(());
        };
        self.because(Cause::Limit { text });
        Err(code)
    }

    /// `cudaFuncGetAttributes`.
    pub fn function_attributes(&mut self, host: u64) -> Result<FunctionAttributes> {
        self.alive()?;
        let entry = self.entry(host)?;
        let kernel = self.kernel(host)?.clone();
        let module = self.module(kernel.binary)?;
        let usual = USUAL_SHARED.saturating_sub(entry.shared_bytes);
        Ok(FunctionAttributes {
            shared: entry.shared_bytes as usize,
            constant: 0,
            local: module.local_bytes(&kernel.name) as usize,
            threads: entry.max_threads_per_block() as i32,
            registers: REGISTERS,
            ptx_version: 75,
            binary_version: 90,
            cache_all: 0,
            dynamic_shared: kernel.shared_allowed.unwrap_or(usual) as i32,
            carveout: kernel.carveout,
            cluster_must_be_set: 0,
            cluster: kernel.clusters.required.map(|n| n as i32),
            cluster_policy: kernel.clusters.policy,
            non_portable_cluster: i32::from(kernel.clusters.non_portable),
            reserved: [0; 16],
        })
    }

    /// `cudaFuncSetCacheConfig`, a hint: is there such a kernel, and such a configuration?
    pub fn set_function_cache(&self, host: u64, configuration: i32) -> Result {
        self.alive()?;
        self.kernel(host)?;
        if (0..=3).contains(&configuration) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }

    /// `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.
    pub fn active_blocks(&mut self, host: u64, threads: i32, shared: u64) -> Result<i32> {
        self.alive()?;
        let entry = self.entry(host)?;
        let threads = u64::try_from(threads).ok().filter(|n| *n > 0).ok_or(Code::INVALID_VALUE)?;
        if threads > u64::from(entry.max_threads_per_block()) {
            return Ok(0);
        }
        let shared = shared.saturating_add(u64::from(entry.shared_bytes));
        Ok(occupancy(threads, shared) as i32)
    }

    /// `cudaOccupancyAvailableDynamicSMemPerBlock`.
    pub fn available_shared(&mut self, host: u64, blocks: i32, threads: i32) -> Result<usize> {
        let most = self.active_blocks(host, threads, 0)?;
        let fixed = u64::from(self.entry(host)?.shared_bytes);
        if blocks < 1 || blocks > most {
            return Err(Code::INVALID_VALUE);
        }
        Ok(ptxsim::shared_of(blocks as u64).saturating_sub(fixed) as usize)
    }

    fn entry(&mut self, host: u64) -> Result<Entry> {
        let kernel = self.kernel(host)?.clone();
        let module = self.module(kernel.binary)?;
        let entry = module.entries().iter().find(|entry| entry.name == kernel.name);
        entry.cloned().ok_or(Code::INVALID_DEVICE_FUNCTION)
    }
}
