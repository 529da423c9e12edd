//! Records of students on the roster without a submission, so that the class's tables have a row
//! for every student.

use std::collections::BTreeMap;
use std::time::Duration;

use grading::record::{Flag, Record, Submission};
use grading::store;
use jiff::Timestamp;

use super::GradingSession;
use super::progress::Progress;
use super::reports::names;
use crate::grade::{self, Job};
use checker::exercises;

/// What students read if an instructor has to look at their files.
const NOT_CERTAIN: &str =
    "a submission that could not be opened, or whose name does not identify the student";

impl GradingSession<'_> {
    /// Writes the records of students on the roster whose submission cannot be chosen or opened, or
    /// may be another student's.
    pub(super) fn record_refused(&self) -> Result<(), store::Error> {
        let now = Timestamp::now();
        let wanted = self.released(now);
        let roster = self.inputs.roster.as_ref();
        let on_roster = |id: &&str| roster.is_some_and(|roster| roster.entry(id).is_some());
        for id in self.inputs.refused_ids().into_iter().filter(on_roster) {
            let refused = self.inputs.refused.iter().filter(|refused| refused.id == id);
            let flag = |line: &String| Flag {
                what: "refused".into(),
                exercise: None,
                detail: line.clone(),
            };
            let flags: Vec<Flag> = refused.map(|refused| flag(&refused.line)).collect();
            let before = self.store.read(id).ok().flatten();
            // An earlier grade stays, because nothing shows that it is wrong.
            if let Some(mut before) = before.filter(|before| !before.submission.files.is_empty()) {
                let new: Vec<Flag> =
                    flags.into_iter().filter(|flag| !before.flags.contains(flag)).collect();
                if !new.is_empty() {
                    before.flags.extend(new);
                    self.store.write(&before)?;
                }
                continue;
            }
            // The lines have paths of the instructor, and names of other students.
            let ignored = vec![NOT_CERTAIN.to_owned()];
            let submission =
                Submission { source: id.to_owned(), ignored, ..Submission::absent(now) };
            self.store.write(&self.blank_record(id, submission, &wanted, flags))?;
        }
        Ok(())
    }

    /// Remarks about students without a submission, by their ids: another id may be theirs.
    fn similar_ids(&self) -> BTreeMap<String, Vec<Flag>> {
        let mut flags: BTreeMap<String, Vec<Flag>> = BTreeMap::new();
        let Some(roster) = &self.inputs.roster else { return flags };
        let both = roster.match_up(self.inputs.places.iter().map(|place| place.id.as_str()));
        for unknown in &both.unknown {
            let Some(meant) = unknown.meant else { continue };
            let detail = format!(
                "nothing was submitted under this id, and `{}` is not on the roster: the two may be the same",
                unknown.id
            );
            let flag = Flag { what: "similar-id".into(), exercise: None, detail };
            flags.entry(meant.to_owned()).or_default().push(flag);
        }
        flags
    }

    /// A remark about a student without a submission, of which the platform knows when it was
    /// submitted.
    fn missing_files(&self, id: &str) -> Option<Flag> {
        let at = self.inputs.roster.as_ref()?.entry(id)?.submitted_at?;
        let detail =
            format!("the roster has {at} as the time of a submission, but no file was found");
        Some(Flag { what: "missing-files".into(), exercise: None, detail })
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
        let mut similar = self.similar_ids();
        for id in &self.inputs.absent {
            let before = self.previous_record(id, progress);
            let mut flags = similar.remove(id).unwrap_or_default();
            flags.extend(self.missing_files(id));
            let at = match &before {
                Some(before) if !before.submission.is_absent() => {
                    gone.push(id.as_str());
                    continue;
                }
                Some(before)
                    if current.is_current(before) && before.flags == flags && !self.args.again =>
                {
                    continue;
                }
                before => before.as_ref().map_or(now, |before| before.submission.at),
            };
            self.store.write(&self.blank_record(id, Submission::absent(at), &wanted, flags))?;
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
