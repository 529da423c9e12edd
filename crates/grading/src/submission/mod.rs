//! Reads submissions. Nothing is unpacked to disk, nothing is run, and all of it is hostile input.
//!
//! A submission is a folder, an archive (zip, tar, tar.gz), one `.cu` file, or several of these. It
//! mirrors `exercises/CHAPTER/NAME.cu`, and the mirror may begin anywhere: in
//! `repo-main/exercises/`, at the chapters' folders, or at the files themselves. Files are
//! identified by their paths alone. Where several could be an exercise's, the first of these rules
//! that tells two of them apart decides:
//!
//! 1. a file below a folder `solutions` counts least, and never in a copy of the whole course,
//!    which contains `exercises/CHAPTER/NAME.cu`;
//! 2. a file that is still as it was handed out counts less than one that is not;
//! 3. what was submitted later counts;
//! 4. `.../exercises/CHAPTER/NAME.cu` counts more than `.../CHAPTER/NAME.cu`, and that more than
//!    `NAME.cu` anywhere else;
//! 5. `guard.cu` counts more than `Guard.cu`, `guard (1).cu`, `guard - Copy.cu` or `guard.cu.txt`;
//! 6. the one with fewer folders above it counts;
//! 7. of copies, the one with the highest number counts.
//!
//! Whatever was not chosen, and differs, is noted with the rule's reason. If two different files
//! are equally good, that exercise is refused with both names, and the others are graded. Hidden
//! files and folders, `__MACOSX` and `target` are skipped. Archives that lie directly in a folder
//! are read, and those within archives are not. A file that is not read, and could be an exercise's
//! by its ending or its name, is noted, too, because it may be why an exercise is missing. Cells of
//! notebooks that begin with `%%writefile` or `%%exercise` are files.
//!
//! Only notebooks and files named like an exercise are ever read, each up to
//! [`Limits::notebook`] or [`Limits::file`]; so the course bounds the memory, whatever the
//! submission contains. Links are never followed and special files never opened.

mod class_like;
pub(crate) mod clue;
mod decode;
mod file_name;
mod find;
mod folder;
mod gradescope;
mod id_form;
mod layout;
mod names;
mod naming;
mod notebook;
mod pick;
#[cfg(test)]
mod platform_tests;
mod tape;
#[cfg(test)]
mod tests;
mod zip;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

pub use clue::{Clue, Match};
pub use find::{Found, Ignored, Part, Refused, Search, SubmissionPath, many};
pub use naming::{Named, Naming, Platform, Time};

use jiff::Timestamp;

use crate::course::Course;
use crate::record::{self, Flag};
use crate::seed;
use crate::text::shown;
use pick::{Offer, Picker};

/// Limits for a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one exercise's file, the checker's own limit for source.
    pub file: u64,
    /// Bytes of a notebook, which has figures and outputs beside the files of exercises.
    pub notebook: u64,
    /// Entries of an archive, or files and folders in a folder.
    pub entries: usize,
    /// Bytes that are read from a submission, counted as they come out of an archive.
    pub total: u64,
    /// Bytes of an archive's file.
    pub archive: u64,
    /// Unpacked bytes for each byte of an archive, checked after the first 16 MiB.
    pub ratio: u64,
    /// Bytes of an entry's path.
    pub path: usize,
    /// Folders within folders.
    pub depth: usize,
    /// Names in [`Submitted::ignored`].
    pub ignored: usize,
    /// Earlier files of each exercise in [`Submitted::versions`]; the last ones are kept.
    pub versions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file: 1 << 20,
            notebook: 32 << 20,
            entries: 20_000,
            total: 256 << 20,
            archive: 256 << 20,
            ratio: 200,
            path: 1024,
            depth: 32,
            ignored: 100,
            versions: 20,
        }
    }
}

