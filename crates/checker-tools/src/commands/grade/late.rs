//! Submissions that would be late because their time is unknown.

use std::collections::BTreeSet;

use grading::store::{Arrival, Unstated};
use grading::submission::{self, Limits, SubmissionPath, SubmittedFile};
use jiff::Timestamp;

use super::GradingSession;
use super::reports::names;
use checker::error::Usage;

impl GradingSession<'_> {
    /// Stops when a submission would count as late only because no time is known for it.
    ///
    /// # Errors
    /// With the students, and the ways to state a time.
    pub(super) fn late_without_time(&self) -> anyhow::Result<()> {
        let now = Timestamp::now();
        let late: BTreeSet<&str> = self
            .inputs
            .places
            .iter()
            .filter(|place| self.is_late_without_time(place, now))
            .map(|place| place.id.as_str())
            .collect();
        if late.is_empty() {
            return Ok(());
        }
        let ids: Vec<&str> = late.iter().copied().collect();
        let mut lines = vec![format!(
            "nothing was graded: no time is known for {} of {} submissions, and now they would count as late: {}",
            ids.len(),
            self.inputs.places.len(),
            names(&ids),
        )];
        lines.extend(self.why_without_time(&ids));
        Err(Usage(lines.join("\n")).into())
    }

    /// What is known about the cause, and the ways to state a time.
    fn why_without_time(&self, ids: &[&str]) -> Vec<String> {
        let mut lines = vec![];
        let mut ways = vec![];
        if let Some(roster) = &self.inputs.roster {
            let unknown: Vec<&str> =
                ids.iter().copied().filter(|id| roster.entry(id).is_none()).collect();
            if !unknown.is_empty() {
                lines.push(format!("not on the roster: {}", names(&unknown)));
            }
            if roster.problems.iter().any(|problem| problem.what.starts_with("the time ")) {
                lines.push(
                    "some times on the roster were not understood: see the warnings above"
                        .to_owned(),
                );
            }
        }
        if self.inputs.has_times_without_zone {
            lines.push(
                "the names of the submissions contain times, and the policy has no time zone for them".to_owned(),
            );
            ways.push("`zone` in the policy, such as `zone = \"Europe/Berlin\"`");
        }
        if self.args.from.is_none() {
            ways.push("--from PLATFORM where names contain it");
        }
        ways.push("a column `submitted_at` on the roster");
        ways.push("--submitted-at TIME");
        lines.push(format!(
            "say when they were submitted: {}; or count them as on time: --assume-on-time",
            ways.join(", or ")
        ));
        lines
    }

    fn is_late_without_time(&self, place: &SubmissionPath, now: Timestamp) -> bool {
        let policy = &self.inputs.policy;
        let is_due = || {
            let dues =
                policy.released(now).filter_map(|rule| policy.due(&rule.exercise, &place.id));
            dues.min().is_some_and(|due| policy.days_late(due, now) > 0)
        };
        let is_stated = self.inputs.at.or_else(|| self.inputs.stated_time(place)).is_some();
        if is_stated || !is_due() {
            return false;
        }
        // A submission that cannot be read has no points to lose.
        let limits = Limits::default();
        let Ok(submitted) = submission::read(place, self.course, &limits) else { return false };
        let before = self.store.read(&place.id).ok().flatten();
        let mut files: Vec<_> = submitted.files.iter().map(SubmittedFile::to_record).collect();
        let arrival =
            Arrival::of(before.as_ref(), &submitted.hash, None, Unstated::Now(now), &mut files);
        arrival.at == now
            && files.iter().any(|file| {
                let due = policy.due(&file.exercise, &place.id);
                let at = file.at.unwrap_or(now);
                due.is_some_and(|due| policy.days_late(due, at) > 0)
            })
    }
}
