//! Shared parts of the formats for teaching platforms: one student, a complete grade, a verdict as
//! text.

use std::collections::BTreeSet;

use super::checks::{number, verdict};
use super::{Error, Format};
use crate::record::{Exercise, Item, Outcome, Record, Report, Status};
use crate::text;

/// Checks that a record may be handed to a platform, which takes whatever it is given for the final
/// grade.
///
/// # Errors
/// When the machine could not grade everything, when the record has no exercise, or when a number
/// in it is not finite.
pub fn check(format: &Format, record: &Record) -> Result<(), Error> {
    let student = || text::cut(&text::line(&record.student.id), 80);
    if !is_complete(record) {
        return Err(Error::Incomplete { format: format.name, student: student() });
    }
    if record.exercises.is_empty() {
        return Err(Error::Missing {
            format: format.name,
            what: format!("at least one exercise in the record of {}", student()),
            way_out: "an empty list is a full score there; name exercises in the policy".into(),
        });
    }
    if !numbers(record).all(f64::is_finite) {
        let reason = format!("a number in the record of {} is not finite", student());
        return Err(Error::Write { format: format.name, reason });
    }
    Ok(())
}

/// Whether everything that counts was graded.
pub fn is_complete(record: &Record) -> bool {
    let graded = |exercise: &Exercise| exercise.status != Status::NotGraded || exercise.excused;
    record.score.complete && record.exercises.iter().all(graded)
}

/// The points that an exercise adds to the sum, and the extra credit in them, as in
/// [`crate::points`].
pub fn kept(exercise: &Exercise) -> (f64, f64) {
    let kept = (exercise.points - exercise.penalty).max(0.0);
    let gates = exercise.items.iter().filter(|item| item.extra > 0.0);
    let extra = match exercise.points {
        _ if exercise.bonus => kept,
        points if points > 0.0 => gates.map(|item| item.points).sum::<f64>() * kept / points,
        _ => 0.0,
    };
    (kept, extra)
}

/// Whether what is missing is nothing wrong: extra credit that was not earned.
pub fn missed_extra(item: &Item) -> bool {
    item.extra > 0.0 && item.outcome != Outcome::Held
}

fn numbers(record: &Record) -> impl Iterator<Item = f64> {
    let score = &record.score;
    [score.points, score.possible, score.extra, score.penalty, record.made.seconds]
        .into_iter()
        .chain(record.exercises.iter().flat_map(|exercise| {
            let whole = [exercise.points, exercise.possible, exercise.penalty];
            let items = exercise.items.iter().flat_map(|item| [item.points, item.possible]);
            whole.into_iter().chain(items)
        }))
}

/// Rounded to six digits after the point, so that thirds do not fill a screen; never `-0`.
pub fn rounded(points: f64) -> f64 {
    let rounded = (points * 1e6).round() / 1e6;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Points as people read them: at most two digits after the point, no zeros at the end; nothing for
/// what is no number.
pub fn points(points: f64) -> String {
    if !points.is_finite() {
        return String::new();
    }
    number(points)
}

/// The difference between an exercise's points and the sum of its items: the effect of a cap, or
/// everything without items. First points, then the most that there are.
pub fn rest(exercise: &Exercise) -> Option<(f64, f64)> {
    let sum = |of: fn(&Item) -> f64| exercise.items.iter().map(of).sum::<f64>();
    let points = rounded(exercise.points - sum(|item| item.points));
    let possible = rounded(exercise.possible - sum(|item| item.possible));
    (points != 0.0 || possible != 0.0 || exercise.items.is_empty()).then_some((points, possible))
}

/// The difference between the score and the sum of the exercises' points, mostly the penalty for
/// being late. Differences by rounding are ignored.
pub fn adjustment(record: &Record) -> f64 {
    let points = record.exercises.iter().map(|exercise| exercise.points).sum::<f64>();
    let lost = rounded(record.score.points - points);
    if lost.abs() < 0.0051 { 0.0 } else { lost }
}

/// Every exercise of the records once, in the order in which they first appear.
pub fn exercises(records: &[Record]) -> Vec<&Exercise> {
    let mut seen = BTreeSet::new();
    let all = records.iter().flat_map(|record| &record.exercises);
    all.filter(|exercise| seen.insert(exercise.id.as_str())).collect()
}

/// Why the sum is not the sum, in words: "2 days late".
pub fn adjustment_reason(record: &Record) -> String {
    match record.score.late_days {
        0 => "what the rules of the class take or give".into(),
        1 => "1 day late".into(),
        days => format!("{days} days late"),
    }
}

/// The item that an exercise's report is about: the first failed one with the report's name, else
/// the first failed one.
pub fn reported(exercise: &Exercise) -> Option<usize> {
    let report = exercise.report.as_ref().filter(|report| !report.passed)?;
    let failed = |item: &&Item| item.outcome != Outcome::Held;
    let named = |item: &Item| item.outcome == Outcome::Failed && item.slug == report.slug;
    exercise
        .items
        .iter()
        .position(named)
        .or_else(|| exercise.items.iter().position(|item| failed(&item)))
}

/// The result of an item in a line or two, with the command that repeats a failure.
pub fn item_text(exercise: &Exercise, item: &Item) -> String {
    let mut text = text::plain(item.message.trim_end());
    if let (Some(line), Some(file)) = (item.line, &exercise.file) {
        text.push_str(&format!("\n{}, line {line}", text::line(file)));
    }
    if let Some(again) = item.again.as_ref().filter(|_| item.outcome != Outcome::Held) {
        text.push_str(&format!("\nagain: {}", text::line(again)));
    }
    text
}

/// A report as text, without the learner's source.
pub fn report_text(report: &Report) -> String {
    verdict(report, "").trim().to_owned()
}

/// A name that is never empty.
pub fn name(text: &str, otherwise: &str) -> String {
    let text = text::cut(&text::line(text), 200);
    if text.is_empty() { otherwise.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points read as people write them, on both sides of zero.
    #[test]
    fn points_have_two_digits_at_most() {
        for (value, text) in [
            (0.0, "0"),
            (-0.001, "0"),
            (10.0, "10"),
            (8.5, "8.5"),
            (1.0 / 3.0, "0.33"),
            (-2.25, "-2.25"),
            (f64::NAN, ""),
        ] {
            assert_eq!(points(value), text);
        }
    }
}
