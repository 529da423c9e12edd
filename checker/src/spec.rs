//! What an exercise is: a value that all other modules read.

use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::value::{Array, DType, Value};

mod kind;

pub use kind::{HostPart, Kind};

/// An exercise. Its id is also the stem of its files and the name of its kernel.
#[derive(Debug)]
pub struct Spec {
    /// `double_it`: file stem in every tree, and the kernel's name.
    pub id: &'static str,
    /// `ch01_threads`: folder in every tree.
    pub chapter: &'static str,
    /// Device code only, or a whole program.
    pub kind: Kind,
    /// What the learner starts from.
    pub start: Start,
    /// Typical time in minutes to read the page, to solve the exercise and to use its hints.
    pub minutes: u32,
    /// One line in the imperative: "write your first kernel".
    pub goal: &'static str,
    /// Launched with `cudaLaunchCooperativeKernel`: all blocks are on the device at once, and may
    /// wait for each other.
    pub cooperative: bool,
    /// Arrays through which blocks of one launch pass results on. Accesses of different threads to
    /// them have to be ordered by synchronisation: a relaxed atomic is no data race, but without an
    /// order it may read an old value.
    pub ordered: &'static [&'static str],
    /// The kernel's parameters in order.
    pub params: &'static [Param],
    /// Named cases, the easiest to understand first: only the first failure is shown.
    pub cases: &'static [Case],
    /// A case as large as real work, which `dev time` runs on a GPU: too large for the simulator,
    /// and for the caches of a GPU. `None` when the exercise is not timed.
    pub large: Option<Case>,
    /// How outputs are compared.
    pub tolerance: Tolerance,
    /// Counts that must hold beside a right answer.
    pub gates: &'static [Gate],
    /// At least three, from a nudge to nearly the answer.
    pub hints: &'static [&'static str],
    /// Common mistakes in this exercise, and their causes.
    pub pitfalls: &'static [&'static str],
    /// Where the book teaches it: "chapter 1, \"Which element is mine?\"".
    pub learn: &'static str,
    /// The verdict that the untouched skeleton gets.
    pub skeleton: Slug,
    /// The arguments of a case, in parameter order, from a seeded generator. Sizes come from
    /// `Case::size`.
    pub inputs: fn(&Case, &mut ChaCha8Rng) -> Vec<Value>,
    /// What each `Out` and `InOut` parameter must hold afterwards, in parameter order. Floats in
    /// f64.
    pub reference: fn(&Case, &[Value]) -> Vec<Array>,
}

impl Spec {
    /// This exercise with its large case as the only one; `None` when it has none.
    pub fn with_large_case(&'static self) -> Option<&'static Self> {
        let cases = std::slice::from_ref(self.large.as_ref()?);
        // Leaked, because every Spec lives as long as the process.
        Some(Box::leak(Box::new(Self { cases, ..*self })))
    }

    /// Whether one of its gates counts this.
    pub fn has_gate(&self, metric: Metric) -> bool {
        self.gates.iter().any(|gate| gate.metric == metric)
    }
}

/// What the learner starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Fill the gaps.
    Write,
    /// Not right yet: find the planted bug, or the missing part.
    Fix,
    /// Right, but a count misses its target: make it meet the gates.
    Optimise,
}

/// One kernel parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// As in the skeleton.
    pub name: &'static str,
    /// Which way data flows.
    pub role: Role,
    /// Element or scalar type.
    pub dtype: DType,
    /// For people: "[n]", "[rows][cols]"; empty for a scalar.
    pub shape: &'static str,
}

/// Which way a parameter's data flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A pointer that the kernel only reads.
    In,
    /// A pointer that the kernel fills.
    Out,
    /// A pointer that the kernel reads and changes.
    InOut,
    /// A pointer to one `float` for a time in milliseconds that a program measures between two
    /// events. The right value is the last one that `cudaEventElapsedTime` returned.
    Time,
    /// A pointer to numbers that the host finds out, such as the codes that calls return. All other
    /// results must come from the device.
    Host,
    /// A pointer to whole numbers that the learner has found out and written into the file as
    /// constants; the kernel only passes them on. They must be right, and no report shows the right
    /// ones.
    Answer,
    /// Passed by value.
    Scalar,
}

impl Role {
    /// Whether the reference has a result for such a parameter.
    pub const fn is_compared(self) -> bool {
        matches!(self, Self::Out | Self::InOut | Self::Host | Self::Answer)
    }
}

