//! The report of a program that has ended: counts of what it did, and what is wrong with it.
//!
//! The report is plain data, and the same program with the same input always gives the same report.
//! It crosses a process boundary as JSON. The checker judges a program by its counts and writes
//! explanations of its findings.

use serde::{Deserialize, Serialize};

use crate::clock::Span;
use crate::runtime::LaunchRecord;

/// The most accesses of the host that are recorded for one piece of work; more are not counted.
pub const MAX_RECORDED_ACCESSES: u64 = 256;

/// Everything that the runtime observed of a program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Every launch, in the order in which they were performed.
    pub launches: Vec<LaunchRecord>,
    /// The work of each engine, in microseconds on the simulated clock.
    pub timeline: Vec<Span>,
    /// Copies by direction.
    pub copies: Copies,
    /// The copies that were done, in their order.
    pub done_copies: Vec<DoneCopy>,
    /// Where copies to the host's memory went, in the order of the addresses.
    pub to_host: Vec<CopyToHost>,
    /// The parts of host memory that copies to the device read, in the order of the addresses.
    pub from_host: Vec<CopyFromHost>,
    /// Variables of which copies have filled only a part.
    pub partial: Vec<PartOfVariable>,
    /// A call that frees memory and so waited for a copy to the host.
    pub freeing_wait: Option<FreeingWait>,
    /// Calls of `cudaMemset` and its variants.
    pub sets: Traffic,
    /// Managed memory that kernels used.
    pub managed: ManagedUse,
    /// Page-locked memory that kernels used.
    pub mapped: MappedUse,
    /// Variables in the device's global memory, in the order of the source, as far as the program
    /// has used the modules that have them.
    pub variables: Vec<StaticVariable>,
    /// Number of device allocations.
    pub allocations: u64,
    /// Bytes of all device allocations together.
    pub allocated: u64,
    /// The most bytes of device memory that were allocated at the same time.
    pub peak: u64,
    /// The most device allocations that existed at the same time.
    pub peak_live: u64,
    /// Number of streams that the program created.
    pub streams: u64,
    /// Calls that waited for the device.
    pub synchronisations: Synchronisations,
    /// Times that the program measured with events.
    pub elapsed: Vec<ElapsedTime>,
    /// What the program did not release: texture and surface objects, arrays, device memory,
    /// page-locked memory, streams, events and graphs, each kind in the order of creation.
    pub leaks: Vec<Leak>,
    /// Mistakes in how the program uses the runtime, in the order in which they were found.
    pub findings: Vec<HostFinding>,
    /// How the program ended, if a signal ended it.
    pub crashed: Option<Crash>,
    /// The name of the error that ended the context, if one did.
    pub lost: Option<String>,
    /// What the host sent to the device; empty unless the program's arrays were watched.
    pub commands: Vec<Command>,
    /// The places of data that stands in several places, in ascending order ([`Origin::OneOf`]).
    pub equal_places: Vec<Vec<u64>>,
}

/// A variable in the device's global memory, whose size the source decides: `__device__`,
/// `__managed__`, or a static variable of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticVariable {
    /// Its name in the source.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Something that the host made the device do, without the values of the program's input arrays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// A hash of everything in it. The same command has the same one in every run.
    pub digest: u64,
    /// What it is.
    pub kind: CommandKind,
    /// The part of its data that the host has made.
    pub own: OwnData,
    /// The rest of its data, which the host has only moved.
    pub moved: Vec<MovedData>,
    /// The call.
    pub at: Option<CallSite>,
}

/// Data that a command sends and that comes neither from the program's input arrays nor from the
/// device. Data that repeats one word is left out, because a set would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OwnData {
    /// Its bytes.
    pub bytes: u64,
    /// A hash of it.
    pub digest: u64,
}

/// A piece of data that the host has taken from an array of its caller, or from what the device has
/// delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedData {
    /// Its first byte in what the command sends, or in the outputs.
    pub at: u64,
    /// Its length.
    pub bytes: u64,
    /// Where its data stands.
    pub from: Origin,
}

/// Where data stands among the input arrays and what the device has delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// In one place.
    Place(u64),
    /// In several places: an index into [`Report::equal_places`].
    OneOf(u32),
}

/// What a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandKind {
    /// A kernel with its grid, block and arguments.
    Launch,
    /// A copy to the device.
    ToDevice,
    /// A copy to the host.
    ToHost,
    /// A copy within the device's memory.
    WithinDevice,
    /// A set.
    Set,
    /// A texture or a surface object.
    Object,
    /// Writes of the host to memory that the device shares with it.
    Shared,
    /// Any call of the runtime, with the numbers that it got.
    Call,
    /// What the host copies to the outputs of what the device has brought elsewhere.
    OnHost,
}

