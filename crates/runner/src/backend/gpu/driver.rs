//! The driver's errors, the device, its events and its memory, as types that own what they manage.
//!
//! Names and error codes: CUDA Driver API reference manual, versions 12.4 to 13.

use std::ffi::{CStr, c_int};
use std::marker::PhantomData;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{DriverError, result};

use super::environment;
use crate::backend::{Fault, GpuInfo, NoGpu};

/// An error of the driver, with its name and description.
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

    /// The same error with the log of the PTX compiler, when the PTX is the cause.
    pub(super) fn with_log(mut self, log: &[u8]) -> Self {
        let said = log.split(|b| *b == 0).next().map(String::from_utf8_lossy).unwrap_or_default();
        if self.code == CUresult::CUDA_ERROR_INVALID_PTX && !said.trim().is_empty() {
            self.text = format!("{}: {}", self.text, said.trim());
        }
        self
    }
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        let words =
            |text: Result<&CStr, DriverError>| text.ok().map(|t| t.to_string_lossy().into_owned());
        Self {
            code: error.0,
            // A stub library has no names for errors.
            name: words(error.error_name()).unwrap_or_else(|| format!("{:?}", error.0)),
            text: words(error.error_string())
                .unwrap_or_else(|| "the driver gives no reason".into()),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Driver { code: failure.code as u32, name: failure.name, text: failure.text }
    }
}

/// Turns a driver call's code into a result.
pub(super) fn check(code: CUresult) -> DriverResult<()> {
    code.result().map_err(Failure::from)
}

/// The first GPU. Its primary context is current on the thread that opened it, for the life of the
/// process.
pub(super) struct Device {
    device: sys::CUdevice,
    /// The context is current on one thread only.
    thread: PhantomData<*const ()>,
}

/// The limits of a launch on the device.
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
        // SAFETY: loading libcuda runs its initialisers, which any CUDA program runs; nothing else
        // is called.
        let present = unsafe { sys::is_culib_present() };
        if !present {
            return Err(environment::no_driver());
        }
        Self::try_open().map_err(environment::unusable)
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

    /// Bytes of the cache that all multiprocessors share.
    pub(super) fn cache_bytes(&self) -> DriverResult<usize> {
        Ok(self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as usize)
    }

    #[expect(unsafe_code, reason = "calls the driver")]
    fn attribute(&self, attribute: Attribute) -> DriverResult<u32> {
        // SAFETY: `self.device` comes from `device::get`.
        let value = unsafe { result::device::get_attribute(self.device, attribute) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Bytes of device memory that are free.
    pub(super) fn free_memory(&self) -> Option<u64> {
        result::mem_get_info().ok().map(|(free, _)| free as u64)
    }

    /// The time that `work` takes on the default stream, in milliseconds between two events.
    pub(super) fn time(&self, work: impl FnOnce() -> DriverResult<()>) -> DriverResult<f64> {
        let (start, end) = (Event::new(self)?, Event::new(self)?);
        start.record()?;
        work()?;
        end.record()?;
        self.synchronise()?;
        start.until(&end)
    }

    /// Waits until all launches have ended, and returns their error.
    pub(super) fn synchronise(&self) -> DriverResult<()> {
        Ok(result::ctx::synchronize()?)
    }
}

/// An event in the default stream.
struct Event<'d> {
    event: sys::CUevent,
    device: PhantomData<&'d Device>,
}

impl<'d> Event<'d> {
    fn new(_: &'d Device) -> DriverResult<Self> {
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)?;
        Ok(Self { event, device: PhantomData })
    }

    #[expect(unsafe_code, reason = "calls the driver")]
    fn record(&self) -> DriverResult<()> {
        // SAFETY: `self.event` is live.
        Ok(unsafe { result::event::record(self.event, result::stream::null()) }?)
    }

    /// Milliseconds from this event to `later`; an error if one of them has not been reached.
    #[expect(unsafe_code, reason = "calls the driver")]
    fn until(&self, later: &Self) -> DriverResult<f64> {
        type Elapsed = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> CUresult;
        // `result::event::elapsed` calls a second version of this function, which drivers have since
        // CUDA 12.8.
        // SAFETY: the driver's library is loaded, and the signature is that of cuda.h.
        let elapsed = unsafe { sys::culib().get::<Elapsed>(b"cuEventElapsedTime") };
        let elapsed = elapsed.map_err(|_| DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are live, and recorded in the same stream; the result is a live
        // variable.
        check(unsafe { elapsed(&raw mut milliseconds, self.event, later.event) })?;
        Ok(milliseconds.into())
    }
}

impl Drop for Event<'_> {
    #[expect(unsafe_code, reason = "calls the driver")]
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed only here.
        let _ = unsafe { result::event::destroy(self.event) };
    }
}

/// An allocation of device memory.
pub(super) struct Buffer<'d> {
    address: sys::CUdeviceptr,
    bytes: usize,
    device: PhantomData<&'d Device>,
}

impl<'d> Buffer<'d> {
    /// Allocates as many bytes as `contents` has, and copies them there.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn upload(device: &'d Device, contents: &[u8]) -> DriverResult<Self> {
        let buffer = Self::new(device, contents.len())?;
        // SAFETY: the allocation has exactly `contents.len()` bytes.
        unsafe { result::memcpy_htod_sync(buffer.address, contents) }?;
        Ok(buffer)
    }

    /// Allocates `bytes` bytes.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn new(_: &'d Device, bytes: usize) -> DriverResult<Self> {
        // SAFETY: the device's context is current; a size of zero is an error, not undefined.
        let address = unsafe { result::malloc_sync(bytes) }?;
        Ok(Self { address, bytes, device: PhantomData })
    }

    /// A second allocation with the same bytes.
    pub(super) fn copy(&self, device: &'d Device) -> DriverResult<Self> {
        let copy = Self::new(device, self.bytes)?;
        copy.restore(self)?;
        Ok(copy)
    }

    /// Takes over the bytes of `other`, as many as both have.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn restore(&self, other: &Buffer<'_>) -> DriverResult<()> {
        let bytes = self.bytes.min(other.bytes);
        // SAFETY: both allocations are live and have at least `bytes` bytes.
        Ok(unsafe { result::memcpy_dtod_sync(self.address, other.address, bytes) }?)
    }

    /// Writes to each of its bytes.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn fill(&self, byte: u8) -> DriverResult<()> {
        // SAFETY: the allocation is live and has exactly `self.bytes` bytes.
        Ok(unsafe { result::memset_d8_sync(self.address, byte, self.bytes) }?)
    }

    /// The device address of its first byte.
    pub(super) const fn address(&self) -> u64 {
        self.address
    }

    /// How many bytes it has.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Copies its bytes to the host.
    #[expect(unsafe_code, reason = "calls the driver")]
    pub(super) fn download(&self) -> DriverResult<Vec<u8>> {
        let mut bytes = vec![0_u8; self.bytes];
        // SAFETY: the allocation has exactly `self.bytes` bytes, and the slice too; any byte is a
        // valid u8.
        unsafe { result::memcpy_dtoh_sync(&mut bytes, self.address) }?;
        Ok(bytes)
    }
}

impl Drop for Buffer<'_> {
    #[expect(unsafe_code, reason = "calls the driver")]
    fn drop(&mut self) {
        // SAFETY: allocated in `new`, freed only here, after the device was synchronised.
        let _ = unsafe { result::free_sync(self.address) };
    }
}
