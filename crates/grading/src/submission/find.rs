//! Finds the submissions that a command line names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::clue::{self, Clue, Match};
use super::naming::{Naming, Platform};
use super::{Error, Reason, gradescope, names, of_io, own_name};
use crate::course::Course;
use crate::groups::Groups;
use crate::record::Group;
use crate::roster::Roster;
use crate::text::shown;

/// What to find submissions with.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// Names of exercises and chapters, by which a single submission is known.
    pub course: &'a Course,
    /// How a platform, or the instructor, names submissions; without it, names are ids.
    pub naming: Option<&'a Naming>,
    /// The class list, in which the students of such names are looked up.
    pub roster: Option<&'a Roster>,
    /// The students who submit together.
    pub groups: Option<&'a Groups>,
    /// The zone of times in names.
    pub zone: Option<&'a TimeZone>,
}

impl<'a> Search<'a> {
    /// A search by names that are ids.
    pub fn by_id(course: &'a Course) -> Self {
        Self { course, naming: None, roster: None, groups: None, zone: None }
    }
}

/// Submissions that are not read yet, because a class of thousands does not fit into memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// One for each student, in the order of their ids.
    pub submissions: Vec<SubmissionPath>,
    /// Students and arguments that cannot be graded, each with one line.
    pub refused: Vec<Refused>,
    /// Files that are no submissions.
    pub ignored: Vec<Ignored>,
    /// Whether this is a class: a folder of submissions was given, and every argument could be
    /// opened. Only then is a student without a submission absent.
    pub is_class: bool,
}

/// What a student submitted: a folder, an archive or a file, or several of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionPath {
    /// The student's id.
    pub id: String,
    /// For [`super::read`], those that were submitted later behind the others.
    pub parts: Vec<Part>,
    /// When the last of them was submitted, if the names say it.
    pub at: Option<Timestamp>,
    /// Whether the platform calls it late.
    pub late: bool,
    /// The group that submitted it together. Each member has a submission with the same parts.
    pub group: Option<Group>,
}

/// One folder, archive or file of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Where it is.
    pub path: PathBuf,
    /// The name that the student gave the file, if the platform changed it.
    pub name: Option<String>,
    /// When it was submitted, if the names say it.
    pub at: Option<Timestamp>,
    /// The platform's number of the upload; a later one is larger.
    pub upload: u64,
}

impl Part {
    /// A folder, an archive or a file that has its own name.
    pub fn new(path: PathBuf) -> Self {
        Self { path, name: None, at: None, upload: 0 }
    }
}

impl SubmissionPath {
    /// A submission that is one folder, archive or file.
    pub fn one(id: String, path: PathBuf) -> Self {
        Self { id, parts: vec![Part::new(path)], at: None, late: false, group: None }
    }

    /// The paths, for messages.
    pub fn shown(&self) -> String {
        let paths: Vec<String> =
            self.parts.iter().map(|p| shown(p.path.as_os_str().as_encoded_bytes())).collect();
        paths.join(", ")
    }
}

/// Something that cannot be graded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The student's id, taken from the name.
    pub id: String,
    /// One line that names the path.
    pub line: String,
}

/// A file in a folder of submissions that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Escaped by [`shown`].
    pub path: String,
    /// The reason.
    pub why: String,
}

