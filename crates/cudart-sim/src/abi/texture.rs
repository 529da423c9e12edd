//! Texture and surface objects.

use std::ffi::{c_int, c_uint, c_void};

use super::{call, give};
use crate::error::{Code, Result};
use crate::runtime::{Channels, Look, Source};

/// `cudaResourceDesc`; what the union holds is told by the kind, in 64-bit words.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct ResourceDesc {
    kind: c_int,
    held: [u64; 16],
    flags: c_uint,
}

const ARRAY: c_int = 0;
const LINEAR: c_int = 2;
const PITCH_2D: c_int = 3;

impl ResourceDesc {
    fn read(this: *const Self) -> Result<Source> {
        if this.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program says that it is there.
        let Self { kind, held, .. } = unsafe { this.read() };
        let [address, a, b, c, d, e, f, ..] = held;
        // five 32-bit numbers in the two and a half words behind the address
        let half = |word: u64| [word as i32, (word >> 32) as i32];
        let ([x, y], [z, w], [kind_of, _]) = (half(a), half(b), half(c));
        let channels = Channels { bits: [x, y, z, w], kind: kind_of };
        match kind {
            ARRAY => Ok(Source::Array(address)),
            LINEAR => Ok(Source::Linear { address, channels, bytes: d }),
            PITCH_2D => Ok(Source::Pitched { address, channels, extent: [d, e], pitch: f }),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    fn of(source: Source) -> Self {
        let mut held = [0; 16];
        let word = |a: i32, b: i32| u64::from(a as u32) | u64::from(b as u32) << 32;
        let mut put = |address: u64, channels: Channels, rest: &[u64]| {
            let [x, y, z, w] = channels.bits;
            held[..4].copy_from_slice(&[address, word(x, y), word(z, w), word(channels.kind, 0)]);
            held[4..4 + rest.len()].copy_from_slice(rest);
        };
        let kind = match source {
            Source::Array(handle) => {
                held[0] = handle;
                ARRAY
            }
            Source::Linear { address, channels, bytes } => {
                put(address, channels, &[bytes]);
                LINEAR
            }
            Source::Pitched { address, channels, extent: [width, height], pitch } => {
                put(address, channels, &[width, height, pitch]);
                PITCH_2D
            }
        };
        Self { kind, held, flags: 0 }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateTextureObject(
    object: *mut u64,
    resource: *const ResourceDesc,
    look: *const Look,
    _view: *const c_void,
) -> Code {
    call("cudaCreateTextureObject", |r| {
        if object.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let source = ResourceDesc::read(resource)?;
        if look.is_null() {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        // SAFETY: the program says that it is there.
        let look = unsafe { look.read() };
        let new = r.create_texture(source, &look)?;
        give(object, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroyTextureObject(object: u64) -> Code {
    call("cudaDestroyTextureObject", |r| r.destroy_object(object))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetTextureObjectResourceDesc(
    resource: *mut ResourceDesc,
    object: u64,
) -> Code {
    call("cudaGetTextureObjectResourceDesc", |r| {
        let source = r.texture_source(object)?;
        give(resource, ResourceDesc::of(source))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetTextureObjectTextureDesc(look: *mut Look, object: u64) -> Code {
    call("cudaGetTextureObjectTextureDesc", |r| {
        let known = r.texture_look(object)?;
        give(look, known)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateSurfaceObject(object: *mut u64, resource: *const ResourceDesc) -> Code {
    call("cudaCreateSurfaceObject", |r| {
        if object.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let Source::Array(handle) = ResourceDesc::read(resource)? else {
            return Err(Code::INVALID_VALUE);
        };
        let new = r.create_surface(handle)?;
        give(object, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroySurfaceObject(object: u64) -> Code {
    call("cudaDestroySurfaceObject", |r| r.destroy_object(object))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSurfaceObjectResourceDesc(
    resource: *mut ResourceDesc,
    object: u64,
) -> Code {
    call("cudaGetSurfaceObjectResourceDesc", |r| {
        let source = r.surface_source(object)?;
        give(resource, ResourceDesc::of(source))
    })
}
