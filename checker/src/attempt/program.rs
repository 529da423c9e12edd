//! An exercise with host code: nvcc compiles it into one shared object for each backend, and a
//! worker calls its function.

use cudart_sim::runtime::TracedLaunch;

use super::{Error, PreparedCase, Purpose};
use crate::backend::{Call, Choice, Fault, Run};
use crate::compile::functions::{self, Difference, Parameter};
use crate::compile::{Message, Outcome, Program, ProgramOptions, Severity, Target};
use crate::engine::{Engine, LAUNCH_TIME_LIMIT};
use crate::spec::{Param, Role, Spec};
use crate::verdict::{Signature, Verdict};
use crate::worker::ProgramProcess;

/// A compiled program.
pub struct CompiledProgram {
    program: Program,
    /// The first call in the source of a function that the simulator does not have.
    missing: Option<Fault>,
    /// Its process on the GPU, in which all calls so far were right. The driver creates CUDA
    /// contexts one after another, each in about 0.2 s (NVIDIA H200,
    /// `checker/proof/records/nvidia-h200-grading.md`), so a right program uses one context for all
    /// its cases, and a grade uses one for all files of a student.
    gpu_process: Option<ProgramProcess>,
}

impl CompiledProgram {
    /// Compiles for the simulator, and for the GPU if `purpose` needs it. The inner error says why
    /// the code cannot run.
    pub fn new(
        spec: &Spec,
        source: &str,
        purpose: Purpose,
        engine: &mut Engine,
    ) -> Result<Result<Self, Verdict>, Error> {
        let file = format!("{}.cu", spec.id);
        let target = if purpose.on_gpu() { Target::Both } else { Target::Simulator };
        let options = ProgramOptions { fmad: purpose.fmad(), ..ProgramOptions::exercise(target) };
        let program = match engine.build(source, &file, &options)? {
            Outcome::Compiled(program) => program,
            Outcome::Rejected(messages) => return Ok(Err(Verdict::CompileError(messages))),
            Outcome::Stopped(what) => return Ok(Err(Verdict::CompilerStopped(what))),
            Outcome::Unavailable(why) => return Err(Error::Compiler(why)),
        };
        let parameters: Vec<Parameter> = spec.params.iter().map(parameter).collect();
        let found = match &program.functions {
            Ok(functions) => functions::compare(spec.id, &parameters, functions),
            // nvcc copies inline assembly into the object, sections included
            Err(why) => return Ok(Err(Verdict::CompileError(vec![unreadable(why)]))),
        };
        if let Some(difference) = found {
            return Ok(Err(Verdict::WrongSignature(signature(spec, difference))));
        }
        let missing = program.missing.first().map(|name| missing(name, &file, source));
        Ok(Ok(Self { program, missing, gpu_process: None }))
    }

    /// The compiler's warnings.
    pub fn warnings(&self) -> &[Message] {
        &self.program.warnings
    }

    /// Calls the program's function for one case. On the GPU, the process may have served earlier
    /// cases or files.
    pub fn run(
        &mut self,
        backend: Choice,
        spec: &Spec,
        prepared: &PreparedCase,
        engine: &mut Engine,
    ) -> Result<Run, Error> {
        let resources = self.program.resources.clone().unwrap_or_default();
        let call = Call { resources: resources.clone(), ..prepared.call(spec) };
        match (backend, &self.program.gpu, &self.missing) {
            (Choice::Gpu, Some(object), _) => {
                let mut process = match self.gpu_process.take() {
                    Some(process) => process,
                    None => engine.load(Choice::Gpu, object)?,
                };
                let run = process.call(&call, LAUNCH_TIME_LIMIT)?;
                self.gpu_process = Some(process);
                Ok(run)
            }
            (_, _, Some(fault)) => Ok(Run::failed(fault.clone(), "simulator".into())),
            _ => {
                let mut process = engine.load(Choice::Sim, &self.program.object)?;
                let run = process.call(&call, LAUNCH_TIME_LIMIT)?;
                Ok(Run { resources, ..run })
            }
        }
    }

    /// Calls the function of a program once on the simulator, which records what a thread of one
    /// launch does. `None` when the program does not compile for debugging.
    pub fn trace(
        spec: &Spec,
        source: &str,
        (prepared, traced): (&PreparedCase, &TracedLaunch),
        debug: bool,
        engine: &mut Engine,
    ) -> Result<Option<Run>, Error> {
        let options = ProgramOptions { debug, ..ProgramOptions::exercise(Target::Simulator) };
        let Outcome::Compiled(program) =
            engine.build(source, &format!("{}.cu", spec.id), &options)?
        else {
            return Ok(None);
        };
        let call = Call { traced: Some(traced.clone()), ..prepared.call(spec) };
        let mut process = engine.load(Choice::Sim, &program.object)?;
        Ok(Some(process.call(&call, LAUNCH_TIME_LIMIT)?))
    }

    /// Leaves the process on the GPU to the next program.
    pub fn keep_gpu_process(self, engine: &mut Engine) {
        if let Some(process) = self.gpu_process {
            engine.keep(process);
        }
    }

    /// Ends the process on the GPU after a case that was wrong there. True when earlier calls in
    /// that process may be the cause, so that the case must run again.
    pub fn end_gpu_process(&mut self) -> bool {
        self.gpu_process.take().is_some_and(|process| process.calls() > 1)
    }
}

/// The error about a program whose debugging data cannot be read.
fn unreadable(why: &str) -> Message {
    Message {
        file: None,
        severity: Severity::Error,
        line: 0,
        column: 0,
        length: 1,
        text: format!("{why}: does inline assembly change what the compiler writes?"),
    }
}

/// The parameter that the program's function needs for an argument of the exercise.
fn parameter(param: &Param) -> Parameter {
    match param.role {
        Role::Scalar => Parameter::Scalar(param.dtype),
        Role::In => Parameter::Pointer { element: param.dtype, written: false },
        Role::Out | Role::InOut | Role::Time | Role::Host | Role::Answer => {
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

/// The fault for a function that the simulator does not have, at the place where the source first
/// names it.
fn missing(name: &str, file: &str, source: &str) -> Fault {
    let place = (1..).zip(source.lines()).find_map(|(line, text)| {
        let column = text.find(name)?;
        let column = u32::try_from(column + 1).ok()?;
        Some(ptxsim::Source { file: file.into(), line, column })
    });
    Fault::Unsupported { feature: format!("{name}()"), source: place }
}
