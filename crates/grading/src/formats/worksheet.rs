//! CSV files that Moodle, Blackboard and Brightspace import, with the columns by which each finds
//! the student and its own name of the grade's column.
//!
//! | format | finds students by | the grade's column |
//! | --- | --- | --- |
//! | `moodle` | `Identifier` of the grading worksheet | `Grade`, beside `Last modified (grade)`, without which Moodle refuses the file |
//! | `blackboard` | `Username` | as the gradebook has it, with its number: `HW 1 [Total Pts: 40 Score] \|48213` |
//! | `brightspace` | `OrgDefinedId`, `Username` | `HW 1 Points Grade`, before `End-of-Line Indicator` |
//!
//! A student without a submission or a certain, complete grade has no row: the platform keeps what
//! it has.

use super::platform::points;
use super::{Audience, Error, Format, Options, Table, Write, gradebook_row, sheet};
use crate::record::Record;
use crate::text;

/// Moodle's grading worksheet, for any number of students.
pub static MOODLE: Format = Format {
    name: "moodle",
    file_name: "moodle.csv",
    audience: Audience::Instructor,
    write: Write::Table(moodle),
};

/// Blackboard's gradebook for work offline, for any number of students.
pub static BLACKBOARD: Format = Format {
    name: "blackboard",
    file_name: "blackboard.csv",
    audience: Audience::Instructor,
    write: Write::Table(blackboard),
};

/// Brightspace's import of grades, for any number of students.
pub static BRIGHTSPACE: Format = Format {
    name: "brightspace",
    file_name: "brightspace.csv",
    audience: Audience::Instructor,
    write: Write::Table(brightspace),
};

fn moodle(records: &[Record], _: &Options) -> Result<Table, Error> {
    let sheet = Sheet {
        format: &MOODLE,
        required: &["Identifier"],
        kept: &["Identifier", "Full name", "Email address", "Status"],
        column: "Grade".to_owned(),
        behind: &["Maximum grade", "Last modified (submission)", "Last modified (grade)"],
        end: None,
    };
    sheet.write(records)
}

fn blackboard(records: &[Record], options: &Options) -> Result<Table, Error> {
    let example = "HW 1 [Total Pts: 40 Score] |48213";
    let column = column(&BLACKBOARD, options, example)?;
    // Without its number, Blackboard makes a new column of text.
    let number = column.rsplit_once('|').map_or("", |(_, number)| number.trim());
    if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
        return Err(missing(&BLACKBOARD, "the column's number".to_owned(), example));
    }
    let sheet = Sheet {
        format: &BLACKBOARD,
        required: &["Username"],
        kept: &["Last Name", "First Name", "Username", "Student ID"],
        column,
        behind: &[],
        end: None,
    };
    sheet.write(records)
}

fn brightspace(records: &[Record], options: &Options) -> Result<Table, Error> {
    let column = column(&BRIGHTSPACE, options, "HW 1 Points Grade")?;
    let column = match column.strip_suffix(" Points Grade") {
        Some(_) => column,
        None => format!("{column} Points Grade"),
    };
    let sheet = Sheet {
        format: &BRIGHTSPACE,
        required: &["OrgDefinedId", "Username"],
        kept: &["OrgDefinedId", "Username"],
        column,
        behind: &[],
        end: Some("End-of-Line Indicator"),
    };
    sheet.write(records)
}

fn missing(format: &Format, what: String, example: &str) -> Error {
    Error::Missing {
        format: format.name,
        what,
        way_out: format!("copy the column's header from an export of the gradebook: \"{example}\""),
    }
}

/// The name of the grade's column, from the command line.
fn column(format: &Format, options: &Options, example: &str) -> Result<String, Error> {
    let column = text::line(options.assignment.as_deref().unwrap_or_default());
    if column.trim().is_empty() || sheet::is_formula(&column) {
        return Err(missing(
            format,
            "the name of the grade's column (--column)".to_owned(),
            example,
        ));
    }
    Ok(column)
}

/// A platform's file.
struct Sheet<'a> {
    format: &'static Format,
    /// Columns of the roster of which a student needs one.
    required: &'a [&'static str],
    /// Columns of the roster before the grade, where it has them.
    kept: &'a [&'static str],
    column: String,
    /// Columns behind the grade, empty where the roster lacks them.
    behind: &'a [&'static str],
    /// A last column, which holds `#`.
    end: Option<&'static str>,
}

impl Sheet<'_> {
    fn write(&self, records: &[Record]) -> Result<Table, Error> {
        let has = |name: &str| records.iter().any(|record| !value(record, name).is_empty());
        let kept: Vec<&str> = self.kept.iter().copied().filter(|name| has(name)).collect();
        if !self.required.iter().any(|name| has(name)) {
            let names: Vec<String> = self.required.iter().map(|name| format!("`{name}`")).collect();
            return Err(Error::Missing {
                format: self.format.name,
                what: format!("the column {} of the platform's class list", names.join(" or ")),
                way_out: "grade with that list as the roster".into(),
            });
        }
        let header = kept.iter().copied().chain([self.column.as_str()]);
        let header = header.chain(self.behind.iter().copied()).chain(self.end);
        let mut rows = vec![header.map(str::to_owned).collect::<Vec<_>>()];
        let mut left_out = vec![];
        for record in records {
            let is_known = self.required.iter().any(|name| !value(record, name).is_empty());
            match gradebook_row(record, is_known) {
                Ok(false) => {}
                Err(why) => left_out.push(why),
                Ok(true) => {
                    let cell = |name: &&str| cell(value(record, name));
                    let mut row: Vec<String> = kept.iter().map(cell).collect();
                    row.push(points(record.score.points));
                    row.extend(self.behind.iter().map(cell));
                    row.extend(self.end.map(|_| "#".to_owned()));
                    rows.push(row);
                }
            }
        }
        let text = sheet::write(rows)
            .map_err(|reason| Error::Write { format: self.format.name, reason })?;
        Ok(Table { text, left_out })
    }
}

/// A cell of the roster. Moodle's own `-` and Brightspace's `#` stay as they are.
fn cell(text: &str) -> String {
    if text == "-" { text.to_owned() } else { sheet::text(text) }
}

fn value<'a>(record: &'a Record, name: &str) -> &'a str {
    let mut columns = record.student.columns.iter();
    columns
        .find(|(column, _)| column.eq_ignore_ascii_case(name))
        .map_or("", |(_, value)| value.trim())
}
