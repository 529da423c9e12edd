//! Managed memory: one address for the host and the device.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::register::number;
use super::stream::{Handle, stream_of};
use super::{call, give, with};
use crate::error::Code;

/// `cudaMemAttachGlobal`, and the last of the flags.
const ATTACH: std::ops::RangeInclusive<c_uint> = 1..=2;

/// `struct cudaMemLocation`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Location {
    kind: c_int,
    id: c_int,
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocManaged(address: *mut u64, bytes: usize, flags: c_uint) -> Code {
    call("cudaMallocManaged", |r| {
        if !ATTACH.contains(&flags) || address.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let new = r.malloc_managed(bytes as u64)?;
        give(address, new)
    })
}

/// Where the pages are makes no difference here; the call must be right all the same.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync(
    address: u64,
    bytes: usize,
    to: Location,
    flags: c_uint,
    stream: Handle,
) -> Code {
    call("cudaMemPrefetchAsync", |r| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        r.prefetch(address, bytes as u64, (to.kind, to.id), stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemAdvise(address: u64, bytes: usize, advice: c_int, of: Location) -> Code {
    call("cudaMemAdvise", |r| {
        // cudaMemAdviseSetReadMostly to cudaMemAdviseUnsetAccessedBy
        if !(1..=6).contains(&advice) {
            return Err(Code::INVALID_VALUE);
        }
        r.advise(address, bytes as u64, (of.kind, of.id))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterManagedVar(
    handle: *mut *mut c_void,
    pointer: *mut *mut c_void,
    _device: *mut c_char,
    name: *const c_char,
    _external: c_int,
    bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: nvcc's stub passes a literal.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let address = with(|r| {
        // the host's accesses to the variable go through this pointer, which also stands for it
        r.register_variable(number(handle), pointer as u64, &name, bytes as u64);
        r.map_variable(pointer as u64)
    });
    if let Some(address) = address {
        // SAFETY: the stub passes the address of a pointer of its own.
        unsafe { pointer.write(address as *mut c_void) };
    }
}
