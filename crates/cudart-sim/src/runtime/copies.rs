//! Copying and setting memory.

use super::Runtime;
use super::graphs::NodeWork;
use super::memory::MemoryOwner;
use super::memory::region::{Extent, Region, RowLayout, joined};
use super::work::{CopySource, SetPattern, Work};
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::host;
use crate::report::{Cause, HostFindingKind, MemoryKind, PointerTarget};

/// `cudaMemcpyKind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Within the host's memory.
    HostToHost,
    /// To the device.
    HostToDevice,
    /// From the device.
    DeviceToHost,
    /// Within the device's memory.
    DeviceToDevice,
    /// The addresses decide.
    Default,
}

impl Direction {
    /// Its name in C.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HostToHost => "cudaMemcpyHostToHost",
            Self::HostToDevice => "cudaMemcpyHostToDevice",
            Self::DeviceToHost => "cudaMemcpyDeviceToHost",
            Self::DeviceToDevice => "cudaMemcpyDeviceToDevice",
            Self::Default => "cudaMemcpyDefault",
        }
    }
}

impl TryFrom<i32> for Direction {
    type Error = Code;

    fn try_from(kind: i32) -> Result<Self> {
        Ok(match kind {
            0 => Self::HostToHost,
            1 => Self::HostToDevice,
            2 => Self::DeviceToHost,
            3 => Self::DeviceToDevice,
            4 => Self::Default,
            _ => {
                let reason = format!("{kind} is no cudaMemcpyKind");
                return Err(Code::INVALID_MEMCPY_DIRECTION.because(reason));
            }
        })
    }
}

/// Fails if the direction of a copy to or from an array or a variable does not fit the function,
/// which is meant for the `usual` one.
pub(in crate::runtime) fn check_direction(direction: Direction, usual: Direction) -> Result {
    if [usual, Direction::DeviceToDevice, Direction::Default].contains(&direction) {
        return Ok(());
    }
    let reason =
        format!("the direction is {}, and this function needs {}", direction.name(), usual.name());
    Err(Code::INVALID_MEMCPY_DIRECTION.because(reason))
}

/// A copy of a box of bytes.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The destination.
    pub to: RowLayout,
    /// The source.
    pub from: RowLayout,
    /// The size of the box.
    pub extent: Extent,
    /// A `cudaMemcpyKind`.
    pub kind: i32,
}

impl Transfer {
    /// A copy of a plain range.
    pub const fn linear(to: u64, from: u64, bytes: u64, kind: i32) -> Self {
        let (to, from) = (RowLayout::linear(to), RowLayout::linear(from));
        Self { to, from, extent: Extent::line(bytes), kind }
    }
}

/// A part of a `__device__` or `__constant__` variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolPart {
    /// The address of the variable's host shadow.
    pub symbol: u64,
    /// The first byte of the part.
    pub offset: u64,
    /// The bytes of the part.
    pub bytes: u64,
}

/// Which ends of a copy are in device memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnDevice {
    pub to: bool,
    pub from: bool,
}

impl OnDevice {
    /// Does a direction name these ends? If it does not, the copy is undefined (CUDA Runtime API,
    /// `cudaMemcpy`), although devices with unified addresses carry it out by the addresses.
    const fn fit(self, direction: Direction) -> bool {
        match direction {
            Direction::HostToHost => !self.to && !self.from,
            Direction::HostToDevice => !self.from,
            Direction::DeviceToHost => !self.to,
            Direction::DeviceToDevice | Direction::Default => true,
        }
    }
}

