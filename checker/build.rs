//! Collects the course for embedding: the original exercises, the solutions and the book's sources.
//!
//! `include_dir` embeds whole folders, so files that must not be embedded (a built book) are left
//! out here. The originals come from `proof/originals/` and not from `../exercises/`, because those
//! are the learner's own files: editing one must neither trigger a rebuild nor change what `reset`
//! restores. `checker dev check` proves that the two agree in a new clone.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Files and folders of the repository, each with its path in the course.
const PARTS: &[(&str, &str)] = &[
    ("proof/originals", "exercises"),
    ("../solutions", "solutions"),
    ("../book/book.toml", "book/book.toml"),
    ("../book/src", "book/src"),
    ("../book/names.toml", "book/names.toml"),
    ("../book/quizzes", "book/quizzes"),
    ("../book/outputs", "book/outputs"),
    ("../book/examples", "book/examples"),
    ("../book/widgets", "book/widgets"),
    // Files that the book's pages for instructors include.
    ("../classroom/example", "classroom/example"),
    ("../crates/grading/src/policy/example.toml", "crates/grading/src/policy/example.toml"),
];

fn main() -> io::Result<()> {
    // Programs that the checker loads find the CUDA runtime's functions in the executable.
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-link-arg-bin=checker-worker=-rdynamic");
    }
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or(io::ErrorKind::NotFound)?);
    let course =
        PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?).join("course");
    if course.exists() {
        fs::remove_dir_all(&course)?;
    }
    fs::create_dir_all(&course)?;
    for (from, to) in PARTS {
        let from = here.join(from);
        // With a missing path, Cargo would rebuild everything each time a learner runs the checker.
        if !from.exists() {
            return Err(io::Error::new(io::ErrorKind::NotFound, from.display().to_string()));
        }
        println!("cargo::rerun-if-changed={}", from.display());
        copy(&from, &course.join(to))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() {
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