/// Finds the submissions that the arguments of a command line name.
///
/// An argument that is a file is a submission. A folder is **one submission** when it has, directly
/// in it, a folder `exercises`, a folder named like a chapter of the course, or a file named like
/// an exercise. Any other folder contains **submissions**: each folder and each archive directly in
/// it is one, however deep its own mirror begins. Hidden names and `__MACOSX` are skipped; other
/// files are listed in [`Found::ignored`].
///
/// The student's id is the name of the folder, or of the file without its ending. Two submissions
/// with one id are both refused, because only the instructor knows which one counts. The same path
/// twice is one submission.
///
/// With [`Groups`], a submission that has the name of a group, or is of one of its members, becomes
/// a submission of each member.
///
/// With a [`Naming`], each name in a folder says whose it is, and several files, or attempts, of
/// one student are one submission. The student's id is the roster's, if the roster has the student.
///
/// Never fails as a whole: submissions that cannot be opened are in [`Found::refused`].
pub fn many(paths: &[PathBuf], search: &Search<'_>) -> Found {
    let mut finder =
        Finder { search, by_id: BTreeMap::new(), found: Found::default(), export: None };
    let mut looked_into = true;
    for path in paths {
        if let Err(reason) = finder.argument(path) {
            looked_into = false;
            let submission = shown(path.as_os_str().as_encoded_bytes());
            finder.refuse(id(path), Error { submission, reason }.to_string());
        }
    }
    finder.found.is_class &= looked_into;
    finder.finish()
}

struct Finder<'s, 'a> {
    search: &'s Search<'a>,
    by_id: BTreeMap<String, SubmissionPath>,
    found: Found,
    /// Gradescope's metadata of the current folder.
    export: Option<BTreeMap<String, gradescope::Submitted>>,
}

impl Finder<'_, '_> {
    fn argument(&mut self, path: &Path) -> Result<(), Reason> {
        let kind = fs::metadata(path).map_err(|error| of_io(&error))?;
        if !kind.is_dir() {
            self.submission(path, false);
            return Ok(());
        }
        let mut children = vec![];
        for child in fs::read_dir(path).map_err(|error| of_io(&error))? {
            let child = child.map_err(|error| of_io(&error))?;
            children.push((child.path(), child.file_type().map_err(|error| of_io(&error))?));
        }
        children.sort_by(|a, b| a.0.cmp(&b.0));
        let course = self.search.course;
        if children.iter().any(|(child, kind)| begins_a_mirror(child, kind.is_dir(), course)) {
            self.submission(path, true);
            return Ok(());
        }
        self.export = self.metadata(path)?;
        let mut any = false;
        for (child, kind) in children {
            let name = own_name(&child);
            if name.starts_with('.') || name == "__MACOSX" {
                continue;
            }
            let is_archive = names::without_archive_ending(&name).is_some();
            if kind.is_symlink() {
                any = true;
                let submission = shown(child.as_os_str().as_encoded_bytes());
                let line = format!("`{submission}`: it is a link: give what it leads to");
                self.refuse(id(&child), line);
            } else if kind.is_dir()
                || (kind.is_file() && (is_archive || self.search.naming.is_some()))
            {
                any |= self.submission(&child, kind.is_dir());
            } else {
                self.ignore(&child, "it is neither a folder nor an archive");
            }
        }
        self.found.is_class |= any;
        if any { Ok(()) } else { Err(Reason::NoExercise) }
    }