impl Runtime {
    /// `cudaMemcpyAsync` and its variants. Pageable memory is copied before this returns: as a
    /// source at once, as a destination after everything before it in the stream (CUDA Runtime API,
    /// "API synchronization behavior"). An empty copy succeeds, whatever else is wrong with it.
    pub fn copy_async(&mut self, transfer: Transfer, stream: Stream) -> Result {
        if transfer.extent.is_empty() {
            return Ok(());
        }
        self.alive()?;
        self.check_stream(stream)?;
        let on_device = self.ends_on_device(&transfer)?;
        let bytes = transfer.extent.bytes().ok_or(Code::INVALID_VALUE)?;
        let (to, from) = joined(transfer.to, transfer.from, transfer.extent);
        if on_device.to && !self.is_captured_memory(&to, stream) {
            self.check_in_bounds(&to, true)?;
        }
        if on_device.from && !self.is_captured_memory(&from, stream) {
            self.check_in_bounds(&from, false)?;
        }
        if usize::try_from(bytes).is_err() {
            return Err(Code::INVALID_VALUE.because("the size is larger than the host's memory"));
        }
        self.check_host(&to, true)?;
        self.check_host(&from, false)?;
        if self.capture(stream, || NodeWork::Copy(transfer))? {
            return Ok(());
        }
        let source = if on_device.from {
            CopySource::Device(from)
        } else if self.memory.is_pinned(from.layout.address) {
            CopySource::Pinned(from)
        } else {
            CopySource::Staged { from, data: host::gather(&from) }
        };
        let owner = self.memory.owner_of(to.layout.address);
        let staged = matches!(source, CopySource::Staged { .. });
        if on_device.to != on_device.from && (staged || owner == MemoryOwner::Pageable) {
            self.record.copies.pageable.add(bytes);
        }
        let waits = self.async_copy_waits(to.layout.address, transfer.from.address);
        self.count_copy(&to, &from, on_device, bytes);
        if !on_device.to {
            let memory = || {
                let allocation = self.memory.allocation(from.layout.address);
                allocation.map_or_else(String::new, |allocation| allocation.name.clone())
            };
            let name = on_device.from.then(memory);
            let site = self.findings.site();
            self.record.copied_to_host(&to, name, site);
        }
        if on_device.to && !on_device.from {
            let site = self.findings.site();
            self.record.copied_from_host(&from, site);
        }
        let work = Work::Copy { to_device: on_device.to, to, source };
        let id = self.enqueue(stream, work);
        if waits { self.finish(id) } else { Ok(()) }
    }

    /// Counts a copy by its direction.
    fn count_copy(&mut self, to: &Region, from: &Region, on_device: OnDevice, bytes: u64) {
        let (to_device, from_device) = self.direction(to, from, on_device);
        self.record.copies.between(to_device, from_device).add(bytes);
    }

    /// Whether a copy counts as one to the device, and as one from it. Managed memory counts as the
    /// host's when the other side is device memory, because that is where the program needs a copy
    /// to get the data.
    pub(super) fn direction(
        &self,
        to: &Region,
        from: &Region,
        on_device: OnDevice,
    ) -> (bool, bool) {
        let is_shared = |region: &Region| self.memory.is_shared(region.layout.address);
        let (to_shared, from_shared) = (is_shared(to), is_shared(from));
        let managed = on_device.to && on_device.from && to_shared != from_shared;
        match managed {
            true => (!to_shared, !from_shared),
            false => (on_device.to, on_device.from),
        }
    }

    /// `cudaMemcpy` and its variants, most of which return when the copy is done.
    pub fn copy(&mut self, transfer: Transfer, stream: Stream) -> Result {
        if transfer.extent.is_empty() {
            return Ok(());
        }
        self.copy_async(transfer, stream)?;
        self.wait_for_copy(transfer.to.address, transfer.from.address, stream)
    }