/// The part of a submission that can be graded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// Name of the folder, or of the file without its ending, which identifies the student by
    /// default. Escaped by [`shown`].
    pub id_hint: String,
    /// The path as it was given.
    pub source: String,
    /// In the course's order, each exercise at most once.
    pub files: Vec<SubmittedFile>,
    /// Files for the same exercises in parts that were submitted earlier, in that order. Only a
    /// policy by which the last file doesn't always count grades them.
    pub versions: Vec<SubmittedFile>,
    /// The first files that are not graded, in order, with the reasons of those that may be an
    /// exercise's; the last line counts the others.
    pub ignored: Vec<String>,
    /// SHA-256 over the exercises' names and their files' contents: the same wherever the mirror
    /// begins and however it was packed.
    pub hash: String,
    /// Refused files and the reasons; `what` is "refused-file", "unread-file", "other-file" or
    /// "changed-file".
    pub notes: Vec<Flag>,
}

/// A file that will be graded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedFile {
    /// Which exercise it is.
    pub exercise: String,
    /// Its path in the submission, escaped by [`shown`].
    pub path: String,
    /// Its text in UTF-8, with a byte order mark and Windows line ends.
    pub bytes: Vec<u8>,
    /// When it was submitted, if that is known for this file.
    pub at: Option<Timestamp>,
}

impl SubmittedFile {
    /// The entry in a record.
    pub fn to_record(&self) -> record::File {
        record::File {
            path: self.path.clone(),
            exercise: self.exercise.clone(),
            hash: seed::sha256(&self.bytes),
            bytes: self.bytes.len() as u64,
            at: self.at,
            order: 0,
        }
    }
}

/// Why a submission cannot be graded, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{submission}`: {reason}{}", list(left))]
pub struct Error {
    /// The path as it was given, shown as by [`shown`].
    pub submission: String,
    /// What is wrong with it.
    pub reason: Reason,
    /// The files in it, with the reasons of those that may be an exercise's.
    pub left: Vec<String>,
}

/// Most files that a message names.
const MAX_LEFT: usize = 5;

fn list(left: &[String]) -> String {
    let mut shown: Vec<&str> = left.iter().take(MAX_LEFT).map(String::as_str).collect();
    let more = format!("and {} more", left.len().saturating_sub(MAX_LEFT));
    if left.len() > MAX_LEFT {
        shown.push(&more);
    }
    if shown.is_empty() { String::new() } else { format!("; it has {}", shown.join("; ")) }
}

/// What is wrong with a submission.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it, and the fields are what they name")]
pub enum Reason {
    #[error("there is no such file or folder")]
    Missing,
    #[error("it cannot be read: {0}")]
    Io(String),
    #[error("it is neither a file nor a folder")]
    Special,
    #[error(
        "{0} is not read; submit a folder, a .zip, .tar or .tar.gz, or one exercise's .cu file"
    )]
    Unknown(String),
    #[error("the file is empty")]
    Empty,
    #[error(
        "it contains no exercise; the checker recognises files by their names, such as `exercises/CHAPTER/NAME.cu`"
    )]
    NoExercise,
    #[error("no exercise has this file name{}", nearest.as_ref().map(|n| format!("; did you mean `{n}.cu`?")).unwrap_or_default())]
    NotAnExercise { nearest: Option<String> },
    #[error("the archive is cut off; submit it again")]
    Truncated,
    #[error("the archive is damaged ({0}): make it again")]
    Damaged(String),
    #[error("its entry `{entry}` is encrypted; make the archive without a password")]
    Encrypted { entry: String },
    #[error(
        "its entry `{entry}` is packed by a method ({method}) that is not read: use plain deflate"
    )]
    Method { entry: String, method: String },
    #[error("its entry `{entry}` starts at a root; a submission has only relative paths")]
    Absolute { entry: String },
    #[error("its entry `{entry}` leaves the archive with `..`")]
    Climbs { entry: String },
    #[error("the path `{entry}` has more than {longest} bytes")]
    LongPath { entry: String, longest: usize },
    #[error(
        "its entries `{one}` and `{other}` share the same bytes, as in an archive that was made to explode"
    )]
    Overlap { one: String, other: String },
    #[error("it has more than {0} entries; submit only the exercises' files")]
    Entries(usize),
    #[error("more than {0} bytes are in it; submit only the exercises' files")]
    Total(u64),
    #[error("the archive's file has more than {0} bytes; submit only the exercises' files")]
    Archive(u64),
    #[error(
        "it unpacks to more than {0} times its size, as an archive that was made to explode does"
    )]
    Ratio(u64),
    #[error("its folders are more than {0} deep")]
    Depth(usize),
    #[error(
        "these are the names of {}'s downloads, so it is a whole class and not one student: unpack it into a folder, and give that folder with `--from {}`",
        .0.name(), .0.name().to_lowercase()
    )]
    Download(Platform),
    #[error(
        "it has the folders of several students, so it is a whole class and not one student: unpack it into a folder, and give that folder"
    )]
    Class,
    #[error("{0}")]
    Export(String),
}

