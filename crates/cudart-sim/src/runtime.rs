//! The state behind the runtime's functions: one simulated device, its memory, its streams, the program's kernels.

mod arrays;
mod conflicts;
mod copies;
mod device;
mod events;
mod facts;
mod findings;
mod functions;
mod kernels;
mod memory;
mod objects;
mod pinned;
mod pools;
pub mod properties;
mod region;
mod shaped;
mod shared;
mod sites;
mod streams;
mod threads;
mod work;

use std::collections::BTreeMap;
use std::num::NonZero;

use ptxsim::{Diagnose, Memory};

use crate::clock::Clock;
use crate::error::{Code, Result};
use crate::graph::{Graph, Id, Stream};
use crate::report::{self, CallSite, PointerTarget};
pub use arrays::{Array, ArrayHandle, Channels, Part};
pub use copies::{Direction, SymbolPart, Transfer};
pub use functions::FunctionAttributes;
pub use kernels::{Kernel, LaunchShape};
pub use objects::{Look, Source};
pub use pinned::{PointerAttributes, may_pin};
pub use pools::{DEFAULT_POOL, PoolHandle, PoolValue, is_int};
pub use region::{Extent, Region, Rows};
pub use shaped::{BoxCopy, BoxEnd, Pitched};
pub use sites::{Frames, frames_at, stopped};
pub use streams::StreamKind;
pub use threads::own_stream;
pub use work::HostCall;

use conflicts::Done;
use events::Event;
use facts::Facts;
use findings::Findings;
use kernels::{Binary, Variable};
use memory::Allocation;
use pools::Pools;
use shared::Guarded;
use sites::{Site, Sites};
use threads::Threads;
use work::Task;

/// How programs are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// What is observed of kernels.
    pub diagnose: Diagnose,
    /// Reorders blocks and warps.
    pub seed: u64,
    /// Chooses among the orders in which streams may work: 0 is as late as the program's own waits allow.
    pub order: u64,
    /// Host threads for kernels.
    pub threads: usize,
    /// Warp instructions of a kernel before it counts as endless.
    pub budget: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let usual = ptxsim::Options::default();
        Self {
            diagnose: usual.diagnose,
            seed: usual.seed,
            order: 0,
            threads: usual.threads,
            budget: usual.budget,
        }
    }
}

/// One launch, and what was seen of it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LaunchRecord {
    /// The kernel, without its parameters.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Arrays that arguments point to: the argument's number, and the array's name in findings.
    pub arrays: Vec<(usize, String)>,
    /// What those arguments are that look like addresses and are none of the device's memory, where that matters to a
    /// finding.
    pub foreign_arguments: Vec<(usize, PointerTarget)>,
    /// Memory that findings name and no argument points to: it came in a structure, or from other memory.
    pub indirect: Vec<report::Memory>,
    /// What was seen; of a launch that was refused, nothing.
    pub observations: ptxsim::Observations,
    /// Cause it was not run.
    pub refusal: Option<String>,
    /// The stream's number; 0 is the default stream.
    pub stream: u64,
    /// The call that asked for it.
    pub at: Option<CallSite>,
    /// Its span in the timeline; none when it ended the context.
    pub span: Option<usize>,
}

/// A texture or surface object, as the program described it.
#[derive(Debug, Clone, Copy)]
struct Object {
    source: Source,
    /// None of a surface.
    look: Option<Look>,
    /// Where it was made.
    site: Site,
}

