//! Whole programs that are compiled into shared objects. They run in a process of their own, on
//! `cudart-sim` or on a GPU.
//!
//! [`run`] starts a process that calls a program's `main`. A [`Caller`] calls one function of a
//! program in the current process, which is a worker's child.

mod buffer;
mod call;
mod caller;
mod child;
pub mod entry;
mod thread;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{env, fs, io};

use cudart_sim::report::Report;
use cudart_sim::runtime::TracedLaunch;

pub use caller::Caller;
pub use child::serve;

/// The environment variable with the path to which the child writes its report.
const REPORT_VARIABLE: &str = "CHECKER_PROGRAM_REPORT";

/// How a program runs on the simulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    /// Chooses among the orders in which a device may work.
    pub seed: u64,
    /// Bytes of device memory.
    pub memory: u64,
    /// Warp instructions after which a kernel is stopped.
    pub budget: u64,
    /// The launch whose steps are recorded, if one is.
    pub traced: Option<TracedLaunch>,
}

impl Simulation {
    /// Bytes of device memory that a program has unless its caller says otherwise.
    pub const DEFAULT_MEMORY: u64 = ptxsim::Memory::CAPACITY;
    /// Warp instructions after which a kernel is stopped unless its caller says otherwise.
    pub const DEFAULT_BUDGET: u64 = 400_000_000;
}

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
    let checker = this_executable()?;
    let traced = simulation.as_ref().and_then(|simulation| simulation.traced.as_ref());
    let traced = traced.map(serde_json::to_string).transpose()?;
    let status = Command::new(&checker)
        .arg("program")
        .arg(&program)
        .args(simulation.iter().map(|s| format!("--seed={}", s.seed)))
        .args(simulation.iter().map(|s| format!("--device-memory={}", s.memory)))
        .args(simulation.iter().map(|s| format!("--budget={}", s.budget)))
        .args(traced.map(|json| format!("--traced={json}")))
        .arg(format!("--parent={}", std::process::id()))
        .arg("--")
        .args(args)
        .env(REPORT_VARIABLE, &report)
        .env(UNLOADABLE_VARIABLE, &unloadable)
        .status()
        .map_err(|error| about(&checker, error))?;
    let report = fs::read(&report).ok().and_then(|bytes| postcard::from_bytes(&bytes).ok());
    let unloadable = fs::read_to_string(&unloadable).ok();
    Ok(Ended { status, report, unloadable })
}

/// This executable. Its link in /proc stays valid when a newer build replaces the file.
fn this_executable() -> io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if link.exists() { Ok(link.to_owned()) } else { env::current_exe() }
}

/// An error of the operating system with the file that it is about.
fn about(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
