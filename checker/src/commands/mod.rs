//! The commands: each in a room of its own. Here: dispatch, and what an error means for the exit code.

use std::process::ExitCode;

use clap::Parser;
use colored::Colorize;

use crate::backend::Choice;
use crate::cli::{Cli, Command};
use crate::exit::{self, Exit};
use crate::{attempt, exercises, workbook, worker};

/// Prints a line to stdout. A reader that has gone away (`checker list | head`) is no error, and no panic.
macro_rules! say {
    () => { $crate::commands::say(format_args!("")) };
    ($($arg:tt)*) => { $crate::commands::say(format_args!($($arg)*)) };
}

mod book;
mod check;
mod dev;
mod doctor;
mod explain;
mod grade;
mod hint;
mod home;
mod init;
mod list;
mod merge;
mod present;
mod profile;
mod report;
mod reset;
#[cfg(target_os = "linux")]
mod run;
mod session;
mod setup;
mod similar;
mod solution;
mod trace;
mod watch;

/// Runs the command line that the process was started with.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version arrive as "errors" too. Nothing can be done when they cannot be printed.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::PASSED });
        }
    };
    dispatch(cli.command).unwrap_or_else(|error| {
        complain(&error);
        meaning(&error).into()
    })
}

fn dispatch(command: Option<Command>) -> anyhow::Result<ExitCode> {
    let exit = match command {
        None => home::run()?,
        Some(Command::List) => list::run()?,
        Some(Command::Check(args)) => check::run(&args)?,
        Some(Command::Watch(args)) => watch::run(&args)?,
        Some(Command::Profile(args)) => profile::run(&args)?,
        Some(Command::Trace(args)) => trace::run(&args)?,
        #[cfg(target_os = "linux")]
        Some(Command::Run { file, backend, seed, profile, args }) => {
            let backend = match (profile, backend.into()) {
                (true, Choice::Gpu) => {
                    return Err(Usage(
                        "only the simulator counts: --profile goes with --backend sim".into(),
                    )
                    .into());
                }
                (true, _) => Choice::Sim,
                (false, backend) => backend,
            };
            return run::run(&file, backend, (seed, profile), &args);
        }
        #[cfg(target_os = "linux")]
        Some(Command::Program { object, seed, args }) => {
            return Ok(run::serve(&object, seed, &args));
        }
        #[cfg(not(target_os = "linux"))]
        Some(Command::Run { .. } | Command::Program { .. }) => {
            anyhow::bail!("whole programs run on Linux only; kernels are checked everywhere")
        }
        Some(Command::Hint(args)) => hint::run(args.name.as_deref())?,
        Some(Command::Reset(args)) => reset::run(&args.name)?,
        Some(Command::Solution(args)) => solution::run(&args)?,
        Some(Command::Explain { slug }) => explain::run(slug.as_deref())?,
        Some(Command::Doctor) => return doctor::run(session::command(), gpu, sandbox),
        Some(Command::Setup) => return setup::run(),
        Some(Command::Book(args)) => book::run(&args)?,
        Some(Command::Init { dir }) => init::run(&dir)?,
        Some(Command::Grade(args)) => grade::run(&args)?,
        Some(Command::Report(args)) => report::run(&args)?,
        Some(Command::Merge(args)) => merge::run(&args)?,
        Some(Command::Similar(args)) => similar::run(&args)?,
        Some(Command::Dev(args)) => dev::run(&args)?,
        Some(Command::Worker) => return Ok(worker::serve()),
    };
    Ok(exit.into())
}

/// The GPU in words, or why there is none.
fn gpu() -> Result<String, String> {
    let gpu = worker::Worker::new().gpu().map_err(|none| none.why)?;
    let (major, minor) = gpu.driver;
    Ok(format!("{}, {} GiB, driver for CUDA {major}.{minor}", gpu.name, gpu.memory >> 30))
}

/// What keeps learners' code in, or why nothing does.
fn sandbox() -> Result<worker::Confined, String> {
    worker::Worker::new().confined().map_err(|error| error.to_string())
}

/// A mistake on the command line, or in the course.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// Prints an error to stderr, with its causes, each said once.
fn complain(error: &anyhow::Error) {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    eprintln!("{}: {text}", "error".red().bold());
}

/// What an error means for the exit code.
fn meaning(error: &anyhow::Error) -> Exit {
    let usage = error.is::<Usage>()
        || error.is::<exercises::Unknown>()
        || matches!(
            error.downcast_ref(),
            Some(attempt::Error::NoSuchCase { .. } | attempt::Error::NoSuchThread { .. })
        )
        || matches!(
            error.downcast_ref(),
            Some(workbook::Error::NotEmpty(_) | workbook::Error::NotAFolder(_))
        );
    if usage { Exit::Usage } else { Exit::Environment }
}

fn say(text: std::fmt::Arguments) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{text}");
}
