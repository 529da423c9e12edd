//! Report formats that other programs and people read, each made from records alone.
//!
//! A format is one file that describes itself: a `static` [`Format`] with its name, the name of the
//! file that it writes, its default audience and the function that writes it. [`ALL`] is the
//! registry. The function gets records that [`Options::view`] has redacted already, so a report for
//! students cannot contain what they may not see; texts of learners go through [`escape`].

pub mod canvas;
pub mod checks;
pub mod classroom50;
pub mod csv;
pub mod escape;
pub mod exercism;
pub mod findings;
pub mod github_annotations;
pub mod github_summary;
pub mod gitlab_code_quality;
pub mod gradescope;
pub mod html_class;
pub mod html_student;
pub mod junit;
pub mod prairielearn;
pub mod pseudonyms;
pub mod sarif;
pub mod speeds;
pub mod statistics;
pub mod tap;
pub mod worksheet;

mod class_numbers;
mod html;
mod platform;
mod sheet;

#[cfg(test)]
pub mod fixture;
#[cfg(test)]
pub(crate) mod properties;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::record::Record;
use crate::text;

/// The readers of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Audience {
    /// The student whose record it is: hidden items only as far as they may be seen.
    #[default]
    Student,
    /// A grader, who sees everything.
    Instructor,
}

/// How to render.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The moment that decides what is still hidden.
    pub now: Timestamp,
    /// Its readers.
    pub audience: Audience,
    /// The platform's name for the assignment, for platforms that need it: Canvas' column "CUDA
    /// workbook (48213)".
    pub assignment: Option<String>,
    /// Values that the platform provides, by the platform's own names: "CLASSROOM", "COMMIT_URL".
    pub platform: BTreeMap<String, String>,
    /// The names of the terms that the records are of, each with the number of its records, in
    /// their order; for statistics.
    pub terms: Vec<(String, usize)>,
    /// What belongs to no grade, for the page of the class.
    pub unmatched: Vec<String>,
}

impl Options {
    /// For students, at the moment `now`.
    pub const fn new(now: Timestamp) -> Self {
        Self {
            now,
            audience: Audience::Student,
            assignment: None,
            platform: BTreeMap::new(),
            terms: vec![],
            unmatched: vec![],
        }
    }

    /// The records as the audience may see them.
    pub fn view(&self, records: &[Record]) -> Vec<Record> {
        match self.audience {
            Audience::Student => {
                records.iter().map(|record| record.for_student(self.now)).collect()
            }
            Audience::Instructor => records.to_vec(),
        }
    }
}

/// A file that a format consists of, where it is more than one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Relative, with `/`, of characters that every file system takes.
    pub path: String,
    /// All of it.
    pub contents: String,
}

/// Why a format could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no record, and several platforms read an empty list as a full score.
    #[error("{format}: there is no record to report: name at least one record's file")]
    NoRecords {
        /// The format's name.
        format: &'static str,
    },
    /// The format is one student's, and several are given.
    #[error("{format} is one student's, and there are {records} records: report them one by one")]
    OneRecord {
        /// The format's name.
        format: &'static str,
        /// How many were given.
        records: usize,
    },
    /// The platform needs something that no record contains.
    #[error("{format} needs {what}: {way_out}")]
    Missing {
        /// The format's name.
        format: &'static str,
        /// "the assignment's title and number".
        what: String,
        /// The way out.
        way_out: String,
    },
    /// The machine could not grade everything, and the platform takes what it is given for the
    /// final grade.
    #[error(
        "{format}: the grade of {student} is not complete, and a number would be taken for it: grade again, and fail this run"
    )]
    Incomplete {
        /// The format's name.
        format: &'static str,
        /// The student's id.
        student: String,
    },
    /// One student's record cannot be written.
    #[error("{format}: student {student}: {problem}: {way_out}")]
    Student {
        /// The format's name.
        format: &'static str,
        /// The student's id.
        student: String,
        /// The problem of the record.
        problem: String,
        /// The way out.
        way_out: String,
    },
    /// The library that writes the format refused.
    #[error("{format} could not be written: {reason}")]
    Write {
        /// The format's name.
        format: &'static str,
        /// The library's own words.
        reason: String,
    },
}

/// A report format.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line: "gitlab-code-quality".
    pub name: &'static str,
    /// The name that the format's reader expects of the file, or a sensible one where the reader
    /// expects none.
    pub file_name: &'static str,
    /// The audience when the command line does not name one.
    pub audience: Audience,
    /// Writes it.
    write: Write,
}

/// How a format is written, and for how many students at a time.
#[derive(Debug, Clone, Copy)]
enum Write {
    /// A table of grades for a platform, which leaves out grades that are not certain.
    Table(fn(&[Record], &Options) -> Result<Table, Error>),
    /// One document holds any number of students.
    Class(fn(&[Record], &Options) -> Result<String, Error>),
    /// One document for each student.
    Student(fn(&Record, &Options) -> Result<String, Error>),
    /// One document for each student, for a platform that hides parts of it by itself: the record
    /// is not redacted.
    Unredacted(fn(&Record, &Options) -> Result<String, Error>),
}

