//! Doing what is pending, when somebody waits for it.

use std::collections::BTreeSet;

use ptxsim::{AccessSet, FindingKind, Launch, Options};

use super::conflicts::Bytes;
use super::memory::Belongs;
use super::region::Region;
use super::sites::Site;
use super::{LaunchRecord, Runtime};
use crate::clock::{self, Engine};
use crate::error::Code;
use crate::graph::{Id, Step, Stream};
use crate::guard;
use crate::host;
use crate::report::PointerTarget;

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
        to: Region,
        source: From,
    },
    Set {
        to: Region,
        /// Or in page-locked memory.
        on_device: bool,
        value: u8,
    },
    /// A place in a stream that somebody may wait for.
    Event,
    Call(HostCall),
    /// `cudaFreeAsync`.
    Free(u64),
}

/// Where a copy reads.
#[derive(Debug)]
pub(super) enum From {
    Device(Region),
    /// Page-locked: read when the copy is done.
    Host(Region),
    /// Read when the program asked for the copy: its rows, one behind the other.
    Staged(Vec<u8>),
}

/// A function of the program, to be called in its turn (`cudaLaunchHostFunc`).
pub struct HostCall(pub Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for HostCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function of the program")
    }
}

/// A piece of work, and when the host asked for it.
#[derive(Debug)]
pub(super) struct Task {
    work: Work,
    asked: f64,
    site: Site,
}

impl Runtime {
    /// Adds work to a stream.
    pub(super) fn ask(&mut self, stream: Stream, work: Work, also: &[Id]) -> Id {
        let asked = self.clock.ask();
        let site = self.site();
        if let Some(described) = work.described() {
            let id = self.graph.upcoming();
            self.guard(id, (stream, site), &work, described);
        }
        self.graph.add(stream, Task { work, asked, site }, also)
    }

    /// Does one piece of work. What goes wrong ends the context.
    pub(super) fn perform(&mut self, step: Step<Task>) {
        let Step { id, stream, work: Task { work, asked, site }, after } = step;
        if self.lost.is_some() {
            return;
        }
        let written = if self.shares() {
            self.fetch(&work);
            self.managed_written(&work)
        } else {
            vec![]
        };
        let mut kernel = None;
        let described = work.described().filter(|_| self.graph.concurrent());
        let mut touched = Bytes::Ranges(if described.is_some() { work.ranges() } else { vec![] });
        let (engine, what, done) = match work {
            Work::Kernel { binary, launch, name } => {
                let what = name.clone();
                kernel = Some(self.launched.len());
                let (bytes, done) = self.run(binary, &launch, name, (stream, site));
                self.wrote(bytes.written());
                touched = Bytes::Of(bytes);
                (Engine::Device, what, done)
            }
            Work::Copy { to_device, to, source } => {
                let bytes = to.bytes();
                let (from_device, pinned) =
                    (matches!(source, From::Device(_)), !matches!(source, From::Staged(_)));
                let (engine, cost) = match (to_device, from_device) {
                    (true, false) => (Engine::ToDevice, clock::bus(bytes, pinned)),
                    (false, true) => {
                        let pinned = self.belongs(to.rows.address) == Belongs::Pinned;
                        (Engine::ToHost, clock::bus(bytes, pinned))
                    }
                    _ => (Engine::Device, clock::within(bytes)),
                };
                if let From::Device(from) = &source
                    && !to_device
                {
                    for row in from.rows() {
                        self.look_for_unwritten(row, from.extent.width, (stream, site));
                    }
                }
                let done = self.copy_now(to_device, &to, source).map(|()| cost);
                (engine, format!("{bytes} bytes"), done)
            }
            Work::Set { to, on_device, value } => {
                let bytes = to.bytes();
                let done = self.scatter(on_device, &to, &vec![value; bytes as usize]);
                (Engine::Device, format!("set {bytes} bytes"), done.map(|()| clock::within(bytes)))
            }
            Work::Event => (Engine::HostOnly, String::new(), Ok(0.0)),
            Work::Free(address) => {
                (Engine::HostOnly, String::new(), self.free_now(address, site).map(|()| 0.0))
            }
            Work::Call(HostCall(call)) => {
                guard::all_opened(call);
                (Engine::HostOnly, String::new(), Ok(0.0))
            }
        };
        self.wrote(written);
        if let Some(what) = described {
            self.compare((id, stream, site), what, touched);
        }
        match done {
            Ok(cost) => {
                self.clock.done((id, &after), asked, (stream, engine, what), cost);
                if let Some(launched) = kernel.and_then(|i| self.launched.get_mut(i)) {
                    launched.span = self.clock.count().checked_sub(1);
                }
            }
            Err(code) => {
                self.lost = Some(code);
                self.graph.clear();
            }
        }
    }

