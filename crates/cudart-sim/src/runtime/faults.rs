//! Errors whose reason is the machine, so that no program can know them from its arguments.

use super::Runtime;
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
}

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

    /// Fails if the machine makes every kernel fail.
    pub(super) fn check_device_memory(&self) -> Result {
        match self.settings.fault {
            Some(MachineFault::MemoryError) => Err(Code::ECC_UNCORRECTABLE),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Settings;

    #[test]
    fn each_fault_makes_its_own_step_fail() {
        let steps = |fault| {
            let mut runtime = Runtime::new(Settings { fault, ..Settings::default() });
            let available = runtime.permit("cudaMalloc");
            [available, runtime.check_kernel_image(), runtime.check_device_memory()]
        };
        assert_eq!(steps(None), [Ok(()); 3]);
        let first = [Err(Code::DEVICES_UNAVAILABLE), Ok(()), Ok(())];
        assert_eq!(steps(Some(MachineFault::Unavailable)), first);
        let second = [Ok(()), Err(Code::NO_KERNEL_IMAGE), Ok(())];
        assert_eq!(steps(Some(MachineFault::NoKernelImage)), second);
        let third = [Ok(()), Ok(()), Err(Code::ECC_UNCORRECTABLE)];
        assert_eq!(steps(Some(MachineFault::MemoryError)), third);
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
