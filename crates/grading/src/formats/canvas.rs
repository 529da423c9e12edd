//! A CSV file for Canvas' gradebook ("Import", "upload scores").
//!
//! Implements what `lib/gradebook_importer.rb` of <https://github.com/instructure/canvas-lms>
//! reads; what each rule below is there stands in the tests. Canvas finds a student by `ID`, else
//! `SIS User ID`, else `SIS Login ID`, else the name, and makes a new one where it finds none; the
//! column is found by `Title (id)`, and a new assignment is made where it is not. So both must be
//! certain here.
//!
//! * The roster's columns with these names are written as they are. A formula in one of them is
//!   refused where Canvas would need the text as it is, and disarmed where it would not.
//! * `EX` (excused) stands for students whose roster column `Excused` says so, or who are excused
//!   from every exercise. Who is excused from some has the same share of Canvas' points as of their
//!   own, because Canvas has one maximum for all students.
//! * A grade that is not complete or not certain has no row, and neither has a student who is not
//!   on the roster: an empty cell would take back the points that Canvas has, and a name would make
//!   a new student.

use std::collections::BTreeMap;

use super::platform::points;
use super::{Audience, Error, Format, Options, Table, Write, gradebook_row, sheet};
use crate::record::{Record, Student};
use crate::text;

/// This format, for any number of students.
pub static FORMAT: Format = Format {
    name: "canvas",
    file_name: "canvas.csv",
    audience: Audience::Instructor,
    write: Write::Table(write),
};

/// The roster's columns that Canvas knows, in its order.
const COLUMNS: [&str; 6] =
    ["ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section"];

/// The roster's column for students who need no grade.
pub const EXCUSED: &str = "Excused";

/// A column whose name contains one of these is not an assignment to Canvas, and would be left out
/// without a word.
const NO_ASSIGNMENT: [&str; 9] = [
    "Current Score",
    "Current Points",
    "Current Grade",
    "Final Score",
    "Final Points",
    "Final Grade",
    "Override Score",
    "Override Grade",
    "Override Status",
];

/// Records as a file for Canvas. [`Options::assignment`] is the column's header, "CUDA workbook
/// (48213)", as an export of the gradebook has it.
///
/// # Errors
/// When there is no record, the header is not of that form, students differ in what is possible, or
/// a student could not be found again for certain.
fn write(records: &[Record], options: &Options) -> Result<Table, Error> {
    let header = assignment(options)?;
    let possible = possible(records)?;
    let used = columns(records);
    let head = |name: &'static str| used.contains(&name).then(|| name.to_owned());
    let mut rows = vec![];
    rows.push(
        ["Student".to_owned()]
            .into_iter()
            .chain(COLUMNS.into_iter().filter_map(head))
            .chain([header])
            .collect::<Vec<_>>(),
    );
    rows.push(
        ["    Points Possible".to_owned()]
            .into_iter()
            .chain(used.iter().map(|_| String::new()))
            .chain([points(possible)])
            .collect(),
    );
    let mut known: BTreeMap<String, &Student> = BTreeMap::new();
    let mut left_out = vec![];
    for record in records {
        if record.flags.iter().any(|flag| flag.what == "not-on-the-roster") {
            left_out.extend(gradebook_row(record, false).err());
            continue;
        }
        let (key, mut row) = identity(&record.student, &used)?;
        if let Some(other) = known.insert(key.clone(), &record.student) {
            return Err(Error::Student {
                format: FORMAT.name,
                student: id_of(&record.student),
                problem: format!("Canvas knows it by {key}, and {} too", id_of(other)),
                way_out: "correct the roster".into(),
            });
        }
        let score = &record.score;
        let partly = record.exercises.iter().any(|exercise| exercise.excused);
        let grade = match (gradebook_row(record, true), partly) {
            _ if excused(&record.student) => "EX".to_owned(),
            (Err(why), _) => {
                left_out.push(why);
                continue;
            }
            (Ok(false), _) => continue,
            (Ok(true), true) if score.possible <= 0.0 => "EX".to_owned(),
            (Ok(true), true) => points(score.points * possible / score.possible),
            (Ok(true), false) => points(score.points),
        };
        row.push(grade);
        rows.push(row);
    }
    let text = sheet::write(rows).map_err(|reason| Error::Write { format: FORMAT.name, reason })?;
    Ok(Table { text, left_out })
}

