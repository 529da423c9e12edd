//! Records of students on the roster without a submission, so that the class's tables have a row
//! for every student.

use std::time::Duration;

use grading::record::{Flag, Record, Submission};
use grading::store;
use jiff::Timestamp;

use super::GradingSession;
use super::progress::Progress;
use super::reports::names;
use crate::grade::{self, Job};
use checker::exercises;

impl GradingSession<'_> {
    /// Writes the records of students on the roster whose submission cannot be chosen or opened.
    pub(super) fn record_refused(&self) -> Result<(), store::Error> {
        let now = Timestamp::now();
        let wanted = self.released(now);
        let roster = self.inputs.roster.as_ref();
        let on_roster = |id: &str| roster.is_some_and(|roster| roster.entry(id).is_some());
        for refused in self.inputs.refused.iter().filter(|refused| on_roster(&refused.id)) {
            let flag =
                Flag { what: "refused".into(), exercise: None, detail: refused.line.clone() };
            // an earlier grade stays, because nothing shows that it is wrong
            if self.store.read(&refused.id).is_ok_and(|before| before.is_some()) {
                continue;
            }
            let submission = Submission { source: refused.id.clone(), ..Submission::absent(now) };
            self.store.write(&self.blank_record(&refused.id, submission, &wanted, vec![flag]))?;
        }
        Ok(())
    }

    /// A record in which every exercise is missing.
    fn blank_record(
        &self,
        id: &str,
        submission: Submission,
        wanted: &[&str],
        flags: Vec<Flag>,
    ) -> Record {
        let job = Job { student: id.to_owned(), submission, flags, exercises: vec![] };
        let specs = exercises::all().iter().filter(|spec| wanted.contains(&spec.id));
        let blank = specs.map(|spec| grade::blank_exercise(spec)).collect();
        self.record(job, blank, String::new(), Duration::ZERO)
    }

    /// Writes the records of absent students. A student who was graded before keeps that grade,
    /// because a submission that disappeared is for an instructor to look at and costs no points by
    /// itself.
    pub(super) fn record_absent(&self, progress: &Progress) -> Result<(), store::Error> {
        let now = Timestamp::now();
        let wanted = self.released(now);
        let current = self.grade_inputs("", &wanted);
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
            self.store.write(&self.blank_record(id, Submission::absent(at), &wanted, vec![]))?;
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
