//! The two kinds of exercises. Other modules ask these methods, so that only `attempt/code.rs` has
//! to match the kind.

/// Device code only, or host code too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One `extern "C" __global__` function, compiled with NVRTC and launched by the checker: a
    /// case is one launch.
    Kernel,
    /// A whole `.cu` file, compiled with nvcc: its `extern "C"` function takes the parameters,
    /// arrays in the host's memory, and launches kernels itself. A case is one call.
    Program(HostPart),
}

/// What the host of a program may do with the arrays besides launching kernels. Everything else
/// must be the device's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPart {
    /// It copies them.
    Copies,
    /// It also changes the order of their elements.
    Rearranges,
}

impl Kind {
    /// Whether the file has host code, which calls the CUDA runtime.
    pub const fn has_host_code(self) -> bool {
        matches!(self, Self::Program(_))
    }

    /// What the host may do with the arrays; `None` if there is no host code.
    pub const fn host_part(self) -> Option<HostPart> {
        match self {
            Self::Kernel => None,
            Self::Program(part) => Some(part),
        }
    }

    /// Whether each case is exactly one launch, with the case's grid and block.
    pub const fn has_one_launch(self) -> bool {
        matches!(self, Self::Kernel)
    }

    /// The noun for the learner's code as a whole.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Program(_) => "program",
        }
    }

    /// The noun for the function that the checker starts.
    pub const fn entry_noun(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Program(_) => "function",
        }
    }

    /// What the checker does with that function, in the third person.
    pub const fn entry_verb(self) -> &'static str {
        match self {
            Self::Kernel => "launches",
            Self::Program(_) => "calls",
        }
    }

    /// How the declaration of that function starts.
    pub const fn entry_specifiers(self) -> &'static str {
        match self {
            Self::Kernel => "extern \"C\" __global__ void",
            Self::Program(_) => "extern \"C\" void",
        }
    }
}
