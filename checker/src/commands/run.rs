//! `checker run`: a CUDA program with its own output and exit code, and, on the simulator, what is
//! wrong with it.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use cudart_sim::report::Report;
use cudart_sim::runtime::LaunchRecord;

use crate::attempt;
use crate::backend::{Choice, Fault};
use crate::cli;
use crate::compile::{Message, Outcome, Program, ProgramOptions, Target};
use crate::engine::Engine;
use crate::error::Usage;
use crate::exit::{self, Exit};
use crate::explain::{self, Context};
use crate::program::{self, Ended, Simulation};
use crate::report::{terminal, timeline};
use crate::session;
use crate::source;
use crate::text::sanitise;
use crate::verdict::Unreadable;
use crate::worker::Sandbox;

/// Compiles and runs a program.
pub fn run(args: &cli::Run) -> anyhow::Result<ExitCode> {
    let backend = match (args.profile, args.backend.into()) {
        (true, Choice::Gpu) => {
            return Err(Usage(
                "--profile needs the simulator's counters: use it with --backend sim".into(),
            )
            .into());
        }
        (true, _) => Choice::Sim,
        (false, backend) => backend,
    };
    let file = args.file.as_path();
    let text = source::read(file)
        .map_err(|why| Usage(format!("{}: {}", file.display(), unreadable(&why))))?;
    // The learner's own program may read the files beside it, and everything else.
    let mut engine = session::engine(backend)?.confined(Sandbox::Off, None, None);
    let on_gpu = engine.uses_gpu().map_err(attempt::Error::NoGpu)?;
    let target = if on_gpu { Target::Gpu } else { Target::Simulator };
    let Some(program) = build(file, &text, target, &mut engine)? else {
        return Ok(Exit::NotYet.into());
    };
    let start = Instant::now();
    let simulation = Simulation { seed: args.seed, memory: args.device_memory << 30 };
    let ended = program::run(&program.object, (!on_gpu).then_some(simulation), &args.args)?;
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let found = print_findings(file, &text, &ended, millis);
    if let Some(report) = ended.report.as_ref().filter(|_| args.profile) {
        eprint!("{}", costs(report, terminal::full_width()));
    }
    let code = ended.status.code().and_then(|code| u8::try_from(code).ok());
    Ok(match code {
        // A program that exits with 0 although something is wrong has not succeeded.
        Some(0) if found => Exit::NotYet.into(),
        Some(code) => ExitCode::from(code),
        None => ExitCode::from(exit::NOT_YET),
    })
}

fn unreadable(why: &Unreadable) -> String {
    match why {
        Unreadable::Missing => "there is no such file".into(),
        Unreadable::Empty => "the file is empty".into(),
        Unreadable::Binary(line) => format!("line {line} is not text: is this a `.cu` file?"),
        Unreadable::TooLarge(bytes, most) => {
            format!("{bytes} bytes are too many for a source file; the limit is {most}")
        }
        Unreadable::Io(text) => text.clone(),
    }
}

/// Compiles; `None` when the compiler rejected the source, which has been reported.
fn build(
    file: &Path,
    text: &str,
    target: Target,
    engine: &mut Engine,
) -> anyhow::Result<Option<Program>> {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = std::path::absolute(parent.unwrap_or(Path::new(".")))?;
    let options = ProgramOptions { target, fmad: true, folder: Some(folder) };
    let program = match engine.build(text, &name, &options)? {
        Outcome::Compiled(program) => program,
        Outcome::Rejected(messages) => {
            report_rejection(file, text, &messages);
            return Ok(None);
        }
        Outcome::Stopped(what) => anyhow::bail!("{what}"),
        Outcome::Unavailable(why) => anyhow::bail!("{why}"),
    };
    if let Some(missing) = program.missing.first() {
        let line = (1..).zip(text.lines()).find(|(_, line)| line.contains(missing.as_str()));
        let place = line.map_or(String::new(), |(line, _)| format!(":{line}"));
        let others = match program.missing.len() {
            1 => String::new(),
            n => format!(", nor {} more CUDA functions that this program calls", n - 1),
        };
        anyhow::bail!(
            "{}{place}: the simulator does not support {missing}{others}",
            file.display()
        );
    }
    Ok(Some(program))
}

/// How many launches are listed at most.
const LISTED_LAUNCHES: usize = 20;

