//! What is left to say when a program has ended: facts to be counted, and what is wrong.
//!
//! Plain data, the same for the same program and input: it crosses a process boundary, gates read it, and explanations
//! are written from it elsewhere.

use serde::{Deserialize, Serialize};

use crate::clock::Span;
use crate::runtime::Launched;

/// Everything that was seen of a program.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Every launch that was performed, in that order.
    pub launches: Vec<Launched>,
    /// When what was done, on the simulated clock.
    pub timeline: Vec<Span>,
    /// Copies that were asked for, by direction.
    pub copies: Copies,
    /// Calls of `cudaMemset` and its like.
    pub sets: Traffic,
    /// Device allocations made, and their bytes.
    pub allocations: u64,
    /// Bytes of all device allocations together.
    pub allocated: u64,
    /// The most bytes of device memory that were allocated at once.
    pub peak: u64,
    /// The most device allocations that there were at once.
    pub peak_live: u64,
    /// Streams created.
    pub streams: u64,
    /// Calls that waited for the device.
    pub synchronisations: Synchronisations,
    /// Times that the program measured.
    pub elapsed: Vec<Elapsed>,
    /// Texture and surface objects, arrays and device memory that nobody gave back, each by when they were made.
    pub leaks: Vec<Leak>,
    /// What is wrong with how the program uses the runtime, by when it was found.
    pub findings: Vec<HostFinding>,
    /// How the program ended, if not by itself.
    pub crashed: Option<Crash>,
    /// The error that ended the context, if one did: its name.
    pub lost: Option<String>,
}

/// A call of the runtime in the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The function: `cudaMemcpyAsync`. Of a launch, `cudaLaunchKernel`, however it is written.
    pub call: String,
    /// The stream that the call names; 0 is the default stream.
    pub stream: Option<u64>,
    /// The line of the call in the program's own files.
    pub source: Option<ptxsim::Source>,
}

/// Calls and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// Calls.
    pub calls: u64,
    /// Bytes that they moved.
    pub bytes: u64,
}

impl Traffic {
    /// One more call.
    pub fn add(&mut self, bytes: u64) {
        self.calls += 1;
        self.bytes += bytes;
    }
}

/// Copies by direction; those to and from symbols included.
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
}

impl Copies {
    /// The copies with the destination, and the source, on the device or not.
    pub const fn between(&mut self, to_device: bool, from_device: bool) -> &mut Traffic {
        match (to_device, from_device) {
            (true, false) => &mut self.to_device,
            (false, true) => &mut self.to_host,
            (true, true) => &mut self.within_device,
            (false, false) => &mut self.within_host,
        }
    }
}

/// Successful calls by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Synchronisations {
    /// `cudaDeviceSynchronize`.
    pub device: u64,
    /// `cudaStreamSynchronize`.
    pub stream: u64,
    /// `cudaEventSynchronize`.
    pub event: u64,
}

/// A successful `cudaEventElapsedTime`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Elapsed {
    /// When the first event was reached, in microseconds on the simulated clock.
    pub start: f64,
    /// When the second was.
    pub end: f64,
    /// What the program was told.
    pub milliseconds: f32,
    /// The call.
    pub at: Option<Place>,
}

/// What a program can make on the device and has to give back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kept {
    /// Memory with an address.
    Memory,
    /// A `cudaArray_t`.
    Array,
    /// A texture object.
    Texture,
    /// A surface object.
    Surface,
}

/// Something that nobody gave back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// What it is.
    pub what: Kept,
    /// Its address, or its handle.
    pub address: u64,
    /// Its size; 0 of an object.
    pub bytes: u64,
    /// Where it was made.
    pub at: Option<Place>,
}

/// What is wrong with how the program uses the runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostFinding {
    /// What.
    pub what: HostFindingKind,
    /// Where it happened.
    pub at: Option<Place>,
    /// The other party, which came first: where the memory was freed before, the work that nobody waited for.
    pub with: Option<Place>,
    /// How often, at these places.
    pub count: u64,
}

