//! The command line as clap parses it. Only types: `commands` carries them out.

mod author;
mod bench;
mod check;
mod grade;
mod host;
mod nvcc;
mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cudart_sim::occupancy::{CARDS, Card};

pub use author::{Book, Dev, DevBound, DevCheck, DevClass, DevMutant, DevRecord, DevTime, Ptx};
pub use bench::Bench;
pub use check::{CaseOptions, Check, CheckOptions, Profile, ThreadOptions, Trace, Watch};
pub use grade::{Audience, Grade, Merge, Platform, Report, Schema, Similar};
pub use host::Host;
pub use nvcc::translate;
pub use run::Run;

use crate::backend::Choice;
use crate::worker;

/// The CUDA workbook: read a chapter, edit one `.cu` file, and see at once whether your code is
/// right.
///
/// Without a command, `checker` shows your progress, checks the next exercise, and suggests what to
/// do next.
#[derive(Debug, Parser)]
#[command(name = "checker", version, after_help = AFTER_HELP)]
pub struct Cli {
    /// The command; without one, the home screen.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER_HELP: &str = "\
Examples:
  checker                      show your progress and check the next exercise
  checker watch                check again at every save
  checker check blocks         check one exercise
  checker check 1              check chapter 1
  checker profile blocks       show the cost of each line
  checker trace blocks         show the steps of one thread, line by line
  checker hint blocks          show one more hint each time

For authors: checker dev --help

Exit codes:
  0  success: all checked code passed
  1  your code does not pass yet
  2  the command line is wrong, or the course is broken
  3  something is missing: a compiler, or the GPU that you requested";

/// A command; each has a module of the same name in `commands`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List all exercises and mark those that are done
    List,
    /// Check an exercise, a chapter, or the whole course
    Check(Check),
    /// Check again at every save
    ///
    /// Starts with NAME, or with the first exercise that is not done. Keys: n for the next
    /// exercise, h for a hint, l for the list, r to run again, q to quit.
    Watch(Watch),
    /// Show what each line of a kernel costs: memory traffic, bank conflicts, divergence
    Profile(Profile),
    /// Show the steps of one thread, line by line, with the values of its variables
    Trace(Trace),
    /// Time an exercise on your GPU, beside the original and the solution
    Bench(Bench),
    /// Compile and run a whole CUDA program
    Run(Run),
    /// Show the next hint for an exercise
    ///
    /// Each call shows one more hint. The first hint is only a nudge, and the last one is nearly
    /// the answer. Without NAME, the command shows a hint for the first exercise that is not done.
    Hint(OptionalName),
    /// Restore the original file of an exercise, and keep your version as a backup
    Reset(Name),
    /// Show the solution of an exercise that you have passed
    Solution(Solution),
    /// Explain a diagnostic, or list all diagnostics
    #[command(after_help = "Example:\n  checker explain shared-race")]
    Explain {
        /// The name in brackets at the start of a message, for example `shared-race`.
        slug: Option<String>,
    },
    /// Show which tools and devices this machine has, which are missing, and how to fix that
    Doctor,
    /// Install NVIDIA's CUDA compiler into your cache folder (needs no GPU, driver or root
    /// privileges)
    Setup,
    /// Build or serve the book
    #[command(subcommand)]
    Book(Book),
    /// Write the course into a new folder
    #[command(after_help = "Example:\n  checker init cuda-workbook && cd cuda-workbook && checker")]
    Init {
        /// A new or empty folder, or an existing workbook to which missing files are added.
        dir: PathBuf,
    },
    /// For instructors: grade the submissions of a class
    Grade(Box<Grade>),
    /// For instructors: convert grades to the format of a learning platform
    Report(Report),
    /// For instructors: merge the results of several machines
    Merge(Merge),
    /// For instructors: find submissions that are more similar than chance explains
    Similar(Similar),
    /// For instructors: serve the live book to a class that installs nothing
    Host(Box<Host>),
    /// For authors: prove, time and extend the course
    #[command(subcommand, hide = true)]
    Dev(Dev),
}

/// An exercise.
#[derive(Debug, Args)]
pub struct Name {
    /// The exercise, for example `blocks`.
    pub name: String,
}

/// An exercise, or the first open one.
#[derive(Debug, Args)]
pub struct OptionalName {
    /// The exercise, for example `blocks`.
    pub name: Option<String>,
}

/// `checker solution`
#[derive(Debug, Args)]
pub struct Solution {
    /// The exercise, for example `blocks`.
    pub name: String,
    /// Show the solution even if you have not passed the exercise.
    #[arg(long)]
    pub spoil: bool,
}

/// Where kernels run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Backend {
    /// The GPU if there is one, otherwise the simulator.
    #[default]
    Auto,
    /// The GPU; without one, the exit code is 3.
    Gpu,
    /// The simulator.
    Sim,
}

