//! The state behind the runtime's functions: one simulated device, its memory, its streams and the
//! program's kernels.
//!
//! [`Runtime`] has four main parts, each with its own state and methods: [`AddressSpace`] (memory),
//! [`Streams`] (pending work, events, order and time), [`Objects`] (kernels, variables, textures)
//! and [`Findings`] (mistakes and call sites). A function that needs one part is a method of that
//! part. The methods of [`Runtime`] are those that need several.

mod allocations;
mod copies;
mod copies2d;
mod dataflow;
mod device;
mod faults;
mod findings;
mod graphs;
pub mod handles;
mod kernels;
mod launches;
mod libraries;
mod memory;
mod objects;
mod polling;
pub mod properties;
mod record;
mod reports;
mod streams;
mod synchronous;
mod threads;
mod total;
mod traced;
mod unawaited;
mod waiting;
mod work;

use std::sync::Arc;

use ptxsim::{Diagnose, Repeats, Snapshots};

use crate::error::{self, Code, Result};
use crate::graph::{Id, Stream};
use crate::report::{self, CallSite, Cause, Crash, ForeignArgument, PointerTarget};
pub use copies::{Direction, SymbolPart, Transfer};
pub use dataflow::{HostWritten, RecordedArgument, WatchedArray, Watching};
pub use device::DeviceSettings;
pub use faults::MachineFault;
pub use findings::Findings;
pub(crate) use findings::sites::ProgramFrames;
pub use findings::sites::{Frames, MAX_FRAMES, find_own_code, innermost_line};
pub use graphs::{ExecHandle, GraphHandle, Graphs, Node, NodeFunction, NodeHandle, NodeWork};
pub use launches::{LaunchRequest, LaunchShape};
pub use memory::arrays::{Array, ArrayHandle, ArrayPart, ChannelFormat};
pub use memory::copies3d::{Copy3d, Copy3dEnd, PitchedPointer};
pub use memory::pinned::{PointerAttributes, valid_alloc_flags};
pub use memory::pools::{DEFAULT_POOL, PoolHandle, PoolValue, is_int};
pub use memory::region::{Extent, Region, RowLayout};
pub use memory::shared::MemoryLocation;
pub use memory::{AddressSpace, GraphMemory, MemoryOwner, Pools};
pub use objects::functions::FunctionAttributes;
pub use objects::textures::{TexelSource, TextureSettings};
pub use objects::{Kernel, Objects};
pub use streams::{StreamKind, Streams};
pub use threads::own_stream;
pub use total::total_of;
pub use traced::{LaunchChoice, TracedLaunch};
pub use work::{HostFunction, SetPattern};

use dataflow::DataFlow;
use record::Record;
use threads::Threads;
use unawaited::Unawaited;

/// Work of a program that does nothing. 1 is the first launch that the device runs, and the first
/// copy that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Skipped {
    /// This launch.
    Launch(usize),
    /// All launches but this one.
    OtherLaunches(usize),
    /// This copy.
    Copy(usize),
}

impl Skipped {
    /// Whether the launch with this number does nothing.
    const fn has_launch(self, number: usize) -> bool {
        match self {
            Self::Launch(skipped) => number == skipped,
            Self::OtherLaunches(kept) => number != kept,
            Self::Copy(_) => false,
        }
    }
}

/// How programs are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// What is observed in kernels.
    pub diagnose: Diagnose,
    /// Changes the order of blocks and warps.
    pub seed: u64,
    /// Chooses among the orders in which streams may work. With 0, work is done as late as the
    /// program's waits allow.
    pub order: u64,
    /// Threads of the host for kernels.
    pub threads: usize,
    /// The most warp instructions of a kernel before it counts as endless.
    pub budget: u64,
    /// Bytes of the simulated device's memory.
    pub memory: u64,
    /// Whether the program's user can raise this limit, so that messages name the option.
    pub memory_adjustable: bool,
    /// Kernels count waits for loads and what caches can't serve, as in a run in which each launch
    /// has so many times as many blocks.
    pub part_of: Option<u32>,
    /// The work that is left out, if any.
    pub skipped: Option<Skipped>,
    /// What all kernels disturb, if anything.
    pub disturbance: Option<ptxsim::Disturbance>,
    /// Why the machine fails, if it does.
    pub fault: Option<MachineFault>,
}

