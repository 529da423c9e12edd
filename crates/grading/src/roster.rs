//! The class list: the students, and when they submitted, if a platform recorded it.
//!
//! A roster is a table as platforms and spreadsheets export it: CSV (RFC 4180) with a header; `,`,
//! `;` or tabs between columns, whichever the header has most of; with or without a byte order
//! mark. Columns are found by their names:
//!
//! | what | names, the first that is there |
//! |---|---|
//! | the student's id, which has to be the submission's name | `id`, `SIS Login ID`, `Username`, `Student ID`, `Login`, `NetID`, `Email`, `Email address`, `SID`, `ID`, `OrgDefinedId`, `Identifier` |
//! | the name (optional) | `name`, `Full name`, `Student`, `Student name`, or a first and a last name in two columns |
//! | time of the submission (optional) | `submitted_at`, `Submission time`, `Submitted`, `Last modified (submission)`, also in German |
//!
//! Only the first, `id`, is taken before all others and as it is written: Canvas has a column `ID`
//! for numbers of its own. The case of the others does not matter. A column that no row fills is no
//! column of ids. All columns are kept in [`Student::columns`], for the formats that need them.
//!
//! UTF-16 with a byte order mark is read as well, as Blackboard exports it. What is no UTF-8 is
//! read as Windows-1252 (Latin-1), and reported. A wrong row is reported with its line and left
//! out; the other rows are used.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use csv::{ReaderBuilder, StringRecord};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::fold::{is_same_folded, is_same_text, plain_words};
use crate::policy;
use crate::record::Student;
use crate::submission::clue;
use crate::text::shown;

pub(crate) const IDS: [&str; 12] = [
    "id",
    "SIS Login ID",
    "Username",
    "Student ID",
    "Login",
    "NetID",
    "Email",
    "Email address",
    "SID",
    "ID",
    "OrgDefinedId",
    "Identifier",
];
pub(crate) const NAMES: [&str; 6] =
    ["name", "Full name", "Student", "Student name", "Vollständiger Name", "Nom complet"];
/// Pairs of columns with a first and a last name.
pub(crate) const FIRST_NAMES: [&str; 4] = ["First name", "Given name", "Vorname", "Prénom"];
pub(crate) const LAST_NAMES: [&str; 6] =
    ["Last name", "Surname", "Family name", "Nachname", "Lastname", "Nom"];
pub(crate) const TIMES: [&str; 5] = [
    "submitted_at",
    "Submission time",
    "Submitted",
    "Last modified (submission)",
    "Zuletzt geändert (Abgabe)",
];

/// A class list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    /// Header of the column that the ids come from.
    pub id_column: String,
    /// In the file's order, each id once.
    pub students: Vec<Entry>,
    /// Rows that were left out, or read in part.
    pub problems: Vec<Problem>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Who it is; the id is shown as by [`shown`], as those of submissions are.
    pub student: Student,
    /// Time of the submission.
    pub submitted_at: Option<Timestamp>,
    /// One-based line of the file.
    pub line: u64,
}

/// One thing that is wrong with a roster; put the file's name before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Problem {
    /// One-based.
    pub line: u64,
    /// What, and the way out.
    pub what: String,
}

/// Why a roster's file gives no roster.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("the roster {} cannot be read: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
    /// The file is no roster.
    #[error("{}: {problem}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Problem,
    },
}

impl Roster {
    /// The roster in the file `path`, as [`Roster::parse`] reads it.
    ///
    /// # Errors
    /// When the file cannot be read, or [`Roster::parse`] cannot find a student in it.
    pub fn read(
        path: &Path,
        id_column: Option<&str>,
        zone: Option<&TimeZone>,
    ) -> Result<Self, ReadError> {
        let bytes =
            fs::read(path).map_err(|error| ReadError::Io { path: path.to_owned(), error })?;
        Self::parse(&bytes, id_column, zone)
            .map_err(|problem| ReadError::Parse { path: path.to_owned(), problem })
    }

