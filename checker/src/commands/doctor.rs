//! `checker doctor`: what this machine has, what it lacks, and the command that fixes it.

use std::fs;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::{Command, Stdio};

use colored::Colorize;

use crate::console::megabytes;
use crate::exit::Exit;
use crate::session;
use crate::toolchain::{self, Toolchain};
use crate::worker::{Confinement, Worker};

/// Runs `checker doctor`. It succeeds when exercises can be checked, for which a GPU is not needed.
///
/// # Errors
/// When the table cannot be written.
pub fn run() -> anyhow::Result<Exit> {
    let compiler = toolchain::find();
    let rows = [
        compiler_row(compiler.as_ref(), session::command()),
        host_row(),
        gpu_row(gpu()),
        sandbox_row(sandbox()),
        python_row(compiler.is_some()),
        cache_row(compiler.is_some()),
    ];
    write!(stdout(), "{}", table(&rows))?;
    let can_check = rows.iter().all(|row| row.state != State::Broken);
    Ok(if can_check { Exit::Passed } else { Exit::Environment })
}

/// The GPU in words, or why there is none.
fn gpu() -> Result<String, String> {
    let gpu = Worker::new().gpu().map_err(|none| none.why)?;
    let (major, minor) = gpu.driver;
    Ok(format!("{}, {} GiB, driver for CUDA {major}.{minor}", gpu.name, gpu.memory >> 30))
}

/// How learners' code is confined, or why it cannot be.
fn sandbox() -> Result<Confinement, String> {
    Worker::new().confinement().map_err(|error| error.to_string())
}

/// One line of the table.
struct Row {
    name: &'static str,
    /// What was found.
    found: String,
    state: State,
    /// Short: `ok`, `simulator only`, `missing`.
    status: &'static str,
    /// The command that fixes it.
    fix: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Something works in part only.
    Limited,
    /// Exercises cannot be checked.
    Broken,
}

fn compiler_row(compiler: Option<&Toolchain>, command: &str) -> Row {
    let name = "compiler";
    let Some(toolchain) = compiler else {
        let fix = Some(format!("{command} setup"));
        return Row {
            name,
            found: "none found".to_owned(),
            state: State::Broken,
            status: "missing",
            fix,
        };
    };
    let has_nvcc = toolchain.nvcc.is_some();
    let parts = if has_nvcc { "NVRTC, nvcc" } else { "NVRTC; no nvcc, which host programs need" };
    let found = format!("CUDA {} from {} ({parts})", toolchain.version, toolchain.place());
    Row { name, found, state: State::Good, status: "ok", fix: None }
}

/// nvcc passes host code to the system's C++ compiler; kernels do not need one.
fn host_row() -> Row {
    let name = "host C++";
    let (programs, fix): (&[&str], _) = if cfg!(windows) {
        (&["cl"], "winget install Microsoft.VisualStudio.2022.BuildTools")
    } else {
        (&["g++", "clang++"], "sudo apt install g++")
    };
    let found =
        programs.iter().find_map(|program| Some(format!("{program} {}", version_of(program)?)));
    match found {
        Some(found) => Row { name, found, state: State::Good, status: "ok", fix: None },
        None => Row {
            name,
            found: format!("none found: no {} on the PATH", programs.join(" or ")),
            state: State::Limited,
            status: "kernels only, no host programs",
            fix: Some(fix.to_owned()),
        },
    }
}

fn version_of(program: &str) -> Option<String> {
    // cl has no option that prints its version; it is enough that it starts.
    let option = if program == "g++" { "-dumpfullversion" } else { "-dumpversion" };
    let run = Command::new(program).arg(option).stdin(Stdio::null()).output().ok()?;
    let first =
        String::from_utf8_lossy(&run.stdout).lines().next().unwrap_or_default().trim().to_owned();
    (run.status.success() || cfg!(windows)).then_some(first)
}

fn gpu_row(gpu: Result<String, String>) -> Row {
    let name = "GPU";
    match gpu {
        Ok(found) => Row { name, found, state: State::Good, status: "ok", fix: None },
        Err(why) => {
            let found = format!("none found: {why}");
            Row { name, found, state: State::Limited, status: "simulator only", fix: None }
        }
    }
}

