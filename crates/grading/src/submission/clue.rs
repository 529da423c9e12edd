//! Finds the student that a download's name means, on the roster.

use crate::roster::{Entry, Roster};

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

/// Columns with a whole name, and pairs of columns with a first and a last one.
const FULL_NAMES: [&str; 4] = ["name", "Full name", "Student", "Student name"];
const FIRST_NAMES: [&str; 3] = ["First name", "Given name", "Vorname"];
const LAST_NAMES: [&str; 5] = ["Last name", "Surname", "Family name", "Nachname", "Lastname"];
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
        let columns = &entry.student.columns;
        let value = |wanted: &str| {
            columns
                .iter()
                .find(|(column, _)| column.eq_ignore_ascii_case(wanted))
                .map(|(_, value)| value.trim())
        };
        let same = |one: &str, other: &str| one.to_lowercase() == other.trim().to_lowercase();
        match self {
            Self::Column { column, value: wanted } => {
                value(column).is_some_and(|value| same(value, wanted))
            }
            Self::Participant(number) => value("Identifier")
                .is_some_and(|value| value.rsplit(' ').next() == Some(number.as_str())),
            Self::Username(wanted) => {
                same(&entry.student.id, wanted)
                    || USERNAMES.iter().filter_map(|column| value(column)).any(|value| {
                        let account = value.split('@').next().unwrap_or(value);
                        same(value, wanted) || same(account, wanted)
                    })
            }
            Self::Name(wanted) => {
                let wanted = letters(wanted);
                let first = FIRST_NAMES.iter().find_map(|column| value(column));
                let last = LAST_NAMES.iter().find_map(|column| value(column));
                let mut names: Vec<(String, String)> = vec![];
                names.extend(first.zip(last).map(|(a, b)| (a.to_owned(), b.to_owned())));
                let full = FULL_NAMES.iter().find_map(|column| value(column));
                for full in full.into_iter().chain(entry.student.name.as_deref()) {
                    let (one, other) = full.split_once(',').unwrap_or((full, ""));
                    names.push((one.to_owned(), other.to_owned()));
                }
                !wanted.is_empty()
                    && names.iter().any(|(one, other)| {
                        let (one, other) = (letters(one), letters(other));
                        wanted == format!("{one}{other}") || wanted == format!("{other}{one}")
                    })
            }
        }
    }
}

/// Letters and digits in lower case: `O'Neil, Ada` and `oneilada` are the same name.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
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

    /// Two students with one name are not mistaken for each other.
    #[test]
    fn a_name_that_two_students_have_is_no_answer() {
        let roster = roster("id,name\nu1,Ada Lovelace\nu2,\"Lovelace, Ada\"\n");
        assert_eq!(find(&roster, &[Clue::name("adalovelace")]), Match::Several(vec!["u1", "u2"]));
    }
}
