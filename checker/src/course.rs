//! The course inside the binary: original exercises, solutions and the book, which `build.rs`
//! collects.

use include_dir::{Dir, include_dir};

use crate::spec::Spec;

static COURSE: Dir = include_dir!("$OUT_DIR/course");

/// One file of the course.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its path relative to a workbook, with `/` between the parts:
    /// `exercises/ch01_threads/double_it.cu`.
    pub path: &'static str,
    /// Its bytes.
    pub contents: &'a [u8],
}

/// Every file under the folder `top` (`exercises`, `solutions` or `book`), sorted by path.
pub fn files(top: &str) -> Vec<File<'static>> {
    let mut found = Vec::new();
    if let Some(dir) = COURSE.get_dir(top) {
        collect(dir, &mut found);
    }
    found.sort_by_key(|file| file.path);
    found
}

fn collect(dir: &'static Dir, found: &mut Vec<File<'static>>) {
    for file in dir.files() {
        if let Some(path) = file.path().to_str() {
            found.push(File { path, contents: file.contents() });
        }
    }
    for dir in dir.dirs() {
        collect(dir, found);
    }
}

/// The skeleton of an exercise; `None` when the course lacks it, which `dev check` reports.
pub fn skeleton(spec: &Spec) -> Option<&'static str> {
    text("exercises", spec)
}

/// An exercise's text for a folder without cargo, where the command is `checker`.
pub fn without_cargo(text: &str) -> String {
    text.replace("cargo checker ", "checker ")
}

/// Its solution; `None` when the course lacks it.
pub fn solution(spec: &Spec) -> Option<&'static str> {
    text("solutions", spec)
}

/// The page of an exercise in the book, in Markdown, and its path in the workbook.
pub fn page(spec: &Spec) -> Option<File<'static>> {
    let path = format!("book/src/{}/{}.md", spec.chapter, spec.id);
    let file = COURSE.get_file(path)?;
    Some(File { path: file.path().to_str()?, contents: file.contents() })
}

fn text(top: &str, spec: &Spec) -> Option<&'static str> {
    COURSE.get_file(format!("{top}/{}/{}.cu", spec.chapter, spec.id))?.contents_utf8()
}
