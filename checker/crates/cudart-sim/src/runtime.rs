//! The state behind the runtime's functions: one simulated device, its memory, its streams, the program's kernels.

mod conflicts;
mod copies;
mod events;
mod facts;
mod findings;
mod kernels;
mod memory;
mod shared;
mod sites;
mod work;

use std::collections::BTreeMap;

use ptxsim::{Diagnose, Memory};

use crate::clock::Clock;
use crate::error::{Code, Result};
use crate::graph::{Graph, Id, Stream};
use crate::report::{Place, Pointer};
pub use copies::{Direction, Transfer};
pub use kernels::{Kernel, LaunchShape};
pub use sites::{Frames, frames_at};
pub use work::HostCall;

use conflicts::Done;
use events::Event;
use facts::Facts;
use findings::Findings;
use kernels::{Binary, Variable};
use memory::Allocation;
use shared::Guarded;
use sites::{Site, Sites};
use work::Task;

/// How programs are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// What is observed of kernels.
    pub diagnose: Diagnose,
    /// Reorders blocks and warps.
    pub seed: u64,
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
            threads: usual.threads,
            budget: usual.budget,
        }
    }
}

/// One launch, and what was seen of it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Launched {
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
    pub strangers: Vec<(usize, Pointer)>,
    /// What was seen; of a launch that was refused, nothing.
    pub seen: ptxsim::Observations,
    /// Why it was not run.
    pub refused: Option<String>,
    /// The stream's number; 0 is the default stream.
    pub stream: u64,
    /// The call that asked for it.
    pub at: Option<Place>,
    /// Its span in the timeline; none when it ended the context.
    pub span: Option<usize>,
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
    /// What was freed, device memory or page-locked, and where; until the address is somebody else's.
    freed: BTreeMap<u64, (Allocation, Site)>,
    binaries: Vec<Binary>,
    /// By the address of the kernel's host function.
    kernels: BTreeMap<u64, Kernel>,
    /// By the address of the variable's host shadow.
    variables: BTreeMap<u64, Variable>,
    graph: Graph<Task>,
    clock: Clock,
    events: Vec<Option<Event>>,
    configurations: Vec<(LaunchShape, Stream, Site)>,
    /// Where the launch that `<<<...>>>` has begun was written.
    configured: Option<Site>,
    /// The function of the runtime that the program is in, and where that was called, once somebody asked.
    calling: (&'static str, Option<Site>),
    sites: Sites,
    facts: Facts,
    findings: Findings,
    /// Work that has been done, as long as other work may not be ordered with it.
    done: Vec<Done>,
    launched: Vec<Launched>,
    output: String,
    last: Option<Code>,
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
                self.last = Some(code);
                self.failed(code);
                code
            }
        }
    }

    /// `cudaGetLastError`, or without `forget` `cudaPeekAtLastError`. An error that ended the context stays.
    pub fn last_error(&mut self, forget: bool) -> Code {
        self.looked();
        let last = if forget { self.last.take() } else { self.last };
        self.lost.or(last).unwrap_or(Code::SUCCESS)
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
        self.clock.hear(self.clock.end(id));
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
        self.clock.hear(self.clock.last());
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
        let end = self.perform(step);
        self.clock.hear(end);
        self.alive()?;
        Err(Code::NOT_READY)
    }

    /// `cudaStreamCreateWithFlags`.
    pub fn create_stream(&mut self, blocking: bool) -> Result<Stream> {
        self.alive()?;
        self.facts.streams += 1;
        Ok(self.graph.create(blocking))
    }

    /// `cudaStreamDestroy`.
    pub fn destroy_stream(&mut self, stream: Stream) -> Result {
        self.alive()?;
        if self.graph.destroy(stream) { Ok(()) } else { Err(Code::INVALID_RESOURCE_HANDLE) }
    }

    /// What kernels have printed since the last call.
    pub fn take_output(&mut self) -> String {
        std::mem::take(&mut self.output)
    }
}
