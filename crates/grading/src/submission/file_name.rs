//! Which exercise a file's name means.

use crate::course::Course;
use crate::fold::fold;
use crate::policy;

use super::names;

/// An exercise that a file's name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meant {
    /// Its index in the course.
    pub exercise: usize,
    /// Whether the name is exactly the exercise's.
    pub exact: bool,
    /// The number of a copy; 0 for the file itself.
    pub copy: u32,
}

/// Words with which systems mark a copy, in the languages of their users.
const COPY: [&str; 9] =
    ["copy", "kopie", "copie", "copia", "cópia", "kopia", "kopi", "kopio", "копия"];
const OF: [&str; 8] = ["of", "von", "de", "di", "da", "av", "van", "af"];

/// The exercise whose file this is: `blocks.cu`, or what a browser, an editor or a file manager
/// makes of it: `Blocks.cu`, `blocks (1).cu`, `blocks - Kopie.cu`, `Copy of blocks.cu`,
/// `blocks.cu.txt`.
pub fn meant(course: &Course, name: &str) -> Option<Meant> {
    if let Some(exercise) = name.strip_suffix(".cu").and_then(|stem| place(course, stem)) {
        return Some(Meant { exercise, exact: true, copy: 0 });
    }
    let name = fold(name);
    let (stem, ending) = name.split_once('.')?;
    if !ending.starts_with("cu") && ending != "txt" {
        return None;
    }
    let (exercise, copy) = copy_of(course, stem)?;
    Some(Meant { exercise, exact: false, copy })
}

fn place(course: &Course, id: &str) -> Option<usize> {
    course.exercises.iter().position(|exercise| exercise.id == id)
}

