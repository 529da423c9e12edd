//! The few calls of NVIDIA's driver that a launch needs, each owned by a type that keeps its rules.
//!
//! Names and error codes: CUDA Driver API reference manual, versions 12.4 to 13.

use std::ffi::{CString, c_int, c_void};
use std::marker::PhantomData;
use std::ptr;

use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute, CUjit_option,
    CUresult,
};
use cudarc::driver::{DriverError, result};

use super::why;
use crate::backend::{Fault, GpuInfo, NoGpu};

/// Bytes kept of what the driver's PTX compiler says.
const LOG_BYTES: usize = 8 << 10;

/// An error of the driver with its own words.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) code: CUresult,
    pub(super) name: String,
    pub(super) text: String,
}

pub(super) type DriverResult<T> = Result<T, Failure>;

impl Failure {
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.code == CUresult::CUDA_ERROR_OUT_OF_MEMORY
    }
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        let words = |text: Result<&std::ffi::CStr, DriverError>| {
            text.map(|t| t.to_string_lossy().into_owned())
                .unwrap_or_else(|_| "unknown error".into())
        };
        Self { code: error.0, name: words(error.error_name()), text: words(error.error_string()) }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Driver { code: failure.code as u32, name: failure.name, text: failure.text }
    }
}

/// Turns a driver call's code into a result.
fn check(code: CUresult) -> DriverResult<()> {
    code.result().map_err(Failure::from)
}

/// The first GPU, whose primary context is current on the thread that opened it, and stays so.
pub(super) struct Device {
    device: sys::CUdevice,
    /// The context is current on one thread only.
    thread: PhantomData<*const ()>,
}

/// The most that a launch may ask of the device.
pub(super) struct Limits {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) threads: u32,
    /// Bytes per block, dynamic and static together.
    pub(super) shared: u64,
}

impl Device {
    pub(super) fn open() -> Result<Self, NoGpu> {
        #[expect(unsafe_code, reason = "loads the driver's library")]
        // SAFETY: loading libcuda runs its initialisers, which any CUDA program runs; nothing else is called.
        let present = unsafe { sys::is_culib_present() };
        if !present {
            return Err(why::no_driver());
        }
        Self::try_open().map_err(why::unusable)
    }

    #[expect(unsafe_code, reason = "calls the driver")]
    fn try_open() -> DriverResult<Self> {
        result::init()?;
        let device = result::device::get(0)?;
        // SAFETY: `device` comes from `device::get`.
        let context = unsafe { result::primary_ctx::retain(device) }?;
        // SAFETY: `context` was just retained, and is released only when this process ends.
        unsafe { result::ctx::set_current(context) }?;
        Ok(Self { device, thread: PhantomData })
    }

    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn info(&self) -> DriverResult<GpuInfo> {
        let mut version: c_int = 0;
        // SAFETY: writes one int to a live variable.
        check(unsafe { sys::cuDriverGetVersion(&raw mut version) })?;
        let version = u32::try_from(version).unwrap_or(0);
        // SAFETY: `self.device` comes from `device::get`.
        let memory = unsafe { result::device::total_mem(self.device) }? as u64;
        Ok(GpuInfo {
            name: result::device::get_name(self.device)?,
            memory,
            capability: (
                self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            driver: (version / 1000, version % 1000 / 10),
        })
    }

    pub(super) fn limits(&self) -> DriverResult<Limits> {
        use Attribute as A;
        Ok(Limits {
            grid: [
                self.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                self.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                self.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            block: [
                self.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                self.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                self.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            threads: self.attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared: self
                .attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                .into(),
        })
    }

    #[expect(unsafe_code, reason = "calls the driver")]
    fn attribute(&self, attribute: Attribute) -> DriverResult<u32> {
        // SAFETY: `self.device` comes from `device::get`.
        let value = unsafe { result::device::get_attribute(self.device, attribute) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Bytes of device memory that nobody uses.
    pub(super) fn free_memory(&self) -> Option<u64> {
        result::mem_get_info().ok().map(|(free, _)| free as u64)
    }

    /// Waits until everything launched has ended, and reports how.
    pub(super) fn synchronise(&self) -> DriverResult<()> {
        Ok(result::ctx::synchronize()?)
    }
}

/// PTX that the driver compiled for this GPU.
pub(super) struct Module<'d> {
    module: sys::CUmodule,
    device: PhantomData<&'d Device>,
}

impl<'d> Module<'d> {
    /// Compiles and loads PTX text; an error carries what the driver's compiler said.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn load(_: &'d Device, ptx: &str) -> DriverResult<Self> {
        let image = CString::new(ptx).map_err(|_| Failure {
            code: CUresult::CUDA_ERROR_INVALID_PTX,
            name: "CUDA_ERROR_INVALID_PTX".into(),
            text: "the PTX contains a zero byte".into(),
        })?;
        let mut log = vec![0_u8; LOG_BYTES];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // Option values are passed in the pointers themselves (cuModuleLoadDataEx).
        let mut values: [*mut c_void; 2] =
            [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES)];
        let mut module = ptr::null_mut();
        // SAFETY: `image` is NUL-terminated; both option arrays have 2 entries; the log has LOG_BYTES bytes; all of
        // them outlive the call, after which the driver keeps none of them.
        let loaded = check(unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut module,
                image.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        });
        match loaded {
            Ok(()) => Ok(Self { module, device: PhantomData }),
            Err(mut failure) => {
                let length = log.iter().position(|b| *b == 0).unwrap_or(log.len());
                let said = String::from_utf8_lossy(log.get(..length).unwrap_or_default());
                if !said.trim().is_empty() {
                    failure.text = format!("{}: {}", failure.text, said.trim());
                }
                Err(failure)
            }
        }
    }

    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn function(&self, name: &str) -> DriverResult<Function<'_>> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: `self.module` is loaded, and stays so while the function borrows it.
        let function = unsafe { result::module::get_function(self.module, name) }?;
        Ok(Function { function, module: PhantomData })
    }
}

