//! An exercise with host code: compiled by nvcc into an object for each backend, its function's parameters compared, and
//! called by a worker.

use super::{Error, Ready};
use crate::backend::{Choice, Fault, Run};
use crate::compile::{Outcome, Program, ProgramOptions, Target};
use crate::engine::Engine;
use crate::program::entry;
use crate::spec::Spec;
use crate::verdict::Verdict;

/// A compiled program.
pub(crate) struct Built {
    simulator: Program,
    gpu: Option<Program>,
    /// Where the source calls what the simulator does not have.
    missing: Option<Fault>,
}

impl Built {
    /// Compiles for the simulator, and for the GPU where that is used; or the verdict that keeps the code from running.
    pub(crate) fn new(
        spec: &Spec,
        source: &str,
        on_gpu: bool,
        engine: &mut Engine,
    ) -> Result<Result<Self, Verdict>, Error> {
        let file = format!("{}.cu", spec.id);
        let mut build = |target| {
            let options = ProgramOptions { target, fmad: false, folder: None };
            Ok::<_, Error>(match engine.build(source, &file, &options)? {
                Outcome::Compiled(program) => Ok(program),
                Outcome::Rejected(messages) => Err(Verdict::CompileError(messages)),
                Outcome::Stopped(what) => Err(Verdict::CompilerStopped(what)),
                Outcome::Unavailable(why) => return Err(Error::Compiler(why)),
            })
        };
        let simulator = match build(Target::Simulator)? {
            Ok(program) => program,
            Err(verdict) => return Ok(Err(verdict)),
        };
        let gpu = match on_gpu.then(|| build(Target::Gpu)).transpose()?.transpose() {
            Ok(program) => program,
            Err(verdict) => return Ok(Err(verdict)),
        };
        if let Some(difference) = entry::check(spec, &simulator.object)? {
            return Ok(Err(Verdict::WrongSignature(difference)));
        }
        let missing = simulator.missing.first().map(|name| missing(name, &file, source));
        Ok(Ok(Self { simulator, gpu, missing }))
    }

    /// Calls the program's function for one case.
    pub(crate) fn run(
        &self,
        backend: Choice,
        spec: &Spec,
        ready: &Ready,
        engine: &mut Engine,
    ) -> Result<Run, Error> {
        let call = ready.call(spec);
        let object = match (backend, &self.gpu, &self.missing) {
            (Choice::Gpu, Some(program), _) => &program.object,
            (_, _, Some(fault)) => return Ok(Run::failed(fault.clone(), "simulator".into())),
            _ => &self.simulator.object,
        };
        Ok(engine.call(backend, object, &call)?)
    }
}

/// A function that the simulator does not have, where the source first names it.
fn missing(name: &str, file: &str, source: &str) -> Fault {
    let place = (1..).zip(source.lines()).find_map(|(line, text)| {
        let column = text.find(name)?;
        let column = u32::try_from(column + 1).ok()?;
        Some(ptxsim::Source { file: file.into(), line, column })
    });
    Fault::Unsupported { feature: format!("{name}()"), source: place }
}
