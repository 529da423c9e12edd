//! Whole programs: compiled by nvcc into a shared object, and run in a process of their own against `cudart-sim`.

mod child;
mod compile;

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::{env, fs, io};

use cudart_sim::report::Report;

pub use child::serve;
pub use compile::{Failure, Object, compile};

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

/// Runs a compiled program with its own input and output.
///
/// # Errors
/// When no process can be started, or the folder for the report cannot be written.
pub fn run(object: &Path, args: &[String]) -> io::Result<Ended> {
    let folder = tempfile::tempdir()?;
    let place = folder.path().join("report.json");
    let status = Command::new(env::current_exe()?)
        .arg("program")
        .arg(object)
        .arg("--")
        .args(args)
        .env(REPORT_VARIABLE, &place)
        .status()?;
    let report = fs::read(&place).ok().and_then(|text| serde_json::from_slice(&text).ok());
    Ok(Ended { status, report })
}
