//! The CUDA compiler: finds one on this machine, or installs NVIDIA's.
//!
//! Nothing here loads CUDA: the search looks at file names only, and the installation runs pip.
//!
//! **The wheels.** NVIDIA publishes the compiler as Python packages (`pins`: exact versions, with
//! the hash of each file). pip unpacks them into a temporary folder of the cache, and one rename at
//! the end makes the installation visible, so an interrupted one is never taken for a compiler. The
//! wheels keep their libraries in `lib`, while their own `nvcc.profile` links a static runtime from
//! `lib64`; the installation adds that as a link. NVRTC, nvcc, ptxas and cicc are each started
//! once, because a disk may forbid programs or the wheel may be for another processor.

mod environment;
mod error;
mod extras;
mod install;
mod pins;
mod pip;
#[cfg(all(test, unix))]
mod scripts;
mod search;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use environment::{cache_dir, display_path};
pub use error::Error;
pub use extras::{Extra, providing};
pub use pip::Python;

use environment::Environment;

/// A CUDA 13 compiler on this machine.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The NVRTC library: `libnvrtc.so.13`.
    pub nvrtc: PathBuf,
    /// NVRTC's library of built-in functions, which must be loaded before it:
    /// `libnvrtc-builtins.so.13.0`. `None` where the system's loader finds it.
    pub builtins: Option<PathBuf>,
    /// CUDA's headers; never a folder that also contains the host's.
    pub include: Option<PathBuf>,
    /// Folders of further headers of NVIDIA's, which were installed for programs that include them.
    pub headers: Vec<PathBuf>,
    /// The `nvcc` program, for host code.
    pub nvcc: Option<PathBuf>,
    /// The version, as precise as the file names are: `13.0.88`, `13.0` or `13`.
    pub version: String,
    /// Where it was found.
    pub origin: Origin,
}

/// Where a compiler was found; the search goes in this order.
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
    /// The workbook's cache, into which `checker setup` installs.
    Cache,
}

impl Toolchain {
    /// The folders of its parts, with links resolved. All of them must be readable.
    pub fn folders(&self) -> Vec<PathBuf> {
        let parts = [Some(&self.nvrtc), self.builtins.as_ref(), self.nvcc.as_ref()];
        let roots = parts.into_iter().flatten().filter_map(|file| {
            let file = file.canonicalize().ok()?;
            file.parent()?.parent().map(PathBuf::from)
        });
        let headers = self.include.iter().chain(&self.headers);
        let headers = headers.filter_map(|folder| folder.canonicalize().ok());
        let mut folders: Vec<PathBuf> = roots.chain(headers).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// Its folder, as reports show it: `~/.cache/cuda-workbook`, `/usr/local/cuda`.
    pub fn place(&self) -> String {
        let folder = match self.origin {
            Origin::Cache => cache_dir(),
            _ => self.nvrtc.parent().map(PathBuf::from).unwrap_or_default(),
        };
        display_path(&folder)
    }
}

/// The progress of an installation, which the caller shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The compiler is missing, and its download begins.
    Plan {
        /// The cache folder.
        into: PathBuf,
        /// Bytes to download.
        download: u64,
        /// Bytes on disk afterwards.
        disk: u64,
    },
    /// Another process is installing it; this process waits and then uses the result.
    Waiting,
    /// A wheel is being downloaded. Reported again as it grows, at last with `done == total`.
    Download {
        /// The package's name on PyPI.
        package: &'static str,
        /// Bytes so far.
        done: u64,
        /// Bytes of the whole wheel.
        total: u64,
    },
    /// All wheels are downloaded and are being unpacked.
    Unpack {
        /// Bytes so far.
        done: u64,
        /// Approximate bytes of everything.
        total: u64,
    },
}

/// Looks for a compiler, in the order of [`Origin`]. It only reads folders.
pub fn find() -> Option<Toolchain> {
    search::find(&Environment::current())
}

/// Installs a package of headers for `toolchain`, and returns the compiler with it.
///
/// # Errors
/// As [`install()`].
pub fn install_headers(toolchain: &Toolchain, extra: &Extra) -> Result<Toolchain, Error> {
    extras::add(&Environment::current(), toolchain, extra)
}

/// Installs the pinned wheels into the cache, or waits for another process that is doing so.
///
/// A complete installation is returned at once. An interrupted installation leaves nothing that
/// [`find`] would take for a compiler.
///
/// # Errors
/// When it cannot be installed. Every [`Error`] says what to do about it.
pub fn install(report: &mut dyn FnMut(Progress)) -> Result<Toolchain, Error> {
    install::install(&Environment::current(), report)
}

/// The compiler of this machine, or else a newly installed one.
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

/// The bytes that an installation downloads, and the bytes that it then occupies.
pub fn size() -> (u64, u64) {
    (pins::download(), pins::disk())
}

/// Checks that the cache folder can be written, by writing to it.
///
/// # Errors
/// [`Error::Cache`] with the operating system's reason.
pub fn check_cache() -> Result<PathBuf, Error> {
    let cache = cache_dir();
    install::check_writable(&cache)?;
    Ok(cache)
}