    /// Gradescope's metadata in a folder, where its naming is asked for.
    fn metadata(
        &self,
        folder: &Path,
    ) -> Result<Option<BTreeMap<String, gradescope::Submitted>>, Reason> {
        let platform = self.search.naming.and_then(Naming::platform);
        if platform != Some(Platform::Gradescope) {
            return Ok(None);
        }
        let path = folder.join(gradescope::FILE);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Reason::Export(format!(
                "it has no `{}`, which says whose each folder is: export the submissions again",
                gradescope::FILE
            )),
            _ => of_io(&error),
        })?;
        let all = gradescope::parse(&text)
            .map_err(|why| Reason::Export(format!("`{}`: {why}", gradescope::FILE)))?;
        Ok(Some(all))
    }

    /// Takes a folder, an archive or a file of a student. Returns whether it is one.
    fn submission(&mut self, path: &Path, is_folder: bool) -> bool {
        let Some(naming) = self.search.naming else {
            self.put(id(path), Part::new(path.to_path_buf()), false);
            return true;
        };
        let name = own_name(path);
        // A platform's name has its own ending; an instructor's pattern is about ids.
        let stem = id(path);
        let read = naming.read(&name).or_else(|| naming.read(&stem));
        let Some(named) = read else {
            let like = naming.platform().map_or_else(
                || "it does not match the pattern of names".to_owned(),
                |platform| format!("it is not named as {} names submissions", platform.name()),
            );
            self.ignore(path, &like);
            return false;
        };
        let is_archive = |name: &str| names::without_archive_ending(name).is_some();
        let wanted = is_folder
            || named.file.is_some()
            || (naming.platform().is_none() && (is_archive(&name) || name.ends_with(".cu")));
        if !wanted {
            self.ignore(path, "the platform added it");
            return false;
        }
        let at = named.at.and_then(|at| at.moment(self.search.zone));
        let path_buf = path.to_path_buf();
        let mut part = Part { path: path_buf, name: named.file, at, upload: named.upload };
        if let Some(export) = &self.export {
            let Some(submitted) = export.get(&name) else {
                let why = format!("`{}` does not mention it", gradescope::FILE);
                self.ignore(path, &why);
                return false;
            };
            part.at = submitted.at;
            for one in submitted.submitters.clone() {
                self.identify(&one.student, &one.clues, part.clone(), false);
            }
            return true;
        }
        self.identify(&named.student, &named.clues, part, named.late);
        true
    }

    /// Puts a part where the roster has its student, or under the name itself.
    fn identify(&mut self, student: &str, clues: &[Clue], part: Part, late: bool) {
        let found = match self.search.roster {
            Some(roster) => clue::find(roster, clues),
            None => Match::None,
        };
        match found {
            Match::One(entry) => self.put(entry.student.id.clone(), part, late),
            Match::None => self.put(shown(student.trim().as_bytes()), part, late),
            Match::Several(ids) => {
                let path = shown(part.path.as_os_str().as_encoded_bytes());
                let line = format!(
                    "`{path}` may be of {}: rename it to one of these ids, and give that folder, too",
                    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" or ")
                );
                self.refuse(student.to_owned(), line);
            }
        }
    }

    fn put(&mut self, id: String, part: Part, late: bool) {
        let group = self.search.groups.and_then(|groups| groups.find(&id)).cloned();
        let id = group.as_ref().map_or(id, |group| group.name.clone());
        let blank = SubmissionPath { id: id.clone(), parts: vec![], at: None, late: false, group };
        let submission = self.by_id.entry(id).or_insert(blank);
        submission.late |= late;
        submission.parts.push(part);
    }

    fn refuse(&mut self, id: String, line: String) {
        self.found.refused.push(Refused { id, line });
    }

    fn ignore(&mut self, path: &Path, why: &str) {
        let path = shown(path.as_os_str().as_encoded_bytes());
        self.found.ignored.push(Ignored { path, why: why.to_owned() });
    }

    fn finish(mut self) -> Found {
        for (id, mut submission) in std::mem::take(&mut self.by_id) {
            let parts = &mut submission.parts;
            parts.sort_by(|a, b| (a.at, a.upload, &a.path).cmp(&(b.at, b.upload, &b.path)));
            parts.dedup_by_key(|part| {
                part.path.canonicalize().unwrap_or_else(|_| part.path.clone())
            });
            submission.at = parts.iter().filter_map(|part| part.at).max();
            let students = match &submission.group {
                Some(group) => group.members.clone(),
                None => vec![id.clone()],
            };
            if parts.len() > 1 && self.search.naming.is_none() {
                let all: Vec<String> = parts
                    .iter()
                    .map(|part| format!("`{}`", shown(part.path.as_os_str().as_encoded_bytes())))
                    .collect();
                let line = format!(
                    "{}`{id}` has {} submissions ({}); keep one",
                    if submission.group.is_some() { "the group " } else { "" },
                    parts.len(),
                    all.join(", ")
                );
                students.into_iter().for_each(|id| self.refuse(id, line.clone()));
            } else {
                let of = |id| SubmissionPath { id, ..submission.clone() };
                self.found.submissions.extend(students.into_iter().map(of));
            }
        }
        self.found.submissions.sort_by(|a, b| a.id.cmp(&b.id));
        self.found
    }
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
    shown(stem.trim().as_bytes())
}