/// A file for a platform's gradebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The file.
    pub text: String,
    /// The students without a row whose grade a platform would expect, each with the reason.
    pub left_out: Vec<String>,
}

/// Whether a student has a row in a platform's gradebook; `is_known` says whether the platform
/// can find the student. A student without a submission has none, because the platform has a rule
/// of its own for missing work.
///
/// # Errors
/// The reason why there is none that an instructor has to know.
fn gradebook_row(record: &Record, is_known: bool) -> Result<bool, String> {
    let id = || text::cut(&text::line(&record.student.id), 80);
    let is = |what: &str| record.flags.iter().any(|flag| flag.what == what);
    let is_absent = record.submission.is_absent();
    if is_absent && !is("similar-id") && !is("missing-files") {
        return Ok(false);
    }
    let why = if !is_known {
        "the roster has no such student"
    } else if is_absent || (is("refused") && record.submission.files.is_empty()) {
        "no file could be graded, and a flag says why"
    } else if !platform::is_complete(record) {
        "the grade is not complete"
    } else {
        return Ok(true);
    };
    Err(format!("{} has no row: {why}", id()))
}

/// Every format, in the order in which they are listed to people.
pub static ALL: &[&Format] = &[
    &junit::GITLAB,
    &junit::JENKINS,
    &github_annotations::FORMAT,
    &github_summary::FORMAT,
    &gitlab_code_quality::FORMAT,
    &sarif::FORMAT,
    &tap::FORMAT,
    &gradescope::FORMAT,
    &classroom50::FORMAT,
    &prairielearn::FORMAT,
    &exercism::FORMAT,
    &canvas::FORMAT,
    &worksheet::MOODLE,
    &worksheet::BLACKBOARD,
    &worksheet::BRIGHTSPACE,
    &csv::FORMAT,
    &html_class::FORMAT,
    &html_student::FORMAT,
    &statistics::HTML,
    &statistics::CSV,
    &speeds::FORMAT,
];

/// The format of that name, in any case, with `_` or spaces for `-`.
pub fn find(name: &str) -> Option<&'static Format> {
    let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    ALL.iter().copied().find(|format| format.name == name)
}

/// The names of all formats, in the order of [`ALL`].
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|format| format.name).collect()
}

impl Format {
    /// Writes records in this format, as the audience of `options` may see them.
    ///
    /// # Errors
    /// Without a record, with several for a format of one student, or when the format cannot
    /// express a record: [`Error`] names the way out.
    pub fn render(&self, records: &[Record], options: &Options) -> Result<String, Error> {
        match (self.write, records) {
            (_, []) => Err(Error::NoRecords { format: self.name }),
            (Write::Class(write), _) => write(&options.view(records), options),
            (Write::Table(_), _) => Ok(self.table(records, options)?.text),
            (Write::Student(write), [record]) => match options.audience {
                Audience::Student => write(&record.for_student(options.now), options),
                Audience::Instructor => write(record, options),
            },
            (Write::Unredacted(write), [record]) => write(record, options),
            (Write::Student(_) | Write::Unredacted(_), more) => {
                Err(Error::OneRecord { format: self.name, records: more.len() })
            }
        }
    }

    /// Writes records as [`Format::render`] does, and says which students a table leaves out.
    ///
    /// # Errors
    /// As [`Format::render`].
    pub fn table(&self, records: &[Record], options: &Options) -> Result<Table, Error> {
        match (self.write, records) {
            (Write::Table(_), []) => Err(Error::NoRecords { format: self.name }),
            // A student's view has no flags, and they say which grades are certain.
            (Write::Table(write), _) => write(records, options),
            _ => Ok(Table { text: self.render(records, options)?, left_out: vec![] }),
        }
    }

    /// Whether one document holds any number of students; else there is a document for each.
    pub const fn holds_a_class(&self) -> bool {
        matches!(self.write, Write::Class(_) | Write::Table(_))
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name)
    }
}

/// A document as JSON that people can read, with a line end.
fn json(format: &Format, document: &impl serde::Serialize) -> Result<String, Error> {
    match serde_json::to_string_pretty(document) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(Error::Write { format: format.name, reason: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A format can be named as it is listed, and no two formats share a name.
    #[test]
    fn every_format_is_found_by_its_name() {
        for format in ALL {
            for name in [format.name.to_owned(), format.name.to_uppercase().replace('-', "_")] {
                assert_eq!(find(&name).map(|found| found.name), Some(format.name));
            }
            assert_eq!(ALL.iter().filter(|other| other.name == format.name).count(), 1);
        }
        assert!(find("junit.xml").is_none());
    }
}
