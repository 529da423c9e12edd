//! Assigns the files of a submission to exercises.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::class_like::Seen;
use super::file_name::{self, Meant};
use super::notebook::{self, Contents};
use super::{Limits, Reason, Submitted, SubmittedFile, decode};
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
    /// Files that were not chosen, and differ from the chosen one.
    others: BTreeMap<usize, Vec<Other>>,
    /// Files in parts that were submitted earlier than the chosen one's.
    versions: BTreeMap<usize, VecDeque<SubmittedFile>>,
    ignored: Vec<String>,
    ignored_more: usize,
    /// Files that may be an exercise's and are not read, each with the reason.
    unread: Vec<Unread>,
    /// What the paths say about whose submission it is.
    seen: Seen,
    /// Bytes read so far, including files that were not chosen.
    read: u64,
    /// The current part of the submission.
    part: CurrentPart,
}

/// The part of a submission that is being read.
#[derive(Debug, Clone, Default)]
struct CurrentPart {
    /// Its number; a later part was submitted later.
    number: usize,
    /// When it was submitted, if that is known.
    at: Option<Timestamp>,
    /// The name that the platform gave the file, for messages.
    renamed: Option<String>,
    /// The archive or notebook that is being read within it.
    inside: Option<String>,
}

struct Chosen {
    rank: Rank,
    path: String,
    state: State,
    at: Option<Timestamp>,
    /// What was changed to read it.
    changes: Vec<&'static str>,
}

/// A file that may be an exercise's, and is not read.
struct Unread {
    line: String,
    /// It lies where the course has files of its own.
    is_of_course: bool,
}

/// Folders in which a copy of the whole course has files that are no exercises.
const FOLDERS_OF_COURSE: [&[u8]; 5] = [b"book", b"checker", b"classroom", b"crates", b"solutions"];

/// Most remarks about files that are not read.
const MAX_UNREAD: usize = 10;

/// Files of an exercise, beside the one that counts, that have flags of their own.
const MAX_OTHERS: usize = 10;

/// A file that is not graded because another one is.
struct Other {
    path: String,
    rank: Rank,
}

enum State {
    Good(Vec<u8>),
    Refused(String),
    /// Another file with the same rank differs.
    Tied(String),
}

/// How likely a file is the one that the student means; larger is better. The first field that
/// differs decides, and is the reason that an instructor reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// It can be read: it is no link, and not too large.
    readable: bool,
    /// It does not lie in a folder `solutions`.
    own: bool,
    /// It is not the file as it was handed out.
    touched: bool,
    /// The number of its part: the later one counts.
    part: usize,
    mirror: Mirror,
    /// Its name is exactly the exercise's.
    exact: bool,
    /// Fewer folders above are better.
    depth: Reverse<usize>,
    /// The number of a copy: 1 in `guard (1).cu`.
    copy: u32,
}

impl Rank {
    /// Why a file with this rank does not count beside one with the rank `better`.
    fn why_not(&self, better: &Self) -> &'static str {
        if self.readable != better.readable {
            "it cannot be read"
        } else if self.own != better.own {
            "it lies in a folder of solutions"
        } else if self.touched != better.touched {
            "it is as it was handed out"
        } else if self.part != better.part {
            "it was submitted earlier"
        } else if self.mirror != better.mirror {
            "the other one's folders are those of the course"
        } else if self.exact != better.exact {
            "its name is not exactly the exercise's"
        } else if self.depth != better.depth {
            "it lies in more folders"
        } else {
            "its copy has a lower number"
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mirror {
    Name,
    Chapter,
    Exercises,
}

/// A file that may belong to an exercise, or a notebook; the caller reads it and calls
/// [`Picker::take`].
pub struct Wanted {
    kind: Kind,
    path: String,
}

enum Kind {
    Exercise { exercise: usize, rank: Rank },
    Notebook,
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
            others: BTreeMap::new(),
            versions: BTreeMap::new(),
            ignored: vec![],
            ignored_more: 0,
            unread: vec![],
            seen: Seen::default(),
            read: 0,
            part: CurrentPart::default(),
        }
    }

