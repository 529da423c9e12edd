//! Functions for graphs and for capturing streams.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use super::launch::{Dim3, arguments, shape};
use super::shaped::Memcpy3dParams;
use super::stream::{DEFAULT, EventHandle, Handle, event_of, stream_of};
use super::{call, write_result};
use crate::error::{Code, Result};
use crate::runtime::{
    ExecHandle, Extent, GraphHandle, LaunchRequest, Node, NodeFunction, NodeHandle, NodeWork,
    RowLayout, Runtime, SetPattern, SymbolPart, Transfer,
};

/// `cudaGraphExecUpdateSuccess`, `cudaGraphExecUpdateErrorTopologyChanged`.
const UPDATED: c_int = 0;
const TOPOLOGY_CHANGED: c_int = 2;

/// `cudaGraphExecUpdateResultInfo`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct UpdateResult {
    result: c_int,
    node: NodeHandle,
    from: NodeHandle,
}

/// `cudaKernelNodeParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct KernelParams {
    function: u64,
    grid: Dim3,
    block: Dim3,
    shared: c_uint,
    arguments: *const *const c_void,
    extra: *const *const c_void,
}

/// `cudaMemsetParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct MemsetParams {
    to: u64,
    pitch: usize,
    value: c_uint,
    element: c_uint,
    width: usize,
    height: usize,
}

/// `cudaHostNodeParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct HostParams {
    function: Option<extern "C" fn(*mut c_void)>,
    data: *mut c_void,
}

/// Reads a structure that the program passes by pointer.
fn read<T: Copy>(from: *const T) -> Result<T> {
    if from.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
    Ok(unsafe { from.read() })
}

/// Reads an array that the program passes.
pub(super) fn read_all<T: Copy>(from: *const T, count: usize) -> Result<Vec<T>> {
    if count == 0 {
        return Ok(vec![]);
    }
    if from.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the program passes an array of this length, as CUDA demands.
    Ok(unsafe { std::slice::from_raw_parts(from, count) }.to_vec())
}

/// Writes as many values as the program has room for, and says how many there are. Without an
/// array, only the number is written.
fn write_all<T: Copy>(values: &[T], to: *mut T, count: *mut usize) -> Result {
    if count.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    if to.is_null() {
        return write_result(count, values.len());
    }
    // SAFETY: the program passes a pointer to the length of the array.
    let room = unsafe { count.read() };
    for (i, value) in values.iter().take(room).enumerate() {
        // SAFETY: the array has room for `room` values.
        unsafe { to.add(i).write(*value) };
    }
    write_result(count, values.len().min(room))
}

fn kernel(r: &mut Runtime, params: *const KernelParams) -> Result<NodeWork> {
    let p = read(params)?;
    if !p.extra.is_null() {
        return Err(Code::NOT_SUPPORTED);
    }
    let args = arguments(r, p.function, p.arguments)?;
    let shape = shape(p.grid, p.block, p.shared as usize);
    let stream = stream_of(DEFAULT);
    let cooperative = false;
    Ok(NodeWork::Kernel(LaunchRequest { host: p.function, shape, args, stream, cooperative }))
}

fn set(params: *const MemsetParams) -> Result<NodeWork> {
    let MemsetParams { to, pitch, value, element, width, height } = read(params)?;
    let pattern = SetPattern::new(value, element as usize).ok_or(Code::INVALID_VALUE)?;
    let to = RowLayout { address: to, pitch: pitch as u64, plane: 0 };
    let extent = Extent::plane(width as u64 * u64::from(element), height as u64);
    Ok(NodeWork::Set { to, extent, pattern })
}

fn host(params: *const HostParams) -> Result<NodeWork> {
    let HostParams { function, data } = read(params)?;
    let (function, data) = (function.ok_or(Code::INVALID_VALUE)?, data as usize);
    Ok(NodeWork::Host(NodeFunction(Arc::new(move || function(data as *mut c_void)))))
}

