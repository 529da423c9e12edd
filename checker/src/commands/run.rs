//! `checker run`: a CUDA program on the simulator, with its own output and exit code, and what is wrong with it.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context as _;

use super::{Usage, session, setup};
use crate::exit::{self, Exit};
use crate::explain::{self, Context};
use crate::program::{self, Ended, Failure};
use crate::report::terminal;
use crate::source;

/// Compiles and runs a program.
pub fn run(file: &Path, args: &[String]) -> anyhow::Result<ExitCode> {
    let text = source::read(file).map_err(|why| Usage(format!("{}: {why:?}", file.display())))?;
    let toolchain = setup::toolchain()?;
    let object = match program::compile(&toolchain, file) {
        Ok(object) => object,
        Err(Failure::Refused(said)) => {
            eprint!("{said}");
            return Ok(Exit::NotYet.into());
        }
        Err(error) => return Err(error).context(format!("{}", file.display())),
    };
    let start = Instant::now();
    let ended = program::run(&object.path, args)?;
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    tell(file, &text, &ended, millis);
    let code = ended.status.code().and_then(|code| u8::try_from(code).ok());
    let found = ended.report.iter().flat_map(|r| &r.launches).any(|l| !l.seen.findings.is_empty());
    Ok(match code {
        // a program that is wrong without noticing has not succeeded
        Some(0) if found => Exit::NotYet.into(),
        Some(code) => ExitCode::from(code),
        None => ExitCode::from(exit::NOT_YET),
    })
}

/// The hidden subcommand that becomes the program.
pub fn serve(object: &Path, args: &[String]) -> ExitCode {
    program::serve(object, args)
}

/// Says what was found, on stderr: stdout is the program's.
fn tell(file: &Path, text: &str, ended: &Ended, millis: u64) {
    if ended.status.code().is_none() {
        eprintln!("error: the program was ended by a signal: {}", ended.status);
    }
    let Some(report) = &ended.report else { return };
    let name = file.to_string_lossy();
    let context = Context {
        file: &name,
        source: text,
        device: "simulator",
        millis,
        printed: None,
        seed: 0,
        command: session::command(),
    };
    for launch in &report.launches {
        let findings = &launch.seen.findings;
        if let Some(first) = findings.first() {
            let report = explain::launch(launch, first, findings.len() - 1, &context);
            eprintln!("{}", terminal::render(&report, text).trim_end());
        }
        if let Some(why) = &launch.refused {
            eprintln!("error: kernel `{}` was not run: {why}", launch.kernel);
        }
    }
    for leak in &report.leaks {
        eprintln!("warning: {} bytes of device memory were never freed", leak.bytes);
    }
    if let Some(lost) = &report.lost {
        eprintln!("note: the device was lost: {lost}");
    }
}
