//! What the names in a download say: whose file it is, what the student called it, and when it was
//! submitted.
//!
//! A learning platform that offers all submissions of an assignment as one archive renames what
//! students submitted:
//!
//! | platform | an entry of the download |
//! |---|---|
//! | Moodle | `Ada Lovelace_1234567_assignsubmission_file_/`, or with `_file_guard.cu` without folders |
//! | Canvas | `lovelaceada_LATE_123_456_guard.cu`; the numbers are those of the user and of the upload |
//! | Blackboard | `Week 1_ada_attempt_2026-10-02-23-00-00_guard.cu` |
//! | Brightspace | `9876-123456 - Ada Lovelace - Oct 2, 2026 1100 PM/`, or with ` - guard.cu` at the end; the time in the language of the course |
//! | Gradescope | `submission_456/`, explained in `submission_metadata.yml` ([`super::gradescope`]) |
//!
//! Any other naming is a pattern: a regular expression with the groups `id`, `file` and `time`.
//!
//! A student chooses the file's name, which is at the end, and could imitate there what the
//! platform writes. So each pattern takes the first student and the first time in a name, and
//! [`Named::imitates`] is set for the instructor.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use regex::Regex;

use super::clue::Clue;
use crate::dates;

/// A platform whose downloads are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are names")]
pub enum Platform {
    Moodle,
    Canvas,
    Blackboard,
    Brightspace,
    Gradescope,
}

impl Platform {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Moodle, Self::Canvas, Self::Blackboard, Self::Brightspace, Self::Gradescope];

    /// As people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moodle => "Moodle",
            Self::Canvas => "Canvas",
            Self::Blackboard => "Blackboard",
            Self::Brightspace => "Brightspace",
            Self::Gradescope => "Gradescope",
        }
    }

    /// A name in its downloads, for messages.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Moodle => "Ada Lovelace_1234567_assignsubmission_file_",
            Self::Canvas => "lovelaceada_123_456_guard.cu",
            Self::Blackboard => "Week 1_ada_attempt_2026-10-02-23-00-00_guard.cu",
            Self::Brightspace => "98-1234 - Ada Lovelace - Oct 2, 2026 1100 PM",
            Self::Gradescope => "submission_456",
        }
    }

    /// Whether it adds a file of this name to every download.
    pub fn adds(self, name: &str) -> bool {
        match self {
            Self::Brightspace => name == "index.html",
            Self::Gradescope => name == super::gradescope::FILE,
            Self::Moodle | Self::Canvas | Self::Blackboard => false,
        }
    }

    /// The pattern of its names.
    const fn pattern(self) -> &'static str {
        match self {
            Self::Moodle => {
                r"(?s)^(?<student>(?<name>.+?)_(?<number>\d+))_assignsubmission_(?:file|onlinetext)_?(?<file>.+)?$"
            }
            Self::Canvas => {
                r"(?s)^(?<student>(?<name>[^_]+)(?<late>_(?i:late))?_(?<number>\d+))_(?:(?<upload>\d+)_(?<file>.+)|text\.html)$"
            }
            Self::Blackboard => {
                r"(?s)^(?<user>.+?)_attempt_(?<time>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?<file>.+)|\.txt)$"
            }
            Self::Brightspace => {
                r"(?s)^(?<student>\d+-(?<number>\d+) ?- (?<name>.+?)) ?- (?<time>(?:[^-]|-[^ ])*\d{4}(?:[^-]|-[^ ])*?)(?: ?- (?<file>.+))?$"
            }
            Self::Gradescope => r"^(?<student>submission_(?<number>\d+))$",
        }
    }
}

/// How the entries of a download are named.
#[derive(Debug, Clone)]
pub struct Naming {
    platform: Option<Platform>,
    pattern: Regex,
    /// The roster's column that holds what the group `id` matches.
    column: Option<String>,
}

/// What one name says.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The part of the name that stands for the student.
    pub student: String,
    /// What identifies the student on a roster, the most certain first.
    pub clues: Vec<Clue>,
    /// The file's name as the student had it; `None` for a folder, and for a file that the platform
    /// adds.
    pub file: Option<String>,
    /// When it was submitted.
    pub at: Option<Time>,
    /// The platform's number of the upload; a later one is larger.
    pub upload: u64,
    /// Whether the platform calls it late without saying when it was submitted.
    pub late: bool,
    /// Whether the student's own name for the file looks like what the platform writes before it.
    pub imitates: bool,
}

/// A time in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// A moment.
    Exact(Timestamp),
    /// A time of day in the course's zone.
    Local(DateTime),
}

