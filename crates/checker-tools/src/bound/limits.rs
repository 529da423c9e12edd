//! What a card can do in a second, and so the least time for a kernel's work.
//!
//! The figures of memory, caches and atomics were measured on an H200 (`proof/records/limits.cu`
//! measures them again). An H100 has the same multiprocessors and another device memory, so its
//! figures of device memory are smaller, by the ratio of the bandwidths in NVIDIA's data sheets
//! (3.35 and 4.8 TB/s). Latencies are smaller than the measured averages (40, 342 and 655 cycles),
//! because a part of L2 and of device memory is near.

use serde::{Deserialize, Serialize};

use super::Work;

/// Multiprocessors of both cards.
const MULTIPROCESSORS: f64 = 132.0;
/// Cycles in a second, at the highest clock rate of both cards.
const CLOCK: f64 = 1.98e9;
/// Bytes of L2 of an H100.
const L2_BYTES: f64 = 50.0 * 1024.0 * 1024.0;
/// Bytes of L1 that are not shared memory.
const L1_BYTES: f64 = 200e3;
/// Bytes in a second that L2 delivers or takes; sectors that are alone in their lines; stores that
/// fill a sector in part.
const L2_BANDWIDTH: f64 = 7.2e12;
const L2_SINGLE_SECTORS: f64 = 134e9;
const L2_PARTIAL_STORES: f64 = 72e9;
/// Atomic operations in a second on one word, and sectors of atomic operations anywhere in L2.
const ATOMICS: f64 = 1.4e9;
const ATOMIC_SECTORS: f64 = 103e9;
/// Cycles from a load to its value, from L1, L2 and device memory.
const LATENCY: [f64; 3] = [38.0, 250.0, 550.0];
/// The share of the PTX's instructions that is left after the assembler at least.
const INSTRUCTIONS: f64 = 0.75;
/// Instructions that a multiprocessor issues in a cycle.
const ISSUED: f64 = 4.0;

/// A card whose bounds are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Card {
    /// "H100".
    pub name: &'static str,
    /// Bytes in a second that device memory delivers or takes.
    pub memory: f64,
    /// Single sectors in a second that device memory delivers.
    single_sectors: f64,
    /// Sectors in a second that a store fills in part, so that the rest has to be read.
    partial_stores: f64,
}

impl Card {
    /// Seconds in which device memory can deliver or take so many bytes, if L2 had as many of them
    /// as it can.
    pub fn least_copy(&self, bytes: f64) -> f64 {
        (bytes - L2_BYTES).max(0.0) / self.memory
    }
}

const H200: Card =
    Card { name: "H200", memory: 4.39e12, single_sectors: 35e9, partial_stores: 15.8e9 };
const H100: Card = Card {
    name: "H100",
    memory: H200.memory * 3.35 / 4.8,
    single_sectors: H200.single_sectors * 3.35 / 4.8,
    partial_stores: H200.partial_stores * 3.35 / 4.8,
};

/// The cards whose bounds are known.
pub const CARDS: [Card; 2] = [H100, H200];

/// What can limit a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The instructions that the schedulers can issue.
    Instructions,
    /// The wavefronts of shared memory.
    SharedMemory,
    /// The lines and sectors that L1 can look up and deliver.
    L1,
    /// The same for one block, which only one multiprocessor can execute.
    BusiestBlock,
    /// The bandwidth of L2.
    L2,
    /// The bandwidth of device memory.
    DeviceMemory,
    /// Loads of single sectors from device memory.
    SingleSectors,
    /// Stores that fill a sector only in part.
    PartialStores,
    /// Atomic operations on device memory, above all those on one word.
    Atomics,
    /// Warps that wait for loads.
    Latency,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Instructions,
        Self::SharedMemory,
        Self::L1,
        Self::BusiestBlock,
        Self::L2,
        Self::DeviceMemory,
        Self::SingleSectors,
        Self::PartialStores,
        Self::Atomics,
        Self::Latency,
    ];

    /// Seconds that a launch with this work takes at least because of this limit.
    fn seconds(self, work: &Work, card: &Card) -> f64 {
        let footprint = (work.read_sectors + work.written_sectors) * 32.0;
        let fits_l2 = footprint <= L2_BYTES;
        // spilled registers beyond L1, and their memory if L2 can't hold that of all threads
        let spilled = work.spilled_bytes * (1.0 - L1_BYTES / work.resident_local.max(L1_BYTES));
        let spills_beyond_l2 =
            work.spilled_bytes > 0.0 && work.resident_local * MULTIPROCESSORS > L2_BYTES;
        let cycles = CLOCK * MULTIPROCESSORS;
        match self {
            Self::Instructions => work.instructions * INSTRUCTIONS / ISSUED / cycles,
            Self::SharedMemory => work.wavefronts / cycles,
            Self::L1 => {
                let delivered = (work.sectors / 4.0).max(work.spilled_bytes / 128.0);
                delivered.max(work.requests).max(work.l1_turns) / cycles
            }
            Self::BusiestBlock => work.busiest_block_turns / CLOCK,
            Self::L2 => {
                let bytes = (work.l1_sectors + work.stored_sectors) * 32.0 + spilled;
                (bytes / L2_BANDWIDTH).max(work.l1_single_sectors / L2_SINGLE_SECTORS)
            }
            Self::DeviceMemory => {
                let local = if spills_beyond_l2 { 2.0 * work.local } else { 0.0 };
                card.least_copy(footprint) + local / card.memory
            }
            Self::SingleSectors if fits_l2 => 0.0,
            Self::SingleSectors => work.read_single_sectors / card.single_sectors,
            Self::PartialStores if fits_l2 => work.partial_stores / L2_PARTIAL_STORES,
            Self::PartialStores => work.partial_stores / card.partial_stores,
            Self::Atomics => {
                (work.busiest_word / ATOMICS).max(work.atomic_sectors / ATOMIC_SECTORS)
            }
            Self::Latency => {
                let share = |loads: f64| (loads / work.loads.max(1.0)).min(1.0);
                let beyond_l2 = if fits_l2 { 0.0 } else { share(work.loads_beyond_l2) };
                let [l1, l2, memory] = LATENCY;
                let latency =
                    l1 + (l2 - l1) * share(work.loads_beyond_l1) + (memory - l2) * beyond_l2;
                let resident = (MULTIPROCESSORS * work.resident_warps).min(work.warps);
                work.waits * latency / resident.max(1.0) / CLOCK
            }
        }
    }
}

