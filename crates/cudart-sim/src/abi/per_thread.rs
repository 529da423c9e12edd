//! The functions that programs call when they were compiled with `--default-stream per-thread`.
//! Their default stream is the calling thread's own.

use std::ffi::{c_int, c_uint, c_void};

use super::launch::{Configuration, Dim3};
use super::shaped::{Memcpy3dParams, SizeTriple};
use super::stream::{Callback, EventHandle, Handle, with_own_default};
use super::{Function, array, graph, launch, memory, pool, shaped, stream};
use crate::error::Code;
use crate::runtime::{ExecHandle, GraphHandle, PitchedPointer};

/// Functions that call others with the calling thread's own default stream, and their table.
macro_rules! per_thread {
    ($($name:ident = $module:ident::$usual:ident($($arg:ident: $ty:ty),* $(,)?);)+) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> Code {
                with_own_default(|| $module::$usual($($arg),*))
            }
        )+

        /// The names and addresses of these functions.
        pub(super) static EXPORTS: &[(&str, Function)] =
            &[$((stringify!($name), Function($name as *const ())),)+];
    };
}

per_thread! {
    cudaMemcpy_ptds = memory::cudaMemcpy(to: u64, from: u64, bytes: usize, kind: c_int);
    cudaMemcpyToSymbol_ptds = memory::cudaMemcpyToSymbol(symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_int);
    cudaMemcpyFromSymbol_ptds = memory::cudaMemcpyFromSymbol(to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_int);
    cudaMemcpy2D_ptds = shaped::cudaMemcpy2D(to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_int);
    cudaMemcpyToArray_ptds = array::cudaMemcpyToArray(to: u64, x: usize, y: usize, from: u64, bytes: usize, kind: c_int);
    cudaMemcpy2DToArray_ptds = array::cudaMemcpy2DToArray(to: u64, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind: c_int);
    cudaMemcpyFromArray_ptds = array::cudaMemcpyFromArray(to: u64, from: u64, x: usize, y: usize, bytes: usize, kind: c_int);
    cudaMemcpy2DFromArray_ptds = array::cudaMemcpy2DFromArray(to: u64, pitch: usize, from: u64, x: usize, y: usize, width: usize, height: usize, kind: c_int);
    cudaMemcpyArrayToArray_ptds = array::cudaMemcpyArrayToArray(to: u64, to_x: usize, to_y: usize, from: u64, from_x: usize, from_y: usize, bytes: usize, kind: c_int);
    cudaMemcpy2DArrayToArray_ptds = array::cudaMemcpy2DArrayToArray(to: u64, to_x: usize, to_y: usize, from: u64, from_x: usize, from_y: usize, width: usize, height: usize, kind: c_int);
    cudaMemcpy3D_ptds = shaped::cudaMemcpy3D(parms: *const Memcpy3dParams);
    cudaMemset_ptds = memory::cudaMemset(to: u64, value: c_int, bytes: usize);
    cudaMemset2D_ptds = shaped::cudaMemset2D(to: u64, pitch: usize, value: c_int, width: usize, height: usize);
    cudaMemset3D_ptds = shaped::cudaMemset3D(to: PitchedPointer, value: c_int, extent: SizeTriple);
    cudaMemcpyAsync_ptsz = memory::cudaMemcpyAsync(to: u64, from: u64, bytes: usize, kind: c_int, stream: Handle);
    cudaMemcpyToSymbolAsync_ptsz = memory::cudaMemcpyToSymbolAsync(symbol: u64, from: u64, bytes: usize, offset: usize, kind: c_int, stream: Handle);
    cudaMemcpyFromSymbolAsync_ptsz = memory::cudaMemcpyFromSymbolAsync(to: u64, symbol: u64, bytes: usize, offset: usize, kind: c_int, stream: Handle);
    cudaMemcpy2DAsync_ptsz = shaped::cudaMemcpy2DAsync(to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_int, stream: Handle);
    cudaMemcpyToArrayAsync_ptsz = array::cudaMemcpyToArrayAsync(to: u64, x: usize, y: usize, from: u64, bytes: usize, kind: c_int, stream: Handle);
    cudaMemcpy2DToArrayAsync_ptsz = array::cudaMemcpy2DToArrayAsync(to: u64, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind: c_int, stream: Handle);
    cudaMemcpyFromArrayAsync_ptsz = array::cudaMemcpyFromArrayAsync(to: u64, from: u64, x: usize, y: usize, bytes: usize, kind: c_int, stream: Handle);
    cudaMemcpy2DFromArrayAsync_ptsz = array::cudaMemcpy2DFromArrayAsync(to: u64, pitch: usize, from: u64, x: usize, y: usize, width: usize, height: usize, kind: c_int, stream: Handle);
    cudaMemcpy3DAsync_ptsz = shaped::cudaMemcpy3DAsync(parms: *const Memcpy3dParams, stream: Handle);
    cudaMemsetAsync_ptsz = memory::cudaMemsetAsync(to: u64, value: c_int, bytes: usize, stream: Handle);
    cudaMemset2DAsync_ptsz = shaped::cudaMemset2DAsync(to: u64, pitch: usize, value: c_int, width: usize, height: usize, stream: Handle);
    cudaMemset3DAsync_ptsz = shaped::cudaMemset3DAsync(to: PitchedPointer, value: c_int, extent: SizeTriple, stream: Handle);
    cudaStreamQuery_ptsz = stream::cudaStreamQuery(stream: Handle);
    cudaStreamGetDevice_ptsz = stream::cudaStreamGetDevice(stream: Handle, device: *mut c_int);
    cudaStreamGetFlags_ptsz = stream::cudaStreamGetFlags(stream: Handle, flags: *mut c_uint);
    cudaStreamGetId_ptsz = stream::cudaStreamGetId(stream: Handle, id: *mut u64);
    cudaStreamGetPriority_ptsz = stream::cudaStreamGetPriority(stream: Handle, priority: *mut c_int);
    cudaEventRecord_ptsz = stream::cudaEventRecord(event: EventHandle, stream: Handle);
    cudaEventRecordWithFlags_ptsz = stream::cudaEventRecordWithFlags(event: EventHandle, stream: Handle, flags: c_uint);
    cudaStreamWaitEvent_ptsz = stream::cudaStreamWaitEvent(stream: Handle, event: EventHandle, flags: c_uint);
    cudaStreamAddCallback_ptsz = stream::cudaStreamAddCallback(stream: Handle, function: Option<Callback>, data: *mut c_void, flags: c_uint);
    cudaStreamSynchronize_ptsz = stream::cudaStreamSynchronize(stream: Handle);
    __cudaLaunchKernel_ptsz = launch::__cudaLaunchKernel(kernel: *const c_void, grid: Dim3, block: Dim3, args: *const *const c_void, shared: usize, stream: Handle);
    cudaLaunchKernel_ptsz = launch::cudaLaunchKernel(function: *const c_void, grid: Dim3, block: Dim3, args: *const *const c_void, shared: usize, stream: Handle);
    cudaLaunchKernelExC_ptsz = launch::cudaLaunchKernelExC(configuration: *const Configuration, function: *const c_void, args: *const *const c_void);
    cudaLaunchHostFunc_ptsz = launch::cudaLaunchHostFunc(stream: Handle, function: Option<extern "C" fn(*mut c_void)>, data: *mut c_void);
    cudaLaunchCooperativeKernel_ptsz = launch::cudaLaunchCooperativeKernel(function: *const c_void, grid: Dim3, block: Dim3, args: *const *const c_void, shared: usize, stream: Handle);
    cudaGraphLaunch_ptsz = graph::cudaGraphLaunch(exec: ExecHandle, stream: Handle);
    cudaGraphUpload_ptsz = graph::cudaGraphUpload(exec: ExecHandle, stream: Handle);
    cudaStreamBeginCapture_ptsz = graph::cudaStreamBeginCapture(stream: Handle, mode: c_int);
    cudaStreamEndCapture_ptsz = graph::cudaStreamEndCapture(stream: Handle, captured: *mut GraphHandle);
    cudaStreamIsCapturing_ptsz = graph::cudaStreamIsCapturing(stream: Handle, status: *mut c_int);
    cudaMallocAsync_ptsz = pool::cudaMallocAsync(address: *mut u64, bytes: usize, stream: Handle);
    cudaFreeAsync_ptsz = pool::cudaFreeAsync(address: u64, stream: Handle);
    cudaMallocFromPoolAsync_ptsz = pool::cudaMallocFromPoolAsync(address: *mut u64, bytes: usize, pool: u64, stream: Handle);
}
