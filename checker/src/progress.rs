//! The exercises that a learner has passed and the hints that were shown: a plain text file with
//! one fact per line.
//!
//! ```text
//! passed double_it 5f70bf18a0...    the file's SHA-256 when it passed
//! hints double_it 2                 hints shown so far
//! ```
//!
//! Facts belong to the exercise's name, so they survive updates of the course. A line that cannot
//! be read is reported and kept as it is, and does not affect the other lines.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use sha2::{Digest, Sha256};

/// The SHA-256 of a file's contents, in hexadecimal.
pub fn hash(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().map(|byte| format!("{byte:02x}")).collect()
}

const HEADER: &str = "# CUDA workbook: what is done. Safe to read, edit and delete.";

/// The progress in one workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    path: PathBuf,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Passed {
        name: String,
        hash: String,
    },
    Hints {
        name: String,
        shown: usize,
    },
    /// A comment, an empty line, or one that cannot be read: kept byte for byte.
    Other(Vec<u8>),
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// One-based line; 0 when the whole file cannot be read.
    pub line: usize,
    /// The text of the line, or why the file cannot be read.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let path = self.path.display();
        match self.line {
            0 => write!(f, "{path} cannot be read: {}", self.what),
            line => write!(f, "{path}:{line} is not understood, and left as it is: {}", self.what),
        }
    }
}

/// The state of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not passed yet.
    Open,
    /// Passed, and the file has not changed since.
    Done,
    /// Passed, but the file has changed since.
    Changed,
}

impl Progress {
    /// Reads the progress file in the workbook's state folder, and returns the lines that cannot be
    /// read as well. A missing file means no progress.
    pub fn load(state: &Path) -> (Self, Vec<Damage>) {
        let path = state.join("progress.txt");
        let (bytes, mut damage) = match fs::read(&path) {
            Ok(bytes) => (bytes, vec![]),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (vec![], vec![]),
            Err(error) => {
                (vec![], vec![Damage { path: path.clone(), line: 0, what: error.to_string() }])
            }
        };
        let mut lines = Vec::new();
        for (index, raw) in bytes.split(|byte| *byte == b'\n').enumerate() {
            match parse(raw) {
                Ok(line) => lines.push(line),
                Err(what) => {
                    damage.push(Damage { path: path.clone(), line: index + 1, what });
                    lines.push(Line::Other(raw.to_vec()));
                }
            }
        }
        // In a complete file, the text after the last line break is empty.
        if lines.last() == Some(&Line::Other(vec![])) {
            lines.pop();
        }
        (Self { path, lines }, damage)
    }

    /// The state of the exercise, given the SHA-256 of its file (`None` when there is no file).
    pub fn state(&self, exercise: &str, hash: Option<&str>) -> State {
        let passed = self.lines.iter().rev().find_map(|line| match line {
            Line::Passed { name, hash } if name == exercise => Some(hash.as_str()),
            _ => None,
        });
        match passed {
            None => State::Open,
            Some(passed) if Some(passed) == hash => State::Done,
            Some(_) => State::Changed,
        }
    }

    /// True when the exercise has been passed, even if its file has changed since.
    pub fn is_passed(&self, exercise: &str) -> bool {
        self.state(exercise, None) != State::Open
    }

    /// Number of hints that were shown.
    pub fn hints(&self, exercise: &str) -> usize {
        let shown = |line: &Line| match line {
            Line::Hints { name, shown } if name == exercise => Some(*shown),
            _ => None,
        };
        self.lines.iter().rev().find_map(shown).unwrap_or(0)
    }

    /// Records a pass of the file with this SHA-256. False when it was recorded before.
    pub fn set_passed(&mut self, exercise: &str, hash: &str) -> bool {
        if self.state(exercise, Some(hash)) == State::Done {
            return false;
        }
        self.lines.retain(|line| !matches!(line, Line::Passed { name, .. } if name == exercise));
        self.lines.push(Line::Passed { name: exercise.into(), hash: hash.into() });
        true
    }

    /// Records how many hints were shown.
    pub fn set_hints(&mut self, exercise: &str, shown: usize) {
        self.lines.retain(|line| !matches!(line, Line::Hints { name, .. } if name == exercise));
        self.lines.push(Line::Hints { name: exercise.into(), shown });
    }

    /// Makes the file exist although no exercise is passed.
    pub fn touch(&mut self) {
        if self.lines.is_empty() {
            self.lines.push(Line::Other(HEADER.into()));
        }
    }

    /// Removes the exercise's facts: it is open again, and no hints were shown.
    pub fn forget(&mut self, exercise: &str) {
        self.lines.retain(|line| match line {
            Line::Passed { name, .. } | Line::Hints { name, .. } => name != exercise,
            Line::Other(_) => true,
        });
    }

