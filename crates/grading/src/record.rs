//! The record of one student's grade: everything that explains the grade, and nothing that would
//! help to cheat next time.
//!
//! A record is one JSON document. All other formats are made from records alone. Fields may be
//! added within a version; a field that is renamed, removed or given another meaning raises
//! [`VERSION`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

pub use crate::report::{Report, Span};

/// Raised when a field is renamed, removed, or means something else.
pub const VERSION: u32 = 1;

/// One student's grade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`VERSION`].
    pub version: u32,
    /// The student whose grade it is.
    pub student: Student,
    /// What the grade was made with: the same inputs give the same grade.
    pub made: Provenance,
    /// The files that the student submitted.
    pub submission: Submission,
    /// The exercises that the policy asks for, in the course's order.
    pub exercises: Vec<Exercise>,
    /// The sum.
    pub score: Score,
    /// What an instructor says about the whole grade; the student reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The student's free late days, when they are for several assignments together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_days: Option<LateDays>,
    /// Remarks for an instructor: code that was contained, files that were refused.
    #[serde(default)]
    pub flags: Vec<Flag>,
}

/// What an instructor decided by hand about an exercise ([`crate::by_hand`]).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ByHand {
    /// Points in place of what the runs give, before any penalty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// Days late in place of those that the submission's time gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_days: Option<u32>,
    /// What the student reads about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A student's free late days of a term ([`crate::policy::Policy::late_days`]).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateDays {
    /// For the whole term.
    pub free: u32,
    /// What earlier assignments took.
    pub earlier: Vec<SpentDays>,
    /// What this assignment takes.
    pub here: u32,
}

/// The free days that one assignment took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpentDays {
    /// The assignment's title.
    pub title: String,
    /// How many.
    pub days: u32,
}

impl LateDays {
    /// The days that earlier assignments left for this one.
    pub fn before(&self) -> u32 {
        let spent = self.earlier.iter().map(|one| one.days).fold(0, u32::saturating_add);
        self.free.saturating_sub(spent)
    }

    /// The days that are left for later assignments.
    pub fn left(&self) -> u32 {
        self.before().saturating_sub(self.here)
    }
}

/// A student, as on the roster; without a roster only `id`, which is the submission's name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Student {
    /// Unique in the class.
    pub id: String,
    /// "Lovelace, Ada".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The roster's other columns by their headers: what a platform needs to identify the student
    /// ("SIS User ID").
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
}

/// The inputs and circumstances of a grade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Title of the policy: "CS 149, assignment 1".
    pub title: String,
    /// Hash of the course ([`crate::course::Course::hash`]).
    pub course: String,
    /// Hash of the policy's file; empty without one.
    pub policy: String,
    /// The checker's version and the hash of its executable: "0.1.0 (3f2a...)".
    pub checker: String,
    /// [`crate::seed::Secret::commitment`]; empty without a secret.
    pub seed: String,
    /// Runs of each case with secret inputs.
    #[serde(default)]
    pub rounds: u32,
    /// Where the cases ran: "simulator", "GPU: NVIDIA H200".
    pub device: String,
    /// How the learner's code was confined: "landlock 7, seccomp".
    pub sandbox: String,
    /// When this grade was made. No decision depends on it.
    pub at: Timestamp,
    /// The policy's time zone, in which pages show times, such as `Europe/Berlin`; UTC without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// How long that took.
    pub seconds: f64,
}

/// A student's submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// Its path on the command line.
    pub source: String,
    /// SHA-256 over names and contents of the files that count: the same hash is the same
    /// submission.
    pub hash: String,
    /// When it was submitted. Grading again never changes it.
    pub at: Timestamp,
    /// Where that time comes from.
    pub at_from: TimeFrom,
    /// How many different submissions of this student have been graded so far, this one included; 0
    /// for a student on the roster without a submission.
    pub attempt: u32,
    /// Files that were graded.
    pub files: Vec<File>,
    /// The students who submitted it together, if they are a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// Files that were left alone: no exercise has that name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// Students who submit together. Each has a record of the same files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The ids of its members.
    pub members: Vec<String>,
}

/// Where a submission's time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeFrom {
    /// The roster, or the command line.
    #[serde(rename = "told")]
    Stated,
    /// The moment when a checker first saw this submission.
    FirstSeen,
    /// It is unknown, and the instructor counts it as on time.
    Assumed,
}