/// A call of the runtime in the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallSite {
    /// The function, for example `cudaMemcpyAsync`. A launch is always `cudaLaunchKernel`, however
    /// it is written.
    pub call: String,
    /// The stream that the call names; 0 is the default stream.
    pub stream: Option<u64>,
    /// The line of the call in the program's own files.
    pub source: Option<ptxsim::Source>,
    /// The line that called the function which this line is in, if that is in the program's own
    /// files, too.
    pub called_from: Option<ptxsim::Source>,
}

/// A number of calls and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// Calls.
    pub calls: u64,
    /// Bytes that these calls moved.
    pub bytes: u64,
}

impl Traffic {
    /// Counts one more call.
    pub fn add(&mut self, bytes: u64) {
        self.calls += 1;
        self.bytes += bytes;
    }
}

/// Bytes of managed memory that kernels got, each allocation once. The driver moves them without a
/// copy of the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ManagedUse {
    /// All of them.
    pub used: u64,
    /// Those that a kernel may write.
    pub written: u64,
    /// Those that the host had changed before work of the device used them, each time.
    pub changed_by_host: u64,
}

/// Bytes of page-locked memory of the host that kernels accessed, each byte once in each launch.
/// They cross the bus as the bytes of a copy do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MappedUse {
    /// Those that a kernel loaded.
    pub loaded: u64,
    /// Those that a kernel stored.
    pub stored: u64,
}

/// Copies by direction, including copies to and from symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Copies {
    /// From the host to the device.
    pub to_device: Traffic,
    /// From the device to the host.
    pub to_host: Traffic,
    /// Within the device's memory.
    pub within_device: Traffic,
    /// Within the host's memory.
    pub within_host: Traffic,
    /// Of the copies between the host and the device: those with pageable memory of the host.
    pub pageable: Traffic,
}

impl Copies {
    /// The counter for copies whose destination and source are, or are not, on the device.
    pub const fn between(&mut self, to_device: bool, from_device: bool) -> &mut Traffic {
        match (to_device, from_device) {
            (true, false) => &mut self.to_device,
            (false, true) => &mut self.to_host,
            (true, true) => &mut self.within_device,
            (false, false) => &mut self.within_host,
        }
    }
}

/// A copy that was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoneCopy {
    /// The destination is on the device, as [`Copies`] counts it.
    pub to_device: bool,
    /// The source is on the device.
    pub from_device: bool,
    /// Bytes that it moved.
    pub bytes: u64,
    /// The index of its bar in the timeline; `None` if it ended the context.
    pub span: Option<usize>,
    /// Results were found to be the same without it.
    pub unneeded: bool,
}

/// A copy to the device from one address of the host: the longest, if there are several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyFromHost {
    /// The address.
    pub from: u64,
    /// Bytes from the first to the last that it reads.
    pub bytes: u64,
    /// Its rows, if it has several.
    pub rows: Option<CopiedRows>,
    /// The call.
    pub at: Option<CallSite>,
}

/// A `__device__` or `__constant__` variable of which copies have filled only a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOfVariable {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// The end of what copies have filled, in bytes from its start.
    pub filled: u64,
    /// The copy that reached furthest.
    pub at: Option<CallSite>,
}

/// The rows of a copy or a set, at one end of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CopiedRows {
    /// Bytes of a row.
    pub width: u64,
    /// Rows of a plane.
    pub height: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Planes.
    pub depth: u64,
    /// Bytes from plane to plane.
    pub plane: u64,
}

impl CopiedRows {
    /// Bytes of all rows.
    pub const fn bytes(&self) -> u64 {
        self.width.saturating_mul(self.height).saturating_mul(self.depth)
    }

    /// Bytes of the rows that are not among the first `available` bytes from the first row on.
    pub fn bytes_outside(&self, available: u64) -> u64 {
        let start = |row: u64| {
            let (plane, row) = (row / self.height.max(1), row % self.height.max(1));
            plane.saturating_mul(self.plane).saturating_add(row.saturating_mul(self.pitch))
        };
        let outside =
            |row| start(row).saturating_add(self.width).saturating_sub(available).min(self.width);
        (0..self.height.saturating_mul(self.depth)).map(outside).sum()
    }
}

