//! Limits that no learner's code can lift. A child that breaks one dies, and only its own job with it.

use super::Role;

/// Bytes of memory that a child may have where nobody asked for less: a macro bomb must not take the machine down.
pub const MEMORY: u64 = 4 << 30;
/// Bytes of address space for the same; larger, since threads reserve space that they never use.
#[cfg(unix)]
const ADDRESSES: u64 = 64 << 30;
/// Bytes that any file of a compiler may grow to.
#[cfg(unix)]
const FILE: u64 = 256 << 20;
/// The same for what runs: above all the one that collects what it prints.
#[cfg(unix)]
const PRINTED: u64 = 64 << 20;
/// Descriptors that learners' code may have: a program needs a handful, a driver some more.
#[cfg(unix)]
const DESCRIPTORS: u64 = 256;

/// Sets them for this process and all that it starts.
pub(in crate::worker) fn set(role: Role, memory: u64) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let lower = |resource, bytes: u64| {
            let maximum = getrlimit(resource).maximum.map_or(bytes, |m| m.min(bytes));
            // A system without this limit does without it.
            let _ = setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) });
        };
        lower(Resource::Core, 0);
        lower(Resource::Fsize, if role == Role::Compiler { FILE } else { PRINTED });
        lower(Resource::Nofile, DESCRIPTORS);
        // CUDA reserves far more than any limit allows
        if matches!(role, Role::Compiler | Role::Simulator | Role::Program) {
            lower(Resource::Data, memory);
            lower(Resource::As, ADDRESSES);
        }
    }
    #[cfg(not(unix))]
    let _ = (role, memory);
}