impl Default for Settings {
    fn default() -> Self {
        let options = ptxsim::Options::default();
        Self {
            diagnose: options.diagnose,
            seed: options.seed,
            order: 0,
            threads: options.threads,
            budget: options.budget,
            memory: ptxsim::Memory::CAPACITY,
            memory_adjustable: false,
            skipped: None,
            part_of: None,
            disturbance: None,
            fault: None,
        }
    }
}

/// Why the simulator did not run a launch.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Refusal {
    /// The reason as a clause.
    pub text: String,
    /// What it does not support, if that is the reason.
    pub feature: Option<String>,
    /// Where the source uses it, if that is known.
    pub at: Option<ptxsim::Source>,
}

impl From<ptxsim::Error> for Refusal {
    fn from(error: ptxsim::Error) -> Self {
        let text = error.to_string();
        match error {
            ptxsim::Error::Unsupported { feature, source_line } => {
                Self { text, feature: Some(feature), at: source_line }
            }
            ptxsim::Error::Parse { source_line, .. } => {
                Self { text, feature: None, at: source_line }
            }
            _ => Self { text, feature: None, at: None },
        }
    }
}

/// One launch, and what the simulator observed of it.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct LaunchRecord {
    /// The kernel's name, without its parameters.
    pub kernel: String,
    /// Its name in the compiled code.
    pub symbol: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block in bytes.
    pub shared: u32,
    /// The arguments that point to arrays, by number, and the names of these arrays in findings.
    pub arrays: Vec<(usize, String)>,
    /// Those of them, by number, that do not point to the array's start, with the bytes before
    /// them.
    pub inner_pointers: Vec<(usize, u64)>,
    /// The arguments, and the words of structures among them, that look like addresses but do not
    /// point to device memory. Empty unless a finding may be about one of them.
    pub foreign_arguments: Vec<ForeignArgument>,
    /// The integer arguments of at most 4 bytes, by number, with their values.
    pub integers: Vec<(usize, i64)>,
    /// Memory that findings name. Where no argument points to it, the kernel got its address in a
    /// structure or from other memory.
    pub named: Vec<report::Memory>,
    /// The last calls that had written to memory of which the kernel read bytes that none had
    /// written, by the name of the memory.
    pub writers: Vec<(String, CallSite)>,
    /// What the simulator observed; empty if the launch was refused.
    pub observations: ptxsim::Observations,
    /// The steps of one thread, if this launch is traced.
    pub trace: Option<ptxsim::trace::Trace>,
    /// Why the kernel was not run, if it was not.
    pub refusal: Option<Refusal>,
    /// The stream's number; 0 is the default stream.
    pub stream: u64,
    /// Kernels that the program had launched before.
    pub number: usize,
    /// The call that enqueued the launch.
    pub at: Option<CallSite>,
    /// The index of its bar in the timeline; `None` if the launch ended the context.
    pub span: Option<usize>,
}

/// The runtime.
#[derive(Debug, Default)]
pub struct Runtime {
    settings: Settings,
    /// The launch whose steps are recorded, if one is.
    traced: Option<TracedLaunch>,
    pub(crate) memory: AddressSpace,
    pub(crate) streams: Streams,
    pub(crate) objects: Objects,
    pub(crate) graphs: Graphs,
    pub(crate) findings: Findings,
    pub(crate) device: DeviceSettings,
    record: Record,
    dataflow: DataFlow,
    /// What launches put into shared memory, if kernels are disturbed so.
    exchanged: Vec<Arc<Snapshots>>,
    /// Launches that do what an earlier one did.
    repeats: Repeats,
    /// Work that the host has not waited for.
    unawaited: Unawaited,
    /// Is the device working while the host runs, and not in a call of the host?
    host_runs: bool,
    /// Is the program ending, so that work is done only for the kernels' findings?
    ending: bool,
    threads: Threads,
    /// The error that ended the context, if one did.
    lost: Option<Code>,
}

/// A null pointer with an index below this many bytes still counts as a null pointer.
const NULL_PAGE_BYTES: u64 = 1 << 16;

impl Runtime {
    /// A runtime with these settings, before the program has called anything.
    pub fn new(settings: Settings) -> Self {
        let (streams, memory) = (Streams::new(settings.order), AddressSpace::new(settings.memory));
        Self { settings, streams, memory, ..Self::default() }
    }

