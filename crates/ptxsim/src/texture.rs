//! Texture and surface objects: arrays of texels, descriptions of textures, and handles.
//!
//! CUDA C++ Programming Guide, "Texture and Surface Memory", "Texture Fetching"; CUDA Runtime API,
//! `cudaCreateTextureObject`, `cudaCreateSurfaceObject`, `cudaMalloc3DArray`.

pub(crate) mod sample;

use crate::address::{HANDLE_SLOT, base, split};
use crate::{CudaError, Error, Memory};

/// What a channel of a texel holds (`cudaChannelFormatKind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Two's complement.
    Signed,
    /// Natural numbers.
    Unsigned,
    /// IEEE 754: 16 or 32 bits.
    Float,
}

/// A texel: 1, 2 or 4 channels of 8, 16 or 32 bits (`cudaChannelFormatDesc`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TexelFormat {
    /// What each channel holds.
    pub kind: ChannelKind,
    /// Bits of a channel.
    pub bits: u32,
    /// Channels of a texel.
    pub channels: u32,
}

impl TexelFormat {
    /// Bytes of a texel.
    pub const fn bytes(self) -> u32 {
        self.bits / 8 * self.channels
    }

    fn check(self) -> Result<(), Error> {
        let bits = matches!(
            (self.kind, self.bits),
            (ChannelKind::Float, 16 | 32)
                | (ChannelKind::Signed | ChannelKind::Unsigned, 8 | 16 | 32)
        );
        if bits && matches!(self.channels, 1 | 2 | 4) {
            return Ok(());
        }
        invalid(format!(
            "no texel has {} channels of {} bits {:?}",
            self.channels, self.bits, self.kind
        ))
    }
}

/// A CUDA array, whose texels only textures, surfaces and copies can access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayDesc {
    /// Its name in messages.
    pub name: String,
    /// Its texels.
    pub format: TexelFormat,
    /// Width, height and depth in texels; 0 for a dimension that it does not have.
    pub extent: [u32; 3],
    /// How many such arrays lie in layers; `None` for one that is not layered.
    pub layers: Option<u32>,
}

/// An array of a [`Memory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArrayId(usize);

/// Where a texture's texels are (`cudaResourceDesc`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// An array.
    Array(ArrayId),
    /// Texels one after the other in device memory; only for `tex1Dfetch`.
    Linear {
        /// Its first byte.
        address: u64,
        /// Its size.
        bytes: u64,
        /// Its texels.
        format: TexelFormat,
    },
    /// Device memory in rows.
    Pitch2D {
        /// Its first byte.
        address: u64,
        /// Texels in a row, and rows.
        extent: [u32; 2],
        /// Bytes from one row to the next.
        pitch: u64,
        /// Its texels.
        format: TexelFormat,
    },
}

/// What a coordinate outside means (`cudaTextureAddressMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AddressMode {
    /// The image repeats. Only with normalised coordinates; else it clamps.
    Wrap,
    /// The nearest texel.
    #[default]
    Clamp,
    /// The image repeats, each time mirrored. Only with normalised coordinates; else it clamps.
    Mirror,
    /// The border's colour.
    Border,
}

/// How coordinates between texels are read (`cudaTextureFilterMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The nearest texel.
    #[default]
    Point,
    /// A weighted mean of the nearest two, four or eight.
    Linear,
}

/// What a fetch returns (`cudaTextureReadMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReadMode {
    /// The texel as it is.
    #[default]
    Element,
    /// 8- and 16-bit integers as fractions of the greatest value: 0 to 1, or -1 to 1.
    NormalizedFloat,
}

/// The description of a texture object (`cudaTextureDesc`, `cudaResourceDesc`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureDesc {
    /// Its texels.
    pub resource: Resource,
    /// How each dimension treats coordinates outside.
    pub address: [AddressMode; 3],
    /// How coordinates between texels are read.
    pub filter: Filter,
    /// What a fetch returns.
    pub read: ReadMode,
    /// Coordinates are normalised: 1 is the width, height or depth.
    pub normalized: bool,
    /// The border's colour, for [`AddressMode::Border`].
    pub border: [f32; 4],
}

impl TextureDesc {
    /// A texture that reads the nearest texel of `resource`, clamped and not converted.
    pub const fn new(resource: Resource) -> Self {
        Self {
            resource,
            address: [AddressMode::Clamp; 3],
            filter: Filter::Point,
            read: ReadMode::Element,
            normalized: false,
            border: [0.0; 4],
        }
    }
}

