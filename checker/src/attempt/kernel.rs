//! Compiles an exercise of device code only with NVRTC and compares its parameters with the Spec's.

use super::Error;
use crate::abi;
use crate::backend::sim;
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
    match ptxsim::Module::parse(&module.ptx) {
        Ok(parsed) => Ok(match abi::check(spec, &parsed) {
            Some(difference) => Err(Verdict::WrongSignature(difference)),
            None => Ok(module),
        }),
        // NVRTC copies inline assembly into the PTX without checking it, so this is an error in the
        // learner's text.
        Err(ptxsim::Error::Parse { message, source_line: Some(at), .. }) => {
            Ok(Err(Verdict::CompileError(vec![compile::Message {
                file: None,
                severity: compile::Severity::Error,
                line: at.line,
                column: at.column,
                length: 1,
                text: format!("inline assembly: {message}"),
            }])))
        }
        Err(error) => {
            let fault = sim::fault(error).map_err(Error::Ptx)?;
            Ok(Err(Verdict::Fault {
                case: 0,
                fault: Box::new(fault),
                others: 0,
                results: Results::default(),
            }))
        }
    }
}
