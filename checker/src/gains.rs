//! What the optimise exercises gain on a real GPU: the record that `dev time` writes and the book shows.

use serde::{Deserialize, Serialize};

/// The record in the repository.
const RECORD: &str = include_str!("../records/gains.toml");

/// Times on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// "NVIDIA H200".
    pub gpu: String,
    /// The compiler's version: "13.0.88".
    pub compiler: String,
    /// What a plain copy reaches there, in bytes per second, read and written together.
    pub copy: f64,
    /// In the order of the course.
    pub exercises: Vec<Gain>,
}

/// One exercise on its large case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gain {
    /// The exercise.
    pub id: String,
    /// The case: "rows = 8192, cols = 8192".
    pub sizes: String,
    /// Bytes of its arrays, each as often as it must cross the memory's bus: inputs and outputs once, what is both twice.
    pub bytes: u64,
    /// A whole program with its copies, on the host's clock; else a kernel, between two events.
    pub program: bool,
    /// Median time of the skeleton, in milliseconds; none where its answer is wrong.
    pub skeleton: Option<f64>,
    /// Median time of the solution, in milliseconds.
    pub solution: f64,
}

impl Gain {
    /// How many times faster the solution is; none where the skeleton is wrong.
    pub fn factor(&self) -> Option<f64> {
        Some(self.skeleton? / self.solution)
    }

    /// Bytes per second of the solution's kernel, as a share of `copy`; none for a program, whose copies cross another bus.
    pub fn share(&self, copy: f64) -> Option<f64> {
        (!self.program).then(|| self.bytes as f64 / (self.solution * 1e-3) / copy)
    }
}

/// What is recorded in this repository.
///
/// # Errors
/// When the file is broken.
pub fn recorded() -> Result<Record, toml::de::Error> {
    toml::from_str(RECORD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises;
    use crate::spec::Start;

    /// A table that leaves out an exercise would hide that nobody measured it.
    #[test]
    fn every_optimise_exercise_is_recorded() {
        let record = recorded().expect("readable");
        for spec in exercises::all().iter().filter(|spec| spec.start == Start::Optimise) {
            assert!(record.exercises.iter().any(|gain| gain.id == spec.id), "{}", spec.id);
        }
        for gain in &record.exercises {
            assert!(exercises::find(&gain.id).is_ok(), "{}", gain.id);
        }
    }

    #[test]
    fn shares_and_factors() {
        let gain = Gain {
            id: "x".into(),
            sizes: String::new(),
            bytes: 1_000_000,
            program: false,
            skeleton: Some(3.0),
            solution: 0.5,
        };
        assert_eq!(gain.factor(), Some(6.0));
        assert_eq!(gain.share(4e9), Some(0.5));
        assert_eq!(Gain { program: true, ..gain.clone() }.share(4e9), None);
        assert_eq!(Gain { skeleton: None, ..gain }.factor(), None);
    }
}