/// The words of a name without its ending.
fn words(stem: &str) -> Vec<&str> {
    stem.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// The exercise that a name without its ending is a copy of, and the copy's number.
fn copy_of(course: &Course, stem: &str) -> Option<(usize, u32)> {
    let words = words(stem);
    numbered(course, &words, 0).or_else(|| match words.as_slice() {
        [copy, of, rest @ ..] if COPY.contains(copy) && OF.contains(of) => {
            numbered(course, rest, 1)
        }
        [copy, rest @ ..] if COPY.contains(copy) => numbered(course, rest, 1),
        _ => None,
    })
}

/// The exercise of these words without the marks of a copy at their end.
fn numbered(course: &Course, words: &[&str], copy: u32) -> Option<(usize, u32)> {
    let (mut words, mut copy) = (words, copy);
    while let [rest @ .., last] = words {
        if let Some(exercise) = place(course, &words.join("_")) {
            return Some((exercise, copy));
        }
        match last.parse() {
            Ok(number) => copy = copy.max(number),
            Err(_) if COPY.contains(last) => copy = copy.max(1),
            // `blocks2`, `blockscopy`
            Err(_) => {
                let shorter = last.trim_end_matches(|c: char| c.is_ascii_digit());
                let number = last.get(shorter.len()..).and_then(|digits| digits.parse().ok());
                let shorter = shorter.strip_suffix("copy").unwrap_or(shorter);
                let exercise = place(course, &[rest, &[shorter]].concat().join("_"))?;
                return Some((exercise, copy.max(number.unwrap_or(1))));
            }
        }
        words = rest;
    }
    None
}

/// Why a file that may be an exercise's is not read; `None` for a file that can be none, such as a
/// report.
pub fn why_unread(course: &Course, name: &str) -> Option<String> {
    if names::without_archive_ending(name).is_some() {
        return Some("an archive in an archive or in a folder of a submission is not opened; submit its files".to_owned());
    }
    let folded = fold(name);
    let (stem, ending) = folded.split_once('.').unwrap_or((&folded, ""));
    // `blocks.final.cu`, `blocks.cpp`, `blocks`
    let is_source = ending.split('.').any(|part| part.starts_with("cu"));
    if is_source {
        let near = nearest(course, stem);
        let near = near.map(|id| format!("; did you mean `{id}.cu`?")).unwrap_or_default();
        return Some(format!("no exercise has this file name{near}"));
    }
    let (exercise, _) = copy_of(course, stem)?;
    let id = course.exercises.get(exercise).map_or("", |exercise| &exercise.id);
    Some(format!("an exercise's file ends with `.cu`; did you mean `{id}.cu`?"))
}

/// The exercise that most of a wrong name is like.
pub fn nearest(course: &Course, stem: &str) -> Option<String> {
    let ids = || course.exercises.iter().map(|exercise| exercise.id.as_str());
    let folded = fold(stem);
    let words = words(&folded);
    // A name of a hundred words is hostile, and no exercise's.
    let words = words.get(..words.len().min(12)).unwrap_or_default();
    let runs = (1..=words.len()).rev().flat_map(|length| words.windows(length));
    let mut near = runs.filter_map(|run| policy::nearest(&run.join("_"), ids()));
    near.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Course {
        Course::example(&[("c1", "blocks"), ("c1", "double_it"), ("c2", "add_2d"), ("c2", "copy")])
    }

    /// What copies are called is certain in each language; anything else is not.
    #[test]
    fn copies_are_certain() {
        for (name, id, copy) in [
            ("blocks.cu", "blocks", 0),
            ("Blocks.CU", "blocks", 0),
            ("blocks (1).cu", "blocks", 1),
            ("blocks-2.cu", "blocks", 2),
            ("blocks2.cu", "blocks", 2),
            ("blocks.cu.txt", "blocks", 0),
            ("double_it - Kopie.cu", "double_it", 1),
            ("Double it - Copy (3).cu", "double_it", 3),
            ("double_it copy 2.cu", "double_it", 2),
            ("double_it copie.cu", "double_it", 1),
            ("double_it - Co\u{301}pia.cu", "double_it", 1),
            ("Copy of double_it.cu", "double_it", 1),
            ("Kopie von blocks.cu", "blocks", 1),
            ("blockscopy.cu", "blocks", 1),
            ("add_2d (1).cu", "add_2d", 1),
            ("add-2d.cu", "add_2d", 0),
            ("copy.cu", "copy", 0),
            ("copy (1).cu", "copy", 1),
            ("copy copy.cu", "copy", 1),
        ] {
            let found = meant(&course(), name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((course().exercises[found.exercise].id.as_str(), found.copy), (id, copy));
            assert_eq!(found.exact, name == format!("{id}.cu"), "{name}");
        }
        for name in
            ["block_final.cu", "Übung 1 blocks.cu", "blocks.cpp", "2.cu", "of.cu", ".cu", ""]
        {
            assert_eq!(meant(&course(), name), None, "{name}");
        }
    }

    /// A file that is not read says why, with the exercise that it may be of.
    #[test]
    fn unread_files_have_reasons() {
        let why = |name: &str| why_unread(&course(), name);
        let near = |name: &str| why(name).and_then(|why| Some(why.split('`').nth(1)?.to_owned()));
        for (name, id) in [
            ("block_final.cu", "blocks.cu"),
            ("Übung 1 double_it.cu", "double_it.cu"),
            ("blocks.final.cu", "blocks.cu"),
            ("my add_2d solution v3.cu", "add_2d.cu"),
        ] {
            assert_eq!(near(name).as_deref(), Some(id), "{name}");
        }
        assert_eq!(why("x.cu").as_deref(), Some("no exercise has this file name"));
        assert!(why("blocks.cpp").unwrap().contains("did you mean `blocks.cu`?"));
        assert!(why("blocks").unwrap().contains("did you mean `blocks.cu`?"));
        assert!(why("part1.zip").unwrap().contains("archive"));
        for name in ["report.pdf", "notes.txt", "Makefile", ""] {
            assert_eq!(why(name), None, "{name}");
        }
    }
}
