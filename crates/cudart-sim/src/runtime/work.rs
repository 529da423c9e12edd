//! Doing pending work, when the host waits for it.

use std::sync::Arc;

use ptxsim::{AccessMode, Diagnose, Launch};

use super::copies::OnDevice;
use super::findings::conflicts::{AccessedBytes, AccessedRange, FinishedWork};
use super::findings::sites::SiteId;
use super::memory::region::Region;
use super::memory::shared::UsedRange;
use super::record::DeviceWrite;
use super::streams::{Finished, Timed};
use super::{Runtime, Skipped};
use crate::clock::{self, Engine};
use crate::error::Result;
use crate::graph::{Id, LEGACY, Step, Stream};
use crate::guard;
use crate::host;
use crate::report::{self, DoneCopy};

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
        pattern: SetPattern,
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
    Staged {
        from: Region,
        data: Vec<u8>,
    },
}

/// The bytes that a set repeats: an element of 1, 2 or 4 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SetPattern {
    bytes: [u8; 4],
    size: usize,
}

impl From<u8> for SetPattern {
    fn from(value: u8) -> Self {
        Self { bytes: [value; 4], size: 1 }
    }
}

impl SetPattern {
    /// An element of `size` bytes with this value; `None` for another size.
    pub const fn new(value: u32, size: usize) -> Option<Self> {
        match size {
            1 | 2 | 4 => Some(Self { bytes: value.to_le_bytes(), size }),
            _ => None,
        }
    }

    /// So many bytes of elements.
    fn fill(self, bytes: usize) -> Vec<u8> {
        if self.size == 1 {
            return vec![self.bytes[0]; bytes];
        }
        self.bytes[..self.size].iter().copied().cycle().take(bytes).collect()
    }
}

