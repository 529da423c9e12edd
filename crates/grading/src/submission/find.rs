//! Finds the submissions that a command line names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::clue::{self, Clue, Match, Mention, Mentioned};
use super::id_form::{IdForm, id_in};
use super::layout::{Children, begins_a_mirror};
use super::naming::{Named, Naming, Platform};
use super::{Error, Reason, gradescope, is_a_class, names, of_io, own_name};
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
    /// Whether names contain times of day, and no zone is known for them.
    pub has_times_without_zone: bool,
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
    /// Files that may be of this student, too, each with one line.
    pub doubts: Vec<String>,
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
        let parts = vec![Part::new(path)];
        Self { id, parts, at: None, late: false, group: None, doubts: vec![] }
    }

    /// The paths, for messages.
    pub fn shown(&self) -> String {
        let paths: Vec<String> =
            self.parts.iter().map(|p| shown(p.path.as_os_str().as_encoded_bytes())).collect();
        paths.join(", ")
    }
}

/// Something that cannot be graded. A file that may be of several students is there once for each
/// of them, with the same line.
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
    /// Whether the platform adds it to every download.
    pub added: bool,
}

/// Finds the submissions that the arguments of a command line name.
///
/// An argument that is a file is a submission, unless it is an archive of a whole class, which is
/// refused. A folder is **one submission** when it has, directly in it, a folder `exercises`, a
/// folder named like a chapter of the course, or a file named like an exercise. Any other folder
/// contains **submissions**: each folder and each archive directly in it is one, however deep its
/// own mirror begins. So does a folder with an exercise's file beside folders of students whom the
/// roster has. Without a roster, a folder with such a file, or with a folder `exercises` or of a
/// chapter, is refused if three folders beside it have the same exercise, or if three archives are
/// beside it. Hidden names and `__MACOSX` are skipped; other files are listed in
/// [`Found::ignored`].
///
/// What a student has in a folder never makes it a class, because other students' ids could be
/// there. So a folder is one submission, whatever is in it, if its own name is the id of a student
/// on the roster, if two folders beside it are called so, or if most of the folders that the
/// command line names beside it are, as with `submissions/*`. So is one that has a folder called
/// like another one that the command line names beside it.
///
/// The student's id is the name of the folder, or of the file without its ending, without white
/// space around it and without invisible characters. If several names have the same id, the one
/// that is the id letter for letter counts, and [`SubmissionPath::doubts`] has the others. Two
/// submissions with exactly one id are both refused, because only the instructor knows which one
/// counts. The same path twice is one submission.
///
/// With [`Groups`], a submission that has the name of a group, or is of one of its members, becomes
/// a submission of each member.
///
/// With a [`Naming`], each name in a folder says whose it is, and several files, or attempts, of
/// one student are one submission. The student's id is the roster's, if the roster has the student.
/// A folder whose name is an id on the roster is that student's, with all files in it, whatever the
/// naming: so an instructor says whose a file is. If the names lie one folder deeper, as unpacking
/// often makes it, they are found there.
///
/// A file of a class that is not matched, and mentions a student without a submission, is refused
/// for that student, because it may be the student's.
///
/// Never fails as a whole: submissions that cannot be opened are in [`Found::refused`].
pub fn many(paths: &[PathBuf], search: &Search<'_>) -> Found {
    let mut finder = Finder {
        search,
        by_id: BTreeMap::new(),
        attempts: BTreeMap::new(),
        accounts: BTreeMap::new(),
        found: Found::default(),
        export: None,
    };
    let mut looked_into = true;
    let single = finder.single(paths);
    for path in paths {
        let taken = match single.contains(path.as_path()) {
            true => {
                finder.submission(path, true);
                Ok(())
            }
            false => finder.argument(path, 0),
        };
        if let Err(reason) = taken {
            looked_into = false;
            let submission = shown(path.as_os_str().as_encoded_bytes());
            finder.refuse(id(path), Error { submission, reason, left: vec![] }.to_string());
        }
    }
    finder.found.is_class &= looked_into;
    finder.finish()
}

