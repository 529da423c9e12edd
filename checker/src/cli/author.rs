//! Arguments of the commands for authors, and of the book.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Backend, Format, OptionalName, Sandbox, dimensions};

/// `checker book`
#[derive(Debug, Subcommand)]
pub enum Book {
    /// Write the book as web pages, and print the path to them
    Build {
        /// Folder for the pages [default: the folder that book.toml names, `book` beside
        /// book.toml].
        #[arg(long, value_name = "DIR")]
        dest: Option<PathBuf>,
    },
    /// For authors: run the commands whose output the book shows, and store this output
    #[command(hide = true)]
    Capture {
        /// Write nothing; the exit code is 2 if an output would change.
        #[arg(long)]
        check: bool,
        /// Capture only outputs whose names begin with one of these texts, for example `ch04` or
        /// `guard-`.
        names: Vec<String>,
    },
    /// Write the course as Jupyter notebooks into a folder, and print their paths
    ///
    /// The command doesn't change notebooks that exist already.
    Notebooks {
        /// Folder for the notebooks.
        dir: PathBuf,
        /// Address of a published copy of the book, to which pages without a notebook are linked.
        #[arg(long, value_name = "URL")]
        book_url: Option<String>,
        /// Package that the first cell of each notebook installs: a name, or the address of a
        /// wheel.
        #[arg(long, value_name = "PACKAGE", default_value = "cuda-workbook")]
        package: String,
    },
    /// Serve the book on this machine; the pages of exercises check your code while you type
    ///
    /// The command prints an address. Open it in your browser to edit and check the exercises. The
    /// command builds the book again when its sources change.
    Serve {
        /// Port on 127.0.0.1, or 0 for any free one [default: 3000, or a free one if another
        /// program uses it].
        #[arg(long)]
        port: Option<u16>,
        /// Open the book in your browser.
        #[arg(long)]
        open: bool,
    },
}

/// `checker dev`: the tools for authors.
#[derive(Debug, Subcommand)]
pub enum Dev {
    /// Prove that the course is sound: skeletons fail as specified, solutions pass, and the checker
    /// catches every mutant
    Check(DevCheck),
    /// Generate a class with known grades, or compare its records with these grades
    Class(DevClass),
    /// Write one mutant as a whole file
    Mutant(DevMutant),
    /// Write the files of a new exercise, and print the lines that register it
    #[command(after_help = "Example:\n  checker dev new ch01_threads/halve_it")]
    New {
        /// Chapter and name, for example `ch01_threads/halve_it`.
        #[arg(value_name = "CHAPTER/NAME")]
        path: String,
    },
    /// Store the files in `exercises/` as the originals that `reset` and `init` write
    Bless(OptionalName),
    /// Time the skeletons and solutions of the optimise exercises on this machine's GPU
    Time(DevTime),
    /// Compare the least times of kernels with those that were measured on GPUs
    Bound(DevBound),
    /// Run a PTX file on the simulator, and print its observations as JSON
    Ptx(Ptx),
    /// Record the steps of a program's threads and its timeline, for a figure of the book
    Record(DevRecord),
}

/// `checker dev check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker dev check                  the whole course, on the simulator
  checker dev check blocks           one exercise
  checker dev check --bless blocks   store the texts of its verdicts
  checker dev check --backend gpu    on a GPU; without one, the exit code is 3
  checker dev check --format json    a record to keep")]
