//! Reading and writing boxes of bytes in the device's memory and in the host's.

use super::{AddressSpace, MemoryOwner};
use crate::error::{Code, Result};
use crate::host;
use crate::runtime::memory::region::Region;

impl AddressSpace {
    /// The bytes of a box in device memory, row by row.
    pub(in crate::runtime) fn read_device(&self, from: &Region) -> Result<Vec<u8>> {
        let width = from.extent.width;
        let mut data = Vec::new();
        for row in from.rows() {
            let row = self.device.read(row, width).map_err(|_| Code::ILLEGAL_ADDRESS)?;
            if data.is_empty() {
                data = row;
            } else {
                data.extend_from_slice(&row);
            }
        }
        Ok(data)
    }

    /// Fills a box in device or host memory with bytes, row by row.
    pub(in crate::runtime) fn write(
        &mut self,
        on_device: bool,
        to: &Region,
        data: &[u8],
    ) -> Result {
        if !on_device {
            host::scatter(to, data);
            return Ok(());
        }
        for (row, bytes) in to.rows().zip(data.chunks(to.extent.width as usize)) {
            self.device.write(row, bytes).map_err(|_| Code::ILLEGAL_ADDRESS)?;
        }
        Ok(())
    }

    /// Is the region possible, and if it begins in page-locked memory, does it end there?
    pub(in crate::runtime) fn fits(&self, region: &Region) -> bool {
        let Some(span) = region.span() else { return false };
        let address = region.layout.address;
        self.pinned_at(address).is_none_or(|(start, a)| span <= a.bytes - (address - start))
    }

    /// Is this address in page-locked memory?
    pub(in crate::runtime) fn is_pinned(&self, address: u64) -> bool {
        self.owner_of(address) == MemoryOwner::Pinned
    }
}