/// The runtime.
#[derive(Debug, Default)]
pub struct Runtime {
    settings: Settings,
    memory: Memory,
    /// Device memory that `cudaMalloc` gave and nobody has freed, by address.
    allocations: BTreeMap<u64, Allocation>,
    /// Page-locked host memory, by address.
    pinned: BTreeMap<u64, Allocation>,
    /// `__managed__` variables that have pages of the host's, by address.
    managed_variables: BTreeMap<u64, Allocation>,
    /// Work that pages of the host's are closed for.
    guarded: BTreeMap<Id, Guarded>,
    /// With which flags memory was page-locked.
    pinned_flags: BTreeMap<u64, u32>,
    /// What was freed, device memory or page-locked, and where; until the address is somebody else's.
    freed: BTreeMap<u64, (Allocation, Site)>,
    /// Arrays that nobody has freed, and how many there have been.
    arrays: BTreeMap<ArrayHandle, Array>,
    arrays_made: u64,
    /// Textures and surfaces, by their handles.
    objects: BTreeMap<u64, Object>,
    binaries: Vec<Binary>,
    /// By the address of the kernel's host function.
    kernels: BTreeMap<u64, Kernel>,
    /// By the address of the variable's host shadow.
    variables: BTreeMap<u64, Variable>,
    graph: Graph<Task>,
    clock: Clock,
    events: Vec<Option<Event>>,
    /// How streams were made.
    streams: BTreeMap<Stream, StreamKind>,
    pools: Pools,
    /// Where `cudaMallocAsync` takes memory, if not from the device's own pool.
    current_pool: Option<PoolHandle>,
    /// Limits that the program has set.
    limits: BTreeMap<i32, u64>,
    /// `cudaDeviceSetCacheConfig`, `cudaSetDeviceFlags`.
    cache: i32,
    device_flags: u32,
    /// Has a kernel printed anything?
    printed: bool,
    /// Objects that were destroyed, for the simulator once nothing is left to do.
    dying: Vec<u64>,
    threads: Threads,
    /// The function of the runtime that the program is in, and where that was called, once somebody asked.
    calling: (&'static str, Option<Site>),
    sites: Sites,
    facts: Facts,
    findings: Findings,
    /// Work that has been done, as long as other work may not be ordered with it.
    done: Vec<Done>,
    launched: Vec<LaunchRecord>,
    output: String,
    /// How often something was drawn from the seed.
    drawn: u64,
    /// The error that ended the context.
    lost: Option<Code>,
}

impl Runtime {
    /// A runtime with these settings, before the program has called anything.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// What a function returns is also what `cudaGetLastError` returns next.
    pub fn note(&mut self, result: Result) -> Code {
        match result {
            Ok(()) => {
                self.succeeded();
                Code::SUCCESS
            }
            Err(Code::NOT_READY) => Code::NOT_READY,
            Err(code) => {
                self.mine().last = Some(code);
                self.failed(code);
                code
            }
        }
    }

    /// With a seed: a device that does some of its work by now, in one of the orders in which it may.
    fn wander(&mut self) {
        while self.settings.order != 0 && self.lost.is_none() && self.draw(2) == 0 {
            let ready = self.graph.ready();
            let Some(count) = NonZero::new(ready.len() as u64) else { return };
            let id = ready[self.draw(count.get()) as usize];
            if let Some(step) = self.graph.step(id) {
                self.perform(step);
            }
        }
    }

    /// The next number below `limit` that the seed gives (SplitMix64).
    fn draw(&mut self, limit: u64) -> u64 {
        self.drawn = self.drawn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.settings.order.wrapping_add(self.drawn);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31) % limit
    }

    /// What a context that was lost answers to everything.
    pub(crate) fn alive(&self) -> Result {
        self.lost.map_or(Ok(()), Err)
    }

    /// Waits for a piece of work and all that it needs.
    fn finish(&mut self, id: Id) -> Result {
        while let Some(step) = self.graph.step(id) {
            self.perform(step);
        }
        self.pools.settle();
        let end = self.clock.end(id);
        self.clock.hear(end, self.graph.oldest().is_none());
        self.graph.heard(id);
        self.settle();
        self.alive()
    }

    /// `cudaStreamSynchronize`.
    pub fn synchronize(&mut self, stream: Stream) -> Result {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        self.graph.last(stream).map_or(Ok(()), |id| self.finish(id))
    }

    /// `cudaDeviceSynchronize`, and the end of the program.
    pub fn synchronize_device(&mut self) -> Result {
        self.alive()?;
        while let Some(step) = self.graph.step_any() {
            self.perform(step);
        }
        for handle in std::mem::take(&mut self.dying) {
            self.memory.destroy_object(handle);
        }
        self.pools.settle();
        let end = self.clock.last();
        self.clock.hear(end, true);
        self.graph.heard_all();
        self.settle();
        self.alive()
    }

    /// `cudaStreamQuery`: somebody who asks again and again gets on, one piece of work at a time.
    pub fn query(&mut self, stream: Stream) -> Result {
        self.alive()?;
        if !self.graph.exists(stream) {
            return Err(Code::INVALID_RESOURCE_HANDLE);
        }
        self.graph.last(stream).map_or(Ok(()), |id| self.ask_about(id))
    }

    /// Is this work done? If not, the next step towards it is.
    fn ask_about(&mut self, id: Id) -> Result {
        let Some(step) = self.graph.step(id) else {
            self.graph.heard(id);
            self.settle();
            return Ok(());
        };
        let id = step.id;
        self.perform(step);
        let end = self.clock.end(id);
        self.clock.hear(end, self.graph.oldest().is_none());
        self.alive()?;
        Err(Code::NOT_READY)
    }

    /// What kernels have printed since the last call.
    pub fn take_output(&mut self) -> String {
        std::mem::take(&mut self.output)
    }
}
