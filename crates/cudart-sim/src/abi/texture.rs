//! Functions for texture and surface objects.

use std::ffi::{c_int, c_uint, c_void};

use super::{call, write_result};
use crate::error::{Code, Result};
use crate::runtime::{ChannelFormat, Runtime, TexelSource, TextureSettings};

/// `cudaResourceDesc`. The kind decides which fields the union has.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct ResourceDesc {
    kind: c_int,
    /// The union, as 64-bit words.
    fields: [u64; 16],
    flags: c_uint,
}

const ARRAY: c_int = 0;
const LINEAR: c_int = 2;
const PITCH_2D: c_int = 3;

impl ResourceDesc {
    fn read(this: *const Self) -> Result<TexelSource> {
        if this.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
        let Self { kind, fields, .. } = unsafe { this.read() };
        let [address, a, b, c, d, e, f, ..] = fields;
        // the two and a half words after the address are five 32-bit numbers
        let half = |word: u64| [word as i32, (word >> 32) as i32];
        let ([x, y], [z, w], [channel_kind, _]) = (half(a), half(b), half(c));
        let channels = ChannelFormat { bits: [x, y, z, w], kind: channel_kind };
        match kind {
            ARRAY => Ok(TexelSource::Array(address)),
            LINEAR => Ok(TexelSource::Linear { address, channels, bytes: d }),
            PITCH_2D => Ok(TexelSource::Pitched { address, channels, extent: [d, e], pitch: f }),
            other => Err(Code::INVALID_VALUE.because(format!("there is no resource type {other}"))),
        }
    }

    fn of(source: TexelSource) -> Self {
        let mut fields = [0; 16];
        let word = |a: i32, b: i32| u64::from(a as u32) | u64::from(b as u32) << 32;
        let mut put = |address: u64, channels: ChannelFormat, rest: &[u64]| {
            let [x, y, z, w] = channels.bits;
            fields[..4].copy_from_slice(&[address, word(x, y), word(z, w), word(channels.kind, 0)]);
            fields[4..4 + rest.len()].copy_from_slice(rest);
        };
        let kind = match source {
            TexelSource::Array(handle) => {
                fields[0] = handle;
                ARRAY
            }
            TexelSource::Linear { address, channels, bytes } => {
                put(address, channels, &[bytes]);
                LINEAR
            }
            TexelSource::Pitched { address, channels, extent: [width, height], pitch } => {
                put(address, channels, &[width, height, pitch]);
                PITCH_2D
            }
        };
        Self { kind, fields, flags: 0 }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateTextureObject(
    object: *mut u64,
    resource: *const ResourceDesc,
    settings: *const TextureSettings,
    _view: *const c_void,
) -> Code {
    call("cudaCreateTextureObject", &[], |r| {
        if object.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let source = ResourceDesc::read(resource)?;
        if settings.is_null() {
            let reason = "the texture description is a null pointer";
            return Err(Code::INVALID_RESOURCE_HANDLE.because(reason));
        }
        // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
        let settings = unsafe { settings.read() };
        r.alive()?;
        let site = r.findings.site();
        let new = r.objects.create_texture(source, &settings, &mut r.memory, site)?;
        r.record_object(source, Some(&settings), site);
        write_result(object, new)
    })
}

fn destroy(r: &mut Runtime, object: u64) -> Result {
    r.alive()?;
    r.destroy_object(object);
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroyTextureObject(object: u64) -> Code {
    call("cudaDestroyTextureObject", &[&object], |r| destroy(r, object))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetTextureObjectResourceDesc(
    resource: *mut ResourceDesc,
    object: u64,
) -> Code {
    call("cudaGetTextureObjectResourceDesc", &[&object], |r| {
        r.alive()?;
        let source = r.objects.texture_source(object)?;
        write_result(resource, ResourceDesc::of(source))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetTextureObjectTextureDesc(
    settings: *mut TextureSettings,
    object: u64,
) -> Code {
    call("cudaGetTextureObjectTextureDesc", &[&object], |r| {
        r.alive()?;
        let known = r.objects.texture_settings(object)?;
        write_result(settings, known)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateSurfaceObject(object: *mut u64, resource: *const ResourceDesc) -> Code {
    call("cudaCreateSurfaceObject", &[], |r| {
        if object.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let TexelSource::Array(handle) = ResourceDesc::read(resource)? else {
            return Err(Code::INVALID_VALUE);
        };
        r.alive()?;
        let site = r.findings.site();
        let new = r.objects.create_surface(handle, &mut r.memory, site)?;
        r.record_object(TexelSource::Array(handle), None, site);
        write_result(object, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDestroySurfaceObject(object: u64) -> Code {
    call("cudaDestroySurfaceObject", &[&object], |r| destroy(r, object))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSurfaceObjectResourceDesc(
    resource: *mut ResourceDesc,
    object: u64,
) -> Code {
    call("cudaGetSurfaceObjectResourceDesc", &[&object], |r| {
        r.alive()?;
        let source = r.objects.surface_source(object)?;
        write_result(resource, ResourceDesc::of(source))
    })
}
