//! Why the compiler could not be installed, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use super::environment::display_path;

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
    /// The index does not have the wheels, or this pip cannot use them.
    #[error(
        "pip's index offers no wheel that fits: {detail}\n  \
         no network:   connect, then run the same command again\n  \
         an old pip:   python3 -m pip install --user --upgrade pip\n  \
         a mirror:     export PIP_INDEX_URL=<an index that carries NVIDIA's packages>\n  \
         Alpine, musl: use a distribution with glibc"
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
        Self::NoPython { fix: package_command("python3-pip", "python3 py3-pip", "python") }
    }

    /// The error for a missing pip of `python`, with this system's command to install it.
    pub(super) fn no_pip(python: &Path) -> Self {
        Self::NoPip {
            python: python.to_path_buf(),
            fix: package_command("python3-pip", "py3-pip", "python-pip"),
        }
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

/// The command that installs a system package here; os-release(5) says which distribution this is.
fn package_command(debian_and_fedora: &str, alpine: &str, arch: &str) -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let value = |key: &str| {
        let line = release.lines().find_map(|l| l.strip_prefix(key))?;
        Some(line.trim_matches('"').to_owned())
    };
    let family =
        [value("ID="), value("ID_LIKE=")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let is = |name: &str| family.split_whitespace().any(|word| word == name);
    if is("debian") || is("ubuntu") {
        format!("sudo apt install {debian_and_fedora}")
    } else if is("fedora") || is("rhel") || is("centos") {
        format!("sudo dnf install {debian_and_fedora}")
    } else if is("suse") || is("opensuse") {
        format!("sudo zypper install {debian_and_fedora}")
    } else if is("arch") {
        format!("sudo pacman -S {arch}")
    } else if is("alpine") {
        format!("sudo apk add {alpine}")
    } else if cfg!(windows) {
        "winget install Python.Python.3.13".to_owned()
    } else {
        "see https://www.python.org/downloads".to_owned()
    }
}
