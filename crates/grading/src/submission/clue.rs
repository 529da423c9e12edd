//! Finds the student that a download's name means, on the roster.

use crate::fold::{is_same_folded, letters, words};
use crate::roster::{self, Entry, Roster};

/// Something that identifies a student, and where the roster may have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clue {
    /// A value of a column, whatever its case.
    Column {
        /// The column's header.
        column: String,
        /// The value.
        value: String,
    },
    /// Moodle's number of a participant: the column `Identifier` has "Participant 1234567".
    Participant(String),
    /// An account's name, which may be in one of several columns.
    Username(String),
    /// A name as people write it, in any order and with any separators.
    Name(String),
}

/// Columns with the name of an account.
const USERNAMES: [&str; 8] =
    ["id", "Username", "Login", "SIS Login ID", "NetID", "User ID", "Student ID", "Email"];

/// What a roster says to clues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match<'a> {
    /// One student.
    One(&'a Entry),
    /// Several students that these clues do not tell apart, by their ids.
    Several(Vec<&'a str>),
    /// No student.
    None,
}

impl Clue {
    /// A value of one column.
    pub fn column(column: &str, value: &str) -> Self {
        Self::Column { column: column.to_owned(), value: value.to_owned() }
    }

    /// Moodle's number of a participant.
    pub fn participant(number: &str) -> Self {
        Self::Participant(number.to_owned())
    }

    /// A person's name.
    pub fn name(name: &str) -> Self {
        Self::Name(name.to_owned())
    }

    /// The accounts that `text` may end with. Blackboard separates the assignment's title from the
    /// account with `_`, and both may contain one. The longest comes first.
    pub fn usernames(text: &str) -> Vec<Self> {
        let starts = text.match_indices('_').map(|(at, _)| at + 1);
        starts.filter_map(|at| Some(Self::Username(text.get(at..)?.to_owned()))).collect()
    }

    fn fits(&self, entry: &Entry) -> bool {
        let value = |wanted: &str| value(entry, wanted);
        let same = |one: &str, other: &str| is_same_folded(one, other.trim());
        match self {
            Self::Column { column, value: wanted } => {
                value(column).is_some_and(|value| same(value, wanted))
            }
            // In other languages than English the column has another name, and is the id.
            Self::Participant(number) => {
                match value("Identifier") {
                    Some(whole) => whole.rsplit(' ').next() == Some(number.as_str()),
                    None => entry.student.id.strip_suffix(number.as_str()).is_some_and(|words| {
                        words.ends_with(|c: char| c.is_alphabetic() || c == ' ')
                    }),
                }
            }
            Self::Username(wanted) => {
                same(&entry.student.id, wanted)
                    || USERNAMES.iter().filter_map(|column| value(column)).any(|value| {
                        let account = value.split('@').next().unwrap_or(value);
                        same(value, wanted) || same(account, wanted)
                    })
            }
            Self::Name(wanted) => {
                let wanted = letters(wanted);
                let names = names(entry);
                !wanted.is_empty()
                    && names.iter().any(|(one, other)| {
                        let (one, other) = (letters(one), letters(other));
                        wanted == format!("{one}{other}") || wanted == format!("{other}{one}")
                    })
            }
        }
    }
}

/// What a row has in a column.
pub(super) fn value<'a>(entry: &'a Entry, wanted: &str) -> Option<&'a str> {
    let columns = &entry.student.columns;
    let found = columns.iter().find(|(column, _)| is_same_folded(column, wanted));
    found.map(|(_, value)| value.trim())
}

/// The student's names as the roster has them, each in two parts.
pub(crate) fn names(entry: &Entry) -> Vec<(String, String)> {
    let first = roster::FIRST_NAMES.iter().find_map(|column| value(entry, column));
    let last = roster::LAST_NAMES.iter().find_map(|column| value(entry, column));
    let mut names: Vec<(String, String)> = vec![];
    names.extend(first.zip(last).map(|(a, b)| (a.to_owned(), b.to_owned())));
    let full = roster::NAMES.iter().find_map(|column| value(entry, column));
    for full in full.into_iter().chain(entry.student.name.as_deref()) {
        let (one, other) = full.split_once(',').unwrap_or((full, ""));
        names.push((one.to_owned(), other.to_owned()));
    }
    names
}

/// A file's name, as far as it may contain a student's.
pub struct Mention {
    words: String,
    letters: String,
}

impl Mention {
    /// What the name of a file contains.
    pub fn of(file: &str) -> Self {
        Self { words: words(file), letters: letters(file) }
    }
}

/// What identifies a student in the name of a file.
pub struct Mentioned {
    /// Accounts, each as whole words.
    accounts: Vec<String>,
    /// The words of whole names.
    names: Vec<Vec<String>>,
    /// Whole names without anything between their letters.
    joined: Vec<String>,
}

/// Fewer letters than that are in too many names.
const MIN_ACCOUNT: usize = 3;
const MIN_NAME: usize = 6;

