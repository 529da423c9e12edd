//! Outputs on the book's pages: `checker book capture` runs the checker and keeps what it prints,
//! and CI compares it.
//!
//! `book/outputs/captures.toml` lists the outputs. Each command runs in a new workbook. A file of
//! the repository, or a mutant named `mutant EXERCISE/NAME`, replaces an exercise's file there or
//! is added to the workbook. The output without its times is `book/outputs/NAME.txt`, and for
//! narrow screens `book/outputs/NAME.narrow.txt`.
//!
//! Listings of lessons need no entries: each has an output in the folder of its chapter
//! ([`Listing`]). The examples of the diagnostics need none either: each file of
//! `book/examples/diagnostics` has an output in `book/outputs/diagnostics`, which must show the
//! diagnostic that the file is named after.
//!
//! The recordings that figures are drawn from ([`recording`]) are made in the same way.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

use super::diagnostics::Example;
use super::listings::Listing;
use super::recording::{self, Wanted};
use super::{Problem, read};
use checker::diagnostic::Slug;
use checker::report::profile;
use checker::workbook;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    capture: Vec<Capture>,
}

/// One output.
#[derive(Debug, Deserialize)]
struct Capture {
    /// Stem of the output's file.
    name: String,
    /// As shown after the prompt, without `checker`: words separated by spaces.
    command: String,
    /// The exit code that the command must have.
    #[serde(default)]
    exit: i32,
    /// The exercise whose file is replaced by `source`; without it, `source` is added under its own
    /// name.
    exercise: Option<String>,
    /// The file, relative to the repository, or `mutant EXERCISE/NAME`.
    source: Option<String>,
    /// Further files of the workbook, each with its source.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// What became of one output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Unchanged.
    Same,
    /// Changed and written.
    Written,
    /// Changed, but not written because only a check was requested: the new text.
    Stale(String),
}

/// An output's name, and what became of it.
pub type Captured = (String, Result<Outcome, Error>);

/// Why outputs could not be captured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The list or a file of it is missing or broken.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// The list names an exercise that does not exist.
    #[error("output `{name}`: {source}")]
    Exercise {
        /// The capture.
        name: String,
        /// Why.
        source: checker::exercises::Unknown,
    },
    /// The workbook could not be written.
    #[error(transparent)]
    Workbook(workbook::Error),
    /// The command ended with another exit code than the list says.
    #[error(
        "output `{name}`: `checker {command}` ended with {found}, expected {expected}; it printed:\n{printed}"
    )]
    Exit {
        /// The capture.
        name: String,
        /// Its command.
        command: String,
        /// From the list.
        expected: i32,
        /// How it ended.
        found: String,
        /// Its whole output.
        printed: String,
    },
    /// A diagnostic's example does not show this diagnostic.
    #[error(
        "{file} does not show the diagnostic of its name and nothing else; the checker says:\n{printed}"
    )]
    Example {
        /// The file.
        file: String,
        /// What was printed.
        printed: String,
    },
    /// The operating system refused.
    #[error("cannot {what}: {source}")]
    Io {
        /// The step.
        what: String,
        /// Why.
        source: std::io::Error,
    },
}

/// The text of output `name` as a page shows it: in two widths where the command prints for one, of
/// which the style sheet shows one. A profile that has no room for some of its columns on a phone
/// is only shown as wide as on a desktop, because the pages explain these columns.
///
/// # Errors
/// When it has not been captured.
pub fn show(name: &str, root: &Path) -> Result<String, Problem> {
    let wide = wide(name, root)?;
    let shown = match fs::read_to_string(output_path(root, name, Width::Narrow)) {
        Ok(narrow) if block(&narrow) != wide => format!(
            "<div class=\"wb-wide\">\n\n{wide}\n</div>\n<div class=\"wb-narrow\">\n\n{}\n</div>\n",
            block(&narrow)
        ),
        _ => wide,
    };
    // the report about an original file is the first that its reader gets, so paper leaves it out
    Ok(match name.ends_with("-skeleton") {
        true => format!("<div class=\"wb-first-report\">\n\n{shown}\n</div>\n"),
        false => shown,
    })
}

