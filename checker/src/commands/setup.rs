//! `checker setup`: installs the CUDA compiler, or prints which one is in use.

use std::io::{Write, stdout};
use std::time::Instant;

use crate::exit::Exit;
use crate::{session, toolchain};

/// Runs `checker setup`.
///
/// # Errors
/// When the answer cannot be written.
pub fn run() -> anyhow::Result<Exit> {
    let (existing, started) = (toolchain::find(), Instant::now());
    let compiler = match session::find_or_install() {
        Ok(compiler) => compiler,
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(Exit::Environment);
        }
    };
    let (version, place) = (&compiler.version, compiler.place());
    match existing {
        Some(_) => {
            writeln!(stdout(), "CUDA {version} is installed already, from {place}: nothing to do")?
        }
        None => {
            let seconds = started.elapsed().as_secs_f64();
            writeln!(stdout(), "CUDA {version} is ready in {place} ({seconds:.0} s)")?;
        }
    }
    Ok(Exit::Passed)
}
