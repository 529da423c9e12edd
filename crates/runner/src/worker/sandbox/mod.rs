//! The sandbox. It leaves a child only the rights that its work needs.
//!
//! A child confines itself when it starts, while it has one thread and before it reads anything of
//! a learner's. It cannot regain the rights that it gives up, and neither can any process that it
//! starts.
//!
//! * **Files** (landlock): each role has a list of folders, and cannot access anything else. It can
//!   write only to a scratch folder that is removed with the child. It cannot use TCP, send signals
//!   to other processes, or connect to their abstract sockets.
//! * **System calls** (seccomp): a child that simulates or calls programs may use only what a
//!   computation needs. A child that compiles may start the parts of the compiler, but not use the
//!   network. A child with a GPU may do neither, and may not change the mode, owner or times of a
//!   file. The process of a program asks the checker before it starts a thread.
//! * **Resources** (rlimits): memory, file sizes and descriptors are limited, and there are no core
//!   files. From outside, the checker also limits the time, and the memory of a child with all its
//!   descendants (`worker/watchdog.rs`).
//!
//! The sandbox needs Linux. On other systems there are only the resource limits, and a run that
//! requires the sandbox fails.

#[cfg(target_os = "linux")]
mod allowed;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod fstat;
#[cfg(target_os = "linux")]
mod libraries;
pub(super) mod limits;
#[cfg(target_os = "linux")]
mod notify;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Role;

/// How learners' code is confined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Completely. Code does not run on a system where that is not possible.
    Require,
    /// As far as the system supports it.
    #[default]
    Try,
    /// Only by resource limits. This is meant for one's own programs.
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

/// How a child is confined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// The version of landlock that is in force; `None` if files are not confined.
    pub landlock: Option<u32>,
    /// Are system calls filtered?
    pub seccomp: bool,
    /// Why the confinement is not complete.
    pub missing: Option<String>,
}

impl Confinement {
    /// Are both files and system calls confined?
    pub fn is_complete(&self) -> bool {
        self.landlock.is_some() && self.seccomp
    }
}

impl std::fmt::Display for Confinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.landlock, self.seccomp) {
            (Some(version), true) => write!(f, "landlock {version}, seccomp, limits"),
            (Some(version), false) => write!(f, "landlock {version}, limits"),
            (None, true) => f.write_str("seccomp, limits"),
            (None, false) => f.write_str("limits only"),
        }
    }
}

/// A child's end of the socket through which requests come.
#[cfg(unix)]
pub(super) type Socket<'s> = std::os::fd::BorrowedFd<'s>;
/// Other systems confine nothing.
#[cfg(not(unix))]
pub(super) type Socket<'s> = std::convert::Infallible;

/// How a child is to be confined.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    pub(super) mode: Sandbox,
    /// How many bytes of memory it may use.
    pub(super) memory: Option<u64>,
    /// The only GPU that it sees; all GPUs if this is `None`.
    pub(super) gpu: Option<String>,
    /// The folders of the compiler.
    pub(super) readable: Vec<PathBuf>,
    /// The libraries of a compiler that is loaded once and then forked for each compilation.
    pub(super) preload: Option<Vec<PathBuf>>,
}

/// Gives up the rights that `role` does not need. It may write to the folder `scratch`. A program
/// asks the checker at the other end of `socket` before it starts a thread.
pub(super) fn confine(
    role: Role,
    readable: &[PathBuf],
    scratch: Option<&std::path::Path>,
    socket: Option<Socket<'_>>,
) -> Confinement {
    #[cfg(target_os = "linux")]
    {
        if role == Role::Program {
            libraries::load();
        }
        let landlock = files::confine(role, readable, scratch);
        // A kernel with landlock can also let a call continue about which it has asked (Linux 5.5).
        let socket = socket.filter(|_| landlock.is_ok());
        let seccomp = calls::filter(role, socket);
        let missing = [landlock.as_ref().err(), seccomp.as_ref().err()];
        let missing: Vec<&str> = missing.into_iter().flatten().map(String::as_str).collect();
        Confinement {
            missing: (!missing.is_empty()).then(|| missing.join("; ")),
            landlock: landlock.ok(),
            seccomp: seccomp.is_ok(),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (role, readable, scratch, socket);
        let why = "confining a process needs Linux (landlock, seccomp)".to_owned();
        Confinement { missing: Some(why), ..Confinement::default() }
    }
}
