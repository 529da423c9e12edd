//! What a launch has to do: counted on two parts of it, and extrapolated.

use cudart_sim::occupancy::{BlockResources, SIMULATED};
use cudart_sim::resources::KernelResources;
use ptxsim::{LevelCounts, Observations};
use serde::{Deserialize, Serialize};

/// What one launch has to do.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Instructions of warps.
    pub instructions: f64,
    /// Turns of the banks of shared memory, atomic operations there among them.
    pub wavefronts: f64,
    /// Loads and stores of warps in device memory.
    pub requests: f64,
    /// The sectors of 32 bytes of each of them.
    pub sectors: f64,
    /// Turns of L1, as [`LevelCounts`] defines them.
    pub l1_turns: f64,
    /// Those of the block that has most of them.
    pub busiest_block_turns: f64,
    /// Sectors that stores write, counted for each store.
    pub stored_sectors: f64,
    /// Sectors that L1 can't serve, as [`LevelCounts`] defines this and the next six.
    pub l1_sectors: f64,
    /// Those that are alone in their line.
    pub l1_single_sectors: f64,
    /// Sectors that device memory delivers.
    pub read_sectors: f64,
    /// Those that are alone in their line.
    pub read_single_sectors: f64,
    /// Different sectors that stores write.
    pub written_sectors: f64,
    /// Stores that fill a sector in part.
    pub partial_stores: f64,
    /// Atomic operations on the word that has most of them.
    pub busiest_word: f64,
    /// Sectors of atomic operations on device memory.
    pub atomic_sectors: f64,
    /// Bytes that spilled registers move.
    pub spilled_bytes: f64,
    /// How often warps wait for loads.
    pub waits: f64,
    /// Loads of warps.
    pub loads: f64,
    /// Those that L1 can't serve.
    pub loads_beyond_l1: f64,
    /// Those that L2 can't serve, either.
    pub loads_beyond_l2: f64,
    /// Warps of the launch.
    pub warps: f64,
    /// Warps that a multiprocessor can have at once.
    pub resident_warps: f64,
    /// Local memory of all resident threads of a multiprocessor in bytes.
    pub resident_local: f64,
    /// Local memory of all threads in bytes.
    pub local: f64,
}

impl Work {
    /// What a launch of a part has done.
    pub fn of(seen: &Observations, block: [u32; 3], resources: Option<&KernelResources>) -> Self {
        let levels: LevelCounts = seen.levels.unwrap_or_default();
        let totals = &seen.totals;
        let threads: u32 = block.iter().product();
        let needs = BlockResources {
            threads,
            registers: resources.map(|known| known.registers),
            shared: seen.shared_bytes,
        };
        let resident_warps = f64::from(SIMULATED.occupancy(needs).warps);
        let conflicts = totals.shared_wavefronts.saturating_sub(totals.shared_wavefronts_ideal);
        let spilled = resources.map_or(0, |known| known.spill_stores + known.spill_loads);
        let local = resources.map_or(0, |known| known.local);
        let number = |count: u64| count as f64;
        let all_threads = number(seen.warps) * 32.0;
        Self {
            instructions: number(totals.instructions),
            wavefronts: number(conflicts + totals.shared_atomic_wavefronts)
                + number(levels.shared_words) / 32.0,
            requests: number(totals.load_requests + totals.store_requests),
            sectors: number(totals.load_sectors + totals.store_sectors + totals.local_sectors),
            l1_turns: number(levels.l1_turns),
            busiest_block_turns: number(levels.busiest_block_turns),
            stored_sectors: number(totals.store_sectors),
            l1_sectors: number(levels.l1_sectors),
            l1_single_sectors: number(levels.l1_single_sectors.min(levels.l1_sectors)),
            read_sectors: number(levels.read_sectors),
            read_single_sectors: number(levels.read_single_sectors.min(levels.read_sectors)),
            written_sectors: number(levels.written_sectors),
            partial_stores: number(levels.partial_stores),
            busiest_word: number(levels.busiest_word),
            atomic_sectors: number(totals.global_atomic_sectors),
            spilled_bytes: f64::from(spilled) * all_threads,
            waits: number(seen.load_waits.unwrap_or(0)),
            loads: number(totals.load_requests),
            loads_beyond_l1: number(levels.requests_beyond_l1),
            loads_beyond_l2: number(levels.requests_beyond_l2),
            warps: number(seen.warps),
            resident_warps,
            resident_local: f64::from(local) * resident_warps * 32.0,
            local: f64::from(local) * all_threads,
        }
    }

    /// What the whole launch does, from a part of it that does `1 / times` of what grows with the
    /// launch, and from a part with half of that.
    pub fn whole(part: &Self, half: &Self, times: f64) -> Self {
        part.map(half, |part, half| {
            let whole = half + (part - half) * 2.0f64.mul_add(times, -1.0);
            whole.max(part).round()
        })
    }

    /// The same work so many times.
    pub fn times(&self, times: f64) -> Self {
        self.map(self, |part, _| part * times)
    }

    /// This work with other values of what grows with a launch.
    fn map(&self, other: &Self, value: impl Fn(f64, f64) -> f64) -> Self {
        let of = |of: fn(&Self) -> f64| value(of(self), of(other));
        Self {
            instructions: of(|w| w.instructions),
            wavefronts: of(|w| w.wavefronts),
            requests: of(|w| w.requests),
            sectors: of(|w| w.sectors),
            l1_turns: of(|w| w.l1_turns),
            stored_sectors: of(|w| w.stored_sectors),
            l1_sectors: of(|w| w.l1_sectors),
            l1_single_sectors: of(|w| w.l1_single_sectors),
            read_sectors: of(|w| w.read_sectors),
            read_single_sectors: of(|w| w.read_single_sectors),
            written_sectors: of(|w| w.written_sectors),
            partial_stores: of(|w| w.partial_stores),
            busiest_word: of(|w| w.busiest_word),
            atomic_sectors: of(|w| w.atomic_sectors),
            spilled_bytes: of(|w| w.spilled_bytes),
            local: of(|w| w.local),
            waits: of(|w| w.waits),
            loads: of(|w| w.loads),
            loads_beyond_l1: of(|w| w.loads_beyond_l1),
            loads_beyond_l2: of(|w| w.loads_beyond_l2),
            warps: of(|w| w.warps),
            ..*self
        }
    }
}
