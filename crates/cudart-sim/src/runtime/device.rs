//! Settings of the device: its limits, its cache configuration and its flags.

use std::collections::BTreeMap;

use ptxsim::Limits;

use super::{Runtime, properties};
use crate::error::{Code, Result};

/// `cudaLimit`: `cudaLimitStackSize`, `cudaLimitPrintfFifoSize`, `cudaLimitMallocHeapSize`,
/// `cudaLimitDevRuntimeSyncDepth` and `cudaLimitMaxL2FetchGranularity`.
const STACK: i32 = 0;
const PRINTF_BUFFER: i32 = 1;
const HEAP: i32 = 2;
const SYNC_DEPTH: i32 = 3;
const L2_FETCH: i32 = 5;
/// `CU_LIMIT_SHMEM_SIZE` and `CU_LIMIT_CIG_ENABLED`, which can be read but not set.
const GRAPHICS_SHARED: i32 = 7;
const GRAPHICS: i32 = 8;

/// Bytes of a thread's local memory (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability"). The stack is only a part of it, so an H200 refuses a stack of this size.
const LOCAL_MEMORY_BYTES: u64 = 512 << 10;

/// The most bytes that are fetched into L2 at once.
const MAX_L2_FETCH_BYTES: u64 = 128;

/// `cudaDeviceMask`, `cudaDeviceScheduleMask`, `cudaDeviceMapHost`.
const ALL_FLAGS: u32 = 0xff;
const SCHEDULE_FLAGS: u32 = 0x07;
const MAP_HOST: u32 = 0x08;

/// What the program has set for the device.
#[derive(Debug, Default)]
pub struct DeviceSettings {
    /// By the number of the limit.
    limits: BTreeMap<i32, u64>,
    /// `cudaDeviceSetCacheConfig`.
    cache: i32,
    /// `cudaSetDeviceFlags`.
    flags: u32,
    /// Has a kernel printed anything?
    pub(super) printed: bool,
}

impl DeviceSettings {
    /// `cudaDeviceGetLimit`.
    pub fn limit(&self, number: i32) -> Result<u64> {
        match number {
            SYNC_DEPTH => Err(Code::UNSUPPORTED_LIMIT),
            // the context does not belong to a graphics program
            GRAPHICS => Ok(0),
            _ => {
                let limit = self.limits.get(&number).copied();
                limit.or_else(|| properties::limit(number)).ok_or(Code::INVALID_VALUE)
            }
        }
    }

    /// `cudaDeviceSetCacheConfig`, which is only a hint.
    pub fn set_cache(&mut self, configuration: i32) -> Result {
        if !(0..=3).contains(&configuration) {
            return Err(Code::INVALID_VALUE);
        }
        self.cache = configuration;
        Ok(())
    }

    /// `cudaDeviceGetCacheConfig`.
    pub fn cache(&self) -> i32 {
        self.cache
    }

    /// `cudaSetDeviceFlags`. At most one way to wait may be chosen. None of them makes a difference
    /// here.
    pub fn set_flags(&mut self, flags: u32) -> Result {
        if flags & !ALL_FLAGS != 0 || (flags & SCHEDULE_FLAGS).count_ones() > 1 {
            return Err(Code::INVALID_VALUE);
        }
        self.flags = flags;
        Ok(())
    }

    /// `cudaGetDeviceFlags`. Host memory can always be mapped.
    pub fn flags(&self) -> u32 {
        self.flags | MAP_HOST
    }

    /// `cudaDeviceReset`. The flags stay.
    fn reset(&mut self) {
        *self = Self { flags: self.flags, ..Self::default() };
    }
}

impl Runtime {
    /// `cudaDeviceSetLimit`. The buffer of `printf` is always large enough, but its limit is
    /// remembered.
    pub fn set_limit(&mut self, number: i32, value: u64) -> Result {
        self.alive()?;
        self.device.limit(number)?;
        let refused = match number {
            STACK => value >= LOCAL_MEMORY_BYTES,
            L2_FETCH => value > MAX_L2_FETCH_BYTES,
            // these cannot be changed after the first use
            PRINTF_BUFFER => self.device.printed,
            HEAP => self.memory.device().has_heap(),
            GRAPHICS_SHARED | GRAPHICS => return Err(Code::NOT_PERMITTED),
            _ => false,
        };
        if refused {
            return Err(Code::INVALID_VALUE);
        }
        self.synchronize_device()?;
        self.device.limits.insert(number, value);
        let (stack, heap) = (self.device.limit(STACK)?, self.device.limit(HEAP)?);
        let output = self.memory.device().limits().output;
        self.memory.device_mut().set_limits(Limits { stack, heap, output });
        Ok(())
    }

    /// `cudaDeviceReset`: waits, and then removes everything that the program has created. What it
    /// has not freed is a leak, as for Compute Sanitizer, because the rest of the process may have
    /// something on the device, too. On an H200, a device whose context was lost is not available
    /// afterwards.
    pub fn reset(&mut self) -> Result {
        if self.lost.is_some() {
            self.lost = Some(Code::DEVICES_UNAVAILABLE);
        } else {
            self.synchronize_device()?;
            let left = self.leaks();
            self.record.left_at_reset.extend(left);
        }
        self.memory.reset();
        self.unawaited.clear();
        self.objects.reset();
        self.graphs.reset();
        self.streams.reset();
        self.device.reset();
        Ok(())
    }
}
