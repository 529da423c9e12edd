//! The launches of a program: which of them a profile or a trace is about.

use cudart_sim::report::Report;
use cudart_sim::runtime::{LaunchChoice, LaunchRecord, TracedLaunch};
use ptxsim::trace::Trace;

use super::{Follow, Recorded, Subject, check_thread};
use crate::attempt::{CompiledProgram, Error};
use crate::backend::{Choice, Run};
use crate::engine::Engine;
use crate::spec::Spec;

/// A launch of a program that was followed.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenLaunch {
    /// Its number, from 1, in the order in which the device ran them.
    pub number: usize,
    /// The numbers of all launches of the same kernel.
    pub of_kernel: Vec<usize>,
    /// The number of launches of the program.
    pub all: usize,
    /// The launch.
    pub record: LaunchRecord,
}

/// The numbers of the launches that are chosen.
///
/// # Errors
/// [`Error::NoSuchLaunch`] when there are none.
pub fn choose_launches(
    launches: &[LaunchRecord],
    choice: &LaunchChoice,
) -> Result<Vec<usize>, Error> {
    let numbered = (1..).zip(launches);
    let chosen = numbered.filter(|(number, launch)| choice.selects(*number, &launch.kernel));
    let chosen: Vec<usize> = chosen.map(|(number, _)| number).collect();
    if chosen.is_empty() {
        let asked = match choice {
            LaunchChoice::Number(number) => format!("launch {number}"),
            LaunchChoice::Kernel(name) => format!("launch of a kernel `{name}`"),
        };
        return Err(Error::NoSuchLaunch { asked, found: found(launches) });
    }
    Ok(chosen)
}

/// The error for a program that launches nothing.
pub(super) fn none() -> Error {
    Error::NoSuchLaunch { asked: "launch to follow".to_owned(), found: found(&[]) }
}

/// What a program launches, as a sentence.
fn found(launches: &[LaunchRecord]) -> String {
    /// Kernels that are named.
    const NAMES: usize = 5;
    let mut kernels: Vec<&str> = vec![];
    for launch in launches {
        if !kernels.contains(&launch.kernel.as_str()) {
            kernels.push(&launch.kernel);
        }
    }
    let mut names: Vec<String> =
        kernels.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    if kernels.len() > NAMES {
        names.push(format!("{} more kernels", kernels.len() - NAMES));
    }
    let names = match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => return "the program launches no kernel".to_owned(),
    };
    match launches.len() {
        1 => format!("the program's only launch, number 1, is of {names}"),
        n => format!("the program makes {n} launches, of {names}"),
    }
}

/// Calls a program's function and records the steps of a thread in one of its launches.
pub(super) fn record(
    spec: &'static Spec,
    subject: &mut Subject,
    engine: &mut Engine,
    follow: Follow<'_>,
) -> Result<Recorded, Error> {
    let usual = subject.code.run(Choice::Sim, spec, &subject.prepared, engine)?;
    let launches = usual.program.as_ref().map_or(&[][..], |report| &report.launches);
    if usual.program.is_none() || launches.is_empty() && follow.launch.is_none() {
        let run = usual.clone();
        return Ok(Recorded { launch: None, usual, run, observations: None, trace: None });
    }
    let number = choose(launches, follow)?;
    let thread = follow.thread();
    let kernel = |run: &Run| launch_of(run.program.as_ref()?, number).map(|l| l.kernel.clone());
    let traced = TracedLaunch { launch: LaunchChoice::Number(number), thread };
    let (source, prepared) = (&subject.source, &subject.prepared);
    let mut run = usual.clone();
    // The debug build takes longer, so in another order of the streams this number may belong to
    // another kernel.
    for debug in [true, false] {
        let called = CompiledProgram::trace(spec, source, (prepared, &traced), debug, engine)?;
        run = called.unwrap_or(run);
        if trace_of(&run, number).is_some() && kernel(&run) == kernel(&usual) {
            break;
        }
    }
    let trace = trace_of(&run, number).cloned();
    let record = run.program.as_ref().and_then(|report| launch_of(report, number)).cloned();
    let observations = record.as_ref().map(|record| record.observations.clone());
    let launch = record.map(|record| ChosenLaunch::new(number, record, launches));
    Ok(Recorded { launch, usual, run, observations, trace })
}

/// The number of the launch to follow: of those that are chosen, the first that has the thread.
fn choose(launches: &[LaunchRecord], follow: Follow<'_>) -> Result<usize, Error> {
    let chosen = choose_launches(launches, follow.launch.unwrap_or(&LaunchChoice::Number(1)))?;
    let check = |number: &usize| match launches.get(number - 1) {
        Some(launch) => {
            check_thread(follow, &format!("launch {number}"), (launch.grid, launch.block))
        }
        None => Err(Error::Nothing),
    };
    match (chosen.iter().find(|number| check(number).is_ok()), chosen.first()) {
        (Some(number), _) => Ok(*number),
        (None, Some(first)) => check(first).map(|()| *first),
        (None, None) => Err(Error::Nothing),
    }
}

fn launch_of(report: &Report, number: usize) -> Option<&LaunchRecord> {
    report.launches.get(number.checked_sub(1)?)
}

fn trace_of(run: &Run, number: usize) -> Option<&Trace> {
    launch_of(run.program.as_ref()?, number)?.trace.as_ref()
}

impl ChosenLaunch {
    /// The launch with this number among all of a program.
    pub fn new(number: usize, record: LaunchRecord, launches: &[LaunchRecord]) -> Self {
        let same = (1..).zip(launches).filter(|(_, other)| other.kernel == record.kernel);
        let of_kernel = same.map(|(number, _)| number).collect();
        Self { number, of_kernel, all: launches.len(), record }
    }
}
