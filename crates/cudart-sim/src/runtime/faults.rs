//! Errors and limits whose reason is the machine, so that no program can know them from its
//! arguments.

use super::{Runtime, properties};
use crate::error::{Code, Result};

/// Why the machine fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum MachineFault {
    /// Another process has the device for itself, so every call that needs a context fails.
    Unavailable,
    /// The program has no code for the device, so every launch fails.
    NoKernelImage,
    /// The device's memory has an error that it can't correct, which ends the context while a
    /// kernel runs.
    MemoryError,
    /// The same, while a copy to the device is done.
    MemoryErrorInCopyIn,
    /// The same, while a copy to the host is done.
    MemoryErrorInCopyOut,
    /// A block has at most 64 KiB of shared memory, as with compute capability 7.5. Nothing fails
    /// unless a program requests more.
    LessSharedMemory,
}

/// Bytes of shared memory that a block may use after it has opted in (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability"), with compute capability 9.0 and 7.5.
const MAX_SHARED_BYTES: u32 = 227 << 10;
const LESS_SHARED_BYTES: u32 = 64 << 10;

/// `cudaDevAttrMaxSharedMemoryPerBlockOptin`.
const SHARED_OPTIN_ATTRIBUTE: i32 = 97;

/// Whether a function works without a context on the device. Of the functions that nvcc's stubs
/// call, only a launch needs one.
fn needs_no_context(function: &str) -> bool {
    let prefixes = ["__cuda", "cudaGetDevice", "cudaDriverGet", "cudaRuntimeGet"];
    function != "__cudaLaunchKernel" && prefixes.iter().any(|prefix| function.starts_with(prefix))
}

impl Runtime {
    /// Fails if the machine makes every call of this function fail.
    pub(super) fn check_device_is_available(&self, function: &str) -> Result {
        match self.settings.fault {
            Some(MachineFault::Unavailable) if !needs_no_context(function) => {
                Err(Code::DEVICES_UNAVAILABLE)
            }
            _ => Ok(()),
        }
    }

    /// Fails if the machine makes every launch fail.
    pub(super) fn check_kernel_image(&self) -> Result {
        match self.settings.fault {
            Some(MachineFault::NoKernelImage) => Err(Code::NO_KERNEL_IMAGE),
            _ => Ok(()),
        }
    }

    /// Bytes of shared memory that a block may use after it has opted in.
    pub(crate) const fn max_shared_bytes(&self) -> u32 {
        match self.settings.fault {
            Some(MachineFault::LessSharedMemory) => LESS_SHARED_BYTES,
            _ => MAX_SHARED_BYTES,
        }
    }

    /// `cudaDeviceGetAttribute`.
    pub(crate) fn device_attribute(&self, number: i32) -> Result<i32> {
        match number {
            SHARED_OPTIN_ATTRIBUTE => Ok(self.max_shared_bytes() as i32),
            _ => properties::attribute(number),
        }
    }

    /// Fails if the machine makes every kernel fail.
    pub(super) fn check_device_memory(&self) -> Result {
        match self.settings.fault {
            Some(MachineFault::MemoryError) => Err(Code::ECC_UNCORRECTABLE),
            _ => Ok(()),
        }
    }

    /// Fails if the machine makes every copy in this direction fail.
    pub(super) fn check_copy(&self, to_device: bool) -> Result {
        match self.settings.fault {
            Some(MachineFault::MemoryErrorInCopyIn) if to_device => Err(Code::ECC_UNCORRECTABLE),
            Some(MachineFault::MemoryErrorInCopyOut) if !to_device => Err(Code::ECC_UNCORRECTABLE),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Settings;

    /// All functions agree on how much shared memory a block may use.
    #[test]
    fn a_machine_with_less_shared_memory() {
        for (fault, bytes) in [(None, 232_448), (Some(MachineFault::LessSharedMemory), 65_536)] {
            let runtime = Runtime::new(Settings { fault, ..Settings::default() });
            assert_eq!(runtime.max_shared_bytes(), bytes);
            assert_eq!(runtime.device_attribute(97), Ok(bytes as i32));
            assert_eq!(runtime.device_attribute(8), Ok(48 << 10), "without opting in");
        }
    }

    #[test]
    fn each_fault_makes_its_own_step_fail() {
        let steps = |fault| {
            let mut runtime = Runtime::new(Settings { fault, ..Settings::default() });
            let available = runtime.permit("cudaMalloc");
            let copies = [true, false].map(|to_device| runtime.check_copy(to_device));
            let kernels = [runtime.check_kernel_image(), runtime.check_device_memory()];
            [available, copies[0], kernels[0], kernels[1], copies[1]]
        };
        assert_eq!(steps(None), [Ok(()); 5]);
        for (step, fault, code) in [
            (0, MachineFault::Unavailable, Code::DEVICES_UNAVAILABLE),
            (1, MachineFault::MemoryErrorInCopyIn, Code::ECC_UNCORRECTABLE),
            (2, MachineFault::NoKernelImage, Code::NO_KERNEL_IMAGE),
            (3, MachineFault::MemoryError, Code::ECC_UNCORRECTABLE),
            (4, MachineFault::MemoryErrorInCopyOut, Code::ECC_UNCORRECTABLE),
        ] {
            let mut expected = [Ok(()); 5];
            expected[step] = Err(code);
            assert_eq!(steps(Some(fault)), expected);
        }
    }

    #[test]
    fn an_unavailable_device_is_still_counted() {
        let fault = Some(MachineFault::Unavailable);
        let mut runtime = Runtime::new(Settings { fault, ..Settings::default() });
        assert_eq!(runtime.permit("cudaGetDeviceCount"), Ok(()));
        assert_eq!(runtime.permit("__cudaPopCallConfiguration"), Ok(()));
        assert_eq!(runtime.permit("__cudaLaunchKernel"), Err(Code::DEVICES_UNAVAILABLE));
    }
}