impl Mentioned {
    /// What identifies the student of this row.
    pub fn of(entry: &Entry) -> Self {
        let long = |text: &&str| letters(text).chars().count() >= MIN_ACCOUNT;
        let ids = USERNAMES.iter().filter_map(|column| value(entry, column));
        let ids = ids.chain([entry.student.id.as_str()]);
        let ids = ids.flat_map(|id| [id, id.split('@').next().unwrap_or("")]);
        let accounts = ids.filter(long).map(words).collect();
        let (mut names, mut joined) = (vec![], vec![]);
        for (one, other) in self::names(entry) {
            let all = words(&format!("{one} {other}"));
            let all: Vec<String> = all.split_whitespace().map(|word| format!(" {word} ")).collect();
            let (one, other) = (letters(&one), letters(&other));
            if one.chars().count() + other.chars().count() >= MIN_NAME {
                joined.extend([format!("{one}{other}"), format!("{other}{one}")]);
            }
            if all.len() > 1 {
                names.push(all);
            }
        }
        Self { accounts, names, joined }
    }

    /// Whether a file's name contains an account or the whole name of the student. Such a file may
    /// be the student's, however it is named.
    pub fn is_in(&self, file: &Mention) -> bool {
        let has = |words: &String| file.words.contains(words.as_str());
        self.accounts.iter().any(has)
            || self.names.iter().any(|words| words.iter().all(has))
            || self.joined.iter().any(|name| file.letters.contains(name.as_str()))
    }
}

/// The student whom these clues mean. The first clue that fits any student decides.
pub fn find<'a>(roster: &'a Roster, clues: &[Clue]) -> Match<'a> {
    for clue in clues {
        let found: Vec<&Entry> = roster.students.iter().filter(|entry| clue.fits(entry)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Match::One(one),
            several => {
                return Match::Several(several.iter().map(|e| e.student.id.as_str()).collect());
            }
        }
    }
    Match::None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(text: &str) -> Roster {
        Roster::parse(text.as_bytes(), None, None).unwrap()
    }

    fn id<'a>(roster: &'a Roster, clues: &[Clue]) -> Option<&'a str> {
        match find(roster, clues) {
            Match::One(entry) => Some(&entry.student.id),
            _ => None,
        }
    }

    /// A roster of each platform identifies students by what that platform's names contain.
    #[test]
    fn students_are_found_by_what_a_name_contains() {
        let moodle = roster(
            "Identifier,Full name,Email address\nParticipant 77,Ada Lovelace,ada@x.edu\nParticipant 7,Charles Babbage,cb@x.edu\n",
        );
        assert_eq!(id(&moodle, &[Clue::participant("7")]), Some("cb@x.edu"));
        assert_eq!(
            id(&moodle, &[Clue::participant("9"), Clue::name("Ada Lovelace")]),
            Some("ada@x.edu")
        );

        let canvas = roster(
            "Student,ID,SIS Login ID\n    Points Possible,,\n\"O'Neil, Zoë\",123,zoe1\n\"Babbage, Charles\",12,cb\n",
        );
        assert_eq!(id(&canvas, &[Clue::column("ID", "123")]), Some("zoe1"));
        assert_eq!(id(&canvas, &[Clue::name("oneilzoë")]), Some("zoe1"));

        let two = roster("Last Name,First Name,Username\nKing,Ada,a_king\n");
        assert_eq!(id(&two, &Clue::usernames("Week_1_a_king")), Some("a_king"));
        assert_eq!(id(&two, &[Clue::name("Ada King")]), Some("a_king"));
        assert_eq!(id(&two, &[Clue::name("")]), None);
    }

    /// A download and a roster may have different forms of Unicode, and a roster other languages.
    #[test]
    fn students_are_found_in_other_languages() {
        let german = roster(
            "ID,Vollständiger Name\nTeilnehmer/in77,Zoë Brontë\nTeilnehmer/in7,Jörg Müller\n",
        );
        assert_eq!(id(&german, &[Clue::participant("7")]), Some("Teilnehmer/in7"));
        assert_eq!(id(&german, &[Clue::participant("777")]), None);
        assert_eq!(id(&german, &[Clue::name("Zoe\u{308} Bronte\u{308}")]), Some("Teilnehmer/in77"));
        let blind = roster("Identifier,Status\nParticipant 77,-\nParticipant 7,-\n");
        assert_eq!(id(&blind, &[Clue::participant("7")]), Some("Participant 7"));
        let numbers = roster("id\n77\n");
        assert_eq!(id(&numbers, &[Clue::participant("77")]), None, "another number");
    }

    /// Whose a file may be, when its name is none of the platform's.
    #[test]
    fn files_that_mention_a_student() {
        let roster =
            roster("Username,First name,Last name\ncstone,Chen,Stone\n#wz1,Wei,Zhang\nal,Al,Li\n");
        let mentioned = |file: &str| -> Vec<&str> {
            let file = Mention::of(file);
            let entries = roster.students.iter().filter(|entry| Mentioned::of(entry).is_in(&file));
            entries.map(|entry| entry.student.id.as_str()).collect()
        };
        assert_eq!(mentioned("zz late by mail cstone guard.cu"), ["cstone"]);
        assert_eq!(mentioned("101-1 - Chen Stone sometime"), ["cstone"]);
        assert_eq!(mentioned("zhangwei_guard.cu"), ["#wz1"]);
        assert_eq!(mentioned("wz1_guard.cu"), ["#wz1"]);
        assert!(mentioned("stone guard.cu").is_empty() && mentioned("all al.cu").is_empty());
    }

    /// Two students with one name are not mistaken for each other.
    #[test]
    fn a_name_that_two_students_have_is_no_answer() {
        let roster = roster("id,name\nu1,Ada Lovelace\nu2,\"Lovelace, Ada\"\n");
        assert_eq!(find(&roster, &[Clue::name("adalovelace")]), Match::Several(vec!["u1", "u2"]));
    }
}