/// What confines code that other people wrote. Learners can work without it; grading requires it.
fn sandbox_row(confined: Result<Confinement, String>) -> Row {
    let name = "sandbox";
    match confined {
        Ok(confined) if confined.is_complete() => {
            Row { name, found: confined.to_string(), state: State::Good, status: "ok", fix: None }
        }
        Ok(confined) => {
            let why = confined.missing.as_deref().unwrap_or("something is missing");
            let found = format!("{confined}: {why}");
            Row { name, found, state: State::Limited, status: "own code only", fix: None }
        }
        Err(found) => {
            Row { name, found, state: State::Limited, status: "own code only", fix: None }
        }
    }
}

/// The compiler is installed with Python's pip, so Python matters only while there is no compiler.
fn python_row(has_compiler: bool) -> Row {
    let name = "python";
    match toolchain::python() {
        Ok(python) => {
            let found = format!(
                "{} with pip {} ({})",
                python.version,
                python.pip,
                python.program.display()
            );
            Row { name, found, state: State::Good, status: "ok", fix: None }
        }
        Err(error) => {
            let (found, fix) = match error {
                toolchain::Error::NoPip { python, fix } => {
                    (format!("{} has no pip", python.display()), fix)
                }
                toolchain::Error::NoPython { fix } => ("none found".to_owned(), fix),
                other => (other.to_string(), "see https://www.python.org/downloads".to_owned()),
            };
            let (state, status, fix) = match has_compiler {
                true => (State::Good, "not needed: there is a compiler", None),
                false => (State::Broken, "missing: setup needs it", Some(fix)),
            };
            Row { name, found, state, status, fix }
        }
    }
}

fn cache_row(has_compiler: bool) -> Row {
    let name = "cache";
    let folder = toolchain::cache_dir();
    match toolchain::check_cache() {
        Ok(folder) => {
            let size = bytes(&folder);
            let size = if size == 0 { "empty".to_owned() } else { megabytes(size) };
            let found = format!("{}, {size}", toolchain::display_path(&folder));
            Row { name, found, state: State::Good, status: "ok", fix: None }
        }
        Err(_) => Row {
            name,
            found: format!("{} cannot be written", toolchain::display_path(&folder)),
            // Without a cache every check compiles again, and a compiler cannot be installed.
            state: if has_compiler { State::Limited } else { State::Broken },
            status: if has_compiler { "slower" } else { "setup needs it" },
            fix: Some("export CUDA_WORKBOOK_CACHE=/a/folder/you/own".to_owned()),
        },
    }
}

/// Bytes of all files below `folder`; links are not followed.
fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

fn table(rows: &[Row]) -> String {
    let name_width = rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
    let width = rows.iter().map(|r| r.found.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let status = match row.state {
            State::Good => row.status.green(),
            State::Limited => row.status.yellow(),
            State::Broken => row.status.red(),
        };
        out.push_str(&format!("  {:<name_width$}   {:<width$}   {status}\n", row.name, row.found));
        if let Some(fix) = &row.fix {
            out.push_str(&format!("  {:<name_width$}   to fix it:  {}\n", "", fix.bold()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns line up, and the command that fixes a problem is on the next line.
    #[test]
    fn the_table() {
        colored::control::set_override(false);
        let rows = [
            compiler_row(None, "cargo checker"),
            gpu_row(Err("libcuda.so.1 is not installed".to_owned())),
            gpu_row(Ok("NVIDIA H200, 141 GB".to_owned())),
            sandbox_row(Ok(Confinement { landlock: Some(7), seccomp: true, missing: None })),
            sandbox_row(Ok(Confinement {
                landlock: None,
                seccomp: true,
                missing: Some("this kernel has no landlock".to_owned()),
            })),
        ];
        insta::assert_snapshot!(table(&rows), @r"
        compiler   none found                                     missing
                   to fix it:  cargo checker setup
        GPU        none found: libcuda.so.1 is not installed      simulator only
        GPU        NVIDIA H200, 141 GB                            ok
        sandbox    landlock 7, seccomp, limits                    ok
        sandbox    seccomp, limits: this kernel has no landlock   own code only
        ");
    }
}
