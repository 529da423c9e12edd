//! Memory pools, from which stream-ordered allocations take memory (CUDA C++ Programming Guide,
//! "Stream Ordered Memory Allocator").
//!
//! `cudaMallocAsync` returns an address at once. `cudaFreeAsync` enqueues work that frees the
//! memory in its turn.

use std::collections::BTreeMap;

use crate::error::{Code, Result};

/// A `cudaMemPool_t`. The device's own pool is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolHandle(pub u64);

/// The device's own pool.
pub const DEFAULT_POOL: PoolHandle = PoolHandle(FIRST_HANDLE);
const FIRST_HANDLE: u64 = 0x00ca_c000_0000_0000;
const HANDLE_STEP: u64 = 64;

/// A pool takes memory from the device in pieces of this many bytes.
const PIECE_BYTES: u64 = 32 << 20;

/// `cudaMemPoolAttr`.
const FOLLOW_EVENTS: i32 = 1;
const INTERNAL_DEPENDENCIES: i32 = 3;
const RELEASE_THRESHOLD: i32 = 4;
const RESERVED: i32 = 5;
const RESERVED_HIGH: i32 = 6;
const USED: i32 = 7;
const USED_HIGH: i32 = 8;

/// The state of a pool. Sizes are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pool {
    /// May the pool reuse memory after an event, opportunistically, and with an inserted
    /// dependency? 0 or 1 each.
    reuse: [u32; 3],
    release_threshold: u64,
    used: u64,
    used_high: u64,
    reserved: u64,
    reserved_high: u64,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            reuse: [1; 3],
            release_threshold: 0,
            used: 0,
            used_high: 0,
            reserved: 0,
            reserved_high: 0,
        }
    }
}

impl Pool {
    fn allocate(&mut self, bytes: u64) {
        self.used += bytes;
        self.used_high = self.used_high.max(self.used);
        self.reserved = self.reserved.max(self.used.next_multiple_of(PIECE_BYTES));
        self.reserved_high = self.reserved_high.max(self.reserved);
    }

    /// Returns unused memory to the device, down to `keep` bytes.
    fn trim(&mut self, keep: u64) {
        if self.reserved > keep {
            self.reserved = self.used.max(keep).next_multiple_of(PIECE_BYTES).min(self.reserved);
        }
    }
}

/// An allocation from a pool.
#[derive(Debug, Clone, Copy)]
struct PoolAllocation {
    pool: PoolHandle,
    /// Has `cudaFreeAsync` been called for it?
    freeing: bool,
}

/// All pools.
#[derive(Debug)]
pub struct Pools {
    all: BTreeMap<PoolHandle, Pool>,
    /// How many pools were created, including the device's own.
    created: u64,
    /// Memory from pools, by address.
    allocations: BTreeMap<u64, PoolAllocation>,
    /// The pool that `cudaMallocAsync` uses, if it is not the device's own.
    current: Option<PoolHandle>,
}

impl Default for Pools {
    fn default() -> Self {
        let all = BTreeMap::from([(DEFAULT_POOL, Pool::default())]);
        Self { all, created: 1, allocations: BTreeMap::new(), current: None }
    }
}

/// The value of a pool's attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolValue {
    /// A 32-bit `int`: whether the pool may reuse memory in some way.
    Int(u32),
    /// A 64-bit size or threshold.
    Long(u64),
}

/// Is this attribute an `int`? Fails for an unknown attribute.
pub fn is_int(attribute: i32) -> Result<bool> {
    match attribute {
        FOLLOW_EVENTS..=INTERNAL_DEPENDENCIES => Ok(true),
        RELEASE_THRESHOLD..=USED_HIGH => Ok(false),
        _ => Err(Code::INVALID_VALUE),
    }
}

impl Pools {
    /// `cudaDeviceReset`. Handles are not used again.
    pub(super) fn clear(&mut self) {
        *self = Self { created: self.created, ..Self::default() };
    }

    /// Does this pool exist?
    pub fn check(&self, pool: PoolHandle) -> Result {
        if self.all.contains_key(&pool) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    }

    /// A pool has allocated memory at this address.
    pub(in crate::runtime) fn allocated(&mut self, address: u64, bytes: u64, pool: PoolHandle) {
        self.allocations.insert(address, PoolAllocation { pool, freeing: false });
        if let Some(pool) = self.all.get_mut(&pool) {
            pool.allocate(bytes);
        }
    }

