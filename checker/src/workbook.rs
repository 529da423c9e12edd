//! The workbook on disk: finds it and its files, and writes a new one.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::course::{self, File};
use crate::spec::Spec;

/// A folder with the course's exercises in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workbook {
    root: PathBuf,
}

/// Why a workbook could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder contains other files.
    #[error("{} is not empty, and it is not a workbook: name a new folder", .0.display())]
    NotEmpty(PathBuf),
    /// It is not a folder at all.
    #[error("{} is a file: name a new folder", .0.display())]
    NotAFolder(PathBuf),
    /// The operating system reported an error.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The result of [`init`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initialised {
    /// Files written.
    pub written: usize,
    /// Files that existed already and were not changed.
    pub kept: usize,
}

impl Workbook {
    /// The workbook that contains `place`: the nearest folder at or above it that has `exercises/`
    /// and one of `.workbook/`, `book/book.toml` and the course's own `checker/`.
    pub fn find(place: &Path) -> Option<Self> {
        place.ancestors().find(|dir| is_workbook(dir)).map(|dir| Self { root: dir.to_path_buf() })
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The learner's file.
    pub fn exercise(&self, spec: &Spec) -> PathBuf {
        self.root.join("exercises").join(spec.chapter).join(format!("{}.cu", spec.id))
    }

    /// The checker's folder in it, for progress and backups. It may not exist.
    pub fn state(&self) -> PathBuf {
        self.root.join(".workbook")
    }

    /// Saves a copy of a learner's file in a new file, and returns its path. Copies are numbered
    /// from 1, and none replaces another one.
    ///
    /// # Errors
    /// When the copy cannot be written as a whole.
    pub fn save_copy(&self, spec: &Spec, contents: &[u8]) -> Result<PathBuf, Error> {
        let folder = self.state().join("backup");
        fs::create_dir_all(&folder).map_err(|source| Error::Io { path: folder.clone(), source })?;
        let mut number = 1;
        loop {
            let path = folder.join(format!("{}.{number}.cu", spec.id));
            let created = OpenOptions::new().write(true).create_new(true).open(&path);
            match created.and_then(|mut out| out.write_all(contents)) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(source) => return Err(Error::Io { path, source }),
            }
        }
    }

    /// The copies of a learner's file that [`Workbook::save_copy`] has saved: their numbers and
    /// paths, the newest first.
    pub fn copies(&self, spec: &Spec) -> Vec<(u32, PathBuf)> {
        let number = |path: &Path| -> Option<u32> {
            let name = path.file_name()?.to_str()?.strip_prefix(spec.id)?;
            name.strip_prefix('.')?.strip_suffix(".cu")?.parse().ok()
        };
        let folder = fs::read_dir(self.state().join("backup"));
        let paths = folder.into_iter().flatten().flatten().map(|entry| entry.path());
        let mut copies: Vec<(u32, PathBuf)> =
            paths.filter_map(|path| Some((number(&path)?, path))).collect();
        copies.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        copies
    }

    /// The folder of the book's sources, if it exists.
    pub fn book(&self) -> Option<PathBuf> {
        Some(self.root.join("book")).filter(|book| book.join("book.toml").is_file())
    }

    /// `path` as reports show it: relative to the workbook, with `/` between the parts.
    pub fn relative(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/")
    }
}

fn is_workbook(dir: &Path) -> bool {
    dir.join("exercises").is_dir()
        && (dir.join(".workbook").exists()
            || dir.join("book").join("book.toml").is_file()
            || dir.join("checker").join("Cargo.toml").is_file())
}

