//! Functions for stream-ordered memory and its pools.

use std::ffi::{c_int, c_uint, c_void};

use super::device::check_device;
use super::stream::{Handle, stream_of};
use super::{call, not_null, write_result};
use crate::error::{Code, Result};
use crate::runtime::{DEFAULT_POOL, PoolHandle, PoolValue, Runtime, is_int};

fn allocate(
    r: &mut Runtime,
    address: *mut u64,
    bytes: usize,
    pool: PoolHandle,
    stream: Handle,
) -> Result {
    not_null(address)?;
    let new = r.malloc_async(bytes as u64, pool, stream_of(stream))?;
    write_result(address, new)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocAsync(address: *mut u64, bytes: usize, stream: Handle) -> Code {
    call("cudaMallocAsync", &[&bytes, &stream], |r| {
        let pool = r.memory.pools.current();
        allocate(r, address, bytes, pool, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocFromPoolAsync(
    address: *mut u64,
    bytes: usize,
    pool: u64,
    stream: Handle,
) -> Code {
    call("cudaMallocFromPoolAsync", &[&bytes, &pool, &stream], |r| {
        allocate(r, address, bytes, PoolHandle(pool), stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeAsync(address: u64, stream: Handle) -> Code {
    call("cudaFreeAsync", &[&address, &stream], |r| r.free_async(address, stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetDefaultMemPool(pool: *mut u64, device: c_int) -> Code {
    call("cudaDeviceGetDefaultMemPool", &[&device], |_| {
        check_device(device)?;
        write_result(pool, DEFAULT_POOL.0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetMemPool(pool: *mut u64, device: c_int) -> Code {
    call("cudaDeviceGetMemPool", &[&device], |r| {
        check_device(device).map_err(|_| Code::INVALID_VALUE)?;
        write_result(pool, r.memory.pools.current().0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetMemPool(device: c_int, pool: u64) -> Code {
    call("cudaDeviceSetMemPool", &[&device, &pool], |r| {
        check_device(device)?;
        r.alive()?;
        r.memory.pools.set_current(PoolHandle(pool))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolGetAttribute(pool: u64, attribute: c_int, value: *mut c_void) -> Code {
    call("cudaMemPoolGetAttribute", &[&pool, &attribute], |r| {
        r.alive()?;
        match r.memory.pools.attribute(PoolHandle(pool), attribute)? {
            PoolValue::Int(n) => write_result(value.cast::<u32>(), n),
            PoolValue::Long(n) => write_result(value.cast::<u64>(), n),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolSetAttribute(
    pool: u64,
    attribute: c_int,
    value: *const c_void,
) -> Code {
    call("cudaMemPoolSetAttribute", &[&pool, &attribute, &value], |r| {
        if value.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a pointer to a value of the attribute's type, as CUDA demands.
        let value = unsafe {
            if is_int(attribute)? {
                PoolValue::Int(value.cast::<u32>().read_unaligned())
            } else {
                PoolValue::Long(value.cast::<u64>().read_unaligned())
            }
        };
        r.alive()?;
        r.memory.pools.set_attribute(PoolHandle(pool), attribute, value)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolTrimTo(pool: u64, keep: usize) -> Code {
    call("cudaMemPoolTrimTo", &[&pool, &keep], |r| {
        r.alive()?;
        r.memory.pools.trim(PoolHandle(pool), keep as u64)
    })
}

/// The part of `cudaMemPoolProps` that is read.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct PoolProperties {
    pub(super) allocation: c_int,
    pub(super) handles: c_int,
    pub(super) location: c_int,
    pub(super) device: c_int,
}

/// `cudaMemAllocationTypePinned`, `cudaMemLocationTypeDevice`.
const PINNED: c_int = 1;
const ON_DEVICE: c_int = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolCreate(pool: *mut u64, properties: *const PoolProperties) -> Code {
    call("cudaMemPoolCreate", &[&properties], |r| {
        if pool.is_null() || properties.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
        let wanted = unsafe { properties.read() };
        if wanted.allocation != PINNED || wanted.location != ON_DEVICE {
            return Err(Code::INVALID_VALUE);
        }
        check_device(wanted.device).map_err(|_| Code::INVALID_VALUE)?;
        if wanted.handles != 0 {
            return Err(Code::NOT_SUPPORTED);
        }
        r.alive()?;
        let PoolHandle(new) = r.memory.pools.create();
        write_result(pool, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolDestroy(pool: u64) -> Code {
    call("cudaMemPoolDestroy", &[&pool], |r| {
        r.alive()?;
        r.memory.pools.destroy(PoolHandle(pool))
    })
}

/// The only device may always use its own pools.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolSetAccess(
    pool: u64,
    descriptions: *const c_void,
    count: usize,
) -> Code {
    call("cudaMemPoolSetAccess", &[&pool, &count], |r| {
        r.alive()?;
        r.memory.pools.check(PoolHandle(pool))?;
        if descriptions.is_null() && count > 0 { Err(Code::INVALID_VALUE) } else { Ok(()) }
    })
}

/// `cudaMemAccessFlagsProtReadWrite`.
const READ_WRITE: c_uint = 3;

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPoolGetAccess(
    flags: *mut c_uint,
    pool: u64,
    _location: *const c_void,
) -> Code {
    call("cudaMemPoolGetAccess", &[&pool], |r| {
        r.alive()?;
        r.memory.pools.check(PoolHandle(pool))?;
        write_result(flags, READ_WRITE)
    })
}