    /// `cudaFreeAsync` was called for this memory. Memory from `cudaMalloc` then counts as the
    /// device's own pool's. Fails if the memory is being freed already.
    pub(in crate::runtime) fn start_freeing(&mut self, address: u64, bytes: u64) -> Result {
        let known = self.allocations.get(&address).copied();
        if known.is_some_and(|allocation| allocation.freeing) {
            return Err(Code::INVALID_VALUE);
        }
        let pool = known.map_or(DEFAULT_POOL, |allocation| allocation.pool);
        if known.is_none() {
            self.all.entry(pool).or_default().allocate(bytes);
        }
        self.allocations.insert(address, PoolAllocation { pool, freeing: true });
        Ok(())
    }

    /// `cudaFree` has freed this memory. On an H200 the pool still counts the memory as used.
    pub(in crate::runtime) fn forget(&mut self, address: u64) {
        self.allocations.remove(&address);
    }

    /// The work that `cudaFreeAsync` enqueued has freed this memory.
    pub(in crate::runtime) fn freed(&mut self, address: u64, bytes: u64) {
        if let Some(PoolAllocation { pool, .. }) = self.allocations.remove(&address)
            && let Some(pool) = self.all.get_mut(&pool)
        {
            pool.used -= bytes;
        }
    }

    /// The host has waited for work, so each pool returns what is above its threshold.
    pub(in crate::runtime) fn trim_to_thresholds(&mut self) {
        self.all.values_mut().for_each(|pool| pool.trim(pool.release_threshold));
    }

    /// `cudaMemPoolGetAttribute`.
    pub fn attribute(&self, pool: PoolHandle, attribute: i32) -> Result<PoolValue> {
        let pool = self.all.get(&pool).ok_or(Code::INVALID_VALUE)?;
        Ok(match attribute {
            FOLLOW_EVENTS..=INTERNAL_DEPENDENCIES => {
                PoolValue::Int(pool.reuse[attribute as usize - 1])
            }
            RELEASE_THRESHOLD => PoolValue::Long(pool.release_threshold),
            RESERVED => PoolValue::Long(pool.reserved),
            RESERVED_HIGH => PoolValue::Long(pool.reserved_high),
            USED => PoolValue::Long(pool.used),
            USED_HIGH => PoolValue::Long(pool.used_high),
            _ => return Err(Code::INVALID_VALUE),
        })
    }

    /// `cudaMemPoolSetAttribute`. A high-water mark can only be reset to the current value.
    pub fn set_attribute(&mut self, pool: PoolHandle, attribute: i32, value: PoolValue) -> Result {
        let pool = self.all.get_mut(&pool).ok_or(Code::INVALID_VALUE)?;
        match (attribute, value) {
            (FOLLOW_EVENTS..=INTERNAL_DEPENDENCIES, PoolValue::Int(value)) => {
                pool.reuse[attribute as usize - 1] = value;
            }
            (RELEASE_THRESHOLD, PoolValue::Long(value)) => pool.release_threshold = value,
            (RESERVED_HIGH, PoolValue::Long(0)) => pool.reserved_high = pool.reserved,
            (USED_HIGH, PoolValue::Long(0)) => pool.used_high = pool.used,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }

    /// `cudaMemPoolTrimTo`.
    pub fn trim(&mut self, pool: PoolHandle, keep: u64) -> Result {
        self.all.get_mut(&pool).ok_or(Code::INVALID_VALUE)?.trim(keep);
        Ok(())
    }

    /// `cudaMemPoolCreate`, for memory of the device.
    pub fn create(&mut self) -> PoolHandle {
        let pool = PoolHandle(FIRST_HANDLE + self.created * HANDLE_STEP);
        self.created += 1;
        self.all.insert(pool, Pool::default());
        pool
    }

    /// `cudaMemPoolDestroy`. The pool's memory stays allocated until it is freed.
    pub fn destroy(&mut self, pool: PoolHandle) -> Result {
        if pool == DEFAULT_POOL || self.all.remove(&pool).is_none() {
            return Err(Code::INVALID_VALUE);
        }
        if self.current == Some(pool) {
            self.current = None;
        }
        Ok(())
    }

    /// `cudaDeviceGetMemPool`: the pool that `cudaMallocAsync` uses.
    pub fn current(&self) -> PoolHandle {
        self.current.unwrap_or(DEFAULT_POOL)
    }

    /// `cudaDeviceSetMemPool`.
    pub fn set_current(&mut self, pool: PoolHandle) -> Result {
        self.check(pool)?;
        self.current = Some(pool);
        Ok(())
    }
}
