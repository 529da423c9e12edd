//! Launching kernels, and calling the host from a stream.

use std::ffi::{c_int, c_uint, c_void};

use super::stream::{Handle, stream_of};
use super::{call, give};
use crate::error::{Code, Result};
use crate::host::Address;
use crate::runtime::{HostCall, LaunchShape};

/// `dim3`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Dim3 {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

impl Dim3 {
    const fn all(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: Handle,
) -> c_uint {
    let shape = LaunchShape { grid: grid.all(), block: block.all(), shared };
    super::with(|r| r.push_configuration(shape, stream_of(stream)));
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut Handle,
) -> Code {
    call(|r| {
        let (shape, of) = r.pop_configuration()?;
        let dim3 = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        give(grid, dim3(shape.grid))?;
        give(block, dim3(shape.block))?;
        give(shared, shape.shared)?;
        give(stream, super::stream::handle(of))
    })
}

/// A `cudaKernel_t` is the address of the kernel's host function, which both ways of launching then pass.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) -> Code {
    call(|_| give(kernel, function))
}

#[unsafe(no_mangle)]
pub extern "C" fn __cudaLaunchKernel(
    kernel: *const c_void,
    grid: Dim3,
    block: Dim3,
    args: *const *const c_void,
    shared: usize,
    stream: Handle,
) -> Code {
    call(|r| launch(r, kernel, (grid, block), args, shared, stream, false))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    args: *const *const c_void,
    shared: usize,
    stream: Handle,
) -> Code {
    call(|r| launch(r, function, (grid, block), args, shared, stream, false))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchCooperativeKernel(
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    args: *const *const c_void,
    shared: usize,
    stream: Handle,
) -> Code {
    call(|r| launch(r, function, (grid, block), args, shared, stream, true))
}

fn launch(
    r: &mut crate::runtime::Runtime,
    function: *const c_void,
    (grid, block): (Dim3, Dim3),
    args: *const *const c_void,
    shared: usize,
    stream: Handle,
    cooperative: bool,
) -> Result {
    let function = function as u64;
    let sizes = r.parameters(function)?;
    let values = sizes.into_iter().enumerate().map(|(i, bytes)| {
        // SAFETY: the stub passes one pointer per parameter.
        let arg = unsafe { *args.add(i) };
        Address(arg as u64).read(bytes)
    });
    let values = values.collect();
    let shape = LaunchShape { grid: grid.all(), block: block.all(), shared };
    r.launch(function, shape, values, stream_of(stream), cooperative)
}

/// `cudaFuncAttributeMaxDynamicSharedMemorySize`, and the preferred carve-out, which is only a hint.
#[unsafe(no_mangle)]
pub extern "C" fn cudaFuncSetAttribute(
    function: *const c_void,
    attribute: c_int,
    value: c_int,
) -> Code {
    call(|r| match attribute {
        8 => {
            let bytes = u32::try_from(value).map_err(|_| Code::INVALID_VALUE)?;
            r.allow_shared(function as u64, bytes)
        }
        9 => r.kernel(function as u64).map(|_| ()),
        _ => Err(Code::INVALID_VALUE),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc(
    stream: Handle,
    function: Option<extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> Code {
    let data = data as usize;
    call(|r| {
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let work = Box::new(move || function(data as *mut c_void));
        r.call(stream_of(stream), HostCall(work))
    })
}
