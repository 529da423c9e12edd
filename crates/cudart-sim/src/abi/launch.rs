//! Functions that launch kernels, and that let a stream call the host.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use super::stream::{EventHandle, Handle, event_of, stream_of};
use super::{call, write_result};
use crate::error::{Code, Result};
use crate::host::Address;
use crate::runtime::{HostFunction, LaunchRequest, LaunchShape, Runtime};

/// `dim3`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Dim3 {
    pub(super) x: c_uint,
    pub(super) y: c_uint,
    pub(super) z: c_uint,
}

impl Dim3 {
    const fn to_array(self) -> [u32; 3] {
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
    let shape = shape(grid, block, shared);
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
    call("__cudaPopCallConfiguration", &[], |r| {
        let (shape, configured) = r.pop_configuration()?;
        let dim3 = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
        write_result(grid, dim3(shape.grid))?;
        write_result(block, dim3(shape.block))?;
        write_result(shared, shape.shared)?;
        write_result(stream, super::stream::handle(configured))
    })
}

/// A `cudaKernel_t` is the address of the kernel's host function. So both ways to launch a kernel
/// pass that address.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) -> Code {
    call("__cudaGetKernel", &[], |_| write_result(kernel, function))
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
    call("__cudaLaunchKernel", &[&grid, &block, &shared, &stream], |r| {
        let shape = shape(grid, block, shared);
        launch(r, kernel, shape, args, stream, false)
    })
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
    call("cudaLaunchKernel", &[&grid, &block, &shared, &stream], |r| {
        let shape = shape(grid, block, shared);
        launch(r, function, shape, args, stream, false)
    })
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
    call("cudaLaunchCooperativeKernel", &[&grid, &block, &shared, &stream], |r| {
        launch(r, function, shape(grid, block, shared), args, stream, true)
    })
}

fn launch(
    r: &mut Runtime,
    function: *const c_void,
    shape: LaunchShape,
    args: *const *const c_void,
    stream: Handle,
    cooperative: bool,
) -> Result {
    let host = function as u64;
    let args = arguments(r, host, args)?;
    r.launch(LaunchRequest { host, shape, args, stream: stream_of(stream), cooperative })
}

/// The bytes of a kernel's arguments, of which the program passes an array of pointers.
pub(super) fn arguments(
    r: &mut Runtime,
    host: u64,
    args: *const *const c_void,
) -> Result<Vec<Vec<u8>>> {
    let sizes = r.objects.parameter_bytes(host)?;
    let values = sizes.into_iter().enumerate().map(|(i, bytes)| {
        // SAFETY: the program passes one pointer for each parameter.
        let arg = unsafe { *args.add(i) };
        Address(arg as u64).read(bytes)
    });
    Ok(values.collect())
}

pub(super) fn shape(grid: Dim3, block: Dim3, shared: usize) -> LaunchShape {
    LaunchShape { grid: grid.to_array(), block: block.to_array(), shared }
}

/// `cudaLaunchConfig_t`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Configuration {
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    pub(super) shared: usize,
    pub(super) stream: Handle,
    pub(super) attributes: *const Attribute,
    pub(super) count: c_uint,
}

/// `cudaLaunchAttribute`: a number, and 64 bytes for the value.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Attribute {
    pub(super) number: c_int,
    padding: c_int,
    pub(super) value: [c_int; 16],
}

/// Numbers of `cudaLaunchAttributeID`.
pub(super) const COOPERATIVE: c_int = 2;
pub(super) const CLUSTER: c_int = 4;
const PROGRAMMATIC_EVENT: c_int = 7;
pub(super) const PREFERRED_CLUSTER: c_int = 11;
const COMPLETION_EVENT: c_int = 12;
const UPDATABLE_NODE: c_int = 13;
const HINTS: [c_int; 9] = [0, 1, 5, 6, 8, 9, 10, 14, 16];

/// Is a launch with these attributes cooperative? Hints have no effect here. Events that are
/// recorded during a launch, and graphs, are not simulated.
fn is_cooperative(
    r: &mut Runtime,
    function: u64,
    grid: [u32; 3],
    attributes: &[Attribute],
) -> Result<bool> {
    let mut cooperative = false;
    for Attribute { number, value, .. } in attributes {
        let [a, b, c] = [value[0] as u32, value[1] as u32, value[2] as u32];
        match *number {
            COOPERATIVE => cooperative = value[0] != 0,
            PREFERRED_CLUSTER if [a, b, c] == [0; 3] => {}
            CLUSTER | PREFERRED_CLUSTER => r.check_clusters(function, grid, [a, b, c])?,
            PROGRAMMATIC_EVENT | COMPLETION_EVENT => {
                let event: EventHandle = a as usize | (b as usize) << 32;
                r.alive()?;
                r.check_event(event_of(event))?;
                return Err(Code::NOT_SUPPORTED);
            }
            UPDATABLE_NODE => return Err(Code::NOT_SUPPORTED),
            hint if HINTS.contains(&hint) => {}
            _ => return Err(Code::INVALID_VALUE),
        }
    }
    Ok(cooperative)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchKernelExC(
    configuration: *const Configuration,
    function: *const c_void,
    args: *const *const c_void,
) -> Code {
    call("cudaLaunchKernelExC", &[&configuration], |r| {
        if configuration.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
        let c = unsafe { configuration.read() };
        if c.attributes.is_null() && c.count > 0 {
            return Err(Code::INVALID_VALUE);
        }
        let attributes = match c.count {
            0 => &[][..],
            // SAFETY: the program passes an array of this length, as CUDA demands.
            n => unsafe { std::slice::from_raw_parts(c.attributes, n as usize) },
        };
        let cooperative = is_cooperative(r, function as u64, c.grid.to_array(), attributes)?;
        launch(r, function, shape(c.grid, c.block, c.shared), args, c.stream, cooperative)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaLaunchHostFunc(
    stream: Handle,
    function: Option<extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> Code {
    let data = data as usize;
    call("cudaLaunchHostFunc", &[&stream], |r| {
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let work = Arc::new(move || function(data as *mut c_void));
        r.launch_host_function(stream_of(stream), HostFunction(work))
    })
}
