//! CUDA arrays: texels in an order of their own, for textures and surfaces. Here that order is row by row, which no
//! program can see.

use ptxsim::{ArrayDesc, ArrayId, ChannelKind, TexelFormat};

use super::Runtime;
use super::copies::{Direction, Transfer};
use super::region::{self, Extent, Rows};
use super::sites::Site;
use crate::error::{Code, Result};
use crate::graph::Stream;

/// A `cudaArray_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayHandle(pub u64);

/// Handles are numbers that are no address of anything, host or device.
const FIRST: u64 = 0x00ca_a000_0000_0000;
const STEP: u64 = 64;

/// `cudaChannelFormatDesc`: bits of the four channels, and what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Channels {
    /// Bits of x, y, z and w.
    pub bits: [i32; 4],
    /// A `cudaChannelFormatKind`.
    pub kind: i32,
}

impl Channels {
    /// The texel that these make: 1, 2 or 4 channels of one size.
    pub fn texel(self) -> Result<TexelFormat> {
        let first = self.bits[0];
        let channels = self.bits.iter().take_while(|bits| **bits == first && first > 0).count();
        let rest = self.bits[channels..].iter().all(|bits| *bits == 0);
        let kind = match (self.kind, first) {
            (0, 8 | 16 | 32) => ChannelKind::Signed,
            (1, 8 | 16 | 32) => ChannelKind::Unsigned,
            (2, 16 | 32) => ChannelKind::Float,
            _ => return Err(Code::INVALID_CHANNEL_DESCRIPTOR),
        };
        if !rest || !matches!(channels, 1 | 2 | 4) {
            return Err(Code::INVALID_CHANNEL_DESCRIPTOR);
        }
        Ok(TexelFormat { kind, bits: first as u32, channels: channels as u32 })
    }
}

/// `cudaArrayLayered` and its like.
const LAYERED: u32 = 0x01;
const SURFACE: u32 = 0x02;
const CUBEMAP: u32 = 0x04;
const GATHER: u32 = 0x08;
const SPARSE: u32 = 0x40;
const DEFERRED: u32 = 0x80;

/// The greatest extents of an H200 (`maxTexture1D` and its like): lines, planes, boxes and other boxes, layers.
const LINE: u64 = 131_072;
const PLANE: [u64; 2] = [131_072, 65_536];
const SIDE: u64 = 16_384;
const OTHER: [u64; 3] = [8192, 8192, 32_768];
const LAYER: u64 = 32_768;
const LAYERS: u64 = 2048;

/// An array that the program made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    pub(super) id: ArrayId,
    /// Its texels.
    pub channels: Channels,
    /// Width, height and depth or layers as they were asked for.
    pub extent: [u64; 3],
    /// As they were asked for.
    pub flags: u32,
    texel: u64,
    rows: Rows,
    pub(super) site: Site,
}

impl Array {
    /// Bytes of a texel.
    pub(super) const fn texel(&self) -> u64 {
        self.texel
    }

    /// Bytes, rows, planes.
    fn size(&self) -> [u64; 3] {
        let [width, height, depth] = self.extent;
        [width * self.texel, height.max(1), depth.max(1)]
    }

    /// All of them.
    pub(super) fn bytes(&self) -> u64 {
        self.size().into_iter().product()
    }

    /// A part from a byte of a row, a row, and a plane on.
    pub(super) fn part(&self, at: [u64; 3], extent: Extent) -> Result<Rows> {
        let wanted = [extent.width, extent.height, extent.depth];
        for ((at, wanted), size) in at.into_iter().zip(wanted).zip(self.size()) {
            if at.checked_add(wanted).is_none_or(|end| end > size) {
                return Err(Code::INVALID_VALUE);
            }
        }
        region::inside(self.rows, at).ok_or(Code::INVALID_VALUE)
    }

    /// `bytes` bytes from a byte of a row on, and on into the rows that follow.
    fn run(&self, x: u64, y: u64, bytes: u64) -> Result<Rows> {
        let [width, height, _] = self.size();
        let start = y.checked_mul(width).and_then(|y| y.checked_add(x));
        let end = start.and_then(|start| start.checked_add(bytes));
        match start.zip(end) {
            Some((start, end)) if x < width && end <= width * height => {
                Ok(Rows::line(self.rows.address + start))
            }
            _ => Err(Code::INVALID_VALUE),
        }
    }
}