/// Copies to one address of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyToHost {
    /// The address.
    pub to: u64,
    /// Bytes of the longest of these copies; 0 if all of them came from the host's memory.
    pub bytes: u64,
    /// Bytes from the first to the last that the longest copy writes.
    pub span: u64,
    /// The rows of the longest copy, if it has several.
    pub rows: Option<CopiedRows>,
    /// The call of the longest copy.
    pub at: Option<CallSite>,
    /// The names of the memory that they read.
    pub from: Vec<String>,
    /// What wrote the memory that the last of them read, if no kernel has written to it since.
    pub written_by: Option<HostWrite>,
}

/// A copy or a set that wrote bytes of device memory which the program then copied to the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostWrite {
    /// The call.
    pub at: CallSite,
    /// The address in the host's memory of the first and the last byte with what it wrote.
    pub bytes: [u64; 2],
}

/// Successful waits by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Synchronisations {
    /// `cudaDeviceSynchronize`.
    pub device: u64,
    /// `cudaStreamSynchronize`.
    pub stream: u64,
    /// `cudaEventSynchronize`.
    pub event: u64,
    /// Of all these, of the loops that query work until it is done, of the calls that free memory,
    /// and of the work in the legacy default stream beside other blocking streams: those after
    /// which the program enqueued more work, and before which it had enqueued some.
    pub between_work: u64,
}

/// A successful `cudaEventElapsedTime`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElapsedTime {
    /// Time of the first event, in microseconds on the simulated clock.
    pub start: f64,
    /// Time of the second event.
    pub end: f64,
    /// The value that the call returned.
    pub milliseconds: f32,
    /// The call.
    pub at: Option<CallSite>,
}

/// What a program creates and has to free, unregister or destroy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeakKind {
    /// Memory with an address.
    Memory,
    /// A `cudaArray_t`.
    Array,
    /// A texture object.
    Texture,
    /// A surface object.
    Surface,
    /// Page-locked memory that the runtime allocated.
    Pinned,
    /// Memory of the program that it registered as page-locked.
    Registered,
    /// A stream.
    Stream,
    /// An event.
    Event,
    /// A `cudaGraph_t`.
    Graph,
    /// A `cudaGraphExec_t`.
    ExecutableGraph,
    /// Memory that kernels got from `malloc`. The call is the launch, and the bytes are those of
    /// all blocks together.
    DeviceHeap,
}

/// A call that frees or unregisters memory while a copy to the host is unfinished. `cudaFree`,
/// `cudaFreeHost` and `cudaHostUnregister` wait for it on an H100 (driver 580), and NVIDIA's
/// documentation promises no such wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreeingWait {
    /// The call.
    pub at: CallSite,
    /// The copy.
    pub copy: CallSite,
}

/// Something that the program neither freed nor destroyed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// What it is.
    pub kind: LeakKind,
    /// Its address or handle.
    pub address: u64,
    /// Its size in bytes; 0 for an object, a stream or an event.
    pub bytes: u64,
    /// The call that created it.
    pub at: Option<CallSite>,
}

/// A mistake in how the program uses the runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostFinding {
    /// The mistake.
    pub kind: HostFindingKind,
    /// The call where it happened.
    pub at: Option<CallSite>,
    /// The earlier call that is also involved, for example the one that freed the memory first, or
    /// the one that enqueued the work that the program did not wait for.
    pub earlier: Option<CallSite>,
    /// How often this mistake happened at these calls.
    pub count: u64,
    /// The number of kernels that the program had launched when it was found.
    pub launches: usize,
    /// The number of pieces of work that the program had enqueued before the call `at`.
    pub enqueued: u64,
}

impl HostFinding {
    /// Is it about work that something should have waited for?
    const fn is_missing_order(&self) -> bool {
        matches!(self.kind, HostFindingKind::MissingWait { .. } | HostFindingKind::HostRace { .. })
    }

    /// Is it about a call that returned an error?
    pub const fn is_failed_call(&self) -> bool {
        matches!(self.kind, HostFindingKind::CallFailed(_) | HostFindingKind::UncheckedError(_))
    }
}

/// The findings of a program, divided by what they can be the reason for.
#[derive(Debug, Default)]
pub struct OrderedFindings {
    /// Missing order, which is the reason for what kernels read, and before it the failed calls
    /// that may be its reason: a record or a wait that fails orders nothing.
    pub first: Vec<HostFinding>,
    /// All others in the order in which the program made them.
    pub others: Vec<HostFinding>,
}