/// A file that was graded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// In the submission: `exercises/ch01_threads/blocks.cu`.
    pub path: String,
    /// Which exercise it is.
    pub exercise: String,
    /// SHA-256 of its bytes.
    pub hash: String,
    /// Its length.
    pub bytes: u64,
    /// When these bytes were submitted first, if an earlier submission already contained them: a
    /// file that was in time stays in time when other files follow later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Its place among the student's files for this exercise, from 1; 0 when only the last one is
    /// graded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub order: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Another file that a student submitted for an exercise, and what it does. It does not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// The file, with its time.
    pub file: File,
    /// Its points less what its days late would cost, by the policy of the record.
    pub points: f64,
    /// As in [`Exercise`].
    pub status: Status,
    /// As in [`Exercise`].
    #[serde(serialize_with = "crate::report::serialize_recorded")]
    pub report: Option<Report>,
    /// As in [`Exercise`].
    #[serde(default)]
    pub report_hidden: bool,
    /// As in [`Exercise`].
    pub items: Vec<Item>,
    /// As in [`Exercise`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contained: Option<String>,
    /// As in [`Exercise`].
    #[serde(default)]
    pub contained_hidden: bool,
    /// As in [`Exercise`].
    #[serde(default)]
    pub retries: u32,
    /// As in [`Exercise`].
    pub millis: u64,
}

/// Why one of several files for an exercise counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// It was submitted last.
    Last,
    /// It is the last one that was submitted in time.
    OnTime,
    /// None was submitted in time, and it is the last one.
    NoneOnTime,
    /// It gives the most points, after what its days late cost.
    Best,
}

/// An exercise's grade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exercise {
    /// `blocks`.
    pub id: String,
    /// `ch01_threads`.
    pub chapter: String,
    /// One line in the imperative: "write your first kernel".
    pub goal: String,
    /// Its result.
    pub status: Status,
    /// Points before any penalty, those of bonus gates included: they may be more than `possible`.
    pub points: f64,
    /// The maximum without bonus gates; 0 for an excused student.
    pub possible: f64,
    /// Extra credit: its points count, and its `possible` does not.
    #[serde(default)]
    pub bonus: bool,
    /// What an instructor decided by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<ByHand>,
    /// The student is excused: the exercise does not count, and nothing is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub excused: bool,
    /// When it was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Timestamp>,
    /// Charged days late; a begun day counts whole.
    #[serde(default)]
    pub late_days: u32,
    /// Further days late for which the student's free days were spent.
    #[serde(default)]
    pub free_days: u32,
    /// Points lost for `late_days`.
    #[serde(default)]
    pub penalty: f64,
    /// The file in the submission; `None` when there is none.
    pub file: Option<String>,
    /// Why this file counts, if there are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
    /// The other files, by the order of their submission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Version>,
    /// The verdict that the learner gets for the file: the first that is wrong, or what passed.
    #[serde(serialize_with = "crate::report::serialize_recorded")]
    pub report: Option<Report>,
    /// Whether `report` is about a run with a secret seed.
    #[serde(default)]
    pub report_hidden: bool,
    /// Cases and gates, each with its points.
    pub items: Vec<Item>,
    /// Why the sandbox stopped the code, where it tried something forbidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contained: Option<String>,
    /// Whether it was stopped in runs with a secret seed only. What it tried there may depend on
    /// the secret inputs.
    #[serde(default)]
    pub contained_hidden: bool,
    /// How often grading was retried because the machine failed.
    #[serde(default)]
    pub retries: u32,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// The result of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every case and gate passed, secret cases included.
    Passed,
    /// Some item passed that fails for the file as handed out.
    Partial,
    /// No such item passed.
    Failed,
    /// The submission has no such file.
    Missing,
    /// The machine could not grade it: no points are given or taken, and the grade is not complete.
    NotGraded,
}

impl Status {
    /// As in JSON: "passed", "not-graded".
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Missing => "missing",
            Self::NotGraded => "not-graded",
        }
    }
}