/// What an array's side of a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Rows from a byte and a row on, and the bytes from row to row of the other side.
    Rows {
        /// Byte of the row.
        x: u64,
        /// Row.
        y: u64,
        /// Bytes and rows.
        extent: Extent,
        /// Of the other side.
        pitch: u64,
    },
    /// Bytes, on into the rows that follow.
    Run {
        /// Byte of the first row.
        x: u64,
        /// First row.
        y: u64,
        /// How many.
        bytes: u64,
    },
}

impl Runtime {
    /// `cudaMallocArray`, `cudaMalloc3DArray`.
    pub fn malloc_array(
        &mut self,
        channels: Channels,
        extent: [u64; 3],
        flags: u32,
    ) -> Result<ArrayHandle> {
        self.alive()?;
        let format = channels.texel()?;
        if flags & (CUBEMAP | SPARSE | DEFERRED) != 0 && possible(extent, flags) {
            return Err(Code::NOT_SUPPORTED);
        }
        if !possible(extent, flags) {
            return Err(Code::INVALID_VALUE);
        }
        let [width, height, depth] = extent.map(|n| n as u32);
        let layers = (flags & LAYERED != 0).then_some(depth);
        let number = self.arrays_made + 1;
        let desc = ArrayDesc {
            name: format!("array {number}"),
            format,
            extent: [width, height, if layers.is_some() { 0 } else { depth }],
            layers,
        };
        let id = self.memory.create_array(&desc, None).map_err(|_| Code::MEMORY_ALLOCATION)?;
        let (address, pitch, plane) = self.memory.array_rows(id).ok_or(Code::MEMORY_ALLOCATION)?;
        let handle = ArrayHandle(FIRST + number * STEP);
        self.arrays_made = number;
        let texel = u64::from(format.bytes());
        let rows = Rows { address, pitch, plane };
        let site = self.site();
        self.arrays.insert(handle, Array { id, channels, extent, flags, texel, rows, site });
        Ok(handle)
    }

    /// `cudaFreeArray`: waits for the device first.
    pub fn free_array(&mut self, handle: ArrayHandle) -> Result {
        if handle.0 == 0 {
            return Ok(());
        }
        self.alive()?;
        let array = *self.array(handle)?;
        self.synchronize_device()?;
        self.arrays.remove(&handle);
        self.memory.free(array.rows.address).map_err(|_| Code::INVALID_VALUE)
    }

    /// The array of a handle.
    pub fn array(&self, handle: ArrayHandle) -> Result<&Array> {
        self.arrays.get(&handle).ok_or(Code::INVALID_RESOURCE_HANDLE)
    }

    /// `cudaMemcpy2DToArray`, `cudaMemcpyToArray`, without the wait.
    pub fn copy_to_array(
        &mut self,
        handle: ArrayHandle,
        part: Part,
        from: u64,
        kind: i32,
        stream: Stream,
    ) -> Result {
        let transfer = self.with_array(handle, part, from, kind, Direction::HostToDevice)?;
        transfer.map_or(Ok(()), |(to, from, extent)| {
            self.copy_async(Transfer { to, from, extent, kind }, stream)
        })
    }

    /// `cudaMemcpy2DFromArray`, `cudaMemcpyFromArray`, without the wait.
    pub fn copy_from_array(
        &mut self,
        to: u64,
        handle: ArrayHandle,
        part: Part,
        kind: i32,
        stream: Stream,
    ) -> Result {
        let transfer = self.with_array(handle, part, to, kind, Direction::DeviceToHost)?;
        transfer.map_or(Ok(()), |(from, to, extent)| {
            self.copy_async(Transfer { to, from, extent, kind }, stream)
        })
    }

    /// The array's rows, the other side's, and the size of a copy between them; `None` for nothing.
    fn with_array(
        &self,
        handle: ArrayHandle,
        part: Part,
        other: u64,
        kind: i32,
        usual: Direction,
    ) -> Result<Option<(Rows, Rows, Extent)>> {
        let (extent, pitch) = match part {
            Part::Rows { extent, pitch, .. } => (extent, pitch),
            Part::Run { bytes, .. } => (Extent::line(bytes), 0),
        };
        if extent.is_empty() {
            return Ok(None);
        }
        self.alive()?;
        let array = self.array(handle)?;
        let direction = Direction::try_from(kind)?;
        if ![usual, Direction::DeviceToDevice, Direction::Default].contains(&direction) {
            return Err(Code::INVALID_MEMCPY_DIRECTION);
        }
        if extent.height > 1 && pitch < extent.width {
            return Err(Code::INVALID_PITCH_VALUE);
        }
        let own = match part {
            Part::Rows { x, y, extent, .. } => array.part([x, y, 0], extent)?,
            Part::Run { x, y, bytes } => array.run(x, y, bytes)?,
        };
        Ok(Some((own, Rows { address: other, pitch, plane: 0 }, extent)))
    }

