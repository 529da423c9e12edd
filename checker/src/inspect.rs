//! One case of one exercise, looked at closely on the simulator: what `profile` and `trace` share.

use std::path::Path;
use std::time::Instant;

use ptxsim::Observations;

use crate::attempt::{self, Attempt, Error, Options};
use crate::backend::{Choice, Launch};
use crate::compile;
use crate::engine::Engine;
use crate::spec::{Case, Spec};
use crate::value::Value;
use crate::verdict::{Measured, Verdict};
use crate::{judge, source};

/// A kernel that compiles and has the Spec's parameters, ready for one case.
pub(crate) struct Subject {
    /// Index into `Spec::cases`.
    pub case: usize,
    /// The learner's file.
    pub source: String,
    /// The compiled file.
    pub module: compile::Module,
    /// The case's arguments.
    pub inputs: Vec<Value>,
    /// The same as bytes, with the geometry.
    pub launch: Launch,
    /// When the work began.
    pub started: Instant,
}

/// What a case did, in counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiled {
    /// Index into `Spec::cases`.
    pub case: usize,
    /// The learner's file.
    pub source: String,
    /// What is wrong with this case; `None` when its outputs are right.
    pub verdict: Option<Verdict>,
    /// What the simulator counted.
    pub observations: Observations,
    /// Every gate with what was measured; empty where the case is not gated.
    pub gates: Vec<Measured>,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// Counts what one case of `spec` does with the kernel at `path`. The inner error is an attempt whose verdict says why
/// nothing ran.
///
/// # Errors
/// When it could not be tried; whatever is wrong with the learner's file is in a verdict.
pub fn profile(
    spec: &'static Spec,
    path: &Path,
    engine: &mut Engine,
    options: &Options,
) -> Result<Result<Profiled, Attempt>, Error> {
    let subject = match prepare(spec, path, engine, options, &compile::Options::default())? {
        Ok(subject) => subject,
        Err(attempt) => return Ok(Err(attempt)),
    };
    let run = engine.run(Choice::Sim, &subject.module.ptx, &subject.launch)?;
    let Subject { case, source, inputs, started, .. } = subject;
    let verdict = judge::case(spec, case, &inputs, &run);
    let verdict = verdict.map(|verdict| attempt::not_started(verdict, case, &source));
    let millis = millis(started);
    Ok(match (run.observations, verdict) {
        (Some(observations), verdict) => {
            let gates = judge::gates(spec, case, Some(&observations)).0;
            Ok(Profiled { case, source, verdict, observations, gates, millis })
        }
        (None, Some(verdict)) => Err(Attempt { verdict, source, millis, ..Attempt::new(options) }),
        (None, None) => return Err(Error::Nothing),
    })
}

/// Reads, compiles and readies the case asked for, or the usual one. The inner error is an attempt whose verdict says
/// why the kernel cannot run.
pub(crate) fn prepare(
    spec: &'static Spec,
    path: &Path,
    engine: &mut Engine,
    options: &Options,
    how: &compile::Options,
) -> Result<Result<Subject, Attempt>, Error> {
    let started = Instant::now();
    let (case, chosen) = choose(spec, options)?;
    let refuse = |verdict, source| Attempt {
        verdict,
        source,
        millis: millis(started),
        ..Attempt::new(options)
    };
    let source = match source::read(path) {
        Ok(source) => source,
        Err(unreadable) => {
            return Ok(Err(refuse(Verdict::UnreadableSource(unreadable), String::new())));
        }
    };
    let module = match attempt::module(spec, &source, engine, how)? {
        Ok(module) => module,
        Err(verdict) => return Ok(Err(refuse(verdict, source))),
    };
    let (inputs, launch) = attempt::ready(spec, (case, chosen), options.seed);
    Ok(Ok(Subject { case, source, module, inputs, launch, started }))
}

/// The case asked for; without one, the first whose counts are graded, or else the first.
fn choose(spec: &'static Spec, options: &Options) -> Result<(usize, &'static Case), Error> {
    let cases = attempt::select(spec, options)?;
    let graded = cases.iter().find(|(_, case)| case.gated).or(cases.first());
    graded.copied().ok_or(Error::Nothing)
}

pub(crate) fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