/// Writes the exercises and the book's listings into `dir`, and never overwrites a file. The pages
/// stay embedded: `checker book` builds them, and their sources are full of its markers.
///
/// # Errors
/// When `dir` contains other files, or cannot be written.
pub fn init(dir: &Path) -> Result<Initialised, Error> {
    if dir.is_file() {
        return Err(Error::NotAFolder(dir.to_path_buf()));
    }
    let occupied = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    if occupied && !is_workbook(dir) {
        return Err(Error::NotEmpty(dir.to_path_buf()));
    }
    let state = dir.join(".workbook");
    fs::create_dir_all(&state).map_err(|source| Error::Io { path: state, source })?;
    let mut done = Initialised { written: 0, kept: 0 };
    let tasks = editor_tasks();
    let editor = [
        File { path: ".vscode/tasks.json", contents: tasks.as_bytes() },
        File {
            path: ".vscode/extensions.json",
            contents: include_bytes!("../../.vscode/extensions.json"),
        },
        File {
            path: ".devcontainer/devcontainer.json",
            contents: include_bytes!("../../.devcontainer/devcontainer.json"),
        },
    ];
    let listings =
        course::files("book").into_iter().filter(|file| file.path.starts_with("book/examples/"));
    for file in course::files("exercises").into_iter().chain(listings).chain(editor) {
        let text = std::str::from_utf8(file.contents).ok().map(course::without_cargo);
        let contents = text.as_ref().map_or(file.contents, |text| text.as_bytes());
        if write_new(dir, &File { contents, ..file })? {
            done.written += 1;
        } else {
            done.kept += 1;
        }
    }
    Ok(done)
}

impl Workbook {
    /// A text of the course with the commands that work in this folder.
    pub fn text_of<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.root().join(".cargo/config.toml").is_file() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(course::without_cargo(text))
        }
    }
}

/// The tasks for VS Code of this repository, for a workbook, where there is no cargo.
fn editor_tasks() -> String {
    let tasks = include_str!("../../.vscode/tasks.json");
    course::without_cargo(&tasks.replace("sh .vscode/checker ", "checker "))
}

/// Writes the embedded files under `top` below `dir`, except those that exist.
///
/// # Errors
/// When a file cannot be written.
pub fn extract(top: &str, dir: &Path) -> Result<(), Error> {
    course::files(top).iter().try_for_each(|file| write_new(dir, file).map(drop))
}

/// Writes one file unless it exists. True when it was written.
fn write_new(dir: &Path, file: &File<'_>) -> Result<bool, Error> {
    let path = file.path.split('/').fold(dir.to_path_buf(), |path, part| path.join(part));
    let result = (|| {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        // `create_new` is atomic, so even a file that another process has just made is not
        // overwritten.
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut out) => out.write_all(file.contents).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    })();
    result.map_err(|source| Error::Io { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands find the workbook from any folder inside it, and from no other.
    #[test]
    fn found_from_inside_and_not_from_outside() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let deep = temp.path().join("book/exercises/ch01");
        fs::create_dir_all(&deep).expect("folders");
        assert_eq!(Workbook::find(&deep), None, "a folder with only `exercises` is not a workbook");

        fs::create_dir_all(temp.path().join("book/.workbook")).expect("marker");
        let found = Workbook::find(&deep).expect("the workbook");
        assert_eq!(found.root(), temp.path().join("book"));
        assert_eq!(found.relative(&deep.join("a.cu")), "exercises/ch01/a.cu");
        assert_eq!(Workbook::find(temp.path()), None);
    }

    /// `init` never overwrites a learner's work, even when it runs again.
    #[test]
    fn init_adds_only_what_is_missing() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let dir = temp.path().join("new");
        let first = init(&dir).expect("a new folder");
        assert_eq!(first.kept, 0);
        let again = init(&dir).expect("a workbook");
        assert_eq!(again, Initialised { written: 0, kept: first.written });

        if let Some(file) = course::files("exercises").first() {
            let path = dir.join(file.path);
            fs::write(&path, "my work").expect("writable");
            init(&dir).expect("a workbook");
            assert_eq!(fs::read_to_string(&path).expect("still there"), "my work");
        }
    }

    /// `init` in the wrong folder must not write the course among other files.
    #[test]
    fn init_refuses_a_foreign_folder() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        fs::write(temp.path().join("thesis.tex"), "").expect("writable");
        assert!(matches!(init(temp.path()), Err(Error::NotEmpty(_))));
        assert!(matches!(init(&temp.path().join("thesis.tex")), Err(Error::NotAFolder(_))));
    }
}