    /// The roster that a file's bytes describe. `id_column` names the column of the ids, if it is
    /// another than the usual ones; `zone` holds for times without one ([`policy::Policy::zone`]).
    ///
    /// # Errors
    /// When no student can be read from it, because the file has no header, no column of ids, or is
    /// not text. Problems of single rows are in [`Roster::problems`].
    pub fn parse(
        bytes: &[u8],
        id_column: Option<&str>,
        zone: Option<&TimeZone>,
    ) -> Result<Self, Problem> {
        let fail = |what: &str| Problem { line: 1, what: what.to_owned() };
        let mut problems = vec![];
        let text = text(bytes, &mut problems).ok_or_else(|| fail("this is no text"))?;
        let bytes = text.as_bytes();
        if bytes.trim_ascii().is_empty() {
            return Err(fail("the roster is empty: it needs a header with a column `id`"));
        }
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter(bytes))
            .has_headers(false)
            .flexible(true)
            .from_reader(bytes);
        let of_csv = |error: csv::Error| fail(&format!("no table can be read: {error}"));
        let rows: Vec<StringRecord> = reader.records().collect::<Result<_, _>>().map_err(of_csv)?;
        let (header, rows) = rows.split_first().ok_or_else(|| fail("the roster is empty"))?;
        let header: Vec<String> = header.iter().map(|field| field.trim().to_owned()).collect();
        let columns = Columns::find(&header, rows, id_column)?;
        let mut roster = Self {
            id_column: header.get(columns.id).cloned().unwrap_or_default(),
            problems,
            ..Self::default()
        };
        let mut lines: BTreeMap<String, u64> = BTreeMap::new();
        let mut counter = Lines { bytes, at: 0, line: 1 };
        for row in rows {
            let line = counter.line(row.position().map_or(0, csv::Position::byte));
            match entry(row, line, &header, &columns, zone, &mut roster.problems) {
                Ok(Some(entry)) => {
                    let id = &entry.student.id;
                    if let Some(first) = lines.get(id) {
                        let what =
                            format!("`{id}` is already in line {first}: this row is left out");
                        roster.problems.push(Problem { line, what });
                    } else {
                        lines.insert(id.clone(), line);
                        roster.students.push(entry);
                    }
                }
                Ok(None) => {}
                Err(what) => roster.problems.push(Problem { line, what }),
            }
        }
        Ok(roster)
    }

    /// The row of a student.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.students.iter().find(|entry| entry.student.id == id)
    }

    /// The roster's own form of an id that may have another form of Unicode.
    pub fn own_form(&self, id: &str) -> Option<&str> {
        let own = self
            .entry(id)
            .or_else(|| self.students.iter().find(|entry| is_same_text(&entry.student.id, id)));
        own.map(|entry| entry.student.id.as_str())
    }

    /// Puts the class list and the submissions' ids side by side. Ids match when they are the same,
    /// letter for letter.
    pub fn match_up<'a>(&'a self, submissions: impl IntoIterator<Item = &'a str>) -> MatchUp<'a> {
        let by_id: BTreeMap<&str, &Entry> =
            self.students.iter().map(|entry| (entry.student.id.as_str(), entry)).collect();
        let mut left = by_id.clone();
        let mut both = MatchUp::default();
        for id in submissions {
            left.remove(id);
            match by_id.get(id) {
                Some(entry) => both.graded.push(entry),
                None => both.unknown.push(Unknown { id, meant: None }),
            }
        }
        both.missing = self
            .students
            .iter()
            .filter(|entry| left.contains_key(entry.student.id.as_str()))
            .collect();
        for unknown in &mut both.unknown {
            // A misspelt id can only mean a student without a submission.
            let missing = || both.missing.iter().map(|entry| entry.student.id.as_str());
            let exact = missing().find(|id| is_same_folded(id, unknown.id));
            let nearest = || nearest_id(unknown.id, missing());
            unknown.meant =
                exact.or_else(nearest).or_else(|| nearest_name(unknown.id, &both.missing));
        }
        both
    }
}

/// The id that a misspelt one may mean. Only the account of an address is compared, because all
/// students share the domain, and another number is another student.
fn nearest_id<'a>(wrong: &str, ids: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let account = |id: &'_ str| -> String { id.split('@').next().unwrap_or(id).to_lowercase() };
    let digits =
        |id: &str| -> String { account(id).chars().filter(char::is_ascii_digit).collect() };
    let same_number = |id: &&'a str| {
        let (one, other) = (digits(wrong), digits(id));
        one == other || one.is_empty() || other.is_empty()
    };
    let near: Vec<(&'a str, String)> =
        ids.filter(same_number).map(|id| (id, account(id))).collect();
    let meant = policy::nearest(&account(wrong), near.iter().map(|(_, account)| account.as_str()))?;
    near.iter().find(|(_, account)| account == meant).map(|(id, _)| *id)
}

