//! Runs compiled kernels on the simulator or on a GPU. A backend does not know the right results.

pub mod gpu;
pub(crate) mod guard;
pub(crate) mod poison;
pub mod sim;

use serde::{Deserialize, Serialize};

use crate::value::DType;

/// Bytes of printed output that are kept; further bytes are only counted.
pub const PRINTED_LIMIT: usize = 64 << 10;

/// Runs kernels. It lives in a child process, because a kernel may hang or crash it, or leave the device unusable.
pub trait Backend {
    /// Sets the PTX text for the next launches.
    fn load(&mut self, ptx: String);

    /// Runs one launch of the loaded PTX with new memory and new module state. Mistakes of the learner's kernel are in
    /// `Run::faults`.
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

/// Why no kernel can run on a GPU here, and what to do about it, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{why}")]
pub struct NoGpu {
    /// "libcuda.so.1 is not installed: install NVIDIA's driver, or use --backend sim".
    pub why: String,
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
    /// In the order of the kernel's parameters.
    pub args: Vec<Arg>,
    /// Changes the poison pattern, and the simulator's order of warps and blocks.
    pub seed: u64,
    /// Warp instructions after which the simulator gives up.
    pub budget: u64,
    /// Further launches after the outputs were copied back; a GPU times them.
    pub repeat: u32,
}

/// One call of a program's function with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The function's name.
    pub entry: String,
    /// In the order of its parameters, each with its scalar or element type. Buffers are in host memory.
    pub args: Vec<(DType, Arg)>,
    /// As in [`Launch`].
    pub seed: u64,
    /// The budget of each kernel, as in [`Launch`].
    pub budget: u64,
    /// Further calls after the outputs were copied back; on a GPU they are timed.
    pub repeat: u32,
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

/// The results of a launch or call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Contents of every writable buffer after the launch, in parameter order.
    pub outputs: Vec<Output>,
    /// Faults, the most informative first; empty when the kernel ran without one.
    pub faults: Vec<Fault>,
    /// The simulator's observations, of a program those of all its launches together; `None` from a GPU.
    pub observations: Option<ptxsim::Observations>,
    /// The simulated runtime's report on a program; `None` for a kernel, and from a GPU.
    pub program: Option<cudart_sim::report::Report>,
    /// What the kernel printed, up to [`PRINTED_LIMIT`].
    pub printed: String,
    /// Bytes printed beyond that.
    pub printed_dropped: u64,
    /// The time of each repetition on a GPU in milliseconds. A kernel is timed between two events and a program on the host's
    /// clock, except that with [`crate::compile::Target::TimedGpu`] it is the time of all the program's kernels.
    pub milliseconds: Vec<f64>,
    /// The device: "simulator", "GPU: NVIDIA H200".
    pub device: String,
}

impl Run {
    /// A run with a fault and no results.
    pub fn failed(fault: Fault, device: String) -> Self {
        Self { faults: vec![fault], ..Self::new(device) }
    }

    /// A run without results so far.
    pub fn new(device: String) -> Self {
        Self {
            outputs: vec![],
            faults: vec![],
            observations: None,
            program: None,
            printed: String::new(),
            printed_dropped: 0,
            milliseconds: vec![],
            device,
        }
    }
}

/// One buffer after the launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The parameter's name.
    pub name: String,
    /// Its bytes.
    #[serde(with = "serde_bytes")]
    pub data: Vec<u8>,
    /// The 4-byte pattern that it was poisoned with; `None` for inout.
    pub poison: Option<[u8; 4]>,
}

/// A fault that a backend found, as data. `explain` has the words for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fault {
    /// The simulator's finding.
    Finding(ptxsim::Finding),
    /// A finding of the simulator in one of the launches that a program makes.
    InLaunch {
        /// The launch, without its own findings and counts.
        launch: Box<cudart_sim::runtime::LaunchRecord>,
        /// The finding.
        finding: ptxsim::Finding,
    },
    /// A program uses the CUDA runtime wrongly.
    Host(cudart_sim::report::HostFinding),
    /// Memory that a program never freed; reported when everything else is right.
    Leaked(Vec<cudart_sim::report::Leak>),
    /// A program declares and calls a function that is not defined.
    Undefined {
        /// Its name for the linker.
        symbol: String,
    },
    /// The program ended its process by calling `exit`.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A signal ended the program: an invalid pointer, `abort`, or an uncaught exception.
    Crashed {
        /// Its number.
        signal: i32,
        /// The last words that it printed.
        words: String,
        /// The place and the memory that it is about, as far as they are known.
        crash: Option<cudart_sim::report::Crash>,
    },
    /// The reply of the program's process is not a result: the program overwrote the checker's memory or wrote to its channel.
    Garbled {
        /// What is wrong with the reply.
        how: String,
    },
    /// A guard zone around a buffer was changed (GPU).
    GuardZone {
        /// The parameter's name.
        name: String,
        /// Element index of the first changed element; negative when before the buffer.
        index: i64,
    },
    /// A read-only buffer was changed.
    InputChanged {
        /// The parameter's name.
        name: String,
        /// First element changed.
        index: u64,
    },
    /// The driver reported an error (GPU): `CUDA_ERROR_ILLEGAL_ADDRESS` and the like.
    Driver {
        /// CUresult as a number.
        code: u32,
        /// Its name.
        name: String,
        /// The driver's description.
        text: String,
    },
    /// The wall clock ran out and the worker was killed.
    TimedOut {
        /// Seconds allowed.
        seconds: f64,
    },
    /// The worker died (out of memory, crashed).
    WorkerDied {
        /// How: "signal 9", "exit code 101".
        how: String,
    },
    /// The code uses a feature that the simulator does not have. The learner's code is not wrong.
    Unsupported {
        /// The instruction, directive or function.
        feature: String,
        /// Where, when known.
        source: Option<ptxsim::Source>,
    },
}

/// The first byte of a read-only buffer that differs from the bytes that were sent.
pub(crate) fn first_difference(sent: Option<&[u8]>, found: &[u8]) -> Option<usize> {
    let sent = sent?;
    // The comparison of whole slices is much faster than the search, and they are usually equal.
    if sent == found {
        return None;
    }
    sent.iter().zip(found).position(|(a, b)| a != b)
}
