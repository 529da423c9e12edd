//! Finds pip, runs it, and explains why it failed. pip's own configuration decides which index it
//! uses.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::Error;

/// A Python that has pip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Python {
    /// The program.
    pub program: PathBuf,
    /// Python's version: `3.11.7`.
    pub version: String,
    /// pip's version: `23.2.1`.
    pub pip: String,
}

const NAMES: &[&str] =
    if cfg!(windows) { &["python.exe", "py.exe"] } else { &["python3", "python"] };

/// The first Python on `path` that has pip.
pub(super) fn find(path: &[PathBuf]) -> Result<Python, Error> {
    let mut without_pip = None;
    for name in NAMES {
        for program in path.iter().map(|folder| folder.join(name)).filter(|p| p.is_file()) {
            let Some(version) = python_version(&program) else { continue };
            match pip_version(&program) {
                Some(pip) => return Ok(Python { program, version, pip }),
                None => without_pip = without_pip.or(Some(program)),
            }
        }
    }
    Err(without_pip.map_or_else(Error::no_python, |python| Error::no_pip(&python)))
}

/// As [`find`]. When no Python has pip, this makes a private environment with pip in `folder`.
pub(super) fn find_or_make(path: &[PathBuf], folder: &Path) -> Result<Python, Error> {
    let (python, error) = match find(path) {
        Err(Error::NoPip { python, fix }) => (python.clone(), Error::NoPip { python, fix }),
        other => return other,
    };
    let made = output(Command::new(&python).args(["-m", "venv", "--clear"]).arg(folder));
    let inside = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let usable = made.and_then(|_| Some((python_version(&inside)?, pip_version(&inside)?)));
    usable.map(|(version, pip)| Python { program: inside, version, pip }).ok_or(error)
}

fn python_version(program: &Path) -> Option<String> {
    let print = "import sys; print('.'.join(str(n) for n in sys.version_info[:3]))";
    output(Command::new(program).args(["-c", print])).filter(|version| version.starts_with("3."))
}

fn pip_version(program: &Path) -> Option<String> {
    let line = output(Command::new(program).args(["-m", "pip", "--version"]))?;
    line.strip_prefix("pip ")?.split_whitespace().next().map(str::to_owned)
}

/// The trimmed output of a program that succeeded.
fn output(command: &mut Command) -> Option<String> {
    let done = command.stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// The command that installs `requirements` into `target`, with temporary files under `scratch`.
///
/// With `--target`, pip does not change the environment that it belongs to, so a distribution's
/// "externally managed" mark (PEP 668) does not forbid it. Settings that conflict with `--target`
/// are switched off. The index, proxies, certificates and caches stay as the user configured them.
pub(super) fn install(
    python: &Python,
    requirements: &Path,
    target: &Path,
    scratch: &Path,
) -> Command {
    let mut command = Command::new(&python.program);
    command
        .args(["-m", "pip", "install", "--no-deps", "--require-hashes", "--only-binary=:all:"])
        .args(["--no-input", "--no-compile", "--disable-pip-version-check", "--progress-bar=off"])
        .arg("--target")
        .arg(target)
        .arg("--requirement")
        .arg(requirements)
        .env("PIP_USER", "0")
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        .env("PIP_ROOT_USER_ACTION", "ignore")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, scratch)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// The error behind pip's messages, with the wordings of pip 20 to 25.
pub(super) fn explain(stderr: &str, status: String, cache: &Path) -> Error {
    let has = |needles: &[&str]| needles.iter().any(|n| stderr.contains(n));
    let line = |needles: &[&str]| {
        let found =
            stderr.lines().find(|l| needles.iter().any(|n| l.contains(n))).unwrap_or_default();
        excerpt(found)
    };
    if has(&["No space left on device", "Disk quota exceeded", "[Errno 28]", "[Errno 122]"]) {
        return Error::NoSpace {
            folder: cache.to_path_buf(),
            need: super::pins::CUDA_13.required_space(),
            free: None,
        };
    }
    if has(&["DO NOT MATCH THE HASHES", "Hash mismatch", "BadZipFile", "has an invalid wheel"]) {
        return Error::Hash;
    }
    const NETWORK: &[&str] = &[
        "Failed to establish a new connection",
        "name resolution",
        "NameResolutionError",
        "NewConnectionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "Read timed out",
        "ProxyError",
        "SSLError",
        "CERTIFICATE_VERIFY_FAILED",
        "Connection aborted",
        "IncompleteRead",
        "Network is unreachable",
        "HTTPError",
        "HTTP error",
    ];
    if let Some(at) = NETWORK.iter().find_map(|needle| stderr.find(needle)) {
        // pip prints nested exceptions. The part from the matching word to the end of its quotation
        // is readable.
        let rest = stderr.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let end = rest.find(['\'', '"', ')']).unwrap_or(rest.len());
        return Error::Offline { detail: excerpt(rest.get(..end).unwrap_or(rest)) };
    }
    const ABSENT: &[&str] = &["No matching distribution", "Could not find a version"];
    if has(ABSENT) {
        return Error::NotOffered { detail: line(ABSENT) };
    }
    let lines: Vec<&str> = stderr.lines().filter(|l| !l.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(6)..).unwrap_or_default();
    let detail =
        last.iter().map(|l| format!("  pip: {}", excerpt(l))).collect::<Vec<_>>().join("\n");
    Error::Pip { status, detail }
}

/// One line of pip's output without its level, safe and short enough to show.
fn excerpt(line: &str) -> String {
    let message = line.trim().trim_start_matches("ERROR: ").trim_start_matches("WARNING: ");
    crate::text::excerpt(message, 300)
}

#[cfg(test)]
#[path = "pip_tests.rs"]
mod tests;