/// Whether the elements of `output` can each be given a thread of their own: it has rows and
/// columns, or an input has its length, or there is no input. A sum or a count of many elements has
/// no such thread.
pub fn elementwise(params: &[Param], output: &str) -> bool {
    let Some(output) = params.iter().find(|param| param.name == output) else { return false };
    let mut inputs = params.iter().filter(|param| param.role == Role::In).peekable();
    let flat = output.shape.matches('[').count() <= 1;
    !flat || inputs.peek().is_none() || inputs.any(|input| input.shape == output.shape)
}

/// One launch with one set of sizes.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Short and descriptive: "five blocks".
    pub name: &'static str,
    /// What this case is there to catch.
    pub why: &'static str,
    /// Named sizes, shown to the learner: `[("n", 1280)]`.
    pub sizes: &'static [(&'static str, usize)],
    /// Macros that a kernel's file is compiled with, as in `-D RADIUS=2`. Cases with the same ones
    /// share a module.
    pub defines: &'static [(&'static str, i64)],
    /// Blocks per grid (x, y, z).
    pub grid: [u32; 3],
    /// Threads per block (x, y, z).
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Whether the gates are measured on this case.
    pub gated: bool,
    /// Whether it is about a limit of the simulated device, so that a GPU, which may have another
    /// one, doesn't run it.
    pub simulated_only: bool,
    /// How the simulated machine differs in this case, if it does. A GPU doesn't run such a case.
    pub fault: Option<MachineFault>,
    /// Faults of the machine with which a solved case is called again, once for each. Outputs that
    /// the host writes ([`Role::Host`]) have to change as the reference does, so a program that
    /// computes them from its arguments doesn't pass.
    pub other_faults: &'static [MachineFault],
    /// Diagnostics that this case causes on purpose, because an exercise about errors needs some.
    pub allows: &'static [Slug],
}

impl Case {
    /// The size called `name`.
    ///
    /// # Panics
    /// When the case has no such size: a broken Spec, which `dev check` and the course's tests
    /// find.
    pub fn size(&self, name: &str) -> usize {
        self.sizes.iter().find(|(n, _)| *n == name).map(|(_, v)| *v).expect("size in case")
    }
}

/// An error or a limit whose reason is the machine, so that it doesn't follow from any argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineFault {
    /// Another program has the device for itself.
    Unavailable,
    /// The program has no code for the device.
    NoKernelImage,
    /// The device's memory has an error that it can't correct, which a kernel finds.
    MemoryError,
    /// The same, and a copy to the device finds it.
    MemoryErrorInCopyIn,
    /// The same, and a copy to the host finds it.
    MemoryErrorInCopyOut,
    /// A block has at most 64 KiB of shared memory, as with compute capability 7.5.
    LessSharedMemory,
}

/// How outputs are compared with the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// Bit for bit (integers), or equal after rounding the f64 reference to the output's type.
    Exact,
    /// `C * sqrt(k) * eps * magnitude` for a result of `k` dependent roundings.
    Roundings(u32),
    /// The same with the magnitude of the element itself, for results in which nothing cancels,
    /// such as sums of numbers that are never negative.
    OwnRoundings(u32),
    /// At most this far from the reference, for hardware that computes in fixed point.
    Within(f64),
}

