//! Trials of one source: compiled once, each case prepared, run and judged, and one verdict for the
//! whole.

use std::time::{Duration, Instant};

use super::case_run::{CaseRun, GpuUse};
use super::second_call::{Failure, SecondCall};
use super::summary::{self, Summary};
use super::{Attempt, CompiledCode, Error, Options, PreparedCase, Purpose, SEED, millis_since};
use crate::abi;
use crate::backend::Fault;
use crate::compile::Message;
use crate::course;
use crate::diagnostic::Slug;
use crate::engine::Engine;
use crate::judge;
use crate::progress;
use crate::spec::Spec;
use crate::verdict::{Measured, Results, Unreadable, Verdict};
use crate::worker;

/// A case to be run with the inputs of one seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// Index into `Spec::cases`.
    pub case: usize,
    /// The seed of its inputs, as `checker check --seed` takes it.
    pub seed: u64,
    /// Whether the seed is secret.
    pub hidden: bool,
}

/// The result of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialResult {
    /// The trial.
    pub trial: Trial,
    /// Whether it ran. A trial that did not run does not count as passed.
    pub ran: bool,
    /// What is wrong; `None` when nothing is.
    pub verdict: Option<Verdict>,
    /// Every gate with what was measured, when the case is gated and right; else empty.
    pub gates: Vec<Measured>,
    /// The same, also when nothing but answers to questions is wrong: what the kernel costs.
    pub kernel_gates: Vec<Measured>,
    /// The device whose output is shown: "simulator", "GPU: NVIDIA H200".
    pub device: String,
    /// What the code printed.
    pub printed: Option<String>,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// The results of all trials of one source.
#[derive(Debug, Clone)]
pub struct Examination {
    /// The attempt as `checker check` reports it: its verdict is about the public trials.
    pub attempt: Attempt,
    /// One result for each trial, in the same order.
    pub results: Vec<TrialResult>,
}

/// How a list of trials is run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy {
    /// Skip the trials after the first failure.
    pub stop_at_failure: bool,
    /// Run a case on the GPU also when the simulator has found its mistake.
    pub second_opinion: bool,
    /// The first trial that would start after this much wall time, without the time in which the
    /// machine was too busy, isn't right, and those after it are skipped.
    pub time_limit: Duration,
    /// Leave a program's process on the GPU to the next source.
    pub keep_gpu_process: bool,
}

/// Trials that may end with [`Slug::NeverFinishes`] before the rest is skipped.
const MAX_TIMEOUTS: usize = 2;

/// Compiles `source` for `trials`, compares its parameters with the Spec's, and runs the trials in
/// order.
///
/// The attempt's verdict is the first failure among the public trials, or else the first missed
/// gate.
pub(super) fn run_trials(
    spec: &'static Spec,
    source: Result<String, Unreadable>,
    trials: &[Trial],
    policy: Policy,
    engine: &mut Engine,
) -> Result<Examination, Error> {
    let (started, starved) = (Instant::now(), worker::starved());
    let seed = trials.iter().find(|trial| !trial.hidden).map_or(SEED, |trial| trial.seed);
    let mut attempt = Attempt::new(&Options { case: None, seed });
    let mut results = vec![];
    attempt.verdict = match source {
        Ok(source) => {
            attempt.hash = progress::hash(source.as_bytes());
            attempt.source = source;
            let cases = trials.iter().filter_map(|trial| spec.cases.get(trial.case));
            let on_gpu = match spec.kind.has_host_code() {
                true => engine.programs_use_gpu(),
                false => engine.uses_gpu(),
            }
            .map_err(Error::NoGpu)?;
            if spec.kind.has_host_code() && !on_gpu {
                attempt.off_gpu = engine.programs_off_gpu();
            }
            let purpose = Purpose::Verdict { on_gpu };
            match CompiledCode::compile(spec, cases, &attempt.source, purpose, engine)? {
                Ok(code) => {
                    attempt.warnings = own_warnings(spec, code.warnings(), &attempt.source);
                    let gpu_use = match (on_gpu, policy.second_opinion) {
                        (false, _) => GpuUse::Never,
                        (true, false) => GpuUse::UnlessWrong,
                        (true, true) => GpuUse::Always,
                    };
                    let mut runner = Runner { spec, policy, gpu_use, started, starved, code };
                    let verdict = runner.run(trials, engine, &mut attempt, &mut results)?;
                    let verdict = with_signature(spec, verdict, &attempt.source);
                    if policy.keep_gpu_process {
                        runner.code.keep_gpu_process(engine);
                    }
                    verdict
                }
                Err(verdict) => verdict,
            }
        }
        Err(unreadable) => Verdict::UnreadableSource(unreadable),
    };
    results.extend(trials.iter().skip(results.len()).map(|trial| TrialResult::skipped(*trial)));
    attempt.millis = millis_since(started);
    Ok(Examination { attempt, results })
}