impl Report {
    /// The findings such that each comes after those that may be its reason. The runtime finds a
    /// missing wait when the work is done, which is after the calls that enqueued it.
    pub fn ordered_findings(&self) -> OrderedFindings {
        let mut ordered = OrderedFindings::default();
        let mut calls: Vec<(usize, &HostFinding)> =
            self.findings.iter().enumerate().filter(|(_, f)| !f.is_missing_order()).collect();
        let missing = self.findings.iter().enumerate().filter(|(_, f)| f.is_missing_order());
        for (at, order) in missing {
            let is_before = |&mut (call_at, call): &mut (usize, &HostFinding)| {
                call.is_failed_call()
                    && match order.kind {
                        HostFindingKind::MissingWait { .. } => call.enqueued <= order.enqueued,
                        _ => call_at < at,
                    }
            };
            ordered.first.extend(calls.extract_if(.., is_before).map(|(_, call)| call.clone()));
            ordered.first.push(order.clone());
        }
        ordered.others = calls.into_iter().map(|(_, call)| call.clone()).collect();
        ordered
    }
}

/// The kinds of mistakes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostFindingKind {
    /// A call returned an error. The runtime cannot see whether the program checked the returned
    /// value.
    CallFailed(Failure),
    /// A call returned an error, and the program did not call `cudaGetLastError` afterwards. If the
    /// call is a launch, the program cannot have noticed the error, because a launch returns
    /// nothing.
    UncheckedError(Failure),
    /// Memory is freed for the second time; `earlier` freed it first.
    DoubleFree {
        /// The memory.
        memory: Memory,
        /// The call that allocated other memory of this kind and size, which the program never
        /// frees.
        never_freed: Option<CallSite>,
    },
    /// The pointer that is freed is not the start of an allocation of this kind.
    InvalidFree {
        /// Where the pointer points instead.
        pointer: PointerTarget,
    },
    /// A call uses memory that `earlier` freed.
    UseAfterFree {
        /// The memory.
        memory: Memory,
        /// Number of bytes that the call uses.
        bytes: u64,
        /// Does the call write these bytes?
        write: bool,
    },
    /// A copy to the device reads bytes of the host beyond the end of an array that the program
    /// got.
    HostOverread {
        /// The array's name.
        array: String,
        /// Bytes of the array from the first one that the copy reads.
        available: u64,
        /// Bytes from the first to the last that the copy reads.
        bytes: u64,
        /// Its rows, if it has several.
        rows: Option<CopiedRows>,
    },
    /// A copy to the host writes bytes outside an array that the program got.
    HostOverwrite {
        /// The array's name.
        array: String,
        /// Offset in the array of the first byte that the copy writes.
        offset: i64,
        /// Bytes from there to the array's end; 0 if the copy begins outside the array.
        available: u64,
        /// Bytes from the first to the last that the copy writes.
        bytes: u64,
        /// Its rows, if it has several.
        rows: Option<CopiedRows>,
    },
    /// A copy succeeds although its direction does not fit its addresses, which is undefined.
    WrongDirection {
        /// The direction that the program gave, for example `cudaMemcpyHostToHost`.
        given: String,
        /// Where the destination points.
        to: Box<PointerTarget>,
        /// Where the source points.
        from: Box<PointerTarget>,
    },
    /// A copy to the host reads bytes that were never written.
    UninitialisedCopy {
        /// The memory that the copy reads.
        memory: Memory,
        /// The first and the last byte of a range in it that was never written.
        bytes: [u64; 2],
        /// The last call that wrote to another part of it.
        writer: Option<CallSite>,
    },
    /// A kernel uses a texture or surface object, and the object or the memory behind it is
    /// released before the kernel is known to have ended. Of `at` and `earlier`, one launched the
    /// kernel and the other one released what it needs.
    ReleasedObject {
        /// What was released.
        released: Released,
        /// The kernel's name.
        kernel: String,
        /// Did `at` release it, after `earlier` had launched the kernel? Otherwise `at` launched
        /// the kernel after the release.
        launched_before: bool,
        /// The call that made the object, if the memory behind it was released.
        made: Option<CallSite>,
    },
    /// The program ended with success and had not waited for the work that `at` enqueued.
    NeverAwaited {
        /// The work.
        work: Work,
        /// Did the kernel print something, which is lost?
        printed: bool,
    },
    /// Two pieces of work use the same bytes, at least one of them writes, and nothing makes `at`
    /// wait for `earlier`.
    MissingWait {
        /// The work that `earlier` enqueued.
        first: WorkAccess,
        /// The work that `at` enqueued later.
        second: WorkAccess,
        /// The memory that contains the bytes.
        memory: Memory,
        /// The first and the last byte in that memory that both use.
        bytes: [u64; 2],
        /// The wait of the second stream for an event that does not make the work wait for
        /// `earlier`.
        wait: Option<Box<EventWait>>,
        /// Was the call that enqueued one of the two also made for the other one's stream? Then
        /// these streams do the same work on different data, or should.
        parallel: bool,
    },
    /// The host accesses memory that work may still be using; `earlier` enqueued that work.
    HostRace {
        /// The work.
        access: WorkAccess,
        /// The memory.
        memory: Memory,
        /// Does the host write?
        write: bool,
        /// The byte in the memory that the host accessed.
        byte: u64,
    },
}

