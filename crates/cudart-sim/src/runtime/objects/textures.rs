//! Texture and surface objects. Invalid descriptions fail with the error codes of an H200.

use ptxsim::{AddressMode, ChannelKind, Filter, ReadMode, Resource, TexelFormat, TextureDesc};

use super::Objects;
use crate::error::{Code, Result};
use crate::runtime::findings::sites::SiteId;
use crate::runtime::memory::arrays::{ArrayHandle, ChannelFormat};
use crate::runtime::memory::{AddressSpace, Allocation, MemoryOwner};

/// Where the texels of an object are: a `cudaResourceDesc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TexelSource {
    /// An array's handle.
    Array(u64),
    /// Device memory with consecutive texels.
    Linear {
        /// The first byte.
        address: u64,
        /// The format of a texel.
        channels: ChannelFormat,
        /// The size.
        bytes: u64,
    },
    /// Device memory in rows.
    Pitched {
        /// The first byte.
        address: u64,
        /// The format of a texel.
        channels: ChannelFormat,
        /// Texels of a row, and number of rows.
        extent: [u64; 2],
        /// Bytes from row to row.
        pitch: u64,
    },
}

/// How a texture is read: a `cudaTextureDesc`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct TextureSettings {
    /// `cudaTextureAddressMode` of each dimension.
    pub address: [i32; 3],
    /// `cudaTextureFilterMode`.
    pub filter: i32,
    /// `cudaTextureReadMode`.
    pub read: i32,
    /// Are the texels converted from sRGB?
    pub srgb: i32,
    /// The colour outside the texture.
    pub border: [f32; 4],
    /// Are coordinates between 0 and 1?
    pub normalized: i32,
    /// Anisotropy, mipmaps and cubemaps, which are not simulated.
    pub rest: [i32; 7],
}

/// Texels in device memory begin at multiples of `textureAlignment` bytes, their rows at multiples
/// of `texturePitchAlignment` bytes, and there are at most as many rows as `maxTexture2DLinear`
/// says.
const ALIGNMENT: u64 = 512;
const PITCH_ALIGNMENT: u64 = 32;
const MAX_ROWS: u64 = 65_000;

/// `cudaAddressModeBorder`.
const BORDER: i32 = 3;

/// The first handle of textures without any texel, which no kernel can use.
const FIRST_EMPTY_HANDLE: u64 = 0x00ca_b000_0000_0000;

/// A texture or surface object, as the program described it.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct TextureObject {
    source: TexelSource,
    /// `None` for a surface.
    settings: Option<TextureSettings>,
    /// The call that created it.
    pub(in crate::runtime) site: SiteId,
}

impl TextureObject {
    /// Is this a texture (otherwise a surface)?
    pub(in crate::runtime) const fn is_texture(&self) -> bool {
        self.settings.is_some()
    }
}

impl TextureSettings {
    /// Everything that decides what a kernel gets: the modes, and the bits of the colour outside
    /// the texture, where a mode uses it.
    pub(in crate::runtime) fn bits(&self) -> ([i32; 7], Option<[u32; 4]>) {
        let Self { address: [x, y, z], filter, read, srgb, border, normalized, rest: _ } = *self;
        let used = self.address.contains(&BORDER);
        ([x, y, z, filter, read, srgb, normalized], used.then(|| border.map(f32::to_bits)))
    }
}

impl Objects {
    /// `cudaCreateTextureObject`: the handle.
    pub(crate) fn create_texture(
        &mut self,
        source: TexelSource,
        settings: &TextureSettings,
        memory: &mut AddressSpace,
        site: SiteId,
    ) -> Result<u64> {
        let (format, resource) = memory.texels(source)?;
        let desc = describe(format, settings)?;
        let desc = resource.map(|resource| TextureDesc { resource, ..desc });
        let handle = match desc {
            Some(desc) => {
                memory.device_mut().create_texture(&desc).map_err(|_| Code::INVALID_VALUE)?
            }
            None => FIRST_EMPTY_HANDLE + self.textures.len() as u64,
        };
        self.destroyed_by.remove(&handle);
        self.textures.insert(handle, TextureObject { source, settings: Some(*settings), site });
        Ok(handle)
    }