/// Reads one submission.
///
/// Its paths themselves may be links (the instructor means their targets); nothing in a submission
/// may. A folder must not change while it is read, because the kind of a name is checked before it
/// is opened.
///
/// # Errors
/// When nothing of it can be graded, or when it was made to do harm; problems of single files are
/// in [`Submitted::notes`].
pub fn read(place: &SubmissionPath, course: &Course, limits: &Limits) -> Result<Submitted, Error> {
    let mut picker = Picker::new(course, limits);
    let mut harm = vec![];
    let (mut number, mut last) = (0, None);
    let mut failed = None;
    for part in &place.parts {
        let time = Some((part.at, part.upload));
        number += usize::from(time != last);
        last = time;
        let renamed = part.name.is_some().then(|| own_name(&part.path));
        picker.begin(number, part.at, renamed.map(|name| shown(name.as_bytes())));
        let Err(reason) = read_part(part, course, &mut picker) else { continue };
        // A part that cannot be read does not cost the others.
        if place.parts.len() > 1 {
            let name = part.name.clone().unwrap_or_else(|| own_name(&part.path));
            picker.ignore(format!("{}: {reason}", shown(name.as_bytes())));
        }
        let path = shown(part.path.as_os_str().as_encoded_bytes());
        harm.push(Flag {
            what: "refused-file".to_owned(),
            exercise: None,
            detail: format!("`{path}`: {reason}"),
        });
        failed = Some(reason);
    }
    let alone = failed.filter(|_| place.parts.len() == 1);
    let none = || picker.found_nothing().then_some(Reason::NoExercise);
    let reason = alone.or_else(|| picker.seen().platform().map(Reason::Download)).or_else(none);
    if let Some(reason) = reason {
        let left = picker.into_ignored();
        return Err(Error { submission: place.shown(), reason, left });
    }
    let mut submitted = picker.into_submitted(place.id.clone(), place.shown());
    submitted.notes.extend(harm);
    Ok(submitted)
}

/// Why an archive is a whole class and not one student's submission, if it is; `is_student` knows
/// the class list.
fn is_a_class(path: &Path, course: &Course, is_student: impl Fn(&str) -> bool) -> Option<Reason> {
    let limits = Limits::default();
    let mut picker = Picker::new(course, &limits);
    // What cannot be read is reported where it is graded.
    read_part(&Part::new(path.to_path_buf()), course, &mut picker).ok()?;
    let platform = picker.seen().platform().map(Reason::Download);
    platform.or_else(|| picker.seen().has_students(is_student).then_some(Reason::Class))
}

fn read_part(part: &Part, course: &Course, picker: &mut Picker<'_>) -> Result<(), Reason> {
    let path = &part.path;
    let kind = std::fs::metadata(path).map_err(|error| of_io(&error))?;
    if kind.is_dir() {
        return read_folder(path, picker);
    }
    if !kind.is_file() {
        return Err(Reason::Special);
    }
    let file = open(path, true).map_err(|error| of_io(&error))?;
    let name = part.name.clone().unwrap_or_else(|| own_name(path));
    if picker.is_wanted(&name) {
        return match picker.offer(&[name.as_bytes()]) {
            Offer::Wanted(wanted) => picker.read(wanted, file),
            Offer::Ignored => Ok(()),
        };
    }
    let is_archive = names::without_archive_ending(&name).is_some();
    if part.name.is_some() && !is_archive {
        // Students hand in more than code, and a download has all of it.
        picker.offer(&[name.as_bytes()]);
        return Ok(());
    }
    if let Some(stem) = name.strip_suffix(".cu") {
        return Err(Reason::NotAnExercise { nearest: file_name::nearest(course, stem) });
    }
    picker.inside(part.name.is_some().then_some(name));
    read_archive(file, path, picker)
}

