//! The grading policy, `grading.toml`: points, due dates, late days and hidden runs.
//!
//! `policy/example.toml` has all keys with example values, and comments give the defaults.
//!
//! A time is a day and a time of day: as TOML has them, or as text with an offset (`-07:00`, `Z`)
//! or a zone (`[Europe/Berlin]`). A key of an exercise overrides its chapter's, which overrides the
//! class's. An unknown key is an error, because a misspelt key would otherwise change grades
//! silently.

pub mod bank;
pub(crate) mod file;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::course::Course;
use crate::record::{LateDays, Show, Speed, SpentDays};
use crate::seed;

/// How a class is graded.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// "CS 149, assignment 1".
    pub title: String,
    /// SHA-256 of the file, in hexadecimal; empty without one.
    pub hash: String,
    /// The required exercises with their rules, in the course's order.
    pub rules: Vec<Rule>,
    /// The cost of late submissions.
    pub late: Late,
    /// How secret cases are run and shown.
    pub hidden: Hidden,
    /// The maximum number of different submissions of a student that are graded.
    pub attempts: Option<u32>,
    /// Which of several files for an exercise counts.
    pub counts: Counts,
    /// Exceptions for single students, by their ids.
    pub students: BTreeMap<String, Exception>,
    /// Whether `speed.csv` orders the students by their speed.
    pub leaderboard: bool,
    /// The free days that students spent in earlier assignments ([`bank`]).
    pub spent: BTreeMap<String, Vec<SpentDays>>,
    /// The zone in which days are counted; UTC without one.
    zone: Option<TimeZone>,
}

/// How one exercise counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// `blocks`.
    pub exercise: String,
    /// The maximum of points.
    pub points: f64,
    /// The due date of students without an exception.
    pub due: Option<Timestamp>,
    /// The time from which it is graded.
    pub release: Option<Timestamp>,
    /// Its points are extra.
    pub bonus: bool,
    /// Whether a partly right file gets a part of the points.
    pub partial: bool,
    /// The weights of its items.
    pub weights: Weights,
    /// Extra points for all its gates together; above 0 they have no weight.
    pub gate_bonus: f64,
    /// Extra points for the speed of its kernels.
    pub speed: Option<SpeedRule>,
}

impl Rule {
    /// The most extra points of the exercise.
    pub fn extra(&self) -> f64 {
        self.gate_bonus + self.speed.map_or(0.0, |speed| speed.bonus)
    }
}

/// How the speed of an exercise's kernels gives extra points. Between the two shares, points grow
/// with the share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedRule {
    /// The most points.
    pub bonus: f64,
    /// What the speed is a share of.
    pub of: SpeedOf,
    /// A share up to this one gives no points.
    pub none: f64,
    /// This share, or a greater one, gives all points.
    pub full: f64,
}

impl SpeedRule {
    /// The points for a speed.
    pub fn points(&self, speed: &Speed) -> f64 {
        let share = match self.of {
            SpeedOf::Solution => speed.of_solution,
            SpeedOf::Copy => speed.of_copy,
        };
        self.bonus * ((share - self.none) / (self.full - self.none)).clamp(0.0, 1.0)
    }
}

/// What the speed of a file is a share of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SpeedOf {
    /// The solution's speed, timed in the same run.
    #[default]
    Solution,
    /// The speed at which a copy moves the bytes that the exercise has to move.
    Copy,
}

/// The weight of one item of each kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// A case that learners have.
    pub visible: f64,
    /// A case with a secret seed.
    pub hidden: f64,
    /// A gate. Without it, the gates of an exercise together weigh as much as its cases together
    /// ([`crate::points`]).
    pub gate: Option<f64>,
}

/// The cost of late submissions.
#[derive(Debug, Clone, PartialEq)]
pub struct Late {
    /// Free late days of a student for all due dates together.
    pub free_days: u32,
    /// A delay of at most this many minutes is not late.
    pub grace_minutes: u32,
    /// Fraction that each begun day costs.
    pub penalty: f64,
    /// The points that `penalty` is a fraction of.
    pub of: PenaltyBase,
    /// The maximum penalty for all days together, as a fraction.
    pub most: f64,
    /// An exercise more days late gives no points.
    pub cutoff_days: Option<u32>,
    /// The output folders of earlier assignments whose free days count together with this one's;
    /// `None` when the free days are this assignment's own.
    pub earlier: Option<Vec<EarlierFolder>>,
}

/// An output folder of an earlier assignment, as the policy names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierFolder {
    /// Relative to the folder of the policy's file.
    pub path: String,
    /// The line of the policy that names it.
    pub line: usize,
}

/// Which of several files that a student submitted for an exercise counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Counts {
    /// The last one; the others are not run.
    #[default]
    Last,
    /// The last one that was in time; when none was, the last one.
    LastOnTime,
    /// The one that gives the most points after what its days late cost.
    Best,
}

/// The points that a penalty is a fraction of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PenaltyBase {
    /// The exercise's points: a day costs every student the same.
    Possible,
    /// The points that the student has.
    Earned,
}

