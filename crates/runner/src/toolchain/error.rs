//! Why the compiler could not be installed, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::environment::display_path;
use super::packages::{Package, install_command};

/// Why the compiler could not be installed. Every message ends with what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// NVIDIA makes no compiler for this system.
    #[error(
        "NVIDIA makes no CUDA compiler for {system}; use Linux (x86-64 or aarch64) or Windows (x86-64), \
         or a container with one of them"
    )]
    Platform {
        /// Operating system and processor.
        system: String,
    },
    /// The version that the user asks for cannot be used.
    #[error(
        "CUDA_WORKBOOK_CUDA={wanted} cannot be used: {why}\n  \
         set it to 13 or to 12.4, or unset it, and the checker chooses"
    )]
    Wanted {
        /// The version.
        wanted: String,
        /// The reason.
        why: String,
    },
    /// There is no Python on the PATH.
    #[error(
        "the CUDA compiler comes as Python packages, and there is no python3 on the PATH\n  \
         install it:  {fix}\n  then run the same command again"
    )]
    NoPython {
        /// One command.
        fix: String,
    },
    /// Python has no pip and cannot make an environment that has it.
    #[error(
        "the CUDA compiler comes as Python packages, and {} has no pip\n  \
         install it:  {fix}\n  then run the same command again", .python.display()
    )]
    NoPip {
        /// The Python.
        python: PathBuf,
        /// One command.
        fix: String,
    },
    /// The cache folder cannot be made or written.
    #[error(
        "cannot write to the cache folder {}: {reason}\n  \
         choose another:  export CUDA_WORKBOOK_CACHE=/a/folder/you/own\n  then run the same command again",
        display_path(.folder)
    )]
    Cache {
        /// The cache folder.
        folder: PathBuf,
        /// The operating system's error.
        reason: io::Error,
    },
    /// The disk is full, or has too little free space to begin.
    #[error(
        "not enough room in {}: the compiler needs {} MB while it is installed{}\n  \
         free some, or choose a folder on another disk:  export CUDA_WORKBOOK_CACHE=/a/larger/disk\n  \
         then run the same command again",
        display_path(.folder), .need / 1_000_000, free_text(*.free)
    )]
    NoSpace {
        /// The cache folder.
        folder: PathBuf,
        /// Bytes needed.
        need: u64,
        /// Bytes free, when known.
        free: Option<u64>,
    },
    /// pip is there, but does not start.
    #[error(
        "the pip of {} does not start:\n{detail}\n  \
         correct what it names, so that `python3 -m pip list` works, and then run the same command again",
        .python.display()
    )]
    BrokenPip {
        /// The Python.
        python: PathBuf,
        /// The last lines that it wrote.
        detail: String,
    },
    /// pip reached no index.
    #[error(
        "pip could not reach its package index: {detail}\n  \
         with a network:     run the same command again\n  \
         behind a proxy:     export HTTPS_PROXY=http://host:port first\n  \
         without a network:  export PIP_NO_INDEX=1 PIP_FIND_LINKS=/folder/with/the/wheels first"
    )]
    Offline {
        /// pip's own line.
        detail: String,
    },
    /// A proxy is configured, and pip does not get through it.
    #[error(
        "pip could not get through the proxy: {detail}\n  \
         correct its address, with a password if it needs one:  \
         export HTTPS_PROXY=http://user:password@host:port\n  \
         then run the same command again"
    )]
    Proxy {
        /// pip's own line.
        detail: String,
    },
    /// pip does not trust the index, as where a proxy decrypts connections.
    #[error(
        "pip does not trust the certificate of its package index: {detail}\n  \
         if your network has a certificate of its own:  export PIP_CERT=/path/to/certificate.pem\n  \
         then run the same command again"
    )]
    Certificate {
        /// pip's own line.
        detail: String,
    },
    /// An index that the user's configuration names does not have the wheels.
    #[error(
        "pip cannot get NVIDIA's packages from {index}: {detail}\n  \
         `python3 -m pip config list` shows the setting that names this place; correct the setting, or unset it\n  \
         then run the same command again"
    )]
    Index {
        /// The index, or the folder of wheels.
        index: String,
        /// pip's own line.
        detail: String,
    },
    /// The index has the packages, but no wheels that this pip can use.
    #[error(
        "none of NVIDIA's wheels fits this Python and its system\n  \
         an old pip:   python3 -m pip install --user --upgrade pip\n  \
         Alpine, musl: use a distribution with glibc\n  \
         then run the same command again"
    )]
    OtherSystem,
    /// The usual index does not offer the pinned versions.
    #[error(
        "pip's index does not offer NVIDIA's packages: {detail}\n  \
         use an index that has them:  export PIP_INDEX_URL=<its address>\n  \
         then run the same command again"
    )]
    NotOffered {
        /// pip's own line.
        detail: String,
    },
    /// A wheel is not the one that the workbook was tested with.
    #[error(
        "a downloaded wheel is not the file that NVIDIA published (its hash differs), so nothing was installed\n  \
         drop pip's copies:  python3 -m pip cache purge\n  \
         then run the same command again; if it repeats, the index or a proxy alters files"
    )]
    Hash,
    /// The installed programs do not start.
    #[error(
        "{} was installed but does not start: {reason}\n  \
         the disk may forbid programs (mounted noexec); choose a folder on another:  \
         export CUDA_WORKBOOK_CACHE=/another/disk\n  then run the same command again",
        .program.display()
    )]
    NotExecutable {
        /// `nvcc`, `ptxas` or `cicc`.
        program: PathBuf,
        /// The operating system's reason, or the program's.
        reason: String,
    },
    /// pip succeeded, but the compiler is not in the expected folder.
    #[error(
        "pip finished, but the wheels contain no compiler where one is expected; this is a bug in the workbook\n  \
         until it is fixed, install CUDA from https://developer.nvidia.com/cuda-downloads"
    )]
    Incomplete,
    /// pip failed in another way.
    #[error(
        "pip could not install the compiler ({status}):\n{detail}\n  then run the same command again"
    )]
    Pip {
        /// Exit code or signal.
        status: String,
        /// The last lines that it wrote.
        detail: String,
    },
}

fn free_text(free: Option<u64>) -> String {
    free.map(|bytes| format!(", and {} MB are free", bytes / 1_000_000)).unwrap_or_default()
}

impl Error {
    /// The error for a missing Python, with this system's command to install it.
    pub(super) fn no_python() -> Self {
        Self::NoPython { fix: install_command(Package::Python) }
    }

    /// The error for a missing pip of `python`, with this system's command to install it.
    pub(super) fn no_pip(python: &Path) -> Self {
        Self::NoPip { python: python.to_path_buf(), fix: install_command(Package::Pip) }
    }

    /// The error for a file of the cache; a full disk has its own message.
    pub(super) fn cache(folder: &Path, reason: io::Error) -> Self {
        if matches!(reason.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
            Self::NoSpace {
                folder: folder.to_path_buf(),
                need: super::pins::CUDA_13.required_space(),
                free: None,
            }
        } else {
            Self::Cache { folder: folder.to_path_buf(), reason }
        }
    }
}