/// The only student whose name may be the one in an id: it is the same without accents, has some of
/// its words, or is misspelt.
fn nearest_name<'a>(id: &str, missing: &[&'a Entry]) -> Option<&'a str> {
    let own = plain_words(id);
    let spelling = own.concat();
    if own.len() < 2 {
        return None;
    }
    let alike = |(one, other): &(String, String)| {
        let [a, b] = [one, other].map(|part| plain_words(part));
        let [there, back] = [[&a[..], &b[..]].concat(), [&b[..], &a[..]].concat()];
        let has_all = |some: &[String], all: &[String]| {
            some.len() > 1 && some.iter().all(|word| all.contains(word))
        };
        let orders = [there.concat(), back.concat()];
        if orders.contains(&spelling) {
            Some(2)
        } else if has_all(&own, &there)
            || has_all(&there, &own)
            || policy::nearest(&spelling, orders.iter().map(String::as_str)).is_some()
        {
            Some(1)
        } else {
            None
        }
    };
    let ranked = missing.iter().filter_map(|entry| {
        let best = clue::names(entry).iter().filter_map(alike).max()?;
        Some((best, entry.student.id.as_str()))
    });
    let ranked: Vec<(i32, &str)> = ranked.collect();
    let best = ranked.iter().map(|(rank, _)| *rank).max()?;
    let mut of_best = ranked.iter().filter(|(rank, _)| *rank == best);
    let (first, second) = (of_best.next(), of_best.next());
    first.filter(|_| second.is_none()).map(|(_, id)| *id)
}

/// Class list and submissions side by side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchUp<'a> {
    /// Students with a submission, in the order of the submissions.
    pub graded: Vec<&'a Entry>,
    /// Students without a submission, in the order of the roster.
    pub missing: Vec<&'a Entry>,
    /// Submissions whose ids are not on the roster. They can be graded, but an instructor has to
    /// look at them.
    pub unknown: Vec<Unknown<'a>>,
}

/// A submission whose id is not on the roster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown<'a> {
    /// Its id.
    pub id: &'a str,
    /// A student without a submission whose id differs in case alone, or in little.
    pub meant: Option<&'a str>,
}

impl std::fmt::Display for Unknown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is not on the roster", self.id)?;
        match self.meant {
            Some(meant) => write!(
                f,
                "; `{meant}` is, and submitted nothing; rename one of them if they are the same"
            ),
            None => Ok(()),
        }
    }
}

/// Counts lines; the reader's own count stops before empty ones.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of the row that begins at or behind byte `from`. Rows come in order.
    fn line(&mut self, from: u64) -> u64 {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        while let Some(byte) = self.bytes.get(self.at)
            && (self.at < from || matches!(byte, b'\r' | b'\n'))
        {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
        self.line
    }
}

