//! Functions for managed memory, which the host and the device use at the same address.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::register::binary_index;
use super::stream::{Handle, stream_of};
use super::{call, not_null, register, write_result};
use crate::error::Code;
use crate::graph::LEGACY;
use crate::runtime::MemoryLocation;

/// `cudaMemAttachGlobal` and `cudaMemAttachHost`.
const ATTACH_FLAGS: std::ops::RangeInclusive<c_uint> = 1..=2;
const ATTACH_SINGLE: c_uint = 4;

/// `struct cudaMemLocation`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Location {
    pub(super) kind: c_int,
    id: c_int,
}

impl From<Location> for MemoryLocation {
    fn from(Location { kind, id }: Location) -> Self {
        Self { kind, id }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocManaged(address: *mut u64, bytes: usize, flags: c_uint) -> Code {
    call("cudaMallocManaged", &[&bytes, &flags], |r| {
        not_null(address)?;
        if !ATTACH_FLAGS.contains(&flags) {
            return Err(Code::INVALID_VALUE);
        }
        let new = r.malloc_managed(bytes as u64)?;
        write_result(address, new)
    })
}

/// The location of pages makes no difference here, but wrong arguments are still errors.
#[unsafe(no_mangle)]
pub extern "C" fn cudaMemPrefetchAsync(
    address: u64,
    bytes: usize,
    to: Location,
    flags: c_uint,
    stream: Handle,
) -> Code {
    call("cudaMemPrefetchAsync", &[&address, &bytes, &to, &flags, &stream], |r| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        r.prefetch(address, bytes as u64, to.into(), stream_of(stream))
    })
}

/// Where the host and the device may use managed memory at the same time, as here, which stream the
/// memory belongs to makes no difference.
#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAttachMemAsync(
    stream: Handle,
    address: u64,
    bytes: usize,
    flags: c_uint,
) -> Code {
    call("cudaStreamAttachMemAsync", &[&stream, &address, &bytes, &flags], |r| {
        let stream = stream_of(stream);
        if !ATTACH_FLAGS.contains(&flags) && flags != ATTACH_SINGLE {
            return Err(Code::INVALID_VALUE);
        }
        if flags == ATTACH_SINGLE && stream == LEGACY {
            return Err(Code::INVALID_VALUE);
        }
        r.attach(address, bytes as u64, stream)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemAdvise(
    address: u64,
    bytes: usize,
    advice: c_int,
    location: Location,
) -> Code {
    call("cudaMemAdvise", &[&address, &bytes, &advice, &location], |r| {
        // cudaMemAdviseSetReadMostly to cudaMemAdviseUnsetAccessedBy
        if !(1..=6).contains(&advice) {
            return Err(Code::INVALID_VALUE);
        }
        r.alive()?;
        r.memory.advise(address, bytes as u64, location.into())
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
    // SAFETY: nvcc's stub passes a string literal.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let binary = binary_index(handle);
    let address = register("__cudaRegisterManagedVar", &[&binary, &&*name, &bytes], |r| {
        // the host accesses the variable through this pointer, whose address also identifies the
        // variable
        r.objects.register_variable(binary, pointer as u64, &name, bytes as u64);
        r.map_variable(pointer as u64)
    });
    if let Some(address) = address {
        // SAFETY: the stub passes the address of a pointer of its own.
        unsafe { pointer.write(address as *mut c_void) };
    }
}
