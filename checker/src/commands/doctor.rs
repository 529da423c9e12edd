//! `checker doctor`: what this machine has, what it lacks, and the command that fixes it.

use std::fs;
use std::io::{Write, stdout};
use std::path::Path;
#[cfg(windows)]
use std::process::{Command, Stdio};

use colored::Colorize;

use crate::backend::{GpuInfo, NoGpu};
use crate::console::megabytes;
use crate::engine::device;
use crate::exit::Exit;
use crate::session;
use crate::toolchain::{self, Compilers, Toolchain};
#[cfg(not(windows))]
use crate::toolchain::{HostCompiler, NoHostCompiler};
use crate::worker::{Confinement, Worker};

/// Runs `checker doctor`. It succeeds when exercises can be checked, for which a GPU is not needed.
///
/// # Errors
/// When the table cannot be written.
pub fn run() -> anyhow::Result<Exit> {
    let gpu = Worker::new().gpu();
    let compilers = toolchain::find(gpu.as_ref().ok().map(device));
    let has_compiler = matches!(compilers, Ok(Some(_)));
    let mut rows = compiler_rows(&compilers, session::command());
    rows.extend([
        host_row(compilers.as_ref().ok().and_then(|c| Some(&c.as_ref()?.programs))),
        gpu_row(gpu.as_ref().map(gpu_in_words)),
        sandbox_row(sandbox()),
        python_row(has_compiler),
        cache_row(has_compiler),
    ]);
    write!(stdout(), "{}", table(&rows))?;
    let can_check = rows.iter().all(|row| row.state != State::Broken);
    Ok(if can_check { Exit::Passed } else { Exit::Environment })
}