/// A case with one seed, a gate, or the speed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// "five blocks", or of a gate "sectors per request <= 4".
    pub name: String,
    /// Which kind.
    pub kind: Kind,
    /// Whether its seed is secret.
    pub hidden: bool,
    /// How much of a hidden item its student may see.
    pub show: Show,
    /// From when on its student may see all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveal: Option<Timestamp>,
    /// Its result.
    pub outcome: Outcome,
    /// Whether the file as handed out passes it too. It then gives no points, and failing it costs
    /// some.
    #[serde(default)]
    pub given: bool,
    /// Points for it, negative where the file fails an item that it passed as handed out.
    pub points: f64,
    /// The maximum; 0 where the file as handed out already passes it, and for a bonus gate.
    pub possible: f64,
    /// The most extra points of a bonus gate; they are in `points` and never in `possible`.
    #[serde(default)]
    pub extra: f64,
    /// The verdict's stable name: "passed", "shared-race".
    pub slug: String,
    /// One line: what is wrong, or for a gate what was measured.
    pub message: String,
    /// One-based line in the learner's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The command that repeats exactly this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// Wall time in milliseconds.
    #[serde(default)]
    pub millis: u64,
    /// Of a [`Kind::Speed`], how fast the file is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
}

/// How fast a file's kernels are with the exercise's large case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// Their time in seconds.
    pub seconds: f64,
    /// Whether a GPU was timed. If not, these are the least times that the simulator's counts
    /// allow.
    pub measured: bool,
    /// "NVIDIA H200".
    pub gpu: String,
    /// The time of the solution, divided by this time.
    pub of_solution: f64,
    /// The time in which a copy moves the bytes that the exercise has to move, divided by this
    /// time.
    pub of_copy: f64,
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One run with one set of inputs.
    Case,
    /// A count that must hold.
    Gate,
    /// The speed of a right file: extra credit, if the policy gives some for it.
    Speed,
}

/// The result of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It passed.
    Held,
    /// It failed.
    Failed,
    /// It was not run because an earlier result decides: the file does not compile, the exercise's
    /// time is used up, or a gate's case is wrong. It does not count as passed.
    NotRun,
}

/// How much of a hidden item its student sees before `reveal`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Show {
    /// Not even that it exists.
    Nothing,
    /// Whether it passed, and the verdict's name; no values and no seed.
    #[default]
    Verdict,
    /// Everything.
    Everything,
}

/// The sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The sum that counts: points and extra points less penalties, never below 0, rounded to two
    /// digits after the point.
    pub points: f64,
    /// The maximum without extra credit.
    pub possible: f64,
    /// Points from extra credit, contained in `points`.
    pub extra: f64,
    /// Points lost by being late, already taken from `points`.
    pub penalty: f64,
    /// Days late that were charged, free ones included.
    pub late_days: u32,
    /// False while an exercise is [`Status::NotGraded`]: the machine failed, and the grade must not
    /// be used.
    pub complete: bool,
}

/// A remark for an instructor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag {
    /// A stable name: "contained", "look-at" (words in the source that no exercise needs),
    /// "hidden-characters" (which make the source look different), "refused-file", "over-the-cap",
    /// "not-graded".
    pub what: String,
    /// The exercise that it is about, if one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exercise: Option<String>,
    /// One sentence.
    pub detail: String,
}

impl Exercise {
    /// An exercise without a submitted file, before points are assigned.
    pub fn missing(id: &str, chapter: &str, goal: &str) -> Self {
        Self {
            id: id.to_owned(),
            chapter: chapter.to_owned(),
            goal: goal.to_owned(),
            status: Status::Missing,
            points: 0.0,
            possible: 0.0,
            bonus: false,
            by_hand: None,
            excused: false,
            due: None,
            late_days: 0,
            free_days: 0,
            penalty: 0.0,
            file: None,
            counted: None,
            others: vec![],
            report: None,
            report_hidden: false,
            items: vec![],
            contained: None,
            contained_hidden: false,
            retries: 0,
            millis: 0,
        }
    }

    /// Takes out what belongs to the `file` that counts.
    pub fn take_version(&mut self, file: File) -> Version {
        Version {
            file,
            points: 0.0,
            status: self.status,
            report: self.report.take(),
            report_hidden: self.report_hidden,
            items: std::mem::take(&mut self.items),
            contained: self.contained.take(),
            contained_hidden: self.contained_hidden,
            retries: self.retries,
            millis: self.millis,
        }
    }

    /// Makes a file the one that counts.
    pub fn put_version(&mut self, version: Version) -> File {
        let Version {
            file,
            status,
            report,
            report_hidden,
            items,
            contained,
            contained_hidden,
            retries,
            millis,
            ..
        } = version;
        self.file = Some(file.path.clone());
        (self.status, self.report, self.report_hidden) = (status, report, report_hidden);
        (self.items, self.contained, self.retries, self.millis) =
            (items, contained, retries, millis);
        self.contained_hidden = contained_hidden;
        file
    }
}

