//! What a simulated launch reports beside its results: findings, counters, array use, device
//! output.
//!
//! Everything here is plain data, so that it can cross a process boundary and be rendered anywhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Snapshots, Traffic};

/// A place in the source, as `-lineinfo` recorded it (PTX ISA, `.loc` directive).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Source {
    /// The file as the compiler named it.
    pub file: String,
    /// One-based line; 0 when the compiler recorded none.
    pub line: u32,
    /// One-based column of the statement or expression; 0 when unknown.
    pub column: u32,
}

/// The state space that an access went to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// Device memory.
    Global,
    /// The block's shared memory.
    Shared,
    /// The thread's own local memory (arrays that do not fit registers).
    Local,
    /// Constant memory.
    Constant,
}

/// What a thread did at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic read-modify-write.
    Atomic,
    /// Waiting at a block's or warp's barrier.
    Wait,
    /// Leaving the kernel.
    Exit,
    /// Freeing memory.
    Free,
    /// Executing any other instruction.
    Execute,
}

/// One access of a finding: the thread, the operation, and its location.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// Where in the learner's source.
    pub source: Source,
    /// Where the function that this line is in was called from, if it was inlined there.
    pub called_from: Option<Source>,
    /// What was done.
    pub action: Action,
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index in its block (x, y, z).
    pub thread: [u32; 3],
    /// Threads in the block, x fastest: this thread's linear index.
    pub linear: u32,
    /// The space accessed, where the finding is about memory.
    pub space: Option<Space>,
    /// The array's name, where it is known (a parameter, a shared or local variable).
    pub array: Option<String>,
    /// Element index into `array`; negative when before its start. Local arrays have no names, so
    /// in local memory this is the index into all of the kernel's local arrays together, in
    /// elements of the access's size.
    pub index: Option<i64>,
    /// Index of the last element accessed; `None` if the access lies within element `index`.
    pub last_index: Option<i64>,
    /// Elements that `array` has, or the kernel's local arrays together.
    pub elements: Option<u64>,
    /// Bytes that `array` has, where `elements` is known.
    pub array_bytes: Option<u64>,
    /// Bytes from the array's first byte to the access; negative before its start.
    pub offset: Option<i64>,
    /// The pointer that the address was computed from, if it is certain which of the kernel's
    /// parameters, or which part of one, that is.
    pub pointer: Option<Pointer>,
    /// Byte address, generic.
    pub address: u64,
    /// Bytes accessed by this thread.
    pub bytes: u32,
    /// Part of an asynchronous copy that the thread has not waited for.
    pub pending: bool,
    /// A volatile store, or a volatile load outside of a loop that waits for the value.
    pub volatile: bool,
    /// Of the first party of a race in one block: how its iteration of the loop around both parties
    /// relates to the other party's. `None` where that is not certain.
    pub iteration: Option<Iteration>,
    /// Of a read of memory that nothing has written: how much of it had been written before the
    /// launch. `None` where nothing had, and of shared and local memory.
    pub written: Option<WrittenBefore>,
}

/// A pointer among a kernel's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pointer {
    /// The parameter, counted from 0.
    pub parameter: u32,
    /// Byte of the parameter where the pointer begins: above 0 in a structure.
    pub byte: u32,
    /// Where it points: bytes after the start of the accessed array.
    pub start: i64,
}

/// How much of an allocation had been written before a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WrittenBefore {
    /// Bytes of the allocation.
    pub bytes: u64,
    /// So many bytes from its start on, without a gap.
    pub from_start: u64,
    /// Bytes of those that the access reads.
    pub of_access: u32,
}

/// How two iterations of a loop relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Iteration {
    /// They are the same one.
    Same,
    /// It is the next one after the other party's.
    Next,
    /// It is the one before the other party's.
    Previous,
}

/// What the values on which the end of an endless loop depends do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopValues {
    /// They are the same in every iteration.
    Unchanged,
    /// They change, but the same ones come again.
    Cycle,
    /// There are none, because no branch leaves the loop: its condition stays true.
    None,
}

