//! The device, and errors.

use std::ffi::{c_char, c_int};

use super::{call, give, with};
use crate::error::Code;

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSynchronize() -> Code {
    call(|r| r.synchronize_device())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> Code {
    with(|r| r.last_error(true))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> Code {
    with(|r| r.last_error(false))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(code: Code) -> *const c_char {
    code.name().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(code: Code) -> *const c_char {
    code.text().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDevice(device: *mut c_int) -> Code {
    call(|_| give(device, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceCount(count: *mut c_int) -> Code {
    call(|_| give(count, 1))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDevice(device: c_int) -> Code {
    call(|_| if device == 0 { Ok(()) } else { Err(Code::INVALID_DEVICE) })
}
