//! Arguments of the commands for instructors.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Backend, Sandbox};

/// `checker grade`
#[derive(Debug, Args)]
#[command(after_help = "\
A submission is a folder or an archive (.zip, .tar or .tar.gz) with the structure of exercises/, or a single .cu file. Its name
is the student's id. A folder of submissions stands for all submissions in it; a folder with the id of a student on the roster
is always that student's submission. The checker reads only the exercises' .cu files and notebooks,
and confines their code. After an interruption, run the command again: it skips students whose submission has not changed.

Examples:
  checker grade submissions/ --roster roster.csv --seed-file secret.txt --out results/
  checker grade ada.zip --policy grading.toml              one student
  checker grade submissions/ --roster gradebook.csv --from canvas      a download from Canvas
  checker grade submissions/ --roster roster.csv --dry-run             grade nothing yet
  checker grade submissions/ --out results/ --gpus 0,1     on two GPUs
  checker grade submissions/ --out results/ --plan slurm   the files for a cluster

Exit codes: 0 all students are graded, even if a grade is 0; 2 the command line, the policy or the roster is wrong; 3 at
least one student could not be graded because of the machine.")]
pub struct Grade {
    /// Submissions, or folders of submissions.
    #[arg(required_unless_present = "schema", value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// Only print the JSON schema of a file that you write; editors use it to complete the file.
    #[arg(long, value_name = "FILE", value_enum)]
    pub schema: Option<Schema>,
    /// Class list: a CSV file with a column `id`.
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// List of students who submit together: a CSV file with the columns `group` and `id`.
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Column of the roster with the names of groups whose members submit together.
    #[arg(long, value_name = "COLUMN", requires = "roster", conflicts_with = "groups")]
    pub group_column: Option<String>,
    /// Policy with points, due dates and hidden items [default: 10 points for each exercise,
    /// nothing is due].
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// File with points and comments that you decide by hand; grading again keeps them.
    #[arg(long, value_name = "FILE")]
    pub by_hand: Option<PathBuf>,
    /// File with at least 16 secret bytes; every case also runs with inputs derived from it.
    #[arg(long, value_name = "FILE")]
    pub seed_file: Option<PathBuf>,
    /// Folder for records and reports.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// Number of students to grade at the same time [default: one for each processor, or for each
    /// GPU].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// GPUs to use, as CUDA_VISIBLE_DEVICES names them.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub gpus: Vec<String>,
    /// Run kernels on the GPU or on the simulator.
    #[arg(long, value_enum, default_value_t = Backend::Sim)]
    pub backend: Backend,
    /// Run the students' code in the sandbox or without it.
    #[arg(long, value_enum, default_value_t = Sandbox::Require)]
    pub sandbox: Sandbox,
    /// Memory limit for the code of one student, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 768, value_parser = clap::value_parser!(u64).range(256..))]
    pub memory: u64,
    /// Submission time of new and changed submissions for which the roster has no time, for example
    /// `2026-12-01T23:59:00+01:00`.
    #[arg(long, value_name = "TIME")]
    pub submitted_at: Option<String>,
    /// Count submissions without a known time as on time.
    #[arg(long)]
    pub assume_on_time: bool,
    /// Platform from which you downloaded the submissions; the names of its files identify the
    /// student, and often contain the time.
    #[arg(long, value_name = "PLATFORM", value_enum, conflicts_with = "id_pattern")]
    pub from: Option<Platform>,
    /// Regular expression for names of submissions, with the groups `(?<id>...)` and, for files,
    /// `(?<file>...)` and `(?<time>...)`.
    #[arg(long, value_name = "REGEX")]
    pub id_pattern: Option<String>,
    /// Column of the roster that contains the ids in the names of submissions; with --from, the
    /// column that contains the students' ids.
    #[arg(long, value_name = "COLUMN", requires = "roster")]
    pub id_column: Option<String>,
    /// Grade only one part of the class: `3/8` is the third of eight parts.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Write the files for grading the class on many machines (slurm, parallel, actions,
    /// kubernetes), and exit.
    #[arg(long, value_name = "ENGINE")]
    pub plan: Option<String>,
    /// Number of shards in the plan [default: about five students in each shard, or twenty for
    /// actions].
    #[arg(long, value_name = "N", requires = "plan", value_parser = clap::value_parser!(u32).range(1..))]
    pub shards: Option<u32>,
    /// Slurm partition for the plan.
    #[arg(long, value_name = "NAME", requires = "plan")]
    pub partition: Option<String>,
    /// Slurm account for the plan.
    #[arg(long, value_name = "NAME", requires = "plan")]
    pub account: Option<String>,
    /// Container image with the checker on its PATH, for a plan for Kubernetes or Actions.
    #[arg(long, value_name = "IMAGE", requires = "plan")]
    pub image: Option<String>,
    /// Grade every student again, even if nothing has changed.
    #[arg(long)]
    pub again: bool,
    /// Show what grading would do with each submission, but run and write nothing.
    #[arg(long, conflicts_with = "plan")]
    pub dry_run: bool,
}

