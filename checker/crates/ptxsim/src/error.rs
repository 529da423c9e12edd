//! What stops the simulator before or beside the kernel: not findings about it.

use crate::Source;

/// Why PTX could not be loaded or launched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not PTX.
    #[error("line {line} of the PTX: {message}")]
    Parse {
        /// One-based line of the PTX text.
        line: u32,
        /// What was expected and found.
        message: String,
    },
    /// Valid PTX, as far as can be told, that the simulator does not know.
    #[error("the simulator does not support {feature}")]
    Unsupported {
        /// The instruction or directive.
        feature: String,
        /// Where the learner's source uses it, when known.
        source_line: Option<Source>,
    },
    /// The module has no such kernel.
    #[error("no kernel `{name}` in the module, which has: {}", found.join(", "))]
    NoSuchEntry {
        /// As asked for.
        name: String,
        /// The kernels there are.
        found: Vec<String>,
    },
    /// The launch breaks a limit of CUDA, or its arguments do not fit the kernel's parameters.
    #[error("{0}")]
    BadLaunch(String),
    /// Not enough memory for an allocation, or an address outside every allocation on the host's side.
    #[error("{0}")]
    Memory(String),
}

impl From<crate::parse::ParseError> for Error {
    fn from(e: crate::parse::ParseError) -> Self {
        Self::Parse { line: e.line, message: e.message }
    }
}
