//! The program's own memory, page-locked afterwards, and what is known of addresses.

use std::ffi::c_uint;

use super::{call, give};
use crate::error::Code;
use crate::runtime::PointerAttributes;

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostRegister(address: u64, bytes: usize, flags: c_uint) -> Code {
    call("cudaHostRegister", |r| r.register_host(address, bytes as u64, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostUnregister(address: u64) -> Code {
    call("cudaHostUnregister", |r| r.unregister_host(address))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostGetDevicePointer(device: *mut u64, address: u64, flags: c_uint) -> Code {
    call("cudaHostGetDevicePointer", |r| {
        let mapped = r.mapped(address, flags)?;
        give(device, mapped)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostGetFlags(flags: *mut c_uint, address: u64) -> Code {
    call("cudaHostGetFlags", |r| {
        let known = r.host_flags(address)?;
        give(flags, known)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaPointerGetAttributes(
    attributes: *mut PointerAttributes,
    address: u64,
) -> Code {
    call("cudaPointerGetAttributes", |r| give(attributes, r.pointer_attributes(address)))
}