/// What is wrong. Grouped as compute-sanitizer's tools group them: memcheck, racecheck, initcheck,
/// synccheck.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Outside the array's bounds; `at.index` and `at.elements` say by how much.
    OutOfBounds,
    /// An address that belongs to no allocation at all: null, a host pointer, garbage.
    InvalidAddress,
    /// An access to memory that was freed before: by `with`, or by the host.
    UseAfterFree,
    /// `free` of memory that `with` has freed.
    DoubleFree,
    /// `free` of something that `malloc` did not return.
    InvalidFree {
        /// What it is instead.
        problem: FreeProblem,
    },
    /// The address is not a multiple of the access size.
    Misaligned,
    /// A texture or surface instruction has an invalid handle, which is in `at.address`.
    BadObject {
        /// The instruction is a surface instruction, not a texture instruction.
        surface: bool,
        /// What the handle is instead.
        problem: ObjectProblem,
    },
    /// A surface access outside the array, or between its elements. The first coordinate counts
    /// bytes.
    BadSurfaceCoordinate {
        /// Byte in the row, row, plane or layer.
        at: [i64; 3],
        /// Bytes of a row, rows, planes or layers.
        extent: [u64; 3],
        /// Bytes of an element of the array.
        texel: u32,
    },
    /// A read of memory that nothing has written.
    UninitialisedRead,
    /// Two unordered accesses of one shared word, at least one of them a write. `with` was executed
    /// first.
    SharedRace,
    /// The same in global memory.
    GlobalRace,
    /// Threads wait at a barrier that others of their block never reach. `at` waits, `with` is one
    /// that left or waits elsewhere.
    BarrierNotReached {
        /// Threads waiting.
        waiting: u32,
        /// Threads that will never arrive.
        missing: u32,
    },
    /// No thread can make progress.
    Deadlock {
        /// Threads that wait.
        waiting: u32,
    },
    /// Threads wait in loops for a change that can never happen, because no thread is left that
    /// could make it. `at` is the load in one of these loops; `with` is the load of another group
    /// of threads, where there is one.
    Livelock {
        /// Threads that wait.
        waiting: u32,
        /// All places where threads wait, in the order of the source.
        places: Vec<WaitingAt>,
    },
    /// A barrier that does not exist: its number is above 15, or its number of threads is not a
    /// multiple of the warp's size.
    BadBarrier {
        /// The barrier's number.
        id: u32,
        /// The number of threads, where the instruction gives one.
        threads: Option<u32>,
    },
    /// A `.sync` warp operation whose mask does not fit the lanes that execute it.
    BadSyncMask {
        /// The mask given.
        mask: u32,
        /// The lanes that executed it together.
        present: u32,
        /// What does not fit.
        problem: MaskProblem,
    },
    /// A multiplication of matrices, or a load or store of one, whose lanes or operands don't fit.
    BadMatrixOperation {
        /// What does not fit.
        problem: MatrixProblem,
    },
    /// Threads run in a loop, and what decides whether it ends doesn't change any more, or always
    /// comes back to the same values. `with` waits for one of these threads, if others do.
    NeverFinishes {
        /// Warp instructions executed by then.
        instructions: u64,
        /// What the values on which the end of the loop depends do.
        values: LoopValues,
    },
    /// The simulator stopped the launch, because it had executed as many instructions as its
    /// options allow. Threads were still making progress.
    OverBudget {
        /// Warp instructions executed by then.
        instructions: u64,
    },
    /// A branch through a list of labels (`brx.idx`) with an index that is not in the list.
    BadBranch {
        /// The index.
        index: u32,
        /// Labels in the list.
        targets: u32,
    },
    /// The kernel executed `trap`.
    Trap,
    /// A grid barrier of cooperative groups in a launch that is not cooperative.
    NotCooperative,
    /// A device-side `assert` failed.
    Assert {
        /// The expression, as written.
        expression: String,
    },
    /// More local memory (arrays, recursion) than a thread may have.
    StackOverflow {
        /// Bytes requested.
        bytes: u64,
    },
}

/// Why the mask of a `.sync` warp operation is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaskProblem {
    /// It names lanes that have not exited and never execute the operation.
    AbsentLanes,
    /// It does not name the lane that passes it.
    LacksItself,
    /// It names a lane that executes the operation with another mask.
    OtherMask {
        /// The lane with the lowest number among them.
        lane: u32,
        /// Its mask.
        mask: u32,
    },
    /// A shuffle reads a lane that the mask does not name.
    SourceNotNamed {
        /// The lane that is read.
        lane: u32,
    },
    /// A shuffle reads a lane that the mask names and that has exited.
    SourceExited {
        /// The lane that is read.
        lane: u32,
    },
}

