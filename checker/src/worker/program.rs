//! What the process of a program says, which is the program's own as much as ours: nothing of it is taken on trust.

use std::hash::{BuildHasher as _, RandomState};

use super::process::Death;
use super::wire::Token;
use crate::backend::{Arg, Call, Fault, Run};

/// A new token, of the generator with which the standard library keeps hash tables safe from who knows their keys.
pub(super) fn token() -> Token {
    let random = RandomState::new();
    [random.hash_one(0_u8), random.hash_one(1_u8)]
}

/// The run, if it is one of this call: every array that it may change has come back once, and whole.
pub(super) fn checked(run: Run, call: &Call) -> Result<Run, String> {
    if !run.faults.is_empty() {
        // something is wrong already, and what came back is not looked at
        return Ok(run);
    }
    let mut expected = call.args.iter().filter_map(|(_, arg)| match arg {
        Arg::Buffer { name, bytes, writable: true, .. } => Some((name, *bytes)),
        _ => None,
    });
    let whole = run.outputs.iter().all(|output| {
        expected
            .next()
            .is_some_and(|(name, bytes)| *name == output.name && bytes == output.data.len())
    });
    if whole && expected.next().is_none() {
        Ok(run)
    } else {
        Err("its answer does not have the arrays of the call".into())
    }
}

/// What the end of the process says.
pub(super) fn ended(Death { status, words }: Death) -> Fault {
    let code = status.and_then(|status| status.code());
    #[cfg(unix)]
    let signal = status.as_ref().and_then(std::os::unix::process::ExitStatusExt::signal);
    #[cfg(not(unix))]
    let signal = None::<i32>;
    match (code, signal) {
        (Some(code), _) => Fault::Exited { code },
        (None, signal) => Fault::Crashed { signal: signal.unwrap_or_default(), words, crash: None },
    }
}

/// What it says when it had to be ended, because it took more memory than this many bytes.
pub(super) fn too_large(bytes: u64) -> Fault {
    /// `SIGKILL`, which is how it was ended.
    const KILL: i32 = 9;
    Fault::Crashed { signal: KILL, words: format!("more than {} MiB", bytes >> 20), crash: None }
}