/// Reads a folder, and the archives that lie directly in it.
fn read_folder(path: &Path, picker: &mut Picker<'_>) -> Result<(), Reason> {
    let archives = folder::read(path, picker)?;
    for archive in &archives {
        let name = own_name(archive);
        picker.inside(Some(name.clone()));
        let file = open(archive, false).map_err(|error| of_io(&error));
        let read = file.and_then(|file| read_archive(file, archive, picker));
        picker.inside(None);
        if let Err(reason) = read {
            picker.unread(&shown(name.as_bytes()), &reason.to_string(), false);
        }
    }
    Ok(())
}

/// The last name of a path; for `.` and `..` the name of that folder. Bytes that are not UTF-8
/// become `\xff`.
fn own_name(path: &Path) -> String {
    let name = |path: &Path| {
        path.file_name().map(|name| {
            let bytes = name.as_encoded_bytes();
            String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| shown(bytes))
        })
    };
    name(path)
        .or_else(|| path.canonicalize().ok().and_then(|path| name(&path)))
        .unwrap_or_else(|| "submission".to_owned())
}

/// The first bytes of an archive decide its format, because endings are often wrong.
fn read_archive(mut file: File, path: &Path, picker: &mut Picker<'_>) -> Result<(), Reason> {
    let length = file.metadata().map_err(|error| of_io(&error))?.len();
    if length == 0 {
        return Err(Reason::Empty);
    }
    if length > picker.limits().archive {
        return Err(Reason::Archive(picker.limits().archive));
    }
    let mut head = vec![];
    (&mut file).take(512).read_to_end(&mut head).map_err(|error| of_io(&error))?;
    file.seek(SeekFrom::Start(0)).map_err(|error| of_io(&error))?;
    let ends = |ending: &str| own_name(path).to_ascii_lowercase().ends_with(ending);
    match head.as_slice() {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => zip::read(file, picker),
        [0x1f, 0x8b, ..] => tape::read_gzip(file, picker),
        head if head.get(257..262) == Some(b"ustar".as_slice()) => tape::read_plain(file, picker),
        [b'R', b'a', b'r', b'!', ..] => Err(Reason::Unknown("a RAR archive".to_owned())),
        [b'7', b'z', 0xbc, 0xaf, ..] => Err(Reason::Unknown("a 7z archive".to_owned())),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => Err(Reason::Unknown("an xz archive".to_owned())),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Err(Reason::Unknown("a zstd archive".to_owned())),
        [b'B', b'Z', b'h', ..] => Err(Reason::Unknown("a bzip2 archive".to_owned())),
        // A zip archive may begin with a program that unpacks it.
        _ if ends(".zip") => zip::read(file, picker).map_err(|reason| match reason {
            Reason::Truncated => Reason::Damaged("it is no zip".to_owned()),
            other => other,
        }),
        _ if ends(".tar") => tape::read_plain(file, picker),
        _ if ends(".tgz") || ends(".tar.gz") => Err(Reason::Damaged("it is no gzip".to_owned())),
        _ => Err(Reason::Unknown("this kind of file".to_owned())),
    }
}

/// Opens a regular file, and nothing else: opening a named pipe would wait for ever, so the file is
/// opened without waiting, and then its type is checked.
fn open(path: &Path, follow: bool) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let links = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
        options.custom_flags((links | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    #[cfg(not(unix))]
    if !follow && path.symlink_metadata()?.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

fn of_io(error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::NotFound => Reason::Missing,
        io::ErrorKind::UnexpectedEof => Reason::Truncated,
        _ => Reason::Io(shown(error.to_string().as_bytes())),
    }
}
