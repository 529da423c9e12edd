//! Running kernels, and recording what the simulator observed of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use ptxsim::{AccessSet, FindingKind, Launch, Module, Observations, Options, Snapshots};

use super::findings::sites::SiteId;
use super::{LaunchRecord, Refusal, Runtime};
use crate::clock;
use crate::error::{Code, Result};
use crate::graph::{Id, Stream};
use crate::occupancy::SIMULATED;
use crate::report::{self, CallSite, ForeignArgument, PointerTarget};

impl Runtime {
    /// What the launches put into shared memory, in the order in which the device runs them.
    pub(crate) fn exchange(&mut self, snapshots: Vec<Snapshots>) {
        self.exchanged = snapshots.into_iter().map(Arc::new).collect();
    }

    /// Runs a kernel. Returns the bytes that it accessed, and how many microseconds it takes.
    pub(super) fn run_kernel(
        &mut self,
        binary: usize,
        launch: &Launch,
        kernel: String,
        (id, stream, site): (Id, Stream, SiteId),
    ) -> (AccessSet, Result<f64>) {
        let module = match self.objects.module(binary) {
            Ok(module) => module,
            Err(code) => return (AccessSet::default(), Err(code)),
        };
        let s = self.settings;
        let options = Options {
            diagnose: s.diagnose,
            seed: s.seed,
            threads: s.threads,
            budget: s.budget,
            disturbance: s.disturbance,
            count_waits: s.part_of.is_some(),
            caches: s.part_of.map(|times| {
                let registers = self.objects.registers_of(&launch.entry);
                SIMULATED.caches_of_warp(&module, launch, registers, times)
            }),
        };
        let record_accesses = self.records_accesses() || self.memory.has_shared();
        let traced = self.traced_thread(&kernel, launch);
        let number = self.record.launches.len();
        let snapshots = self.exchanged.get(number).cloned();
        let exchanging = snapshots.map(|other| Launch { snapshots: Some(other), ..launch.clone() });
        let launch = exchanging.as_ref().unwrap_or(launch);
        let memory = self.memory.device_mut();
        let skipped = s.skipped.is_some_and(|skipped| skipped.has_launch(number + 1));
        let ran = match traced {
            _ if skipped => {
                let observations = Observations { completed: true, ..Observations::default() };
                Ok((observations, AccessSet::default(), None))
            }
            Some(thread) => ptxsim::trace_recording(&module, memory, launch, &options, &thread)
                .map(|(observations, accessed, trace)| (observations, accessed, Some(trace))),
            None => (self.repeats)
                .run(&module, memory, launch, &options, record_accesses)
                .map(|(observations, accessed)| (observations, accessed, None)),
        };
        let ((mut observations, accessed, trace), mut refusal) = match ran {
            Ok(seen) => (seen, None),
            Err(error) => (Default::default(), Some(error.into())),
        };
        let registered = |finding: &ptxsim::Finding| {
            finding.what == FindingKind::InvalidAddress
                && self.memory.is_registered(finding.at.address)
        };
        if let Some(finding) = observations.findings.iter().find(|finding| registered(finding)) {
            let at = Some(finding.at.source.clone());
            observations.findings.clear();
            refusal = Some(Refusal {
                text: "it uses registered memory through a pointer that it has loaded from memory, and the simulator only knows such memory by a launch's arguments".to_owned(),
                feature: Some("a pointer to registered memory that is itself in memory".to_owned()),
                at,
            });
        }
        self.remove_library_reads(&launch.entry, &mut observations);
        let result =
            if refusal.is_some() { Err(Code::LAUNCH_FAILURE) } else { outcome(&observations) };
        let [blocks, threads] =
            [launch.grid, launch.block].map(|extent| extent.map(u64::from).iter().product());
        let cost = clock::kernel(blocks, threads, &observations.totals);
        self.device.printed |= !observations.output.is_empty();
        if !observations.output.is_empty() {
            self.record.output.push((id, observations.output.clone()));
        }
        let writers = self.writers_before(&observations);
        for array in &observations.arrays {
            self.record.kernel_wrote(&array.name, site);
        }
        let arrays = self.array_arguments(launch);
        let launch_record = LaunchRecord {
            kernel,
            symbol: launch.entry.clone(),
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            integers: integers(&module, launch),
            named: self.named_memory(&observations),
            writers,
            foreign_arguments: self.foreign_arguments(&observations, launch),
            inner_pointers: self.inner_pointers(launch),
            arrays,
            observations,
            trace,
            refusal,
            stream: stream.0,
            number: self.record.launch_numbers.remove(&id).unwrap_or(self.record.launches.len()),
            at: self.findings.sites().resolve(site, Some(stream)),
            span: None,
        };
        self.record.launches.push(launch_record);
        (accessed, result.map(|()| cost))
    }

    /// The last calls that wrote to memory of which a kernel has read bytes that none had written.
    fn writers_before(&self, observations: &Observations) -> Vec<(String, CallSite)> {
        let unwritten = |finding: &&ptxsim::Finding| finding.at.written.is_some();
        let read = observations.findings.iter().filter(unwritten);
        let names: BTreeSet<&String> = read.filter_map(|f| f.at.array.as_ref()).collect();
        let writer = |name: &String| {
            let at = self.findings.sites().resolve(self.record.last_writer(name)?, None)?;
            Some((name.clone(), at))
        };
        names.into_iter().filter_map(writer).collect()
    }

    /// The arguments that point to arrays, by number, and the names of these arrays in findings.
    fn array_arguments(&self, launch: &Launch) -> Vec<(usize, String)> {
        let array = |(i, address): (usize, u64)| {
            let freed = || self.memory.freed_near(address).map(|(_, allocation, _)| allocation);
            let allocation = self.memory.array_at(address).or_else(freed)?;
            Some((i, allocation.name.clone()))
        };
        addresses(launch).filter_map(array).collect()
    }

