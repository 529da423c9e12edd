//! Which copies and sets the host waits for (CUDA Runtime API, "API synchronization behavior"). A
//! name without `Async` does not say that.

use super::Runtime;
use super::memory::MemoryOwner;
use crate::error::Result;
use crate::graph::Stream;

/// What a copy or a set accesses, as far as waiting depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Device,
    /// Managed memory, which that page calls Unified Memory.
    Managed,
    Pinned,
    Pageable,
}

impl End {
    const fn is_host(self) -> bool {
        matches!(self, Self::Pinned | Self::Pageable)
    }
}

/// Does a copy whose name does not end in `Async` return when it is done? A copy of pageable memory
/// to the device may return when that memory has been read, but later work of the device then still
/// finds the copied data on every GPU, so the host counts as having waited.
const fn copy_waits(to: End, from: End) -> bool {
    !matches!((to, from), (End::Device, End::Device))
}

/// Does an `Async` copy return when it is done? Those between the device and pageable memory may do
/// so. To pageable memory they do, because the driver has to copy the data there itself.
const fn async_copy_waits(to: End, from: End) -> bool {
    matches!(to, End::Pageable) || to.is_host() && from.is_host()
}

/// Does a set whose name does not end in `Async` return when it is done? An `Async` set never
/// waits.
const fn set_waits(to: End) -> bool {
    matches!(to, End::Pinned | End::Managed)
}

impl Runtime {
    fn end_of(&self, address: u64) -> End {
        match self.memory.owner_of(address) {
            MemoryOwner::Pinned => End::Pinned,
            MemoryOwner::Pageable => End::Pageable,
            MemoryOwner::Device if self.memory.is_shared(address) => End::Managed,
            MemoryOwner::Device => End::Device,
        }
    }

    /// Waits for a copy that was just enqueued, if its function without `Async` does.
    pub fn wait_for_copy(&mut self, to: u64, from: u64, stream: Stream) -> Result {
        if copy_waits(self.end_of(to), self.end_of(from)) {
            return self.synchronize(stream);
        }
        Ok(())
    }

    /// The same for a copy between an array, which is on the device, and other memory.
    pub fn wait_for_array_copy(&mut self, other: u64, stream: Stream) -> Result {
        if self.end_of(other) == End::Device { Ok(()) } else { self.synchronize(stream) }
    }

    /// Does an `Async` copy between these addresses wait?
    pub(super) fn async_copy_waits(&self, to: u64, from: u64) -> bool {
        async_copy_waits(self.end_of(to), self.end_of(from))
    }

    /// Waits for a set that was just enqueued, if its function without `Async` does.
    pub fn wait_for_set(&mut self, to: u64, stream: Stream) -> Result {
        if set_waits(self.end_of(to)) { self.synchronize(stream) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{End, async_copy_waits, copy_waits, set_waits};

    /// Each row of the page: the destination, the source, and whether a copy and an `Async` copy
    /// wait.
    #[test]
    fn copies_wait_as_the_documentation_says() {
        use End::{Device, Managed, Pageable, Pinned};
        let table = [
            // "For transfers from pageable host memory to device memory, a stream sync is
            // performed"
            (Device, Pageable, true, false),
            // "from pinned host memory to device memory, the function is synchronous"
            (Device, Pinned, true, false),
            // "from device to either pageable or pinned host memory [...] once the copy has
            // completed"
            (Pageable, Device, true, true),
            (Pinned, Device, true, false),
            // "from device memory to device memory, no host-side synchronization is performed"
            (Device, Device, false, false),
            // "from any host memory to any host memory, the function is fully synchronous", for
            // both
            (Pageable, Pageable, true, true),
            (Pageable, Pinned, true, true),
            (Pinned, Pageable, true, true),
            (Pinned, Pinned, true, true),
            // "All transfers involving Unified Memory regions are fully synchronous"
            (Managed, Managed, true, false),
            (Managed, Device, true, false),
            (Device, Managed, true, false),
            (Managed, Pageable, true, false),
            (Managed, Pinned, true, false),
            (Pageable, Managed, true, true),
            (Pinned, Managed, true, false),
        ];
        for (to, from, waits, async_waits) in table {
            assert_eq!(copy_waits(to, from), waits, "{from:?} to {to:?}");
            assert_eq!(async_copy_waits(to, from), async_waits, "Async, {from:?} to {to:?}");
        }
    }

    /// "The synchronous memset functions are asynchronous with respect to the host except when the
    /// target is pinned host memory or a Unified Memory region."
    #[test]
    fn sets_wait_as_the_documentation_says() {
        let table = [(End::Device, false), (End::Managed, true), (End::Pinned, true)];
        for (to, waits) in table {
            assert_eq!(set_waits(to), waits, "{to:?}");
        }
    }
}
