//! Where a compiled kernel runs: the simulator or a GPU. A backend knows nothing of the right answer.

pub mod gpu;
pub(crate) mod guard;
pub(crate) mod poison;
pub mod sim;

use serde::{Deserialize, Serialize};

use crate::value::DType;

/// Bytes of a kernel's output that are kept; the rest is counted.
pub const PRINTED_LIMIT: usize = 64 << 10;

/// Runs kernels. Lives in a child process: a kernel may hang it, crash it, or leave the device unusable.
pub trait Backend {
    /// Takes the PTX text of the launches to come.
    fn load(&mut self, ptx: String);

    /// Runs one launch of the loaded PTX, from fresh memory and fresh module state. What the learner's kernel does
    /// wrong is in `Run::faults`.
    ///
    /// # Errors
    /// When the launch could not be tried at all.
    fn run(&mut self, launch: &Launch) -> Result<Run, Error>;

    /// False once the device is unusable from this process.
    fn healthy(&self) -> bool;
}

/// Why a launch could not be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The GPU cannot be used.
    #[error(transparent)]
    NoGpu(#[from] NoGpu),
    /// The checker asked for something impossible.
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

/// Why no kernel can run on a GPU here, and what mends it, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{why}")]
pub struct NoGpu {
    /// "libcuda.so.1 is not installed: install NVIDIA's driver, or use --backend sim".
    pub why: String,
}

/// Which backend was asked for on the command line.
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

/// One kernel launch, ready to run.
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
    /// Launches again, this often, after the outputs were taken: a GPU times them.
    pub repeat: u32,
}

/// One call of a program's function, ready to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The function's name.
    pub entry: String,
    /// In the order of its parameters, with the types of scalars and elements; buffers are in the host's memory.
    pub args: Vec<(DType, Arg)>,
    /// As in [`Launch`].
    pub seed: u64,
    /// Of each kernel, as in [`Launch`].
    pub budget: u64,
    /// Calls again, this often, after the outputs were taken: a GPU's program is timed.
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
        /// Contents; `None` for an output, which is poisoned.
        #[serde(with = "serde_bytes")]
        data: Option<Vec<u8>>,
        /// Whether the kernel may write it; unchanged contents are checked where it may not.
        writable: bool,
    },
    /// A scalar, little-endian.
    Scalar(Vec<u8>),
}

/// What a launch left behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Contents of every writable buffer after the launch, in parameter order.
    pub outputs: Vec<Output>,
    /// What went wrong, the most telling first; empty when the kernel ran cleanly.
    pub faults: Vec<Fault>,
    /// The simulator's observations; `None` from a GPU. Of a program, those of all its launches together.
    pub observations: Option<ptxsim::Observations>,
    /// What the simulator saw of a whole program.
    pub program: Option<cudart_sim::report::Report>,
    /// What the kernel printed, cut at 64 KiB.
    pub printed: String,
    /// Bytes printed beyond that.
    pub printed_dropped: u64,
    /// What the repetitions took on a GPU, in milliseconds: a kernel's between two events, a program's on the host's
    /// clock, or, where its launches are timed ([`crate::compile::Target::TimedGpu`]), those of all its kernels.
    pub milliseconds: Vec<f64>,
    /// Who ran it: "simulator", "GPU: NVIDIA H200".
    pub device: String,
}

impl Run {
    /// A run that came to nothing but a fault.
    pub fn failed(fault: Fault, device: String) -> Self {
        Self { faults: vec![fault], ..Self::of(device) }
    }

    /// A run of which nothing is known yet.
    pub fn of(device: String) -> Self {
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

/// What a backend saw go wrong, as data. Wording lives in `explain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fault {
    /// The simulator's finding.
    Finding(ptxsim::Finding),
    /// The same in a launch of a program, which is its own and not the exercise's.
    InLaunch {
        /// The launch, without what else was seen of it.
        launch: Box<cudart_sim::runtime::LaunchRecord>,
        /// The finding.
        finding: ptxsim::Finding,
    },
    /// What is wrong with how a program uses the runtime.
    Host(cudart_sim::report::HostFinding),
    /// What a program never freed; told when everything else is right.
    Leaked(Vec<cudart_sim::report::Leak>),
    /// A program declares a function and calls it, and it is defined nowhere.
    Undefined {
        /// As the linker knows it.
        symbol: String,
    },
    /// The program ended its process: it called `exit`.
    Exited {
        /// With this code.
        code: i32,
    },
    /// The program was ended by a signal: a wrong pointer, `abort`, an exception that nobody caught.
    Crashed {
        /// Its number.
        signal: i32,
        /// The last that it said.
        words: String,
        /// Where, and about what, as far as it is known.
        crash: Option<cudart_sim::report::Crash>,
    },
    /// What the program's process answered is no result: it wrote over memory that is the checker's, or to its channel.
    Garbled {
        /// What is wrong with the answer.
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
        /// The driver's own sentence.
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
    /// The kernel uses a PTX feature that the simulator does not have: not the learner's fault.
    Unsupported {
        /// The instruction or directive.
        feature: String,
        /// Where, when known.
        source: Option<ptxsim::Source>,
    },
}

/// Where a read-only buffer's bytes differ first from what was sent; `None` when they do not.
pub(crate) fn first_difference(sent: Option<&[u8]>, found: &[u8]) -> Option<usize> {
    let sent = sent?;
    // The usual case at the speed of memory.
    if sent == found {
        return None;
    }
    sent.iter().zip(found).position(|(a, b)| a != b)
}
