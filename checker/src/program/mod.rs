//! Whole programs, compiled into shared objects: run in a process of their own against `cudart-sim`, or on a GPU.
//!
//! `checker run` calls a program's `main`; a worker calls one function of an exercise.

mod buffer;
mod call;
mod child;
pub mod entry;
mod job;
mod thread;

use std::process::{Command, ExitStatus};
use std::{env, fs, io};

use cudart_sim::report::Report;

pub use child::serve;
pub use job::Job;

/// Where the child leaves its report.
const REPORT_VARIABLE: &str = "CHECKER_PROGRAM_REPORT";

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code or signal.
    pub status: ExitStatus,
    /// What the simulator saw; `None` when the process ended too suddenly to say it.
    pub report: Option<Report>,
}

/// Runs a compiled program with its own input and output: on the simulator, where `seed` chooses among the orders in which
/// a device may work, or, without one, on the GPU that it is linked for.
///
/// # Errors
/// When no process can be started, or the folder for the report cannot be written.
pub fn run(object: &[u8], seed: Option<u64>, args: &[String]) -> io::Result<Ended> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("program.so");
    fs::write(&program, object)?;
    let place = folder.path().join("report.json");
    let status = Command::new(env::current_exe()?)
        .arg("program")
        .arg(&program)
        .args(seed.map(|seed| format!("--seed={seed}")))
        .arg("--")
        .args(args)
        .env(REPORT_VARIABLE, &place)
        .status()?;
    let report = fs::read(&place).ok().and_then(|text| serde_json::from_slice(&text).ok());
    Ok(Ended { status, report })
}