    /// Begins part `number` of the submission, which was submitted `at` this time, and which the
    /// platform `renamed`.
    pub fn begin(&mut self, number: usize, at: Option<Timestamp>, renamed: Option<String>) {
        self.part = CurrentPart { number, at, renamed, inside: None };
    }

    /// Names the archive within the part that is read from now on; `None` at its end.
    pub fn inside(&mut self, archive: Option<String>) {
        self.part.inside = archive;
    }

    pub fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Bytes that a file may have.
    pub fn limit_of(&self, wanted: &Wanted) -> u64 {
        match wanted.kind {
            Kind::Exercise { .. } => self.limits.file,
            Kind::Notebook => self.limits.notebook,
        }
    }

    pub fn found_nothing(&self) -> bool {
        self.chosen.is_empty()
    }

    /// What the paths say about whose submission it is.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// All files that are not graded, in order.
    pub fn into_ignored(self) -> Vec<String> {
        let mut ignored = self.ignored;
        ignored.sort();
        if self.ignored_more > 0 {
            ignored.push(format!("and {} more", self.ignored_more));
        }
        ignored
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
        let path = self.path(parts);
        let name = std::str::from_utf8(name).unwrap_or_default();
        let meant = file_name::meant(self.course, name);
        self.seen.add(parts, meant.map(|meant| meant.exercise));
        let Some(Meant { exercise, exact, copy }) = meant else {
            if is_notebook(name) {
                return Offer::Wanted(Wanted { kind: Kind::Notebook, path });
            }
            match file_name::why_unread(self.course, name) {
                Some(why) => {
                    let is_of_course = folders.iter().any(|f| FOLDERS_OF_COURSE.contains(f));
                    self.unread(&path, &why, is_of_course);
                }
                None => self.ignore(path),
            }
            return Offer::Ignored;
        };
        let rank = self.rank(exercise, folders, exact, copy);
        Offer::Wanted(Wanted { kind: Kind::Exercise { exercise, rank }, path })
    }

    /// Whether a file of this name may belong to an exercise.
    pub fn is_wanted(&self, name: &str) -> bool {
        file_name::meant(self.course, name).is_some() || is_notebook(name)
    }

    /// Decides about a cell of a notebook that writes the file `name`; a later cell has a higher
    /// `number`.
    pub fn offer_cell(&mut self, notebook: &str, name: &str, number: u32) -> Option<Wanted> {
        let path = format!("{notebook} (cell {number})");
        let Some(Meant { exercise, exact, .. }) = file_name::meant(self.course, name) else {
            if let Some(why) = file_name::why_unread(self.course, name) {
                self.unread(&format!("{path}, `{}`", shown(name.as_bytes())), &why, false);
            }
            return None;
        };
        let rank = self.rank(exercise, &[notebook.as_bytes()], exact, number);
        Some(Wanted { kind: Kind::Exercise { exercise, rank }, path })
    }

    fn path(&self, parts: &[&[u8]]) -> String {
        let path = shown(&parts.join(&b'/'));
        match (&self.part.renamed, &self.part.inside) {
            (Some(archive), Some(_)) | (None, Some(archive)) => format!("{archive}/{path}"),
            (Some(renamed), None) => renamed.clone(),
            (None, None) => path,
        }
    }

    /// As [`Picker::offer`], but ignores folders.
    pub fn offer_unless(&mut self, is_folder: bool, parts: &[&[u8]]) -> Offer {
        if is_folder { Offer::Ignored } else { self.offer(parts) }
    }

