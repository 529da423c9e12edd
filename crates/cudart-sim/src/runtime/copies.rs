//! Copying and setting memory.

use super::memory::{Allocation, Belongs};
use super::region::{Extent, Region, Rows, joined};
use super::work::{From, Work};
use super::{Runtime, kernels::Variable};
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::host;
use crate::report::{Cause, HostFindingKind, PointerTarget};

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
    /// As the addresses say.
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
            _ => return Err(Code::INVALID_MEMCPY_DIRECTION),
        })
    }
}

/// What is copied where.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The destination.
    pub to: Rows,
    /// The source.
    pub from: Rows,
    /// How much.
    pub extent: Extent,
    /// Between what: a `cudaMemcpyKind`.
    pub kind: i32,
}

/// A part of a `__device__` or `__constant__` variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SymbolPart {
    /// The address of the variable's host shadow.
    pub symbol: u64,
    /// Where it begins.
    pub offset: u64,
    /// How much.
    pub bytes: u64,
}

impl Transfer {
    /// A plain range.
    pub const fn line(to: u64, from: u64, bytes: u64, kind: i32) -> Self {
        Self { to: Rows::line(to), from: Rows::line(from), extent: Extent::line(bytes), kind }
    }
}

impl Runtime {
    /// `cudaMemcpyAsync` and its like. Memory that is not page-locked is copied before this returns, from it, or after all
    /// that comes before in the stream, to it (CUDA Runtime API, "API synchronization behavior"). What is empty is no copy,
    /// whatever else is wrong with it.
    pub fn copy_async(&mut self, transfer: Transfer, stream: Stream) -> Result {
        if transfer.extent.is_empty() {
            return Ok(());
        }
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        let (to_device, from_device) = self.sides(&transfer)?;
        let bytes = transfer.extent.bytes().ok_or(Code::INVALID_VALUE)?;
        let (to, from) = joined(transfer.to, transfer.from, transfer.extent);
        if to_device {
            self.inside(&to, true)?;
        }
        if from_device {
            self.inside(&from, false)?;
        }
        if usize::try_from(bytes).is_err() || !self.fits(&to) || !self.fits(&from) {
            return Err(Code::INVALID_VALUE);
        }
        let source = if from_device {
            From::Device(from)
        } else if self.belongs(from.rows.address) == Belongs::Pinned {
            From::Host(from)
        } else {
            From::Staged(host::gather(&from))
        };
        let waits = !to_device && self.belongs(to.rows.address) == Belongs::Pageable;
        self.facts.copies.between(to_device, from_device).add(bytes);
        let id = self.ask(stream, Work::Copy { to_device, to, source }, &[]);
        if waits { self.finish(id) } else { Ok(()) }
    }

    /// `cudaMemcpy` and its like: done when this returns.
    pub fn copy(&mut self, transfer: Transfer, stream: Stream) -> Result {
        if transfer.extent.is_empty() {
            return Ok(());
        }
        self.copy_async(transfer, stream)?;
        self.synchronize(stream)
    }

    /// `cudaMemsetAsync` and its like.
    pub fn set_async(&mut self, to: Rows, extent: Extent, value: u8, stream: Stream) -> Result {
        if extent.is_empty() {
            return Ok(());
        }
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        let (to, _) = joined(to, to, extent);
        let on_device = match self.belongs(to.rows.address) {
            Belongs::Pageable => {
                let pointer = self.pointer(to.rows.address);
                self.because(Cause::WrongPointer { pointer });
                return Err(Code::INVALID_VALUE);
            }
            Belongs::Pinned if !self.fits(&to) => return Err(Code::INVALID_VALUE),
            Belongs::Pinned => false,
            Belongs::Device => {
                self.inside(&to, true)?;
                true
            }
        };
        self.facts.sets.add(to.bytes());
        self.ask(stream, Work::Set { to, on_device, value }, &[]);
        Ok(())
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
        let to = self.symbol_part(part, kind, Direction::HostToDevice)?;
        self.copy_async(Transfer::line(to, from, part.bytes, kind), stream)
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
        let from = self.symbol_part(part, kind, Direction::DeviceToHost)?;
        self.copy_async(Transfer::line(to, from, part.bytes, kind), stream)
    }

