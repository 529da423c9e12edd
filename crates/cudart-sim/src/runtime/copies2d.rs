//! Copies and sets of two and three dimensions, pitched allocations, and copies of arrays.

use super::Runtime;
use super::copies::Transfer;
use super::memory::arrays::{ArrayHandle, ArrayPart};
use super::memory::copies3d::{self, Copy3d, PitchedPointer};
use super::memory::region::{Extent, RowLayout, short_pitch};
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::report::Rows;

impl Runtime {
    /// `cudaMallocPitch`, `cudaMalloc3D`: the address, and the bytes from row to row. An empty
    /// allocation succeeds with address 0.
    pub fn malloc_pitched(&mut self, extent: Extent) -> Result<(u64, u64)> {
        let pitch = copies3d::pitch_of(extent.width)?;
        if extent.is_empty() {
            return Ok((0, pitch));
        }
        self.alive()?;
        let bytes = Extent { width: pitch, ..extent }.bytes().ok_or(Code::MEMORY_ALLOCATION)?;
        let address = self.malloc(bytes)?;
        self.memory.set_rows(address, Rows { width: extent.width, pitch });
        Ok((address, pitch))
    }

    /// `cudaMemcpy2DAsync`. The layouts have no planes.
    pub fn copy_2d(&mut self, transfer: Transfer, stream: Stream) -> Result {
        let Transfer { to, from, extent, .. } = transfer;
        if extent.is_empty() {
            return Ok(());
        }
        let short = |rows: RowLayout| rows.pitch < extent.width;
        let reason = || {
            let (side, pitch) =
                if short(to) { ("destination", to.pitch) } else { ("source", from.pitch) };
            format!("the {side}: {}", short_pitch(pitch, extent))
        };
        if extent.height > 1 && (short(to) || short(from)) {
            return Err(Code::INVALID_PITCH_VALUE.because(reason()));
        }
        // one row needs no pitch, but a pitch that is given must be large enough
        if [to, from].into_iter().any(|rows| rows.pitch != 0 && short(rows)) {
            return Err(Code::INVALID_VALUE.because(reason()));
        }
        self.copy_async(transfer, stream)
    }

    /// `cudaMemset2DAsync`. The layout has no planes.
    pub fn set_2d(&mut self, to: RowLayout, extent: Extent, value: u8, stream: Stream) -> Result {
        if extent.height > 1 && !extent.is_empty() && to.pitch < extent.width {
            return Err(Code::INVALID_VALUE.because(short_pitch(to.pitch, extent)));
        }
        self.set_async(to, extent, value.into(), stream)
    }

    /// `cudaMemset3DAsync`.
    pub fn set_3d(
        &mut self,
        to: PitchedPointer,
        extent: Extent,
        value: u8,
        stream: Stream,
    ) -> Result {
        if extent.is_empty() {
            return Ok(());
        }
        let short_rows = extent.has_rows() && to.pitch < extent.width;
        let few_rows = (extent.depth > 1 || to.height != 0) && to.height < extent.height;
        if short_rows || few_rows {
            let reason = format!(
                "the extent has rows of {} bytes and planes of {} rows, and the memory has a pitch of {} bytes and planes of {} rows",
                extent.width, extent.height, to.pitch, to.height
            );
            return Err(Code::INVALID_VALUE.because(reason));
        }
        self.set_async(to.layout()?, extent, value.into(), stream)
    }

    /// The transfer of a copy of three dimensions; `None` if it is empty.
    pub fn transfer_3d(&self, copy: &Copy3d) -> Result<Option<Transfer>> {
        self.alive()?;
        self.memory.transfer_3d(copy)
    }

    /// `cudaMemcpy3DAsync`.
    pub fn copy_3d_async(&mut self, copy: &Copy3d, stream: Stream) -> Result {
        self.alive()?;
        let transfer = self.memory.transfer_3d(copy)?;
        transfer.map_or(Ok(()), |transfer| self.copy_async(transfer, stream))
    }

    /// `cudaMemcpy3D`, which returns when the copy is done.
    pub fn copy_3d(&mut self, copy: &Copy3d, stream: Stream) -> Result {
        self.alive()?;
        let transfer = self.memory.transfer_3d(copy)?;
        transfer.map_or(Ok(()), |transfer| self.copy(transfer, stream))
    }

    /// `cudaFreeArray`, which waits for the device first.
    pub fn free_array(&mut self, handle: ArrayHandle) -> Result {
        if handle.0 == 0 {
            return Ok(());
        }
        self.alive()?;
        self.memory.array(handle)?;
        self.synchronize_device()?;
        let site = self.findings.site();
        self.memory.free_array(handle, site)
    }

    /// `cudaMemcpy2DToArrayAsync`, `cudaMemcpyToArrayAsync`.
    pub fn copy_to_array(
        &mut self,
        to: ArrayHandle,
        part: ArrayPart,
        from: u64,
        kind: i32,
        stream: Stream,
    ) -> Result {
        if part.extent().is_empty() {
            return Ok(());
        }
        self.alive()?;
        let transfer = self.memory.transfer_to_array(to, part, from, kind)?;
        self.copy_async(transfer, stream)
    }

    /// `cudaMemcpy2DFromArrayAsync`, `cudaMemcpyFromArrayAsync`.
    pub fn copy_from_array(
        &mut self,
        to: u64,
        from: ArrayHandle,
        part: ArrayPart,
        kind: i32,
        stream: Stream,
    ) -> Result {
        if part.extent().is_empty() {
            return Ok(());
        }
        self.alive()?;
        let transfer = self.memory.transfer_from_array(to, from, part, kind)?;
        self.copy_async(transfer, stream)
    }

    /// `cudaMemcpy2DArrayToArray`, `cudaMemcpyArrayToArray`, but does not wait. The pitches of the
    /// parts have no meaning.
    pub fn copy_between_arrays(
        &mut self,
        to: (ArrayHandle, ArrayPart),
        from: (ArrayHandle, ArrayPart),
        kind: i32,
        stream: Stream,
    ) -> Result {
        let transfer = self.memory.transfer_between_arrays(to, from, kind)?;
        self.copy_async(transfer, stream)
    }
}