    /// `cudaCreateSurfaceObject`: the handle. Fails for an array without
    /// `cudaArraySurfaceLoadStore`, which `driver_types.h` requires although an H200 does not check
    /// it.
    pub(crate) fn create_surface(
        &mut self,
        array: u64,
        memory: &mut AddressSpace,
        site: SiteId,
    ) -> Result<u64> {
        let array_of_surface = memory.array(ArrayHandle(array))?;
        if !array_of_surface.is_for_surfaces() {
            let reason = "the array was created without cudaArraySurfaceLoadStore, which CUDA requires for a surface, although some GPUs don't check it";
            return Err(Code::INVALID_VALUE.because(reason));
        }
        let id = array_of_surface.id;
        let handle = memory.device_mut().create_surface(id).map_err(|_| Code::INVALID_VALUE)?;
        let source = TexelSource::Array(array);
        self.destroyed_by.remove(&handle);
        self.textures.insert(handle, TextureObject { source, settings: None, site });
        Ok(handle)
    }

    /// `cudaDestroyTextureObject`, `cudaDestroySurfaceObject`, called at `site`. Pending kernels can
    /// still use the object. Returns whether it was a texture; `None` for an unknown handle, which
    /// is not an error.
    pub(in crate::runtime) fn destroy(&mut self, handle: u64, site: SiteId) -> Option<bool> {
        let texture = self.textures.remove(&handle)?.is_texture();
        self.destroyed.push(handle);
        self.destroyed_by.insert(handle, (texture, site));
        Some(texture)
    }

    /// Is this the handle of an object that exists or was destroyed?
    pub(in crate::runtime) fn was_object(&self, handle: u64) -> bool {
        self.textures.contains_key(&handle) || self.destroyed_by.contains_key(&handle)
    }

    /// Whether a destroyed object was a texture, and the call that destroyed it.
    pub(in crate::runtime) fn destroyed_by(&self, handle: u64) -> Option<(bool, SiteId)> {
        self.destroyed_by.get(&handle).copied()
    }

    /// The call that made an object which the program has not destroyed.
    pub(in crate::runtime) fn made_by(&self, handle: u64) -> Option<SiteId> {
        self.textures.get(&handle).map(|object| object.site)
    }

    /// Where the texels of an object are.
    pub(in crate::runtime) fn source(&self, handle: u64) -> Option<TexelSource> {
        self.textures.get(&handle).map(|object| object.source)
    }

    /// No work is left, so the simulator can destroy the objects that the program has destroyed.
    pub(in crate::runtime) fn remove_destroyed(&mut self, memory: &mut AddressSpace) {
        for handle in std::mem::take(&mut self.destroyed) {
            memory.device_mut().destroy_object(handle);
        }
    }

    /// Texture and surface objects that the program has not destroyed, by handle.
    pub(in crate::runtime) fn textures(&self) -> impl Iterator<Item = (u64, &TextureObject)> {
        self.textures.iter().map(|(handle, object)| (*handle, object))
    }

    /// `cudaGetTextureObjectResourceDesc`.
    pub fn texture_source(&self, handle: u64) -> Result<TexelSource> {
        let object = self.textures.get(&handle).filter(|object| object.is_texture());
        object.map(|object| object.source).ok_or(Code::INVALID_VALUE)
    }

    /// `cudaGetTextureObjectTextureDesc`.
    pub fn texture_settings(&self, handle: u64) -> Result<TextureSettings> {
        self.textures.get(&handle).and_then(|object| object.settings).ok_or(Code::INVALID_VALUE)
    }

    /// `cudaGetSurfaceObjectResourceDesc`.
    pub fn surface_source(&self, handle: u64) -> Result<TexelSource> {
        let object = self.textures.get(&handle).filter(|object| !object.is_texture());
        object.map(|object| object.source).ok_or(Code::INVALID_VALUE)
    }
}

impl AddressSpace {
    /// The call that freed the array behind an object, if one did.
    pub(in crate::runtime) fn freed_array(&self, source: TexelSource) -> Option<SiteId> {
        match source {
            TexelSource::Array(handle) => self.array_freed_by(ArrayHandle(handle)),
            TexelSource::Linear { .. } | TexelSource::Pitched { .. } => None,
        }
    }

    /// The freed memory behind an object, and the call that freed it.
    pub(in crate::runtime) fn freed_behind(
        &self,
        source: TexelSource,
    ) -> Option<(&Allocation, SiteId)> {
        match source {
            TexelSource::Linear { address, .. } | TexelSource::Pitched { address, .. } => {
                self.freed_near(address).map(|(_, allocation, site)| (allocation, site))
            }
            TexelSource::Array(_) => None,
        }
    }

