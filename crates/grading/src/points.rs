//! Points of items, exercises and late days, and their sum.
//!
//! **Points count from the file as handed out.** Each item (a case with one seed, or a gate) has a
//! weight. An item that the file as handed out already passes gives no points, and failing it costs
//! its weight. An exercise's share of its points is
//!
//! ```text
//! (weight passed - weight that the file as handed out passes) / (weight of all - weight that the file as handed out passes)
//! ```
//!
//! and never below 0, so the untouched file has 0 and a file that passes everything has 1. Without
//! partial credit the share is 1 if everything passes and 0 otherwise, and items have no points of
//! their own.
//!
//! **Gates weigh as much as cases.** Without a weight of their own, the gates of an exercise that
//! the file as handed out misses share equally the weight of all cases that it fails, visible and
//! hidden ones. So a program whose results are right, and which misses all gates, gets half of the
//! points. A gate weighs 1 where this rule gives it no weight: if the file as handed out passes it,
//! or fails no case that has a weight. A weight in the policy is that of each gate.
//!
//! **Speed is extra credit** of a file whose cases are all right ([`crate::policy::SpeedRule`]).
//!
//! **Late days count for each due date, not for each exercise**, because a class regards everything
//! due on one day as one assignment. A free day moves one due date by one day, for all exercises of
//! that day. Free days are spent where they save the most points, and never where they save none.
//! The remaining days cost the penalty. A file whose bytes were submitted earlier is as late as it
//! was then ([`record::File::at`]).
//!
//! **Of several files for an exercise one counts** ([`choose`]): the last, the last that was in
//! time, or the best.
//!
//! **Points by hand** ([`crate::by_hand`]) take the place of what the runs give, before penalties.
//!
//! Nothing is rounded before the sum.

mod late;
#[cfg(test)]
mod tests;
mod versions;

pub use versions::choose;

use crate::policy::{Policy, Rule, Weights};
use crate::record::{Exercise, Item, Kind, Outcome, Score, Status, Submission};

/// Computes all points and sets them: of each item `points`, `possible`, `extra`, and of hidden
/// ones `show` and `reveal`; of each exercise `status` (but `Missing` and `NotGraded` stay as they
/// are), `points`, `possible`, `bonus`, `excused`, `due`, `late_days`, `free_days` and `penalty`.
/// Returns the sum.
///
/// `exercises` need their ids, `status`, and of each item `kind`, `hidden`, `outcome` and `given`.
/// The other fields are not read. The same call with another policy gives that policy's grade
/// without running anything.
///
/// An exercise that the policy does not require does not count.
pub fn score(
    policy: &Policy,
    student: &str,
    submission: &Submission,
    exercises: &mut [Exercise],
) -> Score {
    for exercise in exercises.iter_mut() {
        exercise.bonus = policy.rule(&exercise.id).is_some_and(|rule| rule.bonus);
        exercise.excused = policy.is_excused(&exercise.id, student);
        exercise.due = policy.due(&exercise.id, student);
        for item in exercise.items.iter_mut().filter(|item| item.hidden) {
            item.show = policy.hidden.show;
            item.reveal = policy.hidden.until;
        }
        count(policy.rule(&exercise.id).filter(|_| !exercise.excused), exercise);
    }
    late::charge(policy, student, submission, exercises);
    sum(exercises)
}

/// The weights of the items of one exercise.
struct ItemWeights {
    visible: f64,
    hidden: f64,
    /// A gate that the file as handed out misses.
    new_gate: f64,
    /// A gate that it passes.
    given_gate: f64,
}

/// The weight of a gate without one in the policy, if the cases give it none.
const GATE_ALONE: f64 = 1.0;

impl ItemWeights {
    fn new(rule: &Rule, items: &[Item]) -> Self {
        let Weights { visible, hidden, gate } = rule.weights;
        let mut weights = Self { visible, hidden, new_gate: 0.0, given_gate: 0.0 };
        if rule.gate_bonus > 0.0 {
            return weights;
        }
        let new = |kind: Kind| items.iter().filter(move |item| item.kind == kind && !item.given);
        let cases: f64 = new(Kind::Case).map(|item| weights.of(item)).sum();
        let share = cases / new(Kind::Gate).count().max(1) as f64;
        weights.new_gate = gate.unwrap_or(if share > 0.0 { share } else { GATE_ALONE });
        weights.given_gate = gate.unwrap_or(GATE_ALONE);
        weights
    }

    /// The weight of an item; 0 for a bonus gate and for the speed.
    fn of(&self, item: &Item) -> f64 {
        match item.kind {
            Kind::Gate if item.given => self.given_gate,
            Kind::Gate => self.new_gate,
            Kind::Speed => 0.0,
            Kind::Case if item.hidden => self.hidden,
            Kind::Case => self.visible,
        }
    }
}

fn is_bonus(rule: &Rule, item: &Item) -> bool {
    match item.kind {
        Kind::Case => false,
        Kind::Gate => rule.gate_bonus > 0.0,
        Kind::Speed => true,
    }
}