    fn copy_now(&mut self, to_device: bool, to: &Region, source: From) -> Result<(), Code> {
        let data = match source {
            From::Device(from) => self.gather(&from)?,
            From::Host(from) => host::gather(&from),
            From::Staged(data) => data,
        };
        self.scatter(to_device, to, &data)
    }

    /// The bytes of a box in device memory, row by row.
    fn gather(&self, from: &Region) -> Result<Vec<u8>, Code> {
        let width = from.extent.width;
        let mut data = Vec::new();
        for row in from.rows() {
            let row = self.memory.read(row, width).map_err(|_| Code::ILLEGAL_ADDRESS)?;
            if data.is_empty() {
                data = row;
            } else {
                data.extend_from_slice(&row);
            }
        }
        Ok(data)
    }

    /// Fills a box with bytes, row by row.
    fn scatter(&mut self, on_device: bool, to: &Region, data: &[u8]) -> Result<(), Code> {
        if !on_device {
            host::scatter(to, data);
            return Ok(());
        }
        for (row, bytes) in to.rows().zip(data.chunks(to.extent.width as usize)) {
            self.memory.write(row, bytes).map_err(|_| Code::ILLEGAL_ADDRESS)?;
        }
        Ok(())
    }

    /// Runs a kernel: how long it took.
    fn run(
        &mut self,
        binary: usize,
        launch: &Launch,
        kernel: String,
        (stream, site): (Stream, Site),
    ) -> (AccessSet, Result<f64, Code>) {
        let module = match self.module(binary) {
            Ok(module) => module,
            Err(code) => return (AccessSet::default(), Err(code)),
        };
        let s = self.settings;
        let options =
            Options { diagnose: s.diagnose, seed: s.seed, threads: s.threads, budget: s.budget };
        let follow = self.graph.concurrent() || self.shares();
        let memory = &mut self.memory;
        let ran = if follow {
            ptxsim::run_recording(&module, memory, launch, &options)
        } else {
            ptxsim::run(&module, memory, launch, &options).map(|seen| (seen, AccessSet::default()))
        };
        let (seen, touched, refused) = match ran {
            Ok((seen, touched)) => (seen, touched, None),
            Err(error) => {
                (ptxsim::Observations::default(), AccessSet::default(), Some(error.to_string()))
            }
        };
        let code = if refused.is_some() { Err(Code::LAUNCH_FAILURE) } else { ended(&seen) };
        let blocks = launch.grid.iter().map(|n| u64::from(*n)).product();
        let cost = clock::kernel(blocks, &seen.totals);
        self.printed |= !seen.output.is_empty();
        self.output.push_str(&seen.output);
        let (grid, block) = (launch.grid, launch.block);
        let array = |(i, address): (usize, u64)| {
            let freed = || self.freed_at(address).map(|(allocation, _)| allocation);
            let allocation = self.allocation(address).or_else(freed)?;
            Some((i, allocation.name.clone()))
        };
        let arrays: Vec<(usize, String)> = addresses(launch).filter_map(array).collect();
        let passed = |name: &str| arrays.iter().any(|(_, array)| array == name);
        let parties = seen.findings.iter().flat_map(|f| [Some(&f.at), f.with.as_ref()]);
        let named: BTreeSet<&str> =
            parties.flatten().filter_map(|at| at.array.as_deref()).collect();
        let indirect = self
            .allocations
            .values()
            .filter(|a| named.contains(a.name.as_str()) && !passed(&a.name))
            .map(|allocation| self.memory(allocation))
            .collect();
        let strangers = if seen.findings.iter().any(about_address) {
            let addresses = addresses(launch).map(|(i, address)| (i, self.pointer(address)));
            addresses
                .filter(|(_, p)| !matches!(p, PointerTarget::Inside { .. } | PointerTarget::Null))
                .collect()
        } else {
            vec![]
        };
        let at = self.sites.place(site, Some(stream));
        let stream = stream.0;
        let span = None;
        self.launched.push(LaunchRecord {
            kernel,
            grid,
            block,
            arrays,
            observations: seen,
            refusal: refused,
            stream,
            at,
            span,
            foreign_arguments: strangers,
            indirect,
        });
        (touched, code.map(|()| cost))
    }
}

/// Arguments that can be addresses: their numbers and values.
fn addresses(launch: &Launch) -> impl Iterator<Item = (usize, u64)> {
    let address = |arg: &Vec<u8>| Some(u64::from_le_bytes(arg.as_slice().try_into().ok()?));
    launch.args.iter().enumerate().filter_map(move |(i, arg)| Some((i, address(arg)?)))
}

/// Can the finding be about an argument that is no device memory?
const fn about_address(finding: &ptxsim::Finding) -> bool {
    matches!(finding.what, FindingKind::InvalidAddress | FindingKind::UseAfterFree)
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