    /// Writes the file completely or not at all, so that neither a full disk nor a power failure
    /// loses the old contents.
    ///
    /// # Errors
    /// When the workbook is read-only or the disk is full. The result of a check is still valid, so
    /// only warn.
    pub fn save(&self) -> io::Result<()> {
        let state = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(state)?;
        let mut file = tempfile::NamedTempFile::new_in(state)?;
        if self.lines.is_empty() || !matches!(self.lines.first(), Some(Line::Other(_))) {
            writeln!(file, "{HEADER}")?;
        }
        for line in &self.lines {
            match line {
                Line::Passed { name, hash } => writeln!(file, "passed {name} {hash}")?,
                Line::Hints { name, shown } => writeln!(file, "hints {name} {shown}")?,
                Line::Other(raw) => {
                    file.write_all(raw)?;
                    file.write_all(b"\n")?;
                }
            }
        }
        file.persist(&self.path)?;
        Ok(())
    }
}

/// Parses one line. The error is the text that is not understood.
fn parse(raw: &[u8]) -> Result<Line, String> {
    let keep = Ok(Line::Other(raw.to_vec()));
    let Ok(text) = str::from_utf8(raw) else {
        return Err("not text (UTF-8)".into());
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [] => keep,
        [first, ..] if first.starts_with('#') => keep,
        ["passed", name, hash]
            if hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            Ok(Line::Passed { name: (*name).into(), hash: hash.to_ascii_lowercase() })
        }
        ["hints", name, shown] if shown.parse::<u32>().is_ok() => {
            let shown = shown.parse().map_err(|_| format!("`{text}`"))?;
            Ok(Line::Hints { name: (*name).into(), shown })
        }
        _ => Err(format!("`{}`", crate::text::excerpt(text, 60))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_temp() -> (tempfile::TempDir, Progress) {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let (progress, damage) = Progress::load(temp.path());
        assert!(damage.is_empty());
        (temp, progress)
    }

    /// Recorded facts are found again, and an edited file is distinguished from an unchanged one.
    #[test]
    fn passes_and_hints_survive_a_round_trip() {
        let (temp, mut progress) = in_temp();
        let (before, after) = (hash(b"before"), hash(b"after"));
        assert!(progress.set_passed("guard", &before));
        assert!(!progress.set_passed("guard", &before), "the same pass twice is no news");
        progress.set_hints("blocks", 2);
        progress.save().expect("writable");

        let (progress, damage) = Progress::load(temp.path());
        assert!(damage.is_empty());
        assert_eq!(progress.state("guard", Some(&before)), State::Done);
        assert_eq!(progress.state("guard", Some(&after)), State::Changed);
        assert_eq!(progress.state("guard", None), State::Changed);
        assert_eq!(progress.state("blocks", Some(&before)), State::Open);
        assert_eq!((progress.hints("blocks"), progress.hints("guard")), (2, 0));
    }

    /// A damaged line, or one that a newer checker may have written, is reported and kept, and the
    /// other lines are read.
    #[test]
    fn a_damaged_line_does_not_affect_others() {
        let (temp, _) = in_temp();
        let good = format!("passed guard {}", hash(b"x"));
        let text = format!("# mine\n{good}\npassed blocks 12\nmedal guard gold\nhints guard 3");
        let mut bytes = text.into_bytes();
        bytes.extend(b"\n\xff\xfe\n");
        fs::write(temp.path().join("progress.txt"), &bytes).expect("writable");

        let (mut progress, damage) = Progress::load(temp.path());
        assert_eq!(damage.iter().map(|d| d.line).collect::<Vec<_>>(), [3, 4, 6]);
        assert!(progress.is_passed("guard"));
        assert_eq!(progress.hints("guard"), 3);

        progress.set_passed("blocks", &hash(b"y"));
        progress.save().expect("writable");
        let saved = fs::read(temp.path().join("progress.txt")).expect("there");
        assert!(saved.starts_with(b"# mine\n"));
        assert!(saved.windows(17).any(|w| w == b"medal guard gold\n"));
        assert!(saved.windows(4).any(|w| w == b"\n\xff\xfe\n"));
        let (progress, damage) = Progress::load(temp.path());
        assert_eq!(damage.len(), 3);
        assert!(progress.is_passed("blocks") && progress.is_passed("guard"));
    }

    /// `reset` opens an exercise again and does not change the others.
    #[test]
    fn forgetting_is_for_one_exercise() {
        let (_temp, mut progress) = in_temp();
        progress.set_passed("guard", &hash(b"x"));
        progress.set_passed("blocks", &hash(b"x"));
        progress.set_hints("guard", 3);
        progress.forget("guard");
        assert!(!progress.is_passed("guard") && progress.is_passed("blocks"));
        assert_eq!(progress.hints("guard"), 0);
    }

    proptest! {
        /// No contents of the file make the checker panic, and rewriting keeps lines that are not
        /// understood.
        #[test]
        fn any_bytes_are_accepted(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let temp = tempfile::tempdir().expect("a temporary folder");
            fs::write(temp.path().join("progress.txt"), &bytes).expect("writable");
            let (mut progress, damage) = Progress::load(temp.path());
            progress.set_passed("guard", &hash(b"x"));
            progress.save().expect("writable");
            let (progress, again) = Progress::load(temp.path());
            prop_assert!(progress.is_passed("guard"));
            prop_assert_eq!(damage.len(), again.len());
        }
    }
}