/// A count that the simulator takes from the learner's own kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// What is counted.
    pub metric: Metric,
    /// How it is compared.
    pub op: Op,
    /// With what.
    pub target: f64,
    /// What the skeleton measures in the first gated case; `None` if the skeleton's answer is
    /// wrong.
    pub baseline: Option<f64>,
}

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// 32-byte sectors per global load or store request of 128 bytes, which is what a warp's lanes
    /// need of 4 bytes each. A request of other accesses counts as many times as it needs that.
    ///
    /// The sectors beyond those of packed requests are divided among the requests that the work
    /// needs, so requests for nothing do not lower the number.
    SectorsPerRequest {
        /// The bytes that packed requests move for each element of the outputs.
        bytes: u32,
    },
    /// The most often that one element of an output was written.
    WritesPerElement,
    /// Wavefronts of shared memory that bank conflicts cause, in loads, stores and atomics.
    SharedConflicts,
    /// Shared load, store and atomic requests.
    SharedRequests,
    /// Words of 4 bytes that threads load from shared memory, store there or change by atomics.
    SharedWords,
    /// Global load requests. For this count and the next two, whatever moves data from global
    /// memory is a load: atomics whose old value is used, texture fetches, and loads of constants
    /// if the program keeps its data there.
    LoadRequests,
    /// Global loads of threads for each element of the outputs. A load of more than 4 bytes counts
    /// as several loads of 4 bytes.
    LoadsPerElement,
    /// Bytes that global loads fetch, in whole sectors of 32, for each element of the outputs.
    BytesPerElement,
    /// Global store requests, including those of atomics and surfaces.
    StoreRequests,
    /// Texture fetches, and loads and stores through surfaces, of warps. They count only if the
    /// outputs get all data of the input arrays from them.
    TextureRequests {
        /// Whether all data also has to be stored through surfaces.
        surfaces: bool,
    },
    /// Divergent branches.
    DivergentBranches,
    /// Shared memory of a block in bytes, static and dynamic; of a program, the most that one of
    /// its launches has.
    SharedBytes,
    /// Block barriers that each warp reaches, on average. An arrival at a barrier in shared memory
    /// is one, too.
    Barriers,
    /// Atomic operations of threads on global memory.
    GlobalAtomics,
    /// Conditional branches that warps execute, and calls through pointers. A loop that is not
    /// unrolled has a branch in each iteration.
    Branches,
    /// Products of matrices that warps compute on tensor cores (`wmma.mma`, `mma.sync`).
    MatrixProducts,
    /// Multiplications of floating-point numbers that warps execute, with or without an addition,
    /// each of one product for each thread. Products of pairs (`__half2`) don't count.
    SingleProducts,
    /// PTX instructions that warps execute. Compilers differ by some, so a target is for kernels
    /// that need many times as many.
    Instructions,
    /// Global loads of a warp that are in flight, on average, when it has to wait for one
    /// ([`ptxsim::Observations::load_waits`]).
    LoadsInFlight,
    /// Bytes that the lanes of a warp need from its global loads that are in flight, on average,
    /// when it has to wait for one. All loads together count at most the bytes of the inputs.
    BytesInFlight,
    /// Instructions that a warp executes, on average, between the load of a sector from global
    /// memory and the wait for it ([`ptxsim::Observations::awaited`]). For one load, at most a
    /// quarter more than the target counts. Only a kernel can have this gate.
    WorkDuringLoads,
    /// Warps of a kernel that are resident on a multiprocessor of an H100, for all of whose
    /// resources its blocks compete. In a program, the fewest of any launch.
    ResidentWarps,
    /// Waves of a launch on an H100: its blocks, divided by the number of blocks that the device
    /// holds at the same time. In a program, the most of any launch.
    Waves,
    /// Bytes of local memory of a thread: spilled registers, and arrays that are not in registers.
    /// In a program, the most of any launch.
    LocalBytes,
    /// PTX instructions of the warp that executes most of them; in a program, of any launch. If one
    /// warp does the work of many, it needs many times as many. Beside gates for loads in flight, a
    /// fused multiplication and addition counts as two.
    BusiestWarp,
    /// Bytes that a program copies to the device.
    BytesToDevice,
    /// Bytes that it copies back.
    BytesToHost,
    /// Calls that copy to the device.
    CopiesToDevice,
    /// Calls that copy back.
    CopiesToHost,
    /// Calls that copy from one place on the device to another.
    CopiesWithinDevice,
    /// Copies from the host's memory to the host's memory.
    CopiesWithinHost,
    /// Kernels that a program launches. Where a gate wants a number of them and not only a limit,
    /// launches that write nothing to global memory, or less than an eighth of what another one
    /// writes, don't count.
    Launches,
    /// Blocks beyond those that `n` elements need, one thread for each, over its launches.
    SpareBlocks,
    /// Lanes of the last warp of a block that have no thread, in its launches.
    IdleLanes,
    /// Device allocations that it makes.
    Allocations,
    /// The most device allocations that it has at once.
    LiveAllocations,
    /// The most bytes of device memory that it has allocated at once, with those of its variables.
    LiveBytes,
    /// Bytes of its variables in the device's global memory (`__device__`, `__managed__`), without
    /// constants and shared memory.
    StaticBytes,
    /// Share of the time in which anything is done that at least two engines work (copies each way,
    /// kernels), on the simulated clock. Kernels count for a part of the copies' time only.
    Overlap,
    /// Share of the time in which any kernel runs that at least two kernels run, on the simulated
    /// clock.
    ConcurrentKernels,
    /// The time in which any kernel runs, in microseconds on the simulated clock. Kernels that are
    /// made to last longer share more of their time, but don't end earlier.
    KernelTime,
    /// The kernels' time that lies between the two events of the last time that it measured, as a
    /// multiple of the longest kernel's.
    TimedKernels,
    /// Share of the copies' time that lies between them.
    TimedCopies,
    /// Calls of `cudaDeviceSynchronize`, or all waits before which and after which the program
    /// enqueued work, whichever are more.
    DeviceWaits,
    /// Calls and launches that return an error.
    FailedCalls,
}

/// How a measured count is compared with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `==`
    Exactly,
}