/// What is wrong with a kernel whose results are wrong because it declares its parameters in
/// another way than the exercise passes them; any other verdict as it is.
fn with_signature(spec: &Spec, verdict: Verdict, source: &str) -> Verdict {
    let of_values = match &verdict {
        Verdict::WrongValues { .. } => true,
        Verdict::Fault { fault, .. } => matches!(**fault, Fault::Finding(_)),
        _ => false,
    };
    let declared = || abi::declared::compare(spec, source);
    match of_values && !spec.kind.has_host_code() {
        true => declared().map_or(verdict, Verdict::WrongSignature),
        false => verdict,
    }
}

/// The warnings about lines that the learner wrote. The original file has variables that only its
/// TODOs use.
fn own_warnings(spec: &Spec, warnings: &[Message], source: &str) -> Vec<Message> {
    let original = course::skeleton(spec).unwrap_or_default();
    let given = |message: &Message| {
        let index = (message.line as usize).checked_sub(1);
        let line = index.and_then(|index| source.lines().nth(index)).map(str::trim);
        line.is_none_or(|line| original.lines().any(|other| other.trim() == line))
    };
    let mut own: Vec<Message> = vec![];
    for warning in warnings {
        // nvcc compiles host and device code one after another, and says most things twice.
        if !given(warning) && !own.contains(warning) {
            own.push(warning.clone());
        }
    }
    own
}

fn takes_too_long(verdict: &Verdict) -> bool {
    verdict.slug() == Slug::NeverFinishes
}

/// Runs trials of compiled code.
struct Runner {
    spec: &'static Spec,
    policy: Policy,
    gpu_use: GpuUse,
    started: Instant,
    /// [`worker::starved`] at the start.
    starved: Duration,
    code: CompiledCode,
}