    fn rank(&self, exercise: usize, folders: &[&[u8]], exact: bool, copy: u32) -> Rank {
        let chapter = self.course.exercises.get(exercise).map_or("", |exercise| &exercise.chapter);
        let is = |folder: &[u8], name: &str| folder.eq_ignore_ascii_case(name.as_bytes());
        let mirror = match folders {
            [.., exercises, last] if is(last, chapter) && is(exercises, "exercises") => {
                Mirror::Exercises
            }
            [.., last] if is(last, chapter) => Mirror::Chapter,
            _ => Mirror::Name,
        };
        let own = mirror == Mirror::Exercises || !folders.iter().any(|f| is(f, "solutions"));
        let depth = Reverse(folders.len() + usize::from(self.part.inside.is_some()));
        Rank {
            readable: true,
            own,
            touched: true,
            part: self.part.number,
            mirror,
            exact,
            depth,
            copy,
        }
    }

    /// Names a file that does not count.
    pub fn ignore(&mut self, path: String) {
        if self.ignored.len() < self.limits.ignored {
            self.ignored.push(path);
        } else {
            self.ignored_more += 1;
        }
    }

    /// Names a file that may be an exercise's, with the reason why it is not read: an instructor
    /// looks at it.
    pub fn unread(&mut self, path: &str, why: &str, is_of_course: bool) {
        let line = format!("`{path}` was not read: {why}");
        self.unread.push(Unread { line, is_of_course });
        self.ignore(format!("{path}: {why}"));
    }

    /// Reads what was wanted, up to the limits, from `reader`.
    ///
    /// # Errors
    /// When the submission as a whole has had its bytes; a file that cannot be read is refused
    /// alone.
    pub fn read(&mut self, wanted: Wanted, reader: impl Read) -> Result<(), Reason> {
        let limit = self.limit_of(&wanted);
        match self.bytes(reader, limit)? {
            Ok(bytes) => self.take(wanted, bytes),
            Err(error) => self.refuse(wanted, &format!("it cannot be read: {error}")),
        }
        Ok(())
    }

    /// The bytes of a file, one more than `limit` at most.
    ///
    /// # Errors
    /// The outer one when the submission has had its bytes, the inner one from `reader`.
    pub fn bytes(
        &mut self,
        reader: impl Read,
        limit: u64,
    ) -> Result<std::io::Result<Vec<u8>>, Reason> {
        let mut bytes = vec![];
        let result = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        self.read = self.read.saturating_add(bytes.len() as u64);
        if self.read > self.limits.total {
            return Err(Reason::Total(self.limits.total));
        }
        Ok(result.map(|_| bytes))
    }

    /// Takes a file's bytes.
    pub fn take(&mut self, wanted: Wanted, bytes: Vec<u8>) {
        if bytes.len() as u64 > self.limit_of(&wanted) {
            return self.refuse_size(wanted);
        }
        let Kind::Exercise { exercise, mut rank } = wanted.kind else {
            let why = match notebook::read(&wanted.path, &bytes, self) {
                None => "it is no notebook that can be read",
                Some(Contents::OnlyKernels) => {
                    "no cell of it begins with `%%exercise NAME` or `%%writefile NAME.cu`"
                }
                Some(Contents::Files) => return,
                Some(Contents::Nothing) => {
                    return self.ignore(format!("{}: it has no exercise", wanted.path));
                }
            };
            return self.unread(&wanted.path, why, false);
        };
        let decoded = decode::decode(bytes);
        // Text in UTF-8 may be longer than in its own encoding.
        if decoded.bytes.len() as u64 > self.limits.file {
            let kind = Kind::Exercise { exercise, rank };
            return self.refuse_size(Wanted { kind, path: wanted.path });
        }
        let skeleton = self.course.exercises.get(exercise).map(|e| e.skeleton.as_str());
        rank.touched = !decode::is_same_text(&decoded.bytes, skeleton.unwrap_or_default());
        let state = State::Good(decoded.bytes);
        let (path, at, changes) = (wanted.path, self.part.at, decoded.changes);
        self.put(exercise, Chosen { rank, path, state, at, changes });
    }

