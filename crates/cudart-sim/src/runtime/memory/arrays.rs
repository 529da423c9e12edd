//! CUDA arrays: texels for textures and surfaces, in an order that the program cannot see. Here
//! they are stored row by row.

use std::collections::BTreeMap;

use ptxsim::{ArrayDesc, ArrayId, ChannelKind, TexelFormat};

use super::AddressSpace;
use super::region::{self, Extent, RowLayout, short_pitch};
use crate::error::{Code, Result};
use crate::runtime::copies::{Direction, Transfer, check_direction};
use crate::runtime::findings::sites::SiteId;

/// A `cudaArray_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayHandle(pub u64);

/// Handles are numbers that are not the address of anything on the host or the device.
const FIRST_HANDLE: u64 = 0x00ca_a000_0000_0000;
const HANDLE_STEP: u64 = 64;

/// `cudaChannelFormatDesc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct ChannelFormat {
    /// Bits of x, y, z and w.
    pub bits: [i32; 4],
    /// A `cudaChannelFormatKind`.
    pub kind: i32,
}

impl ChannelFormat {
    /// The error for channels that no texel has.
    fn impossible(self) -> Code {
        let [x, y, z, w] = self.bits;
        let reason = format!(
            "the channels have {x}, {y}, {z} and {w} bits, and a texel has 1, 2 or 4 channels of 8, 16 or 32 bits each"
        );
        Code::INVALID_CHANNEL_DESCRIPTOR.because(reason)
    }

    /// The format of a texel with these channels. A texel has 1, 2 or 4 channels of the same size.
    pub fn texel(self) -> Result<TexelFormat> {
        let first = self.bits[0];
        let channels = self.bits.iter().take_while(|bits| **bits == first && first > 0).count();
        let others_are_empty = self.bits[channels..].iter().all(|bits| *bits == 0);
        let kind = match (self.kind, first) {
            (0, 8 | 16 | 32) => ChannelKind::Signed,
            (1, 8 | 16 | 32) => ChannelKind::Unsigned,
            (2, 16 | 32) => ChannelKind::Float,
            _ => return Err(self.impossible()),
        };
        if !others_are_empty || !matches!(channels, 1 | 2 | 4) {
            return Err(self.impossible());
        }
        Ok(TexelFormat { kind, bits: first as u32, channels: channels as u32 })
    }
}

/// The flags of `cudaMalloc3DArray`, beginning with `cudaArrayLayered`.
const LAYERED: u32 = 0x01;
const SURFACE: u32 = 0x02;
const CUBEMAP: u32 = 0x04;
const GATHER: u32 = 0x08;
const SPARSE: u32 = 0x40;
const DEFERRED: u32 = 0x80;

/// The greatest extents on an H200, in texels (`maxTexture1D`, `maxTexture2D`, `maxTexture3D`,
/// `maxTexture3DAlt`, `maxTexture2DLayered`).
const MAX_1D: u64 = 131_072;
const MAX_2D: [u64; 2] = [131_072, 65_536];
const MAX_3D: u64 = 16_384;
const MAX_3D_ALTERNATE: [u64; 3] = [8192, 8192, 32_768];
const MAX_LAYER: u64 = 32_768;
const MAX_LAYERS: u64 = 2048;

/// An array that the program created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    pub(in crate::runtime) id: ArrayId,
    /// The format of its texels.
    pub channels: ChannelFormat,
    /// Width, height and depth (or layers), as the program gave them.
    pub extent: [u64; 3],
    /// The flags that the program gave.
    pub flags: u32,
    texel_bytes: u64,
    pub(super) layout: RowLayout,
    pub(in crate::runtime) site: SiteId,
}

impl Array {
    /// Has the program created it with `cudaArraySurfaceLoadStore`?
    pub(in crate::runtime) const fn is_for_surfaces(&self) -> bool {
        self.flags & SURFACE != 0
    }

    /// Bytes of a texel.
    pub(super) const fn texel_bytes(&self) -> u64 {
        self.texel_bytes
    }

    /// Bytes of a row, rows of a plane, and planes.
    fn size(&self) -> [u64; 3] {
        let [width, height, depth] = self.extent;
        [width * self.texel_bytes, height.max(1), depth.max(1)]
    }

    /// Bytes of the whole array.
    pub(in crate::runtime) fn bytes(&self) -> u64 {
        self.size().into_iter().product()
    }

    /// The part of the array that begins at this byte of a row, row and plane.
    pub(super) fn part(&self, at: [u64; 3], extent: Extent) -> Result<RowLayout> {
        let wanted = [extent.width, extent.height, extent.depth];
        for ((at, wanted), size) in at.into_iter().zip(wanted).zip(self.size()) {
            if at.checked_add(wanted).is_none_or(|end| end > size) {
                let [width, height, _] = self.size();
                let reason = format!(
                    "the copy takes {} rows of {} bytes, and the array has {height} rows of {width} bytes",
                    extent.height, extent.width
                );
                return Err(Code::INVALID_VALUE.because(reason));
            }
        }
        region::offset(self.layout, at).ok_or(Code::INVALID_VALUE)
    }