/// The text of a roster in UTF-8, without a byte order mark; `None` when it is none.
fn text(bytes: &[u8], problems: &mut Vec<Problem>) -> Option<String> {
    let utf_16 = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    if let Some(encoding) = utf_16.filter(|e| [UTF_16LE, UTF_16BE].contains(e)) {
        let (text, _, damaged) = encoding.decode(bytes);
        return (!damaged).then(|| text.into_owned());
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (text, damaged) = UTF_8.decode_without_bom_handling(bytes);
    if !damaged {
        return Some(text.into_owned());
    }
    let wrong = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let before = bytes.iter().take(wrong).filter(|byte| **byte == b'\n').count() as u64;
    problems.push(Problem {
        line: before + 1,
        what:
            "it is not UTF-8, and was read as Windows-1252 (Latin-1): look at the names, or save \
               the file as `CSV UTF-8`"
                .to_owned(),
    });
    Some(WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned())
}

/// Places of the columns that mean something.
struct Columns {
    id: usize,
    name: Option<usize>,
    /// A first and a last name.
    names: Option<(usize, usize)>,
    time: Option<usize>,
}

impl Columns {
    fn find(
        header: &[String],
        rows: &[StringRecord],
        id_column: Option<&str>,
    ) -> Result<Self, Problem> {
        let exactly = |name: &str| header.iter().position(|column| column == name);
        let any = |names: &[&str]| {
            let find = |name: &&str| header.iter().position(|column| is_same_folded(column, name));
            names.iter().find_map(find)
        };
        let is_filled = |at: &usize| {
            rows.is_empty()
                || rows.iter().any(|row| row.get(*at).is_some_and(|field| !field.trim().is_empty()))
        };
        let first_filled = |names: &[&str]| {
            let all = names.iter().filter_map(|name| any(&[name]));
            all.clone().find(is_filled).or_else(|| all.clone().next())
        };
        let listed = || {
            header
                .iter()
                .map(|name| format!("`{}`", shown(name.as_bytes())))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let id = match id_column {
            Some(name) => exactly(name).or_else(|| any(&[name])),
            None => exactly("id")
                .filter(is_filled)
                .or_else(|| first_filled(IDS.get(1..).unwrap_or_default()))
                .or_else(|| exactly("id")),
        };
        let id = id.ok_or_else(|| {
            let wanted = id_column
                .map_or_else(|| "`id`".to_owned(), |name| format!("`{}`", shown(name.as_bytes())));
            Problem {
                line: 1,
                what: format!("no column is called {wanted}; there are {}", listed()),
            }
        })?;
        Ok(Self {
            id,
            name: any(&NAMES).filter(|at| *at != id),
            names: any(&FIRST_NAMES).zip(any(&LAST_NAMES)),
            time: any(&TIMES),
        })
    }
}

/// The entry in a row; `None` for an empty row, and for a row that a platform adds.
fn entry(
    row: &StringRecord,
    line: u64,
    header: &[String],
    columns: &Columns,
    zone: Option<&TimeZone>,
    problems: &mut Vec<Problem>,
) -> Result<Option<Entry>, String> {
    let fields: Vec<String> = row.iter().map(|field| field.trim().to_owned()).collect();
    if fields.iter().all(String::is_empty) || is_of_canvas(header, &fields) {
        return Ok(None);
    }
    if fields.len() != header.len() {
        return Err(format!(
            "there are {} columns, and the header has {}: a quote may be open, or a separator be missing",
            fields.len(),
            header.len()
        ));
    }
    let of = |at: usize| fields.get(at).filter(|field| !field.is_empty());
    let name = || columns.name.and_then(of).cloned();
    let names = || {
        let (first, last) = columns.names?;
        match (of(first), of(last)) {
            (Some(first), Some(last)) => Some(format!("{last}, {first}")),
            (one, other) => one.or(other).cloned(),
        }
    };
    let name = name().or_else(names);
    let Some(id) = of(columns.id) else {
        let column = header.get(columns.id).map_or("", String::as_str);
        let whose = name.map(|name| format!(" of `{}`", shown(name.as_bytes())));
        return Err(format!("the column `{column}`{} is empty", whose.unwrap_or_default()));
    };
    let mut submitted_at = None;
    // Moodle writes `-` for a student without a submission.
    if let Some(text) = columns.time.and_then(of).filter(|text| *text != "-") {
        match policy::file::time(text, zone) {
            Ok(time) => submitted_at = Some(time),
            Err(why) => {
                let what = format!("the time `{}`: {why}", shown(text.as_bytes()));
                problems.push(Problem { line, what });
            }
        }
    }
    let student = Student {
        id: shown(id.as_bytes()),
        name,
        columns: header.iter().cloned().zip(fields.iter().cloned()).collect(),
    };
    Ok(Some(Entry { student, submitted_at, line }))
}

/// Whether Canvas adds this row to every gradebook: the points that are possible, how grades are
/// posted, and the student of its test view.
fn is_of_canvas(header: &[String], fields: &[String]) -> bool {
    let of = |name: &str| {
        let at = header.iter().position(|column| column == name)?;
        fields.get(at).map(String::as_str)
    };
    let (Some(student), Some(id)) = (of("Student"), of("ID")) else {
        return fields.first().is_some_and(|field| field == "Points Possible");
    };
    matches!(student, "Points Possible" | "Student, Test") || (student.is_empty() && id.is_empty())
}

/// The column separator: the candidate that occurs most often in the header, outside quotes.
fn delimiter(bytes: &[u8]) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    for byte in bytes {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                if let Some((_, count)) = counts.iter_mut().find(|(delimiter, _)| delimiter == byte)
                {
                    *count += 1;
                }
            }
        }
    }
    // The first candidate, a comma, wins a tie.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(delimiter, _)| *delimiter)
}
