//! Functions for streams and events.

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use super::{call, write_result};
use crate::error::{Code, Result};
use crate::graph::{LEGACY, PER_THREAD, Stream};
use crate::runtime::{HostFunction, Runtime, handles, own_stream, properties};

/// `cudaStream_t`: 0 is the default stream, 1 the legacy default stream, and 2 the calling thread's
/// own. The program creates streams with other [`handles`].
pub type Handle = usize;
pub(super) const DEFAULT: Handle = 0;
const PER_THREAD_HANDLE: Handle = 2;

thread_local! {
    /// Is the default stream of the current call the calling thread's own?
    static OWN_DEFAULT: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function for which the default stream is the calling thread's own. Programs that were
/// compiled with `--default-stream per-thread` call such functions.
pub(super) fn with_own_default<T>(call: impl FnOnce() -> T) -> T {
    OWN_DEFAULT.set(true);
    let result = call();
    OWN_DEFAULT.set(false);
    result
}

/// The stream of a handle.
pub(super) fn stream_of(handle: Handle) -> Stream {
    match handle {
        DEFAULT if OWN_DEFAULT.get() => own_stream(),
        0 | 1 => LEGACY,
        PER_THREAD_HANDLE => own_stream(),
        other => handles::stream(other),
    }
}

/// The handle of a stream.
pub(super) fn handle(stream: Stream) -> Handle {
    match stream {
        LEGACY => DEFAULT,
        own if own >= PER_THREAD => PER_THREAD_HANDLE,
        other => handles::of_stream(other),
    }
}

/// `cudaEvent_t`.
pub(super) type EventHandle = usize;

/// The number of an event.
pub(super) const fn event_of(handle: EventHandle) -> usize {
    handles::event(handle)
}

/// `cudaEventRecordExternal` and `cudaEventWaitExternal`, which are only valid while a graph is
/// captured.
const EXTERNAL: c_uint = 1;

/// Checks the flags of functions whose only flag is for graphs.
fn check_graph_flags(flags: c_uint) -> Result {
    match flags {
        0 => Ok(()),
        EXTERNAL => Err(Code::ILLEGAL_STATE),
        _ => Err(Code::INVALID_VALUE),
    }
}

fn create(r: &mut Runtime, stream: *mut Handle, flags: c_uint, priority: c_int) -> Result {
    if stream.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    r.alive()?;
    let site = r.findings.site();
    let new = r.streams.create(flags, priority, site)?;
    write_result(stream, handle(new))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreate(stream: *mut Handle) -> Code {
    call("cudaStreamCreate", &[], |r| create(r, stream, 0, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreateWithFlags(stream: *mut Handle, flags: c_uint) -> Code {
    call("cudaStreamCreateWithFlags", &[&flags], |r| create(r, stream, flags, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreateWithPriority(
    stream: *mut Handle,
    flags: c_uint,
    priority: c_int,
) -> Code {
    call("cudaStreamCreateWithPriority", &[&flags, &priority], |r| {
        create(r, stream, flags, priority)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetPriority(stream: Handle, priority: *mut c_int) -> Code {
    call("cudaStreamGetPriority", &[&stream], |r| {
        r.alive()?;
        let kind = r.streams.kind(stream_of(stream))?;
        write_result(priority, kind.priority)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetFlags(stream: Handle, flags: *mut c_uint) -> Code {
    call("cudaStreamGetFlags", &[&stream], |r| {
        r.alive()?;
        let kind = r.streams.kind(stream_of(stream))?;
        write_result(flags, kind.flags)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetId(stream: Handle, id: *mut u64) -> Code {
    call("cudaStreamGetId", &[&stream], |r| {
        r.alive()?;
        let stream = stream_of(stream);
        r.streams.kind(stream)?;
        write_result(id, stream.0 + 1)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamGetDevice(stream: Handle, device: *mut c_int) -> Code {
    call("cudaStreamGetDevice", &[&stream], |r| {
        r.alive()?;
        r.streams.kind(stream_of(stream))?;
        write_result(device, 0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetStreamPriorityRange(
    least: *mut c_int,
    greatest: *mut c_int,
) -> Code {
    call("cudaDeviceGetStreamPriorityRange", &[], |r| {
        r.alive()?;
        let (highest, lowest) = properties::PRIORITIES;
        for (to, value) in [(least, lowest), (greatest, highest)] {
            if !to.is_null() {
                write_result(to, value)?;
            }
        }
        Ok(())
    })
}

/// `cudaStreamCallback_t`.
pub(super) type Callback = extern "C" fn(Handle, Code, *mut c_void);

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamAddCallback(
    stream: Handle,
    function: Option<Callback>,
    data: *mut c_void,
    flags: c_uint,
) -> Code {
    let data = data as usize;
    call("cudaStreamAddCallback", &[&stream, &flags], |r| {
        let function = function.filter(|_| flags == 0).ok_or(Code::INVALID_VALUE)?;
        let work = Arc::new(move || function(stream, Code::SUCCESS, data as *mut c_void));
        r.launch_host_function(stream_of(stream), HostFunction(work))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamDestroy(stream: Handle) -> Code {
    call("cudaStreamDestroy", &[&stream], |r| {
        r.alive()?;
        r.destroy_stream(stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSynchronize(stream: Handle) -> Code {
    call("cudaStreamSynchronize", &[&stream], |r| r.synchronize_stream(stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamQuery(stream: Handle) -> Code {
    call("cudaStreamQuery", &[&stream], |r| r.query(stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamWaitEvent(stream: Handle, event: EventHandle, flags: c_uint) -> Code {
    call("cudaStreamWaitEvent", &[&stream, &event, &flags], |r| {
        check_graph_flags(flags)?;
        r.wait_event(stream_of(stream), event_of(event))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventCreate(event: *mut EventHandle) -> Code {
    call("cudaEventCreate", &[], |r| create_event(r, event, 0))
}

fn create_event(r: &mut Runtime, event: *mut EventHandle, flags: c_uint) -> Result {
    if event.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    r.alive()?;
    let site = r.findings.site();
    let new = r.streams.create_event(flags, site)?;
    write_result(event, handles::of_event(new))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventCreateWithFlags(event: *mut EventHandle, flags: c_uint) -> Code {
    call("cudaEventCreateWithFlags", &[&flags], |r| create_event(r, event, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventDestroy(event: EventHandle) -> Code {
    call("cudaEventDestroy", &[&event], |r| {
        r.alive()?;
        r.destroy_event(event_of(event))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecord(event: EventHandle, stream: Handle) -> Code {
    call("cudaEventRecord", &[&event, &stream], |r| {
        r.record_event(event_of(event), stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecordWithFlags(
    event: EventHandle,
    stream: Handle,
    flags: c_uint,
) -> Code {
    call("cudaEventRecordWithFlags", &[&event, &stream, &flags], |r| {
        check_graph_flags(flags)?;
        r.record_event(event_of(event), stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventSynchronize(event: EventHandle) -> Code {
    call("cudaEventSynchronize", &[&event], |r| r.synchronize_event(event_of(event)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventQuery(event: EventHandle) -> Code {
    call("cudaEventQuery", &[&event], |r| r.query_event(event_of(event)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventElapsedTime(
    milliseconds: *mut f32,
    first: EventHandle,
    last: EventHandle,
) -> Code {
    call("cudaEventElapsedTime", &[&first, &last], |r| {
        let elapsed = r.elapsed_time(event_of(first), event_of(last))?;
        write_result(milliseconds, elapsed)
    })
}