    /// `bytes` bytes that begin at this byte of a row and continue in the following rows.
    fn run(&self, x: u64, y: u64, bytes: u64) -> Result<RowLayout> {
        let [width, height, _] = self.size();
        let start = y.checked_mul(width).and_then(|y| y.checked_add(x));
        let end = start.and_then(|start| start.checked_add(bytes));
        match start.zip(end) {
            Some((start, end)) if x < width && end <= width * height => {
                Ok(RowLayout::linear(self.layout.address + start))
            }
            _ => {
                let all = width * height;
                let reason = format!("the copy takes {bytes} bytes, and the array has {all} bytes");
                Err(Code::INVALID_VALUE.because(reason))
            }
        }
    }
}

/// The part of an array that a copy reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayPart {
    /// A rectangle.
    Rows {
        /// First byte in each row.
        x: u64,
        /// First row.
        y: u64,
        /// Bytes of a row, and rows.
        extent: Extent,
        /// Bytes from row to row in the memory on the other side of the copy.
        pitch: u64,
    },
    /// Consecutive bytes, which may continue in the following rows.
    Run {
        /// First byte in the first row.
        x: u64,
        /// First row.
        y: u64,
        /// Number of bytes.
        bytes: u64,
    },
}

impl ArrayPart {
    /// The size of a copy of this part.
    pub(in crate::runtime) const fn extent(self) -> Extent {
        match self {
            Self::Rows { extent, .. } => extent,
            Self::Run { bytes, .. } => Extent::line(bytes),
        }
    }

    /// Where this part of `array` is in memory.
    fn layout_in(self, array: &Array) -> Result<RowLayout> {
        match self {
            Self::Rows { x, y, extent, .. } => array.part([x, y, 0], extent),
            Self::Run { x, y, bytes } => array.run(x, y, bytes),
        }
    }
}

/// The arrays of a program.
#[derive(Debug, Default)]
pub(in crate::runtime) struct Arrays {
    /// Arrays that the program has not freed.
    all: BTreeMap<ArrayHandle, Array>,
    /// The calls that freed arrays.
    freed: BTreeMap<ArrayHandle, SiteId>,
    /// How many arrays were created.
    created: u64,
}

impl Arrays {
    /// `cudaDeviceReset`. Handles are not used again.
    pub fn clear(&mut self) {
        self.all.clear();
    }
}

impl AddressSpace {
    /// `cudaMallocArray`, `cudaMalloc3DArray`.
    pub(crate) fn create_array(
        &mut self,
        channels: ChannelFormat,
        extent: [u64; 3],
        flags: u32,
        site: SiteId,
    ) -> Result<ArrayHandle> {
        let format = channels.texel()?;
        if !is_possible(extent, flags) {
            let [width, height, depth] = extent;
            let reason = format!("no array is {width} x {height} x {depth} texels large");
            return Err(Code::INVALID_VALUE.because(reason));
        }
        if flags & (CUBEMAP | SPARSE | DEFERRED) != 0 {
            return Err(Code::NOT_SUPPORTED);
        }
        let [width, height, depth] = extent.map(|n| n as u32);
        let layers = (flags & LAYERED != 0).then_some(depth);
        let number = self.arrays.created + 1;
        let desc = ArrayDesc {
            name: format!("array {number}"),
            format,
            extent: [width, height, if layers.is_some() { 0 } else { depth }],
            layers,
        };
        let id = self.device.create_array(&desc, None).map_err(|_| Code::MEMORY_ALLOCATION)?;
        let (address, pitch, plane) = self.device.array_rows(id).ok_or(Code::MEMORY_ALLOCATION)?;
        let handle = ArrayHandle(FIRST_HANDLE + number * HANDLE_STEP);
        self.arrays.created = number;
        let texel_bytes = u64::from(format.bytes());
        let layout = RowLayout { address, pitch, plane };
        let array = Array { id, channels, extent, flags, texel_bytes, layout, site };
        self.arrays.all.insert(handle, array);
        Ok(handle)
    }

    /// Frees an array that no work uses any more.
    pub(in crate::runtime) fn free_array(&mut self, handle: ArrayHandle, site: SiteId) -> Result {
        let array = self.arrays.all.remove(&handle).ok_or(Code::INVALID_RESOURCE_HANDLE)?;
        self.arrays.freed.insert(handle, site);
        self.device.free(array.layout.address).map_err(|_| Code::INVALID_VALUE)
    }

    /// The call that freed this array, if one did.
    pub(in crate::runtime) fn array_freed_by(&self, handle: ArrayHandle) -> Option<SiteId> {
        self.arrays.freed.get(&handle).copied()
    }

    /// The array with this handle.
    pub(crate) fn array(&self, handle: ArrayHandle) -> Result<&Array> {
        self.arrays.all.get(&handle).ok_or_else(|| {
            let reason = match (handle.0, self.arrays.freed.contains_key(&handle)) {
                (0, _) => "the array's handle is 0, so no call has created it",
                (_, true) => "the array was freed before",
                _ => "the array's handle is that of no array",
            };
            Code::INVALID_RESOURCE_HANDLE.because(reason)
        })
    }

