//! Compiles PTX with the driver, loads it, finds kernels by name and launches them.
//!
//! Names and error codes: CUDA Driver API reference manual, versions 12.4 to 13.

use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::ptr;

use cudarc::driver::sys::{
    self, CUfunction_attribute as FunctionAttribute, CUjit_option, CUjitInputType, CUresult,
};
use cudarc::driver::{DriverError, result};

use super::driver::{Device, DriverResult, Failure, check};
use crate::backend::Launch;

/// Bytes that are kept of the log of the driver's PTX compiler.
const LOG_BYTES: usize = 8 << 10;

/// Code for this GPU that is not loaded yet: machine code, or PTX.
pub(super) struct Binary {
    image: Vec<u8>,
}

impl Binary {
    /// PTX text, which the driver compiles when it loads the module.
    ///
    /// That's ten times slower than loading machine code, but the code is as fast as it can be. The
    /// linker behind [`Self::compile`] places shared memory only after compiling, so the compiler
    /// doesn't know its alignment and cannot combine loads of neighbouring words.
    pub(super) fn text(ptx: &str) -> Self {
        Self { image: [ptx.as_bytes(), &[0]].concat() }
    }

    /// Compiles PTX text with the driver's compiler; an error contains the compiler's log.
    ///
    /// Compiling takes ten times as long as loading, and every case loads its module anew. The
    /// driver's linker interface returns the compiled code, which cuModuleLoadDataEx does not.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn compile(_: &Device, ptx: &str) -> DriverResult<Self> {
        let text = CString::new(ptx).map_err(|_| Failure {
            code: CUresult::CUDA_ERROR_INVALID_PTX,
            name: "CUDA_ERROR_INVALID_PTX".into(),
            text: "the PTX contains a zero byte".into(),
        })?;
        let mut log = vec![0_u8; LOG_BYTES];
        // The last option keeps the source lines in the machine code, for debuggers and profilers.
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_GENERATE_LINE_INFO,
        ];
        // Option values are passed in the pointers themselves (cuLinkCreate).
        let mut values: [*mut c_void; 3] = [
            log.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
            ptr::without_provenance_mut(1),
        ];
        let mut linker = ptr::null_mut();
        // SAFETY: both arrays have 3 entries and the log has LOG_BYTES bytes; all outlive the
        // linker, which cuLinkDestroy below ends in every case.
        check(unsafe {
            sys::cuLinkCreate_v2(3, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut linker)
        })?;
        let (mut image, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: `linker` is live; `text` is NUL-terminated and its size counts the NUL, as for
        // PTX it must; no options are given, so their arrays may be null; both results are live
        // variables.
        let linked = unsafe {
            check(sys::cuLinkAddData_v2(
                linker,
                CUjitInputType::CU_JIT_INPUT_PTX,
                text.as_ptr().cast_mut().cast(),
                text.as_bytes_with_nul().len(),
                c"kernel".as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            ))
            .and_then(|()| check(sys::cuLinkComplete(linker, &raw mut image, &raw mut bytes)))
        };
        let image = match linked {
            // SAFETY: cuLinkComplete succeeded: `image` has `bytes` bytes, and lives as long as the
            // linker.
            Ok(()) => Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), bytes) }.to_vec()),
            Err(failure) => Err(failure),
        };
        // SAFETY: created above, destroyed only here. An error here has no consequences.
        let _ = unsafe { sys::cuLinkDestroy(linker) };
        image.map(|image| Self { image }).map_err(|failure| failure.with_log(&log))
    }
}

/// Loaded machine code, with its global variables as the source initialises them.
pub(super) struct Module<'d> {
    module: sys::CUmodule,
    device: PhantomData<&'d Device>,
}

impl<'d> Module<'d> {
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn load(_: &'d Device, binary: &Binary) -> DriverResult<Self> {
        // SAFETY: `image` is a whole cubin, as cuLinkComplete made it, or PTX that ends with NUL.
        let module = unsafe { result::module::load_data(binary.image.as_ptr().cast()) }?;
        Ok(Self { module, device: PhantomData })
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
        // SAFETY: loaded in `load`, unloaded only here. After a fault the driver refuses, which
        // does not matter because this process is about to end.
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
            // The documented error for an index beyond the last parameter.
            if code == CUresult::CUDA_ERROR_INVALID_VALUE {
                return Ok(sizes);
            }
            check(code)?;
            sizes.push(size);
        }
    }

    /// The maximum number of threads per block, given this kernel's registers.
    pub(super) fn max_threads(&self) -> DriverResult<u32> {
        let value = self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Bytes of shared memory that the kernel declares.
    pub(super) fn static_shared(&self) -> DriverResult<u64> {
        let value = self.attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        Ok(u64::try_from(value).unwrap_or(0))
    }

    /// Allows this many bytes of dynamic shared memory; the default limit is 48 KiB.
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
    /// The kernel is the learner's and may do anything to the device's memory. It cannot reach this
    /// process's memory, because no host memory is mapped.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn launch(&self, launch: &Launch, mut words: Vec<u64>) -> DriverResult<()> {
        let sizes = self.parameter_sizes()?;
        if sizes.len() != words.len() || sizes.iter().any(|size| *size > size_of::<u64>()) {
            return Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE).into());
        }
        let mut pointers: Vec<*mut c_void> =
            words.iter_mut().map(|word| ptr::from_mut(word).cast()).collect();
        let [gx, gy, gz] = launch.grid;
        let [bx, by, bz] = launch.block;
        // Both functions take the same arguments.
        let start = if launch.cooperative {
            result::launch_cooperative_kernel
        } else {
            result::launch_kernel
        };
        // SAFETY: one pointer per parameter, each to at least the parameter's size of live memory
        // (checked above against cuFuncGetParamInfo); the driver copies them before it returns.
        let launched = unsafe {
            start(
                self.function,
                (gx, gy, gz),
                (bx, by, bz),
                launch.shared,
                result::stream::null(),
                &mut pointers,
            )
        };
        Ok(launched?)
    }
}