/// A function of the program that a stream calls in its turn (`cudaLaunchHostFunc`).
pub struct HostFunction(pub Arc<dyn Fn() + Send + Sync>);

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
    /// The share of the multiprocessors that it takes.
    share: f64,
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
                    CopySource::Staged { .. } => vec![],
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
            let orders_all = stream == LEGACY && self.streams.has_blocking();
            self.record.work_enqueued(orders_all);
            let upcoming = self.streams.upcoming();
            self.unawaited.add(upcoming, described.clone(), site, stream);
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
            let accessed = match &work {
                Work::Kernel { .. } => None,
                _ => Some(AccessedBytes::Ranges(work.ranges())),
            };
            self.memory.close_pages(upcoming, ranges, (stream, site), described, accessed);
        }
        if matches!(work, Work::HostFunction(_)) || self.memory.has_shared() {
            self.expect_polls();
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
        if self.lost.is_some() || self.ending && !self.is_done_at_the_end(&work) {
            return;
        }
        let written = if self.memory.has_shared() { self.upload(&work) } else { vec![] };
        if self.dataflow.is_on() {
            self.record_uploads((id, site));
        }
        let described = work.describe().filter(|_| self.records_accesses());
        let ranges = if described.is_some() { self.ranges_on_device(&work) } else { vec![] };
        let mut accessed = AccessedBytes::Ranges(ranges);
        let mut launch_record = None;
        let is_copy = matches!(work, Work::Copy { .. });
        let done = match work {
            Work::Kernel { binary, mut launch, name } => {
                self.memory.launch_on_device(&mut launch);
                self.record_launch(binary, &launch, (id, site));
                let what = name.clone();
                let blocks = launch.grid.iter().map(|n| u64::from(*n)).product();
                let enqueued_as = (id, stream, site);
                let (bytes, result) =
                    self.run_kernel_when_it_ends(binary, &launch, &name, enqueued_as);
                launch_record = self.record.launches.len().checked_sub(1);
                self.memory.written_on_device(bytes.written());
                self.record_kernel(&bytes, site);
                accessed = AccessedBytes::Kernel(bytes);
                let result = self.check_device_memory().and(result);
                Done { engine: Engine::Device, what, share: clock::share(blocks), result }
            }
            Work::Copy { to_device, to, source } => {
                self.perform_copy(to_device, &to, source, (id, stream, site))
            }
            Work::Set { to, on_device, pattern } => {
                let bytes = to.bytes();
                self.record_set(&to, pattern, (id, site));
                let result = self.memory.write(on_device, &to, &pattern.fill(bytes as usize));
                if on_device {
                    self.record_write(&to, site);
                }
                let what = format!("set {bytes} bytes");
                let result = result.map(|()| clock::within(bytes));
                Done { engine: Engine::Device, what, share: 0.0, result }
            }
            Work::Event => Done::on_host(Ok(())),
            Work::Free(address) => {
                self.before_free(address, (id, stream, site));
                Done::on_host(self.free_from_pool(address, site))
            }
            Work::HostFunction(HostFunction(function)) => {
                // the function may use managed memory that a kernel has written
                self.memory.show_to_host();
                guard::all_opened(|| function());
                Done::on_host(Ok(()))
            }
        };
        self.memory.written_on_device(written);
        let recorded = self.settings.diagnose == Diagnose::Full;
        self.memory.guarded_work_done(id, || recorded.then(|| accessed.clone()));
        if let Some(work) = described {
            self.report_conflicts(FinishedWork { id, stream, site, work, accessed });
        }
        match done.result {
            Ok(cost) => {
                let finished = Finished { id, stream, after, enqueued };
                let Done { engine, what, share, .. } = done;
                self.streams.finished(finished, Timed { engine, what, cost, share });
                let record = launch_record.and_then(|index| self.record.launches.get_mut(index));
                if let Some(launch) = record {
                    launch.span = self.streams.last_span();
                }
                if is_copy && let Some(copy) = self.record.done_copies.last_mut() {
                    copy.span = self.streams.last_span();
                }
            }
            Err(code) => {
                self.lost = Some(code);
                self.streams.drop_pending();
            }
        }
    }

    /// Whether pending work is done when the program ends: kernels, for their findings, and what
    /// they find in device memory. Whether the host's memory still exists is only known where it is
    /// page-locked.
    fn is_done_at_the_end(&self, work: &Work) -> bool {
        match work {
            Work::Kernel { .. } | Work::Set { on_device: true, .. } => true,
            Work::Copy { to_device: true, source: CopySource::Pinned(from), .. } => {
                self.memory.is_pinned(from.layout.address)
            }
            Work::Copy { to_device, .. } => *to_device,
            _ => false,
        }
    }

    /// A stream is about to free memory. Work that uses it, that was enqueued before, and that
    /// nothing orders before the free is done now, which is one of the orders that a GPU could
    /// choose: the missing wait is the mistake, and not what the work would find after the free.
    fn before_free(&mut self, address: u64, (id, stream, site): (Id, Stream, SiteId)) {
        if !self.records_accesses() {
            return;
        }
        let Some(bytes) = self.memory.allocation_at(address).map(|a| a.bytes) else { return };
        let freed = address..address.saturating_add(bytes);
        let uses = |task: &Task| match &task.work {
            Work::Kernel { launch, .. } => {
                let words = launch.args.iter().flat_map(|arg| arg.as_chunks::<8>().0);
                words.map(|word| u64::from_le_bytes(*word)).any(|word| freed.contains(&word))
            }
            work => work.ranges().iter().any(|(at, ..)| freed.contains(at)),
        };
        while let Some(user) = self.streams.first_pending(uses).filter(|user| *user < id) {
            let Some(step) = self.streams.step_towards(user) else { break };
            self.perform(step);
        }
        let accessed = AccessedBytes::Ranges(vec![(address, bytes, AccessMode::Write)]);
        let work = report::Work::Free;
        self.report_conflicts(FinishedWork { id, stream, site, work, accessed });
    }

    /// Must the bytes that work accesses be recorded? That is so if there are several streams, or
    /// if there were and other work may still be unordered with what was done in them.
    pub(super) fn records_accesses(&self) -> bool {
        self.streams.are_concurrent() || self.findings.conflicts.has_finished()
    }

    /// The bytes that a copy or a set accesses, at the addresses of the device.
    fn ranges_on_device(&self, work: &Work) -> Vec<AccessedRange> {
        let mut all = work.ranges();
        all.iter_mut().for_each(|(at, ..)| *at = self.memory.on_device(*at));
        all.sort_unstable_by_key(|(at, ..)| *at);
        all
    }

    /// Copies shared memory to the device before work uses it. Returns the managed memory that a
    /// copy or a set writes.
    fn upload(&mut self, work: &Work) -> Vec<u64> {
        if let Work::Kernel { binary, launch, .. } = work {
            let used = self.used_by_kernel(*binary, launch);
            self.memory.upload_for_kernel(&used);
            let managed = used.into_iter().filter(|used| self.memory.is_managed(used.address));
            self.record.managed_used(managed);
        } else {
            self.memory.upload_for_work(work);
        }
        self.memory.managed_written_by(work)
    }

    /// Records that the call at `site` writes to device memory.
    fn record_write(&mut self, to: &Region, site: SiteId) {
        let start = to.layout.address;
        let end = start.saturating_add(to.span().unwrap_or(u64::MAX));
        if let Some(memory) = self.memory.allocation(start) {
            self.record.device_written(&memory.name, DeviceWrite { start, end, site });
        }
    }

    /// Records which copy or set wrote what the host gets now, if no kernel has written to the same
    /// memory since.
    fn record_writer(&mut self, to: &Region, from: &Region) {
        let start = from.layout.address;
        let end = start.saturating_add(from.span().unwrap_or(u64::MAX));
        let Some(memory) = self.memory.allocation(start) else { return };
        let last = self.record.last_write(&memory.name, (start, end)).filter(|_| {
            // without a diagnosis, nothing is known about the kernels' writes
            self.settings.diagnose == Diagnose::Full
        });
        let in_host = |address: u64| to.layout.address + (address.clamp(start, end) - start);
        let whole = [to.layout.address, to.layout.address + to.span().unwrap_or(1) - 1];
        let written_by = last.and_then(|write| {
            let at = self.findings.sites().resolve(write.site, None)?;
            // rows may be elsewhere in the host's memory
            let linear = from.extent.height == 1 && from.extent.depth == 1;
            let bytes = if linear { [in_host(write.start), in_host(write.end) - 1] } else { whole };
            Some(report::HostWrite { at, bytes })
        });
        self.record.set_written_by(to.layout.address, written_by);
    }

    fn perform_copy(
        &mut self,
        to_device: bool,
        to: &Region,
        source: CopySource,
        (id, stream, site): (Id, Stream, SiteId),
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
                self.report_unwritten(row, from.extent.width, (stream, site));
            }
        }
        if let CopySource::Device(from) = &source
            && !to_device
        {
            self.record_writer(to, from);
        }
        if to_device {
            self.record_write(to, site);
        }
        let skipped =
            self.settings.skipped == Some(Skipped::Copy(self.record.done_copies.len() + 1));
        let (from, data) = match source {
            CopySource::Device(from) => (from, self.memory.read_device(&from)),
            CopySource::Pinned(from) => (from, Ok(host::gather(&from))),
            CopySource::Staged { from, data } => (from, Ok(data)),
        };
        let on_device = OnDevice { to: to_device, from: from_device };
        let (to_device_counted, from_device_counted) = self.direction(to, &from, on_device);
        self.record.done_copies.push(DoneCopy {
            to_device: to_device_counted,
            from_device: from_device_counted,
            bytes,
            span: None,
            unneeded: false,
        });
        if let Ok(data) = &data
            && !skipped
        {
            self.record_copy((to_device, from_device), (to, &from), data, (id, site));
        }
        let permitted = if to_device == from_device { Ok(()) } else { self.check_copy(to_device) };
        let result = permitted.and(data).and_then(|data| match skipped {
            true => Ok(()),
            false => self.memory.write(to_device, to, &data),
        });
        let what = format!("{bytes} bytes");
        Done { engine, what, share: 0.0, result: result.map(|()| cost) }
    }
}

impl Done {
    /// Work that takes no time of the device.
    fn on_host(result: Result) -> Self {
        let result = result.map(|()| 0.0);
        Self { engine: Engine::HostOnly, what: String::new(), share: 0.0, result }
    }
}
