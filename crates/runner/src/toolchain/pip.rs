//! Finds pip and runs it. pip's own configuration decides which index it uses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::Error;
use super::pip_failure::{self, last_lines};

/// The names of folders in which pip works begin with this.
pub(super) const STAGING_PREFIX: &str = "installing-";

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
                Ok(pip) => return Ok(Python { program, version, pip }),
                Err(error) => without_pip = without_pip.or(Some(error)),
            }
        }
    }
    Err(without_pip.unwrap_or_else(Error::no_python))
}

/// As [`find`]. When no Python has pip, this makes a private environment with pip in `folder`.
pub(super) fn find_or_make(path: &[PathBuf], folder: &Path) -> Result<Python, Error> {
    let (python, error) = match find(path) {
        Err(Error::NoPip { python, fix }) => (python.clone(), Error::NoPip { python, fix }),
        other => return other,
    };
    let made = output(Command::new(&python).args(["-m", "venv", "--clear"]).arg(folder));
    let inside = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let usable = made.and_then(|_| Some((python_version(&inside)?, pip_version(&inside).ok()?)));
    usable.map(|(version, pip)| Python { program: inside, version, pip }).ok_or(error)
}

fn python_version(program: &Path) -> Option<String> {
    let print = "import sys; print('.'.join(str(n) for n in sys.version_info[:3]))";
    output(Command::new(program).args(["-c", print])).filter(|version| version.starts_with("3."))
}

fn pip_version(program: &Path) -> Result<String, Error> {
    let mut command = Command::new(program);
    let done = command.args(["-m", "pip", "--version"]).stdin(Stdio::null()).output();
    let absent = || Error::no_pip(program);
    let done = done.map_err(|_| absent())?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        if said.trim().is_empty() || said.contains("No module named") {
            return Err(absent());
        }
        return Err(Error::BrokenPip { python: program.to_path_buf(), detail: last_lines(&said) });
    }
    let said = String::from_utf8_lossy(&done.stdout);
    let version = said.strip_prefix("pip ").and_then(|rest| rest.split_whitespace().next());
    version.map(str::to_owned).ok_or_else(absent)
}

/// The trimmed output of a program that succeeded.
fn output(command: &mut Command) -> Option<String> {
    let done = command.stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// The folder in which pip works, and which is removed afterwards.
pub(super) struct Staging(tempfile::TempDir);

impl Staging {
    /// Makes the folder in `cache`, with the list of what pip is to install.
    pub fn new(cache: &Path, requirements: &str) -> Result<Self, Error> {
        let made = || {
            let mut staging = tempfile::Builder::new();
            let staging = Self(staging.prefix(STAGING_PREFIX).tempdir_in(cache)?);
            fs::create_dir(staging.scratch())?;
            fs::write(staging.requirements(), requirements)?;
            Ok(staging)
        };
        made().map_err(|reason| Error::cache(cache, reason))
    }

    /// Where pip unpacks the packages.
    pub fn target(&self) -> PathBuf {
        self.0.path().join("target")
    }

    /// pip's temporary files.
    pub fn scratch(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    fn requirements(&self) -> PathBuf {
        self.0.path().join("requirements.txt")
    }

    fn log(&self) -> PathBuf {
        self.0.path().join("pip.log")
    }

    /// The command that installs the packages into the target folder.
    ///
    /// With `--target`, pip does not change the environment that it belongs to, so a
    /// distribution's "externally managed" mark (PEP 668) does not forbid it. Settings that
    /// conflict with `--target` are switched off. The index, proxies, certificates and caches stay
    /// as the user configured them.
    ///
    /// # Errors
    /// When there is no Python with pip.
    pub fn command(&self, path: &[PathBuf]) -> Result<Command, Error> {
        let python = find_or_make(path, &self.0.path().join("venv"))?;
        let mut command = Command::new(&python.program);
        command
            .args(["-m", "pip", "install", "--no-deps", "--require-hashes"])
            .args(["--only-binary=:all:", "--no-input", "--no-compile"])
            .args(["--disable-pip-version-check", "--progress-bar=off"])
            .arg("--log")
            .arg(self.log())
            .arg("--target")
            .arg(self.target())
            .arg("--requirement")
            .arg(self.requirements())
            .env("PIP_USER", "0")
            .env("PIP_REQUIRE_VIRTUALENV", "0")
            .env("PIP_ROOT_USER_ACTION", "ignore")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, self.scratch())))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Ok(command)
    }

    /// The error of a pip that has ended with `status` and written `stderr`.
    pub fn error(&self, stderr: &str, status: String, cache: &Path) -> Error {
        let log = fs::read(self.log()).unwrap_or_default();
        pip_failure::explain(stderr, &String::from_utf8_lossy(&log), status, cache)
    }
}

#[cfg(test)]
#[path = "pip_tests.rs"]
mod tests;