    /// Refuses a file that is too large.
    pub fn refuse_size(&mut self, wanted: Wanted) {
        let (limit, what) = match wanted.kind {
            Kind::Exercise { .. } => (self.limits.file, "exercise"),
            Kind::Notebook => (self.limits.notebook, "notebook"),
        };
        let detail = format!("it has more than {limit} bytes, and no {what} needs that many");
        self.refuse(wanted, &detail);
    }

    /// Refuses a file; what is left of the submission is graded.
    pub fn refuse(&mut self, wanted: Wanted, why: &str) {
        let Kind::Exercise { exercise, mut rank } = wanted.kind else {
            return self.unread(&wanted.path, why, false);
        };
        rank.readable = false;
        let state = State::Refused(format!("`{}` was not taken: {why}", wanted.path));
        let (path, at) = (wanted.path, self.part.at);
        self.put(exercise, Chosen { rank, path, state, at, changes: vec![] });
    }

    fn put(&mut self, exercise: usize, new: Chosen) {
        let rank = new.rank;
        let right = self.course.exercises.get(exercise).map(Exercise::path).unwrap_or_default();
        let Some(old) = self.chosen.get_mut(&exercise) else {
            self.chosen.insert(exercise, new);
            return;
        };
        let same = match (&old.state, &new.state) {
            (State::Good(one), State::Good(other)) => one == other,
            _ => false,
        };
        let loser = match rank.cmp(&old.rank) {
            Ordering::Less => new,
            Ordering::Greater => std::mem::replace(old, new),
            Ordering::Equal => {
                if !same && !matches!(old.state, State::Tied(_)) {
                    old.state = State::Tied(if old.path == new.path {
                        format!("`{}` is in it twice, and the two differ: keep one", new.path)
                    } else {
                        format!(
                            "`{}` and `{}` could both be this exercise's file, and they differ: keep one, at `{right}`",
                            old.path, new.path
                        )
                    });
                }
                let why = if same { "it is the same" } else { "which of them counts is not clear" };
                return self.ignore(format!("{}: {why}", new.path));
            }
        };
        if same {
            // The same text was submitted earlier, so that is when it arrived.
            old.at = old.at.min(loser.at).or(old.at);
            let line = format!("{}: it is the same as `{}`", loser.path, old.path);
            return self.ignore(line);
        }
        let other_is_earlier =
            loser.rank.own && loser.rank.touched && loser.rank.part < old.rank.part;
        // a file that comes later may be better than both, so the reason is not known yet
        let other = Other { path: loser.path.clone(), rank: loser.rank };
        self.others.entry(exercise).or_default().push(other);
        if other_is_earlier && let State::Good(bytes) = loser.state {
            self.keep_version(exercise, loser.path, bytes, loser.at);
        }
    }

    /// Keeps a file of an earlier part, and forgets the earliest one when there are too many.
    fn keep_version(
        &mut self,
        exercise: usize,
        path: String,
        bytes: Vec<u8>,
        at: Option<Timestamp>,
    ) {
        let Some(id) = self.course.exercises.get(exercise).map(|exercise| exercise.id.clone())
        else {
            return;
        };
        let versions = self.versions.entry(exercise).or_default();
        versions.push_back(SubmittedFile { exercise: id, path, bytes, at });
        while versions.len() > self.limits.versions {
            versions.pop_front();
        }
    }

