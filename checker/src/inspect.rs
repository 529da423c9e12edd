//! Runs one case of an exercise on the simulator for `profile` (counts per line), `trace` (one
//! thread or warp, step by step) and `outputs` (results beside the right ones).

mod comparison;
mod launches;
mod outputs;
mod residency;

use std::time::Instant;

use cudart_sim::clock::Span;
use cudart_sim::occupancy::Card;
use cudart_sim::runtime::{LaunchChoice, LaunchRecord, total_of};
use ptxsim::Observations;
use ptxsim::trace::{Thread, Trace};

use crate::attempt::{
    self, Attempt, CompiledCode, Error, Options, PreparedCase, Purpose, millis_since,
};
use crate::backend::{Choice, Fault, Launch, Run};
use crate::compile;
use crate::engine::Engine;
use crate::judge;
use crate::spec::{Case, Role, Spec};
use crate::verdict::{Measured, Unreadable, Verdict};

use residency::Shape;

pub use comparison::{Comparison, Mistake};
pub use launches::{ChosenLaunch, choose_launches};
pub use outputs::{Outputs, outputs};
pub use residency::{KernelResidency, Residency};

/// Compiled code with the Spec's parameters, and one prepared case.
struct Subject {
    /// Index into `Spec::cases`.
    case: usize,
    /// The learner's file.
    source: String,
    /// The compiled file.
    code: CompiledCode,
    /// The case and its arguments.
    prepared: PreparedCase,
    /// When the work began.
    started: Instant,
}

/// The counts of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiled {
    /// Index into `Spec::cases`.
    pub case: usize,
    /// The learner's file.
    pub source: String,
    /// What is wrong with this case; `None` when its outputs are right.
    pub verdict: Option<Verdict>,
    /// What the simulator counted: of a program, in the chosen launches together.
    pub observations: Observations,
    /// All launches of a program; empty for a kernel.
    pub launches: Vec<LaunchRecord>,
    /// The numbers of the launches that were chosen; `None` for all.
    pub chosen: Option<Vec<usize>>,
    /// The timeline of a program's work on the simulated clock; empty for a kernel.
    pub timeline: Vec<Span>,
    /// Every gate with what was measured; empty when the case is not gated.
    pub gates: Vec<Measured>,
    /// How many blocks of each kernel are resident on a multiprocessor.
    pub residency: Residency,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// Runs one case of `spec` with this source and counts, in a program only in the launches of
/// `choice` if there is one. The occupancy is that of `card`. The inner error is an attempt whose
/// verdict says why nothing ran.
///
/// # Errors
/// When the case could not be tried, or the program makes no such launch. Anything that is wrong
/// with the learner's file is in a verdict instead.
pub fn profile(
    spec: &'static Spec,
    source: Result<String, Unreadable>,
    engine: &mut Engine,
    options: &Options,
    choice: Option<&LaunchChoice>,
    card: &'static Card,
) -> Result<Result<Profiled, Attempt>, Error> {
    if choice.is_some() && spec.kind.has_one_launch() {
        return Err(Error::OneLaunch(spec.id));
    }
    let mut subject = match prepare(spec, source, engine, options)? {
        Ok(subject) => subject,
        Err(attempt) => return Ok(Err(attempt)),
    };
    let run = subject.code.run(Choice::Sim, spec, &subject.prepared, engine)?;
    let resources = attempt::on_card(
        spec,
        &subject.source,
        (&subject.code, subject.prepared.case),
        card,
        engine,
    )?;
    let Subject { case, source, prepared, started, .. } = subject;
    let verdict = judge::case(spec, case, &prepared.inputs, &run);
    let gates = judge::gates(spec, case, &prepared.inputs, &run, &[]).0;
    let verdict = verdict.map(|verdict| judge::not_started(verdict, case, &source));
    let millis = millis_since(started);
    let (launches, timeline) =
        run.program.map(|program| (program.launches, program.timeline)).unwrap_or_default();
    Ok(match (run.observations, verdict) {
        (Some(observations), verdict) => {
            let chosen = choice.map(|choice| choose_launches(&launches, choice)).transpose()?;
            let observations = match &chosen {
                Some(chosen) => {
                    let of = |number: &usize| launches.get(number.checked_sub(1)?);
                    total_of(chosen.iter().filter_map(of))
                }
                None => observations,
            };
            let shapes = if spec.kind.has_one_launch() {
                vec![Shape::of_case(spec, prepared.case)]
            } else {
                let counted = (1..).zip(&launches);
                let counted = counted
                    .filter(|(n, _)| chosen.as_ref().is_none_or(|chosen| chosen.contains(n)));
                counted.map(|(_, launch)| Shape::of_launch(launch)).collect()
            };
            let residency = Residency::new(card, resources, &shapes);
            Ok(Profiled {
                case,
                source,
                verdict,
                observations,
                launches,
                chosen,
                timeline,
                gates,
                residency,
                millis,
            })
        }
        (None, Some(verdict)) => Err(Attempt { verdict, source, millis, ..Attempt::new(options) }),
        (None, None) => return Err(Error::Nothing),
    })
}

