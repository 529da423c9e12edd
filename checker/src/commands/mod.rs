//! The commands, one module each. This one reads the command line and dispatches.

use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::{self, Cli, Command};
use crate::{console, error, exercises, exit, session};

mod check;
mod doctor;
mod explain;
mod hint;
mod home;
mod init;
mod list;
mod profile;
pub mod reset;
#[cfg(target_os = "linux")]
mod run;
mod setup;
mod solution;
pub mod tools;
mod trace;
mod watch;

/// Runs a command of `checker-tools`.
type RunTool = fn(&Command) -> anyhow::Result<exit::Exit>;

/// Runs the command line that the process was started with, and the commands that this crate lacks
/// by `run_tool`.
pub fn main(run_tool: RunTool) -> ExitCode {
    let cli = match Cli::try_parse_from(cli::translate(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(help) = misplaced_exercise(&error) {
                eprintln!("error: {help}");
                return ExitCode::from(exit::USAGE);
            }
            // clap returns help and version as errors, too. If they cannot be printed, there is
            // nothing left to do.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::PASSED });
        }
    };
    dispatch(cli.command, run_tool).unwrap_or_else(|error| {
        console::print_error(&error);
        error::exit(&error).into()
    })
}

/// What to say when the name of an exercise stands where a command should.
fn misplaced_exercise(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let spec = exercises::find(word).ok()?;
    let command = session::command();
    Some(format!("`{word}` is an exercise: did you mean `{command} check {}`?", spec.id))
}

fn dispatch(command: Option<Command>, run_tool: RunTool) -> anyhow::Result<ExitCode> {
    let exit = match command {
        None => home::run()?,
        Some(Command::List) => list::run()?,
        Some(Command::Check(args)) => check::run(&args)?,
        Some(Command::Watch(args)) => watch::run(&args)?,
        Some(Command::Profile(args)) => profile::run(&args)?,
        Some(Command::Trace(args)) => trace::run(&args)?,
        #[cfg(target_os = "linux")]
        Some(Command::Run(args)) => return run::run(&args),
        #[cfg(not(target_os = "linux"))]
        Some(Command::Run(_)) => {
            anyhow::bail!("whole programs run on Linux only; kernels are checked everywhere")
        }
        Some(Command::Hint(args)) => hint::run(args.name.as_deref())?,
        Some(Command::Reset(args)) => reset::run(&args.name)?,
        Some(Command::Solution(args)) => solution::run(&args)?,
        Some(Command::Explain { slug }) => explain::run(slug.as_deref())?,
        Some(Command::Doctor) => doctor::run()?,
        Some(Command::Setup) => setup::run()?,
        Some(Command::Init { dir }) => init::run(&dir)?,
        Some(tool) => run_tool(&tool)?,
    };
    Ok(exit.into())
}
