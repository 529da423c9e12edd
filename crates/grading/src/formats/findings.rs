//! Everything that is wrong in a record, worst first, for readers that show remarks beside lines of
//! a file instead of tests.

use crate::record::{Exercise, Kind, Record};
use crate::seed::sha256;

use super::checks::{Check, State, checks};
use crate::text::line;

/// How bad a finding is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The code tried something forbidden and was stopped.
    Contained,
    /// A wrong result, a fault, a file that does not compile.
    Wrong,
    /// Right, but a gate is missed: it costs too much.
    Cost,
    /// The machine failed.
    NotGraded,
    /// There is no file.
    Missing,
    /// The learner has not started it.
    NotStarted,
}

/// One remark.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding<'a> {
    /// How bad it is.
    pub severity: Severity,
    /// The check that it comes from.
    pub check: Check<'a>,
    /// From 0: which finding of this name it is in its exercise.
    pub occurrence: usize,
}

/// All findings of a record, worst first, then by the points that the exercise lost, then in the
/// course's order: one for each name and line of an exercise.
pub fn findings(record: &Record) -> Vec<Finding<'_>> {
    let mut findings: Vec<Finding<'_>> = record.exercises.iter().flat_map(of_exercise).collect();
    let lost = |finding: &Finding<'_>| {
        let exercise = finding.check.exercise;
        exercise.possible - exercise.points
    };
    // Stable: what is equal stays in the course's order.
    findings.sort_by(|a, b| a.severity.cmp(&b.severity).then(lost(b).total_cmp(&lost(a))));
    findings
}

/// The worst finding of each exercise, in the order of [`findings`].
pub fn worst(record: &Record) -> Vec<Finding<'_>> {
    let mut worst: Vec<Finding<'_>> = vec![];
    for finding in findings(record) {
        let known = |one: &Finding<'_>| std::ptr::eq(one.check.exercise, finding.check.exercise);
        if !worst.iter().any(known) {
            worst.push(finding);
        }
    }
    worst
}

fn of_exercise(exercise: &Exercise) -> Vec<Finding<'_>> {
    let mut checks = checks(exercise);
    // The check that has the whole verdict speaks for others at the same place.
    checks.sort_by_key(|check| check.report.is_none());
    let mut findings: Vec<Finding<'_>> = vec![];
    for check in checks {
        if !matches!(check.state, State::Failed | State::NotGraded) {
            continue;
        }
        let same = |one: &&Finding<'_>| one.check.slug == check.slug;
        if findings.iter().filter(same).any(|one| one.check.line() == check.line()) {
            continue;
        }
        let occurrence = findings.iter().filter(same).count();
        findings.push(Finding { severity: severity(&check), check, occurrence });
    }
    findings
}

fn severity(check: &Check<'_>) -> Severity {
    match check.slug.as_str() {
        "contained" => Severity::Contained,
        "not-graded" => Severity::NotGraded,
        "missing" => Severity::Missing,
        "not-started" => Severity::NotStarted,
        _ if check.item.is_some_and(|item| item.kind == Kind::Gate) => Severity::Cost,
        _ => Severity::Wrong,
    }
}

impl Finding<'_> {
    /// The same as long as the same is wrong in the same exercise and case, wherever its lines move
    /// to; another for every other finding of the record.
    pub fn fingerprint(&self) -> String {
        let exercise = self.check.exercise;
        let parts = [&self.check.slug, &exercise.chapter, &exercise.id, &self.check.name]
            .map(String::as_str);
        // Names hold no line end.
        sha256(format!("{}\n{}", parts.join("\n"), self.occurrence).as_bytes())
    }

    /// The title and what is said, in one line.
    pub fn sentence(&self) -> String {
        let check = &self.check;
        match check.message.strip_prefix(&words(&check.slug)) {
            Some(_) => format!("{}: {}", line(&check.exercise.id), check.message),
            None => format!("{}: {}", self.title(), check.message),
        }
    }

    /// "blocks: out of bounds write": which exercise, and what is wrong.
    pub fn title(&self) -> String {
        format!("{}: {}", line(&self.check.exercise.id), words(&self.check.slug))
    }
}

/// A stable name in words: "out of bounds write".
pub fn words(slug: &str) -> String {
    slug.replace('-', " ")
}
