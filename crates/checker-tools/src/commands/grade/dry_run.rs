//! `checker grade --dry-run`: what grading would do, without a run and without a file.

use grading::record::{Flag, TimeFrom};
use grading::submission::{self, Limits, SubmissionPath};
use jiff::Timestamp;

use super::decide::{Action, Decision};
use super::reports::plural;
use super::{GradingSession, reports};
use checker::exit::Exit;
use checker::say;
use checker::text::sanitise;

/// How many students need what.
#[derive(Debug, Default)]
struct Counts {
    run: usize,
    score: usize,
    keep: usize,
    refused: usize,
}

impl GradingSession<'_> {
    /// Prints a line for each submission, and then what is to be known about the class. The exit
    /// code is that of a mistake when grading would stop.
    pub(super) fn dry_run(&self) -> Exit {
        let now = Timestamp::now();
        let ids = self.inputs.places.iter().map(|place| sanitise(&place.id).chars().count());
        let width = ids.max().unwrap_or(0).clamp(7, 32);
        say!("  {:<width$}  files  what grading does", "student");
        let mut counts = Counts::default();
        for place in &self.inputs.places {
            let (files, what) = self.line(place, now, &mut counts);
            say!("  {:<width$}  {files:>5}  {}", sanitise(&place.id), sanitise(&what));
        }
        counts.refused += self.inputs.refused_ids().len();
        for refused in &self.inputs.refused {
            say!(
                "  {:<width$}  {:>5}  not readable: {}",
                sanitise(&refused.id),
                "",
                sanitise(&refused.line)
            );
        }
        let Counts { run, score, keep, refused } = counts;
        let parts = [
            (run, "would run"),
            (score, "would get new points without running"),
            (keep, "would stay as they are"),
            (refused, "cannot be read"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
        say!("  {}", parts.join(" · "));
        reports::print_ignored(&self.inputs.ignored, None);
        reports::print_refused(self.inputs);
        reports::print_absent(self.inputs.absent.iter().map(String::as_str));
        if let Some(roster) = &self.inputs.roster {
            let ids = self.inputs.places.iter().map(|place| place.id.as_str());
            let both = roster.match_up(ids);
            both.unknown.iter().for_each(|unknown| say!("  {}", sanitise(&unknown.to_string())));
        }
        let stops = if self.args.assume_on_time { Ok(()) } else { self.late_without_time() };
        if let Err(why) = &stops {
            say!("  grading would stop: {}", sanitise(&why.to_string()).replace('\n', "\n  "));
        }
        say!("  nothing was run or written: this was --dry-run");
        if stops.is_ok() { Exit::Passed } else { Exit::Usage }
    }

    /// The number of a submission's files, and what becomes of it.
    fn line(
        &self,
        place: &SubmissionPath,
        now: Timestamp,
        counts: &mut Counts,
    ) -> (String, String) {
        let submitted = match submission::read(place, self.course, &Limits::default()) {
            Ok(submitted) => submitted,
            Err(why) => {
                counts.refused += 1;
                return (String::new(), format!("not readable: {why}"));
            }
        };
        let (before, damaged) = match self.store.read(&place.id) {
            Ok(before) => (before, None),
            Err(damaged) => (None, Some(damaged.to_string())),
        };
        let decision = self.decide(place, &submitted, before.as_ref(), now);
        let handed_in = decision
            .files
            .iter()
            .filter(|file| decision.wanted.contains(&file.file.exercise.as_str()));
        let mut what = vec![match decision.action {
            Action::Keep => {
                counts.keep += 1;
                "unchanged".to_owned()
            }
            Action::Refuse { most } => {
                counts.keep += 1;
                format!("over the limit of {most} submissions: the grade stays")
            }
            Action::Score => {
                counts.score += 1;
                "new points, without running".to_owned()
            }
            Action::Run => {
                counts.run += 1;
                let why = if before.is_some() { " again" } else { "" };
                format!("runs {} of {} exercises{why}", handed_in.count(), decision.wanted.len())
            }
        }];
        what.extend(place.group.as_ref().map(|group| format!("group {}", group.name)));
        if !decision.versions.is_empty() && matches!(decision.action, Action::Run | Action::Score) {
            let count = decision.versions.len();
            what.push(format!(
                "{} may count in place of the last one",
                plural(count, "earlier file")
            ));
        }
        what.extend(damaged.map(|damaged| format!("its record is made again: {damaged}")));
        what.extend(self.lateness(place, &decision));
        if self.inputs.policy.late.earlier.is_some() {
            let days = self.inputs.policy.late_days(&place.id);
            what.push(format!("{} of {} free days are left for it", days.before(), days.free));
        }
        if !submitted.ignored.is_empty() {
            let others: Vec<&str> = submitted.ignored.iter().map(String::as_str).collect();
            what.push(format!("not graded: {}", reports::names(&others)));
        }
        // The others are in the list above.
        let is_new = |note: &&Flag| !["unread-file", "other-file"].contains(&note.what.as_str());
        what.extend(submitted.notes.iter().filter(is_new).map(|note| note.detail.clone()));
        what.extend(place.doubts.iter().cloned());
        (decision.files.len().to_string(), what.join("; "))
    }

    /// How late a submission counts, or that its time is not known.
    fn lateness(&self, place: &SubmissionPath, decision: &Decision<'_>) -> Option<String> {
        let policy = &self.inputs.policy;
        let at = decision.arrival.at;
        let days = decision.files.iter().filter_map(|version| {
            let file = &version.file;
            let due = policy.due(&file.exercise, &place.id)?;
            let days = policy.days_late(due, file.at.unwrap_or(at));
            (days > 0).then_some(days)
        });
        let days: Vec<u32> = days.collect();
        let known = match decision.arrival.at_from {
            TimeFrom::Stated => "",
            TimeFrom::FirstSeen => " if it counts as submitted now",
            TimeFrom::Assumed => return None,
        };
        let most = days.iter().max()?;
        let files = plural(days.len(), "file");
        Some(format!("{files} late by up to {}{known}", plural(*most as usize, "day")))
    }
}
