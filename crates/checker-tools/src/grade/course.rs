//! This course as data for grading.

use std::fmt::Write as _;

use grading::course::{Course, Exercise};
use grading::seed::sha256;

use super::speed;
use checker::explain;
use checker::spec::Spec;
use checker::{course as files, exercises};

/// The whole course, with the hash of everything in it that a grade depends on. (Inputs and
/// references are code: the hash of the checker's executable covers those.)
pub fn course() -> Course {
    let exercises: Vec<Exercise> = exercises::all().iter().map(|spec| exercise(spec)).collect();
    let mut text = String::new();
    for (spec, exercise) in exercises::all().iter().zip(&exercises) {
        let Spec { id, chapter, kind, params, cases, tolerance, gates, .. } = spec;
        // writing to a string does not fail
        let _ = writeln!(
            text,
            "{chapter}/{id} {kind:?} {params:?} {cases:?} {tolerance:?} {gates:?}\n{}",
            exercise.skeleton
        );
    }
    Course { hash: sha256(text.as_bytes()), exercises }
}

fn exercise(spec: &'static Spec) -> Exercise {
    Exercise {
        id: spec.id.to_owned(),
        chapter: spec.chapter.to_owned(),
        goal: spec.goal.to_owned(),
        minutes: spec.minutes,
        cases: spec.cases.iter().map(|case| case.name.to_owned()).collect(),
        gates: spec.gates.iter().map(explain::gate).collect(),
        skeleton: files::skeleton(spec).unwrap_or_default().to_owned(),
        timed: speed::can_give_points(spec),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resuming compares hashes: the same course has the same one, in every process.
    #[test]
    fn the_hash_is_stable_and_names_are_unique() {
        let (one, two) = (course(), course());
        assert_eq!(one, two);
        for exercise in &one.exercises {
            let mut names: Vec<_> = exercise.cases.iter().chain(&exercise.gates).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), exercise.cases.len() + exercise.gates.len(), "{}", exercise.id);
            assert!(!exercise.skeleton.is_empty(), "{}", exercise.id);
        }
    }
}