impl Time {
    /// The moment; `None` for a time of day without a zone.
    pub fn moment(self, zone: Option<&TimeZone>) -> Option<Timestamp> {
        match self {
            Self::Exact(at) => Some(at),
            Self::Local(at) => zone?.to_timestamp(at).ok(),
        }
    }
}

impl Naming {
    /// The names of a platform.
    ///
    /// # Panics
    /// Never: each pattern is tried by the tests.
    #[expect(clippy::expect_used, reason = "the patterns are constants, and tests compile each")]
    pub fn of_platform(platform: Platform) -> Self {
        let pattern = Regex::new(platform.pattern()).expect("a constant pattern");
        Self { platform: Some(platform), pattern, column: None }
    }

    /// Names that match a pattern with a group `id`, and perhaps `file` and `time`. With a `column`
    /// the id is looked up in that column of the roster.
    ///
    /// # Errors
    /// When the pattern is no regular expression, or has no group `id`.
    pub fn of_pattern(pattern: &str, column: Option<String>) -> Result<Self, String> {
        let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
        if !pattern.capture_names().flatten().any(|name| name == "id") {
            return Err("it has no group `id`: write (?<id>...) around the student's id".to_owned());
        }
        Ok(Self { platform: None, pattern, column })
    }

    /// Names that are ids as they stand, looked up in a column of the roster.
    #[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "the pattern is a constant")]
    pub fn of_column(column: String) -> Self {
        let pattern = Regex::new("^(?<id>.+)$").expect("a constant pattern");
        Self { platform: None, pattern, column: Some(column) }
    }

    /// The platform, if it is one.
    pub fn platform(&self) -> Option<Platform> {
        self.platform
    }

    /// The roster's column in which ids are looked up, if it is named.
    pub(super) fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    /// What `name` says; `None` when it is not named like this.
    pub fn read(&self, name: &str) -> Option<Named> {
        let found = self.pattern.captures(name)?;
        let group = |group: &str| found.name(group).map(|part| part.as_str());
        let file = group("file").map(str::to_owned);
        let Some(platform) = self.platform else {
            let id = group("id")?;
            let at = group("time").and_then(time);
            let clue = self.column.as_ref().map(|column| Clue::column(column, id));
            let clues = clue.into_iter().collect();
            return Some(Named {
                student: id.to_owned(),
                clues,
                file,
                at,
                upload: 0,
                late: false,
                imitates: false,
            });
        };
        let student = group("student").or_else(|| group("user")).unwrap_or(name).to_owned();
        let (number, person) = (group("number").unwrap_or(""), group("name").unwrap_or(""));
        let (clues, at) = match platform {
            Platform::Moodle => (vec![Clue::participant(number), Clue::name(person)], None),
            Platform::Canvas => (vec![Clue::column("ID", number), Clue::name(person)], None),
            Platform::Blackboard => {
                (Clue::usernames(&student), group("time").and_then(of_blackboard).map(Time::Local))
            }
            Platform::Brightspace => {
                (vec![Clue::name(person)], group("time").and_then(dates::in_words).map(Time::Local))
            }
            // All that is known of it is in another file.
            Platform::Gradescope => (vec![], None),
        };
        let late = group("late").is_some();
        // Canvas writes its mark between the name and the number.
        let student =
            if platform == Platform::Canvas { format!("{person}_{number}") } else { student };
        let upload = group("upload").and_then(|number| number.parse().ok()).unwrap_or(0);
        let imitates = file.as_ref().is_some_and(|file| self.is_imitated_by(platform, file));
        Some(Named { student, clues, file, at, upload, late, imitates })
    }

    /// Whether a file's name, as a student chose it, has the part that `platform` writes before it.
    fn is_imitated_by(&self, platform: Platform, file: &str) -> bool {
        match platform {
            Platform::Moodle => file.contains("_assignsubmission_"),
            Platform::Canvas => self.pattern.is_match(file),
            Platform::Blackboard => file.split("_attempt_").skip(1).any(|rest| {
                rest.get(..BLACKBOARD_TIME_BYTES).is_some_and(|time| of_blackboard(time).is_some())
            }),
            Platform::Brightspace => {
                file.split("- ").any(|part| dates::in_words(part.trim()).is_some())
            }
            Platform::Gradescope => false,
        }
    }

    /// The platform whose names most of these are, for a hint.
    pub fn guess<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Platform> {
        let names: Vec<&str> = names.into_iter().collect();
        let all = Platform::ALL.map(Self::of_platform);
        let hits = |naming: &Self| names.iter().filter(|name| naming.read(name).is_some()).count();
        let best = all.iter().max_by_key(|naming| hits(naming))?;
        (hits(best) * 2 > names.len()).then_some(best.platform).flatten()
    }
}