/// Why an operation of a warp on matrices is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatrixProblem {
    /// Not all 32 lanes of the warp execute it together.
    AbsentLanes {
        /// The lanes that do.
        present: u32,
    },
    /// Lanes give different addresses for the matrix.
    OtherAddress {
        /// The first lane whose address isn't that of the finding's lane.
        lane: u32,
    },
    /// Lanes give different distances between the rows or columns in memory.
    OtherStride {
        /// The first lane whose distance isn't that of the finding's lane.
        lane: u32,
    },
    /// The matrix begins at an address that is not a multiple of what it must be.
    Address {
        /// The address.
        address: u64,
        /// Bytes that it must be a multiple of.
        multiple: u32,
    },
    /// The distance between the rows or columns in memory is not a multiple of what it must be.
    Stride {
        /// The distance in bytes.
        bytes: u64,
        /// The distance in elements.
        elements: u32,
        /// Bytes that it must be a multiple of.
        multiple: u32,
    },
}

/// Why a pointer cannot be freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FreeProblem {
    /// It points into memory that `malloc` returned, and not at its start.
    NotTheStart,
    /// `malloc` in a kernel never returned it: it is memory of `cudaMalloc`, an array, or garbage.
    NotFromMalloc,
}

/// Threads that wait at one line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WaitingAt {
    /// The line.
    pub source: Source,
    /// How many threads.
    pub threads: u32,
    /// They wait in a loop, not at a barrier.
    pub spinning: bool,
}

/// Why a handle is not the object that the instruction needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectProblem {
    /// No object at all: 0, or a value that never was a handle.
    Unknown,
    /// A pointer to device memory.
    Pointer,
    /// A surface instead of a texture, or the other way round.
    OtherKind,
    /// It has other dimensions, or only one of the object and the instruction is layered.
    Dimensions,
}

/// One root cause, however often it happened.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong.
    pub what: FindingKind,
    /// The access that completed the fault: the lowest block and thread that did it.
    pub at: Access,
    /// The other party, where there are two.
    pub with: Option<Access>,
    /// How often threads did the same at the same location.
    pub count: u64,
    /// How many different threads did it.
    pub threads: u64,
    /// Of a race of a read with a write: the writes of the element race with each other, too.
    pub both_write: bool,
    /// Of a race: each time, both parties were threads of one warp.
    pub one_warp: bool,
}

/// Event counts, for one source line or in total. Definitions: Nsight Compute's `smsp__sass_*`
/// source metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// PTX instructions executed by warps.
    pub instructions: u64,
    /// PTX instructions executed by threads (`instructions` weighted with active lanes).
    pub thread_instructions: u64,
    /// Global load requests (one per warp instruction).
    pub load_requests: u64,
    /// Global loads executed by threads (`load_requests` weighted with the lanes that load).
    pub thread_loads: u64,
    /// 32-byte sectors that those loads accessed.
    pub load_sectors: u64,
    /// Sectors that fully packed loads would have accessed.
    pub load_sectors_ideal: u64,
    /// Global store requests.
    pub store_requests: u64,
    /// 32-byte sectors that those stores accessed.
    pub store_sectors: u64,
    /// Sectors that fully packed stores would have accessed.
    pub store_sectors_ideal: u64,
    /// Shared-memory load and store requests.
    pub shared_requests: u64,
    /// Wavefronts of those requests.
    pub shared_wavefronts: u64,
    /// Wavefronts that the requests would take if the data lay packed in all banks.
    pub shared_wavefronts_ideal: u64,
    /// Transactions of those requests. A transaction without bank conflicts takes one wavefront.
    /// When each lane accesses 8 or 16 bytes, the warp's halves or quarters are separate
    /// transactions.
    pub shared_transactions: u64,
    /// Global atomic requests.
    pub global_atomics: u64,
    /// Global atomic operations executed by threads (`global_atomics` weighted with the lanes that
    /// take part).
    pub thread_atomics: u64,
    /// 32-byte sectors that those touched.
    pub global_atomic_sectors: u64,
    /// Shared atomic requests.
    pub shared_atomics: u64,
    /// Wavefronts of those requests.
    pub shared_atomic_wavefronts: u64,
    /// Local-memory requests (stack arrays, spills).
    pub local_requests: u64,
    /// 32-byte sectors that those touched.
    pub local_sectors: u64,
    /// Texture fetches, surface loads and stores.
    pub texture_requests: u64,
    /// Conditional branches executed by warps.
    pub branches: u64,
    /// Those whose active lanes took both directions.
    pub divergent_branches: u64,
    /// Barriers reached by warps.
    pub barriers: u64,
    /// Multiplications of matrices by warps (`wmma.mma`, `mma.sync`).
    pub matrix_multiplications: u64,
}

