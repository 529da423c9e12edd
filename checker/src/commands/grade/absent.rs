//! Records of students on the roster without a submission, so that the class's tables have a row
//! for every student.

use std::time::Duration;

use grading::record::Submission;
use grading::store;
use jiff::Timestamp;

use super::GradingSession;
use super::progress::Progress;
use super::reports::names;
use crate::exercises;
use crate::grade::{self, Job};

impl GradingSession<'_> {
    /// Writes the records of absent students. A student who was graded before keeps that grade,
    /// because a submission that disappeared is for an instructor to look at and costs no points by
    /// itself.
    pub(super) fn record_absent(&self, progress: &Progress) -> Result<(), store::Error> {
        let now = Timestamp::now();
        let wanted = self.released(now);
        let current = self.grade_inputs("", &wanted, None);
        let mut gone = vec![];
        for id in &self.inputs.absent {
            let before = self.previous_record(id, progress);
            let at = match &before {
                Some(before) if !before.submission.is_absent() => {
                    gone.push(id.as_str());
                    continue;
                }
                Some(before) if current.is_current(before) && !self.args.again => continue,
                before => before.as_ref().map_or(now, |before| before.submission.at),
            };
            let (submission, flags) = (Submission::absent(at), vec![]);
            let job = Job { student: id.clone(), submission, flags, exercises: vec![] };
            let specs = exercises::all().iter().filter(|spec| wanted.contains(&spec.id));
            let blank = specs.map(|spec| grade::blank_exercise(spec)).collect();
            self.store.write(&self.record(job, blank, String::new(), Duration::ZERO))?;
        }
        if !gone.is_empty() {
            let (are, their) = if gone.len() == 1 { ("is", "its") } else { ("are", "their") };
            progress.note(&format!(
                "graded before, and {are} not among the submissions now: {}; {their} last grade stays",
                names(&gone)
            ));
        }
        Ok(())
    }
}