impl From<Backend> for Choice {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Auto => Self::Auto,
            Backend::Gpu => Self::Gpu,
            Backend::Sim => Self::Sim,
        }
    }
}

/// Whether learners' code runs in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Sandbox {
    /// Run code only if the complete sandbox works; otherwise, the exit code is 3.
    Require,
    /// Confine code as far as this system allows; `checker doctor` shows how far that is.
    #[default]
    Try,
    /// Do not confine code; choose this only for code that you trust.
    Off,
}

impl From<Sandbox> for worker::Sandbox {
    fn from(sandbox: Sandbox) -> Self {
        match sandbox {
            Sandbox::Require => Self::Require,
            Sandbox::Try => Self::Try,
            Sandbox::Off => Self::Off,
        }
    }
}

/// How to print a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// Text for the terminal.
    #[default]
    Term,
    /// One JSON document on stdout.
    Json,
}

/// How `checker check` prints verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReportFormat {
    /// Text for the terminal.
    #[default]
    Term,
    /// One line for each message, `FILE:LINE:COLUMN: error: TEXT`, for editors.
    Short,
    /// One HTML fragment on stdout, with an article for each exercise, for notebooks.
    Html,
    /// One JSON document on stdout.
    Json,
}

/// How `checker profile` and `checker trace` print their result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum CaseFormat {
    /// Text for the terminal.
    #[default]
    Term,
    /// One HTML fragment on stdout, for notebooks.
    Html,
    /// One JSON document on stdout, as with `--json`.
    Json,
}

/// How `checker watch` prints verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum WatchFormat {
    /// A page for the terminal.
    #[default]
    Term,
    /// The lines of `check --format short`, between the lines `checking NAME` and `checked NAME`.
    Short,
}

/// Parses the size of a grid or block, `X`, `X,Y` or `X,Y,Z`; missing numbers are 1.
fn dimensions(text: &str) -> Result<[u32; 3], String> {
    let dimensions = three_numbers(text, 1)?;
    if dimensions.contains(&0) {
        return Err("every dimension is at least 1".into());
    }
    Ok(dimensions)
}

/// Parses the index of a block or thread, `X`, `X,Y` or `X,Y,Z`; missing numbers are 0.
fn index(text: &str) -> Result<[u32; 3], String> {
    three_numbers(text, 0)
}

fn three_numbers(text: &str, missing: u32) -> Result<[u32; 3], String> {
    let mut numbers = [missing; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("at most three numbers: X,Y,Z".into());
    }
    for (number, part) in numbers.iter_mut().zip(parts) {
        *number = part.trim().parse().map_err(|_| format!("`{part}` is not a whole number"))?;
    }
    Ok(numbers)
}

/// Parses the name or the architecture of a card, such as `H100` or `sm_75`.
fn card(text: &str) -> Result<&'static Card, String> {
    Card::find(text).ok_or_else(|| {
        let known: Vec<String> =
            CARDS.iter().map(|card| format!("{} ({})", card.name, card.architecture())).collect();
        format!("known cards are {}", known.join(", "))
    })
}

/// Parses a range of lines, `A` or `A-B`.
fn lines(text: &str) -> Result<(u32, u32), String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let number = |part: &str| -> Result<u32, String> {
        let number = part.trim().parse().ok().filter(|n| *n > 0);
        number.ok_or_else(|| format!("`{part}` is not a line number"))
    };
    match (number(from)?, number(to)?) {
        (from, to) if from <= to => Ok((from, to)),
        (from, to) => Err(format!("{from} comes after {to}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// clap checks the definitions themselves, for example for duplicate flags and bad defaults.
    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// Scripts use these options, so a number that is missing or wrong in another place than the
    /// end is an error.
    #[test]
    fn dimensions_indices_and_lines() {
        assert_eq!(dimensions("4"), Ok([4, 1, 1]));
        assert_eq!(dimensions("4, 2"), Ok([4, 2, 1]));
        assert_eq!(dimensions("4,2,3"), Ok([4, 2, 3]));
        for bad in ["", "0,1,1", "1,2,3,4", "x", "-1"] {
            assert!(dimensions(bad).is_err(), "{bad}");
        }
        assert_eq!(index("4, 2"), Ok([4, 2, 0]));
        assert_eq!(index("0"), Ok([0, 0, 0]));
        for bad in ["", "1,2,3,4", "x", "-1", "4294967296"] {
            assert!(index(bad).is_err(), "{bad}");
        }
        assert_eq!((lines("20"), lines("20-30")), (Ok((20, 20)), Ok((20, 30))));
        for bad in ["", "0", "30-20", "20-", "-", "a-b"] {
            assert!(lines(bad).is_err(), "{bad}");
        }
    }
}
