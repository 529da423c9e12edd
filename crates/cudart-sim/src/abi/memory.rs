//! Functions that allocate, copy and set memory.

use std::ffi::{c_int, c_uint, c_void};

use super::stream::{DEFAULT, Handle, stream_of};
use super::{call, not_null, write_result};
use crate::error::{Code, Result};
use crate::runtime::{Extent, RowLayout, Runtime, SymbolPart, Transfer, valid_alloc_flags};

#[unsafe(no_mangle)]
pub extern "C" fn cudaMalloc(address: *mut u64, bytes: usize) -> Code {
    call("cudaMalloc", &[&bytes], |r| {
        not_null(address)?;
        let new = r.malloc(bytes as u64)?;
        write_result(address, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFree(address: u64) -> Code {
    call("cudaFree", &[&address], |r| r.free(address))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMallocHost(address: *mut *mut u8, bytes: usize) -> Code {
    call("cudaMallocHost", &[&bytes], |r| allocate_pinned(r, address, bytes, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaHostAlloc(address: *mut *mut u8, bytes: usize, flags: c_uint) -> Code {
    call("cudaHostAlloc", &[&bytes, &flags], |r| allocate_pinned(r, address, bytes, flags))
}

fn allocate_pinned(r: &mut Runtime, address: *mut *mut u8, bytes: usize, flags: c_uint) -> Result {
    not_null(address)?;
    if !valid_alloc_flags(flags) {
        return Err(Code::INVALID_VALUE);
    }
    if bytes == 0 {
        return write_result(address, std::ptr::null_mut());
    }
    let new = r.malloc_host(bytes as u64, flags)?;
    write_result(address, new as *mut u8)
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaFreeHost(address: *mut u8) -> Code {
    call("cudaFreeHost", &[], |r| {
        r.alive()?;
        if address.is_null() {
            return Ok(());
        }
        r.free_host(address as u64)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpy(to: u64, from: u64, bytes: usize, kind: c_int) -> Code {
    call("cudaMemcpy", &[&to, &from, &bytes, &kind], |r| {
        r.copy(Transfer::linear(to, from, bytes as u64, kind), stream_of(DEFAULT))
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
    call("cudaMemcpyAsync", &[&to, &from, &bytes, &kind, &stream], |r| {
        r.copy_async(Transfer::linear(to, from, bytes as u64, kind), stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemset(to: u64, value: c_int, bytes: usize) -> Code {
    let all = (RowLayout::linear(to), Extent::line(bytes as u64));
    call("cudaMemset", &[&to, &value, &bytes], |r| {
        r.set(all.0, all.1, (value as u8).into(), stream_of(DEFAULT))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemsetAsync(to: u64, value: c_int, bytes: usize, stream: Handle) -> Code {
    let all = (RowLayout::linear(to), Extent::line(bytes as u64));
    call("cudaMemsetAsync", &[&to, &value, &bytes, &stream], |r| {
        r.set_async(all.0, all.1, (value as u8).into(), stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToSymbol(
    symbol: u64,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Code {
    call("cudaMemcpyToSymbol", &[&symbol, &from, &bytes, &offset, &kind], |r| {
        let part = SymbolPart { symbol, offset: offset as u64, bytes: bytes as u64 };
        if bytes == 0 {
            return Ok(());
        }
        let transfer = r.transfer_to_symbol(part, from, kind)?;
        r.copy(transfer, stream_of(DEFAULT))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyToSymbolAsync(
    symbol: u64,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    call("cudaMemcpyToSymbolAsync", &[&symbol, &from, &bytes, &offset, &kind, &stream], |r| {
        let part = SymbolPart { symbol, offset: offset as u64, bytes: bytes as u64 };
        r.copy_to_symbol(part, from, kind, stream_of(stream))
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
    call("cudaMemcpyFromSymbol", &[&to, &symbol, &bytes, &offset, &kind], |r| {
        let part = SymbolPart { symbol, offset: offset as u64, bytes: bytes as u64 };
        if bytes == 0 {
            return Ok(());
        }
        let transfer = r.transfer_from_symbol(to, part, kind)?;
        r.copy(transfer, stream_of(DEFAULT))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaMemcpyFromSymbolAsync(
    to: u64,
    symbol: u64,
    bytes: usize,
    offset: usize,
    kind: c_int,
    stream: Handle,
) -> Code {
    call("cudaMemcpyFromSymbolAsync", &[&to, &symbol, &bytes, &offset, &kind, &stream], |r| {
        let part = SymbolPart { symbol, offset: offset as u64, bytes: bytes as u64 };
        r.copy_from_symbol(to, part, kind, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSymbolAddress(address: *mut *mut c_void, symbol: u64) -> Code {
    call("cudaGetSymbolAddress", &[&symbol], |r| {
        let at = r.symbol(symbol)?;
        write_result(address, at as *mut c_void)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGetSymbolSize(bytes: *mut usize, symbol: u64) -> Code {
    call("cudaGetSymbolSize", &[&symbol], |r| {
        r.alive()?;
        let all = r.objects.variable_bytes(symbol)?;
        write_result(bytes, all as usize)
    })
}
