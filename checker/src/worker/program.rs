//! A program in a process that is not the checker's, and what that says: the process is the program's as much as ours, and
//! nothing of it is taken on trust.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cancel::Killer;
use super::process::{Death, Lost, Process};
use super::sandbox::{Rules, Sandbox};
use super::wire::{Reply, Request, Token};
use super::{Error, GPU_START_LIMIT, Role, opened, unexpected, with_printed};
use crate::backend::{Arg, Call, Fault, Run};

/// A program in a process, which ends with this.
///
/// It may be called several times, and so may another of the same learner's in its place. Each finds then what earlier calls
/// have left: static variables, memory, errors. Whoever calls so must not hold against it what goes wrong in a later call.
/// Between calls the process stands still.
#[derive(Debug)]
pub struct Loaded {
    process: Process,
    object: PathBuf,
    device: String,
    killer: Killer,
    programs: u32,
    calls: u32,
}

impl Loaded {
    /// Makes a process that has just started that of the compiled program `object`.
    pub(super) fn new(
        mut process: Process,
        role: Role,
        object: &[u8],
        device: String,
        rules: &Rules,
        killer: Killer,
    ) -> Result<Self, Error> {
        let object = write(process.own(), 0, object).map_err(Error::Object)?;
        // What the machine lacks is asked for while the process is ours alone: a program must not be able to say it.
        match process.ask(&Request::Confined, GPU_START_LIMIT, &killer) {
            Ok(Reply::Confined(confined)) => {
                if rules.mode == Sandbox::Require && !confined.holds() {
                    return Err(Error::NoSandbox(confined.missing.unwrap_or_default()));
                }
            }
            Ok(other) => return Err(unexpected(other)),
            Err(Lost::Failed(error)) => return Err(error),
            Err(Lost::Cancelled) => return Err(Error::Cancelled),
            Err(lost) => {
                return Err(Error::Protocol(format!("a process that had not begun: {lost}")));
            }
        }
        if role == Role::GpuProgram {
            // A GPU that somebody else holds is no fault of the program's, which would only see calls that fail. The context
            // that is opened here is the one that it uses.
            match process.ask(&Request::Gpu, GPU_START_LIMIT, &killer) {
                Err(Lost::Cancelled) => return Err(Error::Cancelled),
                reply => opened(reply)?,
            };
        }
        Ok(Self { process, object, device, killer, programs: 1, calls: 0 })
    }

    /// Puts another program in the place of this one, whose process goes on.
    ///
    /// # Errors
    /// When it cannot be written to where the process finds it.
    pub(super) fn put(&mut self, object: &[u8]) -> Result<(), Error> {
        self.object = write(self.process.own(), self.programs, object).map_err(Error::Object)?;
        self.programs += 1;
        Ok(())
    }

    /// How often its process was called, for this program or one before it.
    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// Calls a function of the program, within `limit` of wall time. After a call that came to a fault the process may be gone.
    ///
    /// # Errors
    /// When the call could not be tried: the job was cancelled, or the checker has a bug.
    pub fn call(&mut self, call: &Call, limit: Duration) -> Result<Run, Error> {
        let token = token();
        let (object, asked) = (Cow::Borrowed(self.object.as_path()), Cow::Borrowed(call));
        let request = Request::Call { object, call: asked, token };
        self.process.go_on();
        let reply = self.process.ask(&request, limit, &self.killer);
        self.process.stand_still();
        self.calls += 1;
        let printed = self.process.printed();
        let device = self.device.clone();
        let fault = match reply {
            Ok(Reply::Called { token: same, run, .. }) if same == token => {
                match checked((*run).into(), call) {
                    Ok(run) => return Ok(with_printed(Run { device, ..run }, printed)),
                    Err(how) => Fault::Garbled { how },
                }
            }
            Ok(Reply::Bug(how)) => Fault::Garbled { how },
            Ok(_) => Fault::Garbled { how: "it gave an answer to another question".into() },
            Err(Lost::Died(death)) => ended(death),
            Err(Lost::Memory(bytes)) => too_large(bytes),
            Err(Lost::Failed(Error::Protocol(how))) => Fault::Garbled { how },
            Err(lost) => lost.fault(limit)?,
        };
        Ok(with_printed(Run::failed(fault, device), printed))
    }
}

/// Writes a compiled program to the folder that its process can read. What runs there without a sandbox may write there, too,
/// and has not laid out a link under that name for us to follow.
fn write(own: &Path, number: u32, object: &[u8]) -> std::io::Result<PathBuf> {
    let path = own.join(format!("program-{number}.so"));
    std::fs::File::create_new(&path)?.write_all(object)?;
    Ok(path)
}

#[cfg(all(test, target_os = "linux"))]
impl Loaded {
    /// The number of its process.
    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The folder that its process can read.
    pub(super) fn own(&self) -> &Path {
        self.process.own()
    }
}

/// A new token, of the generator with which the standard library keeps hash tables safe from who knows their keys.
pub(super) fn token() -> Token {
    let random = RandomState::new();
    [random.hash_one(0_u8), random.hash_one(1_u8)]
}

/// The run, if it is one of this call: every array that it may change has come back once, and whole.
fn checked(run: Run, call: &Call) -> Result<Run, String> {
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
fn ended(Death { status, words }: Death) -> Fault {
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
fn too_large(bytes: u64) -> Fault {
    /// `SIGKILL`, which is how it was ended.
    const KILL: i32 = 9;
    Fault::Crashed { signal: KILL, words: format!("more than {} MiB", bytes >> 20), crash: None }
}
