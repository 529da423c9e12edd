//! Arguments of `checker bench`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `checker bench`
#[derive(Debug, Args)]
#[command(after_help = "\
Your file, the original and the solution run on the GPU with a large case whose
inputs are new each time. In the same run, the checker measures how fast this
GPU copies memory and computes.

A kernel is launched 9 times with its inputs in the caches as far as they fit,
and 9 times with other data in the caches. Before each launch, the checker
restores the initial values of the kernel's memory and variables. A program with
host code is called 5 times, each time in a new process and after a call with
other inputs.

Without a GPU, the simulator counts what your kernel does, and the command shows
the least time that this takes on an H100 and an H200, what limits it, and the
times of the original and the solution that were measured there.

Without NAME, the command lists the exercises that can be timed.

Examples:
  checker bench reduce_tree                          print the times
  checker bench reduce_tree --record times.jsonl     also add them to a file
  checker bench reduce_tree --compare times.jsonl    and compare with the file
  checker bench reduce_tree --svg roofline.svg       also draw its roofline
  checker bench reduce_tree --gpu H200               the least time on an H200

The exit code is 1 if your file doesn't compile or its results are wrong.")]
pub struct Bench {
    /// The exercise, for example `reduce_tree`.
    pub name: Option<String>,
    /// Time this file instead of the one in the workbook.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Add the times to this file, as one line of JSON.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Compare the times with earlier ones in this file.
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// Draw the roofline into this file, as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Time nothing, and show the least times, with the limits on this GPU: H100 or H200 [default
    /// without a GPU: H100].
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// How to print the times.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl Bench {
    /// Whether it needs times, to record, compare or draw them.
    pub const fn records_times(&self) -> bool {
        self.record.is_some() || self.compare.is_some() || self.svg.is_some()
    }
}
