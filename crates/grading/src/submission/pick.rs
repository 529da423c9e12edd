//! Assigns the files of a submission to exercises.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::Read;

use sha2::{Digest, Sha256};

use super::{Limits, Reason, Submitted, SubmittedFile};
use crate::course::{Course, Exercise};
use crate::record::Flag;
use crate::seed;
use crate::text::shown;

/// Collects the exercises' files, whatever order they come in.
pub struct Picker<'a> {
    course: &'a Course,
    limits: &'a Limits,
    /// By the exercise's index in the course.
    chosen: BTreeMap<usize, Chosen>,
    ignored: Vec<String>,
    ignored_more: usize,
    /// Files with almost the name of an exercise, by its index in the course.
    nearly: BTreeMap<usize, String>,
    /// Bytes read so far, including files that were not chosen.
    read: u64,
}

struct Chosen {
    rank: Rank,
    path: String,
    state: State,
}

enum State {
    Good(Vec<u8>),
    Refused(String),
    /// Another file with the same rank differs.
    Tied(String),
}

/// How well a file's path mirrors the course; larger is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    mirror: Mirror,
    /// Fewer folders above are better.
    depth: std::cmp::Reverse<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mirror {
    Solutions,
    Name,
    Chapter,
    Exercises,
}

/// A file that may belong to an exercise; the caller reads it and calls [`Picker::take`].
pub struct Wanted {
    exercise: usize,
    rank: Rank,
    path: String,
}

impl Wanted {
    /// Its path, for messages.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// What to do with a file.
pub enum Offer {
    /// Nothing.
    Ignored,
    /// It is to be read.
    Wanted(Wanted),
}

impl<'a> Picker<'a> {
    pub fn new(course: &'a Course, limits: &'a Limits) -> Self {
        Self {
            course,
            limits,
            chosen: BTreeMap::new(),
            ignored: vec![],
            ignored_more: 0,
            nearly: BTreeMap::new(),
            read: 0,
        }
    }

    pub fn limits(&self) -> &'a Limits {
        self.limits
    }

    pub fn found_nothing(&self) -> bool {
        self.chosen.is_empty()
    }

    pub fn must_have_something(&self) -> Result<(), Reason> {
        if !self.found_nothing() {
            return Ok(());
        }
        let first = self.nearly.first_key_value();
        let nearly = first.and_then(|(at, path)| {
            let id = &self.course.exercises.get(*at)?.id;
            Some((path.clone(), format!("{id}.cu")))
        });
        Err(Reason::NoExercise { nearly })
    }

    /// Whether anything below a folder of this name can count.
    pub fn enters(folder: &[u8]) -> bool {
        !folder.starts_with(b".")
            && !folder.eq_ignore_ascii_case(b"__MACOSX")
            && !folder.eq_ignore_ascii_case(b"target")
    }

    /// Decides about the file at `parts`, its folders and its name.
    pub fn offer(&mut self, parts: &[&[u8]]) -> Offer {
        let Some((name, folders)) = parts.split_last() else { return Offer::Ignored };
        if name.starts_with(b".") || !folders.iter().all(|folder| Self::enters(folder)) {
            return Offer::Ignored;
        }
        let path = shown(&parts.join(&b'/'));
        let id = name.strip_suffix(b".cu");
        let place =
            |id| self.course.exercises.iter().position(|exercise| exercise.id.as_bytes() == id);
        let Some(exercise) = id.and_then(place) else {
            if let Some(exercise) = self.nearly(name) {
                self.nearly.entry(exercise).or_insert_with(|| path.clone());
            }
            self.ignore(path);
            return Offer::Ignored;
        };
        let wanted = Wanted { exercise, rank: self.rank(exercise, folders), path };
        match self.chosen.get(&exercise) {
            Some(chosen) if chosen.rank > wanted.rank => {
                self.ignore(wanted.path);
                Offer::Ignored
            }
            _ => Offer::Wanted(wanted),
        }
    }

    /// As [`Picker::offer`], but ignores folders.
    pub fn offer_unless(&mut self, is_folder: bool, parts: &[&[u8]]) -> Offer {
        if is_folder { Offer::Ignored } else { self.offer(parts) }
    }

    fn rank(&self, exercise: usize, folders: &[&[u8]]) -> Rank {
        let chapter = self.course.exercises.get(exercise).map_or("", |exercise| &exercise.chapter);
        let is = |folder: &[u8], name: &str| folder.eq_ignore_ascii_case(name.as_bytes());
        let mirror = match folders {
            [.., exercises, last] if is(last, chapter) && is(exercises, "exercises") => {
                Mirror::Exercises
            }
            _ if folders.iter().any(|folder| is(folder, "solutions")) => Mirror::Solutions,
            [.., last] if is(last, chapter) => Mirror::Chapter,
            _ => Mirror::Name,
        };
        Rank { mirror, depth: std::cmp::Reverse(folders.len()) }
    }

