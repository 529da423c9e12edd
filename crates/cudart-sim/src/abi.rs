//! The functions that programs call, by the names and in the shapes of `cuda_runtime_api.h` and `crt/host_runtime.h`.
//!
//! Each one only turns what C passes into what [`Runtime`] takes. A function that is not here is missed by name before a
//! program is loaded: [`EXPORTS`] is the whole list.

#![expect(unsafe_code, reason = "the boundary to the program, which is C++")]

mod array;
mod device;
mod function;
mod launch;
mod managed;
mod memory;
mod per_thread;
mod pinned;
mod pool;
mod register;
mod shaped;
mod stream;
mod texture;

use std::ffi::c_void;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crate::error::{Code, Result};
use crate::report::Report;
use crate::runtime::{Runtime, Settings};

static RUNTIME: LazyLock<Mutex<Runtime>> = LazyLock::new(Mutex::default);

/// Starts anew with these settings: before a program is loaded.
pub fn start(settings: Settings) {
    *lock() = Runtime::new(settings);
}

/// Looks at the runtime, or changes it.
pub fn with<T>(f: impl FnOnce(&mut Runtime) -> T) -> T {
    f(&mut lock())
}

/// Looks at the runtime, unless somebody else does for longer than that could take.
pub(crate) fn patiently<T>(f: impl FnOnce(&mut Runtime) -> T) -> Option<T> {
    for _ in 0..200 {
        match RUNTIME.try_lock() {
            Ok(mut runtime) => return Some(f(&mut runtime)),
            Err(TryLockError::Poisoned(held)) => return Some(f(&mut held.into_inner())),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    None
}

/// The end of a program: what it did not wait for is done, as a GPU would have had time to, and the report is made.
pub fn finish() -> Report {
    let (report, output) = with(|runtime| {
        let _ = runtime.synchronize_device();
        (runtime.report(), runtime.take_output())
    });
    print(&output);
    report
}

fn lock() -> MutexGuard<'static, Runtime> {
    RUNTIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a function returns, noted for `cudaGetLastError`; and what kernels printed meanwhile goes to standard output.
fn call(function: &'static str, f: impl FnOnce(&mut Runtime) -> Result) -> Code {
    let (code, output) = with(|runtime| {
        runtime.enter(function);
        let result = f(runtime);
        (runtime.note(result), runtime.take_output())
    });
    print(&output);
    code
}

/// Through the program's own buffer, so that the order of lines is that of events.
fn print(text: &str) {
    unsafe extern "C" {
        fn fwrite(data: *const c_void, size: usize, n: usize, file: *mut c_void) -> usize;
        static stdout: *mut c_void;
    }
    if !text.is_empty() {
        // SAFETY: C's standard output exists as long as the process, and the text as long as the call.
        unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    }
}

/// Fills in what a function returns through a pointer.
fn give<T>(to: *mut T, value: T) -> Result {
    if to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the program says that it has room for a `T` there.
    unsafe { to.write(value) };
    Ok(())
}

/// The table of all exported functions, which also keeps the linker from leaving them out.
macro_rules! exports {
    ($($module:ident: $($name:ident)+;)+) => {
        /// Names and addresses of the functions that programs find here.
        pub static EXPORTS: &[(&str, Function)] = &[
            $($((stringify!($name), Function($module::$name as *const ())),)+)+
        ];
    };
}

/// A function's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function(pub *const ());

// SAFETY: an address of code, which is never read or written through.
unsafe impl Sync for Function {}

exports! {
    managed: __cudaRegisterManagedVar cudaMallocManaged cudaMemPrefetchAsync cudaMemAdvise;
    register: __cudaRegisterFatBinary __cudaRegisterFatBinaryEnd __cudaUnregisterFatBinary __cudaRegisterFunction
        __cudaRegisterVar __cudaInitModule;
    launch: __cudaPushCallConfiguration __cudaPopCallConfiguration __cudaGetKernel __cudaLaunchKernel
        cudaLaunchKernel cudaLaunchCooperativeKernel cudaLaunchKernelExC cudaLaunchHostFunc;
    function: cudaFuncSetAttribute cudaFuncGetAttributes cudaFuncSetCacheConfig cudaFuncSetSharedMemConfig
        cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
        cudaOccupancyAvailableDynamicSMemPerBlock cudaGetKernel cudaGetFuncBySymbol;
    memory: cudaMalloc cudaFree cudaMallocHost cudaHostAlloc cudaFreeHost cudaMemcpy cudaMemcpyAsync cudaMemset
        cudaMemsetAsync cudaMemcpyToSymbol cudaMemcpyToSymbolAsync cudaMemcpyFromSymbol cudaMemcpyFromSymbolAsync
        cudaGetSymbolAddress cudaGetSymbolSize;
    shaped: cudaMallocPitch cudaMalloc3D cudaMemcpy2D cudaMemcpy2DAsync cudaMemset2D cudaMemset2DAsync cudaMemset3D
        cudaMemset3DAsync cudaMemcpy3D cudaMemcpy3DAsync cudaMemcpyPeer cudaMemcpyPeerAsync;
    array: cudaMallocArray cudaMalloc3DArray cudaFreeArray cudaArrayGetInfo cudaGetChannelDesc cudaCreateChannelDesc
        cudaMemcpy2DToArray cudaMemcpy2DToArrayAsync cudaMemcpy2DFromArray cudaMemcpy2DFromArrayAsync
        cudaMemcpyToArray cudaMemcpyToArrayAsync cudaMemcpyFromArray cudaMemcpyFromArrayAsync
        cudaMemcpy2DArrayToArray cudaMemcpyArrayToArray;
    texture: cudaCreateTextureObject cudaDestroyTextureObject cudaGetTextureObjectResourceDesc
        cudaGetTextureObjectTextureDesc cudaCreateSurfaceObject cudaDestroySurfaceObject
        cudaGetSurfaceObjectResourceDesc;
    pinned: cudaHostRegister cudaHostUnregister cudaHostGetDevicePointer cudaHostGetFlags cudaPointerGetAttributes;
    pool: cudaMallocAsync cudaMallocFromPoolAsync cudaFreeAsync cudaDeviceGetDefaultMemPool cudaDeviceGetMemPool
        cudaDeviceSetMemPool cudaMemPoolGetAttribute cudaMemPoolSetAttribute cudaMemPoolTrimTo cudaMemPoolCreate
        cudaMemPoolDestroy cudaMemPoolSetAccess cudaMemPoolGetAccess;
    stream: cudaStreamCreate cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDestroy
        cudaStreamSynchronize cudaStreamQuery cudaStreamWaitEvent cudaStreamGetPriority cudaStreamGetFlags
        cudaStreamGetId cudaStreamGetDevice cudaDeviceGetStreamPriorityRange cudaStreamAddCallback cudaEventCreate
        cudaEventCreateWithFlags cudaEventDestroy cudaEventRecord cudaEventRecordWithFlags cudaEventSynchronize
        cudaEventQuery cudaEventElapsedTime;
    device: cudaDeviceSynchronize cudaGetLastError cudaPeekAtLastError cudaGetErrorName cudaGetErrorString
        cudaGetDevice cudaSetDevice cudaSetValidDevices cudaGetDeviceCount cudaGetDeviceProperties
        cudaDeviceGetAttribute cudaChooseDevice cudaMemGetInfo cudaDriverGetVersion cudaRuntimeGetVersion
        cudaDeviceGetLimit cudaDeviceSetLimit cudaDeviceReset cudaDeviceCanAccessPeer cudaDeviceEnablePeerAccess
        cudaDeviceDisablePeerAccess cudaDeviceSetCacheConfig cudaDeviceGetCacheConfig cudaDeviceSetSharedMemConfig
        cudaDeviceGetSharedMemConfig cudaSetDeviceFlags cudaGetDeviceFlags cudaInitDevice cudaDeviceGetPCIBusId
        cudaDeviceGetByPCIBusId cudaProfilerStart cudaProfilerStop cudaCtxResetPersistingL2Cache;
    per_thread: cudaMemcpy_ptds cudaMemcpyToSymbol_ptds cudaMemcpyFromSymbol_ptds cudaMemcpy2D_ptds
        cudaMemcpyToArray_ptds cudaMemcpy2DToArray_ptds cudaMemcpyFromArray_ptds cudaMemcpy2DFromArray_ptds
        cudaMemcpyArrayToArray_ptds cudaMemcpy2DArrayToArray_ptds cudaMemcpy3D_ptds cudaMemset_ptds cudaMemset2D_ptds
        cudaMemset3D_ptds cudaMemcpyAsync_ptsz cudaMemcpyToSymbolAsync_ptsz cudaMemcpyFromSymbolAsync_ptsz
        cudaMemcpy2DAsync_ptsz cudaMemcpyToArrayAsync_ptsz cudaMemcpy2DToArrayAsync_ptsz cudaMemcpyFromArrayAsync_ptsz
        cudaMemcpy2DFromArrayAsync_ptsz cudaMemcpy3DAsync_ptsz cudaMemsetAsync_ptsz cudaMemset2DAsync_ptsz
        cudaMemset3DAsync_ptsz cudaStreamQuery_ptsz cudaStreamGetDevice_ptsz cudaStreamGetFlags_ptsz
        cudaStreamGetId_ptsz cudaStreamGetPriority_ptsz cudaEventRecord_ptsz cudaEventRecordWithFlags_ptsz
        cudaStreamWaitEvent_ptsz cudaStreamAddCallback_ptsz cudaStreamSynchronize_ptsz cudaLaunchKernel_ptsz
        cudaLaunchKernelExC_ptsz cudaLaunchHostFunc_ptsz cudaLaunchCooperativeKernel_ptsz cudaMallocAsync_ptsz
        cudaFreeAsync_ptsz cudaMallocFromPoolAsync_ptsz;
}
