//! Doing pending work, when the host waits for it.

use std::collections::BTreeSet;

use ptxsim::{AccessMode, AccessSet, FindingKind, Launch, Options};

use super::findings::conflicts::{AccessedBytes, AccessedRange, FinishedWork};
use super::findings::sites::{self, SiteId};
use super::memory::region::Region;
use super::memory::shared::{GuardedWork, UsedRange};
use super::streams::Finished;
use super::{LaunchRecord, Runtime};
use crate::clock::{self, Engine};
use crate::error::{Code, Result};
use crate::graph::{Id, Step, Stream};
use crate::guard;
use crate::host;
use crate::report::{self, CallSite, HostFindingKind, PointerTarget, WorkAccess};

/// Unwritten bytes in a range shorter than this are taken for padding of a structure, because no type has a larger alignment.
const PADDING_BYTES: u64 = 16;

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
        source: CopySource,
    },
    Set {
        to: Region,
        /// Is the memory on the device (otherwise it is page-locked)?
        on_device: bool,
        value: u8,
    },
    /// A position in a stream that something may wait for.
    Event,
    HostFunction(HostFunction),
    /// `cudaFreeAsync` of memory at this address.
    Free(u64),
}

/// Where a copy reads.
#[derive(Debug)]
pub(super) enum CopySource {
    Device(Region),
    /// Page-locked memory, which is read when the copy is done.
    Pinned(Region),
    /// The rows of pageable memory, which was read when the host enqueued the copy.
    Staged(Vec<u8>),
}

/// A function of the program that a stream calls in its turn (`cudaLaunchHostFunc`).
pub struct HostFunction(pub Box<dyn FnOnce() + Send>);

impl std::fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a function of the program")
    }
}

/// A piece of work, and when and where the host enqueued it.
#[derive(Debug)]
pub(super) struct Task {
    pub work: Work,
    /// On the simulated clock, in microseconds.
    pub enqueued: f64,
    pub site: SiteId,
}

/// Work that has been done.
struct Done {
    engine: Engine,
    /// Its label in the timeline.
    what: String,
    /// How many microseconds it takes, or the error that ends the context.
    result: Result<f64>,
}

impl Work {
    /// The work as findings describe it; `None` if it accesses no memory.
    fn describe(&self) -> Option<report::Work> {
        match self {
            Self::Kernel { name, .. } => Some(report::Work::Kernel { name: name.clone() }),
            Self::Copy { to_device, to, source } => Some(report::Work::Copy {
                bytes: to.bytes(),
                to_device: *to_device,
                from_device: matches!(source, CopySource::Device(_)),
            }),
            Self::Set { to, .. } => Some(report::Work::Set { bytes: to.bytes() }),
            Self::Event | Self::HostFunction(_) | Self::Free(_) => None,
        }
    }

    /// The bytes that a copy or a set accesses when it is done, in the order of their addresses.
    pub(super) fn ranges(&self) -> Vec<AccessedRange> {
        let rows = |region: &Region, mode| {
            let width = region.extent.width;
            region.rows().map(move |row| (row, width, mode)).collect::<Vec<_>>()
        };
        let mut all = match self {
            Self::Copy { to, source, .. } => {
                let mut all = match source {
                    CopySource::Device(from) | CopySource::Pinned(from) => {
                        rows(from, AccessMode::Read)
                    }
                    CopySource::Staged(_) => vec![],
                };
                all.extend(rows(to, AccessMode::Write));
                all
            }
            Self::Set { to, .. } => rows(to, AccessMode::Write),
            Self::Kernel { .. } | Self::Event | Self::HostFunction(_) | Self::Free(_) => vec![],
        };
        all.sort_unstable_by_key(|(at, ..)| *at);
        all
    }
}

