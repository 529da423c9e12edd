//! The two CSV files: what a spreadsheet, a script and Canvas make of them.

use std::collections::BTreeMap;

use crate::common;
use grading::formats::{Audience, Error, Options, canvas, csv, worksheet};
use grading::record::{Flag, Record, Status, Submission};
use proptest::prelude::*;

fn options() -> Options {
    let mut options = Options::new(common::now());
    options.audience = Audience::Instructor;
    options.assignment = Some("CUDA workbook (48213)".into());
    options
}

fn read(file: &str) -> Vec<Vec<String>> {
    ::csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(file.as_bytes())
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

fn five() -> Vec<Record> {
    let mut records = vec![common::small(); 4];
    for (i, record) in records.iter_mut().enumerate() {
        record.student.id = format!("u{i}");
        record.student.columns.insert("ID".into(), (100 + i).to_string());
    }
    records[1].student.name = Some("=HYPERLINK(\"https://x.test\",\"A\")".into());
    records[1].exercises[4].status = Status::NotGraded;
    let flag = Flag { what: "not-graded".into(), exercise: None, detail: "a lost worker".into() };
    records[1].flags.push(flag);
    records[2].student.columns.insert("Excused".into(), "yes".into());
    records[3].exercises[3].penalty = 0.25;
    records[3].exercises.remove(0);
    records.iter_mut().for_each(common::add_up);
    records[3].score.possible = records[0].score.possible;
    records
}

/// A row per student: read by eye.
#[test]
fn a_table_of_students() {
    insta::assert_snapshot!("csv", csv::FORMAT.render(&five(), &options()).unwrap());
}

/// Canvas' file: read by eye.
#[test]
fn a_gradebook() {
    insta::assert_snapshot!("canvas", canvas::FORMAT.render(&five(), &options()).unwrap());
}

/// Who submitted nothing has a row of zeros, and no time at which it was; Canvas has its own rule
/// for what is missing, so its file leaves them out, unless they are excused.
#[test]
fn a_student_without_a_submission_has_a_row() {
    let mut records = five();
    for record in &mut records[2..] {
        record.submission = Submission::absent(record.submission.at);
        record.exercises.iter_mut().for_each(|exercise| exercise.status = Status::Missing);
    }
    let rows = read(&csv::FORMAT.render(&records, &options()).unwrap());
    let cell = |row: usize, name: &str| {
        let column = rows[0].iter().position(|cell| cell == name).unwrap();
        rows[row][column].as_str()
    };
    assert_eq!((cell(4, "submitted"), cell(4, "attempt"), cell(4, "complete")), ("", "0", "yes"));
    assert_ne!(cell(1, "submitted"), "");
    let students = |file: &str| -> Vec<String> {
        read(file).iter().skip(2).map(|row| row[1].clone()).collect()
    };
    assert_eq!(students(&canvas::FORMAT.render(&records, &options()).unwrap()), ["100", "102"]);
}

/// A grade that is not complete has no sum that could be copied, and the row says so.
#[test]
fn an_incomplete_grade_has_no_total() {
    let rows = read(&csv::FORMAT.render(&five(), &options()).unwrap());
    let column = |name: &str| rows[0].iter().position(|cell| cell == name).unwrap();
    assert_eq!(rows[2][column("total")], "");
    assert_eq!(rows[2][column("stencil_1d")], "");
    assert_eq!(rows[2][column("complete")], "no");
    assert_eq!(rows[1][column("complete")], "yes");
    assert_eq!(rows[1][column("total")], "26");
}

/// An exercise that is called like another column gets a column of its own, so that pandas keeps
/// both.
#[test]
fn columns_have_names_of_their_own() {
    let mut records = five();
    records[0].exercises[0].id = "total".into();
    let rows = read(&csv::FORMAT.render(&records, &options()).unwrap());
    let mut header = rows[0].clone();
    header.sort_unstable();
    header.dedup();
    assert_eq!(header.len(), rows[0].len());
}

/// What Canvas' `lib/gradebook_importer.rb` (instructure/canvas-lms) makes of a file: its rules for
/// headers, rows and students, written again from reading it. Names in quotes are its methods.
struct Canvas {
    /// Canvas' numbers of the course's students, by each way to find them.
    ids: BTreeMap<u64, u64>,
    sis_user: BTreeMap<String, u64>,
    sis_login: BTreeMap<String, u64>,
    names: BTreeMap<String, u64>,
}

#[derive(Debug, PartialEq)]
struct Import {
    /// The assignment's number, from the column's header ("Assignment.title_and_id").
    assignment: u64,
    points_possible: Option<String>,
    /// Canvas' number of the student, and the cell; `None` is a student whom Canvas would make.
    grades: Vec<(Option<u64>, String)>,
}

impl Canvas {
    fn import(&self, file: &str) -> Result<Import, String> {
        let mut rows = read(file).into_iter();
        let header = rows.next().ok_or("no rows")?;
        // "row_has_student_headers?"
        if !(header.len() > 3 && header[0].contains("Student") && header[1].contains("ID")) {
            return Err("Invalid header row".into());
        }
        // "update_column_count"
        let (mut columns, mut user, mut login) = (3, None, None);
        if header[2].contains("SIS Login ID") {
            (login, columns) = (Some(2), columns + 1);
        } else if header[2].contains("SIS User ID") && header[3].contains("SIS Login ID") {
            let integration = usize::from(header[4].contains("Integration ID"));
            (user, login, columns) = (Some(2), Some(3), columns + 2 + integration);
            if header[4 + integration].contains("Root Account") {
                columns += 1;
            }
        }
        // "last_student_info_column"
        if !header[columns - 1].contains("Section") {
            return Err("Invalid header row".into());
        }
        // "strip_non_assignment_columns"
        let ours: Vec<&String> = header[columns..]
            .iter()
            .filter(|name| {
                !["Current ", "Final ", "Override "].iter().any(|word| name.contains(word))
            })
            .collect();
        let [title] = ours.as_slice() else { return Err(format!("columns {ours:?}")) };
        let number = title.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
        let number =
            number.and_then(|(_, number)| number.parse().ok()).ok_or("a new assignment")?;
        let place = header.iter().position(|name| name == *title).unwrap();
        let mut import = Import { assignment: number, points_possible: None, grades: vec![] };
        for row in rows {
            // "check_for_non_student_row"
            if row[0].contains("Points Possible") {
                import.points_possible = Some(row[place].clone());
                continue;
            }
            let silent = |cell: &String| {
                let cell = cell.trim().to_lowercase();
                cell.is_empty() || cell == "muted" || cell.starts_with("manual posting")
            };
            if row.iter().all(silent) {
                continue;
            }
            import.grades.push((self.student(&row, user, login), row[place].trim().to_owned()));
        }
        Ok(import)
    }

    /// "process_student": by number, else by SIS user, else by SIS login, else by name.
    fn student(&self, row: &[String], user: Option<usize>, login: Option<usize>) -> Option<u64> {
        // Ruby's to_i reads leading digits and makes 0 of anything else.
        let digits: String = row[1].trim_start().chars().take_while(char::is_ascii_digit).collect();
        let by_id = self.ids.get(&digits.parse().unwrap_or(0));
        by_id
            .or_else(|| self.sis_user.get(&row[user?]))
            .or_else(|| self.sis_login.get(&row[login?]))
            .or_else(|| self.names.get(&row[0]))
            .copied()
    }

    fn of(records: &[Record]) -> Self {
        let by = |column: &str| -> BTreeMap<String, u64> {
            let numbered = (0..).zip(records);
            numbered
                .filter_map(|(i, record)| Some((record.student.columns.get(column)?.clone(), i)))
                .collect()
        };
        let names = (0..).zip(records).filter_map(|(i, r)| Some((r.student.name.clone()?, i)));
        Self {
            ids: by("ID").into_iter().filter_map(|(id, i)| Some((id.parse().ok()?, i))).collect(),
            sis_user: by("SIS User ID"),
            sis_login: by("SIS Login ID"),
            names: names.collect(),
        }
    }
}

/// Canvas finds the assignment and every student, excuses the excused students, and gets nothing
/// for a grade that is not complete (an empty cell would take back the points that it has).
#[test]
fn canvas_reads_it() {
    let records = five();
    let file = canvas::FORMAT.render(&records, &options()).unwrap();
    let grades = [(0, "26"), (2, "EX"), (3, "16")];
    let expected = Import {
        assignment: 48_213,
        points_possible: Some("40".into()),
        grades: grades.map(|(i, grade)| (Some(i), grade.to_owned())).to_vec(),
    };
    assert_eq!(Canvas::of(&records).import(&file), Ok(expected));
}

/// Each combination of the roster's columns makes a header that Canvas takes, and finds the student
/// by what there is.
#[test]
fn canvas_takes_every_roster() {
    let names = ["ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section"];
    for kept in 0_u32..64 {
        let mut records = vec![common::small()];
        records[0].student.name = Some("Hopper, Grace".into());
        records[0].student.columns = (0..)
            .zip(names)
            .filter(|(bit, _)| kept >> bit & 1 == 1)
            .map(|(bit, name)| (name.to_owned(), (1000 + bit).to_string()))
            .collect();
        let file = canvas::FORMAT.render(&records, &options()).unwrap();
        let import = Canvas::of(&records).import(&file).unwrap_or_else(|e| panic!("{e}: {file}"));
        assert_eq!(import.grades, [(Some(0), "26".to_owned())], "{file}");
    }
}

/// Without the assignment's number Canvas would make a new one, and some titles it leaves out
/// without a word.
#[test]
fn canvas_needs_the_assignments_number() {
    for title in [
        None,
        Some("CUDA workbook"),
        Some("CUDA workbook (x)"),
        Some("CUDA workbook ()"),
        Some(" (48213)"),
        Some("CUDA workbook(48213)"),
        Some("Final Score (48213)"),
        Some("=A (48213)"),
    ] {
        let options = Options { assignment: title.map(str::to_owned), ..options() };
        let error = canvas::FORMAT.render(&five(), &options).unwrap_err();
        assert!(matches!(error, Error::Missing { .. }), "{title:?}: {error}");
        assert!(error.to_string().contains("export of the gradebook"), "{error}");
    }
}

/// A student whom Canvas could not find for certain is named, with the way out.
#[test]
fn canvas_requires_the_student() {
    let refused = |change: fn(&mut Record)| {
        let mut records = five();
        change(&mut records[3]);
        canvas::FORMAT.render(&records, &options()).unwrap_err().to_string()
    };
    let unidentified = refused(|record| {
        record.student.columns.clear();
        record.student.name = None;
    });
    assert!(
        unidentified.contains("student u3") && unidentified.contains("add one of these columns"),
        "{unidentified}"
    );
    let formula = refused(|record| {
        record.student.columns.clear();
        record.student.name = Some("=1+1".into());
    });
    assert!(formula.contains("student u3"), "{formula}");
    let number = refused(|record| {
        record.student.columns.insert("ID".into(), "=1042".into());
    });
    assert!(number.contains("=1042") && number.contains("is a number"), "{number}");
    let login = refused(|record| {
        record.student.columns.clear();
        record.student.columns.insert("SIS Login ID".into(), "@ada".into());
    });
    assert!(login.contains("SIS Login ID"), "{login}");
    let twice = refused(|record| {
        record.student.columns.insert("ID".into(), "0100".into());
    });
    assert!(twice.contains("by ID 100, and u0 too"), "{twice}");
    let policy = refused(|record| record.score.possible = 41.0);
    assert!(policy.contains("one policy"), "{policy}");
}

fn flag(what: &str) -> Flag {
    Flag { what: what.into(), exercise: None, detail: "why".into() }
}

/// A student who is not on the roster, or whose files could not be graded, does not cost the class
/// its file: the row is left out, and the reason is said.
#[test]
fn canvas_leaves_out_what_is_not_certain() {
    let mut records = five();
    records[3].student.columns.clear();
    records[3].flags.push(flag("not-on-the-roster"));
    records[0].flags.push(flag("refused"));
    records[0].submission.files.clear();
    let table = canvas::FORMAT.table(&records, &options()).unwrap();
    let rows = read(&table.text);
    let ids: Vec<&str> = rows.iter().skip(2).map(|row| row[1].as_str()).collect();
    assert_eq!(ids, ["102"]);
    insta::assert_snapshot!(table.left_out.join("\n"), @r"
    u0 has no row: no file could be graded, and a flag says why
    u1 has no row: the grade is not complete
    u3 has no row: the roster has no such student
    ");
}

/// The class lists of three platforms, and what each imports.
#[test]
fn worksheets_of_platforms() {
    let class = |columns: &[&str]| -> Vec<Record> {
        let mut records = five();
        records.truncate(4);
        for (at, record) in records.iter_mut().enumerate() {
            let values = columns.iter().map(|column| {
                let value = match *column {
                    "Identifier" => format!("Participant {}", 1_234_500 + at),
                    "OrgDefinedId" => format!("#{at}"),
                    "Last modified (grade)" => "-".to_owned(),
                    "Full name" => format!("Lovelace, Ada {at}"),
                    _ => format!("u{at}"),
                };
                ((*column).to_owned(), value)
            });
            record.student.columns = values.collect();
        }
        records[1].score.complete = false;
        records[2].submission = Submission::absent(records[2].submission.at);
        records[3].student.columns.clear();
        records
    };
    let with = |column: &str| Options { assignment: Some(column.to_owned()), ..options() };
    let moodle = class(&["Identifier", "Full name", "Status", "Last modified (grade)"]);
    let table = worksheet::MOODLE.table(&moodle, &options()).unwrap();
    insta::assert_snapshot!(table.text, @r#"
    Identifier,Full name,Status,Grade,Maximum grade,Last modified (submission),Last modified (grade)
    Participant 1234500,"Lovelace, Ada 0",u0,26,,,-
    "#);
    insta::assert_snapshot!(table.left_out.join("\n"), @r"
    u1 has no row: the grade is not complete
    u3 has no row: the roster has no such student
    ");
    let blackboard = class(&["Username", "Last Name", "First Name"]);
    let column = "HW 1 [Total Pts: 40 Score] |48213";
    let table = worksheet::BLACKBOARD.table(&blackboard, &with(column)).unwrap();
    insta::assert_snapshot!(table.text, @r"
    Last Name,First Name,Username,HW 1 [Total Pts: 40 Score] |48213
    u0,u0,u0,26
    ");
    let brightspace = class(&["OrgDefinedId", "Username"]);
    let table = worksheet::BRIGHTSPACE.table(&brightspace, &with("HW 1")).unwrap();
    insta::assert_snapshot!(table.text, @r"
    OrgDefinedId,Username,HW 1 Points Grade,End-of-Line Indicator
    #0,u0,26,#
    ");
    let whole = worksheet::BRIGHTSPACE.table(&brightspace, &with("HW 1 Points Grade")).unwrap();
    assert_eq!(whole, table);

    let refused = [
        worksheet::MOODLE.table(&blackboard, &options()).unwrap_err().to_string(),
        worksheet::BLACKBOARD.table(&blackboard, &options()).unwrap_err().to_string(),
        worksheet::BLACKBOARD.table(&blackboard, &with("HW 1")).unwrap_err().to_string(),
        worksheet::BRIGHTSPACE.table(&moodle, &with("HW 1")).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(refused.join("\n"), @r#"
    moodle needs the column `Identifier` of the platform's class list: grade with that list as the roster
    blackboard needs the column's number: copy the column's header from an export of the gradebook: "HW 1 [Total Pts: 40 Score] |48213"
    blackboard needs the column's number: copy the column's header from an export of the gradebook: "HW 1 [Total Pts: 40 Score] |48213"
    brightspace needs the column `OrgDefinedId` or `Username` of the platform's class list: grade with that list as the roster
    "#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is in names and texts: the table has its rows and columns, no cell is a formula,
    /// and the numbers are the same.
    #[test]
    fn hostile_text_stays_in_its_cell(words in prop::collection::vec(common::hostile(), 4..40)) {
        let mut records = five();
        let mut at = 0;
        for record in &mut records {
            common::texts(record, &mut |text| {
                *text = words[at % words.len()].clone();
                at += 1;
            });
        }
        // Exercises are columns: with their own names, which the course gives.
        for (record, plain) in records.iter_mut().zip(five()) {
            for (exercise, plain) in record.exercises.iter_mut().zip(plain.exercises) {
                exercise.id = plain.id;
            }
        }
        let hostile = read(&csv::FORMAT.render(&records, &options()).unwrap());
        let plain = read(&csv::FORMAT.render(&five(), &options()).unwrap());
        prop_assert_eq!(hostile.len(), plain.len());
        for (hostile, plain) in hostile.iter().zip(&plain) {
            prop_assert_eq!(hostile.len(), plain.len());
            let last = hostile.len() - 1;
            prop_assert_eq!(&hostile[2..last], &plain[2..last]);
            for cell in [&hostile[0], &hostile[1], &hostile[last]] {
                prop_assert!(!cell.starts_with(['=', '+', '-', '@']), "{:?}", cell);
                prop_assert!(!cell.contains(common::acts) && !cell.contains(['\n', '\t']), "{:?}", cell);
            }
        }
    }

    /// Whatever students are called, Canvas gives each student their own grade, by their number: no
    /// student's name is read as the assignment's points, and no row is lost.
    #[test]
    fn canvas_is_not_misled_by_names(words in prop::collection::vec(common::hostile(), 4)) {
        let mut records = five();
        for (record, word) in records.iter_mut().zip(&words) {
            record.student.name = Some(word.clone());
            record.student.id.clone_from(word);
            record.student.columns.insert("Section".into(), word.clone());
            record.student.columns.insert("SIS Login ID".into(), word.clone());
        }
        let file = canvas::FORMAT.render(&records, &options()).unwrap();
        let import = Canvas::of(&records).import(&file).unwrap();
        prop_assert_eq!(import.points_possible.as_deref(), Some("40"));
        let grades: Vec<Option<u64>> = import.grades.iter().map(|(student, _)| *student).collect();
        prop_assert_eq!(grades, [Some(0), Some(2), Some(3)]);
        for row in read(&file) {
            prop_assert!(row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{:?}", row);
        }
    }
}
