//! Functions for pitched memory, and copies and sets of two and three dimensions.

use std::ffi::{c_int, c_void};

use super::stream::{DEFAULT, Handle, stream_of};
use super::{call, not_null, write_result};
use crate::error::Code;
use crate::runtime::{Copy3d, Copy3dEnd, Extent, PitchedPointer, RowLayout, Runtime, Transfer};

/// `cudaExtent`, `cudaPos`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct SizeTriple {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) z: usize,
}

impl SizeTriple {
    pub(super) const fn to_array(self) -> [u64; 3] {
        [self.x as u64, self.y as u64, self.z as u64]
    }

    pub(super) const fn new([x, y, z]: [u64; 3]) -> Self {
        Self { x: x as usize, y: y as usize, z: z as usize }
    }

    const fn extent(self) -> Extent {
        Extent { width: self.x as u64, height: self.y as u64, depth: self.z as u64 }
    }
}

/// `cudaMemcpy3DParms`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Memcpy3dParams {
    from_array: u64,
    from_at: SizeTriple,
    from: PitchedPointer,
    to_array: u64,
    to_at: SizeTriple,
    to: PitchedPointer,
    extent: SizeTriple,
    kind: c_int,
}

impl Memcpy3dParams {
    /// Reads the structure that the program passes.
    pub(super) fn read(this: *const Self) -> Result<Copy3d, Code> {
        if this.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
        let p = unsafe { this.read() };
        let end = |array, memory, at: SizeTriple| Copy3dEnd { array, memory, at: at.to_array() };
        let to = end(p.to_array, p.to, p.to_at);
        let from = end(p.from_array, p.from, p.from_at);
        Ok(Copy3d { to, from, extent: p.extent.to_array(), kind: p.kind })
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocPitch(
    address: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> Code {
    call("cudaMallocPitch", &[&width, &height], |r| {
        not_null(address)?;
        not_null(pitch)?;
        let (new, bytes) = r.malloc_pitched(Extent::plane(width as u64, height as u64))?;
        write_result(pitch, bytes as usize)?;
        write_result(address, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc3D(memory: *mut PitchedPointer, extent: SizeTriple) -> Code {
    call("cudaMalloc3D", &[&extent], |r| {
        not_null(memory)?;
        let Extent { width, height, .. } = extent.extent();
        let (address, pitch) = r.malloc_pitched(extent.extent())?;
        write_result(memory, PitchedPointer { address, pitch, width, height })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2D(
    to: u64,
    to_pitch: usize,
    from: u64,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> Code {
    let arguments = Copy2dArguments { to, to_pitch, from, from_pitch, width, height, kind };
    call("cudaMemcpy2D", &[&to, &to_pitch, &from, &from_pitch, &width, &height, &kind], |r| {
        arguments.copy(r, DEFAULT, true)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy2DAsync(
    to: u64,
    to_pitch: usize,
    from: u64,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    let arguments = Copy2dArguments { to, to_pitch, from, from_pitch, width, height, kind };
    call(
        "cudaMemcpy2DAsync",
        &[&to, &to_pitch, &from, &from_pitch, &width, &height, &kind, &stream],
        |r| arguments.copy(r, stream, false),
    )
}

/// The arguments of `cudaMemcpy2D`.
pub(super) struct Copy2dArguments {
    pub to: u64,
    pub to_pitch: usize,
    pub from: u64,
    pub from_pitch: usize,
    pub width: usize,
    pub height: usize,
    pub kind: c_int,
}

impl Copy2dArguments {
    pub fn copy(&self, r: &mut Runtime, stream: Handle, wait: bool) -> Result<(), Code> {
        let stream = stream_of(stream);
        let extent = Extent::plane(self.width as u64, self.height as u64);
        let to = RowLayout { address: self.to, pitch: self.to_pitch as u64, plane: 0 };
        let from = RowLayout { address: self.from, pitch: self.from_pitch as u64, plane: 0 };
        r.copy_2d(Transfer { to, from, extent, kind: self.kind }, stream)?;
        if wait && !extent.is_empty() {
            r.wait_for_copy(self.to, self.from, stream)?;
        }
        Ok(())
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2D(
    to: u64,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
) -> Code {
    let extent = Extent::plane(width as u64, height as u64);
    call("cudaMemset2D", &[&to, &pitch, &value, &width, &height], |r| {
        let to = RowLayout { address: to, pitch: pitch as u64, plane: 0 };
        r.set_2d(to, extent, value as u8, stream_of(DEFAULT))?;
        r.wait_for_set(to.address, stream_of(DEFAULT))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset2DAsync(
    to: u64,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    stream: Handle,
) -> Code {
    let extent = Extent::plane(width as u64, height as u64);
    call("cudaMemset2DAsync", &[&to, &pitch, &value, &width, &height, &stream], |r| {
        let to = RowLayout { address: to, pitch: pitch as u64, plane: 0 };
        r.set_2d(to, extent, value as u8, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3D(to: PitchedPointer, value: c_int, extent: SizeTriple) -> Code {
    call("cudaMemset3D", &[&to, &value, &extent], |r| {
        r.set_3d(to, extent.extent(), value as u8, stream_of(DEFAULT))?;
        r.wait_for_set(to.address, stream_of(DEFAULT))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3DAsync(
    to: PitchedPointer,
    value: c_int,
    extent: SizeTriple,
    stream: Handle,
) -> Code {
    call("cudaMemset3DAsync", &[&to, &value, &extent, &stream], |r| {
        r.set_3d(to, extent.extent(), value as u8, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3D(parms: *const Memcpy3dParams) -> Code {
    call("cudaMemcpy3D", &[], |r| r.copy_3d(&Memcpy3dParams::read(parms)?, stream_of(DEFAULT)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DAsync(parms: *const Memcpy3dParams, stream: Handle) -> Code {
    call("cudaMemcpy3DAsync", &[&stream], |r| {
        r.copy_3d_async(&Memcpy3dParams::read(parms)?, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeer(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    bytes: usize,
) -> Code {
    call("cudaMemcpyPeer", &[&(to as u64), &(from as u64), &to_device, &from_device, &bytes], |r| {
        super::device::check_device(to_device)?;
        super::device::check_device(from_device)?;
        let transfer = Transfer::linear(to as u64, from as u64, bytes as u64, 3);
        r.copy(transfer, stream_of(DEFAULT))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeerAsync(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    bytes: usize,
    stream: Handle,
) -> Code {
    call(
        "cudaMemcpyPeerAsync",
        &[&(to as u64), &(from as u64), &to_device, &from_device, &bytes, &stream],
        |r| {
            super::device::check_device(to_device)?;
            super::device::check_device(from_device)?;
            let transfer = Transfer::linear(to as u64, from as u64, bytes as u64, 3);
            r.copy_async(transfer, stream_of(stream))
        },
    )
}
