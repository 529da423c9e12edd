//! Copying and setting memory.

use super::memory::Belongs;
use super::work::{From, Work};
use super::{Runtime, kernels::Variable};
use crate::error::{Code, Result};
use crate::graph::{LEGACY, Stream};
use crate::host::Address;
use crate::report::{HostFindingKind, Pointer, Why};

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
    /// The destination's address.
    pub to: u64,
    /// The source's.
    pub from: u64,
    /// How much.
    pub bytes: u64,
    /// Between what.
    pub direction: Direction,
}

impl Runtime {
    /// `cudaMemcpyAsync`. Memory that is not page-locked is copied before this returns, from it, or after all that comes
    /// before in the stream, to it (CUDA Runtime API, "API synchronization behavior").
    pub fn copy_async(&mut self, transfer: Transfer, stream: Stream) -> Result {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        let Transfer { to, from, bytes, .. } = transfer;
        if bytes == 0 {
            return Ok(());
        }
        let (to_device, from_device) = self.sides(transfer)?;
        if to_device {
            self.inside(to, bytes, true)?;
        }
        if from_device {
            self.inside(from, bytes, false)?;
        }
        let length = usize::try_from(bytes).map_err(|_| Code::INVALID_VALUE)?;
        let source = if from_device {
            From::Device(from)
        } else if self.belongs(from) == Belongs::Pinned {
            From::Host(Address(from))
        } else {
            From::Staged(Address(from).read(length))
        };
        let waits = !to_device && self.belongs(to) == Belongs::Pageable;
        self.facts.copies.between(to_device, from_device).add(bytes);
        let id = self.ask(stream, Work::Copy { to_device, to, source, bytes }, &[]);
        if waits { self.finish(id) } else { Ok(()) }
    }

    /// `cudaMemcpy`: in the legacy default stream; done when this returns.
    pub fn copy(&mut self, transfer: Transfer) -> Result {
        self.copy_async(transfer, LEGACY)?;
        self.synchronize(LEGACY)
    }

    /// `cudaMemsetAsync`.
    pub fn set_async(&mut self, to: u64, value: u8, bytes: u64, stream: Stream) -> Result {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        if bytes == 0 {
            return Ok(());
        }
        self.inside(to, bytes, true)?;
        self.facts.sets.add(bytes);
        self.ask(stream, Work::Set { to, value, bytes }, &[]);
        Ok(())
    }

    /// The address of `offset` in a `__device__` or `__constant__` variable, of which `bytes` are wanted.
    pub fn symbol(&mut self, shadow: u64, offset: u64, bytes: u64) -> Result<u64> {
        self.alive()?;
        let Variable { binary, name, bytes: all } =
            self.variables.get(&shadow).cloned().ok_or(Code::INVALID_SYMBOL)?;
        if offset.checked_add(bytes).is_none_or(|end| end > all) {
            return Err(Code::INVALID_VALUE);
        }
        let module = self.module(binary)?;
        let address =
            module.variable(&mut self.memory, &name).map_err(|_| Code::MEMORY_ALLOCATION)?;
        address.map(|address| address + offset).ok_or(Code::INVALID_SYMBOL)
    }

    /// Bytes of a variable.
    pub fn symbol_bytes(&self, shadow: u64) -> Result<u64> {
        self.variables.get(&shadow).map(|v| v.bytes).ok_or(Code::INVALID_SYMBOL)
    }

    /// Is the destination on the device, is the source? What the program says must fit what the addresses say.
    fn sides(&mut self, transfer: Transfer) -> Result<(bool, bool)> {
        let device = |address| self.belongs(address) == Belongs::Device;
        let (to, from) = (device(transfer.to), device(transfer.from));
        let said = match transfer.direction {
            Direction::HostToHost => (false, false),
            Direction::HostToDevice => (true, false),
            Direction::DeviceToHost => (false, true),
            Direction::DeviceToDevice => (true, true),
            Direction::Default => (to, from),
        };
        if said == (to, from) {
            return Ok(said);
        }
        let said = transfer.direction.name().to_owned();
        let [to, from] =
            [transfer.to, transfer.from].map(|address| Box::new(self.pointer(address)));
        self.because(Why::Direction { said, to, from });
        Err(Code::INVALID_VALUE)
    }

    /// Are these bytes, which are written if they are the `destination`, inside device memory? If not, it is told why.
    fn inside(&mut self, address: u64, bytes: u64, destination: bool) -> Result {
        if self.memory.holds(address, bytes) {
            return Ok(());
        }
        match self.pointer(address) {
            Pointer::Inside { memory, offset } => {
                self.because(Why::Outside { destination, bytes, offset, memory });
            }
            Pointer::Freed { memory, freed } => {
                let at = self.here(None);
                let what = HostFindingKind::UseAfterFree { memory, bytes, write: destination };
                if self.found(what, at, freed).is_some() {
                    self.told();
                }
            }
            pointer => self.because(Why::Pointer { pointer }),
        }
        Err(Code::INVALID_VALUE)
    }
}
