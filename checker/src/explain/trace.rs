//! Describes what one thread did: what each line read, decided and changed.

mod steps;

use cudart_sim::runtime::LaunchRecord;
use ptxsim::Observations;
use ptxsim::trace::{self, End, Step, Thread};

use super::case_line::case_line;
use super::scan::Source;
use super::scene::Scene;
use super::words::{ThreadNames, dims};
use super::{Context, host};
use crate::attempt::Error;
use crate::diagnostic::Slug;
use crate::inspect::{ChosenLaunch, Comparison, Mistake, Traced};
use crate::report::launches::{line_of, ranges};
use crate::report::trace::{Accessed, Fact, Trace};
use crate::spec::Spec;
use crate::text::sanitise;
use steps::StepWriter;

/// A thread that was followed, and what the simulator saw of its launch.
#[derive(Debug, Clone, Copy)]
struct Followed<'a> {
    thread: &'a Thread,
    trace: &'a trace::Trace,
    observations: &'a Observations,
}

/// Describes a trace of a case of an exercise.
pub fn trace(spec: &'static Spec, seen: &Traced, context: &Context<'_>) -> Trace {
    let source = Source::new(&seen.source);
    let scene = match &seen.launch {
        Some(launch) => Some(scene_of(&launch.record, &source, context)),
        None => Scene::new(spec, seen.case, &source, true),
    };
    let report = seen.verdict.as_ref().map(|verdict| super::explain(spec, verdict, context));
    let followed =
        Followed { thread: &seen.thread, trace: &seen.trace, observations: &seen.observations };
    let mut notes = vec![build(&seen.trace)];
    notes.extend(compared(&seen.comparison));
    let kernel = seen.launch.as_ref().map(|launch| launch.record.kernel.as_str());
    let case = case_line(spec, seen.case, context.seed);
    let wrong = report.as_ref().map(|report| report.title.clone());
    let described = describe(followed, (scene, kernel), wrong.clone(), context);
    let ending = match seen.trace.end {
        End::Fault if seen.comparison == Comparison::UnusedAccess => format!(
            "{} is stopped here, where the debug build makes an access that the optimised code leaves out",
            described.thread_name
        ),
        _ => described.ending.clone(),
    };
    Trace {
        exercise: spec.id.into(),
        case: match &seen.launch {
            Some(launch) => format!("{case}, {}", launch_line(launch)),
            None => case,
        },
        slug: seen.verdict.as_ref().map_or(Slug::Passed, crate::verdict::Verdict::slug),
        wrong,
        same_results: seen.comparison.has_same_results(),
        ending,
        notes,
        other_launches: seen.launch.as_ref().and_then(others),
        millis: seen.millis,
        ..described
    }
}

/// Says accesses and values of a trace in the words of the source.
pub struct Words<'a>(StepWriter<'a, 'a>);

impl Words<'_> {
    /// The element and the values of an access.
    pub fn access(&self, access: &trace::MemoryAccess) -> Accessed {
        self.0.access(access)
    }

    /// What a step does, given the ones before and after it.
    pub fn facts(&self, step: &Step, before: Option<&Step>, next: Option<&Step>) -> Vec<Fact> {
        self.0.step(step, before, next).facts
    }

    /// A value as text.
    pub fn value(&self, value: &trace::Value) -> String {
        self.0.shown(value)
    }
}

