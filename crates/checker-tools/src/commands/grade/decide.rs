//! Decides what a submission needs: nothing, other points, or runs.

use std::path::{Path, PathBuf};

use grading::policy::Counts;
use grading::record::{Exercise, File, Flag, Item, Kind, Record, Status};
use grading::store::{Arrival, Inputs as Current, Unstated};
use grading::submission::{SubmissionPath, Submitted};
use jiff::Timestamp;

use super::GradingSession;
use super::versions::{Version, Versions};

/// What grading a submission means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Its record is current.
    Keep,
    /// It exceeds the limit of submissions, so the record stays.
    Refuse {
        /// Maximum number of submissions.
        most: u32,
    },
    /// Its record has the runs, and needs points by other rules.
    Score,
    /// Its exercises are run.
    Run,
}

/// What to do with a submission, and what is known about it by then.
pub(super) struct Decision<'a> {
    pub action: Action,
    pub arrival: Arrival,
    pub files: Vec<Version>,
    /// Other files for the same exercises, one of which may count.
    pub versions: Vec<Version>,
    /// The exercises that the policy asks for at this moment.
    pub wanted: Vec<&'a str>,
    /// Remarks that are known before anything runs.
    pub flags: Vec<Flag>,
}

/// The remark that a student's files come from another folder than those that were graded before.
pub(super) const OTHER_FOLDER: &str = "other-folder";

/// Kinds of remarks about a submission as it was found; all others are about its runs.
const OF_INTAKE: [&str; 12] = [
    OTHER_FOLDER,
    "refused",
    "refused-file",
    "unread-file",
    "unclear-file",
    "other-file",
    "changed-file",
    "ignored-file",
    "late",
    "not-on-the-roster",
    "similar-id",
    "missing-files",
];

/// Whether a remark is about a submission as it was found.
pub(super) fn is_of_intake(flag: &Flag) -> bool {
    OF_INTAKE.contains(&flag.what.as_str())
}

/// Whether a record has other remarks about the submission than these.
fn has_other_flags(before: &Record, flags: &[Flag]) -> bool {
    let mut old = before.flags.iter().filter(|flag| is_of_intake(flag));
    old.any(|flag| !flags.contains(flag)) || flags.iter().any(|flag| !before.flags.contains(flag))
}

/// The folder in which a submission lies.
fn folder(submission: &Path) -> PathBuf {
    let path = submission.canonicalize().unwrap_or_else(|_| submission.to_owned());
    path.parent().unwrap_or(&path).to_owned()
}

