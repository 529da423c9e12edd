//! Kernels on the simulator: the same launch, and a diagnosis instead of guard zones.

use ptxsim::trace::{Thread, Trace};
use ptxsim::{Diagnose, Memory, Module, Observations, Options};

use super::poison::poison;
use super::{Arg, Backend, Error, Fault, Launch, Output, Run, first_difference};

/// More threads than this gain nothing on a case of an exercise's size, and each reserves memory.
const MOST_THREADS: usize = 16;
/// What reports call this backend.
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
                Ok((run, _)) => complete(run),
                Err(error) => refused(error),
            },
        }
    }

    fn healthy(&self) -> bool {
        true
    }
}

impl Simulator {
    /// Runs one launch of the loaded PTX and records what one thread does. No trace where the launch is refused.
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
                Ok((run, trace)) => Ok((complete(run)?, trace)),
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
        // as the GPU's backend does, which asks for what the exercise wants
        shared_allowed: Some(launch.shared),
        cooperative: launch.cooperative,
        args,
    };
    let options = Options {
        diagnose: Diagnose::Full,
        seed: launch.seed,
        threads: std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_THREADS)),
        budget: launch.budget,
    };
    let (observations, trace) = match thread {
        None => (ptxsim::run(module, &mut memory, &ptxsim_launch, &options)?, None),
        Some(thread) => {
            let (observations, trace) =
                ptxsim::trace(module, &mut memory, &ptxsim_launch, &options, thread)?;
            (observations, Some(trace))
        }
    };
    let mut run = Run::of(DEVICE.into());
    run.faults = observations.findings.iter().cloned().map(Fault::Finding).collect();
    for (arg, address) in launch.args.iter().zip(addresses) {
        let (Arg::Buffer { name, dtype, bytes, data, writable }, Some(address)) = (arg, address)
        else {
            continue;
        };
        let contents = memory.read(address, *bytes as u64)?;
        if *writable {
            let poison = data.is_none().then(|| poison(launch.seed));
            run.outputs.push(Output { name: name.clone(), data: contents, poison });
        } else if let Some(changed) = first_difference(data.as_deref(), &contents) {
            let index = (changed / dtype.bytes()) as u64;
            run.faults.push(Fault::InputChanged { name: name.clone(), index });
        }
    }
    run.printed.clone_from(&observations.output);
    run.printed_dropped = observations.output_dropped;
    run.observations = Some(observations);
    Ok((run, trace))
}

/// A run that did not end must say why, or it would pass for a good one.
fn complete(run: Run) -> Result<Run, Error> {
    let unexplained = |o: &Observations| !o.completed && o.findings.is_empty();
    if run.observations.as_ref().is_some_and(unexplained) {
        return Err(Error::Bug("the simulator stopped without saying why".into()));
    }
    Ok(run)
}

/// What the simulator does not run, in the same terms as the GPU's driver where that would refuse too.
fn refused(error: ptxsim::Error) -> Result<Run, Error> {
    let fault = fault(error).map_err(|other| Error::Bug(other.to_string()))?;
    Ok(Run::failed(fault, DEVICE.into()))
}

/// The fault that an error of the simulator is; the error itself where it is not about the kernel.
///
/// # Errors
/// What only a bug of ours can cause.
pub fn fault(error: ptxsim::Error) -> Result<Fault, ptxsim::Error> {
    use ptxsim::Error as E;
    let driver = |code, name: &str, text| Fault::Driver { code, name: name.into(), text };
    let fault = match error {
        E::Unsupported { feature, source_line } => {
            Fault::Unsupported { feature, source: source_line }
        }
        // What a compiler wrote and the simulator cannot read; inline assembly has been looked at before.
        E::Parse { .. } => Fault::Unsupported { feature: error.to_string(), source: None },
        E::NoSuchEntry { .. } => driver(500, "CUDA_ERROR_NOT_FOUND", error.to_string()),
        E::BadLaunch { error, text } => driver(error.code(), error.name(), text),
        // The exercise's own arrays are small: it is a `__device__` array that does not fit.
        E::Memory(text) => driver(2, "CUDA_ERROR_OUT_OF_MEMORY", text),
        other => return Err(other),
    };
    Ok(fault)
}
