//! Compiled code of an exercise of either kind. This is the only place that matches the kind.

use super::program::CompiledProgram;
use super::{Error, PreparedCase, kernel, resources};
use crate::backend::{Choice, Run};
use crate::compile::{self, Assembly};
use crate::engine::Engine;
use crate::spec::{Case, Kind, Spec};
use crate::verdict::Verdict;

/// Macros and their values ([`Case::defines`]).
type Defines = &'static [(&'static str, i64)];

/// What an exercise's code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Results that are the same on every device, so `a * b + c` rounds twice.
    Verdict {
        /// Whether a GPU runs it as well as the simulator.
        on_gpu: bool,
    },
    /// Times on a GPU. `a * b + c` is one operation, as is nvcc's default: two operations would
    /// halve the rate of a matrix product.
    Timing,
    /// Counts of the work that would be timed: the same code, on the simulator.
    Counting,
}

impl Purpose {
    /// Whether a GPU runs the code.
    pub(super) fn on_gpu(self) -> bool {
        matches!(self, Self::Verdict { on_gpu: true } | Self::Timing)
    }

    /// Whether `a * b + c` may become one operation.
    pub(super) fn fmad(self) -> bool {
        matches!(self, Self::Timing | Self::Counting)
    }
}

/// Compiled code whose parameters are those of the exercise.
pub enum CompiledCode {
    /// Device code only: a module for each set of macros that the cases define.
    Kernel(Vec<(Defines, compile::Module)>),
    /// Host and device code.
    Program(Box<CompiledProgram>),
}

impl CompiledCode {
    /// Compiles for `cases` and compares the parameters with the Spec's. The inner error says why
    /// the code cannot run.
    pub fn compile(
        spec: &Spec,
        cases: impl IntoIterator<Item = &'static Case>,
        source: &str,
        purpose: Purpose,
        engine: &mut Engine,
    ) -> Result<Result<Self, Verdict>, Error> {
        Ok(match spec.kind {
            Kind::Kernel => {
                let mut modules: Vec<(Defines, compile::Module)> = vec![];
                for case in cases {
                    if modules.iter().any(|(defines, _)| *defines == case.defines) {
                        continue;
                    }
                    let options =
                        compile::Options { fmad: purpose.fmad(), ..kernel::options(case) };
                    match kernel::compile_kernel(spec, source, engine, &options)? {
                        Ok(module) => modules.push((case.defines, module)),
                        Err(verdict) => return Ok(Err(verdict)),
                    }
                }
                Ok(Self::Kernel(modules))
            }
            Kind::Program(_) => CompiledProgram::new(spec, source, purpose, engine)?
                .map(|program| Self::Program(Box::new(program))),
        })
    }

    /// Runs a case on the GPU or the simulator.
    pub fn run(
        &mut self,
        backend: Choice,
        spec: &Spec,
        prepared: &PreparedCase,
        engine: &mut Engine,
    ) -> Result<Run, Error> {
        match self {
            Self::Kernel(_) => {
                let module = self.module(prepared.case).ok_or(Error::Nothing)?;
                let mut launch = prepared.launch(spec);
                if backend == Choice::Sim
                    && let Some(fault) = resources::refusal(module, &launch, engine)?
                {
                    return Ok(Run::failed(fault, "simulator".into()));
                }
                let gated = prepared.case.gated && resources::decide_gates(spec);
                let resources = match backend == Choice::Sim && (gated || launch.part_of.is_some())
                {
                    true => {
                        engine.resources(&module.ptx, &Assembly::default())?.unwrap_or_default()
                    }
                    false => vec![],
                };
                if let Some(whole) = &mut launch.part_of {
                    let kernel = resources.iter().find(|kernel| kernel.name == launch.entry);
                    whole.registers = kernel.map(|kernel| kernel.registers);
                }
                let run = engine.run(backend, &module.ptx, &launch)?;
                Ok(Run { resources, ..run })
            }
            Self::Program(program) => program.run(backend, spec, prepared, engine),
        }
    }

    /// Ends a program's process on the GPU after a case that was wrong there, so that the next case
    /// starts in a new one. True when earlier cases in that process may be the cause, so that the
    /// case must run again. A kernel needs neither: one that faults has already lost its process,
    /// and any other leaves nothing behind.
    pub fn end_gpu_process(&mut self) -> bool {
        match self {
            Self::Kernel(_) => false,
            Self::Program(program) => program.end_gpu_process(),
        }
    }

    /// Leaves a program's process on the GPU to the next file, after the last case.
    pub fn keep_gpu_process(self, engine: &mut Engine) {
        if let Self::Program(program) = self {
            program.keep_gpu_process(engine);
        }
    }

    /// The compiler's warnings. Macros of a case hardly change them, so those of one module are
    /// enough.
    pub fn warnings(&self) -> &[compile::Message] {
        match self {
            Self::Kernel(modules) => modules.first().map_or(&[], |(_, module)| &module.warnings),
            Self::Program(program) => program.warnings(),
        }
    }

    /// The module for `case`; `None` for a program, and for a case that the code was not compiled
    /// for.
    pub fn module(&self, case: &Case) -> Option<&compile::Module> {
        let Self::Kernel(modules) = self else { return None };
        modules.iter().find(|(defines, _)| *defines == case.defines).map(|(_, module)| module)
    }
}