impl GradingSession<'_> {
    /// The exercises that the policy asks for at this moment.
    pub(super) fn released(&self, now: Timestamp) -> Vec<&str> {
        self.inputs.policy.released(now).map(|rule| rule.exercise.as_str()).collect()
    }

    /// What the grade of a submission depends on.
    pub(super) fn grade_inputs<'b>(
        &'b self,
        submission: &'b str,
        exercises: &'b [&'b str],
    ) -> Current<'b> {
        Current {
            submission,
            course: &self.made.course,
            policy: &self.made.policy,
            checker: &self.made.checker,
            seed: &self.made.seed,
            rounds: self.made.rounds,
            exercises,
            stated: None,
            files: &[],
            group: None,
        }
    }

    /// Remarks about a submission as it was found.
    fn flags(
        &self,
        place: &SubmissionPath,
        submitted: &Submitted,
        versions: &[Version],
    ) -> Vec<Flag> {
        let mut flags = submitted.notes.clone();
        if self.inputs.policy.counts != Counts::Last {
            // these are graded, too
            let graded = |flag: &Flag| {
                let is = |path: &str| flag.detail.starts_with(&format!("`{path}` was not graded"));
                versions.iter().any(|version| is(&version.file.path))
            };
            flags.retain(|flag| flag.what != "other-file" || !graded(flag));
        }
        let flag = |what: &str, detail: String| Flag { what: what.into(), exercise: None, detail };
        flags.extend(place.doubts.iter().map(|line| flag("unclear-file", line.clone())));
        if place.late {
            flags.push(flag("late", "the platform marks this submission as late".to_owned()));
        }
        let roster = self.inputs.roster.as_ref();
        if roster.is_some_and(|roster| roster.entry(&place.id).is_none()) {
            let detail = "the roster has no student with this id".to_owned();
            flags.push(flag("not-on-the-roster", detail));
        }
        flags
    }

    /// A remark that this submission replaces one with other files from another folder, as when a
    /// student's own folder was taken for a class. It stays as long as the files do.
    fn other_folder(
        &self,
        place: &SubmissionPath,
        submitted: &Submitted,
        before: &Record,
    ) -> Option<Flag> {
        if before.submission.hash == submitted.hash {
            return before.flags.iter().find(|flag| flag.what == OTHER_FOLDER).cloned();
        }
        let old = Path::new(&before.submission.source);
        let new = &place.parts.first()?.path;
        let of_platform = self.args.from.is_some() || self.args.id_pattern.is_some();
        if of_platform || before.submission.files.is_empty() || folder(old) == folder(new) {
            return None;
        }
        let detail = format!(
            "the files of `{}` took the place of those of `{}`, which were graded before",
            place.shown(),
            before.submission.source
        );
        Some(Flag { what: OTHER_FOLDER.to_owned(), exercise: None, detail })
    }

    /// Whether the policy gives points for speeds that a record lacks.
    fn lacks_speeds(&self, record: &Record) -> bool {
        let is_timed = |exercise: &Exercise| {
            let rule = self.inputs.policy.rule(&exercise.id);
            rule.is_some_and(|rule| rule.speed.is_some())
        };
        let lacks = |items: &[Item], status: Status| {
            status == Status::Passed && !items.iter().any(|item| item.kind == Kind::Speed)
        };
        record.exercises.iter().filter(|exercise| is_timed(exercise)).any(|exercise| {
            lacks(&exercise.items, exercise.status)
                || exercise.others.iter().any(|other| lacks(&other.items, other.status))
        })
    }

    /// Decides about a submission; `before` is the student's record, if there is one.
    pub(super) fn decide(
        &self,
        place: &SubmissionPath,
        submitted: &Submitted,
        before: Option<&Record>,
        now: Timestamp,
    ) -> Decision<'_> {
        let wanted = self.released(now);
        let stated = self.inputs.stated_time(place);
        let Versions { last: mut files, others: mut versions } =
            self.versions(&place.id, submitted, before);
        let mut all: Vec<File> =
            files.iter().chain(&versions).map(|version| version.file.clone()).collect();
        let unstated = match self.inputs.at {
            Some(at) => Unstated::At(at),
            None if self.args.assume_on_time => Unstated::OnTime(now),
            None => Unstated::Now(now),
        };
        let arrival = Arrival::of(before, &submitted.hash, stated, unstated, &mut all);
        let current = Current {
            stated: Some(arrival.at),
            files: &all,
            group: place.group.as_ref(),
            ..self.grade_inputs(&submitted.hash, &wanted)
        };
        let mut flags = self.flags(place, submitted, &versions);
        flags.extend(before.and_then(|before| self.other_folder(place, submitted, before)));
        let action = match (before, self.inputs.policy.attempts) {
            (Some(before), _) if !self.args.again && current.is_current(before) => {
                if has_other_flags(before, &flags) {
                    Action::Score
                } else {
                    Action::Keep
                }
            }
            (Some(_), Some(most)) if arrival.is_over(Some(most)) => Action::Refuse { most },
            (Some(before), _)
                if !self.args.again
                    && current.has_same_runs(before)
                    && !self.lacks_speeds(before) =>
            {
                Action::Score
            }
            _ => Action::Run,
        };
        let mut dated = all.into_iter();
        for (own, file) in files.iter_mut().zip(dated.by_ref()) {
            own.file = file;
        }
        for (version, file) in versions.iter_mut().zip(dated) {
            version.file = File { at: Some(file.at.unwrap_or(arrival.at)), ..file };
        }
        Decision { action, arrival, files, versions, wanted, flags }
    }
}