/// The timeline, and a table with the cost of each launch.
fn costs(report: &Report, width: usize) -> String {
    let mut out = format!("\n{}", timeline::render(&report.timeline, width));
    if report.launches.is_empty() {
        return out;
    }
    let head = ["kernel", "grid", "block", "stream", "us", "requests", "sectors", "conflicts"];
    let rows = report.launches.iter().take(LISTED_LAUNCHES).map(|launch| {
        let total = &launch.observations.totals;
        let requests = total.load_requests + total.store_requests;
        let span = launch.span.and_then(|span| report.timeline.get(span));
        let kernel = sanitise(&launch.kernel);
        vec![
            kernel.split('(').next().unwrap_or_default().chars().take(24).collect(),
            explain::dims(launch.grid),
            explain::dims(launch.block),
            launch.stream.to_string(),
            span.map_or("-".into(), |span| format!("{:.1}", span.end - span.start)),
            requests.to_string(),
            if requests == 0 { "-".into() } else { format!("{:.1}", total.sectors_per_request()) },
            total.shared_conflicts().to_string(),
        ]
    });
    let head = head.map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    out.push_str(&format!("\n{}", terminal::table(&rows, "  ")));
    if let more @ 1.. = report.launches.len().saturating_sub(LISTED_LAUNCHES) {
        out.push_str(&format!("  and {more} more\n"));
    }
    out.push_str(
        "\n  requests: global loads and stores, per warp; sectors: 32-byte sectors per request\n",
    );
    out
}

/// The hidden subcommand that becomes the program.
pub fn serve(args: &cli::Program) -> ExitCode {
    let memory = args.device_memory.unwrap_or(Simulation::DEFAULT_MEMORY);
    let simulation = args.seed.map(|seed| Simulation { seed, memory });
    program::serve(&args.object, simulation, &args.args)
}

/// Reports why there is no program.
fn report_rejection(file: &Path, text: &str, messages: &[Message]) {
    let name = file.to_string_lossy();
    let report = explain::not_compiled(messages, &context(&name, text, 0));
    eprintln!("{}", terminal::render(&report, text).trim_end());
}

fn context<'a>(file: &'a str, source: &'a str, millis: u64) -> Context<'a> {
    let command = session::command();
    Context { file, source, device: "simulator", millis, printed: None, seed: 0, command }
}

/// Prints what was found to standard error, because standard output belongs to the program. Returns
/// whether anything was.
fn print_findings(file: &Path, text: &str, ended: &Ended, millis: u64) -> bool {
    let crash = ended.report.as_ref().and_then(|report| report.crashed.clone());
    if ended.status.code().is_none() && crash.is_none() {
        eprintln!("error: a signal ended the program: {}", ended.status);
    }
    let Some(report) = &ended.report else { return false };
    let mut found = report.lost.is_some();
    let name = file.to_string_lossy();
    let context = context(&name, text, millis);
    for (launch, repeats) in distinct_launches(&report.launches) {
        found = true;
        let findings = &launch.observations.findings;
        if let Some(first) = findings.first() {
            let report = explain::launch(launch, first, findings.len() - 1, &context);
            eprintln!("{}", terminal::render(&report, text).trim_end());
        }
        if let Some(why) = &launch.refusal {
            eprintln!("error: kernel `{}` did not run: {why}", launch.kernel);
        }
        if repeats > 0 {
            let launches = if repeats == 1 { "launch" } else { "launches" };
            let kernel = sanitise(&launch.kernel);
            eprintln!("note: the same is wrong in {repeats} more {launches} of `{kernel}`");
        }
    }
    for launch in report.launches.iter().filter(|l| l.observations.output_dropped > 0) {
        let (kernel, bytes) = (sanitise(&launch.kernel), launch.observations.output_dropped);
        eprintln!(
            "note: the simulator keeps 16 MiB of what a launch prints, so {bytes} bytes of `{kernel}` are missing"
        );
    }
    // A program that crashed had no chance to free its memory, and a lost device frees nothing.
    let leaked = !report.leaks.is_empty() && crash.is_none() && report.lost.is_none();
    let leaked = leaked.then(|| Fault::Leaked(report.leaks.clone()));
    let crashed = crash.map(|crash| Fault::Crashed {
        signal: crash.signal,
        words: String::new(),
        crash: Some(crash),
    });
    let host = report.findings.iter().cloned().map(Fault::Host).chain(leaked).chain(crashed);
    for report in host.filter_map(|fault| explain::host(&fault, &context)) {
        found = true;
        eprintln!("{}", terminal::render(&report, text).trim_end());
    }
    if let Some(lost) = &report.lost {
        eprintln!("note: the device was lost: {lost}");
    }
    found
}

/// The launches with findings, without those in which the same is wrong at the same line, and how
/// many these are.
fn distinct_launches(launches: &[LaunchRecord]) -> Vec<(&LaunchRecord, usize)> {
    let mut distinct: Vec<(&LaunchRecord, usize)> = vec![];
    let key = |launch: &LaunchRecord| {
        let first = launch.observations.findings.first();
        let fault = first.map(|f| (std::mem::discriminant(&f.what), f.at.source.clone()));
        (launch.kernel.clone(), launch.at.clone(), fault, launch.refusal.clone())
    };
    let wrong = |launch: &&LaunchRecord| {
        !launch.observations.findings.is_empty() || launch.refusal.is_some()
    };
    for launch in launches.iter().filter(wrong) {
        match distinct.iter_mut().find(|(other, _)| key(other) == key(launch)) {
            Some((_, repeats)) => *repeats += 1,
            None => distinct.push((launch, 0)),
        }
    }
    distinct
}