/// Bytes of a time such as `2026-10-02-23-00-00`.
const BLACKBOARD_TIME_BYTES: usize = 19;

/// `2026-10-02-23-00-00`
fn of_blackboard(text: &str) -> Option<DateTime> {
    DateTime::strptime("%Y-%m-%d-%H-%M-%S", text).ok()
}

/// A date, a time of day with or without seconds, and perhaps the offset from UTC.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    let date = r"(?<date>\d{4}-\d\d-\d\d|\d{8})";
    let time =
        r"(?<hour>\d\d)(?<first>[:.h-]?)(?<minute>\d\d)(?:(?<second>[:.-]?)(?<s>\d\d)(?:\.\d+)?)?";
    let offset = r"(?: ?(?<offset>Z|[+-]\d\d:?\d\d))?";
    #[expect(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
    Regex::new(&format!("^{date}[T _-]{time}{offset}$")).expect("a constant pattern")
});

/// A time that a pattern matched: with an offset, or without a zone. `None` for a date without a
/// time of day, and for anything that could be read in two ways.
fn time(text: &str) -> Option<Time> {
    let found = TIME.captures(text.trim())?;
    let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
    if !part("s").is_empty() && part("first") != part("second") {
        return None;
    }
    let (date, seconds) = (part("date").replace('-', ""), format!("{:0>2}", part("s")));
    let local = format!("{date}{}{}{seconds}", part("hour"), part("minute"));
    let local = DateTime::strptime("%Y%m%d%H%M%S", &local).ok()?;
    let offset = match part("offset") {
        "" => return Some(Time::Local(local)),
        "Z" => Offset::UTC,
        offset => {
            let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
            let (hours, minutes) = digits.split_at(2);
            let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
            Offset::from_seconds(if offset.starts_with('-') { -seconds } else { seconds }).ok()?
        }
    };
    offset.to_timestamp(local).ok().map(Time::Exact)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(platform: Platform, name: &str) -> Named {
        Naming::of_platform(platform).read(name).unwrap_or_else(|| panic!("{name}"))
    }

    /// Times in the forms that scripts write, with what each means in UTC if it has an offset.
    /// Nothing is read from a date without a time of day, or from what isn't sure.
    #[test]
    fn times_that_a_pattern_matches() {
        let local = |text: &str| Some(Time::Local(text.parse().expect("a time")));
        let exact = |text: &str| Some(Time::Exact(text.parse().expect("a moment")));
        for (text, wanted) in [
            ("2026-10-02T23:10", local("2026-10-02T23:10")),
            ("2026-10-02 23:10:05", local("2026-10-02T23:10:05")),
            ("2026-10-02T23-10", local("2026-10-02T23:10")),
            ("2026-10-02T09-05", local("2026-10-02T09:05")),
            ("2026-10-02T23-59", local("2026-10-02T23:59")),
            ("2026-10-02-23-10-05", local("2026-10-02T23:10:05")),
            ("20261002_2310", local("2026-10-02T23:10")),
            ("20261002T231005", local("2026-10-02T23:10:05")),
            ("20261002T231000+0200", exact("2026-10-02T21:10:00Z")),
            ("2026-10-02T23:10:00.25-07:00", exact("2026-10-03T06:10:00Z")),
            ("2026-10-02T2310-0500", exact("2026-10-03T04:10:00Z")),
            ("2026-10-02 23:10:05 -0700", exact("2026-10-03T06:10:05Z")),
            ("2026-10-02T23:10Z", exact("2026-10-02T23:10:00Z")),
            ("2026-10-02", None),
            ("2026-10-02T23", None),
            ("2026-10-02T23:10-05", None),
            ("2026-10-02T24-10", None),
            ("2026-13-02T23-10", None),
            ("Friday 23:10", None),
        ] {
            assert_eq!(time(text), wanted, "{text}");
        }
    }

    /// Each form of name that a platform makes says who it is, which file it is, and when.
    #[test]
    fn names_of_platforms() {
        let moodle = read(Platform::Moodle, "Ada King Lovelace_1234567_assignsubmission_file_");
        assert_eq!((moodle.student.as_str(), moodle.file), ("Ada King Lovelace_1234567", None));
        assert_eq!(moodle.clues, [Clue::participant("1234567"), Clue::name("Ada King Lovelace")]);
        let flat = read(Platform::Moodle, "Ada_B_77_assignsubmission_file_guard_2.cu");
        assert_eq!((flat.student.as_str(), flat.file.as_deref()), ("Ada_B_77", Some("guard_2.cu")));

        let canvas = read(Platform::Canvas, "lovelaceada_LATE_123_456_guard-1.cu");
        assert_eq!(canvas.student, "lovelaceada_123");
        assert_eq!(canvas.file.as_deref(), Some("guard-1.cu"));
        assert!(canvas.late && canvas.at.is_none());
        assert!(!read(Platform::Canvas, "lovelaceada_123_456_matrix_add_2d.cu").late);
        // The mark has been written in both cases, and may be (in) a student's name or a file's.
        for (name, student, late) in [
            ("müllerjörg_late_12302_67901_blocks-1.cu", "müllerjörg_12302", true),
            ("late_123_456_late_1_2_guard.cu", "late_123", false),
            ("latelate_Late_123_456_guard.cu", "latelate_123", true),
            ("translate_123_456_guard.cu", "translate_123", false),
            ("lovelaceada_LATE_123_text.html", "lovelaceada_123", true),
        ] {
            let named = read(Platform::Canvas, name);
            assert_eq!((named.student.as_str(), named.late), (student, late), "{name}");
        }

        let blackboard =
            read(Platform::Blackboard, "Week_1_a_king_attempt_2026-10-02-23-00-05_guard.cu");
        assert_eq!(blackboard.file.as_deref(), Some("guard.cu"));
        assert_eq!(blackboard.at, Some(Time::Local("2026-10-02T23:00:05".parse().unwrap())));
        assert_eq!(read(Platform::Blackboard, "W_ada_attempt_2026-10-02-23-00-05.txt").file, None);

        for (name, at) in [
            ("98-1234 - Ada Lovelace - Oct 2, 2026 1100 PM", "2026-10-02T23:00"),
            ("98-1234 - Ada Lovelace - October 2, 2026 905 AM", "2026-10-02T09:05"),
            ("98-1234 - Ada Lovelace - Oct. 12, 2026 1205 AM", "2026-10-12T00:05"),
        ] {
            let named = read(Platform::Brightspace, name);
            assert_eq!(named.student, "98-1234 - Ada Lovelace");
            assert_eq!(named.at, Some(Time::Local(at.parse().unwrap())), "{name}");
        }
        // Other languages, 24 hours, no space before the dash; and a time that is not understood
        // does not hide the student.
        let evening = Some(Time::Local("2026-11-02T22:15".parse().unwrap()));
        for (name, file, at) in [
            ("101-1 - Zoë Ada-Maria- Nov 2, 2026 1015 PM", None, evening),
            ("101-1 - Zoë Ada-Maria - 2 Nov, 2026 2215", None, evening),
            (
                "101-1 - Zoë Ada-Maria - 2 Nov, 2026 10:15 PM - my 2026.cu",
                Some("my 2026.cu"),
                evening,
            ),
            (
                "101-1 - Zoë Ada-Maria - 2. November 2026 2215 - a-b - c.cu",
                Some("a-b - c.cu"),
                evening,
            ),
            ("101-1 - Zoë Ada-Maria - 2 nov. 2026 22h15", None, evening),
            ("101-1 - Zoë Ada-Maria - 2026년 11월 2일 2215", None, None),
            // a time that ends before the file, in forms that no date is read from
            ("101-1 - Zoë Ada-Maria - 2026年11月2日 22:15 - c.cu", Some("c.cu"), None),
            ("101-1 - Zoë Ada-Maria - 2026-11-02 2215 - c.cu", Some("c.cu"), None),
        ] {
            let named = read(Platform::Brightspace, name);
            assert_eq!(named.clues, [Clue::name("Zoë Ada-Maria")], "{name}");
            assert_eq!((named.file.as_deref(), named.at), (file, at), "{name}");
        }
        let file = read(Platform::Brightspace, "9-1 - A - B - Oct 2, 2026 1100 PM - guard.cu");
        assert_eq!(
            (file.student.as_str(), file.file.as_deref()),
            ("9-1 - A - B", Some("guard.cu"))
        );
        assert_eq!(read(Platform::Gradescope, "submission_456").student, "submission_456");
    }

    /// A student named a file so that it would count for another student, or as submitted on
    /// another day. The first student and the first time in a name are the platform's.
    #[test]
    fn the_names_of_files_are_not_read_as_students_or_times() {
        for (platform, prefix, file) in [
            (
                Platform::Blackboard,
                "Week 1_mallory_attempt_2026-10-05-23-00-00_",
                "x_bob_attempt_2026-10-01-23-00-00_blocks.cu",
            ),
            (
                Platform::Moodle,
                "Mal M_7_assignsubmission_file_",
                "Bob B_8_assignsubmission_file_a.cu",
            ),
            (Platform::Canvas, "mallory_LATE_7_9001_", "bob_8_9002_blocks.cu"),
            (
                Platform::Brightspace,
                "98-7 - Mal M - Oct 5, 2026 1100 PM - ",
                "98-8 - Bob B - Oct 1, 2026 1100 PM - blocks.cu",
            ),
        ] {
            let honest = read(platform, &format!("{prefix}blocks.cu"));
            let named = read(platform, &format!("{prefix}{file}"));
            assert!(!honest.imitates && named.imitates, "{platform:?}");
            assert_eq!(
                named,
                Named { file: Some(file.to_owned()), imitates: true, ..honest },
                "{platform:?}"
            );
        }
        let harmless =
            read(Platform::Blackboard, "W_ada_attempt_2026-10-05-23-00-00_second_attempt_a.cu");
        assert!(!harmless.imitates);
    }

    /// What platforms write before a student's file, each with a time and a number where it has
    /// them.
    const PREFIXES: [(Platform, &str); 7] = [
        (Platform::Moodle, "Ada_B Lovelace_1234567_assignsubmission_file_"),
        (Platform::Canvas, "lovelaceada_123_456_"),
        (Platform::Canvas, "lovelaceada_late_123_456_"),
        (Platform::Blackboard, "Week_1_a_king_attempt_2026-10-02-23-00-00_"),
        (Platform::Brightspace, "9876-123456 - Ada Lovelace - Oct 2, 2026 1100 PM - "),
        (Platform::Brightspace, "9876-123456 - Ada King-Lovelace- 2 Nov, 2026 2215 - "),
        (Platform::Brightspace, "9876-123456 - Ada Lovelace - 2026년 11월 2일 2215 - "),
    ];

    /// Pieces of names by which a file could be taken for another student's.
    const PIECES: [&str; 22] = [
        "_attempt_2026-10-01-10-00-00",
        "_attempt_",
        "2026-10-01-10-00-00",
        "_assignsubmission_file_",
        "_assignsubmission_onlinetext_",
        "98-12",
        " - ",
        "- ",
        "-",
        "Oct 1, 2026 1000 AM",
        "_LATE_",
        "_",
        "8",
        "9002",
        "bob",
        "Bob B",
        "text.html",
        ".txt",
        "blocks.cu",
        "\n",
        " ",
        "\u{202e}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Whatever name a student chooses for a file, the student, the time and the number of the
        /// upload stay those of the platform.
        #[test]
        fn no_name_of_a_file_changes_whose_it_is(
            (platform, prefix) in proptest::sample::select(PREFIXES.to_vec()),
            pieces in proptest::collection::vec(
                prop_oneof![
                    4 => proptest::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
                    1 => "[^/\\x00]{1,6}",
                ],
                1..12,
            ),
        ) {
            let file = pieces.concat();
            let honest = read(platform, &format!("{prefix}blocks.cu"));
            let named = read(platform, &format!("{prefix}{file}"));
            let imitates = named.imitates;
            prop_assert_eq!(named, Named { file: Some(file), imitates, ..honest });
        }
    }

    /// No platform takes another's names for its own, and ordinary ids are none's.
    #[test]
    fn the_platform_is_guessed_from_its_names() {
        for (platform, name) in [
            (Platform::Moodle, "Ada Lovelace_1234567_assignsubmission_file_"),
            (Platform::Canvas, "lovelaceada_123_456_guard.cu"),
            (Platform::Blackboard, "Week 1_ada_attempt_2026-10-02-23-00-00_guard.cu"),
            (Platform::Brightspace, "98-1234 - Ada Lovelace - Oct 2, 2026 1100 PM"),
            (Platform::Gradescope, "submission_456"),
        ] {
            assert_eq!(Naming::guess([name, name, "index.html"]), Some(platform));
        }
        assert_eq!(Naming::guess(["ada", "u1042", "charles.zip", "ada_1"]), None);
        assert_eq!(Naming::guess([]), None);
    }

    #[test]
    fn patterns_of_instructors() {
        let naming = Naming::of_pattern("^hw1-(?<id>[a-z]+)-(?<file>.*)$", None).unwrap();
        let named = naming.read("hw1-ada-guard.cu").unwrap();
        assert_eq!((named.student.as_str(), named.file.as_deref()), ("ada", Some("guard.cu")));
        assert!(naming.read("ada").is_none());
        assert!(Naming::of_pattern("^hw1", None).unwrap_err().contains("(?<id>...)"));
        assert!(Naming::of_pattern("(", None).is_err());
    }
}
