//! `checker setup`: installs the CUDA compiler, or prints which one is in use.

use std::io::{Write, stdout};
use std::time::Instant;

use crate::backend::Choice;
use crate::engine::Devices;
use crate::exit::Exit;
use crate::{session, toolchain};

/// Runs `checker setup`.
///
/// # Errors
/// When the answer cannot be written.
pub fn run() -> anyhow::Result<Exit> {
    let device = Devices::find(Choice::Auto).gpu();
    let started = Instant::now();
    let prepared = toolchain::find(device)
        .and_then(|found| Ok((found.is_some(), session::find_or_install(device)?)));
    let (existing, compilers) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(Exit::Environment);
        }
    };
    let (version, place) = (&compilers.kernels.version, compilers.kernels.place());
    if existing {
        writeln!(stdout(), "CUDA {version} is installed already, from {place}: nothing to do")?;
    } else {
        let seconds = started.elapsed().as_secs_f64();
        writeln!(stdout(), "CUDA {version} is ready in {place} ({seconds:.0} s)")?;
    }
    if let Some(why) = &compilers.programs_off_gpu {
        writeln!(stdout(), "Host programs run on the simulator, because {why}")?;
    }
    Ok(Exit::Passed)
}
