//! Copies and sets of two and three dimensions, pitched allocations.

use std::ffi::{c_int, c_void};

use super::stream::{DEFAULT, Handle, stream_of};
use super::{call, give};
use crate::error::Code;
use crate::runtime::{BoxCopy, BoxEnd, Extent, Pitched, Runtime};

/// `cudaExtent`, `cudaPos`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Three {
    x: usize,
    y: usize,
    z: usize,
}

impl Three {
    pub(super) const fn all(self) -> [u64; 3] {
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
pub struct Parms {
    from_array: u64,
    from_at: Three,
    from: Pitched,
    to_array: u64,
    to_at: Three,
    to: Pitched,
    extent: Three,
    kind: c_int,
}

impl Parms {
    /// What the program passes.
    fn read(this: *const Self) -> Result<BoxCopy, Code> {
        if this.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program says that they are there.
        let p = unsafe { this.read() };
        let end = |array, memory, at: Three| BoxEnd { array, memory, at: at.all() };
        let to = end(p.to_array, p.to, p.to_at);
        let from = end(p.from_array, p.from, p.from_at);
        Ok(BoxCopy { to, from, extent: p.extent.all(), kind: p.kind })
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocPitch(
    address: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> Code {
    call("cudaMallocPitch", |r| {
        if address.is_null() || pitch.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let (new, bytes) = r.malloc_rows(Extent::plane(width as u64, height as u64))?;
        give(pitch, bytes as usize)?;
        give(address, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc3D(memory: *mut Pitched, extent: Three) -> Code {
    call("cudaMalloc3D", |r| {
        if memory.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let Extent { width, height, .. } = extent.extent();
        let (address, pitch) = r.malloc_rows(extent.extent())?;
        give(memory, Pitched { address, pitch, width, height })
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
    let rows = Rows2 { to, to_pitch, from, from_pitch, width, height, kind };
    call("cudaMemcpy2D", |r| rows.copy(r, DEFAULT, true))
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
    let rows = Rows2 { to, to_pitch, from, from_pitch, width, height, kind };
    call("cudaMemcpy2DAsync", |r| rows.copy(r, stream, false))
}

/// The arguments of `cudaMemcpy2D`.
pub(super) struct Rows2 {
    pub to: u64,
    pub to_pitch: usize,
    pub from: u64,
    pub from_pitch: usize,
    pub width: usize,
    pub height: usize,
    pub kind: c_int,
}

impl Rows2 {
    pub fn copy(&self, r: &mut Runtime, stream: Handle, wait: bool) -> Result<(), Code> {
        let stream = stream_of(stream);
        let extent = Extent::plane(self.width as u64, self.height as u64);
        let (to, from) = (self.to_pitch as u64, self.from_pitch as u64);
        r.copy_rows((self.to, to), (self.from, from), extent, self.kind, stream)?;
        if wait && !extent.is_empty() { r.synchronize(stream) } else { Ok(()) }
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
    cudaMemset2DAsync(to, pitch, value, width, height, DEFAULT)
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
    call("cudaMemset2DAsync", |r| {
        r.set_rows((to, pitch as u64), extent, value as u8, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3D(to: Pitched, value: c_int, extent: Three) -> Code {
    cudaMemset3DAsync(to, value, extent, DEFAULT)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset3DAsync(
    to: Pitched,
    value: c_int,
    extent: Three,
    stream: Handle,
) -> Code {
    call("cudaMemset3DAsync", |r| r.set_box(to, extent.extent(), value as u8, stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3D(parms: *const Parms) -> Code {
    call("cudaMemcpy3D", |r| r.copy_box_now(&Parms::read(parms)?, stream_of(DEFAULT)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy3DAsync(parms: *const Parms, stream: Handle) -> Code {
    call("cudaMemcpy3DAsync", |r| r.copy_box(&Parms::read(parms)?, stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyPeer(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    bytes: usize,
) -> Code {
    call("cudaMemcpyPeer", |r| {
        super::device::only(to_device)?;
        super::device::only(from_device)?;
        let line = crate::runtime::Transfer::line(to as u64, from as u64, bytes as u64, 3);
        r.copy(line, stream_of(DEFAULT))
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
    call("cudaMemcpyPeerAsync", |r| {
        super::device::only(to_device)?;
        super::device::only(from_device)?;
        let line = crate::runtime::Transfer::line(to as u64, from as u64, bytes as u64, 3);
        r.copy_async(line, stream_of(stream))
    })
}
