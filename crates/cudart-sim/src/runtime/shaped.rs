//! Memory in rows and planes: pitched allocations, and copies and sets of two and three dimensions.

use super::arrays::ArrayHandle;
use super::copies::{Direction, Transfer};
use super::region::{Extent, Rows};
use super::{Runtime, region};
use crate::error::{Code, Result};
use crate::graph::Stream;

/// Rows of pitched memory begin at multiples of this, as on an H200 (`textureAlignment`).
const PITCH: u64 = 512;

/// `cudaPitchedPtr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Pitched {
    /// The first byte.
    pub address: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes of a row that are used.
    pub width: u64,
    /// Rows of a plane.
    pub height: u64,
}

/// One end of a `cudaMemcpy3D`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxEnd {
    /// The array, or 0.
    pub array: u64,
    /// The memory, or address 0.
    pub memory: Pitched,
    /// Where in it: texels of an array, bytes of memory.
    pub at: [u64; 3],
}

/// `cudaMemcpy3DParms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxCopy {
    /// The destination.
    pub to: BoxEnd,
    /// The source.
    pub from: BoxEnd,
    /// Width, height and depth; the width in texels as soon as one end is an array.
    pub extent: [u64; 3],
    /// A `cudaMemcpyKind`.
    pub kind: i32,
}

/// Which end of a copy is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    To,
    From,
}

impl Runtime {
    /// `cudaMallocPitch`, `cudaMalloc3D`: the address, and the bytes from row to row. Nothing is no allocation, and no error.
    pub fn malloc_rows(&mut self, extent: Extent) -> Result<(u64, u64)> {
        let pitch = extent.width.checked_next_multiple_of(PITCH).ok_or(Code::INVALID_VALUE)?;
        if extent.is_empty() {
            return Ok((0, pitch));
        }
        self.alive()?;
        let bytes = Extent { width: pitch, ..extent }.bytes().ok_or(Code::MEMORY_ALLOCATION)?;
        Ok((self.malloc(bytes)?, pitch))
    }

    /// `cudaMemcpy2D`, without the wait: rows of `extent.width` bytes.
    pub fn copy_rows(
        &mut self,
        (to, to_pitch): (u64, u64),
        (from, from_pitch): (u64, u64),
        extent: Extent,
        kind: i32,
        stream: Stream,
    ) -> Result {
        if extent.is_empty() {
            return Ok(());
        }
        let short = |pitch| pitch < extent.width;
        if extent.height > 1 && (short(to_pitch) || short(from_pitch)) {
            return Err(Code::INVALID_PITCH_VALUE);
        }
        // one row needs no pitch, but what is there must be one
        if [to_pitch, from_pitch].into_iter().any(|pitch| pitch != 0 && short(pitch)) {
            return Err(Code::INVALID_VALUE);
        }
        let rows = |address, pitch| Rows { address, pitch, plane: 0 };
        let (to, from) = (rows(to, to_pitch), rows(from, from_pitch));
        self.copy_async(Transfer { to, from, extent, kind }, stream)
    }

    /// `cudaMemset2DAsync`.
    pub fn set_rows(
        &mut self,
        (to, pitch): (u64, u64),
        extent: Extent,
        value: u8,
        stream: Stream,
    ) -> Result {
        if extent.height > 1 && !extent.is_empty() && pitch < extent.width {
            return Err(Code::INVALID_VALUE);
        }
        self.set_async(Rows { address: to, pitch, plane: 0 }, extent, value, stream)
    }

    /// `cudaMemset3DAsync`.
    pub fn set_box(&mut self, to: Pitched, extent: Extent, value: u8, stream: Stream) -> Result {
        if extent.is_empty() {
            return Ok(());
        }
        let short = extent.has_rows() && to.pitch < extent.width;
        let low = (extent.depth > 1 || to.height != 0) && to.height < extent.height;
        if short || low {
            return Err(Code::INVALID_VALUE);
        }
        self.set_async(planes(to)?, extent, value, stream)
    }

    /// `cudaMemcpy3DAsync`.
    pub fn copy_box(&mut self, copy: &BoxCopy, stream: Stream) -> Result {
        let transfer = self.box_transfer(copy)?;
        transfer.map_or(Ok(()), |transfer| self.copy_async(transfer, stream))
    }

    /// `cudaMemcpy3D`: done when this returns.
    pub fn copy_box_now(&mut self, copy: &BoxCopy, stream: Stream) -> Result {
        let transfer = self.box_transfer(copy)?;
        transfer.map_or(Ok(()), |transfer| self.copy(transfer, stream))
    }

    /// What `cudaMemcpy3D` copies; `None` for nothing.
    fn box_transfer(&self, copy: &BoxCopy) -> Result<Option<Transfer>> {
        self.alive()?;
        let [width, height, depth] = copy.extent;
        if copy.extent.contains(&0) {
            return Ok(None);
        }
        let mut texel = 1;
        for end in [&copy.to, &copy.from] {
            if (end.array != 0) == (end.memory.address != 0) {
                return Err(Code::INVALID_VALUE);
            }
            if end.array != 0 {
                let bytes = self.array(ArrayHandle(end.array))?.texel();
                if texel != 1 && texel != bytes {
                    return Err(Code::INVALID_VALUE);
                }
                texel = bytes;
            }
        }
        let direction = Direction::try_from(copy.kind)?;
        let width = width.checked_mul(texel).ok_or(Code::INVALID_VALUE)?;
        let extent = Extent { width, height, depth };
        let to = self.box_rows(&copy.to, Side::To, direction, extent)?;
        let from = self.box_rows(&copy.from, Side::From, direction, extent)?;
        Ok(Some(Transfer { to, from, extent, kind: copy.kind }))
    }

    /// Where one end's rows are.
    fn box_rows(
        &self,
        end: &BoxEnd,
        side: Side,
        direction: Direction,
        extent: Extent,
    ) -> Result<Rows> {
        let [x, y, z] = end.at;
        if end.array != 0 {
            // a destination may be called the host's, as any device memory may; a source may not
            let of_host = matches!(direction, Direction::HostToHost | Direction::HostToDevice);
            if side == Side::From && of_host {
                return Err(Code::INVALID_VALUE);
            }
            let array = self.array(ArrayHandle(end.array))?;
            let x = x.checked_mul(array.texel()).ok_or(Code::INVALID_VALUE)?;
            return array.part([x, y, z], extent);
        }
        let memory = end.memory;
        let (rows, planes_follow) = (extent.has_rows(), extent.depth > 1);
        if rows && extent.width > memory.pitch || planes_follow && extent.height > memory.height {
            return Err(Code::INVALID_PITCH_VALUE);
        }
        // one row needs no pitch and one plane no height, but what is there must be one
        let beyond = |at: u64, length: u64, most: u64, needed: bool| {
            (needed || most != 0) && at.checked_add(length).is_none_or(|end| end > most)
        };
        if beyond(x, extent.width, memory.pitch, rows)
            || beyond(y, extent.height, memory.height, planes_follow)
        {
            return Err(Code::INVALID_VALUE);
        }
        region::inside(planes(memory)?, [x, y, z]).ok_or(Code::INVALID_VALUE)
    }
}

/// Pitched memory as rows and planes.
fn planes(memory: Pitched) -> Result<Rows> {
    let Pitched { address, pitch, height, .. } = memory;
    let plane = pitch.checked_mul(height).ok_or(Code::INVALID_VALUE)?;
    Ok(Rows { address, pitch, plane })
}
