//! The functions that programs call, with the names and signatures of `cuda_runtime_api.h` and
//! `crt/host_runtime.h`.
//!
//! Each function converts what C passes, and calls the part of the [`Runtime`] that it needs.
//! Before a program is loaded, the checker compares the functions that it needs with [`exports`],
//! and names those that are missing.

#![expect(unsafe_code, reason = "the boundary to the program, which is C++")]

mod arguments;
mod array;
mod cuda12;
mod device;
mod function;
mod graph;
mod graph_memory;
mod launch;
mod managed;
mod memory;
mod per_thread;
mod pinned;
mod pool;
pub mod process;
mod register;
mod shaped;
mod stream;
mod texture;

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use arguments::Argument;

pub use self::cuda12::CHANGED_SINCE_CUDA_12;
use crate::error::{Code, Result};
use crate::report::Report;
use crate::resources::KernelResources;
use crate::runtime::{HostWritten, Runtime, Settings, TracedLaunch, WatchedArray, Watching};

/// How often, and with which pauses, [`try_with`] tries to lock the runtime.
const LOCK_ATTEMPTS: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// Calls of functions of the runtime so far.
static CALLS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Is this thread using the runtime?
    static IN_RUNTIME: Cell<bool> = const { Cell::new(false) };
}

static RUNTIME: LazyLock<Mutex<Runtime>> = LazyLock::new(Mutex::default);

/// Starts a new runtime with these settings, before a program is loaded.
pub fn start(settings: Settings) {
    *lock() = Runtime::new(settings);
}

/// Records the steps of a thread in one launch of the program that is about to run.
pub fn trace(traced: TracedLaunch) {
    with(|runtime| runtime.trace(traced));
}

/// What the assembler has allocated for the kernels of the program that is about to run.
pub fn assembled(resources: Vec<KernelResources>) {
    with(|runtime| runtime.objects.assembled(resources));
}

/// What [`ptxsim::Disturbance::Exchange`] puts into shared memory in each launch, in the order in
/// which the device runs them.
pub fn exchange(snapshots: Vec<ptxsim::Snapshots>) {
    with(|runtime| runtime.exchange(snapshots));
}

/// Records what the host contributes to the results of the function that is about to be called
/// with these arrays.
pub fn watch(arrays: Vec<WatchedArray>, watching: Watching) {
    with(|runtime| runtime.watch(arrays, watching));
}

/// The bytes that the host itself has written to the watched arrays that may be written, whose
/// contents are now these, in their order.
pub fn written_by_host(contents: &[&[u8]]) -> Vec<HostWritten> {
    with(|runtime| runtime.written_by_host(contents))
}

/// Calls `f` with the runtime.
pub fn with<T>(f: impl FnOnce(&mut Runtime) -> T) -> T {
    let mut runtime = lock();
    IN_RUNTIME.set(true);
    let result = f(&mut runtime);
    IN_RUNTIME.set(false);
    result
}

/// Is the calling thread using the runtime, so that it must not wait for it?
pub(crate) fn in_runtime() -> bool {
    IN_RUNTIME.get()
}

/// Calls of functions of the runtime so far.
pub(crate) fn calls() -> u64 {
    CALLS.load(Relaxed)
}

/// A host thread polls this address ([`crate::device`]).
pub(crate) fn host_polls(address: u64) {
    with(|runtime| runtime.host_polls(address));
}

/// The program has called nothing for some time.
pub(crate) fn host_is_idle() {
    let Ok(mut runtime) = RUNTIME.try_lock() else { return };
    IN_RUNTIME.set(true);
    runtime.host_is_idle();
    IN_RUNTIME.set(false);
}