impl Provenance {
    /// The start of the day on which the grade was made, in the policy's time zone. A more exact
    /// time would reveal how long the runs before it took.
    pub fn start_of_day(&self) -> Timestamp {
        let day = self.at.to_zoned(zone_or_utc(self.zone.as_deref())).start_of_day();
        day.map_or(self.at, |day| day.timestamp())
    }
}

impl Submission {
    /// The submission of a student on the roster who submitted nothing; `at` is when that was first
    /// recorded.
    pub const fn absent(at: Timestamp) -> Self {
        Self {
            source: String::new(),
            hash: String::new(),
            at,
            at_from: TimeFrom::FirstSeen,
            attempt: 0,
            files: vec![],
            group: None,
            ignored: vec![],
        }
    }

    /// Whether the student submitted nothing. An unreadable submission is not absent.
    pub const fn is_absent(&self) -> bool {
        self.attempt == 0 && self.source.is_empty()
    }
}

impl Record {
    /// The record as the student may see it at the moment `now`: hidden items as far as their
    /// [`Show`] goes, no commands that name a seed, nothing of how the grade was made. Points stay
    /// what they are; those of items that are not shown at all are added to one item called
    /// "hidden".
    pub fn for_student(&self, now: Timestamp) -> Self {
        let mut copy = self.clone();
        copy.made.seed = String::new();
        // the time of secret runs depends on secret inputs
        copy.made.seconds = 0.0;
        copy.made.at = copy.made.start_of_day();
        copy.flags = vec![];
        for exercise in &mut copy.exercises {
            exercise.redact(now);
            let items = exercise.items.iter_mut().map(|item| &mut item.again);
            for again in items.chain(exercise.report.as_mut().map(|report| &mut report.again)) {
                *again = again.as_deref().map(without_file_option);
            }
        }
        copy
    }
}

/// The time zone with this name, or UTC if there's none.
pub(crate) fn zone_or_utc(name: Option<&str>) -> TimeZone {
    name.and_then(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC)
}

/// A command without the grader's path of the file, because students run it in a workbook.
pub(crate) fn without_file_option(again: &str) -> String {
    again.split(" --file ").next().unwrap_or(again).to_owned()
}

/// Slug and name of the item that replaces all items whose existence is hidden from students.
const WITHHELD: &str = "hidden";

/// Slug of an item that is not right with secret inputs. Which diagnostic it is may depend on the
/// inputs, so a student could read them from it bit by bit.
const NOT_RIGHT: &str = "not-right";

impl Item {
    /// Whether this replaces hidden items: [`Record::for_student`] merges those with
    /// [`Show::Nothing`] into one, whose outcome has no meaning.
    pub fn is_withheld(&self) -> bool {
        self.hidden && self.show == Show::Nothing && self.slug == WITHHELD
    }
}

