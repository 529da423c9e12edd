//! The CUDA workbook's checker: compiles a learner's kernel, runs it, compares it with a reference,
//! and explains.
//!
//! The pipeline runs one way; ARCHITECTURE.md draws it:
//!
//! ```text
//! source -> compile -> abi -> per case: inputs -> backend -> judge -> Verdict -> explain -> Report -> report
//! ```

// First, because `say!` is a macro that the modules below use.
#[macro_use]
pub mod console;

pub mod abi;
pub mod attempt;
pub mod cli;
pub mod commands;
pub mod course;
pub mod diagnostic;
pub mod engine;
pub mod error;
pub mod exercises;
pub mod exit;
pub mod explain;
pub mod gains;
pub mod inspect;
pub mod judge;
pub mod present;
pub mod progress;
pub mod report;
pub mod scaled;
pub mod session;
pub mod source;
pub mod spec;
#[cfg(target_os = "linux")]
pub mod standalone;
pub mod timeline;
pub mod verdict;
pub mod watch;
pub mod workbook;

#[cfg(target_os = "linux")]
pub use runner::program;
pub use runner::{backend, compile, memory, text, toolchain, value, worker};