/// Adds a node that waits for `count` other nodes.
fn add(
    r: &mut Runtime,
    to: *mut NodeHandle,
    graph: GraphHandle,
    (after, count): (*const NodeHandle, usize),
    work: NodeWork,
) -> Result {
    if to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    let node = r.add_node(graph, read_all(after, count)?, work)?;
    write_result(to, node)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphCreate(graph: *mut GraphHandle, flags: c_uint) -> Code {
    call("cudaGraphCreate", &[&flags], |r| {
        if graph.is_null() || flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        r.alive()?;
        let site = r.findings.site();
        let new = r.graphs.create(site);
        write_result(graph, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDestroy(graph: GraphHandle) -> Code {
    call("cudaGraphDestroy", &[&graph], |r| r.graphs.destroy(graph))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphClone(clone: *mut GraphHandle, graph: GraphHandle) -> Code {
    call("cudaGraphClone", &[&graph], |r| {
        let site = r.findings.site();
        let new = r.graphs.clone_graph(graph, site)?;
        write_result(clone, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddKernelNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    params: *const KernelParams,
) -> Code {
    call("cudaGraphAddKernelNode", &[&graph, &(after, count)], |r| {
        let work = kernel(r, params)?;
        add(r, node, graph, (after, count), work)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    params: *const Memcpy3dParams,
) -> Code {
    call("cudaGraphAddMemcpyNode", &[&graph, &(after, count)], |r| {
        let transfer = r.transfer_3d(&Memcpy3dParams::read(params)?)?;
        let work = transfer.map_or(NodeWork::Empty, NodeWork::Copy);
        add(r, node, graph, (after, count), work)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNode1D(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    to: u64,
    from: u64,
    bytes: usize,
    kind: c_int,
) -> Code {
    call("cudaGraphAddMemcpyNode1D", &[&graph, &(after, count), &to, &from, &bytes, &kind], |r| {
        let work = NodeWork::Copy(Transfer::linear(to, from, bytes as u64, kind));
        add(r, node, graph, (after, count), work)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNodeToSymbol(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    symbol: u64,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Code {
    call(
        "cudaGraphAddMemcpyNodeToSymbol",
        &[&graph, &(after, count), &symbol, &from, &bytes, &offset, &kind],
        |r| {
            let part = SymbolPart { symbol, offset: offset as u64, bytes: bytes as u64 };
            let work = NodeWork::Copy(r.transfer_to_symbol(part, from, kind)?);
            add(r, node, graph, (after, count), work)
        },
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemcpyNodeFromSymbol(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    to: u64,
    symbol: u64,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Code {
    call(
        "cudaGraphAddMemcpyNodeFromSymbol",
        &[&graph, &(after, count), &to, &symbol, &bytes, &offset, &kind],
        |r| {
            let part = SymbolPart { symbol, offset: offset as u64, bytes: bytes as u64 };
            let work = NodeWork::Copy(r.transfer_from_symbol(to, part, kind)?);
            add(r, node, graph, (after, count), work)
        },
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddMemsetNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    params: *const MemsetParams,
) -> Code {
    call("cudaGraphAddMemsetNode", &[&graph, &(after, count)], |r| {
        add(r, node, graph, (after, count), set(params)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddHostNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    params: *const HostParams,
) -> Code {
    call("cudaGraphAddHostNode", &[&graph, &(after, count)], |r| {
        add(r, node, graph, (after, count), host(params)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddEmptyNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
) -> Code {
    call("cudaGraphAddEmptyNode", &[&graph, &(after, count)], |r| {
        add(r, node, graph, (after, count), NodeWork::Empty)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddChildGraphNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    child: GraphHandle,
) -> Code {
    call("cudaGraphAddChildGraphNode", &[&graph, &(after, count), &child], |r| {
        let work = r.child_graph(child)?;
        add(r, node, graph, (after, count), work)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddEventRecordNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    event: EventHandle,
) -> Code {
    call("cudaGraphAddEventRecordNode", &[&graph, &(after, count), &event], |r| {
        r.check_event(event_of(event))?;
        add(r, node, graph, (after, count), NodeWork::Record(event_of(event)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddEventWaitNode(
    node: *mut NodeHandle,
    graph: GraphHandle,
    after: *const NodeHandle,
    count: usize,
    event: EventHandle,
) -> Code {
    call("cudaGraphAddEventWaitNode", &[&graph, &(after, count), &event], |r| {
        r.check_event(event_of(event))?;
        add(r, node, graph, (after, count), NodeWork::Wait(event_of(event)))
    })
}

/// Sets or removes dependencies between pairs of nodes. Data of edges is only for kernels that
/// begin before the end of the node before them, which is not simulated.
fn set_dependencies(
    r: &mut Runtime,
    graph: GraphHandle,
    (from, to): (*const NodeHandle, *const NodeHandle),
    count: usize,
    waits: bool,
) -> Result {
    r.alive()?;
    for pair in read_all(from, count)?.into_iter().zip(read_all(to, count)?) {
        r.graphs.set_dependency(graph, pair, waits)?;
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphAddDependencies(
    graph: GraphHandle,
    from: *const NodeHandle,
    to: *const NodeHandle,
    _edges: *const c_void,
    count: usize,
) -> Code {
    call("cudaGraphAddDependencies", &[&graph, &(from, count), &(to, count)], |r| {
        set_dependencies(r, graph, (from, to), count, true)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphRemoveDependencies(
    graph: GraphHandle,
    from: *const NodeHandle,
    to: *const NodeHandle,
    _edges: *const c_void,
    count: usize,
) -> Code {
    call("cudaGraphRemoveDependencies", &[&graph, &(from, count), &(to, count)], |r| {
        set_dependencies(r, graph, (from, to), count, false)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDestroyNode(node: NodeHandle) -> Code {
    call("cudaGraphDestroyNode", &[&node], |r| r.graphs.destroy_node(node))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphNodeGetType(node: NodeHandle, kind: *mut c_int) -> Code {
    call("cudaGraphNodeGetType", &[&node], |r| {
        let known = r.graphs.node(node)?.work.kind();
        write_result(kind, known)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetNodes(
    graph: GraphHandle,
    nodes: *mut NodeHandle,
    count: *mut usize,
) -> Code {
    call("cudaGraphGetNodes", &[&graph], |r| {
        let all: Vec<NodeHandle> = r.graphs.nodes(graph)?.iter().map(|node| node.handle).collect();
        write_all(&all, nodes, count)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetRootNodes(
    graph: GraphHandle,
    nodes: *mut NodeHandle,
    count: *mut usize,
) -> Code {
    call("cudaGraphGetRootNodes", &[&graph], |r| {
        let roots = r.graphs.nodes(graph)?.iter().filter(|node| node.after.is_empty());
        let roots: Vec<NodeHandle> = roots.map(|node| node.handle).collect();
        write_all(&roots, nodes, count)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphGetEdges(
    graph: GraphHandle,
    from: *mut NodeHandle,
    to: *mut NodeHandle,
    _edges: *mut c_void,
    count: *mut usize,
) -> Code {
    call("cudaGraphGetEdges", &[&graph], |r| {
        let nodes = r.graphs.nodes(graph)?;
        let edges = |node: &Node| {
            let to = node.handle;
            node.after.iter().map(move |from| (*from, to)).collect::<Vec<_>>()
        };
        let (starts, ends): (Vec<_>, Vec<_>) = nodes.iter().flat_map(edges).unzip();
        let mut room = if count.is_null() { 0 } else { read(count)? };
        write_all(&ends, to, &raw mut room)?;
        write_all(&starts, from, count)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphKernelNodeSetParams(
    node: NodeHandle,
    params: *const KernelParams,
) -> Code {
    call("cudaGraphKernelNodeSetParams", &[&node], |r| {
        let work = kernel(r, params)?;
        r.graphs.set_work(None, node, work)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecKernelNodeSetParams(
    exec: ExecHandle,
    node: NodeHandle,
    params: *const KernelParams,
) -> Code {
    call("cudaGraphExecKernelNodeSetParams", &[&exec, &node], |r| {
        let work = kernel(r, params)?;
        r.graphs.set_work(Some(exec), node, work)
    })
}

/// `cudaGraphInstantiateFlagAutoFreeOnLaunch`.
const AUTO_FREE: u64 = 1;

fn instantiate(r: &mut Runtime, exec: *mut ExecHandle, graph: GraphHandle, flags: u64) -> Result {
    if exec.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    r.alive()?;
    let site = r.findings.site();
    let new = r.graphs.instantiate(graph, flags & AUTO_FREE != 0, site)?;
    write_result(exec, new)
}

/// The other flags only matter for graphs that kernels launch.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphInstantiate(
    exec: *mut ExecHandle,
    graph: GraphHandle,
    flags: u64,
) -> Code {
    call("cudaGraphInstantiate", &[&graph, &flags], |r| instantiate(r, exec, graph, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphInstantiateWithFlags(
    exec: *mut ExecHandle,
    graph: GraphHandle,
    flags: u64,
) -> Code {
    call("cudaGraphInstantiateWithFlags", &[&graph, &flags], |r| instantiate(r, exec, graph, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecUpdate(
    exec: ExecHandle,
    graph: GraphHandle,
    result: *mut UpdateResult,
) -> Code {
    call("cudaGraphExecUpdate", &[&exec, &graph], |r| {
        r.alive()?;
        let updated = r.graphs.update(exec, graph)?;
        let none = NodeHandle(0);
        let outcome = if updated { UPDATED } else { TOPOLOGY_CHANGED };
        if !result.is_null() {
            write_result(result, UpdateResult { result: outcome, node: none, from: none })?;
        }
        if updated { Ok(()) } else { Err(Code::GRAPH_UPDATE_FAILURE) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphUpload(exec: ExecHandle, stream: Handle) -> Code {
    call("cudaGraphUpload", &[&exec, &stream], |r| {
        r.alive()?;
        r.streams.kind(stream_of(stream))?;
        r.graphs.check_executable(exec)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch(exec: ExecHandle, stream: Handle) -> Code {
    call("cudaGraphLaunch", &[&exec, &stream], |r| r.launch_graph(exec, stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecDestroy(exec: ExecHandle) -> Code {
    call("cudaGraphExecDestroy", &[&exec], |r| r.destroy_executable(exec))
}

/// The drawing is for a person, so a program gets on without it.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDebugDotPrint(
    graph: GraphHandle,
    _path: *const c_char,
    _flags: c_uint,
) -> Code {
    call("cudaGraphDebugDotPrint", &[&graph], |r| {
        r.graphs.nodes(graph)?;
        Err(Code::NOT_SUPPORTED)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamBeginCapture(stream: Handle, mode: c_int) -> Code {
    call("cudaStreamBeginCapture", &[&stream, &mode], |r| r.begin_capture(stream_of(stream), mode))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamEndCapture(stream: Handle, graph: *mut GraphHandle) -> Code {
    call("cudaStreamEndCapture", &[&stream], |r| {
        if graph.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let captured = r.end_capture(stream_of(stream)).inspect_err(|_| {
            // SAFETY: the program passes a pointer to a handle.
            unsafe { graph.write(GraphHandle(0)) };
        })?;
        write_result(graph, captured)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamIsCapturing(stream: Handle, status: *mut c_int) -> Code {
    call("cudaStreamIsCapturing", &[&stream], |r| {
        let known = r.capture_status(stream_of(stream))?;
        write_result(status, known)
    })
}
