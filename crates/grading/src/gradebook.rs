//! The files of a graded class in an output folder: a page for each student, `class.html`,
//! `grades.csv`, `speed.csv` if the policy asks for it, `unmatched.txt` with what belongs to no grade, and `contained.txt` with the
//! submissions that the sandbox stopped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::formats::{self, Audience, Options, csv, html_class, html_student, speeds};
use crate::record::{Flag, Kind, Record, Report};
use crate::store::{self, Store};
use crate::text::sanitise;

/// Why the files of a class could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The records could not be read or removed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A report could not be made.
    #[error(transparent)]
    Format(#[from] formats::Error),
    /// A file or folder could not be written.
    #[error("{}: {error}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
}

impl Error {
    fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Write { path: path.to_owned(), error }
    }
}

/// The records of a class without what only students' pages show, and one line for each record that
/// cannot be read.
pub type Outlines = (Vec<Record>, Vec<String>);

/// Writes a page for every student who has a record, and returns outlines of the records, sorted by
/// student, because the full records of a class of thousands do not fit into memory.
///
/// When `is_absent` denies that a student submitted nothing, a record without a submission is
/// stale, for example because the roster misspelt the student's id before. Such a record and its
/// page are removed.
///
/// # Errors
/// When the records cannot be listed, or a page cannot be written.
pub fn write_student_pages(
    out: &Path,
    store: &Store,
    is_absent: impl Fn(&str) -> bool,
) -> Result<Outlines, Error> {
    let (mut outlines, mut damaged) = (vec![], vec![]);
    let folder = out.join("students");
    fs::create_dir_all(&folder).map_err(Error::write(&folder))?;
    for record in store.records()? {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                damaged.push(error.to_string());
                continue;
            }
        };
        let is_stale = record.submission.is_absent() && !is_absent(&record.student.id);
        let one = [record];
        for page in html_student::files(&one, &Options::new(Timestamp::now()))? {
            let path = folder.join(&page.path);
            if is_stale {
                let _ = fs::remove_file(path);
            } else {
                fs::write(&path, page.contents).map_err(Error::write(&path))?;
            }
        }
        let [record] = one;
        if is_stale {
            store.remove(&record.student.id)?;
        } else {
            outlines.push(outline(record));
        }
    }
    outlines.sort_by(|a, b| a.student.id.cmp(&b.student.id));
    Ok((outlines, damaged))
}

fn outline(mut record: Record) -> Record {
    for exercise in &mut record.exercises {
        exercise.items.retain(|item| item.kind == Kind::Speed);
        exercise.report = exercise.report.take().map(|report| Report {
            slug: report.slug,
            passed: report.passed,
            title: report.title,
            ..Report::default()
        });
    }
    record
}

/// The file with what belongs to no grade: files that were not matched with a student, and rows of
/// the roster that were not read.
pub const UNMATCHED: &str = "unmatched.txt";

/// Writes the lines of [`UNMATCHED`]; without any, there is no such file.
///
/// # Errors
/// When the file cannot be written.
pub fn write_unmatched(out: &Path, lines: &[String]) -> Result<(), Error> {
    let path = out.join(UNMATCHED);
    if lines.is_empty() {
        // An earlier run may have left one.
        let _ = fs::remove_file(path);
        return Ok(());
    }
    let line = |line: &String| sanitise(line).replace('\n', " ") + "\n";
    fs::write(&path, lines.iter().map(line).collect::<String>()).map_err(Error::write(&path))
}

/// The lines of [`UNMATCHED`] in an output folder.
pub fn unmatched(out: &Path) -> Vec<String> {
    let text = fs::read_to_string(out.join(UNMATCHED)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Writes the files about the class as a whole into `out`, with a `leaderboard` of the speeds if
/// the policy asks for one. Returns their paths and the folder of
/// the students' pages; nothing is written without a record.
///
/// # Errors
/// When a file cannot be written.
pub fn write_class_files(
    out: &Path,
    records: &[Record],
    leaderboard: bool,
) -> Result<Vec<String>, Error> {
    let mut written = vec![];
    if records.is_empty() {
        return Ok(written);
    }
    let options = Options {
        audience: Audience::Instructor,
        unmatched: unmatched(out),
        ..Options::new(Timestamp::now())
    };
    let speeds = leaderboard.then_some(&speeds::FORMAT);
    for format in [&html_class::FORMAT, &csv::FORMAT].into_iter().chain(speeds) {
        let path = out.join(format.file_name);
        fs::write(&path, format.render(records, &options)?).map_err(Error::write(&path))?;
        written.push(path.display().to_string());
    }
    written.push(format!("{}/", out.join("students").display()));
    if !options.unmatched.is_empty() {
        written.push(out.join(UNMATCHED).display().to_string());
    }
    let contained: String = records.iter().flat_map(contained_lines).collect();
    let path = out.join("contained.txt");
    if contained.is_empty() {
        // An earlier run may have left one.
        let _ = fs::remove_file(&path);
    } else {
        fs::write(&path, contained).map_err(Error::write(&path))?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

/// One line for each file that the sandbox stopped.
fn contained_lines(record: &Record) -> Vec<String> {
    let line = |flag: &Flag| {
        let exercise = flag.exercise.as_deref().unwrap_or_default();
        let text = format!("{}: {exercise}: {}", record.student.id, flag.detail);
        sanitise(&text).replace('\n', " ") + "\n"
    };
    record.flags.iter().filter(|flag| flag.what == "contained").map(line).collect()
}
