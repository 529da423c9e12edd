//! Memory allocated and freed in the order of streams, from pools (CUDA C++ Programming Guide, "Stream Ordered Memory
//! Allocator").
//!
//! The address is known at once; freeing is work in a stream, done in its turn.

use std::collections::BTreeMap;

use super::Runtime;
use super::sites::Site;
use super::work::Work;
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::report::MemoryKind;

/// A `cudaMemPool_t`. The device's own is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolHandle(pub u64);

/// The device's own pool.
pub const DEFAULT_POOL: PoolHandle = PoolHandle(FIRST);
const FIRST: u64 = 0x00ca_c000_0000_0000;
const STEP: u64 = 64;

/// Pools get memory from the device in pieces of this.
const PIECE: u64 = 32 << 20;

/// Attributes (`cudaMemPoolAttr`).
const FOLLOW_EVENTS: i32 = 1;
const INTERNAL_DEPENDENCIES: i32 = 3;
const RELEASE_THRESHOLD: i32 = 4;
const RESERVED: i32 = 5;
const RESERVED_HIGH: i32 = 6;
const USED: i32 = 7;
const USED_HIGH: i32 = 8;

/// A pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pool {
    /// May memory be used again: by event, by chance, by a new dependency?
    reuse: [u32; 3],
    threshold: u64,
    used: u64,
    used_high: u64,
    reserved: u64,
    reserved_high: u64,
}

impl Default for Pool {
    fn default() -> Self {
        let reuse = [1; 3];
        Self { reuse, threshold: 0, used: 0, used_high: 0, reserved: 0, reserved_high: 0 }
    }
}

impl Pool {
    fn take(&mut self, bytes: u64) {
        self.used += bytes;
        self.used_high = self.used_high.max(self.used);
        self.reserved = self.reserved.max(self.used.next_multiple_of(PIECE));
        self.reserved_high = self.reserved_high.max(self.reserved);
    }

    /// Gives back what is not used, except for some.
    fn trim(&mut self, keep: u64) {
        if self.reserved > keep {
            self.reserved = self.used.max(keep).next_multiple_of(PIECE).min(self.reserved);
        }
    }
}

/// All pools.
#[derive(Debug)]
pub(super) struct Pools {
    all: BTreeMap<PoolHandle, Pool>,
    made: u64,
    /// Memory from pools: which, and is it to be freed already?
    memory: BTreeMap<u64, (PoolHandle, bool)>,
}

impl Default for Pools {
    fn default() -> Self {
        let all = BTreeMap::from([(DEFAULT_POOL, Pool::default())]);
        Self { all, made: 1, memory: BTreeMap::new() }
    }
}

impl Pools {
    pub fn clear(&mut self) {
        *self = Self { made: self.made, ..Self::default() };
    }

    /// Is this memory to be freed by work that is not done yet?
    pub fn going(&self, address: u64) -> bool {
        self.memory.get(&address).is_some_and(|(_, going)| *going)
    }

    /// This memory, if it is a pool's, was freed by `cudaFree`, which an H200 does not tell its pool.
    pub fn taken(&mut self, address: u64) {
        self.memory.remove(&address);
    }

    /// This memory, if it is a pool's, is no more.
    pub fn gone(&mut self, address: u64, bytes: u64) {
        if let Some((pool, _)) = self.memory.remove(&address)
            && let Some(pool) = self.all.get_mut(&pool)
        {
            pool.used -= bytes;
        }
    }

    /// Somebody has waited: what is above the thresholds goes back.
    pub fn settle(&mut self) {
        self.all.values_mut().for_each(|pool| pool.trim(pool.threshold));
    }
}

/// The value of an attribute: 32 or 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolValue {
    /// Of the ways to use memory again.
    Int(u32),
    /// Of sizes.
    Long(u64),
}

/// Is this attribute an `int`? Fails for one that there is not.
pub fn is_int(attribute: i32) -> Result<bool> {
    match attribute {
        FOLLOW_EVENTS..=INTERNAL_DEPENDENCIES => Ok(true),
        RELEASE_THRESHOLD..=USED_HIGH => Ok(false),
        _ => Err(Code::INVALID_VALUE),
    }
}

impl Runtime {
    /// `cudaMallocAsync`, `cudaMallocFromPoolAsync`.
    pub fn malloc_async(&mut self, bytes: u64, pool: PoolHandle, stream: Stream) -> Result<u64> {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        if !self.pools.all.contains_key(&pool) {
            return Err(Code::INVALID_VALUE);
        }
        if bytes == 0 {
            return Ok(0);
        }
        let address = self.malloc(bytes).or_else(|_| {
            // what is freed in streams makes room, once it is
            self.synchronize_device()?;
            self.malloc(bytes)
        })?;
        self.pools.memory.insert(address, (pool, false));
        if let Some(pool) = self.pools.all.get_mut(&pool) {
            pool.take(bytes);
        }
        Ok(address)
    }

