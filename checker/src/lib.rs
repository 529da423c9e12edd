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
pub mod backend;
pub mod cli;
pub mod commands;
pub mod compile;
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
#[cfg(target_os = "linux")]
pub mod program;
pub mod progress;
pub mod report;
pub mod session;
pub mod source;
pub mod spec;
pub mod text;
pub mod timeline;
pub mod toolchain;
pub mod value;
pub mod verdict;
pub mod watch;
pub mod workbook;
pub mod worker;
