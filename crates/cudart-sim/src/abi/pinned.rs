//! Functions that page-lock the program's own memory, and that describe addresses.

use std::ffi::c_uint;

use super::{call, write_result};
use crate::error::Code;
use crate::runtime::PointerAttributes;

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostRegister(address: u64, bytes: usize, flags: c_uint) -> Code {
    call("cudaHostRegister", &[&address, &bytes, &flags], |r| {
        r.register_host(address, bytes as u64, flags)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostUnregister(address: u64) -> Code {
    call("cudaHostUnregister", &[&address], |r| r.unregister_host(address))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostGetDevicePointer(device: *mut u64, address: u64, flags: c_uint) -> Code {
    call("cudaHostGetDevicePointer", &[&address, &flags], |r| {
        r.alive()?;
        let pointer = r.memory.device_pointer(address, flags)?;
        write_result(device, pointer)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostGetFlags(flags: *mut c_uint, address: u64) -> Code {
    call("cudaHostGetFlags", &[&address], |r| {
        r.alive()?;
        let known = r.memory.host_flags(address)?;
        write_result(flags, known)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaPointerGetAttributes(
    attributes: *mut PointerAttributes,
    address: u64,
) -> Code {
    call("cudaPointerGetAttributes", &[&address], |r| {
        write_result(attributes, r.memory.pointer_attributes(address))
    })
}
