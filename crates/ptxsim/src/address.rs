//! The layout of generic addresses: one 64 GiB slot per allocation, its base in the middle.
//!
//! An access that misses its array by less than 32 GiB, on either side, still lands in the array's
//! own slot. So every out-of-bounds access is found, even one that would hit a neighbouring
//! allocation on a GPU, and is reported with the array's name and index.

/// Bits of a slot.
pub(crate) const SLOT_BITS: u32 = 36;
/// Offset of an allocation's base in its slot.
pub(crate) const MIDDLE: u64 = 1 << (SLOT_BITS - 1);

/// Slots that are windows onto the other state spaces.
pub(crate) const SHARED_SLOT: u64 = 1 << 24;
pub(crate) const LOCAL_SLOT: u64 = SHARED_SLOT + 1;
pub(crate) const FUNCTION_SLOT: u64 = SHARED_SLOT + 2;
/// Handles of textures, and in the next slot of surfaces. They are not addresses, but must not
/// equal one either.
pub(crate) const HANDLE_SLOT: u64 = SHARED_SLOT + 3;

/// A state space of which each block or thread has its own part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Shared memory of a block.
    Shared,
    /// Local memory of a thread.
    Local,
}

impl Window {
    /// The state space that a generic address belongs to, if it is not global memory (PTX ISA,
    /// "Generic Addressing").
    pub const fn of(address: u64) -> Option<Self> {
        match split(address).0 {
            SHARED_SLOT => Some(Self::Shared),
            LOCAL_SLOT => Some(Self::Local),
            _ => None,
        }
    }
}

/// The address of byte 0 of a slot's allocation.
pub(crate) const fn base(slot: u64) -> u64 {
    (slot << SLOT_BITS) + MIDDLE
}

/// Slot and signed byte offset of an address.
pub(crate) const fn split(address: u64) -> (u64, i64) {
    (address >> SLOT_BITS, (address & ((1 << SLOT_BITS) - 1)) as i64 - MIDDLE as i64)
}
