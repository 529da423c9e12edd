//! Functions that create, query and copy arrays.

use std::ffi::{c_int, c_uint};

use super::shaped::SizeTriple;
use super::stream::{DEFAULT, Handle, stream_of};
use super::{call, write_result};
use crate::error::{Code, Result};
use crate::runtime::{ArrayHandle, ArrayPart, ChannelFormat, Extent, Runtime};

fn create(
    r: &mut Runtime,
    array: *mut u64,
    channels: *const ChannelFormat,
    extent: [u64; 3],
    flags: c_uint,
) -> Result {
    if array.is_null() || channels.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
    let channels = unsafe { channels.read() };
    r.alive()?;
    let site = r.findings.site();
    let ArrayHandle(handle) = r.memory.create_array(channels, extent, flags, site)?;
    write_result(array, handle)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocArray(
    array: *mut u64,
    channels: *const ChannelFormat,
    width: usize,
    height: usize,
    flags: c_uint,
) -> Code {
    call("cudaMallocArray", &[&channels, &width, &height, &flags], |r| {
        create(r, array, channels, [width as u64, height as u64, 0], flags)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc3DArray(
    array: *mut u64,
    channels: *const ChannelFormat,
    extent: SizeTriple,
    flags: c_uint,
) -> Code {
    call("cudaMalloc3DArray", &[&channels, &extent, &flags], |r| {
        create(r, array, channels, extent.to_array(), flags)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeArray(array: u64) -> Code {
    call("cudaFreeArray", &[&array], |r| r.free_array(ArrayHandle(array)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaArrayGetInfo(
    channels: *mut ChannelFormat,
    extent: *mut SizeTriple,
    flags: *mut c_uint,
    array: u64,
) -> Code {
    call("cudaArrayGetInfo", &[&array], |r| {
        r.alive()?;
        let array = *r.memory.array(ArrayHandle(array))?;
        if !channels.is_null() {
            write_result(channels, array.channels)?;
        }
        if !extent.is_null() {
            write_result(extent, SizeTriple::new(array.extent))?;
        }
        if flags.is_null() { Ok(()) } else { write_result(flags, array.flags) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetChannelDesc(channels: *mut ChannelFormat, array: u64) -> Code {
    call("cudaGetChannelDesc", &[&array], |r| {
        r.alive()?;
        let format = r.memory.array(ArrayHandle(array))?.channels;
        write_result(channels, format)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
) -> ChannelFormat {
    ChannelFormat { bits: [x, y, z, w], kind }
}

/// The rectangle of an array that the two-dimensional functions copy.
fn rows(x: usize, y: usize, pitch: usize, width: usize, height: usize) -> ArrayPart {
    let extent = Extent::plane(width as u64, height as u64);
    ArrayPart::Rows { x: x as u64, y: y as u64, extent, pitch: pitch as u64 }
}

/// The consecutive bytes of an array that the one-dimensional functions copy.
fn run(x: usize, y: usize, bytes: usize) -> ArrayPart {
    ArrayPart::Run { x: x as u64, y: y as u64, bytes: bytes as u64 }
}

fn wait(r: &mut Runtime, other: u64) -> Result {
    r.alive()?;
    r.wait_for_array_copy(other, stream_of(DEFAULT))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DToArray(
    to: u64,
    x: usize,
    y: usize,
    from: u64,
    pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> Code {
    let part = rows(x, y, pitch, width, height);
    call("cudaMemcpy2DToArray", &[&to, &x, &y, &from, &pitch, &width, &height, &kind], |r| {
        r.copy_to_array(ArrayHandle(to), part, from, kind, stream_of(DEFAULT))?;
        wait(r, from)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DToArrayAsync(
    to: u64,
    x: usize,
    y: usize,
    from: u64,
    pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    let part = rows(x, y, pitch, width, height);
    call(
        "cudaMemcpy2DToArrayAsync",
        &[&to, &x, &y, &from, &pitch, &width, &height, &kind, &stream],
        |r| r.copy_to_array(ArrayHandle(to), part, from, kind, stream_of(stream)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DFromArray(
    to: u64,
    pitch: usize,
    from: u64,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> Code {
    let part = rows(x, y, pitch, width, height);
    call("cudaMemcpy2DFromArray", &[&to, &pitch, &from, &x, &y, &width, &height, &kind], |r| {
        r.copy_from_array(to, ArrayHandle(from), part, kind, stream_of(DEFAULT))?;
        wait(r, to)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DFromArrayAsync(
    to: u64,
    pitch: usize,
    from: u64,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    let part = rows(x, y, pitch, width, height);
    call(
        "cudaMemcpy2DFromArrayAsync",
        &[&to, &pitch, &from, &x, &y, &width, &height, &kind, &stream],
        |r| r.copy_from_array(to, ArrayHandle(from), part, kind, stream_of(stream)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToArray(
    to: u64,
    x: usize,
    y: usize,
    from: u64,
    bytes: usize,
    kind: c_int,
) -> Code {
    call("cudaMemcpyToArray", &[&to, &x, &y, &from, &bytes, &kind], |r| {
        r.copy_to_array(ArrayHandle(to), run(x, y, bytes), from, kind, stream_of(DEFAULT))?;
        wait(r, from)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToArrayAsync(
    to: u64,
    x: usize,
    y: usize,
    from: u64,
    bytes: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    call("cudaMemcpyToArrayAsync", &[&to, &x, &y, &from, &bytes, &kind, &stream], |r| {
        r.copy_to_array(ArrayHandle(to), run(x, y, bytes), from, kind, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromArray(
    to: u64,
    from: u64,
    x: usize,
    y: usize,
    bytes: usize,
    kind: c_int,
) -> Code {
    call("cudaMemcpyFromArray", &[&to, &from, &x, &y, &bytes, &kind], |r| {
        r.copy_from_array(to, ArrayHandle(from), run(x, y, bytes), kind, stream_of(DEFAULT))?;
        wait(r, to)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromArrayAsync(
    to: u64,
    from: u64,
    x: usize,
    y: usize,
    bytes: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    call("cudaMemcpyFromArrayAsync", &[&to, &from, &x, &y, &bytes, &kind, &stream], |r| {
        r.copy_from_array(to, ArrayHandle(from), run(x, y, bytes), kind, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DArrayToArray(
    to: u64,
    to_x: usize,
    to_y: usize,
    from: u64,
    from_x: usize,
    from_y: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> Code {
    let to_part = rows(to_x, to_y, width, width, height);
    let from_part = rows(from_x, from_y, width, width, height);
    call(
        "cudaMemcpy2DArrayToArray",
        &[&to, &to_x, &to_y, &from, &from_x, &from_y, &width, &height, &kind],
        |r| {
            let (to, from) = ((ArrayHandle(to), to_part), (ArrayHandle(from), from_part));
            r.copy_between_arrays(to, from, kind, stream_of(DEFAULT))
        },
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyArrayToArray(
    to: u64,
    to_x: usize,
    to_y: usize,
    from: u64,
    from_x: usize,
    from_y: usize,
    bytes: usize,
    kind: c_int,
) -> Code {
    let to_part = run(to_x, to_y, bytes);
    let from_part = run(from_x, from_y, bytes);
    call(
        "cudaMemcpyArrayToArray",
        &[&to, &to_x, &to_y, &from, &from_x, &from_y, &bytes, &kind],
        |r| {
            let (to, from) = ((ArrayHandle(to), to_part), (ArrayHandle(from), from_part));
            r.copy_between_arrays(to, from, kind, stream_of(DEFAULT))
        },
    )
}
