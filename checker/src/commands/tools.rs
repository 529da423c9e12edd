//! Starts `checker-tools`, the program that has the commands which learners rarely need. In a
//! clone, it is compiled at its first use.

use std::env;
use std::path::Path;
use std::process::Command as Process;

use anyhow::Context;
use runner::executable;

use crate::cli::Command;
use crate::exit::Exit;

/// Runs this process's command line with `checker-tools`. On Unix, that program takes the place of
/// this process.
///
/// # Errors
/// When the program isn't there and cannot be compiled.
pub fn run(_: &Command) -> anyhow::Result<Exit> {
    let tools =
        executable::beside("checker-tools").context("the path of this program is unknown")?;
    // cargo has just compiled this program, so the other one must be of the same sources
    if env::var_os("CARGO").is_some() || !tools.is_file() {
        build(&tools)?;
    }
    let mut process = Process::new(&tools);
    process.args(env::args_os().skip(1));
    let error = match start(process) {
        Ok(exit) => return Ok(exit),
        Err(error) => error,
    };
    Err(error).with_context(|| format!("cannot start {}", tools.display()))
}

#[cfg(unix)]
fn start(mut process: Process) -> std::io::Result<Exit> {
    Err(std::os::unix::process::CommandExt::exec(&mut process))
}

#[cfg(not(unix))]
fn start(mut process: Process) -> std::io::Result<Exit> {
    use crate::exit;
    Ok(match process.status()?.code() {
        Some(0) => Exit::Passed,
        Some(code) if code == i32::from(exit::NOT_YET) => Exit::NotYet,
        Some(code) if code == i32::from(exit::ENVIRONMENT) => Exit::Environment,
        _ => Exit::Usage,
    })
}

/// Compiles `checker-tools`, if this is a clone.
fn build(tools: &Path) -> anyhow::Result<()> {
    if !tools.is_file() && executable::is_in_clone(tools) {
        eprintln!(
            "Compiling the tools for the book, for classes and for authors (once, 1 to 4 minutes). Other \
             `cargo checker` commands wait until it's done."
        );
    }
    let built = executable::compile("checker-tools", tools)
        .context("cannot compile the program that has this command")?;
    anyhow::ensure!(
        built || tools.is_file(),
        "{} is missing, which has this command: a release has it beside `checker`, and in a clone \
         `cargo install --path crates/checker-tools` installs it",
        tools.display()
    );
    Ok(())
}
