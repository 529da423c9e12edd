//! Starts `checker-tools`, the program that has the commands which learners rarely need. In a
//! clone, it is compiled at its first use.

use std::env::{self, consts::EXE_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::Context;

use crate::cli::Command;
use crate::exit::Exit;

/// The clone in which this program was compiled.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Runs this process's command line with `checker-tools`. On Unix, that program takes the place of
/// this process.
///
/// # Errors
/// When the program isn't there and cannot be compiled.
pub fn run(_: &Command) -> anyhow::Result<Exit> {
    let exe = env::current_exe().context("the path of this program is unknown")?;
    let tools = exe.with_file_name(format!("checker-tools{EXE_SUFFIX}"));
    // cargo has just compiled this program, so the other one must be of the same sources
    if env::var_os("CARGO").is_some() || !tools.is_file() {
        build(&exe, &tools)?;
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

/// Compiles `checker-tools` beside `exe`, if `exe` is in the folder where cargo puts what it
/// compiles in this clone.
fn build(exe: &Path, tools: &Path) -> anyhow::Result<()> {
    let Some(target) = target_folder(exe).filter(|_| is_checkout()) else {
        if tools.is_file() {
            return Ok(());
        }
        anyhow::bail!(
            "{} is missing, which has this command: a release has it beside `checker`, and in a clone \
             `cargo install --path crates/checker-tools` installs it",
            tools.display()
        );
    };
    if !tools.is_file() {
        eprintln!(
            "Compiling the tools for the book, for classes and for authors (once, 1 to 2 minutes)"
        );
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut process = Process::new(cargo);
    process.args(["build", "--quiet", "--release", "--package", "checker-tools", "--bin"]);
    process.arg("checker-tools").arg("--target-dir").arg(target).current_dir(CHECKOUT);
    let status = process.status().context("cannot start cargo, which compiles this command")?;
    anyhow::ensure!(status.success() && tools.is_file(), "cargo could not compile `checker-tools`");
    Ok(())
}

/// The folder `target` of `target/release/checker`.
fn target_folder(exe: &Path) -> Option<PathBuf> {
    let release = exe.parent().filter(|folder| folder.ends_with("release"))?;
    Some(release.parent()?.to_path_buf())
}

fn is_checkout() -> bool {
    Path::new(CHECKOUT).join("crates/checker-tools/Cargo.toml").is_file()
}