impl Drop for Module<'_> {
    #[expect(unsafe_code, reason = "calls the driver")]
    fn drop(&mut self) {
        // SAFETY: loaded in `load`, unloaded only here. After a fault the driver refuses, which is no matter: this
        // process is about to end.
        let _ = unsafe { result::module::unload(self.module) };
    }
}

/// A kernel of a loaded module.
pub(super) struct Function<'m> {
    function: sys::CUfunction,
    module: PhantomData<&'m ()>,
}

impl Function<'_> {
    /// Bytes of each parameter, in order.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn parameter_sizes(&self) -> DriverResult<Vec<usize>> {
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function is of a loaded module; both results are live variables.
            let code = unsafe {
                sys::cuFuncGetParamInfo(self.function, sizes.len(), &raw mut offset, &raw mut size)
            };
            // The documented answer to an index beyond the last parameter.
            if code == CUresult::CUDA_ERROR_INVALID_VALUE {
                return Ok(sizes);
            }
            check(code)?;
            sizes.push(size);
        }
    }

    /// The most threads per block with this kernel's registers.
    pub(super) fn max_threads(&self) -> DriverResult<u32> {
        let value = self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Bytes of shared memory that the kernel declares.
    pub(super) fn static_shared(&self) -> DriverResult<u64> {
        let value = self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        Ok(u64::try_from(value).unwrap_or(0))
    }

    /// Allows this much dynamic shared memory; beyond 48 KiB a kernel has to ask.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn allow_shared(&self, bytes: u32) -> DriverResult<()> {
        if bytes <= 48 << 10 {
            return Ok(());
        }
        let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function is of a loaded module.
        Ok(unsafe { result::function::set_function_attribute(self.function, attribute, bytes) }?)
    }

    #[expect(unsafe_code, reason = "calls the driver")]
    fn attribute(&self, attribute: FunctionAttribute) -> DriverResult<i32> {
        // SAFETY: the function is of a loaded module.
        Ok(unsafe { result::function::get_function_attribute(self.function, attribute) }?)
    }

    /// Queues the launch. `words` are the arguments, one word each, whatever their size.
    ///
    /// The kernel is the learner's and may do anything to the device's memory; this process's memory is out of its
    /// reach, as no host memory is mapped.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn launch(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        mut words: Vec<u64>,
    ) -> DriverResult<()> {
        let sizes = self.parameter_sizes()?;
        if sizes.len() != words.len() || sizes.iter().any(|size| *size > size_of::<u64>()) {
            return Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE).into());
        }
        let mut pointers: Vec<*mut c_void> =
            words.iter_mut().map(|word| ptr::from_mut(word).cast()).collect();
        let [gx, gy, gz] = grid;
        let [bx, by, bz] = block;
        // SAFETY: one pointer per parameter, each to at least the parameter's size of live memory (checked above
        // against cuFuncGetParamInfo); the driver copies them before it returns.
        let launched = unsafe {
            result::launch_kernel(
                self.function,
                (gx, gy, gz),
                (bx, by, bz),
                shared,
                result::stream::null(),
                &mut pointers,
            )
        };
        Ok(launched?)
    }
}

/// Plain device memory.
pub(super) struct Buffer<'d> {
    address: sys::CUdeviceptr,
    bytes: usize,
    device: PhantomData<&'d Device>,
}

impl<'d> Buffer<'d> {
    /// Allocates as many bytes as `contents` has, and copies them there.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn upload(_: &'d Device, contents: &[u8]) -> DriverResult<Self> {
        // SAFETY: the device's context is current; a size of zero is an error, not undefined.
        let address = unsafe { result::malloc_sync(contents.len()) }?;
        let buffer = Self { address, bytes: contents.len(), device: PhantomData };
        // SAFETY: the allocation has exactly `contents.len()` bytes.
        unsafe { result::memcpy_htod_sync(buffer.address, contents) }?;
        Ok(buffer)
    }

    /// The device address of its first byte.
    pub(super) const fn address(&self) -> u64 {
        self.address
    }

    /// Its bytes now.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn download(&self) -> DriverResult<Vec<u8>> {
        let mut bytes = vec![0_u8; self.bytes];
        // SAFETY: the allocation has exactly `self.bytes` bytes, and the slice too; any byte is a valid u8.
        unsafe { result::memcpy_dtoh_sync(&mut bytes, self.address) }?;
        Ok(bytes)
    }
}

impl Drop for Buffer<'_> {
    #[expect(unsafe_code, reason = "calls the driver")]
    fn drop(&mut self) {
        // SAFETY: allocated in `upload`, freed only here, after the device was synchronised.
        let _ = unsafe { result::free_sync(self.address) };
    }
}