/// The steps of one thread in one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Traced {
    /// Index into `Spec::cases`.
    pub case: usize,
    /// The learner's file.
    pub source: String,
    /// The thread.
    pub thread: Thread,
    /// The launch of a program; `None` for a kernel, whose case is one launch.
    pub launch: Option<ChosenLaunch>,
    /// What is wrong with this case; `None` when its outputs are right.
    pub verdict: Option<Verdict>,
    /// What the simulator saw of the whole launch.
    pub observations: Observations,
    /// Its steps.
    pub trace: Trace,
    /// The traced build and the code that `check` runs.
    pub comparison: Comparison,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// Steps that are kept from the beginning of a thread, and from its end: many more than are shown,
/// because loops are folded.
const FIRST_STEPS: usize = 4000;
const LAST_STEPS: usize = 200;
/// The same for each thread of a warp that is followed as a whole.
const FIRST_STEPS_OF_WARP: usize = 400;
const LAST_STEPS_OF_WARP: usize = 50;

/// The launch and the thread to trace.
#[derive(Debug, Clone, Copy)]
pub struct Follow<'a> {
    /// The launch of a program; without a choice, the first.
    pub launch: Option<&'a LaunchChoice>,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index in its block.
    pub thread: [u32; 3],
    /// The first and the last line whose steps are kept; `None` for all lines.
    pub lines: Option<(u32, u32)>,
    /// Whether the other threads of its warp are followed, too.
    pub warp: bool,
}

impl Follow<'_> {
    /// The thread, and how many of its steps are kept.
    pub fn thread(&self) -> Thread {
        let Self { block, thread, lines, warp, .. } = *self;
        let (first, last) = match warp {
            true => (FIRST_STEPS_OF_WARP, LAST_STEPS_OF_WARP),
            false => (FIRST_STEPS, LAST_STEPS),
        };
        Thread { block, thread, first, last, lines, warp, written: None }
    }
}

/// Records the steps of one thread in one case. The inner error is an attempt whose verdict says
/// why nothing ran.
///
/// The kernel is compiled for debugging, because then every line does its own work in the order of
/// the source, and variables have names. Its results are compared with those of the optimised code.
/// Where the simulator cannot run the debug build, the optimised one is traced, without variables.
///
/// # Errors
/// As [`profile`]; and when the launch has no such thread.
pub fn trace(
    spec: &'static Spec,
    source: Result<String, Unreadable>,
    engine: &mut Engine,
    options: &Options,
    follow: Follow<'_>,
) -> Result<Result<Traced, Attempt>, Error> {
    let (_, case) = choose(spec, options)?;
    if spec.kind.has_one_launch() {
        if follow.launch.is_some() {
            return Err(Error::OneLaunch(spec.id));
        }
        check_thread(follow, &format!("case `{}`", case.name), (case.grid, case.block))?;
    }
    let mut subject = match prepare(spec, source, engine, options)? {
        Ok(subject) => subject,
        Err(attempt) => return Ok(Err(attempt)),
    };
    let recorded = if spec.kind.has_one_launch() {
        record_kernel(spec, &subject, engine, follow.thread())?
    } else {
        launches::record(spec, &mut subject, engine, follow)?
    };
    let Recorded { launch, usual, run, observations, trace } = recorded;
    let Subject { case, source, prepared, started, .. } = subject;
    let thread = follow.thread();
    let times = spec.params.iter().filter(|param| param.role == Role::Time);
    let times: Vec<&str> = times.map(|param| param.name).collect();
    let comparison = Comparison::of(&usual, &run, &times);
    let judged = if comparison.is_about_traced_build() { &run } else { &usual };
    let verdict = judge::case(spec, case, &prepared.inputs, judged);
    let verdict = verdict.map(|verdict| judge::not_started(verdict, case, &source));
    let millis = millis_since(started);
    Ok(match (trace, observations, verdict) {
        (Some(trace), Some(observations), verdict) => Ok(Traced {
            case,
            source,
            thread,
            launch,
            verdict,
            observations,
            trace,
            comparison,
            millis,
        }),
        (_, _, Some(verdict)) => Err(Attempt { verdict, source, millis, ..Attempt::new(options) }),
        (_, _, None) if spec.kind.has_one_launch() => return Err(Error::Nothing),
        (_, _, None) => return Err(launches::none()),
    })
}

