//! Arguments of the commands for authors, and of the book.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Backend, Format, OptionalName, Sandbox, dim3};

/// `checker book`
#[derive(Debug, Subcommand)]
pub enum Book {
    /// Write the book as web pages, and say where
    Build {
        /// Where to write [default: what book.toml says, `book` beside it].
        #[arg(long, value_name = "DIR")]
        dest: Option<PathBuf>,
    },
    /// Capture the outputs that the book shows (for authors)
    #[command(hide = true)]
    Capture {
        /// Write nothing: exit code 2 when an output would change.
        #[arg(long)]
        check: bool,
    },
    /// Serve the book on this machine, and build it again at every change
    Serve {
        /// The port on 127.0.0.1.
        #[arg(long, default_value_t = 3000)]
        port: u16,
        /// Open it in the browser.
        #[arg(long)]
        open: bool,
    },
}

/// `checker dev`: the tools of an author.
#[derive(Debug, Subcommand)]
pub enum Dev {
    /// Prove that the course is sound: skeletons fail as stated, solutions pass, every mutant is caught
    Check(DevCheck),
    /// Make up a class whose grades are known, or compare its records with them
    Class(DevClass),
    /// Write the files of a new exercise, and print the one line to add
    #[command(after_help = "Example:\n  checker dev new ch01_threads/halve_it")]
    New {
        /// `CHAPTER/NAME`: `ch01_threads/halve_it`.
        #[arg(value_name = "CHAPTER/NAME")]
        path: String,
    },
    /// Take the files in `exercises/` as the originals that `reset` and `init` write
    Bless(OptionalName),
    /// Time skeletons and solutions of the optimise exercises on this machine's GPU
    Time(DevTime),
    /// Run any PTX on the simulator, and print what it observed as JSON
    Ptx(Ptx),
}

/// `checker dev check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker dev check                   everything, on the simulator
  checker dev check blocks            one exercise
  checker dev check --bless blocks    take what its verdicts say now
  checker dev check --backend gpu     the same on a GPU; exit code 3 without one
  checker dev check --format json     a record for the archives")]
pub struct DevCheck {
    /// Only this exercise or chapter.
    #[arg(value_name = "NAME|CHAPTER")]
    pub what: Option<String>,
    /// Where kernels run.
    #[arg(long, value_enum, default_value_t = Backend::Sim)]
    pub backend: Backend,
    /// Whether the code is confined to what it needs.
    #[arg(long, value_enum, default_value_t)]
    pub sandbox: Sandbox,
    /// Check each solution with so many further seeds: what is right must be right with inputs that nobody knows.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seeds: u64,
    /// Write what the verdicts say to `checker/proof/verdicts/`, to be read and committed, instead of comparing it.
    #[arg(long)]
    pub bless: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `checker dev class`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker dev class /tmp/class --students 200         submissions, roster, policy, secret, and what each grade must be
  checker dev class /tmp/class --verify /tmp/out      exit code 2 when a grade is not as planted")]
pub struct DevClass {
    /// The class's folder.
    pub dir: PathBuf,
    /// How many students.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub students: u32,
    /// Another class.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Compare the records in this folder.
    #[arg(long, value_name = "DIR")]
    pub verify: Option<PathBuf>,
}

/// `checker dev time`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker dev time                                        all that have a large case
  checker dev time tile_transpose                         one exercise
  checker dev time --record checker/proof/records/gains.toml    the record that the book shows

Exit code 2 when a result is wrong, 3 without a GPU.")]
pub struct DevTime {
    /// Only this exercise or chapter.
    #[arg(value_name = "NAME|CHAPTER")]
    pub what: Option<String>,
    /// Write the record there, too.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// `checker dev ptx`
#[derive(Debug, Args)]
#[command(after_help = "\
The kernel takes an input and an output pointer (with --in), or an output pointer only. The output starts zeroed.
Exit code 1 when the simulator does not take the PTX.

Example:
  checker dev ptx double.ptx --entry double_it --grid 1,1,1 --block 32,1,1 --shared 0 \\
      --in input.bin --out 128 --out-file output.bin")]
pub struct Ptx {
    /// The PTX.
    pub file: PathBuf,
    /// The kernel's name in it.
    #[arg(long, value_name = "NAME")]
    pub entry: String,
    /// Blocks per grid.
    #[arg(long, value_name = "X,Y,Z", value_parser = dim3)]
    pub grid: [u32; 3],
    /// Threads per block.
    #[arg(long, value_name = "X,Y,Z", value_parser = dim3)]
    pub block: [u32; 3],
    /// Dynamic shared memory.
    #[arg(long, value_name = "BYTES")]
    pub shared: u32,
    /// The input buffer's contents; without it the kernel gets only the output pointer.
    #[arg(long = "in", value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// The output buffer's size.
    #[arg(long = "out", value_name = "BYTES")]
    pub output_bytes: u64,
    /// Where the output buffer is written afterwards.
    #[arg(long = "out-file", value_name = "FILE")]
    pub output: PathBuf,
    /// Warp instructions after which the simulator gives up.
    #[arg(long, value_name = "N", default_value_t = crate::attempt::BUDGET)]
    pub budget: u64,
}
