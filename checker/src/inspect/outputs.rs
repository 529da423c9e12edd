//! Runs one case and returns its outputs beside the right ones.

use ptxsim::trace::{Thread, Writer};

use super::{Subject, prepare};
use crate::attempt::{Attempt, Error, Options, millis_since};
use crate::backend::Choice;
use crate::engine::Engine;
use crate::judge::{self, Elements};
use crate::spec::Spec;
use crate::verdict::{Unreadable, Verdict};

/// The outputs of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Index into `Spec::cases`.
    pub case: usize,
    /// The learner's file.
    pub source: String,
    /// What is wrong with this case; `None` when its outputs are right.
    pub verdict: Option<Verdict>,
    /// The outputs in the order of the parameters.
    pub arrays: Vec<Elements>,
    /// The thread that wrote the first wrong element of the first output that has one. `None` of a
    /// program, of an element that nothing has written, and where the thread is not certain.
    pub writer: Option<Writer>,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// Runs one case of `spec` on the simulator with this source. The inner error is an attempt
/// whose verdict says why nothing ran.
///
/// # Errors
/// As [`super::profile`].
pub fn outputs(
    spec: &'static Spec,
    source: Result<String, Unreadable>,
    engine: &mut Engine,
    options: &Options,
) -> Result<Result<Outputs, Attempt>, Error> {
    let mut subject = match prepare(spec, source, engine, options)? {
        Ok(subject) => subject,
        Err(attempt) => return Ok(Err(attempt)),
    };
    let run = subject.code.run(Choice::Sim, spec, &subject.prepared, engine)?;
    let (case, inputs) = (subject.case, &subject.prepared.inputs);
    let verdict = judge::case(spec, case, inputs, &run);
    let verdict = verdict.map(|verdict| judge::not_started(verdict, case, &subject.source));
    let arrays = judge::elements(spec, case, inputs, &run);
    let wrong = arrays.iter().find(|array| !array.wrong.is_empty());
    let writer = match wrong {
        Some(array) => writer(spec, &subject, array, engine)?,
        None => None,
    };
    let Subject { source, started, .. } = subject;
    Ok(Ok(Outputs { case, source, verdict, arrays, writer, millis: millis_since(started) }))
}

/// The thread of a kernel that wrote the first wrong element of an array.
fn writer(
    spec: &'static Spec,
    Subject { code, prepared, .. }: &Subject,
    array: &Elements,
    engine: &mut Engine,
) -> Result<Option<Writer>, Error> {
    let Some(module) = code.module(prepared.case) else { return Ok(None) };
    let first = array
        .wrong
        .first()
        .copied()
        .filter(|first| array.yours.get(*first).is_some_and(Option::is_some));
    let (Some(first), Ok(parameter)) = (first, u32::try_from(array.parameter)) else {
        return Ok(None);
    };
    let byte = first as u64 * array.dtype.bytes() as u64;
    let thread = Thread { written: Some((parameter, byte)), ..Thread::default() };
    let (_, trace) = engine.trace(&module.ptx, &prepared.launch(spec), thread)?;
    Ok(trace.and_then(|trace| trace.writer))
}
