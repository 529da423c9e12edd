//! The memory that timed launches start from.
//!
//! A kernel could keep its results from one launch to the next, or see in its output array that
//! they are there already. So before each timed launch, all buffers get the contents that they had
//! before the first one, and the module is loaded anew.
//!
//! What was written before a launch is still in the cache when the launch begins, and then the
//! kernel's time includes writing it to memory. So other memory is read first, until the cache has
//! no written data any more. For warm caches, the buffers are read then.

use super::LaunchError;
use super::code::{Binary, Module};
use super::driver::{Buffer, Device, DriverResult};
use crate::backend::Launch;

/// How many times the data of the cache is replaced.
const REPLACED: usize = 3;
/// A kernel that reads memory.
const SWEEP: &str = include_str!("sweep.ptx");
const BLOCKS: u32 = 1024;
const THREADS: u32 = 256;
/// Bytes that a thread of [`SWEEP`] reads at once.
const QUAD: u64 = 16;
/// A sum that the 32-bit words of no buffer have.
const NEVER: u64 = u64::MAX;

/// The contents of each buffer argument after a launch, with its guard zones.
pub(super) type Images = Vec<Option<Vec<u8>>>;

/// Copies the buffers to the host.
pub(super) fn images(buffers: &[Option<Buffer<'_>>]) -> DriverResult<Images> {
    buffers.iter().map(|buffer| buffer.as_ref().map(Buffer::download).transpose()).collect()
}

/// What is in the caches when a launch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caches {
    /// As much of the buffers as fits.
    Warm,
    /// Other data.
    Cold,
}

/// The buffers of a launch with copies of their first contents.
pub(super) struct Memory<'d> {
    device: &'d Device,
    buffers: Vec<(&'d Buffer<'d>, Buffer<'d>)>,
    /// Memory that replaces what the cache holds.
    other: Buffer<'d>,
    sweep: Module<'d>,
}

impl<'d> Memory<'d> {
    /// Copies what the buffers contain.
    pub(super) fn new(
        device: &'d Device,
        buffers: &'d [Option<Buffer<'d>>],
    ) -> Result<Self, LaunchError> {
        let copies = buffers.iter().flatten().map(|buffer| Ok((buffer, buffer.copy(device)?)));
        let other = Buffer::new(device, REPLACED * device.cache_bytes()?.max(1 << 20))?;
        other.fill(0)?;
        let buffers = copies.collect::<DriverResult<_>>()?;
        Ok(Self { device, buffers, other, sweep: Module::load(device, &Binary::text(SWEEP))? })
    }

    /// Gives the buffers their first contents again, and waits until the device is idle.
    pub(super) fn restore(&self, caches: Caches) -> Result<(), LaunchError> {
        for (buffer, copy) in &self.buffers {
            buffer.restore(copy)?;
        }
        self.read(&self.other)?;
        if caches == Caches::Warm {
            for (buffer, _) in &self.buffers {
                self.read(buffer)?;
            }
        }
        Ok(self.device.synchronise()?)
    }

    fn read(&self, buffer: &Buffer<'_>) -> Result<(), LaunchError> {
        let launch = Launch {
            entry: "sweep".into(),
            grid: [BLOCKS, 1, 1],
            block: [THREADS, 1, 1],
            shared: 0,
            cooperative: false,
            ordered: vec![],
            args: vec![],
            seed: 0,
            budget: 0,
            repeat: 0,
            disturbance: None,
            snapshots: None,
            count_waits: false,
            part_of: None,
        };
        let words = vec![buffer.address(), buffer.bytes() as u64 / QUAD, NEVER];
        Ok(self.sweep.function(&launch.entry)?.launch(&launch, words)?)
    }
}
