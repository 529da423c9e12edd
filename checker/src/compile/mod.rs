//! From a learner's `.cu` to a module or a program: NVRTC or nvcc in a child process, errors parsed, results cached by
//! content.

mod cache;
mod errors;
mod mark;
pub mod nvcc;
pub mod nvrtc;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use cache::Cache;

/// How a kernel file is compiled. Part of the cache's key, so two results under different options never mix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options {
    /// The virtual architecture whose PTX is wanted: `compute_75`, which every GPU since Turing runs.
    pub arch: String,
    /// Whether `a * b + c` may become one operation with one rounding. Off by default, so that both backends give the
    /// same bits.
    pub fmad: bool,
    /// For looking closely, not for speed: every line does its own work in order, and variables have names
    /// (`--device-debug`).
    pub debug: bool,
    /// Macros and their values, as with `-D NAME=VALUE`: how one source becomes several kernels.
    pub defines: Vec<(String, i64)>,
}

impl Default for Options {
    fn default() -> Self {
        Self { arch: "compute_75".to_owned(), fmad: false, debug: false, defines: vec![] }
    }
}

/// A compiled kernel file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The PTX text.
    pub ptx: String,
    /// Warnings, if any.
    pub warnings: Vec<Message>,
}

/// One message of the compiler, on the learner's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
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

/// How bad a compiler message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// Stops the compilation.
    Error,
    /// Does not.
    Warning,
}

/// What runs a program's device code, and so which CUDA runtime it is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// `cudart-sim`, which the process that loads the program exports.
    Simulator,
    /// NVIDIA's own, inside the program.
    Gpu,
    /// Two objects of one compilation, one for each.
    Both,
    /// The same, with `__cudaLaunchKernel` wrapped by a source that times what goes through it.
    TimedGpu,
}

/// How a program is compiled. Part of the cache's key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramOptions {
    /// What it will run on.
    pub target: Target,
    /// Whether `a * b + c` on the device may become one operation with one rounding, which is nvcc's own default.
    pub fmad: bool,
    /// Where `#include "..."` looks beside the source: the folder of a program that is no exercise.
    pub folder: Option<PathBuf>,
}

/// A compiled program: a shared object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The object's bytes; of [`Target::Both`], the simulator's.
    #[serde(with = "serde_bytes")]
    pub object: Vec<u8>,
    /// Of [`Target::Both`]: the same for a GPU.
    #[serde(with = "serde_bytes")]
    pub gpu: Option<Vec<u8>>,
    /// Functions of the CUDA runtime that it calls and the simulator does not have; of a program for a GPU, none.
    pub missing: Vec<String>,
    /// Warnings, if any.
    pub warnings: Vec<Message>,
}

/// What compiling a learner's file came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome<T = Module> {
    /// It compiled.
    Compiled(T),
    /// It did not: the compiler's messages, in its order; never empty.
    Rejected(Vec<Message>),
    /// The compiler did not end, or fell over: what happened, in words.
    Stopped(String),
    /// The compiler itself could not be used: the machine's problem, not the learner's. Why, and the way out.
    Unavailable(String),
}
