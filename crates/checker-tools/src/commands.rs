//! The commands, one module each.

mod bench;
mod book;
mod dev;
mod grade;
mod host;
mod merge;
mod report;
mod similar;

use checker::cli::Command;
use checker::exit::Exit;

/// Runs a command of this crate.
///
/// # Errors
/// Those of the command; and that the crate does not have it.
pub fn run(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Bench(args) => bench::run(args),
        Command::Book(args) => book::run(args),
        Command::Grade(args) => grade::run(args),
        Command::Host(args) => host::run(args),
        Command::Report(args) => report::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Similar(args) => similar::run(args),
        Command::Dev(args) => dev::run(args),
        _ => anyhow::bail!("`checker-tools` lacks this command: `checker` has it"),
    }
}
