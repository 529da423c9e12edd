//! The speedups of the optimise exercises on a real GPU: the record that `dev time` writes and the
//! book shows.

use serde::{Deserialize, Serialize};

/// The record in the repository.
const RECORD: &str = include_str!("../proof/records/gains.toml");

/// Times on one GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// "NVIDIA H200".
    pub gpu: String,
    /// The compiler's version: "13.0.88".
    pub compiler: String,
    /// The bandwidth of a plain copy on that GPU in bytes per second, reads and writes together.
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
    /// Bytes that its arrays must move over the memory bus: inputs and outputs once, arrays that
    /// are both twice.
    pub bytes: u64,
    /// The time of all its launches together.
    pub kernels: Times,
    /// For a program, the time of the whole call on the host's clock, including copies.
    pub program: Option<Times>,
}

/// Median times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// The skeleton's time; `None` when the skeleton is not right.
    pub skeleton: Option<f64>,
    /// The solution's time.
    pub solution: f64,
}

impl Times {
    /// The solution's speedup over the skeleton.
    pub fn factor(&self) -> Option<f64> {
        Some(self.skeleton? / self.solution)
    }
}

impl Gain {
    /// The solution's bandwidth as a share of `copy`; `None` for a program, which launches several
    /// kernels and copies over another bus.
    pub fn share(&self, copy: f64) -> Option<f64> {
        let seconds = self.kernels.solution * 1e-3;
        self.program.is_none().then(|| self.bytes as f64 / seconds / copy)
    }
}

/// The record in this repository.
///
/// # Errors
/// When the file cannot be parsed.
pub fn recorded() -> Result<Record, toml::de::Error> {
    toml::from_str(RECORD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises;
    use crate::spec::Start;

    /// Every optimise exercise with a large case has been measured.
    #[test]
    fn every_optimise_exercise_is_recorded() {
        let record = recorded().expect("readable");
        let optimise = exercises::all().iter().filter(|spec| spec.start == Start::Optimise);
        for spec in optimise.filter(|spec| spec.large.is_some()) {
            assert!(record.exercises.iter().any(|gain| gain.id == spec.id), "{}", spec.id);
        }
        for gain in &record.exercises {
            assert!(exercises::find(&gain.id).is_ok(), "{}", gain.id);
        }
    }

    #[test]
    fn shares_and_factors() {
        let times = Times { skeleton: Some(3.0), solution: 0.5 };
        let gain = Gain {
            id: "x".into(),
            sizes: String::new(),
            bytes: 1_000_000,
            kernels: times,
            program: None,
        };
        assert_eq!(times.factor(), Some(6.0));
        assert_eq!(Times { skeleton: None, ..times }.factor(), None);
        assert_eq!(gain.share(4e9), Some(0.5));
        assert_eq!(Gain { program: Some(times), ..gain }.share(4e9), None);
    }
}