/// The counters of one source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounters {
    /// The line (`column` is 0).
    pub source: Source,
    /// Its counts.
    pub counters: Counters,
    /// What its instructions moved.
    pub traffic: Traffic,
}

/// How a launch used one named allocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayUse {
    /// The allocation's name.
    pub name: String,
    /// Elements it has.
    pub elements: u64,
    /// Elements written at least once (in 4-byte words where elements are smaller).
    pub written: u64,
    /// The most writes to one element; saturates at [`MAX_COUNTED_WRITES`].
    pub max_writes: u32,
    /// Elements that were written `max_writes` times.
    pub most_written: u64,
}

/// Writes of one element are counted up to this number, which therefore means "this often or more".
pub const MAX_COUNTED_WRITES: u32 = crate::exec::hazards::cell::MAX_WRITES;

/// Loads of warps from global memory, asynchronous copies among them, that the warps have waited
/// for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AwaitedLoads {
    /// The sectors of 32 bytes that they need, by the number of instructions that the warp has
    /// executed between the load and the wait for it, at most [`MAX_COUNTED_DISTANCE`].
    pub sectors: BTreeMap<u64, u64>,
    /// Fused multiplications and additions of the warp that executes most of them.
    pub fused: u64,
}

impl AwaitedLoads {
    /// Instructions between the load of a sector and the wait for it, on average. What is more than
    /// `most` doesn't count, so a few early loads don't make up for late ones. `None` without loads.
    pub fn instructions(&self, most: u64) -> Option<f64> {
        let all: u64 = self.sectors.values().sum();
        let counted = |(distance, sectors): (&u64, &u64)| distance.min(&most) * sectors;
        let instructions: u64 = self.sectors.iter().map(counted).sum();
        (all > 0).then(|| instructions as f64 / all as f64)
    }

    /// Adds the loads of other warps.
    pub(crate) fn add(&mut self, others: &Self) {
        for (distance, sectors) in &others.sectors {
            *self.sectors.entry(*distance).or_default() += sectors;
        }
        self.fused = self.fused.max(others.fused);
    }
}

/// Instructions between a load and the wait for it are counted up to this number.
pub const MAX_COUNTED_DISTANCE: u64 = 1000;

/// What the caches of a GPU can't serve, as `exec/caches.rs` estimates it from below. Atomics count
/// as stores, and texture fetches are not among the sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LevelCounts {
    /// Sectors of 32 bytes that loads find neither in registers nor in L1, so that L2 delivers
    /// them.
    pub l1_sectors: u64,
    /// Those that L2 doesn't have either, so that device memory delivers them.
    pub read_sectors: u64,
    /// Those of both kinds that are alone: no other sector of their line is loaded with them.
    pub l1_single_sectors: u64,
    /// See above.
    pub read_single_sectors: u64,
    /// Turns that L1 needs to look up the lines of 128 bytes that loads and stores touch.
    pub l1_turns: u64,
    /// The same of the block that has most.
    pub busiest_block_turns: u64,
    /// Loads of warps with at least one sector that isn't in L1.
    pub requests_beyond_l1: u64,
    /// Loads of warps with at least one sector that isn't in L2.
    pub requests_beyond_l2: u64,
    /// Different sectors that stores write.
    pub written_sectors: u64,
    /// Sectors that one store of a warp writes in part, and that are not in L2.
    pub partial_stores: u64,
    /// Words of 4 bytes that shared memory must deliver or take: different words of an access, and
    /// at least a quarter of a wavefront's 32 for each 4 bytes of a lane.
    pub shared_words: u64,
    /// Atomic operations of lanes on the word of device memory that has most of them.
    pub busiest_word: u64,
}