/// Most folders around the names of a download.
const MAX_DEEPER: usize = 4;

pub(super) struct Finder<'s, 'a> {
    pub(super) search: &'s Search<'a>,
    by_id: BTreeMap<String, SubmissionPath>,
    /// Students of whom the platform has an attempt, each with a file that says so.
    attempts: BTreeMap<String, PathBuf>,
    /// The accounts that were found for each student, as the platform writes them.
    accounts: BTreeMap<String, BTreeSet<String>>,
    found: Found,
    /// Gradescope's metadata of the current folder.
    export: Option<BTreeMap<String, gradescope::Submitted>>,
}

impl Finder<'_, '_> {
    pub(super) fn platform(&self) -> Option<Platform> {
        self.search.naming.and_then(Naming::platform)
    }

    pub(super) fn own_form(&self, id: &str) -> Option<&str> {
        self.search.roster?.own_form(id)
    }

    fn argument(&mut self, path: &Path, deeper: usize) -> Result<(), Reason> {
        let kind = fs::metadata(path).map_err(|error| of_io(&error))?;
        if !kind.is_dir() {
            return self.file(path);
        }
        let children = Children::of(path)?;
        if self.is_one(path, &children)? {
            self.submission(path, true);
            return Ok(());
        }
        if deeper < MAX_DEEPER
            && let Some(inner) = self.inner(path, &children)
        {
            return self.argument(&inner, deeper + 1);
        }
        self.export = self.metadata(path)?;
        let mut any = false;
        for (child, kind) in &children.0 {
            let name = own_name(child);
            let is_archive = names::without_archive_ending(&name).is_some();
            if kind.is_symlink() {
                any = true;
                let submission = shown(child.as_os_str().as_encoded_bytes());
                let line = format!("`{submission}`: it is a link: give what it leads to");
                self.refuse(id(child), line);
            } else if self.platform().is_none()
                && begins_a_mirror(child, kind.is_dir(), self.search.course)
            {
                self.ignore(
                    child,
                    "it lies beside the students' folders, so it is not clear whose it is",
                );
            } else if kind.is_dir()
                || (kind.is_file() && (is_archive || self.search.naming.is_some()))
            {
                any |= self.submission(child, kind.is_dir());
            } else {
                self.ignore(child, "it is neither a folder nor an archive");
            }
        }
        self.found.is_class |= any;
        if any { Ok(()) } else { Err(self.why_nothing(&children)) }
    }

    /// Takes a file that the command line names.
    fn file(&mut self, path: &Path) -> Result<(), Reason> {
        let name = own_name(path);
        let is_archive = names::without_archive_ending(&name).is_some();
        let is_named = |naming: &Naming| naming.read(&name).is_some();
        if let Some(platform) = self.platform()
            && is_archive
            && !self.search.naming.is_some_and(is_named)
        {
            return Err(Reason::Export(format!(
                "a download is not read from an archive: unpack it into a folder, and give that folder with `--from {}`",
                platform.name().to_lowercase()
            )));
        }
        if is_archive {
            let is_student = |name: &str| self.own_form(&shown(name.as_bytes())).is_some();
            if let Some(reason) = is_a_class(path, self.search.course, is_student) {
                return Err(reason);
            }
        }
        self.submission(path, false);
        Ok(())
    }