impl Exercise {
    fn redact(&mut self, now: Timestamp) {
        for other in &mut self.others {
            // Its time and its points are enough to see why it does not count.
            (other.report, other.report_hidden, other.contained) = (None, false, None);
            (other.items, other.millis) = (vec![], 0);
        }
        let open = |item: &Item| {
            !item.hidden
                || item.show == Show::Everything
                || item.reveal.is_some_and(|reveal| reveal <= now)
        };
        let is_open = self.items.iter().filter(|item| item.hidden).all(open);
        if self.contained_hidden && !is_open {
            self.contained = None;
        }
        if self.report_hidden && !is_open {
            // The verdict may be about an item whose very name is not shown.
            let has_unshown_failure = self.items.iter().any(|item| {
                !open(item) && item.show == Show::Nothing && item.outcome != Outcome::Held
            });
            self.report = self.report.take().map(|_| {
                if has_unshown_failure {
                    let title = "not everything that counts is shown yet".into();
                    Report { slug: WITHHELD.into(), title, ..Report::default() }
                } else {
                    let title =
                        "every case that you can see is right, and one with secret inputs is not";
                    Report { slug: NOT_RIGHT.into(), title: title.into(), ..Report::default() }
                }
            });
        }
        if !self.items.iter().all(open) {
            self.millis = self.items.iter().filter(|item| open(item)).map(|item| item.millis).sum();
        }
        let mut rest: Option<Item> = None;
        for mut item in std::mem::take(&mut self.items) {
            if open(&item) {
                self.items.push(item);
                continue;
            }
            item.again = None;
            item.line = None;
            item.millis = 0;
            let (slug, message) = match item.outcome {
                // measured with public inputs
                Outcome::Held if item.kind == Kind::Gate => ("passed", item.message.as_str()),
                Outcome::Held => ("passed", "passed"),
                Outcome::Failed if item.kind == Kind::Gate => {
                    (NOT_RIGHT, "not held with secret inputs")
                }
                Outcome::Failed => (NOT_RIGHT, "not right with secret inputs"),
                Outcome::NotRun => ("not-run", "not run"),
            };
            (item.slug, item.message) = (slug.into(), message.to_owned());
            match (item.show, &mut rest) {
                (Show::Nothing, Some(rest)) => {
                    rest.points += item.points;
                    rest.possible += item.possible;
                    rest.extra += item.extra;
                }
                (Show::Nothing, none) => {
                    let hidden = Item {
                        name: WITHHELD.into(),
                        message: "not shown".into(),
                        slug: WITHHELD.into(),
                        kind: Kind::Case,
                        reveal: None,
                        given: false,
                        outcome: Outcome::NotRun,
                        ..item
                    };
                    *none = Some(hidden);
                }
                _ => self.items.push(item),
            }
        }
        self.items.extend(rest);
    }
}

#[cfg(test)]
mod tests {
    use reports::report::Span;

    use super::*;

    /// A student can repeat a failure in a workbook, and the command does not reveal the grader's
    /// folders.
    #[test]
    fn commands_for_students_name_no_file() {
        let again =
            "checker check blocks --case 'five blocks' --seed 7 --file '/home/ada/out/b.cu'";
        assert_eq!(
            without_file_option(again),
            "checker check blocks --case 'five blocks' --seed 7"
        );
    }

    fn report() -> Report<&'static str> {
        Report {
            exercise: "guard".into(),
            slug: "out-of-bounds-write",
            passed: false,
            title: "thread 5 writes out[5]".into(),
            file: "exercises/ch01_threads/guard.cu".into(),
            case: Some("case `five`".into()),
            spans: vec![Span {
                line: 4,
                column: 2,
                length: 3,
                label: "here".into(),
                primary: true,
            }],
            table: vec![vec!["i".into(), "out".into()]],
            notes: vec!["out has 5 elements".into()],
            think: Some("why?".into()),
            learn: Some("the book".into()),
            trace: Some("checker trace guard".into()),
            again: Some("checker check guard".into()),
            program: true,
            printed: Some("hello".into()),
            device: "simulator".into(),
            millis: 12,
        }
    }

    /// A record keeps twelve fields of a report, and reads back what it wrote.
    #[test]
    fn a_record_keeps_the_fields_that_explain_the_grade() {
        let exercise = Exercise {
            report: Some(report().into_recorded()),
            ..Exercise::missing("guard", "ch01_threads", "add a guard")
        };
        let written = serde_json::to_value(&exercise).unwrap();
        let expected = r#"{"slug":"out-of-bounds-write","passed":false,"title":"thread 5 writes out[5]","case":"case `five`","spans":[{"line":4,"column":2,"length":3,"label":"here","primary":true}],"table":[["i","out"]],"notes":["out has 5 elements"],"think":"why?","learn":"the book","again":"checker check guard","printed":"hello","device":"simulator"}"#;
        assert!(serde_json::to_string(&exercise).unwrap().contains(expected));
        assert_eq!(serde_json::from_value::<Exercise>(written).unwrap(), exercise);
    }

    /// Records of earlier versions lack fields, or have no report.
    #[test]
    fn old_records_are_read() {
        let mut json =
            serde_json::to_value(Exercise::missing("guard", "ch01_threads", "")).unwrap();
        json["report"] =
            serde_json::json!({"slug": "passed", "passed": true, "spans": [{"line": 3}]});
        let report = serde_json::from_value::<Exercise>(json.clone()).unwrap().report.unwrap();
        assert_eq!(
            (report.slug.as_str(), report.passed, report.spans[0].line),
            ("passed", true, 3)
        );
        json.as_object_mut().unwrap().remove("report");
        assert_eq!(serde_json::from_value::<Exercise>(json).unwrap().report, None);
    }
}
