//! Allocating, copying, setting.

use std::ffi::{c_int, c_uint, c_void};

use super::stream::{Handle, stream_of};
use super::{call, give};
use crate::error::{Code, Result};
use crate::runtime::{Direction, Runtime, Transfer};

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc(address: *mut u64, bytes: usize) -> Code {
    call(|r| {
        let new = r.malloc(bytes as u64)?;
        give(address, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFree(address: u64) -> Code {
    call(|r| r.free(address))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocHost(address: *mut *mut u8, bytes: usize) -> Code {
    call(|r| pinned(r, address, bytes))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostAlloc(address: *mut *mut u8, bytes: usize, _flags: c_uint) -> Code {
    call(|r| pinned(r, address, bytes))
}

fn pinned(r: &mut Runtime, address: *mut *mut u8, bytes: usize) -> Result {
    r.alive()?;
    if bytes == 0 {
        return give(address, std::ptr::null_mut());
    }
    let new = r.malloc_host(bytes as u64)?;
    give(address, new as *mut u8)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeHost(address: *mut u8) -> Code {
    call(|r| {
        if address.is_null() {
            return Ok(());
        }
        r.free_host(address as u64)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy(to: u64, from: u64, bytes: usize, kind: c_int) -> Code {
    call(|r| {
        let direction = Direction::try_from(kind)?;
        r.copy(Transfer { to, from, bytes: bytes as u64, direction })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyAsync(
    to: u64,
    from: u64,
    bytes: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    call(|r| {
        let direction = Direction::try_from(kind)?;
        let transfer = Transfer { to, from, bytes: bytes as u64, direction };
        r.copy_async(transfer, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset(to: u64, value: c_int, bytes: usize) -> Code {
    call(|r| r.set_async(to, value as u8, bytes as u64, crate::graph::LEGACY))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemsetAsync(to: u64, value: c_int, bytes: usize, stream: Handle) -> Code {
    call(|r| r.set_async(to, value as u8, bytes as u64, stream_of(stream)))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToSymbol(
    symbol: u64,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Code {
    call(|r| {
        let direction = Direction::try_from(kind)?;
        let to = r.symbol(symbol, offset as u64, bytes as u64)?;
        r.copy(Transfer { to, from, bytes: bytes as u64, direction })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromSymbol(
    to: u64,
    symbol: u64,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Code {
    call(|r| {
        let direction = Direction::try_from(kind)?;
        let from = r.symbol(symbol, offset as u64, bytes as u64)?;
        r.copy(Transfer { to, from, bytes: bytes as u64, direction })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSymbolAddress(address: *mut *mut c_void, symbol: u64) -> Code {
    call(|r| {
        let at = r.symbol(symbol, 0, 0)?;
        give(address, at as *mut c_void)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSymbolSize(bytes: *mut usize, symbol: u64) -> Code {
    call(|r| {
        let all = r.symbol_bytes(symbol)?;
        give(bytes, all as usize)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocManaged(address: *mut u64, bytes: usize, flags: c_uint) -> Code {
    call(|r| {
        // cudaMemAttachGlobal, cudaMemAttachHost
        if !(1..=2).contains(&flags) || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let new = r.malloc_managed(bytes as u64)?;
        give(address, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostGetDevicePointer(device: *mut u64, host: u64, _flags: c_uint) -> Code {
    call(|r| {
        let there = r.mapped(host)?;
        give(device, there)
    })
}
