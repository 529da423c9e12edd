//! Finds the submissions that a command line names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Error, Reason, names, of_io, own_name};
use crate::course::Course;
use crate::text::shown;

/// Submissions that are not read yet, because a class of thousands does not fit into memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// One for each student, in the order of their ids.
    pub submissions: Vec<SubmissionPath>,
    /// Students and arguments that cannot be graded, each with one line.
    pub refused: Vec<Refused>,
    /// Other files in folders of submissions, escaped by [`shown`].
    pub ignored: Vec<String>,
    /// Whether this is a class: a folder of submissions was given, and every argument could be
    /// opened. Only then is a student without a submission absent.
    pub is_class: bool,
}

/// The path of a submission and its student.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionPath {
    /// Name of the folder, or of the file without its ending.
    pub id: String,
    /// For [`super::read`].
    pub path: PathBuf,
}

/// Something that cannot be graded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The student's id, taken from the name.
    pub id: String,
    /// One line that names the path.
    pub line: String,
}

/// Finds the submissions that the arguments of a command line name.
///
/// An argument that is a file is a submission. A folder is **one submission** when it has, directly
/// in it, a folder `exercises`, a folder named like a chapter of the course, or a file named like
/// an exercise. Any other folder contains **submissions**: each folder and each archive directly in
/// it is one, however deep its own mirror begins. Hidden names, `__MACOSX` and other files are no
/// submissions.
///
/// The student's id is the name of the folder, or of the file without its ending. Two submissions
/// with one id are both refused, because only the instructor knows which one counts. The same path
/// twice is one submission.
///
/// Never fails as a whole: submissions that cannot be opened are in [`Found::refused`].
pub fn many(paths: &[PathBuf], course: &Course) -> Found {
    let mut found = Found::default();
    let mut by_id: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut looked_into = true;
    for path in paths {
        if let Err(reason) = one(path, course, &mut by_id, &mut found) {
            looked_into = false;
            let submission = shown(path.as_os_str().as_encoded_bytes());
            found.refuse(id(path), Error { submission, reason }.to_string());
        }
    }
    found.is_class &= looked_into;
    for (id, mut paths) in by_id {
        paths.sort();
        paths.dedup_by_key(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
        match <[PathBuf; 1]>::try_from(paths) {
            Ok([path]) => found.submissions.push(SubmissionPath { id, path }),
            Err(paths) => {
                let all: Vec<String> = paths
                    .iter()
                    .map(|path| format!("`{}`", shown(path.as_os_str().as_encoded_bytes())))
                    .collect();
                let line = format!(
                    "`{id}` handed in {} times ({}): leave one",
                    paths.len(),
                    all.join(", ")
                );
                found.refuse(id, line);
            }
        }
    }
    found
}

impl Found {
    fn refuse(&mut self, id: String, line: String) {
        self.refused.push(Refused { id, line });
    }
}

fn one(
    path: &Path,
    course: &Course,
    by_id: &mut BTreeMap<String, Vec<PathBuf>>,
    found: &mut Found,
) -> Result<(), Reason> {
    let kind = fs::metadata(path).map_err(|error| of_io(&error))?;
    if !kind.is_dir() {
        by_id.entry(id(path)).or_default().push(path.to_path_buf());
        return Ok(());
    }
    let mut children = vec![];
    for child in fs::read_dir(path).map_err(|error| of_io(&error))? {
        let child = child.map_err(|error| of_io(&error))?;
        children.push((child.path(), child.file_type().map_err(|error| of_io(&error))?));
    }
    children.sort_by(|a, b| a.0.cmp(&b.0));
    if children.iter().any(|(child, kind)| begins_a_mirror(child, kind.is_dir(), course)) {
        by_id.entry(id(path)).or_default().push(path.to_path_buf());
        return Ok(());
    }
    let mut any = false;
    for (child, kind) in children {
        let name = own_name(&child);
        if name.starts_with('.') || name == "__MACOSX" {
            continue;
        }
        let is_archive = names::without_archive_ending(&name).is_some();
        if kind.is_dir() || (kind.is_file() && is_archive) {
            any = true;
            by_id.entry(id(&child)).or_default().push(child);
        } else if kind.is_symlink() {
            any = true;
            let submission = shown(child.as_os_str().as_encoded_bytes());
            found
                .refuse(id(&child), format!("`{submission}`: it is a link: give what it leads to"));
        } else {
            found.ignored.push(shown(child.as_os_str().as_encoded_bytes()));
        }
    }
    found.is_class |= any;
    if any { Ok(()) } else { Err(Reason::NoExercise { nearly: None }) }
}

fn begins_a_mirror(child: &Path, is_folder: bool, course: &Course) -> bool {
    let name = own_name(child);
    if is_folder {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        is("exercises") || course.chapters().into_iter().any(is)
    } else {
        name.strip_suffix(".cu").is_some_and(|stem| course.exercise(stem).is_some())
    }
}

fn id(path: &Path) -> String {
    let name = own_name(path);
    let stem = if path.is_dir() {
        &name
    } else {
        names::without_archive_ending(&name).or_else(|| name.strip_suffix(".cu")).unwrap_or(&name)
    };
    shown(stem.as_bytes())
}
