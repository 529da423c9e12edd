//! What other programs read: every format is made from records alone.
//!
//! Each format is one file with one function `render(records, options)`. Records are seen through [`Options::view`], so
//! that a format for students never holds what they may not see; texts of learners go through [`escape`].

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
pub mod sarif;
pub mod tap;

mod class_numbers;
mod html;
mod platform;
mod sheet;

#[cfg(test)]
pub mod fixture;
#[cfg(test)]
mod properties;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::record::Record;

/// Who reads what is rendered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Audience {
    /// The student whose record it is: hidden items only as far as they may be seen.
    #[default]
    Student,
    /// Whoever grades: everything.
    Instructor,
}

/// How to render.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The moment that decides what is still hidden.
    pub now: Timestamp,
    /// Who reads it.
    pub audience: Audience,
    /// What the platform calls the assignment, where it has to be told: Canvas' column "CUDA workbook (48213)".
    pub assignment: Option<String>,
    /// What the platform handed over, by the platform's own names: "CLASSROOM", "COMMIT_URL".
    pub platform: BTreeMap<String, String>,
}

impl Options {
    /// For students, at the moment `now`.
    pub const fn new(now: Timestamp) -> Self {
        Self { now, audience: Audience::Student, assignment: None, platform: BTreeMap::new() }
    }

    /// The records as the audience may see them. Every format begins with this.
    pub fn view(&self, records: &[Record]) -> Vec<Record> {
        match self.audience {
            Audience::Student => {
                records.iter().map(|record| record.for_student(self.now)).collect()
            }
            Audience::Instructor => records.to_vec(),
        }
    }

    /// [`Options::view`] for a format of any number of students.
    ///
    /// # Errors
    /// Without a record.
    fn some(&self, format: Format, records: &[Record]) -> Result<Vec<Record>, Error> {
        if records.is_empty() {
            return Err(Error::NoRecords { format: format.name() });
        }
        Ok(self.view(records))
    }

    /// [`Options::view`] for a format about the files of one student.
    ///
    /// # Errors
    /// Unless there is exactly one record.
    fn one(&self, format: Format, records: &[Record]) -> Result<Record, Error> {
        match (self.some(format, records)?.pop(), records.len()) {
            (Some(record), 1) => Ok(record),
            (_, records) => Err(Error::OneRecord { format: format.name(), records }),
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
    /// There is nothing to say, and several platforms read an empty list as a full score.
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
    /// The platform needs to be told something that no record says.
    #[error("{format} needs {what}: {way_out}")]
    Missing {
        /// The format's name.
        format: &'static str,
        /// "the assignment's title and number".
        what: String,
        /// What to do.
        way_out: String,
    },
    /// The machine could not grade everything, and the platform takes what it is given for the final grade.
    #[error(
        "{format}: the grade of {student} is not complete, and a number would be taken for it: grade again, and fail this run"
    )]
    Incomplete {
        /// The format's name.
        format: &'static str,
        /// Whose grade.
        student: String,
    },
    /// One student's record cannot be written.
    #[error("{format}: student {student}: {problem}: {way_out}")]
    Student {
        /// The format's name.
        format: &'static str,
        /// Whose record.
        student: String,
        /// What is wrong with it.
        problem: String,
        /// What to do.
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

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// JUnit XML as GitLab reads it.
    Junit,
    /// JUnit XML as Jenkins' schema wants it.
    JunitJenkins,
    /// Workflow commands of GitHub Actions, for standard output.
    GithubAnnotations,
    /// Markdown for a GitHub job's summary.
    GithubSummary,
    /// GitLab's code quality report.
    GitlabCodeQuality,
    /// SARIF 2.1.0 for GitHub code scanning.
    Sarif,
    /// Test Anything Protocol, version 14.
    Tap,
    /// Gradescope's `results.json`.
    Gradescope,
    /// Classroom 50's `result.json`.
    Classroom50,
    /// PrairieLearn's results of an external grader.
    Prairielearn,
    /// Exercism's `results.json`, version 3.
    Exercism,
    /// A CSV file for Canvas' gradebook.
    Canvas,
    /// A CSV file with a row for each student.
    Csv,
    /// One HTML page about the class.
    HtmlClass,
    /// One HTML page for each student.
    HtmlStudent,
}

impl Format {
    /// Every format, in the order in which they are listed to people.
    pub const fn all() -> [Self; 15] {
        [
            Self::Junit,
            Self::JunitJenkins,
            Self::GithubAnnotations,
            Self::GithubSummary,
            Self::GitlabCodeQuality,
            Self::Sarif,
            Self::Tap,
            Self::Gradescope,
            Self::Classroom50,
            Self::Prairielearn,
            Self::Exercism,
            Self::Canvas,
            Self::Csv,
            Self::HtmlClass,
            Self::HtmlStudent,
        ]
    }