    /// The address of a part of a variable, for a copy that may be called so.
    fn symbol_part(&mut self, part: SymbolPart, kind: i32, usual: Direction) -> Result<u64> {
        let direction = Direction::try_from(kind)?;
        if ![usual, Direction::DeviceToDevice, Direction::Default].contains(&direction) {
            return Err(Code::INVALID_MEMCPY_DIRECTION);
        }
        let address = self.symbol(part.symbol)?;
        let all = self.symbol_bytes(part.symbol)?;
        match part.offset.checked_add(part.bytes) {
            Some(end) if end <= all => Ok(address + part.offset),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// The address of a `__device__` or `__constant__` variable.
    pub fn symbol(&mut self, shadow: u64) -> Result<u64> {
        self.alive()?;
        let Variable { binary, name, .. } =
            self.variables.get(&shadow).cloned().ok_or(Code::INVALID_SYMBOL)?;
        let module = self.module(binary)?;
        let address =
            module.variable(&mut self.memory, &name).map_err(|_| Code::MEMORY_ALLOCATION)?;
        address.ok_or(Code::INVALID_SYMBOL)
    }

    /// Bytes of a variable.
    pub fn symbol_bytes(&self, shadow: u64) -> Result<u64> {
        self.alive()?;
        self.variables.get(&shadow).map(|v| v.bytes).ok_or(Code::INVALID_SYMBOL)
    }

    /// Is the destination on the device, is the source? An H200's runtime lets the direction say less than the addresses do:
    /// page-locked memory may stand for the device's, and the device's for the host's, but what is said to be on the
    /// device must be known to it.
    fn sides(&mut self, transfer: &Transfer) -> Result<(bool, bool)> {
        let (to, from) = (transfer.to.address, transfer.from.address);
        let known = |address| self.belongs(address) != Belongs::Pageable;
        let direction = Direction::try_from(transfer.kind)?;
        let fits = match direction {
            Direction::HostToHost | Direction::Default => true,
            Direction::HostToDevice => known(to),
            Direction::DeviceToHost => known(from),
            Direction::DeviceToDevice => known(to) && known(from),
        };
        if !fits || to == 0 || from == 0 {
            let given = direction.name().to_owned();
            let [to, from] = [to, from].map(|address| Box::new(self.pointer(address)));
            self.because(Cause::WrongDirection { given, to, from });
            return Err(Code::INVALID_VALUE);
        }
        let device = |address| self.belongs(address) == Belongs::Device;
        Ok((device(to), device(from)))
    }

    /// Is there such a region, and if it begins in page-locked memory, is it inside that?
    fn fits(&self, region: &Region) -> bool {
        let Some(span) = region.span() else { return false };
        let address = region.rows.address;
        let rest = |(start, a): (u64, &Allocation)| a.bytes - (address - start);
        self.pinned_at(address).is_none_or(|pinned| span <= rest(pinned))
    }

    /// Are these bytes, which are written if they are the `destination`, inside device memory? If not, it is told why.
    fn inside(&mut self, region: &Region, destination: bool) -> Result {
        let address = region.rows.address;
        let bytes = region.span().ok_or(Code::INVALID_VALUE)?;
        if self.memory.holds(address, bytes) {
            return Ok(());
        }
        match self.pointer(address) {
            PointerTarget::Inside { memory, offset } => {
                self.because(Cause::OutOfBounds { destination, bytes, offset, memory });
            }
            PointerTarget::Freed { memory, freed } => {
                let at = self.here(None);
                let what = HostFindingKind::UseAfterFree { memory, bytes, write: destination };
                if self.found(what, at, freed).is_some() {
                    self.told();
                }
            }
            pointer => self.because(Cause::WrongPointer { pointer }),
        }
        Err(Code::INVALID_VALUE)
    }
}
