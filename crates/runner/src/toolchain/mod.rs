//! The CUDA compilers: finds them on this machine, chooses those that the GPU's driver takes, or
//! installs NVIDIA's.
//!
//! Nothing here loads CUDA: the search looks at file names only, and the installation runs pip.
//!
//! **The choice** (`choice`). CUDA 13 is the default. A driver of CUDA 12.4 to 12.9, or a GPU that
//! CUDA 13 no longer supports, gets a compiler of CUDA 12: that of a toolkit, else the wheels of
//! CUDA 12.4. Kernels and host programs may have compilers of different versions, because there are
//! no wheels with nvcc of CUDA 12.
//!
//! **The wheels.** NVIDIA publishes the compiler as Python packages (`pins`: exact versions, with
//! the hash of each file). pip unpacks them into a temporary folder of the cache, and one rename at
//! the end makes the installation visible, so an interrupted one is never taken for a compiler. The
//! wheels keep their libraries in `lib`, while their own `nvcc.profile` links a static runtime from
//! `lib64`; the installation adds that as a link. NVRTC, nvcc, ptxas and cicc are each started
//! once, because a disk may forbid programs or the wheel may be for another processor.

mod choice;
mod environment;
mod error;
mod extras;
mod host;
mod install;
mod linked;
mod packages;
mod pins;
mod pip;
mod pip_failure;
#[cfg(all(test, unix))]
mod scripts;
mod search;
mod version;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use environment::{cache_dir, display_path};
pub use error::Error;
pub use extras::{Extra, providing};
pub use host::{HostCompiler, NoHostCompiler, host_compiler, installed_up_to};
pub use pip::Python;
pub use version::Version;

use choice::{Pick, Situation};
use environment::Environment;

/// What a GPU and its driver take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The newest version of CUDA that the driver supports.
    pub driver: Version,
    /// The compute capability, major and minor.
    pub capability: (u32, u32),
}

/// The compilers of one machine for one GPU, or for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compilers {
    /// The compiler of kernels, which is NVRTC.
    pub kernels: Toolchain,
    /// The compiler of host programs, which is nvcc; usually of the same toolkit.
    pub programs: Toolchain,
    /// Why programs do not run on the GPU, although there is one.
    pub programs_off_gpu: Option<String>,
    /// Why these were chosen, as a clause: "the driver takes CUDA 12.4 and older".
    pub reason: String,
    /// The compilers that were found and not used, each with its reason.
    pub passed_over: Vec<String>,
}

/// A CUDA compiler on this machine.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The NVRTC library: `libnvrtc.so.13`, `libnvrtc.so.12`.
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

impl From<Toolchain> for Compilers {
    /// One compiler for everything.
    fn from(toolchain: Toolchain) -> Self {
        let (programs_off_gpu, reason, passed_over) = (None, String::new(), vec![]);
        Self {
            kernels: toolchain.clone(),
            programs: toolchain,
            programs_off_gpu,
            reason,
            passed_over,
        }
    }
}

impl Toolchain {
    /// The version of CUDA.
    pub fn release(&self) -> Version {
        Version::parse(&self.version).unwrap_or(Version::new(0, 0))
    }

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
        /// The version of CUDA.
        release: Version,
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

/// The compilers that the search finds, for this GPU or for none. `None` when one of them must be
/// installed. It only reads folders.
///
/// # Errors
/// When the user asks for a version that cannot be used.
pub fn find(device: Option<Device>) -> Result<Option<Compilers>, Error> {
    found(&Environment::current(), device)
}

fn found(environment: &Environment, device: Option<Device>) -> Result<Option<Compilers>, Error> {
    let found = search::find_all(environment);
    let plan = Situation { device, found: &found, wanted: environment.wanted()? }.plan()?;
    let (Pick::Found(kernels), Pick::Found(programs)) = (plan.kernels, plan.programs) else {
        return Ok(None);
    };
    Ok(Some(Compilers {
        kernels: kernels.clone(),
        programs: programs.clone(),
        programs_off_gpu: plan.programs_off_gpu,
        reason: plan.reason,
        passed_over: passed_over(environment, plan.passed_over),
    }))
}

/// The compilers of this machine for this GPU or for none. Those that are missing are installed,
/// or another process that is installing them is waited for. An interrupted installation leaves
/// nothing that [`find`] would take for a compiler.
///
/// # Errors
/// When one cannot be installed. Every [`Error`] says what to do about it.
pub fn find_or_install(
    device: Option<Device>,
    report: &mut dyn FnMut(Progress),
) -> Result<Compilers, Error> {
    install_missing(&Environment::current(), device, report)
}

fn install_missing(
    environment: &Environment,
    device: Option<Device>,
    report: &mut dyn FnMut(Progress),
) -> Result<Compilers, Error> {
    let found = search::find_all(environment);
    let plan = Situation { device, found: &found, wanted: environment.wanted()? }.plan()?;
    let mut get = |pick: Pick<'_>| match pick {
        Pick::Found(toolchain) => {
            linked::link(&environment.cache, toolchain);
            Ok(search::with_cached_headers(&environment.cache, toolchain.clone()))
        }
        Pick::Install(pins) => install::install(environment, pins, report),
    };
    Ok(Compilers {
        kernels: get(plan.kernels)?,
        programs: get(plan.programs)?,
        programs_off_gpu: plan.programs_off_gpu,
        reason: plan.reason,
        passed_over: passed_over(environment, plan.passed_over),
    })
}

/// The compilers that are not used, and the variables that name a folder without one.
fn passed_over(environment: &Environment, compilers: Vec<String>) -> Vec<String> {
    let empty = environment.variables.iter().filter(|(_, root)| !search::has_compiler(root));
    let empty = empty.map(|(name, root)| {
        format!("{name}={} contains no CUDA compiler with NVRTC", display_path(root))
    });
    compilers.into_iter().chain(empty).collect()
}

/// Installs a package of headers for `toolchain`, and returns the compiler with it.
///
/// # Errors
/// As [`find_or_install`].
pub fn install_headers(toolchain: &Toolchain, extra: &Extra) -> Result<Toolchain, Error> {
    extras::add(&Environment::current(), toolchain, extra)
}

/// The Python that an installation would use, with its version and pip's.
///
/// # Errors
/// [`Error::NoPython`] or [`Error::NoPip`].
pub fn python() -> Result<Python, Error> {
    pip::find(&Environment::current().path)
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