impl HostFindingKind {
    /// Are these one mistake, if both happen at the same place? A loop of the host that reads an
    /// array makes one mistake, and not one for each element.
    pub fn is_same_mistake(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::HostRace { access, memory, write, .. },
                Self::HostRace { access: other, memory: there, write: writes, .. },
            ) => (access, memory, write) == (other, there, writes),
            // a loop may pass other sizes each time
            (Self::CallFailed(failure), Self::CallFailed(other)) => {
                let cause = |failure: &Failure| failure.cause.as_ref().map(std::mem::discriminant);
                failure.code == other.code && cause(failure) == cause(other)
            }
            _ => self == other,
        }
    }
}

/// What a kernel needed and the program released too early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Released {
    /// The texture object.
    Texture,
    /// The surface object.
    Surface,
    /// The array behind the object.
    Array,
    /// The device memory behind the object.
    Memory {
        /// That memory.
        memory: Memory,
    },
}

/// A stream's wait for an event (`cudaStreamWaitEvent`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventWait {
    /// Was it called only after the work that should wait?
    pub late: bool,
    /// The wait.
    pub at: Option<CallSite>,
    /// The record that it waits for; `None` if the event had not been recorded.
    pub recorded: Option<CallSite>,
    /// The earlier record of the event that would have been enough, and that the last one replaced.
    pub replaced: Option<CallSite>,
}

/// An error that a call returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its number.
    pub code: i32,
    /// Its name, for example `cudaErrorInvalidValue`.
    pub name: String,
    /// The text that `cudaGetErrorString` returns for it.
    pub text: String,
    /// The cause, if the runtime knows it.
    pub cause: Option<Cause>,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A range is not inside its allocation.
    OutOfBounds {
        /// Is the range the destination of the call (otherwise its source)?
        destination: bool,
        /// Bytes of the range.
        bytes: u64,
        /// Its rows, if it has several.
        rows: Option<CopiedRows>,
        /// Offset of the range in the memory; negative if it begins before the memory.
        offset: i64,
        /// The memory.
        memory: Memory,
    },
    /// The direction of a copy does not fit its addresses.
    WrongDirection {
        /// The direction that the program gave, for example `cudaMemcpyHostToDevice`.
        given: String,
        /// Where the destination points.
        to: Box<PointerTarget>,
        /// Where the source points.
        from: Box<PointerTarget>,
    },
    /// A pointer does not point to the kind of memory that the call needs.
    WrongPointer {
        /// Where it points.
        pointer: PointerTarget,
    },
    /// A launch or another call exceeds a limit of the device.
    Limit {
        /// Which limit, and by how much, in the words of the simulator.
        text: String,
    },
    /// An argument is wrong.
    Argument {
        /// Which one and why, in the words of the runtime.
        text: String,
    },
    /// A handle belongs to no stream or event.
    NoSuchObject {
        /// What the call needs.
        object: LeakKind,
        /// The call that destroyed the object; `None` if the handle never was one.
        destroyed: Option<CallSite>,
    },
    /// An event was never recorded, so it has no time.
    EventNotRecorded {
        /// Is it the second event of the call (otherwise the first)?
        second: bool,
    },
    /// The device has not reached one of the two events of a call yet, or both, and the call does
    /// not wait for them.
    EventPending {
        /// Has it not reached the first one?
        first: bool,
        /// Has it not reached the second one?
        second: bool,
        /// The call that recorded the first of them that it has not reached.
        recorded: Option<CallSite>,
    },
    /// The state of a stream capture does not allow the call.
    Capture {
        /// What is wrong.
        problem: CaptureProblem,
        /// The call that began the capture.
        begun: Option<CallSite>,
    },
    /// An allocation does not fit into the simulated device's memory.
    OutOfMemory {
        /// Bytes that the program asked for.
        bytes: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes of the simulated device's memory.
        capacity: u64,
        /// Does the command have an option that raises this limit?
        adjustable: bool,
    },
}

