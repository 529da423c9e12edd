//! The speedups of the optimise exercises on real GPUs: the records that `dev time` writes and the
//! book shows.

use serde::{Deserialize, Serialize};

use crate::exercises;

const H100: &str = include_str!("../proof/records/gains.toml");
const H200: &str = include_str!("../proof/records/gains-h200.toml");

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
    /// What has changed since then; `None` if the times are those of the course's files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Changed>,
    /// For a program, the time of the whole call on the host's clock, including copies; `None` if
    /// only its kernels were timed.
    pub program: Option<Times>,
}

/// What has changed in an exercise after its times were measured. The book shows these times until
/// the exercise is measured again, but nothing is compared with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Changed {
    /// The solution.
    Solution,
    /// The sizes, the original file and the solution.
    Exercise,
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
        (!self.has_host_code()).then(|| self.bytes as f64 / seconds / copy)
    }

    /// Is the exercise a program?
    pub fn has_host_code(&self) -> bool {
        exercises::find(&self.id).is_ok_and(|spec| spec.kind.has_host_code())
    }
}

/// The times of kernels and programs on an H100.
///
/// # Errors
/// When the file cannot be parsed.
pub fn recorded() -> Result<Record, toml::de::Error> {
    toml::from_str(H100)
}

/// The times of kernels on an H200.
///
/// # Errors
/// When the file cannot be parsed.
pub fn recorded_on_h200() -> Result<Record, toml::de::Error> {
    toml::from_str(H200)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Start;

    /// Every optimise exercise with a large case has been measured on both GPUs.
    #[test]
    fn every_optimise_exercise_is_recorded() {
        for record in [recorded().expect("readable"), recorded_on_h200().expect("readable")] {
            let optimise = exercises::all().iter().filter(|spec| spec.start == Start::Optimise);
            for spec in optimise.filter(|spec| spec.large.is_some()) {
                let found = record.exercises.iter().any(|gain| gain.id == spec.id);
                assert!(found, "{} on {}", spec.id, record.gpu);
            }
            for gain in &record.exercises {
                assert!(exercises::find(&gain.id).is_ok(), "{}", gain.id);
            }
        }
    }

    /// A kernel's solution is faster than the original file on both GPUs. (A program may save
    /// copies instead.)
    #[test]
    fn no_kernel_becomes_slower() {
        for record in [recorded().expect("readable"), recorded_on_h200().expect("readable")] {
            for gain in record.exercises.iter().filter(|gain| !gain.has_host_code()) {
                let factor = gain.kernels.factor().expect("an optimise exercise");
                assert!(factor > 1.3, "{} on {}: {factor}", gain.id, record.gpu);
            }
        }
    }

    #[test]
    fn shares_and_factors() {
        let times = Times { skeleton: Some(3.0), solution: 0.5 };
        let gain = Gain {
            id: "x".into(),
            sizes: String::new(),
            bytes: 1_000_000,
            changed: None,
            kernels: times,
            program: None,
        };
        assert_eq!(times.factor(), Some(6.0));
        assert_eq!(Times { skeleton: None, ..times }.factor(), None);
        assert_eq!(gain.share(4e9), Some(0.5));
        assert_eq!(Gain { id: "overlap".into(), ..gain }.share(4e9), None, "a program");
    }
}