    /// `cudaMemsetAsync` and its variants.
    pub fn set_async(
        &mut self,
        to: RowLayout,
        extent: Extent,
        pattern: SetPattern,
        stream: Stream,
    ) -> Result {
        if extent.is_empty() {
            return Ok(());
        }
        self.alive()?;
        self.check_stream(stream)?;
        let layout = to;
        let (to, _) = joined(to, to, extent);
        let on_device = match self.memory.owner_of(to.layout.address) {
            MemoryOwner::Pageable => {
                let pointer = self.target_of(to.layout.address);
                self.findings.set_cause(Cause::WrongPointer { pointer });
                return Err(Code::INVALID_VALUE);
            }
            MemoryOwner::Pinned => {
                self.check_host(&to, true)?;
                false
            }
            MemoryOwner::Device => {
                if !self.is_captured_memory(&to, stream) {
                    self.check_in_bounds(&to, true)?;
                }
                true
            }
        };
        if self.capture(stream, || NodeWork::Set { to: layout, extent, pattern })? {
            return Ok(());
        }
        self.record.sets.add(to.bytes());
        self.enqueue(stream, Work::Set { to, on_device, pattern });
        Ok(())
    }

    /// `cudaMemset` and its variants, which return before it is done if the memory is only the
    /// device's.
    pub fn set(
        &mut self,
        to: RowLayout,
        extent: Extent,
        pattern: SetPattern,
        stream: Stream,
    ) -> Result {
        self.set_async(to, extent, pattern, stream)?;
        if extent.is_empty() { Ok(()) } else { self.wait_for_set(to.address, stream) }
    }

    /// `cudaMemcpyToSymbolAsync`.
    pub fn copy_to_symbol(
        &mut self,
        part: SymbolPart,
        from: u64,
        kind: i32,
        stream: Stream,
    ) -> Result {
        if part.bytes == 0 {
            return Ok(());
        }
        let transfer = self.transfer_to_symbol(part, from, kind)?;
        self.copy_async(transfer, stream)
    }

    /// A copy to a part of a variable.
    pub fn transfer_to_symbol(
        &mut self,
        part: SymbolPart,
        from: u64,
        kind: i32,
    ) -> Result<Transfer> {
        let to = self.symbol_part(part, kind, Direction::HostToDevice)?;
        let site = self.findings.site();
        if let Some((variable, _)) = self.memory.memory_at(to, self.findings.sites()) {
            let end = part.offset.saturating_add(part.bytes);
            self.record.copied_to_variable(&variable.name, variable.bytes, end, site);
        }
        Ok(Transfer::linear(to, from, part.bytes, kind))
    }

    /// `cudaMemcpyFromSymbolAsync`.
    pub fn copy_from_symbol(
        &mut self,
        to: u64,
        part: SymbolPart,
        kind: i32,
        stream: Stream,
    ) -> Result {
        if part.bytes == 0 {
            return Ok(());
        }
        let transfer = self.transfer_from_symbol(to, part, kind)?;
        self.copy_async(transfer, stream)
    }

    /// A copy from a part of a variable.
    pub fn transfer_from_symbol(
        &mut self,
        to: u64,
        part: SymbolPart,
        kind: i32,
    ) -> Result<Transfer> {
        let from = self.symbol_part(part, kind, Direction::DeviceToHost)?;
        Ok(Transfer::linear(to, from, part.bytes, kind))
    }

    /// The address of a part of a variable. `usual` is the direction that the copy is meant for.
    fn symbol_part(&mut self, part: SymbolPart, kind: i32, usual: Direction) -> Result<u64> {
        let direction = Direction::try_from(kind)?;
        check_direction(direction, usual)?;
        let address = self.symbol(part.symbol)?;
        let bytes = self.objects.variable_bytes(part.symbol)?;
        match part.offset.checked_add(part.bytes) {
            Some(end) if end <= bytes => Ok(address + part.offset),
            _ => {
                if let PointerTarget::Inside { memory, .. } = self.target_of(address) {
                    let (destination, offset) =
                        (usual == Direction::HostToDevice, part.offset as i64);
                    let (bytes, rows) = (part.bytes, None);
                    let cause = Cause::OutOfBounds { destination, bytes, rows, offset, memory };
                    self.findings.set_cause(cause);
                }
                Err(Code::INVALID_VALUE)
            }
        }
    }