/// A learning platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "their names say it, and comments would be repeated in --help")]
pub enum Platform {
    Moodle,
    Canvas,
    Blackboard,
    Brightspace,
    Gradescope,
}

/// A file that an instructor writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "their names say it, and comments would be repeated in --help")]
pub enum Schema {
    Policy,
    ByHand,
    Roster,
    Groups,
}

/// `checker report`
#[derive(Debug, Args)]
#[command(after_help = "\
The checker makes reports from records alone, so it runs nothing again.

Examples:
  checker report results/records --format junit --out report.xml
  checker report results/records/ada.json --format gradescope --out results.json
  checker report results/records --format html-class --out class.html
  checker report results --format html-class --anonymous key.csv --out markers.html
  checker report 2025/results 2026/results --format html-statistics --out statistics.html")]
pub struct Report {
    /// Records, folders of records, or folders that `checker grade` wrote.
    #[arg(required = true, value_name = "RECORD")]
    pub records: Vec<PathBuf>,
    /// Report format: junit, junit-jenkins, github-annotations, github-summary,
    /// gitlab-code-quality, sarif, tap, gradescope, classroom50, prairielearn, exercism, canvas,
    /// moodle, blackboard, brightspace, csv, html-class, html-student, html-statistics,
    /// csv-statistics, csv-speed
    #[arg(long, value_name = "FORMAT")]
    pub format: String,
    /// Output file [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Audience of the report; only instructors see secret inputs.
    #[arg(long = "for", value_enum)]
    pub audience: Option<Audience>,
    /// Replace names with pseudonyms, and list the name behind each pseudonym in FILE, which is
    /// created or extended.
    #[arg(long, value_name = "FILE")]
    pub anonymous: Option<PathBuf>,
    /// Title of the assignment's column in an export of the gradebook, for example `CUDA workbook
    /// (48213)`; only for `canvas`, `blackboard` and `brightspace`.
    #[arg(long, value_name = "TITLE")]
    pub column: Option<String>,
}

/// The audience of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Audience {
    /// Only the information that the student may see.
    Student,
    /// Everything, including secret inputs.
    Instructor,
}

/// `checker merge`
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  checker merge shard-1/ shard-2/ --roster roster.csv --out results/

The exit code is 3 as long as a student has no complete record.")]
pub struct Merge {
    /// Folders that `checker grade` wrote.
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Class list: a CSV file with a column `id`.
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// Folder for the merged records and reports.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
}

/// `checker similar`
#[derive(Debug, Args)]
#[command(after_help = "\
Similarity is a reason to look at a pair, but never proof. Short exercises have few right solutions. The comparison leaves out
code from the skeleton, and code that nearly all students share.

Examples:
  checker similar submissions/                         all pairs, the most similar first
  checker similar submissions/ --pair ada,charles      two students side by side
  checker similar submissions/ --html similar.html     a page with all pairs side by side
  checker similar submissions/ --against 2025/ --against 2024/    compare with former years, too")]
pub struct Similar {
    /// Submissions, or folders of submissions.
    #[arg(required = true, value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// Submissions of a former year, to compare with SUBMISSION but not with each other.
    #[arg(long, value_name = "SUBMISSION")]
    pub against: Vec<PathBuf>,
    /// Show two students side by side.
    #[arg(long, value_name = "A,B")]
    pub pair: Option<String>,
    /// Write an HTML page with all pairs.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print one JSON document to stdout.
    #[arg(long)]
    pub json: bool,
}