/// A run in which a thread was followed.
struct Recorded {
    /// The launch of a program.
    launch: Option<ChosenLaunch>,
    /// The run of the code that `check` runs.
    usual: Run,
    /// The run of the recorded build.
    run: Run,
    /// What the simulator saw of the launch; `None` if it was refused.
    observations: Option<Observations>,
    /// The thread's steps; `None` if nothing was recorded.
    trace: Option<Trace>,
}

/// Runs the launch of a kernel's case and records the steps of a thread.
fn record_kernel(
    spec: &'static Spec,
    Subject { source, code, prepared, .. }: &Subject,
    engine: &mut Engine,
    thread: Thread,
) -> Result<Recorded, Error> {
    let module = code.module(prepared.case).ok_or(Error::Nothing)?;
    let launch = prepared.launch(spec);
    let usual = engine.run(Choice::Sim, &module.ptx, &launch)?;
    let debug = compile::Options { debug: true, ..attempt::options(prepared.case) };
    let (mut run, mut trace) = (usual.clone(), None);
    // Recording takes time, and an endless loop must exhaust the budget before the wall clock.
    let launch = Launch { budget: launch.budget / 2, ..launch };
    if let Ok(module) = attempt::compile_kernel(spec, source, engine, &debug)? {
        (run, trace) = engine.trace(&module.ptx, &launch, thread)?;
    }
    let refused = |fault: &Fault| matches!(fault, Fault::Unsupported { .. } | Fault::Driver { .. });
    if trace.is_none() && run.faults.iter().all(refused) {
        (run, trace) = engine.trace(&module.ptx, &launch, thread)?;
    }
    let observations = run.observations.clone();
    Ok(Recorded { launch: None, usual, run, observations, trace })
}

/// Fails for a block outside the grid, or a thread outside the block, of the launch that `launch`
/// names.
///
/// # Errors
/// [`Error::NoSuchThread`], which names the limits.
pub fn check_thread(
    follow: Follow<'_>,
    launch: &str,
    (grid, block): ([u32; 3], [u32; 3]),
) -> Result<(), Error> {
    check_index("block", follow.block, grid, launch)?;
    check_index("thread", follow.thread, block, launch)
}

fn check_index(
    what: &'static str,
    at: [u32; 3],
    within: [u32; 3],
    launch: &str,
) -> Result<(), Error> {
    if at.iter().zip(within).all(|(at, within)| *at < within) {
        return Ok(());
    }
    let dims = if within[2] > 1 || at[2] > 0 {
        3
    } else if within[1] > 1 || at[1] > 0 {
        2
    } else {
        1
    };
    let shown = |place: [u32; 3]| {
        let parts: Vec<String> = place.iter().take(dims).map(ToString::to_string).collect();
        parts.join(",")
    };
    Err(Error::NoSuchThread {
        what,
        asked: shown(at),
        within: launch.to_owned(),
        first: shown([0; 3]),
        last: shown(within.map(|n| n.saturating_sub(1))),
    })
}

/// Compiles the code, and prepares the selected case or the default one. The inner error
/// is an attempt whose verdict says why the code cannot run.
fn prepare(
    spec: &'static Spec,
    source: Result<String, Unreadable>,
    engine: &mut Engine,
    options: &Options,
) -> Result<Result<Subject, Attempt>, Error> {
    let started = Instant::now();
    let (case, chosen) = choose(spec, options)?;
    let refuse = |verdict, source| Attempt {
        verdict,
        source,
        millis: millis_since(started),
        ..Attempt::new(options)
    };
    let source = match source {
        Ok(source) => source,
        Err(unreadable) => {
            return Ok(Err(refuse(Verdict::UnreadableSource(unreadable), String::new())));
        }
    };
    let purpose = Purpose::Verdict { on_gpu: false };
    let code = match CompiledCode::compile(spec, [chosen], &source, purpose, engine)? {
        Ok(code) => code,
        Err(verdict) => return Ok(Err(refuse(verdict, source))),
    };
    let prepared = PreparedCase::new(spec, (case, chosen), options.seed);
    Ok(Ok(Subject { case, source, code, prepared, started }))
}

/// The selected case; without a selection, the first gated case, or else the first.
fn choose(spec: &'static Spec, options: &Options) -> Result<(usize, &'static Case), Error> {
    let cases = attempt::select(spec, options)?;
    let graded = cases.iter().find(|(_, case)| case.gated).or(cases.first());
    graded.copied().ok_or(Error::Nothing)
}

/// The case that `profile` and `trace` run when none is selected.
pub(crate) fn default_case(spec: &'static Spec) -> Option<&'static Case> {
    choose(spec, &Options::default()).ok().map(|(_, case)| case)
}
