//! What the pages need of the course: fixed data that is the same for all.

use checker::report::html;
use checker::spec::Spec;
use checker::{course, exercises};
use serde::Serialize;

use crate::live::page;

/// All exercises.
#[derive(Debug, Serialize)]
pub struct Course {
    exercises: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    id: &'static str,
    /// The page's place in the book.
    page: String,
    /// The file's place in a workbook.
    path: String,
    minutes: u32,
}

/// One exercise.
#[derive(Debug, Serialize)]
pub struct Exercise {
    id: &'static str,
    path: String,
    /// Whether it is a program, whose work on the device has a timeline.
    program: bool,
    /// The text that a learner starts with.
    original: String,
    /// All hints, as HTML. The page shows them one by one.
    hints: Vec<String>,
}

impl Course {
    /// The course.
    pub fn new() -> Self {
        let entry = |spec: &&'static Spec| Entry {
            id: spec.id,
            page: page::page_of(spec),
            path: path(spec),
            minutes: spec.minutes,
        };
        Self { exercises: exercises::all().iter().map(entry).collect() }
    }
}

impl Exercise {
    /// An exercise of the course.
    pub fn new(spec: &'static Spec) -> Self {
        Self {
            id: spec.id,
            path: path(spec),
            program: spec.kind.has_host_code(),
            original: course::without_cargo(course::skeleton(spec).unwrap_or_default()),
            hints: spec.hints.iter().map(|hint| html::inline(hint)).collect(),
        }
    }
}

fn path(spec: &Spec) -> String {
    format!("exercises/{}/{}.cu", spec.chapter, spec.id)
}
