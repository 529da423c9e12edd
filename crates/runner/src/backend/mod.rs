//! Runs compiled kernels on the simulator or on a GPU. A backend does not know the right results.

mod fault;
pub mod gpu;
pub(crate) mod guard;
pub mod poison;
mod run;
pub mod sim;

use cudart_sim::resources::KernelResources;
use cudart_sim::runtime::{MachineFault, Skipped, TracedLaunch, Watching};
use ptxsim::{Disturbance, Snapshots};
use serde::{Deserialize, Serialize};

use crate::value::DType;

pub use fault::Fault;
pub use run::{CopiedBack, Output, Run};

/// Bytes of printed output that are kept; further bytes are only counted.
pub const PRINTED_LIMIT: usize = 64 << 10;

/// Runs kernels. It lives in a child process, because a kernel may hang or crash it, or leave the
/// device unusable.
pub trait Backend {
    /// Sets the PTX text for the next launches.
    fn load(&mut self, ptx: String);

    /// Runs one launch of the loaded PTX with new memory and new module state. Mistakes of the
    /// learner's kernel are in `Run::faults`.
    ///
    /// # Errors
    /// When the launch could not be tried.
    fn run(&mut self, launch: &Launch) -> Result<Run, Error>;

    /// False when this process can no longer use the device.
    fn healthy(&self) -> bool;
}

/// Why a launch could not be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The GPU cannot be used.
    #[error(transparent)]
    NoGpu(#[from] NoGpu),
    /// The checker's request was impossible.
    #[error("{0}")]
    Bug(String),
}

/// The GPU that kernels run on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuInfo {
    /// "NVIDIA H200".
    pub name: String,
    /// Its memory in bytes.
    pub memory: u64,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// The newest CUDA version that the driver supports, major and minor.
    pub driver: (u32, u32),
}

/// Why no kernel can run on a GPU here, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{why}{}", advice_text(.advice.as_deref()))]
pub struct NoGpu {
    /// "libcuda.so.1 is not installed".
    pub why: String,
    /// "install NVIDIA's driver 550 or newer".
    pub advice: Option<String>,
    /// Whether the machine has an NVIDIA GPU all the same.
    pub has_card: bool,
}

impl NoGpu {
    /// The reason, when nothing is known about the machine's GPU.
    pub fn unknown(why: String) -> Self {
        Self { why, advice: None, has_card: false }
    }
}

fn advice_text(advice: Option<&str>) -> String {
    advice.map(|advice| format!(": {advice}, or use --backend sim")).unwrap_or_default()
}

/// The backend that was selected on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Choice {
    /// The GPU where there is one, else the simulator.
    #[default]
    Auto,
    /// The GPU, or exit code 3.
    Gpu,
    /// The simulator.
    Sim,
}

/// One kernel launch with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The kernel's name.
    pub entry: String,
    /// Blocks per grid (x, y, z).
    pub grid: [u32; 3],
    /// Threads per block (x, y, z).
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Launched with `cudaLaunchCooperativeKernel`.
    pub cooperative: bool,
    /// Names of buffers for which a strong access is as much of a data race as a weak one, if it
    /// is not ordered.
    pub ordered: Vec<String>,
    /// In the order of the kernel's parameters.
    pub args: Vec<Arg>,
    /// Changes the poison pattern, and the simulator's order of warps and blocks.
    pub seed: u64,
    /// Warp instructions after which the simulator gives up.
    pub budget: u64,
    /// Timed launches on a GPU after the first one: so many with warm caches, and as many with cold
    /// ones. Each finds memory and the module's variables as the first launch does, so none can use
    /// what an earlier one has left. The outputs are those of the fastest launch.
    pub repeat: u32,
    /// What the simulator disturbs, if anything.
    pub disturbance: Option<Disturbance>,
    /// What [`Disturbance::Exchange`] puts into shared memory, if anything.
    pub snapshots: Option<Snapshots>,
    /// Counts how often warps wait for loads on the simulator ([`ptxsim::Options`]).
    pub count_waits: bool,
    /// Counts this, and what caches can't serve, as in the launch that this one is a part of.
    pub part_of: Option<PartOf>,
}

/// The launch that another one is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOf {
    /// How many times as many blocks it has.
    pub times: u32,
    /// Registers of each thread; `None` if they are unknown.
    pub registers: Option<u32>,
}

/// One call of a program's function with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The function's name.
    pub entry: String,
    /// In the order of its parameters, each with its scalar or element type. Buffers are in host
    /// memory.
    pub args: Vec<(DType, Arg)>,
    /// As in [`Launch`].
    pub seed: u64,
    /// The budget of each kernel, as in [`Launch`].
    pub budget: u64,
    /// What is timed of the call on a GPU. A call before it, with other inputs, should have made
    /// the context and loaded the code.
    pub timed: Option<Clock>,
    /// The launch whose steps the simulator records, if it records any.
    pub traced: Option<TracedLaunch>,
    /// How the simulator watches what the host contributes to the results.
    pub watching: Watching,
    /// The work that the simulator leaves out, if any.
    pub skipped: Option<Skipped>,
    /// Kernels count waits for loads and what caches can't serve, as in a call in which each launch
    /// has so many times as many blocks.
    pub part_of: Option<u32>,
    /// What the simulator disturbs in all kernels, if anything.
    pub disturbance: Option<Disturbance>,
    /// What [`Disturbance::Exchange`] puts into shared memory in each launch, in their order on the
    /// device.
    pub snapshots: Vec<Snapshots>,
    /// Why the simulated machine fails, if it does.
    pub fault: Option<MachineFault>,
    /// What the assembler has allocated for the program's kernels, as far as that is known.
    pub resources: Vec<KernelResources>,
}

/// What is timed of a program's call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Clock {
    /// The whole call, on the host's clock.
    Host,
    /// All its launches, each between two events. The program has been compiled for
    /// [`crate::compile::Target::TimedGpu`].
    Kernels,
}

/// How a program's `main` runs on the simulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulation {
    /// Chooses among the orders in which a device may work.
    pub seed: u64,
    /// Bytes of device memory.
    pub memory: u64,
    /// Warp instructions after which a kernel is stopped.
    pub budget: u64,
    /// The launch whose steps are recorded, if one is.
    pub traced: Option<TracedLaunch>,
    /// What the assembler has allocated for the program's kernels, as far as that is known.
    pub resources: Vec<KernelResources>,
}

impl Simulation {
    /// Bytes of device memory that a program has unless its caller says otherwise.
    pub const DEFAULT_MEMORY: u64 = ptxsim::Memory::CAPACITY;
    /// Warp instructions after which a kernel is stopped unless its caller says otherwise.
    pub const DEFAULT_BUDGET: u64 = 400_000_000;
}

/// One argument as bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Arg {
    /// A buffer in device memory.
    Buffer {
        /// The parameter's name, for messages.
        name: String,
        /// Element type, for messages and poison.
        dtype: DType,
        /// Size in bytes.
        bytes: usize,
        /// Contents; `None` for an output, which is filled with poison.
        #[serde(with = "serde_bytes")]
        data: Option<Vec<u8>>,
        /// Whether the kernel may write it. If not, the contents are compared afterwards.
        writable: bool,
    },
    /// A scalar, little-endian.
    Scalar(Vec<u8>),
}
