//! Problems of the machine that keep the GPU from being used, each with advice.

use std::path::{Path, PathBuf};

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

/// The error when there is no driver. A card of NVIDIA's that lacks one is named.
pub(super) fn no_driver() -> NoGpu {
    let card = card(Path::new("/sys/bus/pci/devices"));
    let (why, advice) = match &card {
        Some(slot) => (
            format!("the NVIDIA GPU at {slot} has no driver ({LIBRARY} is not installed)"),
            "install NVIDIA's driver 550 or newer",
        ),
        None => (
            format!("{LIBRARY} is not installed"),
            "with an NVIDIA GPU, install its driver, 550 or newer",
        ),
    };
    NoGpu { why, advice: Some(advice.to_owned()), has_card: card.is_some() }
}

/// The first graphics card or accelerator of NVIDIA's on the PCI bus, by its slot.
fn card(devices: &Path) -> Option<String> {
    const VENDOR: &str = "0x10de";
    /// Display controllers, and processing accelerators.
    const CLASSES: [&str; 2] = ["0x03", "0x12"];
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let entries = std::fs::read_dir(devices).into_iter().flatten().flatten();
    let cards = entries.filter(|entry| {
        let class = read(entry.path().join("class"));
        read(entry.path().join("vendor")).trim() == VENDOR
            && CLASSES.iter().any(|start| class.starts_with(start))
    });
    cards.map(|card| card.file_name().to_string_lossy().into_owned()).min()
}

/// Fails for a driver or GPU that is too old for this program or its PTX.
pub(super) fn check_versions(info: &GpuInfo) -> Result<(), NoGpu> {
    if info.driver < OLDEST_DRIVER {
        return Err(NoGpu {
            why: format!(
                "the driver supports CUDA {}.{}, the workbook needs {}.{} or newer",
                info.driver.0, info.driver.1, OLDEST_DRIVER.0, OLDEST_DRIVER.1
            ),
            advice: Some("update NVIDIA's driver (550 or newer)".to_owned()),
            has_card: true,
        });
    }
    if info.capability < OLDEST_CAPABILITY {
        let why = format!(
            "{} has compute capability {}.{}, but the workbook needs {}.{} or newer, so use --backend sim",
            info.name,
            info.capability.0,
            info.capability.1,
            OLDEST_CAPABILITY.0,
            OLDEST_CAPABILITY.1
        );
        return Err(NoGpu { why, advice: None, has_card: true });
    }
    Ok(())
}

/// The error when the case needs more memory than is free; in bytes, `free` when known.
pub(super) fn memory_taken(asked: u64, free: Option<u64>) -> NoGpu {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let free = free.map(|f| format!(", {} MiB are free", mib(f))).unwrap_or_default();
    NoGpu {
        why: format!("the GPU's memory is taken (a buffer needs {} MiB{free})", mib(asked)),
        advice: Some("close what else uses it (nvidia-smi lists it)".to_owned()),
        has_card: true,
    }
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
    use CUresult as C;
    let advice = advice(failure.code)
        .unwrap_or("restart the machine, which often helps (nvidia-smi may say more)");
    NoGpu {
        why: format!("{} ({}, code {})", failure.text, failure.name, failure.code as u32),
        advice: Some(advice.to_owned()),
        has_card: !matches!(failure.code, C::CUDA_ERROR_NO_DEVICE | C::CUDA_ERROR_STUB_LIBRARY),
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
             started with access to it"
        }
        C::CUDA_ERROR_DEVICE_UNAVAILABLE => {
            "another program is using the GPU exclusively (compute mode `exclusive`): close it"
        }
        C::CUDA_ERROR_OUT_OF_MEMORY => {
            "other programs take the GPU's memory: close them (nvidia-smi lists them)"
        }
        C::CUDA_ERROR_OPERATING_SYSTEM | C::CUDA_ERROR_NOT_PERMITTED => {
            "this user may not open the GPU: check the permissions of /dev/nvidia*"
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
             CUDA 13.0)"
        }
        C::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            "this GPU is older than the PTX it was given: unset CUDA_WORKBOOK_CUDA"
        }
        C::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "the driver's PTX compiler (libnvidia-ptxjitcompiler) is missing: reinstall the driver"
        }
        C::CUDA_ERROR_ECC_UNCORRECTABLE
        | C::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | C::CUDA_ERROR_NOT_INITIALIZED
        | C::CUDA_ERROR_DEINITIALIZED => {
            "the GPU or its driver has a problem of its own, and nvidia-smi may say more: restart the machine"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A card without a driver is named, and other devices of NVIDIA's are not taken for one.
    #[test]
    fn cards_on_the_bus() {
        let bus = tempfile::tempdir().expect("temporary folder");
        let add = |slot: &str, vendor: &str, class: &str| {
            let folder = bus.path().join(slot);
            std::fs::create_dir(&folder).expect("folder");
            std::fs::write(folder.join("vendor"), format!("{vendor}\n")).expect("writes");
            std::fs::write(folder.join("class"), format!("{class}\n")).expect("writes");
        };
        assert_eq!(card(&bus.path().join("missing")), None);
        add("0000:00:02.0", "0x8086", "0x030000");
        add("0000:01:00.1", "0x10de", "0x040300"); // its sound
        assert_eq!(card(bus.path()), None);
        add("0000:01:00.0", "0x10de", "0x030000");
        assert_eq!(card(bus.path()).as_deref(), Some("0000:01:00.0"));
    }

    /// A driver that finds no card says what hides one.
    #[test]
    fn a_driver_without_a_card() {
        let code = CUresult::CUDA_ERROR_NO_DEVICE;
        let text = "no CUDA-capable device is detected".to_owned();
        let no_gpu = unusable(Failure { code, name: format!("{code:?}"), text });
        assert_eq!(
            no_gpu.to_string(),
            "no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE, code 100): check that nvidia-smi lists a GPU, \
             that CUDA_VISIBLE_DEVICES does not hide it, and that a container was started with access to it, \
             or use --backend sim"
        );
    }
}
