//! What the assembler allocates for a kernel. PTX has any number of virtual registers, so these
//! numbers are only known after an assembler has compiled it for a device.

use serde::{Deserialize, Serialize};

/// The resources of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KernelResources {
    /// Its name in PTX.
    pub name: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Static shared memory of a block in bytes.
    pub shared: u32,
    /// Local memory of a thread in bytes: arrays that do not fit into registers, spilled registers,
    /// and what called functions need.
    pub local: u32,
    /// Bytes of the instructions that store spilled registers, each counted once.
    pub spill_stores: u32,
    /// The same of the instructions that load them.
    pub spill_loads: u32,
}
