//! `checker run`: a CUDA program with its own output and exit code, and, on the simulator, what is
//! wrong with it.

mod closeups;
mod files;
mod options;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use cudart_sim::report::Report;
use cudart_sim::runtime::{LaunchRecord, Refusal};

use self::files::{Files, SourceFile};
use crate::attempt;
use crate::backend::Fault;
use crate::cli;
use crate::compile::{Message, Outcome, Program, ProgramOptions, Severity, Target, nvcc};
use crate::console;
use crate::engine::Engine;
use crate::error::Usage;
use crate::exercises;
use crate::exit::{self, Exit};
use crate::explain::{self, Context};
use crate::program::{self, Ended, Simulation};
use crate::report::terminal;
use crate::session;
use crate::source;
use crate::text::sanitise;
use crate::verdict::Unreadable;
use crate::worker::Sandbox;

/// Compiles and runs a program.
pub fn run(args: &cli::Run) -> anyhow::Result<ExitCode> {
    let backend = closeups::backend(args)?;
    let Some(file) = args.files.first() else { anyhow::bail!("no file is given") };
    let text = source::read(file)
        .map_err(|why| Usage(format!("{}: {}", file.display(), unreadable(&why))))?;
    let files = Files::new(&args.files, text);
    let project = options::project(args)?;
    // The learner's own program may read the files beside it, and everything else.
    let mut engine = session::engine(backend)?.confined(Sandbox::Off, None, None);
    let on_gpu = engine.programs_use_gpu().map_err(attempt::Error::NoGpu)?;
    if let Some(why) = engine.programs_off_gpu() {
        console::print_warning(format_args!("the program runs on the simulator, because {why}"));
    }
    let target = if on_gpu { Target::Gpu } else { Target::Simulator };
    let options = ProgramOptions { debug: args.trace, ..ProgramOptions::program(target, project) };
    let Some(program) = build(&files, file, &options, &mut engine)? else {
        return Ok(Exit::NotYet.into());
    };
    let start = Instant::now();
    let traced = args.trace.then(|| closeups::traced(args));
    let simulation = Simulation {
        seed: args.seed,
        memory: args.device_memory << 30,
        budget: args.budget.saturating_mul(1_000_000),
        traced,
    };
    let ended = program::run(&program.object, (!on_gpu).then_some(simulation), &args.args)?;
    if let Some(why) = &ended.unloadable {
        return unloadable(why, &files);
    }
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let found = print_findings(&files, &ended, millis);
    if let Some(report) = &ended.report {
        closeups::print(args, &files, report, millis)?;
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
    files: &Files,
    file: &Path,
    options: &ProgramOptions,
    engine: &mut Engine,
) -> anyhow::Result<Option<Program>> {
    let SourceFile { name: shown, text } = files.first();
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let program = match engine.build(text, &name, options)? {
        Outcome::Compiled(program) => program,
        Outcome::Rejected(messages) => {
            report_rejection(files, &messages);
            return Ok(None);
        }
        Outcome::Stopped(what) => anyhow::bail!("{shown}: {what}"),
        Outcome::Unavailable(why) => anyhow::bail!("{why}"),
    };
    print_warnings(files, &program.warnings);
    if let Some(missing) = program.missing.first() {
        if missing == nvcc::DEVICE_LAUNCH {
            anyhow::bail!(
                "{shown}: the simulator does not support kernels that launch kernels (dynamic \
                 parallelism), which is correct CUDA; launch the next kernel from the host"
            );
        }
        let place = place_of(files, missing).unwrap_or_else(|| shown.clone());
        let others = match program.missing.len() {
            1 => String::new(),
            n => format!(", nor {} more CUDA functions that this program calls", n - 1),
        };
        anyhow::bail!("{place}: the simulator does not support {missing}{others}");
    }
    Ok(Some(program))
}

/// The first place that names a function: `main.cu:7`.
fn place_of(files: &Files, name: &str) -> Option<String> {
    files.compiled().iter().find_map(|file| {
        let mut lines = (1..).zip(file.text.lines());
        let (line, _) = lines.find(|(_, line)| line.contains(name))?;
        Some(format!("{}:{line}", file.name))
    })
}

/// Reports a program that the dynamic linker does not load.
fn unloadable(why: &str, files: &Files) -> anyhow::Result<ExitCode> {
    if why.contains("undefined symbol: main") {
        anyhow::bail!(Usage(no_main(files.first())));
    }
    if let Some((_, symbol)) = why.rsplit_once("undefined symbol: ") {
        let symbol = symbol.split([' ', ',', ')']).next().unwrap_or(symbol);
        let called = explain::plain_symbol(symbol);
        let word = called.split(['(', '<']).next().unwrap_or(&called);
        let word = word.rsplit("::").next().unwrap_or(word);
        let named = |file: &&SourceFile| file.text.contains(word);
        let file = files.compiled().iter().find(named).unwrap_or(files.first());
        let report = explain::undefined_symbol(symbol, &context(&file.name, &file.text, 0));
        eprintln!("{}", terminal::render(&report, &file.text).trim_end());
        return Ok(Exit::NotYet.into());
    }
    anyhow::bail!("the program cannot be loaded: {why}")
}

/// What to do about a file without a `main`.
fn no_main(file: &SourceFile) -> String {
    let stem = Path::new(&file.name).file_stem().unwrap_or_default().to_string_lossy();
    let command = session::command();
    let exercise = exercises::all().iter().find(|spec| spec.id == stem);
    let help = match exercise {
        Some(spec) => format!("did you mean `{command} check {}`?", spec.id),
        None if file.text.contains(" Main(") => "its name is written in lower case".to_owned(),
        None => "a program needs one, which allocates memory and launches the kernel".to_owned(),
    };
    format!("{}: there is no main() here; {help}", file.name)
}

/// Warnings that are shown at most.
const SHOWN_WARNINGS: usize = 3;

/// Prints the compiler's warnings about what has an effect. A variable that is never used is no
/// mistake.
fn print_warnings(files: &Files, warnings: &[Message]) {
    let relevant = |message: &&Message| {
        message.severity == Severity::Warning && message.line > 0 && !message.is_about_unused()
    };
    let mut shown: Vec<String> = vec![];
    for message in warnings.iter().filter(relevant) {
        let name = match &message.file {
            Some(path) => files.find(path).name,
            None => files.first().name.clone(),
        };
        let text = sanitise(&message.text);
        let line = format!("warning: {text} (line {} of {})", message.line, sanitise(&name));
        // nvcc compiles host and device code one after another, and says most things twice.
        if !shown.contains(&line) {
            shown.push(line);
        }
    }
    for line in shown.iter().take(SHOWN_WARNINGS) {
        eprintln!("{line}");
    }
    if let more @ 1.. = shown.len().saturating_sub(SHOWN_WARNINGS) {
        eprintln!("warning: {more} more of the compiler's warnings are not shown");
    }
}

/// Whether memory that a finished program never freed is reported.
fn leaked(report: &Report) -> bool {
    // A program that crashed had no chance to free its memory, and a lost device frees nothing.
    !report.leaks.is_empty() && report.crashed.is_none() && report.lost.is_none()
}

/// Reports why there is no program.
fn report_rejection(files: &Files, messages: &[Message]) {
    let first = messages.iter().find(|message| message.severity == Severity::Error);
    let path = first.and_then(|message| message.file.as_deref());
    let file = path.map_or_else(|| files.first().clone(), |path| files.find(path));
    // The other messages are only counted.
    let report = explain::not_compiled(messages, &context(&file.name, &file.text, 0));
    eprintln!("{}", terminal::render(&report, &file.text).trim_end());
}

fn context<'a>(file: &'a str, source: &'a str, millis: u64) -> Context<'a> {
    let command = session::command();
    Context { file, source, device: "simulator", millis, printed: None, seed: 0, command }
}

/// Prints what was found to standard error, because standard output belongs to the program. Returns
/// whether anything was.
fn print_findings(files: &Files, ended: &Ended, millis: u64) -> bool {
    let crash = ended.report.as_ref().and_then(|report| report.crashed.clone());
    if ended.status.code().is_none() && crash.is_none() {
        eprintln!("error: a signal ended the program: {}", ended.status);
    }
    let Some(report) = &ended.report else { return false };
    let mut found = report.lost.is_some();
    let host = |fault: &Fault| {
        let file = files.at(place_of_fault(fault));
        let report = explain::host(fault, &context(&file.name, &file.text, millis));
        if let Some(report) = &report {
            eprintln!("{}", terminal::render(report, &file.text).trim_end());
        }
        report.is_some()
    };
    // A kernel that does not wait for its input often reads what nothing has written yet.
    let findings = report.ordered_findings();
    for finding in findings.first {
        found |= host(&Fault::Host(finding));
    }
    // The others come in the order in which the program made them: the first is often the reason
    // for those after it.
    let mut others = findings.others.into_iter().peekable();
    for (launch, repeats) in distinct_launches(&report.launches) {
        found = true;
        while let Some(finding) = others.next_if(|finding| finding.launches <= launch.number) {
            host(&Fault::Host(finding));
        }
        let findings = &launch.observations.findings;
        if let Some(first) = findings.first() {
            let file = files.at(Some(&first.at.source));
            let context = context(&file.name, &file.text, millis);
            let report = explain::launch(launch, first, findings.len() - 1, &context);
            eprintln!("{}", terminal::render(&report, &file.text).trim_end());
        }
        if let Some(refusal) = &launch.refusal {
            print_refusal(files, launch, refusal, millis);
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
    let leaked = leaked(report).then(|| Fault::Leaked(report.leaks.clone()));
    let crashed = crash.map(|crash| Fault::Crashed {
        signal: crash.signal,
        words: String::new(),
        crash: Some(crash),
    });
    for fault in others.map(Fault::Host).chain(leaked).chain(crashed) {
        found |= host(&fault);
    }
    // A kernel that did not run loses the simulated device, which says nothing about the program.
    let refused = report.launches.iter().any(|launch| launch.refusal.is_some());
    if let Some(lost) = report.lost.as_ref().filter(|_| !refused) {
        eprintln!("note: the device was lost: {lost}");
    }
    found
}

/// Prints why a kernel did not run, with its line where that is known.
fn print_refusal(files: &Files, launch: &LaunchRecord, refusal: &Refusal, millis: u64) {
    let file = files.at(refusal.at.as_ref());
    let context = context(&file.name, &file.text, millis);
    match explain::refused_launch(launch, refusal, &context) {
        Some(report) => eprintln!("{}", terminal::render(&report, &file.text).trim_end()),
        None => eprintln!("error: kernel `{}` did not run: {}", launch.kernel, refusal.text),
    }
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

/// Where a mistake in host code is marked.
fn place_of_fault(fault: &Fault) -> Option<&ptxsim::Source> {
    match fault {
        Fault::Host(finding) => finding.at.as_ref()?.source.as_ref(),
        Fault::Leaked(leaks) => {
            leaks.iter().find_map(|leak| leak.at.as_ref().and_then(|at| at.source.as_ref()))
        }
        Fault::Crashed { crash, .. } => crash.as_ref()?.at.as_ref(),
        _ => None,
    }
}