    /// The address of a `__device__` or `__constant__` variable.
    pub fn symbol(&mut self, shadow: u64) -> Result<u64> {
        self.alive()?;
        self.objects.variable_address(shadow, &mut self.memory)
    }

    /// Which ends of a copy are on the device. On an H200 the direction need not fit the addresses
    /// exactly: page-locked memory may stand for the device's, and device memory for the host's.
    /// But an end that the direction places on the device must not be pageable memory.
    fn ends_on_device(&mut self, transfer: &Transfer) -> Result<OnDevice> {
        let (to, from) = (transfer.to.address, transfer.from.address);
        let reachable = |address| self.memory.owner_of(address) != MemoryOwner::Pageable;
        let direction = Direction::try_from(transfer.kind)?;
        let fits = match direction {
            Direction::HostToHost | Direction::Default => true,
            Direction::HostToDevice => reachable(to),
            Direction::DeviceToHost => reachable(from),
            Direction::DeviceToDevice => reachable(to) && reachable(from),
        };
        if !fits || to == 0 || from == 0 {
            let given = direction.name().to_owned();
            let [to, from] = [to, from].map(|address| Box::new(self.target_of(address)));
            self.findings.set_cause(Cause::WrongDirection { given, to, from });
            return Err(Code::INVALID_VALUE);
        }
        let on_device = |address| self.memory.owner_of(address) == MemoryOwner::Device;
        let ends = OnDevice { to: on_device(to), from: on_device(from) };
        if !ends.fit(direction) {
            let given = direction.name().to_owned();
            let [to, from] = [to, from].map(|address| Box::new(self.target_of(address)));
            let at = self.findings.call_site(None);
            self.findings.add(HostFindingKind::WrongDirection { given, to, from }, at, None);
        }
        Ok(ends)
    }

    /// Fails, and records why, if a box in the host's memory is not inside the page-locked memory
    /// in which it begins, or if that was freed. A `destination` is written.
    fn check_host(&mut self, region: &Region, destination: bool) -> Result {
        let address = region.layout.address;
        let bytes = region.span().ok_or(Code::INVALID_VALUE)?;
        if !self.memory.fits(region) {
            if let PointerTarget::Inside { memory, offset } = self.target_of(address) {
                let rows = region.several_rows();
                let cause = Cause::OutOfBounds { destination, bytes, rows, offset, memory };
                self.findings.set_cause(cause);
            }
            return Err(Code::INVALID_VALUE);
        }
        if self.memory.owner_of(address) == MemoryOwner::Pageable
            && let PointerTarget::Freed { memory, freed, .. } = self.target_of(address)
            && memory.kind == MemoryKind::Pinned
        {
            let kind = HostFindingKind::UseAfterFree { memory, bytes, write: destination };
            self.findings.add_about_call(kind, freed);
            return Err(Code::INVALID_VALUE);
        }
        Ok(())
    }

    /// Fails, and records why, if a box is not inside device memory. A `destination` is written.
    fn check_in_bounds(&mut self, region: &Region, destination: bool) -> Result {
        let address = region.layout.address;
        let bytes = region.span().ok_or(Code::INVALID_VALUE)?;
        if self.memory.device().holds(address, bytes) {
            return Ok(());
        }
        match self.target_of(address) {
            PointerTarget::Inside { memory, offset } => {
                let rows = region.several_rows();
                let cause = Cause::OutOfBounds { destination, bytes, rows, offset, memory };
                self.findings.set_cause(cause);
            }
            PointerTarget::Freed { memory, freed, .. } => {
                let kind = HostFindingKind::UseAfterFree { memory, bytes, write: destination };
                self.findings.add_about_call(kind, freed);
            }
            pointer => self.findings.set_cause(Cause::WrongPointer { pointer }),
        }
        Err(Code::INVALID_VALUE)
    }
}
