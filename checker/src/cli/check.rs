//! Arguments of the commands that run exercises.

use std::path::PathBuf;

use clap::Args;
use cudart_sim::occupancy::Card;

use super::{Backend, CaseFormat, ReportFormat, Sandbox, WatchFormat, card, index, lines};
use crate::attempt;

/// `checker check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker check                        the first exercise that is not done
  checker check blocks                 one exercise
  checker check ch01_threads           a chapter, also as `ch01` or `1`
  checker check --all --backend sim    the whole course, on the simulator
  checker check blocks --case 'five blocks' --seed 7
                                       one case, with the inputs of this seed
  checker check grid_stride --profile  also show the cost of each line
  checker check blocks --file ada.cu   a file outside the workbook
  checker check --all --format json    print one JSON document")]
pub struct Check {
    /// An exercise (`blocks`) or a chapter (`ch01_threads`, `ch01`, `1`).
    #[arg(value_name = "NAME|CHAPTER", conflicts_with = "all")]
    pub what: Option<String>,
    /// Check every exercise of the course.
    #[arg(long)]
    pub all: bool,
    /// Check FILE as a solution of the exercise NAME; the workbook and its progress stay unchanged.
    #[arg(long, value_name = "FILE", requires = "what", conflicts_with_all = ["all", "profile"])]
    pub file: Option<PathBuf>,
    /// Options shared with `watch`.
    #[command(flatten)]
    pub run: CheckOptions,
    /// Also show the cost of each line, as `checker profile` does (one exercise only).
    #[arg(long, conflicts_with = "all")]
    pub profile: bool,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
}

/// `checker profile`
#[derive(Debug, Args)]
#[command(after_help = "\
The counts come from the simulator, so they are exact and repeatable, and you
need no GPU. Their names and definitions are those of NVIDIA Nsight Compute. You
can also profile a kernel whose results are wrong.

Examples:
  checker profile grid_stride                     the case that is graded
  checker profile grid_stride --case 'one warp'   another case
  checker profile grid_stride --json              print one JSON document
  checker profile overlap --launch 2              one launch of a program
  checker profile grid_stride --gpu sm_75         the occupancy on a Tesla T4

The exit code is 1 if the kernel did not compile or did not finish.")]
pub struct Profile {
    /// The exercise, for example `blocks`.
    pub name: String,
    /// Launch to profile in an exercise with host code: its number, or the name of a kernel for all
    /// launches of this kernel [default: all launches].
    #[arg(long, value_name = "NUMBER|KERNEL")]
    pub launch: Option<String>,
    /// Show in a table what limits the occupancy on this GPU: a name such as `A100`, or an
    /// architecture such as `sm_86` [default: H100, without the table].
    #[arg(long, value_name = "NAME|ARCH", value_parser = card)]
    pub gpu: Option<&'static Card>,
    /// The case to profile.
    #[command(flatten)]
    pub case: CaseOptions,
}

/// `checker trace`
#[derive(Debug, Args)]
#[command(after_help = "\
The kernel runs on the simulator. It is compiled for debugging, so the thread
executes the lines one by one, in the order of the source.

Examples:
  checker trace blocks --thread 3                thread 3 of block 0
  checker trace blocks --block 1 --thread 31     thread 31 of block 1
  checker trace matrix_add_2d --thread 5,2       the thread with x = 5, y = 2
  checker trace grid_stride --lines 20-22        only the steps on these lines
  checker trace grid_stride --json               print one JSON document
  checker trace overlap --launch 2 --thread 3    a thread of the second launch

The exit code is 1 if the kernel did not compile or the thread did not return.")]
pub struct Trace {
    /// The exercise, for example `blocks`.
    pub name: String,
    /// Launch to trace in an exercise with host code: its number, or the name of its kernel
    /// [default: the first launch].
    #[arg(long, value_name = "NUMBER|KERNEL")]
    pub launch: Option<String>,
    /// The thread to trace.
    #[command(flatten)]
    pub thread: ThreadOptions,
    /// The case to trace.
    #[command(flatten)]
    pub case: CaseOptions,
}

/// The thread that a trace follows, and how much of it is shown.
#[derive(Debug, Clone, Copy, Args)]
pub struct ThreadOptions {
    /// Index of the block: `1`, `1,2` or `1,2,0` for x, y and z.
    #[arg(long, value_name = "X,Y,Z", default_value = "0", value_parser = index)]
    pub block: [u32; 3],
    /// Index of the thread in its block: `1`, `1,2` or `1,2,0` for x, y and z.
    #[arg(long, value_name = "X,Y,Z", default_value = "0", value_parser = index)]
    pub thread: [u32; 3],
    /// Show only the steps on these lines: `20` or `20-30`.
    #[arg(long, value_name = "A-B", value_parser = lines)]
    pub lines: Option<(u32, u32)>,
    /// Maximum number of steps to show; similar iterations of a loop become one line.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT, value_parser = clap::value_parser!(u32).range(1..=4000))]
    pub limit: u32,
}

/// Steps of a trace that are shown unless `--limit` says otherwise.
const DEFAULT_LIMIT: u32 = 200;

impl ThreadOptions {
    /// The first of these options that differs from its default.
    pub fn first_given(&self) -> Option<&'static str> {
        let options = [
            ("--block", self.block != [0; 3]),
            ("--thread", self.thread != [0; 3]),
            ("--lines", self.lines.is_some()),
            ("--limit", self.limit != DEFAULT_LIMIT),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

/// The case that `profile` and `trace` run, and how they print the result.
#[derive(Debug, Args)]
pub struct CaseOptions {
    /// Name of the case, as a report shows it [default: the first case whose counts are graded].
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// Seed of the random inputs, and of the order in which the simulator runs warps and blocks
    /// [default: 7].
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Print one JSON document to stdout.
    #[arg(long)]
    json: bool,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    format: CaseFormat,
}

/// How `check` and `watch` run the cases of an exercise.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckOptions {
    /// Run kernels on the GPU or on the simulator.
    #[arg(long, value_enum, default_value_t)]
    pub backend: Backend,
    /// Run your code in the sandbox or without it.
    #[arg(long, value_enum, default_value_t)]
    pub sandbox: Sandbox,
    /// Run only the case with this name, as a report shows it.
    #[arg(long, value_name = "NAME")]
    pub case: Option<String>,
    /// Seed of the random inputs, and of the order in which the simulator runs warps and blocks
    /// [default: 7].
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

impl CheckOptions {
    /// The case and seed to check.
    pub fn options(&self) -> attempt::Options {
        options(self.case.as_deref(), self.seed)
    }
}

impl CaseOptions {
    /// The format of the output; `--json` is short for `--format json`.
    pub fn format(&self) -> CaseFormat {
        if self.json { CaseFormat::Json } else { self.format }
    }

    /// The case and seed to profile or trace.
    pub fn options(&self) -> attempt::Options {
        options(self.case.as_deref(), self.seed)
    }
}

fn options(case: Option<&str>, seed: Option<u64>) -> attempt::Options {
    attempt::Options { case: case.map(str::to_owned), seed: seed.unwrap_or(attempt::SEED) }
}

/// `checker watch`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  checker watch blocks    start with the exercise `blocks`")]
pub struct Watch {
    /// The exercise to start with.
    pub name: Option<String>,
    /// How to run the cases.
    #[command(flatten)]
    pub run: CheckOptions,
    /// Format of the verdicts.
    #[arg(long, value_enum, default_value_t)]
    pub format: WatchFormat,
}
