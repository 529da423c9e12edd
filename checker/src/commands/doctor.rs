//! `checker doctor`: what was found on this machine, what is missing, and the one command that mends it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use colored::{ColoredString, Colorize};

use super::session;
use crate::exit::Exit;
use crate::toolchain::{self, Toolchain};
use crate::workbook::Workbook;
use crate::worker::Worker;

/// One line of the answer.
struct Finding {
    what: &'static str,
    found: String,
    state: ColoredString,
    /// Exit code 3 when this is missing.
    needed: bool,
    ok: bool,
}

/// Looks at everything and changes nothing.
pub fn run() -> anyhow::Result<Exit> {
    let findings = [compiler(), host(), gpu(), cache(), workbook()];
    let width = findings.iter().map(|finding| finding.found.chars().count()).max().unwrap_or(0).min(72);
    for Finding { what, found, state, .. } in &findings {
        say!("  {what:10} {found:width$}   {state}");
    }
    let missing = findings.iter().any(|finding| finding.needed && !finding.ok);
    Ok(if missing { Exit::Environment } else { Exit::Passed })
}

fn ok(what: &'static str, found: String) -> Finding {
    Finding { what, found, state: "ok".green(), needed: false, ok: true }
}

fn compiler() -> Finding {
    let what = "compiler";
    match toolchain::find() {
        Some(found) => ok(what, describe(&found)),
        None => {
            let mend = match toolchain::python() {
                Ok(_) => format!("run `{} setup`", session::command()),
                Err(error) => error.to_string(),
            };
            let found = "no CUDA 13 compiler".into();
            Finding { what, found, state: mend.red(), needed: true, ok: false }
        }
    }
}

fn describe(toolchain: &Toolchain) -> String {
    let parts = if toolchain.nvcc.is_some() { "NVRTC, nvcc" } else { "NVRTC" };
    format!("CUDA {} from {} ({parts})", toolchain.version, toolchain.place())
}

/// Programs (exercises with host code) need a C++ compiler for the host's side.
fn host() -> Finding {
    let what = "host C++";
    let found = ["g++", "clang++", "c++"].into_iter().find_map(|name| {
        let output = Command::new(on_path(name)?).arg("-dumpfullversion").arg("-dumpversion").output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
        Some(format!("{name} {version}"))
    });
    match found {
        Some(found) => ok(what, found),
        None => Finding {
            what,
            found: "none found".into(),
            state: "only needed for exercises with host code: install g++".yellow(),
            needed: false,
            ok: false,
        },
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    env::split_paths(&paths).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn gpu() -> Finding {
    let what = "GPU";
    match Worker::new().gpu() {
        Ok(gpu) => ok(what, format!("{}, {} GiB, driver for CUDA {}.{}", gpu.name, gpu.memory >> 30, gpu.driver.0, gpu.driver.1)),
        Err(why) => Finding {
            what,
            found: format!("none found: {}", why.why),
            state: "simulator only".normal(),
            needed: false,
            ok: false,
        },
    }
}

fn cache() -> Finding {
    match toolchain::check_cache() {
        Ok(folder) => ok("cache", toolchain::shown(&folder)),
        Err(error) => Finding {
            what: "cache",
            found: toolchain::shown(&toolchain::cache_dir()),
            state: format!("{error}: compiled kernels are not kept").yellow(),
            needed: false,
            ok: false,
        },
    }
}

fn workbook() -> Finding {
    let here = env::current_dir().unwrap_or_else(|_| Path::new(".").to_path_buf());
    match Workbook::find(&here) {
        Some(found) => ok("workbook", toolchain::shown(found.root())),
        None => Finding {
            what: "workbook",
            found: "not in this folder or above it".into(),
            state: format!("`{} init DIR` writes one", session::command()).yellow(),
            needed: false,
            ok: false,
        },
    }
}
