//! Texture and surface objects: what CUDA's descriptions mean, and what an H200's runtime says to impossible ones.

use ptxsim::{AddressMode, ChannelKind, Filter, ReadMode, Resource, TexelFormat, TextureDesc};

use super::arrays::{ArrayHandle, Channels};
use super::memory::Belongs;
use super::{Object, Runtime};
use crate::error::{Code, Result};

/// Where an object's texels are: `cudaResourceDesc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// An array's handle.
    Array(u64),
    /// Device memory, one texel behind the other.
    Linear {
        /// The first byte.
        address: u64,
        /// The texels.
        channels: Channels,
        /// The size.
        bytes: u64,
    },
    /// Device memory in rows.
    Pitched {
        /// The first byte.
        address: u64,
        /// The texels.
        channels: Channels,
        /// Texels of a row, and rows.
        extent: [u64; 2],
        /// Bytes from row to row.
        pitch: u64,
    },
}

/// How a texture is read: `cudaTextureDesc`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Look {
    /// `cudaTextureAddressMode` of each dimension.
    pub address: [i32; 3],
    /// `cudaTextureFilterMode`.
    pub filter: i32,
    /// `cudaTextureReadMode`.
    pub read: i32,
    /// Are bytes sRGB?
    pub srgb: i32,
    /// The border's colour.
    pub border: [f32; 4],
    /// Do coordinates go from 0 to 1?
    pub normalized: i32,
    /// Mipmaps, anisotropy and cubes: nothing here has them.
    pub rest: [i32; 7],
}

/// Texels of device memory begin at multiples of this (`textureAlignment`), rows at multiples of that
/// (`texturePitchAlignment`); no texture of rows has more rows (`maxTexture2DLinear`).
const ALIGNMENT: u64 = 512;
const PITCH: u64 = 32;
const ROWS: u64 = 65_000;

/// A handle that no kernel can use: of a texture without any texel.
const NOTHING: u64 = 0x00ca_b000_0000_0000;

impl Runtime {
    /// `cudaCreateTextureObject`: the handle.
    pub fn create_texture(&mut self, source: Source, look: &Look) -> Result<u64> {
        self.alive()?;
        let (format, resource) = self.resource(source)?;
        let desc = describe(format, look)?;
        let made = resource.map(|resource| TextureDesc { resource, ..desc });
        let handle = match made {
            Some(desc) => self.memory.create_texture(&desc).map_err(|_| Code::INVALID_VALUE)?,
            None => NOTHING + self.objects.len() as u64,
        };
        let site = self.site();
        self.objects.insert(handle, Object { source, look: Some(*look), site });
        Ok(handle)
    }

    /// `cudaCreateSurfaceObject`: the handle. An H200 does not ask for `cudaArraySurfaceLoadStore`.
    pub fn create_surface(&mut self, array: u64) -> Result<u64> {
        self.alive()?;
        let id = self.array(ArrayHandle(array))?.id;
        let handle = self.memory.create_surface(id).map_err(|_| Code::INVALID_VALUE)?;
        let site = self.site();
        self.objects.insert(handle, Object { source: Source::Array(array), look: None, site });
        Ok(handle)
    }

    /// `cudaDestroyTextureObject`, `cudaDestroySurfaceObject`: what is no object is no error. Kernels that use it and
    /// are not done yet still can.
    pub fn destroy_object(&mut self, handle: u64) -> Result {
        self.alive()?;
        if self.objects.remove(&handle).is_some() {
            self.dying.push(handle);
        }
        Ok(())
    }

    /// `cudaGetTextureObjectResourceDesc`.
    pub fn texture_source(&self, handle: u64) -> Result<Source> {
        self.alive()?;
        let object = self.objects.get(&handle).filter(|object| object.look.is_some());
        object.map(|object| object.source).ok_or(Code::INVALID_VALUE)
    }

    /// `cudaGetTextureObjectTextureDesc`.
    pub fn texture_look(&self, handle: u64) -> Result<Look> {
        self.alive()?;
        self.objects.get(&handle).and_then(|object| object.look).ok_or(Code::INVALID_VALUE)
    }

    /// `cudaGetSurfaceObjectResourceDesc`.
    pub fn surface_source(&self, handle: u64) -> Result<Source> {
        self.alive()?;
        let object = self.objects.get(&handle).filter(|object| object.look.is_none());
        object.map(|object| object.source).ok_or(Code::INVALID_VALUE)
    }

    /// The texels of a source, and what of it is in memory: a size beyond that is no error, and reads nothing.
    fn resource(&self, source: Source) -> Result<(TexelFormat, Option<Resource>)> {
        let at = |address: u64| {
            let rest = self.memory.rest(address);
            let device = self.belongs(address) == Belongs::Device;
            let there = device && address.is_multiple_of(ALIGNMENT);
            rest.filter(|_| there).ok_or(Code::INVALID_VALUE)
        };
        match source {
            Source::Array(handle) => {
                let array = self.array(ArrayHandle(handle))?;
                Ok((array.channels.texel()?, Some(Resource::Array(array.id))))
            }
            Source::Linear { address, channels, bytes } => {
                let format = channels.texel()?;
                let bytes = bytes.min(at(address)?);
                let some = bytes >= u64::from(format.bytes());
                let resource = Resource::Linear { address, bytes, format };
                Ok((format, some.then_some(resource)))
            }
            Source::Pitched { address, channels, extent: [width, height], pitch } => {
                let format = channels.texel()?;
                let rest = at(address)?;
                if !pitch.is_multiple_of(PITCH) || height > ROWS {
                    return Err(Code::INVALID_VALUE);
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

/// How a texture is read, with any resource: the caller's replaces it.
fn describe(format: TexelFormat, look: &Look) -> Result<TextureDesc> {
    let mode = |mode: i32| match mode {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::Clamp),
        2 => Ok(AddressMode::Mirror),
        3 => Ok(AddressMode::Border),
        _ => Err(Code::INVALID_VALUE),
    };
    let [x, y, z] = look.address;
    let filter = match look.filter {
        0 => Filter::Point,
        1 => Filter::Linear,
        _ => return Err(Code::INVALID_VALUE),
    };
    let read = if look.read == 1 { ReadMode::NormalizedFloat } else { ReadMode::Element };
    let integers = format.kind != ChannelKind::Float;
    if read == ReadMode::NormalizedFloat && (!integers || format.bits == 32) {
        return Err(Code::INVALID_NORM_SETTING);
    }
    if filter == Filter::Linear && integers && read == ReadMode::Element {
        return Err(Code::INVALID_FILTER_SETTING);
    }
    if look.srgb != 0 || look.rest[0] > 1 {
        return Err(Code::NOT_SUPPORTED);
    }
    let anything = Resource::Linear { address: 0, bytes: 0, format };
    Ok(TextureDesc {
        address: [mode(x)?, mode(y)?, mode(z)?],
        filter,
        read,
        normalized: look.normalized != 0,
        border: look.border,
        ..TextureDesc::new(anything)
    })
}
