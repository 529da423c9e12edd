//! `checker dev record`: what the first threads of a block do in a program's launch, and when the
//! device works, for the figures of the book.

use std::fs;

use anyhow::Context;
use cudart_sim::runtime::{LaunchChoice, TracedLaunch};
use ptxsim::trace::Thread;

use crate::book::recording::Recording;
use checker::backend::Choice;
use checker::cli::DevRecord;
use checker::compile::{Outcome, Program, ProgramOptions, Project, Target};
use checker::error::Usage;
use checker::exit::Exit;
use checker::program::{self, Simulation};
use checker::session;
use checker::worker::Sandbox;

/// Maximum number of steps of a thread in a figure.
const STEPS: usize = 1_000_000;

/// Runs the program once for each thread, because one run follows one thread.
pub fn run(args: &DevRecord) -> anyhow::Result<Exit> {
    let program = compile(args)?;
    let mut recording = Recording::default();
    let mut timeline = None;
    for thread in 0..args.threads {
        let thread = Thread {
            block: [args.block, 0, 0],
            thread: [thread, 0, 0],
            first: STEPS,
            last: 0,
            lines: None,
            warp: false,
            written: None,
        };
        let kernel = args.kernel.clone().unwrap_or_default();
        let launch = LaunchChoice::Kernel(kernel);
        let report = simulate(&program, Some(TracedLaunch { launch, thread }))?;
        let trace = report.launches.iter().find_map(|launch| launch.trace.as_ref());
        recording.add_thread(trace.context("no launch has this thread")?);
        timeline = Some(report.timeline);
    }
    let timeline = match timeline {
        Some(timeline) => timeline,
        None => simulate(&program, None)?.timeline,
    };
    recording.set_timeline(&timeline);
    fs::write(&args.out, recording.to_string())
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(Exit::Passed)
}

fn simulate(
    program: &Program,
    traced: Option<TracedLaunch>,
) -> anyhow::Result<cudart_sim::report::Report> {
    let simulation = Simulation {
        seed: 0,
        memory: Simulation::DEFAULT_MEMORY,
        budget: Simulation::DEFAULT_BUDGET,
        traced,
        resources: program.resources.clone().unwrap_or_default(),
    };
    let ended = program::run(&program.object, Some(simulation), &[])?;
    ended.report.context("the program ended before it could be observed")
}

/// A build for debugging, whose lines run in the order of the source.
fn compile(args: &DevRecord) -> anyhow::Result<Program> {
    let file = &args.file;
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let folder = std::path::absolute(file)?.parent().map(Into::into).unwrap_or_default();
    let project = Project { folder, ..Project::default() };
    let debug = args.threads > 0;
    let options = ProgramOptions { debug, ..ProgramOptions::program(Target::Simulator, project) };
    let mut engine = session::engine(Choice::Sim)?.confined(Sandbox::Off, None, None);
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    match engine.build(&text, &name, &options)? {
        Outcome::Compiled(program) => Ok(program),
        _ => Err(Usage(format!("{} does not compile", file.display())).into()),
    }
}
