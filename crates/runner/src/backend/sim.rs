//! Runs kernels on the simulator, whose diagnosis replaces guard zones.

use cudart_sim::occupancy::SIMULATED;
use ptxsim::trace::{Thread, Trace};
use ptxsim::{Diagnose, Memory, Module, Observations, Options};

use super::poison::poison;
use super::{Arg, Backend, Error, Fault, Launch, PartOf, Run};

/// Host threads of one simulation. More of them do not make an exercise's cases faster, and each
/// reserves memory.
const MAX_HOST_THREADS: usize = 16;
/// The name of this backend in reports.
const DEVICE: &str = "simulator";

/// The simulator, with the module of the last PTX it was given.
#[derive(Default)]
pub struct Simulator {
    module: Option<Result<Module, ptxsim::Error>>,
}

impl Backend for Simulator {
    fn load(&mut self, ptx: String) {
        self.module = Some(Module::parse(&ptx));
    }

    fn run(&mut self, launch: &Launch) -> Result<Run, Error> {
        match &self.module {
            None => Err(Error::Bug("no PTX was given before the launch".into())),
            Some(Err(error)) => refused(error.clone()),
            Some(Ok(module)) => match simulate(module, launch, None) {
                Ok((run, _)) => check_explained(run),
                Err(error) => refused(error),
            },
        }
    }

    fn healthy(&self) -> bool {
        true
    }
}

impl Simulator {
    /// Runs one launch of the loaded PTX and records the steps of one thread. A launch that is
    /// refused has no trace.
    ///
    /// # Errors
    /// As [`Backend::run`].
    pub fn trace(
        &mut self,
        launch: &Launch,
        thread: &Thread,
    ) -> Result<(Run, Option<Trace>), Error> {
        match &self.module {
            None => Err(Error::Bug("no PTX was given before the launch".into())),
            Some(Err(error)) => refused(error.clone()).map(|run| (run, None)),
            Some(Ok(module)) => match simulate(module, launch, Some(thread)) {
                Ok((run, trace)) => Ok((check_explained(run)?, trace)),
                Err(error) => refused(error).map(|run| (run, None)),
            },
        }
    }
}

fn simulate(
    module: &Module,
    launch: &Launch,
    thread: Option<&Thread>,
) -> Result<(Run, Option<Trace>), ptxsim::Error> {
    let mut memory = Memory::new();
    let mut args = Vec::with_capacity(launch.args.len());
    let mut addresses = Vec::with_capacity(launch.args.len());
    for arg in &launch.args {
        let (address, bytes) = match arg {
            Arg::Scalar(bytes) => (None, bytes.clone()),
            Arg::Buffer { name, dtype, bytes, data, .. } => {
                let address =
                    memory.alloc(name, *bytes as u64, dtype.bytes() as u32, data.as_deref())?;
                if dtype.bytes() == 1 {
                    memory.set_byte_elements(address);
                }
                if launch.ordered.contains(name) {
                    memory.demand_order(address);
                }
                memory.fill_uninitialised(address, poison(launch.seed))?;
                (Some(address), address.to_le_bytes().to_vec())
            }
        };
        addresses.push(address);
        args.push(bytes);
    }
    let ptxsim_launch = ptxsim::Launch {
        entry: launch.entry.clone(),
        grid: launch.grid,
        block: launch.block,
        shared: launch.shared,
        // The GPU backend, too, allows as much dynamic shared memory as the exercise needs.
        shared_allowed: Some(launch.shared),
        cooperative: launch.cooperative,
        args,
        snapshots: launch.snapshots.clone().map(Into::into),
    };
    let options = Options {
        diagnose: Diagnose::Full,
        seed: launch.seed,
        threads: std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_HOST_THREADS)),
        budget: launch.budget,
        disturbance: launch.disturbance,
        count_waits: launch.count_waits || launch.part_of.is_some(),
        caches: launch.part_of.map(|PartOf { times, registers }| {
            SIMULATED.caches_of_warp(module, &ptxsim_launch, registers, times)
        }),
    };
    let (mut observations, trace) = match thread {
        None => (ptxsim::run(module, &mut memory, &ptxsim_launch, &options)?, None),
        Some(thread) => {
            let (observations, trace) =
                ptxsim::trace(module, &mut memory, &ptxsim_launch, &options, thread)?;
            (observations, Some(trace))
        }
    };
    // Writes are counted per word of 4 bytes, so the count says nothing about smaller elements.
    observations
        .arrays
        .retain(|array| !launch.args.iter().any(|arg| has_small_elements(arg, &array.name)));
    let mut run = Run::new(DEVICE.into());
    run.faults = observations.findings.iter().cloned().map(Fault::Finding).collect();
    for (arg, address) in launch.args.iter().zip(addresses) {
        if let (Arg::Buffer { bytes, .. }, Some(address)) = (arg, address) {
            run.add_buffer(arg, memory.read(address, *bytes as u64)?, launch.seed);
        }
    }
    run.printed.clone_from(&observations.output);
    run.printed_dropped = observations.output_dropped;
    run.observations = Some(observations);
    Ok((run, trace))
}