    pub fn into_submitted(mut self, id_hint: String, source: String) -> Submitted {
        let is_copy = self.chosen.values().any(|c| c.rank.mirror == Mirror::Exercises);
        if is_copy {
            // This is a copy of the whole course, and its solutions are not the student's.
            let solutions = self.chosen.extract_if(.., |_, chosen| !chosen.rank.own);
            let paths: Vec<String> = solutions.map(|(_, chosen)| chosen.path).collect();
            let line = |path| format!("{path}: it lies in a folder of solutions");
            paths.into_iter().for_each(|path| self.ignore(line(path)));
        }
        let mut hash = Sha256::new();
        let (mut files, mut notes) = (vec![], vec![]);
        let mut versions = vec![];
        for (at, exercise) in self.course.exercises.iter().enumerate() {
            let flag = |what: &str, detail: String| Flag {
                what: what.to_owned(),
                exercise: Some(exercise.id.clone()),
                detail,
            };
            let others = self.others.remove(&at).unwrap_or_default();
            let chosen = self.chosen.remove(&at);
            let mut flagged = 0;
            for Other { path, rank } in others {
                // only solutions of a copy of the course are not chosen
                let why = match &chosen {
                    Some(chosen) => rank.why_not(&chosen.rank),
                    None => "it lies in a folder of solutions",
                };
                self.ignore(format!("{path}: {why}"));
                if let Some(chosen) = chosen.as_ref().filter(|_| rank.own || !is_copy) {
                    let graded = &chosen.path;
                    let detail = format!("`{path}` was not graded, because `{graded}` was: {why}");
                    flagged += 1;
                    if flagged <= MAX_OTHERS {
                        notes.push(flag("other-file", detail));
                    }
                }
            }
            let more = flagged.saturating_sub(MAX_OTHERS);
            if let Some(chosen) = chosen.as_ref().filter(|_| more > 0) {
                let files = if more == 1 { "file was" } else { "files were" };
                let detail =
                    format!("{more} more {files} not graded, because `{}` was", chosen.path);
                notes.push(flag("other-file", detail));
            }
            let Some(chosen) = chosen else { continue };
            let renamed = (!chosen.rank.exact).then(|| format!("read as `{}.cu`", exercise.id));
            let changes: Vec<String> =
                renamed.into_iter().chain(chosen.changes.iter().map(|&c| c.to_owned())).collect();
            if !changes.is_empty() && matches!(chosen.state, State::Good(_)) {
                let detail = format!("`{}` was {}", chosen.path, changes.join(", "));
                notes.push(flag("changed-file", detail));
            }
            let mut add = |bytes: &[u8]| {
                hash.update((bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            };
            add(exercise.path().as_bytes());
            match chosen.state {
                State::Good(bytes) => {
                    add(b"file");
                    add(&bytes);
                    for version in self.versions.remove(&at).unwrap_or_default() {
                        add(b"earlier");
                        add(&version.bytes);
                        versions.push(version);
                    }
                    files.push(SubmittedFile {
                        exercise: exercise.id.clone(),
                        path: chosen.path,
                        bytes,
                        at: chosen.at,
                    });
                }
                State::Refused(detail) | State::Tied(detail) => {
                    add(b"refused");
                    notes.push(flag("refused-file", detail));
                }
            }
        }
        notes.extend(unread_notes(&self.unread, is_copy));
        Submitted {
            id_hint,
            source,
            files,
            versions,
            ignored: self.into_ignored(),
            hash: seed::hex(&hash.finalize()),
            notes,
        }
    }
}

fn is_notebook(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".ipynb")
}

/// Remarks about the files that are not read. In a copy of the whole course, the course has such
/// files, too.
fn unread_notes(unread: &[Unread], is_copy: bool) -> Vec<Flag> {
    let flag = |detail: String| Flag { what: "unread-file".to_owned(), exercise: None, detail };
    let own = unread.iter().filter(|unread| !is_copy || !unread.is_of_course);
    let mut lines: Vec<&str> = own.map(|unread| unread.line.as_str()).collect();
    lines.sort_unstable();
    let more = lines.len().saturating_sub(MAX_UNREAD);
    let first = lines.into_iter().take(MAX_UNREAD).map(|line| flag(line.to_owned()));
    let more = (more > 0).then(|| flag(format!("{more} more files were not read")));
    first.chain(more).collect()
}
