//! What `checker run` prints with `--profile` and `--trace`: a timeline, what the launches and the
//! lines cost, or what one thread does.

use crate::attempt::Resources;
use crate::backend::Choice;
use crate::cli::{self, Sandbox};
use crate::error::Usage;
use crate::explain;
use crate::inspect::{ChosenLaunch, Follow, Residency, check_thread, choose_launches};
use crate::report::{launches, occupancy, profile, terminal, timeline, trace};
use crate::standalone::{Files, by_file, context};
use cudart_sim::occupancy::Card;
use cudart_sim::report::Report;
use cudart_sim::runtime::{LaunchChoice, TracedLaunch, total_of};

/// Where the program runs.
pub fn backend(args: &cli::Run) -> anyhow::Result<Choice> {
    if args.json {
        return Err(Usage(
            "`run` prints no JSON, because standard output belongs to the program; of an exercise, \
             `profile` and `trace` do"
                .into(),
        )
        .into());
    }
    if let (false, Some(option)) = (args.trace, args.thread.first_given()) {
        return Err(Usage(format!("{option} needs --trace")).into());
    }
    let option = match (args.profile, args.trace) {
        (true, _) => "--profile",
        (_, true) => "--trace",
        (false, false) if args.launch.is_some() => {
            return Err(Usage("--launch needs --profile or --trace".into()).into());
        }
        (false, false) if args.sandbox != Sandbox::Off => "--sandbox",
        (false, false) => return Ok(args.backend.into()),
    };
    if Choice::from(args.backend) == Choice::Gpu {
        let what = format!("{option} needs the simulator: use it with --backend sim");
        return Err(Usage(what).into());
    }
    Ok(Choice::Sim)
}

/// The launch and the thread to trace.
pub fn traced(args: &cli::Run) -> TracedLaunch {
    let launch = args.launch.as_deref().map_or(LaunchChoice::Number(1), LaunchChoice::parse);
    TracedLaunch { thread: follow(args, &launch).thread(), launch }
}

fn follow<'a>(args: &cli::Run, launch: &'a LaunchChoice) -> Follow<'a> {
    let cli::ThreadOptions { block, thread, lines, .. } = args.thread;
    Follow { launch: Some(launch), block, thread, lines, warp: false }
}

/// Prints to standard error, because standard output belongs to the program.
///
/// # Errors
/// When the program made no such launch, or the launch has no such thread.
pub fn print(
    args: &cli::Run,
    (files, report): (&Files, &Report),
    resources: Resources,
    millis: u64,
) -> anyhow::Result<()> {
    let width = terminal::full_width();
    if args.profile {
        let choice = args.launch.as_deref().map(LaunchChoice::parse);
        let chosen = choice.map(|choice| choose_launches(&report.launches, &choice)).transpose()?;
        eprint!("{}", costs(files, report, chosen.as_deref(), width));
        if let Some(card) = args.gpu {
            eprint!("{}", residency(card, report, resources, chosen.as_deref(), width));
        }
    }
    if args.trace {
        let limit = args.thread.limit as usize;
        let text = trace::render(&followed(args, files, report, millis)?, limit, width);
        eprintln!("\n{}", text.trim_end());
    }
    Ok(())
}

/// The timeline, a table of the launches, and what each line of the program's files costs in them.
fn costs(files: &Files, report: &Report, chosen: Option<&[usize]>, width: usize) -> String {
    let mut out = format!("\n{}", timeline::render(&report.timeline, width));
    if report.launches.is_empty() {
        return out;
    }
    let groups = launches::groups(&report.launches, &report.timeline, chosen);
    out.push_str(&format!("\n{}", profile::launches(&groups, width)));
    let counted = (1..).zip(&report.launches).filter(|(n, _)| chosen.is_none_or(|c| c.contains(n)));
    let observed = total_of(counted.map(|(_, launch)| launch));
    for (file, observed) in by_file(files, &observed) {
        let described = explain::launches_profile(&observed, &context(&file.name, &file.text, 0));
        let lines = profile::lines(&described, &file.text, width);
        if !lines.is_empty() {
            out.push_str(&format!("\n  {}\n{lines}", file.name));
        }
    }
    out
}

/// The occupancy of the card that `--gpu` names, in these launches.
fn residency(
    card: &'static Card,
    report: &Report,
    resources: Resources,
    chosen: Option<&[usize]>,
    width: usize,
) -> String {
    let counted = (1..).zip(&report.launches).filter(|(n, _)| chosen.is_none_or(|c| c.contains(n)));
    let launches: Vec<_> = counted.map(|(_, launch)| launch).collect();
    if launches.is_empty() {
        return String::new();
    }
    let residency = Residency::of_program(card, resources, &launches);
    let (all, sentences) = explain::occupancy(&residency, false);
    let sentences = occupancy::sentences(&sentences, width);
    format!("\n{sentences}\n{}", occupancy::table(&all, width))
}

/// The trace of the launch that was followed.
fn followed(
    args: &cli::Run,
    files: &Files,
    report: &Report,
    millis: u64,
) -> anyhow::Result<trace::Trace> {
    let TracedLaunch { launch, thread } = traced(args);
    let found = report.launches.iter().position(|launch| launch.trace.is_some());
    let Some((index, record)) = found.and_then(|at| Some((at, report.launches.get(at)?))) else {
        let chosen = choose_launches(&report.launches, &launch)?;
        for (number, launch) in (1..).zip(&report.launches).filter(|(n, _)| chosen.contains(n)) {
            let shape = (launch.grid, launch.block);
            check_thread(
                follow(args, &LaunchChoice::Number(number)),
                &format!("launch {number}"),
                shape,
            )?;
        }
        anyhow::bail!("the launch did not run, so there is nothing to trace");
    };
    let steps = record.trace.clone().unwrap_or_default();
    let place = steps.first.first().map(|step| &step.source);
    let file = files.at(place);
    let chosen = ChosenLaunch::new(index + 1, record.clone(), &report.launches);
    let context = context(&file.name, &file.text, millis);
    Ok(explain::launch_trace(&chosen, (&thread, &steps), &context))
}
