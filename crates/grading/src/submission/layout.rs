//! What a folder on the command line is: one submission, a class, or a folder around a class.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::find::{Finder, id};
use super::naming::{Naming, Platform};
use super::{Reason, gradescope, names, of_io, own_name};
use crate::course::Course;
use crate::text::shown;

/// What a folder has directly in it, without what is hidden.
pub(super) struct Children(pub(super) Vec<(PathBuf, fs::FileType)>);

impl Children {
    pub(super) fn of(folder: &Path) -> Result<Self, Reason> {
        let mut children = vec![];
        for child in fs::read_dir(folder).map_err(|error| of_io(&error))? {
            let child = child.map_err(|error| of_io(&error))?;
            let kind = child.file_type().map_err(|error| of_io(&error))?;
            let name = own_name(&child.path());
            // The system hides files with one dot in front. `..ada` may be a student's folder.
            let is_hidden = name.starts_with('.') && !name.starts_with("..");
            if !is_hidden && name != "__MACOSX" {
                children.push((child.path(), kind));
            }
        }
        children.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self(children))
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter(|(_, kind)| kind.is_dir()).map(|(path, _)| path.as_path())
    }

    /// Files and folders that make the folder around them one submission.
    fn mirrors<'c>(
        &'c self,
        course: &'c Course,
    ) -> impl Iterator<Item = &'c (PathBuf, fs::FileType)> {
        self.0.iter().filter(|(child, kind)| begins_a_mirror(child, kind.is_dir(), course))
    }
}

/// Folders called like students that make a folder beside them a student's, too.
const STUDENTS_BESIDE: usize = 2;

/// Folders with the same exercise, or archives, that no single student has side by side.
const VERSIONS_OF_A_CLASS: usize = 3;
/// Folders below a student's folder in which exercises are looked for, such as
/// `ada/hw1/repo-main/exercises/ch01_threads`.
const MAX_DEPTH: usize = 6;
/// Files and folders that are looked at in all folders together.
const MAX_ENTRIES: usize = 100_000;

