//! What a launch moves, whatever instruction moves it: counts for targets, beside those of a
//! profiler.
//!
//! [`Counters`](crate::Counters) are what Nsight Compute counts, so a load counts as a load only if
//! it is a load instruction. An atomic that adds 0 reads memory, too, and so do a texture fetch
//! and a load of a constant. A target for loads that counts instructions of one kind can be met by
//! using another kind. These counts have no such gap, and the hardware has no counters like them.

use serde::{Deserialize, Serialize};

use crate::Counters;

/// Accesses to global memory in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Moves {
    /// Requests: one per warp instruction.
    pub requests: u64,
    /// Accesses of threads: requests weighted with the lanes that take part.
    pub lanes: u64,
    /// Words of 4 bytes that these accesses need. One of 16 bytes needs four, and a byte needs one.
    pub words: u64,
    /// 32-byte sectors that the requests accessed.
    pub sectors: u64,
    /// Sectors that these requests would have accessed if the data of their lanes were packed.
    pub sectors_ideal: u64,
    /// Words of 4 bytes in these sectors that no lane accesses, because too few lanes take part.
    pub idle_words: u64,
}

impl Moves {
    /// Adds another set of counts to this one.
    pub const fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.lanes += other.lanes;
        self.words += other.words;
        self.sectors += other.sectors;
        self.sectors_ideal += other.sectors_ideal;
        self.idle_words += other.idle_words;
    }

    /// Sectors that the same accesses of threads need if they are made by as few requests as
    /// possible. A warp whose lanes access memory one after the other makes 32 requests of one
    /// sector each, and none of these requests by itself could need fewer.
    pub const fn sectors_packed(&self) -> u64 {
        self.sectors_ideal.saturating_sub(self.idle_words / 8)
    }

    /// Sectors beyond these.
    pub const fn sectors_wasted(&self) -> u64 {
        self.sectors.saturating_sub(self.sectors_packed())
    }
}

/// What instructions of every kind move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// From global memory: loads, asynchronous copies, texture fetches, surface loads, and atomics
    /// whose old value is used.
    pub loads: Moves,
    /// From constant memory. Whether these are loads of data depends on what the program keeps
    /// there ([`Observations::constant_bytes`](crate::Observations::constant_bytes)).
    pub constants: Moves,
    /// To global memory: stores, surface stores and atomics.
    pub stores: Moves,
    /// Requests of shared memory: loads, stores and atomics.
    pub shared_requests: u64,
    /// Words of 4 bytes that the lanes of these requests load, store or change.
    pub shared_words: u64,
    /// Bank conflicts of these requests. An atomic has as many as a load of the same addresses:
    /// lanes that update one word wait for each other, but not because of the banks.
    pub shared_conflicts: u64,
    /// Conditional branches, branches to an address in a table, and calls through a pointer.
    pub branches: u64,
    /// Barriers reached by warps, and arrivals at barriers in shared memory.
    pub barriers: u64,
    /// Multiplications of floating-point numbers by warps, with or without an addition, each of one
    /// product for each lane. An instruction for pairs of halves isn't among them.
    pub single_products: u64,
}

impl Traffic {
    /// The traffic of code with these counts, if it moves data only by loads and stores. Words of
    /// shared memory and products aren't known.
    pub fn of_loads_and_stores(c: &Counters) -> Self {
        Self {
            loads: Moves {
                requests: c.load_requests,
                lanes: c.thread_loads,
                words: c.thread_loads,
                sectors: c.load_sectors,
                sectors_ideal: c.load_sectors_ideal,
                idle_words: 0,
            },
            stores: Moves {
                requests: c.store_requests,
                lanes: 0,
                words: 0,
                sectors: c.store_sectors,
                sectors_ideal: c.store_sectors_ideal,
                idle_words: 0,
            },
            shared_requests: c.shared_requests,
            shared_conflicts: c.shared_conflicts(),
            branches: c.branches,
            barriers: c.barriers,
            ..Self::default()
        }
    }

    /// Adds another set of counts to this one.
    pub const fn add(&mut self, other: &Self) {
        self.loads.add(&other.loads);
        self.constants.add(&other.constants);
        self.stores.add(&other.stores);
        self.shared_requests += other.shared_requests;
        self.shared_words += other.shared_words;
        self.shared_conflicts += other.shared_conflicts;
        self.branches += other.branches;
        self.barriers += other.barriers;
        self.single_products += other.single_products;
    }
}