    /// The program calls a function of the runtime. With a seed, the device does some pending work
    /// by chance.
    pub fn enter(&mut self, function: &'static str) {
        self.findings.enter(function, self.streams.upcoming().number());
        error::take_reason();
        while self.lost.is_none()
            && let Some(step) = self.streams.step_by_chance()
        {
            self.perform(step);
            self.memory.show_to_host();
        }
    }

    /// Fails if the machine or a capture does not allow a call of this function, whatever its
    /// arguments are.
    pub fn permit(&mut self, function: &str) -> Result {
        self.check_device_is_available(function)?;
        // Each function returns the error itself if one has ended the context.
        if self.lost.is_some() { Ok(()) } else { self.refuse_unrecordable(function) }
    }

    /// Records the result of the call that the program is in, and returns the code for the program.
    /// `cudaGetLastError` will return the same error.
    pub fn leave(&mut self, result: Result) -> Code {
        match result {
            Ok(()) => {
                self.record.call_succeeded(self.findings.function());
                Code::SUCCESS
            }
            // the answer of a query; a call that needs the event has failed
            Err(Code::NOT_READY) if !self.findings.has_cause() => {
                self.record.found_unfinished();
                Code::NOT_READY
            }
            Err(code) => {
                if let Some(text) = error::take_reason()
                    && !self.findings.has_cause()
                {
                    self.findings.set_cause(Cause::Argument { text });
                }
                if code != Code::NOT_READY {
                    self.threads.current().last_error = Some(code);
                }
                if self.lost != Some(code) {
                    self.findings.call_failed(code);
                }
                code
            }
        }
    }

    /// `cudaGetLastError`, or `cudaPeekAtLastError` without `reset`. An error that ended the
    /// context is returned by every other call, but not by these.
    pub fn last_error(&mut self, reset: bool) -> Code {
        self.findings.last_error_checked();
        let thread = self.threads.current();
        let last = if reset { thread.last_error.take() } else { thread.last_error };
        last.unwrap_or(Code::SUCCESS)
    }

    /// Fails with the error that ended the context, if one did.
    pub(crate) fn alive(&self) -> Result {
        self.lost.map_or(Ok(()), Err)
    }

    /// Does a piece of work and everything that it needs, and lets the host continue after it.
    fn finish(&mut self, id: Id) -> Result {
        while let Some(step) = self.streams.step_towards(id) {
            self.perform(step);
        }
        self.memory.pools.trim_to_thresholds();
        self.streams.synchronised(id);
        self.after_synchronisation();
        self.alive()
    }

