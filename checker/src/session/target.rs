//! The names on the command line: an exercise or a chapter.

use crate::error::Usage;
use crate::exercises::{self, Chapter};
use crate::spec::Spec;

/// What a name on the command line stands for.
pub enum Target {
    /// One exercise.
    Exercise(&'static Spec),
    /// A whole chapter.
    Chapter(&'static Chapter),
}

impl Target {
    /// The exercises that it stands for, in the order of the course.
    pub fn specs(&self) -> Vec<&'static Spec> {
        match self {
            Self::Exercise(spec) => vec![spec],
            Self::Chapter(chapter) => chapter.exercises.to_vec(),
        }
    }
}

/// Finds an exercise by its name, or a chapter as `ch01_threads`, `ch01` or `1`.
///
/// # Errors
/// When there is no such exercise or chapter; the error suggests the nearest name.
pub fn target(word: &str) -> anyhow::Result<Target> {
    let number = word.trim_start_matches("ch").parse::<u32>().ok();
    let chapter = exercises::chapters()
        .iter()
        .find(|chapter| chapter.id == word || number == Some(chapter.number));
    match chapter {
        Some(chapter) => Ok(Target::Chapter(chapter)),
        None if number.is_some() => {
            let last = exercises::chapters().len();
            Err(Usage(format!("there is no chapter {word}: the chapters are 1 to {last}")).into())
        }
        None => Ok(Target::Exercise(exercises::find(word)?)),
    }
}
