//! Penalties for late submissions, and the best use of free days.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::policy::{PenaltyBase, Policy};
use crate::record::{Exercise, Submission, TimeFrom};

/// Sets `late_days`, `free_days` and `penalty` of every exercise.
pub fn charge(policy: &Policy, student: &str, submission: &Submission, exercises: &mut [Exercise]) {
    let late: Vec<u32> =
        exercises.iter().map(|exercise| days(policy, submission, exercise)).collect();
    let mut dates: BTreeMap<Timestamp, Vec<usize>> = BTreeMap::new();
    for (at, (exercise, days)) in exercises.iter().zip(&late).enumerate() {
        if let (Some(due), 1..) = (exercise.due, days) {
            dates.entry(due).or_default().push(at);
        }
    }
    // Points lost on each due date for each number of free days spent on it.
    let losses: Vec<Vec<f64>> = dates
        .values()
        .map(|members| {
            let most = members.iter().filter_map(|at| late.get(*at)).copied().max().unwrap_or(0);
            (0..=most.min(policy.free_days(student)))
                .map(|free| {
                    let of = |at: &usize| {
                        Some(loss(policy, exercises.get(*at)?, late.get(*at)?.saturating_sub(free)))
                    };
                    members.iter().filter_map(of).sum()
                })
                .collect()
        })
        .collect();
    let free = spend(&losses, policy.free_days(student));
    let mut spent = vec![0_u32; exercises.len()];
    for (members, free) in dates.values().zip(free) {
        let free = u32::try_from(free).unwrap_or(u32::MAX);
        for at in members {
            if let Some(slot) = spent.get_mut(*at) {
                *slot = free;
            }
        }
    }
    for ((exercise, late), free) in exercises.iter_mut().zip(late).zip(spent) {
        exercise.free_days = late.min(free);
        exercise.late_days = late - exercise.free_days;
        exercise.penalty = loss(policy, exercise, exercise.late_days);
    }
}

/// Days late of each due date including free ones, which are those of its latest exercise.
pub fn by_due_date(exercises: &[Exercise]) -> BTreeMap<Option<Timestamp>, u32> {
    let mut days: BTreeMap<Option<Timestamp>, u32> = BTreeMap::new();
    for exercise in exercises {
        let most = days.entry(exercise.due).or_default();
        *most = (*most).max(exercise.late_days.saturating_add(exercise.free_days));
    }
    days
}

/// Days that an exercise is late; 0 when it has no points to lose.
fn days(policy: &Policy, submission: &Submission, exercise: &Exercise) -> u32 {
    if let Some(days) = exercise.by_hand.as_ref().and_then(|decision| decision.late_days) {
        return days;
    }
    if exercise.points <= 0.0 || submission.at_from == TimeFrom::Assumed {
        return 0;
    }
    let earlier =
        submission.files.iter().find(|file| file.exercise == exercise.id).and_then(|file| file.at);
    let at = earlier.unwrap_or(submission.at).min(submission.at);
    exercise.due.map_or(0, |due| policy.days_late(due, at))
}

/// Points lost by this many days.
pub fn loss(policy: &Policy, exercise: &Exercise, days: u32) -> f64 {
    let late = &policy.late;
    if days == 0 {
        return 0.0;
    }
    if late.cutoff_days.is_some_and(|cutoff| days > cutoff) {
        return exercise.points;
    }
    let of = match late.of {
        PenaltyBase::Possible => exercise.possible,
        PenaltyBase::Earned => exercise.points,
    };
    ((late.penalty * f64::from(days)).min(late.most) * of).clamp(0.0, exercise.points)
}

/// The number of free days for each due date that minimises the total loss; `losses` lists what
/// each due date loses with 0, 1, 2, ... of them. No day is spent without saving points. (A greedy
/// choice would be wrong, because behind a cutoff the first days save nothing and the next one
/// saves everything.)
fn spend(losses: &[Vec<f64>], budget: u32) -> Vec<usize> {
    const NOTHING: f64 = 1e-9;
    let budget =
        losses.iter().map(|loss| loss.len().saturating_sub(1)).sum::<usize>().min(budget as usize);
    // The maximum saved with at most this many days on the due dates so far, and the days of the
    // last one.
    let mut saved = vec![0.0_f64; budget + 1];
    let mut choices = vec![];
    for loss in losses {
        let before = saved.clone();
        let mut choice = vec![0; budget + 1];
        for (days, (slot, choice)) in saved.iter_mut().zip(&mut choice).enumerate() {
            for (free, left) in loss.iter().enumerate().take(days + 1) {
                let Some(rest) = before.get(days - free) else { continue };
                let total = rest + loss.first().unwrap_or(left) - left;
                if total > *slot + NOTHING {
                    (*slot, *choice) = (total, free);
                }
            }
        }
        choices.push(choice);
    }
    // The smallest number of days that saves as much.
    let best = saved.last().copied().unwrap_or(0.0);
    let mut left = saved.iter().position(|saved| *saved + NOTHING >= best).unwrap_or(0);
    let mut spent: Vec<usize> = choices
        .iter()
        .rev()
        .map(|choice| {
            let free = choice.get(left).copied().unwrap_or(0);
            left -= free.min(left);
            free
        })
        .collect();
    spent.reverse();
    spent
}
