//! An exercise looked at from all sides, for a grade: every case is run, also when one before it is wrong.

use std::time::{Duration, Instant};

use super::{Attempt, Code, Error, Facts, OnGpu, Options, Ready, Seen};
use crate::diagnostic::Slug;
use crate::engine::Engine;
use crate::judge;
use crate::progress;
use crate::spec::Spec;
use crate::verdict::{Measured, Verdict};

/// A run that a grade asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// Index into `Spec::cases`.
    pub case: usize,
    /// The seed of its inputs, as `checker check --seed` takes it.
    pub seed: u64,
    /// Whether that is secret.
    pub hidden: bool,
}

/// What a trial came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// What was asked for.
    pub trial: Trial,
    /// Whether it was run at all; if not, it does not hold.
    pub ran: bool,
    /// What is wrong; `None` when nothing is.
    pub verdict: Option<Verdict>,
    /// Where it is the case that gates are measured on: each gate with what was measured.
    pub gates: Vec<Measured>,
    /// Who ran it.
    pub device: String,
    /// What the code printed.
    pub printed: Option<String>,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// What a file came to.
#[derive(Debug, Clone)]
pub struct Examination {
    /// As `checker check` says it of the public inputs.
    pub attempt: Attempt,
    /// In the order asked for.
    pub tried: Vec<Tried>,
}

/// Cases that may run into the clock before the rest is left out.
const MOST_TIMEOUTS: usize = 2;

/// Runs every trial on `source`, within `limit` of wall time in all: what is left then is not run.
///
/// # Errors
/// When the code could not be tried; whatever is wrong with the file is in the examination.
pub fn examine(
    spec: &'static Spec,
    source: Result<String, crate::verdict::Unreadable>,
    trials: &[Trial],
    engine: &mut Engine,
    limit: Duration,
) -> Result<Examination, Error> {
    let started = Instant::now();
    let seed = trials.iter().find(|trial| !trial.hidden).map_or(super::SEED, |trial| trial.seed);
    let mut attempt = Attempt::new(&Options { case: None, seed });
    let stopped = match source {
        Ok(source) => {
            attempt.hash = progress::hash(source.as_bytes());
            attempt.source = source;
            None
        }
        Err(unreadable) => Some(Verdict::UnreadableSource(unreadable)),
    };
    let on_gpu = engine.uses_gpu().map_err(Error::NoGpu)?;
    let compiled = match stopped {
        Some(verdict) => Err(verdict),
        None => Code::compile(spec, spec.cases, &attempt.source, on_gpu, engine)?,
    };
    let mut code = match compiled {
        Ok(code) => code,
        Err(verdict) => {
            attempt.verdict = verdict;
            attempt.millis = millis(started);
            let tried = trials.iter().map(|trial| Tried::left_out(*trial)).collect();
            return Ok(Examination { attempt, tried });
        }
    };

    let mut facts = Facts::default();
    let mut tried: Vec<Tried> = vec![];
    let mut first: Option<usize> = None;
    for &trial in trials {
        let slow = |t: &&Tried| t.verdict.as_ref().is_some_and(|v| v.slug() == Slug::NeverFinishes);
        let late = started.elapsed() > limit || tried.iter().filter(slow).count() >= MOST_TIMEOUTS;
        let case = spec.cases.get(trial.case).filter(|_| !late);
        let Some(case) = case else {
            tried.push(Tried::left_out(trial));
            continue;
        };
        let began = Instant::now();
        let ready = Ready::new(spec, (trial.case, case), trial.seed);
        let told = !trial.hidden && first.is_none();
        // what the simulator has found out is not let loose on a GPU that many share
        let gpu = if on_gpu { OnGpu::ToDecide } else { OnGpu::Never };
        let seen = Seen::of(spec, trial.case, &ready, &mut code, gpu, engine)?;
        let right = seen.verdict.is_none();
        let gates = match case.gated && right {
            true => judge::gates(spec, trial.case, &seen.run).0,
            false => vec![],
        };
        if told {
            attempt.device.clone_from(&seen.device);
            attempt.printed.clone_from(&seen.printed);
            attempt.gpu = seen.gpu;
            if right {
                facts.add(spec, (trial.case, case), &ready.inputs, &seen.run);
            } else {
                first = Some(tried.len());
            }
        }
        tried.push(Tried {
            trial,
            ran: true,
            verdict: seen.verdict,
            gates,
            device: seen.device,
            printed: seen.printed,
            millis: millis(began),
        });
    }
    code.keep(engine);
    let failed =
        first.and_then(|at| tried.get(at)).and_then(|t| Some((t.trial.case, t.verdict.clone()?)));
    attempt.verdict = match failed {
        // as in a check: the count that was missed on less data is why more of it takes too long
        Some((_, verdict)) if verdict.slug() == Slug::NeverFinishes && facts.missed() => {
            facts.verdict()
        }
        Some((case, verdict)) => judge::not_started(verdict, case, &attempt.source),
        None => facts.verdict(),
    };
    attempt.millis = millis(started);
    Ok(Examination { attempt, tried })
}

impl Tried {
    /// A trial that was not run.
    pub(crate) fn left_out(trial: Trial) -> Self {
        let device = String::new();
        Self { trial, ran: false, verdict: None, gates: vec![], device, printed: None, millis: 0 }
    }

    /// Whether the case is right.
    pub fn holds(&self) -> bool {
        self.ran && self.verdict.is_none()
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
