//! The listings of the lessons: whole programs in `book/examples/chNN/`.
//!
//! A page shows a listing, or a part of it between `// ANCHOR: name` and `// ANCHOR_END: name`,
//! with mdBook's `{{#include}}`. `checker book capture` runs each listing with `checker run`, so a
//! listing that no longer compiles stops the book. A listing whose name ends in `_wrong` shows a
//! mistake, and `run` must report it.

use std::fs;
use std::path::{Path, PathBuf};

use super::Problem;

/// A listing of a chapter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listing {
    /// `ch01`: its folder in `book/examples`.
    chapter: String,
    /// `add_arrays`: its file without `.cu`.
    stem: String,
}

impl Listing {
    /// All listings of the book in `root`, in the order of their names.
    ///
    /// # Errors
    /// When a folder can't be read.
    pub fn all(root: &Path) -> Result<Vec<Self>, Problem> {
        let mut found = Vec::new();
        for folder in entries(&root.join("examples"))? {
            let Some(chapter) = name(&folder).filter(|name| is_chapter(name)) else { continue };
            for file in entries(&folder)? {
                if file.extension().is_some_and(|extension| extension == "cu") {
                    let stem = file.with_extension("");
                    found.extend(name(&stem).map(|stem| Self { chapter: chapter.clone(), stem }));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Its file, relative to the repository.
    pub fn source(&self) -> String {
        format!("book/examples/{}/{}.cu", self.chapter, self.stem)
    }

    /// The name of its output: `ch01/add_arrays`.
    pub fn output(&self) -> String {
        format!("{}/{}", self.chapter, self.stem)
    }

    /// The command that runs it, without `checker`.
    pub fn command(&self) -> String {
        format!("run {}.cu --backend sim", self.stem)
    }

    /// The exit code that the command must have: 1 for a mistake.
    pub fn exit(&self) -> i32 {
        self.stem.ends_with("_wrong").into()
    }
}

/// `ch01`, but not `diagnostics`.
fn is_chapter(name: &str) -> bool {
    name.strip_prefix("ch").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
}

fn name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_owned())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    list().map_err(|source| Problem::Read { path: folder.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_are_programs_in_the_folders_of_chapters() {
        let root = tempfile::tempdir().unwrap();
        for file in
            ["ch02/b.cu", "ch02/a_wrong.cu", "ch02/notes.md", "diagnostics/x.cu", "chart/c.cu"]
        {
            let file = root.path().join("examples").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let found = Listing::all(root.path()).unwrap();
        let facts: Vec<_> = found.iter().map(|l| (l.output(), l.command(), l.exit())).collect();
        assert_eq!(
            facts,
            [
                ("ch02/a_wrong".to_owned(), "run a_wrong.cu --backend sim".to_owned(), 1),
                ("ch02/b".to_owned(), "run b.cu --backend sim".to_owned(), 0),
            ]
        );
        assert_eq!(found[1].source(), "book/examples/ch02/b.cu");
    }
}