    /// The arguments that point into arrays behind their start, by number, and by how many bytes.
    fn inner_pointers(&self, launch: &Launch) -> Vec<(usize, u64)> {
        let inner = |(i, address): (usize, u64)| {
            self.memory.array_at(address)?;
            let start = self.memory.device().start(address)?;
            (address > start).then(|| (i, address - start))
        };
        addresses(launch).filter_map(inner).collect()
    }

    /// Memory that findings name.
    fn named_memory(&self, observations: &Observations) -> Vec<report::Memory> {
        let accesses = observations.findings.iter().flat_map(|f| [Some(&f.at), f.with.as_ref()]);
        let named: BTreeSet<&str> =
            accesses.flatten().filter_map(|at| at.array.as_deref()).collect();
        let sites = self.findings.sites();
        let allocated = self.memory.allocations().chain(self.memory.kept_pinned());
        let allocated = allocated
            .filter(|(_, a)| named.contains(a.name.as_str()))
            .map(|(_, allocation)| allocation.describe(sites));
        let arrays = self.memory.described_arrays(sites);
        allocated.chain(arrays.filter(|array| named.contains(array.name.as_str()))).collect()
    }

    /// If a finding may be about such an argument: the arguments that look like addresses but do
    /// not point to device memory.
    fn foreign_arguments(
        &self,
        observations: &Observations,
        launch: &Launch,
    ) -> Vec<ForeignArgument> {
        if !observations.findings.iter().any(is_about_address) {
            return self.other_objects(observations, launch);
        }
        let words = launch.args.iter().enumerate().flat_map(|(number, arg)| {
            let words = arg.as_chunks::<8>().0.iter().enumerate();
            words.map(move |(i, word)| (number, 8 * i as u64, u64::from_le_bytes(*word)))
        });
        let foreign = |target: &PointerTarget, value: u64| match target {
            PointerTarget::Inside { .. } | PointerTarget::Object { .. } | PointerTarget::Null => {
                false
            }
            // a number may stand here, too
            PointerTarget::Host => HOST_ADDRESSES.contains(&value),
            PointerTarget::Freed { .. } | PointerTarget::Stack => true,
        };
        words
            .filter_map(|(number, byte, value)| {
                let target = self.target_of(value);
                foreign(&target, value).then_some(ForeignArgument { number, byte, value, target })
            })
            .collect()
    }
}

impl Runtime {
    /// The arguments that a kernel used as a texture or a surface, and that are the handles of
    /// other objects.
    fn other_objects(&self, observations: &Observations, launch: &Launch) -> Vec<ForeignArgument> {
        let is_handle =
            |finding: &&ptxsim::Finding| matches!(finding.what, FindingKind::BadObject { .. });
        let handles: Vec<u64> =
            observations.findings.iter().filter(is_handle).map(|f| f.at.address).collect();
        let used = addresses(launch).filter(|(_, value)| handles.contains(value));
        let found = used.filter_map(|(number, value)| {
            Some(ForeignArgument { number, byte: 0, value, target: self.object_of(value)? })
        });
        found.collect()
    }
}

/// Where a process of Linux has its memory: above its smallest numbers, and below the kernel.
const HOST_ADDRESSES: std::ops::Range<u64> = 1 << 32..1 << 47;

/// The numbers and values of all arguments that may be addresses.
fn addresses(launch: &Launch) -> impl Iterator<Item = (usize, u64)> {
    let address = |arg: &Vec<u8>| Some(u64::from_le_bytes(arg.as_slice().try_into().ok()?));
    launch.args.iter().enumerate().filter_map(move |(i, arg)| Some((i, address(arg)?)))
}

/// The numbers and values of all integer arguments of at most 4 bytes.
fn integers(module: &Module, launch: &Launch) -> Vec<(usize, i64)> {
    use ptxsim::ParamType::{B32, S32, U32};
    let entry = module.entries().iter().find(|entry| entry.name == launch.entry);
    let params = entry.map_or(&[][..], |entry| &entry.params);
    let value = |(i, (param, arg)): (usize, (&ptxsim::Param, &Vec<u8>))| {
        let bytes: [u8; 4] = arg.as_slice().try_into().ok()?;
        let integer = matches!(param.ty, S32 | U32 | B32);
        integer.then(|| (i, i64::from(i32::from_le_bytes(bytes))))
    };
    params.iter().zip(&launch.args).enumerate().filter_map(value).collect()
}

/// Can the finding be about an argument that does not point to device memory?
const fn is_about_address(finding: &ptxsim::Finding) -> bool {
    matches!(finding.what, FindingKind::InvalidAddress | FindingKind::UseAfterFree)
}

/// The error with which a launch ends the context, if its findings do so. An index just outside its
/// array does not: on a GPU, the access reads or writes something else.
fn outcome(observations: &Observations) -> Result {
    let code = |finding: &ptxsim::Finding| match finding.what {
        FindingKind::InvalidAddress if ptxsim::Window::of(finding.at.address).is_some() => {
            Some(Code::INVALID_ADDRESS_SPACE)
        }
        FindingKind::InvalidAddress | FindingKind::StackOverflow { .. } => {
            Some(Code::ILLEGAL_ADDRESS)
        }
        FindingKind::OutOfBounds if observations.unmapped => Some(Code::ILLEGAL_ADDRESS),
        FindingKind::Misaligned => Some(Code::MISALIGNED_ADDRESS),
        FindingKind::Assert { .. } => Some(Code::ASSERT),
        FindingKind::NeverFinishes { .. }
        | FindingKind::OverBudget { .. }
        | FindingKind::Livelock { .. } => Some(Code::LAUNCH_TIMEOUT),
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
