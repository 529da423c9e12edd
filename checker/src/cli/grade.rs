//! Arguments of the commands for instructors.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Backend, Sandbox};

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
