//! The course as data for grading: its exercises, cases, gates and skeletons.

use serde::{Deserialize, Serialize};

/// The exercises of a course, in its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// SHA-256 over everything that a grade depends on (exercises, cases, skeletons), in
    /// hexadecimal: another hash means that grades have to be made again.
    pub hash: String,
    /// In the course's order.
    pub exercises: Vec<Exercise>,
}

/// One exercise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exercise {
    /// `blocks`: the stem of its file.
    pub id: String,
    /// `ch01_threads`: the folder of its file.
    pub chapter: String,
    /// One line in the imperative.
    pub goal: String,
    /// Typical time to solve, in minutes.
    pub minutes: u32,
    /// Names of its cases, in order.
    pub cases: Vec<String>,
    /// Names of its gates, in order: "sectors per request <= 4".
    pub gates: Vec<String>,
    /// The file as it was handed out.
    pub skeleton: String,
    /// Whether the speed of its kernels can give points.
    #[serde(default)]
    pub timed: bool,
}

impl Course {
    /// The exercise called `id`.
    pub fn exercise(&self, id: &str) -> Option<&Exercise> {
        self.exercises.iter().find(|exercise| exercise.id == id)
    }

    /// The chapters in order, each once.
    pub fn chapters(&self) -> Vec<&str> {
        let mut chapters: Vec<&str> = vec![];
        for exercise in &self.exercises {
            if !chapters.contains(&exercise.chapter.as_str()) {
                chapters.push(&exercise.chapter);
            }
        }
        chapters
    }
}

impl Exercise {
    /// The path of its file in a submission: `exercises/ch01_threads/blocks.cu`.
    pub fn path(&self) -> String {
        format!("exercises/{}/{}.cu", self.chapter, self.id)
    }
}

#[cfg(test)]
impl Course {
    /// A course for tests: exercises as (chapter, id), each with one case and an empty skeleton.
    pub(crate) fn example(exercises: &[(&str, &str)]) -> Self {
        let exercise = |&(chapter, id): &(&str, &str)| Exercise {
            id: id.to_owned(),
            chapter: chapter.to_owned(),
            goal: "write it".to_owned(),
            minutes: 10,
            cases: vec!["one".to_owned()],
            gates: vec![],
            skeleton: String::new(),
            timed: id.starts_with("fast"),
        };
        Self { hash: "c0".to_owned(), exercises: exercises.iter().map(exercise).collect() }
    }
}