/// How secret cases are run and shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// Runs of each case.
    pub seeds: u32,
    /// How much a student sees of them before `until`.
    pub show: Show,
    /// The time from which a student sees everything.
    pub until: Option<Timestamp>,
}

/// Exceptions for one student.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exception {
    /// The earliest due date.
    pub due: Option<Timestamp>,
    /// Added to every due date.
    pub extension_days: u32,
    /// Free late days, instead of the class's.
    pub free_days: Option<u32>,
    /// Exercises that the student is excused from.
    pub excused: BTreeSet<String>,
}

/// Everything that is wrong with a policy file: a line for each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Error(pub Vec<Problem>);

/// One thing that is wrong with a policy file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Problem {
    /// One-based.
    pub line: usize,
    /// The problem and a way out.
    pub what: String,
}

impl Policy {
    /// The policy that a file's text describes.
    ///
    /// # Errors
    /// All its problems by line; put the file's name before each.
    pub fn parse(text: &str, course: &Course) -> Result<Self, Error> {
        file::parse(text, course)
    }

    /// The policy without a file: 10 points for each exercise of the course and no due dates.
    pub fn without_file(course: &Course) -> Self {
        // An empty text has no line that could be wrong.
        let policy = file::parse("", course).unwrap_or_else(|_| Self::of_nothing());
        Self { hash: String::new(), ..policy }
    }

    /// The zone of times without one, if the file names it.
    pub fn zone(&self) -> Option<&TimeZone> {
        self.zone.as_ref()
    }

    fn of_nothing() -> Self {
        Self {
            title: "grades".to_owned(),
            hash: seed::sha256(b""),
            rules: vec![],
            late: Late {
                free_days: 0,
                grace_minutes: 0,
                penalty: 0.0,
                of: PenaltyBase::Possible,
                most: 1.0,
                cutoff_days: None,
                earlier: None,
            },
            hidden: Hidden { seeds: 1, show: Show::Verdict, until: None },
            attempts: None,
            counts: Counts::Last,
            leaderboard: false,
            students: BTreeMap::new(),
            spent: BTreeMap::new(),
            zone: None,
        }
    }

    /// The rules of an exercise; `None` when it is not required.
    pub fn rule(&self, exercise: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.exercise == exercise)
    }

    /// The exercises that are graded at the moment `now`, in the course's order.
    pub fn released(&self, now: Timestamp) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.release.is_none_or(|release| release <= now))
    }

    /// When an exercise is due for a student: its own date and the student's extension, or the
    /// student's date, whichever is later.
    pub fn due(&self, exercise: &str, student: &str) -> Option<Timestamp> {
        let due = self.rule(exercise)?.due?;
        let Some(exception) = self.students.get(student) else { return Some(due) };
        Some(self.days_after(due, exception.extension_days).max(exception.due.unwrap_or(due)))
    }

    /// The free days that a student can spend in this assignment.
    pub fn free_days(&self, student: &str) -> u32 {
        self.late_days(student).before()
    }

    /// The free days of a student, and what earlier assignments took of them.
    pub fn late_days(&self, student: &str) -> LateDays {
        let own = self.students.get(student).and_then(|one| one.free_days);
        let earlier = self.spent.get(student).cloned().unwrap_or_default();
        LateDays { free: own.unwrap_or(self.late.free_days), earlier, here: 0 }
    }

    /// Whether a student is excused from an exercise.
    pub fn is_excused(&self, exercise: &str, student: &str) -> bool {
        self.students.get(student).is_some_and(|one| one.excused.contains(exercise))
    }

    /// Begun days between `due` and `at`; 0 within the grace. A day ends at the same time of the
    /// clock, also when clocks are changed.
    pub fn days_late(&self, due: Timestamp, at: Timestamp) -> u32 {
        let seconds = at.as_second().saturating_sub(due.as_second());
        if at <= due || seconds <= i64::from(self.late.grace_minutes) * 60 {
            return 0;
        }
        // Counting hours gives one day too many after a day of 25 hours.
        let days =
            u32::try_from(seconds.unsigned_abs().div_ceil(86_400)).unwrap_or(u32::MAX).max(1);
        if days > 1 && self.days_after(due, days - 1) >= at { days - 1 } else { days }
    }

    fn days_after(&self, at: Timestamp, days: u32) -> Timestamp {
        Span::new()
            .try_days(days)
            .and_then(|days| {
                at.to_zoned(self.zone.clone().unwrap_or(TimeZone::UTC)).checked_add(days)
            })
            .map_or(at, |later| later.timestamp())
    }
}

/// The name among `names` that is most similar to `name`, if one is similar enough.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase().replace('-', "_");
    let distance = |other: &str| strsim::damerau_levenshtein(&wanted, other);
    let near = |other: &&str| distance(other) <= 1 + other.chars().count() / 4;
    // The name may be hostile and long, and the comparison takes the product of both lengths.
    if wanted.len() > 100 {
        return None;
    }
    names.into_iter().filter(near).min_by_key(|other| distance(other))
}