impl LevelCounts {
    /// Adds the counts of another host thread.
    pub fn add(&mut self, other: &Self) {
        macro_rules! sum { ($($f:ident),*) => { $( self.$f += other.$f; )* } }
        sum!(
            l1_sectors,
            read_sectors,
            l1_single_sectors,
            read_single_sectors,
            l1_turns,
            busiest_block_turns,
            requests_beyond_l1,
            requests_beyond_l2,
            written_sectors,
            partial_stores,
            shared_words,
            busiest_word
        );
    }
}

/// Everything observed during one launch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Observations {
    /// What is wrong, the most informative first. Empty for a correct kernel.
    pub findings: Vec<Finding>,
    /// True when every thread ran to its end.
    pub completed: bool,
    /// A thread accessed global memory so far outside its array that a GPU has no memory there and
    /// ends the launch with `cudaErrorIllegalAddress`.
    pub unmapped: bool,
    /// Shared memory of each block in bytes, static and dynamic.
    pub shared_bytes: u32,
    /// Constant memory of the module in bytes.
    pub constant_bytes: u64,
    /// Warps of the launch.
    pub warps: u64,
    /// Instructions of the warp that executed most.
    pub busiest_warp: u64,
    /// How often warps waited for loads from global memory, as `exec/waits.rs` defines it. `None`
    /// if that was not counted.
    pub load_waits: Option<u64>,
    /// The loads from global memory that warps have waited for. `None` if that was not counted.
    pub awaited: Option<AwaitedLoads>,
    /// What caches could not serve. `None` if that was not counted.
    pub levels: Option<LevelCounts>,
    /// What blocks had in shared memory when they passed barriers, with
    /// [`crate::Disturbance::Exchange`].
    pub snapshots: Option<Box<Snapshots>>,
    /// Sums over the launch.
    pub totals: Counters,
    /// What the launch moved, whatever instructions moved it.
    pub traffic: Traffic,
    /// The same per source line, in file and line order.
    pub lines: Vec<LineCounters>,
    /// Named allocations that the launch wrote.
    pub arrays: Vec<ArrayUse>,
    /// Output of the kernel's `printf`, up to [`crate::Limits::output`] bytes.
    pub output: String,
    /// Bytes of output beyond that.
    pub output_dropped: u64,
}

impl Counters {
    /// Adds another set of counts to this one.
    pub fn add(&mut self, other: &Self) {
        macro_rules! sum { ($($f:ident),*) => { $( self.$f += other.$f; )* } }
        sum!(
            instructions,
            thread_instructions,
            load_requests,
            thread_loads,
            load_sectors,
            load_sectors_ideal,
            store_requests,
            store_sectors,
            store_sectors_ideal,
            shared_requests,
            shared_wavefronts,
            shared_wavefronts_ideal,
            shared_transactions,
            global_atomics,
            thread_atomics,
            global_atomic_sectors,
            shared_atomics,
            shared_atomic_wavefronts,
            local_requests,
            local_sectors,
            texture_requests,
            branches,
            divergent_branches,
            barriers,
            matrix_multiplications
        );
    }

    /// Mean number of active lanes per warp instruction; 0 when nothing ran.
    pub fn active_lanes(&self) -> f64 {
        ratio(self.thread_instructions, self.instructions)
    }

    /// Sectors per global load and store request; 0 when there was none.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.load_sectors + self.store_sectors, self.load_requests + self.store_requests)
    }

    /// Sectors of global loads and stores for each 128 bytes that they would access if they were
    /// fully packed; 0 when there was none. A warp's request of 4 bytes for each lane is as large,
    /// so this is the number of sectors of such a request, whatever the width of the accesses.
    pub fn sectors_per_128_bytes(&self) -> f64 {
        let ideal = self.load_sectors_ideal + self.store_sectors_ideal;
        4.0 * ratio(self.load_sectors + self.store_sectors, ideal)
    }

    /// Sectors per global load and store request, where a request of more than 128 bytes counts
    /// once for each 128 bytes that it would access if it were fully packed; 0 when there was none.
    pub fn sectors_per_narrow_request(&self) -> f64 {
        self.sectors_per_request().min(self.sectors_per_128_bytes())
    }

    /// Bank conflicts of loads and stores: wavefronts beyond one per transaction.
    pub fn shared_conflicts(&self) -> u64 {
        self.shared_wavefronts.saturating_sub(self.shared_transactions)
    }
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}