impl Runner {
    /// Runs `trials` until the policy stops them, adds their results to `results` and what is shown
    /// of them to `attempt`, and returns the verdict.
    fn run(
        &mut self,
        trials: &[Trial],
        engine: &mut Engine,
        attempt: &mut Attempt,
        results: &mut Vec<TrialResult>,
    ) -> Result<Verdict, Error> {
        let mut summary = Summary::default();
        let mut failure: Option<(usize, Verdict)> = None;
        // the case's own inputs explain a mistake better than others
        let mut failed_second: Option<(usize, Failure)> = None;
        for &trial in trials {
            if (self.policy.stop_at_failure && failure.is_some()) || timeouts(results) {
                break;
            }
            if self.out_of_time() {
                let verdict = self.no_time_left(trial);
                if !trial.hidden {
                    failure.get_or_insert_with(|| (trial.case, verdict.clone()));
                }
                let verdict = Some(verdict);
                results.push(TrialResult { ran: true, verdict, ..TrialResult::skipped(trial) });
                break;
            }
            let Some(case) = self.spec.cases.get(trial.case) else {
                results.push(TrialResult::skipped(trial));
                continue;
            };
            let trial_started = Instant::now();
            let prepared = PreparedCase::new(self.spec, (trial.case, case), trial.seed);
            let mut case_run =
                CaseRun::new(self.spec, &prepared, &mut self.code, self.gpu_use, engine)?;
            let mut second = None;
            if case_run.verdict.is_none() {
                let mut caller = SecondCall { spec: self.spec, code: &mut self.code, engine };
                second = caller.failure(&prepared, &case_run, self.gpu_use)?;
            }
            if let Some(second) = second {
                case_run.verdict.clone_from(&second.case_run.verdict);
                if !trial.hidden {
                    failed_second.get_or_insert((trial.case, second));
                }
            } else if !trial.hidden && failure.is_none() {
                let missed_before = summary.missed();
                match &case_run.verdict {
                    None => summary.add(self.spec, &prepared, &case_run),
                    Some(verdict) => failure = Some((trial.case, verdict.clone())),
                }
                // what is shown belongs to the case that the verdict is about
                if !missed_before || failure.as_ref().is_some_and(|(_, v)| !takes_too_long(v)) {
                    case_run.show(attempt);
                }
            }
            // A program with arrays of a size that only fits these cases isn't right in them.
            let (of_every_program, own): (Vec<_>, Vec<_>) = std::mem::take(&mut case_run.gates)
                .into_iter()
                .partition(|measured| judge::is_of_every_program(self.spec, measured));
            if case_run.verdict.is_none() && of_every_program.iter().any(|gate| !gate.holds) {
                let verdict = summary::gate_missed(trial.case, of_every_program, &case_run);
                case_run.verdict = Some(verdict);
            }
            results.push(TrialResult {
                trial,
                ran: true,
                gates: match case_run.verdict {
                    None => own.clone(),
                    Some(_) => vec![],
                },
                verdict: case_run.verdict,
                kernel_gates: own,
                device: case_run.device,
                printed: case_run.printed,
                millis: millis_since(trial_started),
            });
        }
        if failure.is_none()
            && let Some((case, Failure { seed, case_run })) = failed_second
        {
            attempt.seed = seed;
            case_run.show(attempt);
            failure = case_run.verdict.map(|verdict| (case, verdict));
        }
        Ok(match failure {
            // A missed count on less data is the reason why more data takes too long.
            Some((_, verdict)) if takes_too_long(&verdict) && summary.missed() => summary.verdict(),
            Some((case, verdict)) => judge::not_started(verdict, case, &attempt.source),
            None => summary.verdict(),
        })
    }

    fn out_of_time(&self) -> bool {
        let starved = worker::starved().saturating_sub(self.starved);
        self.started.elapsed().saturating_sub(starved) > self.policy.time_limit
    }

    /// What is wrong with a trial that would start after the time limit.
    fn no_time_left(&self, trial: Trial) -> Verdict {
        let seconds = self.policy.time_limit.as_secs();
        Verdict::Fault {
            case: trial.case,
            fault: Box::new(Fault::NoTimeLeft { seconds }),
            others: 0,
            results: Results::default(),
        }
    }
}

/// Whether so many trials have not finished that the rest is skipped.
fn timeouts(results: &[TrialResult]) -> bool {
    let timed_out = |result: &&TrialResult| result.verdict.as_ref().is_some_and(takes_too_long);
    results.iter().filter(timed_out).count() >= MAX_TIMEOUTS
}

impl TrialResult {
    /// The result of a trial that did not run.
    pub const fn skipped(trial: Trial) -> Self {
        let device = String::new();
        Self {
            trial,
            ran: false,
            verdict: None,
            gates: vec![],
            kernel_gates: vec![],
            device,
            printed: None,
            millis: 0,
        }
    }

    /// Whether the trial ran and its case is right.
    pub const fn passed(&self) -> bool {
        self.ran && self.verdict.is_none()
    }
}
