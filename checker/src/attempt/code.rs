//! An exercise's code, compiled and ready for its cases, whatever its kind.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::program::Built;
use super::{BUDGET, Error, kernel};
use crate::backend::{Arg, Call, Choice, Launch, Run};
use crate::compile;
use crate::engine::Engine;
use crate::spec::{Case, Kind, Param, Role, Spec};
use crate::value::Value;
use crate::verdict::Verdict;

/// Macros and their values, as a case has them.
type Defines = &'static [(&'static str, i64)];

/// Compiled code whose parameters are those of the exercise.
pub(crate) enum Code {
    /// Device code only: a module for each set of macros that the cases define.
    Kernel(Vec<(Defines, compile::Module)>),
    /// Host code, too.
    Program(Box<Built>),
}

impl Code {
    /// Compiles for `cases`, and compares the parameters; or the verdict that keeps the code from running.
    pub(crate) fn compile(
        spec: &Spec,
        cases: impl IntoIterator<Item = &'static Case>,
        source: &str,
        on_gpu: bool,
        engine: &mut Engine,
    ) -> Result<Result<Self, Verdict>, Error> {
        Ok(match spec.kind {
            Kind::Kernel => {
                let mut modules: Vec<(Defines, compile::Module)> = vec![];
                for case in cases {
                    if modules.iter().any(|(defines, _)| *defines == case.defines) {
                        continue;
                    }
                    match kernel::module(spec, source, engine, &kernel::options(case))? {
                        Ok(module) => modules.push((case.defines, module)),
                        Err(verdict) => return Ok(Err(verdict)),
                    }
                }
                Ok(Self::Kernel(modules))
            }
            Kind::Program => Built::new(spec, source, on_gpu, engine)?
                .map(|built| Self::Program(Box::new(built))),
        })
    }

    /// Runs a case on the GPU or the simulator.
    pub(crate) fn run(
        &mut self,
        backend: Choice,
        spec: &Spec,
        ready: &Ready,
        engine: &mut Engine,
    ) -> Result<Run, Error> {
        match self {
            Self::Kernel(_) => {
                let module = self.module(ready.case).ok_or(Error::Nothing)?;
                Ok(engine.run(backend, &module.ptx, &ready.launch(spec))?)
            }
            Self::Program(built) => built.run(backend, spec, ready, engine),
        }
    }

    /// After a case that was wrong on the GPU: the next one has a process that knows nothing of it. True when cases before it
    /// may be the reason, and it has to be run again. (A kernel that faults loses its process anyway; another leaves nothing.)
    pub(crate) fn retire(&mut self) -> bool {
        match self {
            Self::Kernel(_) => false,
            Self::Program(built) => built.retire(),
        }
    }

    /// After the last case: what was right on the GPU leaves its process to the next file.
    pub(crate) fn keep(self, engine: &mut Engine) {
        if let Self::Program(built) = self {
            built.keep(engine);
        }
    }

    /// The module for `case`; of a program, and for a case that was not asked for, none.
    pub(crate) fn module(&self, case: &Case) -> Option<&compile::Module> {
        let Self::Kernel(modules) = self else { return None };
        modules.iter().find(|(defines, _)| *defines == case.defines).map(|(_, module)| module)
    }
}

/// A case with its arguments.
pub(crate) struct Ready {
    /// The case.
    pub case: &'static Case,
    /// Its arguments in the order of the parameters.
    pub inputs: Vec<Value>,
    /// Its seed: each case has one of its own.
    pub seed: u64,
    /// Launches or calls beyond the first, to be timed.
    pub repeat: u32,
}

impl Ready {
    pub(crate) fn new(spec: &Spec, (index, case): (usize, &'static Case), seed: u64) -> Self {
        let seed = seed.wrapping_add(index as u64);
        let inputs = (spec.inputs)(case, &mut ChaCha8Rng::seed_from_u64(seed));
        Self { case, inputs, seed, repeat: 0 }
    }

    /// The launch of a kernel: arguments as bytes, in the order of its parameters.
    pub(crate) fn launch(&self, spec: &Spec) -> Launch {
        Launch {
            entry: spec.id.into(),
            grid: self.case.grid,
            block: self.case.block,
            shared: self.case.shared,
            cooperative: spec.cooperative,
            args: self.args(spec).collect(),
            seed: self.seed,
            budget: BUDGET,
            repeat: self.repeat,
        }
    }

    /// The call of a program's function.
    pub(crate) fn call(&self, spec: &Spec) -> Call {
        Call {
            entry: spec.id.into(),
            args: spec.params.iter().map(|param| param.dtype).zip(self.args(spec)).collect(),
            seed: self.seed,
            budget: BUDGET,
            repeat: self.repeat,
        }
    }

    /// The arguments as bytes.
    fn args(&self, spec: &Spec) -> impl Iterator<Item = Arg> {
        spec.params.iter().zip(&self.inputs).map(|(param, value)| arg(param, value))
    }
}

fn arg(param: &Param, value: &Value) -> Arg {
    let buffer = |dtype, bytes, data| Arg::Buffer {
        name: param.name.into(),
        dtype,
        bytes,
        data,
        writable: param.role != Role::In,
    };
    match value {
        Value::Scalar(scalar) => Arg::Scalar(scalar.to_bytes()),
        Value::Array(array) => {
            let data = array.to_bytes();
            buffer(array.dtype(), data.len(), Some(data))
        }
        Value::Out { dtype, shape } => {
            buffer(*dtype, shape.iter().product::<usize>() * dtype.bytes(), None)
        }
    }
}
