//! Who is on the roster and handed in nothing: a record says so, and the class's tables have a row for everybody.

use std::time::Duration;

use grading::record::Submission;
use grading::store;
use jiff::Timestamp;

use super::Desk;
use super::progress::Progress;
use super::reports::names;
use crate::exercises;
use crate::grade::{self, Job};

impl Desk<'_> {
    /// Writes the records of those who handed in nothing. Who was graded before keeps that grade: a submission that is not there
    /// any more is for somebody to look at, and takes no points by itself.
    pub(super) fn absent(&self, progress: &Progress) -> Result<(), store::Error> {
        let now = Timestamp::now();
        let wanted = self.wanted(now);
        let current = self.current("", &wanted, None);
        let mut gone = vec![];
        for id in &self.inputs.absent {
            let before = self.before(id, progress);
            let at = match &before {
                Some(before) if !before.submission.is_nothing() => {
                    gone.push(id.as_str());
                    continue;
                }
                Some(before) if current.is_current(before) && !self.args.again => continue,
                before => before.as_ref().map_or(now, |before| before.submission.at),
            };
            let (submission, flags) = (Submission::nothing(at), vec![]);
            let job = Job { student: id.clone(), submission, flags, exercises: vec![] };
            let specs = exercises::all().iter().filter(|spec| wanted.contains(&spec.id));
            let blank = specs.map(|spec| grade::blank(spec)).collect();
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