/// Sets the points of an exercise and its items; without a rule it does not count.
fn count(rule: Option<&Rule>, exercise: &mut Exercise) {
    let graded = !matches!(exercise.status, Status::Missing | Status::NotGraded);
    let Some(rule) = rule else {
        for item in &mut exercise.items {
            (item.points, item.possible, item.extra) = (0.0, 0.0, 0.0);
        }
        (exercise.points, exercise.possible) = (0.0, 0.0);
        if graded {
            exercise.status = status(&exercise.items, |item| item.kind != Kind::Speed, 0.0);
        }
        return;
    };
    let held = |item: &Item| item.outcome == Outcome::Held && graded;
    let items = &exercise.items;
    let weights = ItemWeights::new(rule, items);
    let of = |items: &[Item], which: &dyn Fn(&Item) -> bool| -> f64 {
        items.iter().filter(|item| which(item)).map(|item| weights.of(item)).sum()
    };
    let all = graded && all_held(items, |item| !is_bonus(rule, item));
    // When no weight is left to earn, a fraction is undefined, so it is all or nothing.
    let new = of(items, &|item| !item.given);
    let by_weight = rule.partial && new > 0.0;
    let gain =
        of(items, &|item| held(item) && !item.given) - of(items, &|item| !held(item) && item.given);
    let share = match (by_weight, all) {
        (_, true) => 1.0,
        (true, false) => (gain / new).clamp(0.0, 1.0),
        (false, false) => 0.0,
    };
    let bonus_gate = |item: &Item| item.kind == Kind::Gate && is_bonus(rule, item);
    let new_gates = items.iter().filter(|item| bonus_gate(item) && !item.given).count().max(1);
    let right = graded && all_held(items, |item| item.kind == Kind::Case);
    let per_gate = rule.gate_bonus / new_gates as f64;
    let mut extra = 0.0;
    for item in &mut exercise.items {
        // without partial credit, items have no points of their own
        let worth = if by_weight { rule.points * weights.of(item) / new } else { 0.0 };
        item.possible = if item.given { 0.0 } else { worth };
        item.extra = match (item.kind, rule.speed) {
            (Kind::Speed, Some(speed)) => speed.bonus,
            _ if bonus_gate(item) && !item.given => per_gate,
            _ => 0.0,
        };
        item.points = match (held(item), item.given) {
            _ if !by_weight => 0.0,
            (true, false) => item.possible,
            (false, true) if graded => -worth,
            _ => 0.0,
        };
        if item.extra > 0.0 {
            item.points = match (held(item), &item.speed, rule.speed) {
                (false, ..) => 0.0,
                (true, Some(speed), Some(rule)) if right => rule.points(speed),
                (true, Some(_), _) => 0.0,
                (true, None, _) => item.extra,
            };
            extra += item.points;
        }
    }
    let by_hand = exercise.by_hand.as_ref().and_then(|decision| decision.points);
    exercise.points = by_hand.unwrap_or(rule.points * share + extra);
    exercise.possible = rule.points;
    if graded {
        exercise.status = status(&exercise.items, |item| !is_bonus(rule, item), exercise.points);
    }
}

/// Whether all items that count passed; false when none counts.
fn all_held(items: &[Item], counts: impl Fn(&Item) -> bool) -> bool {
    let counting = || items.iter().filter(|item| counts(item));
    counting().count() > 0 && counting().all(|item| item.outcome == Outcome::Held)
}

fn status(items: &[Item], counts: impl Fn(&Item) -> bool, points: f64) -> Status {
    let held = |item: &Item| item.outcome == Outcome::Held;
    if all_held(items, counts) {
        Status::Passed
    } else if points > 0.0 || items.iter().any(|item| held(item) && !item.given) {
        Status::Partial
    } else {
        Status::Failed
    }
}

fn sum(exercises: &[Exercise]) -> Score {
    let mut score = Score { complete: true, ..Score::default() };
    for exercise in exercises {
        let kept = (exercise.points - exercise.penalty).max(0.0);
        score.points += kept;
        score.penalty += exercise.penalty;
        score.complete &= exercise.status != Status::NotGraded || exercise.excused;
        if exercise.bonus {
            score.extra += kept;
            continue;
        }
        score.possible += exercise.possible;
        let extra: f64 =
            exercise.items.iter().filter(|item| item.extra > 0.0).map(|item| item.points).sum();
        if exercise.points > 0.0 {
            score.extra += extra * kept / exercise.points;
        }
    }
    let days = late::by_due_date(exercises);
    score.late_days = days.values().fold(0_u32, |sum, days| sum.saturating_add(*days));
    for number in [&mut score.points, &mut score.possible, &mut score.extra, &mut score.penalty] {
        *number = rounded(*number);
    }
    score
}

/// Rounds to two decimals. A value that misses the midpoint only by the rounding of a sum goes up.
fn rounded(points: f64) -> f64 {
    (points * 100.0 + 1e-7).round() / 100.0
}
