//! Arguments of the commands that look at one exercise.

use std::path::PathBuf;

use clap::Args;

use super::{Backend, Format, Sandbox, lines, place};
use crate::attempt;

/// `checker check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker check                          the first exercise that is not done
  checker check blocks                   one exercise
  checker check ch01_threads             a chapter: also `ch01` or `1`
  checker check --all --backend sim      everything, on the simulator
  checker check blocks --case 'five blocks' --seed 7
  checker check grid_stride --profile    and what each line costs
  checker check blocks --file ada.cu     somebody else's file
  checker check --all --format json      for programs: JSON on stdout, nothing else")]
pub struct Check {
    /// An exercise (`blocks`) or a chapter (`ch01_threads`, `ch01`, `1`).
    #[arg(value_name = "NAME|CHAPTER", conflicts_with = "all")]
    pub what: Option<String>,
    /// Every exercise of the course.
    #[arg(long)]
    pub all: bool,
    /// Check this file as the exercise NAME, and leave the workbook alone: what somebody else wrote.
    #[arg(long, value_name = "FILE", requires = "what", conflicts_with_all = ["all", "profile"])]
    pub file: Option<PathBuf>,
    /// Options shared with `watch`.
    #[command(flatten)]
    pub run: CheckOptions,
    /// Show what each line costs, too: as `checker profile` (one exercise only).
    #[arg(long, conflicts_with = "all")]
    pub profile: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `checker profile`
#[derive(Debug, Args)]
#[command(after_help = "\
The counts come from the simulator: they are exact, the same every time, and need no GPU. Their names and definitions are
those of NVIDIA Nsight Compute. A kernel that is still wrong is profiled as it is.

Examples:
  checker profile grid_stride                       the case whose counts are graded
  checker profile grid_stride --case 'one warp'     another case
  checker profile grid_stride --json                for programs: JSON on stdout, nothing else

Exit code 1 when the kernel did not compile or did not finish.")]
pub struct Profile {
    /// The exercise: `blocks`.
    pub name: String,
    /// Which case to look at.
    #[command(flatten)]
    pub case: CaseOptions,
}

/// `checker trace`
#[derive(Debug, Args)]
#[command(after_help = "\
The kernel runs on the simulator, compiled for debugging: every line does its own work, in the order of the source.

Examples:
  checker trace blocks --thread 3                   thread 3 of block 0
  checker trace blocks --block 1 --thread 31        one element of block 1
  checker trace matrix_add_2d --thread 5,2          x = 5, y = 2
  checker trace grid_stride --lines 20-22           only what it does on these lines
  checker trace grid_stride --json                  for programs: JSON on stdout, nothing else

Exit code 1 when the kernel did not compile, or the thread did not come to its end.")]
pub struct Trace {
    /// The exercise: `blocks`.
    pub name: String,
    /// The block: `1`, `1,2` or `1,2,0` for x, y and z.
    #[arg(long, value_name = "X,Y,Z", default_value = "0", value_parser = place)]
    pub block: [u32; 3],
    /// The thread in its block: `1`, `1,2` or `1,2,0` for x, y and z.
    #[arg(long, value_name = "X,Y,Z", default_value = "0", value_parser = place)]
    pub thread: [u32; 3],
    /// Only the steps on these lines: `20` or `20-30`.
    #[arg(long, value_name = "A-B", value_parser = lines)]
    pub lines: Option<(u32, u32)>,
    /// Steps to show at most; rounds of a loop that are alike are one line.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=4000))]
    pub limit: u32,
    /// Which case to look at.
    #[command(flatten)]
    pub case: CaseOptions,
}

/// Which launch to look at, and how to print what is seen.
#[derive(Debug, Args)]
pub struct CaseOptions {
    /// The case of this name, as the report shows it [default: the first whose counts are graded].
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// Seed of the random inputs, and of the simulator's order of warps and blocks [default: 7].
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// For programs: one JSON document on stdout.
    #[arg(long)]
    pub json: bool,
}

/// How to run the cases.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckOptions {
    /// Where kernels run.
    #[arg(long, value_enum, default_value_t)]
    pub backend: Backend,
    /// Whether the code is confined to what it needs.
    #[arg(long, value_enum, default_value_t)]
    pub sandbox: Sandbox,
    /// Only the case of this name, as the report shows it.
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// Seed of the random inputs, and of the simulator's order of warps and blocks [default: 7].
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

impl CheckOptions {
    /// The options as a check takes them.
    pub fn options(&self) -> attempt::Options {
        options(self.case.as_deref(), self.seed)
    }
}

impl CaseOptions {
    /// The options as profiling and tracing take them.
    pub fn options(&self) -> attempt::Options {
        options(self.case.as_deref(), self.seed)
    }
}

fn options(case: Option<&str>, seed: Option<u64>) -> attempt::Options {
    attempt::Options { case: case.map(str::to_owned), seed: seed.unwrap_or(attempt::SEED) }
}

/// `checker watch`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  checker watch blocks")]
pub struct Watch {
    /// The exercise to start with.
    pub name: Option<String>,
    /// How to run the cases.
    #[command(flatten)]
    pub run: CheckOptions,
}