impl Runtime {
    /// Adds work to the end of a stream, and closes the pages of the host that it will use.
    pub(super) fn enqueue(&mut self, stream: Stream, work: Work) -> Id {
        let site = self.findings.site();
        if let Some(described) = work.describe() {
            let ranges = match &work {
                Work::Kernel { binary, launch, .. } => self.used_by_kernel(*binary, launch),
                _ => {
                    let used = |(address, bytes, mode)| UsedRange {
                        address,
                        bytes,
                        writes: mode != AccessMode::Read,
                    };
                    work.ranges().into_iter().map(used).collect()
                }
            };
            let id = self.streams.upcoming();
            self.memory.close_pages(id, ranges, (stream, site), described);
        }
        self.streams.enqueue(stream, work, site, &[])
    }

    /// The memory of the host that a kernel may use.
    fn used_by_kernel(&mut self, binary: usize, launch: &Launch) -> Vec<UsedRange> {
        match self.objects.module(binary) {
            Ok(module) => self.memory.used_by_kernel(&module, launch),
            Err(_) => vec![],
        }
    }

    /// Does one piece of work. An error ends the context.
    pub(super) fn perform(&mut self, step: Step<Task>) {
        let Step { id, stream, work: Task { work, enqueued, site }, after } = step;
        if self.lost.is_some() {
            return;
        }
        let written = if self.memory.has_shared() { self.upload(&work) } else { vec![] };
        let described = work.describe().filter(|_| self.streams.are_concurrent());
        let ranges = if described.is_some() { work.ranges() } else { vec![] };
        let mut accessed = AccessedBytes::Ranges(ranges);
        let launches = self.record.launches.len();
        let done = match work {
            Work::Kernel { binary, launch, name } => {
                let what = name.clone();
                let (bytes, result) = self.run(binary, &launch, name, (stream, site));
                self.memory.written_on_device(bytes.written());
                accessed = AccessedBytes::Kernel(bytes);
                Done { engine: Engine::Device, what, result }
            }
            Work::Copy { to_device, to, source } => {
                self.perform_copy(to_device, &to, source, (stream, site))
            }
            Work::Set { to, on_device, value } => {
                let bytes = to.bytes();
                let result = self.memory.write(on_device, &to, &vec![value; bytes as usize]);
                let what = format!("set {bytes} bytes");
                let result = result.map(|()| clock::within(bytes));
                Done { engine: Engine::Device, what, result }
            }
            Work::Event => Done::on_host(Ok(())),
            Work::Free(address) => Done::on_host(self.free_from_pool(address, site)),
            Work::HostFunction(HostFunction(function)) => {
                guard::all_opened(function);
                Done::on_host(Ok(()))
            }
        };
        self.memory.written_on_device(written);
        if let Some(work) = described {
            self.report_conflicts(FinishedWork { id, stream, site, work, accessed });
        }
        match done.result {
            Ok(cost) => {
                let finished = Finished { id, stream, after, enqueued };
                self.streams.finished(finished, done.engine, done.what, cost);
                if let Some(launch) = self.record.launches.get_mut(launches) {
                    launch.span = self.streams.last_span();
                }
            }
            Err(code) => {
                self.lost = Some(code);
                self.streams.drop_pending();
            }
        }
    }

    /// Copies shared memory to the device before work uses it. Returns the managed memory that a copy or a set writes.
    fn upload(&mut self, work: &Work) -> Vec<u64> {
        if let Work::Kernel { binary, launch, .. } = work {
            let used = self.used_by_kernel(*binary, launch);
            self.memory.upload_for_kernel(&used);
        } else {
            self.memory.upload_for_work(work);
        }
        self.memory.managed_written_by(work)
    }

    fn perform_copy(
        &mut self,
        to_device: bool,
        to: &Region,
        source: CopySource,
        enqueued_by: (Stream, SiteId),
    ) -> Done {
        let bytes = to.bytes();
        let from_device = matches!(source, CopySource::Device(_));
        let (engine, cost) = match (to_device, from_device) {
            (true, false) => {
                let pinned = matches!(source, CopySource::Pinned(_));
                (Engine::ToDevice, clock::bus(bytes, pinned))
            }
            (false, true) => {
                let pinned = self.memory.is_pinned(to.layout.address);
                (Engine::ToHost, clock::bus(bytes, pinned))
            }
            _ => (Engine::Device, clock::within(bytes)),
        };
        if let CopySource::Device(from) = &source
            && !to_device
        {
            for row in from.rows() {
                self.report_unwritten(row, from.extent.width, enqueued_by);
            }
        }
        let data = match source {
            CopySource::Device(from) => self.memory.read_device(&from),
            CopySource::Pinned(from) => Ok(host::gather(&from)),
            CopySource::Staged(data) => Ok(data),
        };
        let result = data.and_then(|data| self.memory.write(to_device, to, &data));
        Done { engine, what: format!("{bytes} bytes"), result: result.map(|()| cost) }
    }