/// The maximum of the students who are not excused from anything, which must be the same for all of
/// them.
fn possible(records: &[Record]) -> Result<f64, Error> {
    let whole = |record: &&Record| record.exercises.iter().all(|exercise| !exercise.excused);
    let Some(model) = records.iter().find(whole) else {
        let all = records.iter().map(|record| record.score.possible);
        return Ok(all.fold(f64::NEG_INFINITY, f64::max));
    };
    let same = points(model.score.possible);
    let others = |record: &&Record| points(record.score.possible) != same;
    match records.iter().filter(whole).find(others) {
        None => Ok(model.score.possible),
        Some(other) => Err(Error::Student {
            format: FORMAT.name,
            student: id_of(&other.student),
            problem: format!(
                "{} points are possible, and {same} for {}",
                points(other.score.possible),
                id_of(&model.student)
            ),
            way_out: "grade the whole class with one policy".into(),
        }),
    }
}

/// The assignment's column, if Canvas will find it.
fn assignment(options: &Options) -> Result<String, Error> {
    let missing = |what: String| Error::Missing {
        format: FORMAT.name,
        what,
        way_out:
            "copy the column's header from an export of the gradebook: \"CUDA workbook (48213)\""
                .into(),
    };
    let given = options.assignment.as_deref().unwrap_or_default();
    let header = text::line(given);
    let (title, id) = header
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" ("))
        .ok_or_else(|| missing("the assignment's title and number".into()))?;
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_digit()) || title.trim().is_empty() {
        return Err(missing("the assignment's title and number".into()));
    }
    if let Some(word) = NO_ASSIGNMENT.iter().find(|word| header.contains(**word)) {
        return Err(missing(format!(
            "a title without \"{word}\", which it takes for a column of its own"
        )));
    }
    if sheet::is_formula(&header) {
        return Err(missing("a title that does not begin like a formula".into()));
    }
    Ok(header)
}

/// The roster's columns that are written: those that some student has, in the combinations that
/// Canvas' header check takes.
fn columns(records: &[Record]) -> Vec<&'static str> {
    let has = |name: &str| {
        records.iter().any(|record| record.student.columns.get(name).is_some_and(|v| !v.is_empty()))
    };
    let sis = has("SIS User ID") || has("SIS Login ID");
    COLUMNS
        .into_iter()
        .filter(|name| match *name {
            "ID" | "Section" => true,
            "SIS User ID" | "SIS Login ID" => sis,
            other => sis && has(other),
        })
        .collect()
}

/// The key by which Canvas identifies the student, and the cells with the student's ids.
fn identity(student: &Student, used: &[&str]) -> Result<(String, Vec<String>), Error> {
    let refuse = |problem: &str, way_out: &str| Error::Student {
        format: FORMAT.name,
        student: id_of(student),
        problem: problem.into(),
        way_out: way_out.into(),
    };
    let raw = |name: &str| student.columns.get(name).map_or("", |value| value.trim());
    let id = raw("ID");
    if !id.chars().all(|c| c.is_ascii_digit()) {
        let problem = format!("the roster's ID is {:?}", text::cut(&text::line(id), 40));
        return Err(refuse(
            &problem,
            "Canvas' own ID is a number; leave it empty to use SIS columns",
        ));
    }
    let by_sis = ["SIS User ID", "SIS Login ID"].into_iter().find(|name| !raw(name).is_empty());
    if let Some(name) = by_sis
        && id.is_empty()
        && (sheet::is_formula(raw(name)) || text::line(raw(name)) != raw(name))
    {
        let problem =
            format!("the roster's {name} begins like a formula or has invisible characters");
        return Err(refuse(&problem, "give Canvas' ID in the column ID"));
    }
    let name = name_of(student);
    if id.is_empty() && by_sis.is_none() {
        let given = student.name.as_deref().unwrap_or_default();
        if given.is_empty() || name != given {
            return Err(refuse(
                "the roster has no ID, SIS User ID or SIS Login ID, and no name that could stand for them",
                "add one of these columns to the roster",
            ));
        }
    }
    let cells = used.iter().map(|column| sheet::text(raw(column)));
    let key = match by_sis {
        _ if !id.is_empty() => format!("ID {}", id.trim_start_matches('0')),
        Some(column) => format!("{column} {}", text::line(raw(column))),
        None => format!("the name {name}"),
    };
    Ok((key, [name].into_iter().chain(cells).collect()))
}

/// The name's cell. Canvas takes a row whose first cell contains "Points Possible" for the
/// assignment's points.
fn name_of(student: &Student) -> String {
    let name = student.name.as_deref().filter(|name| !name.trim().is_empty());
    let name = sheet::text(name.unwrap_or(&student.id));
    name.replace("Points Possible", "Points-Possible")
}

fn id_of(student: &Student) -> String {
    text::cut(&text::line(&student.id), 80)
}

fn excused(student: &Student) -> bool {
    let said = student.columns.get(EXCUSED).map(|text| text.trim().to_lowercase());
    matches!(said.as_deref(), Some("yes" | "y" | "true" | "1" | "x" | "ex" | "excused"))
}