/// Texels in an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Image {
    /// Slot of the allocation, and the first texel's byte in it.
    pub slot: usize,
    pub offset: u64,
    /// Bytes from row to row, and from plane to plane or layer to layer.
    pub pitch: u64,
    pub plane: u64,
    /// Texels; 1 for a dimension that it does not have.
    pub extent: [u32; 3],
    pub dimensions: u32,
    pub layers: Option<u32>,
    pub format: TexelFormat,
}

impl Image {
    /// Byte of a texel in its allocation. All indices are inside.
    pub fn byte(&self, at: [u32; 3], layer: u32) -> u64 {
        let plane = u64::from(if self.layers.is_some() { layer } else { at[2] });
        self.offset
            + plane * self.plane
            + u64::from(at[1]) * self.pitch
            + u64::from(at[0]) * u64::from(self.format.bytes())
    }
}

/// A texture object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Texture {
    pub image: Image,
    pub desc: TextureDesc,
}

/// The objects of a [`Memory`].
#[derive(Debug, Default)]
pub(crate) struct Objects {
    arrays: Vec<Image>,
    /// By number; `None` after an object was destroyed.
    textures: Vec<Option<Texture>>,
    surfaces: Vec<Option<usize>>,
    /// How often an object was created or destroyed.
    pub changes: u64,
}

/// Distance of two handles. Those of textures and of surfaces are each in an address slot that no
/// array has.
const HANDLE_STEP: u64 = 16;

impl Objects {
    /// The slots that textures and surfaces have their texels in.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        let textures = self.textures.iter().flatten().map(|texture| texture.image.slot);
        textures.chain(self.arrays.iter().map(|array| array.slot))
    }

    pub fn texture(&self, handle: u64) -> Option<&Texture> {
        self.textures.get(index(handle, HANDLE_SLOT)?)?.as_ref()
    }

    pub fn surface(&self, handle: u64) -> Option<&Image> {
        self.arrays.get((*self.surfaces.get(index(handle, HANDLE_SLOT + 1)?)?)?)
    }
}

fn index(handle: u64, slot: u64) -> Option<usize> {
    let (s, offset) = split(handle);
    let n = u64::try_from(offset).ok().filter(|o| s == slot && o.is_multiple_of(HANDLE_STEP))?
        / HANDLE_STEP;
    usize::try_from(n).ok()
}

fn invalid<T>(text: String) -> Result<T, Error> {
    Err(Error::launch(CudaError::InvalidValue, text))
}

impl Memory {
    /// Creates an array (`cudaMalloc3DArray`). `contents` are its texels, row by row, plane by
    /// plane, layer by layer, without padding. Without contents it is uninitialised.
    ///
    /// # Errors
    /// [`Error::BadLaunch`] for an impossible format or extent, [`Error::Memory`] when it does not
    /// fit.
    pub fn create_array(
        &mut self,
        desc: &ArrayDesc,
        contents: Option<&[u8]>,
    ) -> Result<ArrayId, Error> {
        desc.format.check()?;
        let [w, h, d] = desc.extent;
        let dimensions = match (w, h, d) {
            (1.., 0, 0) => 1,
            (1.., 1.., 0) => 2,
            (1.., 1.., 1..) if desc.layers.is_none() => 3,
            _ => return invalid(format!("no array is {w} by {h} by {d}")),
        };
        let extent = [w, h.max(1), d.max(1)];
        let pitch = u64::from(w) * u64::from(desc.format.bytes());
        let plane = pitch.saturating_mul(u64::from(extent[1]));
        let planes = u64::from(desc.layers.unwrap_or(extent[2]));
        let bytes = plane.saturating_mul(planes);
        if contents.is_some_and(|c| c.len() as u64 != bytes) {
            return invalid(format!("`{}` has {bytes} bytes", desc.name));
        }
        let address = self.alloc(&desc.name, bytes, desc.format.bytes(), contents)?;
        let image = Image {
            slot: split(address).0 as usize - 1,
            offset: 0,
            pitch,
            plane,
            extent,
            dimensions,
            layers: desc.layers,
            format: desc.format,
        };
        self.objects.arrays.push(image);
        Ok(ArrayId(self.objects.arrays.len() - 1))
    }

    /// The texels of an array, in the order of [`Memory::create_array`].
    ///
    /// # Errors
    /// [`Error::Memory`] for an array of another memory.
    pub fn read_array(&self, array: ArrayId) -> Result<Vec<u8>, Error> {
        let Some(image) = self.objects.arrays.get(array.0) else {
            return Err(Error::Memory("no such array".to_owned()));
        };
        let planes = u64::from(image.layers.unwrap_or(image.extent[2]));
        self.read(base(image.slot as u64 + 1), image.plane * planes)
    }

