//! Records without what names their students, for markers.
//!
//! The key says whose each pseudonym is. It is a CSV file with the columns `student` and
//! `pseudonym`, and pseudonyms that are in it stay the same: in the next report, and in the next
//! assignment.

use std::collections::{BTreeMap, BTreeSet};

use super::sheet;
use crate::record::{Exercise, Flag, Record, Student};

/// The columns of a key.
const HEADER: [&str; 2] = ["student", "pseudonym"];

/// Letters and digits of pseudonyms: without vowels, and without those that look alike.
const SIGNS: &[u8; 22] = b"23456789cdfghjkmnpqrtv";
/// Signs of a pseudonym: of five million, a class of hundreds finds free ones.
const LENGTH: usize = 5;

/// Remarks whose words are the checker's own, and name no path and no student.
const IMPERSONAL: [&str; 5] = ["contained", "look-at", "hidden-characters", "late", "over-the-cap"];

/// Whose each pseudonym is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Key {
    /// By the student's id, as it stands in a cell.
    names: BTreeMap<String, String>,
}

impl Key {
    /// The key in a file's text.
    ///
    /// # Errors
    /// The first problem with its line: a pseudonym that were lost would be another one in the next
    /// report.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut key = Self::default();
        let mut taken = BTreeSet::new();
        for (line, row) in (1..).zip(rows.records()) {
            let row = row.map_err(|error| format!("line {line}: {error}"))?;
            let cells: Vec<&str> = row.iter().collect();
            let [student, pseudonym] = cells.as_slice() else {
                return Err(format!(
                    "line {line}: there are {} columns, and a key has 2",
                    cells.len()
                ));
            };
            if line == 1 {
                if cells != HEADER {
                    return Err("line 1: this is no key of pseudonyms: its header is not `student,pseudonym`".to_owned());
                }
                continue;
            }
            if student.is_empty() || pseudonym.is_empty() || !taken.insert(pseudonym.to_string()) {
                return Err(format!(
                    "line {line}: a cell is empty, or the pseudonym is another student's: restore the file, or delete it to start with new pseudonyms"
                ));
            }
            if key.names.insert(student.to_string(), pseudonym.to_string()).is_some() {
                return Err(format!("line {line}: this student is in it twice: keep one row"));
            }
        }
        Ok(key)
    }

    /// The key as a file.
    ///
    /// # Errors
    /// The library's reason, when it refuses.
    pub fn write(&self) -> Result<String, String> {
        let header = [HEADER.map(str::to_owned).to_vec()];
        let row = |(id, pseudonym): (&String, &String)| vec![id.clone(), pseudonym.clone()];
        sheet::write(header.into_iter().chain(self.names.iter().map(row)))
    }

    /// The pseudonym of a student; `random` gives unpredictable numbers.
    pub fn of(&mut self, id: &str, mut random: impl FnMut() -> u64) -> String {
        let cell = sheet::text(id);
        if let Some(pseudonym) = self.names.get(&cell) {
            return pseudonym.clone();
        }
        loop {
            let mut number = random();
            let mut sign = || {
                let sign = SIGNS[(number % SIGNS.len() as u64) as usize];
                number /= SIGNS.len() as u64;
                char::from(sign)
            };
            let new: String = (0..LENGTH).map(|_| sign()).collect();
            if !self.names.values().any(|taken| *taken == new) {
                self.names.insert(cell, new.clone());
                return new;
            }
        }
    }
}

/// The records under pseudonyms, in the order of these. What a student prints or writes into a
/// comment of the code is not read.
pub fn anonymous(
    records: &[Record],
    key: &mut Key,
    mut random: impl FnMut() -> u64,
) -> Vec<Record> {
    let mut all: Vec<Record> = records
        .iter()
        .map(|record| without_names(record, key.of(&record.student.id, &mut random)))
        .collect();
    all.sort_by(|a, b| a.student.id.cmp(&b.student.id));
    all
}

fn without_names(record: &Record, pseudonym: String) -> Record {
    let mut record = record.clone();
    record.student = Student { id: pseudonym, ..Student::default() };
    let submission = &mut record.submission;
    (submission.source, submission.group, submission.ignored) = (String::new(), None, vec![]);
    for file in &mut submission.files {
        file.path = format!("{}.cu", file.exercise);
    }
    // An instructor speaks to a person.
    record.comment = None;
    for flag in &mut record.flags {
        if !IMPERSONAL.contains(&flag.what.as_str()) {
            *flag = Flag { detail: String::new(), ..flag.clone() };
        }
    }
    record.exercises.iter_mut().for_each(clear);
    record
}

