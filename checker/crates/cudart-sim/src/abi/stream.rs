//! Streams and events.

use std::ffi::c_uint;

use super::{call, give};
use crate::error::Code;
use crate::graph::{LEGACY, Stream};

/// `cudaStream_t`: 0 and 1 are the legacy default stream, 2 the per-thread one; ours begin behind.
pub type Handle = usize;
const FIRST: usize = 16;

/// The stream of a handle.
pub(super) const fn stream_of(handle: Handle) -> Stream {
    match handle {
        0 | 1 => LEGACY,
        other => Stream(other.wrapping_sub(FIRST) as u64),
    }
}

/// The handle of a stream.
pub(super) fn handle(stream: Stream) -> Handle {
    if stream == LEGACY { 0 } else { stream.0 as usize + FIRST }
}

/// `cudaEvent_t`.
type EventHandle = usize;

const fn event_of(handle: EventHandle) -> usize {
    handle.wrapping_sub(1)
}

/// `cudaEventDisableTiming`.
const DISABLE_TIMING: c_uint = 2;

/// `cudaStreamNonBlocking`.
const NON_BLOCKING: c_uint = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreate(stream: *mut Handle) -> Code {
    cudaStreamCreateWithFlags(stream, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamCreateWithFlags(stream: *mut Handle, flags: c_uint) -> Code {
    call(|r| {
        let new = r.create_stream(flags & NON_BLOCKING == 0)?;
        give(stream, handle(new))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamDestroy(stream: Handle) -> Code {
    call(|r| r.destroy_stream(stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamSynchronize(stream: Handle) -> Code {
    call(|r| r.synchronize(stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamQuery(stream: Handle) -> Code {
    call(|r| r.query(stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamWaitEvent(stream: Handle, event: EventHandle, _flags: c_uint) -> Code {
    call(|r| r.wait_event(stream_of(stream), event_of(event)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventCreate(event: *mut EventHandle) -> Code {
    cudaEventCreateWithFlags(event, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventCreateWithFlags(event: *mut EventHandle, flags: c_uint) -> Code {
    call(|r| {
        let new = r.create_event(flags & DISABLE_TIMING == 0)?;
        give(event, new + 1)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventDestroy(event: EventHandle) -> Code {
    call(|r| r.destroy_event(event_of(event)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventRecord(event: EventHandle, stream: Handle) -> Code {
    call(|r| r.record(event_of(event), stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventSynchronize(event: EventHandle) -> Code {
    call(|r| r.synchronize_event(event_of(event)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventQuery(event: EventHandle) -> Code {
    call(|r| r.query_event(event_of(event)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaEventElapsedTime(
    milliseconds: *mut f32,
    first: EventHandle,
    last: EventHandle,
) -> Code {
    call(|r| {
        let between = r.between(event_of(first), event_of(last))?;
        give(milliseconds, between)
    })
}
