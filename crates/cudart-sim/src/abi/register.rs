//! Functions that nvcc's stubs call before `main` to register device code, kernels and variables.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::register;
use crate::{fatbin, link, modules};

/// `__fatBinC_Wrapper_t`.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    /// In version 2, which the linker writes: the binaries of the source files, and then null.
    linked: *const *const u8,
}

/// The version of a wrapper for separately compiled source files.
const LINKED: u32 = 2;

/// The index of a binary. The program only passes the handle back, so the handle is the index plus
/// one.
pub(super) fn binary_index(handle: *mut *mut c_void) -> usize {
    (handle as usize).wrapping_sub(1)
}

/// The PTX of the fat binary at `data`.
///
/// # Safety
/// A whole fat binary, or at least [`fatbin::HEADER_BYTES`] other bytes, must begin there.
unsafe fn ptx_at(data: *const u8) -> Option<String> {
    // SAFETY: the caller guarantees the header, and the header states the size of the rest.
    unsafe {
        let bytes = fatbin::size(std::slice::from_raw_parts(data, fatbin::HEADER_BYTES))?;
        fatbin::ptx(std::slice::from_raw_parts(data, bytes))
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut *mut c_void {
    modules::set_program(wrapper as usize);
    // SAFETY: nvcc's stub passes its own wrapper, which points to a whole fat binary.
    let ptx = unsafe {
        let wrapper = &*wrapper.cast::<Wrapper>();
        match (wrapper.magic, wrapper.version) {
            (fatbin::WRAPPER_MAGIC, LINKED) if !wrapper.linked.is_null() => {
                let each = (0..).map(|index| *wrapper.linked.add(index));
                let each = each.take_while(|data| !data.is_null());
                let modules: Option<Vec<String>> = each.map(|data| ptx_at(data)).collect();
                modules.map(|modules| link::link(&modules))
            }
            (fatbin::WRAPPER_MAGIC, _) => ptx_at(wrapper.data),
            _ => None,
        }
    };
    let code = ptx.clone().unwrap_or_default();
    let binary =
        register("__cudaRegisterFatBinary", &[&&*code], |r| r.objects.register_binary(ptx));
    (binary + 1) as *mut *mut c_void
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(_handle: *mut *mut c_void) {}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(_handle: *mut *mut c_void) -> c_char {
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    host: *const c_char,
    _device: *mut c_char,
    name: *const c_char,
    _thread_limit: c_int,
    _tid: *mut c_void,
    _bid: *mut c_void,
    _block: *mut c_void,
    _grid: *mut c_void,
    _warp: *mut c_int,
) {
    // SAFETY: nvcc's stub passes a string literal.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let binary = binary_index(handle);
    register("__cudaRegisterFunction", &[&binary, &&*name], |r| {
        r.objects.register_kernel(binary, host as u64, &name);
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterVar(
    handle: *mut *mut c_void,
    shadow: *mut c_char,
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
    register("__cudaRegisterVar", &[&binary, &&*name, &bytes], |r| {
        r.objects.register_variable(binary, shadow as u64, &name, bytes as u64);
    });
}