    /// Reports a copy to the host that reads bytes which were never written.
    fn report_unwritten(&mut self, from: u64, bytes: u64, (stream, site): (Stream, SiteId)) {
        let unwritten = self.memory.device().unwritten(from, bytes, PADDING_BYTES);
        let Some((first, length)) = unwritten else { return };
        let sites = self.findings.sites();
        let Some((memory, offset)) = self.memory.memory_at(from, sites) else { return };
        let first = first.saturating_add_signed(offset);
        let at = sites.resolve(site, Some(stream));
        let bytes = [first, first + length - 1];
        self.findings.add(HostFindingKind::UninitialisedCopy { memory, bytes }, at, None);
    }

    /// Reports finished work that is not ordered with other work on the same bytes.
    fn report_conflicts(&mut self, work: FinishedWork) {
        for conflict in self.findings.conflicts.add(work, self.streams.order()) {
            let sites = self.findings.sites();
            let [first_byte, last_byte] = conflict.bytes;
            let Some((memory, start)) = self.memory.memory_at(first_byte, sites) else { continue };
            let start = start.unsigned_abs();
            let bytes = [start, start + (last_byte - first_byte)];
            let (first, second) = (conflict.first, conflict.second);
            let at = sites.resolve(second.site, Some(second.stream));
            let earlier = sites.resolve(first.site, Some(first.stream));
            let (first, second) = (first.access, second.access);
            let kind = HostFindingKind::MissingWait { first, second, memory, bytes };
            self.findings.add(kind, at, earlier);
        }
    }

    /// Reports accesses of the host to memory that pending work uses.
    pub(super) fn report_host_races(&mut self) {
        for hit in guard::hits() {
            let Some(guarded) = self.memory.guarded_work(hit.number) else { continue };
            let GuardedWork { site, stream, work, writes } = guarded.clone();
            let sites = self.findings.sites();
            let Some((memory, byte)) = self.memory.memory_at(hit.address, sites) else { continue };
            let earlier = sites.resolve(site, Some(stream));
            let source = sites::innermost_line(&hit.frames);
            let at = source.map(|source| CallSite {
                call: String::new(),
                stream: None,
                source: Some(source),
            });
            let access = WorkAccess { work, writes, stream: stream.0 };
            let (write, byte) = (hit.write, byte.unsigned_abs());
            self.findings.add(
                HostFindingKind::HostRace { access, memory, write, byte },
                at,
                earlier,
            );
        }
    }

    /// Runs a kernel. Returns the bytes that it accessed, and how many microseconds it takes.
    fn run(
        &mut self,
        binary: usize,
        launch: &Launch,
        kernel: String,
        (stream, site): (Stream, SiteId),
    ) -> (AccessSet, Result<f64>) {
        let module = match self.objects.module(binary) {
            Ok(module) => module,
            Err(code) => return (AccessSet::default(), Err(code)),
        };
        let s = self.settings;
        let options =
            Options { diagnose: s.diagnose, seed: s.seed, threads: s.threads, budget: s.budget };
        let record_accesses = self.streams.are_concurrent() || self.memory.has_shared();
        let memory = self.memory.device_mut();
        let ran = if record_accesses {
            ptxsim::run_recording(&module, memory, launch, &options)
        } else {
            ptxsim::run(&module, memory, launch, &options)
                .map(|observations| (observations, AccessSet::default()))
        };
        let (observations, accessed, refusal) = match ran {
            Ok((observations, accessed)) => (observations, accessed, None),
            Err(error) => {
                (ptxsim::Observations::default(), AccessSet::default(), Some(error.to_string()))
            }
        };
        let result =
            if refusal.is_some() { Err(Code::LAUNCH_FAILURE) } else { outcome(&observations) };
        let blocks = launch.grid.iter().map(|n| u64::from(*n)).product();
        let cost = clock::kernel(blocks, &observations.totals);
        self.device.printed |= !observations.output.is_empty();
        self.record.output.push_str(&observations.output);
        let arrays = self.array_arguments(launch);
        let launch_record = LaunchRecord {
            kernel,
            grid: launch.grid,
            block: launch.block,
            indirect: self.indirect_memory(&observations, &arrays),
            foreign_arguments: self.foreign_arguments(&observations, launch),
            arrays,
            observations,
            refusal,
            stream: stream.0,
            at: self.findings.sites().resolve(site, Some(stream)),
            span: None,
        };
        self.record.launches.push(launch_record);
        (accessed, result.map(|()| cost))
    }