fn clear(exercise: &mut Exercise) {
    let path = format!("{}.cu", exercise.id);
    exercise.file = exercise.file.take().map(|_| path.clone());
    for other in &mut exercise.others {
        other.file.path.clone_from(&path);
        (other.report, other.items, other.contained) = (None, vec![], None);
    }
    if let Some(decision) = &mut exercise.by_hand {
        decision.comment = None;
    }
    let items = exercise.items.iter_mut().map(|item| &mut item.again);
    for again in items.chain(exercise.report.as_mut().map(|report| &mut report.again)) {
        *again = again.as_deref().map(crate::record::without_file_option);
    }
    if let Some(report) = exercise.report.as_mut().filter(|report| report.slug == "not-graded") {
        report.title = "the machine could not grade it".to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::fixture::{class, now};
    use crate::formats::{ALL, Audience, Options};
    use crate::record::{Group, SpentDays};

    /// Numbers as a seed gives them, the first one twice.
    fn numbers() -> impl FnMut() -> u64 {
        let mut calls = 0_u64;
        move || {
            calls += 1;
            (calls / 2).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }
    }

    /// Pseudonyms are stable and each student's own, and a key survives its file.
    #[test]
    fn pseudonyms_stay() {
        let mut key = Key::default();
        let mut random = numbers();
        let ids = ["ada", "bob", "=1+1", "a,\"b\"\n"];
        let first = ids.map(|id| key.of(id, &mut random));
        let once: BTreeSet<&String> = first.iter().collect();
        assert_eq!(once.len(), ids.len());
        let file = key.write().unwrap();
        assert!(!file.lines().any(|line| line.starts_with('=')), "{file}");
        let mut read = Key::parse(&file).unwrap();
        assert_eq!(read, key);
        let unused = || -> u64 { panic!("all have a pseudonym") };
        assert_eq!(ids.map(|id| read.of(id, unused)), first);
    }

    #[test]
    fn a_damaged_key_is_refused() {
        for (text, words) in [
            ("id,pseudonym\nada,abc\n", "line 1: this is no key"),
            ("student,pseudonym\nada,abc\nbob,abc\n", "line 3: a cell is empty, or"),
            ("student,pseudonym\nada,\n", "line 2: a cell is empty"),
            ("student,pseudonym\nada,abc\nada,xyz\n", "line 3: this student is in it twice"),
            ("student,pseudonym,x\nada,abc,x\n", "line 1: there are 3 columns"),
            ("student,pseudonym\nada\n", "line 2: "),
        ] {
            let why = Key::parse(text).unwrap_err();
            assert!(why.starts_with(words), "{why}");
        }
        assert_eq!(Key::parse("student,pseudonym\n"), Ok(Key::default()));
    }

    /// No format shows a name, an id, a path or a sentence that is about a person, wherever a
    /// record has it.
    #[test]
    fn no_format_names_a_student() {
        const NAME: &str = "Lovelace77";
        let mut class = class();
        for record in &mut class {
            record.student.id = format!("{NAME}{}", record.student.id.len());
            record.student.name = Some(NAME.into());
            record.student.columns = [("SIS User ID".to_owned(), NAME.to_owned())].into();
            record.comment = Some(NAME.into());
            let submission = &mut record.submission;
            submission.source = NAME.into();
            submission.ignored = vec![NAME.into()];
            submission.group = Some(Group { name: NAME.into(), members: vec![NAME.into()] });
            submission.files.iter_mut().for_each(|file| file.path = format!("{NAME}/a.cu"));
            for what in ["refused-file", "other-file", "not-graded", "not-on-the-roster", "else"] {
                let (what, detail) = (what.to_owned(), NAME.to_owned());
                record.flags.push(Flag { what, exercise: None, detail });
            }
            let earlier = vec![SpentDays { title: "week 1".into(), days: 1 }];
            record.late_days = Some(crate::record::LateDays { free: 3, earlier, here: 0 });
            record.exercises.retain(|exercise| exercise.status != crate::record::Status::NotGraded);
            record.score.complete = true;
            for exercise in &mut record.exercises {
                exercise.file = Some(format!("{NAME}/a.cu"));
                let decision =
                    crate::record::ByHand { comment: Some(NAME.into()), ..Default::default() };
                exercise.by_hand = Some(decision);
                let again =
                    format!("checker check guard --seed 7 --file out/files/{NAME}/guard.cu");
                exercise.items.iter_mut().for_each(|item| item.again = Some(again.clone()));
                if let Some(report) = &mut exercise.report {
                    report.again = Some(again);
                }
                if let Some(file) = record.submission.files.first() {
                    let mut other = exercise.clone();
                    exercise.others = vec![other.take_version(file.clone())];
                    exercise.counted = Some(crate::record::Counted::Best);
                }
            }
        }
        let mut key = Key::default();
        let anonymous = anonymous(&class, &mut key, numbers());
        assert!(anonymous.is_sorted_by_key(|record| &record.student.id));
        let options = Options { audience: Audience::Instructor, ..Options::new(now()) };
        for format in ALL {
            let some = if format.holds_a_class() { &anonymous[..] } else { &anonymous[..1] };
            let text = format.render(some, &options).unwrap_or_else(|error| error.to_string());
            assert!(!text.contains(NAME), "{format}: {text}");
        }
        assert!(!serde_json::to_string(&anonymous).unwrap().contains(NAME));
        assert!(key.write().unwrap().contains(NAME));
    }
}
