//! The CUDA compiler: where one is on this machine, and how to install NVIDIA's own when there is none.
//!
//! Nothing here loads CUDA: finding looks at file names only, and installing runs pip.

mod environment;
mod error;
mod install;
mod pins;
mod pip;
mod search;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use environment::{cache_dir, shown};
pub use error::Error;
pub use pip::Python;

use environment::Environment;

/// A CUDA 13 compiler on this machine.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The NVRTC library: `libnvrtc.so.13`.
    pub nvrtc: PathBuf,
    /// NVRTC's companion, which must be loaded before it: `libnvrtc-builtins.so.13.0`. `None` where the system's
    /// loader finds it by itself.
    pub builtins: Option<PathBuf>,
    /// CUDA's own headers, never a folder that also holds the host's.
    pub include: Option<PathBuf>,
    /// The `nvcc` program, for host code.
    pub nvcc: Option<PathBuf>,
    /// As precisely as the files say: `13.0.88`, `13.0` or `13`.
    pub version: String,
    /// Where it was found.
    pub origin: Origin,
}

/// Where a compiler was found, in the order of the search.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This environment variable: `CUDA_HOME` or `CUDA_PATH`.
    Variable(String),
    /// The usual place: `/usr/local/cuda`.
    Usual,
    /// The toolkit around the `nvcc` on the PATH.
    Nvcc,
    /// A library folder of the system's loader.
    Loader,
    /// The workbook's own cache: `checker setup` put it there.
    Cache,
}

impl Toolchain {
    /// The folders that its parts lie in, as they really are: what has to be readable for it to work.
    pub fn folders(&self) -> Vec<PathBuf> {
        let parts = [Some(&self.nvrtc), self.builtins.as_ref(), self.nvcc.as_ref()];
        let roots = parts.into_iter().flatten().filter_map(|file| {
            let file = file.canonicalize().ok()?;
            file.parent()?.parent().map(PathBuf::from)
        });
        let headers = self.include.as_ref().and_then(|folder| folder.canonicalize().ok());
        let mut folders: Vec<PathBuf> = roots.chain(headers).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// Where it lives, for people: `~/.cache/cuda-workbook`, `/usr/local/cuda`.
    pub fn place(&self) -> String {
        let folder = match self.origin {
            Origin::Cache => cache_dir(),
            _ => self.nvrtc.parent().map(PathBuf::from).unwrap_or_default(),
        };
        shown(&folder)
    }
}

/// How far an installation is. The caller draws it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The compiler is missing and is about to be fetched.
    Plan {
        /// The cache folder.
        into: PathBuf,
        /// Bytes to download.
        download: u64,
        /// Bytes on disk afterwards.
        disk: u64,
    },
    /// Another process is installing it at this moment; this one waits and then uses the result.
    Waiting,
    /// A wheel is arriving; reported again as it grows, last with `done == total`.
    Download {
        /// The package's name on PyPI.
        package: &'static str,
        /// Bytes so far.
        done: u64,
        /// Bytes of the whole wheel.
        total: u64,
    },
    /// All wheels are here and are being unpacked.
    Unpack {
        /// Bytes so far.
        done: u64,
        /// Bytes of everything, about.
        total: u64,
    },
}

/// Looks for a compiler, in the order of [`Origin`]. Reads folders only; `None` when there is none.
pub fn find() -> Option<Toolchain> {
    search::find(&Environment::current())
}

/// Installs the pinned wheels into the cache, or waits for another process that is doing so.
///
/// An installation that is already complete is returned at once. An interrupted one leaves nothing that
/// [`find`] would take for a compiler.
///
/// # Errors
/// Every [`Error`] says what to do about it.
pub fn install(report: &mut dyn FnMut(Progress)) -> Result<Toolchain, Error> {
    install::install(&Environment::current(), report)
}

/// The compiler that is there, else a freshly installed one: what the first command that compiles calls.
///
/// # Errors
/// As [`install()`].
pub fn find_or_install(report: &mut dyn FnMut(Progress)) -> Result<Toolchain, Error> {
    match find() {
        Some(toolchain) => Ok(toolchain),
        None => install(report),
    }
}

/// The Python that an installation would use, with its version and pip's.
///
/// # Errors
/// [`Error::NoPython`] or [`Error::NoPip`].
pub fn python() -> Result<Python, Error> {
    pip::find(&Environment::current().path)
}

/// What an installation downloads and then occupies, in bytes.
pub fn size() -> (u64, u64) {
    (pins::download(), pins::disk())
}

/// Checks that the cache folder can be written, by writing to it.
///
/// # Errors
/// [`Error::Cache`] with the operating system's reason.
pub fn check_cache() -> Result<PathBuf, Error> {
    let cache = cache_dir();
    install::writable(&cache)?;
    Ok(cache)
}
