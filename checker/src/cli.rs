//! The command line, as clap reads it. Types only: `commands` acts on them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
    #[command(after_help = "Examples:
  checker run vector_add.cu -- 1000
  checker run --profile vector_add.cu     and what each engine did when, and what each launch cost")]
    Run {
        /// The program: a `.cu` file with a `main`.
        file: PathBuf,
        /// What it runs on; only the simulator looks for mistakes.
        #[arg(long, value_enum, default_value_t)]
        backend: Backend,
        /// Another order in which streams, blocks and warps may work on the simulator: 0 is as late as the program's own
        /// waits allow.
        #[arg(long, value_name = "NUMBER", default_value_t)]
        seed: u64,
        /// Show what each engine did when, and what each launch cost, on the simulator (on stderr).
        #[arg(long)]
        profile: bool,
        /// What the program gets as its arguments.
        #[arg(last = true)]
        args: Vec<String>,
    },
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
    Program {
        /// The compiled program.
        object: PathBuf,
        /// Chooses an order.
        #[arg(long)]
        seed: Option<u64>,
        /// Its arguments.
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// The child process that compiles and runs learners' code
    #[command(hide = true)]
    Worker,
}

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
    pub run: Run,
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
    pub look: Look,
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
    pub look: Look,
}

/// Which launch to look at, and how to print what is seen.
#[derive(Debug, Args)]
pub struct Look {
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
pub struct Run {
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

/// `checker watch`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  checker watch blocks")]
pub struct Watch {
    /// The exercise to start with.
    pub name: Option<String>,
    /// How to run the cases.
    #[command(flatten)]
    pub run: Run,
}

/// `checker grade`
#[derive(Debug, Args)]
#[command(after_help = "\
A submission is a folder, a .zip, a .tar or .tar.gz, or a .cu file that mirrors exercises/; its name is the student's id. A
folder that holds submissions stands for all of them. Nothing but the exercises' .cu files is read, and their code runs
confined. Run it again after a stop: what is graded already and has not changed is left alone.

Examples:
  checker grade submissions/ --roster roster.csv --seed-file secret.txt --out results/
  checker grade ada.zip --policy grading.toml              one student
  checker grade submissions/ --out results/ --gpus 0,1     on two GPUs
  checker grade submissions/ --out results/ --plan slurm   the files for a cluster

Exit codes: 0 graded, whatever the grades are; 2 the command line, the policy or the roster is wrong; 3 somebody could not be
graded, because of the machine.")]
pub struct Grade {
    /// Submissions, or folders of submissions.
    #[arg(required = true, value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// Who is in the class: a CSV file with a column `id`.
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// Points, due dates, what is hidden [default: 10 points for each exercise, nothing is due].
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// A file with at least 16 secret bytes: every case runs once more with inputs that come from it.
    #[arg(long, value_name = "FILE")]
    pub seed_file: Option<PathBuf>,
    /// Where records and reports go.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// Students side by side [default: one for each processor, or for each GPU].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// GPUs to spread students over, as CUDA_VISIBLE_DEVICES names them.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub gpus: Vec<String>,
    /// Where kernels run.
    #[arg(long, value_enum, default_value_t = Backend::Sim)]
    pub backend: Backend,
    /// Whether the code is confined to what it needs.
    #[arg(long, value_enum, default_value_t = Sandbox::Require)]
    pub sandbox: Sandbox,
    /// Memory that the code of one student may have at a time, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 768, value_parser = clap::value_parser!(u64).range(256..))]
    pub memory: u64,
    /// When everything was handed in, where the roster does not say it: `2026-12-01T23:59:00+01:00`.
    #[arg(long, value_name = "TIME")]
    pub submitted_at: Option<String>,
    /// Only this part of the class: `3/8` is the third of eight.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Write the files that grade the class on many machines (slurm, parallel, actions, kubernetes), and grade nothing.
    #[arg(long, value_name = "ENGINE")]
    pub plan: Option<String>,
    /// Of a plan: into how many shards [default: about ten students in each].
    #[arg(long, value_name = "N", requires = "plan", value_parser = clap::value_parser!(u32).range(1..))]
    pub shards: Option<u32>,
    /// Of a plan for Slurm: the partition.
    #[arg(long, value_name = "NAME", requires = "plan")]
    pub partition: Option<String>,
    /// Of a plan for Slurm: the account.
    #[arg(long, value_name = "NAME", requires = "plan")]
    pub account: Option<String>,
    /// Of a plan for Kubernetes or Actions: a container's image with the checker on its PATH.
    #[arg(long, value_name = "IMAGE", requires = "plan")]
    pub image: Option<String>,
    /// Grade again what is graded already.
    #[arg(long)]
    pub again: bool,
}

/// `checker report`
#[derive(Debug, Args)]
#[command(after_help = "\
Reports are made from records alone: nothing is run again.

Examples:
  checker report results/records --format junit --out report.xml
  checker report results/records/ada.json --format gradescope --out results.json
  checker report results/records --format html-class --out class.html")]
pub struct Report {
    /// Records, or folders of records.
    #[arg(required = true, value_name = "RECORD")]
    pub records: Vec<PathBuf>,
    /// Which format: junit, junit-jenkins, github-annotations, github-summary, gitlab-code-quality, sarif, tap, gradescope,
    /// classroom50, prairielearn, exercism, canvas, csv, html-class, html-student.
    #[arg(long, value_name = "FORMAT")]
    pub format: String,
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Who reads it: secret inputs are for instructors only.
    #[arg(long = "for", value_enum)]
    pub audience: Option<Audience>,
    /// Of `canvas`: the assignment's column, with its number: `CUDA workbook (48213)`.
    #[arg(long, value_name = "TITLE")]
    pub column: Option<String>,
}

/// Who reads a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Audience {
    /// What the student may see.
    Student,
    /// Everything.
    Instructor,
}

/// `checker merge`
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  checker merge shard-1/ shard-2/ --roster roster.csv --out results/

Exit code 3 while somebody is missing.")]
pub struct Merge {
    /// Folders that `checker grade` wrote.
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Who is in the class.
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// Where everything goes together.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
}

/// `checker similar`
#[derive(Debug, Args)]
#[command(after_help = "\
Similarity is a reason to look, and never proof: short exercises have few right answers, and what the skeleton gives or nearly
everybody has is left out.

Examples:
  checker similar submissions/                         the pairs, most alike first
  checker similar submissions/ --pair ada,charles      two students side by side
  checker similar submissions/ --html similar.html     a page with all pairs side by side")]
pub struct Similar {
    /// Submissions, or folders of submissions.
    #[arg(required = true, value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// Two students, to see side by side.
    #[arg(long, value_name = "A,B")]
    pub pair: Option<String>,
    /// Write a page with all pairs.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// For programs: JSON on stdout.
    #[arg(long)]
    pub json: bool,
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
    /// Run the simulator's tables on this machine's GPU; `checker/hardware/` says how the records are made
    #[command(subcommand, hide = true)]
    Hardware(Hardware),
}

/// `checker dev hardware`
#[derive(Debug, Subcommand)]
pub enum Hardware {
    /// Launch every kernel whose cost is recorded, each once and in the record's order, for a profiler to watch
    Launches {
        /// Only print them: name, kernel and file.
        #[arg(long)]
        list: bool,
    },
    /// Run every case of the instruction tables, and print the record; exit code 1 when one has unexpected results
    Instructions(Instructions),
}

/// `checker dev hardware instructions`
#[derive(Debug, Args)]
pub struct Instructions {
    /// Write all results there, too, as 64-bit numbers one after the other.
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
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
    /// Write what the verdicts say to `checker/screens/`, to be read and committed, instead of comparing it.
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
  checker dev time --record checker/records/gains.toml    the record that the book shows

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