/// The GPU, and the newest CUDA that its driver takes.
fn gpu_in_words(gpu: &GpuInfo) -> String {
    let ((major, minor), GpuInfo { name, capability, .. }) = (gpu.driver, gpu);
    let memory = gpu.memory >> 30;
    format!(
        "{name}, {memory} GiB, compute capability {}.{}, driver for CUDA {major}.{minor}",
        capability.0, capability.1
    )
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

/// The compilers, why they were chosen, and those that were found but not used.
fn compiler_rows(
    compilers: &Result<Option<Compilers>, toolchain::Error>,
    command: &str,
) -> Vec<Row> {
    let name = "compiler";
    let (found, fix) = match compilers {
        Ok(Some(compilers)) => return rows_of_compilers(compilers),
        Ok(None) => ("none found".to_owned(), format!("{command} setup")),
        Err(error) => {
            let error = error.to_string();
            let (what, fix) = error.split_once('\n').unwrap_or((&error, ""));
            (what.to_owned(), fix.trim().to_owned())
        }
    };
    vec![Row { name, found, state: State::Broken, status: "missing", fix: Some(fix) }]
}

fn rows_of_compilers(compilers: &Compilers) -> Vec<Row> {
    let Compilers { kernels, programs, programs_off_gpu, reason, passed_over } = compilers;
    let row = |name, found, (state, status)| Row { name, found, state, status, fix: None };
    let ok = (State::Good, "ok");
    let place =
        |toolchain: &Toolchain| format!("CUDA {} from {}", toolchain.version, toolchain.place());
    let same = kernels == programs;
    let parts = if same { "NVRTC, nvcc" } else { "NVRTC, for kernels" };
    let mut rows = vec![row("compiler", format!("{} ({parts}): {reason}", place(kernels)), ok)];
    if !same {
        let found = format!("{} (nvcc, for host programs)", place(programs));
        rows.push(match programs_off_gpu {
            None => row("", found, ok),
            Some(why) => {
                let found = format!("{found}: {why}");
                row("", found, (State::Limited, "host programs on the simulator only"))
            }
        });
    }
    for toolkit in passed_over {
        rows.push(row("", toolkit.clone(), (State::Good, "not used")));
    }
    rows
}

/// nvcc passes host code to the system's C++ compiler; kernels do not need one.
#[cfg(not(windows))]
fn host_row(nvcc: Option<&Toolchain>) -> Row {
    let name = "host C++";
    match toolchain::host_compiler(nvcc) {
        Ok(HostCompiler { program, version }) => Row {
            name,
            found: format!("{program} {version}"),
            state: State::Good,
            status: "ok",
            fix: None,
        },
        Err(error) => Row {
            name,
            found: match &error {
                NoHostCompiler::Missing => "none found: no g++ on the PATH".to_owned(),
                NoHostCompiler::TooNew { nvcc, newest } => {
                    format!("g++ is too new for nvcc {nvcc}, which takes {newest} and older")
                }
            },
            state: State::Limited,
            status: "kernels only, no host programs",
            fix: Some(error.fix()),
        },
    }
}

/// nvcc passes host code to cl, which has no option that prints its version; it is enough that it
/// starts.
#[cfg(windows)]
fn host_row(_: Option<&Toolchain>) -> Row {
    let name = "host C++";
    match Command::new("cl").stdin(Stdio::null()).output() {
        Ok(_) => Row { name, found: "cl".into(), state: State::Good, status: "ok", fix: None },
        Err(_) => Row {
            name,
            found: "none found: no cl on the PATH".to_owned(),
            state: State::Limited,
            status: "kernels only, no host programs",
            fix: Some("winget install Microsoft.VisualStudio.2022.BuildTools".to_owned()),
        },
    }
}

fn gpu_row(gpu: Result<String, &NoGpu>) -> Row {
    let name = "GPU";
    match gpu {
        Ok(found) => Row { name, found, state: State::Good, status: "ok", fix: None },
        Err(NoGpu { why, advice, .. }) => Row {
            name,
            found: format!("none found: {why}"),
            state: State::Limited,
            status: "simulator only",
            fix: advice.clone(),
        },
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
                toolchain::Error::BrokenPip { python, .. } => (
                    format!("the pip of {} does not start", python.display()),
                    "python3 -m pip list    names what to correct".to_owned(),
                ),
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
        let mut rows = compiler_rows(&Ok(None), "cargo checker");
        rows.extend([
            gpu_row(Err(&NoGpu {
                why: "libcuda.so.1 is not installed".to_owned(),
                advice: Some("install NVIDIA's driver 550 or newer".to_owned()),
                has_card: false,
            })),
            gpu_row(Ok("NVIDIA H200, 141 GB".to_owned())),
            sandbox_row(Ok(Confinement { landlock: Some(7), seccomp: true, missing: None })),
            sandbox_row(Ok(Confinement {
                landlock: None,
                seccomp: true,
                missing: Some("this kernel has no landlock".to_owned()),
            })),
        ]);
        insta::assert_snapshot!(table(&rows), @r"
        compiler   none found                                     missing
                   to fix it:  cargo checker setup
        GPU        none found: libcuda.so.1 is not installed      simulator only
                   to fix it:  install NVIDIA's driver 550 or newer
        GPU        NVIDIA H200, 141 GB                            ok
        sandbox    landlock 7, seccomp, limits                    ok
        sandbox    seccomp, limits: this kernel has no landlock   own code only
        ");
    }

    /// With an old driver, kernels and programs have two compilers, and the rows say why.
    #[test]
    fn compilers_of_two_versions() {
        colored::control::set_override(false);
        let toolkit = |version: &str, nvcc: bool| Toolchain {
            nvrtc: format!("/opt/cuda-{version}/lib64/libnvrtc.so").into(),
            builtins: None,
            include: None,
            headers: vec![],
            nvcc: nvcc.then(|| "/opt/cuda/bin/nvcc".into()),
            version: version.to_owned(),
            origin: toolchain::Origin::Usual,
        };
        let compilers = Compilers {
            kernels: toolkit("12.4.127", false),
            programs: toolkit("13.0.88", true),
            programs_off_gpu: Some("nvcc 13.0 is newer than the GPU's driver".to_owned()),
            reason: "the driver takes CUDA 12.4 and older".to_owned(),
            passed_over: vec!["CUDA 12.3 in /usr/local/cuda is older than 12.4".to_owned()],
        };
        insta::assert_snapshot!(table(&rows_of_compilers(&compilers)), @r"
        compiler   CUDA 12.4.127 from /opt/cuda-12.4.127/lib64 (NVRTC, for kernels): the driver takes CUDA 12.4 and older          ok
                   CUDA 13.0.88 from /opt/cuda-13.0.88/lib64 (nvcc, for host programs): nvcc 13.0 is newer than the GPU's driver   host programs on the simulator only
                   CUDA 12.3 in /usr/local/cuda is older than 12.4                                                                 not used
        ");
        let error = Err(toolchain::Error::Wanted { wanted: "14".into(), why: "it is new".into() });
        insta::assert_snapshot!(table(&compiler_rows(&error, "checker")), @r"
        compiler   CUDA_WORKBOOK_CUDA=14 cannot be used: it is new   missing
                   to fix it:  set it to 13 or to 12.4, or unset it, and the checker chooses
        ");
    }
}
