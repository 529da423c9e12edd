//! Compiles an exercise of device code only with NVRTC and compares its parameters with the Spec's.

use super::Error;
use crate::abi;
use crate::compile::{self, Outcome};
use crate::engine::Engine;
use crate::spec::{Case, Spec};
use crate::verdict::{Results, Verdict};

/// The compiler options for `case`.
pub(crate) fn options(case: &Case) -> compile::Options {
    let defines = case.defines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    compile::Options { defines, ..compile::Options::default() }
}

/// Compiles `source`. The inner error says why the kernel cannot run: for example, its parameters
/// are not the Spec's.
pub(crate) fn compile_kernel(
    spec: &Spec,
    source: &str,
    engine: &mut Engine,
    options: &compile::Options,
) -> Result<Result<compile::Module, Verdict>, Error> {
    let module = match engine.compile(source, &format!("{}.cu", spec.id), options)? {
        Outcome::Compiled(module) => module,
        Outcome::Rejected(messages) => return Ok(Err(Verdict::CompileError(messages))),
        Outcome::Stopped(what) => return Ok(Err(Verdict::CompilerStopped(what))),
        Outcome::Unavailable(why) => return Err(Error::Compiler(why)),
    };
    if let Some(fault) = module.unusable {
        return Ok(Err(Verdict::Fault { case: 0, fault, others: 0, results: Results::default() }));
    }
    Ok(match abi::compare(spec, &module.kernels) {
        Some(difference) => Err(Verdict::WrongSignature(difference)),
        None => Ok(module),
    })
}
