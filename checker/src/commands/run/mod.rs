//! `checker run`: a CUDA program with its own output and exit code, and, on the simulator, what is
//! wrong with it.

mod closeups;
mod options;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cudart_sim::report::Report;

use crate::attempt::{self, Resources};
use crate::cli;
use crate::compile::{Program, ProgramOptions, Target};
use crate::console;
use crate::engine::Engine;
use crate::error::Usage;
use crate::exit::{self, Exit};
use crate::program::{self, Simulation};
use crate::report::terminal;
use crate::session;
use crate::source;
use crate::standalone::{self, Built, Files, Remark};
use crate::verdict::Unreadable;
use crate::worker::{End, Sandbox};

/// How long a program may run in the sandbox.
const CONFINED_TIME_LIMIT: Duration = Duration::from_secs(60);

/// Compiles and runs a program.
pub fn run(args: &cli::Run) -> anyhow::Result<ExitCode> {
    let backend = closeups::backend(args)?;
    let Some(file) = args.files.first() else { anyhow::bail!("no file is given") };
    let text = source::read(file)
        .map_err(|why| Usage(format!("{}: {}", file.display(), unreadable(&why))))?;
    let files = Files::new(&args.files, text);
    let project = options::project(args)?;
    let folders = options::folders(&project);
    // By default, the learner's own program has the learner's own rights.
    let sandbox = args.sandbox.into();
    let mut engine = session::engine(backend)?.confined(sandbox, None, None).reading(folders);
    let on_gpu = engine.programs_use_gpu().map_err(attempt::Error::NoGpu)?;
    if let Some(why) = engine.programs_off_gpu() {
        console::print_warning(format_args!("the program runs on the simulator, because {why}"));
    }
    let target = if on_gpu { Target::Gpu } else { Target::Simulator };
    let options = ProgramOptions { debug: args.trace, ..ProgramOptions::program(target, project) };
    let program = match standalone::build(&files, &options, &mut engine)? {
        Built::Program(program) => program,
        Built::Rejected(why) => {
            print(&[why]);
            return Ok(Exit::NotYet.into());
        }
    };
    for line in standalone::warnings(&files, &program.warnings) {
        eprintln!("{line}");
    }
    if let Some(missing) = standalone::unsupported(&files, &program) {
        anyhow::bail!("{missing}");
    }
    let start = Instant::now();
    let traced = args.trace.then(|| closeups::traced(args));
    let simulation = Simulation {
        seed: args.seed,
        memory: args.device_memory << 30,
        budget: args.budget.saturating_mul(1_000_000),
        traced,
        resources: program.resources.clone().unwrap_or_default(),
    };
    let ended = match sandbox {
        Sandbox::Off => with_own_rights(&program, (!on_gpu).then_some(simulation), &args.args)?,
        Sandbox::Try | Sandbox::Require => {
            confined(&program, &simulation, &args.args, &mut engine)?
        }
    };
    if let Some(why) = &ended.unloadable {
        print(&[standalone::unloadable(why, &files)?]);
        return Ok(Exit::NotYet.into());
    }
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (remarks, found) =
        standalone::findings(&files, ended.report.as_ref(), ended.unusual.as_deref(), millis);
    print(&remarks);
    if let Some(report) = &ended.report {
        let resources = resources(args, &files, &program, &options, &mut engine)?;
        closeups::print(args, (&files, report), resources, millis)?;
    }
    Ok(match ended.code {
        // A program that exits with 0 although something is wrong has not succeeded.
        Some(0) if found => Exit::NotYet.into(),
        Some(code) => ExitCode::from(code),
        None => ExitCode::from(exit::NOT_YET),
    })
}

/// How a program ended.
struct Ended {
    /// Its exit code; `None` if it did not end by itself.
    code: Option<u8>,
    /// How it ended otherwise, in words that follow "the program".
    unusual: Option<String>,
    report: Option<Report>,
    /// Why it did not start, in the words of the dynamic linker.
    unloadable: Option<String>,
}

/// Runs a program with the rights and the standard streams of this process.
fn with_own_rights(
    program: &Program,
    simulation: Option<Simulation>,
    args: &[String],
) -> anyhow::Result<Ended> {
    let program::Ended { status, report, unloadable } =
        program::run(&program.object, simulation, args)?;
    Ok(Ended {
        code: status.code().and_then(|code| u8::try_from(code).ok()),
        unusual: status.code().is_none().then(|| format!("was ended by a signal: {status}")),
        report,
        unloadable,
    })
}

/// Runs a program in the sandbox, and then prints what it has printed.
fn confined(
    program: &Program,
    simulation: &Simulation,
    args: &[String],
    engine: &mut Engine,
) -> anyhow::Result<Ended> {
    let run = engine.run_whole(&program.object, args, simulation, CONFINED_TIME_LIMIT)?;
    let mut stdout = std::io::stdout();
    stdout.write_all(run.printed.as_bytes())?;
    if run.printed_dropped > 0 && !run.printed.ends_with('\n') {
        stdout.write_all(b"\n")?;
    }
    stdout.flush()?;
    if run.printed_dropped > 0 {
        eprintln!("note: {} more bytes of its output are not shown", run.printed_dropped);
    }
    Ok(Ended {
        code: match run.end {
            End::Exited(code) => u8::try_from(code).ok(),
            _ => None,
        },
        unusual: standalone::unusual_end(&run.end),
        report: run.report,
        unloadable: match run.end {
            End::NotStarted(why) => Some(why),
            _ => None,
        },
    })
}

/// Prints to standard error, because standard output belongs to the program.
fn print(remarks: &[Remark]) {
    for remark in remarks {
        match remark {
            Remark::Report(report, file) => {
                eprintln!("{}", terminal::render(report, &file.text).trim_end());
            }
            Remark::Line(line) => eprintln!("{line}"),
        }
    }
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

/// What the assembler allocates for the program's kernels on the GPU that `--gpu` names. For
/// another GPU than the simulated one, the program is compiled again.
fn resources(
    args: &cli::Run,
    files: &Files,
    program: &Program,
    options: &ProgramOptions,
    engine: &mut Engine,
) -> anyhow::Result<Resources> {
    let Some(card) = args.gpu.filter(|card| card.architecture() != options.assembled_for) else {
        return Ok(program.resources.clone());
    };
    let options = ProgramOptions { assembled_for: card.architecture(), ..options.clone() };
    Ok(match standalone::build(files, &options, engine)? {
        Built::Program(program) => program.resources,
        Built::Rejected(_) => {
            Err(format!("the program does not compile for {}", options.assembled_for))
        }
    })
}
