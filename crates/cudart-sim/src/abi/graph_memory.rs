//! Functions for the memory that nodes of graphs allocate.

use std::ffi::{c_int, c_void};

use super::arguments::Argument;
use super::device::check_device;
use super::graph::read_all;
use super::{call, write_result};
use crate::error::{Code, Result};
use crate::runtime::{GraphHandle, NodeHandle, NodeWork, Runtime};

/// `cudaMemAllocNodeParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct AllocationParams {
    pub(super) kind: c_int,
    pub(super) handles: c_int,
    pub(super) location: c_int,
    pub(super) device: c_int,
    security: *const c_void,
    most_bytes: usize,
    usage: u16,
    reserved: [u8; 54],
    access: *const c_void,
    access_count: usize,
    pub(super) bytes: usize,
    address: u64,
}

/// `cudaMemAllocationTypePinned`, `cudaMemLocationTypeDevice`.
const PINNED: c_int = 1;
const ON_DEVICE: c_int = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemAllocNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    params: *mut AllocationParams,
) -> Code {
    call("cudaGraphAddMemAllocNode", &[&graph, &(after, count), &params.cast_const()], |r| {
        if node.is_null() || params.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
        let wanted = unsafe { params.read() };
        if wanted.kind != PINNED || wanted.location != ON_DEVICE || wanted.handles != 0 {
            let reason =
                "only memory of the device, without handles for other processes, can be allocated";
            return Err(Code::INVALID_VALUE.because(reason));
        }
        check_device(wanted.device).map_err(|_| Code::INVALID_VALUE)?;
        let after = read_all(after, count)?;
        let (new, address) = r.add_allocation_node(graph, after, wanted.bytes as u64)?;
        // SAFETY: as above.
        unsafe { (*params).address = address };
        write_result(node, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemFreeNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    address: u64,
) -> Code {
    call("cudaGraphAddMemFreeNode", &[&graph, &(after, count), &address], |r| {
        if node.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let new = r.add_free_node(graph, read_all(after, count)?, address)?;
        write_result(node, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemAllocNodeGetParams(
    node: NodeHandle,
    params: *mut AllocationParams,
) -> Code {
    call("cudaGraphMemAllocNodeGetParams", &[&node], |r| {
        let NodeWork::Allocate(address) = r.graphs.node(node)?.work else {
            return Err(Code::INVALID_VALUE);
        };
        let params_of = AllocationParams {
            kind: PINNED,
            handles: 0,
            location: ON_DEVICE,
            device: 0,
            security: std::ptr::null(),
            most_bytes: 0,
            usage: 0,
            reserved: [0; 54],
            access: std::ptr::null(),
            access_count: 0,
            bytes: r.memory.graph_memory.size(address) as usize,
            address,
        };
        write_result(params, params_of)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphMemFreeNodeGetParams(node: NodeHandle, address: *mut u64) -> Code {
    call("cudaGraphMemFreeNodeGetParams", &[&node], |r| {
        let NodeWork::Free(known) = r.graphs.node(node)?.work else {
            return Err(Code::INVALID_VALUE);
        };
        write_result(address, known)
    })
}

/// A call about the graph memory of a device.
fn of_device(
    name: &'static str,
    device: c_int,
    arguments: &[&dyn Argument],
    does: impl FnOnce(&mut Runtime) -> Result,
) -> Code {
    call(name, arguments, |r| {
        check_device(device)?;
        r.alive()?;
        does(r)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGraphMemTrim(device: c_int) -> Code {
    of_device("cudaDeviceGraphMemTrim", device, &[&device], |r| {
        r.memory.graph_memory.trim();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetGraphMemAttribute(
    device: c_int,
    attribute: c_int,
    value: *mut u64,
) -> Code {
    of_device("cudaDeviceGetGraphMemAttribute", device, &[&device, &attribute], |r| {
        let known = r.memory.graph_memory.attribute(attribute)?;
        write_result(value, known)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetGraphMemAttribute(
    device: c_int,
    attribute: c_int,
    value: *const u64,
) -> Code {
    of_device("cudaDeviceSetGraphMemAttribute", device, &[&device, &attribute, &value], |r| {
        if value.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a pointer to a value of the attribute's type, as CUDA demands.
        let value = unsafe { value.read_unaligned() };
        r.memory.graph_memory.set_attribute(attribute, value)
    })
}