    /// Gradescope's metadata in a folder, where its naming is asked for.
    fn metadata(
        &self,
        folder: &Path,
    ) -> Result<Option<BTreeMap<String, gradescope::Submitted>>, Reason> {
        if self.platform() != Some(Platform::Gradescope) {
            return Ok(None);
        }
        let path = folder.join(gradescope::FILE);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Reason::Export(format!(
                "it has no `{}`, which says whose each folder is: give the folder that has it, or export the submissions again",
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
            let id = id(path);
            let id = self.own_form(&id).map_or_else(|| id.clone(), str::to_owned);
            self.put(id, Part::new(path.to_path_buf()), false);
            return true;
        };
        let name = own_name(path);
        // A platform's name has its own ending; an instructor's pattern is about ids.
        let stem = id(path);
        if is_folder
            && naming.platform().is_some()
            && let Some(id) = self.own_form(&stem).map(str::to_owned)
        {
            self.folder_of(&id, path, naming);
            return true;
        }
        let read = naming.read(&name).or_else(|| naming.read(&stem));
        let Some(named) = read else {
            let like = naming.platform().map_or_else(
                || "it does not match the pattern of names".to_owned(),
                |platform| {
                    format!(
                        "it is not named as {} names submissions, such as `{}`",
                        platform.name(),
                        platform.example()
                    )
                },
            );
            match naming.platform().is_some_and(|platform| platform.adds(&name)) {
                true => self.ignore_added(path),
                false => self.ignore(path, &like),
            }
            return false;
        };
        let is_archive = |name: &str| names::without_archive_ending(name).is_some();
        let wanted = is_folder
            || named.file.is_some()
            || (naming.platform().is_none() && (is_archive(&name) || name.ends_with(".cu")));
        if !wanted {
            for id in self.students(&named.clues) {
                self.attempts.entry(id).or_insert_with(|| path.to_path_buf());
            }
            self.ignore_added(path);
            return false;
        }
        let part = self.part(path, &named);
        let Some(export) = &self.export else {
            self.identify(&named.student, &named.clues, part, named.late);
            return true;
        };
        let why = match export.get(&name) {
            None => "does not mention it",
            Some(submitted) if submitted.submitters.is_empty() => "does not say whose it is",
            Some(submitted) => {
                let part = Part { at: submitted.at, ..part };
                for one in submitted.submitters.clone() {
                    self.identify(&one.student, &one.clues, part.clone(), false);
                }
                return true;
            }
        };
        self.ignore(path, &format!("`{}` {why}", gradescope::FILE));
        false
    }

    fn part(&mut self, path: &Path, named: &Named) -> Part {
        let at = named.at.and_then(|at| at.moment(self.search.zone));
        self.found.has_times_without_zone |=
            named.at.is_some() && at.is_none() && self.search.zone.is_none();
        Part { path: path.to_path_buf(), name: named.file.clone(), at, upload: named.upload }
    }

    /// Takes a folder that an instructor made for one student: files and folders in it have the
    /// platform's names, or the student's own.
    fn folder_of(&mut self, id: &str, folder: &Path, naming: &Naming) {
        let Ok(children) = Children::of(folder) else {
            return self.put(id.to_owned(), Part::new(folder.to_path_buf()), false);
        };
        let read = |path: &Path| naming.read(&own_name(path));
        if !children.0.iter().any(|(child, _)| read(child).is_some()) {
            return self.put(id.to_owned(), Part::new(folder.to_path_buf()), false);
        }
        for (child, kind) in &children.0 {
            let part = match read(child) {
                Some(named) if named.file.is_some() || kind.is_dir() => self.part(child, &named),
                Some(_) => continue,
                None if kind.is_dir() => Part::new(child.clone()),
                None => Part { name: Some(own_name(child)), ..Part::new(child.clone()) },
            };
            let late = read(child).is_some_and(|named| named.late);
            self.put(id.to_owned(), part, late);
        }
    }

    /// The students that clues mean, by their ids.
    fn students(&self, clues: &[Clue]) -> Vec<String> {
        match self.search.roster.map_or(Match::None, |roster| clue::find(roster, clues)) {
            Match::One(entry) => vec![entry.student.id.clone()],
            Match::Several(ids) => ids.into_iter().map(str::to_owned).collect(),
            Match::None => vec![],
        }
    }

    /// Puts a part where the roster has its student, or under the name itself.
    fn identify(&mut self, student: &str, clues: &[Clue], part: Part, late: bool) {
        let ids = self.students(clues);
        match ids.as_slice() {
            [id] => {
                self.accounts.entry(id.clone()).or_default().insert(student.to_owned());
                self.put(id.clone(), part, late);
            }
            [] => self.put(id_in(student), part, late),
            [first, ..] => {
                let path = shown(part.path.as_os_str().as_encoded_bytes());
                let names: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
                let line = format!(
                    "`{path}` may be of {}: move it into a folder with the id of the student as its name, such as \
                     `{first}/`, beside the other names",
                    names.join(" or ")
                );
                ids.iter().for_each(|id| self.refuse(id.clone(), line.clone()));
            }
        }
    }

    fn put(&mut self, id: String, part: Part, late: bool) {
        let group = self.search.groups.and_then(|groups| groups.find(&id)).cloned();
        let id = group.as_ref().map_or(id, |group| group.name.clone());
        let blank = SubmissionPath {
            id: id.clone(),
            parts: vec![],
            at: None,
            late: false,
            group,
            doubts: vec![],
        };
        let submission = self.by_id.entry(id).or_insert(blank);
        submission.late |= late;
        submission.parts.push(part);
    }

    /// The ids of a student or of a group, as names of submissions should have them.
    fn expected_ids<'i>(&'i self, id: &'i str, group: Option<&'i Group>) -> Vec<&'i str> {
        let mut ids = vec![id];
        ids.extend(group.iter().flat_map(|group| &group.members).map(String::as_str));
        if let (Some(column), Some(roster)) =
            (self.search.naming.and_then(Naming::column), self.search.roster)
        {
            let in_column = |id: &&str| clue::value(roster.entry(id)?, column);
            let values: Vec<&str> = ids.iter().filter_map(in_column).collect();
            ids.extend(values);
        }
        ids
    }

    /// Leaves out parts whose names are only another form of the id that another part has, so that
    /// no student can take another's place. Returns one line for each.
    fn leave_out_other_forms(&self, submission: &mut SubmissionPath) -> Vec<String> {
        if self.platform().is_some() {
            return vec![];
        }
        let ids = self.expected_ids(&submission.id, submission.group.as_ref());
        let form = |part: &Part| {
            let (name, stem) = (own_name(&part.path), stem(&part.path));
            let read = |naming: &Naming| naming.read(&name).or_else(|| naming.read(&stem));
            let named = self.search.naming.and_then(read).map(|named| named.student);
            IdForm::of(&named.unwrap_or(stem), ids.iter().copied())
        };
        let forms: Vec<IdForm> = submission.parts.iter().map(form).collect();
        let Some(best) = forms.iter().copied().min() else { return vec![] };
        let parts = std::mem::take(&mut submission.parts).into_iter().zip(forms);
        let (own, others): (Vec<_>, Vec<_>) = parts.partition(|(_, form)| *form == best);
        submission.parts = own.into_iter().map(|(part, _)| part).collect();
        let left_out = |(part, _): (Part, IdForm)| {
            format!(
                "`{}` was not graded, because its name is only similar to the id `{}`, which another submission has",
                shown(part.path.as_os_str().as_encoded_bytes()),
                submission.id
            )
        };
        others.into_iter().map(left_out).collect()
    }

    /// Parts whose files a student named as the platform names submissions, one line for each.
    fn imitations(&self, submission: &SubmissionPath) -> Vec<String> {
        let Some(naming) = self.search.naming else { return vec![] };
        let imitates =
            |part: &&Part| naming.read(&own_name(&part.path)).is_some_and(|named| named.imitates);
        let parts = submission.parts.iter().filter(imitates);
        let line = |part: &Part| {
            format!(
                "`{}`: the student's own name for this file looks like the platform's names; the student and the time \
                 at its beginning count",
                shown(part.path.as_os_str().as_encoded_bytes())
            )
        };
        parts.map(line).collect()
    }

    fn refuse(&mut self, id: String, line: String) {
        self.found.refused.push(Refused { id, line });
    }

    fn ignore(&mut self, path: &Path, why: &str) {
        let path = shown(path.as_os_str().as_encoded_bytes());
        self.found.ignored.push(Ignored { path, why: why.to_owned(), added: false });
    }

    fn ignore_added(&mut self, path: &Path) {
        let path = shown(path.as_os_str().as_encoded_bytes());
        let why = "the platform added it".to_owned();
        self.found.ignored.push(Ignored { path, why, added: true });
    }

    /// Doubts submissions of several accounts. These platforms number accounts, so another number
    /// is another person, perhaps one with the same name who is not on the roster.
    fn doubt_accounts(&mut self) {
        if !matches!(self.platform(), Some(Platform::Moodle | Platform::Canvas)) {
            return;
        }
        for place in &mut self.found.submissions {
            let Some(all) = self.accounts.get(&place.id).filter(|all| all.len() > 1) else {
                continue;
            };
            let all: Vec<String> =
                all.iter().map(|one| format!("`{}`", shown(one.as_bytes()))).collect();
            place.doubts.push(format!(
                "the files of several accounts were taken for this student's, because the names are the same: {}",
                all.join(", ")
            ));
        }
    }

    /// Refuses what may be of students who have no submission, so that it is not silently missing.
    fn refuse_mentions(&mut self, there: &BTreeSet<String>) {
        let Some(roster) = self.search.roster.filter(|_| self.found.is_class) else { return };
        let files = self.found.ignored.iter().filter(|one| !one.added);
        let files: Vec<(Mention, &Ignored)> = files
            .map(|one| (Mention::of(one.path.rsplit('/').next().unwrap_or(&one.path)), one))
            .collect();
        let mut all = vec![];
        for entry in roster.students.iter().filter(|entry| !there.contains(&entry.student.id)) {
            let id = &entry.student.id;
            let mut lines = vec![];
            if let Some(path) = self.attempts.get(id) {
                let path = shown(path.as_os_str().as_encoded_bytes());
                lines.push(format!(
                    "`{path}` is of an attempt without a file, and its text is not read"
                ));
            }
            let mentioned = Mentioned::of(entry);
            for (_, one) in files.iter().filter(|(file, _)| mentioned.is_in(file)) {
                lines.push(format!(
                    "`{}` may be of `{id}`, and is not graded: {}",
                    one.path, one.why
                ));
            }
            let refused = lines.into_iter().map(|line| Refused { id: id.clone(), line });
            all.extend(refused);
        }
        self.found.refused.extend(all);
    }

    fn finish(mut self) -> Found {
        for (id, mut submission) in std::mem::take(&mut self.by_id) {
            let parts = &mut submission.parts;
            parts.sort_by(|a, b| (a.at, a.upload, &a.path).cmp(&(b.at, b.upload, &b.path)));
            parts.dedup_by_key(|part| {
                part.path.canonicalize().unwrap_or_else(|_| part.path.clone())
            });
            submission.doubts = self.leave_out_other_forms(&mut submission);
            submission.doubts.extend(self.imitations(&submission));
            let parts = &submission.parts;
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
        self.doubt_accounts();
        // What may be of a student who has a submission is a doubt about it.
        let submissions = &mut self.found.submissions;
        self.found.refused.retain(|refused| {
            let place = submissions.iter_mut().find(|place| place.id == refused.id);
            place.map(|place| place.doubts.push(refused.line.clone())).is_none()
        });
        let there = self.found.submissions.iter().map(|place| &place.id);
        let there = there.chain(self.found.refused.iter().map(|refused| &refused.id));
        let there: BTreeSet<String> = there.cloned().collect();
        self.refuse_mentions(&there);
        self.found
    }
}

pub(super) fn id(path: &Path) -> String {
    id_in(&stem(path))
}

/// The name of a folder, or of a file without its ending.
fn stem(path: &Path) -> String {
    let name = own_name(path);
    if path.is_dir() {
        return name;
    }
    let stem = names::without_archive_ending(&name).or_else(|| name.strip_suffix(".cu"));
    stem.map_or_else(|| name.clone(), str::to_owned)
}
