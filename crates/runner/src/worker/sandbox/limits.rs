//! Resource limits, which learners' code cannot raise. A child that exceeds one dies, and only its
//! current job fails.

use super::Role;

/// The default for the bytes of memory that a child may use. A macro that expands without end must
/// not use up the machine's memory.
pub const MEMORY_BYTES: u64 = 4 << 30;
/// The same for address space. This is larger, because threads reserve space that they never use.
#[cfg(unix)]
const ADDRESS_SPACE_BYTES: u64 = 64 << 30;
/// The size of any file that a compiler writes.
#[cfg(unix)]
const COMPILER_FILE_BYTES: u64 = 256 << 20;
/// The size of any file that other children write, such as the file that captures their output.
#[cfg(unix)]
const OUTPUT_FILE_BYTES: u64 = 64 << 20;
/// How many descriptors a child may have. A program needs a few, and a driver some more.
#[cfg(unix)]
const MAX_DESCRIPTORS: u64 = 256;

/// Sets the limits for this process and its descendants.
pub(in crate::worker) fn set(role: Role, memory: u64) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let lower = |resource, bytes: u64| {
            let maximum = getrlimit(resource).maximum.map_or(bytes, |m| m.min(bytes));
            // a system may not have this limit
            let _ = setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) });
        };
        lower(Resource::Core, 0);
        lower(
            Resource::Fsize,
            if role == Role::Compiler { COMPILER_FILE_BYTES } else { OUTPUT_FILE_BYTES },
        );
        lower(Resource::Nofile, MAX_DESCRIPTORS);
        // these are not set on a GPU, because CUDA reserves far more address space
        if matches!(role, Role::Compiler | Role::Simulator | Role::Program) {
            lower(Resource::Data, memory);
            lower(Resource::As, ADDRESS_SPACE_BYTES);
        }
    }
    #[cfg(not(unix))]
    let _ = (role, memory);
}
