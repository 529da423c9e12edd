//! The command line, as clap reads it. Types only: `commands` acts on them.

mod author;
mod check;
mod grade;
mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use author::{Book, Dev, DevCheck, DevClass, DevMutant, DevTime, Ptx};
pub use check::{CaseOptions, Check, CheckOptions, Profile, Trace, Watch};
pub use grade::{Audience, Grade, Merge, Report, Similar};
pub use run::{Program, Run};

use crate::backend::Choice;
use crate::worker;

/// The CUDA workbook: read a chapter, edit one `.cu` file, see at once what is right and what is not.
///
/// Without a command: where you are, what the next exercise says, and what to do now.
#[derive(Debug, Parser)]
#[command(name = "checker", version, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do; without it, where you are and what is next.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER_HELP: &str = "\
Examples:
  checker                      where you are, and what is next
  checker watch                check again at every save
  checker check blocks         check one exercise
  checker check 1              check chapter 1
  checker profile blocks       what each line costs
  checker trace blocks         what one thread does, line by line
  checker hint blocks          one hint, a little more each time

For authors: checker dev --help

Exit codes:
  0  passed
  1  your code is not there yet
  2  the command line is wrong, or the course is broken
  3  the environment lacks something: a compiler, or the GPU that was asked for";

/// One command, one room in `commands`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show every exercise, and which are done
    List,
    /// Check an exercise, a chapter, or everything
    Check(Check),
    /// Check again at every save
    ///
    /// Starts at NAME, or at the first exercise that is not done. Keys: n next, h hint, l list, r run again, q quit.
    Watch(Watch),
    /// Show what each line of a kernel costs: memory traffic, bank conflicts, divergence
    Profile(Profile),
    /// Show what one thread does, line by line, with its values
    Trace(Trace),
    /// Compile and run a whole CUDA program
    Run(Run),
    /// Show one more hint
    ///
    /// Each call shows one more, from a nudge to nearly the answer. Without NAME: for the first open exercise.
    Hint(OptionalName),
    /// Put the original file back (yours is kept as a backup)
    Reset(Name),
    /// Show the solution, once you have passed
    Solution(Solution),
    /// Explain a diagnostic, or list them all
    #[command(after_help = "Example:\n  checker explain shared-race")]
    Explain {
        /// The name in the brackets of a message: `shared-race`.
        slug: Option<String>,
    },
    /// Say what was found on this machine, what is missing, and how to mend it
    Doctor,
    /// Install NVIDIA's CUDA compiler into a folder of your own (no GPU, driver or root needed)
    Setup,
    /// Build or serve the book
    #[command(subcommand)]
    Book(Book),
    /// Write the course into a new folder
    #[command(after_help = "Example:\n  checker init cuda-workbook && cd cuda-workbook && checker")]
    Init {
        /// The folder: new, empty, or a workbook (then only missing files are added).
        dir: PathBuf,
    },
    /// For instructors: grade what a class has handed in
    Grade(Grade),
    /// For instructors: write grades in the format that a platform reads
    Report(Report),
    /// For instructors: bring the shards of a class together
    Merge(Merge),
    /// For instructors: find submissions that are more alike than chance explains
    Similar(Similar),
    /// For authors of exercises
    #[command(subcommand, hide = true)]
    Dev(Dev),
    /// The process in which a program runs
    #[command(hide = true)]
    Program(Program),
    /// The child process that compiles and runs learners' code
    #[command(hide = true)]
    Worker,
}

/// An exercise.
#[derive(Debug, Args)]
pub struct Name {
    /// The exercise: `blocks`.
    pub name: String,
}

/// An exercise, or the first open one.
#[derive(Debug, Args)]
pub struct OptionalName {
    /// The exercise: `blocks`.
    pub name: Option<String>,
}

/// `checker solution`
#[derive(Debug, Args)]
pub struct Solution {
    /// The exercise: `blocks`.
    pub name: String,
    /// Show it although the exercise is not passed yet.
    #[arg(long)]
    pub spoil: bool,
}

/// Where kernels run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Backend {
    /// On the GPU where there is one, else on the simulator.
    #[default]
    Auto,
    /// On the GPU; exit code 3 without one.
    Gpu,
    /// On the simulator.
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

/// Whether learners' code is confined to what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Sandbox {
    /// Run nothing where that is not possible; exit code 3 then.
    Require,
    /// As far as the system can (`checker doctor` says how far).
    #[default]
    Try,
    /// No: for code that you trust as your own.
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
    /// For people.
    #[default]
    Term,
    /// For programs: one JSON document on stdout.
    Json,
}

/// Reads `X`, `X,Y` or `X,Y,Z`; what is left out is 1.
fn dim3(text: &str) -> Result<[u32; 3], String> {
    let mut dims = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("at most three numbers: X,Y,Z".into());
    }
    for (dim, part) in dims.iter_mut().zip(parts) {
        *dim = part.trim().parse().map_err(|_| format!("`{part}` is not a whole number"))?;
        if *dim == 0 {
            return Err("every dimension is at least 1".into());
        }
    }
    Ok(dims)
}

/// Reads an index `X`, `X,Y` or `X,Y,Z`; what is left out is 0.
fn place(text: &str) -> Result<[u32; 3], String> {
    let mut place = [0; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("at most three numbers: X,Y,Z".into());
    }
    for (at, part) in place.iter_mut().zip(parts) {
        *at = part.trim().parse().map_err(|_| format!("`{part}` is not a whole number"))?;
    }
    Ok(place)
}

/// Reads lines `A` or `A-B`.
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

    /// clap checks the definitions themselves: duplicate flags, bad defaults.
    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// `dev ptx` is used by scripts: its geometry may leave out trailing ones, and nothing else.
    #[test]
    fn dimensions() {
        assert_eq!(dim3("4"), Ok([4, 1, 1]));
        assert_eq!(dim3("4, 2"), Ok([4, 2, 1]));
        assert_eq!(dim3("4,2,3"), Ok([4, 2, 3]));
        for bad in ["", "0,1,1", "1,2,3,4", "x", "-1"] {
            assert!(dim3(bad).is_err(), "{bad}");
        }
        assert_eq!(place("4, 2"), Ok([4, 2, 0]));
        assert_eq!(place("0"), Ok([0, 0, 0]));
        for bad in ["", "1,2,3,4", "x", "-1", "4294967296"] {
            assert!(place(bad).is_err(), "{bad}");
        }
        assert_eq!((lines("20"), lines("20-30")), (Ok((20, 20)), Ok((20, 30))));
        for bad in ["", "0", "30-20", "20-", "-", "a-b"] {
            assert!(lines(bad).is_err(), "{bad}");
        }
    }
}
