//! Errors that keep a kernel from running. Mistakes of a running kernel are findings instead.

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
        /// The source location of the inline assembly that this line comes from; `None` for code
        /// that the compiler generated.
        source_line: Option<Source>,
    },
    /// PTX that is valid as far as the simulator can check, but not supported.
    #[error("the simulator does not support {feature}")]
    Unsupported {
        /// The instruction or directive.
        feature: String,
        /// Where the source uses it, when known.
        source_line: Option<Source>,
    },
    /// The module has no such kernel.
    #[error("no kernel `{name}` in the module, which has: {}", found.join(", "))]
    NoSuchEntry {
        /// The name in the launch.
        name: String,
        /// The module's kernels.
        found: Vec<String>,
    },
    /// The driver would not load the module or start the kernel: the launch exceeds a limit of
    /// CUDA, or the arguments do not fit the kernel's parameters.
    #[error("{text}")]
    BadLaunch {
        /// The error that the driver would return.
        error: CudaError,
        /// Which limit, and by how much.
        text: String,
    },
    /// Not enough memory for an allocation, or the host uses an address outside every allocation.
    #[error("{0}")]
    Memory(String),
}

impl Error {
    pub(crate) const fn launch(error: CudaError, text: String) -> Self {
        Self::BadLaunch { error, text }
    }
}

/// The driver's errors for launches that are not possible (CUDA Driver API, `CUresult`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CudaError {
    /// A size of the grid, the block or the shared memory that no launch can have, or a block
    /// larger than the kernel was compiled for.
    InvalidValue,
    /// Local memory for all threads that can be resident at once does not fit.
    OutOfMemory,
    /// The assembler refuses the kernel: more static shared memory than 48 KiB.
    InvalidPtx,
    /// A cooperative launch with more blocks than can be resident at once.
    CooperativeLaunchTooLarge,
}

impl CudaError {
    /// The number in `CUresult`.
    pub const fn code(self) -> u32 {
        match self {
            Self::InvalidValue => 1,
            Self::OutOfMemory => 2,
            Self::InvalidPtx => 218,
            Self::CooperativeLaunchTooLarge => 720,
        }
    }

    /// The name in `CUresult`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidValue => "CUDA_ERROR_INVALID_VALUE",
            Self::OutOfMemory => "CUDA_ERROR_OUT_OF_MEMORY",
            Self::InvalidPtx => "CUDA_ERROR_INVALID_PTX",
            Self::CooperativeLaunchTooLarge => "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        }
    }
}

impl From<crate::parse::ParseError> for Error {
    fn from(e: crate::parse::ParseError) -> Self {
        Self::Parse { line: e.line, message: e.message, source_line: None }
    }
}

impl Error {
    /// Adds the source location to a syntax error in inline assembly, which the compilers mark with
    /// comments after a `.loc`.
    pub(crate) fn located(mut self, text: &str) -> Self {
        if let Self::Parse { line, source_line, .. } = &mut self {
            *source_line = source_of_inline_assembly(text, *line as usize);
        }
        self
    }
}

/// The source location of the inline assembly that contains line `number` of the PTX, or of inline
/// assembly with unmatched braces, because that causes an error on a later line.
pub fn source_of_inline_assembly(text: &str, number: usize) -> Option<Source> {
    let (mut inside, mut place) = (false, None);
    let (mut here, mut open, mut surplus) = (None, vec![], None);
    for (n, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.starts_with("// begin inline asm") {
            inside = true;
        } else if line.starts_with("// end inline asm") {
            inside = false;
        } else if let Some(rest) = line.strip_prefix(".loc") {
            let mut numbers = rest.split([' ', '\t', ',']).filter_map(|n| n.parse::<u32>().ok());
            place = numbers.next().zip(numbers.next()).zip(numbers.next());
        } else if inside {
            for c in line.chars() {
                match c {
                    '{' => open.push(place),
                    '}' if open.pop().is_none() => surplus = surplus.or(place),
                    _ => {}
                }
            }
        }
        // an error at the end of a statement may have the line of the comment after it
        if n == number && inside {
            here = place;
        }
    }
    let ((file, line), column) = here.or(surplus).or(open.into_iter().flatten().next())?;
    let path = text.lines().find_map(|l| {
        let rest = l.trim().strip_prefix(".file")?.trim_start();
        let (number, path) = rest.split_once(|c: char| c == '"' || c.is_whitespace())?;
        (number.parse() == Ok(file)).then(|| path.trim().trim_matches('"').to_owned())
    });
    Some(Source { file: path.unwrap_or_default(), line, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inline_assembly_has_a_place_in_the_source() {
        let text = "\t.loc\t1 5 3\nadd.s32 %r1;\n.loc 1 7 9, function_name $L__s, inlined_at 1 5 1\n\t// begin inline asm\n\
                    hello\n\t// end inline asm\nret;\n\t.file\t1 \"a.cu\"\n";
        let at = |line| source_of_inline_assembly(text, line);
        assert_eq!(at(5), Some(Source { file: "a.cu".to_owned(), line: 7, column: 9 }));
        assert_eq!((at(2), at(7)), (None, None));
    }

    #[test]
    fn braces_that_do_not_match_have_a_place() {
        let text = |first: &str, second: &str| {
            format!(
                "{{\n.loc 1 3 2\n// begin inline asm\n{first}\n// end inline asm\n.loc 1 4 2\n// begin inline asm\n\
                 {second}\n// end inline asm\nret;\n}}\n.file 1 \"a.cu\"\n"
            )
        };
        let line =
            |first, second| source_of_inline_assembly(&text(first, second), 10).map(|s| s.line);
        assert_eq!(line("{", "}"), None);
        assert_eq!(line("{", "mov.b64 %x1, {%r1, %r2};"), Some(3));
        assert_eq!(line("{ }", "ret; }"), Some(4));
    }
}