/// Why a stream capture does not allow a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaptureProblem {
    /// The call waits for the stream or asks whether it is done, which makes the capture invalid.
    NotAllowed,
    /// The call cannot be recorded, and a capture that is not relaxed forbids it. This makes the
    /// capture invalid.
    Prohibited,
    /// The call uses the default stream, which would wait for the captured stream. This makes the
    /// capture invalid.
    Implicit,
    /// The host waits for an event of the capture or asks about it, which makes the capture
    /// invalid.
    CapturedEvent,
    /// An earlier call has made the capture invalid.
    Invalid {
        /// That call.
        by: Option<CallSite>,
    },
    /// The capture ends, and the stream in which it began does not wait for all of its work.
    Unjoined {
        /// The first call whose work it does not wait for.
        work: Option<CallSite>,
    },
    /// The call waits for an event that was not recorded in the capture.
    Isolated,
    /// The capture ends in another stream than the one in which it began.
    Unmatched,
}

/// Memory that the program allocated.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Memory {
    /// The kind of memory.
    pub kind: MemoryKind,
    /// Its name in the findings of kernels, for example `allocation 2`.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The call that allocated it.
    pub at: Option<CallSite>,
    /// Of memory with a pitch: its rows.
    pub rows: Option<Rows>,
}

/// The rows of memory with a pitch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rows {
    /// Bytes of a row. The bytes from there to the next row belong to none.
    pub width: u64,
    /// Bytes from the start of a row to that of the next one.
    pub pitch: u64,
}

/// The kinds of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// `cudaMalloc`.
    Device,
    /// A `__device__` or `__constant__` variable.
    Variable,
    /// Page-locked memory of the host.
    Pinned,
    /// `cudaMallocManaged`.
    Managed,
}

/// Where a pointer points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointerTarget {
    /// Nowhere: a null pointer.
    Null,
    /// Into memory that the program allocated through the runtime, or near it.
    Inside {
        /// The memory.
        memory: Memory,
        /// Offset in bytes; outside the bounds of the memory, the pointer is only near it.
        offset: i64,
    },
    /// Into memory that was freed.
    Freed {
        /// The memory.
        memory: Memory,
        /// Offset in bytes.
        offset: i64,
        /// The call that freed it.
        freed: Option<CallSite>,
    },
    /// Nowhere, because it is the handle of an object.
    Object {
        /// What the object is.
        object: LeakKind,
        /// The call that created it.
        at: Option<CallSite>,
    },
    /// Beyond the end of the stack of the thread that used the pointer.
    Stack,
    /// Into ordinary memory of the host, or into no memory at all.
    Host,
}

/// An argument of a launch, or a word of a structure, that does not point to device memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignArgument {
    /// The argument's number.
    pub number: usize,
    /// The bytes before it in a structure; otherwise 0.
    pub byte: u64,
    /// Its value.
    pub value: u64,
    /// Where it points instead.
    pub target: PointerTarget,
}

/// A piece of work and how it accesses the bytes that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WorkAccess {
    /// The work.
    pub work: Work,
    /// Does the work write the bytes (otherwise it only reads them)?
    pub writes: bool,
    /// The stream of the work.
    pub stream: u64,
}

/// The kinds of work that access memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A kernel.
    Kernel {
        /// Its name.
        name: String,
    },
    /// A copy.
    Copy {
        /// Its size.
        bytes: u64,
        /// Is the destination on the device?
        to_device: bool,
        /// Is the source on the device?
        from_device: bool,
    },
    /// `cudaMemset`.
    Set {
        /// Its size.
        bytes: u64,
    },
    /// `cudaFreeAsync`.
    Free,
}

/// How a signal ended a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// The signal's number.
    pub signal: i32,
    /// Did the program send itself the signal, for example with `raise`?
    pub raised: bool,
    /// The address that the program tried to access, for signals about memory.
    pub address: Option<u64>,
    /// The line of the program that the signal interrupted.
    pub at: Option<ptxsim::Source>,
    /// Where that address points.
    pub pointer: Option<PointerTarget>,
    /// The number of the system call that the sandbox refused, if that ended the program.
    pub system_call: Option<i32>,
}