    /// The format of a source's texels, and the part of the source that is in memory. A size beyond
    /// the memory is not an error; reads there return nothing.
    fn texels(&self, source: TexelSource) -> Result<(TexelFormat, Option<Resource>)> {
        let bytes_from = |address: u64| {
            let rest = self.device().rest(address);
            let rest = rest.filter(|_| self.owner_of(address) == MemoryOwner::Device);
            let Some(rest) = rest else {
                let reason = "the resource's devPtr does not point to device memory";
                return Err(Code::INVALID_VALUE.because(reason));
            };
            if !address.is_multiple_of(ALIGNMENT) {
                let reason = format!(
                    "the resource's devPtr is {address:#x}, which is not a multiple of {ALIGNMENT} bytes"
                );
                return Err(Code::INVALID_VALUE.because(reason));
            }
            Ok(rest)
        };
        match source {
            TexelSource::Array(handle) => {
                let array = self.array(ArrayHandle(handle))?;
                Ok((array.channels.texel()?, Some(Resource::Array(array.id))))
            }
            TexelSource::Linear { address, channels, bytes } => {
                let format = channels.texel()?;
                let bytes = bytes.min(bytes_from(address)?);
                let any = bytes >= u64::from(format.bytes());
                let resource = Resource::Linear { address, bytes, format };
                Ok((format, any.then_some(resource)))
            }
            TexelSource::Pitched { address, channels, extent: [width, height], pitch } => {
                let format = channels.texel()?;
                let rest = bytes_from(address)?;
                if !pitch.is_multiple_of(PITCH_ALIGNMENT) {
                    let reason = format!(
                        "the resource's pitch is {pitch} bytes, which is not a multiple of {PITCH_ALIGNMENT}"
                    );
                    return Err(Code::INVALID_VALUE.because(reason));
                }
                if height > MAX_ROWS {
                    let reason = format!(
                        "the resource has {height} rows, and at most {MAX_ROWS} are possible"
                    );
                    return Err(Code::INVALID_VALUE.because(reason));
                }
                let texel = u64::from(format.bytes());
                let width = width.min(pitch / texel).min(rest / texel);
                let rows = match (rest.checked_sub(width * texel), pitch) {
                    (Some(behind), 1..) if width > 0 => (behind / pitch + 1).min(height),
                    _ => 0,
                };
                let extent = [width as u32, rows as u32];
                let resource = Resource::Pitch2D { address, extent, pitch, format };
                Ok((format, (rows > 0).then_some(resource)))
            }
        }
    }
}

/// How a texture is read, with a placeholder for the resource.
fn describe(format: TexelFormat, settings: &TextureSettings) -> Result<TextureDesc> {
    let mode = |mode: i32| match mode {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Clamp),
        2 => Ok(AddressMode::Mirror),
        3 => Ok(AddressMode::Border),
        _ => Err(Code::INVALID_VALUE.because(format!("there is no address mode {mode}"))),
    };
    let [x, y, z] = settings.address;
    let filter = match settings.filter {
        0 => Filter::Point,
        1 => Filter::Linear,
        other => {
            return Err(Code::INVALID_VALUE.because(format!("there is no filter mode {other}")));
        }
    };
    let read = if settings.read == 1 { ReadMode::NormalizedFloat } else { ReadMode::Element };
    let integer = format.kind != ChannelKind::Float;
    if read == ReadMode::NormalizedFloat && (!integer || format.bits == 32) {
        let reason = "cudaReadModeNormalizedFloat is for texels of 8-bit and 16-bit integers";
        return Err(Code::INVALID_NORM_SETTING.because(reason));
    }
    if filter == Filter::Linear && integer && read == ReadMode::Element {
        let reason = "cudaFilterModeLinear needs texels that are read as floating-point numbers";
        return Err(Code::INVALID_FILTER_SETTING.because(reason));
    }
    if settings.srgb != 0 || settings.rest[0] > 1 {
        return Err(Code::NOT_SUPPORTED);
    }
    let placeholder = Resource::Linear { address: 0, bytes: 0, format };
    Ok(TextureDesc {
        address: [mode(x)?, mode(y)?, mode(z)?],
        filter,
        read,
        normalized: settings.normalized != 0,
        border: settings.border,
        ..TextureDesc::new(placeholder)
    })
}