    /// As people type it: "gitlab-code-quality".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Junit => "junit",
            Self::JunitJenkins => "junit-jenkins",
            Self::GithubAnnotations => "github-annotations",
            Self::GithubSummary => "github-summary",
            Self::GitlabCodeQuality => "gitlab-code-quality",
            Self::Sarif => "sarif",
            Self::Tap => "tap",
            Self::Gradescope => "gradescope",
            Self::Classroom50 => "classroom50",
            Self::Prairielearn => "prairielearn",
            Self::Exercism => "exercism",
            Self::Canvas => "canvas",
            Self::Csv => "csv",
            Self::HtmlClass => "html-class",
            Self::HtmlStudent => "html-student",
        }
    }

    /// The format of that name, in any case, with `_` or spaces for `-`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        Self::all().into_iter().find(|format| format.name() == name)
    }

    /// Writes records in this format.
    ///
    /// # Errors
    /// When the format cannot say what is to be said: [`Error`] tells the way out.
    pub fn render(self, records: &[Record], options: &Options) -> Result<String, Error> {
        let render = match self {
            Self::Junit => junit::gitlab,
            Self::JunitJenkins => junit::jenkins,
            Self::GithubAnnotations => github_annotations::render,
            Self::GithubSummary => github_summary::render,
            Self::GitlabCodeQuality => gitlab_code_quality::render,
            Self::Sarif => sarif::render,
            Self::Tap => tap::render,
            Self::Gradescope => gradescope::render,
            Self::Classroom50 => classroom50::render,
            Self::Prairielearn => prairielearn::render,
            Self::Exercism => exercism::render,
            Self::Canvas => canvas::render,
            Self::Csv => csv::render,
            Self::HtmlClass => html_class::render,
            Self::HtmlStudent => html_student::render,
        };
        render(records, options)
    }

    /// Whether one document holds any number of students; else there is a document for each.
    pub const fn holds_a_class(self) -> bool {
        matches!(
            self,
            Self::Junit
                | Self::JunitJenkins
                | Self::GithubSummary
                | Self::Tap
                | Self::Canvas
                | Self::Csv
                | Self::HtmlClass
        )
    }

    /// What its reader calls the file, or a name for it where the reader asks for none.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Junit | Self::JunitJenkins => "junit.xml",
            Self::GithubAnnotations => "annotations.txt",
            Self::GithubSummary => "summary.md",
            Self::GitlabCodeQuality => "gl-code-quality-report.json",
            Self::Sarif => "checker.sarif",
            Self::Tap => "report.tap",
            Self::Classroom50 => "result.json",
            Self::Gradescope | Self::Prairielearn | Self::Exercism => "results.json",
            Self::Canvas => "canvas.csv",
            Self::Csv => "grades.csv",
            Self::HtmlClass => "class.html",
            Self::HtmlStudent => "student.html",
        }
    }

    /// Who reads it when nobody says.
    pub const fn audience(self) -> Audience {
        match self {
            Self::Canvas | Self::Csv | Self::HtmlClass => Audience::Instructor,
            _ => Audience::Student,
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A document as JSON that people can read, with a line end.
fn json(format: Format, document: &impl serde::Serialize) -> Result<String, Error> {
    match serde_json::to_string_pretty(document) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(Error::Write { format: format.name(), reason: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A format that is listed can be asked for by the name that is listed, and no name means two.
    #[test]
    fn every_format_has_a_name_of_its_own() {
        for format in Format::all() {
            assert_eq!(Format::parse(format.name()), Some(format));
            assert_eq!(
                Format::parse(&format.name().to_uppercase().replace('-', "_")),
                Some(format)
            );
        }
        assert_eq!(Format::parse("junit.xml"), None);
    }
}