/// Calls `f` with the words of the source for a trace of a case of an exercise.
///
/// # Errors
/// When the exercise has no such case, which only a bug of the checker can cause.
pub fn with_words<T>(
    spec: &'static Spec,
    seen: &Traced,
    f: impl FnOnce(&Words<'_>) -> T,
) -> Result<T, Error> {
    let source = Source::new(&seen.source);
    let program = host::Program { source: &source, file: &format!("{}.cu", spec.id) };
    let scene = match &seen.launch {
        Some(launch) => {
            let names = host::indirect(program, &launch.record);
            Some(Scene::launch(&launch.record, &source).with_names(names))
        }
        None => Scene::new(spec, seen.case, &source, true),
    };
    let followed =
        Followed { thread: &seen.thread, trace: &seen.trace, observations: &seen.observations };
    let kernel = seen.launch.as_ref().map(|launch| own_name(&launch.record.kernel));
    let scene = scene.ok_or(Error::Nothing)?;
    Ok(f(&Words(StepWriter { followed, scene, kernel })))
}

/// Calls `f` with the words of the source for a trace of a launch of a program that is no exercise.
pub fn launch_words<T>(
    chosen: &ChosenLaunch,
    (thread, trace): (&Thread, &trace::Trace),
    context: &Context<'_>,
    f: impl FnOnce(&Words<'_>) -> T,
) -> T {
    let source = Source::new(context.source);
    let scene = scene_of(&chosen.record, &source, context);
    let followed = Followed { thread, trace, observations: &chosen.record.observations };
    let kernel = Some(own_name(&chosen.record.kernel));
    f(&Words(StepWriter { followed, scene, kernel }))
}

/// How the optimised code that `check` runs differs from the traced build.
fn compared(comparison: &Comparison) -> Option<String> {
    let place = |mistake: &Mistake| match mistake.line {
        Some(line) => format!("{} on line {line}", mistake.slug),
        None => mistake.slug.as_str().to_owned(),
    };
    // An access that is split is aligned, because its parts are smaller.
    let split = |mistake: &Mistake| match (mistake.slug, mistake.only_optimised) {
        (Slug::MisalignedAccess, true) => ", because it accesses this memory in smaller parts",
        _ => "",
    };
    Some(match comparison {
        Comparison::Same | Comparison::BothMistaken(None) => return None,
        Comparison::UnusedAccess => {
            "the optimised code that `check` runs gives the same results without the wrong access: the compiler \
             left it out, because no result depends on it, and another compiler may not"
                .into()
        }
        Comparison::BothMistaken(Some(first)) if first.only_optimised => format!(
            "`check` runs the optimised code and shows {} first, a mistake that this build does not make{}",
            place(first),
            split(first)
        ),
        Comparison::BothMistaken(Some(first)) => {
            format!("`check` runs the optimised code and shows {} first", place(first))
        }
        Comparison::OnlyOptimised(first) => format!(
            "the optimised code that `check` runs makes a mistake, {}, that this build does not make{}",
            place(first),
            split(first)
        ),
        Comparison::OverBudget => {
            "a trace may execute half as many instructions as `check`, and this build needs more of them than the \
             optimised code that `check` runs, so it was stopped"
                .into()
        }
        Comparison::Different => {
            "the optimised code that `check` runs gave other results, so the source does not determine them: a race, \
             a value that was never set, the order of atomic operations, or an overflow of a signed integer"
                .into()
        }
    })
}

/// Describes a trace of a launch of a program.
pub fn launch_trace(
    chosen: &ChosenLaunch,
    (thread, trace): (&Thread, &trace::Trace),
    context: &Context<'_>,
) -> Trace {
    let source = Source::new(context.source);
    let scene = scene_of(&chosen.record, &source, context);
    let observations = &chosen.record.observations;
    let followed = Followed { thread, trace, observations };
    let kernel = Some(chosen.record.kernel.as_str());
    let first = observations.findings.first();
    let report = first.map(|first| super::launch(&chosen.record, first, 0, context));
    Trace {
        exercise: sanitise(&chosen.record.kernel),
        case: launch_line(chosen),
        slug: first.map_or(Slug::Passed, Slug::of_finding),
        wrong: report.as_ref().map(|report| report.title.clone()),
        notes: vec![build(trace)],
        other_launches: others(chosen),
        ..describe(followed, (Some(scene), kernel), report.map(|report| report.title), context)
    }
}

/// The launch of a program, with the learner's names for its memory.
fn scene_of<'a>(launch: &LaunchRecord, source: &'a Source<'a>, context: &Context<'_>) -> Scene<'a> {
    let names = host::indirect(super::program(source, context), launch);
    Scene::launch(launch, source).with_names(names)
}

/// `launch 2 of 3: kernel `scale`, line 17 (grid 4, block 256)`
fn launch_line(ChosenLaunch { number, all, record, .. }: &ChosenLaunch) -> String {
    format!("launch {number} of {all}: {}", kernel_line(record))
}

