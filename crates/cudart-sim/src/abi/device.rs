//! Functions about the device and about errors.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::{call, with, write_result};
use crate::error::{Code, Result};
use crate::runtime::properties::{self, PROPERTIES_BYTES};

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSynchronize() -> Code {
    call("cudaDeviceSynchronize", &[], |r| r.synchronize_device())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> Code {
    with(|r| r.last_error(true))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> Code {
    with(|r| r.last_error(false))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(code: Code) -> *const c_char {
    code.name().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(code: Code) -> *const c_char {
    code.text().as_ptr()
}

/// Fails unless this is device 0, the only one.
pub(super) fn check_device(device: c_int) -> Result {
    match device {
        0 => Ok(()),
        n => Err(Code::INVALID_DEVICE.because(format!("there is no device {n}, only device 0"))),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDevice(device: *mut c_int) -> Code {
    call("cudaGetDevice", &[], |_| write_result(device, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceCount(count: *mut c_int) -> Code {
    call("cudaGetDeviceCount", &[], |_| write_result(count, 1))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDevice(device: c_int) -> Code {
    call("cudaSetDevice", &[&device], |_| check_device(device))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetValidDevices(devices: *const c_int, count: c_int) -> Code {
    call("cudaSetValidDevices", &[&count], |_| {
        let count = usize::try_from(count).map_err(|_| Code::INVALID_VALUE)?;
        if devices.is_null() && count > 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes an array of this length, as CUDA demands.
        (0..count).try_for_each(|i| check_device(unsafe { devices.add(i).read() }))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceProperties(to: *mut [u8; PROPERTIES_BYTES], device: c_int) -> Code {
    call("cudaGetDeviceProperties", &[&device], |r| {
        if to.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        check_device(device)?;
        let bytes = properties::properties(r.memory.info().1, r.max_shared_bytes());
        write_result(to, bytes.try_into().map_err(|_| Code::INVALID_VALUE)?)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
) -> Code {
    call("cudaDeviceGetAttribute", &[&attribute, &device], |r| {
        if value.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        check_device(device)?;
        write_result(value, r.device_attribute(attribute)?)
    })
}

/// Every request gets the only device.
#[unsafe(no_mangle)]
pub extern "C" fn cudaChooseDevice(device: *mut c_int, wanted: *const c_void) -> Code {
    call("cudaChooseDevice", &[], |_| {
        if wanted.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        write_result(device, 0)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> Code {
    call("cudaMemGetInfo", &[], |r| {
        r.alive()?;
        let (unused, all) = r.memory.info();
        for (to, value) in [(free, unused), (total, all)] {
            if !to.is_null() {
                write_result(to, value as usize)?;
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDriverGetVersion(version: *mut c_int) -> Code {
    call("cudaDriverGetVersion", &[], |_| write_result(version, properties::VERSION))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaRuntimeGetVersion(version: *mut c_int) -> Code {
    call("cudaRuntimeGetVersion", &[], |_| write_result(version, properties::VERSION))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetLimit(value: *mut usize, limit: c_int) -> Code {
    call("cudaDeviceGetLimit", &[&limit], |r| {
        r.alive()?;
        let bytes = r.device.limit(limit)?;
        write_result(value, bytes as usize)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetLimit(limit: c_int, value: usize) -> Code {
    call("cudaDeviceSetLimit", &[&limit, &value], |r| r.set_limit(limit, value as u64))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceReset() -> Code {
    call("cudaDeviceReset", &[], |r| r.reset())
}

/// A device is not its own peer.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> Code {
    call("cudaDeviceCanAccessPeer", &[&device, &peer], |_| {
        check_device(device)?;
        check_device(peer)?;
        write_result(can, 0)
    })
}

/// There are no two devices, which this call needs.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetP2PAttribute(
    value: *mut c_int,
    attribute: c_int,
    _source: c_int,
    _destination: c_int,
) -> Code {
    call("cudaDeviceGetP2PAttribute", &[&attribute], |_| {
        let known = (1..=5).contains(&attribute) && !value.is_null();
        Err(if known { Code::INVALID_DEVICE } else { Code::INVALID_VALUE })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceEnablePeerAccess(peer: c_int, _flags: c_uint) -> Code {
    call("cudaDeviceEnablePeerAccess", &[&peer], |_| {
        check_device(peer)?;
        Err(Code::PEER_ACCESS_UNSUPPORTED)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceDisablePeerAccess(peer: c_int) -> Code {
    call("cudaDeviceDisablePeerAccess", &[&peer], |_| {
        check_device(peer)?;
        Err(Code::PEER_ACCESS_NOT_ENABLED)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetCacheConfig(configuration: c_int) -> Code {
    call("cudaDeviceSetCacheConfig", &[&configuration], |r| {
        r.alive()?;
        r.device.set_cache(configuration)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetCacheConfig(configuration: *mut c_int) -> Code {
    call("cudaDeviceGetCacheConfig", &[], |r| {
        r.alive()?;
        write_result(configuration, r.device.cache())
    })
}

/// Since compute capability 5.0, banks are four bytes wide whatever the program sets.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceSetSharedMemConfig(configuration: c_int) -> Code {
    call("cudaDeviceSetSharedMemConfig", &[&configuration], |r| {
        r.alive()?;
        if (0..=2).contains(&configuration) { Ok(()) } else { Err(Code::INVALID_VALUE) }
    })
}

/// `cudaSharedMemBankSizeFourByte`.
const FOUR_BYTES: c_int = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetSharedMemConfig(configuration: *mut c_int) -> Code {
    call("cudaDeviceGetSharedMemConfig", &[], |r| {
        r.alive()?;
        write_result(configuration, FOUR_BYTES)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaSetDeviceFlags(flags: c_uint) -> Code {
    call("cudaSetDeviceFlags", &[&flags], |r| r.device.set_flags(flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetDeviceFlags(flags: *mut c_uint) -> Code {
    call("cudaGetDeviceFlags", &[], |r| write_result(flags, r.device.flags()))
}

/// `cudaInitDeviceFlagsAreValid`.
const FLAGS_ARE_VALID: c_uint = 1;

#[unsafe(no_mangle)]
pub extern "C" fn cudaInitDevice(device: c_int, device_flags: c_uint, flags: c_uint) -> Code {
    call("cudaInitDevice", &[&device, &device_flags, &flags], |r| {
        check_device(device)?;
        if flags & FLAGS_ARE_VALID != 0 { r.device.set_flags(device_flags) } else { Ok(()) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetPCIBusId(text: *mut c_char, room: c_int, device: c_int) -> Code {
    call("cudaDeviceGetPCIBusId", &[&room, &device], |_| {
        let room = usize::try_from(room).map_err(|_| Code::INVALID_VALUE)?;
        if text.is_null() || room <= properties::BUS.len() {
            return Err(Code::INVALID_VALUE);
        }
        check_device(device)?;
        let bytes = properties::BUS.as_bytes();
        // SAFETY: the program passes a buffer with this room, which the check above found large
        // enough.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), text.cast(), bytes.len());
            text.add(bytes.len()).write(0);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaDeviceGetByPCIBusId(device: *mut c_int, text: *const c_char) -> Code {
    call("cudaDeviceGetByPCIBusId", &[], |_| {
        if text.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program passes a string that ends with a zero byte, as CUDA demands.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        let bus = properties::bus(&text).ok_or(Code::INVALID_VALUE)?;
        if Some(bus) != properties::bus(properties::BUS) {
            return Err(Code::INVALID_DEVICE);
        }
        write_result(device, 0)
    })
}

/// There is no profiler to start or stop.
#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStart() -> Code {
    call("cudaProfilerStart", &[], |r| r.alive())
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaProfilerStop() -> Code {
    call("cudaProfilerStop", &[], |r| r.alive())
}

/// There is no L2 cache to reset.
#[unsafe(no_mangle)]
pub extern "C" fn cudaCtxResetPersistingL2Cache() -> Code {
    call("cudaCtxResetPersistingL2Cache", &[], |r| r.alive())
}
