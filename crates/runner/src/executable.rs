//! Finds the other programs of the workbook, which lie beside the one that runs. In a clone, they
//! are compiled when they are first needed.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, io};

/// The sources of which this program was compiled, as a number.
pub const BUILD: &str = env!("RUNNER_BUILD");

/// The option with which `checker-worker` prints its [`BUILD`].
pub const BUILD_OPTION: &str = "--build";

/// The clone in which this program was compiled.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The program of this name in the folder of the running one, whether it is there or not.
///
/// # Errors
/// If the path of the running program is unknown.
pub fn beside(name: &str) -> io::Result<PathBuf> {
    let exe = env::current_exe()?;
    let folder = exe.parent().unwrap_or(Path::new("."));
    // where cargo puts tests
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    Ok(folder.join(format!("{name}{EXE_SUFFIX}")))
}

/// Compiles the program at `path`, which is a program of `package`, if that is where cargo puts it
/// in this clone. Returns whether it is.
///
/// # Errors
/// If cargo cannot be started, or fails.
pub fn compile(package: &str, path: &Path) -> io::Result<bool> {
    let Some((profile, target)) = folders(path).filter(|_| is_checkout()) else {
        return Ok(false);
    };
    let name = path.file_stem().unwrap_or_default();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // The first compilation takes minutes, so it shows its progress.
    let quiet = path.is_file().then_some("--quiet");
    let status = Command::new(cargo)
        .arg("build")
        .args(quiet)
        .args(["--profile", profile, "--package", package, "--bin"])
        .arg(name)
        .arg("--target-dir")
        .arg(target)
        .current_dir(CHECKOUT)
        .status()?;
    if status.success() && path.is_file() {
        return Ok(true);
    }
    Err(io::Error::other(format!("cargo could not compile `{}`", name.display())))
}

/// Is this where cargo puts the program at `path` in the clone, which is still there?
pub fn is_in_clone(path: &Path) -> bool {
    is_checkout() && folders(path).is_some()
}

fn is_checkout() -> bool {
    Path::new(CHECKOUT).join("crates/runner/Cargo.toml").is_file()
}

/// The profile and the folder `target` of a program at `target/release/checker` or
/// `target/debug/checker`.
fn folders(path: &Path) -> Option<(&'static str, &Path)> {
    let folder = path.parent()?;
    let profile = match folder.file_name()?.to_str()? {
        "release" => "release",
        "debug" => "dev",
        "quick" => "quick",
        _ => return None,
    };
    Some((profile, folder.parent()?))
}

/// The path of `checker-worker`. It is found once. On Linux, the path leads to the file that was
/// found, even when a newer build replaces it while this program runs.
///
/// # Errors
/// If there is none, or only one of other sources.
pub(crate) fn worker() -> io::Result<PathBuf> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        find_worker().and_then(|path| keep(&path)).map_err(|error| error.to_string())
    });
    found.clone().map_err(io::Error::other)
}

fn find_worker() -> io::Result<PathBuf> {
    let path = beside("checker-worker")?;
    if is_of_this_build(&path) {
        return Ok(path);
    }
    if is_in_clone(&path) {
        eprintln!("Compiling checker-worker, which runs your code (once)");
    }
    if compile("checker", &path)? && is_of_this_build(&path) {
        return Ok(path);
    }
    let what = match path.is_file() {
        true => "belongs to another version of the checker",
        false => "is missing",
    };
    Err(io::Error::other(format!(
        "{} {what}: install the checker again, which has it beside `checker`",
        path.display()
    )))
}

fn is_of_this_build(path: &Path) -> bool {
    let output = path.is_file().then(|| Command::new(path).arg(BUILD_OPTION).output());
    let output = output.and_then(Result::ok).map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim() == BUILD
}

/// A path to the file at `path` that stays valid when another file takes its place.
#[cfg(target_os = "linux")]
fn keep(path: &Path) -> io::Result<PathBuf> {
    use std::io::Read as _;
    use std::os::fd::IntoRawFd as _;
    /// How an executable begins. The interpreter of a script opens it by its path.
    const ELF: [u8; 4] = *b"\x7fELF";
    let mut file = std::fs::File::open(path)?;
    let mut first = [0; 4];
    file.read_exact(&mut first)?;
    if first != ELF || !Path::new("/proc/self/fd").is_dir() {
        return Ok(path.to_owned());
    }
    // the descriptor stays open until this program ends, and a child has it until its own exec
    let descriptor = file.into_raw_fd();
    Ok(format!("/proc/self/fd/{descriptor}").into())
}

#[cfg(not(target_os = "linux"))]
fn keep(path: &Path) -> io::Result<PathBuf> {
    Ok(path.to_owned())
}
