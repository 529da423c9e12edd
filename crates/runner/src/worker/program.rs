//! A program in a child process. The program shares the process with the checker's code there, so
//! nothing that the process replies is trusted.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cancel::Killer;
use super::card_lock::CardLock;
use super::process::{ChildExit, NoReply, Process};
use super::sandbox::{Rules, Sandbox};
use super::watchdog::MAX_THREADS;
use super::wire::{Reply, Request, Token};
use super::{Error, GPU_START_LIMIT, Role, opened, unexpected, with_printed};
use crate::backend::{Arg, Call, Fault, Run};

/// A child process with a program. Dropping this ends the process.
///
/// A program may be called several times, and another program of the same learner may take its
/// place. Each call then finds what earlier calls have left, such as static variables, memory and
/// errors. So a failure in a later call must not count against the program. Between calls the
/// process is suspended.
#[derive(Debug)]
pub struct ProgramProcess {
    process: Process,
    object: PathBuf,
    device: String,
    /// The GPU that it uses, if it does, as in [`Rules`].
    gpu: Option<Option<String>>,
    killer: Killer,
    programs: u32,
    calls: u32,
}

impl ProgramProcess {
    /// Prepares a process that has just started for the compiled program `object`.
    pub(super) fn new(
        mut process: Process,
        role: Role,
        object: &[u8],
        device: String,
        rules: &Rules,
        killer: Killer,
    ) -> Result<Self, Error> {
        let object = write_object(process.scratch(), 0, object).map_err(Error::Object)?;
        ask_confinement(&mut process, rules, &killer)?;
        if role == Role::GpuProgram {
            // if another process holds the GPU, the calls of the program would fail, which must not
            // count as its mistake; the program uses the context that is created here
            match process.request(&Request::Gpu, GPU_START_LIMIT, &killer) {
                Err(NoReply::Cancelled) => return Err(Error::Cancelled),
                reply => opened(reply)?,
            };
        }
        let gpu = (role == Role::GpuProgram).then(|| rules.gpu.clone());
        Ok(Self { process, object, device, gpu, killer, programs: 1, calls: 0 })
    }

    /// Replaces the program with another one, in the same process.
    ///
    /// # Errors
    /// If the program cannot be written to the folder that the process can read.
    pub(super) fn replace(&mut self, object: &[u8]) -> Result<(), Error> {
        self.object =
            write_object(self.process.scratch(), self.programs, object).map_err(Error::Object)?;
        self.programs += 1;
        Ok(())
    }

    /// The number of calls in this process, of this program or earlier ones.
    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// Calls a function of the program within `limit` of wall time. After a call with a fault, the
    /// process may have ended.
    ///
    /// # Errors
    /// If the call could not be made, because the job was cancelled or the checker has a bug.
    pub fn call(&mut self, call: &Call, limit: Duration) -> Result<Run, Error> {
        let timed = call.timed.is_some();
        let _lock = match &self.gpu {
            Some(gpu) => CardLock::take_to_run(gpu.as_deref(), timed)?,
            None => None,
        };
        let token = token();
        let object = Cow::Borrowed(self.object.as_path());
        let request = Request::Call { object, call: Cow::Borrowed(call), token };
        self.process.resume();
        let reply = self.process.request(&request, limit, &self.killer);
        self.process.suspend();
        self.calls += 1;
        let printed = self.process.printed();
        let device = self.device.clone();
        let fault = match reply {
            Ok(Reply::Called { token: returned, run, .. }) if returned == token => {
                match checked(*run, call) {
                    Ok(run) => return Ok(with_printed(Run { device, ..run }, printed)),
                    Err(how) => Fault::Garbled { how },
                }
            }
            Ok(Reply::Bug(how)) => Fault::Garbled { how },
            Ok(_) => Fault::Garbled { how: "it replied to another request".into() },
            Err(NoReply::Died(exit)) => fault_of_exit(exit),
            Err(NoReply::MemoryExceeded(bytes)) => killed(format!("more than {} MiB", bytes >> 20)),
            Err(NoReply::TooManyThreads) => killed(format!("more than {MAX_THREADS} threads")),
            Err(NoReply::Failed(Error::Protocol(how))) => Fault::Garbled { how },
            Err(lost) => lost.into_fault(limit)?,
        };
        Ok(with_printed(Run::failed(fault, device), printed))
    }
}

/// Asks a process without a program how it is confined. This is asked before the program is loaded,
/// so that the program cannot claim that the machine lacks something.
pub(super) fn ask_confinement(
    process: &mut Process,
    rules: &Rules,
    killer: &Killer,
) -> Result<(), Error> {
    match process.request(&Request::Confinement, GPU_START_LIMIT, killer) {
        Ok(Reply::Confinement(confined)) => {
            if rules.mode == Sandbox::Require && !confined.is_complete() {
                return Err(Error::NoSandbox(confined.missing.unwrap_or_default()));
            }
            Ok(())
        }
        Ok(other) => Err(unexpected(other)),
        Err(NoReply::Failed(error)) => Err(error),
        Err(NoReply::Cancelled) => Err(Error::Cancelled),
        Err(lost) => Err(Error::Protocol(format!("a process without a program failed: {lost}"))),
    }
}

/// Writes a compiled program to the scratch folder of its process. Fails if the file exists
/// already, because a process without a sandbox could have created a link there.
pub(super) fn write_object(scratch: &Path, number: u32, object: &[u8]) -> std::io::Result<PathBuf> {
    let path = scratch.join(format!("program-{number}.so"));
    std::fs::File::create_new(&path)?.write_all(object)?;
    Ok(path)
}

#[cfg(all(test, target_os = "linux"))]
impl ProgramProcess {
    /// The process id.
    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The scratch folder of the process.
    pub(super) fn scratch(&self) -> &Path {
        self.process.scratch()
    }
}

/// A new token. It comes from the generator that protects the standard library's hash tables
/// against chosen keys.
pub(super) fn token() -> Token {
    let random = RandomState::new();
    [random.hash_one(0_u8), random.hash_one(1_u8)]
}

/// The run, if its outputs are those of this call: each writable array once, in order, and with its
/// full size.
fn checked(run: Run, call: &Call) -> Result<Run, String> {
    if !run.faults.is_empty() {
        // the outputs of a run with faults are not used
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
        Err("its reply does not have the arrays of the call".into())
    }
}

/// The fault of a program whose process ended.
fn fault_of_exit(ChildExit { status, last_line }: ChildExit) -> Fault {
    let code = status.and_then(|status| status.code());
    #[cfg(unix)]
    let signal = status.as_ref().and_then(std::os::unix::process::ExitStatusExt::signal);
    #[cfg(not(unix))]
    let signal = None::<i32>;
    match (code, signal) {
        (Some(code), _) => Fault::Exited { code },
        (None, signal) => {
            Fault::Crashed { signal: signal.unwrap_or_default(), words: last_line, crash: None }
        }
    }
}

/// The fault of a program whose process the checker killed, because it used more than it may.
fn killed(words: String) -> Fault {
    /// `SIGKILL`, with which the process was killed.
    const KILL: i32 = 9;
    Fault::Crashed { signal: KILL, words, crash: None }
}