    /// The arguments that point to arrays, by number, and the names of these arrays in findings.
    fn array_arguments(&self, launch: &Launch) -> Vec<(usize, String)> {
        let array = |(i, address): (usize, u64)| {
            let freed = || self.memory.freed_near(address).map(|(allocation, _)| allocation);
            let allocation = self.memory.allocation(address).or_else(freed)?;
            Some((i, allocation.name.clone()))
        };
        addresses(launch).filter_map(array).collect()
    }

    /// Memory that findings name although no argument points to it.
    fn indirect_memory(
        &self,
        observations: &ptxsim::Observations,
        arrays: &[(usize, String)],
    ) -> Vec<report::Memory> {
        let accesses = observations.findings.iter().flat_map(|f| [Some(&f.at), f.with.as_ref()]);
        let named: BTreeSet<&str> =
            accesses.flatten().filter_map(|at| at.array.as_deref()).collect();
        let passed = |name: &str| arrays.iter().any(|(_, array)| array == name);
        self.memory
            .allocations()
            .filter(|(_, a)| named.contains(a.name.as_str()) && !passed(&a.name))
            .map(|(_, allocation)| allocation.describe(self.findings.sites()))
            .collect()
    }

    /// If a finding may be about such an argument: the arguments that look like addresses but do not point to device memory.
    fn foreign_arguments(
        &self,
        observations: &ptxsim::Observations,
        launch: &Launch,
    ) -> Vec<(usize, PointerTarget)> {
        if !observations.findings.iter().any(is_about_address) {
            return vec![];
        }
        let targets = addresses(launch).map(|(i, address)| (i, self.target_of(address)));
        let ours =
            |p: &PointerTarget| matches!(p, PointerTarget::Inside { .. } | PointerTarget::Null);
        targets.filter(|(_, target)| !ours(target)).collect()
    }
}

impl Done {
    /// Work that takes no time of the device.
    fn on_host(result: Result) -> Self {
        Self { engine: Engine::HostOnly, what: String::new(), result: result.map(|()| 0.0) }
    }
}

/// The numbers and values of all arguments that may be addresses.
fn addresses(launch: &Launch) -> impl Iterator<Item = (usize, u64)> {
    let address = |arg: &Vec<u8>| Some(u64::from_le_bytes(arg.as_slice().try_into().ok()?));
    launch.args.iter().enumerate().filter_map(move |(i, arg)| Some((i, address(arg)?)))
}

/// Can the finding be about an argument that does not point to device memory?
const fn is_about_address(finding: &ptxsim::Finding) -> bool {
    matches!(finding.what, FindingKind::InvalidAddress | FindingKind::UseAfterFree)
}

/// The error with which a launch ends the context, if its findings do so. An index outside its array does not: on a GPU, the
/// access reads or writes something else.
fn outcome(observations: &ptxsim::Observations) -> Result {
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
    match observations.findings.iter().find_map(code) {
        Some(code) => Err(code),
        None if observations.completed => Ok(()),
        None => Err(Code::LAUNCH_FAILURE),
    }
}