/// `kernel `scale`, line 17 (grid 4, block 256)`
pub fn kernel_line(record: &LaunchRecord) -> String {
    let LaunchRecord { kernel, grid, block, .. } = record;
    let line = line_of(record).map_or_else(String::new, |line| format!(", line {}", line.line));
    let shape = format!("grid {}, block {}", dims(*grid), dims(*block));
    format!("kernel `{}`{line} ({shape})", sanitise(kernel))
}

/// How to follow another launch, if there are several.
fn others(ChosenLaunch { number, of_kernel, all, record }: &ChosenLaunch) -> Option<String> {
    let kernel = sanitise(&record.kernel);
    let others: Vec<usize> = of_kernel.iter().copied().filter(|n| n != number).collect();
    match (all, others.as_slice()) {
        (0 | 1, _) => None,
        (_, []) => Some(
            "--launch with a number or a kernel's name follows a thread of another launch".into(),
        ),
        (_, [one]) => Some(format!(
            "launch {one} runs `{kernel}`, too: --launch {one} follows a thread of it"
        )),
        (_, more) => Some(format!(
            "launches {} run `{kernel}`, too: --launch with a number follows a thread of another one",
            ranges(more)
        )),
    }
}

/// Which build was traced.
fn build(trace: &trace::Trace) -> String {
    if trace.variables {
        "simulated, from a debug build, in which every line runs in the order of the source".into()
    } else {
        "simulated, from an optimised build, in which lines run out of order and variables have no names"
            .into()
    }
}

/// The parts of a trace that are about the thread. `wrong` is what is wrong with the launch.
fn describe(
    followed: Followed<'_>,
    (scene, kernel): (Option<Scene<'_>>, Option<&str>),
    wrong: Option<String>,
    context: &Context<'_>,
) -> Trace {
    let kernel = kernel.map(own_name);
    let Followed { thread: Thread { block, thread, .. }, trace, .. } = followed;
    let name = scene.as_ref().map_or_else(
        || format!("block {block:?}, thread {thread:?}"),
        |scene| ThreadNames::new(scene.grid, scene.block).thread(*block, *thread),
    );
    let steps: Vec<&Step> = trace.first.iter().chain(&trace.last).collect();
    let writer = scene.map(|scene| StepWriter { followed, scene, kernel });
    let described = steps.iter().enumerate().map(|(i, step)| {
        let next = steps.get(i + 1).filter(|_| i + 1 != trace.first.len() || trace.skipped == 0);
        let before = i.checked_sub(1).and_then(|i| steps.get(i));
        writer.as_ref().map(|writer| writer.step(step, before.copied(), next.copied()))
    });
    Trace {
        exercise: String::new(),
        file: sanitise(context.file),
        case: String::new(),
        block: *block,
        thread: *thread,
        slug: Slug::Passed,
        wrong: None,
        steps: described.flatten().collect(),
        skipped: (trace.skipped > 0).then_some((trace.first.len(), trace.skipped)),
        end: match trace.end {
            End::Left => "left",
            End::Fault => "fault",
            End::Waiting => "waiting",
            End::Running => "running",
            End::NotStarted => "not-started",
        }
        .into(),
        ending: ending(trace, &name, wrong),
        thread_name: name,
        same_results: true,
        notes: vec![],
        other_launches: None,
        device: "simulator".into(),
        millis: context.millis,
    }
}

/// `scale` of `app::scale<float>`
fn own_name(kernel: &str) -> String {
    let base = kernel.split(['<', '(']).next().unwrap_or(kernel);
    base.rsplit("::").next().unwrap_or(base).to_owned()
}

fn ending(trace: &trace::Trace, thread: &str, wrong: Option<String>) -> String {
    let stopped = wrong.map_or_else(String::new, |wrong| format!(": {wrong}"));
    match trace.end {
        End::Left => match trace.first.len() + trace.last.len() {
            0 => format!("{thread} does nothing here and finishes"),
            _ => format!("{thread} finished"),
        },
        End::Fault => {
            format!("{thread} made a mistake here, and what a GPU does from there on is undefined")
        }
        End::Waiting => format!("{thread} was still waiting when the launch was stopped{stopped}"),
        End::Running => {
            format!("{thread} was still running when the launch was stopped{stopped}")
        }
        End::NotStarted => format!("{thread} had not started when the launch was stopped{stopped}"),
    }
}
