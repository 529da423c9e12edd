//! From a learner's `.cu` to a module or a program: NVRTC or nvcc in a child process, errors
//! parsed, results cached by content.
//!
//! **NVRTC is opened by its path** and called through seven functions of that handle, not through
//! `cudarc::nvrtc`. cudarc opens `libnvrtc` by name, which finds the library of another CUDA
//! version where one is installed, and panics on missing symbols. The driver API does go through
//! cudarc, after a check that the driver's library is present. NVRTC finds its built-in functions
//! without `RTLD_GLOBAL`, because their library is loaded first.
//!
//! **Kernels cannot include neighbouring files.** The source is compiled under a name in a folder
//! that does not exist (`/dev/null/...`), and a `#line` restores the real name, so messages and
//! line tables still name `exercises/...`. Text of included files is never quoted in messages (see
//! `errors`).

mod assembler;
mod cache;
mod errors;
pub mod functions;
mod host_headers;
mod interface;
mod lambdas;
mod mark;
pub mod nvcc;
pub mod nvrtc;
mod project;
mod resources;

use cudart_sim::resources::KernelResources;
use serde::{Deserialize, Serialize};

use crate::backend::Fault;

pub use cache::Cache;
pub use errors::UNREADABLE_BY_ASSEMBLER;
pub use functions::Function;
pub use interface::{Kernel, Shape};
pub use project::Project;
pub use resources::{Assembly, assemble, assembler};

/// The virtual architecture of the simulated device, whose compute capability is 9.0.
pub const SIMULATED_ARCHITECTURE: &str = "compute_90";

/// How a kernel file is compiled. Part of the cache's key, so two results under different options
/// never mix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// The virtual architecture of the PTX, such as `compute_90`. The engine sets it to that of the
    /// device.
    pub arch: String,
    /// Whether `a * b + c` may become one operation with one rounding. Off by default, so that both
    /// backends give the same bits.
    pub fmad: bool,
    /// A debug build (`--device-debug`) for `trace`: every line does its own work in order, and
    /// variables have names.
    pub debug: bool,
    /// Macros and their values, as with `-D NAME=VALUE`. They make several kernels of one source.
    pub defines: Vec<(String, i64)>,
}

impl Default for Options {
    fn default() -> Self {
        Self { arch: SIMULATED_ARCHITECTURE.to_owned(), fmad: false, debug: false, defines: vec![] }
    }
}

/// A compiled kernel file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// The PTX text.
    pub ptx: String,
    /// Warnings, if any.
    pub warnings: Vec<Message>,
    /// The kernels that it defines.
    pub kernels: Vec<Kernel>,
    /// Why it can be neither described nor simulated.
    pub unusable: Option<Box<Fault>>,
}

/// One message of the compiler about the learner's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The file that it is about; `None` for the file that was compiled.
    pub file: Option<String>,
    /// Error, warning or remark.
    pub severity: Severity,
    /// One-based line in the learner's file; 0 when the message has none.
    pub line: u32,
    /// One-based column of the first marked character; 0 when unknown.
    pub column: u32,
    /// Number of characters marked; at least 1.
    pub length: u32,
    /// The compiler's sentence: `identifier "threadId" is undefined`.
    pub text: String,
}

impl Message {
    /// Whether it is a warning about a name that is never used, as every unfinished file has.
    pub fn is_about_unused(&self) -> bool {
        ["was declared but never referenced", "was set but never used"]
            .iter()
            .any(|text| self.text.contains(text))
    }

    /// The header that was not found, if the message is about one.
    pub fn missing_header(&self) -> Option<&str> {
        let of_nvrtc = || {
            let (_, rest) = self.text.split_once("not open source file \"")?;
            rest.split('"').next()
        };
        self.text.strip_suffix(": No such file or directory").or_else(of_nvrtc)
    }
}

/// How bad a compiler message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// The compilation fails.
    Error,
    /// The compilation may succeed.
    Warning,
}

/// What a program is linked for: the CUDA runtime that runs its device code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// `cudart-sim`, whose functions the process that loads the program exports.
    Simulator,
    /// NVIDIA's runtime, linked statically.
    Gpu,
    /// Two objects from one compilation, one for each of them.
    Both,
    /// NVIDIA's runtime, with `__cudaLaunchKernel` wrapped by code in the source that times each
    /// launch.
    TimedGpu,
}

/// How a program is compiled. Part of the cache's key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramOptions {
    /// What it is linked for.
    pub target: Target,
    /// The virtual architecture of its device code. The engine sets it to the device's.
    pub arch: String,
    /// The architecture of machine code beside the PTX (`sm_75`), for a driver that is older than
    /// nvcc and does not compile its PTX.
    pub machine: Option<String>,
    /// Whether `a * b + c` on the device may become one operation with one rounding, as is nvcc's
    /// default.
    pub fmad: bool,
    /// A debug build of its device code (`-G`), for a trace of one of its launches.
    pub debug: bool,
    /// The architecture for which the registers of its kernels are counted (`sm_90`).
    pub assembled_for: String,
    /// What belongs to it beside one file, for a program that is not an exercise.
    pub project: Option<Project>,
}

impl ProgramOptions {
    /// The options of an exercise, whose results must be the same on every device.
    pub fn exercise(target: Target) -> Self {
        Self {
            target,
            arch: SIMULATED_ARCHITECTURE.to_owned(),
            machine: None,
            fmad: false,
            debug: false,
            assembled_for: Assembly::default().arch,
            project: None,
        }
    }

    /// The options of a learner's own program.
    pub fn program(target: Target, project: Project) -> Self {
        Self { fmad: true, project: Some(project), ..Self::exercise(target) }
    }

    /// How its kernels are assembled.
    pub fn assembly(&self) -> Assembly {
        let max_registers = self.project.as_ref().and_then(Project::max_registers);
        Assembly { arch: self.assembled_for.clone(), max_registers }
    }
}

/// A compiled program: a shared object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The object's bytes; for [`Target::Both`], of the simulator's object.
    #[serde(with = "serde_bytes")]
    pub object: Vec<u8>,
    /// For [`Target::Both`], the bytes of the GPU's object.
    #[serde(with = "serde_bytes")]
    pub gpu: Option<Vec<u8>>,
    /// Functions of the CUDA runtime that it calls and that the simulator does not have; empty for
    /// a GPU only.
    pub missing: Vec<String>,
    /// Warnings, if any.
    pub warnings: Vec<Message>,
    /// What the assembler allocates for its kernels, or why that is unknown.
    pub resources: Result<Vec<KernelResources>, String>,
    /// The functions that an exercise's object defines, or why its debugging data cannot be read.
    pub functions: Result<Vec<Function>, String>,
}

/// The result of compiling a learner's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Outcome<T = Module> {
    /// It compiled.
    Compiled(T),
    /// It has errors: the compiler's messages in its order; never empty.
    Rejected(Vec<Message>),
    /// The compiler did not finish, or crashed: a sentence that says what happened.
    Stopped(String),
    /// The compiler could not be used, which is a problem of the machine: why, and what to do about
    /// it.
    Unavailable(String),
}
