//! Doing what is pending, when somebody waits for it.

use ptxsim::{FindingKind, Launch, Options};

use super::{Launched, Runtime};
use crate::error::Code;
use crate::host::Address;

/// A piece of work.
#[derive(Debug)]
pub(super) enum Work {
    Kernel {
        binary: usize,
        launch: Launch,
        name: String,
    },
    Copy {
        to_device: bool,
        to: u64,
        source: From,
        bytes: u64,
    },
    Set {
        to: u64,
        value: u8,
        bytes: u64,
    },
    /// A place in a stream that somebody may wait for.
    Event(usize),
    Call(HostCall),
}

/// Where a copy reads.
#[derive(Debug)]
pub(super) enum From {
    Device(u64),
    /// Page-locked: read when the copy is done.
    Host(Address),
    /// Read when the program asked for the copy.
    Staged(Vec<u8>),
}

/// A function of the program, to be called in its turn (`cudaLaunchHostFunc`).
pub struct HostCall(pub Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for HostCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function of the program")
    }
}

impl Runtime {
    /// Does one piece of work. What goes wrong ends the context.
    pub(super) fn perform(&mut self, work: Work) {
        if self.lost.is_some() {
            return;
        }
        let done = match work {
            Work::Kernel { binary, launch, name } => self.run(binary, &launch, name),
            Work::Copy { to_device, to, source, bytes } => {
                self.copy_now(to_device, to, source, bytes)
            }
            Work::Set { to, value, bytes } => {
                let data = vec![value; bytes as usize];
                self.memory.write(to, &data).map_err(|_| Code::ILLEGAL_ADDRESS)
            }
            Work::Event(event) => {
                self.reached(event);
                Ok(())
            }
            Work::Call(HostCall(call)) => {
                call();
                Ok(())
            }
        };
        if let Err(code) = done {
            self.lost = Some(code);
            self.graph.clear();
        }
    }

    fn copy_now(&mut self, to_device: bool, to: u64, source: From, bytes: u64) -> Result<(), Code> {
        let data = match source {
            From::Device(from) => {
                self.memory.read(from, bytes).map_err(|_| Code::ILLEGAL_ADDRESS)?
            }
            From::Host(from) => from.read(bytes as usize),
            From::Staged(data) => data,
        };
        if to_device {
            self.memory.write(to, &data).map_err(|_| Code::ILLEGAL_ADDRESS)
        } else {
            Address(to).write(&data);
            Ok(())
        }
    }

    fn run(&mut self, binary: usize, launch: &Launch, kernel: String) -> Result<(), Code> {
        let module = self.module(binary)?;
        let s = self.settings;
        let options =
            Options { diagnose: s.diagnose, seed: s.seed, threads: s.threads, budget: s.budget };
        let (seen, refused) = match ptxsim::run(&module, &mut self.memory, launch, &options) {
            Ok(seen) => (seen, None),
            Err(error) => (ptxsim::Observations::default(), Some(error.to_string())),
        };
        let code = if refused.is_some() { Err(Code::LAUNCH_FAILURE) } else { ended(&seen) };
        self.output.push_str(&seen.output);
        let (grid, block) = (launch.grid, launch.block);
        let array = |(i, arg): (usize, &Vec<u8>)| {
            let address = u64::from_le_bytes(arg.as_slice().try_into().ok()?);
            self.allocation(address).map(|allocation| (i, allocation.name.clone()))
        };
        let arrays = launch.args.iter().enumerate().filter_map(array).collect();
        self.launched.push(Launched { kernel, grid, block, arrays, seen, refused });
        code
    }
}

/// What a launch does to the context, by its findings. An index that is only outside its array ends nothing: on a GPU it
/// reads or writes something else.
fn ended(seen: &ptxsim::Observations) -> Result<(), Code> {
    let code = |finding: &ptxsim::Finding| match finding.what {
        FindingKind::InvalidAddress | FindingKind::StackOverflow { .. } => {
            Some(Code::ILLEGAL_ADDRESS)
        }
        FindingKind::Misaligned => Some(Code::MISALIGNED_ADDRESS),
        FindingKind::Assert { .. } => Some(Code::ASSERT),
        FindingKind::NeverFinishes { .. } | FindingKind::Livelock { .. } => {
            Some(Code::LAUNCH_TIMEOUT)
        }
        FindingKind::Trap | FindingKind::NotCooperative | FindingKind::Deadlock { .. } => {
            Some(Code::LAUNCH_FAILURE)
        }
        _ => None,
    };
    match seen.findings.iter().find_map(code) {
        Some(code) => Err(code),
        None if seen.completed => Ok(()),
        None => Err(Code::LAUNCH_FAILURE),
    }
}
