//! What a child may do to the machine: as little as its work needs.
//!
//! A child confines itself when it starts, before it has read anything of a learner's and while it has one thread. What it
//! gives up then it cannot have back, and neither can anything that it starts.
//!
//! * **Files** (landlock): a list of folders for each role; nothing else exists for it, and it writes only in a folder of
//!   its own that goes away with it. No TCP, no signals and no abstract sockets to anybody outside.
//! * **System calls** (seccomp): those that call programs may use only what a computation needs; those that compile start
//!   the compiler's parts, and use no network; those on a GPU do neither, and change no file's mode, owner or times.
//! * **Resources** (rlimits): memory, file sizes, descriptors, no core files. The checker's own end keeps the clock and
//!   looks at memory (`worker/watchdog.rs`).
//!
//! Linux only: elsewhere nothing is confined but by limits, and who requires a sandbox is told so.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
pub(super) mod limits;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Role;

/// Whether learners' code is confined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Code does not run where it cannot be confined.
    Require,
    /// As far as the system can.
    #[default]
    Try,
    /// Not at all, but for limits on resources: for programs of one's own.
    Off,
}

impl Sandbox {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Require => "require",
            Self::Try => "try",
            Self::Off => "off",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Require, Self::Try, Self::Off].into_iter().find(|mode| mode.as_str() == text)
    }
}

/// What a child gave up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confined {
    /// The version of landlock that is in force, from 1; `None` where files are not confined.
    pub landlock: Option<u32>,
    /// Whether system calls are filtered.
    pub seccomp: bool,
    /// Why something is missing.
    pub missing: Option<String>,
}

impl Confined {
    /// Whether files and system calls both are.
    pub fn holds(&self) -> bool {
        self.landlock.is_some() && self.seccomp
    }
}

impl std::fmt::Display for Confined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.landlock, self.seccomp) {
            (Some(version), true) => write!(f, "landlock {version}, seccomp, limits"),
            (Some(version), false) => write!(f, "landlock {version}, limits"),
            (None, true) => f.write_str("seccomp, limits"),
            (None, false) => f.write_str("limits only"),
        }
    }
}

/// What a child is told of its confinement before it starts.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    pub(super) mode: Sandbox,
    /// Bytes of memory that it may have.
    pub(super) memory: Option<u64>,
    /// The GPU that it sees; all of them where none is named.
    pub(super) gpu: Option<String>,
    /// Where the compiler lies.
    pub(super) readable: Vec<PathBuf>,
}

/// Gives up what `role` does not need; `own` is the folder that it may write to.
pub(super) fn confine(role: Role, readable: &[PathBuf], own: Option<&std::path::Path>) -> Confined {
    #[cfg(target_os = "linux")]
    {
        let landlock = files::confine(role, readable, own);
        let seccomp = calls::filter(role);
        let missing = [landlock.as_ref().err(), seccomp.as_ref().err()];
        let missing: Vec<&str> = missing.into_iter().flatten().map(String::as_str).collect();
        Confined {
            missing: (!missing.is_empty()).then(|| missing.join("; ")),
            landlock: landlock.ok(),
            seccomp: seccomp.is_ok(),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (role, readable, own);
        let why = "only Linux has what confines a process (landlock, seccomp)".to_owned();
        Confined { missing: Some(why), ..Confined::default() }
    }
}
