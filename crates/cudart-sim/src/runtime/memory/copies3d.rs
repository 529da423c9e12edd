//! Pitched memory, and where the two ends of a three-dimensional copy are.

use super::AddressSpace;
use super::arrays::ArrayHandle;
use super::region::{self, Extent, RowLayout};
use crate::error::{Code, Result};
use crate::runtime::copies::{Direction, Transfer};

/// The rows of pitched memory begin at multiples of this many bytes, as on an H200
/// (`textureAlignment`).
const PITCH_ALIGNMENT: u64 = 512;

/// `cudaPitchedPtr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct PitchedPointer {
    /// The first byte.
    pub address: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes of a row that are used.
    pub width: u64,
    /// Rows of a plane.
    pub height: u64,
}

impl PitchedPointer {
    /// The memory as rows and planes.
    pub(in crate::runtime) fn layout(self) -> Result<RowLayout> {
        let Self { address, pitch, height, .. } = self;
        let plane = pitch.checked_mul(height).ok_or(Code::INVALID_VALUE)?;
        Ok(RowLayout { address, pitch, plane })
    }
}

/// One end of a `cudaMemcpy3D`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy3dEnd {
    /// An array's handle, or 0.
    pub array: u64,
    /// Memory, or address 0.
    pub memory: PitchedPointer,
    /// Where the copy begins: in texels of an array, in bytes of memory.
    pub at: [u64; 3],
}

/// `cudaMemcpy3DParms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy3d {
    /// The destination.
    pub to: Copy3dEnd,
    /// The source.
    pub from: Copy3dEnd,
    /// Width, height and depth. The width is in texels if at least one end is an array.
    pub extent: [u64; 3],
    /// A `cudaMemcpyKind`.
    pub kind: i32,
}

/// An end of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    To,
    From,
}

/// The pitch of memory whose rows have this many bytes.
pub(in crate::runtime) fn pitch_of(width: u64) -> Result<u64> {
    width.checked_next_multiple_of(PITCH_ALIGNMENT).ok_or(Code::INVALID_VALUE)
}

impl AddressSpace {
    /// The transfer of a `cudaMemcpy3D`; `None` if nothing is copied.
    pub(in crate::runtime) fn transfer_3d(&self, copy: &Copy3d) -> Result<Option<Transfer>> {
        let [width, height, depth] = copy.extent;
        if copy.extent.contains(&0) {
            return Ok(None);
        }
        let mut texel_bytes = 1;
        for end in [&copy.to, &copy.from] {
            if (end.array != 0) == (end.memory.address != 0) {
                let side = if std::ptr::eq(end, &copy.to) { "destination" } else { "source" };
                let reason = match end.array {
                    0 => format!("the {side} is neither a pointer nor an array"),
                    _ => format!("the {side} is both a pointer and an array"),
                };
                return Err(Code::INVALID_VALUE.because(reason));
            }
            if end.array != 0 {
                let bytes = self.array(ArrayHandle(end.array))?.texel_bytes();
                if texel_bytes != 1 && texel_bytes != bytes {
                    return Err(Code::INVALID_VALUE);
                }
                texel_bytes = bytes;
            }
        }
        let direction = Direction::try_from(copy.kind)?;
        let width = width.checked_mul(texel_bytes).ok_or(Code::INVALID_VALUE)?;
        let extent = Extent { width, height, depth };
        let to = self.layout_of(&copy.to, Side::To, direction, extent)?;
        let from = self.layout_of(&copy.from, Side::From, direction, extent)?;
        Ok(Some(Transfer { to, from, extent, kind: copy.kind }))
    }

    /// Where the rows of one end are.
    fn layout_of(
        &self,
        end: &Copy3dEnd,
        side: Side,
        direction: Direction,
        extent: Extent,
    ) -> Result<RowLayout> {
        let [x, y, z] = end.at;
        if end.array != 0 {
            // like any device memory, an array may be called the host's as a destination, but not
            // as a source
            let on_host = matches!(direction, Direction::HostToHost | Direction::HostToDevice);
            if side == Side::From && on_host {
                return Err(Code::INVALID_VALUE);
            }
            let array = self.array(ArrayHandle(end.array))?;
            let x = x.checked_mul(array.texel_bytes()).ok_or(Code::INVALID_VALUE)?;
            return array.part([x, y, z], extent);
        }
        let memory = end.memory;
        let (has_rows, has_planes) = (extent.has_rows(), extent.depth > 1);
        if has_rows && extent.width > memory.pitch || has_planes && extent.height > memory.height {
            let reason = format!(
                "the copy takes rows of {} bytes and planes of {} rows, and the {} has a pitch of {} bytes and planes of {} rows",
                extent.width,
                extent.height,
                if side == Side::To { "destination" } else { "source" },
                memory.pitch,
                memory.height
            );
            return Err(Code::INVALID_PITCH_VALUE.because(reason));
        }
        // one row needs no pitch and one plane needs no height, but if they are given, they must be
        // large enough
        let beyond = |at: u64, length: u64, limit: u64, needed: bool| {
            (needed || limit != 0) && at.checked_add(length).is_none_or(|end| end > limit)
        };
        if beyond(x, extent.width, memory.pitch, has_rows)
            || beyond(y, extent.height, memory.height, has_planes)
        {
            return Err(Code::INVALID_VALUE);
        }
        region::offset(memory.layout()?, [x, y, z]).ok_or(Code::INVALID_VALUE)
    }
}
