//! The checks of the driver before it starts a kernel, with its errors (CUDA Driver API,
//! `cuLaunchKernel`, `cuLaunchCooperativeKernel`).

use super::Launch;
use crate::demangle::kernel_name;
use crate::module::Entry;
use crate::{CudaError, Error, Module, device};

/// Refuses launches that the device cannot run.
pub(super) fn check(module: &Module, entry: &Entry, launch: &Launch) -> Result<(), Error> {
    let threads = check_sizes(launch)?;
    check_bounds(entry, launch, threads)?;
    check_shared(entry, launch)?;
    check_local(module, entry)?;
    check_cooperative(entry, launch, threads)
}

fn refuse(error: CudaError, text: String) -> Result<(), Error> {
    Err(Error::launch(error, text))
}

fn product(dims: [u32; 3]) -> u64 {
    dims.iter().fold(1, |p: u64, n| p.saturating_mul(u64::from(*n)))
}

/// Sizes of grid and block; returns the threads of a block.
fn check_sizes(launch: &Launch) -> Result<u64, Error> {
    let bad = |text: String| Err(Error::launch(CudaError::InvalidValue, text));
    if launch.grid.contains(&0) || launch.block.contains(&0) {
        return bad(format!(
            "grid {:?} and block {:?} must be at least 1 in every dimension",
            launch.grid, launch.block
        ));
    }
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        let (asked, most) = (launch.block[axis], device::MAX_BLOCK[axis]);
        if asked > most {
            return bad(format!("blockDim.{name} is {asked}; at most {most} is possible"));
        }
        let (asked, most) = (launch.grid[axis], device::MAX_GRID[axis]);
        if asked > most {
            return bad(format!("gridDim.{name} is {asked}; at most {most} is possible"));
        }
    }
    let threads = product(launch.block);
    if threads > device::MAX_THREADS {
        return bad(format!(
            "a block of {threads} threads; at most {} are possible",
            device::MAX_THREADS
        ));
    }
    let blocks = product(launch.grid);
    if blocks > u64::from(u32::MAX) {
        return bad(format!("{blocks} blocks are more than the simulator runs"));
    }
    Ok(threads)
}

/// Checks `__launch_bounds__` and `.reqntid`. An H200 (driver 580) returns error 1 for both.
fn check_bounds(entry: &Entry, launch: &Launch, threads: u64) -> Result<(), Error> {
    if let Some(required) = entry.bounds.required
        && required != launch.block
    {
        return refuse(
            CudaError::InvalidValue,
            format!(
                "`{}` is compiled for blocks of exactly {required:?} threads, and is launched with {:?}",
                entry.name, launch.block
            ),
        );
    }
    match entry.bounds.threads {
        Some(most) if threads > u64::from(most) => refuse(
            CudaError::InvalidValue,
            format!(
                "`{}` is compiled for at most {most} threads per block (`__launch_bounds__`), and is launched with \
                 {threads}: it may use so many registers that more do not fit",
                entry.name
            ),
        ),
        _ => Ok(()),
    }
}

fn check_shared(entry: &Entry, launch: &Launch) -> Result<(), Error> {
    if entry.shared_bytes > device::STATIC_SHARED {
        return refuse(
            CudaError::InvalidPtx,
            format!(
                "kernel `{}` uses too much shared data: {} bytes, and at most {} are possible",
                kernel_name(&entry.name),
                entry.shared_bytes,
                device::STATIC_SHARED
            ),
        );
    }
    let shared = u64::from(entry.shared_bytes) + u64::from(launch.shared);
    if shared > device::BLOCK_SHARED {
        return refuse(
            CudaError::InvalidValue,
            format!(
                "{shared} bytes of shared memory; a block has at most {}",
                device::BLOCK_SHARED
            ),
        );
    }
    let (asked, default) = (launch.shared, device::STATIC_SHARED - entry.shared_bytes);
    let allowed = launch.shared_allowed.unwrap_or(default);
    if asked <= allowed {
        return Ok(());
    }
    let text = match launch.shared_allowed {
        Some(_) => format!(
            "{asked} bytes of dynamic shared memory; cudaFuncSetAttribute has set at most {allowed} for this kernel"
        ),
        None => format!(
            "{asked} bytes of dynamic shared memory; a kernel gets more than {allowed} only when the program asks for \
             it: cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)"
        ),
    };
    refuse(CudaError::InvalidValue, text)
}

/// Checks local memory, which the driver reserves for every thread that can be resident, whatever
/// the grid's size.
fn check_local(module: &Module, entry: &Entry) -> Result<(), Error> {
    let bytes = module.program.local_bytes(entry.function);
    if bytes <= device::local_for_all() {
        return Ok(());
    }
    refuse(
        CudaError::OutOfMemory,
        format!(
            "a thread of `{}` needs {bytes} bytes of local memory, and the driver sets as much aside for every thread \
             that the device holds at once: at most {} bytes fit its memory",
            entry.name,
            device::local_for_all()
        ),
    )
}

fn check_cooperative(entry: &Entry, launch: &Launch, threads: u64) -> Result<(), Error> {
    let resident =
        device::resident(threads, u64::from(entry.shared_bytes) + u64::from(launch.shared));
    let blocks = product(launch.grid);
    if !launch.cooperative || blocks <= resident {
        return Ok(());
    }
    refuse(
        CudaError::CooperativeLaunchTooLarge,
        format!(
            "a cooperative launch of {blocks} blocks: all of them must be on the device at once, and {resident} blocks \
             of {threads} threads fit its {} multiprocessors",
            device::MULTIPROCESSORS
        ),
    )
}

/// Lays the arguments out as the kernel reads them.
pub(super) fn pack_arguments(entry: &Entry, args: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let bad = |text: String| Err(Error::launch(CudaError::InvalidValue, text));
    if args.len() != entry.params.len() {
        return bad(format!(
            "`{}` has {} parameters, {} arguments given",
            entry.name,
            entry.params.len(),
            args.len()
        ));
    }
    let mut packed = vec![];
    for (i, (param, arg)) in entry.params.iter().zip(args).enumerate() {
        if arg.len() != param.bytes as usize {
            return bad(format!(
                "argument {i} of `{}` has {} bytes, its parameter {}",
                entry.name,
                arg.len(),
                param.bytes
            ));
        }
        packed.resize(packed.len().next_multiple_of(param.align.max(1) as usize), 0);
        packed.extend_from_slice(arg);
    }
    Ok(packed)
}
