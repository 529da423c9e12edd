//! Launching kernels, and calling the host from a stream.

use std::ffi::{c_int, c_uint, c_void};

use super::stream::{EventHandle, Handle, event_of, stream_of};
use super::{call, give};
use crate::error::{Code, Result};
use crate::host::Address;
use crate::runtime::{HostCall, LaunchShape, Runtime};

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
    call("__cudaPopCallConfiguration", |r| {
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
    call("__cudaGetKernel", |_| give(kernel, function))
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
    call("__cudaLaunchKernel", |r| launch(r, kernel, (grid, block), args, shared, stream, false))
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
    call("cudaLaunchKernel", |r| launch(r, function, (grid, block), args, shared, stream, false))
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
    call("cudaLaunchCooperativeKernel", |r| {
        launch(r, function, (grid, block), args, shared, stream, true)
    })
}

fn launch(
    r: &mut Runtime,
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

/// `cudaLaunchConfig_t`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: Handle,
    attributes: *const Attribute,
    count: c_uint,
}

/// `cudaLaunchAttribute`: its number, and the 64 bytes of its value.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Attribute {
    number: c_int,
    gap: c_int,
    value: [c_int; 16],
}

/// Numbers of `cudaLaunchAttributeID`.
const COOPERATIVE: c_int = 2;
const CLUSTER: c_int = 4;
const PROGRAMMATIC_EVENT: c_int = 7;
const PREFERRED_CLUSTER: c_int = 11;
const COMPLETION_EVENT: c_int = 12;
const UPDATABLE_NODE: c_int = 13;
const HINTS: [c_int; 9] = [0, 1, 5, 6, 8, 9, 10, 14, 16];

/// Is a launch with these attributes cooperative? Hints have no effect here; events in the middle of a launch and graphs
/// are not simulated.
fn cooperative(
    r: &mut Runtime,
    function: u64,
    grid: [u32; 3],
    attributes: &[Attribute],
) -> Result<bool> {
    let mut all_at_once = false;
    for Attribute { number, value, .. } in attributes {
        let [a, b, c] = [value[0] as u32, value[1] as u32, value[2] as u32];
        match *number {
            COOPERATIVE => all_at_once = value[0] != 0,
            PREFERRED_CLUSTER if [a, b, c] == [0; 3] => {}
            CLUSTER | PREFERRED_CLUSTER => r.may_cluster(function, grid, [a, b, c])?,
            PROGRAMMATIC_EVENT | COMPLETION_EVENT => {
                let event: EventHandle = a as usize | (b as usize) << 32;
                r.know_event(event_of(event))?;
                return Err(Code::NOT_SUPPORTED);
            }
            UPDATABLE_NODE => return Err(Code::NOT_SUPPORTED),
            hint if HINTS.contains(&hint) => {}
            _ => return Err(Code::INVALID_VALUE),
        }
    }
    Ok(all_at_once)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernelExC(
    configuration: *const Configuration,
    function: *const c_void,
    args: *const *const c_void,
) -> Code {
    call("cudaLaunchKernelExC", |r| {
        if configuration.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program says that it is there.
        let c = unsafe { configuration.read() };
        if c.attributes.is_null() && c.count > 0 {
            return Err(Code::INVALID_VALUE);
        }
        let attributes = match c.count {
            0 => &[][..],
            // SAFETY: the program says that there are so many.
            n => unsafe { std::slice::from_raw_parts(c.attributes, n as usize) },
        };
        let cooperative = cooperative(r, function as u64, c.grid.all(), attributes)?;
        launch(r, function, (c.grid, c.block), args, c.shared, c.stream, cooperative)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc(
    stream: Handle,
    function: Option<extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> Code {
    let data = data as usize;
    call("cudaLaunchHostFunc", |r| {
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let work = Box::new(move || function(data as *mut c_void));
        r.call(stream_of(stream), HostCall(work))
    })
}