/// Whether this argument is the array with that name and has elements smaller than a word.
fn has_small_elements(arg: &Arg, array: &str) -> bool {
    matches!(arg, Arg::Buffer { name, dtype, .. } if name == array && dtype.bytes() < 4)
}

/// A run that did not complete must have a finding, because it would count as right otherwise.
fn check_explained(run: Run) -> Result<Run, Error> {
    let unexplained = |o: &Observations| !o.completed && o.findings.is_empty();
    if run.observations.as_ref().is_some_and(unexplained) {
        return Err(Error::Bug("the simulator stopped without saying why".into()));
    }
    Ok(run)
}

/// The run of a launch that the simulator refuses; with the GPU driver's error code where the
/// driver would refuse it too.
fn refused(error: ptxsim::Error) -> Result<Run, Error> {
    let fault = fault(error).map_err(|other| Error::Bug(other.to_string()))?;
    Ok(Run::failed(fault, DEVICE.into()))
}

/// The fault of the kernel behind an error of the simulator.
///
/// # Errors
/// The error itself, when only a bug in the checker can cause it.
pub fn fault(error: ptxsim::Error) -> Result<Fault, ptxsim::Error> {
    use ptxsim::Error as E;
    let driver = |code, name: &str, text| Fault::Driver { code, name: name.into(), text };
    let fault = match error {
        E::Unsupported { feature, source_line } => {
            Fault::Unsupported { feature, source: source_line }
        }
        // The compiler wrote PTX that the simulator cannot parse. Errors in inline assembly were
        // found earlier.
        E::Parse { .. } => Fault::Unsupported { feature: error.to_string(), source: None },
        E::NoSuchEntry { .. } => driver(500, "CUDA_ERROR_NOT_FOUND", error.to_string()),
        E::BadLaunch { error, text } => driver(error.code(), error.name(), text),
        // The exercise's own arrays are small, so a `__device__` array does not fit.
        E::Memory(text) => driver(2, "CUDA_ERROR_OUT_OF_MEMORY", text),
        other => return Err(other),
    };
    Ok(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::DType;

    const PTX: &str = "
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry copy(.param .u64 in, .param .u64 out, .param .u32 at) {
            .reg .b32 %r<3>;
            .reg .b64 %d<6>;
            ld.param.u64 %d1, [in];
            ld.param.u64 %d2, [out];
            ld.param.u32 %r1, [at];
            cvt.u64.u32 %d3, %r1;
            add.s64 %d4, %d1, %d3;
            ld.global.u32 %r2, [%d4];
            st.global.u8 [%d2], %r2;
            ret;
        }";

    /// One thread loads 4 bytes from byte `at` of 15, and stores one of them.
    fn run(at: u32) -> Run {
        let buffer = |name: &str, bytes, data, writable| Arg::Buffer {
            name: name.into(),
            dtype: DType::U8,
            bytes,
            data,
            writable,
        };
        let launch = Launch {
            entry: "copy".into(),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            cooperative: false,
            ordered: vec![],
            args: vec![
                buffer("in", 15, Some(vec![7; 15]), false),
                buffer("out", 3, None, true),
                Arg::Scalar(at.to_le_bytes().to_vec()),
            ],
            seed: 0,
            budget: 1000,
            repeat: 0,
            disturbance: None,
            snapshots: None,
            count_waits: false,
            part_of: None,
        };
        let mut simulator = Simulator::default();
        simulator.load(PTX.into());
        simulator.run(&launch).expect("runs")
    }

    /// Indices into an array of bytes count bytes, even for wider loads: `in[12]`, not `in[3]`.
    #[test]
    fn an_array_of_bytes_has_elements_of_one_byte() {
        let faults = run(12).faults;
        let [Fault::Finding(finding)] = faults.as_slice() else { panic!("{faults:?}") };
        assert_eq!((finding.at.index, finding.at.elements), (Some(12), Some(15)));
    }

    /// Writes are counted per word, so there is no count of writes per byte.
    #[test]
    fn writes_of_bytes_are_not_counted() {
        let run = run(8);
        assert!(run.faults.is_empty(), "{:?}", run.faults);
        assert_eq!(run.observations.map(|seen| seen.arrays), Some(vec![]));
    }
}