    /// Arrays that the program has not freed.
    pub(in crate::runtime) fn arrays(&self) -> impl Iterator<Item = (ArrayHandle, &Array)> {
        self.arrays.all.iter().map(|(handle, array)| (*handle, array))
    }

    /// The transfer of `cudaMemcpy2DToArray` or `cudaMemcpyToArray`, which is not empty.
    pub(in crate::runtime) fn transfer_to_array(
        &self,
        to: ArrayHandle,
        part: ArrayPart,
        from: u64,
        kind: i32,
    ) -> Result<Transfer> {
        let (to, from) = self.array_and_memory(to, part, from, kind, Direction::HostToDevice)?;
        Ok(Transfer { to, from, extent: part.extent(), kind })
    }

    /// The transfer of `cudaMemcpy2DFromArray` or `cudaMemcpyFromArray`, which is not empty.
    pub(in crate::runtime) fn transfer_from_array(
        &self,
        to: u64,
        from: ArrayHandle,
        part: ArrayPart,
        kind: i32,
    ) -> Result<Transfer> {
        let (from, to) = self.array_and_memory(from, part, to, kind, Direction::DeviceToHost)?;
        Ok(Transfer { to, from, extent: part.extent(), kind })
    }

    /// Where the bytes of a copy between an array and memory are, first in the array. `usual` is
    /// the direction that the function is meant for.
    fn array_and_memory(
        &self,
        handle: ArrayHandle,
        part: ArrayPart,
        memory: u64,
        kind: i32,
        usual: Direction,
    ) -> Result<(RowLayout, RowLayout)> {
        let array = self.array(handle)?;
        let direction = Direction::try_from(kind)?;
        check_direction(direction, usual)?;
        let pitch = match part {
            ArrayPart::Rows { pitch, .. } => pitch,
            ArrayPart::Run { .. } => 0,
        };
        let extent = part.extent();
        if extent.height > 1 && pitch < extent.width {
            return Err(Code::INVALID_PITCH_VALUE.because(short_pitch(pitch, extent)));
        }
        let own = part.layout_in(array)?;
        Ok((own, RowLayout { address: memory, pitch, plane: 0 }))
    }

    /// The transfer of `cudaMemcpy2DArrayToArray` or `cudaMemcpyArrayToArray`. The pitches of the
    /// parts have no meaning.
    pub(in crate::runtime) fn transfer_between_arrays(
        &self,
        (to, to_part): (ArrayHandle, ArrayPart),
        (from, from_part): (ArrayHandle, ArrayPart),
        kind: i32,
    ) -> Result<Transfer> {
        let direction = Direction::try_from(kind)?;
        if ![Direction::DeviceToDevice, Direction::Default].contains(&direction) {
            return Err(Code::INVALID_MEMCPY_DIRECTION);
        }
        if to.0 == 0 || from.0 == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let extent = to_part.extent();
        let to = to_part.layout_in(self.array(to)?)?;
        let from = from_part.layout_in(self.array(from)?)?;
        Ok(Transfer { to, from, extent, kind })
    }
}

/// Can an array have this extent and these flags?
fn is_possible([width, height, depth]: [u64; 3], flags: u32) -> bool {
    let known = LAYERED | SURFACE | CUBEMAP | GATHER | SPARSE | DEFERRED;
    if flags & !known != 0 || width == 0 {
        return false;
    }
    let flat = height != 0 && depth == 0;
    if flags & GATHER != 0 && !(flat && width <= MAX_LAYER && height <= MAX_LAYER) {
        return false;
    }
    if flags & CUBEMAP != 0 {
        let sides = if flags & LAYERED != 0 { depth != 0 && depth % 6 == 0 } else { depth == 6 };
        return width == height && sides && width <= MAX_LAYER;
    }
    if flags & LAYERED != 0 {
        return (1..=MAX_LAYERS).contains(&depth) && width <= MAX_LAYER && height <= MAX_LAYER;
    }
    match (height, depth) {
        (0, 0) => width <= MAX_1D,
        (0, _) => false,
        (_, 0) => width <= MAX_2D[0] && height <= MAX_2D[1],
        _ => {
            let [w, h, d] = MAX_3D_ALTERNATE;
            let alternate = width <= w && height <= h && depth <= d;
            alternate || width <= MAX_3D && height <= MAX_3D && depth <= MAX_3D
        }
    }
}

#[cfg(test)]
mod tests {
    use ptxsim::ChannelKind;

    use super::{ChannelFormat, is_possible};

    /// The formats that an H200 accepts and refuses.
    #[test]
    fn formats_of_texels() {
        let texel = |bits, kind| ChannelFormat { bits, kind }.texel().map(|t| (t.kind, t.bytes()));
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
            assert!(is_possible(extent, flags), "{extent:?} {flags}");
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
            assert!(!is_possible(extent, flags), "{extent:?} {flags}");
        }
    }
}
