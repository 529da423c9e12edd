//! Functions that query and set the attributes of kernels.

use std::ffi::{c_int, c_uint, c_void};

use super::{call, write_result};
use crate::error::{Code, Result};
use crate::runtime::{FunctionAttributes, Runtime};

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetAttribute(
    function: *const c_void,
    attribute: c_int,
    value: c_int,
) -> Code {
    call("cudaFuncSetAttribute", &[&attribute, &value], |r| {
        r.alive()?;
        r.objects.set_attribute(function as u64, attribute, value, r.max_shared_bytes())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    function: *const c_void,
) -> Code {
    call("cudaFuncGetAttributes", &[], |r| {
        r.alive()?;
        let known = r.objects.attributes(function as u64)?;
        write_result(attributes, known)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetCacheConfig(function: *const c_void, configuration: c_int) -> Code {
    call("cudaFuncSetCacheConfig", &[&configuration], |r| {
        r.alive()?;
        r.objects.set_cache(function as u64, configuration)
    })
}

/// `cudaSharedMemConfig` has three values, which have no effect since compute capability 5.0.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetSharedMemConfig(
    function: *const c_void,
    configuration: c_int,
) -> Code {
    call("cudaFuncSetSharedMemConfig", &[&configuration], |r| {
        if !(0..=2).contains(&configuration) {
            return Err(Code::INVALID_VALUE);
        }
        r.alive()?;
        r.objects.set_cache(function as u64, 0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: *const c_void,
    threads: c_int,
    shared: usize,
) -> Code {
    call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", &[&threads, &shared], |r| {
        r.alive()?;
        let n = r.objects.active_blocks(function as u64, threads, shared as u64)?;
        write_result(blocks, n)
    })
}

/// `cudaOccupancyDisableCachingOverride` has no effect.
#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: *const c_void,
    threads: c_int,
    shared: usize,
    flags: c_uint,
) -> Code {
    call(
        "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        &[&threads, &shared, &flags],
        |r| {
            if flags > 1 {
                return Err(Code::INVALID_VALUE);
            }
            r.alive()?;
            let n = r.objects.active_blocks(function as u64, threads, shared as u64)?;
            write_result(blocks, n)
        },
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    function: *const c_void,
    blocks: c_int,
    threads: c_int,
) -> Code {
    call("cudaOccupancyAvailableDynamicSMemPerBlock", &[&blocks, &threads], |r| {
        r.alive()?;
        let available = r.objects.available_shared(function as u64, blocks, threads)?;
        write_result(bytes, available)
    })
}

/// A `cudaKernel_t` and a `cudaFunction_t` are the address of the kernel's host function.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) -> Code {
    call("cudaGetKernel", &[], |r| kernel_handle(r, kernel, function))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetFuncBySymbol(kernel: *mut *const c_void, function: *const c_void) -> Code {
    call("cudaGetFuncBySymbol", &[], |r| kernel_handle(r, kernel, function))
}

fn kernel_handle(r: &Runtime, kernel: *mut *const c_void, function: *const c_void) -> Result {
    r.objects.kernel(function as u64).map_err(|_| Code::INVALID_DEVICE_FUNCTION)?;
    write_result(kernel, function)
}