    /// `cudaStreamSynchronize`.
    pub fn synchronize_stream(&mut self, stream: Stream) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        self.refuse_in_capture(stream)?;
        self.refuse_beside_captures()?;
        self.synchronize(stream)
    }

    /// A call waits for the work of a stream.
    pub fn synchronize(&mut self, stream: Stream) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        self.refuse_in_capture(stream)?;
        self.streams.last(stream).map_or(Ok(()), |id| self.finish(id))
    }

    /// `cudaDeviceSynchronize`, and the end of the program.
    pub fn synchronize_device(&mut self) -> Result {
        self.alive()?;
        while let Some(step) = self.streams.step_any() {
            self.perform(step);
        }
        self.objects.remove_destroyed(&mut self.memory);
        self.memory.pools.trim_to_thresholds();
        self.streams.synchronised_all();
        self.after_synchronisation();
        self.alive()
    }

    /// `cudaStreamQuery`.
    pub fn query(&mut self, stream: Stream) -> Result {
        self.alive()?;
        self.check_stream(stream)?;
        self.refuse_in_capture(stream)?;
        self.refuse_beside_captures()?;
        self.streams.last(stream).map_or(Ok(()), |id| self.query_work(id))
    }

    /// Is this work done? If not, this does the next piece of work that it needs, so that a program
    /// which queries in a loop makes progress.
    fn query_work(&mut self, id: Id) -> Result {
        let Some(step) = self.streams.step_towards(id) else {
            self.streams.synchronised_by_query(id);
            self.after_synchronisation();
            return Ok(());
        };
        let id = step.id;
        self.perform(step);
        self.memory.show_to_host();
        self.streams.observed(id);
        self.alive()?;
        Err(Code::NOT_READY)
    }

    /// The host has waited for work: returns memory to the host, and forgets what all later work is
    /// ordered with.
    fn after_synchronisation(&mut self) {
        self.report_host_races();
        self.memory.return_to_host(self.streams.order());
        self.unawaited.forget_synchronised(self.streams.order());
        let (upcoming, oldest) = (self.streams.upcoming(), self.streams.oldest_pending());
        self.findings.conflicts.forget_ordered(upcoming, oldest, self.streams.order());
    }

    /// `cudaEventRecord`.
    pub fn record_event(&mut self, event: usize, stream: Stream) -> Result {
        self.alive()?;
        self.check_event(event)?;
        self.check_stream(stream)?;
        if self.capture_record(event, stream)? {
            return Ok(());
        }
        let site = self.findings.site();
        self.streams.record(event, stream, site)
    }

    /// `cudaStreamWaitEvent`.
    pub fn wait_event(&mut self, stream: Stream, event: usize) -> Result {
        self.alive()?;
        self.check_event(event)?;
        self.check_stream(stream)?;
        if self.capture_wait(stream, event)? {
            return Ok(());
        }
        let site = self.findings.site();
        self.streams.wait_event(stream, event, site)
    }

    /// `cudaEventSynchronize`.
    pub fn synchronize_event(&mut self, event: usize) -> Result {
        self.alive()?;
        let recorded = self.recorded(event)?;
        self.refuse_event_in_capture(event)?;
        recorded.map_or(Ok(()), |id| self.finish(id))
    }

    /// `cudaEventQuery`.
    pub fn query_event(&mut self, event: usize) -> Result {
        self.alive()?;
        let recorded = self.recorded(event)?;
        self.refuse_event_in_capture(event)?;
        recorded.map_or(Ok(()), |id| self.query_work(id))
    }

    /// `cudaEventElapsedTime`: milliseconds between two events.
    pub fn elapsed_time(&mut self, first: usize, last: usize) -> Result<f32> {
        self.alive()?;
        for (event, second) in [(first, false), (last, true)] {
            self.check_event(event)?;
            if self.streams.recorded(event)?.is_none() {
                self.findings.set_cause(Cause::EventNotRecorded { second });
                return Err(Code::INVALID_RESOURCE_HANDLE);
            }
        }
        let interval = match self.streams.interval(first, last) {
            Err(Code::NOT_READY) => {
                let [first_pending, second] = self.streams.are_pending([first, last]);
                let pending = if first_pending { first } else { last };
                let by = self.streams.recorded_by(pending);
                let sites = self.findings.sites();
                let recorded = by.and_then(|(stream, site)| sites.resolve(site, Some(stream)));
                let cause = Cause::EventPending { first: first_pending, second, recorded };
                // a program that calls this in a loop makes progress, as in `query_work`
                if let Some(id) = self.streams.recorded(pending)? {
                    match self.query_work(id) {
                        Ok(()) | Err(Code::NOT_READY) => {}
                        lost => return lost.map(|()| 0.0),
                    }
                }
                self.findings.set_cause(cause);
                return Err(Code::NOT_READY);
            }
            other => other?,
        };
        self.findings.events_are_complete();
        let site = self.findings.site();
        self.record.intervals.push((interval, site));
        Ok(interval.milliseconds)
    }

    /// What an address points to.
    fn target_of(&self, address: u64) -> PointerTarget {
        self.object_of(address)
            .unwrap_or_else(|| self.memory.target_of(address, self.findings.sites()))
    }

    /// How a signal ended the program, at these return addresses and about this address.
    pub(crate) fn crash(
        &self,
        signal: i32,
        raised: bool,
        address: Option<u64>,
        frames: &Frames,
    ) -> Crash {
        let pointer = |address| {
            if address < NULL_PAGE_BYTES { PointerTarget::Null } else { self.target_of(address) }
        };
        let at = innermost_line(frames);
        Crash { signal, raised, address, at, pointer: address.map(pointer), system_call: None }
    }

    /// What kernels have printed that the program has waited for since the last call. As on a GPU,
    /// output waits in a buffer until then.
    pub fn take_output(&mut self) -> String {
        let order = self.streams.order();
        let ready = self.record.output.extract_if(.., |(id, _)| order.is_synchronised(*id));
        ready.map(|(_, text)| text).collect()
    }
}