    /// `cudaFreeAsync`: of any device memory, as on an H200, except managed memory.
    pub fn free_async(&mut self, address: u64, stream: Stream) -> Result {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        if address == 0 {
            return Ok(());
        }
        let known = self.allocations.get(&address).ok_or(Code::INVALID_VALUE)?;
        if known.kind == MemoryKind::Managed {
            return Err(Code::NOT_SUPPORTED);
        }
        if self.pools.going(address) {
            return Err(Code::INVALID_VALUE);
        }
        let pool = self.pools.memory.get(&address).map_or(DEFAULT_POOL, |(pool, _)| *pool);
        if !self.pools.memory.contains_key(&address) {
            let bytes = self.allocations.get(&address).map_or(0, |a| a.bytes);
            self.pools.all.entry(pool).or_default().take(bytes);
        }
        self.pools.memory.insert(address, (pool, true));
        self.ask(stream, Work::Free(address), &[]);
        Ok(())
    }

    /// What `cudaFreeAsync` asked for at `site` happens.
    pub(super) fn free_now(&mut self, address: u64, site: Site) -> Result {
        let bytes = self.release(address, site)?;
        self.pools.gone(address, bytes);
        Ok(())
    }

    /// `cudaMemPoolGetAttribute`.
    pub fn pool_attribute(&self, pool: PoolHandle, attribute: i32) -> Result<PoolValue> {
        self.alive()?;
        let pool = self.pools.all.get(&pool).ok_or(Code::INVALID_VALUE)?;
        Ok(match attribute {
            FOLLOW_EVENTS..=INTERNAL_DEPENDENCIES => {
                PoolValue::Int(pool.reuse[attribute as usize - 1])
            }
            RELEASE_THRESHOLD => PoolValue::Long(pool.threshold),
            RESERVED => PoolValue::Long(pool.reserved),
            RESERVED_HIGH => PoolValue::Long(pool.reserved_high),
            USED => PoolValue::Long(pool.used),
            USED_HIGH => PoolValue::Long(pool.used_high),
            _ => return Err(Code::INVALID_VALUE),
        })
    }

    /// `cudaMemPoolSetAttribute`: high marks can only go back to what is now.
    pub fn set_pool_attribute(
        &mut self,
        pool: PoolHandle,
        attribute: i32,
        value: PoolValue,
    ) -> Result {
        self.alive()?;
        let pool = self.pools.all.get_mut(&pool).ok_or(Code::INVALID_VALUE)?;
        match (attribute, value) {
            (FOLLOW_EVENTS..=INTERNAL_DEPENDENCIES, PoolValue::Int(value)) => {
                pool.reuse[attribute as usize - 1] = value;
            }
            (RELEASE_THRESHOLD, PoolValue::Long(value)) => pool.threshold = value,
            (RESERVED_HIGH, PoolValue::Long(0)) => pool.reserved_high = pool.reserved,
            (USED_HIGH, PoolValue::Long(0)) => pool.used_high = pool.used,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }

    /// `cudaMemPoolTrimTo`.
    pub fn trim_pool(&mut self, pool: PoolHandle, keep: u64) -> Result {
        self.alive()?;
        let pool = self.pools.all.get_mut(&pool).ok_or(Code::INVALID_VALUE)?;
        pool.trim(keep);
        Ok(())
    }

    /// `cudaMemPoolCreate`, for memory of the device.
    pub fn create_pool(&mut self) -> Result<PoolHandle> {
        self.alive()?;
        let pool = PoolHandle(FIRST + self.pools.made * STEP);
        self.pools.made += 1;
        self.pools.all.insert(pool, Pool::default());
        Ok(pool)
    }

    /// `cudaMemPoolDestroy`: its memory stays until it is freed.
    pub fn destroy_pool(&mut self, pool: PoolHandle) -> Result {
        self.alive()?;
        if pool == DEFAULT_POOL || self.pools.all.remove(&pool).is_none() {
            return Err(Code::INVALID_VALUE);
        }
        if self.current_pool == Some(pool) {
            self.current_pool = None;
        }
        Ok(())
    }

    /// `cudaDeviceGetMemPool`: the pool that `cudaMallocAsync` takes from.
    pub fn pool(&self) -> PoolHandle {
        self.current_pool.unwrap_or(DEFAULT_POOL)
    }

    /// `cudaDeviceSetMemPool`.
    pub fn set_pool(&mut self, pool: PoolHandle) -> Result {
        self.alive()?;
        if !self.pools.all.contains_key(&pool) {
            return Err(Code::INVALID_VALUE);
        }
        self.current_pool = Some(pool);
        Ok(())
    }
}