/// The kinds of mistakes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum HostFindingKind {
    /// A call returned an error. Whether the program looked at it cannot be seen.
    CallFailed(Failure),
    /// The same, and when the program ended nobody had asked for the last error since: of a launch, whose only answer that
    /// is, nobody can have noticed.
    UncheckedError(Failure),
    /// Memory is freed that was freed before, by `with`.
    DoubleFree {
        /// The memory.
        memory: Memory,
    },
    /// What is freed is not the start of an allocation of this kind.
    InvalidFree {
        /// What it is instead.
        pointer: Pointer,
    },
    /// A call uses memory that was freed before, by `with`.
    UseAfterFree {
        /// The memory.
        memory: Memory,
        /// How many bytes of it.
        bytes: u64,
        /// Does it write them?
        write: bool,
    },
    /// A copy brings bytes to the host that nothing has written.
    UninitialisedCopy {
        /// The memory that it reads.
        memory: Memory,
        /// The first of a stretch of such bytes in it, and the last.
        bytes: [u64; 2],
    },
    /// Two pieces of work use the same bytes, one of them writes, and nothing makes `at` wait for `with`.
    MissingWait {
        /// The work at `with`, which was asked for first.
        first: Party,
        /// The work at `at`.
        second: Party,
        /// Where the bytes are.
        memory: Memory,
        /// The first byte in that memory that both use, and the last.
        bytes: [u64; 2],
    },
    /// The host reads or writes memory that work, asked for at `with`, may still be using.
    HostRace {
        /// The work.
        party: Party,
        /// The memory.
        memory: Memory,
        /// Does the host write?
        write: bool,
        /// The byte in the memory that the host touched.
        byte: u64,
    },
}

/// An error that a call returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its number.
    pub code: i32,
    /// Its name: `cudaErrorInvalidValue`.
    pub name: String,
    /// What `cudaGetErrorString` says about it.
    pub text: String,
    /// Why, as far as it is known.
    pub why: Option<Why>,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Why {
    /// A range that is not inside its allocation.
    Outside {
        /// Is it the destination, and not the source?
        destination: bool,
        /// Bytes of the range.
        bytes: u64,
        /// Where in the memory it begins; negative before its start.
        offset: i64,
        /// The memory.
        memory: Memory,
    },
    /// The direction that was given does not fit the addresses.
    Direction {
        /// The direction's name: `cudaMemcpyHostToDevice`.
        said: String,
        /// What the destination is.
        to: Box<Pointer>,
        /// What the source is.
        from: Box<Pointer>,
    },
    /// An address that is not what the call needs.
    Pointer {
        /// What it is.
        pointer: Pointer,
    },
    /// A launch, or another call, that cannot be: in the words of the simulator.
    Said {
        /// Which limit, and by how much.
        text: String,
    },
}

/// Memory that the program allocated.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Memory {
    /// Which.
    pub kind: MemoryKind,
    /// Its name in findings of kernels: `allocation 2`.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Where it was allocated.
    pub at: Option<Place>,
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

/// What an address is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Pointer {
    /// No address.
    Null,
    /// In memory that the program allocated through the runtime.
    Inside {
        /// The memory.
        memory: Memory,
        /// Where in it; outside its bounds it is only near it.
        offset: i64,
    },
    /// In memory that was freed.
    Freed {
        /// The memory.
        memory: Memory,
        /// Where it was freed.
        freed: Option<Place>,
    },
    /// Beyond the end of the stack of the thread that used it.
    Stack,
    /// Ordinary memory of the host, or no memory at all.
    Host,
}

/// A piece of work, as a party of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Party {
    /// What it is.
    pub work: Work,
    /// Does it write the bytes in question, and not only read them?
    pub writes: bool,
    /// The stream that it is in.
    pub stream: u64,
}

/// The kinds of work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
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
        /// Is its destination on the device?
        to_device: bool,
        /// Is its source?
        from_device: bool,
    },
    /// `cudaMemset`.
    Set {
        /// Its size.
        bytes: u64,
    },
}

/// The end of a program that did not end by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// The signal's number.
    pub signal: i32,
    /// The address that it is about, where it is about one.
    pub address: Option<u64>,
    /// The line of the program that was being executed.
    pub at: Option<ptxsim::Source>,
    /// What the address is.
    pub pointer: Option<Pointer>,
    /// The system call that was refused, by its number, where that is what ended it.
    #[serde(default)]
    pub system_call: Option<i32>,
}