    /// The exercise that `name` probably means: `Blocks.cu`, `blocks (1).cu`, `blocks.cu.txt`.
    fn nearly(&self, name: &[u8]) -> Option<usize> {
        let name = std::str::from_utf8(name).ok()?.to_lowercase();
        let (stem, ending) = name.split_once('.')?;
        if !ending.starts_with("cu") && ending != "txt" {
            return None;
        }
        let stem = stem.replace([' ', '-'], "_");
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '(' | ')' | '_');
        let shorter = stem.trim_end_matches("copy").trim_end_matches(digits);
        let is = |id: &str| self.course.exercises.iter().position(|exercise| exercise.id == id);
        is(&stem).or_else(|| is(shorter))
    }

    /// Names a file that does not count.
    pub fn ignore(&mut self, path: String) {
        if self.ignored.len() < self.limits.ignored {
            self.ignored.push(path);
        } else {
            self.ignored_more += 1;
        }
    }

    /// Reads what was wanted, up to the limits, from `reader`.
    ///
    /// # Errors
    /// When the submission as a whole has had its bytes; a file that cannot be read is refused
    /// alone.
    pub fn read(&mut self, wanted: Wanted, reader: impl Read) -> Result<(), Reason> {
        match self.bytes(reader)? {
            Ok(bytes) => self.take(wanted, bytes),
            Err(error) => self.refuse(wanted, &format!("it cannot be read: {error}")),
        }
        Ok(())
    }

    /// The bytes of a file, one more than allowed at most.
    ///
    /// # Errors
    /// The outer one when the submission has had its bytes, the inner one from `reader`.
    pub fn bytes(&mut self, reader: impl Read) -> Result<std::io::Result<Vec<u8>>, Reason> {
        let mut bytes = vec![];
        let result = reader.take(self.limits.file.saturating_add(1)).read_to_end(&mut bytes);
        self.read = self.read.saturating_add(bytes.len() as u64);
        if self.read > self.limits.total {
            return Err(Reason::Total(self.limits.total));
        }
        Ok(result.map(|_| bytes))
    }

    /// Takes a file's bytes.
    pub fn take(&mut self, wanted: Wanted, bytes: Vec<u8>) {
        if bytes.len() as u64 > self.limits.file {
            return self.refuse_size(wanted);
        }
        self.put(wanted, State::Good(bytes));
    }

    /// Refuses a file that is too large.
    pub fn refuse_size(&mut self, wanted: Wanted) {
        let detail =
            format!("it has more than {} bytes, and no exercise needs that many", self.limits.file);
        self.refuse(wanted, &detail);
    }

    /// Refuses a file; what is left of the submission is graded.
    pub fn refuse(&mut self, wanted: Wanted, why: &str) {
        let detail = format!("`{}` was not taken: {why}", wanted.path);
        self.put(wanted, State::Refused(detail));
    }

    fn put(&mut self, wanted: Wanted, state: State) {
        let Wanted { exercise, rank, path } = wanted;
        let right = self.course.exercises.get(exercise).map(Exercise::path).unwrap_or_default();
        let Some(old) = self.chosen.get_mut(&exercise) else {
            self.chosen.insert(exercise, Chosen { rank, path, state });
            return;
        };
        match rank.cmp(&old.rank) {
            Ordering::Less => self.ignore(path),
            Ordering::Greater => {
                let old = std::mem::replace(old, Chosen { rank, path, state });
                self.ignore(old.path);
            }
            Ordering::Equal => {
                match (&old.state, &state) {
                    (State::Good(one), State::Good(other)) if one == other => {}
                    (State::Tied(_), _) => {}
                    _ => {
                        let detail = if old.path == path {
                            format!("`{path}` is in it twice, and the two differ: keep one")
                        } else {
                            format!(
                                "`{}` and `{path}` could both be it, and they differ: keep one, at `{right}`",
                                old.path
                            )
                        };
                        old.state = State::Tied(detail);
                    }
                }
                self.ignore(path);
            }
        }
    }

    pub fn into_submitted(mut self, id_hint: String, source: String) -> Submitted {
        if self.chosen.values().any(|chosen| chosen.rank.mirror == Mirror::Exercises) {
            let solutions =
                self.chosen.extract_if(.., |_, chosen| chosen.rank.mirror == Mirror::Solutions);
            let paths: Vec<String> = solutions.map(|(_, chosen)| chosen.path).collect();
            paths.into_iter().for_each(|path| self.ignore(path));
        }
        let mut hash = Sha256::new();
        let (mut files, mut notes) = (vec![], vec![]);
        let mut ignored = self.ignored;
        ignored.sort();
        for (at, exercise) in self.course.exercises.iter().enumerate() {
            let flag = |what: &str, detail: String| Flag {
                what: what.to_owned(),
                exercise: Some(exercise.id.clone()),
                detail,
            };
            let Some(chosen) = self.chosen.remove(&at) else {
                if let Some(path) = self.nearly.get(&at) {
                    let detail = format!(
                        "`{path}` was left alone: this exercise's file is called `{}.cu`",
                        exercise.id
                    );
                    notes.push(flag("ignored-file", detail));
                }
                continue;
            };
            let mut add = |bytes: &[u8]| {
                hash.update((bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            };
            add(exercise.path().as_bytes());
            match chosen.state {
                State::Good(bytes) => {
                    add(b"file");
                    add(&bytes);
                    files.push(SubmittedFile {
                        exercise: exercise.id.clone(),
                        path: chosen.path,
                        bytes,
                    });
                }
                State::Refused(detail) | State::Tied(detail) => {
                    add(b"refused");
                    notes.push(flag("refused-file", detail));
                }
            }
        }
        if self.ignored_more > 0 {
            ignored.push(format!("and {} more", self.ignored_more));
        }
        Submitted { id_hint, source, files, ignored, hash: seed::hex(&hash.finalize()), notes }
    }
}