/// The output called `name` for the width of a desktop.
///
/// # Errors
/// When it can't be read.
pub fn wide(name: &str, root: &Path) -> Result<String, Problem> {
    Ok(block(&read(output_path(root, name, Width::Wide))?))
}

fn block(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

/// The width that a command prints for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// A page on a desktop, and in print.
    Wide,
    /// A page on a phone.
    Narrow,
}

impl Width {
    fn columns(self) -> &'static str {
        match self {
            Self::Wide => "100",
            Self::Narrow => "48",
        }
    }
}

fn output_path(root: &Path, name: &str, width: Width) -> PathBuf {
    let ending = match width {
        Width::Wide => "txt",
        Width::Narrow => "narrow.txt",
    };
    root.join("outputs").join(format!("{name}.{ending}"))
}

/// What an output must be.
enum Expected {
    /// Any text, with this exit code.
    Exit(i32),
    /// A report of this diagnostic alone.
    Shows(Example),
}

/// Captures the outputs of the book in `root` whose names begin with one of `names`, or all if
/// there are none, with the program `checker`. Writes those that changed; with `only_check` it
/// writes nothing and returns which ones would change. A command that fails stops no other.
///
/// # Errors
/// When the list or a listing cannot be read.
pub fn all(
    root: &Path,
    checker: &Path,
    names: &[String],
    only_check: bool,
) -> Result<Vec<Captured>, Error> {
    let repository = root.parent().unwrap_or(root);
    let mut jobs = jobs(root)?;
    jobs.retain(|job| names.is_empty() || names.iter().any(|name| job.name().starts_with(name)));
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let of_job = match job {
                Job::Output(capture, expected) => {
                    capture_one(capture, expected, root, repository, checker, only_check).into()
                }
                Job::Recording(wanted, _) => {
                    vec![record_one(wanted, root, repository, checker, only_check)]
                }
            };
            let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
            outcomes.extend(of_job.into_iter().map(|outcome| (job.name().to_owned(), outcome)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(outcomes)
}

/// One thing to capture.
enum Job {
    /// What a command prints.
    Output(Capture, Expected),
    /// What the simulator records, and its name among the outputs.
    Recording(Wanted, String),
}

impl Job {
    fn name(&self) -> &str {
        match self {
            Self::Output(capture, _) => &capture.name,
            Self::Recording(_, name) => name,
        }
    }
}

/// Every output of the book: those of the list, of the listings and of the diagnostics' examples,
/// and the recordings.
fn jobs(root: &Path) -> Result<Vec<Job>, Error> {
    let list = root.join("outputs").join("captures.toml");
    let text = read(list.clone())?;
    let list: List = toml::from_str(&text)
        .map_err(|error| Problem::Invalid { path: list, message: error.to_string() })?;
    let mut jobs = Vec::new();
    for capture in list.capture {
        let expected = Expected::Exit(capture.exit);
        jobs.push(Job::Output(capture, expected));
    }
    let automatic = |name: String, command: String, exercise: Option<String>, source: String| {
        let source = Some(source);
        Capture { name, command, exit: 0, exercise, source, files: BTreeMap::new() }
    };
    for listing in Listing::all(root)? {
        let capture = automatic(listing.output(), listing.command(), None, listing.source());
        jobs.push(Job::Output(capture, Expected::Exit(listing.exit())));
    }
    for slug in Slug::ALL.iter().copied() {
        let example = Example::of(slug, root)?;
        let exercise = example.exercise().map(|spec| spec.id.to_owned());
        let name = format!("diagnostics/{slug}");
        let capture = automatic(name, example.command(), exercise, example.path());
        jobs.push(Job::Output(capture, Expected::Shows(example)));
    }
    for wanted in Wanted::all(root)? {
        let name = format!("recordings/{}", wanted.name);
        jobs.push(Job::Recording(wanted, name));
    }
    Ok(jobs)
}

/// Runs one capture in both widths.
fn capture_one(
    capture: &Capture,
    expected: &Expected,
    root: &Path,
    repository: &Path,
    checker: &Path,
    only_check: bool,
) -> [Result<Outcome, Error>; 2] {
    [Width::Wide, Width::Narrow].map(|width| {
        let new = run(capture, expected, width, repository, checker)?;
        let path = output_path(root, &capture.name, width);
        if width == Width::Narrow && one_line(&new).contains(profile::COLUMNS_LEFT_OUT) {
            return remove_output(&path, new, only_check);
        }
        io("make a folder", fs::create_dir_all(path.parent().unwrap_or(root)))?;
        update_output(&path, new, only_check)
    })
}

/// Makes one recording.
fn record_one(
    wanted: &Wanted,
    root: &Path,
    repository: &Path,
    checker: &Path,
    only_check: bool,
) -> Result<Outcome, Error> {
    let temporary = io("make a temporary folder", tempfile::tempdir())?;
    let out = temporary.path().join("recording.txt");
    let source = io("find the listing", std::path::absolute(repository.join(&wanted.source)))?;
    let words = wanted.command(&source, &out);
    let ended = io(
        "run the checker",
        Command::new(checker).args(&words).current_dir(temporary.path()).output(),
    )?;
    if !ended.status.success() {
        return Err(Error::Exit {
            name: wanted.name.clone(),
            command: words.join(" "),
            expected: 0,
            found: ended.status.to_string(),
            printed: String::from_utf8_lossy(&ended.stderr).into_owned(),
        });
    }
    let new = io("read a recording", fs::read_to_string(&out))?;
    let path = recording::path(root, &wanted.name);
    io("make a folder", fs::create_dir_all(path.parent().unwrap_or(root)))?;
    update_output(&path, new, only_check)
}

/// A text with single spaces, however its lines are broken.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes an output that pages don't show, unless only a check was requested.
fn remove_output(path: &Path, new: String, only_check: bool) -> Result<Outcome, Error> {
    if !path.exists() {
        return Ok(Outcome::Same);
    }
    if only_check {
        return Ok(Outcome::Stale(new));
    }
    io("remove an output", fs::remove_file(path))?;
    Ok(Outcome::Written)
}

/// Writes an output that has changed, unless only a check was requested.
fn update_output(path: &Path, new: String, only_check: bool) -> Result<Outcome, Error> {
    match fs::read_to_string(path) {
        Ok(old) if old == new => Ok(Outcome::Same),
        _ if only_check => Ok(Outcome::Stale(new)),
        _ => {
            io("write an output", fs::write(path, new))?;
            Ok(Outcome::Written)
        }
    }
}

/// Runs one command in a new workbook. Returns the prompt line and what it printed if that is as
/// expected.
fn run(
    capture: &Capture,
    expected: &Expected,
    width: Width,
    repository: &Path,
    checker: &Path,
) -> Result<String, Error> {
    let (printed, status) = print(capture, width, repository, checker)?;
    match expected {
        Expected::Exit(exit) if status.code() != Some(*exit) => Err(Error::Exit {
            name: capture.name.clone(),
            command: capture.command.clone(),
            expected: *exit,
            found: status.to_string(),
            printed,
        }),
        Expected::Shows(example) if !example.is_shown_by(&printed) => {
            Err(Error::Example { file: example.path(), printed })
        }
        _ => Ok(printed),
    }
}

/// Runs one command in a new workbook. Returns the prompt line with what it printed, and the exit
/// status.
fn print(
    capture: &Capture,
    width: Width,
    repository: &Path,
    checker: &Path,
) -> Result<(String, ExitStatus), Error> {
    let temporary = io("make a temporary folder", tempfile::tempdir())?;
    let workbook = temporary.path().join("cuda-workbook");
    // Without the book: no output depends on it, and its 300 files take longer than most commands.
    io("make a workbook", fs::create_dir_all(workbook.join(".workbook")))?;
    workbook::extract("exercises", &workbook).map_err(Error::Workbook)?;
    if let Some(source) = &capture.source {
        let text = source_text(repository, source)?;
        let file = match &capture.exercise {
            Some(exercise) => {
                let spec = checker::exercises::find(exercise)
                    .map_err(|source| Error::Exercise { name: capture.name.clone(), source })?;
                Path::new("exercises").join(spec.chapter).join(format!("{}.cu", spec.id))
            }
            None => Path::new(source).file_name().unwrap_or_default().into(),
        };
        io("put a file into the workbook", fs::write(workbook.join(file), text))?;
    }
    for (file, source) in &capture.files {
        let text = source_text(repository, source)?;
        let file = workbook.join(file);
        io("make a folder", fs::create_dir_all(file.parent().unwrap_or(&workbook)))?;
        io("put a file into the workbook", fs::write(file, text))?;
    }
    let mut process = Command::new(checker);
    process.args(words(&capture.command)).current_dir(&workbook);
    process.env("NO_COLOR", "1").env("COLUMNS", width.columns());
    // The page shows the command as a reader of a clone types it, so its output says the same.
    process.env("CARGO", "cargo");
    let output = io("run the checker", process.output())?;
    let printed = [output.stdout, output.stderr].concat();
    let printed = normalise(&String::from_utf8_lossy(&printed));
    let shown = capture.command.replace(" --backend sim", "");
    Ok((format!("$ cargo checker {shown}\n{printed}\n"), output.status))
}

fn io<T>(what: &str, result: std::io::Result<T>) -> Result<T, Error> {
    result.map_err(|source| Error::Io { what: what.to_owned(), source })
}

/// Words of a command; text in single quotes is one word.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in command.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The text of a file of the repository, or of a mutant named `mutant EXERCISE/NAME`.
fn source_text(repository: &Path, source: &str) -> Result<String, Problem> {
    match source.strip_prefix("mutant ") {
        None => read(repository.join(source)),
        Some(name) => {
            mutants::find(repository, name).map(|mutant| mutant.source).map_err(|error| {
                Problem::Invalid { path: "captures.toml".into(), message: error.to_string() }
            })
        }
    }
}

/// Removes times, which differ between runs, and spaces at the ends of lines.
fn normalise(printed: &str) -> String {
    let lines: Vec<String> =
        printed.lines().map(|line| without_time(line).trim_end().to_owned()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Removes the time from "simulator · 41 ms". A line that is aligned to a column gets as many
/// spaces as it has with a time of two digits, so that it is the same for every time.
fn without_time(line: &str) -> String {
    const USUAL: usize = " · 41 ms".len();
    let mut out = line.to_owned();
    while let Some(place) = time(&out) {
        let length = place.len();
        out.replace_range(place.clone(), "");
        let before = out.get(..place.start).unwrap_or_default();
        // A line's indentation aligns nothing.
        let gap = before.rfind("   ").filter(|gap| !before[..*gap].trim().is_empty());
        if let Some(gap) = gap {
            if length > USUAL {
                out.insert_str(gap, &" ".repeat(length - USUAL));
            } else {
                out.replace_range(gap..gap + (USUAL - length).min(2), "");
            }
        }
    }
    out
}

/// The byte range of " · 41 ms" or " · 1.2 s" in a line.
fn time(line: &str) -> Option<std::ops::Range<usize>> {
    const DOT: &str = " · ";
    line.match_indices(DOT).find_map(|(start, _)| {
        let rest = line.get(start + DOT.len()..)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let unit = rest.get(digits..)?;
        let unit_length =
            [" ms", " s"].iter().find_map(|u| unit.starts_with(u).then_some(u.len()))?;
        let end = start + DOT.len() + digits + unit_length;
        let whole = line.get(end..)?.chars().next().is_none_or(|c| !c.is_alphanumeric());
        (digits > 0 && whole).then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_are_removed() {
        assert_eq!(normalise("  ok   simulator · 41 ms  \n"), "  ok   simulator");
        assert_eq!(normalise("a · 1.2 s · 3 cases"), "a · 3 cases");
        // The line is right-aligned, so it has one space less for each further digit.
        let pass = |time: &str| format!("  ok   7 cases {:>30}", format!("simulator · {time}"));
        let all = ["7 ms", "41 ms", "412 ms", "41.2 s"].map(|time| normalise(&pass(time)));
        assert!(all.iter().all(|line| *line == all[1]), "{all:?}");
        assert_eq!(normalise("GPU · 7 cases · 12 msx"), "GPU · 7 cases · 12 msx");
        // On a narrow screen the device has a line of its own.
        assert_eq!(normalise("guard\n    simulator · 7 ms"), "guard\n    simulator");
    }

    #[test]
    fn a_quoted_case_name_is_one_word() {
        assert_eq!(
            words("check blocks --case 'five blocks'"),
            ["check", "blocks", "--case", "five blocks"]
        );
    }
}
