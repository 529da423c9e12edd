//! Decides what a submission needs: nothing, other points, or runs.

use grading::record::{File, Record};
use grading::store::{Arrival, Inputs as Current};
use grading::submission::{SubmissionPath, Submitted, SubmittedFile};
use jiff::Timestamp;

use super::GradingSession;

/// What grading a submission means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Its record is current.
    Keep,
    /// It is one more than are graded, so the record stays.
    Refuse {
        /// The most submissions that are graded.
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
    pub files: Vec<File>,
    /// The exercises that the policy asks for at this moment.
    pub wanted: Vec<&'a str>,
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
        stated: Option<Timestamp>,
    ) -> Current<'b> {
        Current {
            submission,
            course: &self.made.course,
            policy: &self.made.policy,
            checker: &self.made.checker,
            seed: &self.made.seed,
            rounds: self.made.rounds,
            exercises,
            stated,
        }
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
        let mut files: Vec<File> = submitted.files.iter().map(SubmittedFile::to_record).collect();
        let assumed = self.args.assume_on_time;
        let arrival = Arrival::of(before, &submitted.hash, stated, now, &mut files, assumed);
        let current = self.grade_inputs(&submitted.hash, &wanted, stated);
        let action = match (before, self.inputs.policy.attempts) {
            (Some(before), _) if !self.args.again && current.is_current(before) => Action::Keep,
            (Some(_), Some(most)) if arrival.is_over(Some(most)) => Action::Refuse { most },
            (Some(before), _) if !self.args.again && current.has_same_runs(before) => Action::Score,
            _ => Action::Run,
        };
        Decision { action, arrival, files, wanted }
    }
}
