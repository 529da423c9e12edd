//! Problems of the machine that keep the GPU from being used, each with advice.

use cudarc::driver::sys::CUresult;

use super::driver::Failure;
use crate::backend::{GpuInfo, NoGpu};

/// The oldest driver whose interface is used here: CUDA 12.4 (R550).
const OLDEST_DRIVER: (u32, u32) = (12, 4);
/// The oldest GPU for which the workbook compiles: Pascal, with CUDA 12.
const OLDEST_CAPABILITY: (u32, u32) = (6, 0);

#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";

/// The error when there is no driver.
pub(super) fn no_driver() -> NoGpu {
    let why = format!(
        "{LIBRARY} is not installed: install NVIDIA's driver 550 or newer, or use --backend sim"
    );
    NoGpu { why }
}

/// Fails for a driver or GPU that is too old for this program or its PTX.
pub(super) fn check_versions(info: &GpuInfo) -> Result<(), NoGpu> {
    let why = if info.driver < OLDEST_DRIVER {
        format!(
            "the driver supports CUDA {}.{}, the workbook needs {}.{} or newer: update NVIDIA's driver (550 or newer), \
             or use --backend sim",
            info.driver.0, info.driver.1, OLDEST_DRIVER.0, OLDEST_DRIVER.1
        )
    } else if info.capability < OLDEST_CAPABILITY {
        format!(
            "{} has compute capability {}.{}, the workbook needs {}.{} or newer: use --backend sim",
            info.name,
            info.capability.0,
            info.capability.1,
            OLDEST_CAPABILITY.0,
            OLDEST_CAPABILITY.1
        )
    } else {
        return Ok(());
    };
    Err(NoGpu { why })
}

/// The message when the case needs more memory than is free; in bytes, `free` when known.
pub(super) fn memory_taken(asked: u64, free: Option<u64>) -> String {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let free = free.map(|f| format!(", {} MiB are free", mib(f))).unwrap_or_default();
    format!(
        "the GPU's memory is taken (a buffer needs {} MiB{free}): close what else uses it (nvidia-smi lists it), or \
         use --backend sim",
        mib(asked)
    )
}

/// The error of a launch that needs more than the GPU has.
pub(super) fn out_of_resources(text: String) -> Failure {
    let code = CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    Failure { code, name: format!("{code:?}"), text }
}

/// True for errors that are about this machine and not about the kernel.
pub(super) fn is_environment(failure: &Failure) -> bool {
    advice(failure.code).is_some()
}

/// The error of a GPU that cannot be used, with advice.
pub(super) fn unusable(failure: Failure) -> NoGpu {
    let advice = advice(failure.code).unwrap_or(
        "nvidia-smi may say more; restarting the machine often helps; --backend sim works without",
    );
    NoGpu {
        why: format!("{} ({}, code {}): {advice}", failure.text, failure.name, failure.code as u32),
    }
}

/// Advice for an error of the machine; `None` for any other error.
fn advice(code: CUresult) -> Option<&'static str> {
    use CUresult as C;
    Some(match code {
        C::CUDA_ERROR_STUB_LIBRARY => {
            "the toolkit's stub libcuda was loaded, not the driver's: take the folder `stubs` out of LD_LIBRARY_PATH"
        }
        C::CUDA_ERROR_NO_DEVICE | C::CUDA_ERROR_INVALID_DEVICE => {
            "check that nvidia-smi lists a GPU, that CUDA_VISIBLE_DEVICES does not hide it, and that a container was \
             started with access to it; or use --backend sim"
        }
        C::CUDA_ERROR_DEVICE_UNAVAILABLE => {
            "another program is using the GPU exclusively (compute mode `exclusive`): close it, or use --backend sim"
        }
        C::CUDA_ERROR_OUT_OF_MEMORY => {
            "other programs take the GPU's memory: close them (nvidia-smi lists them), or use --backend sim"
        }
        C::CUDA_ERROR_OPERATING_SYSTEM | C::CUDA_ERROR_NOT_PERMITTED => {
            "this user may not open the GPU: check the permissions of /dev/nvidia*, or use --backend sim"
        }
        C::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "the driver was updated and its kernel module was not reloaded: restart the machine"
        }
        C::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
            "the compatibility libcuda is not for this GPU: take the folder `compat` out of LD_LIBRARY_PATH"
        }
        C::CUDA_ERROR_SYSTEM_NOT_READY => {
            "the machine's GPU services are still starting (nvidia-fabricmanager): try again in a minute"
        }
        C::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "the driver is older than the CUDA compiler: unset CUDA_WORKBOOK_CUDA, update the driver (580 or newer for \
             CUDA 13.0), or use --backend sim"
        }
        C::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            "this GPU is older than the PTX it was given: use --backend sim"
        }
        C::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "the driver's PTX compiler (libnvidia-ptxjitcompiler) is missing: reinstall the driver, or use --backend \
             sim"
        }
        C::CUDA_ERROR_ECC_UNCORRECTABLE
        | C::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | C::CUDA_ERROR_NOT_INITIALIZED
        | C::CUDA_ERROR_DEINITIALIZED => {
            "the GPU or its driver has a problem of its own: nvidia-smi may say more; --backend sim works without"
        }
        _ => return None,
    })
}