/// Calls `f` with the runtime, unless another thread keeps it locked for one second.
pub(crate) fn try_with<T>(f: impl FnOnce(&mut Runtime) -> T) -> Option<T> {
    for _ in 0..LOCK_ATTEMPTS {
        match RUNTIME.try_lock() {
            Ok(mut runtime) => return Some(f(&mut runtime)),
            Err(TryLockError::Poisoned(poisoned)) => return Some(f(&mut poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
        }
    }
    None
}

/// The end of a call of one function. Work that the function did not wait for is done now, because
/// the process goes on. Returns the report.
pub fn finish() -> Report {
    let (report, output) = with(|runtime| {
        let _ = runtime.synchronize_device();
        (runtime.report(), runtime.take_output())
    });
    print(&output);
    report
}

/// The end of a whole program with this exit status. Returns the report.
pub fn end_program(status: i32) -> Report {
    with(|runtime| {
        runtime.end_program(status == 0);
        runtime.report()
    })
}

fn lock() -> MutexGuard<'static, Runtime> {
    RUNTIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the body of the exported function called `function`. Records the call with what its
/// arguments say, records the result for `cudaGetLastError`, and prints what kernels printed
/// meanwhile to standard output.
fn call(
    function: &'static str,
    arguments: &[&dyn Argument],
    body: impl FnOnce(&mut Runtime) -> Result,
) -> Code {
    let mut body = Some(body);
    let mut run = |runtime: &mut Runtime| body.take().map_or(Ok(()), |body| body(runtime));
    call_once(function, arguments, &mut run)
}

/// The same, compiled once for all functions.
fn call_once(
    function: &'static str,
    arguments: &[&dyn Argument],
    body: &mut dyn FnMut(&mut Runtime) -> Result,
) -> Code {
    CALLS.fetch_add(1, Relaxed);
    if in_runtime() {
        // a function of the program that a stream calls must not call the runtime (CUDA Runtime
        // API, `cudaLaunchHostFunc`)
        return Code::NOT_PERMITTED;
    }
    let (code, output) = with(|runtime| {
        runtime.enter(function);
        runtime.record_call(|| arguments::recorded(arguments));
        let result = runtime.permit(function).and_then(|()| body(runtime));
        (runtime.leave(result), runtime.take_output())
    });
    print(&output);
    code
}

/// Runs the body of a function called `function` that registers code or a variable of the program.
/// nvcc's stubs call these functions before `main`, and they return no error.
fn register<T>(
    function: &'static str,
    arguments: &[&dyn Argument],
    body: impl FnOnce(&mut Runtime) -> T,
) -> T {
    with(|runtime| {
        runtime.enter(function);
        runtime.record_call(|| arguments::recorded(arguments));
        body(runtime)
    })
}

/// Prints through the program's own buffer, so that its lines and those of kernels keep their
/// order.
fn print(text: &str) {
    unsafe extern "C" {
        fn fwrite(data: *const c_void, size: usize, n: usize, file: *mut c_void) -> usize;
        static stdout: *mut c_void;
    }
    if !text.is_empty() {
        // SAFETY: C's standard output exists as long as the process, and the text as long as the
        // call.
        unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    }
}

/// Writes a result through a pointer that the program passed. Fails if the pointer is null.
fn write_result<T>(to: *mut T, value: T) -> Result {
    not_null(to)?;
    // SAFETY: the program passes a pointer to memory for a `T`, as CUDA demands.
    unsafe { to.write(value) };
    Ok(())
}

/// Fails if the pointer to the variable for a result is null.
fn not_null<T>(to: *mut T) -> Result {
    if to.is_null() {
        return Err(Code::INVALID_VALUE.because(
            "a null pointer stands where the address of the variable for the result belongs",
        ));
    }
    Ok(())
}

/// The address of an exported function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function(pub *const ());

// SAFETY: this is an address of code, and nothing reads or writes through it.
unsafe impl Sync for Function {}

/// The names and addresses of all exported functions. This also keeps the linker from removing
/// them.
pub fn exports() -> impl Iterator<Item = (&'static str, Function)> {
    EXPORTS.iter().chain(per_thread::EXPORTS).copied()
}

macro_rules! exports {
    ($($module:ident: $($name:ident)+;)+) => {
        /// All exported functions but those of [`per_thread`], by the module that defines them.
        static EXPORTS: &[(&str, Function)] = &[
            $($((stringify!($name), Function($module::$name as *const ())),)+)+
        ];
    };
}

exports! {
    cuda12: cudaGetDeviceProperties_v2 __wrap_cudaMemAdvise __wrap_cudaMemPrefetchAsync __wrap_cudaGraphAddDependencies
        __wrap_cudaGraphRemoveDependencies __wrap_cudaGraphGetEdges __wrap_cudaPointerGetAttributes
        __wrap_cudaGetTextureObjectResourceDesc __wrap_cudaGetSurfaceObjectResourceDesc;
    managed: __cudaRegisterManagedVar cudaMallocManaged cudaMemPrefetchAsync cudaMemAdvise cudaStreamAttachMemAsync;
    register: __cudaRegisterFatBinary __cudaRegisterFatBinaryEnd __cudaUnregisterFatBinary __cudaRegisterFunction
        __cudaRegisterVar __cudaInitModule;
    launch: __cudaPushCallConfiguration __cudaPopCallConfiguration __cudaGetKernel __cudaLaunchKernel
        cudaLaunchKernel cudaLaunchCooperativeKernel cudaLaunchKernelExC cudaLaunchHostFunc;
    graph: cudaGraphCreate cudaGraphDestroy cudaGraphClone cudaGraphAddKernelNode cudaGraphAddMemcpyNode
        cudaGraphAddMemcpyNode1D cudaGraphAddMemcpyNodeToSymbol cudaGraphAddMemcpyNodeFromSymbol
        cudaGraphAddMemsetNode cudaGraphAddHostNode cudaGraphAddEmptyNode cudaGraphAddChildGraphNode
        cudaGraphAddEventRecordNode cudaGraphAddEventWaitNode cudaGraphAddDependencies
        cudaGraphRemoveDependencies cudaGraphDestroyNode cudaGraphNodeGetType cudaGraphGetNodes
        cudaGraphGetRootNodes cudaGraphGetEdges cudaGraphKernelNodeSetParams cudaGraphExecKernelNodeSetParams
        cudaGraphInstantiate cudaGraphInstantiateWithFlags cudaGraphExecUpdate cudaGraphUpload cudaGraphLaunch
        cudaGraphExecDestroy cudaGraphDebugDotPrint cudaStreamBeginCapture cudaStreamEndCapture
        cudaStreamIsCapturing;
    graph_memory: cudaGraphAddMemAllocNode cudaGraphAddMemFreeNode cudaGraphMemAllocNodeGetParams
        cudaGraphMemFreeNodeGetParams cudaDeviceGraphMemTrim cudaDeviceGetGraphMemAttribute
        cudaDeviceSetGraphMemAttribute;
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
    process: _exit _Exit;
    stream: cudaStreamCreate cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDestroy
        cudaStreamSynchronize cudaStreamQuery cudaStreamWaitEvent cudaStreamGetPriority cudaStreamGetFlags
        cudaStreamGetId cudaStreamGetDevice cudaDeviceGetStreamPriorityRange cudaStreamAddCallback cudaEventCreate
        cudaEventCreateWithFlags cudaEventDestroy cudaEventRecord cudaEventRecordWithFlags cudaEventSynchronize
        cudaEventQuery cudaEventElapsedTime;
    device: cudaDeviceSynchronize cudaGetLastError cudaPeekAtLastError cudaGetErrorName cudaGetErrorString
        cudaGetDevice cudaSetDevice cudaSetValidDevices cudaGetDeviceCount cudaGetDeviceProperties
        cudaDeviceGetAttribute cudaChooseDevice cudaMemGetInfo cudaDriverGetVersion cudaRuntimeGetVersion
        cudaDeviceGetLimit cudaDeviceSetLimit cudaDeviceReset cudaDeviceCanAccessPeer cudaDeviceGetP2PAttribute
        cudaDeviceEnablePeerAccess cudaDeviceDisablePeerAccess cudaDeviceSetCacheConfig cudaDeviceGetCacheConfig cudaDeviceSetSharedMemConfig
        cudaDeviceGetSharedMemConfig cudaSetDeviceFlags cudaGetDeviceFlags cudaInitDevice cudaDeviceGetPCIBusId
        cudaDeviceGetByPCIBusId cudaProfilerStart cudaProfilerStop cudaCtxResetPersistingL2Cache;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{exports, per_thread};

    /// The source of each module that defines exported functions.
    const SOURCES: [&str; 16] = [
        include_str!("abi/array.rs"),
        include_str!("abi/cuda12.rs"),
        include_str!("abi/device.rs"),
        include_str!("abi/function.rs"),
        include_str!("abi/graph.rs"),
        include_str!("abi/graph_memory.rs"),
        include_str!("abi/launch.rs"),
        include_str!("abi/managed.rs"),
        include_str!("abi/memory.rs"),
        include_str!("abi/pinned.rs"),
        include_str!("abi/pool.rs"),
        include_str!("abi/process.rs"),
        include_str!("abi/register.rs"),
        include_str!("abi/shaped.rs"),
        include_str!("abi/stream.rs"),
        include_str!("abi/texture.rs"),
    ];

    /// The text between `before` and `after`, if a line has both.
    fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
        Some(line.split_once(before)?.1.split_once(after)?.0)
    }

    /// Findings name the function that the program called, so each function passes its own name.
    #[test]
    fn functions_pass_their_own_names() {
        for source in SOURCES {
            let mut function = "";
            for line in source.lines() {
                function = between(line, "extern \"C\" fn ", "(").unwrap_or(function);
                for caller in [" call(\"", " register(\"", " of_device(\""] {
                    if let Some(name) = between(line, caller, "\"") {
                        assert_eq!(name, function);
                    }
                }
            }
        }
    }

    #[test]
    fn every_function_is_in_the_table_once() {
        let names: Vec<&str> = exports().map(|(name, _)| name).collect();
        let different: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(different.len(), names.len());
        for source in SOURCES {
            for line in source.lines() {
                if let Some(name) = between(line, "pub extern \"C\" fn ", "(") {
                    assert!(different.contains(name), "{name} is not in the table");
                }
            }
        }
    }

    /// Functions that the runtime does not record: none of them changes anything that a kernel can
    /// find out. A launch records what `__cudaPushCallConfiguration` got.
    const NOT_RECORDED: [&str; 11] = [
        "cudaCreateChannelDesc",
        "cudaGetLastError",
        "cudaPeekAtLastError",
        "cudaGetErrorName",
        "cudaGetErrorString",
        "__cudaPushCallConfiguration",
        "__cudaRegisterFatBinaryEnd",
        "__cudaUnregisterFatBinary",
        "__cudaInitModule",
        "_exit",
        "_Exit",
    ];

    /// The names and the types of a function's parameters.
    fn parameters(signature: &str) -> Vec<(&str, &str)> {
        let mut depth = 0;
        let split = |c: char| {
            match c {
                '(' | '[' | '<' => depth += 1,
                ')' | ']' | '>' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        };
        let all = signature.split(split).filter_map(|parameter| parameter.split_once(':'));
        all.map(|(name, of)| (name.trim(), of.trim())).collect()
    }

    /// A number that a call gets and that is not recorded could be how the host passes a result to
    /// a kernel. So each function passes all arguments that are neither pointers nor unused.
    #[test]
    fn functions_record_their_numbers() {
        let mut recorded = 0;
        for source in SOURCES {
            for function in source.split("pub extern \"C\" fn ").skip(1) {
                let (name, rest) = function.split_once('(').expect("a function has parameters");
                if NOT_RECORDED.contains(&name) {
                    continue;
                }
                let end = [") -> ", ") {"].iter().filter_map(|end| rest.find(end)).min();
                let (signature, body) = rest.split_at(end.expect("parameters end"));
                let body = body.split_whitespace().collect::<Vec<_>>().join(" ");
                // the function of CUDA 13 records them
                if let Some(same) = name.strip_prefix("__wrap_") {
                    assert!(body.contains(&format!("::{same}(")), "{name} does not call {same}");
                    recorded += 1;
                    continue;
                }
                let Some(arguments) = between(&body, "&[", "], |") else {
                    panic!("{name} records nothing");
                };
                let words: Vec<&str> =
                    arguments.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                for (parameter, of) in parameters(signature) {
                    let pointer = of.starts_with('*') || of.starts_with("Option<");
                    let missing = !pointer && !words.contains(&parameter);
                    assert!(parameter.starts_with('_') || !missing, "{name} omits {parameter}");
                }
                recorded += 1;
            }
        }
        let of_threads = per_thread::EXPORTS.len();
        assert_eq!(recorded + NOT_RECORDED.len() + of_threads, exports().count());
    }
}