    /// `cudaMemcpy2DArrayToArray`, `cudaMemcpyArrayToArray`, without the wait: from there to here. The pitch of the parts
    /// has no meaning.
    pub fn copy_between_arrays(
        &mut self,
        (to, to_part): (ArrayHandle, Part),
        (from, from_part): (ArrayHandle, Part),
        kind: i32,
        stream: Stream,
    ) -> Result {
        let direction = Direction::try_from(kind)?;
        if ![Direction::DeviceToDevice, Direction::Default].contains(&direction) {
            return Err(Code::INVALID_MEMCPY_DIRECTION);
        }
        if to.0 == 0 || from.0 == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let of = |part, handle| -> Result<(Rows, Extent)> {
            let array = self.array(handle)?;
            Ok(match part {
                Part::Rows { x, y, extent, .. } => (array.part([x, y, 0], extent)?, extent),
                Part::Run { x, y, bytes } => (array.run(x, y, bytes)?, Extent::line(bytes)),
            })
        };
        let ((to, extent), (from, _)) = (of(to_part, to)?, of(from_part, from)?);
        self.copy_async(Transfer { to, from, extent, kind }, stream)
    }
}

/// Can there be such an array?
fn possible([width, height, depth]: [u64; 3], flags: u32) -> bool {
    let known = LAYERED | SURFACE | CUBEMAP | GATHER | SPARSE | DEFERRED;
    if flags & !known != 0 || width == 0 {
        return false;
    }
    let flat = height != 0 && depth == 0;
    if flags & GATHER != 0 && !(flat && width <= LAYER && height <= LAYER) {
        return false;
    }
    if flags & CUBEMAP != 0 {
        let sides = if flags & LAYERED != 0 { depth != 0 && depth % 6 == 0 } else { depth == 6 };
        return width == height && sides && width <= LAYER;
    }
    if flags & LAYERED != 0 {
        return (1..=LAYERS).contains(&depth) && width <= LAYER && height <= LAYER;
    }
    match (height, depth) {
        (0, 0) => width <= LINE,
        (0, _) => false,
        (_, 0) => width <= PLANE[0] && height <= PLANE[1],
        _ => {
            let other = width <= OTHER[0] && height <= OTHER[1] && depth <= OTHER[2];
            other || width <= SIDE && height <= SIDE && depth <= SIDE
        }
    }
}

#[cfg(test)]
mod tests {
    use ptxsim::ChannelKind;

    use super::{Channels, possible};

    /// What an H200 says to these formats.
    #[test]
    fn formats_of_texels() {
        let texel = |bits, kind| Channels { bits, kind }.texel().map(|t| (t.kind, t.bytes()));
        assert_eq!(texel([32, 0, 0, 0], 2), Ok((ChannelKind::Float, 4)));
        assert_eq!(texel([8, 8, 8, 8], 1), Ok((ChannelKind::Unsigned, 4)));
        assert_eq!(texel([16, 16, 0, 0], 0), Ok((ChannelKind::Signed, 4)));
        for (bits, kind) in [
            ([32, 32, 32, 0], 2),
            ([8, 16, 0, 0], 1),
            ([0; 4], 1),
            ([64, 0, 0, 0], 2),
            ([8, 0, 0, 0], 2),
            ([12, 0, 0, 0], 1),
            ([0, 8, 0, 0], 1),
            ([32, 0, 0, 0], 3),
            ([8, 0, 8, 0], 1),
        ] {
            assert!(texel(bits, kind).is_err(), "{bits:?} {kind}");
        }
    }

    #[test]
    fn extents_of_arrays() {
        for (extent, flags) in [
            ([131_072, 0, 0], 0),
            ([131_072, 65_536, 0], 0),
            ([2, 2, 16_385], 0),
            ([16, 0, 4], 1),
            ([16, 16, 2048], 1),
            ([16, 16, 0], 8),
            ([16, 16, 6], 4),
        ] {
            assert!(possible(extent, flags), "{extent:?} {flags}");
        }
        for (extent, flags) in [
            ([0, 16, 0], 0),
            ([131_073, 0, 0], 0),
            ([4, 65_537, 0], 0),
            ([16_385, 2, 2], 0),
            ([4, 0, 4], 0),
            ([16, 16, 0], 1),
            ([4, 4, 2049], 1),
            ([16, 0, 0], 8),
            ([16, 16, 0], 0x1000),
            ([4, 5, 6], 4),
            ([4, 4, 5], 4),
        ] {
            assert!(!possible(extent, flags), "{extent:?} {flags}");
        }
    }
}
