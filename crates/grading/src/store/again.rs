//! Grading again: which submissions can be skipped, and which facts must not change.

use jiff::Timestamp;

use crate::record::{File, Flag, Group, Record, TimeFrom};

/// The inputs that determine a grade.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs<'a> {
    /// [`crate::submission::Submitted::hash`].
    pub submission: &'a str,
    /// [`crate::course::Course::hash`].
    pub course: &'a str,
    /// [`crate::policy::Policy::hash`].
    pub policy: &'a str,
    /// [`crate::record::Provenance::checker`].
    pub checker: &'a str,
    /// [`crate::seed::Secret::commitment`], or empty.
    pub seed: &'a str,
    /// [`crate::record::Provenance::rounds`].
    pub rounds: u32,
    /// The exercises that are asked for at this moment: a release date adds some without a change
    /// of the policy.
    pub exercises: &'a [&'a str],
    /// The submission time, if the roster or the command line states it.
    pub stated: Option<Timestamp>,
    /// The files to run, those that may not count included.
    pub files: &'a [File],
    /// The group that submitted it.
    pub group: Option<&'a Group>,
}

impl Inputs<'_> {
    /// Whether the runs that a record contains are those that grading again would make, so that
    /// another policy or time needs only other points. The record may have more exercises.
    pub fn has_same_runs(&self, record: &Record) -> bool {
        let made = &record.made;
        let here = [self.submission, self.course, self.checker, self.seed];
        let there = [&record.submission.hash, &made.course, &made.checker, &made.seed];
        let has = |wanted: &&str| record.exercises.iter().any(|exercise| exercise.id == *wanted);
        let is_asked = |file: &&File| self.exercises.contains(&file.exercise.as_str());
        let has_run = |file: &File| known_files(record).any(|known| is_same(known, file));
        here.iter().zip(there).all(|(here, there)| here == there)
            && self.rounds == made.rounds
            && self.exercises.iter().all(has)
            && self.files.iter().filter(is_asked).all(has_run)
            && record.score.complete
    }

    /// Whether a record is what grading again would give. A record that the machine left incomplete
    /// never is.
    pub fn is_current(&self, record: &Record) -> bool {
        let made = &record.made;
        let here = [self.submission, self.course, self.policy, self.checker, self.seed];
        let there =
            [&record.submission.hash, &made.course, &made.policy, &made.checker, &made.seed];
        here.iter().zip(there).all(|(here, there)| here == there)
            && self.exercises.iter().eq(record.exercises.iter().map(|exercise| &exercise.id))
            && self.stated.is_none_or(|stated| stated == record.submission.at)
            && self.group == record.submission.group.as_ref()
            && record.score.complete
    }
}

/// All files of a record, those that do not count included.
pub fn known_files(record: &Record) -> impl Iterator<Item = &File> {
    let others = record.exercises.iter().flat_map(|exercise| &exercise.others);
    record.submission.files.iter().chain(others.map(|version| &version.file))
}

/// Whether both are the same text for the same exercise.
pub fn is_same(one: &File, other: &File) -> bool {
    one.exercise == other.exercise && one.hash == other.hash
}

/// When a submission arrived, and its number among the student's submissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// For [`crate::record::Submission::at`].
    pub at: Timestamp,
    /// For [`crate::record::Submission::at_from`].
    pub at_from: TimeFrom,
    /// For [`crate::record::Submission::attempt`].
    pub attempt: u32,
}

/// When a new or changed submission arrived for which no time is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unstated {
    /// At this moment, in which it was first read.
    Now(Timestamp),
    /// At the time that the instructor gives for all of them. A submission that is recorded with
    /// the same bytes moves to it only where it is earlier.
    At(Timestamp),
    /// It was read at this moment, and counts as on time.
    OnTime(Timestamp),
}

impl Arrival {
    /// The arrival of the submission `hash` at the moment `now`; `previous` is the student's
    /// record, if there is one.
    ///
    /// A `stated` time takes precedence. Without one, a submission that has a record keeps the time
    /// that stands there, so that grading again makes no student late; a new submission arrived
    /// when `unstated` says. Each change of the hash is a further attempt.
    ///
    /// Sets [`File::at`] of the `files` that the student handed in before.
    pub fn of(
        previous: Option<&Record>,
        hash: &str,
        stated: Option<Timestamp>,
        unstated: Unstated,
        files: &mut [File],
    ) -> Self {
        let same = previous.map(|record| &record.submission).filter(|old| old.hash == hash);
        let attempts = previous.map_or(0, |record| record.submission.attempt);
        let attempt = if same.is_some() { attempts.max(1) } else { attempts.saturating_add(1) };
        let (at, at_from) = match (stated, same) {
            (Some(stated), _) => (stated, TimeFrom::Stated),
            (None, Some(same)) => match unstated {
                // the instructor knows it better than the clock of the first run, and a time that
                // makes a recorded submission late is about others
                Unstated::At(at) if same.at_from != TimeFrom::Assumed && at < same.at => {
                    (at, TimeFrom::Stated)
                }
                _ => (same.at, same.at_from),
            },
            (None, None) => match unstated {
                Unstated::At(at) => (at, TimeFrom::Stated),
                Unstated::Now(now) => (now, TimeFrom::FirstSeen),
                Unstated::OnTime(now) => (now, TimeFrom::Assumed),
            },
        };
        for file in files {
            let old = previous.and_then(|record| {
                let old = known_files(record).find(|old| is_same(old, file))?;
                // For the same submission, only files that were already dated earlier keep their
                // time.
                old.at.or_else(|| same.is_none().then_some(record.submission.at))
            });
            file.at = old.into_iter().chain(file.at).min().filter(|earlier| *earlier < at);
        }
        Self { at, at_from, attempt }
    }

    /// Whether this is one submission more than are graded: the previous record stays then, see
    /// [`over_the_cap`].
    pub fn is_over(&self, cap: Option<u32>) -> bool {
        cap.is_some_and(|cap| self.attempt > cap)
    }
}

/// The record that stays when a student hands in more often than is graded: as it was, with a flag
/// that says so.
pub fn over_the_cap(mut previous: Record, cap: u32) -> Record {
    let what = "over-the-cap";
    previous.flags.retain(|flag| flag.what != what);
    let detail = format!(
        "a later submission was not graded: {cap} are the most, and this grade is of number {}",
        previous.submission.attempt
    );
    previous.flags.push(Flag { what: what.to_owned(), exercise: None, detail });
    previous
}
