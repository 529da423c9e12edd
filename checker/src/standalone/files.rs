//! The source files of a program, as the compilers and debugging data name them.

use std::fs;
use std::path::{Path, PathBuf};

/// A file with the name that the learner knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the current folder, if it is below.
    pub name: String,
    /// Its text; empty if it cannot be read.
    pub text: String,
}

/// The files of a program.
#[derive(Debug)]
pub struct Files {
    /// The files that are compiled, in the order of the command line.
    compiled: Vec<SourceFile>,
    /// Whether other files, such as headers, are read where they are.
    reads_others: bool,
}

impl Files {
    /// One file that is nowhere on disk. No other file is read, although the program's debugging
    /// data may name any file of this machine.
    pub fn alone(name: &str, text: String) -> Self {
        Self { compiled: vec![SourceFile { name: name.to_owned(), text }], reads_others: false }
    }

    /// The files of the command line. The first has this text.
    pub fn new(paths: &[PathBuf], first: String) -> Self {
        let compiled = paths.iter().enumerate().map(|(number, path)| SourceFile {
            name: path.display().to_string(),
            text: if number == 0 { first.clone() } else { read(path) },
        });
        Self { compiled: compiled.collect(), reads_others: true }
    }

    /// The first file.
    pub fn first(&self) -> &SourceFile {
        &self.compiled[0]
    }

    /// The file that a compiler calls `path`. Each compiled file lies in a temporary folder whose
    /// name is its number; a header has its own path.
    pub fn find(&self, path: &str) -> SourceFile {
        let path = Path::new(path);
        if self.reads_others && path.is_file() {
            return SourceFile { name: relative(path), text: read(path) };
        }
        let name = path.file_name().unwrap_or_default();
        let folder = path.parent().and_then(Path::file_name).and_then(|n| n.to_str());
        let named = |file: &&SourceFile| Path::new(&file.name).file_name() == Some(name);
        let numbered =
            folder.and_then(|n| n.parse::<usize>().ok()).and_then(|n| self.compiled.get(n));
        let found = numbered.filter(named).or_else(|| self.compiled.iter().find(named));
        found.unwrap_or(self.first()).clone()
    }

    /// The file that has a place; without a place, the first.
    pub fn at(&self, place: Option<&ptxsim::Source>) -> SourceFile {
        match place.filter(|place| place.line > 0) {
            Some(place) => self.find(&place.file),
            None => self.first().clone(),
        }
    }

    /// All compiled files.
    pub fn compiled(&self) -> &[SourceFile] {
        &self.compiled
    }
}

fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The path from the current folder, if it is below.
fn relative(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_what_the_compilers_call_them() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let (one, two) = (folder.path().join("a/util.cu"), folder.path().join("b/util.cu"));
        for path in [&one, &two] {
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, path.display().to_string()).expect("writes");
        }
        let files = Files::new(&[one.clone(), two.clone()], "first".into());
        assert_eq!(files.find("/tmp/.tmpX/0/util.cu").text, "first");
        assert_eq!(files.find("/tmp/.tmpX/1/util.cu").text, two.display().to_string());
        assert_eq!(files.find("util.cu").name, one.display().to_string());
        assert_eq!(files.find("elsewhere.cu").text, "first");
        let header = folder.path().join("x.cuh");
        fs::write(&header, "header").expect("writes");
        assert_eq!(files.find(&header.display().to_string()).text, "header");
        assert_eq!(files.at(None).text, "first");
        // A program of a page can name any file with `#line`.
        let alone = Files::alone("util.cu", "text".into());
        assert_eq!(alone.find(&header.display().to_string()).text, "text");
    }
}