    /// The location of an array's texels, for copies: the address of the first, and the bytes from
    /// row to row and from plane to plane or layer to layer. `None` for an array of another memory.
    pub fn array_rows(&self, array: ArrayId) -> Option<(u64, u64, u64)> {
        let image = self.objects.arrays.get(array.0)?;
        Some((base(image.slot as u64 + 1) + image.offset, image.pitch, image.plane))
    }

    /// Creates a texture object (`cudaCreateTextureObject`) and returns its handle, a kernel's
    /// argument.
    ///
    /// # Errors
    /// [`Error::BadLaunch`] for combinations that CUDA refuses, [`Error::Memory`] for texels
    /// outside their allocation.
    pub fn create_texture(&mut self, desc: &TextureDesc) -> Result<u64, Error> {
        let mut desc = *desc;
        let image = match desc.resource {
            Resource::Array(array) => match self.objects.arrays.get(array.0) {
                Some(image) => *image,
                None => return Err(Error::Memory("no such array".to_owned())),
            },
            Resource::Linear { address, bytes, format } => {
                format.check()?;
                let texels = u32::try_from(bytes / u64::from(format.bytes())).unwrap_or(u32::MAX);
                self.image(address, bytes, format, [texels, 1, 1], 1, bytes)?
            }
            Resource::Pitch2D { address, extent: [w, h], pitch, format } => {
                format.check()?;
                let row = u64::from(w) * u64::from(format.bytes());
                if pitch < row || !pitch.is_multiple_of(u64::from(format.bytes())) {
                    return invalid(format!("rows of {row} bytes do not fit a pitch of {pitch}"));
                }
                let bytes =
                    pitch.saturating_mul(u64::from(h.saturating_sub(1))).saturating_add(row);
                self.image(address, bytes, format, [w, h, 1], 2, pitch)?
            }
        };
        let integers = image.format.kind != ChannelKind::Float;
        if desc.read == ReadMode::NormalizedFloat && integers && image.format.bits == 32 {
            return invalid("32-bit integers cannot be read as normalised floats".to_owned());
        }
        if desc.filter == Filter::Linear && integers && desc.read == ReadMode::Element {
            return invalid(
                "linear filtering needs texels that are read as floats: cudaReadModeNormalizedFloat".to_owned(),
            );
        }
        if !desc.normalized {
            for mode in &mut desc.address {
                if matches!(mode, AddressMode::Wrap | AddressMode::Mirror) {
                    *mode = AddressMode::Clamp;
                }
            }
        }
        self.objects.changes += 1;
        self.objects.textures.push(Some(Texture { image, desc }));
        Ok(base(HANDLE_SLOT) + (self.objects.textures.len() as u64 - 1) * HANDLE_STEP)
    }

    /// Creates a surface object for an array (`cudaCreateSurfaceObject`) and returns its handle, a
    /// kernel's argument.
    ///
    /// # Errors
    /// [`Error::Memory`] for an array of another memory.
    pub fn create_surface(&mut self, array: ArrayId) -> Result<u64, Error> {
        if array.0 >= self.objects.arrays.len() {
            return Err(Error::Memory("no such array".to_owned()));
        }
        self.objects.changes += 1;
        self.objects.surfaces.push(Some(array.0));
        Ok(base(HANDLE_SLOT + 1) + (self.objects.surfaces.len() as u64 - 1) * HANDLE_STEP)
    }

    /// Destroys a texture or surface object (`cudaDestroyTextureObject`). Other handles are
    /// ignored.
    pub fn destroy_object(&mut self, handle: u64) {
        self.objects.changes += 1;
        let Objects { textures, surfaces, .. } = &mut self.objects;
        if let Some(texture) = index(handle, HANDLE_SLOT).and_then(|n| textures.get_mut(n)) {
            *texture = None;
        }
        if let Some(surface) = index(handle, HANDLE_SLOT + 1).and_then(|n| surfaces.get_mut(n)) {
            *surface = None;
        }
    }

    /// Texels in device memory.
    fn image(
        &self,
        address: u64,
        bytes: u64,
        format: TexelFormat,
        extent: [u32; 3],
        dimensions: u32,
        pitch: u64,
    ) -> Result<Image, Error> {
        let (_, offset) = self.range(address, bytes)?;
        if !(offset as u64).is_multiple_of(u64::from(format.bytes())) || extent.contains(&0) {
            return invalid(format!("no texture of {extent:?} texels can start at {address:#x}"));
        }
        let slot = split(address).0 as usize - 1;
        let offset = offset as u64;
        Ok(Image { slot, offset, pitch, plane: 0, extent, dimensions, layers: None, format })
    }
}
