//! The memory that timed launches start from.
//!
//! A kernel could keep its results from one launch to the next, or see in its output array that they
//! are there already. So before each timed launch, all buffers get the contents that they had before
//! the first one, and the module is loaded anew.

use super::driver::{Buffer, Device, DriverResult};

/// How many times the data of a cache is replaced before a launch with a cold cache.
const FLUSHED: usize = 2;

/// The contents of each buffer argument after a launch, with its guard zones.
pub(super) type Images = Vec<Option<Vec<u8>>>;

/// Copies the buffers to the host.
pub(super) fn images(buffers: &[Option<Buffer<'_>>]) -> DriverResult<Images> {
    buffers.iter().map(|buffer| buffer.as_ref().map(Buffer::download).transpose()).collect()
}

/// The buffers of a launch with copies of their first contents.
pub(super) struct Memory<'d> {
    device: &'d Device,
    buffers: Vec<(&'d Buffer<'d>, Buffer<'d>)>,
    /// What is written to after the buffers, so that nothing of them is in a cache.
    flushed: Option<Buffer<'d>>,
}

impl<'d> Memory<'d> {
    /// Copies what the buffers contain.
    pub(super) fn new(device: &'d Device, buffers: &'d [Option<Buffer<'d>>]) -> DriverResult<Self> {
        let copies = buffers.iter().flatten().map(|buffer| Ok((buffer, buffer.copy(device)?)));
        Ok(Self { device, buffers: copies.collect::<DriverResult<_>>()?, flushed: None })
    }

    /// The same memory, of which nothing is in a cache when a launch begins.
    pub(super) fn with_cold_cache(self) -> DriverResult<Self> {
        let flushed = Buffer::new(self.device, FLUSHED * self.device.cache_bytes()?.max(1 << 20))?;
        Ok(Self { flushed: Some(flushed), ..self })
    }

    /// Gives the buffers their first contents again.
    pub(super) fn restore(&self) -> DriverResult<()> {
        for (buffer, copy) in &self.buffers {
            buffer.restore(copy)?;
        }
        self.flushed.as_ref().map_or(Ok(()), |flushed| flushed.fill(0))
    }
}