pub struct DevCheck {
    /// Only this exercise or chapter.
    #[arg(value_name = "NAME|CHAPTER")]
    pub what: Option<String>,
    /// Run kernels on the GPU or on the simulator.
    #[arg(long, value_enum, default_value_t = Backend::Sim)]
    pub backend: Backend,
    /// Run the code in the sandbox or without it.
    #[arg(long, value_enum, default_value_t)]
    pub sandbox: Sandbox,
    /// Number of additional seeds to check each solution with, because grading uses secret inputs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seeds: u64,
    /// Write the texts of the verdicts to `checker/proof/verdicts/` instead of comparing them.
    #[arg(long)]
    pub bless: bool,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `checker dev class`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker dev class /tmp/class --students 200
      write submissions, roster, policy, secret, and the expected grades
  checker dev class /tmp/class --verify /tmp/out
      compare the grades; the exit code is 2 if one of them is not as expected")]
pub struct DevClass {
    /// Folder of the class.
    pub dir: PathBuf,
    /// Number of students.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub students: u32,
    /// Seed from which the class is generated.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Percentage of files that differ from those of all other students, because they get an
    /// additional comment.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub distinct: u32,
    /// Compare the records in this folder with the known grades.
    #[arg(long, value_name = "DIR")]
    pub verify: Option<PathBuf>,
}

/// `checker dev mutant`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker dev mutant guard/less_or_equal                 print it
  checker dev mutant guard/less_or_equal --out guard.cu  write it to a file")]
pub struct DevMutant {
    /// The mutant; NAME alone is enough if only one exercise has a mutant of this name.
    #[arg(value_name = "EXERCISE/NAME")]
    pub name: String,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `checker dev time`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  checker dev time                  all exercises that have a large case
  checker dev time tile_transpose   one exercise
  checker dev time --record checker/proof/records/gains.toml
                                    write the record that the book shows

The exit code is 2 if a result is wrong, and 3 without a GPU.")]
pub struct DevTime {
    /// Only this exercise or chapter.
    #[arg(value_name = "NAME|CHAPTER")]
    pub what: Option<String>,
    /// Time only the kernels of programs, which takes less time.
    #[arg(long)]
    pub kernels: bool,
    /// Also write a record to this file.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// `checker dev bound`
#[derive(Debug, Args)]
pub struct DevBound {
    /// Only this exercise or chapter.
    #[arg(value_name = "NAME|CHAPTER")]
    pub what: Option<String>,
    /// Count the work of these kernels again, and write the record and its table.
    #[arg(long)]
    pub record: bool,
}

/// `checker dev ptx`
#[derive(Debug, Args)]
#[command(after_help = "\
The kernel takes an input pointer and an output pointer, or, without --in, only
an output pointer. The output buffer is zeroed before the launch. The exit code
is 1 if the simulator does not support the PTX.

Example:
  checker dev ptx double.ptx --entry double_it --grid 1,1,1 --block 32,1,1 \\
      --shared 0 --in input.bin --out 128 --out-file output.bin")]
pub struct Ptx {
    /// The PTX file.
    pub file: PathBuf,
    /// Name of the kernel in this file.
    #[arg(long, value_name = "NAME")]
    pub entry: String,
    /// Size of the grid, in blocks.
    #[arg(long, value_name = "X,Y,Z", value_parser = dimensions)]
    pub grid: [u32; 3],
    /// Size of a block, in threads.
    #[arg(long, value_name = "X,Y,Z", value_parser = dimensions)]
    pub block: [u32; 3],
    /// Dynamic shared memory of each block.
    #[arg(long, value_name = "BYTES")]
    pub shared: u32,
    /// File with the input buffer's contents; without this option, the kernel gets only the output
    /// pointer.
    #[arg(long = "in", value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Size of the output buffer.
    #[arg(long = "out", value_name = "BYTES")]
    pub output_bytes: u64,
    /// File for the contents of the output buffer after the run.
    #[arg(long = "out-file", value_name = "FILE")]
    pub output: PathBuf,
    /// Number of warp instructions after which the simulator stops the kernel.
    #[arg(long, value_name = "N", default_value_t = crate::attempt::BUDGET)]
    pub budget: u64,
}

/// `checker dev record`
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  checker dev record book/examples/ch04/differences.cu --kernel differences \\
      --block 0 --threads 64 --out differences.txt")]
pub struct DevRecord {
    /// The program, a `.cu` file with a `main`.
    pub file: PathBuf,
    /// Kernel whose first launch is recorded.
    #[arg(long, value_name = "NAME", requires = "threads")]
    pub kernel: Option<String>,
    /// Number of the block whose threads are recorded, in a grid with one dimension.
    #[arg(long, value_name = "NUMBER", default_value_t)]
    pub block: u32,
    /// Number of threads to record, from thread 0 on; without this option, the recording has only
    /// the timeline.
    #[arg(long, value_name = "N", default_value_t, requires = "kernel")]
    pub threads: u32,
    /// File for the recording.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}
