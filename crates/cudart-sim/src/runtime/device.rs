//! The device as a whole: its limits, its memory, its end.

use ptxsim::{Limits, Memory};

use super::{Runtime, properties};
use crate::error::{Code, Result};

/// `cudaLimitStackSize`, `cudaLimitPrintfFifoSize`, `cudaLimitMallocHeapSize`, `cudaLimitDevRuntimeSyncDepth`,
/// `cudaLimitMaxL2FetchGranularity`; and `CU_LIMIT_SHMEM_SIZE`, `CU_LIMIT_CIG_ENABLED`, which can only be asked.
const STACK: i32 = 0;
const FIFO: i32 = 1;
const HEAP: i32 = 2;
const SYNC_DEPTH: i32 = 3;
const FETCHED: i32 = 5;
const GRAPHICS_SHARED: i32 = 7;
const GRAPHICS: i32 = 8;

/// A thread's local memory (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). Its stack is
/// only a part of that: an H200 refuses one as large.
const LOCAL: u64 = 512 << 10;

/// Bytes that are fetched into L2 at once.
const MOST_FETCHED: u64 = 128;

/// `cudaDeviceMask`, `cudaDeviceScheduleMask`, `cudaDeviceMapHost`.
const DEVICE_FLAGS: u32 = 0xff;
const WAYS_TO_WAIT: u32 = 0x07;
const MAP_HOST: u32 = 0x08;

impl Runtime {
    /// `cudaDeviceGetLimit`.
    pub fn limit(&self, number: i32) -> Result<u64> {
        self.alive()?;
        if number == SYNC_DEPTH {
            return Err(Code::UNSUPPORTED_LIMIT);
        }
        if number == GRAPHICS {
            // the context is not one of a graphics program
            return Ok(0);
        }
        let limit = self.limits.get(&number).copied().or_else(|| properties::limit(number));
        limit.ok_or(Code::INVALID_VALUE)
    }

    /// `cudaDeviceSetLimit`. The buffer of `printf` is as large as it need be, but what is set is remembered.
    pub fn set_limit(&mut self, number: i32, value: u64) -> Result {
        self.limit(number)?;
        let refused = match number {
            STACK => value >= LOCAL,
            FETCHED => value > MOST_FETCHED,
            // what is in use already cannot be changed any more
            FIFO => self.printed,
            HEAP => self.memory.has_heap(),
            GRAPHICS_SHARED | GRAPHICS => return Err(Code::NOT_PERMITTED),
            _ => false,
        };
        if refused {
            return Err(Code::INVALID_VALUE);
        }
        self.synchronize_device()?;
        self.limits.insert(number, value);
        let (stack, heap) = (self.limit(STACK)?, self.limit(HEAP)?);
        self.memory.set_limits(Limits { stack, heap });
        Ok(())
    }

    /// `cudaMemGetInfo`: free bytes, and all.
    pub fn memory_info(&self) -> Result<(u64, u64)> {
        self.alive()?;
        let used = self.memory.used();
        Ok((Memory::CAPACITY.saturating_sub(used), Memory::CAPACITY))
    }

    /// `cudaDeviceSetCacheConfig`, a hint.
    pub fn set_cache(&mut self, configuration: i32) -> Result {
        self.alive()?;
        if !(0..=3).contains(&configuration) {
            return Err(Code::INVALID_VALUE);
        }
        self.cache = configuration;
        Ok(())
    }

    /// `cudaDeviceGetCacheConfig`.
    pub fn cache(&self) -> Result<i32> {
        self.alive().map(|()| self.cache)
    }

    /// `cudaSetDeviceFlags`: at most one way to wait, none of which makes a difference here.
    pub fn set_device_flags(&mut self, flags: u32) -> Result {
        if flags & !DEVICE_FLAGS != 0 || (flags & WAYS_TO_WAIT).count_ones() > 1 {
            return Err(Code::INVALID_VALUE);
        }
        self.device_flags = flags;
        Ok(())
    }

    /// `cudaGetDeviceFlags`: memory of the host can always be mapped.
    pub fn device_flags(&self) -> u32 {
        self.device_flags | MAP_HOST
    }

    /// `cudaDeviceReset`: waits, and forgets everything that the program has made. On an H200 a device that was lost is not
    /// there again afterwards.
    pub fn reset(&mut self) -> Result {
        if self.lost.is_some() {
            self.lost = Some(Code::DEVICES_UNAVAILABLE);
        } else {
            self.synchronize_device()?;
        }
        self.forget_shared();
        self.memory.reset();
        self.graph.reset();
        self.allocations.clear();
        self.freed.clear();
        self.arrays.clear();
        self.objects.clear();
        self.limits.clear();
        self.pools.clear();
        self.streams.clear();
        self.dying.clear();
        self.current_pool = None;
        self.cache = 0;
        self.printed = false;
        self.forget_events();
        Ok(())
    }
}
