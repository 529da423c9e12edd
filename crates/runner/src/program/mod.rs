//! Whole programs that are compiled into shared objects. They run in a process of their own, on
//! `cudart-sim` or on a GPU.
//!
//! [`run`] starts a process that calls a program's `main` with the rights and the streams of this
//! process. In a worker's child, which is confined, [`call_main`] does the same, and a [`Caller`]
//! calls one function of a program.

mod buffer;
mod call;
mod caller;
mod child;
mod thread;

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::{fs, io};

use cudart_sim::report::Report;
use serde::{Deserialize, Serialize};

pub use caller::Caller;
pub use child::{call_main, serve};

pub use crate::backend::Simulation;
use crate::executable;
use crate::start;

/// The first argument of a `checker-worker` that becomes a program. The compiled program and the
/// program's own arguments follow it.
pub const COMMAND: &str = "program";

/// The environment variable with the [`Settings`], as JSON.
const SETTINGS_VARIABLE: &str = "CHECKER_PROGRAM_SETTINGS";

/// How the child runs the program.
#[derive(Debug, Serialize, Deserialize)]
struct Settings {
    /// `None` on a GPU.
    simulation: Option<Simulation>,
    /// The process that waits for the program, and with which the program ends.
    parent: u32,
}

/// The environment variable with the path to which the child writes its report.
const REPORT_VARIABLE: &str = "CHECKER_PROGRAM_REPORT";

/// The environment variable with the path to which the child writes why the program cannot be
/// loaded.
const UNLOADABLE_VARIABLE: &str = "CHECKER_PROGRAM_UNLOADABLE";

/// How a program ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code or signal.
    pub status: ExitStatus,
    /// The simulator's report; `None` if the process ended before it could write one.
    pub report: Option<Report>,
    /// Why the program did not even start, in the words of the dynamic linker.
    pub unloadable: Option<String>,
}

/// Runs a compiled program with the standard streams of this process: on the simulator, or without
/// a `simulation` on the GPU that it is linked for.
///
/// # Errors
/// If the process cannot be started, or the program cannot be written to a temporary folder.
pub fn run(object: &[u8], simulation: Option<Simulation>, args: &[String]) -> io::Result<Ended> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("program.so");
    fs::write(&program, object).map_err(|error| about(&program, error))?;
    let report = folder.path().join("report.bin");
    let unloadable = folder.path().join("unloadable.txt");
    let worker = executable::worker()?;
    let settings = Settings { simulation, parent: std::process::id() };
    let mut command = Command::new(&worker);
    // what a failed assertion prints
    std::os::unix::process::CommandExt::arg0(&mut command, "program");
    command
        .arg(COMMAND)
        .arg(&program)
        .args(args)
        .env(SETTINGS_VARIABLE, serde_json::to_string(&settings)?)
        .env(REPORT_VARIABLE, &report)
        .env(UNLOADABLE_VARIABLE, &unloadable);
    let status = start::process(&mut command)
        .and_then(|mut child| child.wait())
        .map_err(|error| about(&worker, error))?;
    let report = fs::read(&report).ok().and_then(|bytes| postcard::from_bytes(&bytes).ok());
    let unloadable = fs::read_to_string(&unloadable).ok();
    Ok(Ended { status, report, unloadable })
}

/// An error of the operating system with the file that it is about.
fn about(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