/// The least time that a kernel, or all kernels of a program, can take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bound {
    /// The sum of the launches' bounds in seconds.
    pub seconds: f64,
    /// What each limit alone would take, for all launches; the greatest first.
    pub limits: Vec<Alone>,
}

/// The time that one limit alone would take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Alone {
    /// The limit.
    pub limit: Limit,
    /// Its time in seconds.
    pub seconds: f64,
}

impl Bound {
    /// The bound of these launches on a card.
    pub fn of(launches: &[Work], card: &Card) -> Self {
        let mut limits = Limit::ALL.map(|limit| Alone { limit, seconds: 0.0 });
        let mut seconds = 0.0;
        for work in launches {
            let mut longest = 0.0_f64;
            for Alone { limit, seconds } in &mut limits {
                let alone = limit.seconds(work, card);
                *seconds += alone;
                longest = longest.max(alone);
            }
            seconds += longest;
        }
        limits.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        Self { seconds, limits: limits.to_vec() }
    }

    /// What limits the kernels most.
    pub fn limiter(&self) -> Limit {
        self.limits.first().map_or(Limit::DeviceMemory, |first| first.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each limit is reached by work of its kind, at the rate that the card has.
    #[test]
    fn a_launch_takes_as_long_as_its_longest_limit() {
        let sectors = 4.39e12 / 32.0 + L2_BYTES / 32.0;
        let streams = Work { read_sectors: sectors, ..Work::default() };
        let bound = Bound::of(&[streams], &H200);
        assert!((bound.seconds - 1.0).abs() < 1e-9, "{bound:?}");
        assert_eq!(bound.limiter(), Limit::DeviceMemory);
        assert!((Bound::of(&[streams, streams], &H200).seconds - 2.0).abs() < 1e-9);

        let atomics = Work { busiest_word: 2.8e9, ..streams };
        let bound = Bound::of(&[atomics], &H200);
        assert_eq!((bound.seconds, bound.limiter()), (2.0, Limit::Atomics));
        assert!((Bound::of(&[streams], &H100).seconds - 4.8 / 3.35).abs() < 1e-9);
    }

    /// Arrays that L2 can hold may come from there.
    #[test]
    fn small_arrays_need_no_device_memory() {
        let small = Work { read_sectors: 1000.0, partial_stores: 72e9, ..Work::default() };
        let bound = Bound::of(&[small], &H100);
        assert_eq!((bound.seconds, bound.limiter()), (1.0, Limit::PartialStores));
    }

    /// Few warps wait longer: each has to wait for all of its loads.
    #[test]
    fn waits_are_shared_by_the_resident_warps() {
        let waits = |warps, resident_warps| {
            let work = Work { waits: 1e9, loads: 1e9, warps, resident_warps, ..Work::default() };
            Bound::of(&[work], &H100).seconds
        };
        assert!((waits(1.0, 64.0) - 38.0e9 / CLOCK).abs() < 1e-9);
        assert!((waits(1e6, 64.0) * MULTIPROCESSORS * 64.0 - 38.0e9 / CLOCK).abs() < 1e-6);
        assert!(waits(1e6, 32.0) > waits(1e6, 64.0));
    }
}