impl Finder<'_, '_> {
    /// The folders among the arguments that are one submission each, whatever is in them: their own
    /// names, or the folders beside them, say so. What a student has in a folder decides nothing.
    pub(super) fn single<'p>(&self, paths: &'p [PathBuf]) -> BTreeSet<&'p Path> {
        // a pattern of an instructor says which names are students'
        if self.search.naming.is_some() && self.platform().is_none() {
            return BTreeSet::new();
        }
        let folders: Vec<&Path> =
            paths.iter().map(PathBuf::as_path).filter(|path| path.is_dir()).collect();
        let is_student = |path: &Path| self.own_form(&id(path)).is_some();
        let students = folders.iter().copied().filter(|path| is_student(path));
        let mut single: BTreeSet<&Path> = students.collect();
        if self.platform().is_some() {
            return single;
        }
        let mut by_parent: BTreeMap<PathBuf, Vec<&Path>> = BTreeMap::new();
        for path in folders {
            let Some(parent) = path.canonicalize().ok().and_then(|p| Some(p.parent()?.to_owned()))
            else {
                continue;
            };
            by_parent.entry(parent).or_default().push(path);
        }
        for (parent, named) in by_parent {
            let known = named.iter().filter(|path| single.contains(**path)).count();
            let ids: BTreeSet<String> = named.iter().map(|path| id(path)).collect();
            if known * 2 > named.len() || self.students_in(&parent, &named) >= STUDENTS_BESIDE {
                single.extend(named);
                continue;
            }
            // what is called like another submission beside it is no student's folder in it
            let has_one_of_them = |path: &&&Path| {
                let (own, children) = (id(path), Children::of(path));
                let is_one = |child: &Path| id(child) != own && ids.contains(&id(child));
                children.is_ok_and(|all| all.folders().any(is_one))
            };
            let taken: Vec<&Path> = named.iter().filter(has_one_of_them).copied().collect();
            single.extend(taken);
        }
        single
    }

    /// How many folders are called like students of the roster, other than these.
    fn students_in(&self, folder: &Path, others: &[&Path]) -> usize {
        let Ok(children) = Children::of(folder) else { return 0 };
        let others: BTreeSet<String> = others.iter().map(|path| own_name(path)).collect();
        let is_student = |path: &&Path| self.own_form(&id(path)).is_some();
        let beside = children.folders().filter(|path| !others.contains(&own_name(path)));
        beside.filter(is_student).count()
    }

    /// Whether a folder is one submission.
    pub(super) fn is_one(&self, path: &Path, children: &Children) -> Result<bool, Reason> {
        let course = self.search.course;
        let mut mirrors = children.mirrors(course).peekable();
        let Some((first, _)) = mirrors.peek() else { return Ok(false) };
        if self.platform().is_some() {
            let name = own_name(path);
            return Ok(self.search.naming.is_some_and(|naming| naming.read(&name).is_some()));
        }
        let is_student = |path: &Path| self.own_form(&id(path)).is_some();
        let mut others = children.0.iter().filter(|(child, kind)| {
            (kind.is_dir() || names::without_archive_ending(&own_name(child)).is_some())
                && !begins_a_mirror(child, kind.is_dir(), course)
        });
        if !is_student(path) && others.any(|(child, _)| is_student(child)) {
            return Ok(false);
        }
        if !self.has_many_versions(children) {
            return Ok(true);
        }
        let first = shown(own_name(first).as_bytes());
        Err(Reason::Export(format!(
            "`{first}` lies beside folders or archives that look like several students': move it away to grade each of \
             them, or give a roster that has their ids"
        )))
    }

    /// Whether so many folders have the same exercise, however deep, or there are so many archives,
    /// that they are those of several students and not one student's old versions.
    fn has_many_versions(&self, children: &Children) -> bool {
        let is_archive = |(child, kind): &&(PathBuf, fs::FileType)| {
            kind.is_file() && names::without_archive_ending(&own_name(child)).is_some()
        };
        if children.0.iter().filter(is_archive).count() >= VERSIONS_OF_A_CLASS {
            return true;
        }
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let mut entries = MAX_ENTRIES;
        for folder in children.folders() {
            if !begins_a_mirror(folder, true, self.search.course) {
                let mut exercises = BTreeSet::new();
                self.exercises_in(folder, MAX_DEPTH, &mut entries, &mut exercises);
                exercises.into_iter().for_each(|name| *times.entry(name).or_default() += 1);
            }
        }
        times.values().any(|times| *times >= VERSIONS_OF_A_CLASS)
    }

    /// The names of the exercises' files in a folder and up to `depth` folders below it.
    fn exercises_in(
        &self,
        folder: &Path,
        depth: usize,
        entries: &mut usize,
        found: &mut BTreeSet<String>,
    ) {
        let Ok(children) = Children::of(folder) else { return };
        for (child, kind) in &children.0 {
            let Some(left) = entries.checked_sub(1) else { return };
            *entries = left;
            if kind.is_dir() && depth > 0 {
                self.exercises_in(child, depth - 1, entries, found);
            } else if kind.is_file() && begins_a_mirror(child, false, self.search.course) {
                found.insert(own_name(child));
            }
        }
    }

    /// The folder that has the submissions, when it is alone in the one that was given.
    pub(super) fn inner(&self, path: &Path, children: &Children) -> Option<PathBuf> {
        let mut folders = children.folders();
        let (Some(inner), None) = (folders.next(), folders.next()) else { return None };
        let reads = |path: &Path| {
            let name = own_name(path);
            self.own_form(&id(path)).is_some()
                || self.search.naming.is_some_and(|naming| naming.read(&name).is_some())
        };
        if path.join(gradescope::FILE).exists() || children.0.iter().any(|(child, _)| reads(child))
        {
            return None;
        }
        let deeper = Children::of(inner).ok()?;
        let is_download = match self.platform() {
            Some(Platform::Gradescope) => {
                inner.join(gradescope::FILE).exists() || deeper.folders().count() == 1
            }
            Some(_) => {
                deeper.0.iter().any(|(child, _)| reads(child)) || deeper.folders().count() == 1
            }
            // Without a platform's names, only the roster can say that this is no student.
            None => deeper.0.iter().any(|(child, _)| self.own_form(&id(child)).is_some()),
        };
        is_download.then(|| inner.to_path_buf())
    }

    /// Why a folder has no submission.
    pub(super) fn why_nothing(&self, children: &Children) -> Reason {
        let Some(platform) = self.platform() else { return Reason::NoExercise };
        let names: Vec<String> = children.0.iter().map(|(child, _)| own_name(child)).collect();
        let other =
            Naming::guess(names.iter().map(String::as_str)).filter(|other| *other != platform);
        Reason::Export(match other {
            Some(other) => format!(
                "these are names of {}'s downloads: give `--from {}`",
                other.name(),
                other.name().to_lowercase()
            ),
            None => format!(
                "none of its names is one of {}'s downloads, such as `{}`",
                platform.name(),
                platform.example()
            ),
        })
    }
}

pub(super) fn begins_a_mirror(child: &Path, is_folder: bool, course: &Course) -> bool {
    let name = own_name(child);
    if is_folder {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        is("exercises") || course.chapters().into_iter().any(is)
    } else {
        name.strip_suffix(".cu").is_some_and(|stem| course.exercise(stem).is_some())
    }
}
