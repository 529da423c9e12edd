//! Allocating and freeing device, page-locked, managed and stream-ordered memory.

use super::Runtime;
use super::findings::sites::SiteId;
use super::memory::pools::PoolHandle;
use super::memory::shared::MemoryLocation;
use super::work::Work;
use crate::error::{Code, Result};
use crate::graph::Stream;
use crate::report::{Cause, HostFindingKind, MemoryKind, PointerTarget};

impl Runtime {
    /// `cudaMalloc`. An allocation of 0 bytes succeeds with address 0.
    pub fn malloc(&mut self, bytes: u64) -> Result<u64> {
        if bytes == 0 {
            return Ok(0);
        }
        self.alive()?;
        let site = self.findings.site();
        self.memory.allocate(bytes, site).inspect_err(|_| {
            let (free, capacity) = self.memory.info();
            let adjustable = self.settings.memory_adjustable;
            let cause = Cause::OutOfMemory { bytes, free, capacity, adjustable };
            self.findings.set_cause(cause);
        })
    }

    /// `cudaFree`, which waits for the device first.
    pub fn free(&mut self, address: u64) -> Result {
        self.alive()?;
        if address == 0 {
            return Ok(());
        }
        self.note_freeing_wait();
        self.synchronize_device()?;
        self.memory.graph_memory.check_free_by_call(address)?;
        let site = self.findings.site();
        self.release(address, site)?;
        self.memory.pools.forget(address);
        Ok(())
    }

    /// Frees device memory for the call at `site`, and returns its bytes.
    fn release(&mut self, address: u64, site: SiteId) -> Result<u64> {
        match self.memory.release(address, site) {
            Some(released) => released,
            None => Err(self.report_invalid_free(address)),
        }
    }

    /// Reports that the program frees what it cannot free. Returns the error for the program.
    fn report_invalid_free(&mut self, address: u64) -> Code {
        match self.target_of(address) {
            PointerTarget::Freed { memory, freed, .. } if self.memory.was_freed(address) => {
                self.findings.add_about_call(
                    HostFindingKind::DoubleFree { memory, never_freed: None },
                    freed,
                );
            }
            pointer => {
                self.findings.add_about_call(HostFindingKind::InvalidFree { pointer }, None);
            }
        }
        Code::INVALID_VALUE
    }

    /// `cudaHostAlloc`.
    pub fn malloc_host(&mut self, bytes: u64, flags: u32) -> Result<u64> {
        self.alive()?;
        let site = self.findings.site();
        self.memory.allocate_pinned(bytes, flags, site)
    }

    /// `cudaFreeHost`, which waits for the device first.
    pub fn free_host(&mut self, address: u64) -> Result {
        self.note_freeing_wait();
        self.synchronize_device()?;
        if !self.memory.is_pinned_allocation(address) {
            return Err(self.report_invalid_free(address));
        }
        let site = self.findings.site();
        self.memory.free_pinned(address, site)
    }

    /// `cudaHostRegister`.
    pub fn register_host(&mut self, address: u64, bytes: u64, flags: u32) -> Result {
        self.alive()?;
        let site = self.findings.site();
        self.memory.register_host(address, bytes, flags, site)
    }

    /// `cudaHostUnregister`, which waits for the device first. The program keeps the memory.
    pub fn unregister_host(&mut self, address: u64) -> Result {
        self.alive()?;
        self.memory.check_registered(address)?;
        self.note_freeing_wait();
        self.synchronize_device()?;
        self.memory.unregister_host(address);
        Ok(())
    }

    /// `cudaMallocManaged`. An allocation of 0 bytes succeeds with address 0.
    pub fn malloc_managed(&mut self, bytes: u64) -> Result<u64> {
        let address = self.malloc(bytes)?;
        if address != 0 {
            self.memory.make_managed(address, bytes)?;
        }
        Ok(address)
    }

    /// Makes a `__managed__` variable managed memory that keeps its initial contents. Returns its
    /// address.
    pub fn map_variable(&mut self, shadow: u64) -> Option<u64> {
        let address = self.symbol(shadow).ok()?;
        let bytes = self.objects.variable_bytes(shadow).ok()?;
        self.memory.make_variable_managed(address, bytes).then_some(address)
    }

    /// `cudaMemPrefetchAsync`. On a GPU it only changes the time, which is not simulated, so this
    /// only checks the arguments.
    pub fn prefetch(
        &mut self,
        address: u64,
        bytes: u64,
        location: MemoryLocation,
        stream: Stream,
    ) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        self.memory.advise(address, bytes, location)
    }

    /// `cudaStreamAttachMemAsync`, for a whole managed allocation (0 bytes mean all of it).
    pub fn attach(&mut self, address: u64, bytes: u64, stream: Stream) -> Result {
        self.alive()?;
        self.streams.check(stream)?;
        let allocation = self.memory.allocation_at(address).ok_or(Code::INVALID_VALUE)?;
        let whole = bytes == 0 || bytes == allocation.bytes;
        if allocation.kind == MemoryKind::Managed && whole {
            Ok(())
        } else {
            Err(Code::INVALID_VALUE)
        }
    }

    /// `cudaMallocAsync`, `cudaMallocFromPoolAsync`.
    pub fn malloc_async(&mut self, bytes: u64, pool: PoolHandle, stream: Stream) -> Result<u64> {
        self.alive()?;
        self.check_stream(stream)?;
        self.memory.pools.check(pool)?;
        if bytes == 0 {
            return Ok(0);
        }
        if let Some(address) = self.capture_allocation(bytes, stream)? {
            return Ok(address);
        }
        self.refuse_implicit_wait(stream)?;
        self.refuse_beside_captures()?;
        let address = self.malloc(bytes).or_else(|_| {
            // pending calls of cudaFreeAsync make room when they are done
            self.synchronize_device()?;
            self.malloc(bytes)
        })?;
        self.memory.pools.allocated(address, bytes, pool);
        Ok(address)
    }

    /// `cudaFreeAsync`. As on an H200, it can free any device memory except managed memory.
    pub fn free_async(&mut self, address: u64, stream: Stream) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        if address == 0 {
            return Ok(());
        }
        if self.capture_free(address, stream)? {
            return Ok(());
        }
        self.refuse_implicit_wait(stream)?;
        self.refuse_beside_captures()?;
        let allocation = self.memory.allocation_at(address).ok_or(Code::INVALID_VALUE)?;
        let (kind, bytes) = (allocation.kind, allocation.bytes);
        if kind == MemoryKind::Managed {
            return Err(Code::NOT_SUPPORTED);
        }
        if self.memory.graph_memory.bytes(address).is_some() {
            self.memory.graph_memory.check_free_by_call(address)?;
            self.memory.graph_memory.start_freeing(address)?;
        } else {
            self.memory.pools.start_freeing(address, bytes)?;
        }
        self.enqueue(stream, Work::Free(address));
        Ok(())
    }

    /// Does the work that `cudaFreeAsync` enqueued at `site`.
    pub(super) fn free_from_pool(&mut self, address: u64, site: SiteId) -> Result {
        let bytes = self.release(address, site)?;
        self.memory.pools.freed(address, bytes);
        Ok(())
    }
}
