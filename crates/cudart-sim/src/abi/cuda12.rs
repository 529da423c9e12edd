//! Functions that programs call when nvcc of CUDA 12 compiled them, and that have other parameters
//! in CUDA 13.
//!
//! `cudaGetDeviceProperties` has a name of its own in CUDA 12. The others have the same name in
//! both versions, so the linker gives the calls of a program that was compiled for CUDA 12 another
//! one (`--wrap`).

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use super::managed::Location;
use super::stream::Handle;
use super::{call, device, graph, managed, pinned, texture, write_result};
use crate::error::Code;
use crate::runtime::properties::{self, CUDA_12_PROPERTIES_BYTES};
use crate::runtime::{GraphHandle, NodeHandle};

/// The functions whose name is the same in both versions.
pub const CHANGED_SINCE_CUDA_12: [&str; 8] = [
    "cudaMemAdvise",
    "cudaMemPrefetchAsync",
    "cudaGraphAddDependencies",
    "cudaGraphRemoveDependencies",
    "cudaGraphGetEdges",
    "cudaPointerGetAttributes",
    "cudaGetTextureObjectResourceDesc",
    "cudaGetSurfaceObjectResourceDesc",
];

/// `cudaCpuDeviceId`.
const HOST: c_int = -1;

/// Where pages of this device lie; CUDA 12 has only a number.
fn location(device: c_int) -> Location {
    match device {
        HOST => Location::HOST,
        id => Location::device(id),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceProperties_v2(
    to: *mut [u8; CUDA_12_PROPERTIES_BYTES],
    number: c_int,
) -> Code {
    call("cudaGetDeviceProperties_v2", &[&number], |r| {
        if to.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        device::check_device(number)?;
        write_result(to, properties::cuda_12_properties(r.memory.info().1, r.max_shared_bytes()))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaMemAdvise(
    address: u64,
    bytes: usize,
    advice: c_int,
    device: c_int,
) -> Code {
    managed::cudaMemAdvise(address, bytes, advice, location(device))
}

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaMemPrefetchAsync(
    address: u64,
    bytes: usize,
    device: c_int,
    stream: Handle,
) -> Code {
    managed::cudaMemPrefetchAsync(address, bytes, location(device), 0, stream)
}

/// `sizeof(cudaPointerAttributes)` and `sizeof(cudaResourceDesc)` in CUDA 12. CUDA 13 has added
/// reserved bytes at their ends.
const POINTER_ATTRIBUTES_BYTES: usize = 24;
const RESOURCE_BYTES: usize = 64;

/// Calls a function that writes a larger structure, and writes the first bytes of that.
fn first_bytes<T, const BYTES: usize>(
    to: *mut [u8; BYTES],
    function: impl FnOnce(*mut T) -> Code,
) -> Code {
    const { assert!(BYTES <= size_of::<T>()) };
    if to.is_null() {
        return function(std::ptr::null_mut());
    }
    let mut whole = MaybeUninit::<T>::zeroed();
    let code = function(whole.as_mut_ptr());
    if code == Code::SUCCESS {
        // SAFETY: the program passes a pointer to so many bytes, as CUDA demands, and the larger
        // structure has at least as many.
        unsafe { std::ptr::copy_nonoverlapping(whole.as_ptr().cast::<u8>(), to.cast(), BYTES) };
    }
    code
}

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaPointerGetAttributes(
    to: *mut [u8; POINTER_ATTRIBUTES_BYTES],
    address: u64,
) -> Code {
    first_bytes(to, |whole| pinned::cudaPointerGetAttributes(whole, address))
}

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaGetTextureObjectResourceDesc(
    to: *mut [u8; RESOURCE_BYTES],
    object: u64,
) -> Code {
    first_bytes(to, |whole| texture::cudaGetTextureObjectResourceDesc(whole, object))
}

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaGetSurfaceObjectResourceDesc(
    to: *mut [u8; RESOURCE_BYTES],
    object: u64,
) -> Code {
    first_bytes(to, |whole| texture::cudaGetSurfaceObjectResourceDesc(whole, object))
}

/// Edges of CUDA 12 have no data.
const NO_EDGES: *mut c_void = std::ptr::null_mut();

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaGraphAddDependencies(
    graph: GraphHandle,
    from: *const NodeHandle,
    to: *const NodeHandle,
    count: usize,
) -> Code {
    graph::cudaGraphAddDependencies(graph, from, to, NO_EDGES, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaGraphRemoveDependencies(
    graph: GraphHandle,
    from: *const NodeHandle,
    to: *const NodeHandle,
    count: usize,
) -> Code {
    graph::cudaGraphRemoveDependencies(graph, from, to, NO_EDGES, count)
}

#[unsafe(no_mangle)]
pub extern "C" fn __wrap_cudaGraphGetEdges(
    graph: GraphHandle,
    from: *mut NodeHandle,
    to: *mut NodeHandle,
    count: *mut usize,
) -> Code {
    graph::cudaGraphGetEdges(graph, from, to, NO_EDGES, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The linker finds every function that it gives another name.
    #[test]
    fn changed_functions_are_exported_in_both_versions() {
        for name in CHANGED_SINCE_CUDA_12 {
            for exported in [name.to_owned(), format!("__wrap_{name}")] {
                assert!(crate::abi::exports().any(|(name, _)| name == exported), "{exported}");
            }
        }
    }
}
