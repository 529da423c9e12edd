//! `checker run`: a CUDA program with its own output and exit code, and, on the simulator, what is wrong with it.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use cudart_sim::report::{HostFinding, Report};

use super::{Usage, session};
use crate::attempt;
use crate::backend::{Choice, Fault};
use crate::compile::{Message, Outcome, Program, ProgramOptions, Target};
use crate::diagnostic::Slug;
use crate::engine::Engine;
use crate::exit::{self, Exit};
use crate::explain::{self, Context};
use crate::program::{self, Ended};
use crate::report::{terminal, timeline};
use crate::source;
use crate::verdict::Unreadable;
use crate::worker::Sandbox;

/// Compiles and runs a program.
pub fn run(
    file: &Path,
    backend: Choice,
    (seed, profile): (u64, bool),
    args: &[String],
) -> anyhow::Result<ExitCode> {
    let text = source::read(file)
        .map_err(|why| Usage(format!("{}: {}", file.display(), unreadable(&why))))?;
    // a program of one's own may read the files beside it, and everything else
    let mut engine = session::engine(backend)?.confined(Sandbox::Off, None, None);
    let on_gpu = engine.uses_gpu().map_err(attempt::Error::NoGpu)?;
    let target = if on_gpu { Target::Gpu } else { Target::Simulator };
    let Some(program) = build(file, &text, target, &mut engine)? else {
        return Ok(Exit::NotYet.into());
    };
    let start = Instant::now();
    let ended = program::run(&program.object, (!on_gpu).then_some(seed), args)?;
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    tell(file, &text, &ended, millis);
    if let Some(report) = ended.report.as_ref().filter(|_| profile) {
        eprint!("{}", costs(report, terminal::full_width()));
    }
    let code = ended.status.code().and_then(|code| u8::try_from(code).ok());
    let found = ended.report.as_ref().is_some_and(unnoticed);
    Ok(match code {
        // a program that is wrong without noticing has not succeeded
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
            format!("{bytes} bytes are too many for a source file: {most} at most")
        }
        Unreadable::Io(text) => text.clone(),
    }
}

/// Compiles; `None` when the source is wrong, which has been said.
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
            refuse(file, text, &messages);
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
            n => format!(", and {} more functions of CUDA that this program calls", n - 1),
        };
        anyhow::bail!("{}{place}: the simulator does not have {missing}{others}", file.display());
    }
    Ok(Some(program))
}

/// Launches that are listed at most.
const MOST_LAUNCHES: usize = 20;

/// What each engine did when, and what each launch cost.
fn costs(report: &Report, width: usize) -> String {
    let mut out = format!("\n{}", timeline::render(&report.timeline, width));
    if report.launches.is_empty() {
        return out;
    }
    let place = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    };
    let head = ["kernel", "grid", "block", "stream", "us", "requests", "sectors", "conflicts"];
    let rows = report.launches.iter().take(MOST_LAUNCHES).map(|launch| {
        let total = &launch.observations.totals;
        let requests = total.load_requests + total.store_requests;
        let span = launch.span.and_then(|span| report.timeline.get(span));
        let kernel = explain::neutral(&launch.kernel);
        vec![
            kernel.split('(').next().unwrap_or_default().chars().take(24).collect(),
            place(launch.grid),
            place(launch.block),
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
    if let more @ 1.. = report.launches.len().saturating_sub(MOST_LAUNCHES) {
        out.push_str(&format!("  and {more} more\n"));
    }
    out.push_str(
        "\n  requests: global loads and stores of a warp; sectors: of 32 bytes, for each request\n",
    );
    out
}

/// Is something wrong that no call has answered with an error?
fn unnoticed(report: &Report) -> bool {
    let answered = |finding: &HostFinding| {
        let slug = Fault::Host(finding.clone()).slug();
        matches!(slug, Slug::CallFailed | Slug::DoubleFree | Slug::InvalidFree | Slug::UseAfterFree)
    };
    report.findings.iter().any(|finding| !answered(finding))
        || report.launches.iter().any(|launch| !launch.observations.findings.is_empty())
}

/// The hidden subcommand that becomes the program.
pub fn serve(object: &Path, seed: Option<u64>, args: &[String]) -> ExitCode {
    program::serve(object, seed, args)
}

/// Says why there is no program.
fn refuse(file: &Path, text: &str, messages: &[Message]) {
    let name = file.to_string_lossy();
    let report = explain::not_compiled(messages, &context(&name, text, 0));
    eprintln!("{}", terminal::render(&report, text).trim_end());
}

fn context<'a>(file: &'a str, source: &'a str, millis: u64) -> Context<'a> {
    let command = session::command();
    Context { file, source, device: "simulator", millis, printed: None, seed: 0, command }
}

/// Says what was found, on stderr: stdout is the program's.
fn tell(file: &Path, text: &str, ended: &Ended, millis: u64) {
    let crash = ended.report.as_ref().and_then(|report| report.crashed.clone());
    if ended.status.code().is_none() && crash.is_none() {
        eprintln!("error: the program was ended by a signal: {}", ended.status);
    }
    let Some(report) = &ended.report else { return };
    let name = file.to_string_lossy();
    let context = context(&name, text, millis);
    for launch in &report.launches {
        let findings = &launch.observations.findings;
        if let Some(first) = findings.first() {
            let report = explain::launch(launch, first, findings.len() - 1, &context);
            eprintln!("{}", terminal::render(&report, text).trim_end());
        }
        if let Some(why) = &launch.refusal {
            eprintln!("error: kernel `{}` was not run: {why}", launch.kernel);
        }
    }
    // a program that was ended had no time to free anything, and a device that is lost frees nothing
    let leaked = !report.leaks.is_empty() && crash.is_none() && report.lost.is_none();
    let leaked = leaked.then(|| Fault::Leaked(report.leaks.clone()));
    let crashed = crash.map(|crash| Fault::Crashed {
        signal: crash.signal,
        words: String::new(),
        crash: Some(crash),
    });
    let host = report.findings.iter().cloned().map(Fault::Host).chain(leaked).chain(crashed);
    for report in host.filter_map(|fault| explain::host(&fault, &context)) {
        eprintln!("{}", terminal::render(&report, text).trim_end());
    }
    if let Some(lost) = &report.lost {
        eprintln!("note: the device was lost: {lost}");
    }
}
