//! An exercise with host code: compiled by nvcc, with an object for each backend, its function's parameters compared, and
//! called by a worker.

use super::{Error, PreparedCase};
use crate::backend::{Choice, Fault, Run};
use crate::compile::{Outcome, Program, ProgramOptions, Target};
use crate::engine::{Engine, LIMIT};
use crate::program::entry::{self, Difference, Parameter};
use crate::spec::{Param, Role, Spec};
use crate::verdict::{Signature, Verdict};
use crate::worker::ProgramProcess;

/// A compiled program.
pub(crate) struct CompiledProgram {
    program: Program,
    /// Where the source calls what the simulator does not have.
    missing: Option<Fault>,
    /// Its process on the GPU, where every call so far was right. A driver makes one CUDA context after the other, each in a
    /// fifth of a second (`checker/proof/records/nvidia-h200-grading.md`), so what is right has one for all cases, and in a grade
    /// for all files of a student's.
    gpu_process: Option<ProgramProcess>,
}

impl CompiledProgram {
    /// Compiles for the simulator, and for the GPU where that is used; or the verdict that keeps the code from running.
    pub(crate) fn new(
        spec: &Spec,
        source: &str,
        on_gpu: bool,
        engine: &mut Engine,
    ) -> Result<Result<Self, Verdict>, Error> {
        let file = format!("{}.cu", spec.id);
        let target = if on_gpu { Target::Both } else { Target::Simulator };
        let options = ProgramOptions { target, fmad: false, folder: None };
        let program = match engine.build(source, &file, &options)? {
            Outcome::Compiled(program) => program,
            Outcome::Rejected(messages) => return Ok(Err(Verdict::CompileError(messages))),
            Outcome::Stopped(what) => return Ok(Err(Verdict::CompilerStopped(what))),
            Outcome::Unavailable(why) => return Err(Error::Compiler(why)),
        };
        let parameters: Vec<Parameter> = spec.params.iter().map(parameter).collect();
        if let Some(difference) = entry::check(spec.id, &parameters, &program.object)? {
            return Ok(Err(Verdict::WrongSignature(signature(spec, difference))));
        }
        let missing = program.missing.first().map(|name| missing(name, &file, source));
        Ok(Ok(Self { program, missing, gpu_process: None }))
    }

    /// Calls the program's function for one case. On the GPU that may be in the process of the case before, or of the file
    /// before.
    pub(crate) fn run(
        &mut self,
        backend: Choice,
        spec: &Spec,
        prepared: &PreparedCase,
        engine: &mut Engine,
    ) -> Result<Run, Error> {
        let call = prepared.call(spec);
        match (backend, &self.program.gpu, &self.missing) {
            (Choice::Gpu, Some(object), _) => {
                let mut process = match self.gpu_process.take() {
                    Some(process) => process,
                    None => engine.load(Choice::Gpu, object)?,
                };
                let run = process.call(&call, LIMIT)?;
                self.gpu_process = Some(process);
                Ok(run)
            }
            (_, _, Some(fault)) => Ok(Run::failed(fault.clone(), "simulator".into())),
            _ => {
                let mut process = engine.load(Choice::Sim, &self.program.object)?;
                Ok(process.call(&call, LIMIT)?)
            }
        }
    }

    /// Leaves the process on the GPU to the next program.
    pub(crate) fn keep_gpu_process(self, engine: &mut Engine) {
        if let Some(process) = self.gpu_process {
            engine.keep(process);
        }
    }

    /// Ends the process on the GPU, after a case that was wrong there. True when calls before that one may be the reason, and
    /// the case has to be run again.
    pub(crate) fn end_gpu_process(&mut self) -> bool {
        self.gpu_process.take().is_some_and(|process| process.calls() > 1)
    }
}

/// The parameter that the program's function needs for an argument of the exercise.
fn parameter(param: &Param) -> Parameter {
    match param.role {
        Role::Scalar => Parameter::Scalar(param.dtype),
        Role::In => Parameter::Pointer { element: param.dtype, written: false },
        Role::Out | Role::InOut | Role::Time | Role::Answer => {
            Parameter::Pointer { element: param.dtype, written: true }
        }
    }
}

/// How the program's function differs from the exercise's, in terms of the exercise.
fn signature(spec: &Spec, difference: Difference) -> Signature {
    match difference {
        Difference::Missing { found } => {
            Signature::NoSuchKernel { expected: spec.id.to_owned(), found }
        }
        Difference::Count { found } => Signature::Count { expected: spec.params.to_vec(), found },
        Difference::Type { index, found } => {
            Signature::Type { index, expected: spec.params[index], found }
        }
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
