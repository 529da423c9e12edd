//! The steps of a warp in a launch of a listing.

use std::collections::BTreeMap;

use checker::compile::ProgramOptions;
use checker::engine::Engine;
use checker::explain::{self, kernel_line};
use checker::inspect::{ChosenLaunch, Follow, check_thread, choose_launches};
use checker::standalone::{self, Built, Files, SourceFile};
use cudart_sim::report::Report;
use cudart_sim::runtime::{LaunchChoice, LaunchRecord, TracedLaunch};
use ptxsim::trace::Trace;
use serde::{Deserialize, Serialize};

use super::super::views::{Followed, Threads, steps_article, without_variables};
use super::{Failure, TIME_LIMIT, options, simulation};

/// Launches that a page offers at most.
const MAX_LAUNCHES: usize = 200;

/// The thread whose steps a page wants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Chosen {
    /// The number of a launch, from 1; by default the first one with a mistake, or the first one.
    launch: Option<usize>,
    /// A block and a thread; by default those of the mistake, or the first ones.
    at: Option<[[u32; 3]; 2]>,
    /// Whether the page wants the thread's steps as text.
    text: bool,
}

/// What a page shows of a thread.
#[derive(Debug, Serialize)]
pub struct Steps {
    /// The number of the launch.
    launch: usize,
    /// The launches that a page offers: their numbers, and each of them in words.
    launches: BTreeMap<usize, String>,
    /// Launches at the end that are left out.
    skipped: usize,
    /// Whether the device may have run them in another order than the program's.
    has_streams: bool,
    /// The warp; `None` if the page wants text.
    threads: Option<Box<Threads>>,
    /// The thread's steps as HTML, in which each text of the learner's is escaped.
    article: Option<String>,
}

impl Steps {
    /// Runs the program of `files` once more, in a build for debugging, and follows a thread.
    /// `report` is about the run of the optimised code.
    ///
    /// # Errors
    /// When the program has no such thread, or the second run ends before its launch.
    pub fn new(
        wanted: &Chosen,
        files: &Files,
        report: &Report,
        engine: &mut Engine,
    ) -> Result<Self, Failure> {
        let launches = &report.launches;
        let number = wanted.launch.or_else(|| first_mistaken(launches)).unwrap_or(1);
        let choice = LaunchChoice::Number(number);
        choose_launches(launches, &choice).map_err(refused)?;
        let record = number.checked_sub(1).and_then(|index| launches.get(index));
        let Some(record) = record else { return Err(refused("The program has no such launch.")) };
        let [block, thread] = wanted.at.unwrap_or_else(|| place_of_mistake(record));
        let follow =
            Follow { launch: Some(&choice), block, thread, lines: None, warp: !wanted.text };
        let shape = (record.grid, record.block);
        check_thread(follow, &format!("launch {number}"), shape).map_err(refused)?;
        let thread = follow.thread();
        let traced = TracedLaunch { launch: choice.clone(), thread };
        let (record, trace) = followed(files, (number, record), &traced, engine)?;
        let offered = (1..).zip(launches).take(MAX_LAUNCHES);
        let has_streams = launches.iter().any(|launch| launch.stream != 0);
        let words = |launch: &LaunchRecord| match has_streams {
            true => format!("{}, stream {}", kernel_line(launch), launch.stream),
            false => kernel_line(launch),
        };
        let offered = offered.map(|(number, launch)| (number, words(launch)));
        let first = trace.first.first().or(trace.last.first());
        let SourceFile { name, text } = files.at(first.map(|step| &step.source));
        let context = standalone::context(&name, &text, 0);
        let chosen = ChosenLaunch::new(number, record, launches);
        let mut steps = Self {
            launch: number,
            launches: offered.collect(),
            skipped: launches.len().saturating_sub(MAX_LAUNCHES),
            has_streams,
            threads: None,
            article: None,
        };
        if wanted.text {
            let described = explain::launch_trace(&chosen, (&thread, &trace), &context);
            steps.article = Some(steps_article(described));
            return Ok(steps);
        }
        let followed = Followed {
            thread,
            trace: &trace,
            source: &text,
            finding: chosen.record.observations.findings.first(),
            shape: [chosen.record.grid, chosen.record.block],
            note: without_variables(&trace),
            launch: Some([number, launches.len()]),
        };
        let draw = |words: &explain::Words<'_>| Threads::new(&followed, words);
        let drawn = explain::launch_words(&chosen, (&thread, &trace), &context, draw);
        steps.threads = Some(Box::new(drawn));
        Ok(steps)
    }
}

fn refused(why: impl ToString) -> Failure {
    Failure::Refused(why.to_string())
}

/// The number of the first launch in which the simulator has found a mistake.
fn first_mistaken(launches: &[LaunchRecord]) -> Option<usize> {
    let found = launches.iter().position(|launch| !launch.observations.findings.is_empty());
    found.map(|index| index + 1)
}

/// The block and the thread of a launch's first mistake.
fn place_of_mistake(launch: &LaunchRecord) -> [[u32; 3]; 2] {
    let first = launch.observations.findings.first();
    first.map_or([[0; 3]; 2], |finding| [finding.at.block, finding.at.thread])
}

/// The launch as a run of the build for debugging has recorded it, or, where the simulator can't
/// run this build or it makes another launch at this place, a run of the optimised one.
fn followed(
    files: &Files,
    (number, launch): (usize, &LaunchRecord),
    traced: &TracedLaunch,
    engine: &mut Engine,
) -> Result<(LaunchRecord, Trace), Failure> {
    for debug in [true, false] {
        let options = ProgramOptions { debug, ..options() };
        let Built::Program(program) =
            standalone::build(files, &options, engine).map_err(Failure::Failed)?
        else {
            continue;
        };
        if standalone::unsupported(files, &program).is_some() {
            continue;
        }
        let simulation = simulation(&program, Some(traced.clone()));
        let run = engine.run_whole(&program.object, &[], &simulation, TIME_LIMIT);
        let report = run.map_err(|error| Failure::Failed(error.into()))?.report;
        let mut launches = report.map(|report| report.launches).unwrap_or_default();
        if number > launches.len() {
            continue;
        }
        let mut record = launches.swap_remove(number - 1);
        if let Some(trace) = record.trace.take().filter(|_| record.kernel == launch.kernel) {
            return Ok((record, trace));
        }
    }
    Err(refused("This launch didn't run to the thread's first step."))
}
